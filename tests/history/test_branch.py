"""A checkpoint as a commit on a new branch of the user's own repository: what is in it, what is
withheld, and that nothing else of the repository changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import (
    Checkpoints,
    Config,
    Project,
    SkipReason,
    WithheldReason,
)
from hermes_checkpoints.model import Head
from history.own import committed, differs, exported, git, made, shown, taken, tree, withheld, write
from support import crossed

IGNORED, SECRET = WithheldReason.IGNORED, WithheldReason.SECRET_NAME
LEFT_OUT, FILTERED = WithheldReason.NOT_CAPTURED, WithheldReason.FILTERED


@pytest.fixture
def store(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as opened:
        yield opened


@pytest.fixture
def own(tmp_path: Path, store: Checkpoints) -> Project:
    """A project at the top of a repository with one commit."""
    return store.project(made(tmp_path / "own"))


def test_the_commit_holds_the_checkpoint_and_the_repository_needs_no_store(
    own: Project, home: Path
) -> None:
    folder = own.working_dir
    odd = os.fsdecode(b"bad\xff name\n\t.txt")
    write(folder, {"a.txt": b"changed\n", "new/deep/x": bytes(range(256)), odd: b"", "d/e": b"e"})
    (folder / "src/b.txt").unlink()
    (folder / "a.txt").chmod(0o755)
    (folder / "link").symlink_to("nowhere/\udcff")
    (folder / "empty").mkdir()
    checkpoint = taken(own)
    git(folder, "add", "d/e")
    write(folder, {"a.txt": b"stashed\n"})
    git(folder, "stash", "-q")
    write(folder, {"a.txt": b"by hand, later\n", "d/e": b"staged\n"})
    git(folder, "add", "d/e")
    done = exported(own)
    assert differs(folder, "rescued") == {"a.txt", "src/b.txt", "new/deep/x", odd, "d/e", "link"}
    assert {change.path for change in done.changes} == differs(folder, "rescued")
    assert shown(folder, "new/deep/x") == bytes(range(256))
    assert shown(folder, "link") == b"nowhere/\xff"
    modes = {path: about.split()[0] for path, about in tree(folder, "rescued").items()}
    assert (modes["a.txt"], modes["link"], modes["d/e"]) == ("100755", "120000", "100644")
    assert done.withheld == ()
    facts = git(folder, "log", "-1", "--format=%P%n%an <%ae>%n%at%n%cn%n%B", "rescued").split("\n")
    assert facts[0] == git(folder, "rev-parse", "HEAD").strip() == done.parent.commit
    assert facts[1] == done.author == "Ada Lovelace <ada@example.org>"
    assert facts[2:4] == [str(int(checkpoint.created_at.timestamp())), "Ada Lovelace"]
    assert facts[4:7] == ["before the clean-up", "", f"Checkpoint: {checkpoint.id}"]
    shutil.move(home, home.with_name("away"))
    git(folder, "fsck", "--full", "--strict")
    git(folder, "gc", "-q", "--prune=now")
    git(folder, "worktree", "add", "-q", folder.with_name("looked"), "rescued")
    assert (folder.with_name("looked") / "new/deep/x").read_bytes() == bytes(range(256))
    shutil.move(home.with_name("away"), home)


def test_a_project_below_the_top_replaces_its_part_of_head_alone(
    tmp_path: Path, store: Checkpoints
) -> None:
    top = made(tmp_path / "own", **{"app/c.txt": b"c\n", "app/gone": b"x"})
    (top / ".git/info/exclude").write_text("/app/local\n/other\n")
    project = store.project(top / "app")
    write(top, {"app/c.txt": b"changed\n", "app/other": b"other\n", "app/local": b"mine\n"})
    write(top, {"a.txt": b"not of the project\n"})
    (top / "app/gone").unlink()
    git(top, "add", "-f", "app/local")
    taken(project)
    done = exported(project, "a/b/c")
    assert differs(top, "a/b/c") == {"app/c.txt", "app/gone", "app/other"}
    assert {change.path for change in done.changes} == {"c.txt", "gone", "other"}
    assert withheld(done) == {"local": (IGNORED, False)}


@pytest.mark.campaign
def test_a_directory_in_the_place_of_a_file_of_head_is_a_directory_then(
    tmp_path: Path, store: Checkpoints
) -> None:
    top = made(tmp_path / "own", app=b"a file\n", x=b"a file\n")
    for name in ("app", "x"):
        (top / name).unlink()
    write(top, {"app/new": b"new\n", "app/.git-not/x": b"y"})
    project = store.project(top / "app")
    taken(project)
    exported(project)
    assert differs(top, "rescued") == {"app", "app/new", "app/.git-not/x"}
    whole = store.project(top)
    write(top, {"x/y/z": b"deep\n"})
    shutil.rmtree(top / "src")
    (top / "src").write_bytes(b"a file now\n")
    taken(whole)
    exported(whole, "again")
    assert {"x", "x/y/z", "src", "src/b.txt"} <= differs(top, "again")


def test_before_the_first_commit_it_is_a_root_commit_and_head_stays_unborn(
    tmp_path: Path, store: Checkpoints
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, {"a": b"a\n"})
    project = store.project(folder)
    taken(project)
    done = exported(project)
    assert done.parent == Head(None, "main")
    assert git(folder, "log", "--format=%P|%an <%ae>", "rescued").strip() == f"|{done.author}"
    assert (done.author, done.own_author) == ("Hermes Checkpoint <hermes@local>", False)
    assert not (folder / ".git/refs/heads/main").exists()
    (folder / "a").unlink()
    taken(project)
    exported(project, "empty")
    assert tree(folder, "empty") == {}
    git(folder, "fsck", "--full", "--strict")


def test_the_message_says_what_state_it_is(own: Project) -> None:
    folder = own.working_dir
    checkpoint = taken(own)
    own.begin_turn(session_id="s-1", turn=1, title="Tidy\x1b up")
    own.export_branch("latest", "title")
    own.label("latest", "good start")
    own.export_branch("latest", "label")
    messages = [git(folder, "log", "-1", "--format=%B", name) for name in ("title", "label")]
    end = f"before the clean-up\n\nCheckpoint: {checkpoint.id}\n"
    assert messages[0] == f"Before: Tidy up\n\n{end}\n"
    label = "Checkpoint-Label: good start\n"
    assert messages[1] == f"good start\n\nBefore: Tidy up\n\n{end}{label}\n"


def test_what_does_not_differ_from_head_is_a_commit_without_changes(own: Project) -> None:
    taken(own)
    done = exported(own)
    assert done.changes == ()
    assert tree(own.working_dir, "rescued") == tree(own.working_dir, "HEAD")
    git(own.working_dir, "fsck", "--strict")


def test_deleting_all_is_a_commit_of_nothing(own: Project) -> None:
    for name in ("a.txt", "src"):
        git(own.working_dir, "rm", "-rq", name)
    taken(own)
    assert len(exported(own).changes) == 2
    assert tree(own.working_dir, "rescued") == {}
    git(own.working_dir, "fsck", "--full", "--strict")


# --- what is withheld -----------------------------------------------------------------------------


def test_what_git_ignores_and_what_is_named_as_secrets_is_withheld(own: Project) -> None:
    folder, user = own.working_dir, Path(os.environ["HOME"])
    names = ("then.x", "of-head.x", "now.x", "clone.x", "user.x", ".env", "src/my.PEM", "deep/in/x")
    write(folder, {".gitignore": b"of-head.x\n"})
    committed(folder)
    write(folder, {".gitignore": b"then.x\n/deep/\n", **dict.fromkeys(names, b"secret\n")})
    write(folder, {"kept.x": b"fine\n", "deeper/in/x": b"fine\n"})
    git(folder, "add", "-f", ".")
    git(folder, "config", "core.excludesFile", "~/patterns")
    taken(own)
    write(user, {"patterns": b"user.x\n"})
    write(folder, {".gitignore": b"now.x\n", ".git/info/exclude": b"/clone.x\n"})
    done = exported(own)
    reasons = withheld(done)
    assert reasons == {
        **dict.fromkeys(names, (IGNORED, False)),
        ".env": (SECRET, False),
        "src/my.PEM": (SECRET, False),
    }
    assert differs(folder, "rescued") == {".gitignore", "kept.x", "deeper/in/x"}
    assert b"secret" not in objects_of(folder)


def objects_of(folder: Path) -> bytes:
    """All contents that a repository has in packs."""
    ids = git(
        folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"
    )
    index = set(git(folder, "ls-files", "-s").split())
    wanted = [name for name in ids.split() if name not in index]
    return os.fsencode(git(folder, "cat-file", "--batch", stdin="\n".join(wanted).encode()))


def test_what_head_has_is_committed_although_a_rule_ignores_it(own: Project) -> None:
    folder = own.working_dir
    write(folder, {".env": b"a=1\n", "x.log": b"1\n", ".gitignore": b"*.log\n.env\n"})
    git(folder, "add", "-f", ".")
    committed(folder)
    write(folder, {".env": b"a=2\n", "x.log": b"2\n"})
    taken(own)
    assert exported(own).withheld == ()
    assert differs(folder, "rescued") == {".env", "x.log"}


def test_what_the_checkpoint_left_out_stays_as_in_head(own: Project) -> None:
    folder = own.working_dir
    write(folder, {"big": b"small\n", "node_modules/m/i.js": b"1\n", "out/x": b"1\n"})
    git(folder, "add", "-f", ".")
    committed(folder)
    write(folder, {"big": bytes(2 << 20), "huge": bytes(2 << 20), "a.txt": b"changed\n"})
    git(folder, "rm", "-rq", "--cached", "node_modules")
    taken(own)
    done = exported(own)
    assert withheld(done) == {
        "big": (LEFT_OUT, True),
        "huge": (LEFT_OUT, False),
        "node_modules": (LEFT_OUT, True),
    }
    assert {one.skipped for one in done.withheld} == {SkipReason.OVERSIZE, SkipReason.IGNORED}
    assert differs(folder, "rescued") == {"a.txt"}


@pytest.mark.campaign
def test_submodules_stay_and_repositories_inside_are_withheld(tmp_path: Path, own: Project) -> None:
    folder, library = own.working_dir, made(tmp_path / "library")
    allowed = ("-c", "protocol.file.allow=always")
    git(folder, *allowed, "submodule", "--quiet", "add", library, "vendor/lib")
    committed(folder)
    write(folder, {"vendor/lib/a.txt": b"changed\n", "a.txt": b"changed\n"})
    made(folder / "inner", **{"sub/x": b"x\n"})
    taken(own)
    done = exported(own)
    assert withheld(done) == {
        "vendor/lib": (WithheldReason.SUBMODULE, True),
        "inner": (WithheldReason.NESTED_REPOSITORY, False),
    }
    assert differs(folder, "rescued") == {"a.txt"}
    shutil.rmtree(folder / "vendor/lib")
    write(folder, {"vendor/lib": b"a file\n"})
    taken(own)
    assert "vendor/lib" in withheld(exported(own, "again"))
    assert "160000 commit" in tree(folder, "again")["vendor/lib"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("form", ["--no-sparse-index", "--sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_not_deleted(own: Project, form: str) -> None:
    folder = own.working_dir
    write(folder, {"docs/x": b"x\n"})
    committed(folder)
    git(folder, "sparse-checkout", "set", "--cone", form, "src")
    (folder / "src/b.txt").unlink()
    taken(own)
    assert withheld(exported(own)) == {"docs/x": (WithheldReason.SPARSE, True)}
    assert differs(folder, "rescued") == {"src/b.txt"}


def test_a_partial_checkpoint_tells_of_its_paths_alone(own: Project, home: Path) -> None:
    folder = own.working_dir
    with Checkpoints.open(home, config=Config(max_files=1)) as checkpoints:
        project = checkpoints.project(folder)
        write(folder, {"a.txt": b"before\n", ".env": b"secret\n", "c": b"", "d": b""})
        (folder / "src/b.txt").unlink()
        project.take(about=["a.txt", "src/b.txt", ".env"])
        assert project.get("latest").partial
        done = exported(project)
    assert differs(folder, "rescued") == {"a.txt", "src/b.txt"}
    assert withheld(done) == {".env": (SECRET, False)}


def test_contents_that_are_lost_stay_as_in_head(own: Project, home: Path) -> None:
    folder = own.working_dir
    write(folder, {"a.txt": b"lost\n", "new": b"lost, too\n", "other": b"whole\n"})
    checkpoint = taken(own)
    for data in (b"lost\n", b"lost, too\n"):
        name = git(folder, "hash-object", "--stdin", stdin=data).strip()
        (home / "checkpoints/store/objects" / name[:2] / name[2:]).unlink()
    with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as catalog, catalog:
        catalog.execute("UPDATE checkpoints SET lost_at = created_at")
    assert own.get(checkpoint.id, lost=True).partly_lost
    done = exported(own)
    assert withheld(done) == {
        "a.txt": (WithheldReason.LOST, True),
        "new": (WithheldReason.LOST, False),
    }
    assert differs(folder, "rescued") == {"other"}


def test_names_that_no_git_checks_out_are_withheld(own: Project) -> None:
    folder = own.working_dir
    names = ("git~1", "x/.git ", ".g\u200cit", "GIT~1/x", "c\\.git\\y")
    write(folder, dict.fromkeys(names, b"x"))
    write(folder, {"x/git~2": b"fine"})
    taken(own)
    done = exported(own)
    assert withheld(done) == dict.fromkeys(names, (WithheldReason.UNUSABLE_NAME, False))
    assert differs(folder, "rescued") == {"x/git~2"}
    git(folder, "worktree", "add", "-q", folder.with_name("looked"), "rescued")


# --- as git commits it ----------------------------------------------------------------------------

TEXTS = {
    "same.txt": (b"a\r\nb\r\n", b"a\r\nb\r\n"),
    "lf.txt": (b"a\nb\n", b"a\r\nb\r\n"),
    "changed.txt": (b"a\nb\n", b"a\r\nc\r\n"),
    "crlf.txt": (b"a\r\nb\r\n", b"a\r\nc\r\n"),
    "mixed.txt": (b"a\r\nb\n", b"a\nb\r\nc\r\n"),
    "bin.bin": (b"a\r\n\0", b"b\r\n\0\r\n"),
    "id.c": (b"/* $Id$ */\n", b"/* $Id: 0123 $ */\nmore\n"),
    "id2.c": (b"/* $Id$ */\n", b"/* $Id: 0123 $ */\n"),
    "raw.dat": (b"a\nb\n", b"a\r\nb\r\n"),
}
NEW = {"new.txt": b"x\r\ny\r\n", "new.bin": b"\0\r\n", "new.c": b"$Id: 9 $\r\n", "run.sh": b"\r\n"}


ATTRIBUTES = (
    b"",
    b"* text=auto\n*.dat -text\n*.c ident\n",
    b"*.txt text eol=crlf\n*.bin -text\nsame.txt !text !eol\n",
    b"*.txt text\n[attr]sources ident text\n*.c sources\n*.dat -crlf\n",
)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("autocrlf", "attributes"), crossed(3, ("false", "true", "input"), ATTRIBUTES)
)
def test_the_tree_is_the_one_that_git_add_would_make(
    own: Project, autocrlf: str, attributes: bytes
) -> None:
    folder = own.working_dir
    git(folder, "config", "core.autocrlf", "false")
    write(folder, {name: former for name, (former, _) in TEXTS.items()})
    committed(folder)
    git(folder, "config", "core.autocrlf", autocrlf)
    write(folder, {name: now for name, (_, now) in TEXTS.items()} | NEW)
    write(folder, {".gitattributes": attributes})
    (folder / "run.sh").chmod(0o755)
    taken(own)
    done = exported(own)
    assert done.withheld == ()
    git(folder, "add", "-A")
    by_git = git(folder, "write-tree").strip()
    as_in_head = {"same.txt"}  # git would convert it, since it was touched
    assert differs(folder, "rescued", by_git) <= as_in_head
    assert not as_in_head & differs(folder, "rescued")


def pointer(data: bytes) -> bytes:
    import hashlib

    digest = hashlib.sha256(data).hexdigest()
    return (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(data)}\n"
    ).encode()


def test_what_a_filter_or_another_encoding_makes_stays_as_in_head(own: Project) -> None:
    folder = own.working_dir
    same, other = b"large\n" * 9, b"larger\n" * 9
    utf16 = "grün\n".encode("utf-16")
    write(
        folder, {"same.bin": pointer(same), "other.bin": pointer(same), "gone.bin": pointer(same)}
    )
    write(folder, {"same.u": "grün\n".encode(), "other.u": b"red\n", "x.enc": b"cipher\n"})
    committed(folder)
    rules = b"*.bin filter=lfs -text\n*.u working-tree-encoding=UTF-16\n*.enc filter=crypt\n"
    write(folder, {".gitattributes": rules, "same.bin": same, "other.bin": other, "new.bin": other})
    write(folder, {"same.u": utf16, "other.u": utf16, "x.enc": b"plain\n", "new.enc": b"plain\n"})
    (folder / "gone.bin").unlink()
    (folder / "same.bin").chmod(0o755)
    taken(own)
    done = exported(own)
    assert withheld(done) == {
        "other.bin": (FILTERED, True),
        "new.bin": (FILTERED, False),
        "other.u": (FILTERED, True),
        "x.enc": (FILTERED, True),
        "new.enc": (FILTERED, False),
    }
    assert differs(folder, "rescued") == {".gitattributes", "gone.bin", "same.bin"}
    assert shown(folder, "same.bin") == pointer(same)


def test_attributes_and_line_ends_of_the_user_count_as_they_do_for_git(own: Project) -> None:
    folder, user = own.working_dir, Path(os.environ["HOME"])
    (user / ".gitconfig").write_text("[core]\n\tautocrlf = yes\n[include]\n\tpath = more\n")
    (user / "more").write_text(
        "[author]\n\tname = Ada of work\n[core]\n\tattributesFile = ~/attr\n"
    )
    (user / "attr").write_text("*.raw -text\n*.secret filter=crypt\n")
    write(folder, {"a.txt": b"one\r\n", "x.raw": b"x\r\n", "y.secret": b"plain\n"})
    taken(own)
    done = exported(own)
    assert done.author == "Ada of work <ada@example.org>"
    assert withheld(done) == {"y.secret": (FILTERED, False)}
    assert differs(folder, "rescued") == {"x.raw"}
    assert shown(folder, "x.raw") == b"x\r\n"


def test_where_permissions_are_not_kept_files_are_as_executable_as_in_head(own: Project) -> None:
    folder = own.working_dir
    (folder / "src/b.txt").chmod(0o755)
    committed(folder)
    git(folder, "config", "core.fileMode", "false")
    write(folder, {"new": b"new\n"})
    for name, bits in (("a.txt", 0o755), ("src/b.txt", 0o644), ("new", 0o755)):
        (folder / name).chmod(bits)
    taken(own)
    exported(own)
    assert differs(folder, "rescued") == {"new"}
    assert tree(folder, "rescued")["new"].startswith("100644")

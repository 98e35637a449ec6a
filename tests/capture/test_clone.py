"""What the project's own repository says of it: which files it tracks, what its clone excludes,
and which directories are other checkouts of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from capture.roundtrip import clock_ahead, paths, skipped, taken, write
from capture.test_rules import held
from capture.trees import git, wipe
from catalog.records import shell
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Checkpoint, Mode, Skipped, SkipReason, Taken, Unchanged

ODD = {
    "build/tool.py": "build\n",
    "dist/app.js": "dist\n",
    "env/settings.py": "env\n",
    ".env": "TOKEN=1\n",
    "node_modules/mine/index.js": "mine\n",
    "local/notes": "ignored by .gitignore\n",
    "fixtures/data.zip": "zip\n",
    "deep/x.log": "log\n",
}
"""Files that a rule leaves out, each by its name."""


def committed(folder: Path, files: dict[str, bytes | str]) -> None:
    """Make a repository of a directory that tracks files, whatever ignores them."""
    write(folder, files)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-f", *files)
    git(folder, "commit", "-q", "-m", "one")


def odd_project(tree: Path) -> None:
    committed(tree, {".gitignore": "local/\n", "setup.py": "", **ODD})
    write(tree, {"build/untracked": "", "dist/untracked": "", "local/other": "", "x.log": ""})


def ruined_comes_back(store: Checkpoints, tree: Path, checkpoint: Checkpoint) -> None:
    for name in ODD:
        (tree / name).unlink()
    wipe(tree / "dist")
    restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
    assert restored.failed == ()
    assert {name: (tree / name).read_text() for name in ODD} == ODD


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("form", ["2", "4", "split", "sha256"])
def test_what_git_tracks_is_captured_whatever_its_name(
    store: Checkpoints, tree: Path, form: str
) -> None:
    if form == "sha256":
        git(tree, "init", "-q", "--object-format=sha256", "-b", "main")
    odd_project(tree)
    if form == "split":
        git(tree, "update-index", "--split-index")
        write(tree, {"build/later.py": "later\n"})
        git(tree, "add", "-f", "build/later.py")
    elif form.isdigit():
        git(tree, "update-index", "--index-version", form)
    checkpoint = taken(store.project(tree).take())
    wanted = {".gitignore", "setup.py", *ODD} | ({"build/later.py"} if form == "split" else set())
    assert held(store, checkpoint) == wanted
    assert store.project(tree).coverage().ignored == (
        *("build/untracked", "dist/untracked", "local/other", "x.log"),
    )
    assert isinstance(store.project(tree).take(), Unchanged)
    ruined_comes_back(store, tree, checkpoint)


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("place", ["subdirectory", "worktree", "submodule", "inner"])
def test_the_repository_that_counts_is_the_one_that_the_directory_belongs_to(
    store: Checkpoints, tree: Path, tmp_path: Path, place: str
) -> None:
    outer = tmp_path / "outer"
    if place == "subdirectory":
        committed(outer, {"top": "t\n", "sub/build/tool": "b\n", "build/elsewhere": "e\n"})
        project = outer / "sub"
    else:
        committed(outer, {"top": "t\n", "build/tool": "b\n"})
        project = tree / "inner"
        if place == "worktree":
            git(outer, "worktree", "add", "-q", "-b", "side", str(project))
        elif place == "submodule":
            committed(tree, {"file": "f\n"})
            git(tree, "submodule", "--quiet", "add", str(outer), "inner")
        else:
            git(outer, "clone", "-q", ".", str(project))
            project = tree
    write(tree if place == "inner" else project, {"package.json": "{}"})
    if place == "inner":
        write(project / "inner", {"package.json": "{}"})
    checkpoint = taken(store.project(project).take())
    name = "inner/build/tool" if place == "inner" else "build/tool"
    assert name in held(store, checkpoint)
    assert not any("elsewhere" in path for path in held(store, checkpoint))


@pytest.mark.campaign
def test_the_take_after_follows_what_git_tracks(store: Checkpoints, tree: Path) -> None:
    committed(tree, {"file": "f\n"})
    write(tree, {"dist/a": "a\n", "dist/b": "b\n"})
    assert held(store, taken(store.project(tree).take())) == {"file"}
    git(tree, "add", "-f", "dist/a")
    second = taken(store.project(tree).take())
    assert held(store, second) == {"file", "dist/a"}
    (tree / "dist/a").unlink()
    assert held(store, taken(store.project(tree).take())) == {"file"}
    write(tree, {"dist/a": "again\n"})
    assert held(store, taken(store.project(tree).take())) == {"file", "dist/a"}
    write(tree, {"dist/a": "edited\n"})
    assert held(store, taken(store.project(tree).take())) == {"file", "dist/a"}
    assert isinstance(store.project(tree).take(), Unchanged)
    git(tree, "rm", "-q", "-f", "--cached", "dist/a")
    assert held(store, taken(store.project(tree).take())) == {"file"}
    store.project(tree).restore(second.id, mode=Mode.EXACT)
    assert (tree / "dist/a").read_text() == "a\n"
    assert (tree / "dist/b").read_text() == "b\n"


def test_a_rule_that_comes_later_leaves_out_nothing_that_is_tracked(
    store: Checkpoints, tree: Path
) -> None:
    committed(tree, {"data/one": "1\n", "data/two": "2\n"})
    write(tree, {"data/three": "3\n"})
    assert held(store, taken(store.project(tree).take())) == {"data/one", "data/two", "data/three"}
    (tree / "data/two").unlink()
    taken(store.project(tree).take())
    write(tree, {".gitignore": "data/\n"})
    assert held(store, taken(store.project(tree).take())) == {".gitignore", "data/one"}
    write(tree, {"data/two": "2\n"})
    last = taken(store.project(tree).take())
    assert held(store, last) == {".gitignore", "data/one", "data/two"}
    assert store.project(tree).coverage().ignored == ("data/three",)


def test_tracked_files_that_no_checkpoint_holds_are_listed(store: Checkpoints, tree: Path) -> None:
    committed(tree, {"dist/big": "b" * (11 << 20), "dist/pipe": "p", "dist/gone": "", "x": ""})
    (tree / "dist/pipe").unlink()
    os.mkfifo(tree / "dist/pipe")
    (tree / "dist/gone").unlink()
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {"x"}
    assert skipped(store, checkpoint) == {
        "dist/big": SkipReason.OVERSIZE,
        "dist/pipe": SkipReason.SPECIAL,
    }
    assert isinstance(store.project(tree).take(), Unchanged)


def test_what_a_sparse_checkout_leaves_out_is_no_deletion(store: Checkpoints, tree: Path) -> None:
    committed(tree, {"a/file": "a\n", "build/file": "b\n", "c/dist/file": "c\n"})
    first = taken(store.project(tree).take())
    git(tree, "sparse-checkout", "set", "--cone", "--sparse-index", "a")
    assert not (tree / "build").exists()
    assert held(store, taken(store.project(tree).take())) == {"a/file"}
    git(tree, "sparse-checkout", "disable")
    assert held(store, taken(store.project(tree).take())) == held(store, first)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", ["cut", "checksum", "pipe", "extension", "paths"])
def test_an_index_that_cannot_be_read_is_told_and_what_was_held_stays(
    store: Checkpoints, tree: Path, damage: str
) -> None:
    odd_project(tree)
    first = taken(store.project(tree).take())
    index = tree / ".git/index"
    data = index.read_bytes()
    index.unlink()
    if damage == "pipe":
        os.mkfifo(index)
    elif damage == "cut":
        index.write_bytes(data[: len(data) // 2])
    elif damage == "extension":
        index.write_bytes(data[:-20] + b"need\0\0\0\0" + bytes(20))
    elif damage == "paths":
        index.write_bytes(data[:-20].replace(b"build/tool.py", b"build/\0ool.py") + bytes(20))
    else:
        index.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    write(tree, {"new": "n\n"})
    second = taken(store.project(tree).take())
    assert held(store, second) == held(store, first) | {"new"}
    (note,) = store.project(tree).coverage().notes
    assert str(index) in note
    assert isinstance(store.project(tree).take(), Unchanged)
    journal = shell(store._base.layout.catalog, "SELECT message FROM operations ORDER BY id")
    assert [row["message"] for row in journal] == [None, note, note]
    index.unlink()
    index.write_bytes(data)
    store.project(tree).take()
    assert store.project(tree).coverage().notes == ()


def test_an_index_leads_to_nothing_outside_of_the_project_nor_into_a_git(
    store: Checkpoints, tree: Path
) -> None:
    committed(tree, {"aa/secret": "", "bbbb/config": "", "file": "f\n"})
    write(tree.parent, {"secret": "s\n"})
    index = tree / ".git/index"
    data = index.read_bytes()[:-20]
    data = data.replace(b"aa/secret", b"../secret").replace(b"bbbb/config", b".git/config")
    index.write_bytes(data + bytes(20))  # as with index.skipHash
    wipe(tree / "aa")
    wipe(tree / "bbbb")
    checkpoint = taken(store.project(tree).take())
    assert held(store, checkpoint) == {"file"}
    assert checkpoint.complete
    assert store.project(tree).coverage().notes == ()


# --- .git/info/exclude ---------------------------------------------------------------------


def test_the_clones_excludes_are_anchored_at_the_top_of_the_repository(
    store: Checkpoints, tree: Path
) -> None:
    git(tree, "init", "-q")
    exclude = "/sub/data/\n/other/\nsub/*.big\n*.tmp\ndata2\n!/sub/kept.tmp\n**/deep/x\n"
    write(tree, {".git/info/exclude": exclude})
    names = ("data/x", "other/x", "a.big", "in/a.big", "b.tmp", "kept.tmp", "data2", "in/deep/x")
    write(tree / "sub", dict.fromkeys(names, ""))
    with_rules = held(store, taken(store.project(tree / "sub").take()))
    assert with_rules == {"other/x", "in/a.big", "kept.tmp"}
    listed = git(tree / "sub", "ls-files", "-z", "-o", "--exclude-standard").split("\0")
    assert with_rules == {name for name in listed if name}


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize("pattern", ["*", "/*", "**", "/**", "**/", "/***", "/code/**", "*/"])
def test_excludes_that_leave_out_the_directory_itself_hide_nothing_in_it(
    store: Checkpoints, tree: Path, pattern: str
) -> None:
    """As in a home directory that is a repository and excludes all that is not added."""
    git(tree, "init", "-q")
    write(tree, {".git/info/exclude": f"{pattern}\n", "code/app/main.py": "m\n"})
    assert held(store, taken(store.project(tree / "code/app").take())) == {"main.py"}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("kind", ["pipe", "huge", "binary", "folder", "link to nothing"])
def test_excludes_that_are_no_patterns_hide_nothing(
    store: Checkpoints, tree: Path, kind: str
) -> None:
    git(tree, "init", "-q")
    write(tree, {"file": "f\n"})
    exclude = tree / ".git/info/exclude"
    exclude.unlink()
    if kind == "pipe":
        os.mkfifo(exclude)
    elif kind == "huge":
        exclude.write_text("file\n" * (1 << 18))
    elif kind == "binary":
        exclude.write_bytes(b"\0*\n" + bytes(range(256)))
    elif kind == "folder":
        exclude.mkdir()
    else:
        exclude.symlink_to(tree / "nowhere")
    assert held(store, taken(store.project(tree).take())) == {"file"}


def test_what_the_clone_excludes_does_not_count(home: Path, tree: Path) -> None:
    git(tree, "init", "-q")
    write(tree, {".git/info/exclude": "data/\n", "file": "f\n"})
    write(tree, {f"data/{number}": "" for number in range(20)})
    with Checkpoints.open(home, config=Config(max_files=10)) as store:
        assert held(store, taken(store.project(tree).take())) == {"file"}


# --- worktrees -----------------------------------------------------------------------------


def with_worktree(tree: Path, name: str = "side") -> None:
    committed(tree, {"file": "f\n"})
    git(tree, "worktree", "add", "-q", "-b", "side", name)
    write(tree, {f"{name}/more/{number}": "" for number in range(20)})


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [".claude/worktrees/side", "a b/[c]*?", "new\nline"])
def test_a_worktree_of_the_same_repository_is_no_part_of_the_outer_directory(
    home: Path, tree: Path, name: str
) -> None:
    with_worktree(tree, name)
    with Checkpoints.open(home, config=Config(max_files=10)) as store:
        project = store.project(tree)
        checkpoint = taken(project.take())
        assert held(store, checkpoint) == {"file"}
        assert checkpoint.complete
        assert project.coverage().worktrees == (name,)
        assert f"{name}/" in project.coverage().ignored
        assert isinstance(project.take(), Unchanged)
        write(tree, {f"{name}/file": "other work\n", f"{name}/new": "n\n", "file": "changed\n"})
        restored = project.restore(checkpoint.id, mode=Mode.EXACT)
        assert paths(restored.done) == {"file"}
        assert (tree / name / "file").read_text() == "other work\n"
        assert (tree / name / "new").read_text() == "n\n"


def test_a_worktree_has_checkpoints_of_its_own(store: Checkpoints, tree: Path) -> None:
    with_worktree(tree)
    taken(store.project(tree).take())
    checkpoint = taken(store.project(tree / "side").take())
    assert "file" in held(store, checkpoint)
    write(tree, {"side/file": "x\n"})
    store.project(tree / "side").restore(checkpoint.id, mode=Mode.EXACT)
    assert (tree / "side/file").read_text() == "f\n"


def test_a_worktree_that_was_captured_before_is_left_and_never_touched(
    store: Checkpoints, tree: Path
) -> None:
    """Once it was an ordinary directory; then it became a checkout of the same repository."""
    committed(tree, {"file": "f\n"})
    write(tree, {"side/file": "as it was\n", "side/gone": "g\n"})
    before = taken(store.project(tree).take())
    wipe(tree / "side")
    git(tree, "worktree", "add", "-q", "-b", "side", "side")
    write(tree, {"side/new": "n\n"})
    taken(store.project(tree).take())
    for mode in (Mode.OVERLAY, Mode.EXACT):
        store.project(tree).restore(before.id, mode=mode)
        assert (tree / "side/file").read_text() == "f\n"
        assert (tree / "side/new").read_text() == "n\n"
        assert not (tree / "side/gone").exists()


def test_a_repository_that_becomes_a_worktree_in_place_and_back(
    store: Checkpoints, tree: Path
) -> None:
    committed(tree, {"file": "f\n"})
    git(tree, "worktree", "add", "-q", "-b", "side", "elsewhere")
    write(tree, {"moved/file": "m\n"})
    assert "moved/file" in held(store, taken(store.project(tree).take()))
    pointer = (tree / "elsewhere/.git").read_text()
    write(tree, {"moved/.git": pointer})
    assert "moved/file" not in held(store, taken(store.project(tree).take()))
    (tree / "moved/.git").unlink()
    assert "moved/file" in held(store, taken(store.project(tree).take()))


def test_a_worktree_that_is_repaired_is_left_out_again(store: Checkpoints, tree: Path) -> None:
    committed(tree, {"a": "a\n"})
    git(tree, "worktree", "add", "-q", "--detach", "side")
    pointer = (tree / "side/.git").read_text()
    (tree / "side/.git").write_text("gitdir: /moved/away\n")
    project = store.project(tree)
    with clock_ahead(10):
        assert held(store, taken(project.take())) == {"a", "side/a"}
    (tree / "side/.git").write_text(pointer)
    with clock_ahead(20):
        assert held(store, taken(project.take())) == {"a"}
    assert project.coverage().worktrees == ("side",)


def test_an_index_that_can_be_read_again_is_not_told_of(store: Checkpoints, tree: Path) -> None:
    committed(tree, {"a": "a\n", ".env": "e\n"})
    git(tree, "update-index", "--split-index")
    (shared,) = (tree / ".git").glob("sharedindex.*")
    project = store.project(tree)
    shared.rename(tree / ".git/away")
    taken(project.take())
    assert project.coverage().notes
    (tree / ".git/away").rename(shared)
    assert held(store, taken(project.take())) == {"a", ".env"}
    assert project.coverage().notes == ()


def test_worktrees_in_worktrees(store: Checkpoints, tree: Path) -> None:
    with_worktree(tree)
    git(tree, "worktree", "add", "-q", "-b", "deeper", "side/deeper")
    assert held(store, taken(store.project(tree).take())) == {"file"}
    assert store.project(tree / "side").coverage().worktrees == ("deeper",)


# --- a .gitignore that is ignored ----------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("by", ["itself", "info/exclude", "the one above"])
def test_a_gitignore_that_is_ignored_is_followed(store: Checkpoints, tree: Path, by: str) -> None:
    git(tree, "init", "-q")
    write(tree, {"a/one.x": "1\n", "a/two.y": "2\n", "a/.gitignore": "*.z\n", "b": "b\n"})
    if by == "itself":
        write(tree, {"a/.gitignore": ".gitignore\n*.z\n"})
    else:
        place = ".git/info/exclude" if by == "info/exclude" else ".gitignore"
        write(tree, {place: "/a/.gitignore\n"})
    first = held(store, taken(store.project(tree).take()))
    assert {"a/one.x", "a/two.y", "b"} <= first
    assert "a/.gitignore" not in first
    with (tree / "a/.gitignore").open("a") as file:
        file.write("*.x\n")
    assert held(store, taken(store.project(tree).take())) == first - {"a/one.x"}
    assert isinstance(store.project(tree).take(), Unchanged)
    (tree / "a/.gitignore").write_text("*.y\n" + (".gitignore\n" if by == "itself" else ""))
    assert held(store, taken(store.project(tree).take())) == first - {"a/two.y"}
    (tree / "a/.gitignore").unlink()
    assert held(store, taken(store.project(tree).take())) == first


def test_no_git_of_the_project_is_asked(
    store: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository's settings start nothing and mean nothing, whatever they say."""
    odd_project(tree)
    marker = tree.parent / "started"
    for name, value in (("fsmonitor", f"touch {marker}"), ("hooksPath", str(tree.parent))):
        subprocess.run(["git", "config", f"core.{name}", value], cwd=tree, check=True)
    outcome = store.project(tree).take()
    assert isinstance(outcome, Taken)
    assert ODD.keys() <= held(store, outcome.checkpoint)
    assert not marker.exists()


def test_too_many_tracked_files_are_refused_like_others(home: Path, tree: Path) -> None:
    committed(tree, {f"dist/{number}": "" for number in range(20)})
    with Checkpoints.open(home, config=Config(max_files=10)) as store:
        assert isinstance(store.project(tree).take(), Skipped)

"""``diff --head``: against HEAD of the project's own repository, which is only read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import Run, everything, make_project


def git(folder: Path, *words: str | Path) -> str:
    command = ["git", "-c", "user.name=me", "-c", "user.email=me@here", *map(str, words)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repository(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project in a repository with one commit, as the current directory."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    git(project, "init", "-q", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    return project


def change(folder: Path) -> None:
    (folder / "README.md").write_text("# Changed\n", encoding="utf-8")
    (folder / "new.txt").write_text("new\n", encoding="utf-8")
    (folder / "src/data.bin").unlink()


CHANGED = [("M", "README.md"), ("A", "new.txt"), ("D", "src/data.bin")]


def statuses(run: Run, *words: str | Path) -> list[tuple[str, str]]:
    changes = run("diff", "--head", "--json", *words).json["changes"]
    return [(one["status"], one["path"]) for one in changes]


def test_the_present_against_head_without_any_checkpoint(run: Run, repository: Path) -> None:
    assert run("diff", "--head").out.startswith("No changes from HEAD (main ")
    change(repository)
    answer = run("diff", "--head")
    head = git(repository, "rev-parse", "--short=7", "HEAD").strip()
    assert answer.lines[0] == f"Changes from HEAD (main {head}) to the working directory:"
    assert "+# Changed" in answer.lines
    assert statuses(run) == CHANGED
    assert (
        run("diff", "--head", "--name-status").out == "M\tREADME.md\nA\tnew.txt\nD\tsrc/data.bin\n"
    )
    assert "diff --git" not in run("diff", "--head", "--stat").out


def test_it_says_what_git_says(run: Run, repository: Path) -> None:
    change(repository)
    (repository / "my notes.txt").write_text("notes\n", encoding="utf-8")
    (repository / "tab\there").write_text("odd\n", encoding="utf-8")
    (repository / "caf\u00e9").write_text("odd\n", encoding="utf-8")
    (repository / "run.sh").chmod(0o644)
    (repository / "docs/notes.txt").unlink()
    (repository / "docs/notes.txt").symlink_to("../README.md")
    ours = run("diff", "--head", "--name-status").out
    git(repository, "add", "-A")
    assert ours == git(repository, "diff", "--cached", "--name-status", "--no-renames", "HEAD")


def test_a_checkpoint_against_head(run: Run, repository: Path) -> None:
    change(repository)
    run("take", "-m", "changed")
    git(repository, "checkout", "-q", "-f", "HEAD")
    (repository / "new.txt").unlink()
    assert statuses(run) == []
    assert statuses(run, "1") == statuses(run, "@0s") == CHANGED
    assert "to checkpoint " in run("diff", "1", "--head").lines[0]
    assert "two are named" in run("diff", "--head", "1", "latest", code=64).err


def test_some_paths_also_those_that_head_alone_has(run: Run, repository: Path) -> None:
    change(repository)
    assert statuses(run, "src/data.bin") == [("D", "src/data.bin")]
    assert statuses(run, "src", "README.md") == [("M", "README.md"), ("D", "src/data.bin")]
    assert (
        "neither the working directory nor HEAD (main " in run("diff", "--head", "no", code=2).err
    )
    os.chdir(repository / "src")
    assert statuses(run, "data.bin") == [("D", "src/data.bin")]


def test_a_project_below_the_top_is_compared_with_its_part_of_head(
    run: Run, repository: Path
) -> None:
    (repository / "src/pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (repository / "README.md").unlink()
    (repository / "src/app.py").unlink()
    assert statuses(run, "--dir", repository / "src") == [("D", "app.py"), ("A", "pyproject.toml")]
    (repository / "fresh").mkdir()
    (repository / "fresh/a.txt").write_text("a\n", encoding="utf-8")
    assert statuses(run, "--dir", repository / "fresh") == [("A", "a.txt")]


def test_the_repository_is_not_changed_and_nothing_in_it_obeyed(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    sign = tmp_path / "ran"
    run_it = f"touch {sign}; cat"
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        git(repository, "config", key, run_it)
    for key in ("diff.external", "diff.evil.command", "core.pager", "core.sshCommand"):
        git(repository, "config", key, run_it)
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "remote.origin.url", f"ext::sh -c {run_it}")
    git(repository, "config", "remote.origin.promisor", "true")
    (repository / ".gitattributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
    change(repository)
    before = everything(repository / ".git")
    times = {p: p.lstat().st_mtime_ns for p in (repository / ".git").rglob("*")}
    assert ("M", "README.md") in statuses(run)
    assert "+# Changed" in run("diff", "--head").lines
    assert everything(repository / ".git") == before
    assert times == {p: p.lstat().st_mtime_ns for p in (repository / ".git").rglob("*")}
    assert not sign.exists()


@pytest.mark.campaign
def test_redirected_it_is_a_patch_that_git_applies(repository: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(repository, copy)
    (repository / "README.md").write_bytes(b"caf\xe9\r\n")
    (repository / "new.txt").write_text("new\n", encoding="utf-8")
    command = [sys.executable, "-m", "hermes_checkpoints", "diff", "--head"]
    patch = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=repository).stdout
    subprocess.run(["git", "apply", "-"], input=patch, check=True, cwd=copy)
    assert (copy / "README.md").read_bytes() == b"caf\xe9\r\n"
    assert (copy / "new.txt").read_text(encoding="utf-8") == "new\n"


# --- where HEAD is odd ----------------------------------------------------------------------------


def test_outside_of_a_repository_it_is_refused(run: Run, taken: Path) -> None:
    assert "belongs to no git repository" in run("diff", "--head", code=2).err


def test_before_the_first_commit_it_is_refused(run: Run, taken: Path) -> None:
    git(taken, "init", "-q", "-b", "main")
    assert "names no commit that can be read here" in run("diff", "--head", code=2).err


def test_a_detached_head_and_packed_refs(run: Run, repository: Path) -> None:
    change(repository)
    git(repository, "pack-refs", "--all")
    git(repository, "gc", "-q")
    assert statuses(run) == CHANGED
    git(repository, "checkout", "-q", "--detach")
    assert run("diff", "--head").lines[0].endswith("(detached)) to the working directory:")


def test_a_repository_of_sha256_is_refused_by_name(run: Run, taken: Path) -> None:
    git(taken, "init", "-q", "--object-format=sha256")
    git(taken, "add", ".")
    git(taken, "commit", "-qm", "first")
    assert "is one of SHA-256" in run("diff", "--head", code=2).err


def test_a_linked_worktree_has_its_own_head(run: Run, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(repository, "worktree", "add", "-q", "-b", "feature", other)
    (other / "README.md").write_text("# Feature\n", encoding="utf-8")
    git(other, "commit", "-qam", "second")
    (other / "new.txt").write_text("new\n", encoding="utf-8")
    assert statuses(run, "--dir", other) == [("A", "new.txt")]
    assert "(feature " in run("diff", "--head", "--dir", other).lines[0]
    assert statuses(run) == []


def test_what_borrows_its_objects_is_read(run: Run, repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / 'a:b "c" \\d'
    git(tmp_path, "clone", "-q", "--shared", repository, clone)
    change(clone)
    assert statuses(run, "--dir", clone) == CHANGED


def test_a_shallow_clone_has_its_head(run: Run, repository: Path, tmp_path: Path) -> None:
    (repository / "README.md").write_text("# Second\n", encoding="utf-8")
    git(repository, "commit", "-qam", "second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    change(tmp_path / "shallow")
    assert statuses(run, "--dir", tmp_path / "shallow") == CHANGED


def test_of_a_partial_clone_what_is_not_here_is_named(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    words = ("--filter=blob:none", "--no-checkout", f"file://{repository}", "partial")
    git(tmp_path, "clone", "-q", *words)
    clone = tmp_path / "partial"
    (clone / "README.md").write_text("# Mine\n", encoding="utf-8")
    answer = run("diff", "--head", "--json", "--dir", clone).json
    assert {one["path"] for one in answer["lost_paths"]} >= {"README.md", "src/app.py"}
    assert "README.md: differs; the repository lacks its contents" in answer["text"]
    assert ("M", "README.md") in {(one["status"], one["path"]) for one in answer["changes"]}
    git(tmp_path, "clone", "-q", "--filter=tree:0", "--no-checkout", f"file://{repository}", "bare")
    told = run("diff", "--head", "--dir", tmp_path / "bare", code=2).err
    assert "A partial clone may lack it" in told


def test_what_a_rule_ignored_then_is_not_deleted(run: Run, repository: Path) -> None:
    """A secret that no checkpoint holds is committed later, by mistake."""
    (repository / ".env").write_text("KEY=1\n", encoding="utf-8")
    run("take")
    git(repository, "add", "-f", ".env")
    git(repository, "commit", "-qm", "oh no")
    answer = run("diff", "--head", "1", "--name-status")
    assert (answer.out, answer.err.splitlines()) == (
        "",
        ["hermes checkpoints: not compared: .env  ignored-by-rule"],
    )
    assert run("diff", "1", "--name-status").out == ""


def test_submodules_are_left_to_their_own_head(run: Run, repository: Path, tmp_path: Path) -> None:
    library = make_project(tmp_path / "library")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "first")
    allowed = ("-c", "protocol.file.allow=always")
    git(repository, *allowed, "submodule", "--quiet", "add", library, "vendor/lib")
    git(repository, "commit", "-qm", "library")
    assert statuses(run) == []
    (repository / "vendor/lib/README.md").write_text("changed\n", encoding="utf-8")
    change(repository)
    assert statuses(run) == CHANGED
    assert "not compared: vendor/lib  submodule" in run("diff", "--head").err
    os.chdir(repository / "vendor/lib")
    assert statuses(run, "--dir", ".") == [("M", "README.md")]


@pytest.mark.parametrize("form", ["--no-sparse-index", "--sparse-index"])
def test_what_a_sparse_checkout_leaves_out_was_not_deleted(
    run: Run, repository: Path, form: str
) -> None:
    git(repository, "sparse-checkout", "set", "--cone", form, "src")
    assert not (repository / "docs").exists()
    (repository / "src/app.py").unlink()
    assert statuses(run) == [("D", "src/app.py")]


def test_what_is_not_captured_was_not_deleted(run: Run, repository: Path) -> None:
    big = repository / "big.txt"
    big.write_bytes(b"small\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    with big.open("wb") as stream:
        stream.truncate(11 << 20)
    assert statuses(run) == []
    assert "not compared: big.txt  oversize" in run("diff", "--head").err


def test_damage_of_the_repository_is_told_as_such(run: Run, repository: Path) -> None:
    change(repository)
    tree = git(repository, "rev-parse", "HEAD^{tree}").strip()
    (repository / ".git/objects" / tree[:2] / tree[2:]).unlink()
    told = run("diff", "--head", code=2).err
    assert "cannot be read" in told
    assert "`git fsck` there" in told


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(
    "head", ["0" * 40, "a" * 40, "ref: refs/heads/../../x", "", "\0", "ref: refs/heads/none"]
)
def test_a_head_that_is_none_is_refused(run: Run, repository: Path, head: str) -> None:
    (repository / ".git/HEAD").write_text(head)
    run("diff", "--head", code=2)


def test_the_wrong_pair_of_options_is_refused(run: Run, repository: Path) -> None:
    assert "give one" in run("diff", "--head", "--turn", "1", code=64).err
    with pytest.raises(SystemExit, match="64"):
        run("diff", "--stat", "--name-status")


def test_a_git_folder_behind_a_link_is_followed_as_git_does(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    change(repository)
    shutil.move(repository / ".git", tmp_path / "elsewhere")
    (repository / ".git").symlink_to(tmp_path / "elsewhere")
    assert statuses(run) == CHANGED
    (repository / ".git").unlink()
    (repository / ".git").symlink_to(".git")
    assert "belongs to no git repository" in run("diff", "--head", code=2).err


def test_a_bare_repository_is_no_project_with_a_head(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", repository, "bare.git")
    told = run("diff", "--head", "--dir", tmp_path / "bare.git", code=2).err
    assert "belongs to no git repository" in told


def test_pipes_in_the_place_of_files_block_nothing(run: Run, repository: Path) -> None:
    change(repository)
    (repository / ".git/index").unlink()
    os.mkfifo(repository / ".git/index")
    assert statuses(run) == CHANGED
    (repository / ".git/HEAD").unlink()
    os.mkfifo(repository / ".git/HEAD")
    assert "belongs to no git repository" in run("diff", "--head", code=2).err


def hostile_head(repository: Path, depth: int) -> None:
    """Let HEAD be a commit of a tree so deep, with names that no checkout makes."""

    def put(kind: str, data: bytes) -> bytes:
        command = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        done = subprocess.run(command, cwd=repository, input=data, check=True, capture_output=True)
        return bytes.fromhex(done.stdout.decode().strip())

    text = put("blob", b"x\n")
    tree = put("tree", b"100644 f\0" + text)
    for _ in range(depth):
        tree = put("tree", b"40000 d\0" + tree)
    names = (b"..", b".git", b"a/../../x", b"a\nb", b"\xff\x1b[31m")
    entries = b"".join(b"100644 " + name + b"\0" + text for name in names)
    entries += b"40000 deep\0" + tree + b"160000 sub\0" + b"\x11" * 20
    top = put("tree", entries).hex()
    commit = git(repository, "commit-tree", "-m", "hostile", top).strip()
    (repository / ".git/HEAD").write_text(f"{commit}\n")


def test_a_hostile_head_is_shown_and_harms_nothing(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    hostile_head(repository, 3)
    before = everything(tmp_path / "project")
    lines = run("diff", "--head", "--name-status").lines
    for name in ("..", ".git", "a/../../x", '"a\\nb"', '"\\377\\033[31m"', "deep/d/d/d/f"):
        assert f"D\t{name}" in lines
    assert everything(tmp_path / "project") == before


@pytest.mark.campaign
def test_a_head_nested_deeper_than_any_directory_is_an_answer(run: Run, repository: Path) -> None:
    hostile_head(repository, 1200)
    assert "nested deeper than any directory" in run("diff", "--head", code=2).err

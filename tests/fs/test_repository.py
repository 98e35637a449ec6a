"""What a repository says of itself is read as git itself would tell it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from capture.trees import git
from hermes_checkpoints.fs.repository import enclosing, repository_at
from hermes_checkpoints.model import Head


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a").write_text("a\n")
    git(folder, "add", "a")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def _told_by_git(folder: Path) -> Head:
    branch = git(folder, "branch", "--show-current").strip() or None
    return Head(git(folder, "rev-parse", "HEAD").strip(), branch)


def _switched(project: Path) -> Path:
    git(project, "switch", "-q", "-c", "feature/x.y")
    return project


def _packed(project: Path) -> Path:
    git(project, "pack-refs", "--all")
    return project


def _detached(project: Path) -> Path:
    git(project, "switch", "-q", "--detach")
    return project


def _worktree(project: Path) -> Path:
    git(project, "worktree", "add", "-q", "-b", "other", "wt")
    git(project / "wt", "commit", "-q", "--allow-empty", "-m", "two")
    return project / "wt"


def _packed_worktree(project: Path) -> Path:
    worktree = _worktree(project)
    git(project, "pack-refs", "--all")
    return worktree


def _submodule(project: Path) -> Path:
    git(project, "submodule", "--quiet", "add", str(project), "sub")
    return project / "sub"


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(
    "make", [_switched, _packed, _detached, _worktree, _packed_worktree, _submodule]
)
def test_head_is_what_git_tells(project: Path, make: Callable[[Path], Path]) -> None:
    folder = make(project)
    found = repository_at(folder)
    assert found is not None
    assert found.head() == _told_by_git(folder)
    assert found.index.is_file()
    where = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir").strip()
    assert found.common_dir == Path(where)


def test_nothing_is_known_where_the_packed_refs_cannot_be_read(project: Path) -> None:
    folder = _packed(project)
    packed = folder / ".git" / "packed-refs"
    with packed.open("rb+") as file:
        file.truncate(1 << 27)
    found = repository_at(folder)
    assert found is not None
    assert found.head() == Head(), "a branch without a commit would have moved"


def test_a_branch_without_commits_has_a_name_and_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "fresh")
    found = repository_at(tmp_path)
    assert found is not None
    assert found.head() == Head(None, "fresh")


def test_a_directory_inside_belongs_to_the_repository_above(project: Path) -> None:
    inside = project / "pkg" / "x"
    inside.mkdir(parents=True)
    found = enclosing(inside)
    assert found is not None
    assert (found.top, found.subdirectory(inside)) == (project, "pkg/x")
    assert found.subdirectory(project) == ""


@pytest.mark.parametrize(
    "pointer", [b"", b"gitdir: ", b"gitdir: /nowhere", b"gitdir: a\0b", b"gitdir: .", b"\xff" * 9]
)
def test_a_pointer_to_nothing_is_no_repository(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".git").write_bytes(pointer)
    assert repository_at(tmp_path) is None


@pytest.mark.parametrize("head", [b"", b"ref: ../../etc", b"ref: refs/../x", b"nonsense", b"\0"])
def test_what_cannot_be_read_is_not_known(project: Path, head: bytes) -> None:
    (project / ".git" / "HEAD").write_bytes(head)
    found = repository_at(project)
    assert found is not None
    assert found.head() == Head(None, None)


def test_a_pipe_is_not_waited_for(project: Path) -> None:
    os.mkfifo(project / ".git" / "commondir")
    (project / ".git" / "refs" / "heads" / "main").unlink()
    os.mkfifo(project / ".git" / "refs" / "heads" / "main")
    found = repository_at(project)
    assert found is not None
    assert found.head() == Head(None, "main")

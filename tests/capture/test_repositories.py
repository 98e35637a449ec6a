"""Nested repositories are ordinary directories, and their ``.git`` is nobody's business."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from capture.roundtrip import comes_back, paths, skipped, taken, write
from capture.trees import REPOSITORIES, Repositories, Seen, git, listing, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import Action, Mode, Unchanged
from hermes_checkpoints.object_store import ObjectStore, list_tree

Put = Callable[[str, Path], None]


def insides(root: Path) -> dict[str, Seen]:
    """Return all that lies in a ``.git`` of the tree."""
    return {path: seen for path, seen in listing(root).items() if ".git" in path.split("/")}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("kind", REPOSITORIES)
def test_contents_of_a_nested_repository_come_back(
    store: Checkpoints, tree: Path, repositories: Repositories, kind: str
) -> None:
    nested = tree / "nested"
    write(tree, {"top": "top\n", "nested/deep/file": "one\n", "nested/other": "other\n"})
    repositories.put(kind, nested)
    before = insides(tree)
    restored = comes_back(store, tree, lambda: write(nested, {"deep/file": "two\n", "new": "n"}))
    assert paths(restored.done) == {"nested/deep/file", "nested/new"}
    assert insides(tree) == before


def committed(folder: Path, files: dict[str, bytes | str]) -> None:
    """Make a repository of a directory, with files that it tracks whatever ignores them."""
    write(folder, files)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-f", *files)
    git(folder, "commit", "-q", "-m", "one")


@pytest.mark.campaign
def test_a_real_submodule_and_a_worktree_of_another_repository_are_captured(
    store: Checkpoints, tree: Path, tmp_path: Path
) -> None:
    committed(tree, {"file": "x\n"})
    source = tmp_path / "source"
    committed(source, {"lib.py": "lib = 1\n"})
    git(tree, "submodule", "--quiet", "add", str(source), "vendor/lib")
    git(source, "worktree", "add", "-q", "-b", "side", str(tree / "side"))
    assert (tree / "side/.git").is_file()
    assert (tree / "vendor/lib/.git").is_file()
    status = git(tree, "status", "--porcelain=v2")
    before = insides(tree)

    def break_both() -> None:
        write(tree, {"vendor/lib/lib.py": "lib = 2\n", "side/lib.py": "y\n", "side/new": "z\n"})

    comes_back(store, tree, break_both)
    assert (tree / "vendor/lib/lib.py").read_text() == "lib = 1\n"
    assert insides(tree) == before
    assert git(tree, "status", "--porcelain=v2") == status


def test_the_projects_own_git_is_byte_identical(store: Checkpoints, tree: Path) -> None:
    git(tree, "init", "-q", "-b", "main")
    write(tree, {"file": "committed\n", "other": "o\n"})
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "one")
    write(tree, {"file": "stashed\n"})
    git(tree, "stash", "-q")
    write(tree, {"file": "staged\n"})
    git(tree, "add", "file")
    write(tree, {"file": "in the tree\n"})
    before = insides(tree)
    comes_back(store, tree, lambda: write(tree, {"file": "broken\n", "new": "n"}))
    assert insides(tree) == before
    assert (tree / "file").read_text() == "in the tree\n"


@pytest.mark.campaign
def test_repositories_nested_in_repositories(
    store: Checkpoints, tree: Path, repositories: Repositories
) -> None:
    place = tree
    for number, kind in enumerate(("committed", "empty", "submodule", "committed", "empty")):
        place = place / f"level{number}"
        write(place, {"file": f"{number}\n"})
        repositories.put(kind, place)

    def change() -> None:
        for file in tree.rglob("file"):
            write(file.parent, {file.name: "changed"})

    restored = comes_back(store, tree, change)
    assert len(paths(restored.done, Action.WRITE)) == 5


@pytest.mark.campaign
def test_adding_and_removing_a_nested_repository_loses_nothing(
    store: Checkpoints, tree: Path, repositories: Repositories
) -> None:
    write(tree, {"nested/file": "one\n", "top": "t"})
    first = taken(store.project(tree).take())
    repositories.put("committed", tree / "nested")
    assert isinstance(store.project(tree).take(), Unchanged)
    write(tree, {"nested/added": "a\n"})
    second = taken(store.project(tree).take())
    wipe(tree / "nested")
    third = taken(store.project(tree).take())
    for checkpoint, expected in (
        (second, {"nested/file", "nested/added", "top"}),
        (third, {"top"}),
        (first, {"nested/file", "top"}),
    ):
        store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
        files = {p for p, s in listing(tree).items() if s.is_file}
        assert files == expected


@pytest.mark.campaign
def test_a_repository_made_since_keeps_its_git_and_directory(
    store: Checkpoints, tree: Path, repositories: Repositories
) -> None:
    write(tree, {"top": "t"})

    def clone() -> None:
        write(tree, {"clone/file": "f"})
        repositories.put("committed", tree / "clone")

    restored = comes_back(store, tree, clone)
    assert (tree / "clone/.git/HEAD").is_file()
    assert not (tree / "clone/file").exists()
    assert {step.path: step.reason for step in restored.kept} == {
        "clone": "paths that stay are in it"
    }


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("kind", ["committed", "empty"])
def test_a_file_becomes_a_repository_and_back(
    store: Checkpoints, tree: Path, repositories: Repositories, kind: str
) -> None:
    write(tree, {"thing": "a file\n", "top": "t"})
    first = taken(store.project(tree).take())
    (tree / "thing").unlink()
    write(tree, {"thing/inside": "i\n"})
    repositories.put(kind, tree / "thing")
    second = taken(store.project(tree).take())
    kept = store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert paths(kept.kept) >= {"thing"}  # its .git is nowhere else
    assert (tree / "thing/.git/HEAD").is_file()
    store.project(tree).restore(second.id, mode=Mode.EXACT)
    assert (tree / "thing/inside").read_text() == "i\n"


def test_ignore_files_inside_a_nested_repository_hold(
    store: Checkpoints, tree: Path, repositories: Repositories
) -> None:
    write(tree, {"nested/.gitignore": "*.tmp\n", "nested/x.tmp": "t", "nested/kept": "k"})
    repositories.put("committed", tree / "nested")
    checkpoint = taken(store.project(tree).take())
    objects = ObjectStore(store._base.layout)
    assert list_tree(objects.git, checkpoint.tree_id).keys() == {
        "nested/.gitignore",
        "nested/kept",
    }
    assert checkpoint.ignored_count == 1
    assert checkpoint.complete


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ["new\nline", "-dash", " lead", ":(top)", 'quo"te', "é", "*"])
def test_repositories_with_odd_names(
    store: Checkpoints, tree: Path, repositories: Repositories, name: str
) -> None:
    write(tree, {f"{name}/file": "one\n"})
    repositories.put("committed", tree / name)
    comes_back(store, tree, lambda: write(tree, {f"{name}/file": "two\n"}))


def test_a_repository_without_files_is_an_empty_directory(
    store: Checkpoints, tree: Path, repositories: Repositories, git_processes: object
) -> None:
    write(tree, {"top": "t"})
    (tree / "nested").mkdir()
    repositories.put("empty", tree / "nested")
    checkpoint = taken(store.project(tree).take())
    assert skipped(store, checkpoint) == {}
    assert isinstance(store.project(tree).take(), Unchanged)
    shutil.rmtree(tree / "nested")
    store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
    assert (tree / "nested").is_dir()
    assert not (tree / "nested/.git").exists()


@pytest.mark.campaign
def test_the_config_of_a_nested_repository_starts_nothing(
    store: Checkpoints, tree: Path, repositories: Repositories, tmp_path: Path
) -> None:
    marker = tmp_path / "executed"
    for place in (tree, tree / "nested"):
        write(place, {"file": "one\n", ".gitattributes": "* filter=evil diff=evil\n"})
        repositories.put("committed", place)
        (place / ".git/info/exclude").write_text("")
        with (place / ".git/config").open("a") as config:
            config.write(
                f'[core]\n\tfsmonitor = "touch {marker}"\n\thooksPath = {tmp_path}\n'
                f'\tpager = "touch {marker}"\n[filter "evil"]\n\tclean = "touch {marker}"\n'
                f'\tsmudge = "touch {marker}"\n\trequired = true\n'
                f'[diff "evil"]\n\ttextconv = "touch {marker}"\n\tcommand = "touch {marker}"\n'
                f"[include]\n\tpath = /nonexistent\n"
            )
    comes_back(store, tree, lambda: write(tree, {"file": "two\n", "nested/file": "two\n"}))
    write(tree, {"file": "three\n"})
    assert "three" in store.project(tree).diff("latest").text
    assert not marker.exists()

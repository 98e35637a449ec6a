"""Which directories with an ordinary name are taken for what a tool has made."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from capture.roundtrip import taken, write
from capture.test_rules import held
from capture.trees import git, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Unchanged
from hermes_checkpoints.object_store.markers import ALWAYS_INSIDE, MARKED
from hermes_checkpoints.object_store.rules import BUILT_IN_EXCLUDES

PAGE = Path(__file__).parents[2] / "docs" / "capture.md"
BESIDE = [(name, marker) for name, markers in MARKED.items() for marker in markers.beside]
INSIDE = [
    (name, marker)
    for name, markers in MARKED.items()
    for marker in (*ALWAYS_INSIDE, *markers.inside)
]


def test_the_page_has_the_table() -> None:
    rows = re.findall(r"^\| `(\w+)/` \|(.*)\|(.*)\|$", PAGE.read_text(), re.MULTILINE)
    found = {row[0]: tuple(tuple(re.findall(r"`(.*?)`", cell)) for cell in row[1:]) for row in rows}
    assert found == {
        name: (markers.beside, (*ALWAYS_INSIDE, *markers.inside))
        for name, markers in MARKED.items()
    }


def test_the_words_are_exactly_those_of_the_built_in_list_that_are_ordinary_names() -> None:
    built_in = {pattern for group in BUILT_IN_EXCLUDES.values() for pattern in group}
    assert set(MARKED) == {"out", "env", "build", "target", "coverage"}
    assert {f"{name}/" for name in MARKED} <= built_in


def test_without_a_marker_an_ordinary_name_is_captured_at_any_depth(
    store: Checkpoints, tree: Path
) -> None:
    files = {f"{place}{name}/in/file" for name in MARKED for place in ("", "a/", "build/out/")}
    files |= {"build/build/build/file", "a [b]/out/file", "new\nline/env/file"}
    write(tree, dict.fromkeys(files | {"build/x.o", "out/dist/y"}, "x\n"))
    assert held(store, taken(store.project(tree).take())) == files
    assert isinstance(store.project(tree).take(), Unchanged)


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(("name", "marker"), BESIDE)
def test_a_marker_beside_leaves_it_out(
    store: Checkpoints, tree: Path, name: str, marker: str
) -> None:
    write(tree, {f"a/{name}/file": "", f"b/{name}/file": "", f"a/{marker}": ""})
    assert held(store, taken(store.project(tree).take())) == {f"b/{name}/file", f"a/{marker}"}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(("name", "marker"), INSIDE)
def test_a_marker_inside_leaves_it_out(
    store: Checkpoints, tree: Path, name: str, marker: str
) -> None:
    write(tree, {f"a/{name}/file": "", f"b/{name}/file": "", f"a/{name}/{marker}": ""})
    assert held(store, taken(store.project(tree).take())) == {f"b/{name}/file"}


def test_a_directory_with_a_line_feed_in_its_name_speaks_for_no_other(
    store: Checkpoints, tree: Path
) -> None:
    others = [f"a{c}b" for c in "xX \t\r!\x01\x7fé"] + [
        os.fsdecode(b"a\xffb"),
        os.fsdecode(b"a\x80b"),
    ]
    write(tree, {f"{name}/build/file": "" for name in ("a\nb", *others)})
    write(tree, {f"{name}/setup.py": "" for name in others})
    project = store.project(tree)
    assert held(store, taken(project.take())) == {
        "a\nb/build/file",
        *(f"{name}/setup.py" for name in others),
    }
    assert len(project.coverage().ignored) == len(others)
    assert isinstance(project.take(), Unchanged)


def test_a_tracked_file_hides_no_other_in_a_directory_without_a_marker(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"a/build/tracked": "t\n", "a/build/other": "o\n", "build/x": "x\n"})
    git(tree, "init", "-q")
    git(tree, "add", "-f", "a/build/tracked")
    assert held(store, taken(store.project(tree).take())) == {
        *("a/build/tracked", "a/build/other", "build/x")
    }


@pytest.mark.campaign
def test_a_marker_that_comes_or_goes_is_followed(store: Checkpoints, tree: Path) -> None:
    write(tree, {"a/build/file": "1\n", "x": "x\n"})
    assert held(store, taken(store.project(tree).take())) == {"a/build/file", "x"}
    write(tree, {"a/build/CMakeCache.txt": ""})
    assert held(store, taken(store.project(tree).take())) == {"x"}
    assert store.project(tree).coverage().ignored == ("a/build/",)
    (tree / "a/build/CMakeCache.txt").unlink()
    assert held(store, taken(store.project(tree).take())) == {"a/build/file", "x"}
    write(tree, {"a/setup.py": ""})
    assert held(store, taken(store.project(tree).take())) == {"a/setup.py", "x"}
    (tree / "a/setup.py").unlink()
    assert held(store, taken(store.project(tree).take())) == {"a/build/file", "x"}
    wipe(tree / "a/build")
    assert held(store, taken(store.project(tree).take())) == {"x"}
    write(tree, {"a/build/file": "2\n"})
    assert held(store, taken(store.project(tree).take())) == {"a/build/file", "x"}


def test_that_no_marker_proves_it_overrides_no_other_rule(home: Path, tree: Path) -> None:
    write(tree, {".gitignore": "/a/build/\n", "a/build/x": "", "b/build/x": "", "c/out/x": ""})
    write(tree, {"d/env/x": "", "d/env/y.tmp": ""})
    with Checkpoints.open(home, config=Config(exclude=("/b/build/", "*.tmp"))) as store:
        assert held(store, taken(store.project(tree).take())) == {
            ".gitignore",
            "c/out/x",
            "d/env/x",
        }
    exclude = home / "checkpoints/store/info/exclude"
    exclude.write_text(exclude.read_text() + "out\n")
    with Checkpoints.open(home, config=Config(exclude=("*.tmp",))) as store:
        assert held(store, taken(store.project(tree).take())) == {
            *(".gitignore", "b/build/x", "d/env/x")
        }

"""A path is read from where it was typed, made plain, and then judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.errors import PathRefused
from hermes_checkpoints.fs.named_path import path_in


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a project, links to it from outside, and one inside it."""
    (tmp_path / "p/sub/deep").mkdir(parents=True)
    (tmp_path / "p/sub/b").write_text("")
    (tmp_path / "link").symlink_to("p")
    (tmp_path / "to-sub").symlink_to("p/sub")
    (tmp_path / "p/inner").symlink_to("sub/deep")
    (tmp_path / "other").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize(
    ("start", "word", "expected"),
    [
        ("", "a", "a"),
        ("", "./a", "a"),
        ("", ".//sub///b/", "sub/b"),
        ("", "sub/../a", "a"),
        ("", "gone/../a", "a"),
        ("", "../p/a", "a"),
        ("", "../link/a", "a"),
        ("", "../to-sub/b", "sub/b"),
        ("", "sub/../../p/gone/x", "gone/x"),
        ("", ".", "."),
        ("sub", "b", "sub/b"),
        ("sub", "../a", "a"),
        ("sub", "..", "."),
        ("sub", "./", "sub"),
        ("sub", "~/a", "sub/~/a"),
        ("sub", "*.py", "sub/*.py"),
        ("", "inner/x", "inner/x"),
        ("", "inner/../b", "sub/b"),
        ("", "{}/p/sub/../a", "a"),
        ("", "{}/p", "."),
        ("", "{}/link/a", "a"),
        ("", "{}/link/sub/../a", "a"),
        ("", "{}/to-sub/gone", "sub/gone"),
        ("", "{}/to-sub/../a", "a"),
        ("", "{}/other/../p/a", "a"),
        ("", "", ""),
        ("", "a\0b", "a\0b"),
    ],
)
def test_a_path_means_what_it_means_to_the_system(
    place: Path, start: str, word: str, expected: str
) -> None:
    project = place / "p"
    assert path_in(project, project / start, word.format(place)) == expected


@pytest.mark.parametrize("word", ["..", "../x", "../other/a", "sub/../../x", "../loop/a"])
def test_what_leaves_the_project_is_refused(place: Path, word: str) -> None:
    with pytest.raises(PathRefused, match=r"leaves the project .*; give a path below it"):
        path_in(place / "p", place / "p", word)


@pytest.mark.parametrize("word", ["/", "/etc/passwd", "{}/other/a", "{}/p/../other/a", "{}/pp"])
def test_of_an_absolute_path_elsewhere_it_is_said_that_it_leaves_the_project(
    place: Path, word: str
) -> None:
    with pytest.raises(PathRefused, match="is absolute and leaves the project"):
        path_in(place / "p", place / "p", word.format(place))

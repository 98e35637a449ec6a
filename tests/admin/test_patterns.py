"""What a pattern of ``find`` means."""

from __future__ import annotations

import pytest

from hermes_checkpoints.admin.patterns import read_pattern
from hermes_checkpoints.errors import BadRequest

PATHS = (
    "notes.txt",
    "src/app.py",
    "src/cli/app.py",
    "src/cli/deep/more.py",
    "docs/src/read.me",
    "a[1].txt",
    "50%_done",
    "new\nline.txt",
    "bad\udcff.txt",
    "back\\slash",
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (None, PATHS),
        ("**", PATHS),
        (".", PATHS),
        ("app.py", ("src/app.py", "src/cli/app.py")),
        ("*.py", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py")),
        ("src/*.py", ("src/app.py",)),
        ("src/**/*.py", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py")),
        ("**/cli/*", ("src/cli/app.py",)),
        ("src/**", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py")),
        ("./notes.txt", ("notes.txt",)),
        ("./app.py", ()),
        ("src", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py", "docs/src/read.me")),
        ("src/", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py", "docs/src/read.me")),
        ("./src/", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py")),
        ("s*c", ()),
        ("s*c/", ("src/app.py", "src/cli/app.py", "src/cli/deep/more.py", "docs/src/read.me")),
        ("src/cli", ("src/cli/app.py", "src/cli/deep/more.py")),
        ("notes.txt/", ()),
        ("NOTES.txt", ()),
        ("n?tes.*", ("notes.txt",)),
        ("[m-o]o*.txt", ("notes.txt",)),
        ("[!n]*.txt", ("a[1].txt", "bad\udcff.txt")),
        ("a[[]1].txt", ("a[1].txt",)),
        ("a[1", ()),
        ("50%_done", ("50%_done",)),
        ("50?_*", ("50%_done",)),
        ("%", ()),
        ("*line.txt", ("new\nline.txt",)),
        ("bad\udcff*", ("bad\udcff.txt",)),
        ("back\\*", ("back\\slash",)),
        ("src?app.py", ()),
        ("src[/]app.py", ()),
    ],
)
def test_it_matches_these_paths_and_no_others(pattern: str | None, found: tuple[str, ...]) -> None:
    read = read_pattern(pattern)
    assert tuple(path for path in PATHS if read.matches(path)) == found
    assert all(read.part in path for path in found)


@pytest.mark.parametrize(
    "pattern", ["", "/", "//", "/etc/passwd", "../other", "a/../b", "a\0", "[z-a]"]
)
def test_what_is_no_pattern_in_a_project_is_refused(pattern: str) -> None:
    with pytest.raises(BadRequest):
        read_pattern(pattern)


def test_many_wildcards_take_no_time() -> None:
    assert not read_pattern("*" * 40 + "x").matches("a" * 4000)

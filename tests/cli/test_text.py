"""Values for people: harmless, on one line, and in the words of version 2."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hermes_checkpoints
from hermes_checkpoints.cli.text import (
    age,
    columns,
    counted,
    padded,
    shortened,
    shown,
    size,
    statistics,
)
from hermes_checkpoints.model import SkipReason
from hermes_checkpoints.text import left_out

NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"plain name.py", "plain name.py"),
        ("größe 文.txt".encode(), "größe 文.txt"),
        (b"two\nlines", r"two\nlines"),
        (b"tab\there", r"tab\there"),
        (b"\x1b[2Jgone", r"\x1b[2Jgone"),
        (b"caf\xe9", r"caf\xe9"),
        ("abc\u202etxt.exe".encode(), r"abc\u202etxt.exe"),
        ("\u200bhidden".encode(), r"\u200bhidden"),
        (b"c1\xc2\x9b31m", r"c1\x9b31m"),
    ],
)
def test_odd_names_are_escaped(raw: bytes, expected: str) -> None:
    assert shown(os.fsdecode(raw)) == expected


@given(st.binary(max_size=40))
def test_any_name_is_one_printable_line(raw: bytes) -> None:
    text = shown(raw.decode("utf-8", "surrogateescape"))
    assert text.isprintable()
    text.encode("utf-8")


@given(st.text(st.characters(), max_size=40))
def test_any_text_is_one_printable_line(text: str) -> None:
    assert shown(text).isprintable()


def test_an_astral_control_is_escaped_with_eight_digits() -> None:
    assert shown("\U000e0001") == r"\U000e0001"


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (1536, "1.5 KB"),
        (5 * 1024**2, "5.0 MB"),
        (3 * 1024**3, "3.0 GB"),
        (2048 * 1024**4, "2048.0 TB"),
    ],
)
def test_sizes(count: int, expected: str) -> None:
    assert size(count) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "now"),
        (0, "0s ago"),
        (59, "59s ago"),
        (60, "1m ago"),
        (3599, "59m ago"),
        (3600, "1h ago"),
        (86399, "23h ago"),
        (86400 * 9, "9d ago"),
    ],
)
def test_ages(seconds: int, expected: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == expected


def test_no_moment_has_no_age() -> None:
    assert age(None) == "—"


def test_long_paths_keep_their_end() -> None:
    path = "/very/long" * 10
    assert shortened(path) == "…" + path[-59:]
    assert len(shortened(path)) == 60
    assert shortened(path[:60]) == path[:60]


def test_counts_and_statistics() -> None:
    assert counted(1, "file") == "1 file"
    assert counted(0, "file") == "0 files"
    assert counted(1, "file", "is") == "1 file is"
    assert counted(2, "file", "was") == "2 files were"
    assert statistics(1, 1, 0) == "(1 file, +1/-0)"
    assert statistics(2, 3, 4) == "(2 files, +3/-4)"
    assert statistics(66, 0, 0) == "(66 files)"
    assert statistics(0, 0, 0) == ""


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("größe", 5), ("日本", 4), ("e\u0301a", 2), ("a😀", 3), ("ｆ", 2), ("", 0)],
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("日本語", 6, "日本語"),
        ("日本語", 5, "…本語"),
        ("日本語", 4, "…語 "),
        ("abe\u0301", 2, "…e\u0301"),
        ("日\u0301b", 2, "…b"),
        ("日\u0301bc", 3, "…bc"),
        ("ab", 4, "ab  "),
    ],
)
def test_a_column_is_as_wide_as_it_should_be(text: str, width: int, expected: str) -> None:
    assert padded(text, width) == expected


@given(st.text(max_size=40), st.integers(1, 30))
def test_any_text_fills_its_column_exactly(text: str, width: int) -> None:
    assert columns(padded(shown(text), width)) == width


@pytest.mark.parametrize("reason", SkipReason)
def test_each_reason_for_leaving_out_has_words(reason: SkipReason) -> None:
    words = left_out({reason: 1})
    assert words.startswith("1 path is not in it (" if reason is SkipReason.IGNORED else "Incompl")
    assert left_out({}) == ""


def test_a_file_that_changes_as_it_is_read_is_not_called_unreadable_alone() -> None:
    told = left_out({SkipReason.UNREADABLE: 1})
    assert told == "Incomplete: 1 path is not in it (unreadable, or changing as it was read)"


def test_no_message_leaves_it_to_the_reader_whether_it_is_one_or_several() -> None:
    as_version_2_had_it = {"clear.py", "rollback_text.py", "shapes.py"}
    logged = {"session_store.py", "progress.py"}
    for file in Path(hermes_checkpoints.__file__).parent.rglob("*.py"):
        if file.name not in as_version_2_had_it | logged:
            found = re.search(r"\} (\w+ )*\w+\(s\)", file.read_text(encoding="utf-8"))
            assert not found, (file, found)

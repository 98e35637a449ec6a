"""Tables: they fit the terminal, and are whole elsewhere."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.cli.table import Cell, Column, Row, fitted, say_parts, say_table
from hermes_checkpoints.cli.text import columns

HEADS = (
    Column("#", right=True),
    Column("TAKEN", spare=1),
    Column("WHAT", least=8),
    Column("WHERE", least=8, path=True),
    Column("EMPTY"),
)
ROWS: list[Row] = [
    ["1", "2026-11-29 17:21", "port the parser to the new tokenizer", "/srv/shop/playground", ""],
    "   a note of its own",
    ["12", "2026-11-29 17:22", Cell("文字 of two columns", "red"), "/srv/x", ""],
]


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_elsewhere_than_on_a_terminal_all_of_it_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    say_table(HEADS, ROWS)
    lines = said(capsys)
    assert lines[0].split() == ["#", "TAKEN", "WHAT", "WHERE"]
    assert lines[1].endswith("port the parser to the new tokenizer  /srv/shop/playground")
    assert lines[2] == "   a note of its own"
    assert columns(lines[1][: lines[1].index("/srv")]) == columns(
        lines[3][: lines[3].index("/srv")]
    )
    assert lines[3].startswith("  12")
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [80, 60, 40, 28])
def test_on_a_terminal_it_fits_and_numbers_stay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr("hermes_checkpoints.cli.table.width", lambda: width)
    say_table(HEADS, ROWS)
    lines = said(capsys)
    assert all(columns(line) <= width for line in lines)
    assert lines[3].split()[0] == "12"
    assert "TAKEN" not in lines[0]
    if width < 60:
        assert "…" in lines[1] and lines[1].endswith("ground")


def test_without_a_sign_for_it_the_mark_is_of_ascii(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_checkpoints.cli.table.width", lambda: 40)
    monkeypatch.setattr("hermes_checkpoints.cli.table.ellipsis", lambda: "...")
    say_table(HEADS, ROWS)
    assert all(columns(line) <= 40 for line in said(capsys))


def test_what_the_encoding_lacks_is_measured_as_it_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_checkpoints.cli.table.width", lambda: 60)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1"))
    say_table(HEADS, [["1", "", "文字" * 20, "/srv/文字", ""]])
    say_parts(["1", "文字" * 20])
    sys.stdout.seek(0)
    lines = sys.stdout.read().splitlines()
    assert len(lines) == 3
    assert all(len(line) <= 60 for line in lines)
    assert "\\u6587" in lines[1]


def test_of_parts_on_a_line_the_last_gives_way_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ["src/a/long/path/of/a/file.py", "", "gone", "changed by the agent's write_file"]
    say_parts(parts, indent=2, path=True)
    assert said(capsys) == ["  " + "  ".join([parts[0], *parts[2:]])]
    for width in (60, 46, 40):
        monkeypatch.setattr("hermes_checkpoints.cli.table.width", lambda wide=width: wide)
        say_parts(parts, indent=2, path=True)
        [line] = said(capsys)
        assert columns(line) <= width
        assert "file.py  gone  changed" in line
        assert (parts[0] in line) == (width > 40)


@given(st.lists(st.tuples(st.integers(0, 50), st.none() | st.integers(1, 20))), st.integers(0, 120))
def test_no_width_grows_and_none_is_cropped_for_nothing(
    given_widths: list[tuple[int, int | None]], room: int
) -> None:
    widths, least = [one for one, _ in given_widths], [one for _, one in given_widths]
    found = fitted(widths, room, least)
    assert all(a <= b for a, b in zip(found, widths, strict=True))
    assert found == widths or sum(found) == max(room, sum(found))
    assert all(
        a == b or (low is not None and a >= low)
        for a, b, low in zip(found, widths, least, strict=True)
    )
    if sum(found) > room:
        assert all(
            low is None or a <= max(low, 0) or a <= low for a, low in zip(found, least, strict=True)
        )
    assert fitted(widths, None, least) == widths

"""When an interrupted tool ended is read in the agent's file of the conversation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints.attribution.conversations import settled
from hermes_checkpoints.model import ToolRun

BEGAN = 1_796_016_800 * 10**9
"""2026-11-30T05:33:20Z."""


def line(part: object, at: str = "2026-11-30T05:33:25.005Z", type_: str = "user") -> str:
    return json.dumps({"type": type_, "message": {"content": [part]}, "timestamp": at})


RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "rejected", "is_error": True}
STOPPED = {"type": "text", "text": "[Request interrupted by user for tool use]"}
ENDED = BEGAN + 5_006_000_000


def ended(record: Path, *, run: str | None = "toolu_1", ended_ns: int | None = None) -> int | None:
    return settled([ToolRun("Bash", BEGAN, ended_ns, run, str(record))])[0].ended_ns


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line(RESULT)], ENDED),
        ([line(STOPPED)], ENDED),
        ([line(RESULT, "2026-11-30T05:33:26.005+00:00"), line(STOPPED)], ENDED),
        ([line(STOPPED, "2026-11-30T05:33:10.000Z"), line(RESULT)], ENDED),
        ([line(STOPPED, "2026-11-30T05:33:10.000Z")], None),
        ([line({**RESULT, "tool_use_id": "toolu_2"})], None),
        ([line({"type": "tool_use", "id": "toolu_1"}, type_="assistant")], None),
        ([line({**STOPPED, "text": "x [Request interrupted by user]"})], None),
        ([line(STOPPED, type_="assistant")], None),
        ([line(RESULT, "yesterday")], None),
        ([line(RESULT, "2026-11-30T05:33:25.005")], None),
        (["no json toolu_1", "[" * 9999 + "toolu_1", '"toolu_1"', line(RESULT)], ENDED),
        ([line("toolu_1"), '{"message": {"content": "toolu_1"}}'], None),
        ([], None),
    ],
)
def test_the_first_end_after_the_begin_counts(
    tmp_path: Path, lines: list[str], expected: int | None
) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text("\n".join(lines))
    assert ended(record) == expected


def test_an_end_that_was_told_stays_and_a_run_without_a_name_has_none(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text(line(RESULT))
    assert ended(record, ended_ns=BEGAN + 1) == BEGAN + 1
    assert ended(record, run=None) is None
    assert settled([ToolRun("Bash", BEGAN, None, "toolu_1", None)])[0].ended_ns is None


def test_what_is_no_file_is_not_waited_for(tmp_path: Path, no_hang: None) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing", "a\0b"):
        assert ended(tmp_path / name) is None


def test_only_the_end_of_a_long_record_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hermes_checkpoints.attribution import conversations

    record = tmp_path / "record.jsonl"
    filling: Any = [line({"type": "text", "text": "x" * 100})] * 50
    record.write_text("\n".join([line(STOPPED, "2026-11-30T05:33:21Z"), *filling, line(RESULT)]))
    assert ended(record) == BEGAN + 1_001_000_000
    monkeypatch.setattr(conversations, "_MOST_BYTES", 1000)
    assert ended(record) == ENDED

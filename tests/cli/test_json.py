"""The JSON shapes: exact paths, UTC times, integer bytes."""

from __future__ import annotations

import base64
import json
import os
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.cli.json.checkpoints import of_changes, of_skipped
from hermes_checkpoints.cli.json.values import exact, instant
from hermes_checkpoints.model import Change, ChangeStatus, SkippedPath, SkipReason


@given(st.binary(max_size=40))
def test_the_exact_bytes_can_always_be_had(raw: bytes) -> None:
    member = exact("path", raw.decode("utf-8", "surrogateescape"))
    member = json.loads(json.dumps(member))
    text = member["path"]
    text.encode("utf-8")  # valid Unicode
    if "path_base64" in member:
        assert base64.b64decode(member["path_base64"]) == raw
        assert "\ufffd" in text
    else:
        assert text.encode("utf-8") == raw


def test_a_valid_name_needs_no_second_member() -> None:
    assert exact("path", "größe\n.txt") == {"path": "größe\n.txt"}
    assert exact("path", "really \ufffd") == {"path": "really \ufffd"}


def test_an_undecodable_name_has_both() -> None:
    member = exact("path", os.fsdecode(b"caf\xe9"))
    assert member == {"path": "caf\ufffd", "path_base64": base64.b64encode(b"caf\xe9").decode()}


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 11, 28, 10, 0, 0, 123456, tzinfo=UTC),
        datetime(2026, 11, 28, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_times_are_utc_to_the_microsecond(moment: datetime) -> None:
    assert instant(moment) == "2026-11-28T10:00:00.123456Z"


def test_a_whole_second_keeps_its_microseconds() -> None:
    assert instant(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00.000000Z"
    assert instant(None) is None


def test_changes_carry_modes_as_git_writes_them() -> None:
    change = Change("run.sh", ChangeStatus.MODIFIED, old_mode=0o100644, new_mode=0o100755)
    (found,) = of_changes([change])
    assert (found["status"], found["old_mode"], found["new_mode"]) == ("M", "100644", "100755")
    assert found["insertions"] is None


def test_skipped_paths_carry_their_reason_and_size() -> None:
    assert of_skipped([SkippedPath("big.bin", SkipReason.OVERSIZE, 11_000_000)]) == [
        {"path": "big.bin", "reason": "oversize", "bytes": 11_000_000}
    ]

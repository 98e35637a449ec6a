"""One session: written whole, read back, numbered, and put back to what it was before."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints, Sessions
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import (
    BadDocument,
    BadRequest,
    SessionChanged,
    SessionDamaged,
    SessionUnknown,
)
from hermes_checkpoints.model import KEEP_VERSIONS, Taken
from sessions.conftest import Clock


def rows(base: Base, sql: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(base.layout.catalog)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


def damage(base: Base, session_id: str, text: str) -> None:
    with closing(sqlite3.connect(base.layout.catalog)) as connection, connection:
        connection.execute(
            "UPDATE session_checkpoints SET document = ? WHERE session_id = ?", (text, session_id)
        )


def test_a_document_comes_back_with_the_time_of_its_write(sessions: Sessions, clock: Clock) -> None:
    data = {"task": "port the parser", "status": "in_progress", "steps": [1, {"two": None}]}
    before = dict(data)
    done = sessions.write("s1", data)
    assert data == before
    found = sessions.read("s1")
    assert found.document == {**data, "updated": clock.moment.isoformat()}
    assert (found.version, found.status, found.task) == (1, "in_progress", "port the parser")
    assert found.created_at == found.updated_at == clock.moment == done.updated_at
    assert found.size_bytes == done.size_bytes > 80


def test_updated_keeps_its_place_in_the_document(sessions: Sessions) -> None:
    sessions.write("s1", {"updated": "some other time", "task": "x"})
    assert list(sessions.read("s1").document) == ["updated", "task"]


def test_columns_can_be_filtered_in_sql(sessions: Sessions, base: Base, clock: Clock) -> None:
    sessions.write("a", {"task": "first", "status": "completed"})
    clock.go(minutes=5)
    sessions.write("b", {"task": 'two "words"', "list": [{"x": 1}]})
    sessions.write("b", {"task": 'two "words"', "list": [{"x": 2}]})
    assert rows(base, "SELECT session_id FROM session_list WHERE status = 'completed'") == [
        {"session_id": "a"}
    ]
    (listed,) = rows(base, "SELECT * FROM session_list WHERE updated_at > '2026-11-20 12:01'")
    assert listed["task"] == 'two "words"'
    assert listed["status"] == "in_progress"
    assert (listed["version"], listed["previous_versions"]) == (2, 1)
    assert listed["updated_at"] == listed["created_at"] == "2026-11-20 12:05:00"
    query = "SELECT json_extract(document, '$.list[0].x') AS x FROM session_checkpoints"
    assert rows(base, query + " WHERE session_id = 'b'") == [{"x": 2}]


@pytest.mark.parametrize(
    ("document", "status", "task"),
    [
        ({}, "in_progress", None),
        ({"status": None, "task": 5}, None, "5"),
        ({"status": True, "task": ["a", "list"]}, "True", None),
        ({"status": "", "task": "\ud800 half"}, "", "\\ud800 half"),
    ],
)
def test_status_and_task_of_any_document(
    sessions: Sessions, document: dict[str, Any], status: str | None, task: str | None
) -> None:
    sessions.write("s", document)
    found = sessions.list()[0].summary
    assert (found.status, found.task) == (status, task)


def test_created_is_what_the_document_says_or_the_first_write(
    sessions: Sessions, clock: Clock
) -> None:
    first = sessions.write("s1", {"n": 1})
    clock.go(days=1)
    assert sessions.write("s1", {"n": 2}).created_at == first.created_at
    told = sessions.write("s1", {"created": "2026-01-02T03:04:05+02:00"})
    assert told.created_at == datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)


# --- versions ---------------------------------------------------------------------------------


def test_five_former_versions_are_kept_and_readable(sessions: Sessions, base: Base) -> None:
    for number in range(1, 10):
        sessions.write("s1", {"n": number})
        sessions.write("other", {"n": -number})
    versions = [one.version for one in sessions.history("s1")]
    assert versions == list(range(9, 9 - KEEP_VERSIONS - 1, -1)) == [9, 8, 7, 6, 5, 4]
    for version in versions:
        assert sessions.read("s1", version=version).document["n"] == version
    with pytest.raises(SessionUnknown, match="no version 3 of session s1"):
        sessions.read("s1", version=3)
    assert len(rows(base, "SELECT 1 FROM session_checkpoint_versions")) == 2 * KEEP_VERSIONS


def test_a_bad_write_can_be_undone_and_that_too(sessions: Sessions) -> None:
    sessions.write("s1", {"task": "good", "status": "x", "n": {1, 2}})
    sessions.write("s1", {})
    assert sessions.restore("s1", 1).version == 3
    found = sessions.read("s1")
    assert {key: found.document[key] for key in ("task", "status", "n")} == {
        "task": "good", "status": "x", "n": {1, 2},
    }  # fmt: skip
    assert (found.task, found.status) == ("good", "x")
    sessions.restore("s1", 2)
    assert list(sessions.read("s1").document) == ["updated"]


def test_a_stale_writer_is_refused_and_changes_nothing(sessions: Sessions) -> None:
    sessions.write("s1", {"n": 1}, if_version=0)
    sessions.write("s1", {"n": 2}, if_version=1)
    for stale in (0, 1, 3):
        with pytest.raises(SessionChanged, match="session s1 is at version 2"):
            sessions.write("s1", {"n": 3}, if_version=stale)
    with pytest.raises(SessionChanged, match="session new does not exist"):
        sessions.write("new", {}, if_version=1)
    with pytest.raises(SessionChanged):
        sessions.restore("s1", 1, if_version=1)
    assert [one.version for one in sessions.history("s1")] == [2, 1]


def test_a_refused_document_leaves_the_old_state(sessions: Sessions) -> None:
    sessions.write("s1", {"n": 1})
    with pytest.raises(BadDocument, match="n is an object"):
        sessions.write("s1", {"n": object()})
    assert sessions.read("s1").document["n"] == 1
    assert sessions.read("s1").version == 1


# --- ids --------------------------------------------------------------------------------------


@pytest.mark.parametrize("session_id", ["", "x" * 256, "a\nb", "a\x00", "\x7f", "\x9b", "\ud800"])
def test_an_id_that_cannot_be_is_refused(sessions: Sessions, session_id: str) -> None:
    for call in (
        lambda: sessions.write(session_id, {}),
        lambda: sessions.read(session_id),
        lambda: sessions.delete(session_id),
        lambda: sessions.history(session_id),
        lambda: sessions.export(session_id),
        lambda: sessions.restore(session_id, 1),
        lambda: sessions.checkpoints(session_id),
    ):
        with pytest.raises(BadRequest, match="session id"):
            call()
    assert sessions.ids() == []


@pytest.mark.parametrize("session_id", [None, 5, b"x"])
def test_an_id_is_text(sessions: Sessions, session_id: Any) -> None:
    with pytest.raises(BadRequest, match="a session id is text"):
        sessions.write(session_id, {})


def test_a_session_id_is_never_a_path(sessions: Sessions, base: Base) -> None:
    ids = ["../x", "/etc/passwd", "a/b", "..", ".", "C:\\x", "%2e", "x" * 255, "😀 é", "~", "*"]
    before = sorted(path.name for path in base.layout.home.iterdir())
    for number, session_id in enumerate(ids):
        sessions.write(session_id, {"n": number})
    for number, session_id in enumerate(ids):
        assert sessions.read(session_id).document["n"] == number
    assert sessions.ids() == sorted(ids)
    assert sorted(path.name for path in base.layout.home.iterdir()) == before
    for session_id in ids:
        assert sessions.delete(session_id)
    assert sessions.ids() == []


def test_an_unknown_session_is_told(sessions: Sessions) -> None:
    for call in (sessions.read, sessions.history, sessions.export):
        with pytest.raises(SessionUnknown, match="no state of session nobody"):
            call("nobody")
    assert sessions.delete("nobody") is False


def test_a_deleted_session_is_gone_with_its_versions(sessions: Sessions, base: Base) -> None:
    sessions.write("s1", {})
    sessions.write("s1", {})
    assert sessions.delete("s1") is True
    assert rows(base, "SELECT 1 FROM session_checkpoint_versions") == []
    assert sessions.write("s1", {}).version == 1


def test_a_damaged_document_names_the_way_back(sessions: Sessions, base: Base) -> None:
    sessions.write("s1", {"n": 1})
    sessions.write("s1", {"n": 2})
    damage(base, "s1", "{half of it")
    with pytest.raises(SessionDamaged, match="version 2 of session s1 cannot be read"):
        sessions.read("s1")
    with pytest.raises(SessionDamaged):
        sessions.export("s1")
    sessions.restore("s1", 1)
    assert sessions.read("s1").document["n"] == 1
    assert [one.version for one in sessions.history("s1")] == [3, 2, 1]


# --- beside checkpoints of files --------------------------------------------------------------


def test_checkpoints_and_turns_of_a_session(home: Any, project: Any) -> None:
    with Checkpoints.open(home) as checkpoints:
        for turn, text in enumerate(("a", "b", "b2"), 1):
            (project / "new.txt").write_text(text, encoding="utf-8")
            taken = checkpoints.project(project).take(text, session_id="s1", turn=min(turn, 2))
            assert isinstance(taken, Taken)
        (project / "new.txt").write_text("c", encoding="utf-8")
        checkpoints.project(project).take("other", session_id="s2", turn=7)
    with Sessions.open(home) as sessions:
        sessions.write("s1", {"task": "t"})
        sessions.write("s3", {"task": "t"})
        assert [one.reason for one in sessions.checkpoints("s1")] == ["b2", "b", "a"]
        assert sessions.turns("s1") == [1, 2]
        listed = {one.summary.session_id: one for one in sessions.list()}
        assert (listed["s1"].checkpoints, listed["s1"].turns) == (3, 2)
        assert (listed["s3"].checkpoints, listed["s3"].turns) == (0, 0)
        assert set(listed) == {"s1", "s3"}
        assert [one.reason for one in sessions.checkpoints("s2")] == ["other"]


def test_lists_are_newest_first_by_status_and_bounded(sessions: Sessions, clock: Clock) -> None:
    for number in range(6):
        sessions.write(f"s{number}", {"status": "completed" if number % 2 else "in_progress"})
        clock.go(seconds=1)
    assert [one.summary.session_id for one in sessions.list(limit=2)] == ["s5", "s4"]
    done = [one.summary.session_id for one in sessions.list(status="completed")]
    assert done == ["s5", "s3", "s1"]


@pytest.mark.campaign
def test_a_lost_catalog_is_filled_whoever_opens_first(
    home: Any, project: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("before", session_id="s1")
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    caplog.set_level(logging.WARNING)
    with Sessions.open(home) as sessions:
        assert [one.reason for one in sessions.checkpoints("s1")] == ["before"]
    assert caplog.records == []


def test_export_is_what_the_older_store_wrote(sessions: Sessions, clock: Clock) -> None:
    clock.moment = datetime(2026, 11, 20, 12, 0, tzinfo=UTC) - timedelta(microseconds=1)
    sessions.write("s1", {"task": "é", "list": ["a"], "nested": {"b": None}})
    local = datetime(2026, 11, 20, 12, 0, tzinfo=UTC).astimezone().replace(tzinfo=None)
    assert sessions.export("s1") == (
        f"task: é\nlist:\n- a\nnested:\n  b: null\nupdated: '{local.isoformat()}'\n"
    )

"""The upgrade to path events: what is worked out of the turns, checkpoints and reports of before
gives the verdicts that the program gave which wrote them.

former/attributed-0007.sql is a catalog of revision 0007 with twenty-four projects in which agents
of two sessions and a person worked, with restores, undos, late reports, overlapping sessions,
dropped checkpoints, imported ones, and turns of nobody knows whom. attributed-0007.json are the
verdicts of the program of that revision for each checkpoint, of all sessions and of one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalog.records import integrity_problems, shell
from catalog.test_revisions import load
from hermes_checkpoints.attribution.observing import by_path
from hermes_checkpoints.attribution.verdict import NO_RECORD, Record, judge, lineage
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.sqlite import broken_references
from hermes_checkpoints.model import DIRECTORIES, Actor, Change, ChangeStatus, Kind

FORMER = Path(__file__).parent / "former"
SAID = json.loads((FORMER / "attributed-0007.json").read_text(encoding="utf-8"))


def record_since(catalog: Catalog, commit: str) -> Record:
    (checkpoint,) = catalog.checkpoints.find(commit)
    project = catalog.projects.get(checkpoint.project_hash)
    assert project is not None
    events = by_path(catalog.events.since(project.id, checkpoint._row))
    return Record(
        {path: lineage(found) for path, found in events.items()},
        catalog.turns.agent_since(project.id, checkpoint._row),
        checkpoint.kind is Kind.IMPORTED,
    )


def now_said(catalog: Catalog, said: dict[str, Any]) -> dict[str, tuple[bool, str]]:
    record = record_since(catalog, said["checkpoint"])
    found: dict[str, tuple[bool, str]] = {}
    for path, ((status, *values), *_) in said["paths"].items():
        verdict = judge(Change(path, ChangeStatus(status), *values), record, said["session"])
        found[path] = verdict.restore, verdict.reason
    return found


@pytest.fixture
def upgraded(file: Path, lock: Path) -> Iterator[Catalog]:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((FORMER / "attributed-0007.sql").read_text(encoding="utf-8"))
    with Catalog.open(file, lock) as catalog:
        yield catalog
    assert integrity_problems(file) == []


@pytest.mark.campaign
def test_the_verdicts_are_those_of_the_program_that_wrote_the_rows(upgraded: Catalog) -> None:
    """None is another, but for two rules that are new: in a session, what no session changed is
    not kept for another one's; and where no agent was at work, what a person changed comes back."""
    compared = 0
    for said in SAID:
        record = record_since(upgraded, said["checkpoint"])
        now = now_said(upgraded, said)
        for path, (_, restore, reason) in said["paths"].items():
            compared += 1
            if now[path][0] != restore:
                assert now[path][0]
                by_nobody = reason == "no session changed it" and said["session"] is not None
                assert by_nobody or (reason == "you changed it" and not record.agents)
            elif said["session"] is None and not restore:
                assert now[path][1] in (reason, NO_RECORD)
    assert compared == 516


@pytest.mark.campaign
def test_directories_come_back_only_where_they_did(upgraded: Catalog) -> None:
    """Or where nothing at all had happened since, in the record that there is, but what agents
    did, and an open turn after a checkpoint by hand had changed nothing yet."""
    came_back = 0
    for said in SAID:
        record = record_since(upgraded, said["checkpoint"])
        events = record.events.get(DIRECTORIES, ())
        change = Change(DIRECTORIES, ChangeStatus.MODIFIED)
        now = not events or judge(change, record, said["session"]).restore
        assert now or not said["directories"]
        if now and not said["directories"]:
            assert {event.actor for event in events} <= {Actor.AGENT}
        came_back += now
    assert came_back > 10


# --- rows that make no sense ----------------------------------------------------------------------


def of_0007(file: Path, *statements: str) -> None:
    load("0007", file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE turns SET start_checkpoint_id = NULL",
        "UPDATE turns SET start_checkpoint_id = 3 - start_checkpoint_id",
        "UPDATE turns SET start_checkpoint_id = 999",
        "UPDATE turns SET start_checkpoint_id = -5",
        "UPDATE turns SET project_id = 999",
        "UPDATE turns SET ended_at = NULL, ended_by = NULL",
        "UPDATE turns SET actor = 'restore'",
        "UPDATE turns SET actor = NULL, overlaps = 'other'",
        "UPDATE turns SET started_at = '', ended_at = 7",
        "UPDATE turn_changes SET turn_id = turn_id + 900",
        "UPDATE turn_changes SET old_blob = NULL, new_blob = NULL",
        "UPDATE turn_changes SET path = '.'",
        "UPDATE turn_changes SET path = 'caf\\xff'",
        "UPDATE agent_writes SET project_id = 999",
        "UPDATE agent_writes SET written_at = 5",
        "UPDATE agent_writes SET written_at = x'00ff'",
        "UPDATE agent_writes SET blob = x'00ff', tool = NULL, session_id = NULL",
        "UPDATE checkpoints SET previous_id = 999",
        "UPDATE checkpoints SET previous_id = 3 - id",
        "UPDATE checkpoints SET previous_id = NULL",
        "UPDATE checkpoints SET project_id = 1",
        "UPDATE checkpoints SET project_id = 999",
        "UPDATE checkpoints SET created_at = 5",
        "UPDATE checkpoints SET state = 'arriving', ref_name = NULL",
        "UPDATE restores SET target_id = 999, state = 'writing', finished_at = NULL",
        "DELETE FROM checkpoints",
        "DELETE FROM projects",
        "DELETE FROM turns",
    ],
)
def test_what_refers_to_nothing_stops_no_upgrade(statement: str, file: Path, lock: Path) -> None:
    of_0007(file, statement)
    with closing(sqlite3.connect(file)) as connection:
        broken = broken_references(connection)
    with Catalog.open(file, lock) as catalog:
        for row in shell(file, "SELECT id, project_id FROM checkpoints"):
            catalog.turns.agent_since(row["project_id"], row["id"])
        for project in catalog.projects.all():
            assert len(catalog.turns.open(project.id)) <= 1
    with closing(sqlite3.connect(file)) as connection:
        assert broken_references(connection) <= broken
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_turn_without_a_start_says_nothing_and_stays_listed(file: Path, lock: Path) -> None:
    of_0007(file, "UPDATE turns SET start_checkpoint_id = NULL")
    with Catalog.open(file, lock) as catalog:
        assert not catalog.turns.agent_since(1, 1)
        assert catalog.events.since(1, None) == []
    assert [row["id"] for row in shell(file, "SELECT id FROM turns ORDER BY id")] == [1, 2]


def test_a_start_in_another_project_is_the_last_own_checkpoint_before_it(
    file: Path, lock: Path
) -> None:
    of_0007(file, "UPDATE turns SET start_checkpoint_id = 2 WHERE id = 1")
    with Catalog.open(file, lock) as catalog:
        assert {one.after for one in catalog.events.since(1, None)} == {1}
        assert catalog.turns.agent_since(1, 1)
    assert integrity_problems(file) == []


def test_only_what_no_look_has_seen_stays_reported(file: Path, lock: Path) -> None:
    of_0007(
        file,
        "UPDATE turns SET ended_at = NULL, ended_by = NULL WHERE id = 2",
        "UPDATE agent_writes SET written_at = '2027-01-01 00:00:00.000000'",
        "INSERT INTO agent_writes (project_id, session_id, path, written_at)"
        " VALUES (2, 'other', 'late', '2027-01-01 00:00:00.000000'),"
        " (2, 'other', 'seen', '2026-11-20 00:00:00.000000')",
    )
    with Catalog.open(file, lock) as catalog:
        (open_,) = catalog.turns.open(2)
        assert (open_.owner, open_.tools_told) == (None, False)
        found = [(write.path, write.turn_id, write.seen) for write in catalog.turns.writes(2)]
        assert found == [("path-2", 2, False), ("late", None, False)]
        assert [write.path for write in catalog.turns.writes(1)] == ["path-1"]


def test_a_restore_that_was_cut_short_after_the_last_look_is_known(file: Path, lock: Path) -> None:
    of_0007(
        file,
        "UPDATE restores SET state = 'interrupted'",
        "UPDATE restores SET started_at = '2027-01-01 00:00:00.000000' WHERE project_id = 2",
    )
    with Catalog.open(file, lock) as catalog:
        assert [plan.path for plan in catalog.events.cut_short(1)] == []
        assert [plan.path for plan in catalog.events.cut_short(2)] == ["path-2"]

"""The journal tells what runs, what failed and since when, and stays bounded."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from catalog.records import START, Maker, counted, journal, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.new_rows import TRIM_EVERY
from hermes_checkpoints.catalog.operations import KEEP_ROWS
from hermes_checkpoints.catalog.schema import operations
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import FailureRun, JournalEntry, OperationKind, OperationOutcome

TAKE = OperationKind.TAKE
MICROSECOND = timedelta(microseconds=1)
DONE, FAILED, UNCHANGED = (
    OperationOutcome.DONE,
    OperationOutcome.FAILED,
    OperationOutcome.UNCHANGED,
)


def record(
    make: Maker, outcome: OperationOutcome, workdir: str | None = "/a", **fields: object
) -> int:
    started = make.now()
    entry = JournalEntry(
        fields.pop("kind", TAKE),  # type: ignore[arg-type]
        started,
        workdir,
        outcome=outcome,
        **fields,  # type: ignore[arg-type]
    )
    return make.catalog.operations.record(entry, now=started + timedelta(milliseconds=1234))


def test_an_operation_runs_until_it_is_finished(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    begun = JournalEntry(
        OperationKind.RESTORE,
        START,
        "/w/caf\udce9",
        project_id=project.id,
        session_id="s",
        turn=2,
        detail={"paths": ["caf\udce9"]},
    )
    key = catalog.operations.begin(begun)
    (running,) = catalog.operations.running()
    (row,) = journal(catalog, 1)
    assert (row.id, row.outcome, row.finished_at) == (key, OperationOutcome.RUNNING, None)
    assert (running.id, running.kind, running.started_at) == (key, OperationKind.RESTORE, START)
    assert running.detail == {"paths": ["caf\udce9"]}
    pids = shell(catalog.path, "SELECT id, pid FROM operations WHERE outcome = 'running'")
    assert pids == [{"id": key, "pid": os.getpid()}]
    end = JournalEntry(
        OperationKind.RESTORE, START, outcome=FAILED, code="git-failed", message="no \udcff"
    )
    catalog.operations.finish(key, end, now=START + timedelta(seconds=2))
    assert catalog.operations.running() == []
    (ended,) = journal(catalog, 1)
    assert (ended.kind, ended.outcome, ended.duration_ms) == (OperationKind.RESTORE, FAILED, 2000)
    assert (ended.code, ended.message, ended.turn) == ("git-failed", "no \\udcff", 2)
    assert (ended.workdir, ended.project_hash) == ("/w/caf\udce9", project.hash)
    assert ended.detail == {"paths": ["caf\udce9"]}
    catalog.operations.finish(999, replace(begun, outcome=DONE), now=START)


def test_an_unknown_project_is_refused(catalog: Catalog) -> None:
    with pytest.raises(CheckpointError, match="FOREIGN KEY"):
        catalog.operations.begin(JournalEntry(TAKE, START, project_id=99))


def test_the_newest_come_first_by_kind(catalog: Catalog, make: Maker) -> None:
    ids = [
        record(make, DONE, kind=kind)
        for kind in (TAKE, OperationKind.GC, TAKE, OperationKind.PRUNE)
    ]
    assert [row.id for row in journal(catalog, 3)] == ids[:0:-1]
    takes = journal(catalog, 9, TAKE)
    assert [row.id for row in takes] == [ids[2], ids[0]]
    assert takes[0].duration_ms == 1234


def test_failure_runs_end_with_a_take_that_worked(catalog: Catalog, make: Maker) -> None:
    project = make.project("/by/id")
    record(make, FAILED, "/a", message="forgotten")
    record(make, UNCHANGED, "/a")
    first = make.minutes + 1
    record(make, FAILED, "/a", message="index lock held by 7")
    record(make, DONE, "/b")
    record(make, FAILED, "/a", message="disk full")
    record(make, OperationOutcome.SKIPPED, "/a", message="too many files")
    record(make, FAILED, "/a", kind=OperationKind.RESTORE, message="no take")
    record(make, FAILED, None, message="nowhere")
    record(make, FAILED, None, project_id=project.id, code="git-failed")
    record(make, FAILED, "/c\udcff", message="x")
    record(make, OperationOutcome.PARTIAL, "/c\udcff")

    def begun(number: int) -> datetime:
        return START + timedelta(minutes=first + number)

    with counted(catalog) as statements:
        runs = catalog.operations.failure_runs()
    assert len(statements) == 1
    assert runs == [
        FailureRun("/by/id", 1, begun(6), "git-failed", last_at=begun(6)),
        FailureRun("/a", 3, begun(0), "too many files", refused=True, last_at=begun(3)),
    ]
    assert catalog.operations.failure_runs("/a") == runs[1:]
    for nowhere in ("/b", "/c\udcff", "/other"):
        assert catalog.operations.failure_runs(nowhere) == []
    assert catalog.operations.failure_runs(since=begun(3)) == runs, "with the earlier ones"
    assert catalog.operations.failure_runs(since=begun(3) + MICROSECOND) == runs[:1]
    assert catalog.operations.failure_runs("/a", since=begun(3) + MICROSECOND) == []
    record(make, DONE, "/by/id")
    record(make, DONE, "/a")
    assert catalog.operations.failure_runs() == []


def test_last_success_is_of_takes(catalog: Catalog, make: Maker) -> None:
    assert catalog.operations.last_success() is None
    assert catalog.operations.last_success("/a") is None
    record(make, UNCHANGED)
    ended = START + timedelta(minutes=make.minutes, milliseconds=1234)
    record(make, FAILED)
    record(make, DONE, kind=OperationKind.GC)
    assert catalog.operations.last_success() == ended
    record(make, DONE, "/a\udcff")
    record(make, OperationOutcome.PARTIAL, "/a\udcff")
    of_it = START + timedelta(minutes=make.minutes, milliseconds=1234)
    record(make, UNCHANGED, "/b")
    record(make, FAILED, "/a\udcff")
    assert catalog.operations.last_success("/a\udcff") == of_it
    assert catalog.operations.last_success("/a") == ended
    assert catalog.operations.last_success("/other") is None


@pytest.mark.campaign
def test_the_journal_is_bounded(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    running = catalog.operations.begin(JournalEntry(TAKE, START))
    success = record(make, DONE, None, project_id=project.id)
    newer = record(make, DONE, "/b")
    rows = [
        {
            "kind": "take",
            "outcome": "failed",
            "project_id": project.id,
            "started_at": START,
            "finished_at": START,
        }
    ] * (KEEP_ROWS + 3 * TRIM_EVERY)
    with catalog._transactions.writing() as connection:
        connection.execute(operations.insert(), rows)
    newest = 0
    for _ in range(TRIM_EVERY):
        newest = record(make, FAILED, None, project_id=project.id)
    kept = [row["id"] for row in shell(catalog.path, "SELECT id FROM operations ORDER BY id")]
    assert kept[:3] == [running, success, newer]
    assert kept[-1] == newest
    assert KEEP_ROWS - TRIM_EVERY <= len(kept) - 3 <= KEEP_ROWS
    assert catalog.operations.last_success() is not None

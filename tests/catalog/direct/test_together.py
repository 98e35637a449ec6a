"""What is written without SQLAlchemy is what is written with it, all of it or nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog.records import Maker, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.direct import reader, statements
from hermes_checkpoints.catalog.direct.opening import open_catalog
from hermes_checkpoints.catalog.direct.reader import NotDirect
from hermes_checkpoints.catalog.new_rows import TRIM_EVERY
from hermes_checkpoints.errors import CatalogBusy
from hermes_checkpoints.model import (
    Action,
    Actor,
    Change,
    ChangeStatus,
    Checkpoint,
    CheckpointFacts,
    FileIdentity,
    JournalEntry,
    Kind,
    Mode,
    OperationKind,
    OperationOutcome,
    Origin,
    Owner,
    PathEvent,
    PlannedPath,
    Policy,
    ProjectState,
    RestoreRole,
    Rule,
    SkippedPath,
    SkipReason,
)
from interpreters import start

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
TABLES = ("projects", "operations", "turns", "tool_runs", "agent_writes", "path_events")
OWNER = Owner("host", "boot", 7, "start")
ORIGIN = Origin("github.com/a/b", "", "f" * 64)
ODD = os.fsdecode(b"b\xff\\")


@contextmanager
def looking(path: Path) -> Iterator[Any]:
    opened: Any = open_catalog(path, path.with_suffix(".lock"), directly=True)
    try:
        yield opened
    finally:
        opened.close()


def rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: shell(path, f"SELECT * FROM {name} ORDER BY id") for name in TABLES}  # noqa: S608


def journaled(catalog: Any, working_dir: str = "/srv/a", **told: Any) -> int:
    entry = JournalEntry(
        OperationKind.TAKE, NOW, working_dir, outcome=OperationOutcome.UNCHANGED, **told
    )
    return int(catalog.operations.record(entry, now=NOW + timedelta(seconds=1)))


def event(path: str, **told: Any) -> PathEvent:
    its: tuple[Any, ...] = (Actor.AGENT, "s", 3, "Write", "ab", 0o100644, NOW)
    return PathEvent(path, ChangeStatus.ADDED, *its, **told)


def a_turn(catalog: Any, project: Any, checkpoint: int) -> list[object]:
    """Write and ask what a take of an unchanged directory and the end of its turn do; return all
    answers."""
    id_, hash_ = project.id, project.hash
    turns, events = catalog.turns, catalog.events
    seen = FileIdentity("65024", "7"), FileIdentity("65024", "6")
    later = NOW + timedelta(minutes=1)

    def begin() -> list[object]:
        its = {"start_checkpoint_id": checkpoint, "actor": Actor.AGENT, "now": NOW}
        answers: list[object] = [
            catalog.projects.ensure(hash_, "/srv/a", NOW, identity=seen[0], parent=seen[1]),
            journaled(catalog, project_id=id_, checkpoint_id=checkpoint, session_id="s"),
            journaled(catalog, message="\ud800", detail={"path": Path("/x")}, code="odd"),
            turns.writes(id_),
            events.since(id_, checkpoint),
            events.last_look(id_),
            events.looked(id_, 5, reports=False),
            turns.end([], by="next", checkpoint_id=checkpoint, now=NOW),
            turns.begin(id_, session_id="s", turn=3, owner=OWNER, title="Fix it\0", **its),
            turns.begin(id_, session_id=None, turn=None, tools_told=True, **its),
        ]
        return answers

    def end() -> list[object]:
        open_ = turns.open(id_)
        return [
            [turns.tool_runs(one.id) for one in open_],
            turns.writes(id_),
            events.add(id_, checkpoint, [event(ODD), event("a", old_blob="cd", old_mode=0o100755)]),
            events.add(id_, checkpoint, []),
            events.looked(id_, 2**62, reports=True),
            events.last_look(id_),
            events.since(id_, checkpoint),
            turns.end(open_[:1], by="host", checkpoint_id=checkpoint, now=later),
            [one.session_id for one in turns.open(id_)],
        ]

    asked = catalog.checkpoints
    return [
        catalog.do_together(begin),
        turns.begin_tool(id_, "s", "run-1", "Bash", 10),
        turns.record_write(id_, ODD, session_id="s", turn=3, tool="t", blob=None, now=NOW),
        turns.record_write(id_, "b", session_id="x", turn=3, tool="t", blob="cd", now=NOW),
        catalog.do_together(end, durable=False),
        [asked.last(hash_), asked.last_two(hash_), asked.safety_count(hash_)],
        [asked.newest_row(id_), asked.last("none"), asked.last_two("none")],
        [catalog.operations.refused_since("/srv/a", NOW - timedelta(days=n)) for n in (-1, 1)],
    ]


def test_a_turn_is_written_as_the_whole_catalog_writes_it(catalog: Catalog, make: Maker) -> None:
    project = make.project("/srv/a")
    checkpoint = make.checkpoint(project)._row
    before = catalog.path.with_suffix(".before")
    with closing(sqlite3.connect(catalog.path)) as one, closing(sqlite3.connect(before)) as copy:
        one.backup(copy)
        copy.execute("PRAGMA journal_mode = wal")
    whole = a_turn(catalog, project, checkpoint)
    with looking(before) as opened:
        directly = a_turn(opened, project, checkpoint)
        assert opened._catalog is None
    assert directly == whole
    assert rows(before) == rows(catalog.path)
    assert len(rows(before)["path_events"]) == 2


def a_restore(catalog: Any, operation: int) -> list[object]:
    """Write and ask what a restore and its undo do."""
    steps = [
        PlannedPath(ODD, Action.WRITE, "agent changed", blob="ab", mode=0o100644),
        PlannedPath("kept", Action.KEEP, "you changed it"),
    ]
    (one,) = catalog.checkpoints.of_state("hash", "2" * 40)[:1]
    entry = JournalEntry(
        OperationKind.RESTORE,
        NOW,
        "/srv/new",
        project_id=1,
        checkpoint_id=one._row,
        outcome=OperationOutcome.DONE,
        detail={"target": one.id},
    )
    its: dict[str, Any] = {"mode": Mode.EXACT, "target": one, "safety": one, "now": NOW}
    begin, finish = catalog.restores.begin, catalog.restores.finish
    first = begin(
        1, operation, role=RestoreRole.RESTORE, whole=True, undo_of=None, steps=steps, **its
    )
    answers = [first, finish(first, [], NOW)]
    cut_short = begin(
        1, operation, role=RestoreRole.RESTORE, whole=True, undo_of=None, steps=steps, **its
    )
    answers += [cut_short, catalog.events.cut_short(1), finish(cut_short, [], NOW)]
    undo = begin(1, operation, role=RestoreRole.UNDO, whole=False, undo_of=first, steps=[], **its)
    return [
        *answers,
        [undo, finish(undo, [], NOW + timedelta(1))],
        catalog.operations.finish(operation, entry, now=NOW + timedelta(seconds=3)),
        [catalog.turns.agent_since(1, row) for row in (one._row, 99)],
        [catalog.turns.owners(1, names) for names in ([], ["s", "x"])],
    ]


def a_take(catalog: Any) -> list[object]:
    """Write and ask what a first take, one with a change, and what it drops over the limit do."""
    seen = FileIdentity("65024", "7"), FileIdentity("65024", "6")
    its: dict[str, Any] = {"identity": seen[0], "parent": seen[1]}
    skipped = (SkippedPath(ODD, SkipReason.OVERSIZE, 7), SkippedPath("b", SkipReason.SPECIAL))
    answers: list[object] = []

    def taken(number: int, previous: int | None, *changes: Change) -> int:
        facts = CheckpointFacts(
            "hash",
            "/srv/new",
            f"{number:040x}",
            "1" * 40,
            "2" * 40,
            f"refs/checkpoints/hash/{number}",
            Kind.AUTO,
            ODD,
            NOW + timedelta(seconds=number),
            file_count=-1,
            session_id="s",
            skipped=skipped,
            head="3" * 40,
        )

        def begin() -> int:
            project = catalog.projects.ensure("hash", "/srv/new", NOW, **its)
            entry = JournalEntry(
                OperationKind.TAKE, NOW, "/srv/new", project_id=project.id, detail={"ref": "r"}
            )
            return int(catalog.operations.begin(entry))

        def add() -> Checkpoint:
            project = catalog.projects.ensure("hash", "/srv/new", NOW, **its, origin=ORIGIN)
            made: Checkpoint = catalog.checkpoints.add(
                project,
                facts,
                changes=changes,
                added_bytes=9,
                superseded_bytes=2,
                previous_id=previous,
                operation_id=operation,
                now=NOW + timedelta(minutes=number),
                grown_bytes=4096,
            )
            catalog.agreement.follow("none" if number == 1 else str(number - 1), str(number), NOW)
            return made

        operation = catalog.do_together(begin, durable=False)
        answers.append(catalog.operations.running())
        made = catalog.do_together(add)
        answers.append(made)
        return int(made._row)

    answers.append(catalog.agreement.rows())
    catalog.settings.keep({"max_snapshots": "1"}, NOW)
    catalog.settings.set("refs_sign", "none", NOW)
    catalog.settings.set("refs_sign", "none", NOW + timedelta(1))
    first = taken(1, None, Change(ODD, ChangeStatus.ADDED, None, "ab", None, 33188, None, 5, 3, 1))
    second = taken(2, first, Change(ODD, ChangeStatus.MODIFIED, "ab", "cd", 33188, 33188, 5, 6, 4))
    third = taken(3, second)
    policy = Policy(max_snapshots=1, protect=frozenset([f"{3:040x}"]))
    later = NOW + timedelta(hours=1)
    over = catalog.plans.over_limit(policy, later, "hash")
    rows = [one.checkpoint._row for one in over]
    return [
        *answers,
        [first, second, third, rows, over],
        catalog.plans.over_limit(Policy(max_snapshots=3), later, "hash"),
        catalog.plans.over_limit(Policy(max_snapshots=0, max_safety_snapshots=0), later, "hash"),
        [catalog.plans.is_within(most, 1, "hash") for most in (0, 2, 3, 2**70)],
        catalog.plans.standing(over),
        catalog.plans.standing([replace(one, rule=Rule.ORPHAN) for one in over]),
        catalog.projects.set_states({"hash": ProjectState.ORPHAN}, later),
        [
            [one and one.holds for one in catalog.plans.standing(over, orphans)]
            for orphans in (None, [], ["other"], ["hash", "other"])
        ],
        catalog.plans.over_limit(replace(policy, orphans=frozenset(["other"])), later, "hash"),
        catalog.projects.set_states({"hash": ProjectState.LIVE}, later),
        catalog.retention.unpin([]),
        catalog.checkpoints.mark_pruning(dict.fromkeys(rows, f"over {ODD}"), later),
        catalog.arriving.imported_among(rows),
        catalog.checkpoints.mark_pruned(rows[:1]),
        catalog.checkpoints.blob_sizes(["ab", "cd", "ef"]),
        *a_restore(catalog, operation=3),
        [catalog.checkpoints.newest_row(1, before=one) for one in (first, third)],
        catalog.projects.working_dirs(),
        [catalog.projects.related(f"/srv{below}") for below in ("", "/new", "/new/a", "/ne")],
        catalog.standing.left(),
        catalog.standing.form() == catalog.standing.proven_form(),
        catalog.write_back(),
    ]


def test_a_take_is_written_as_the_whole_catalog_writes_it(catalog: Catalog, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    with looking(new) as opened:
        directly = a_take(opened)
        assert opened._catalog is None
    assert directly == a_take(catalog)
    tables = ("projects", "checkpoints", "checkpoint_changes", "skipped_paths", "settings")
    for name in (*tables, "operations", "restores", "restore_paths"):
        query = f"SELECT * FROM {name} ORDER BY 1, 2"  # noqa: S608
        assert shell(new, query) == shell(catalog.path, query), name
    assert len(shell(new, "SELECT * FROM skipped_paths")) == 6


def test_whether_a_guard_has_refused_is_told_alike(catalog: Catalog, make: Maker) -> None:
    make.project("/srv/a")
    entry = JournalEntry(OperationKind.TAKE, NOW, "/srv/a", outcome=OperationOutcome.SKIPPED)
    catalog.operations.record(entry, now=NOW)
    moments = [NOW, NOW + timedelta(seconds=1)]
    with looking(catalog.path) as opened:
        directly = [opened.operations.refused_since("/srv/a", one) for one in moments]
        assert opened._catalog is None
    assert directly == [catalog.operations.refused_since("/srv/a", one) for one in moments]
    assert directly == [True, False]


def only_the_whole_can(catalog: Any) -> object:
    return catalog.checkpoints.live()


def other_arguments(catalog: Any) -> object:
    return catalog.events.since(1, None)


def itself_a_block(catalog: Any) -> object:
    with catalog.together():
        return journaled(catalog, "/srv/in")


@pytest.mark.parametrize("ask", [only_the_whole_can, other_arguments, itself_a_block])
def test_what_cannot_all_be_done_directly_is_done_once_and_by_the_whole_catalog(
    catalog: Catalog, make: Maker, ask: Callable[[Any], object]
) -> None:
    make.project("/srv/a")
    calls: list[bool] = []
    with looking(catalog.path) as opened:

        def work() -> object:
            calls.append(opened._catalog is None)
            journaled(opened)
            return ask(opened)

        found = opened.do_together(work)
    assert calls == [True, False]
    assert len([one for one in rows(catalog.path)["operations"] if one["workdir"] == "/srv/a"]) == 1
    assert found is not None


def test_what_was_missed_is_no_half_of_a_transaction_where_somebody_goes_on(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with looking(catalog.path) as opened:

        def work() -> str:
            journaled(opened)
            with suppress(Exception):
                opened.checkpoints.live()
            return "done"

        assert opened.do_together(work) == "done"
        assert opened._catalog is not None
    assert len(rows(catalog.path)["operations"]) == 1


def test_what_fails_in_a_transaction_leaves_nothing_and_the_catalog_goes_on(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")

    def fails(error: BaseException) -> None:
        journaled(opened)
        raise error

    with looking(catalog.path) as opened:
        for error in (KeyboardInterrupt(), ValueError("no")):
            with pytest.raises(type(error)):
                opened.do_together(lambda error=error: fails(error))
        assert rows(catalog.path)["operations"] == []
        opened.do_together(lambda: opened.do_together(lambda: journaled(opened)))
        assert opened._catalog is None
    assert len(rows(catalog.path)["operations"]) == 1


def test_a_row_that_trims_the_journal_is_added_by_the_whole_catalog(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    journaled(catalog)
    with closing(sqlite3.connect(catalog.path)) as connection, connection:
        connection.execute("UPDATE operations SET id = ?", [TRIM_EVERY - 2])
        connection.execute(
            "UPDATE sqlite_sequence SET seq = ? WHERE name = 'operations'", [TRIM_EVERY - 2]
        )
    with looking(catalog.path) as opened:
        numbers = [(journaled(opened), opened._catalog is None) for _ in range(2)]
    assert numbers == [(TRIM_EVERY - 1, True), (TRIM_EVERY, False)]
    assert len(rows(catalog.path)["operations"]) == 3


def test_what_is_unusual_of_a_project_is_added_by_the_whole_catalog(
    catalog: Catalog, make: Maker
) -> None:
    identity = FileIdentity("1", "2")
    known = make.project("/srv/a")
    for given in (
        {"hash": "new", "identity": identity, "parent": identity, "origin": Origin("a", "b", "c")},
        {"hash": known.hash, "identity": None, "parent": identity},
        {"hash": known.hash, "identity": identity, "parent": identity, "max_snapshots": 3},
    ):
        with looking(catalog.path) as opened:
            opened.projects.ensure(given.pop("hash"), "/srv/new", NOW, **given)
            assert opened._catalog is not None
    assert [one["max_snapshots"] for one in rows(catalog.path)["projects"]] == [3, None]


def test_another_writer_is_waited_for_and_then_told_of(catalog: Catalog, make: Maker) -> None:
    make.project("/srv/a")
    with looking(catalog.path) as opened, closing(sqlite3.connect(catalog.path)) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotDirect):
            opened.direct().write_all([(statements.HOOK_END, {"session": "s"})])
        opened._open_whole = lambda: Catalog.open(
            catalog.path, catalog.path.with_suffix(".lock"), busy_timeout=0.01
        )
        with pytest.raises(CatalogBusy):
            opened.do_together(partial(journaled, opened))
        other.execute("ROLLBACK")
        opened.do_together(partial(journaled, opened))
    assert len(rows(catalog.path)["operations"]) == 1


def test_a_writer_that_is_done_soon_is_waited_for_directly(
    catalog: Catalog, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.project("/srv/a")
    monkeypatch.setattr(reader, "PATIENCE", 60)
    with looking(catalog.path) as opened:
        other = sqlite3.connect(catalog.path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        begins = threading.Event()

        def leave() -> None:
            begins.wait()
            other.close()

        thread = threading.Thread(target=leave)
        thread.start()
        begins.set()
        opened.do_together(lambda: journaled(opened))
        thread.join()
        assert opened._catalog is None
    assert len(rows(catalog.path)["operations"]) == 1


def test_a_thread_that_needs_the_whole_catalog_meanwhile_divides_no_transaction(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    calls: list[int] = []
    with looking(catalog.path) as opened:

        def work() -> None:
            calls.append(journaled(opened))
            thread = threading.Thread(target=lambda: [*opened.checkpoints.live()])
            thread.start()
            thread.join()
            calls.append(journaled(opened))

        opened.do_together(work)
        assert opened._catalog is not None
    assert len(calls) == 2
    assert len(rows(catalog.path)["operations"]) == 2


KILLED = """
import json, os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from hermes_checkpoints.catalog.direct import statements
from hermes_checkpoints.catalog.direct.opening import open_catalog
from hermes_checkpoints.model import Actor, JournalEntry, OperationKind, OperationOutcome

path, last = Path(sys.argv[1]), int(sys.argv[2])
now = datetime(2026, 11, 29, 12, tzinfo=UTC)
entry = JournalEntry(OperationKind.TAKE, now, "/srv/a", outcome=OperationOutcome.UNCHANGED)
catalog = open_catalog(path, path.with_suffix(".lock"), directly=True)

def work():
    steps = (
        lambda: catalog.operations.record(entry, now=now),
        lambda: catalog.events.looked(1, 5, reports=True),
        lambda: catalog.turns.begin(
            1, start_checkpoint_id=1, session_id="s", turn=1, actor=Actor.AGENT, now=now
        ),
    )
    for number, step in enumerate(steps):
        if number == last:
            os.kill(os.getpid(), signal.SIGKILL)
        step()

catalog.do_together(work)
print(catalog._catalog is None, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_kill_between_the_steps_leaves_all_of_them_or_none(catalog: Catalog, make: Maker) -> None:
    make.checkpoint(make.project("/srv/a"))
    catalog.close()
    before = rows(catalog.path)
    for last in range(4):
        ended = start(KILLED, catalog.path, last).finish()
        assert (ended.returncode, ended.stdout) == (-9, "True\n" if last == 3 else ""), ended.stderr
        after = rows(catalog.path)
        assert (after == before) is (last < 3)
    assert [len(after[name]) - len(before[name]) for name in ("operations", "turns")] == [1, 1]
    assert after["projects"][0]["looked_ns"] == 5


def test_a_document_is_kept_alike(catalog: Catalog, make: Maker) -> None:
    make.project("/srv/a")
    details: list[Any] = [{}, {"b": 1, "a": "\ud800"}, {"at": NOW}, {"deep": [{"x": None}]}]
    for detail in details:
        journaled(catalog, detail=detail)
    with looking(catalog.path) as opened:
        for detail in details:
            journaled(opened, detail=detail)
        assert opened._catalog is None
    kept = [one["detail"] for one in rows(catalog.path)["operations"]]
    assert kept[:4] == kept[4:]
    assert json.loads(kept[3]) == details[3]


def test_what_can_be_gone_through_once_is_there_for_the_whole_catalog_too(
    catalog: Catalog, make: Maker
) -> None:
    project = make.project("/srv/a")
    made, pinned = make.checkpoint(project), make.checkpoint(project)
    with closing(sqlite3.connect(catalog.path)) as connection, connection:
        connection.execute("UPDATE checkpoints SET pinned = id = 2")
    catalog.checkpoints.mark_pruning({made._row: "it may go"}, NOW)
    calls: list[Callable[[Any], object]] = [
        lambda asked: asked.events.add(project.id, made._row, map(event, ["a", "b"])),
        lambda asked: asked.retention.unpin(iter([pinned._row])),
        lambda asked: asked.checkpoints.mark_pruned(iter([made._row])),
    ]
    for call in calls:
        with closing(sqlite3.connect(catalog.path)) as other, looking(catalog.path) as opened:
            other.isolation_level = None
            other.execute("BEGIN IMMEDIATE")
            whole = opened._open_whole

            def when_free(other: Any = other, whole: Any = whole) -> object:
                other.execute("ROLLBACK")
                return whole()

            opened._open_whole = when_free
            call(opened)
            assert opened._catalog is not None
    found = shell(catalog.path, "SELECT pinned, state FROM checkpoints ORDER BY id")
    assert [tuple(row.values()) for row in found] == [(0, "pruned"), (0, "live")]
    assert [one["path"] for one in rows(catalog.path)["path_events"]] == ["a", "b"]


def test_what_fails_for_want_of_a_part_that_cannot_be_done_directly_is_done_anew(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with looking(catalog.path) as opened:

        def work() -> int:
            journaled(opened)
            try:
                return len([*opened.checkpoints.live()])
            except Exception as error:
                raise ValueError("it cannot be told") from error

        assert opened.do_together(work) == 0
    assert len(rows(catalog.path)["operations"]) == 1

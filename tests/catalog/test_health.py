"""take_health and restore_list, against the rows that they are made of."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from catalog.records import Maker, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import (
    Action,
    FailedPath,
    JournalEntry,
    Mode,
    OperationKind,
    OperationOutcome,
    PlannedPath,
    RestoreRole,
)

DONE, UNCHANGED, FAILED, SKIPPED = (
    OperationOutcome.DONE,
    OperationOutcome.UNCHANGED,
    OperationOutcome.FAILED,
    OperationOutcome.SKIPPED,
)


def health(catalog: Catalog, workdir: str) -> dict[str, Any]:
    found = shell(catalog.path, "SELECT * FROM take_health")
    return next(row for row in found if row["working_directory"] == workdir)


def note(
    catalog: Catalog, workdir: str, outcome: OperationOutcome, ended: datetime, took: int = 0
) -> None:
    """Record a take of so many milliseconds."""
    code = {FAILED: "no-space", SKIPPED: "too-many-files"}.get(outcome)
    started = ended - timedelta(milliseconds=took)
    entry = JournalEntry(OperationKind.TAKE, started, workdir, outcome=outcome, code=code)
    catalog.operations.record(entry, now=ended)


def test_what_has_failed_since_the_last_success(catalog: Catalog, make: Maker) -> None:
    make.project("/srv/never")
    now = datetime.now(UTC)
    at = [now - timedelta(hours=hours) for hours in range(9, 0, -1)]
    for outcome, moment in zip([FAILED, SKIPPED, DONE, FAILED, SKIPPED, SKIPPED], at, strict=False):
        note(catalog, "/srv/alpha", outcome, moment)
    note(catalog, "/srv/refused", SKIPPED, at[0])
    alpha = health(catalog, "/srv/alpha")
    assert (alpha["failures_since_success"], alpha["refusals_since_success"]) == (1, 2)
    assert alpha["last_success_at"] == f"{at[2]:%F %T}"
    assert (alpha["last_failure_at"], alpha["last_failure_code"]) == (f"{at[3]:%F %T}", "no-space")
    refused = health(catalog, "/srv/refused")
    assert (refused["last_success_at"], refused["last_failure_at"]) == (None, None)
    assert (refused["failures_since_success"], refused["refusals_since_success"]) == (0, 1)
    assert set(health(catalog, "/srv/never").values()) == {"/srv/never", None, 0}
    note(catalog, "/srv/alpha", UNCHANGED, at[7])
    alpha = health(catalog, "/srv/alpha")
    assert (alpha["failures_since_success"], alpha["refusals_since_success"]) == (0, 0)
    assert alpha["last_failure_code"] == "no-space"


def test_how_long_takes_last_is_that_of_the_last_week(catalog: Catalog) -> None:
    """By nearest rank: the shortest time within which so many of a hundred were done."""
    draw = random.Random(7)  # noqa: S311
    now = datetime.now(UTC)
    times: dict[str, list[int]] = {f"/srv/{count}": [] for count in (1, 2, 19, 20, 21, 150)}
    for workdir, mine in times.items():
        for _ in range(int(workdir.rsplit("/", 1)[1])):
            mine.append(draw.randrange(5_000))
            note(catalog, workdir, draw.choice([DONE, UNCHANGED]), now, mine[-1])
        note(catalog, workdir, DONE, now - timedelta(days=8), 90_000)
        note(catalog, workdir, FAILED, now, 80_000)
    for workdir, mine in times.items():
        mine.sort()
        row = health(catalog, workdir)
        assert row["takes_in_7_days"] == len(mine)
        for name, percent in (("median_ms", 50), ("p95_ms", 95)):
            assert row[name] == mine[math.ceil(len(mine) * percent / 100) - 1], (workdir, name)


def test_the_failures_are_those_that_status_warns_of(catalog: Catalog) -> None:
    draw = random.Random(3)  # noqa: S311
    now = datetime.now(UTC)
    for number in range(300):
        workdir = f"/srv/{draw.randrange(9)}"
        outcome = draw.choice([DONE, FAILED, FAILED, FAILED, SKIPPED])
        note(catalog, workdir, outcome, now + timedelta(seconds=number))
    query = "SELECT * FROM take_health WHERE failures_since_success + refusals_since_success > 0"
    found = {
        row["working_directory"]: row["failures_since_success"] + row["refusals_since_success"]
        for row in shell(catalog.path, query)
    }
    assert found == {run.working_dir: run.count for run in catalog.operations.failure_runs()}
    succeeded = [row["last_success_at"] for row in shell(catalog.path, "SELECT * FROM take_health")]
    last = catalog.operations.last_success()
    assert last is not None
    assert max(filter(None, succeeded)) == f"{last:%F %T}"


def test_a_restore_says_what_was_planned_and_what_came_of_it(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    target, safety = make.checkpoint(project), make.checkpoint(project)
    steps = [
        PlannedPath("a", Action.WRITE, "missing now"),
        PlannedPath("b", Action.DELETE, "created since"),
        PlannedPath("c", Action.WRITE, "changed since"),
        PlannedPath("d", Action.KEEP, "you changed it"),
    ]

    def said(restore_id: int) -> dict[str, Any]:
        query = f"SELECT * FROM restore_list WHERE restore_id = {restore_id}"  # noqa: S608
        (row,) = shell(catalog.path, query)
        return row

    def counts(restore_id: int) -> list[int]:
        row = said(restore_id)
        return [row[name] for name in ("planned", "written", "kept", "failed", "not_done")]

    killed = make.restore(project, target, steps, safety)
    assert (said(killed)["state"], counts(killed)) == ("writing", [3, 0, 1, 0, 3])
    (running,) = catalog.operations.running()
    catalog.restores.interrupt(running.id, make.now())
    catalog.restores.mark_done(killed, [0, 1])
    assert (said(killed)["state"], counts(killed)) == ("interrupted", [3, 2, 1, 0, 1])

    partial = make.restore(project, target, steps, safety)
    catalog.restores.finish(partial, [FailedPath("c", Action.WRITE, "no space")], make.now())
    row = said(partial)
    assert (row["state"], row["first_error"], row["undone"]) == ("partial", "no space", "no")
    assert counts(partial) == [3, 2, 1, 1, 0]
    assert (row["target"], row["safety"]) == (target.short_id, safety.short_id)

    undo = undo_of(catalog, make, partial, target)
    assert said(partial)["undone"] == "no"
    catalog.restores.finish(undo, [], make.now())
    assert (said(partial)["undone"], said(partial)["undone_by"]) == ("yes", undo)
    assert (said(undo)["role"], said(undo)["undo_of"], said(undo)["undone"]) == (
        "undo",
        partial,
        "no",
    )


def undo_of(catalog: Catalog, make: Maker, restore_id: int, target: Any) -> int:
    now = make.now()
    project = catalog.projects.all()[0]
    entry = JournalEntry(OperationKind.RESTORE, now, project_id=project.id)
    return catalog.restores.begin(
        project.id,
        catalog.operations.begin(entry),
        role=RestoreRole.UNDO,
        mode=Mode.EXACT,
        whole=True,
        target=target,
        safety=target,
        undo_of=restore_id,
        steps=[],
        now=now,
    )

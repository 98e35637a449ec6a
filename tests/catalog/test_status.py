"""The figures of status, and the views that an administrator reads, agree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from catalog.records import START, Maker, added, counted, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import (
    JournalEntry,
    OperationKind,
    OperationOutcome,
    ProjectState,
    SkippedPath,
)
from hermes_checkpoints.model import SkipReason as Reason


def fill(make: Maker, projects: int = 3) -> None:
    for number in range(projects):
        project = make.project(f"/srv/{number}")
        for _ in range(number):
            make.checkpoint(project, changes=[added("a", 9, 3)], added_bytes=10 + number)


def test_status_is_one_statement_and_agrees_with_the_view(catalog: Catalog, make: Maker) -> None:
    fill(make)
    with counted(catalog) as statements:
        found = catalog.status.projects()
    assert len(statements) == 1
    assert [(one.project.working_dir, one.checkpoints, one.added_bytes) for one in found] == [
        ("/srv/2", 2, 24),
        ("/srv/1", 1, 11),
        ("/srv/0", 0, 0),
    ]
    assert catalog.status.projects(limit=1) == found[:1]
    held = {one.hash: one.referenced_bytes for one in catalog.usage.rows().projects}
    assert shell(catalog.path, "SELECT * FROM project_status") == [
        {
            "project": one.project.hash,
            "working_directory": one.project.working_dir,
            "state": "live",
            "checked_at": None,
            "checkpoints": one.checkpoints,
            "added_bytes": one.added_bytes,
            "held_bytes": held.get(one.project.hash, 0),
            "last_checkpoint_at": one.last_checkpoint_at and f"{one.last_checkpoint_at:%F %T}",
            "last_touch": f"{one.project.last_touch:%F %T}",
            "created_at": f"{one.project.created_at:%F %T}",
            "missing_since": None,
        }
        for one in found
    ]


def test_totals_count_live_checkpoints_and_agree_with_the_view(
    catalog: Catalog, make: Maker
) -> None:
    assert catalog.status.totals() == (0, 0)
    (empty,) = shell(catalog.path, "SELECT * FROM store_totals")
    assert set(empty.values()) == {0, None}
    fill(make)
    newest, oldest = catalog.checkpoints.live()[-1], catalog.checkpoints.live()[0]
    catalog.checkpoints.set_pinned(newest._row, True)
    catalog.checkpoints.mark_pruning({oldest._row: "age"}, make.now())
    catalog.checkpoints.mark_pruned([oldest._row])
    forgotten, gone = oldest.project_hash, catalog.checkpoints.live()[0].project_hash
    assert forgotten != gone
    orphan = ProjectState.ORPHAN
    catalog.projects.set_states({forgotten: orphan, gone: orphan}, make.now())
    assert forgotten not in {one.project.hash for one in catalog.status.projects()}
    with counted(catalog) as statements:
        totals = catalog.status.totals()
    assert len(statements) == 1
    assert totals == (2, 2)
    live = catalog.checkpoints.live()
    (row,) = shell(catalog.path, "SELECT * FROM store_totals")
    assert row == {
        "projects": 2,
        "orphaned_projects": 1,
        "unreachable_projects": 0,
        "checkpoints": 2,
        "pinned": 1,
        "arriving": 0,
        "pruned": 1,
        "added_bytes": 24,
        "held_bytes": catalog.usage.rows().total,
        "superseded_bytes": sum(one.superseded_bytes for one in live),
        "oldest_checkpoint_at": f"{min(one.created_at for one in live):%F %T}",
        "newest_checkpoint_at": f"{max(one.created_at for one in live):%F %T}",
    }


def test_the_list_numbers_live_checkpoints_from_the_newest(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one, two, three = (
        make.checkpoint(project, skipped=skipped)
        for skipped in ((), (SkippedPath("big", Reason.OVERSIZE, 9),), ())
    )
    make.checkpoint(make.project("/srv/beta"))
    catalog.checkpoints.mark_pruning({one._row: "age"}, make.now())
    rows = shell(
        catalog.path,
        "SELECT working_directory, number, checkpoint, taken_at, skipped, complete, pinned "
        "FROM checkpoint_list WHERE working_directory = '/srv/alpha'",
    )
    assert rows == [
        {
            "working_directory": "/srv/alpha",
            "number": number,
            "checkpoint": made.short_id,
            "taken_at": f"{made.created_at:%F %T}",
            "skipped": skipped,
            "complete": complete,
            "pinned": "no",
        }
        for number, made, skipped, complete in ((1, three, 0, "yes"), (2, two, 1, "no"))
    ]
    assert len(shell(catalog.path, "SELECT * FROM checkpoint_list")) == 3


def test_stale_projects_follow_the_retention_setting(catalog: Catalog) -> None:
    now = datetime.now(UTC)
    for days in (1, 5, 8, 40):
        catalog.projects.ensure(
            f"{days:016}", f"/srv/{days}", now - timedelta(days=days), identity=None, parent=None
        )

    def stale() -> list[tuple[str, int, int]]:
        rows = shell(catalog.path, "SELECT * FROM stale_projects")
        return [
            (row["working_directory"], row["days_untouched"], row["retention_days"]) for row in rows
        ]

    assert stale() == [("/srv/40", 40, 7), ("/srv/8", 8, 7)]
    catalog.settings.set("retention_days", "30", now)
    assert stale() == [("/srv/40", 40, 30)]


def test_orphans_are_listed_with_since_when(catalog: Catalog, make: Maker) -> None:
    gone, far = make.project("/gone"), make.project("/far")
    make.checkpoint(gone, added_bytes=5)
    catalog.projects.set_states(
        {gone.hash: ProjectState.ORPHAN, far.hash: ProjectState.UNREACHABLE},
        START + timedelta(days=1),
    )
    (row,) = shell(catalog.path, "SELECT * FROM orphaned_projects")
    assert (row["working_directory"], row["missing_since"]) == ("/gone", "2026-11-21 12:00:00")
    assert (row["checkpoints"], row["added_bytes"]) == (1, 5)


def test_recent_failures_go_back_two_weeks(catalog: Catalog, make: Maker) -> None:
    now = datetime.now(UTC)
    project = make.project()
    for days, outcome in (
        (20, OperationOutcome.FAILED),
        (13, OperationOutcome.FAILED),
        (3, OperationOutcome.DONE),
        (1, OperationOutcome.PARTIAL),
    ):
        moment = now - timedelta(days=days)
        entry = JournalEntry(
            OperationKind.TAKE,
            moment,
            project_id=project.id,
            outcome=outcome,
            code="git-failed",
            message=f"{days} days ago",
        )
        catalog.operations.record(entry, now=moment)
    rows = shell(catalog.path, "SELECT * FROM recent_failures")
    assert [(row["message"], row["outcome"], row["working_directory"]) for row in rows] == [
        ("1 days ago", "partial", "/srv/alpha"),
        ("13 days ago", "failed", "/srv/alpha"),
    ]

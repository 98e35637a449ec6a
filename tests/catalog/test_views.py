"""What people read in the views is what the program says, on random catalogs."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from catalog.random_rows import Rows, catalogs, configurations, fill
from catalog.records import shell
from catalog.revisions.views import laid_out, parts, plain
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.views import definitions
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import LegacyState
from support import examples

on_random_catalogs = settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)


def second(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%F %T}"


def everything(catalog: Catalog, view: str) -> list[dict[str, Any]]:
    return shell(catalog.path, f"SELECT * FROM {view}")  # noqa: S608 - names from here


# --- one expression ------------------------------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", definitions())
def test_a_view_is_the_expression_of_the_program(catalog: Catalog, name: str) -> None:
    """Where this fails, what the view is made of was changed: a new revision drops it and makes it
    again, with the text that ``python tests/catalog/revisions/views.py`` prints."""
    query = f"SELECT sql FROM sqlite_master WHERE type = 'view' AND name = '{name}'"  # noqa: S608
    ((made,),) = [tuple(row.values()) for row in shell(catalog.path, query)]
    assert plain(made) == plain(definitions()[name])


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("name", definitions())
def test_a_view_laid_out_says_the_same(name: str) -> None:
    sql = definitions()[name]
    assert plain(laid_out(sql)) == plain(sql)
    assert max(map(len, laid_out(sql).splitlines())) <= 120


def test_no_view_needs_a_newer_sqlite_than_is_said() -> None:
    """Nothing of 3.35 and later (RETURNING, MATERIALIZED), no function that a build may lack."""
    for name, sql in definitions().items():
        query = parts(sql)[2].upper()
        for word in ("MATERIALIZED", "RETURNING", "UNIXEPOCH", "IIF", "CONCAT", "STRING_AGG"):
            assert not re.search(rf"\b{word}\b", query), (name, word)


# --- each view and the answer of the program -----------------------------------------------------


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_project_status_and_status(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = [
        {
            "project": one.project.hash,
            "working_directory": one.project.working_dir,
            "state": one.project.state.value,
            "checkpoints": one.checkpoints,
            "added_bytes": one.added_bytes,
            "last_checkpoint_at": second(one.last_checkpoint_at),
            "last_touch": second(one.project.last_touch),
        }
        for one in catalog.status.projects()
    ]
    read = everything(catalog, "project_status")
    assert [{name: row[name] for name in one} for row, one in zip(read, said, strict=True)] == said
    listed = {row["working_directory"]: row["checkpoints"] for row in read}
    for project in rows["projects"]:
        live = len(catalog.checkpoints.list(project["hash"]))
        remembered = live > 0 or project["state"] != "orphan"
        assert listed.get(project["workdir"]) == (live if remembered else None)


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_store_totals_and_status(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    (read,) = everything(catalog, "store_totals")
    assert (read["projects"], read["checkpoints"]) == catalog.status.totals()
    listed, live = catalog.status.projects(), catalog.checkpoints.live()
    states = [one.project.state.value for one in listed]
    of_state = [row["state"] for row in rows["checkpoints"]]
    times = [one.created_at for one in live]
    assert read == {
        "projects": len(listed),
        "orphaned_projects": states.count("orphan"),
        "unreachable_projects": states.count("unreachable"),
        "checkpoints": len(live),
        "pinned": sum(one.pinned for one in live),
        "arriving": of_state.count("arriving"),
        "pruned": of_state.count("pruned"),
        "added_bytes": sum(one.added_bytes for one in live),
        "held_bytes": catalog.usage.rows().total,
        "superseded_bytes": sum(one.superseded_bytes for one in live),
        "oldest_checkpoint_at": second(min(times, default=None)),
        "newest_checkpoint_at": second(max(times, default=None)),
    }


@given(rows=catalogs())
@on_random_catalogs
def test_checkpoint_list_and_log(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = []
    for project in sorted(rows["projects"], key=lambda project: project["workdir"]):
        listed = catalog.checkpoints.list(project["hash"], safety=False)
        numbers = {one.id: number for number, one in enumerate(listed, 1)}
        said += [
            (
                *(one.working_dir, numbers.get(one.id), one.short_id, one.id),
                ", ".join(one.labels) or None,
                "yes" if one.pinned else "no",
            )
            for one in catalog.checkpoints.list(project["hash"])
        ]
    columns = ("working_directory", "number", "checkpoint", "commit_id", "labels", "pinned")
    read = everything(catalog, "checkpoint_list")
    assert [tuple(row[name] for name in columns) for row in read] == said


@given(rows=catalogs(), config=configurations())
@on_random_catalogs
def test_stale_projects_and_the_settings_in_force(
    catalog: Catalog, rows: Rows, config: Config
) -> None:
    now = fill(catalog, rows, config)
    days = config.retention_days
    said = {
        (one.project.working_dir, (now - one.project.last_touch).days, days, one.checkpoints)
        for one in catalog.status.projects()
        if days and now - one.project.last_touch >= timedelta(days=days)
    }
    columns = ("working_directory", "days_untouched", "retention_days", "checkpoints")
    read = everything(catalog, "stale_projects")
    assert {tuple(row[name] for name in columns) for row in read} == said
    assert len(read) == len(said)


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_orphaned_projects_and_status(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = {
        (one.project.working_dir, one.checkpoints, one.added_bytes)
        for one in catalog.status.projects()
        if one.project.state == "orphan"
    }
    read = everything(catalog, "orphaned_projects")
    columns = ("working_directory", "checkpoints", "added_bytes")
    assert {tuple(row[name] for name in columns) for row in read} == said
    missing = [row["missing_since"] for row in read]
    assert missing == sorted(missing)


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_recent_failures_and_the_warning_of_status(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = {
        (run.working_dir, run.count, second(run.since), run.last_error)
        for run in catalog.operations.failure_runs()
    }
    read = everything(catalog, "recent_failures")
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in read:
        if row["unresolved"] == "yes":
            runs.setdefault(row["working_directory"], []).append(row)
    assert {
        (
            where,
            len(failures),
            min(row["started_at"] for row in failures),
            failures[0]["message"] or failures[0]["code"] or "unknown",
        )
        for where, failures in runs.items()
    } == said
    old = [row for row in rows["operations"] if row["started_at"] > 14]
    bad = [row for row in rows["operations"] if row["outcome"] in ("failed", "partial")]
    resolved = [row for row in read if row["unresolved"] == "no"]
    assert len(resolved) <= len([row for row in bad if row not in old])
    refused = [row for row in rows["operations"] if row["outcome"] == "skipped"]
    assert len([row for row in bad if row not in old]) <= len(read) <= len(bad) + len(refused)
    assert all(row["outcome"] != "skipped" for row in resolved)


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_session_list_and_sessions(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = [
        (one.summary.session_id, one.summary.status, one.checkpoints, one.turns)
        for one in catalog.sessions.list()
    ]
    columns = ("session_id", "status", "checkpoints", "turns")
    read = everything(catalog, "session_list")
    assert [tuple(row[name] for name in columns) for row in read] == said


@pytest.mark.campaign
@given(rows=catalogs())
@on_random_catalogs
def test_legacy_list_and_the_archives(catalog: Catalog, rows: Rows) -> None:
    fill(catalog, rows)
    said = {
        (one.path, one.state.value, one.whole, one.imported_checkpoints, one.error)
        for one in catalog.archives.all()
    }
    read = everything(catalog, "legacy_list")
    assert {
        (row["path"], row["state"], row["imported"] == "yes", row["checkpoints"], row["error"])
        for row in read
    } == said
    gone = [row["state"] == LegacyState.CLEARED for row in read]
    assert gone == sorted(gone)


# --- how they are read ---------------------------------------------------------------------------


def plan(catalog: Catalog, query: str) -> list[str]:
    with closing(sqlite3.connect(catalog.path)) as connection:
        return [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM checkpoint_list WHERE working_directory = '/srv/alpha'",
        "SELECT * FROM checkpoint_list WHERE project = '0011223344556677'",
        "SELECT * FROM project_status WHERE project = '0011223344556677'",
        "SELECT * FROM project_status LIMIT 20",
        "SELECT commit_id FROM checkpoints WHERE commit_id GLOB '1a2b3c4d*'",
    ],
)
def test_who_asks_for_one_project_reads_that_alone(catalog: Catalog, query: str) -> None:
    steps = plan(catalog, query)
    for table in ("checkpoints", "checkpoint_changes", "newer", "remembered", "other", "there"):
        assert not [step for step in steps if re.match(rf"SCAN {table}\b", step)], steps
    if "WHERE" in query:  # what is read as a whole are the rows of other steps
        read = {step.split()[1] for step in steps if step.startswith("SCAN")}
        assert read.isdisjoint(schema.metadata.tables), steps
    assert [step for step in steps if "checkpoints" in step or "newer" in step]

"""docs/catalog.md names every table, view and column, and its queries run."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from catalog.records import START, Maker, added, shell
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.canned import questions
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import (
    Action,
    Actor,
    ChangeStatus,
    PathEvent,
    PlannedPath,
    SkippedPath,
    SkipReason,
)
from pages.blocks import PAGES, blocks

DOCUMENT = PAGES["docs/catalog.md"]
MEGABYTES = "coalesce(nullif(:mb, ''), 100) * 1024 * 1024"
QUERIES = [block.text for block in blocks("docs/catalog.md", "sql")]


def section(name: str) -> str:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, f"docs/catalog.md has no section {name}"
    return found.group(1)


def test_every_column_is_explained(catalog: Catalog) -> None:
    with closing(sqlite3.connect(catalog.path)) as connection:
        for name in sorted(schema.EXPECTED):
            text = section(name)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            if name in schema.metadata.tables:
                columns = [column for column in columns if column not in ("id", "checkpoint_id")]
            missing = [column for column in columns if f"`{column}`" not in text]
            assert not missing, (name, missing)


@pytest.mark.parametrize("query", QUERIES)
def test_the_queries_run(catalog: Catalog, make: Maker, query: str) -> None:
    """Of three checkpoints one is over the limit and one is the newest."""
    in_force = Config(max_snapshots=2, retention_days=0)
    catalog.settings.keep(in_force.settings(), START)
    big = SkippedPath("big", SkipReason.OVERSIZE, 9)
    project = make.project()
    make.checkpoint(project)
    make.checkpoint(project)
    newest = make.checkpoint(
        project, changes=[added("a")], skipped=(big,), id="1a2b3c4d" + "0" * 32
    )
    catalog.turns.begin(
        project.id,
        start_checkpoint_id=newest._row,
        session_id="s1",
        turn=1,
        actor=Actor.AGENT,
        now=datetime.now(UTC),
    )
    modified, now = ChangeStatus.MODIFIED, datetime.now(UTC)
    event = PathEvent("a", modified, Actor.AGENT, "s1", 1, "write_file", None, None, now)
    catalog.events.add(project.id, newest._row, [event])
    make.restore(project, newest, [PlannedPath("a", Action.WRITE, "missing now")])
    catalog.sessions.write(
        "s1", "{}", status="in_progress", task=None, created_at=None, updated_at=START, keep=5
    )
    found = shell(catalog.path, query)
    if "FROM settings" in query:
        told = {row["name"]: row["value"] for row in found}
        hosts = {"auto_prune": "true", "min_interval_hours": "24", "max_total_size_mb": "500"}
        assert {**told, **hosts} == in_force.settings()
    elif "operations" not in query and "recent_failures" not in query:
        assert len(found) == 1
    if "FROM prune_preview" in query:
        assert (found[0]["rule"], found[0]["checkpoints"]) == ("over-limit", 1)


@pytest.mark.campaign
def test_what_would_free_so_much_is_what_the_cap_would_take(catalog: Catalog, make: Maker) -> None:
    """The question of docs/sql.md, with a number that these checkpoints reach."""
    catalog.settings.keep(Config(max_snapshots=0, retention_days=0).settings(), START)
    projects = [make.project(f"/srv/{number}") for number in (1, 2)]
    for number, project in enumerate([*projects, *projects, *projects]):
        size = 1000 * 2**number
        make.checkpoint(project, changes=[added(f"{number}", stored=size)], added_bytes=size)
    query = questions()["prune-for-space"].query
    every = shell(catalog.path, "SELECT * FROM size_cap_candidates")
    assert [row["working_directory"] for row in every] == ["/srv/1", "/srv/2"] * 2
    assert [row["running_bytes"] for row in every] == [
        sum(row["bytes"] for row in every[:place]) for place in (1, 2, 3, 4)
    ]
    for wanted in range(0, every[-1]["running_bytes"] + 2, 3):
        found = shell(catalog.path, query.replace(MEGABYTES, str(wanted)))
        freed = sum(row["bytes"] for row in found)
        assert freed >= min(wanted, every[-1]["running_bytes"])
        assert not found or freed - found[-1]["bytes"] < wanted

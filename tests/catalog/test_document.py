"""docs/catalog.md names every table, view and column, and its queries run."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalog.records import START, Maker, added, shell
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.model import Action, PlannedPath, SkippedPath, SkipReason

DOCUMENT = (Path(__file__).parents[2] / "docs" / "catalog.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", DOCUMENT, re.DOTALL)


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
    big = SkippedPath("big", SkipReason.OVERSIZE, 9)
    project = make.project()
    taken = make.checkpoint(project, changes=[added("a")], skipped=(big,), id="1a2b3c4d" + "0" * 32)
    make.restore(project, taken, [PlannedPath("a", Action.WRITE, "missing now")])
    catalog.sessions.write(
        "s1", "{}", status="in_progress", task=None, created_at=None, updated_at=START, keep=5
    )
    found = shell(catalog.path, query)
    if "operations" not in query and "recent_failures" not in query:
        assert len(found) == 1

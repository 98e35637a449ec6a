"""A value that no statement of this program can have written is damage with a remedy, no crash."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from catalog.records import Maker
from hermes_checkpoints import CatalogDamaged, Checkpoints
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.direct.opening import open_catalog
from hermes_checkpoints.model import Actor


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("last_touch", value) for value in ("'never'", "x'00ff'", "17")),
        ("created_at", "'never'"),
        ("workdir", "x'00ff'"),
    ],
)
def test_a_value_that_is_none_is_named_as_damage(
    home: Path, project: Path, column: str, value: str
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection:
            connection.execute(f"UPDATE projects SET {column} = {value}")  # noqa: S608
            connection.commit()
        with pytest.raises(CatalogDamaged, match=r"a value that is none.*move catalog.db"):
            checkpoints._base.catalog.projects.all()


@pytest.mark.parametrize(
    "value", ["[1", "7", "{}", '{"host": 1, "boot": "b", "pid": "x", "started": "s"}']
)
@pytest.mark.parametrize("directly", [True, False])
def test_a_process_that_is_none_is_named_as_damage(
    catalog: Catalog, make: Maker, value: str, directly: bool
) -> None:
    project = make.project("/srv/a")
    start = make.checkpoint(project)._row
    now = datetime.now(UTC)
    its: dict[str, Any] = {"session_id": "s", "turn": 1, "actor": Actor.AGENT, "now": now}
    catalog.turns.begin(project.id, start_checkpoint_id=start, **its)
    with closing(sqlite3.connect(catalog.path)) as connection, connection:
        connection.execute("UPDATE turns SET owner = ?", [value])
    lock = catalog.path.with_suffix(".lock")
    with open_catalog(catalog.path, lock, directly=directly) as opened:
        for ask in (
            lambda: opened.turns.open(project.id),
            lambda: opened.do_together(lambda: opened.turns.open(project.id)),
            lambda: opened.turns.owners(project.id, ["s"]),
        ):
            with pytest.raises(CatalogDamaged, match=r"a value that is none.*move catalog.db"):
                ask()

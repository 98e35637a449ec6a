"""A value that no statement of this program can have written is damage with a remedy, no crash."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import CatalogDamaged, Checkpoints


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

"""The index of a fleet, on a real PostgreSQL: it has what remotes have, whatever happened before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fleet.conftest import Database, rows, take
from hermes_checkpoints import Checkpoints
from remote.servers import bare, git, refs_of

pytestmark = pytest.mark.campaign

Make = Callable[..., Checkpoints]


def test_two_remotes_indexed_twice_and_after_a_loss_give_the_same_rows(
    admin: Checkpoints, machine: Make, database: Database, undo: Path, tmp_path: Path
) -> None:
    second = bare(tmp_path / "second.git")
    urls = [str(undo), str(second)]
    take(machine("laptop"), tmp_path / "app", "one", "two")
    take(machine("server", second), tmp_path / "app", "three")
    first = admin.index_fleet(*urls)
    assert [(one.url, one.listed, one.added, one.complete) for one in first] == [
        (urls[0], 2, 2, True),
        (urls[1], 1, 1, True),
    ]
    known = rows(database)
    assert [len(each) for each in known.values()] == [2, 2, 1, 2, 3]
    again = admin.index_fleet(*urls)
    assert [(one.listed, one.added, one.gone) for one in again] == [(2, 0, 0), (1, 0, 0)]
    assert rows(database) == known
    database.do("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    admin.index_fleet(*urls)
    assert rows(database) == known

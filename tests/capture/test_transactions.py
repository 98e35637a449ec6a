"""How often a take, a restore and a reported write commit, and how many statements they need: each
commit waits for the disk, and between two of them a kill leaves half of what belongs together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection, event

from catalog.records import counted
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog.engine import BEGIN_OPTION
from hermes_checkpoints.catalog.sqlite import BEGIN_WRITE
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Failed, Kind, Mode, Taken
from retention.histories import History

FULL = 2
"""What the pragma says where a commit waits for the disk."""


@dataclass
class Cost:
    """``waits`` are the commits that wait for the disk."""

    commits: int = 0
    waits: int = 0
    statements: int = 0


@contextmanager
def cost(checkpoints: Checkpoints) -> Iterator[Cost]:
    """Count the writing transactions and the statements of a block."""
    catalog = checkpoints._base.catalog
    found = Cost()

    def commit(connection: Connection) -> None:
        if connection.get_execution_options().get(BEGIN_OPTION) == BEGIN_WRITE:
            found.commits += 1
            driver = connection.connection.driver_connection
            assert driver is not None
            found.waits += driver.execute("PRAGMA synchronous").fetchone() == (FULL,)

    engine = catalog._transactions.engine
    event.listen(engine, "commit", commit)
    with counted(catalog) as statements:
        yield found
    event.remove(engine, "commit", commit)
    found.statements = len(statements)


def test_what_takes_restores_and_reports_cost(history: History) -> None:
    folder = history.project()
    (folder / "notes.txt").write_text("one\n")
    checkpoints = history.checkpoints
    project = checkpoints.project(folder)
    first = project.take(kind=Kind.AUTO, session_id="s1")
    assert not isinstance(first, Failed)
    with cost(checkpoints) as unchanged:
        project.take(kind=Kind.AUTO, session_id="s1")
    (folder / "notes.txt").write_text("two\n")
    with cost(checkpoints) as changed:
        project.take(kind=Kind.AUTO, session_id="s1")
    with cost(checkpoints) as reported:
        project.record_agent_write("notes.txt", session_id="s1", turn=1, tool="write_file")
    (folder / "notes.txt").write_text("three\n")
    with cost(checkpoints) as restored:
        project.restore("2", mode=Mode.EXACT)
    assert (unchanged.commits, changed.commits, reported.commits) == (1, 2, 1)
    assert restored.commits == 4, "two of the safety checkpoint, one before and one after writing"
    waits = [one.waits for one in (unchanged, changed, reported, restored)]
    assert waits == [1, 1, 1, 3], "that a take begins is told by its ref as well"
    assert reported.statements == 2
    assert unchanged.statements <= 12
    assert changed.statements <= 32
    assert restored.statements <= 60


@pytest.mark.parametrize("change", [False, True])
def test_no_checkpoint_is_without_its_turn(
    history: History, monkeypatch: pytest.MonkeyPatch, change: bool
) -> None:
    """What ends between the row and the turn leaves neither."""
    folder = history.project()
    project = history.checkpoints.project(folder)
    history.take(folder, kind=Kind.AUTO, session_id="s1")
    catalog = history.checkpoints._base.catalog
    before = [c.id for c in project.list()]
    opened = catalog.turns.open(1)

    def die(*_: object, **__: object) -> None:
        raise CheckpointError("the process ends here")

    if change:
        (folder / "data").write_bytes(b"changed")
    with monkeypatch.context() as patch:
        patch.setattr(catalog.turns, "begin", die)
        assert isinstance(project.take(kind=Kind.AUTO, session_id="s2"), Failed)
    assert [c.id for c in project.list()] == before
    assert catalog.turns.open(1) == opened


def test_transactions_join_and_fail_as_one(history: History) -> None:
    catalog = history.checkpoints._base.catalog
    now = history.checkpoints._base.now()
    with pytest.raises(RuntimeError), catalog.together():
        catalog.settings.set("one", "1", now)
        assert catalog.settings.get("one") == "1"
        with catalog.together():
            catalog.settings.set("two", "2", now)
        raise RuntimeError
    assert (catalog.settings.get("one"), catalog.settings.get("two")) == (None, None)


def test_no_take_waits_more_than_twice_for_the_disk(history: History) -> None:
    """Not the first one of a project, nor one by which others go over the limit."""
    folder = history.project()
    waits = []
    with Checkpoints.open(history.home, config=Config(max_snapshots=3)) as checkpoints:
        project = checkpoints.project(folder)
        for number in range(5):
            (folder / "notes.txt").write_text(f"{number}\n")
            with cost(checkpoints) as one:
                assert isinstance(project.take(kind=Kind.AUTO, session_id="s1"), Taken)
            waits.append(one.waits)
        assert len(project.list()) == 3
    assert waits == [1, 1, 1, 2, 2]


def test_a_commit_that_need_not_wait_waits_where_there_is_no_log(history: History) -> None:
    """Without a log, a power cut in the middle of such a commit could damage the file."""
    catalog = history.checkpoints._base.catalog
    catalog._transactions.close_idle()
    with closing(sqlite3.connect(catalog.path)) as connection:
        assert connection.execute("PRAGMA journal_mode = delete").fetchone() == ("delete",)
    with cost(history.checkpoints) as found, catalog.together(durable=False):
        catalog.settings.set("one", "1", history.checkpoints._base.now())
    assert (found.commits, found.waits) == (1, 1)


def test_the_next_commit_waits_again(history: History) -> None:
    catalog = history.checkpoints._base.catalog
    now = history.checkpoints._base.now()
    with cost(history.checkpoints) as found:
        with catalog.together(durable=False):
            catalog.settings.set("one", "1", now)
        with pytest.raises(RuntimeError), catalog.together(durable=False):
            raise RuntimeError
        catalog.settings.set("two", "2", now)
    assert (found.commits, found.waits) == (2, 1)

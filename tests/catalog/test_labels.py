"""The table ``labels``: several to a checkpoint, each once in a project."""

from __future__ import annotations

import runpy
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from catalog.records import Maker
from catalog.test_revisions import load
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import Checkpoint, FileIdentity


def labels(catalog: Catalog, checkpoint: Checkpoint) -> tuple[str, ...]:
    found = catalog.checkpoints.get(checkpoint._row)
    assert found is not None
    return found.labels


def test_a_checkpoint_has_several_and_each_finds_it(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one = make.checkpoint(project, label="good")
    assert catalog.labels.give(one._row, "a release") is None
    assert catalog.labels.give(one._row, "good") is None, "it has that already"
    assert labels(catalog, one) == ("a release", "good")
    for name in ("a release", "good"):
        found = catalog.checkpoints.by_label(project.hash, name)
        assert found is not None
        assert (found.id, found.label) == (one.id, "a release")
    catalog.labels.take_away(one._row, "a release")
    assert labels(catalog, one) == ("good",)


def test_one_that_another_has_moves_only_when_told(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one, two = make.checkpoint(project, label="good"), make.checkpoint(project)
    assert catalog.labels.give(two._row, "good") == one._row
    assert (labels(catalog, one), labels(catalog, two)) == (("good",), ())
    assert catalog.labels.give(two._row, "good", move=True) is None
    assert (labels(catalog, one), labels(catalog, two)) == ((), ("good",))


def test_the_label_of_what_is_gone_is_free(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    one, two = make.checkpoint(project, label="good"), make.checkpoint(project)
    catalog.checkpoints.mark_pruning({one._row: "why"}, one.created_at)
    catalog.checkpoints.mark_pruned([one._row])
    assert catalog.labels.give(two._row, "good") is None
    assert catalog.labels.give(one._row, "late") is None
    assert labels(catalog, one) == (), "nobody is told that what is gone is kept"


def test_an_older_one_that_comes_later_gets_a_number(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    new = make.checkpoint(project, label="good")
    make.checkpoint(project, label="good-2")
    old = catalog.checkpoints.add(
        project,
        make.facts(project, label="good"),
        changes=(),
        added_bytes=0,
        superseded_bytes=0,
        previous_id=None,
        operation_id=None,
        now=new.created_at,
        row=-5,
    )
    assert (labels(catalog, new), labels(catalog, old)) == (("good",), ("good-3",))


def test_two_histories_that_become_one_lose_no_label(catalog: Catalog, make: Maker) -> None:
    one, other = make.project("/a"), make.project("/b")
    old, new = make.checkpoint(one, label="good"), make.checkpoint(other, label="good")
    catalog.retention.rebind(
        one.hash, other.hash, "/b", FileIdentity("1", "2"), FileIdentity("1", "1")
    )
    assert (labels(catalog, old), labels(catalog, new)) == (("good-2",), ("good",))
    found = catalog.checkpoints.by_label(other.hash, "good-2")
    assert found is not None
    assert found.id == old.id


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("dropped", [False, True], ids=["all-live", "newest-dropped"])
def test_an_upgrade_keeps_the_name_at_the_newest_live_one_and_numbers_the_others(
    file: Path, lock: Path, dropped: bool
) -> None:
    load("0011", file)
    names = {1: "good", 2: "good", 3: "good", 4: "good-2", 5: None}
    with closing(sqlite3.connect(file)) as connection, connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(checkpoints)")]
        same = [c for c in columns if c not in ("id", "commit_id", "ref_name", "state")]
        for number in (3, 4, 5):
            connection.execute(
                f"INSERT INTO checkpoints (id, commit_id, ref_name, state, {', '.join(same)})"  # noqa: S608
                f" SELECT {number}, 'c{number}', 'r{number}', state, {', '.join(same)}"
                " FROM checkpoints WHERE id = 1"
            )
        connection.execute("UPDATE checkpoints SET project_id = 1")
        for number, name in names.items():
            connection.execute("UPDATE checkpoints SET label = ? WHERE id = ?", (name, number))
        connection.execute("UPDATE checkpoints SET state = 'live'")
        if dropped:
            connection.execute(
                "UPDATE checkpoints SET state = 'pruned', pruned_at = created_at WHERE id = 3"
            )
    with Catalog.open(file, lock) as catalog:
        found = {n: one.labels for n in names if (one := catalog.checkpoints.get(n)) is not None}
    newest, next_, oldest = (3, 2, 1) if not dropped else (2, 1, 3)
    assert found == {
        newest: ("good",),
        next_: ("good-3",),
        oldest: ("good-4",),
        4: ("good-2",),
        5: (),
    }


@pytest.mark.campaign
def test_an_upgrade_numbers_as_many_names_as_there_are() -> None:
    path = Path(__file__).parents[2] / "migrations" / "versions" / "0012_capture.py"
    revision = runpy.run_path(str(path))
    engine, count = create_engine("sqlite://"), 20_000
    with engine.begin() as connection:
        for sql in (
            "CREATE TABLE projects (id INTEGER PRIMARY KEY)",
            "CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, project_id, label, state)",
            revision["LABELS"],
            "INSERT INTO projects VALUES (1)",
        ):
            connection.exec_driver_sql(sql)
        connection.exec_driver_sql(
            "INSERT INTO checkpoints VALUES (?, 1, 'nightly', 'live')",
            [(number,) for number in range(count)],
        )
        started = time.process_time()
        revision["give_labels"](connection)
        assert time.process_time() - started < 20
        names = connection.exec_driver_sql("SELECT count(DISTINCT label) FROM labels").scalar()
    assert names == count

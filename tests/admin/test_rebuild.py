"""A rebuild, a merge and an import take as many git processes for many checkpoints as for few."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config

KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0)


def fill(home: Path, project: Path, count: int) -> None:
    """Take checkpoints, and pack them: what lies loose is looked at without a process."""
    project.mkdir(parents=True)
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        for number in range(count):
            (project / f"f{number % 9}").write_text(f"{number}\n")
            checkpoints.project(project).take(f"step {number}")
        checkpoints._base.store.git.run("repack", "-a", "-d", "-q")
        checkpoints._base.store.git.run("prune-packed", "-q")


def lose_catalog(home: Path, project: Path, other: Path) -> None:
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    Checkpoints.open(home, config=KEEP_ALL).close()


def lose_every_other_row(home: Path, project: Path, other: Path) -> None:
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        for table in ("checkpoint_changes", "path_events", "skipped_paths"):
            catalog.execute(f"DELETE FROM {table} WHERE checkpoint_id % 2")  # noqa: S608
        catalog.execute("UPDATE operations SET checkpoint_id = NULL")
        catalog.execute("UPDATE checkpoints SET previous_id = NULL")
        catalog.execute("DELETE FROM checkpoints WHERE id % 2")
        catalog.execute("DELETE FROM settings WHERE name = 'refs_sign'")
    Checkpoints.open(home, config=KEEP_ALL).close()


def import_it(home: Path, project: Path, other: Path) -> None:
    with Checkpoints.open(other, config=KEEP_ALL) as checkpoints:
        checkpoints.import_legacy(home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("work", [lose_catalog, lose_every_other_row, import_it])
def test_the_number_of_processes_is_that_of_no_checkpoint(
    tmp_path: Path, git_processes: GitProcesses, work: object
) -> None:
    assert callable(work)
    counts = []
    for count in (2, 24):
        home, project = tmp_path / f"home-{count}", tmp_path / f"project-{count}"
        fill(home, project, count)
        git_processes.reset()
        work(home, project, tmp_path / f"other-{count}")
        counts.append(git_processes.count())
        where = tmp_path / f"other-{count}" if work is import_it else home
        with Checkpoints.open(where, config=KEEP_ALL) as checkpoints:
            assert len(checkpoints.list_all()) == count
    assert counts[0] == counts[1] < 15


@pytest.mark.campaign
def test_an_opening_that_reads_the_store_tells_how_far_it_is(tmp_path: Path) -> None:
    fill(tmp_path / "home", tmp_path / "project", 25)
    for file in (tmp_path / "home" / "checkpoints").glob("catalog.db*"):
        file.unlink()
    told: list[str] = []

    def tell(step: str, done: int = 0, of: int = 0, /) -> None:
        told.append(step)

    Checkpoints.open(tmp_path / "home", config=KEEP_ALL, progress=tell).close()
    assert told[0] == "comparing the catalog with the store"
    assert told[-1] == f"reading checkpoints of {tmp_path / 'project'} from the store: 20 of 25"
    Checkpoints.open(tmp_path / "home", config=KEEP_ALL, progress=tell).close()
    assert len(told) == 3

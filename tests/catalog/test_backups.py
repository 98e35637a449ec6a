"""Of the backups that upgrades leave, the newest of each revision stays, whatever was killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from catalog.records import integrity_problems, shell
from catalog.test_open import next_scripts
from catalog.test_revisions import load, rows
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.backups import backup_path, backups
from hermes_checkpoints.errors import CatalogDamaged
from interpreters import run

# Kills itself before the backup gets its name, or before the upgrade is committed.
DIE = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from sqlalchemy.engine import Engine
from hermes_checkpoints.catalog import Catalog
point = sys.argv[3]
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def watch(name, args):
    if name == "os.rename" and str(args[0]).endswith(".partial"):
        die()
if point == "rename":
    sys.addaudithook(watch)
else:
    event.listen(Engine, "commit", die)
Catalog.open(Path(sys.argv[1]), Path(sys.argv[2]))
print("survived")
"""


def test_the_next_upgrade_sweeps_what_killed_ones_left(file: Path, lock: Path) -> None:
    load("0001", file)
    others = [file.with_name(name) for name in ("catalog.db.backup-mine", "catalog.db.backup-1")]
    for other in others:
        other.touch()
    journal = file.with_name("catalog.db.backup-0001-20261120T120000.000000Z.partial-journal")
    journal.touch()
    for point in ("rename", "commit", "commit", "rename"):
        killed = run(DIE, file, lock, point)
        assert (killed.returncode, killed.stdout) == (-9, ""), killed.stderr
        assert shell(file, "SELECT version_num FROM alembic_version") == [{"version_num": "0001"}]
    assert not journal.exists()
    assert sorted(backup.complete for backup in backups(file)) == [False, True]
    newest = backups(file)[1].path
    Catalog.open(file, lock).close()
    (left,) = backups(file)
    assert left.complete
    assert left.path > newest
    assert rows(left.path)["projects"] == 2
    assert integrity_problems(left.path) == []
    assert all(other.exists() for other in others)


@pytest.mark.campaign
def test_one_backup_of_each_revision_stays(file: Path, lock: Path, tmp_path: Path) -> None:
    load("0001", file)
    Catalog.open(file, lock).close()
    Catalog.open(file, lock, scripts=next_scripts(tmp_path)).close()
    assert [backup.revision for backup in backups(file)] == [schema.HEAD, "0001"]


def test_a_backup_is_newer_than_the_others_whatever_the_clock_says(file: Path) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    stamp = ahead.strftime("%Y%m%dT%H%M%S.%fZ")
    for name in (f"catalog.db.backup-0001-{stamp}", f"catalog.db.backup-0002-{stamp}.partial"):
        file.with_name(name).touch()
    made = backup_path(file, "0001")
    made.touch()
    assert backups(file)[0].path == made
    assert backup_path(file, "0001") > made


def orphan(file: Path) -> None:
    """Add a turn of a project that does not exist, as a tool without foreign keys can."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO turns (project_id, started_at) VALUES (77, '2026-11-20')")


@pytest.mark.campaign
def test_references_that_were_broken_before_do_not_stop_an_upgrade(file: Path, lock: Path) -> None:
    load("0001", file)
    orphan(file)
    with Catalog.open(file, lock) as catalog:
        assert len(catalog.projects.all()) == 2
    assert shell(file, "SELECT count(*) AS n FROM turns WHERE project_id = 77") == [{"n": 1}]
    assert shell(file, "SELECT version_num FROM alembic_version") == [{"version_num": schema.HEAD}]


def test_an_upgrade_that_breaks_one_more_is_refused_with_the_remedy(
    file: Path, lock: Path, tmp_path: Path
) -> None:
    Catalog.open(file, lock).close()
    orphan(file)
    insert = 'op.execute("INSERT INTO turns (project_id, started_at) VALUES (99, 0)")'
    with pytest.raises(CatalogDamaged) as caught:
        Catalog.open(file, lock, scripts=next_scripts(tmp_path, insert))
    told = str(caught.value)
    assert "turns refers to missing rows of projects" in told
    assert "it is unchanged" in told
    assert "Use the version of this package that last used it" in told
    assert "move catalog.db" in told
    assert shell(file, "SELECT version_num FROM alembic_version") == [{"version_num": schema.HEAD}]
    assert backups(file) == []

"""Opening creates, upgrades, or refuses with a remedy; and never deletes."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalog.records import Maker, creations, integrity_problems, shell
from hermes_checkpoints.catalog import Catalog, engine, schema, sqlite
from hermes_checkpoints.catalog.sqlite import connect, switch_journal_mode
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.errors import (
    BaseUnwritable,
    CatalogBusy,
    CatalogDamaged,
    CatalogNewer,
    CheckpointError,
    SqliteTooOld,
)
from hermes_checkpoints.fs.filesystem import is_network

ROOT = Path(__file__).parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_catalog_is_private_complete_and_says_so(file: Path, lock: Path) -> None:
    old = os.umask(0)
    try:
        with creations() as made, Catalog.open(file, lock) as catalog:
            assert len(made) == 1
            assert catalog.journal_mode == "wal"
            Maker(catalog).project()
            assert [mode(one) for one in sorted(file.parent.iterdir())] == [0o600] * 3
            assert integrity_problems(catalog.path) == []
    finally:
        os.umask(old)
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert made == []
        assert len(catalog.projects.all()) == 1
    assert {path.name for path in file.parent.iterdir()} == {"catalog.db"}


def test_every_connection_has_the_settings(catalog: Catalog) -> None:
    with catalog._transactions.reading() as connection:
        values = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("foreign_keys", "synchronous", "busy_timeout", "journal_mode")
        }
    assert values == {
        "foreign_keys": 1,
        "synchronous": 2,
        "busy_timeout": 10_000,
        "journal_mode": "wal",
    }


def test_an_empty_file_is_filled(file: Path, lock: Path) -> None:
    file.touch()
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert len(made) == 1
        assert catalog.projects.all() == []


def test_a_sqlite_that_is_too_old_is_refused_before_anything_is_created(
    catalog: Catalog, lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sqlite, "LEAST_VERSION", (99, 1, 0))
    with pytest.raises(SqliteTooOld, match=r"99\.1\.0 or newer; install a newer SQLite"):
        Catalog.open(tmp_path / "new.db", lock)
    assert not (tmp_path / "new.db").exists()
    catalog._transactions.close_idle()
    with pytest.raises(SqliteTooOld, match=re.escape(sqlite3.sqlite_version)):
        catalog.projects.all()


def test_the_database_of_another_program_is_named_and_left(file: Path, lock: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA application_id = 252006673")  # Fossil's
    before = file.read_bytes()
    with pytest.raises(CatalogDamaged, match="another program, application id 0xf055111"):
        Catalog.open(file, lock)
    assert file.read_bytes() == before


def test_an_older_program_refuses_a_newer_catalog(catalog: Catalog, lock: Path) -> None:
    with closing(sqlite3.connect(catalog.path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CatalogNewer, match="upgrade the package"):
        Catalog.open(catalog.path, lock)


def no_database(file: Path) -> None:
    file.write_bytes(b"this is no database, and long enough to be none for sure\n" * 20)


def overwritten(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(100)
        stream.write(b"\xff" * 4000)


def cut_short(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(5000)


def run_sql(statement: str) -> Callable[[Path], None]:
    def run(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(statement)

    return run


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(
    "damage",
    [
        no_database,
        overwritten,
        cut_short,
        run_sql("DROP TABLE settings"),
        run_sql("DROP VIEW store_totals"),
        run_sql("DROP TABLE alembic_version"),
        run_sql("DELETE FROM alembic_version"),
    ],
)
def test_damage_is_named_with_the_remedy_and_nothing_deleted(
    damage: Callable[[Path], None], file: Path, lock: Path
) -> None:
    Catalog.open(file, lock).close()
    damage(file)
    before = file.read_bytes()
    with pytest.raises(CatalogDamaged) as caught:
        Catalog.open(file, lock)
    assert "move catalog.db" in str(caught.value)
    assert file.read_bytes() == before
    file.rename(file.with_name("aside.db"))
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert len(made) == 1
        assert catalog.projects.all() == []


def test_a_folder_in_its_place_is_refused(file: Path, lock: Path) -> None:
    file.mkdir()
    with pytest.raises(CatalogDamaged, match="not a regular file"):
        Catalog.open(file, lock)


def test_a_missing_base_is_unwritable(tmp_path: Path, lock: Path) -> None:
    with pytest.raises(BaseUnwritable, match="HERMES_HOME"):
        Catalog.open(tmp_path / "missing" / "catalog.db", lock)


def _open_as_user(file: Path, lock: Path) -> str:
    try:
        Catalog.open(file, lock).close()
    except CheckpointError as error:
        return error.code
    return "opened"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("base", "file"), [(0o500, None), (0o500, 0o600), (0o700, 0o400), (0o700, 0o000)]
)
def test_without_permission_the_base_is_unwritable(
    as_user: Any, base: int, file: int | None
) -> None:
    path = as_user.tmp / "base" / "catalog.db"
    path.parent.mkdir()
    if file is not None:
        Catalog.open(path, as_user.tmp / "lock").close()
        path.chmod(file)
    owner = as_user.tmp.stat()
    for one in (path, path.parent):
        if one.exists():
            os.chown(one, owner.st_uid, owner.st_gid)
    path.parent.chmod(base)
    assert as_user(_open_as_user, path, as_user.tmp / "user" / "lock") == "base-unwritable"


def test_a_locked_catalog_is_busy(file: Path, lock: Path) -> None:
    with (
        Catalog.open(file, lock, busy_timeout=0.05) as catalog,
        closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CatalogBusy, match="another process"):
            Maker(catalog).project()
        assert catalog.projects.all() == []
        other.execute("COMMIT")
        Maker(catalog).project()


def test_a_catalog_moved_away_while_open_is_not_written(catalog: Catalog, make: Maker) -> None:
    make.project()
    aside = catalog.path.with_name("aside.db")
    catalog.path.rename(aside)
    for _ in range(2):
        with pytest.raises(CatalogDamaged, match="open it again"):
            make.project("/srv/beta")
        shutil.copy(aside, catalog.path)


def test_a_closed_catalog_says_so(catalog: Catalog) -> None:
    catalog.close()
    with pytest.raises(CheckpointError, match="closed"):
        catalog.projects.all()


# --- journal mode -----------------------------------------------------------------------------

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 0:50 / /mnt/my\\040share rw - nfs4 server:/export rw
31 21 0:51 / /mnt/my\\040share/local rw - ext4 /dev/sdb1 rw
32 21 0:52 / /mnt/box rw - ext4 /dev/sdc1 rw
33 21 0:53 / /mnt/box rw - cifs //server/box rw
34 21 0:54 / /mnt/ssh rw - fuse.sshfs me@host: rw
"""


@pytest.mark.parametrize(
    ("path", "network"),
    [
        ("/somewhere/catalog.db", False),
        ("/mnt/my share/catalog.db", True),
        ("/mnt/my share/deep/er/catalog.db", True),
        ("/mnt/my share/local/catalog.db", False),
        ("/mnt/my shared/catalog.db", False),
        ("/mnt/box/catalog.db", True),
        ("/mnt/ssh/catalog.db", True),
    ],
)
def test_network_filesystems_are_told(tmp_path: Path, path: str, network: bool) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert is_network(Path(path), mounts) is network
    assert is_network(Path(path), tmp_path / "missing") is False


def test_a_refused_switch_leaves_a_working_catalog(file: Path, lock: Path) -> None:
    Catalog.open(file, lock).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM projects").fetchone()
        with closing(connect(file, busy_timeout=0.01)) as connection:
            switch_journal_mode(connection, file)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        with Catalog.open(file, lock, busy_timeout=0.01) as catalog:
            assert catalog.journal_mode == "delete"
            other.execute("COMMIT")
            Maker(catalog).project()
            assert len(catalog.projects.all()) == 1
    with Catalog.open(file, lock) as catalog:
        assert catalog.journal_mode == "wal"


# --- upgrades --------------------------------------------------------------------------------

NEXT = """\
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade():
    op.add_column("projects", sa.Column("note", sa.Text()))
    {more}


def downgrade():
    raise RuntimeError
"""


def next_scripts(tmp_path: Path, more: str = "pass") -> Scripts:
    """The revisions of this package and one more, in a folder with a difficult name."""
    folder = tmp_path / "next %s revision"
    shutil.copytree(ROOT / "migrations", folder)
    text = NEXT.format(head=schema.HEAD, more=more)
    (folder / "versions" / "9999_next.py").write_text(text, encoding="utf-8")
    return Scripts((*schema.REVISIONS, "9999"), schema.EXPECTED, folder)


def test_an_older_catalog_is_upgraded_after_a_backup(
    file: Path, lock: Path, tmp_path: Path
) -> None:
    with Catalog.open(file, lock) as catalog:
        Maker(catalog).project()
    with creations() as made, Catalog.open(file, lock, scripts=next_scripts(tmp_path)) as catalog:
        assert made == []
        assert [project.working_dir for project in catalog.projects.all()] == ["/srv/alpha"]
    assert shell(file, "SELECT note FROM projects") == [{"note": None}]
    (backup,) = file.parent.glob("catalog.db.backup-*")
    assert backup.name.startswith(f"catalog.db.backup-{schema.HEAD}-2")
    assert mode(backup) == 0o600
    with Catalog.open(backup, lock) as old:
        assert [project.working_dir for project in old.projects.all()] == ["/srv/alpha"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (
            'op.execute("INSERT INTO turns (project_id, started_at) VALUES (99, 0)")',
            "turns refers to missing rows of projects",
        ),
        ('op.execute("INSERT INTO nowhere VALUES (1)")', "no such table: nowhere"),
    ],
)
def test_a_failed_upgrade_changes_nothing(
    file: Path, lock: Path, tmp_path: Path, more: str, error: str
) -> None:
    with Catalog.open(file, lock) as catalog:
        Maker(catalog).project()
    with pytest.raises(CatalogDamaged, match=error):
        Catalog.open(file, lock, scripts=next_scripts(tmp_path, more))
    assert shell(file, "SELECT version_num FROM alembic_version") == [{"version_num": schema.HEAD}]
    assert not list(file.parent.glob("*backup*"))
    with Catalog.open(file, lock) as catalog:
        assert len(catalog.projects.all()) == 1


def test_missing_revisions_are_told_as_a_broken_installation(
    file: Path, lock: Path, tmp_path: Path
) -> None:
    with pytest.raises(CheckpointError, match="install the package"):
        Catalog.open(file, lock, scripts=Scripts(folder=tmp_path / "missing"))


def test_two_homes_open_for_the_first_time_in_two_threads(tmp_path: Path) -> None:
    def work(number: int) -> None:
        folder = tmp_path / f"home {number % 4}"
        folder.mkdir(exist_ok=True)
        with Catalog.open(folder / "catalog.db", folder / "lock") as catalog:
            Maker(catalog).project(f"/srv/{number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    with creations() as made:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(made) == 4
    for number in range(4):
        rows = shell(tmp_path / f"home {number}" / "catalog.db", "SELECT * FROM projects")
        assert len(rows) == 2


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The connections that are made meanwhile."""
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return made


def is_closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return True
    return False


def test_the_connection_that_looked_is_the_one_that_is_used(
    file: Path, lock: Path, connections: list[sqlite3.Connection]
) -> None:
    """SQLite reads the whole schema for each connection, with the text of every view."""
    Catalog.open(file, lock).close()
    connections.clear()
    with Catalog.open(file, lock) as catalog:
        Maker(catalog).project()
        assert len(catalog.projects.all()) == 1
        assert len(connections) == 1
    assert is_closed(*connections)


def test_a_catalog_that_is_not_used_is_closed(
    file: Path, lock: Path, connections: list[sqlite3.Connection]
) -> None:
    for opened in (Catalog.open(file, lock), Catalog.open(file, lock)):
        opened.close()
    assert all(map(is_closed, connections))


def test_a_fork_right_behind_an_opening_shares_no_connection(
    file: Path, lock: Path, connections: list[sqlite3.Connection]
) -> None:
    with Catalog.open(file, lock) as catalog:
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(Exception):
                Maker(catalog).project("/child")
                catalog.close()
                status = 0
            os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert is_closed(connections[-1])
        Maker(catalog).project("/parent")
        assert {one.working_dir for one in catalog.projects.all()} == {"/child", "/parent"}


def test_a_catalog_replaced_right_behind_its_opening_is_not_written(
    file: Path, lock: Path, tmp_path: Path
) -> None:
    with Catalog.open(file, lock) as catalog:
        copy = tmp_path / "copy.db"
        shutil.copy(file, copy)
        copy.replace(file)
        with pytest.raises(CatalogDamaged, match="open it again"):
            Maker(catalog).project()


def test_a_second_opening_compiles_no_statement_again(tmp_path: Path) -> None:
    """A host opens at every turn; two catalogs still keep their rows apart."""

    def use(name: str) -> int:
        with Catalog.open(tmp_path / f"{name}.db", tmp_path / f"{name}.lock") as catalog:
            Maker(catalog).project(f"/{name}")
            assert [project.working_dir for project in catalog.projects.all()] == [f"/{name}"]
        return len(engine._compiled)

    assert use("one") == use("two") > 0

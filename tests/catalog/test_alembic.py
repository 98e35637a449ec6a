"""``alembic`` on the command line: an upgrade is an opening, and nothing else writes a lie."""

from __future__ import annotations

import argparse
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import cycle
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.util import CommandError

from catalog.records import integrity_problems, shell
from catalog.test_open import cut_short, next_scripts, no_database, overwritten, run_sql
from catalog.test_revisions import load, rows
from catalog.test_schema import definitions
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.alembic_commands import statements
from hermes_checkpoints.catalog.backups import backups
from hermes_checkpoints.config import TIMEOUT_VARIABLE
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout
from history.old_bases import all_commits, assert_imported, made
from interpreters import Ended, Interpreter, run, start
from pages.blocks import only
from support import deadly_git, everything

ROOT = Path(__file__).parents[2]
INI = ROOT / "alembic.ini"

# What the script ``alembic`` does, once its input closes. It kills itself before the statement,
# the commit or the renaming of a backup that its first argument names.
ALEMBIC = """
import os, signal, sys
from alembic.config import main
from sqlalchemy import event
from sqlalchemy.engine import Engine
point, *arguments = sys.argv[1:]
def die():
    os.kill(os.getpid(), signal.SIGKILL)
@event.listens_for(Engine, "before_cursor_execute")
def watch(connection, cursor, statement, *rest):
    if point and point in statement:
        die()
@event.listens_for(Engine, "commit")
def commit(connection):
    if point == "COMMIT":
        die()
def audit(name, args):
    if point == "rename" and name == "os.rename" and str(args[0]).endswith(".partial"):
        die()
sys.addaudithook(audit)
print("ready", flush=True)
sys.stdin.read()
main(argv=arguments, prog="alembic")
"""


# A plain opening, once its input closes.
OPEN = """
import sys
from hermes_checkpoints import Checkpoints
print("ready", flush=True)
sys.stdin.read()
Checkpoints.open(sys.argv[1]).close()
"""


def begin(*arguments: object, point: str = "", ini: Path = INI) -> Interpreter:
    """Start ``alembic`` up to where it reads its arguments."""
    process = start(ALEMBIC, point, "-c", ini, *arguments)
    assert process.stdout.readline() == "ready\n"
    return process


def alembic(*arguments: object, ini: Path = INI) -> Ended:
    return begin(*arguments, ini=ini).finish()


def refused(*arguments: object, ini: Path = INI) -> str:
    """Return why ``alembic`` refuses something."""
    ended = alembic(*arguments, ini=ini)
    assert ended.returncode == 255, ended
    assert "Traceback" not in ended.stdout + ended.stderr
    return ended.stdout


def revision(file: Path) -> str:
    ((found,),) = [row.values() for row in shell(file, "SELECT version_num FROM alembic_version")]
    return str(found)


def former(home: Path, name: str = "0001") -> Path:
    """Make the base of a home whose catalog has an earlier revision; return the catalog."""
    file = Layout.of(home).catalog
    file.parent.mkdir(parents=True)
    load(name, file)
    return file


# --- upgrades -----------------------------------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("by", ["default", "home", "catalog"])
def test_an_upgrade_is_an_opening(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    file = former(home)
    monkeypatch.setenv("HERMES_HOME", str(home if by == "default" else tmp_path / "another"))
    words = {"default": [], "home": ["-x", f"home={home}"], "catalog": ["-x", f"catalog={file}"]}
    named = words[by]
    ended = alembic(*named, "upgrade", "head")
    assert (ended.returncode, ended.stderr) == (0, "")
    (backup,) = backups(file)
    assert f"it was at 0001; the backup is {backup.path}" in ended.stdout
    assert (revision(file), revision(backup.path)) == (schema.HEAD, "0001")
    assert rows(file)["projects"] == 2
    assert integrity_problems(file) == []
    # The base was opened: what an opening writes down about its store is there.
    assert shell(file, "SELECT value FROM settings WHERE name = 'refs_sign'")
    again = alembic(*named, "upgrade", "heads")
    assert again.stdout.strip() == f"{file} is at revision {schema.HEAD}"
    assert len(backups(file)) == 1


def test_history_of_earlier_versions_follows_in_the_same_command(tmp_path: Path) -> None:
    home = made(tmp_path / "live")
    commits = all_commits(home)
    assert commits
    missing = refused("-x", f"catalog={home / 'checkpoints' / 'catalog.db'}", "upgrade", "head")
    assert "name another, or a home with -x home=DIR" in missing
    ended = alembic("-x", f"home={home}", "upgrade", "head")
    assert ended.returncode == 0, ended
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)


@pytest.mark.campaign
def test_the_functions_of_alembic_upgrade_too(tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    told = argparse.Namespace(x=[f"home={tmp_path / 'home'}"])
    command.upgrade(Config(INI, cmd_opts=told), "head")
    command.check(Config(INI, cmd_opts=told))
    assert revision(file) == schema.HEAD
    with pytest.raises(CommandError, match="never downgraded"):
        command.downgrade(Config(INI, cmd_opts=told), "base")


@pytest.mark.campaign
def test_a_copy_among_other_files_is_upgraded_alone(tmp_path: Path) -> None:
    """Its folder is no base: what looks like a session file there is somebody's."""
    folder = tmp_path / "work"
    folder.mkdir(mode=0o755)
    file = folder / "catalog.db"
    load("0004", file)
    (folder / "compose.yaml").write_text("task: mine\n")
    ended = alembic("-x", f"catalog={file}", "upgrade", "head")
    assert ended.returncode == 0, ended
    assert revision(file) == schema.HEAD
    assert (folder / "compose.yaml").read_text() == "task: mine\n"
    assert folder.stat().st_mode & 0o777 == 0o755
    assert not Layout.of_base(folder).locks.exists()


@pytest.mark.campaign
def test_a_base_of_another_name_is_one_where_it_was_opened(tmp_path: Path) -> None:
    base = tmp_path / "elsewhere"
    Checkpoints.open(base=base).close()
    file = base / "catalog.db"
    file.unlink()
    load("0001", file)
    assert alembic("-x", f"catalog={file}", "upgrade", "head").returncode == 0
    assert shell(file, "SELECT value FROM settings WHERE name = 'refs_sign'")


@pytest.mark.campaign
def test_a_link_leads_to_the_base_and_its_lock(tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    named = tmp_path / "catalog.db"
    named.symlink_to(file)
    ended = alembic("-x", f"catalog={named}", "upgrade", "head")
    assert f"{file} is at revision {schema.HEAD}" in ended.stdout
    assert Layout.of(tmp_path / "home").catalog_lock.exists()
    assert len(backups(file)) == 1
    assert {entry.name for entry in tmp_path.iterdir()} <= {"home", "catalog.db", "user"}


def newer(file: Path) -> None:
    run_sql("UPDATE alembic_version SET version_num = '9999'")(file)


def gone(file: Path) -> None:
    file.unlink()


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (newer, "upgrade the package"),
        (no_database, "move catalog.db"),
        (overwritten, "move catalog.db"),
        (cut_short, "move catalog.db"),
        (run_sql("DROP TABLE alembic_version"), "names no revision"),
        (gone, "there is no catalog"),
        (a_folder, "there is no catalog"),
    ],
)
def test_what_cannot_be_upgraded_is_refused_and_left_as_it_is(
    damage: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "home" / "checkpoints" / "catalog.db"
    Checkpoints.open(tmp_path / "home").close()
    damage(file)
    before = everything(file.parent)
    for words in (["upgrade", "head"], ["current"], ["check"], ["history", "-i"]):
        assert reason in refused("-x", f"catalog={file}", *words)
    assert everything(file.parent) == before


def test_a_home_without_a_base_is_refused(tmp_path: Path, fresh_home: Path) -> None:
    assert f"no checkpoints under {fresh_home}" in refused("upgrade", "head")
    assert not fresh_home.exists()
    missing = f"home={tmp_path / 'missing'}"
    assert "-x home=DIR" in refused("-x", missing, "upgrade", "head")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    "words",
    [["-x", "home="], ["-x", "hom=x"], ["-x", "home=x", "-x", "catalog=y"], ["-x", "catalog=a\0"]],
)
def test_what_is_named_wrongly_is_refused(words: list[str]) -> None:
    if "\0" in words[-1]:  # no process can be given one
        with pytest.raises(CommandError, match="cannot be a path"):
            command.current(Config(INI, cmd_opts=argparse.Namespace(x=words[1:])))
        return
    assert "-x home=" in refused(*words, "upgrade", "head")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("target", ["0002", "+1", "base", "nonsense", "00"])
def test_another_target_than_the_newest_is_refused(target: str, tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    reason = refused("-x", f"catalog={file}", "upgrade", target)
    assert "alembic upgrade head" in reason
    assert revision(file) == "0001"
    assert backups(file) == []


@pytest.mark.campaign
def test_a_file_in_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three processes wait at once, each for as long as an opening does."""
    monkeypatch.setenv(TIMEOUT_VARIABLE, "10")
    locked, busy = (former(tmp_path / name) for name in ("locked", "busy"))
    with closing(sqlite3.connect(busy, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with exclusive(Layout.of(tmp_path / "locked").catalog_lock, purpose="a test"):
            waiting = [
                begin("-x", f"catalog={locked}", "upgrade", "head"),
                begin("-x", f"catalog={locked}", "stamp", "0001"),
                begin("-x", f"catalog={busy}", "upgrade", "head"),
            ]
            for process in waiting:
                process.stdin.close()
            ended = [process.finish() for process in waiting]
    for one, reason in zip(ended, ["is held", "is held", "locked by another"], strict=True):
        assert one.returncode == 255
        assert reason in one.stdout
        assert "Traceback" not in one.stderr
    for file in (locked, busy):
        assert revision(file) == "0001"
        assert backups(file) == []


# --- races and kills ----------------------------------------------------------------------------


@pytest.mark.campaign
def test_upgrades_and_openings_race_safely(tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    upgrades = [begin("-x", f"catalog={file}", "upgrade", "head") for _ in range(4)]
    openings = [start(OPEN, tmp_path / "home") for _ in range(4)]
    for process in openings:
        assert process.stdout.readline() == "ready\n"
    processes = [*upgrades, *openings]
    for process in processes:
        process.stdin.close()
    for process in processes:
        ended = process.finish()
        assert ended.returncode == 0, ended
    assert revision(file) == schema.HEAD
    assert [backup.revision for backup in backups(file)] == ["0001"]
    assert integrity_problems(file) == []


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "point",
    [
        "rename",
        "CREATE TABLE restores",
        "CREATE VIEW legacy_list",
        f"UPDATE alembic_version SET version_num='{schema.HEAD}'",  # noqa: S608
        "COMMIT",
    ],
)
def test_a_plain_opening_goes_on_where_an_upgrade_was_killed(point: str, tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    killed = begin("-x", f"catalog={file}", "upgrade", "head", point=point).finish()
    assert (killed.returncode, killed.stdout) == (-9, ""), killed
    assert revision(file) == "0001"
    with Checkpoints.open(tmp_path / "home") as checkpoints:
        assert len(checkpoints.projects()) == 2
    assert revision(file) == schema.HEAD
    assert [(backup.revision, backup.complete) for backup in backups(file)] == [("0001", True)]
    assert integrity_problems(file) == []


@pytest.mark.campaign
def test_an_opening_goes_on_where_the_import_of_an_upgrade_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = made(tmp_path / "live")
    commits = all_commits(home)
    deadly = deadly_git(tmp_path / "deadly", "fast-import", after=True)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", deadly["PATH"])
        killed = alembic("-x", f"home={home}", "upgrade", "head")
    assert killed.returncode == -9, killed
    assert revision(Layout.of(home).catalog) == schema.HEAD
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)


# --- looking ------------------------------------------------------------------------------------


@pytest.mark.campaign
def test_looking_tells_and_writes_nothing(tmp_path: Path) -> None:
    file = former(tmp_path / "home", "0002")
    before = everything(tmp_path)
    named = ["-x", f"catalog={file}"]
    assert alembic(*named, "current").stdout == "0002\n"
    told = alembic(*named, "history", "-i").stdout
    assert [line for line in told.splitlines() if "0002 (current)" in line]
    assert "not up to date" in refused(*named, "check")
    assert alembic(*named, "ensure_version").returncode == 0
    assert everything(tmp_path) == before
    assert alembic(*named, "upgrade", "head").returncode == 0
    assert alembic(*named, "current").stdout == f"{schema.HEAD} (head)\n"
    assert alembic("heads").stdout == f"{schema.HEAD} (head)\n"
    assert "No new upgrade operations" in alembic(*named, "check").stdout
    run_sql("DROP INDEX ix_projects_last_touch")(file)
    assert "ix_projects_last_touch" in refused(*named, "check")


def test_an_empty_file_has_no_revision_to_show(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").touch()
    assert "alembic upgrade head" in refused("-x", f"catalog={tmp_path / 'catalog.db'}", "current")
    assert (tmp_path / "catalog.db").read_bytes() == b""


@pytest.mark.campaign
def test_a_downgrade_names_the_backup(tmp_path: Path) -> None:
    file = former(tmp_path / "home")
    named = ["-x", f"catalog={file}"]
    assert "there is no backup" in refused(*named, "downgrade", "base")
    assert alembic(*named, "upgrade", "head").returncode == 0
    for target in ("-1", "0001", "base"):
        reason = refused(*named, "downgrade", target)
        assert "restore the backup" in reason
        assert backups(file)[0].path.name in reason
    assert revision(file) == schema.HEAD


# --- stamps -------------------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_stamp_writes_what_is_true(tmp_path: Path) -> None:
    """A catalog that lost its revision, or was given another one, is as before with its stamp."""
    losses = cycle(["DELETE FROM alembic_version", "DROP TABLE alembic_version"])
    for name, loss in zip(schema.REVISIONS, losses, strict=False):
        file = former(tmp_path / name, name)
        before = rows(file)
        run_sql(loss)(file)
        assert alembic("-x", f"catalog={file}", "stamp", name).returncode == 0
        assert (revision(file), rows(file)) == (name, before)
    wrong = former(tmp_path / "wrong", "0002")
    run_sql(f"UPDATE alembic_version SET version_num = '{schema.HEAD}'")(wrong)  # noqa: S608
    assert alembic("-x", f"catalog={wrong}", "stamp", "0002").returncode == 0
    assert alembic("-x", f"catalog={wrong}", "upgrade", "head").returncode == 0
    with Checkpoints.open(tmp_path / "wrong") as checkpoints:
        assert len(checkpoints.projects()) == 2


@pytest.mark.campaign
def test_a_stamp_that_the_tables_contradict_is_refused(tmp_path: Path) -> None:
    file = former(tmp_path / "home", "0003")
    named = ["-x", f"catalog={file}"]
    for target in ("head", "0002", "0004"):
        reason = refused(*named, "stamp", target)
        assert "its tables are those of 0003; alembic upgrade head" in reason
        assert "those of 0003" in refused(*named, "stamp", "--purge", target)
    for target in ("base", "nonsense", "+1"):
        assert "one revision" in refused(*named, "stamp", target)
    run_sql("DELETE FROM alembic_version")(file)
    assert "those of revision 0003; stamp it with that" in refused(*named, "stamp", "head")
    run_sql("DROP TABLE restore_paths")(file)
    run_sql("CREATE TABLE mine (id INTEGER)")(file)
    reason = refused(*named, "stamp", "0003")
    assert "it lacks ix_restore_paths_path, restore_paths, and it has besides mine" in reason
    assert "restore a backup" in reason
    assert shell(file, "SELECT * FROM alembic_version") == []
    newest = former(tmp_path / "newer", "0003")
    newer(newest)
    assert "upgrade the package" in refused("-x", f"catalog={newest}", "stamp", "0003")
    assert revision(newest) == "9999"


# --- statements ---------------------------------------------------------------------------------


@pytest.mark.campaign
def test_the_statements_make_the_tables(tmp_path: Path, empty_catalog: Path) -> None:
    printed = alembic("upgrade", "head", "--sql")
    assert printed.returncode == 0, printed
    file = tmp_path / "printed.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(printed.stdout)
    for kind in ("table", "index", "view"):
        assert definitions(file, kind) == definitions(empty_catalog, kind)
    assert revision(file) == schema.HEAD
    assert "no lock" in printed.stderr
    assert "Revision 0005 also lists in the catalog what earlier versions left" in printed.stderr


def test_the_statements_of_a_part_make_that_part(tmp_path: Path) -> None:
    printed = alembic("upgrade", "0002:0004", "--sql")
    assert printed.returncode == 0, printed
    assert "0005" not in printed.stderr
    file = tmp_path / "printed.db"
    load("0002", file)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(printed.stdout)
    wanted = tmp_path / "wanted.db"
    load("0004", wanted)
    assert definitions(file, "view", "index") == definitions(wanted, "view", "index")
    assert revision(file) == "0004"


@pytest.mark.campaign
def test_what_a_revision_does_with_rows_is_told(tmp_path: Path) -> None:
    reading = "op.get_bind().exec_driver_sql('SELECT * FROM projects').all()"
    (found,) = statements(schema.HEAD, "9999", next_scripts(tmp_path, reading))
    assert (found.revision, found.reads) == ("9999", ["projects"])
    assert found.statements[0] == "ALTER TABLE projects ADD COLUMN note TEXT"


def test_only_the_statements_of_upgrades_are_printed() -> None:
    assert "no revision comes after 0003 up to 0002" in refused("upgrade", "0003:0002", "--sql")
    assert "FIRST:LAST" in refused("upgrade", "nonsense", "--sql")
    assert "only the statements of an upgrade" in refused("stamp", "head", "--sql")
    assert "never downgraded" in refused("downgrade", "0003:0001", "--sql")


# --- without a checkout -------------------------------------------------------------------------


@pytest.mark.campaign
def test_two_lines_are_enough_where_the_package_is_installed(tmp_path: Path) -> None:
    """An installed package is a folder below the other one, as it is made here."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "src" / "hermes_checkpoints", site / "hermes_checkpoints")
    shutil.copytree(ROOT / "migrations", site / "hermes_checkpoints" / "migrations")
    ini = tmp_path / "any.ini"
    ini.write_text(only("docs/catalog.md", "ini"))
    file = former(tmp_path / "home")
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "for name in [n for n in sys.modules if n.startswith('hermes_checkpoints')]:\n"
        "    del sys.modules[name]\n"
        "from alembic.config import main\n"
        "main(argv=sys.argv[1:])\n"
    )
    ended = run(code, site, "-c", ini, "-x", f"catalog={file}", "upgrade", "head")
    assert ended.returncode == 0, ended
    assert revision(file) == schema.HEAD


def test_the_catalog_of_a_first_opening_is_at_the_head(file: Path, lock: Path) -> None:
    Catalog.open(file, lock).close()
    assert alembic("-x", f"catalog={file}", "current").stdout == f"{schema.HEAD} (head)\n"

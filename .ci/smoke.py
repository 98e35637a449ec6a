"""Shows that the wheels alone do their job: run in an empty environment, far from the checkout.

Catalogs are created, opened again, upgraded, by Alembic too, and, from a newer version, refused;
the scripts run, `hermes` is that of the small wheel alone, and importing stays lazy.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import closing
from importlib import metadata, resources
from pathlib import Path

SCRIPTS = Path(sysconfig.get_path("scripts"))
HEAVY = ("sqlalchemy", "alembic", "yaml", "rich", "sqlite3", "subprocess", "argparse")


def run(home: Path, *command: str, expected: int = 0) -> str:
    """Run a script of the wheel and return what it printed."""
    answer = subprocess.run(
        [str(SCRIPTS / command[0]), *command[1:]],
        env={**os.environ, "HERMES_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"$ {' '.join(command)}\n{answer.stdout}{answer.stderr}")
    if answer.returncode != expected:
        sys.exit(f"expected exit code {expected}, got {answer.returncode}")
    return answer.stdout + answer.stderr


def revision(home: Path) -> str:
    """Return the revision that the catalog of ``home`` names."""
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection:
        ((found,),) = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(found)


def must(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"not so: {what}")


def check_scripts() -> None:
    """Beside the agent only the first wheel is installed: it has no program of the agent's name."""
    for name, scripts in (
        ("hermes-checkpoints", {"hermes-checkpoints", "hcp"}),
        ("hermes-checkpoints-command", {"hermes"}),
    ):
        found = metadata.distribution(name).entry_points.select(group="console_scripts")
        must({one.name for one in found} == scripts, f"the scripts of {name} are {scripts}")


def check_imports() -> None:
    statement = "import hermes_checkpoints, sys; print(hermes_checkpoints.__file__, *sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-P", "-c", statement], check=True, capture_output=True, text=True
    )
    where, *modules = answer.stdout.split()
    must(Path(where).is_relative_to(sysconfig.get_path("purelib")), f"{where} is the wheel's")
    must(not {*HEAVY} & {*modules}, f"importing loads none of {', '.join(HEAVY)}")


def check_fleet() -> None:
    """The revisions of the index are there; without its library the verb says what installs it."""
    revisions = resources.files("hermes_checkpoints.migrations.fleet") / "versions"
    must(revisions.joinpath("0001_tables.py").is_file(), "the wheel has the index of a fleet")
    with tempfile.TemporaryDirectory() as folder:
        told = run(Path(folder), "hermes-checkpoints", "fleet", "status", expected=2)
    must("hermes-checkpoints[fleet]" in told, "the verb names the extra that it needs")


def make_former(home: Path, revisions: int) -> None:
    """Make a catalog that has only the first revisions; with none it is an empty file."""
    from hermes_checkpoints.catalog import Catalog, schema
    from hermes_checkpoints.catalog.upgrading import Scripts

    path = home / "checkpoints" / "catalog.db"
    path.parent.mkdir(parents=True, mode=0o700)
    if revisions == 0:
        path.touch(mode=0o600)
        return
    scripts = Scripts(revisions=schema.REVISIONS[:revisions], expected=frozenset())
    Catalog.open(path, home / "making.lock", scripts=scripts).close()
    must(revision(home) == schema.REVISIONS[revisions - 1], "the former catalog is as wanted")


def check_catalogs(folder: Path) -> None:
    home, project = folder / "home", folder / "project"
    project.mkdir()
    (project / "file.txt").write_text("one\n", encoding="utf-8")
    run(home, "hermes-checkpoints", "take", str(project), "-m", "first")
    head = revision(home)
    must("first" in run(home, "hermes", "checkpoints", "log", str(project)), "log lists it")
    run(home, "hermes-checkpoints", "status", "--check")
    asked = run(home, "hermes-checkpoints", "sql", "--question", "space-by-project")
    must(str(project) in asked, "a question that comes with the wheel is answered")
    must(revision(home) == head, "opening a catalog keeps its revision")

    for start in (0, 1):
        former = folder / f"former-{start}"
        make_former(former, start)
        run(former, "hermes-checkpoints", "take", str(project))
        must(revision(former) == head, "a former catalog is upgraded to the head")

    ini, former = folder / "two-lines.ini", folder / "former-alembic"
    ini.write_text("[alembic]\nscript_location = hermes_checkpoints:migrations\n")
    make_former(former, 1)
    run(former, "alembic", "-c", str(ini), "upgrade", "head")
    must(revision(former) == head, "Alembic upgrades a former catalog to the head")

    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from-the-future'")
    answer = run(home, "hermes-checkpoints", "status", expected=2)
    must("upgrade the package" in answer, "a newer catalog is refused with the remedy")


def main() -> None:
    check_imports()
    check_scripts()
    check_fleet()
    with tempfile.TemporaryDirectory() as folder:
        check_catalogs(Path(folder).resolve())
        run(Path(folder) / "unused", "hermes", "checkpoints", "demo")
        must(not (Path(folder) / "unused").exists(), "demo leaves the home alone")
    print("the wheels work")


if __name__ == "__main__":
    main()

"""A database for each test, on a server that runs for all of them, and remotes to be indexed."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fleet.postgres import OWNER, PASSWORD, NoPostgres, Server, server
from hermes_checkpoints import Checkpoints
from remote.servers import bare

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server on loopback."""
    try:
        running = server()
        started = running.__enter__()
    except NoPostgres as error:
        pytest.skip(str(error))
    try:
        yield started
    finally:
        running.__exit__(None, None, None)


@dataclass(frozen=True)
class Database:
    """A database of one test: its address, and its owner's view of it."""

    server: Server
    name: str

    @property
    def url(self) -> str:
        """The address with the password of the owner."""
        return self.server.url(self.name)

    def connect(self) -> psycopg.Connection[Any]:
        """Return a connection as the owner."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.server.port,
            dbname=self.name,
            user=OWNER,
            password=PASSWORD,
            autocommit=True,
        )

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, whose times are in UTC."""
        with self.connect() as connection:
            connection.execute("SET timezone = 'UTC'")
            return connection.execute(query, values or None).fetchall()

    def do(self, *statements: str) -> None:
        """Run statements as the owner."""
        with self.connect() as connection:
            for statement in statements:
                connection.execute(statement)

    def admin(self, *statements: str) -> None:
        """Run statements as the administrator."""
        with self.server.connect(self.name) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture
def database(postgres: Server) -> Iterator[Database]:
    """A database of its own, which is empty."""
    name = f"fleet_{next(_numbers)}"
    with postgres.connect() as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
    yield Database(postgres, name)
    with postgres.connect() as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


Machine = Callable[[str], Checkpoints]


@pytest.fixture
def undo(tmp_path: Path) -> Path:
    """A remote."""
    return bare(tmp_path / "undo.git", ("uploadpack.allowFilter", "true"))


@pytest.fixture
def machine(
    tmp_path: Path, undo: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Checkpoints]]:
    """Make machines, each with a home of its own and a remote."""
    made: list[Checkpoints] = []

    def make(name: str, remote: Path = undo, **settings: Any) -> Checkpoints:
        home = tmp_path / f"home of {name}"
        home.mkdir()
        section = {"url": str(remote), **settings}
        (home / "config.yaml").write_text(json.dumps({"checkpoints": {"remote": section}}))
        monkeypatch.setenv("HERMES_MACHINE", name)
        made.append(Checkpoints.open(home))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def admin(tmp_path: Path, undo: Path, database: Database) -> Iterator[Checkpoints]:
    """The home from which the fleet is indexed: it names the remote and the index."""
    home = tmp_path / "admin"
    home.mkdir()
    told = {"remote": {"url": str(undo)}, "fleet": {"catalog": database.url}}
    (home / "config.yaml").write_text(json.dumps({"checkpoints": told}))
    with Checkpoints.open(home) as opened:
        yield opened


def take(checkpoints: Checkpoints, place: Path, *texts: str, send: bool = True) -> list[str]:
    """Take checkpoints of a directory, one for each text, and send them; return their ids."""
    place.mkdir(exist_ok=True, parents=True)
    found = []
    for text in texts:
        (place / "file.txt").write_text(text, encoding="utf-8")
        taken = checkpoints.project(place).take(text)
        found.append(taken.checkpoint.id)  # type: ignore[union-attr]
    if send:
        assert all(one.complete for one in checkpoints.push())
    return found


def shell(text: str, at: Path) -> str:
    """Return what commands of a page print in a folder."""
    done = subprocess.run(["sh", "-e", "-c", text], cwd=at, capture_output=True, check=False)
    assert done.returncode == 0, done
    return done.stdout.decode()


SAME = {
    "fleet_remotes": "SELECT url_hash, url, failures, code, error, checkpoints, malformed FROM "
    "fleet_remotes",
    "fleet_machines": "SELECT * FROM fleet_machines",
    "fleet_projects": "SELECT key, repository, subdirectory, project_hash, workdir, machines, "
    "checkpoints, bytes, oldest_at, newest_at FROM fleet_projects",
    "fleet_places": "SELECT r.url, p.key, l.machine_id, l.project_hash, l.prefix, l.machine_name, "
    "l.workdir, l.checkpoints, l.bytes, l.oldest_at, l.newest_at FROM fleet_places l "
    "JOIN fleet_remotes r ON r.id = l.remote_id JOIN fleet_projects p ON p.id = l.project_id",
    "fleet_checkpoints": "SELECT p.key, r.url, l.machine_id, l.project_hash, l.prefix, "
    "c.created_at, c.files, c.bytes, c.turn, c.commit_id, c.ref, c.kind, c.session_id, c.reason, "
    "c.partial FROM fleet_checkpoints c JOIN fleet_places l ON l.id = c.place_id "
    "JOIN fleet_remotes r ON r.id = l.remote_id JOIN fleet_projects p ON p.id = c.project_id",
}
"""All that an index says, but for the numbers of rows and the times of runs."""


def rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that an index says, in an order of its own; times as text."""
    with database.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        return {
            name: sorted(
                row[0]
                for row in connection.execute(f"SELECT (t)::text FROM ({query}) t")  # noqa: S608
            )
            for name, query in SAME.items()
        }

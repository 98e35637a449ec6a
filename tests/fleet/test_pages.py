"""docs/fleet.md does what it says: its roles, its queries, and the way to a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fleet.conftest import shell, take
from fleet.planted import cursor, plant, planted
from fleet.postgres import Server
from hermes_checkpoints import Checkpoints, FleetDenied
from hermes_checkpoints.config import load_config, load_fleet_config, load_remote_config
from pages.blocks import PAGES, blocks
from remote.servers import git
from support import Run

pytestmark = pytest.mark.campaign

PAGE = "docs/fleet.md"
SQL = [block.text for block in blocks(PAGE, "sql")]
QUERIES = [text for text in SQL if text.startswith("SELECT")]
ROLES, SCHEMA, DROP = (text for text in SQL if not text.startswith("SELECT"))


def statements(text: str) -> list[str]:
    return [one for one in text.split(";\n") if one.strip()]


@pytest.fixture
def fleet(postgres: Server) -> Iterator[Server]:
    """The server with the roles and the database of the page."""
    with postgres.connect() as connection:
        for one in statements(ROLES):
            connection.execute(one)
    with postgres.connect("fleet") as connection:
        for one in statements(SCHEMA):
            connection.execute(one)
    yield postgres
    with postgres.connect() as connection:
        connection.execute("DROP DATABASE fleet WITH (FORCE)")
        connection.execute("DROP ROLE fleet_indexer, fleet_reader")


def ask(server: Server, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query of the page, as the role that reads."""
    with psycopg.connect(
        host="127.0.0.1",
        port=server.port,
        dbname="fleet",
        user="fleet_reader",
        password="choose-another",  # noqa: S106 - of the page
        options="-c timezone=UTC",
    ) as connection:
        return connection.execute(query).fetchall()


def test_the_roles_of_the_page_can_index_and_read_and_nothing_else(
    fleet: Server, admin: Checkpoints, undo: Path
) -> None:
    plant(undo, dict([planted(1)]))
    indexer = fleet.url("fleet", "fleet_indexer", "choose-one")
    reader = fleet.url("fleet", "fleet_reader", "choose-another")
    with pytest.raises(FleetDenied) as caught:
        admin.index_fleet(catalog=reader)
    assert "choose-another" not in str(caught.value)
    [result] = admin.index_fleet(catalog=indexer)
    assert result.added == 1
    assert admin.fleet_status(catalog=reader).checkpoints == 1
    with pytest.raises(FleetDenied):
        admin.index_fleet(catalog=reader)
    for statement in ("DELETE FROM fleet_projects", "CREATE TABLE x ()", "CREATE TEMP TABLE y ()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(fleet, statement)
    with fleet.connect("fleet") as connection:
        for one in (*statements(DROP), *statements(SCHEMA)):
            connection.execute(one)
    [again] = admin.index_fleet(catalog=indexer)
    assert again.added == 1
    assert admin.fleet_status(catalog=reader).checkpoints == 1


def test_the_queries_of_the_page_answer_what_it_says(
    fleet: Server, admin: Checkpoints, undo: Path
) -> None:
    app = {"Repository": "github.com/org/app", "Subdirectory": "", "Session": "20261120_ab12"}
    now = {"Time": "2999-01-01T00:00:00+00:00"}
    plant(
        undo,
        dict(
            [
                planted(1, 1, "/home/ada/app", **app, Turn=1),
                planted(2, 2, "/srv/app", **app, Turn=2),
                planted(3, 2, "/srv/app", **app, Partial=True),
                planted(4, 3, "/workspace", Time="2026-01-01T00:00:00+00:00"),
                planted(5, 4, "/ahead", **now),
                cursor(1, "/home/ada/app", "laptop"),
            ]
        ),
    )
    admin.index_fleet(catalog=fleet.url("fleet", "fleet_indexer", "choose-one"))
    holders, stale, staler, silent, days, candidates, session = (ask(fleet, q) for q in QUERIES)
    machines = [f"{number:012x}" for number in range(5)]
    assert [(row[1], row[2], row[3]) for row in holders] == [
        (machines[2], "/srv/app", 2),
        (machines[1], "/home/ada/app", 1),
    ]
    assert holders[1][0] == "laptop"
    assert "/workspace" in [row[0] for row in stale]
    assert "/workspace" in [row[0] for row in staler]
    assert (silent[0][1], silent[0][3]) == (machines[4], True)
    assert machines[3] in [row[1] for row in silent]
    assert days[0][1:] == (1, 1)
    assert [row[1:3] for row in candidates] == [(None, "number 2"), ("laptop", "number 1")]
    assert all(row[4] == str(undo) and row[5].startswith("refs/checkpoints/") for row in candidates)
    assert [row[0] for row in session] == [1, 2, None]


def test_the_way_of_the_page_shows_a_file_of_a_candidate(
    fleet: Server,
    admin: Checkpoints,
    machine: Callable[[str], Checkpoints],
    undo: Path,
    tmp_path: Path,
) -> None:
    place = tmp_path / "app"
    take(machine("laptop"), place, "good", "bad")
    admin.index_fleet(catalog=fleet.url("fleet", "fleet_indexer", "choose-one"))
    found = ask(
        fleet,
        "SELECT remote, ref FROM fleet_checkpoint_list WHERE workdir = "  # noqa: S608
        f"'{place}' ORDER BY created_at DESC",
    )
    [block] = blocks(PAGE, "text")
    shown = []
    for number, (remote, ref) in enumerate(found):
        folder = tmp_path / f"look-{number}"
        folder.mkdir()
        text = block.text.replace("REMOTE", remote).replace("REF", ref)
        shown.append(shell(text.replace("PATH", "file.txt"), folder))
    assert shown == ["bad", "good"]
    listed = re.search(r"`(git --git-dir=look.git ls-tree .*?)`", PAGES[PAGE])
    assert listed is not None
    assert shell(listed[1], tmp_path / "look-0") == "file.txt\n"
    assert git("rev-parse", "--is-bare-repository", at=tmp_path / "look-0/look.git") == "true\n"


def test_the_command_of_the_page_prints_a_file_of_a_candidate(
    fleet: Server,
    admin: Checkpoints,
    machine: Callable[[str], Checkpoints],
    undo: Path,
    tmp_path: Path,
    run: Run,
) -> None:
    place = tmp_path / "app"
    take(machine("laptop"), place, "good", "bad")
    admin.index_fleet(catalog=fleet.url("fleet", "fleet_indexer", "choose-one"))
    found = ask(fleet, "SELECT commit_id FROM fleet_checkpoint_list ORDER BY created_at DESC")
    pull, cat = re.findall(r"`hermes checkpoints (pull --all|cat ID PATH)`", PAGES[PAGE])
    home = ("--home", str(admin.home))
    run(*home, *pull.split())
    shown = []
    for (id_,) in found:
        words = cat.replace("ID", id_[:8]).replace("PATH", "file.txt").split()
        shown.append(run(*home, *words).out)
    assert shown == ["bad", "good"]


def test_the_configuration_of_the_page_is_read(tmp_path: Path) -> None:
    [block] = blocks(PAGE, "yaml")
    file = tmp_path / "config.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert load_config(file).warnings == ()
    assert load_remote_config(file).url == "ssh://git@git.example.org/undo.git"
    found = load_fleet_config(file)
    assert found.catalog == "postgresql+psycopg://fleet_indexer@db.example.org/fleet"

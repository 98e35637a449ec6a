"""The tables of the index: revisions, comments, partitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import make_url

from fleet.conftest import Database, rows
from fleet.planted import plant, planted
from hermes_checkpoints import CatalogNewer, Checkpoints, FleetFailed
from hermes_checkpoints.fleet.server import connected
from hermes_checkpoints.fleet.upgrading import HEAD, REVISIONS, upgrade

pytestmark = pytest.mark.campaign

Make = Callable[..., Checkpoints]


def at_revision(database: Database, revision: str) -> None:
    address = make_url(database.url)
    with connected(address) as connection:
        upgrade(connection, address, revision)


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_an_index_of_an_earlier_revision_is_upgraded_by_the_next_run(
    admin: Checkpoints, database: Database, undo: Path, revision: str
) -> None:
    plant(undo, dict([planted(1)]))
    at_revision(database, revision)
    with pytest.raises(FleetFailed, match=f"earlier revision \\({revision}\\)"):
        admin.fleet_status()
    assert admin.index_fleet()[0].added == 1
    assert database.ask("SELECT version_num FROM fleet_revision") == [(HEAD,)]
    assert admin.fleet_status().checkpoints == 1


def test_an_index_of_a_newer_revision_is_refused_and_left_alone(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    plant(undo, dict([planted(1)]))
    admin.index_fleet()
    known = rows(database)
    database.do("UPDATE fleet_revision SET version_num = '9999'")
    remove = planted(2)
    plant(undo, dict([remove]))
    for call in (admin.index_fleet, admin.fleet_status):
        with pytest.raises(CatalogNewer, match="revision 9999"):
            call()
    assert rows(database) == known


def test_an_index_that_names_no_revision_is_refused(admin: Checkpoints, database: Database) -> None:
    admin.index_fleet()
    database.do("DELETE FROM fleet_revision")
    for call in (admin.index_fleet, admin.fleet_status):
        with pytest.raises(FleetFailed, match="names no revision"):
            call()


def test_without_an_index_the_status_says_what_makes_it(
    admin: Checkpoints, database: Database
) -> None:
    with pytest.raises(FleetFailed, match="there is no index") as caught:
        admin.fleet_status()
    assert caught.value.hint == "hermes checkpoints fleet index"
    assert database.ask("SELECT to_regclass('fleet_revision')") == [(None,)]


def test_every_table_and_column_and_view_has_a_comment(
    admin: Checkpoints, database: Database
) -> None:
    admin.index_fleet()
    lacking = database.ask(
        "SELECT c.relname FROM pg_class c WHERE c.relname LIKE 'fleet%%' AND NOT c.relispartition "
        "AND c.relkind IN ('r', 'p', 'v') AND c.relnamespace = 'public'::regnamespace "
        "AND obj_description(c.oid, 'pg_class') IS NULL"
    )
    assert lacking == []
    columns = database.ask(
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.relname LIKE 'fleet%%' AND NOT c.relispartition AND c.relkind IN ('r', 'p') "
        "AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped "
        "AND c.relname <> 'fleet_revision' AND col_description(c.oid, a.attnum) IS NULL"
    )
    assert columns == []


def test_checkpoints_are_in_64_partitions_and_a_project_is_in_one(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    plant(undo, dict(planted(n, n % 3, f"/w/{n % 20}") for n in range(60)))
    admin.index_fleet()
    [(partitions,)] = database.ask(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'fleet_checkpoints'::regclass"
    )
    assert partitions == 64
    spread = database.ask(
        "SELECT project_id, count(DISTINCT tableoid) FROM fleet_checkpoints GROUP BY 1"
    )
    assert {count for _, count in spread} == {1}
    assert len(database.ask("SELECT DISTINCT tableoid FROM fleet_checkpoints")) > 5


def test_two_indexes_in_two_schemas_of_one_database_are_apart(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    plant(undo, dict([planted(1)]))
    admin.index_fleet()
    database.do("CREATE SCHEMA other")
    other = f"{database.url}?options=-csearch_path%3Dother"
    assert admin.index_fleet(catalog=other)[0].added == 1
    assert admin.index_fleet()[0].added == 0
    database.do("DROP SCHEMA other CASCADE")
    assert admin.fleet_status().checkpoints == 1


def test_after_many_rows_the_server_knows_what_is_in_the_divided_table(
    admin: Checkpoints, database: Database, undo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = "SELECT count(*) FROM pg_stats WHERE tablename = 'fleet_checkpoints'"
    plant(undo, dict(planted(n) for n in range(9)))
    admin.index_fleet()
    assert database.ask(known) == [(0,)]
    monkeypatch.setattr("hermes_checkpoints.fleet.rows.MANY", 5)
    plant(undo, dict(planted(n) for n in range(9, 14)))
    admin.index_fleet()
    assert database.ask(known) != [(0,)]

"""What goes wrong with PostgreSQL is an error of ours, with its words and without the password."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet.conftest import Database, rows
from fleet.planted import plant, planted
from fleet.postgres import PASSWORD, Server
from hermes_checkpoints import (
    CatalogBusy,
    CheckpointError,
    Checkpoints,
    FleetDenied,
    FleetFailed,
    FleetUnreachable,
    NoSpace,
)
from hermes_checkpoints.fleet import server

pytestmark = pytest.mark.campaign

WRONG = "not-the-password"


def refuses(database: Database, state: str, words: str = "as you wanted") -> None:
    """Let the server fail with a SQLSTATE when rows are written."""
    body = f"RAISE EXCEPTION '{words}' USING ERRCODE = '{state}'"
    _trigger(database, body)


def _trigger(database: Database, body: str) -> None:
    database.do(
        f"CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; END $$",
        "CREATE TRIGGER fail BEFORE INSERT ON fleet_places EXECUTE FUNCTION fail()",
    )


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", NoSpace),
        ("55P03", CatalogBusy),
        ("40P01", CatalogBusy),
        ("57014", CatalogBusy),
        ("42501", FleetDenied),
        ("53300", FleetUnreachable),
        ("42P01", FleetFailed),
        ("XX001", FleetFailed),
    ],
)
def test_what_the_server_says_is_an_error_of_ours_and_nothing_is_changed(
    admin: Checkpoints, database: Database, undo: Path, state: str, kind: type[CheckpointError]
) -> None:
    plant(undo, dict([planted(1)]))
    admin.index_fleet()
    known = rows(database)
    refuses(database, state, f"said {PASSWORD} aloud")
    plant(undo, dict([planted(2)]))
    with pytest.raises(kind) as caught:
        admin.index_fleet()
    assert type(caught.value) is kind
    assert "aloud" in str(caught.value)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__cause__ is None
    assert rows(database) == known
    database.do("DROP TRIGGER fail ON fleet_places")
    assert admin.index_fleet()[0].added == 1


def test_a_session_that_the_server_ends_is_one_that_gives_no_answer(
    admin: Checkpoints, database: Database, undo: Path
) -> None:
    admin.index_fleet()
    database.admin("GRANT pg_signal_backend TO owner")
    _trigger(database, "PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL")
    plant(undo, dict([planted(1)]))
    with pytest.raises(FleetUnreachable):
        admin.index_fleet()
    database.do("DROP TRIGGER fail ON fleet_places")
    assert admin.index_fleet()[0].added == 1


def test_a_lock_of_somebody_else_is_waited_for_and_then_told(
    admin: Checkpoints, database: Database, undo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.index_fleet()
    plant(undo, dict([planted(1)]))
    monkeypatch.setattr(server, "_SETTINGS", (*server._SETTINGS, "SET lock_timeout = '50ms'"))
    with database.connect() as other, other.transaction():
        other.execute("LOCK TABLE fleet_projects")
        with pytest.raises(CatalogBusy, match="nothing was changed: try again"):
            admin.index_fleet()
    assert admin.index_fleet()[0].added == 1


def test_who_is_not_let_in_is_told_without_the_password(
    admin: Checkpoints, database: Database, postgres: Server
) -> None:
    for url in (
        postgres.url(database.name, password=WRONG),
        postgres.url(database.name, "nobody-of-ours", WRONG),
        postgres.url("no_such_database"),
        postgres.url(database.name, password=None),
        f"{postgres.url(database.name, password=None)}?password={WRONG}",
    ):
        for call in (admin.index_fleet, admin.fleet_status):
            with pytest.raises(FleetDenied) as caught:
                call(catalog=url)
            assert not {WRONG, PASSWORD} & {*str(caught.value).replace("'", " ").split()}
            assert WRONG not in repr(caught.value.__context__)


def test_a_server_that_is_not_there_is_told(admin: Checkpoints) -> None:
    for url in (
        f"postgresql://me:{WRONG}@127.0.0.1:1/fleet",
        "postgresql:///fleet?host=/nowhere",
    ):
        with pytest.raises(FleetUnreachable) as caught:
            admin.fleet_status(catalog=url)
        assert WRONG not in str(caught.value)


def test_an_option_that_libpq_does_not_know_is_told(admin: Checkpoints, database: Database) -> None:
    with pytest.raises(FleetFailed, match="correct its address") as caught:
        admin.index_fleet(catalog=f"{database.url}?nonsense=1")
    assert type(caught.value) is FleetFailed
    assert PASSWORD not in str(caught.value)


def test_a_database_that_cannot_hold_every_text_is_refused(
    admin: Checkpoints, postgres: Server
) -> None:
    with postgres.connect() as connection:
        connection.execute(
            "CREATE DATABASE plain OWNER owner TEMPLATE template0 ENCODING 'SQL_ASCII' "
            "LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    try:
        with pytest.raises(FleetFailed, match="has the encoding SQL_ASCII"):
            admin.index_fleet(catalog=postgres.url("plain"))
    finally:
        with postgres.connect() as connection:
            connection.execute("DROP DATABASE plain WITH (FORCE)")


def test_a_user_without_a_schema_or_a_right_is_told(admin: Checkpoints, database: Database) -> None:
    url = f"{database.url}?options=-csearch_path%3Dnowhere"
    with pytest.raises(FleetDenied, match="has no schema"):
        admin.index_fleet(catalog=url)
    database.admin("REVOKE CREATE ON SCHEMA public FROM PUBLIC, owner")
    database.admin("ALTER SCHEMA public OWNER TO admin")
    with pytest.raises(FleetDenied, match="permission denied"):
        admin.index_fleet()
    with pytest.raises(FleetFailed, match="there is no index"):
        admin.fleet_status()


def test_tables_that_somebody_changed_are_told_with_the_remedy(
    admin: Checkpoints, database: Database
) -> None:
    admin.index_fleet()
    database.do("DROP VIEW fleet_stale", "ALTER TABLE fleet_projects RENAME newest_at TO other")
    with pytest.raises(FleetFailed, match=r"drop its tables, as docs/fleet\.md says"):
        admin.fleet_status()


def test_a_read_only_server_changes_nothing(admin: Checkpoints, database: Database) -> None:
    admin.index_fleet()
    url = f"{database.url}?options=-cdefault_transaction_read_only%3Don"
    with pytest.raises(FleetFailed, match="read-only"):
        admin.index_fleet(catalog=url)
    assert admin.fleet_status(catalog=url).remotes == 1

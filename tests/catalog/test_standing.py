"""What is asked of a catalog before each use says what its tables say."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog.records import Maker
from hermes_checkpoints.catalog import Catalog, form, sqlite
from hermes_checkpoints.catalog.form import Form, Left
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.errors import CatalogDamaged, CatalogNewer
from hermes_checkpoints.model import JournalEntry, LegacyLayout, OperationKind, OperationOutcome

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_quiet_catalog_has_nothing_left(catalog: Catalog) -> None:
    assert catalog.standing.left() == Left(False, False, False, None)
    catalog.settings.set(REFS_SIGN, "a sign", NOW)
    assert catalog.standing.left() == Left(False, False, False, "a sign")


def test_an_operation_that_runs_is_left(catalog: Catalog) -> None:
    entry = JournalEntry(OperationKind.TAKE, NOW, "/work")
    done = replace(entry, outcome=OperationOutcome.DONE)
    begun = catalog.operations.begin(entry)
    assert bool(catalog.operations.running()) is catalog.standing.left().running is True
    catalog.operations.finish(begun, done, now=NOW)
    assert bool(catalog.operations.running()) is catalog.standing.left().running is False


def test_history_that_is_not_imported_is_left(catalog: Catalog) -> None:
    catalog.archives.add(
        "store", "store", LegacyLayout.V2, project_hash=None, working_dir=None, now=NOW
    )
    assert bool(catalog.archives.pending()) is catalog.standing.left().importing is True


def test_history_of_elsewhere_is_not_left(catalog: Catalog) -> None:
    """It is imported when somebody asks for it; an opening passes it over."""
    catalog.archives.add(
        "/old/s.yaml", "s.yaml", LegacyLayout.SESSION_FILE,
        project_hash=None, working_dir=None, now=NOW,
    )  # fmt: skip
    assert catalog.archives.pending()
    assert catalog.standing.left().importing is False


def test_checkpoints_that_are_marked_are_left(catalog: Catalog, make: Maker) -> None:
    checkpoint = make.checkpoint(make.project())
    assert catalog.standing.left().pruning is False
    catalog.checkpoints.mark_pruning({checkpoint._row: "age"}, NOW)
    assert bool(catalog.checkpoints.pruning()) is catalog.standing.left().pruning is True
    catalog.checkpoints.mark_pruned([checkpoint._row])
    assert bool(catalog.checkpoints.pruning()) is catalog.standing.left().pruning is False


def test_what_is_left_is_found_by_indexes_alone(catalog: Catalog) -> None:
    with contextlib.closing(sqlite3.connect(catalog.path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {form._LEFT}", ("",)).fetchall()
    reads = [row[3] for row in plan if row[3].startswith(("SCAN", "SEARCH"))]
    scans = [one for one in reads if one.startswith("SCAN") and one != "SCAN CONSTANT ROW"]
    assert scans == ["SCAN legacy_archives"], "which has a row for each project of version 2"


def test_any_change_of_the_tables_is_another_form(catalog: Catalog) -> None:
    known = catalog.standing.proven_form()
    assert catalog.standing.form() == known
    catalog.settings.set("a", "b", NOW)
    assert catalog.standing.form() == known, "rows are no form"
    with contextlib.closing(sqlite3.connect(catalog.path)) as connection:
        connection.execute("CREATE INDEX noted ON settings (value)")
    assert catalog.standing.form() == Form(known.version + 1, known.revision)


def test_only_a_form_that_this_program_knows_is_proven(catalog: Catalog) -> None:
    with contextlib.closing(sqlite3.connect(catalog.path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON settings BEGIN SELECT 1; END")
        with pytest.raises(CatalogDamaged, match="trigger"):
            catalog.standing.proven_form()
        connection.execute("DROP TRIGGER t")
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(CatalogNewer):
        catalog.standing.proven_form()


@pytest.mark.parametrize(("durable", "mode"), [(True, 2), (False, 1)])
def test_a_transaction_that_need_not_be_durable_does_not_wait_for_the_disk(
    catalog: Catalog, durable: bool, mode: int
) -> None:
    def waits() -> int:
        with catalog._transactions.reading() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            return int(driver.execute("PRAGMA synchronous").fetchone()[0])

    with catalog._transactions.writing(durable=durable) as connection:
        found = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
    assert (found, waits()) == (mode, 2), "and the next one of the connection does"


def test_without_a_log_every_transaction_waits_for_the_disk(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "x", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
        connection.execute("PRAGMA synchronous = FULL")
        sqlite.flush_later(connection)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)

"""What SQLite and the system refuse arrives as this package's errors, with a remedy."""

from __future__ import annotations

import errno
import sqlite3
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from catalog.records import Maker, added, integrity_problems
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.catalog.failures import of_system, translated
from hermes_checkpoints.errors import (
    BaseUnwritable,
    CatalogDamaged,
    CheckpointError,
    NoSpace,
)


def test_writers_of_many_threads_lose_nothing(catalog: Catalog) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            make = Maker(catalog)
            for turn in range(20):
                project = make.project(f"/srv/{number}/{turn}")
                make.checkpoint(project, changes=[added("a")])
        except CheckpointError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert catalog.status.totals()[1] == 160


def test_a_full_disk_is_told_and_loses_nothing(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    # The pool's one idle connection is the one that writes next.
    with catalog._transactions.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(NoSpace, match="free some"):
        make.checkpoint(project, changes=[added(f"file {number}") for number in range(2000)])
    assert catalog.checkpoints.last(project.hash) is None
    assert integrity_problems(catalog.path) == []


@pytest.mark.parametrize("replaced", [False, True], ids=["moved away", "replaced"])
def test_a_catalog_that_went_while_open_is_told_by_all_who_use_it(
    catalog: Catalog, replaced: bool
) -> None:
    """As by a clear: nobody is told to make writable what is not there, and nothing of the file
    that came after it is read."""
    catalog.path.rename(catalog.path.with_name("cleared"))
    if replaced:
        Catalog.open(catalog.path, catalog.path.with_name("another.lock")).close()
    for use in (catalog.write_back, lambda: catalog.capped_bytes, catalog.projects.all):
        with pytest.raises(CatalogDamaged, match="was moved away or replaced while in use"):
            use()


def test_a_catalog_damaged_while_open_is_told(catalog: Catalog, make: Maker) -> None:
    project = make.project()
    make.checkpoint(project, changes=[added(f"file {number}") for number in range(200)])
    catalog.close()
    with catalog.path.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * 4096 * 10)
    with (
        Catalog(Transactions(catalog.path)) as again,
        pytest.raises(CatalogDamaged, match=r"move catalog\.db"),
    ):
        again.projects.all()


def test_a_table_dropped_while_open_is_damage(catalog: Catalog) -> None:
    with closing(sqlite3.connect(catalog.path)) as other:
        other.execute("DROP TABLE settings")
    with pytest.raises(CatalogDamaged, match="no such table"):
        catalog.settings.get("x")


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, NoSpace),
        (errno.EDQUOT, NoSpace),
        (errno.EROFS, BaseUnwritable),
        (errno.EACCES, BaseUnwritable),
    ],
)
def test_errors_of_the_system_are_told(number: int, kind: type[Exception]) -> None:
    assert isinstance(of_system(OSError(number, "reason"), Path("/x/catalog.db")), kind)


def test_a_statement_that_is_wrong_is_no_damage(catalog: Catalog) -> None:
    with pytest.raises(CheckpointError) as caught, translated(catalog.path):
        raise sqlite3.OperationalError("near 'x': syntax error")
    assert type(caught.value) is CheckpointError


def test_a_time_without_a_zone_is_told(catalog: Catalog) -> None:
    with pytest.raises(CheckpointError, match="aware"):
        catalog.settings.set("a", "b", datetime(2026, 1, 1))  # noqa: DTZ001

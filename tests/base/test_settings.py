"""The settings in force lie in the catalog, under the keys of the configuration."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hermes_checkpoints import CheckpointManager, Checkpoints, Config
from hermes_checkpoints.base import measures
from hermes_checkpoints.catalog.keys import MEASURED
from hermes_checkpoints.catalog.packing import packing_of
from hermes_checkpoints.config import RETENTION_KEYS, load_config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.retention.delete import policy_of


def stored(home: Path) -> dict[str, str]:
    """The settings as an administrator reads them."""
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection:
        return dict(connection.execute("SELECT name, value FROM settings"))


def configure(home: Path, text: str) -> None:
    (home / "config.yaml").write_text(f"checkpoints: {{{text}}}\n")


@contextmanager
def of_settings() -> Iterator[list[str]]:
    """Collect the statements on the table of settings."""
    found: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "settings" in statement:
            found.append(statement.split(maxsplit=1)[0])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def test_an_opening_writes_down_what_the_file_says(home: Path) -> None:
    Checkpoints.open(home).close()
    assert stored(home).items() >= Config().settings().items()
    configure(home, "retention_days: 30, delete_orphans: false, keep_within: 2W, max_snapshots: 0")
    Checkpoints.open(home).close()
    assert stored(home).items() >= {
        ("retention_days", "30"),
        ("delete_orphans", "false"),
        ("keep_within", "2w"),
        ("max_snapshots", "0"),
        ("max_total_size_mb", "500"),
    }
    configure(home, "")
    Checkpoints.open(home).close()
    assert stored(home).items() >= Config().settings().items()


def test_an_opening_that_changes_nothing_reads_once(home: Path) -> None:
    Checkpoints.open(home).close()
    with of_settings() as statements, Checkpoints.open(home):
        pass
    assert "SELECT" in statements
    assert set(statements) == {"SELECT"}
    configure(home, "keep_last: 3, keep_daily: 7")
    with of_settings() as statements, Checkpoints.open(home):
        pass
    assert [word for word in statements if word != "SELECT"] == ["DELETE", "INSERT"]


def test_of_a_wrong_value_the_default_is_in_force(home: Path) -> None:
    configure(home, "retention_days: soon, keep_within: 99999999999w, keep_last: -1, trigger: 7")
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.config.warnings
        assert checkpoints.status().settings == Config().settings()
    assert stored(home).items() >= Config().settings().items()


def test_what_no_calendar_can_hold_is_bounded(home: Path) -> None:
    huge = 10**30
    configure(home, f"retention_days: {huge}, max_snapshots: {huge}, keep_within: 999999w")
    with Checkpoints.open(home) as checkpoints:
        policy = checkpoints.policy
    assert (policy.retention_days, policy.max_snapshots) == (36_500, 10**9)
    assert policy.keep.within.days == 36_500
    assert stored(home).items() >= {
        ("retention_days", "36500"),
        ("max_snapshots", "1000000000"),
        ("keep_within", "36500d"),
    }


def test_what_a_caller_gives_holds_for_that_process_and_is_not_written(
    home: Path, project: Path
) -> None:
    configure(home, "retention_days: 30, max_snapshots: 9")
    config = Config(retention_days=2, max_snapshots=3)
    with Checkpoints.open(home, config=config) as checkpoints:
        assert checkpoints.policy == policy_of(config)
        assert checkpoints.status().settings["retention_days"] == "2"
        assert stored(home)["retention_days"] == "30"
    manager = CheckpointManager(enabled=True, max_snapshots=2, max_total_size_mb=1)
    assert manager.ensure_checkpoint(str(project))
    assert stored(home).items() >= {("max_snapshots", "9"), ("max_total_size_mb", "500")}


def test_a_manager_writes_down_what_the_file_says(home: Path, project: Path) -> None:
    configure(home, "max_snapshots: 4")
    assert CheckpointManager(enabled=True).ensure_checkpoint(str(project))
    assert stored(home)["max_snapshots"] == "4"


def test_a_base_that_another_writes_to_is_opened_all_the_same(home: Path) -> None:
    Checkpoints.open(home).close()
    configure(home, "retention_days: 30")
    with closing(
        sqlite3.connect(home / "checkpoints" / "catalog.db", isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        with Checkpoints.open(home) as checkpoints:
            assert checkpoints.policy.retention_days == 30
            catalog = checkpoints._base.catalog
            with catalog._transactions.reading() as connection:  # waits as long as ever again
                wait = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        assert wait == 10_000
        assert stored(home)["retention_days"] == "7"
        other.execute("ROLLBACK")
    Checkpoints.open(home).close()
    assert stored(home)["retention_days"] == "30"


def test_a_damaged_table_of_settings_is_not_hidden(home: Path) -> None:
    Checkpoints.open(home).close()
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute("ALTER TABLE settings RENAME COLUMN value TO worth")
    with pytest.raises(CheckpointError):
        Checkpoints.open(home)


def test_names_of_settings_and_of_other_facts_differ() -> None:
    facts = {MEASURED, *packing_of(0, 0, 0), measures.ARCHIVES, measures.CAP_TRIED}
    facts |= {measures.LAST_PRUNE, "refs_sign", "refs_mended", "refs_not_compared", "legacy_folder"}
    assert facts.isdisjoint(RETENTION_KEYS)


def test_every_key_of_retention_is_a_setting(home: Path) -> None:
    assert set(RETENTION_KEYS) == {
        name
        for name in Config.__dataclass_fields__
        if name.startswith(("keep_", "max_s", "max_total", "retention", "min_interval"))
        or "orphan" in name
        or "prune" in name
    }


def test_the_policy_is_made_of_the_settings(home: Path) -> None:
    configure(home, "keep_daily: 7, keep_within: 36h, orphan_grace_days: 2, max_total_size_mb: 3")
    with Checkpoints.open(home) as checkpoints:
        written = Config(
            keep_daily=int(stored(home)["keep_daily"]),
            keep_within=stored(home)["keep_within"],
            orphan_grace_days=int(stored(home)["orphan_grace_days"]),
            max_total_size_mb=int(stored(home)["max_total_size_mb"]),
        )
        assert (
            checkpoints.policy == policy_of(written) == policy_of(load_config(home / "config.yaml"))
        )

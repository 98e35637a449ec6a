"""Brings a catalog file to the expected revision before anything else uses it.

However many processes open it at once, and wherever one of them is killed, the file holds
either all tables of a revision or those of the one before: an upgrade is one transaction under
one lock. A catalog that needs nothing is opened without the lock and without Alembic.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources.abc import Traversable
from os import W_OK, access
from pathlib import Path

from hermes_checkpoints.catalog import schema, sqlite
from hermes_checkpoints.catalog.engine import BEGIN_OPTION, make_engine
from hermes_checkpoints.catalog.failures import damaged, translated, unwritable
from hermes_checkpoints.errors import CatalogDamaged, CatalogNewer, LockHeld
from hermes_checkpoints.locks import exclusive

_ALEMBIC = threading.Lock()  # Alembic keeps the running upgrade in a module


@dataclass(frozen=True)
class Scripts:
    """The revisions to which a catalog can be upgraded, oldest first, and where they lie.

    ``expected`` are the tables and views of the newest one.
    """

    revisions: tuple[str, ...] = schema.REVISIONS
    expected: frozenset[str] = schema.EXPECTED
    folder: Path | None = None

    @property
    def head(self) -> str:
        return self.revisions[-1]

    @contextlib.contextmanager
    def location(self) -> Iterator[Path]:
        if self.folder is not None:
            yield self.folder
            return
        packaged: Traversable = importlib.resources.files("hermes_checkpoints.migrations")
        with importlib.resources.as_file(packaged) as folder:
            yield folder


def prepare(
    path: Path, lock: Path, *, scripts: Scripts, busy_timeout: float = sqlite.BUSY_TIMEOUT
) -> bool:
    """Create or upgrade the catalog at ``path`` as needed; return whether its tables are new.

    Raises:
        CatalogNewer: when a newer version of this package wrote it.
        CatalogDamaged: when it is no catalog, or lacks a table.
        CatalogBusy, LockHeld: when another process keeps it locked for too long.
        BaseUnwritable, NoSpace: when it cannot be written.
    """
    with translated(path):
        sqlite.create_private(path)
        if not stat.S_ISREG(path.stat().st_mode):
            raise damaged(path, "it is not a regular file")
        if not (access(path, W_OK) and access(path.parent, W_OK)):
            raise unwritable(path, "permission denied")
        with closing(sqlite.connect(path, busy_timeout=busy_timeout)) as connection:
            contents = sqlite.inspect(connection)
            current = _is_current(contents, path, scripts)
            if current and contents.journal_mode == sqlite.wanted_journal_mode(path):
                return False
            try:
                with exclusive(lock, purpose="preparing the catalog"):
                    return _prepare_locked(connection, path, scripts, busy_timeout)
            except LockHeld:
                if current:
                    return False  # only the journal mode is not as wanted; it works as it is
                raise


def _prepare_locked(
    connection: sqlite3.Connection, path: Path, scripts: Scripts, busy_timeout: float
) -> bool:
    sqlite.switch_journal_mode(connection, path)
    contents = sqlite.inspect(connection)
    if _is_current(contents, path, scripts):
        return False
    _upgrade(path, contents, scripts, busy_timeout)
    if not _is_current(sqlite.inspect(connection), path, scripts):
        raise damaged(path, f"it did not reach revision {scripts.head}")
    return contents.revision is None


def _is_current(contents: sqlite.Contents, path: Path, scripts: Scripts) -> bool:
    """Return False when an upgrade is needed; raise when none can help."""
    if contents.revision is None:
        foreign = contents.names - {sqlite.REVISION_TABLE}
        if foreign:
            raise damaged(path, f"it holds {min(foreign)} but names no revision")
        return False
    if contents.revision not in scripts.revisions:
        raise CatalogNewer(
            f"the catalog {path} has revision {contents.revision}, but this version knows "
            f"revisions up to {scripts.head}; upgrade the package hermes-checkpoints"
        )
    if contents.revision != scripts.head:
        return False
    missing = scripts.expected - contents.names
    if missing:
        raise damaged(path, f"it lacks {', '.join(sorted(missing))}")
    return True


def _upgrade(path: Path, contents: sqlite.Contents, scripts: Scripts, busy_timeout: float) -> None:
    """Run the missing revisions in one transaction, after a backup of a catalog with rows."""
    from alembic import command
    from alembic.config import Config

    engine = make_engine(path, busy_timeout=busy_timeout, foreign_keys=False, pooled=False)
    engine = engine.execution_options(**{BEGIN_OPTION: sqlite.BEGIN_WRITE})
    with _ALEMBIC, scripts.location() as folder, engine.begin() as connection:
        if contents.revision is not None:
            sqlite.back_up(path, backup_path(path, contents.revision), busy_timeout=busy_timeout)
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, scripts.head)
        driver = connection.connection.driver_connection
        problems = sqlite.broken_references(driver) if driver is not None else []
        if problems:
            raise CatalogDamaged(
                f"the catalog {path} was not upgraded to revision {scripts.head}, because "
                f"{'; '.join(problems)}; it is unchanged"
            )


def backup_path(path: Path, revision: str) -> Path:
    """Return a new name beside ``path`` for a backup of this revision."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return path.with_name(f"{path.name}.backup-{revision}-{stamp}")

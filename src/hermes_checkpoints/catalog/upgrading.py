"""Runs Alembic on a catalog in one transaction, so that a revision is there whole or not at all.

Only this module imports Alembic, and only when it has something to do. The caller holds the
file lock.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.catalog import schema, sqlite
from hermes_checkpoints.catalog.backups import backup_path
from hermes_checkpoints.catalog.engine import BEGIN_OPTION, driver_of, make_engine
from hermes_checkpoints.catalog.failures import remedy
from hermes_checkpoints.errors import CatalogDamaged, CheckpointError
from hermes_checkpoints.fs import forks

PACKAGE = "hermes_checkpoints.migrations"


@dataclass(frozen=True)
class Scripts:
    """The revisions to which a catalog can be upgraded, oldest first, and where they lie.

    ``expected`` are the tables and views of the newest one. A new catalog is made of the tables
    themselves where ``from_tables`` says so and they are of the newest one; else by all revisions.
    """

    revisions: tuple[str, ...] = schema.REVISIONS
    expected: frozenset[str] = schema.EXPECTED
    folder: Path | None = None
    from_tables: bool = True

    @property
    def head(self) -> str:
        return self.revisions[-1]

    @property
    def make_tables(self) -> bool:
        """Whether a new catalog can be made without running revisions."""
        return self.from_tables and self.folder is None and self.head == schema.HEAD

    @contextlib.contextmanager
    def location(self) -> Iterator[Path]:
        if self.folder is not None:
            yield self.folder
            return
        with importlib.resources.as_file(importlib.resources.files(PACKAGE)) as folder:
            yield folder


class _OneAtATime:
    """Alembic keeps the running upgrade in a module, so threads take turns."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        forks.at_fork(in_child=self._renew)  # a thread that a child lacks may hold the lock

    def _renew(self) -> None:
        self.lock = threading.Lock()


_turn = _OneAtATime()


def upgrade(
    path: Path,
    revision: str | None,
    scripts: Scripts,
    *,
    busy_timeout: float = sqlite.BUSY_TIMEOUT,
    documents: Sequence[Mapping[str, object]] = (),
) -> None:
    """Bring the catalog from ``revision`` (None: no tables yet) to the newest one.

    ``documents`` are what earlier versions left beside it, read before, for the revision that
    enters that.
    A catalog that has a revision is copied first, to ``backup_path``; where the upgrade fails
    the catalog is unchanged and the copy goes.

    Raises:
        CatalogDamaged: when rows would refer to rows that do not exist, and did not before.
        CheckpointError: when the revisions are not installed or one of them fails.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    backup = None if revision is None else backup_path(path, revision)
    engine = make_engine(path, busy_timeout=busy_timeout, foreign_keys=False)
    engine = engine.execution_options(**{BEGIN_OPTION: sqlite.BEGIN_WRITE})
    try:
        with _turn.lock, scripts.location() as folder, engine.begin() as connection:
            if backup is not None:
                sqlite.back_up(path, backup, busy_timeout=busy_timeout)
            config = Config()
            config.set_main_option("script_location", str(folder).replace("%", "%%"))
            config.attributes["connection"] = connection
            config.attributes["documents"] = [*documents]
            command.upgrade(config, scripts.head)
            driver = driver_of(connection)
            problems = _newly_broken(driver, backup)
            if problems:
                raise CatalogDamaged(
                    f"the catalog {path} cannot be upgraded to revision {scripts.head}: "
                    f"{'; '.join(problems)}; it is unchanged. Use the version of this package "
                    f"that last used it, and report this; or {remedy(path)}"
                )
    except BaseException as error:
        if backup is not None:
            backup.unlink(missing_ok=True)
        if isinstance(error, CommandError | ModuleNotFoundError):
            raise CheckpointError(
                f"the catalog {path} cannot be brought to revision {scripts.head} ({error}); "
                "install the package hermes-checkpoints again"
            ) from error
        raise


def _newly_broken(upgraded: sqlite3.Connection, backup: Path | None) -> list[str]:
    """Return which references an upgrade broke; those that its backup has were broken before."""
    broken = sqlite.broken_references(upgraded)
    if broken and backup is not None:
        with closing(sqlite.connect(backup)) as before:
            broken -= sqlite.broken_references(before)
    return sorted(f"{table} refers to missing rows of {of}" for table, of in broken)

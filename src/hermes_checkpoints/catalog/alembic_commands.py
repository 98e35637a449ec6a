"""What Alembic's command line may do besides upgrading a catalog: look, stamp, print statements.

An upgrade is an opening, and nothing else (``opening.prepare``). A look can write nothing. A
stamp is written only where it is true: the tables tell of which revisions they can be. The
statements of a revision are those that it sends: it runs on a catalog that is made for it.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.pool import Pool

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.engine import BEGIN_OPTION, driver_of, make_engine
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.opening import is_current, prepare, require_known
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.fs.locks import exclusive

Definitions = Mapping[str, list[str]]
"""The words of the SQL that made each table, view, index and trigger, in alphabetic order."""


def contents(path: Path) -> sqlite.Contents:
    """Return what the catalog at ``path`` holds.

    Raises:
        BadRequest: when there is no such file.
        CatalogDamaged, CatalogBusy, BaseUnwritable: when it cannot be read.
    """
    with translated(path):
        if not path.is_file():
            raise BadRequest(f"there is no catalog {path}")
        with closing(sqlite.connect(path)) as connection:
            return sqlite.inspect(connection)


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Yield a connection to the catalog at ``path`` that can write nothing.

    Raises:
        BadRequest: when there is no such file, or it is empty.
        CatalogNewer, CatalogDamaged: as at an opening.
        CatalogBusy, BaseUnwritable: when it cannot be read.
    """
    found = contents(path)
    is_current(found, path, Scripts())
    if found.revision is None:
        raise BadRequest(f"{path} has no revision yet; alembic upgrade head makes its tables")
    with translated(path), make_engine(path).connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
        yield connection


@contextmanager
def stamping(
    path: Path, lock: Path, revision: str, known: Mapping[str, Definitions]
) -> Iterator[Connection]:
    """Yield a connection in whose transaction ``revision`` can be written as the one of the
    catalog at ``path``. ``known`` is what ``definitions_of_revisions`` returns.

    Raises:
        BadRequest: when the tables are those of other revisions or of none, or of the revision
            that the catalog names already; when there is no such file.
        CatalogNewer: when a newer version of this package wrote it.
        CatalogBusy, LockHeld: when another process keeps it locked for too long.
        CatalogDamaged, BaseUnwritable, NoSpace: when it cannot be read or written.
    """
    contents(path)
    with translated(path), exclusive(lock, purpose="stamping the catalog", timeout=git_timeout()):
        engine = make_engine(path)
        with engine.execution_options(**{BEGIN_OPTION: sqlite.BEGIN_WRITE}).begin() as connection:
            driver = driver_of(connection)
            _require_true(driver, path, revision, known)
            yield connection


def definitions_of_revisions() -> dict[str, Definitions]:
    """Return what each revision of this package defines, oldest first: each is made in a
    temporary folder by the revisions up to it."""
    scripts = Scripts()
    found: dict[str, Definitions] = {}
    with _temporary() as path:
        for revision in scripts.revisions:
            _bring_to(path, revision, scripts)
            with closing(sqlite.connect(path)) as connection:
                found[revision] = _definitions(connection)
    return found


@dataclass(frozen=True)
class RevisionStatements:
    """What a revision sends to a catalog without rows, and the tables of which it reads rows:
    what it does with those is not among ``statements``."""

    revision: str
    statements: Sequence[str]
    reads: Sequence[str]


def statements(
    first: str | None, last: str, scripts: Scripts | None = None
) -> list[RevisionStatements]:
    """Return the statements of the revisions after ``first`` (None: of all) up to ``last``.

    Raises:
        BadRequest: when ``first`` does not come before ``last``.
        CheckpointError: when a revision fails.
    """
    scripts = scripts or Scripts()
    if first is not None and scripts.revisions.index(first) >= scripts.revisions.index(last):
        raise BadRequest(f"no revision comes after {first} up to {last}")
    with _temporary() as path:
        if first is not None:
            _bring_to(path, first, scripts)
        with _traced() as sent:
            _bring_to(path, last, scripts)
    found: list[RevisionStatements] = []
    changes: list[str] = []
    reads: set[str] = set()
    for statement in sent:
        if not _CHANGES.match(statement):
            reads.update(_READS.findall(statement))
            continue
        changes.append(statement)
        stamp = _STAMP.match(statement)
        if stamp is not None:
            found.append(RevisionStatements(stamp[1], changes, sorted(reads - _ALWAYS_READ)))
            changes, reads = [], set()
    return found


_CHANGES = re.compile(
    r"(?:ALTER|CREATE|DELETE|DROP|INSERT|REPLACE|UPDATE|WITH|PRAGMA \w+ *=)", re.IGNORECASE
)
_READS = re.compile(r"(?:FROM|JOIN)\s+\"?(\w+)", re.IGNORECASE)
_STAMP = re.compile(r"(?:INSERT INTO|UPDATE) alembic_version\b[^']*'([^']+)'")
_ALWAYS_READ = {sqlite.REVISION_TABLE, "sqlite_master", "sqlite_schema"}


@contextmanager
def _traced() -> Iterator[list[str]]:
    """Collect the statements of every connection that SQLAlchemy makes meanwhile, with their
    values in them."""
    sent: list[str] = []

    def trace(connection: Any, _record: object) -> None:
        connection.set_trace_callback(lambda statement: sent.append(statement.strip()))

    event.listen(Pool, "connect", trace)
    try:
        yield sent
    finally:
        event.remove(Pool, "connect", trace)


@contextmanager
def _temporary() -> Iterator[Path]:
    """Yield the path of a catalog that is not there yet, in a folder that goes."""
    with tempfile.TemporaryDirectory(prefix="hermes-checkpoints-") as folder:
        yield Path(folder) / "catalog.db"


def _bring_to(path: Path, revision: str, scripts: Scripts) -> None:
    known = scripts.revisions[: scripts.revisions.index(revision) + 1]
    told = Scripts(known, frozenset(), scripts.folder, from_tables=False)
    prepare(path, path.with_name("lock"), scripts=told).connection.close()


def _definitions(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The order of columns and constraints is left out: it depends on how a table was changed."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {
        name: sorted(re.findall(r"\w+|[^\w\s\"]", sql.casefold()))
        for name, sql in rows
        if name != sqlite.REVISION_TABLE and not name.startswith("sqlite_")
    }


def _require_true(
    connection: sqlite3.Connection,
    path: Path,
    revision: str,
    known: Mapping[str, Definitions],
) -> None:
    present = _definitions(connection)
    named = sqlite.inspect(connection).revision
    if named is not None:
        require_known(named, path, Scripts())
    fitting = [one for one, definitions in known.items() if definitions == present]
    if revision in fitting and (named == revision or named not in fitting):
        return
    if named in fitting:
        raise BadRequest(
            f"{path} is not stamped with {revision}: it names revision {named}, and its tables are "
            f"those of {named}; alembic upgrade head upgrades it"
        )
    if fitting:
        raise BadRequest(
            f"{path} is not stamped with {revision}: its tables are those of revision "
            f"{' or '.join(fitting)}; stamp it with that, then alembic upgrade head upgrades it"
        )
    raise BadRequest(
        f"{path} is not stamped with {revision}: {_difference(present, known[revision])}, so its "
        "tables are those of no revision; restore a backup of it instead"
    )


def _difference(present: Definitions, wanted: Definitions) -> str:
    lacking = sorted(wanted.keys() - present.keys())
    besides = sorted(present.keys() - wanted.keys())
    other = sorted(name for name in wanted.keys() & present if wanted[name] != present[name])
    parts = (("it lacks", lacking), ("it has besides", besides), ("it has otherwise", other))
    return ", and ".join(f"{what} {', '.join(names)}" for what, names in parts if names)

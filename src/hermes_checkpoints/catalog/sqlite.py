"""Everything that only SQLite understands, so that the rest of the catalog stays portable.

Connections are made here and nowhere else, and always with the same settings: foreign keys
enforced, every commit flushed to disk (synchronous FULL) unless it was said that it need not be, a
bounded wait for locks, and no transaction unless one is begun by name.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from hermes_checkpoints.errors import CatalogDamaged, SqliteTooOld
from hermes_checkpoints.fs.filesystem import is_network
from hermes_checkpoints.layout import SCRATCH_PREFIX

T = TypeVar("T")

_CHUNK = 500
"""How many values one statement is given; every SQLite takes 999."""

LEAST_VERSION = (3, 35, 0)
"""The oldest SQLite that knows every statement of this package: ``RETURNING`` came with it."""

MOST = 2**62
"""The largest number that a statement is given; SQLite's own end at 2**63."""

BUSY_TIMEOUT = 10.0
"""Seconds that a statement waits for a lock of another connection."""

BEGIN_READ = "BEGIN"
BEGIN_WRITE = "BEGIN IMMEDIATE"
"""Takes the write lock at once, so that a writer waits before it has read anything."""

INCREMENTAL = 2
"""The value of PRAGMA auto_vacuum with which free pages can be given back bit by bit."""

_PAGES_AT_ONCE = 1_000
_WRITE_VERSION = 18
"""Where the header of a file says how it is written: 2 means with a log."""
_ROWS_PER_INDEX = 1_000
WAL_LIMIT_BYTES = 8 * 1024 * 1024
REVISION_TABLE = "alembic_version"
PARTIAL = ".partial"
"""What the name of a backup ends with until it is complete."""


class Contents(NamedTuple):
    """What a file holds: the names of its tables and views, its revision, its journal mode, and
    the number in its header that says whose file it is, 0 for nobody's. ``views`` are those of the
    names that are views, ``triggers`` what runs by itself when rows change, or is made by a module
    of SQLite (a virtual table)."""

    names: frozenset[str]
    revision: str | None
    journal_mode: str
    application_id: int = 0
    views: frozenset[str] = frozenset()
    triggers: frozenset[str] = frozenset()


def require_version() -> None:
    """Refuse a SQLite library that is too old.

    Raises:
        SqliteTooOld: with what to do.
    """
    if sqlite3.sqlite_version_info < LEAST_VERSION:
        raise SqliteTooOld(
            f"the SQLite library of this Python is {sqlite3.sqlite_version}, and the catalog "
            f"needs {'.'.join(map(str, LEAST_VERSION))} or newer; install a newer SQLite, or use "
            "a Python that comes with one"
        )


READ_WRITE = "mode=rw"
READ_ONLY = "mode=ro"
FIXED = "mode=ro&immutable=1"
"""How a file is opened. ``FIXED`` is for one that nobody writes: SQLite then makes no file beside
it and looks at none, so that no log must lie there."""


def _uri(path: Path) -> str:
    """Return a file as SQLite is to be told of it. ``Path.as_uri`` loads ``urllib.request``, with
    ``http`` and ``email``, from Python 3.14 on."""
    if os.name != "posix":
        return path.absolute().as_uri()
    from urllib.parse import quote_from_bytes

    return f"file://{quote_from_bytes(os.fsencode(path.absolute()))}"


def connect(
    path: Path,
    *,
    busy_timeout: float = BUSY_TIMEOUT,
    foreign_keys: bool = True,
    how: str = READ_WRITE,
) -> sqlite3.Connection:
    """Open an existing file, for reading and writing unless ``how`` says otherwise; never creates
    one.

    Transactions begin only where a BEGIN is sent. The connection may be used by any thread,
    by one at a time.

    Raises:
        SqliteTooOld: when statements would fail later.
        sqlite3.Error: for the caller to translate.
    """
    require_version()
    connection = sqlite3.connect(
        f"{_uri(path)}?{how}",
        uri=True,
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        wait_for_locks(connection, busy_timeout)
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        flush_at_commit(connection)
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
        connection.execute("PRAGMA trusted_schema = OFF")  # a file may come from anybody
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Divide values into parts that one statement can be given each."""
    return (values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK))


def identity_of(path: Path) -> tuple[int, int]:
    """Return device and inode of a file, which tell whether a path still leads to it."""
    status = path.stat()
    return status.st_dev, status.st_ino


def require_same_file(path: Path, file: tuple[int, int]) -> None:
    """Refuse to go on with a file that was moved away: what is written there is lost.

    Raises:
        CatalogDamaged: when ``path`` leads to no file, or to another than ``file``.
    """
    try:
        same = identity_of(path) == file
    except FileNotFoundError:
        same = False
    if not same:
        raise CatalogDamaged(
            f"the catalog {path} was moved away or replaced while in use; open it again"
        )


def wait_for_locks(connection: sqlite3.Connection, seconds: float) -> None:
    """Set how long a statement of this connection waits for a lock of another."""
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


def flush_at_commit(connection: sqlite3.Connection) -> None:
    """Let each commit of this connection wait until the disk has it."""
    connection.execute("PRAGMA synchronous = FULL")


def flush_later(connection: sqlite3.Connection) -> None:
    """Let commits of this connection reach the disk with the next one that waits for it, of any
    connection, or when the log is written back. Only with a log: without, a power cut in the middle
    of such a commit could damage the file."""
    if journal_mode(connection) == "wal":
        connection.execute("PRAGMA synchronous = NORMAL")


def create_private(
    path: Path, application_id: int, fill: Callable[[sqlite3.Connection], None] | None = None
) -> None:
    """Create a database with mode 0600, if there is none: without tables, or with what ``fill``
    makes in it.

    It comes whole, in one step where the filesystem has hard links: it is made in a folder of its
    own beside ``path``, flushed to the disk once, and then given its name. An empty file is then
    never a catalog that is being made; without hard links one is made, for the caller to fill.
    SQLite gives its -wal and -shm files the mode of the database file.

    Raises:
        OSError, sqlite3.Error: when the file cannot be created.
    """
    if path.exists():
        return
    from hermes_checkpoints.fs.scratch import scratch_folder

    with scratch_folder(path.parent, SCRATCH_PREFIX) as folder:
        new = folder / path.name
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with closing(sqlite3.connect(new, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = OFF")
                found(connection, application_id)
                if fill is not None:
                    fill(connection)
                    connection.execute(f"PRAGMA journal_mode = {wanted_journal_mode(path)}")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            os.link(new, path)
        except FileExistsError:
            return
        except OSError:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def inspect(connection: sqlite3.Connection) -> Contents:
    """Read what the file holds, by plain SQL."""
    rows = connection.execute(
        "SELECT name, type, rootpage FROM sqlite_master"
        " WHERE type IN ('table', 'view', 'trigger') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    names = frozenset(str(name) for name, kind, _ in rows if kind != "trigger")
    views = frozenset(str(name) for name, kind, _ in rows if kind == "view")
    triggers = frozenset(
        str(name)
        for name, kind, page in rows
        if kind == "trigger" or (kind == "table" and not page)
    )
    revision = None
    if REVISION_TABLE in names - views:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        revision = None if found is None else str(found[0])
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    return Contents(names, revision, journal_mode(connection), int(owner), views, triggers)


def imported_paths(connection: sqlite3.Connection, contents: Contents) -> frozenset[str]:
    """Return the paths of what a catalog of any revision lists as imported, as it stores them."""
    if "legacy_archives" not in contents.names:
        return frozenset()
    query = "SELECT path FROM legacy_archives WHERE state NOT IN ('found', 'cleared')"
    return frozenset(str(row[0]) for row in connection.execute(query))


def journal_mode(connection: sqlite3.Connection) -> str:
    """Return the journal mode in force: ``wal``, or a rollback mode such as ``delete``."""
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def recorded_journal_mode(path: Path) -> str:
    """Return the journal mode that the header of a file names, which is in force for whoever writes
    it: ``wal``, or ``delete`` for any rollback mode."""
    from hermes_checkpoints.catalog.copying import first_bytes

    header = first_bytes(path, _WRITE_VERSION + 1)
    return "wal" if header[_WRITE_VERSION:] == b"\2" else "delete"


def wanted_journal_mode(path: Path) -> str:
    """Return ``wal``, or ``delete`` where processes of other machines may see the file."""
    return "delete" if is_network(path) else "wal"


def switch_journal_mode(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to the wanted journal mode, if that can be.

    A filesystem without shared memory refuses WAL, and a file in use by others refuses any
    switch; the mode then stays, and everything works in it.
    """
    try:
        connection.execute(f"PRAGMA journal_mode = {wanted_journal_mode(path)}").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _SWITCH_REFUSED:
            raise


_SWITCH_REFUSED = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
)


def found(connection: sqlite3.Connection, application_id: int) -> None:
    """Write the header of an empty file: whose it is, and that free pages can be given back, which
    can be said before the first table alone."""
    connection.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
    connection.execute(f"PRAGMA application_id = {application_id}")


def give_back(connection: sqlite3.Connection) -> None:
    """Give free pages back to the disk, bit by bit so that writers come in between, and the space
    of the log; renew the statistics by which statements are planned.

    Raises:
        sqlite3.Error: for the caller to translate.
    """
    connection.execute(f"PRAGMA analysis_limit = {_ROWS_PER_INDEX}")
    connection.execute("ANALYZE")
    # Nearly all operations have one outcome, so an average of the index of outcomes says that each
    # is worth reading the whole journal for; without a number the index is used.
    connection.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'operations'")
    give_back_pages(connection)
    write_back(connection)


def give_back_pages(connection: sqlite3.Connection) -> None:
    """Give free pages back to the disk, as far as the file can."""
    left = _number(connection, "freelist_count")
    while left and can_give_back(connection):
        connection.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
        before, left = left, _number(connection, "freelist_count")
        if left >= before:
            break


def write_back(connection: sqlite3.Connection) -> None:
    """Write the log back into the file and cut it, as far as nobody reads from it."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def write_anew(connection: sqlite3.Connection, path: Path) -> bool:
    """Write the file anew, without gaps and so that its free pages can be given back; return
    whether that was done. It needs room for a second and third copy; without, or while the file is
    in use, nothing is done."""
    from hermes_checkpoints.fs.disk import free_bytes

    if free_bytes(path.parent) < 3 * path.stat().st_size:
        return False
    try:
        connection.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
        connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL):
            raise
        return False
    return True


def free_bytes(connection: sqlite3.Connection) -> int:
    """Return the size of the free pages of a file."""
    return _number(connection, "freelist_count") * _number(connection, "page_size")


def can_give_back(connection: sqlite3.Connection) -> bool:
    """Tell whether free pages can be given back: in files that an earlier version made, not before
    they are written anew."""
    return _number(connection, "auto_vacuum") == INCREMENTAL


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def back_up(path: Path, target: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
    """Copy the last committed state of ``path`` to the new file ``target``, mode 0600.

    Raises:
        sqlite3.Error, OSError: for the caller to translate; no partial file stays then.
    """
    partial = target.with_name(f"{target.name}{PARTIAL}")
    os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            closing(connect(path, busy_timeout=busy_timeout)) as source,
            closing(sqlite3.connect(partial)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def broken_references(connection: sqlite3.Connection) -> Counter[tuple[str, str]]:
    """Count, for each pair of tables, the rows of the first that refer to missing rows of the
    second. Two orphaned turns are ``{("turns", "projects"): 2}``.
    """
    rows = connection.execute("PRAGMA foreign_key_check")
    return Counter((str(row[0]), str(row[2])) for row in rows)


def cut_references(connection: sqlite3.Connection) -> Counter[str]:
    """Let no row refer to one that does not exist: where it may refer to nothing it does, else it
    goes, and so do those that referred to it. Return how many went, by table.

    The caller has begun a transaction, on a connection that enforces no foreign keys.
    """
    gone: Counter[str] = Counter()
    while broken := connection.execute("PRAGMA foreign_key_check").fetchall():
        for table, row, _, key in broken:
            keys = connection.execute(f"PRAGMA foreign_key_list({table})").fetchall()
            columns = [k[3] for k in keys if k[0] == key]
            required = {
                info[1]: info[3] or info[5]
                for info in connection.execute(f"PRAGMA table_info({table})")
            }
            if all(required[column] for column in columns):
                gone[table] += delete_rows(connection, table, [row])
                continue
            cut = ", ".join(f'"{column}" = NULL' for column in columns if not required[column])
            connection.execute(f"UPDATE {table} SET {cut} WHERE rowid = ?", (row,))  # noqa: S608
    return gone


def delete_rows(connection: sqlite3.Connection, table: str, rows: Sequence[int]) -> int:
    """Delete rows of a table by their numbers; return how many there were."""
    statement = f"DELETE FROM {table} WHERE rowid = ?"  # noqa: S608
    return connection.executemany(statement, [(row,) for row in rows]).rowcount

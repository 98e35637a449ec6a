"""Gives out transactions on one catalog file, to any thread, and after a fork to the child.

Nothing is read or written outside a transaction, writers take the write lock before they read,
and every failure leaves here as a ``CheckpointError``. No connection is ever used by two
processes: SQLite's own bookkeeping of locks is wrong in a forked child that inherits one, so
idle connections are closed before a fork, which waits for the transactions of other threads, and a
child makes an engine of its own.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, repeat
from operator import attrgetter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, Insert, Table, create_engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import NullPool, QueuePool
from sqlalchemy.util import LRUCache

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.failures import damaged, translated
from hermes_checkpoints.errors import BaseUnwritable, CheckpointError
from hermes_checkpoints.fs import forks

BEGIN_OPTION = "begin_statement"
"""The execution option that names the statement with which a transaction begins."""

_IDLE_CONNECTIONS = 4
_ROWS_AT_ONCE = 1000


class _Dialect(SQLiteDialect_pysqlite):
    """SQLite's, each instance as good as any other for the SQL that it compiles.

    An engine is made whenever a catalog is opened, which a host does at each turn; SQLAlchemy
    finds a compiled statement by its dialect, and would compile all of them again.
    """

    driver = "catalog"
    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Dialect)

    def __hash__(self) -> int:
        return hash(_Dialect)


registry.register(f"{_Dialect.name}.{_Dialect.driver}", __name__, _Dialect.__name__)
_compiled = LRUCache[object, object](500)


class Transactions:
    """Reading and writing transactions on the catalog at ``path``, which must exist.

    ``how`` says how the file is opened. With ``refusal`` nothing can be written, and whoever tries
    to is told that. ``opened`` is a first connection, which belongs to this object from now on,
    with device and inode of its file."""

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout: float = sqlite.BUSY_TIMEOUT,
        how: str = sqlite.READ_WRITE,
        refusal: str | None = None,
        opened: tuple[sqlite3.Connection, tuple[int, int]] | None = None,
    ) -> None:
        self.path = path
        self._busy_timeout = busy_timeout
        self._how = how
        self._refusal = refusal
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._inherited: list[Engine] = []
        self._pid = os.getpid()
        self._first: sqlite3.Connection | None = None
        if opened is not None:
            self._first, self._file = opened
        else:
            with translated(path):
                self._file = sqlite.identity_of(path)
        self._closed = False
        self._current = threading.local()
        _open_here.add(self)

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all that this thread reads in the block see one state of the catalog."""
        current = self._current  # a child that is forked in the block has another
        with self.reading() as connection:
            before, current.look = self._look(), connection
            try:
                yield
            finally:
                current.look = before

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a transaction that sees one state of the catalog throughout and writes nothing."""
        begun = self._begun() or self._look()
        with forks.undivided(), translated(self.path):
            if begun is not None:
                yield begun
                return
            with self._started().connect() as connection:
                yield connection

    @contextmanager
    def writing(
        self, *, busy_timeout: float | None = None, durable: bool = True
    ) -> Iterator[Connection]:
        """Yield a transaction that holds the write lock; commits at the end, or rolls all back.

        ``busy_timeout``, in seconds, replaces that of the catalog for this transaction. Without
        ``durable`` the commit does not wait for the disk: others see it, and a killed process
        loses nothing, but a power cut may take it back before the next durable one. Inside another
        transaction of this thread it is a part of that, with that one's durability: if it fails,
        nothing of the outer one is committed, also where its caller caught the error.

        Raises:
            BaseUnwritable: when the catalog was opened to be read only.
            CatalogBusy: when other writers kept the lock for longer than the busy timeout.
            CheckpointError: at the end, when a part failed and nobody passed that on.
        """
        self._require_writable()
        begun = self._begun()
        with forks.undivided(), translated(self.path):
            if begun is not None:
                try:
                    yield begun
                except BaseException:
                    self._current.failed = True
                    raise
                return
            engine = self._started().execution_options(**{BEGIN_OPTION: sqlite.BEGIN_WRITE})
            with engine.connect() as connection:
                driver = driver_of(connection)
                if busy_timeout is not None:
                    sqlite.wait_for_locks(driver, busy_timeout)
                if not durable:
                    sqlite.flush_later(driver)
                try:
                    with connection.begin():
                        self._current.connection, self._current.failed = connection, False
                        try:
                            yield connection
                            if self._current.failed:
                                raise CheckpointError(
                                    f"a part of a transaction on {self.path} failed; nothing of it "
                                    "was written"
                                )
                        finally:
                            self._current.connection = None
                finally:
                    if driver.in_transaction:  # SQLite refused the commit
                        driver.rollback()
                    if not durable:
                        sqlite.flush_at_commit(driver)
                    if busy_timeout is not None:
                        sqlite.wait_for_locks(driver, self._busy_timeout)

    @contextmanager
    def emptying(self) -> Iterator[Connection]:
        """Yield a writing transaction that does not look whether rows refer to what it deletes, so
        that SQLite drops all rows of a table at once. It must leave no such rows.

        Raises:
            BaseUnwritable: when the catalog was opened to be read only.
            CatalogBusy: when other writers kept the lock for longer than the busy timeout.
        """
        self._require_writable()
        with forks.undivided(), translated(self.path):
            self._started()
            engine = make_engine(
                self.path, busy_timeout=self._busy_timeout, foreign_keys=False
            ).execution_options(**{BEGIN_OPTION: sqlite.BEGIN_WRITE})
            with engine.begin() as connection:
                yield connection

    @property
    def read_only(self) -> bool:
        """Tell whether the catalog was opened to be read only."""
        return self._refusal is not None

    def connect(self) -> sqlite3.Connection:
        """Open a connection of SQLite's own, for what only SQLite understands; the caller closes
        it.

        Raises:
            sqlite3.Error: for the caller to translate.
            CatalogDamaged: when the file was moved away or replaced, as when the base was cleared.
        """
        sqlite.require_same_file(self.path, self._file)
        return sqlite.connect(self.path, how=self._how)

    def source(self) -> tuple[Path, str]:
        """Return the file, and how whoever only reads opens it.

        Raises:
            CatalogDamaged: when it was moved away or replaced.
        """
        sqlite.require_same_file(self.path, self._file)
        fixed = self._how == sqlite.FIXED
        return self.path, sqlite.FIXED if fixed else sqlite.READ_ONLY

    @contextmanager
    def bare(self, *, busy_timeout: float | None = None) -> Iterator[sqlite3.Connection]:
        """Yield a connection of SQLite's own outside of every transaction, one of those that are
        kept, for pragmas. ``busy_timeout``, in seconds, replaces that of the catalog meanwhile.

        Raises:
            sqlite3.Error: for the caller to translate.
            CatalogDamaged: when the file was moved away or replaced.
        """
        with forks.undivided():
            lent = self._started().raw_connection()
            try:
                driver = lent.driver_connection
                assert driver is not None  # noqa: S101 - a connection in use has one
                if busy_timeout is not None:
                    sqlite.wait_for_locks(driver, busy_timeout)
                try:
                    yield driver
                finally:
                    if busy_timeout is not None:
                        sqlite.wait_for_locks(driver, self._busy_timeout)
            finally:
                lent.close()

    def _require_writable(self) -> None:
        if self._refusal is not None:
            raise BaseUnwritable(self._refusal)

    def _begun(self) -> Connection | None:
        """Return the writing transaction of this thread, if it is in one."""
        return getattr(self._current, "connection", None)

    def _look(self) -> Connection | None:
        """Return the transaction in which this thread reads, if it does so at one moment."""
        return getattr(self._current, "look", None)

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine of this process."""
        return self._started()

    def close(self) -> None:
        """Close every idle connection; a later transaction raises."""
        with self._lock:
            self._closed = True
            self._leave_parent()
            engine, self._engine = self._engine, None
            if engine is not None:
                engine.dispose()
            self._close_first()

    def close_idle(self) -> None:
        """Close the connections that no transaction uses; they open again when needed."""
        engine = self._engine
        if self._pid == os.getpid():
            if engine is not None:
                engine.dispose()
            self._close_first()

    def _close_first(self) -> None:
        """Close the connection that was given, if nothing has used it."""
        first, self._first = self._first, None
        if first is not None:
            first.close()

    def _connected(self) -> sqlite3.Connection:
        """Return a connection of the settings of this object, for the engine: the one that was
        given first, then new ones."""
        with self._lock:
            first, self._first = self._first, None
        if first is not None:
            return first
        return sqlite.connect(self.path, busy_timeout=self._busy_timeout, how=self._how)

    def _started(self) -> Engine:
        engine = self._engine
        if engine is None or self._pid != os.getpid():
            engine = self._start()
        sqlite.require_same_file(self.path, self._file)
        return engine

    def _start(self) -> Engine:
        with self._lock:
            if self._closed:
                raise CheckpointError(f"the catalog {self.path} was closed; open it again")
            self._leave_parent()
            if self._engine is None:
                self._engine = _make_engine(self._connected, _POOLED)
            return self._engine

    def _leave_parent(self) -> None:
        """In a forked child, give up the parent's engine; it is kept so that nothing closes it."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            if self._engine is not None:
                self._inherited.append(self._engine)
                self._engine = None
            self._first = None  # it was closed before the fork

    def _in_child(self) -> None:
        self._lock = threading.Lock()  # a thread that the child lacks may hold the other one
        self._current = threading.local()  # what the parent is in is none of the child's
        self._leave_parent()


class Records:
    """What reads and writes one kind of record: each call is one statement in a transaction.

    What takes, turns and lists need are statements that are made once, with ``bindparam`` where
    they differ: to make one takes SQLAlchemy three to six times as long as to run it."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def _rows(
        self, query: Executable, values: Mapping[str, Any] | None = None
    ) -> Sequence[Sequence[Any]]:
        with self._transactions.reading() as connection, self._sound():
            return connection.execute(query, values).all()

    def _row(
        self, query: Executable, values: Mapping[str, Any] | None = None
    ) -> Sequence[Any] | None:
        with self._transactions.reading() as connection, self._sound():
            return connection.execute(query, values).first()

    def _column(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return the first column of every row."""
        with self._transactions.reading() as connection, self._sound():
            return connection.scalars(query, values).all()

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Raise CatalogDamaged for a value that no statement of ours can have written, such as a
        time that is none."""
        try:
            yield
        except (ValueError, TypeError, AttributeError) as error:  # bytes for a text, among others
            raise damaged(
                self._transactions.path, f"it has a value that is none: {error}"
            ) from error

    def _write(
        self,
        statement: Executable,
        rows: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> int:
        """Run a statement once, with the values of a mapping, or once for each of ``rows``; return
        how many rows it met."""
        if rows is not None and not rows:
            return 0
        with self._transactions.writing() as connection:
            return connection.execute(statement, rows).rowcount


@functools.cache
def insert_into(table: Table) -> Insert:
    """Return the statement that inserts whatever columns it is given."""
    return table.insert()


def insert_row(connection: Connection, table: Table, values: Mapping[str, Any]) -> int:
    """Insert one row as part of the caller's transaction; return its number."""
    key = connection.execute(insert_into(table), values).inserted_primary_key
    assert key is not None  # noqa: S101 - an insert of one row has one
    return int(key[0])


class Bulk:
    """Inserts many rows into a table by one prepared statement of the driver. The columns ``names``
    hold the attributes of these names, stored as the types of the columns say; those of ``same``,
    which are numbers, hold one value for all rows.

    SQLAlchemy would make a dictionary of each row, and take twice the time.
    """

    def __init__(self, table: Table, same: Sequence[str], names: Sequence[str]) -> None:
        dialect = _Dialect()
        columns = [*same, *names]
        marks = ", ".join("?" * len(columns))
        listed = ", ".join(columns)
        self._statement = f"INSERT INTO {table.name} ({listed}) VALUES ({marks})"  # noqa: S608
        types = [table.c[name].type.dialect_impl(dialect) for name in names]
        self._values = [
            (attrgetter(name), one.bind_processor(dialect))
            for name, one in zip(names, types, strict=True)
        ]

    def insert(
        self, connection: Connection, same: Sequence[int | None], rows: Sequence[object]
    ) -> None:
        """Insert a row for each of ``rows`` as part of the caller's transaction.

        Raises:
            ValueError: for a value that its column cannot store.
        """
        if not rows:
            return
        columns: list[Iterable[Any]] = [repeat(value, len(rows)) for value in same]
        for get, stored in self._values:
            found = map(get, rows)
            columns.append(found if stored is None else map(stored, found))
        values = zip(*columns, strict=True)
        while some := [*islice(values, _ROWS_AT_ONCE)]:
            connection.exec_driver_sql(self._statement, some)


def make_engine(
    path: Path, *, busy_timeout: float = sqlite.BUSY_TIMEOUT, foreign_keys: bool = True
) -> Engine:
    """Make an engine for one piece of work: it keeps no connection. Its transactions begin with
    exactly the statement that is asked for."""

    def connected() -> sqlite3.Connection:
        return sqlite.connect(path, busy_timeout=busy_timeout, foreign_keys=foreign_keys)

    return _make_engine(connected, {"poolclass": NullPool})


_POOLED: Mapping[str, Any] = {
    "poolclass": QueuePool,
    "pool_size": _IDLE_CONNECTIONS,
    "max_overflow": -1,
    "execution_options": {"compiled_cache": _compiled},
}


def _make_engine(connected: Callable[[], sqlite3.Connection], options: Mapping[str, Any]) -> Engine:
    engine = create_engine(f"{_Dialect.name}+{_Dialect.driver}://", creator=connected, **options)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(BEGIN_OPTION, sqlite.BEGIN_READ)
    driver_of(connection).execute(statement)


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection of one that is in use."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - it is no other dialect
    return driver


_open_here: weakref.WeakSet[Transactions] = weakref.WeakSet()


def _before_fork() -> None:
    for transactions in list(_open_here):
        transactions.close_idle()


def _after_fork_in_child() -> None:
    for transactions in list(_open_here):
        transactions._in_child()


forks.at_fork(before=_before_fork, in_child=_after_fork_in_child)

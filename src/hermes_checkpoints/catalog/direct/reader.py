"""Runs statements of ``statements.py`` on a catalog of the newest revision, by the driver alone."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from hermes_checkpoints.catalog import encoding, sqlite
from hermes_checkpoints.catalog.encoding import encode_path, storable

T = TypeVar("T")

PATIENCE = 0.1
"""How many seconds another process is waited for that writes: no longer than it would take to load
the whole catalog, which waits for longer."""


class Statement(NamedTuple):
    """A statement as SQLAlchemy compiles it. ``:name`` in ``text`` is a value that is given, ``IN
    (:names)`` several. ``given`` says of each how it is stored, as in ``hash:plain now:time``, and
    ``columns`` of each column of the result how it is read."""

    text: str
    given: str = ""
    columns: str = ""


class NotDirect(Exception):
    """Something here is for the whole catalog to answer, or to refuse."""


@contextmanager
def _direct() -> Iterator[None]:
    """Leave what goes wrong in a block to the whole catalog.

    Raises:
        NotDirect: in its place.
    """
    try:
        yield
    except (OSError, sqlite3.Error, ValueError, TypeError, AttributeError) as error:
        raise NotDirect from error


class Reader:
    """An open connection, which is used by one thread at a time. ``close`` it before a fork."""

    def __init__(self, path: Path, connection: sqlite3.Connection, file: tuple[int, int]) -> None:
        self.path = path
        self._connection = connection
        self._file = file
        self._writes = False

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open a catalog to ask it; None where there is none of the newest revision that can be
        written, or anything about it is unusual: the whole way then says what, or mends it.

        >>> from hermes_checkpoints.catalog.direct.reader import Reader
        >>> Reader.open(Path("no/catalog.db")) is None
        True
        """
        try:
            regular = stat.S_ISREG(path.stat().st_mode)
            if not (regular and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
                return None
            file = sqlite.identity_of(path)  # first: what comes afterwards is another one
            connection = sqlite.connect(path, busy_timeout=PATIENCE)
        except (OSError, sqlite3.Error):
            return None
        try:
            contents = sqlite.inspect(connection)
            if _is_usual(path, contents):
                return cls(path, connection, file)
        except (OSError, sqlite3.Error):
            pass
        connection.close()
        return None

    def rows(self, statement: Statement, **given: Any) -> list[list[Any]]:
        """Return the rows of a statement, each value as the whole catalog reads it.

        Raises:
            NotDirect: when the file was replaced, is damaged, or holds a value that is none.
        """
        with _direct():
            self._require_same_file()
            found = self._connection.execute(*_prepared(statement, given)).fetchall()
            readers = [_reader(name) for name in statement.columns.split()]
            if all(one is None for one in readers):
                return [list(row) for row in found]
            return [
                [
                    value if read is None else read(value)
                    for value, read in zip(row, readers, strict=True)
                ]
                for row in found
            ]

    def made(self, make: Callable[[list[Any]], T], statement: Statement, **given: Any) -> list[T]:
        """Return what a function makes of each row.

        Raises:
            NotDirect: as ``rows``, and when it can make nothing of one.
        """
        rows = self.rows(statement, **given)
        with _direct():
            return [make(row) for row in rows]

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all rows that are read in the block be of one state of the catalog."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # it was closed meanwhile
                self._connection.execute("ROLLBACK")

    @contextmanager
    def consistent(self) -> Iterator[None]:
        """Let what is read in the block be of one state, also inside a transaction."""
        if self._connection.in_transaction:
            yield
            return
        with _direct():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def column(self, statement: Statement, **given: Any) -> list[Any]:
        """Return the first value of every row."""
        return [row[0] for row in self.rows(statement, **given)]

    def write(self, statement: Statement, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement that writes once for each of ``rows``: as ``write_all``."""
        self.write_all([(statement, row) for row in rows])

    def write_all(
        self, written: Sequence[tuple[Statement, Mapping[str, Any]]], *, durable: bool = False
    ) -> list[int]:
        """Run statements that write, each with its values, in one transaction, which waits for the
        disk where it is to be ``durable``; return how many rows each has written.

        Raises:
            NotDirect: when nothing was written, as when another process writes.
        """
        if not written:
            return []
        with self.writing(durable=durable), _direct():
            return [
                self._connection.execute(*_prepared(statement, row)).rowcount
                for statement, row in written
            ]

    def insert(self, statement: Statement, row: Mapping[str, Any]) -> int:
        """Insert a row in the transaction that ``writing`` began; return its number.

        Raises:
            NotDirect: when it cannot be stored.
        """
        with _direct():
            return int(self._connection.execute(*_prepared(statement, row)).lastrowid or 0)

    @contextmanager
    def writing(self, *, durable: bool) -> Iterator[None]:
        """Let what is read and written in the block be one transaction, which holds the write lock
        and waits for the disk at its end where it is to be ``durable``. If anything raises, nothing
        is written. Inside another such block it is a part of that.

        Raises:
            NotDirect: when nothing was written, as when another process writes.
        """
        if self._writes:
            yield
            return
        with _direct():
            self._require_same_file()
            flush = sqlite.flush_at_commit if durable else sqlite.flush_later
            flush(self._connection)
            self._connection.execute(sqlite.BEGIN_WRITE)
        self._writes = True
        try:
            yield
            with _direct():
                self._connection.execute("COMMIT")
        finally:
            self._writes = False
            with suppress(sqlite3.Error):  # it was closed meanwhile
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def insert_all(self, statement: Statement, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows in the transaction that ``writing`` began.

        Raises:
            NotDirect: when one cannot be stored.
        """
        stored = [(name, _WRITERS[kind]) for name, kind in _kinds(statement)]
        with _direct():
            values = (
                {name: None if (v := row[name]) is None else store(v) for name, store in stored}
                for row in rows
            )
            self._connection.executemany(statement.text, values)

    @contextmanager
    def driver(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for statements that are no part of ``statements.py``.

        Raises:
            NotDirect: when the file was replaced, or such a statement fails.
        """
        with _direct():
            self._require_same_file()
            yield self._connection

    def write_back(self, busy_timeout: float | None) -> None:
        """As of ``Catalog``.

        Raises:
            NotDirect: when it fails.
        """
        with self.driver() as driver:
            if busy_timeout is not None:
                sqlite.wait_for_locks(driver, busy_timeout)
            try:
                sqlite.write_back(driver)
            finally:
                sqlite.wait_for_locks(driver, PATIENCE)

    def require_usual(self) -> None:
        """Let the whole catalog judge a file that is not as this version writes it.

        Raises:
            NotDirect: when it is not.
        """
        with self.driver() as driver:
            if not _is_usual(self.path, sqlite.inspect(driver)):
                raise NotDirect

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __del__(self) -> None:
        self.close()  # of a thread that has ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_same_file(self) -> None:
        if sqlite.identity_of(self.path) != self._file:
            raise NotDirect

    @property
    def file(self) -> tuple[int, int]:
        """Device and inode of the file that is open."""
        return self._file


def _is_usual(path: Path, contents: sqlite.Contents) -> bool:
    """Tell whether a file is a catalog that this version wrote, with nothing added and nothing
    missing."""
    from hermes_checkpoints.catalog.direct import statements

    return (
        contents.revision == statements.HEAD
        and contents.application_id == statements.APPLICATION_ID
        and not contents.triggers
        and contents.views == statements.VIEWS
        and contents.names - contents.views >= statements.TABLES
        and contents.journal_mode == "wal" == sqlite.wanted_journal_mode(path)
    )


# --- values, as ``catalog/types.py`` stores and reads them ----------------------------------------


def _prepared(statement: Statement, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the text of a statement and its values as the driver takes them."""
    text, values = statement.text, dict[str, Any]()
    for name, kind in _kinds(statement):
        value, store = given[name], _WRITERS[kind]
        if isinstance(value, list | tuple):
            parts = {f"{name}_{place}": store(part) for place, part in enumerate(value)}
            marks = ", ".join(f":{part}" for part in parts)
            text = text.replace(f"(:{name})", f"({marks})")
            values |= parts
        else:
            values[name] = None if value is None else store(value)
    return text, values


def _kinds(statement: Statement) -> list[tuple[str, str]]:
    """Return the names of the values of a statement, each with how it is stored."""
    return [
        (name, kind) for name, _, kind in (one.partition(":") for one in statement.given.split())
    ]


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


_WRITERS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda value: value,
    "text": storable,
    "path": encode_path,
    "time": _moment,
    "member": str,
    "document": encoding.write_document,
}


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)


_READERS: dict[str, Callable[[Any], Any] | None] = {
    "plain": None,
    "path": encoding.read_path,
    "time": encoding.read_moment,
    "flag": _flag,
    "document": encoding.read_document,
    "names": encoding.read_names,
}


def _reader(name: str) -> Callable[[Any], Any] | None:
    """Return what reads a column; the name of an enumeration of ``model`` reads its members."""
    if name not in _READERS:
        from hermes_checkpoints import model

        members = getattr(model, name)
        _READERS[name] = lambda value: None if value is None else members(value)
    return _READERS[name]

"""Answers queries of people, and lets none of them change anything.

Three things keep a query to reading, each by the engine and each enough by itself: the file is
opened to be read only, ``query_only`` is set, and an authorizer refuses every action but those that
read. Nothing waits for a query either: writers go on beside a reader of the log, and where there is
none, a copy is asked. What fits in memory is read at once, so that no transaction stays open while
somebody pages through it.
"""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from string import whitespace
from typing import Any, Protocol, Self, cast

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.errors import QueryRefused
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.system import temporary_root
from hermes_checkpoints.model.queries import Relation, RelationColumn, Value
from hermes_checkpoints.text import nearest

LONGEST = 1_000_000
"""How many characters a query may have."""

_MOST_PLACES = 50
_AHEAD_ROWS = 10_000
_AHEAD_BYTES = 8 * 1024 * 1024
"""What is read at once. An answer that is larger is read while it is used."""

_STEPS = 10_000
"""How often SQLite lets Python look whether it was interrupted, in steps of its machine."""

_READING = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
_NO_FUNCTION = frozenset({"load_extension", "fts3_tokenizer"})
_TELLING = frozenset(
    {
        *("collation_list", "compile_options", "database_list", "foreign_key_check"),
        *("foreign_key_list", "function_list", "index_info", "index_list", "index_xinfo"),
        *("integrity_check", "module_list", "pragma_list", "quick_check", "table_info"),
        *("table_list", "table_xinfo"),
    }
)
"""The pragmas that tell something, whatever their argument."""
_TELLING_BARE = frozenset(
    {
        *("application_id", "auto_vacuum", "data_version", "encoding", "freelist_count"),
        *("journal_mode", "page_count", "page_size", "query_only", "schema_version"),
        "user_version",
    }
)
"""The pragmas that tell a setting without an argument, and change it with one."""

_CHANGES = {
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
    sqlite3.SQLITE_DELETE: "DELETE",
}
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_OF_THE_QUERY = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_RANGE,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_AUTH,
)


class Asked(Protocol):
    """A catalog as far as queries need it."""

    path: Path

    def source(self) -> tuple[Path, str]:
        """Return the file, and how whoever only reads opens it."""


class Answer:
    """The rows that answer a query, each a tuple of values in the order of ``columns``. A context
    manager; one whose rows were all read needs no closing. It is read once, by one thread.

    >>> taken = project.take("before the clean-up")
    >>> with checkpoints.ask("SELECT reason FROM checkpoint_list") as answer:
    ...     print(answer.columns, list(answer))
    ('reason',) [('before the clean-up',)]
    >>> list(checkpoints.ask("SELECT :word AS said", values={"word": "hello"}))
    [('hello',)]
    >>> answer = checkpoints.ask("SELECT 1 UNION SELECT 2", limit=1)
    >>> list(answer), answer.more
    ([(1,)], True)
    """

    def __init__(
        self,
        cursor: sqlite3.Cursor,
        rest: ExitStack,
        failures: Callable[[], Any],
        limit: int | None,
    ) -> None:
        self.columns = tuple(str(column[0]) for column in cursor.description)
        self.more = False
        self._cursor, self._failures, self._left = cursor, failures, limit
        self._rest, self._ended = rest, False
        self._end = weakref.finalize(self, rest.close)  # where somebody forgets to
        _open_here.add(self)
        self._first = self._fetch()

    def blocks(self) -> Iterator[list[tuple[Value, ...]]]:
        """Yield the rows in lists of at most 10,000.

        Raises:
            QueryRefused, CatalogDamaged, CatalogBusy: where SQLite meets what it cannot answer.
        """
        block, self._first = self._first, []
        while block:
            yield block
            block = self._fetch()

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        for block in self.blocks():
            yield from block

    def _fetch(self) -> list[tuple[Value, ...]]:
        found: list[tuple[Value, ...]] = []
        size = 0
        if self._ended:
            return found
        try:
            with forks.undivided(), self._failures():
                while len(found) < _AHEAD_ROWS and size < _AHEAD_BYTES:
                    row = self._cursor.fetchone()
                    if row is None or self._left == 0:
                        self.more = row is not None
                        self.close()
                        break
                    if self._left is not None:
                        self._left -= 1
                    found.append(row)
                    size += sum(len(one) for one in row if isinstance(one, str | bytes))
        except BaseException:
            self.close()
            raise
        return found

    def close(self) -> None:
        """Let go of the catalog; rows that were not read by then are not to be had."""
        self._ended = True
        self._end()

    def _leave_parent(self) -> None:
        """In a forked child: what is open belongs to the parent, and is kept so that nothing closes
        it here."""
        self._ended = True
        if self._end.detach() is not None:
            _inherited.append(self._rest)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask(
    catalog: Asked, query: str, values: Mapping[str, str] | None = None, limit: int | None = None
) -> Answer:
    """Run one query, with the texts ``values`` for its named parameters; return its answer, of
    ``limit`` rows at most.

    Raises:
        QueryRefused: when it is no query, several, or would change something.
        KeyboardInterrupt: when it was interrupted.
        CatalogBusy, CatalogDamaged: as other reading.
    """
    text = _plain(query)
    path, _ = catalog.source()
    given = _Given(values or {})
    with forks.undivided(), ExitStack() as stack:
        connection, refused = _connected(catalog, text, stack)

        @contextmanager
        def failures() -> Iterator[None]:
            with _translated(path, connection, text, refused):
                yield

        with failures():
            cursor = stack.enter_context(closing(connection.execute(text, cast(Any, given))))
            if cursor.description is None:
                raise QueryRefused("that is no query: nothing would be answered")
        given.require_used()
        return Answer(cursor, stack.pop_all(), failures, limit)


@contextmanager
def connected(catalog: Asked) -> Iterator[sqlite3.Connection]:
    """Yield a connection that can only read, as ``ask`` has it, for a tool that asks by itself.

    Raises:
        CatalogBusy, CatalogDamaged: as other reading.
    """
    with ExitStack() as stack:
        with forks.undivided():
            connection, _ = _connected(catalog, "", stack)
        yield connection


_open_here: weakref.WeakSet[Answer] = weakref.WeakSet()
_inherited: list[ExitStack] = []


def _in_child() -> None:
    for answer in list(_open_here):
        answer._leave_parent()


forks.at_fork(in_child=_in_child)


def relations(catalog: Asked) -> list[Relation]:
    """Return every view and table, views first, by name.

    Raises:
        CatalogBusy, CatalogDamaged: as other reading.
    """
    from hermes_checkpoints.catalog.table_comments import TABLES
    from hermes_checkpoints.catalog.views.comments import COMMENTS, plain

    listed = (
        "SELECT m.type, m.name, c.name, c.type FROM sqlite_master AS m, pragma_table_xinfo(m.name)"
        " AS c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " ORDER BY m.type DESC, m.name, c.cid"
    )
    comments = {**COMMENTS, **TABLES}
    found: dict[tuple[str, str], list[RelationColumn]] = {}
    for kind, name, column, type_ in cast("Iterator[tuple[str, ...]]", ask(catalog, listed)):
        comment = comments.get(name)
        about = "" if comment is None else plain(comment.columns.get(column, ""))
        declared = type_ if kind == "table" else ""
        found.setdefault((kind, name), []).append(RelationColumn(column, declared, about))
    rows = {name: plain(comment.row) for name, comment in comments.items()}
    return [
        Relation(name, kind, rows.get(name, ""), tuple(columns))
        for (kind, name), columns in found.items()
    ]


def _plain(query: str) -> str:
    """Return a query without what stands behind its last word."""
    if len(query) > LONGEST:
        raise QueryRefused(f"the query has more than {LONGEST:,} characters")
    if "\0" in query:
        raise QueryRefused("the query holds a NUL character")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise QueryRefused("the query is not valid UTF-8") from None
    text = query.rstrip(f"{whitespace};")
    if not re.sub(r"[\s;]", "", _COMMENT.sub("", text)):
        raise QueryRefused("the query is empty")
    return text


class _Given(dict[str, str]):
    """The values for parameters, which knows those that were asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.used: set[str] = set()
        for name, value in values.items():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise QueryRefused(f"the value of :{name} is not valid UTF-8") from None

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return super().__getitem__(name)

    def __missing__(self, name: str) -> str:
        raise QueryRefused(f"the query needs a value for :{name}; give --param {name}=VALUE")

    def require_used(self) -> None:
        unknown = sorted(self.keys() - self.used)
        if unknown:
            known = ", ".join(f":{name}" for name in sorted(self.used)) or "none"
            raise QueryRefused(f"the query has no parameter :{unknown[0]}; it has {known}")


def _connected(catalog: Asked, text: str, stack: ExitStack) -> tuple[sqlite3.Connection, list[str]]:
    """Open a connection that can only read, and the list that says what it refused."""
    path, how = catalog.source()
    refused: list[str] = []
    with _translated(path, None, "", refused):
        if how != sqlite.FIXED and sqlite.recorded_journal_mode(path) != "wal":
            from hermes_checkpoints.catalog.copying import copied

            # A reader keeps writers out there, for as long as somebody pages through an answer.
            folder = stack.enter_context(scratch_folder(temporary_root(), "hermes-checkpoints-"))
            path = copied(path, folder)
            with closing(sqlite.connect(path)) as settled:  # what a log beside it says
                settled.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection = stack.enter_context(closing(sqlite.connect(path, how=how)))
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.text_factory = _text
        connection.set_authorizer(_authorizer(text, refused))
        connection.set_progress_handler(lambda: 0, _STEPS)  # where Python looks at signals
    return connection, refused


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _authorizer(text: str, refused: list[str]) -> Callable[..., int]:
    """Return what lets SQLite read and do nothing else; ``refused`` is told what it was to do."""

    def judge(action: int, what: str | None, more: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_PRAGMA:
            name = (what or "").lower()
            allowed = name in _TELLING or (name in _TELLING_BARE and more is None)
        elif action == sqlite3.SQLITE_FUNCTION:
            what = more
            allowed = (more or "").lower() not in _NO_FUNCTION
        elif action == sqlite3.SQLITE_UPDATE and what == "sqlite_master":
            allowed = True  # SQLite declares a function that yields rows; a real one it refuses
        else:
            allowed = action in _READING
        if allowed:
            return sqlite3.SQLITE_OK
        refused.append(_named(action, what, text))
        return sqlite3.SQLITE_DENY

    return judge


def _named(action: int, what: str | None, text: str) -> str:
    """Return what of a query was refused, as people write it."""
    if action == sqlite3.SQLITE_PRAGMA:
        return f"PRAGMA {what}"
    if action == sqlite3.SQLITE_FUNCTION:
        return f"the function {what}"
    if action in _CHANGES and what is not None and not what.startswith("sqlite_"):
        return f"{_CHANGES[action]} on {what}"
    words = re.findall(r"\w+", _COMMENT.sub(" ", text))
    return words[0].upper() if words else "that"


@contextmanager
def _translated(
    path: Path, connection: sqlite3.Connection | None, text: str, refused: list[str]
) -> Iterator[None]:
    """Raise what SQLite says as an error that tells what is wrong with the query, where that is
    what is wrong."""
    try:
        yield
    except MemoryError as error:
        raise QueryRefused("the query needs more memory than there is") from error
    except sqlite3.ProgrammingError as error:
        if "one statement" in str(error):
            raise QueryRefused("these are several statements; give one at a time") from error
        if "has no name" in str(error):
            raise QueryRefused("a parameter has no name; write :name in place of ?") from error
        raise QueryRefused(f"the query cannot be run: {error}") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        # What refuses says why, unless Ctrl-C ends it: Python raises in whatever it just does.
        cut_short = code == sqlite3.SQLITE_AUTH and not refused
        if code == sqlite3.SQLITE_INTERRUPT or cut_short:
            raise KeyboardInterrupt from None
        if refused:
            raise QueryRefused(
                f"the catalog is only read here: {refused[0]} is refused; what may be asked is "
                "one SELECT, EXPLAIN, or a PRAGMA that only tells something"
            ) from error
        if connection is None or code not in _OF_THE_QUERY:
            from hermes_checkpoints.catalog.failures import of_sqlite

            raise of_sqlite(error, path) from error
        raise QueryRefused(_explained(str(error), text, connection)) from error
    except OSError as error:
        from hermes_checkpoints.catalog.failures import of_system

        raise of_system(error, path) from error


# --- where a query is wrong -----------------------------------------------------------------------


def _explained(message: str, text: str, connection: sqlite3.Connection) -> str:
    """Return what SQLite says of a query, with the place in it and what may have been meant."""
    word, place = _place(message, text, connection)
    where = "" if place is None else f" in line {text.count(chr(10), 0, place) + 1}"
    at = "" if place is None else f", at: {' '.join(text[place : place + 40].split())}"
    return f"the query is wrong{where}: {message}{at}{_instead(message, word, connection)}"


def _place(
    message: str, text: str, connection: sqlite3.Connection
) -> tuple[str | None, int | None]:
    """Return the word that a message is about, and where it stands, where only one place can be
    meant."""
    near = re.fullmatch(r'near "(.*)": syntax error', message, re.DOTALL)
    named = re.fullmatch(
        r"(?:no such (?:column|table|function)|ambiguous column name|misuse of .*?): (\S+)"
        r"|wrong number of arguments to function (\w+)\(\)",
        message,
    )
    if near:
        word = near[1]
    elif named:
        word = named[1] or named[2]
    else:
        return None, None
    word_like = rf"(?<!\w){re.escape(word)}(?!\w)" if word[:1].isalnum() else re.escape(word)
    places = [found.start() for found in re.finditer(word_like, text, re.IGNORECASE)]
    if len(places) > _MOST_PLACES:  # each is parsed up to there
        return word, None
    if near:  # the first at which a query that ends there is wrong, and not only too short
        places = [one for one in places if _is_wrong(text[: one + len(word)], connection)][:1]
    return word, places[0] if len(places) == 1 else None


def _is_wrong(text: str, connection: sqlite3.Connection) -> bool:
    try:
        connection.execute(f"EXPLAIN {text}").close()
    except sqlite3.Error as error:
        return "syntax error" in str(error)
    return False


def _instead(message: str, word: str | None, connection: sqlite3.Connection) -> str:
    """Return a table or column that is nearly called like one that does not exist."""
    found = re.match(r"no such (column|table)", message)
    if found is None or word is None:
        return ""
    asked = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        if found[1] == "table"
        else "SELECT DISTINCT c.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c"
        " WHERE m.type IN ('table', 'view')"
    )
    try:
        names = [str(row[0]) for row in connection.execute(asked)]
    except sqlite3.Error:
        return ""
    bare = word.rpartition(".")[2].strip('"')  # which may be a column of what is not asked
    like = meant(bare, [name for name in names if name.casefold() != bare.casefold()])
    return f"; {like}`sql --schema` lists what there is"


def meant(word: str, names: Iterable[str]) -> str:
    """Return ``did you mean NAME? ``, or nothing where no name is like the word."""
    near = nearest(word, names)
    return "" if near is None else f"did you mean {near}? "

"""Makes a new catalog of what can still be read of a damaged one.

The damaged file is read page by page, without SQLite, since SQLite gives nothing of a file once
its header is garbled, and nothing of what lies below one broken page. Every row that is found goes
into an empty catalog of the same revision, whose constraints decide what is a row. What refers to
a row that is gone is set to nothing, or goes with it.

Nothing of the damaged file is changed.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, literal_column, select

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.damaged import Damaged, good
from hermes_checkpoints.catalog.encoding import encode_path
from hermes_checkpoints.catalog.engine import make_engine
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.catalog.opening import is_current, require_known
from hermes_checkpoints.catalog.pages import Cell, Pages, Tree, Unreadable, Value
from hermes_checkpoints.catalog.schema import APPLICATION_ID, metadata
from hermes_checkpoints.catalog.upgrading import Scripts, upgrade
from hermes_checkpoints.errors import CatalogDamaged

_SEQUENCE = "sqlite_sequence"
_AT_ONCE = 500
_TRIED = 20
"""How many rows of pages of an unknown table must fit one table, and no other."""

Report = Callable[[str], object]
WorkingDirs = Callable[[], Mapping[str, tuple[str, str]]]
"""Gives by commit the hash and the working directory of the project of each stored checkpoint."""

GONE = "its row in the damaged catalog could not be read"
"""Why a checkpoint is lost of which the damaged catalog has the id only, until its commit is read.
"""


@dataclass
class TableSalvage:
    """What became of one table: rows that were ``read``, rows that are ``entered`` now (also such
    as only the indexes or the store still told of), rows that are ``unreadable``, as a whole or in
    part, and ``pages`` of which nothing can be read, with whatever they held."""

    read: int = 0
    entered: int = 0
    unreadable: int = 0
    pages: int = 0

    @property
    def whole(self) -> bool:
        """Whether every row that the damaged catalog had is in the new one, as far as it shows."""
        return self.entered >= self.read and not self.unreadable and not self.pages


@dataclass
class Salvage:
    """What a salvage found: the revision of the damaged catalog and what each table gave."""

    revision: str
    tables: dict[str, TableSalvage] = field(default_factory=dict)


def is_sound(path: Path, scripts: Scripts | None = None) -> bool:
    """Tell whether SQLite reads all of a catalog and finds no fault in it, and it is a catalog.

    Raises:
        CatalogNewer: when a newer version of this package wrote it.
        OSError: when the file cannot be read.
    """
    scripts = scripts or Scripts()
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb"):
        pass  # what may not be read is no damage
    try:
        with closing(sqlite.connect(path, foreign_keys=False)) as connection:
            contents = sqlite.inspect(connection)
            is_current(contents, path, scripts)
            if contents.revision is None:
                return False
            (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            return bool(answer == "ok")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        return False
    except (sqlite3.DatabaseError, UnicodeDecodeError, CatalogDamaged):
        return False


def salvage_into(
    new: Path,
    damaged: Path,
    log: Path,
    *,
    working_dirs: WorkingDirs = dict,
    report: Report = lambda _: None,
    scripts: Scripts | None = None,
) -> Salvage:
    """Make a catalog at ``new``, where nothing is, of what can be read of ``damaged`` and its
    ``log``. It has the revision of the damaged one; where that says none, the newest one that its
    tables fit. ``report`` is told each table as it begins.

    Raises:
        CatalogNewer: when a newer version of this package wrote the damaged one.
        CheckpointError: when the new one cannot be made.
        sqlite3.Error, OSError: for the caller to translate.
    """
    scripts = scripts or Scripts()
    pages = Pages.of(damaged, log) if damaged.is_file() else Pages(b"")
    found = Damaged(pages)
    revision = found.revision()
    if revision is not None:
        require_known(revision, damaged, scripts)
    else:
        revision = _fitting(new, found, scripts)
    _make(new, revision, scripts)
    with closing(sqlite.connect(new, foreign_keys=False)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it counts once it is renamed
        return _Salvage(connection, found, Salvage(revision), report).run(working_dirs)


def _fitting(beside: Path, found: Damaged, scripts: Scripts) -> str:
    """Return the newest of the revisions whose tables are most like those of the damaged file."""
    known = {name: sql for name, sql in found.definitions.items() if sql is not None}
    likeness: dict[str, int] = {}
    for revision in reversed(scripts.revisions) if known else ():
        tried = beside.with_name(f"{beside.name}.{revision}")
        _make(tried, revision, scripts)
        with closing(sqlite.connect(tried)) as connection:
            rows = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
        tried.unlink()
        made = [(name, sql) for name, sql in rows if sql is not None]
        same = sum(known.get(name) == sql for name, sql in made)
        likeness[revision] = same - sum(name not in known for name, _ in made)
        if likeness[revision] == len(known):
            break
    return max(likeness, key=lambda revision: likeness[revision], default=scripts.head)


def drop_unusable(path: Path) -> dict[str, int]:
    """Delete the rows of a catalog of the newest revision that this version cannot read, such as
    one with a time that is none, and what refers to them; return how many by table.

    Raises:
        sqlite3.Error: for the caller to translate.
    """
    bad: dict[str, list[int]] = {}
    engine = make_engine(path, foreign_keys=False)
    with closing(sqlite.connect(path, foreign_keys=False)) as connection, engine.connect() as read:
        for name, table in metadata.tables.items():
            try:
                read.execute(select(table)).all()
            except (ValueError, TypeError):
                rows = _numbers(connection, name)
                bad[name] = [row for row in rows if not _is_usable(read, table, row)]
        read.rollback()
        connection.execute(sqlite.BEGIN_WRITE)
        for name, rows in bad.items():
            sqlite.delete_rows(connection, name, rows)
        gone = sqlite.cut_references(connection)
        connection.execute("COMMIT")
    for name, rows in bad.items():
        gone[name] += len(rows)
    return dict(gone)


def _is_usable(connection: Connection, table: Table, row: int) -> bool:
    try:
        connection.execute(select(table).where(literal_column("rowid") == row)).all()
    except (ValueError, TypeError):
        return False
    return True


def _make(path: Path, revision: str, scripts: Scripts) -> None:
    """Make an empty catalog of a revision."""
    known = scripts.revisions[: scripts.revisions.index(revision) + 1]
    sqlite.create_private(path, APPLICATION_ID)
    only = Scripts(revisions=known, expected=frozenset(), folder=scripts.folder)
    upgrade(path, None, only)


@dataclass(frozen=True)
class _Column:
    name: str
    required: bool
    default: str | None
    is_row: bool


class _Salvage:
    """The way of all rows from the damaged file into the new one."""

    def __init__(
        self, new: sqlite3.Connection, damaged: Damaged, result: Salvage, report: Report
    ) -> None:
        self.new, self.damaged, self.result, self.report = new, damaged, result, report
        names = new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.columns = {
            str(name): self._columns(str(name))
            for (name,) in names.fetchall()
            if not str(name).startswith("sqlite_") and name != sqlite.REVISION_TABLE
        }

    def run(self, working_dirs: WorkingDirs) -> Salvage:
        for name in self.columns:
            self.report(name)
            self._table(name)
        self._strays()
        for name in self.columns:
            if not self.result.tables[name].whole:
                self._from_indexes(name)
        self._projects(working_dirs)
        self._sessions()
        self.new.execute(sqlite.BEGIN_WRITE)
        if "settings" in self.columns:
            self.new.execute("DELETE FROM settings WHERE name = ?", (REFS_SIGN,))
        for name, count in sqlite.cut_references(self.new).items():
            self.result.tables[name].entered -= count
        self._sequences()
        self.new.execute("COMMIT")
        return self.result

    def _columns(self, table: str) -> list[_Column]:
        rows = self.new.execute(f"PRAGMA table_info({table})").fetchall()
        keys = [row for row in rows if row[5]]
        return [
            _Column(
                row[1],
                bool(row[3]),
                row[4],
                len(keys) == 1 and bool(row[5]) and row[2].upper() == "INTEGER",
            )
            for row in rows
        ]

    def _table(self, name: str) -> None:
        found = self.result.tables[name] = TableSalvage()
        found.pages = self.damaged.trees.get(name, Tree(broken=1)).broken
        if not self.damaged.pages.count:
            found.pages = 0
        self._enter(name, self.damaged.cells(name))

    def _enter(self, name: str, cells: Iterable[Cell | Unreadable]) -> None:
        found = self.result.tables[name]
        columns = self.columns[name]
        rows: list[list[Value]] = []
        for cell in cells:
            if isinstance(cell, Unreadable):
                found.unreadable += 1
            elif cell.row is not None and 0 < len(cell.values) <= len(columns):
                rows.append(self._row(columns, cell))
                found.read += 1
                found.unreadable += cell.unreadable > 0
                if len(rows) == _AT_ONCE:
                    self._insert(name, rows)
                    rows = []
        self._insert(name, rows)

    def _row(self, columns: Sequence[_Column], cell: Cell) -> list[Value]:
        """Return a row as a whole: what was added to its table later has its default."""
        row = [
            cell.row if column.is_row else value
            for column, value in zip(columns, cell.values, strict=False)
        ]
        return [cell.row, *row, *(self._default(c) for c in columns[len(row) :])]

    def _default(self, column: _Column) -> Value:
        if column.default is None:
            return None
        value: Value = self.new.execute(f"SELECT {column.default}").fetchone()[0]
        return value

    def _insert(self, name: str, rows: Sequence[Sequence[Value]]) -> None:
        """Enter rows, each with its number first. What a constraint refuses stays out."""
        if not rows:
            return
        before = self.new.total_changes
        self.new.execute(sqlite.BEGIN_WRITE)
        self.new.executemany(self._insertion(name, "OR IGNORE"), rows)
        self.new.execute("COMMIT")
        self.result.tables[name].entered += self.new.total_changes - before

    # --- pages of which nothing says whose they are ----------------------------------------------

    def _strays(self) -> None:
        for numbers in self.damaged.strays():
            cells = [c for n in numbers for c in good(self.damaged.pages.cells(n))]
            fitting = [name for name in self.columns if self._fits(name, cells[:_TRIED])]
            if cells and len(fitting) == 1:
                self._enter(fitting[0], cells)

    def _fits(self, name: str, cells: Sequence[Cell]) -> bool:
        columns = self.columns[name]
        least = sum(column.required and column.default is None for column in columns)
        if not all(least <= len(cell.values) <= len(columns) for cell in cells):
            return False
        self.new.execute(sqlite.BEGIN_WRITE)
        try:
            rows = [self._row(columns, cell) for cell in cells]
            self.new.executemany(self._insertion(name, "OR ABORT"), rows)
        except sqlite3.Error:
            return False
        finally:
            self.new.execute("ROLLBACK")
        return True

    def _insertion(self, name: str, otherwise: str) -> str:
        """Return the statement that enters rows of a table, each with its number first."""
        names = ["rowid", *(f'"{column.name}"' for column in self.columns[name])]
        marks = ", ".join("?" * len(names))
        return f"INSERT {otherwise} INTO {name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608

    # --- what the indexes still say of rows whose page is gone -----------------------------------

    def _from_indexes(self, name: str) -> None:
        known = set(_numbers(self.new, name))
        found: dict[int, dict[str, Value]] = defaultdict(dict)
        for _, index, *_ in self.new.execute(f"PRAGMA index_list({name})").fetchall():
            columns = [row[2] for row in self.new.execute(f"PRAGMA index_info({index})")]
            for cell in good(self.damaged.cells(index)):
                *values, row = cell.values
                if isinstance(row, int) and row not in known and len(values) == len(columns):
                    found[row] |= dict(zip(columns, values, strict=True))
        rows: list[list[Value]] = []
        for number, known_values in found.items():
            whole = _completed(name, known_values, self.columns[name])
            cell = Cell(number, [])
            empty = self._row(self.columns[name], cell)[1:]
            filled = [
                number if column.is_row else whole.get(column.name, value)
                for column, value in zip(self.columns[name], empty, strict=True)
            ]
            rows.append([number, *filled])
        self._insert(name, rows)

    def _projects(self, working_dirs: WorkingDirs) -> None:
        """Make the rows of projects that are gone of what the commits of their checkpoints say. A
        checkpoint of which an index has no more than the commit gets its project by that, too."""
        query = (
            "SELECT id, project_id, commit_id, created_at FROM checkpoints"
            " WHERE project_id NOT IN (SELECT id FROM projects) ORDER BY id"
        )
        lost = self.new.execute(query).fetchall()
        if not lost:
            return
        by_commit = working_dirs()
        self.new.execute(sqlite.BEGIN_WRITE)
        made: dict[int, list[Value]] = {}
        for number, commit, created_at in self._numbered(lost, by_commit):
            if commit in by_commit:
                hash_, working_dir = by_commit[commit]
                first = made.get(number, [None, None, None, created_at])[3]
                made[number] = [hash_, encode_path(working_dir), created_at, first]
        names = [column.name for column in self.columns["projects"]]
        directory = next(name for name in names if name.startswith("work"))
        statement = (
            f"INSERT OR IGNORE INTO projects (id, hash, {directory}, last_touch, created_at)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?)"
        )
        rows = [(number, *values) for number, values in made.items()]
        made_now = self.new.executemany(statement, rows).rowcount
        self.result.tables["projects"].entered += made_now
        self.new.execute("COMMIT")

    def _numbered(
        self, lost: Sequence[tuple[Any, ...]], by_commit: Mapping[str, tuple[str, str]]
    ) -> list[tuple[Any, ...]]:
        """Return project, commit and time of each checkpoint. One of which no more than the commit
        is known becomes one of the project that the commit names."""
        numbers: dict[str, int] = dict(self.new.execute("SELECT hash, id FROM projects").fetchall())
        for _, number, commit, _ in lost:
            if isinstance(number, int) and commit in by_commit:
                numbers.setdefault(by_commit[commit][0], number)
        unused = itertools.count(self._unused_project())
        given: dict[int, int] = {}
        for checkpoint, number, commit, _ in lost:
            if not isinstance(number, int) and commit in by_commit:
                hash_ = by_commit[commit][0]
                if hash_ not in numbers:
                    numbers[hash_] = next(unused)
                given[checkpoint] = numbers[hash_]
        belongs = "UPDATE checkpoints SET project_id = ? WHERE id = ?"
        self.new.executemany(belongs, [(number, id_) for id_, number in given.items()])
        return [(given.get(id_, number), commit, at) for id_, number, commit, at in lost]

    def _unused_project(self) -> int:
        """Return a number of a project that no row names, also of one that is gone."""
        most = 0
        for name, columns in self.columns.items():
            column = "id" if name == "projects" else "project_id"
            if any(one.name == column for one in columns):
                query = f"SELECT max({column}) FROM {name} WHERE typeof({column}) = 'integer'"  # noqa: S608
                most = max(most, self.new.execute(query).fetchone()[0] or 0)
        return most + 1

    def _sessions(self) -> None:
        """Let the newest former version of a session whose present one is gone be the present
        one."""
        if "session_checkpoint_versions" not in self.columns:
            return
        present = {column.name for column in self.columns["session_checkpoints"]}
        former = [c.name for c in self.columns["session_checkpoint_versions"]]
        names = ", ".join(name for name in former if name in present)
        lost = (
            "SELECT session_id, max(version) FROM session_checkpoint_versions WHERE session_id"
            " NOT IN (SELECT session_id FROM session_checkpoints) GROUP BY session_id"
        )
        found = self.new.execute(lost).fetchall()
        which = "FROM session_checkpoint_versions WHERE session_id = ? AND version = ?"
        self.new.execute(sqlite.BEGIN_WRITE)
        self.new.executemany(
            f"INSERT INTO session_checkpoints ({names}) SELECT {names} {which}",
            found,
        )
        self.new.executemany(f"DELETE {which}", found)
        self.new.execute("COMMIT")
        self.result.tables["session_checkpoints"].entered += len(found)
        self.result.tables["session_checkpoint_versions"].entered -= len(found)

    def _sequences(self) -> None:
        """Never give a number again that the damaged catalog had given."""
        for cell in good(self.damaged.cells(_SEQUENCE)):
            match cell.values:
                case [str(name), int(number)] if name in self.columns:
                    self.new.execute(
                        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?",
                        (number, name),
                    )
                    self.new.execute(
                        "INSERT INTO sqlite_sequence SELECT ?, ? WHERE NOT EXISTS"
                        " (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
                        (name, number, name),
                    )


def _completed(
    name: str, values: Mapping[str, Value], columns: Sequence[_Column]
) -> dict[str, Value]:
    """Return what the indexes say of a row, with what can be said of the rest of it. A checkpoint
    is lost until its commit is read, which tells all of it but the pin."""
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    whole = dict(values)
    if name == "projects" and "last_touch" in values:
        whole["created_at"] = values["last_touch"]
    if name == "checkpoints" and "commit_id" in values and values.get("state") != "arriving":
        required = [c.name for c in columns if c.required and c.default is None]
        lost_at = now if values.get("state") != "pruned" else None
        unknown = {"kind": "auto", "reason": GONE, "created_at": now}
        gone = {"state": "pruned", "pruned_at": now, "prune_reason": GONE, "lost_at": lost_at}
        whole = dict.fromkeys(required, "") | unknown | dict(values) | gone
    return whole


def _numbers(connection: sqlite3.Connection, table: str) -> list[int]:
    return [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]  # noqa: S608

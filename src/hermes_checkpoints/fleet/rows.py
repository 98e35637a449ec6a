"""Lets the index have what a remote has, in one transaction.

Each statement is one of its own, READ COMMITTED, so that it sees what others have committed while
it waited. Sums are never added up: they are counted anew from the rows of whatever was touched,
after its rows were locked, so that a run that was killed leaves nothing wrong behind, and two that
write at once count what both have. All lock in the same order, so that no two wait for each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from hermes_checkpoints.catalog.encoding import encode_path, storable
from hermes_checkpoints.fleet import statements
from hermes_checkpoints.fleet.reading import Place, Ref
from hermes_checkpoints.model import RemoteCheckpoint

MOST_WORDS = 200
"""How many characters of a reason, or of the name of a machine, are kept."""


MANY = 10_000
"""Where so many rows have come, the server looks at the tables again, for its plans: of
a table that is divided it does not do so by itself."""


class Written(NamedTuple):
    """How many checkpoints the index has of a remote, how many came, and how many went."""

    listed: int
    added: int
    gone: int


def url_hash(shown: str) -> str:
    """Return the digits by which a remote is told, of its address as it is shown."""
    return hashlib.sha256(storable(shown).encode()).hexdigest()[:16]


def remote_id(connection: Connection, shown: str) -> int:
    """Return the number of a remote, which is added where it is new."""
    values = {"digits": url_hash(shown), "url": storable(shown)}
    with connection.begin():
        known: int = connection.exec_driver_sql(statements.REMOTE, values).scalar_one()
    return known


def record_failure(connection: Connection, remote: int, code: str, error: str) -> None:
    """Record that a remote could not be indexed. What is known of it stays."""
    values = {"remote": remote, "code": code, "error": storable(error)}
    with connection.begin():
        connection.exec_driver_sql(statements.FAILED, values)


def compare(
    connection: Connection, remote: int, refs: Iterable[Ref]
) -> tuple[list[Ref], set[Place]]:
    """Tell the database what a remote has; return what of it is new, and the places of which
    something is gone."""
    values = {"remote": remote}
    with connection.begin():
        for statement in statements.TEMPORARY:
            connection.exec_driver_sql(statement)
        now = ((*ref.place, ref.name, bytes.fromhex(ref.commit)) for ref in refs)
        _copy(connection, "COPY fleet_now FROM STDIN", now)
        connection.exec_driver_sql("ANALYZE fleet_now")
        connection.exec_driver_sql(statements.FIND_GONE, values)
        fresh = connection.exec_driver_sql(statements.FRESH, values).all()
        gone = connection.exec_driver_sql(statements.PLACES_GONE).all()
    return [Ref(Place(*row[:3]), row[3], row[4]) for row in fresh], {Place(*row) for row in gone}


def write(
    connection: Connection,
    remote: int,
    new: Iterable[tuple[Ref, RemoteCheckpoint]],
    facts: Iterable[tuple[Place, RemoteCheckpoint]],
    names: Iterable[tuple[Place, str]],
    malformed: int,
) -> Written:
    """Write what ``compare`` found: ``new`` checkpoints, and ``facts`` for each place of which
    something came or went, which are those of its newest checkpoint. ``names`` are what places are
    called by their machines."""
    values = {"remote": remote, "malformed": malformed}

    def run(statement: str) -> int:
        return connection.exec_driver_sql(statement, values).rowcount

    with connection.begin():
        called = ((*place, _cut(name)) for place, name in names)
        _copy(connection, "COPY fleet_named FROM STDIN", called)
        _copy(connection, "COPY fleet_facts FROM STDIN", (_facts(*one) for one in facts))
        _copy(connection, "COPY fleet_new FROM STDIN", (_row(*one) for one in new))
        connection.exec_driver_sql("ANALYZE fleet_gone, fleet_named, fleet_facts, fleet_new")
        run(statements.TOUCH)
        run(statements.LOCK_PROJECTS)
        run(statements.LOCK_MACHINES)
        gone = run(statements.DELETE)
        run(statements.PLACES)
        run(statements.MOVE)
        run(statements.TOUCH)  # those that are new, and those that are of another project now
        connection.exec_driver_sql("ANALYZE fleet_touched")
        added = run(statements.INSERT)
        run(statements.RENAME)
        for statement in statements.SUMS:
            run(statement)
        listed = connection.exec_driver_sql(statements.INDEXED, values).scalar_one()
    if added >= MANY:
        with connection.begin():
            connection.exec_driver_sql(statements.ANALYZE)
    return Written(listed, added, gone)


def _copy(connection: Connection, command: str, rows: Iterable[Sequence[Any]]) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(command) as copy:
        for row in rows:
            copy.write_row(row)


def _facts(place: Place, one: RemoteCheckpoint) -> tuple[Any, ...]:
    """Return what a place is, of its newest checkpoint. The project is told as everywhere
    (``model.ProjectKey``): by the place in the repository, else by the path."""
    repository = None if one.repository is None else storable(one.repository)
    subdirectory = None if repository is None else encode_path(one.subdirectory or "")
    path_hash = place.project_hash if repository is None else None
    known_by = f"path\0{path_hash}" if repository is None else f"{repository}\0{subdirectory}"
    key = hashlib.sha256(known_by.encode()).digest()
    return (*place, encode_path(one.working_dir), key, repository, subdirectory, path_hash)


def _row(ref: Ref, one: RemoteCheckpoint) -> tuple[Any, ...]:
    """Return the row of a checkpoint."""
    return (
        *ref.place,
        ref.name,
        bytes.fromhex(ref.commit),
        one.created_at,
        one.file_count,
        one.logical_bytes,
        one.turn,
        one.kind.value,
        None if one.session_id is None else storable(one.session_id),
        _cut(one.reason),
        one.partial,
    )


def _cut(words: str) -> str:
    """Return words as they are kept."""
    text = storable(words)
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 1]}…"

"""A connection to the database of the index.

It is one connection with a session of its own: the lock on a remote, which is held while git
fetches, and the tables of a run are of that session. So no pooler that lends a connection for one
transaction may stand in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.pool import NullPool

from hermes_checkpoints.errors import FleetDenied, FleetFailed, without_library
from hermes_checkpoints.fleet.address import shown
from hermes_checkpoints.fleet.failures import translated

OLDEST = 13
"""The oldest version of PostgreSQL that is supported."""

_CONNECT_SECONDS = 15
_LOCK_SECONDS = 60
_SETTINGS = (
    "SET timezone = 'UTC'",
    f"SET lock_timeout = '{_LOCK_SECONDS}s'",
    # Git may fetch for long meanwhile; PostgreSQL has it from version 14 on.
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'",
)


def require_library() -> None:
    """Refuse to go on without the library that speaks with PostgreSQL.

    Raises:
        BadRequest: with what installs it.
    """
    try:
        import psycopg  # noqa: F401 - whether it is there
    except ImportError as error:
        raise without_library("fleet", "psycopg", "fleet") from error


@contextmanager
def connected(url: URL) -> Iterator[Connection]:
    """Yield a connection to the database of an index, in no transaction; what fails in the block
    because of the database is an error of this package.

    Raises:
        FleetUnreachable, FleetDenied, FleetFailed, CatalogBusy, NoSpace.
    """
    with translated(url):
        engine = create_engine(
            url,
            poolclass=NullPool,
            hide_parameters=True,
            connect_args=_arguments(url),
            # Sets no isolation level of its own: READ COMMITTED, in which a statement sees what
            # others have committed before it began, also while it waited for their locks.
            isolation_level="READ COMMITTED",
        )
        with engine.connect() as connection:
            _require_fit(connection, url)
            with connection.begin():
                for setting in _SETTINGS:
                    connection.exec_driver_sql(setting)
            yield connection


def _arguments(url: URL) -> dict[str, Any]:
    usual = {"connect_timeout": _CONNECT_SECONDS, "application_name": "hermes-checkpoints fleet"}
    chosen = {name: value for name, value in usual.items() if name not in url.query}
    return {**chosen, "client_encoding": "UTF8"}


def _require_fit(connection: Connection, url: URL) -> None:
    """Refuse a server that is too old, a database that cannot hold every text, and a user who has
    no schema."""
    with connection.begin():
        row = connection.exec_driver_sql(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version'),"
            " current_setting('server_encoding'), current_schema()"
        ).one()
    number, version, encoding, schema = row
    if number < OLDEST * 10_000:
        raise FleetFailed(
            f"the index {shown(url)} is on PostgreSQL {version}; {OLDEST} or newer is needed"
        )
    if encoding != "UTF8":
        raise FleetFailed(
            f"the database of the index {shown(url)} has the encoding {encoding}, which cannot hold"
            " every name; create one WITH ENCODING 'UTF8' TEMPLATE template0"
        )
    if schema is None:
        raise FleetDenied(
            f"this user has no schema in the index {shown(url)}; create one, and put it into the "
            "user's search_path, as docs/fleet.md says"
        )


def advisory_key(*words: str) -> int:
    """Return the number of an advisory lock of PostgreSQL for some words."""
    digest = hashlib.sha256("\0".join(("hermes-checkpoints fleet", *words)).encode()).digest()
    return int.from_bytes(digest[:8], signed=True)


@contextmanager
def try_lock(connection: Connection, *words: str) -> Iterator[bool]:
    """Hold an advisory lock in the session of a connection; yield whether it could be had at once.
    It is of the schema of the index: another one in the same database has its own."""
    with connection.begin():
        schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
        key = advisory_key(schema, *words)
        had = connection.exec_driver_sql("SELECT pg_try_advisory_lock(%s)", (key,)).scalar_one()
    try:
        yield had
    finally:
        if had and not connection.invalidated and not connection.closed:
            _unlock(connection, key)


def _unlock(connection: Connection, key: int) -> None:
    if connection.in_transaction():
        connection.rollback()
    with connection.begin():
        connection.exec_driver_sql("SELECT pg_advisory_unlock(%s)", (key,))

"""Turns every failure of PostgreSQL into this package's error tree, by its SQLSTATE.

This is the only place that looks at errors of that database. A message has the server's words,
without a password, and says what a person can do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hermes_checkpoints.errors import (
    PROGRAM,
    CatalogBusy,
    CheckpointError,
    FleetDenied,
    FleetFailed,
    FleetUnreachable,
    NoSpace,
)
from hermes_checkpoints.fleet.address import secrets_of, shown
from hermes_checkpoints.remote.words import said

_BUSY = frozenset({"55P03", "55006", "40P01", "40001"})
"""A lock took too long, or two waited for each other."""
_AWAY = frozenset({"57P01", "57P02", "57P03", "57P05", "53300", "25P03"})
"""The server ends or starts, has no connection left, or has ended this one."""
_DENIED = frozenset({"42501", "3D000", "3F000", "0LP01"})
_OTHER_TABLES = frozenset({"42P01", "42703", "42P07", "42710", "42804", "42P10", "23505", "23503"})
"""Tables, columns and rows are not those of the revision that the index names."""
_NOT_NOW = re.compile(
    r"starting up|shutting down|recovery mode|too many (?:clients|connections)|connection slots"
)


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Run a block that uses the index at an address; raise its failures as ``CheckpointError``.

    Raises:
        FleetUnreachable, FleetDenied, CatalogBusy, NoSpace: as their names say.
        FleetFailed: for any other failure of the database.
    """
    import psycopg

    try:
        yield
    except DBAPIError as error:
        raise _of(error.orig, url) from None
    except psycopg.Error as error:
        raise _of(error, url) from None
    except SQLAlchemyError as error:
        raise FleetFailed(f"the index {shown(url)} failed: {_words(error, url)}") from None


def _of(error: BaseException | None, url: URL) -> CheckpointError:
    where = f"the index {shown(url)}"
    words = _words(error, url)
    state = getattr(error, "sqlstate", None)
    if state is None:
        return _without_state(error, where, words)
    if state in _BUSY:
        return CatalogBusy(
            f"{where} is in use by somebody else ({words}); nothing was changed: try again"
        )
    if state == "57014":
        return CatalogBusy(
            f"{where} ended a statement that took too long ({words}); nothing was changed: raise "
            "statement_timeout of this user, or try again"
        )
    if state == "53100":
        return NoSpace(
            f"no space is left on the server of {where} ({words}); free some there and try again"
        )
    if state in _AWAY or state.startswith("08"):
        return _unreachable(where, words)
    if state in _DENIED or state.startswith("28"):
        return _denied(where, words)
    if state in _OTHER_TABLES:
        return FleetFailed(
            f"{where} is not as its revision has it ({words}); drop its tables, as docs/fleet.md "
            f"says, and `{PROGRAM} fleet index` makes it anew"
        )
    return FleetFailed(f"{where} failed: {words} (SQLSTATE {state})")


def _without_state(error: BaseException | None, where: str, words: str) -> CheckpointError:
    """Return what it means that a connection could not be made, or went."""
    import psycopg

    if isinstance(error, psycopg.ProgrammingError):  # before anybody was asked
        return FleetFailed(f"{where} cannot be asked ({words}); correct its address")
    connection = getattr(error, "pgconn", None)
    asked = bool(
        getattr(connection, "needs_password", False) or getattr(connection, "used_password", False)
    )
    answered = asked or "FATAL" in words or "fe_sendauth" in words
    if answered and not _NOT_NOW.search(words):
        return _denied(where, words)
    return _unreachable(where, words)


def _denied(where: str, words: str) -> FleetDenied:
    return FleetDenied(
        f"{where} does not let this user in, or do this ({words}); look at user, password and "
        "rights: docs/fleet.md says which are needed"
    )


def _unreachable(where: str, words: str) -> FleetUnreachable:
    return FleetUnreachable(
        f"{where} gives no answer ({words}); look whether the server runs and the address is right"
    )


def _words(error: BaseException | None, url: URL) -> str:
    """Return what the server said, in one line, without what gives access."""
    text = str(error or "no message")
    return said(text.encode("utf-8", "replace"), secrets_of(url))

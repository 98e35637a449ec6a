"""Makes a new catalog of the tables themselves, without the revisions that led to them.

``new_catalog.sql`` beside this module holds the tables, indexes, views and rows of the newest
revision to the letter, as the revisions make them from nothing: a test compares both, and
``tests/catalog/revisions/new_catalog.py`` writes it. So a new catalog needs no Alembic, and no
expression is compiled for it.

Revisions also read what earlier versions left beside a catalog. Where there is anything of that
kind, they are run.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hermes_checkpoints.catalog import sqlite

Collect = Callable[[str | None, frozenset[str]], Sequence[Mapping[str, object]]]
"""Reads what earlier versions left beside a catalog, for the revision that enters it. Is given the
revision that the catalog has (None: no tables yet) and the paths that it lists as imported."""

STATEMENTS = "new_catalog.sql"

_READ_BY_REVISIONS = re.compile(r"[0-9a-f]{16}|.*\.yaml|legacy-.*|\.last_prune|store")
"""The names in a base at which a revision looks, as migrations/versions/0005_legacy.py has them."""


def reads_what_is_beside(path: Path) -> bool:
    """Tell whether a revision would look at something that lies beside the catalog ``path``.

    Raises:
        OSError: when the folder cannot be read.
    """
    return any(_READ_BY_REVISIONS.fullmatch(name) for name in os.listdir(path.parent))


def needs_no_revision(path: Path, collect: Collect | None) -> bool:
    """Tell whether a new catalog at ``path`` can be made whole, since nothing of earlier versions
    is there.

    Raises:
        OSError: when the folder cannot be read.
    """
    return not reads_what_is_beside(path) and not (collect and collect(None, frozenset()))


def statements() -> str:
    """Return the SQL that makes the newest revision's tables, views and rows in an empty file."""
    return Path(__file__).with_name(STATEMENTS).read_text(encoding="utf-8")


def fill(connection: sqlite3.Connection) -> None:
    """Make the tables, views and rows of the newest revision in a file without any, in one
    transaction.

    Raises:
        sqlite3.Error: for the caller to translate; nothing was made then.
    """
    try:
        connection.executescript(f"{sqlite.BEGIN_WRITE};\n{statements()}COMMIT;\n")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

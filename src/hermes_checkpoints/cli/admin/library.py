"""Datasette, without what happens to be installed beside it; it is imported here and nowhere else.

Its plugins run as soon as it is loaded, and may show anything to anybody. Another SQLite than that
of the package in one process (``pysqlite3``) would undo the locks of that one:
https://sqlite.org/howtocorrupt.html, 2.2.1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hermes_checkpoints.errors import BadRequest as Refused

_NOT_ALONE = (
    "Datasette was loaded with plugins of this environment, which might show the catalog to "
    "others; run `admin` as a program of its own, with Datasette 0.65"
)


@contextmanager
def _alone() -> Iterator[None]:
    """Let Datasette find no plugins, as its own tests do, and no other SQLite.

    Raises:
        BadRequest: when it was loaded before, with all of that.
    """
    if "datasette.plugins" in sys.modules:
        raise Refused(_NOT_ALONE)
    other = sys.modules.get("pysqlite3")
    sys._called_from_test = True  # type: ignore[attr-defined]
    sys.modules["pysqlite3"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys._called_from_test  # type: ignore[attr-defined]
        del sys.modules["pysqlite3"]
        if other is not None:
            sys.modules["pysqlite3"] = other


with _alone():
    from datasette import Response, hookimpl
    from datasette.app import Datasette
    from datasette.database import Database
    from datasette.plugins import pm
    from datasette.utils.asgi import BadRequest, Base400
    from datasette.utils.sqlite import sqlite3
    from datasette.views.base import DatasetteError

if pm.list_plugin_distinfo():
    raise Refused(_NOT_ALONE)

__all__ = [
    "BadRequest",
    "Base400",
    "Database",
    "Datasette",
    "DatasetteError",
    "Response",
    "hookimpl",
    "pm",
    "sqlite3",
]

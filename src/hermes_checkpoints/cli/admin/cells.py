"""How the pages of ``admin`` show values, and what went wrong: a plugin of Datasette.

A page shows what a person reads: times without what no clock knows, sizes with their thousands,
and rows that others refer to by their names. JSON and CSV have the values as they are.
"""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from hermes_checkpoints.catalog.schema import metadata
from hermes_checkpoints.cli.admin.library import Base400, DatasetteError, Response, hookimpl
from hermes_checkpoints.cli.output import complain
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import SHORT_ID
from hermes_checkpoints.text import shown, size

_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.\d{6}")
_BYTES = re.compile(r"(?:.*_)?bytes")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@hookimpl  # type: ignore[untyped-decorator]
def render_cell(value: Any, column: str, table: str | None, database: str, datasette: Any) -> Any:
    """Return what a page shows in place of a value, or None where that is the value itself."""
    if isinstance(value, dict):
        return _reference(value["value"], value["label"], column, table, database, datasette)
    if isinstance(value, int) and _BYTES.fullmatch(column):
        return Markup('<span title="{}">{}</span>').format(size(value), f"{value:,}")
    time = _TIME.fullmatch(value) if isinstance(value, str) else None
    return None if time is None else Markup('<span title="{} UTC">{}</span>').format(value, time[1])


def _reference(
    value: Any, label: Any, column: str, table: str | None, database: str, datasette: Any
) -> Any:
    """Return a link to the row that another one refers to, by its name; None for a table that is
    not of this package, which Datasette shows in its own way."""
    known = metadata.tables.get(table or "")
    if known is None:
        return None
    (to,) = known.columns[column].foreign_keys
    name = "" if label is None else shown(str(label))
    link = Markup('<a href="{}" title="{}">{}</a>&nbsp;<em>{}</em>')
    short = name[:SHORT_ID] if _COMMIT.fullmatch(name) else name
    where = datasette.urls.row(database, to.column.table.name, str(value))
    return link.format(where, name, short or "-", value)


@hookimpl  # type: ignore[untyped-decorator]
def handle_exception(datasette: Any, request: Any, exception: Exception) -> Any:
    """Return the page, or the JSON document, that says what went wrong."""

    async def answer() -> Any:
        status, title = 500, None
        said: Any = str(exception)
        if isinstance(exception, DatasetteError):
            status, title, said = exception.status, exception.title, exception.message
            if exception.message_is_html:
                said = Markup(said)  # noqa: S704 - Datasette's own, of what it has escaped
        elif isinstance(exception, Base400):
            status = exception.status
        elif isinstance(exception, CheckpointError):
            status = 503
        else:
            said = f"{type(exception).__name__}: {exception}"
            complain(f"unexpected error of the page {request.path}: {said}")
        found = {"ok": False, "error": said, "status": status, "title": title}
        if request.path.endswith(".json"):
            return Response.json(found, status=status)
        page = await datasette.render_template("error.html", found, request=request)
        return Response.html(page, status=status)

    return answer

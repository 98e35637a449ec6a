"""How a query becomes the text of a view, and what columns of views are made of."""

from __future__ import annotations

import enum
from typing import Any

from sqlalchemy import ColumnElement, Select, String, case, cast, func, literal, type_coerce
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.types import TypeEngine

from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.model import SHORT_ID


class _Compiler(SQLiteCompiler):
    """Writes members of enumerations out as the text that they are bound as."""

    def render_literal_value(self, value: Any, type_: TypeEngine[Any]) -> str:
        if isinstance(value, enum.StrEnum):
            value, type_ = value.value, String()
        return super().render_literal_value(value, type_)


class _Dialect(SQLiteDialect_pysqlite):
    statement_compiler = _Compiler
    supports_statement_cache = False


def text_of(query: Select[Any]) -> str:
    """Return a query as SQL that needs no values."""
    return str(query.compile(dialect=_Dialect(), compile_kwargs={"literal_binds": True}))


def second(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """Return a time cut to seconds."""
    return func.substr(moment, 1, 19, type_=String())


def yes_or_no(condition: ColumnElement[Any]) -> ColumnElement[str]:
    return case((condition, "yes"), else_="no")


def short(commit_id: ColumnElement[str]) -> ColumnElement[str]:
    return func.substr(commit_id, 1, SHORT_ID, type_=String())


def moment(back: ColumnElement[int] | None = None, unit: str = "") -> ColumnElement[Any]:
    """Return the present time as the catalog stores times, or one so many units before it."""
    shifts = [] if back is None else [literal("-").concat(cast(back, String)).concat(f" {unit}")]
    text = func.strftime("%Y-%m-%d %H:%M:%f", "now", *shifts, type_=String())
    return type_coerce(text.concat("000"), UtcDateTime())

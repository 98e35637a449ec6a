"""Column types that keep the catalog readable in any SQLite shell and exact in Python.

Each type stores plain text that a person can read, and gives back exactly the value that was
stored. The encodings are part of the on-disk format, see docs/catalog.md.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import DateTime, Dialect, String, Text, TypeDecorator

from hermes_checkpoints.catalog.encoding import (
    encode_path,
    read_document,
    read_moment,
    read_path,
    storable,
    write_document,
)

_T = TypeVar("_T")
_Reading = Callable[[Any], _T | None]
"""Makes of what the database has what Python has, without SQLAlchemy in between: a report reads
thousands of values."""


class PathText(TypeDecorator[str]):
    """A path: ``os.fsdecode`` form in Python, readable text in the database. No path has a NUL:
    what somebody else wrote with one is read as a path that is nowhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else encode_path(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> _Reading[str]:  # noqa: ARG002
        return read_path


class PlainText(TypeDecorator[str]):
    """Text from people and programs, made storable: what UTF-8 cannot hold becomes an escape.

    Lone surrogates become ``\\udNNN`` and NUL becomes ``\\x00``, so that no reason, label or
    error message can make a write fail.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Member(TypeDecorator[enum.StrEnum]):
    """A member of an enumeration: the member itself in Python, its value in the database.

    Raises:
        ValueError: for a value that is none of theirs, on the way in and out.
    """

    impl = String
    cache_ok = True

    def __init__(self, members: type[enum.StrEnum], length: int) -> None:
        super().__init__(length)
        self.members = members

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        if type(value) is self.members:
            return value.value
        return None if value is None else self.members(value).value

    def result_processor(self, dialect: Dialect, coltype: object) -> _Reading[enum.StrEnum]:  # noqa: ARG002
        members, known = self.members, {member.value: member for member in self.members}

        def read(value: Any) -> enum.StrEnum | None:
            return None if value is None else known.get(value) or members(value)

        return read


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: aware and in UTC in Python, naive UTC in the database.

    Raises:
        ValueError: on binding a naive datetime.
    """

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"the catalog stores aware times only, not {value!r}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def result_processor(self, dialect: Dialect, coltype: object) -> _Reading[datetime]:  # noqa: ARG002
        return read_moment


class JsonText(TypeDecorator[Mapping[str, Any]]):
    """A mapping as JSON text. Values that JSON lacks are stored as their ``str``."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, Any] | None, _dialect: Dialect) -> str | None:
        return None if value is None else write_document(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Mapping[str, Any]:
        return read_document(value)

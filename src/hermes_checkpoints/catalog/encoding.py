"""How paths and texts are written in the catalog, readable in any SQLite shell and exact in Python.

The encodings are part of the on-disk format, see docs/catalog.md. ``types.py`` makes column types
of them; whoever reads without SQLAlchemy uses them as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_checkpoints.model import Owner, Turn

_ESCAPED_BYTE = 0xDC00  # os.fsdecode maps the undecodable byte NN to the character U+DCNN
_TO_TEXT = re.compile(r"[\\\ud800-\udfff]")
_FROM_TEXT = re.compile(r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4})")


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\\":
        return "\\\\"
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - _ESCAPED_BYTE:02x}"
    return f"\\u{code:04x}"


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if escape == "\\":
        return "\\"
    code = int(escape[1:], 16)
    return chr(code + _ESCAPED_BYTE if escape[0] == "x" else code)


def encode_path(path: str) -> str:
    """Return the stored text of a path in ``os.fsdecode`` form.

    A backslash becomes two, and an undecodable byte becomes ``\\xNN`` (a lone surrogate of a
    Windows name ``\\uNNNN``); all else stays. Characters are encoded one by one, so the text of
    a path begins with the text of each of its prefixes.
    """
    if path.isascii() and "\\" not in path:  # as nearly all; a tenth of the time of a search
        return path
    return _TO_TEXT.sub(_escape, path)


def decode_path(text: str) -> str:
    """Return the path whose stored text this is; the exact inverse of ``encode_path``."""
    return _FROM_TEXT.sub(_unescape, text) if "\\" in text else text


def storable(text: str) -> str:
    """Return a text as ``PlainText`` keeps it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def read_path(value: Any) -> str | None:
    """Return a path as it stands in the catalog; a NUL, which no path has, shows."""
    return None if value is None else decode_path(value).replace("\0", "\ufffd")


def read_moment(value: Any) -> datetime | None:
    """Return a moment, aware and in UTC, of how it stands in the catalog."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{value}+00:00")
    except ValueError:  # as somebody may have written it: with a zone
        moment = datetime.fromisoformat(value)
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:  # without a time, in whose place the zone is read
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{value} is out of range in UTC") from error


def write_document(document: Mapping[str, Any]) -> str | None:
    """Return a document as the catalog keeps it; nothing for an empty one. Values that JSON lacks
    are stored as their ``str``."""
    if not document:
        return None
    text = json.dumps(dict(document), ensure_ascii=False, sort_keys=True, default=str)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def read_document(value: str | None) -> Mapping[str, Any]:
    """Return a document of how it stands in the catalog; an empty one for none."""
    return {} if value is None else dict(json.loads(value))


def read_names(value: str | None) -> tuple[str, ...]:
    """Return texts in order, of the JSON array that SQL gives."""
    return tuple(sorted(json.loads(value))) if value and value != "[]" else ()


def read_turn(row: Sequence[Any]) -> Turn:
    """Return the open turn that a row tells of: id, session, number, actor, when it began, the
    process of the agent as JSON, and whether every tool is told."""
    from hermes_checkpoints.model import Actor, Turn

    id_, session_id, number, actor, started_at, owner, tools_told = row
    known = None if owner is None else read_owner(owner)
    return Turn(id_, session_id, number, Actor(actor), started_at, known, tools_told)


def read_owner(value: str) -> Owner:
    """Return the process of an agent, of the JSON that a turn has of it.

    Raises:
        ValueError, TypeError: when it is none, for the caller to translate.
    """
    from hermes_checkpoints.model import Owner

    owner = Owner(**json.loads(value))
    if [type(one) for one in vars(owner).values()] != [str, str, int, str]:
        raise ValueError(f"{value!r} is no process")
    return owner

"""Values as JSON has them, for all documents.

Times are RFC 3339 in UTC, sizes are integer bytes. A path is the exact string where its bytes
are valid UTF-8; otherwise U+FFFD stands for what is not, and a second member with the suffix
``_base64`` holds the exact bytes.
"""

from __future__ import annotations

import base64
import os
from datetime import UTC, datetime
from typing import Any

Document = dict[str, Any]
"""A JSON object."""


def instant(moment: datetime | None) -> str | None:
    """Return a time as ``2026-11-28T10:00:00.123456Z``."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def exact(name: str, value: str | os.PathLike[str]) -> Document:
    """Return the member ``name``, and ``name_base64`` where a JSON string cannot be exact."""
    raw = os.fspath(value).encode("utf-8", "surrogateescape")
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text and text.encode() != raw:
        return {name: text, f"{name}_base64": base64.b64encode(raw).decode("ascii")}
    return {name: text}


def words(value: str | None) -> str | None:
    """Return words of a person or an agent as valid Unicode."""
    return None if value is None else value.encode("utf-8", "replace").decode("utf-8")


def octal(mode: int | None) -> str | None:
    """Return a mode as git's six octal digits."""
    return None if mode is None else f"{mode:06o}"

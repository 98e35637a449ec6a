"""Values as JSON has them, for all documents.

Times are RFC 3339 in UTC, sizes are integer bytes. A path is the exact string where its bytes
are valid UTF-8; otherwise U+FFFD stands for what is not, and a second member with the suffix
``_base64`` holds the exact bytes. All that is printed is ASCII and valid Unicode.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import values as shapes

SCHEMA = 1
"""The number of the form of all documents: another one where a key goes or means something else."""

Document = dict[str, Any]
"""A JSON object."""

_ESCAPED = re.compile(r"\\ud[89ab]..\\ud[c-f]..|\\u(d[89a-f]..)|\\.")
"""An escape of a JSON string; the group is half of a character without the other half."""

_HALF = re.compile("[\ud800-\udfff]")


def text_of(document: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Return a document as it is printed: with the number of its form before all else."""
    return ascii_of({"schema": SCHEMA, **document}, indent=indent)


def ascii_of(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON in ASCII, with U+FFFD for a byte that nobody made valid Unicode."""
    text = json.dumps(value, indent=indent, allow_nan=False)
    if "\\ud" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\ufffd" if found[1] else found[0], text)


@overload
def instant(moment: datetime) -> str: ...
@overload
def instant(moment: None) -> None: ...
@overload
def instant(moment: datetime | None) -> str | None: ...
def instant(moment: datetime | None) -> str | None:
    """Return a time as ``2026-11-28T10:00:00.123456Z``."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@overload
def exact(name: Literal["working_dir"], value: str | os.PathLike[str]) -> shapes.WorkingDir: ...
@overload
def exact(name: Literal["repository"], value: str | os.PathLike[str]) -> shapes.Repository: ...
@overload
def exact(name: Literal["subdirectory"], value: str | os.PathLike[str]) -> shapes.Subdirectory: ...
@overload
def exact(name: Literal["new_branch"], value: str | os.PathLike[str]) -> shapes.NewBranch: ...
@overload
def exact(name: Literal["path"], value: str | os.PathLike[str]) -> shapes.Path: ...
@overload
def exact(name: Literal["branch"], value: str | os.PathLike[str]) -> shapes.Branch: ...
@overload
def exact(name: Literal["base"], value: str | os.PathLike[str]) -> shapes.Base: ...
@overload
def exact(name: Literal["where"], value: str | os.PathLike[str]) -> shapes.Where: ...
@overload
def exact(name: Literal["stat"], value: str | os.PathLike[str]) -> shapes.Stat: ...
@overload
def exact(name: Literal["text"], value: str | os.PathLike[str]) -> shapes.Text: ...
@overload
def exact(name: Literal["pattern"], value: str | os.PathLike[str]) -> shapes.Pattern: ...
@overload
def exact(name: Literal["command"], value: str | os.PathLike[str]) -> shapes.Command: ...
@overload
def exact(name: Literal["name"], value: str | os.PathLike[str]) -> shapes.Name: ...
@overload
def exact(name: Literal["old"], value: str | os.PathLike[str]) -> shapes.Old: ...
@overload
def exact(name: Literal["hook"], value: str | os.PathLike[str]) -> shapes.Hook: ...
@overload
def exact(name: Literal["config"], value: str | os.PathLike[str]) -> shapes.Config: ...
@overload
def exact(name: Literal["file"], value: str | os.PathLike[str]) -> shapes.File: ...
@overload
def exact(name: Literal["directory"], value: str | os.PathLike[str]) -> shapes.Directory: ...
@overload
def exact(name: Literal["session_id"], value: str | os.PathLike[str]) -> shapes.SessionId: ...
def exact(name: str, value: str | os.PathLike[str]) -> Any:
    """Return the member ``name``, and ``name_base64`` where a JSON string cannot be exact."""
    return exactly(name, value)


def exactly(name: str, value: str | os.PathLike[str]) -> Document:
    """Return what ``exact`` does, of a name that nobody has declared."""
    raw = os.fspath(value).encode("utf-8", "surrogateescape")
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text and text.encode() != raw:
        return {name: text, f"{name}_base64": base64.b64encode(raw).decode("ascii")}
    return {name: text}


@overload
def words(value: str) -> str: ...
@overload
def words(value: None) -> None: ...
@overload
def words(value: str | None) -> str | None: ...
def words(value: str | None) -> str | None:
    """Return words of a person or an agent as valid Unicode."""
    return None if value is None else _HALF.sub("\ufffd", value)


def octal(mode: int | None) -> str | None:
    """Return a mode as git's six octal digits."""
    return None if mode is None else f"{mode:06o}"

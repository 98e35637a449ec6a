"""Parses commit objects as git stores them: lines of headers, an empty line, the message."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from datetime import datetime

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.object_store.git_time import parse_time

_TREE = re.compile(rb"tree ([0-9a-f]+)$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_AUTHOR = re.compile(rb"^author .*> (.+)$", re.MULTILINE)
_NO_ENCODINGS = frozenset({"punycode", "idna", "undefined", "unicode_escape"})
"""What Python has beside encodings of text; to decode some of them takes the square of the time."""
_ENCODING = re.compile(rb"^encoding (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class RawCommit:
    """A commit object. ``created_at`` is the author's time, in UTC."""

    tree_id: str
    parents: tuple[str, ...]
    created_at: datetime
    utc_offset_minutes: int
    message: str


def parse_commit(name: str, kind: str, data: bytes) -> RawCommit:
    """Parse the object ``name``, which is of a kind such as ``commit``.

    The message is decoded as the commit declares it; bytes that are no such text are escaped.

    Raises:
        StoreDamaged: when it is no commit, or of a time that cannot be.
    """
    head, _, body = data.partition(b"\n\n")
    tree, author = _TREE.match(head), _AUTHOR.search(head)
    if kind != "commit" or tree is None or author is None:
        raise StoreDamaged(f"{name} is no commit")
    try:
        created_at, offset = parse_time(author.group(1))
    except ValueError as error:
        raise StoreDamaged(f"{name} is of a time that cannot be: {error}") from error
    parents = parents_of(data)
    return RawCommit(tree.group(1).decode("ascii"), parents, created_at, offset, _text(head, body))


def parents_of(data: bytes) -> tuple[str, ...]:
    """Return the parents that the contents of a commit name, whatever else is wrong with it."""
    head = data.partition(b"\n\n")[0]
    return tuple(parent.decode("ascii") for parent in _PARENT.findall(head))


def _text(head: bytes, body: bytes) -> str:
    declared = _ENCODING.search(head)
    encoding = declared.group(1).decode("ascii", "replace") if declared else "utf-8"
    try:
        slow = codecs.lookup(encoding).name in _NO_ENCODINGS
        return body.decode("utf-8" if slow else encoding)
    except (UnicodeError, LookupError, ValueError):
        return body.decode("utf-8", "backslashreplace")

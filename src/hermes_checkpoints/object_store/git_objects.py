"""Git's ids of objects, with those of its two empty ones, and the modes of entries in a tree."""

from __future__ import annotations

import hashlib
import re

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
NO_OBJECT = "0" * 40
"""What ``diff-tree`` writes on the side where there is nothing."""

TREE_MODE = 0o040000
FILE_MODE = 0o100644
EXECUTABLE_MODE = 0o100755
LINK_MODE = 0o120000
GITLINK_MODE = 0o160000
"""A commit of another repository, whose contents are not in this one."""

_LOOKED_AT = 8000

_OBJECT_ID = re.compile(r"[0-9a-f]{40}")


def is_object_id(text: str) -> bool:
    """Tell whether a text is a whole SHA-1 object id in lower case."""
    return _OBJECT_ID.fullmatch(text) is not None


def is_text(data: bytes) -> bool:
    """Tell whether git shows contents line by line: it looks for a NUL at their beginning."""
    return b"\0" not in data[:_LOOKED_AT]


def object_id(kind: str, data: bytes) -> str:
    """Return the id that git gives to an object of a kind such as ``blob``."""
    header = f"{kind} {len(data)}\0".encode()
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()

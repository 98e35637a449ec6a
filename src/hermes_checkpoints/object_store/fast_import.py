"""Writes commits and blobs by ``git fast-import``: many objects and refs in one process.

Two traps of git, seen with 2.39.5: an entry with an empty tree is left out of the tree that holds
it, and times are whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_time import format_time
from hermes_checkpoints.object_store.raw_tree import TreeEntry

AUTHOR = "Hermes Checkpoint <hermes@local>"
_WHOLE = '""'


def run(git: Git, stream: Iterable[bytes], *, patience: float) -> list[str]:
    """Write what the commands of ``stream`` say; return the ids that its ``get-mark`` ask for.

    Raises:
        GitFailed: when something cannot be written; what came before it may be there then.
    """
    stdin = b"".join(stream) + b"done\n"
    output = git.run("fast-import", "--quiet", "--done", stdin=stdin, patience=patience)
    return output.decode("ascii").split()


def blob(data: bytes, mark: int) -> bytes:
    """Return the command that writes a blob, which later commands name by its mark, ``:1``."""
    return b"blob\nmark :%d\n" % mark + _data(data) + b"\n"


def unmarked_blob(data: bytes) -> bytes:
    """Return the command that writes a blob which no later command names."""
    return b"blob\n" + _data(data) + b"\n"


def commit(
    ref: str,
    message: bytes,
    entries: Iterable[TreeEntry],
    *,
    at: datetime,
    offset_minutes: int,
    mark: int | None = None,
) -> bytes:
    """Return the command that writes a commit by ``AUTHOR`` and sets a ref to it.

    Its parent is the commit that an earlier command of the stream gave that ref, if any. Its
    tree is that of the parent with ``entries``; an entry with the path "" is the whole tree.
    """
    when = format_time(at, offset_minutes)
    lines = (f"M {mode:06o} {name} {path or _WHOLE}\n" for mode, path, name in entries)
    return b"".join(
        (
            f"commit {ref}\n".encode(),
            b"" if mark is None else b"mark :%d\n" % mark,
            f"author {AUTHOR} {when}\ncommitter {AUTHOR} {when}\n".encode(),
            _data(message),
            ("".join(lines) + "\n").encode(),
        )
    )


def get_mark(mark: int) -> bytes:
    """Return the command that prints the id of what has this mark."""
    return b"get-mark :%d\n" % mark


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data

"""Names what lies in a base, and measures it, for findings."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.object_store.quarantine import FOLDER, set_aside
from hermes_checkpoints.text import age, size

_MOST_NAMED = 3


def within(layout: Layout, path: Path) -> str:
    """Return a path as it lies in the base, such as ``store/config``; the whole path of what lies
    elsewhere."""
    return str(path.relative_to(layout.base) if path.is_relative_to(layout.base) else path)


def quoted(path: Path) -> str:
    """Return a path as a shell takes it."""
    return shlex.quote(str(path))


def examples(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    named = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def changed_at(path: Path) -> datetime:
    """Return when the contents of a path changed last, in UTC.

    Raises:
        OSError: when it is not there, or cannot be seen.
    """
    seconds = path.lstat().st_mtime
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):  # in a year that no calendar has
        return datetime.fromtimestamp(0, UTC)


def measured(path: Path, now: datetime) -> str:
    """Return the space that a path takes, and its age, as ``1.2 MB, 3d ago``.

    Raises:
        OSError: as ``changed_at``.
    """
    return f"{size(directory_bytes(path))}, {age(changed_at(path), now)}"


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, by name; nothing where there is no such folder.

    Raises:
        OSError: when it cannot be read.
    """
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def below(folder: Path) -> Iterator[Path]:
    """Yield each file below a folder, by path; nothing of what cannot be read."""
    for top, folders, names in walk(folder):
        folders.sort()
        yield from (Path(top, name) for name in sorted(names))


def is_inside(layout: Layout, path: Path) -> bool:
    """Tell whether a path lies in the base without a link on the way: what a link leads to is none
    of ours, and is neither judged nor moved."""
    real = os.path.realpath(layout.base)
    expected = os.path.join(real, os.path.relpath(path.parent, layout.base))
    return os.path.realpath(path.parent) == os.path.normpath(expected)


def moved_aside(layout: Layout, where: str) -> list[str]:
    """Move a file of the store that a finding names into its quarantine; return what was done, in
    words: nothing where it is gone, or is not there itself.

    Raises:
        OSError: when it cannot be moved.
    """
    path = layout.base / where
    own = is_inside(layout, path) and is_inside(layout, layout.store / FOLDER / "any")
    if not (own and os.path.lexists(path)):
        return []
    return [f"{where} was moved to {within(layout, set_aside(layout.store, path))}"]


def aside(path: Path) -> Path:
    """Rename a file to a new name beside it that says that it is damaged; return that.

    Raises:
        OSError: when it cannot be renamed.
    """
    numbered = (path.with_name(f"{path.name}.damaged-{n}") for n in itertools.count(1))
    free = next(one for one in numbered if not os.path.lexists(one))
    path.rename(free)
    return free


@contextlib.contextmanager
def vanishing() -> Iterator[None]:
    """Pass over what is gone by the time that it is looked at: a process at work removed it."""
    with contextlib.suppress(FileNotFoundError):
        yield

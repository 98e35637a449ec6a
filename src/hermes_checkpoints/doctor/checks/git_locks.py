"""Lock files that a killed git left in the store, which stop every later one.

A git of ours works under ``store.lock``, which its children inherit, and never for more than
``_LONGEST`` seconds. So what is older was left by a dead one, as is everything where nobody holds
that lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import (
    changed_at,
    is_inside,
    moved_aside,
    quoted,
    vanishing,
    within,
)
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.holders import holdings
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.layout import LOCKS, Layout
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import age

_OF_GIT = (
    *("config.lock", "HEAD.lock", "packed-refs.lock", "index.lock", "shallow.lock"),
    *("packed-refs.new", "FETCH_HEAD.lock", "gc.pid", "gc.pid.lock"),
)
"""What git locks in the folder of a repository itself, or writes there and finds in its way."""

_LONGEST = 3600.0
"""Seconds: the time limit of the longest call of git, a gc on a slow disk, is two thirds of it."""
_MAKING = 60.0
"""Seconds in which a git that somebody started by hand may be at it, without any lock of ours."""


def check(patient: Patient) -> Iterator[Finding]:
    """Look for lock files of git that no git of ours can still need."""
    held = holdings(patient.layout.base / LOCKS)
    name = patient.layout.store_lock.name
    busy = held is None or any(one.name == name for one in held)
    oldest = _LONGEST if busy else _MAKING
    for path in _lock_files(patient.layout):
        with vanishing():
            since = changed_at(path)
            if (patient.now - since).total_seconds() < oldest:
                continue
            yield Finding(
                "stale-git-lock",
                within(patient.layout, path),
                f"a git that was killed left it {age(since, patient.now)}; as long as it is "
                "there, git refuses to change what it locks",
                f"`{PROGRAM} doctor --repair` moves it aside; or, while no git works in "
                f"the store: rm {quoted(path)}",
                repairs=True,
            )


def mend(layout: Layout, findings: Sequence[Finding]) -> list[str]:
    """Move stale lock files aside; return what was done. The caller holds the store alone.

    Raises:
        OSError: when one cannot be moved.
    """
    stale = [one.where for one in findings if one.kind == "stale-git-lock"]
    return [line for where in stale for line in moved_aside(layout, where)]


def _lock_files(layout: Layout) -> Iterator[Path]:
    store = layout.store
    found = [store / name for name in _OF_GIT]
    for folder in (store / "info", store / "indexes", store / "objects" / "info"):
        found += sorted(folder.glob("*.lock"))
    for folder in (store / "refs", store / "logs"):
        for top, _, names in walk(folder):
            found += (Path(top, name) for name in sorted(names) if name.endswith(".lock"))
    yield from (path for path in found if is_inside(layout, path))

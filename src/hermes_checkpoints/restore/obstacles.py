"""Finds what stands where a path must go that comes back, and whether it goes or stays.

Nobody's work is removed to make room: what stands in the way goes only where it is captured and
may be taken back itself. Otherwise it is an obstacle, and the path that needs its place stays
away. What is found is returned and nothing is marked here, so that the answer for one path does
not depend on the paths asked about before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hermes_checkpoints.attribution.verdict import NO_RECORD
from hermes_checkpoints.model.paths import parents
from hermes_checkpoints.restore.situation import Basis

_NOT_CAPTURED = "not captured"


@dataclass(frozen=True)
class Way:
    """The way to one path: what ``goes`` to make room, and the ``obstacle``, which is why the
    path stays away, if it does."""

    path: str
    goes: tuple[str, ...] = ()
    obstacle: str | None = None


def in_the_way(ways: Iterable[Way]) -> Mapping[str, str]:
    """Return all that goes to make room, each with the first path that needs its place."""
    needed_by: dict[str, str] = {}
    for way in ways:
        for name in way.goes:
            needed_by.setdefault(name, way.path)
    return needed_by


def way_to_file(basis: Basis, path: str) -> Way:
    """Return the way to a missing file or link.

    A file or link where a directory must be goes if it may be taken back. A directory where the
    file must be goes with everything in it, or not at all. What the present state does not know
    is an obstacle.

    For example, ``a/b`` is missing. Where ``a`` is a file now that the agent created, ``a``
    goes. Where ``a/b`` is a directory that holds the agent's ``a/b/c`` and a person's
    ``a/b/d``, nothing goes, and the obstacle names ``a/b/d``.
    """
    way = _way_along(basis, path, parents(path))
    if way.obstacle is not None or not basis.situation.exists(path):
        return way
    if path not in basis.situation.now.directories:
        return replace(way, obstacle="not captured: ignored by a rule now")
    goes = list(way.goes)
    for name, why in _standing_at(basis, path):
        if why is not None:
            return replace(way, obstacle=_stays(name, why))
        goes.append(name)
    return replace(way, goes=tuple(goes))


def way_to_directory(basis: Basis, path: str) -> Way:
    """Return the way to a missing directory; a file or link in its own place is in it, too."""
    return _way_along(basis, path, (path, *parents(path)))


def _way_along(basis: Basis, path: str, directories: Iterable[str]) -> Way:
    """Return the way to ``path`` as far as it leads along ``directories``, the nearest first.
    Nothing along it was skipped, or the path would not be asked about."""
    goes: list[str] = []
    for name in directories:
        why = None
        if name in basis.present_only:
            why = basis.outdated_then(name)
            if why is None:
                why = basis.refused(name)
            if why is None:
                goes.append(name)
        elif basis.situation.exists(name) and not basis.situation.is_directory(name):
            why = _NOT_CAPTURED
        if why is not None:
            return Way(path, tuple(goes), _stays(name, why))
    return Way(path, tuple(goes))


def _standing_at(basis: Basis, path: str) -> Iterator[tuple[str, str | None]]:
    """Yield what lies at a path and below it, each with why it has to stay, if so.

    An empty directory has no record of who made it: it stays unless directories are taken back
    for their own sake.
    """
    inside = basis.inside(path) if path in basis.situation.now.directories else None
    uncaptured = basis.uncaptured_now(path)
    if uncaptured is not None:
        yield path, uncaptured
    elif inside is not None:
        yield path, None if inside or basis.takes_directories else NO_RECORD
        for name in inside:
            yield from _standing_at(basis, name)
    elif path in basis.present_only:
        yield path, basis.refused(path)
    else:
        yield path, _NOT_CAPTURED


def _stays(name: str, why: str) -> str:
    return f"{name} is in the way: {why}"

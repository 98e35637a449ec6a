"""Answers who takes how much space: estimated from the catalog's rows, or asked of git.

Estimates follow what each take measured, corrected by what the last gc needed for it; their sum
is within a quarter of git's own figure. Measuring costs two processes however many projects
there are, and a few seconds on a large store.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from hermes_checkpoints.base.measures import record_measure, store_size
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.model import ProjectUsage
from hermes_checkpoints.object_store.contents import Contents, contents_of, disk_sizes


@dataclass(frozen=True)
class StoreUsage:
    """What all projects take. ``total_bytes`` counts shared contents once; ``measured`` says
    that git told the figures, else they are estimates. ``store_bytes`` is the store on disk as
    of ``measured_at``, with what was added since; ``catalog_bytes`` the catalog.

    >>> taken = project.take()
    >>> usage = checkpoints.usage(measure=True)
    >>> [(one.working_dir == str(project.working_dir), one.checkpoints) for one in usage.projects]
    [(True, 1)]
    """

    projects: tuple[ProjectUsage, ...]
    total_bytes: int
    measured: bool
    store_bytes: int
    measured_at: datetime | None
    catalog_bytes: int = 0


def usage(base: Base, *, measure: bool = False) -> StoreUsage:
    """Return the usage of every project that has checkpoints, largest first.

    Raises:
        CheckpointError: when the catalog cannot be read, or git cannot read the store.
    """
    rows = base.catalog.usage.rows()
    catalog = 0 if base.layout.stands_for is not None else base.catalog.bytes
    if not measure or not base.store.exists():
        size = store_size(base)
        return StoreUsage(rows.projects, rows.total, False, size.bytes, size.at, catalog)
    with shared(base.layout.store_lock, timeout=base.lock_timeout):
        contents = _contents(base)
        sizes = disk_sizes(base.store.git)
    record_measure(base)
    owners = Counter(found for one in contents.values() for found in one.objects)
    projects = []
    for row in rows.projects:
        one = contents.get(row.hash, Contents())
        projects.append(
            replace(
                row,
                referenced_bytes=sum(sizes.get(found, 0) for found in one.objects),
                unique_bytes=sum(sizes.get(f, 0) for f in one.objects if owners[f] == 1),
                files=_largest(one, sizes, len(row.files)),
            )
        )
    projects.sort(key=lambda p: (-p.unique_bytes, -p.referenced_bytes, p.working_dir))
    size = store_size(base)
    total = sum(sizes.get(found, 0) for found in owners)
    return StoreUsage(tuple(projects), total, True, size.bytes, size.at, catalog)


def _contents(base: Base) -> dict[str, Contents]:
    """Return what the checkpoints of each project hold, by project hash."""
    chains: dict[str, list[str]] = {}
    for checkpoint in base.catalog.checkpoints.live():
        chains.setdefault(checkpoint.project_hash, []).append(checkpoint.id)
    found = contents_of(base.store.git, list(chains.values()))
    return dict(zip(chains, found, strict=True))


def _largest(one: Contents, sizes: dict[str, int], count: int) -> tuple[tuple[str, int], ...]:
    paths = ((os.fsdecode(p), sum(sizes.get(b, 0) for b in ids)) for p, ids in one.paths.items())
    return tuple(sorted(paths, key=lambda entry: (-entry[1], entry[0]))[:count])

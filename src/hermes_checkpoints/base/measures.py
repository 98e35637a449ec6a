"""Remembers what was measured of the store, so that status needs no walk and no process.

Measured is what the store takes on disk: after the first take, at each prune and on request.
Between two measures the size is that of the last one and what the takes since then found that
they made it grow by.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.keys import MEASURED, PRUNED, STORE_GROWTH
from hermes_checkpoints.fs.disk import directory_bytes

ARCHIVES = "measured_archives"

CAP_TRIED = "size_cap_tried"
"""The setting that names the situation in which the size cap could not be reached."""

LAST_PRUNE = "last_prune"
"""The setting with the time in UTC at which maintenance last ran on its own."""


@dataclass(frozen=True)
class StoreSize:
    """The store on disk in bytes: as measured at ``at`` plus what takes added since; ``at`` is
    None where it was never measured, and then all of it is what the checkpoints added. ``grown``
    says that takes have made it grow since its last prune for the cap was planned."""

    bytes: int
    at: datetime | None
    grown: bool


def store_size(base: Base) -> StoreSize:
    """Return the size of the store, from the catalog alone, by one statement where it was
    measured."""
    size, at, grown = base.catalog.usage.store()
    if size is None:
        size = base.catalog.usage.added()
    return StoreSize(size, moment(at), grown)


def is_measured(base: Base) -> bool:
    """Tell whether the store was ever measured."""
    return "growth" in _read(base, MEASURED)


def own_bytes(base: Base, folder: Path | None = None) -> int:
    """Return what the store takes on disk, or a folder of it, in bytes, without what was fetched
    from remotes: that is none of this base, and no rule counts it."""
    taken = directory_bytes(base.layout.store if folder is None else folder)
    return max(0, taken - base.catalog.usage.fetched())


def record_measure(base: Base) -> int:
    """Measure the store on disk and return it in bytes, without what was fetched; remember it where
    the base can be written."""
    grown = growth(base)
    size = own_bytes(base)
    if base.read_only:
        return size
    now = base.now()
    known = {"bytes": size, "growth": grown, "at": now.isoformat()}

    def remember() -> None:
        base.catalog.settings.set(MEASURED, json.dumps(known), now)
        forget_archives(base)

    base.catalog.do_together(remember, durable=False)
    return size


def note_pruned(base: Base, growth: int) -> None:
    """Write down the ``growth`` of the store as it was before a prune for the cap was planned."""
    base.catalog.settings.set(PRUNED, str(growth), base.now())


def capped_bytes(base: Base, store_bytes: int) -> int:
    """Return what the size cap is for: the store, measured just now, and the catalog, whose log is
    written back first, since that is no more than a copy."""
    base.catalog.write_back()
    return store_bytes + base.catalog.capped_bytes


def is_over(base: Base, store_bytes: int, cap: int) -> bool:
    """Tell whether the store, with this size, and the catalog are over a cap in bytes. What of the
    catalog counts is only looked up where the whole file would be too much."""
    if store_bytes + base.catalog.bytes <= cap:
        return False
    return store_bytes + base.catalog.capped_bytes > cap


def record_packed(base: Base) -> None:
    """Remember what git needs for what the rows describe, and what only fetched checkpoints need.
    Called after a repack, when whatever checkpoints hold is in packs."""
    from hermes_checkpoints.catalog.packing import packing_of
    from hermes_checkpoints.object_store.maintenance import disk_usage, pack_bytes

    rows = base.catalog.usage.rows(as_taken=True)
    packed = size = pack_bytes(base.layout.store)
    if fetched := base.catalog.fetched.all():
        size = min(packed, disk_usage(base.store.git, base.store.refs().values()))
    with base.catalog.together(durable=False):
        base.catalog.settings.keep(packing_of(rows.newest_id, rows.total, size), base.now())
        if fetched:
            base.catalog.fetched.resize(packed - size)


def forget_archives(base: Base) -> None:
    """Let the sizes of legacy archives be measured anew, because something was moved."""
    base.catalog.settings.set(ARCHIVES, "{}", base.now())


def archive_bytes(base: Base, names: list[str]) -> dict[str, int]:
    """Return the space that only legacy archives take; each is measured once, until something
    is moved into one or out of it, or the store is measured: the two share files."""
    known = _read(base, ARCHIVES)
    sizes = {
        name: known[name]
        if isinstance(known.get(name), int)
        else directory_bytes(base.layout.base / name, alone=True)
        for name in names
    }
    if sizes != known and not base.read_only:
        base.catalog.settings.set(ARCHIVES, json.dumps(sizes), base.now(), durable=False)
    return sizes


def growth(base: Base) -> int:
    """Return what takes have made the store grow by, ever, in bytes."""
    return int(base.catalog.settings.get(STORE_GROWTH) or 0)


def _read(base: Base, name: str) -> Mapping[str, Any]:
    try:
        found = json.loads(base.catalog.settings.get(name) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def moment(text: str | None) -> datetime | None:
    """Return the time that a setting says in ISO 8601; None where it says none."""
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def last_maintenance(base: Base) -> datetime | None:
    """Return when maintenance last ran on its own, in UTC, or None."""
    return moment(base.catalog.settings.get(LAST_PRUNE))


def note_maintenance(base: Base) -> None:
    """Write down that maintenance ran just now."""
    now = base.now()
    base.catalog.settings.set(LAST_PRUNE, now.isoformat(), now)

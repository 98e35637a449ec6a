"""Knows when a store has outgrown its size cap, and what the prune did that holds it.

The judgement is a few indexed reads and no walk, since it is made at the end of every turn. What a
prune could not bring below the cap is not tried again before something is added.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from hermes_checkpoints.base.measures import CAP_TRIED, is_over, moment, store_size
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.model import MB, PrunePlan
from hermes_checkpoints.text import counted

STARTED = "cap_prune_started"
"""The setting with the time in UTC at which one was started in the background, until it runs."""

HELD = "cap_prune"
"""The setting with what the last prune in the background did."""

_START_TAKES = timedelta(minutes=1)
"""After so long a process that was started and does not run is taken for dead."""


@dataclass(frozen=True)
class CapPrune:
    """A prune that ran in the background because the store was over its cap. Sizes are bytes;
    ``at`` is in UTC; ``error`` is why it failed; ``told`` says that the host's notice had it."""

    at: str
    cap_bytes: int
    dropped: int = 0
    freed_bytes: int = 0
    store_bytes: int = 0
    over_cap: bool = False
    error: str | None = None
    told: bool = False

    @property
    def text(self) -> str:
        """What happened, in one line."""
        when = datetime.fromisoformat(self.at).astimezone().strftime("%Y-%m-%d %H:%M")
        over = f"{when}: the store was over its cap of {self.cap_bytes // MB} MB"
        if self.error is not None:
            return f"{over}, and pruning it failed: {self.error}"
        went = f"{counted(self.dropped, 'checkpoint')} dropped"
        freed = f"{self.freed_bytes / MB:.1f} MB reclaimed"
        end = "; what is left is protected" if self.over_cap else ""
        return f"{over}: {went}, {freed}{end}"


def is_due(base: Base) -> bool:
    """Tell whether the store is over its cap, as far as rows say, and has grown since it was last
    pruned."""
    cap = base.config.max_total_bytes
    if not cap:
        return False
    store = store_size(base)
    return store.grown and is_over(base, store.bytes, cap)


def is_vain(base: Base, plan: PrunePlan) -> bool:
    """Tell whether a prune by this plan would leave the store over its cap again, as the last one
    did, and free less than a tenth of the cap. It would pack the whole store for next to nothing
    at the end of every turn; it is worth it once there is more to free."""
    cap = plan.cap
    if cap is None or cap.reachable or not base.catalog.settings.get(CAP_TRIED):
        return False
    return cap.store_bytes - cap.expected_bytes < cap.goal_bytes // 10


def is_starting(base: Base) -> bool:
    """Tell whether a process was started for it that does not run yet."""
    at = moment(base.catalog.settings.get(STARTED))
    return at is not None and timedelta() <= base.now() - at < _START_TAKES


def note_start(base: Base) -> None:
    """Write down that a process is started for it."""
    now = base.now()
    base.catalog.settings.set(STARTED, now.isoformat(), now)


def note_run(base: Base) -> None:
    """Write down that it runs: who judges from now on that it is due may start another."""
    base.catalog.settings.set(STARTED, "", base.now())


def remember(base: Base, found: CapPrune) -> None:
    """Keep what it did, for ``last_cap_prune``."""
    base.catalog.settings.set(HELD, json.dumps(asdict(found)), base.now())


def last_cap_prune(base: Base) -> CapPrune | None:
    """Return what the last one did, or None where there was none."""
    try:
        found = CapPrune(**json.loads(base.catalog.settings.get(HELD) or "null"))
        datetime.fromisoformat(found.at)
    except (ValueError, TypeError):
        return None
    return found


def tell_once(base: Base) -> str | None:
    """Return what the last one did, where no one was told yet; now somebody is."""
    found = last_cap_prune(base)
    if found is None or found.told or base.read_only:
        return None
    remember(base, replace(found, told=True))
    return found.text

"""What a host calls to keep the store small: names, arguments and result keys that it knows.

None of these raises, since housekeeping must never stop a host; what went wrong is in the
result, in the catalog's journal and in the log. A home without a base is left without one.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_checkpoints.config import load_config
from hermes_checkpoints.errors import CatalogDamaged, CatalogNewer, CheckpointError, LockHeld
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import MB

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.model import PruneResult

logger = logging.getLogger(__name__)

Result = dict[str, Any]
BasePath = str | os.PathLike[str]
T = TypeVar("T")

V2_MARKER = ".last_prune"
"""The file of v2 with the time of the last maintenance, in seconds since 1970."""

_LOCK_TIMEOUT = 2.0
_PATIENCE = 4  # each git call at most four times the usual limit: two minutes by default


def prune_checkpoints(
    retention_days: int = 7,
    delete_orphans: bool = True,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int = 0,
) -> Result:
    """Prune now: orphans, stale projects, what is over a limit, and down to the size cap.

    The call counts as somebody's consent, so an orphan goes at once; that its directory is gone
    must be proven all the same. 0 switches ``retention_days`` and ``max_total_size_mb`` off.
    ``checkpoint_base`` is a checkpoint folder; default is that of HERMES_HOME.

    Returns ``scanned``, ``deleted_orphan`` and ``deleted_stale`` (projects), ``deleted_capped``
    and ``deleted_over_limit`` (checkpoints), ``errors`` (a number), ``messages`` (what they
    are) and ``bytes_freed``.
    """
    layout = _layout(checkpoint_base)
    if not layout.base.exists():
        return _pruned(None)

    def run(checkpoints: Checkpoints) -> Result:
        return _prune(checkpoints, retention_days, delete_orphans, max_total_size_mb, None)

    result, error = _attempt(layout, "pruning", run)
    return result if result is not None else _pruned(None, str(error))


def maybe_auto_prune_checkpoints(
    retention_days: int = 7,
    min_interval_hours: int = 24,
    delete_orphans: bool = True,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int = 0,
) -> Result:
    """Prune if that was last done ``min_interval_hours`` ago or more; for the start of a host.

    Nobody is asked, so an orphan goes only after its absence was seen for the grace period
    (``orphan_grace_days``, 7 by default). Bounded in time; where another process is busy it is
    left for the next start.

    Returns ``skipped``; ``result`` as from ``prune_checkpoints`` where it ran; and ``error``
    where it failed.
    """
    layout = _layout(checkpoint_base)
    if not layout.base.exists():
        return {"skipped": False, "result": _pruned(None)}

    def run(checkpoints: Checkpoints) -> Result:
        if not _is_due(checkpoints, layout, min_interval_hours):
            return {"skipped": True}
        grace = timedelta(days=checkpoints.config.orphan_grace_days)
        try:
            done = _prune(checkpoints, retention_days, delete_orphans, max_total_size_mb, grace)
        except LockHeld as held:
            logger.info("checkpoint maintenance is left for later: %s", held)
            return {"skipped": True}
        finally:
            checkpoints.note_maintenance()
        return {"skipped": False, "result": done}

    result, error = _attempt(layout, "maintenance", run)
    return result if result is not None else {"skipped": False, "error": str(error)}


def clear_all(checkpoint_base: BasePath | None = None, *, sessions: bool = False) -> Result:
    """Remove all checkpoints and archives; session checkpoints stay unless ``sessions``.

    Returns ``bytes_freed``, ``deleted`` (whether all of it is gone) and ``kept_sessions``.
    """
    layout = _layout(checkpoint_base)
    nothing: Result = {"bytes_freed": 0, "deleted": False, "kept_sessions": 0}
    if not layout.base.exists():
        return nothing

    def run(checkpoints: Checkpoints) -> Result:
        done = checkpoints.clear(sessions=sessions)
        for problem in done.errors:
            logger.warning("not cleared: %s", problem)
        return {
            "bytes_freed": done.freed_bytes,
            "deleted": not done.errors,
            "kept_sessions": done.kept_sessions,
        }

    result, error = _attempt(layout, "clearing", run)
    if sessions and isinstance(error, CatalogDamaged | CatalogNewer):
        return _clear_blindly(layout) or nothing
    return result if result is not None else nothing


def clear_legacy(checkpoint_base: BasePath | None = None) -> Result:
    """Remove the archives that migrations moved aside.

    Returns ``bytes_freed``, ``deleted`` (how many) and ``errors`` (a number).
    """
    layout = _layout(checkpoint_base)
    nothing: Result = {"bytes_freed": 0, "deleted": 0, "errors": 0}
    if not layout.base.exists():
        return nothing

    def run(checkpoints: Checkpoints) -> Result:
        done = checkpoints.clear_legacy()
        for problem in done.errors:
            logger.warning("not cleared: %s", problem)
        return {
            "bytes_freed": done.freed_bytes,
            "deleted": done.archives,
            "errors": len(done.errors),
        }

    result, _ = _attempt(layout, "clearing archives", run)
    return result if result is not None else nothing | {"errors": 1}


def footprint_notice(
    checkpoint_base: BasePath | None = None, *, enabled: bool | None = None
) -> str | None:
    """Return a sentence for people where checkpoints are on and the store is over its cap.

    ``enabled`` defaults to the configuration's. Nothing is measured: the size is the last
    measured one with what was added since.
    """
    layout = _layout(checkpoint_base)
    config = load_config(layout.config)
    cap = config.max_total_bytes
    on = config.enabled if enabled is None else enabled
    if not on or not cap or not layout.base.exists():
        return None

    def run(checkpoints: Checkpoints) -> str:
        size = checkpoints.store_bytes()
        if size <= cap:
            return ""
        return (
            f"Checkpoints take {size / MB:.0f} MB, more than the {config.max_total_size_mb} MB "
            "that are allowed. Try `hermes checkpoints prune` first: it keeps the newest of "
            "each project. `hermes checkpoints clear` removes them all."
        )

    return _attempt(layout, "looking at the size", run)[0] or None


# --- inside ------------------------------------------------------------------------------


def _layout(base: BasePath | None) -> Layout:
    return Layout.of() if base is None else Layout.of_base(base)


def _attempt(
    layout: Layout, what: str, action: Callable[[Checkpoints], T]
) -> tuple[T | None, Exception | None]:
    """Do something with an opened base; return its answer, or what went wrong."""
    from hermes_checkpoints.checkpoints import Checkpoints

    try:
        if Layout.of(layout.home).base == layout.base:
            opened = Checkpoints.open(layout.home)
        else:
            opened = Checkpoints.open(base=layout.base)
        with opened as checkpoints:
            return action(checkpoints), None
    except CheckpointError as error:
        logger.warning("checkpoints: %s failed: %s", what, error)
        return None, error
    except Exception as error:
        logger.exception("checkpoints: %s failed", what)
        return None, error


def _prune(
    checkpoints: Checkpoints,
    retention_days: int,
    delete_orphans: bool,
    max_total_size_mb: int,
    grace: timedelta | None,
) -> Result:
    from hermes_checkpoints.retention.plan import PruneOptions

    policy = replace(
        checkpoints.policy,
        retention_days=max(0, int(retention_days)),
        delete_orphans=delete_orphans,
        orphan_grace=grace,
        cap_bytes=max(0, int(max_total_size_mb)) * MB,
    )
    options = PruneOptions(lock_timeout=_LOCK_TIMEOUT, patience=_PATIENCE)
    plan = checkpoints.plan_prune(policy, options=options)
    return _pruned(checkpoints.prune(plan, options=options))


def _pruned(done: PruneResult | None, error: str | None = None) -> Result:
    from hermes_checkpoints.model import Rule

    messages = [error] if error else list(done.errors) if done else []
    if done is not None and done.over_cap:
        messages.append("the store stays over its size cap")
    return {
        "scanned": done.scanned if done else 0,
        "deleted_orphan": done.projects_of(Rule.ORPHAN) if done else 0,
        "deleted_stale": done.projects_of(Rule.STALE) if done else 0,
        "deleted_capped": done.count_of(Rule.SIZE_CAP) if done else 0,
        "deleted_over_limit": done.count_of(Rule.OVER_LIMIT, Rule.NO_KEEP_RULE) if done else 0,
        "errors": len(messages),
        "messages": messages,
        "bytes_freed": done.freed_bytes if done else 0,
    }


def _is_due(checkpoints: Checkpoints, layout: Layout, hours: int) -> bool:
    last = checkpoints.last_maintenance() or _marker_of_v2(layout.base / V2_MARKER)
    if last is None or hours <= 0:
        return True
    passed = datetime.now(UTC) - last
    return not timedelta() <= passed < timedelta(hours=hours)  # one in the future proves nothing


def _marker_of_v2(file: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(file.read_text(encoding="utf-8")), UTC)
    except (OSError, ValueError, OverflowError):
        return None


def _clear_blindly(layout: Layout) -> Result | None:
    from hermes_checkpoints.admin.clear import remove_all

    try:
        done = remove_all(layout)
    except CheckpointError as error:
        logger.warning("checkpoints: clearing failed: %s", error)
        return None
    return {"bytes_freed": done.freed_bytes, "deleted": True, "kept_sessions": 0}

"""What a host calls for the checkpoint folder as a whole: to keep it small, and what it holds.

Names, arguments and result keys are those that hosts know. Housekeeping must never stop a host,
so none of these raises: what went wrong is in the result, in the catalog's journal and in the
log. A home without a checkpoint folder is left without one.

What an argument says holds; one that is None, the default, is as configured: as ``config.yaml``
of the home says, and where that is silent, by the defaults of ``Config``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.agent.guard import guarded, reason
from hermes_checkpoints.agent.shapes import Result
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.config import Config, load_config
from hermes_checkpoints.errors import PROGRAM, BadRequest, CatalogDamaged, CatalogNewer, LockHeld
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.loading import load_lending
from hermes_checkpoints.model import MB
from hermes_checkpoints.text import shown, takes_failed

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.model import HeldProject, ProjectState, PruneResult

logger = logging.getLogger(__name__)

BasePath = str | os.PathLike[str]

V2_MARKER = ".last_prune"
"""The file of v2 with the time of the last maintenance, in seconds since 1970."""

_LOCK_TIMEOUT = 2.0
_TOLD = timedelta(days=14)
_PATIENCE = 4  # each git call at most four times the usual limit: two minutes by default


@guarded("checkpoints: pruning failed", lambda error: _pruned(None, reason(error)))
def prune_checkpoints(
    retention_days: int | None = None,
    delete_orphans: bool | None = None,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int | None = None,
    orphan_allowlist: Collection[str] | None = None,
) -> Result:
    """Prune now: orphans, stale projects, what is over a limit, and down to the size cap.

    The call counts as somebody's consent, so an orphan goes at once; that its directory is gone
    must be proven all the same. 0 switches ``retention_days`` and ``max_total_size_mb`` off; None
    is as configured. ``checkpoint_base`` is a checkpoint folder; default is that of HERMES_HOME.

    ``orphan_allowlist`` names the orphans that somebody has seen and agreed to: the ``hash`` of a
    project in ``store_status``, or the ``path`` of one in ``pre_v2_projects``. Of any other project
    whose directory is gone nothing is dropped then. None stands for all orphans.

    Returns ``scanned``, ``deleted_orphan`` and ``deleted_stale`` (projects), ``deleted_capped``
    and ``deleted_over_limit`` (checkpoints), ``errors`` (a number), ``messages`` (what they
    are) and ``bytes_freed``.
    """
    if not base_exists(_layout(checkpoint_base)):
        return _pruned(None)
    with _open(checkpoint_base) as checkpoints:
        orphans = None if orphan_allowlist is None else _hashes(orphan_allowlist)
        return _prune(checkpoints, retention_days, delete_orphans, max_total_size_mb, None, orphans)


@guarded(
    "checkpoints: maintenance failed",
    lambda error: Result(skipped=False, error=reason(error)),
)
def maybe_auto_prune_checkpoints(
    retention_days: int | None = None,
    min_interval_hours: int | None = None,
    delete_orphans: bool | None = None,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int | None = None,
    *,
    auto_prune: bool | None = None,
) -> Result:
    """Prune if that was last done ``min_interval_hours`` ago or more; for the start of a host.

    Nothing is done where ``auto_prune`` is off. None is as configured, for each argument.
    Nobody is asked, so an orphan goes only after its absence was seen for the grace period
    (``orphan_grace_days``, 7 by default). Bounded in time; where another process is busy it is
    left for the next start.

    Returns ``skipped``; ``result`` as from ``prune_checkpoints`` where it ran; and ``error``
    where it failed.
    """
    layout = _layout(checkpoint_base)
    if not base_exists(layout):
        return {"skipped": False, "result": _pruned(None)}
    with _open(checkpoint_base) as checkpoints:
        config = checkpoints.config
        wanted = config.auto_prune if auto_prune is None else auto_prune
        hours = config.min_interval_hours if min_interval_hours is None else min_interval_hours
        if not wanted or not _is_due(checkpoints, layout, hours):
            return {"skipped": True}
        grace = checkpoints.policy.orphan_grace
        try:
            done = _prune(checkpoints, retention_days, delete_orphans, max_total_size_mb, grace)
        except LockHeld as held:
            logger.info("checkpoint maintenance is left for later: %s", held)
            return {"skipped": True}
        finally:
            checkpoints.note_maintenance()
        return {"skipped": False, "result": done}


@guarded("checkpoints: clearing failed", lambda _: _cleared())
def clear_all(checkpoint_base: BasePath | None = None, *, sessions: bool = False) -> Result:
    """Remove all checkpoints and archives; session checkpoints stay unless ``sessions``.

    Returns ``bytes_freed``, ``deleted`` (whether all of it is gone) and ``kept_sessions``.
    """
    layout = _layout(checkpoint_base)
    if not base_exists(layout):
        return _cleared()
    try:
        with _open(checkpoint_base) as checkpoints:
            done = checkpoints.clear(sessions=sessions)
        from hermes_checkpoints.base import kept

        kept.close(layout)
    except (CatalogDamaged, CatalogNewer):
        if not sessions:
            raise
        from hermes_checkpoints.admin.clear import remove_all

        done = remove_all(layout)  # nothing in it is to be kept, so it need not be read
    for problem in done.errors:
        logger.warning("not cleared: %s", problem)
    return _cleared(done.freed_bytes, not done.errors, done.kept_sessions)


@guarded(
    "checkpoints: clearing archives failed",
    lambda _: Result(bytes_freed=0, deleted=0, errors=1),
)
def clear_legacy(checkpoint_base: BasePath | None = None) -> Result:
    """Remove the archives that migrations moved aside.

    Returns ``bytes_freed``, ``deleted`` (how many) and ``errors`` (a number).
    """
    if not base_exists(_layout(checkpoint_base)):
        return {"bytes_freed": 0, "deleted": 0, "errors": 0}
    with _open(checkpoint_base) as checkpoints:
        done = checkpoints.clear_legacy()
    for problem in done.errors:
        logger.warning("not cleared: %s", problem)
    return {
        "bytes_freed": done.freed_bytes,
        "deleted": done.archives,
        "errors": len(done.errors),
    }


@guarded("checkpoints: the size cannot be looked at", lambda _: None)
def footprint_notice(
    checkpoint_base: BasePath | None = None, *, enabled: bool | None = None
) -> str | None:
    """Return what people are to be told where checkpoints are on: that takes fail or are refused
    and none has worked since, where that was in the last two weeks; that the store is over its cap;
    and once what a prune in the background dropped for that cap; and what should have been sent to
    the remote by itself, and was not. None where all is well.

    ``enabled`` defaults to the configuration's. Nothing is measured: the size is the last
    measured one with what was added since.
    """
    layout = _layout(checkpoint_base)
    config = load_config(layout.config)
    cap = config.max_total_bytes
    on = config.enabled if enabled is None else enabled
    if not on or not base_exists(layout):
        return None
    with _open(checkpoint_base) as checkpoints:
        told = _failing(checkpoints)
        if cap:
            size, ran = checkpoints.capped_bytes(), checkpoints.cap_notice()
            told += [] if ran is None else [f"Checkpoints, {ran}."]
            told += [_over_cap(size, config)] if size > cap else []
        unsent = checkpoints.push_notice()
        told += [] if unsent is None else [f"Checkpoints: {shown(unsent)}."]
    return " ".join(told) or None


def _failing(checkpoints: Checkpoints) -> list[str]:
    """Return that takes fail or are refused: of the directory where that was last, and of how many
    others."""
    since = datetime.now(UTC) - _TOLD
    runs = checkpoints.failing(since=since)
    if not runs:
        return []
    others = len(runs) - 1
    more = f" (and of {others} more)" if others else ""
    return [f"Checkpoints: {shown(takes_failed(runs[0]))}{more}; see `{PROGRAM} status`."]


def _over_cap(size: int, config: Config) -> str:
    return (
        f"Checkpoints take {size / MB:.0f} MB, more than the {config.max_total_size_mb} MB "
        f"that are allowed. Try `{PROGRAM} prune` first: it keeps the newest of "
        f"each project. `{PROGRAM} clear` removes them all."
    )


@guarded(
    "checkpoints: the status cannot be read",
    lambda error: _nothing_held("") | {"error": reason(error)},
)
def store_status(checkpoint_base: BasePath | None = None) -> Result:
    """Return what the store holds, with the keys that hosts know.

    ``base``, ``store_size_bytes``, ``legacy_size_bytes``, ``total_size_bytes``,
    ``project_count``, ``projects`` (``hash``, ``workdir``, ``exists``, ``state``,
    ``created_at`` and ``last_touch`` in seconds since 1970, ``commits``), ``pre_v2_projects``
    (``path``, ``workdir`` or None, ``exists``: repositories of version 1 that lie in the base and
    are not imported yet) and ``legacy_archives`` (``name``, ``size_bytes``, ``mtime``). Sizes are
    bytes on disk. Where the catalog cannot be read the numbers are 0, and ``error`` says why.
    ``checkpoint_base`` is a checkpoint folder; default is that of HERMES_HOME.
    """
    layout = _layout(checkpoint_base)
    return _nothing_held(layout.base) | _held(checkpoint_base, layout)


# --- inside ------------------------------------------------------------------------------


def _layout(base: BasePath | None) -> Layout:
    return Layout.of() if base is None else Layout.of_base(base)


def _open(base: BasePath | None) -> AbstractContextManager[Checkpoints]:
    load_lending()
    from hermes_checkpoints.checkpoints.lent import lent

    return lent(_layout(base))


def _prune(
    checkpoints: Checkpoints,
    retention_days: int | None,
    delete_orphans: bool | None,
    max_total_size_mb: int | None,
    grace: timedelta | None,
    orphans: frozenset[str] | None = None,
) -> Result:
    from hermes_checkpoints.retention.plan import PruneOptions

    configured = checkpoints.policy
    days, cap = configured.retention_days, configured.cap_bytes
    policy = replace(
        configured,
        retention_days=days if retention_days is None else max(0, int(retention_days)),
        delete_orphans=configured.delete_orphans if delete_orphans is None else delete_orphans,
        orphan_grace=grace,
        cap_bytes=cap if max_total_size_mb is None else max(0, int(max_total_size_mb)) * MB,
        orphans=orphans,
    )
    options = PruneOptions(lock_timeout=_LOCK_TIMEOUT, patience=_PATIENCE)
    plan = checkpoints.plan_prune(policy=policy, options=options)
    return _pruned(checkpoints.prune(plan=plan, options=options))


def _hashes(names: Collection[str]) -> frozenset[str]:
    """Return the hashes of the projects that are named, by their hash or, where a repository of
    version 1 lay in the base, by its path, which ends with it.

    Raises:
        BadRequest: when they are one text, whose letters would be taken for names.
    """
    if isinstance(names, str | bytes):
        raise BadRequest(f"orphan_allowlist is a set of hashes or paths, not the text {names!r}")
    return frozenset(os.path.basename(str(name)) for name in names)


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


def _cleared(freed_bytes: int = 0, deleted: bool = False, kept_sessions: int = 0) -> Result:
    return {"bytes_freed": freed_bytes, "deleted": deleted, "kept_sessions": kept_sessions}


def _nothing_held(base: BasePath) -> Result:
    return {
        "base": str(base),
        "store_size_bytes": 0,
        "legacy_size_bytes": 0,
        "total_size_bytes": 0,
        "project_count": 0,
        "projects": [],
        "pre_v2_projects": [],
        "legacy_archives": [],
    }


@guarded("checkpoints: the status cannot be read", lambda error: Result(error=reason(error)))
def _held(base: BasePath | None, layout: Layout) -> Result:
    if not base_exists(layout):
        return {}
    with _open(base) as checkpoints:
        held = checkpoints.summary()
    return {
        "store_size_bytes": held.sizes.store_bytes,
        "legacy_size_bytes": held.sizes.legacy_bytes,
        "total_size_bytes": held.sizes.total_bytes,
        "project_count": len(held.projects),
        "projects": [_project_held(one, held.states[one.last_look.hash]) for one in held.projects],
        "pre_v2_projects": _not_imported(layout.base),
        "legacy_archives": [
            {"name": archive.name, "size_bytes": archive.size_bytes, "mtime": archive.mtime}
            for archive in held.sizes.archives
        ],
    }


def _project_held(one: HeldProject, state: ProjectState) -> Result:
    return {
        "hash": one.last_look.hash,
        "workdir": one.last_look.working_dir,
        "exists": state == "live",
        "state": state.value,
        "created_at": one.created_at.timestamp(),
        "last_touch": one.last_touch.timestamp(),
        "commits": one.checkpoints,
    }


def _not_imported(base: Path) -> list[Result]:
    """Return the repositories of version 1 that lie in a base: an older program may have made one
    since the import, and one that cannot be read stays where it is."""
    from hermes_checkpoints.history.find import is_repository, working_dir_of

    found = [path for path in sorted(base.iterdir()) if is_repository(path)]
    places = [(path, working_dir_of(path)) for path in found]
    return [
        {"path": str(path), "workdir": place, "exists": bool(place) and os.path.isdir(place or "")}
        for path, place in places
    ]

"""Garbage collection of sessions: one rule, one statement, and nothing unreadable is lost.

What a plan shows is what the collection removes, or the collection removes nothing.
"""

from __future__ import annotations

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BadRequest, SessionChanged
from hermes_checkpoints.model import Collected, GcRule, StoredSession
from hermes_checkpoints.sessions.files import is_readable, set_aside
from hermes_checkpoints.sessions.older import OlderPrograms


def plan(base: Base, rule: GcRule) -> Collected:
    """Return what ``collect`` would remove, and change nothing."""
    found = base.catalog.sessions.collectable(rule, _damaged(base))
    unreadable = frozenset(one.session_id for one in found if not is_readable(one))
    return Collected(tuple(one.summary for one in found), unreadable, {}, rule)


def rule_of(plan: Collected) -> GcRule:
    """Return the rule that a plan was made by.

    Raises:
        BadRequest: when it is no plan but the outcome of a collection.
    """
    if plan._rule is None:
        raise BadRequest("this is no plan of `plan_gc`; make one")
    return plan._rule


def collect(
    base: Base, rule: GcRule, files: OlderPrograms, plan: Collected | None = None
) -> Collected:
    """Remove sessions, and the files of those; with a plan no others than it shows.

    Unreadable documents are in files before the removal counts.

    Raises:
        SessionChanged: when another session than those of the plan would be removed.
        CheckpointError: when it fails; nothing is removed then.
    """
    result: list[Collected] = []
    planned = None if plan is None else {one.session_id for one in plan.sessions}

    def before_commit(removed: list[StoredSession]) -> None:
        for one in removed:
            if planned is not None and one.session_id not in planned:
                raise SessionChanged(
                    f"session {one.session_id} would be removed, too, which was not planned; "
                    "nothing was removed: plan again"
                )
        exported = {
            one.session_id: set_aside(
                base, one.session_id, one.document.encode(), f"v{one.version}"
            )
            for one in removed
            if not is_readable(one)
        }
        for one in removed:
            files.remove(one.session_id, one.updated_at)
        summaries = tuple(one.summary for one in removed)
        result.append(Collected(summaries, frozenset(exported), exported))

    with files.locked():
        base.catalog.sessions.collect(rule, _damaged(base), before_commit)
    return result[0]


def _damaged(base: Base) -> set[str]:
    """Return the sessions that were changed behind the package's back and cannot be read."""
    return {one.session_id for one in base.catalog.sessions.misfits() if not is_readable(one)}

"""The size cap as a statement on top of the decisions: what goes for it, and in which order.

Only what the rules would keep for no reason of its own (``within-limits``) may go. The bytes are
the estimates of the decisions; git confirms what they come to.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import FromClause, Integer, Select, String, case, func, literal_column, select

from hermes_checkpoints.catalog.policy import all_if, values_of
from hermes_checkpoints.catalog.schema import projects
from hermes_checkpoints.model import MB, Rule


def size_cap_candidates(decided: FromClause) -> Select[Any]:
    """Return the query of what the size cap may drop, in the order in which it would.

    The oldest of each project goes in turn, those taken by hand after all others, first those of
    disposable places. ``decided`` has
    the columns of ``decisions``. Columns: ``place`` (1 goes first), ``id``, ``project_id``,
    ``commit_id``, ``turn`` (1 for the oldest of its project), ``freed_bytes``, and
    ``freed_before``, what those that go earlier free. So what frees N bytes is what has
    ``freed_before < N``.
    """
    waiting = (
        select(
            decided.c.id,
            decided.c.project_id,
            decided.c.commit_id,
            decided.c.created_at,
            decided.c.freed_bytes,
            func.row_number()
            .over(partition_by=decided.c.project_id, order_by=[decided.c.by_hand, decided.c.id])
            .label("turn"),
        )
        .where(decided.c.rule == Rule.WITHIN_LIMITS)
        .subquery("waiting")
    )
    order = projects.c.disposable.desc(), waiting.c.turn, waiting.c.created_at, waiting.c.id
    earlier = func.sum(waiting.c.freed_bytes).over(order_by=order, rows=(None, -1))
    return (
        select(
            func.row_number().over(order_by=order).label("place"),
            waiting.c.id,
            waiting.c.project_id,
            waiting.c.commit_id,
            waiting.c.turn,
            waiting.c.freed_bytes,
            func.coalesce(earlier, 0).label("freed_before"),
        )
        .join(projects, projects.c.id == waiting.c.project_id)
        .order_by(literal_column("place", Integer))
    )


def capped(decided: FromClause, policy: FromClause) -> Select[Any]:
    """Return the query of ``decisions`` as they are with the size cap, which has to find the
    ``reclaim_bytes`` of the policy beyond what the other rules drop."""
    told = values_of(policy)
    candidates = size_cap_candidates(decided).limit(all_if(told["reclaim_bytes"] > 0)).subquery()
    chosen = select(candidates.c.id).where(candidates.c.freed_before < told["reclaim_bytes"])
    found = (
        select(*decided.c, decided.c.id.in_(chosen).label("goes"))
        .limit(-1)  # all; but it is a column then, not worked out at each mention
        .subquery("found")
    )
    megabytes = func.printf("%.0f", told["cap_bytes"] * 1.0 / MB, type_=String())
    why = case(
        (told["cap_bytes"] > 0, "the store was over its size cap of " + megabytes + " MB"),
        else_="space was asked back",
    )
    return select(
        found.c.id,
        found.c.project_id,
        found.c.commit_id,
        found.c.created_at,
        case((found.c.goes, "drop"), else_=found.c.decision).label("decision"),
        case((found.c.goes, Rule.SIZE_CAP), else_=found.c.rule).label("rule"),
        case((found.c.goes, why), else_=found.c.reason).label("reason"),
        found.c.freed_bytes,
    )

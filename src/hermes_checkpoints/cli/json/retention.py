"""Prunes, planned and done, and what was cleared, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import exact, instant, words
from hermes_checkpoints.model import (
    Decision,
    ForgetPlan,
    Forgotten,
    KeptGroup,
    LegacyRecord,
    PrunePlan,
    PruneResult,
    Rule,
)

if TYPE_CHECKING:
    from hermes_checkpoints.admin.clear import Cleared
    from hermes_checkpoints.cli.json.shapes import retention as shapes


def of_prune_plan(plan: PrunePlan) -> shapes.PrunePlan:
    """Return what a prune would drop and why, and how many stay by which rule. ``freed_bytes`` are
    estimates."""
    cap = plan.cap
    return {
        "dry_run": True,
        "projects": [
            {
                "hash": project.hash,
                **exact("working_dir", project.working_dir),
                "state": project.state,
                "missing_since": instant(project.missing_since),
            }
            for project in plan.projects
        ],
        "drop": [_of_decision(decision) for decision in plan.drop],
        "keep": [_of_group(group) for group in plan.kept],
        "kept": plan.keep_count,
        "freed_bytes": plan.freed_bytes,
        "archives": [_of_archive(record) for record in plan.archives],
        "kept_archives": [words(why) for why in plan.kept_archives],
        "fetched": [one.id for one in plan.fetched],
        "size_cap": None
        if cap is None
        else {
            "goal_bytes": cap.goal_bytes,
            "store_bytes": cap.store_bytes,
            "expected_bytes": cap.expected_bytes,
            "reachable": cap.reachable,
        },
    }


def _of_group(group: KeptGroup) -> shapes.Kept:
    found: shapes.Kept = {
        "rule": group.rule,
        "because": words(group.reason),
        "checkpoints": group.count,
    }
    if group.project is not None:
        found.update(exact("working_dir", group.project.working_dir))
    return found


def _of_archive(record: LegacyRecord) -> shapes.OldArchive:
    return {**exact("path", record.path), "size_bytes": record.size_bytes}


def _of_decision(decision: Decision) -> shapes.Decision:
    checkpoint = decision.checkpoint
    return {
        "id": checkpoint.id,
        **exact("working_dir", decision.project.working_dir),
        "created_at": instant(checkpoint.created_at),
        "rule": decision.rule,
        "because": words(decision.reason),
        "freed_bytes": checkpoint.freed_bytes,
    }


def of_pruned(result: PruneResult) -> shapes.Prune:
    """Return what a prune did. Sizes are the store on disk, measured before and after."""
    return {
        "dry_run": False,
        "scanned": result.scanned,
        "deleted_orphan": result.projects_of(Rule.ORPHAN),
        "deleted_stale": result.projects_of(Rule.STALE),
        "deleted_capped": result.count_of(Rule.SIZE_CAP),
        "deleted_over_limit": result.count_of(Rule.OVER_LIMIT, Rule.NO_KEEP_RULE),
        "dropped": [_of_decision(decision) for decision in result.dropped],
        "skipped": [_of_decision(decision) for decision in result.skipped],
        "quarantined": list(result.quarantined),
        "mended": list(result.mended),
        "purged": list(result.purged),
        "fetched": [one.id for one in result.plan.fetched],
        "archives": [_of_archive(record) for record in result.archives],
        "errors": list(result.errors),
        "store_bytes_before": result.before_bytes,
        "store_bytes": result.after_bytes,
        "bytes_freed": result.freed_bytes,
        "over_cap": result.over_cap,
    }


def of_forget_plan(plan: ForgetPlan) -> shapes.ForgetPlan:
    """Return what a forget would do: where checkpoints hold what is to go, and which they are."""
    return {
        "dry_run": True,
        **exact("path", plan.path),
        **exact("working_dir", plan.working_dir),
        "all_projects": plan.all_projects,
        "contents": sorted(plan.blobs),
        "held": [
            {
                **exact("working_dir", one.working_dir),
                **exact("path", one.path),
                "checkpoints": one.checkpoints,
            }
            for one in plan.held
        ],
        "replaced": list(plan.replaced),
        "archives": [words(text) for text in plan.archives],
        "recaptured": words(plan.recaptured),
        "sent": [
            {
                "url": words(one.url),
                "refs": [words(name) for name in one.refs],
                "held": [each.id for each in one.held],
                "perhaps": [each.id for each in one.perhaps],
            }
            for one in plan.sent
        ],
    }


def of_forgotten(done: Forgotten) -> shapes.Forget:
    """Return what a forget did: by the id of each checkpoint that of the one in its place."""
    return {
        **of_forget_plan(done.plan),
        "dry_run": False,
        "replaced": done.replaced,
        "bytes_freed": done.freed_bytes,
        "purged": list(done.purged),
        "fetched": done.fetched,
        "errors": list(done.errors),
    }


def of_cleared(cleared: Cleared, *, dry_run: bool = False) -> shapes.Clear:
    """Return what was cleared, or would be."""
    found: shapes.Clear = {
        "bytes_freed": cleared.freed_bytes,
        "checkpoints": cleared.checkpoints,
        "archives": cleared.archives,
        "kept_sessions": cleared.kept_sessions,
        "errors": list(cleared.errors),
    }
    if dry_run:
        found["dry_run"] = True
    return found

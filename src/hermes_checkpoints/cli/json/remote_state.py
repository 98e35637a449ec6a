"""How a remote stands, and what was or would be removed from it, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.remote import of_pushed
from hermes_checkpoints.cli.json.values import exact, instant, words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import remote_state as shapes
    from hermes_checkpoints.model import (
        CursorChange,
        NotRemoved,
        PushStatus,
        RemoteContents,
        RemotePrunePlan,
        RemotePruneResult,
        RemoteRemoval,
        RemoteStatus,
    )


def of_remote_status(found: Sequence[RemoteStatus]) -> shapes.RemoteStatus:
    """Return how the remotes stand."""
    return {
        "remotes": [
            {
                "url": words(one.remote.url),
                "machine": one.machine,
                "last_success_at": instant(one.remote.last_success_at),
                "last_failure_at": instant(one.remote.last_failure_at),
                "last_error": _words(one.remote.last_error),
                "last_code": one.remote.last_code,
                "failures": one.remote.failures,
                "projects": [_project(each) for each in one.projects],
                "refused": [of_pushed(each) for each in one.refused],
                "removed": [of_pushed(each) for each in one.removed],
                "contents": None if one.contents is None else _contents(one.contents),
                "error": _words(one.error),
                "code": one.code,
            }
            for one in found
        ]
    }


def of_remote_prune_plans(plans: Sequence[RemotePrunePlan]) -> shapes.RemotePrunePlans:
    """Return what a prune would remove, remote by remote."""
    return {
        "dry_run": True,
        "remotes": [
            {
                "url": words(plan.url),
                "machine": plan.machine,
                "would_remove": [_removal(one) for one in plan.remove],
                "kept": [
                    {
                        "machine": one.machine,
                        "rule": one.rule.value,
                        "reason": words(one.reason),
                        "checkpoints": one.number,
                    }
                    for one in plan.kept
                ],
                "cursors": [_cursor(one) for one in plan.cursors],
                "unknown": plan.unknown,
                "error": _words(plan.error),
                "code": plan.code,
            }
            for plan in plans
        ],
    }


def of_remote_pruned(results: Sequence[RemotePruneResult]) -> shapes.RemotePrune:
    """Return what a prune came to, remote by remote."""
    return {
        "dry_run": False,
        "complete": all(one.complete for one in results),
        "remotes": [
            {
                "url": words(one.url),
                "machine": one.machine,
                "complete": one.complete,
                "removed": [_removal(each) for each in one.removed],
                "kept": [_not_removed(each) for each in one.kept],
                "refused": [_not_removed(each) for each in one.refused],
                "left": one.left,
                "cursors": [_cursor(each) for each in one.cursors],
                "cursors_left": [_not_removed(each) for each in one.cursors_left],
                "error": _words(one.error),
                "code": one.code,
            }
            for one in results
        ],
    }


def _words(text: str | None) -> str | None:
    return None if text is None else words(text)


def _project(one: PushStatus) -> shapes.ProjectOnRemote:
    return {
        **exact("working_dir", one.working_dir),
        "project": one.project_hash,
        "unsent": one.unsent,
        "waiting": one.waiting,
        "sent": one.sent,
        "refused": one.refused,
        "removed": one.removed,
        "oldest_unsent_at": instant(one.oldest_unsent_at),
        "last_sent_at": instant(one.last_sent_at),
    }


def _contents(there: RemoteContents) -> shapes.RemoteContents:
    return {
        "refs": there.refs,
        "checkpoints": there.checkpoints,
        "cursors": there.cursors,
        "other_machines": there.machines,
        "other_checkpoints": there.foreign_checkpoints,
        "other_cursors": there.foreign_cursors,
        "other_refs": there.other_refs,
        "advertised_bytes": there.advertised_bytes,
    }


def _removal(one: RemoteRemoval) -> shapes.RemoteRemoval:
    return {
        "id": one.id,
        "short_id": one.short_id,
        "ref": words(one.ref_name),
        "machine": one.machine,
        "project": one.project_hash,
        "taken_at": instant(one.taken_at),
        "rule": one.rule.value,
        "reason": words(one.reason),
        "is_here": one.is_here,
    }


def _cursor(one: CursorChange) -> shapes.CursorChange:
    return {
        "ref": one.ref_name,
        "machine": one.machine,
        "project": one.project_hash,
        "fate": one.fate.value,
    }


def _not_removed(one: NotRemoved) -> shapes.NotRemoved:
    return {"ref": words(one.ref_name), "commit": one.id, "reason": words(one.reason)}

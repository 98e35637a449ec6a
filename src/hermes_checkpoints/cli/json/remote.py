"""What a look at the remote found, and what a push came to, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import exact, instant, words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import remote as shapes
    from hermes_checkpoints.model import (
        PullResult,
        Pushed,
        PushPlan,
        PushResult,
        RemoteCheck,
        RemoteCheckpoint,
    )


def of_remote_check(found: RemoteCheck) -> shapes.RemoteCheck:
    """Return all that one look found."""
    return {
        "url": words(found.url),
        "machine": found.machine,
        "works": found.works,
        "git": found.git,
        "protocol": found.protocol,
        "refs": found.refs,
        "own_refs": found.own_refs,
        "advertised_bytes": found.advertised_bytes,
        "findings": [
            {
                "check": one.check,
                "standing": one.standing.value,
                "text": words(one.text),
                "remedy": words(one.remedy),
                "code": one.code,
            }
            for one in found.findings
        ],
    }


def of_push_plans(plans: Sequence[PushPlan]) -> shapes.PushPlans:
    """Return what a push would send, remote by remote."""
    return {
        "remotes": [
            {
                "url": words(plan.url),
                "machine": plan.machine,
                "new_bytes": plan.new_bytes,
                "would_send": [
                    {"id": one.id, "short_id": one.short_id, "project": one.project_hash}
                    for one in plan.checkpoints
                ],
                "would_refuse": [of_pushed(one) for one in plan.refused],
                "damaged": [of_pushed(one) for one in plan.damaged],
                "removed": plan.removed,
            }
            for plan in plans
        ]
    }


def of_push_results(results: Sequence[PushResult]) -> shapes.PushResults:
    """Return what a push came to, remote by remote."""
    return {
        "complete": all(one.complete for one in results),
        "remotes": [
            {
                "url": words(one.url),
                "machine": one.machine,
                "complete": one.complete,
                "new_bytes": one.new_bytes,
                "sent": [of_pushed(each) for each in one.sent],
                "waiting": [of_pushed(each) for each in one.waiting],
                "refused": [of_pushed(each) for each in one.refused],
                "unsent": one.unsent,
                "removed": one.removed,
                "error": None if one.error is None else words(one.error),
                "code": one.code,
            }
            for one in results
        ],
    }


def of_pushed(one: Pushed) -> shapes.Pushed:
    """Return what became of a checkpoint on a remote."""
    return {
        "id": one.id,
        "short_id": one.short_id,
        "project": one.project_hash,
        "ref": one.ref_name,
        "reason": None if one.reason is None else words(one.reason),
        "paths": [{**exact("path", path.path), "reason": words(path.reason)} for path in one.paths],
    }


def of_pull_results(results: Sequence[PullResult]) -> shapes.PullResults:
    """Return what a pull came to, remote by remote."""
    return {
        "complete": all(one.complete for one in results),
        "remotes": [
            {
                "url": words(one.url),
                "complete": one.complete,
                "listed": one.listed,
                "added": one.added,
                "gone": one.gone,
                "malformed": one.malformed,
                "error": None if one.error is None else words(one.error),
                "code": one.code,
            }
            for one in results
        ],
    }


def of_remote_list(found: Sequence[RemoteCheckpoint]) -> shapes.RemoteList:
    """Return what is listed of the remote."""
    return {
        "checkpoints": [
            {
                "id": one.id,
                "short_id": one.short_id,
                "machine": one.machine,
                "machine_name": None if one.machine_name is None else words(one.machine_name),
                **exact("working_dir", one.working_dir),
                "project": one.project_hash,
                "origin": one.repository,
                "kind": one.kind.value,
                "reason": words(one.reason),
                "session": one.session_id,
                "turn": one.turn,
                "created_at": instant(one.created_at),
                "files": one.file_count,
                "bytes": one.logical_bytes,
                "partial": one.partial,
                "is_here": one.is_here,
                "fetched_at": instant(one.fetched_at),
            }
            for one in found
        ]
    }

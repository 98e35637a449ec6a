"""Gathers what the commit of a checkpoint is to say of its take: when, why, and where it stood."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from hermes_checkpoints.base.machine import Machine, machine_of
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.origin import origin_of
from hermes_checkpoints.capture.publishing import Difference
from hermes_checkpoints.capture.redact import redact
from hermes_checkpoints.capture.request import TakeRequest
from hermes_checkpoints.fs.repository import enclosing
from hermes_checkpoints.fs.system import generation, identity
from hermes_checkpoints.model import (
    CheckpointFacts,
    Head,
    Origin,
)
from hermes_checkpoints.object_store import (
    Staged,
)
from hermes_checkpoints.object_store.commits import local_offset_minutes


@dataclass(frozen=True)
class Where:
    """Where a checkpoint is taken: in which base, and at which commit of which repository."""

    machine: Machine
    head: Head
    origin: Origin


def where_of(workspace: Workspace) -> Where:
    """Look where a checkpoint is taken: at files, and with a git process where the configuration
    of the repository is another than at the last look."""
    base, target = workspace.base, workspace.target
    machine = machine_of(base.layout, base.lock_timeout)
    repository = enclosing(target.path)
    if repository is None:
        return Where(machine, Head(), Origin())
    known = base.catalog.projects.origin(target.hash)
    origin = origin_of(workspace.git, repository, target.path, known)
    return Where(machine, repository.head(), origin)


def facts_of(
    workspace: Workspace,
    request: TakeRequest,
    staged: Staged,
    difference: Difference,
    where: Where,
) -> CheckpointFacts:
    """Return all that the commit is to say; its id is not known yet."""
    now = workspace.base.now()
    target = workspace.target
    prefix = workspace.base.layout.ref_prefix(target.hash)
    file_count, logical_bytes = difference.totals()
    place = identity(target.path)
    return CheckpointFacts(
        project_hash=target.hash,
        working_dir=target.name,
        id="",
        tree_id=staged.tree_id,
        state_id=staged.state_id,
        ref_name=f"{prefix}{now:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}",
        kind=request.kind,
        reason=redact(request.reason),
        created_at=now,
        utc_offset_minutes=local_offset_minutes(now),
        label=request.label,
        session_id=request.session_id,
        turn=request.turn,
        message_count=request.message_count,
        ignored_count=staged.meta.ignored,
        skipped=staged.meta.skipped,
        file_count=file_count,
        logical_bytes=logical_bytes,
        device=place.device if place else None,
        inode=place.inode if place else None,
        generation=generation(target.path),
        head=where.head.commit,
        branch=where.head.branch,
        machine=where.machine.id,
        repository=where.origin.repository,
        subdirectory=where.origin.subdirectory,
    )

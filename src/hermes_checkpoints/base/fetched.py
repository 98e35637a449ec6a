"""Checkpoints of remotes whose contents are in the store: they can be shown, compared, read and
restored like any other, and are none of this base.
"""

from __future__ import annotations

from collections.abc import Iterable

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import PROGRAM, CheckpointUnknown, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import FETCHED_PREFIX
from hermes_checkpoints.model import Checkpoint, FetchedRef, ProjectKey
from hermes_checkpoints.model.checkpoints import FETCHED
from hermes_checkpoints.object_store import ref_files
from hermes_checkpoints.object_store.maintenance import delete_refs
from hermes_checkpoints.object_store.stored import StoredCheckpoint


def fetched_checkpoint(base: Base, commit_id: str) -> Checkpoint:
    """Return a checkpoint that was fetched, as its commit tells of it.

    Raises:
        CheckpointUnknown: when it is not here any more.
        StoreDamaged: when the store lacks part of its commit.
    """
    return _checkpoint(stored(base, commit_id))


def key_of_fetched(base: Base, checkpoint: Checkpoint) -> ProjectKey:
    """Return by what the project of a fetched checkpoint is known on all machines.

    Raises:
        CheckpointUnknown, StoreDamaged: as ``fetched_checkpoint``.
    """
    facts = stored(base, checkpoint.id).facts
    return ProjectKey(facts.machine, facts.project_hash, facts.repository, facts.subdirectory)


def stored(base: Base, commit_id: str) -> StoredCheckpoint:
    """Return a fetched checkpoint as its commit has it.

    Raises:
        CheckpointUnknown, StoreDamaged: as ``fetched_checkpoint``.
    """
    known = base.catalog.fetched.get(commit_id)
    if known is None or not is_held(base, known):
        raise CheckpointUnknown(
            f"the contents of checkpoint {commit_id[:8]} are not here: fetched checkpoints are "
            f"removed some days later; `{PROGRAM} show {commit_id[:8]}` fetches it again"
        )
    for found in base.store.read([known.ref_name]):
        if isinstance(found, StoredCheckpoint):
            return found
        raise found
    raise StoreDamaged(f"{known.ref_name} cannot be read")


def is_held(base: Base, known: FetchedRef) -> bool:
    """Tell whether the ref of a fetched checkpoint is there and leads to it, and not to another one
    to which the remote has moved its own since."""
    return ref_files.leads_to(base.layout.store, known.ref_name) == known.id


def drop_fetched(base: Base, git: Git, refs: Iterable[str]) -> int:
    """Delete refs of what was fetched, and those that no row knows, as after a backup of the
    catalog was put back; return how many there were. Rows without a ref go, too. A gc gives back
    the space. The caller has the store alone.

    Raises:
        GitFailed: when a ref cannot be deleted.
    """
    there = ref_files.checkpoints(base.layout.store, FETCHED_PREFIX)
    known = {one.ref_name for one in base.catalog.fetched.all()}
    going = {*refs} | (there.keys() - known)
    delete_refs(git, going & there.keys())
    if gone := (known & going) | (known - there.keys()):
        base.catalog.fetched.remove(gone)
    return len(going & there.keys())


def place_of(machine: str, ref_name: str) -> str:
    """Return the ref in the store for a checkpoint of a machine, by the name of its ref."""
    return f"{FETCHED_PREFIX}{machine}/{'/'.join(ref_name.split('/')[-2:])}"


def _checkpoint(found: StoredCheckpoint) -> Checkpoint:
    facts = found.facts
    return Checkpoint(
        _row=FETCHED,
        project_hash=facts.project_hash,
        working_dir=facts.working_dir,
        id=facts.id,
        tree_id=facts.tree_id,
        state_id=facts.state_id,
        ref_name=facts.ref_name,
        kind=facts.kind,
        reason=facts.reason,
        created_at=facts.created_at,
        utc_offset_minutes=facts.utc_offset_minutes,
        labels=(),
        session_id=facts.session_id,
        turn=facts.turn,
        message_count=facts.message_count,
        pinned=False,
        file_count=facts.file_count,
        logical_bytes=facts.logical_bytes,
        added_bytes=0,
        superseded_bytes=0,
        files_changed=0,
        insertions=0,
        deletions=0,
        skipped_count=len(facts.skipped),
        ignored_count=facts.ignored_count,
        partial=facts.partial,
        head=facts.head,
        branch=facts.branch,
    )

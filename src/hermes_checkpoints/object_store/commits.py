"""The form of a checkpoint's commit: enough to rebuild its catalog row from git alone.

A commit has no parent. Its tree holds the captured tree as ``tree`` and the facts beside it as
``meta.json``. Its message is the reason, for people, then trailers whose values are JSON, so
that no reason or path can pass for a trailer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.model import CheckpointFacts, Kind
from hermes_checkpoints.object_store import fast_import
from hermes_checkpoints.object_store.git_objects import FILE_MODE, TREE_MODE
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.raw_tree import TreeEntry

TREE = "tree"
META = "meta.json"

_PREFIX = "Hermes-"
_SUBJECT_LENGTH = 200


def message(facts: CheckpointFacts) -> bytes:
    """Return the commit message of a checkpoint."""
    trailers: dict[str, Any] = {
        "Version": 1,
        "Project": facts.project_hash,
        "Workdir": facts.working_dir,
        "Kind": facts.kind.value,
        "Reason": facts.reason,
        "Time": facts.created_at.astimezone(UTC).isoformat(),
        "Offset": facts.utc_offset_minutes,
        "State": facts.state_id,
        "Files": facts.file_count,
        "Bytes": facts.logical_bytes,
        "Label": facts.label,
        "Session": facts.session_id,
        "Turn": facts.turn,
        "Messages": facts.message_count,
        "Former": facts.former_id,
        "Former-Layout": facts.former_layout,
    }
    subject = " ".join(facts.reason.split())[:_SUBJECT_LENGTH] or "checkpoint"
    lines = [f"{_PREFIX}{k}: {json.dumps(v)}" for k, v in trailers.items() if v is not None]
    return "\n".join([subject, "", *lines, ""]).encode("utf-8", "replace")


def commands(facts: CheckpointFacts, meta: TreeMeta) -> Iterator[bytes]:
    """Yield the commands by which ``git fast-import`` writes the facts, the commit and its ref,
    and prints the commit's id."""
    yield fast_import.blob(meta.encode(), 1)
    yield fast_import.commit(
        facts.ref_name,
        message(facts),
        (TreeEntry(TREE_MODE, TREE, facts.tree_id), TreeEntry(FILE_MODE, META, ":1")),
        at=facts.created_at,
        offset_minutes=facts.utc_offset_minutes,
        mark=2,
    )
    yield fast_import.get_mark(2)


def objects_beside(tree_id: str, meta: TreeMeta) -> tuple[str, str]:
    """Return the ids of the two objects that a commit of a tree brings along: the facts, and the
    tree that holds both."""
    facts = meta.encode()
    blob = _object_id("blob", facts)
    entries = f"{FILE_MODE:o} {META}", f"{TREE_MODE:o} {TREE}"
    ids = blob, tree_id
    both = [f"{e}\0".encode() + bytes.fromhex(i) for e, i in zip(entries, ids, strict=True)]
    return blob, _object_id("tree", b"".join(both))


def _object_id(kind: str, content: bytes) -> str:
    header = f"{kind} {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def trailers_of(text: str) -> dict[str, Any]:
    """Return the trailers of a commit message by name, without the prefix.

    Raises:
        StoreDamaged: when it is of no checkpoint.
    """
    trailers: dict[str, Any] = {}
    try:
        for line in text.rpartition("\n\n")[2].splitlines():
            name, separator, value = line.partition(": ")
            if separator and name.startswith(_PREFIX):
                trailers[name.removeprefix(_PREFIX)] = json.loads(value)
    except ValueError as error:
        raise StoreDamaged(f"a checkpoint commit has a damaged trailer: {error}") from error
    if "Project" not in trailers:
        raise StoreDamaged("a commit under refs/checkpoints/ is no checkpoint")
    return trailers


def facts_of(
    trailers: dict[str, Any], *, commit_id: str, tree_id: str, ref_name: str, meta: TreeMeta
) -> CheckpointFacts:
    """Return what a commit tells of its checkpoint.

    Raises:
        StoreDamaged: when a trailer is missing or of a wrong form.
    """
    try:
        created = datetime.fromisoformat(trailers["Time"])
        return CheckpointFacts(
            project_hash=trailers["Project"],
            working_dir=trailers["Workdir"],
            id=commit_id,
            tree_id=tree_id,
            state_id=trailers["State"],
            ref_name=ref_name,
            kind=Kind(trailers["Kind"]),
            reason=trailers["Reason"],
            created_at=created,
            utc_offset_minutes=trailers["Offset"],
            label=trailers.get("Label"),
            session_id=trailers.get("Session"),
            turn=trailers.get("Turn"),
            message_count=trailers.get("Messages"),
            former_id=trailers.get("Former"),
            former_layout=trailers.get("Former-Layout"),
            file_count=trailers["Files"],
            logical_bytes=trailers["Bytes"],
            ignored_count=meta.ignored,
            skipped=meta.skipped,
        )
    except (KeyError, ValueError, TypeError) as error:
        raise StoreDamaged(f"checkpoint commit {commit_id} lacks a trailer: {error}") from error


def local_offset_minutes(when: datetime) -> int:
    """Return this machine's offset from UTC at a time, in minutes."""
    offset = when.astimezone().utcoffset() or timedelta()
    return int(offset.total_seconds() // 60)

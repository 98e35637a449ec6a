"""The form of a checkpoint's commit: enough to rebuild its catalog row from git alone.

A commit has no parent. Its tree holds the captured tree as ``tree`` and the facts beside it as
``meta.json``. Its message is the reason, for people, then trailers whose values are JSON, so
that no reason or path can pass for a trailer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import CheckpointFacts, Kind, LegacyLayout
from hermes_checkpoints.object_store import fast_import
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    FILE_MODE,
    TREE_MODE,
    object_id,
)
from hermes_checkpoints.object_store.git_time import format_time
from hermes_checkpoints.object_store.loose import write_loose
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.raw_tree import TreeEntry

TREE = "tree"
META = "meta.json"

_PREFIX = "Hermes-"
_SUBJECT_LENGTH = 200
_DAY = 24 * 60
"""A day in minutes; no zone is so far from UTC."""
_MOST = 2**63 - 1
"""The largest whole number that the catalog keeps."""


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
        "Partial": facts.partial or None,
        "Head": facts.head,
        "Branch": facts.branch,
        "Machine": facts.machine,
        "Repository": facts.repository,
        "Subdirectory": facts.subdirectory,
        "Replaces": facts.replaces,
    }
    subject = " ".join(facts.reason.split())[:_SUBJECT_LENGTH] or "checkpoint"
    lines = [f"{_PREFIX}{k}: {json.dumps(v)}" for k, v in trailers.items() if v is not None]
    return "\n".join([subject, "", *lines, ""]).encode("utf-8", "replace")


def write(store: Path, facts: CheckpointFacts, meta: TreeMeta) -> str:
    """Write the facts, the tree that holds both, and the commit as objects of their own, each
    durable, without a process; return the commit's id. They are to the letter what ``commands``
    lets git write.

    Raises:
        StoreDamaged: when a damaged file has the name of one of them.
        OSError: when one cannot be written.
    """
    blob = write_loose(store, "blob", meta.encode())
    root = write_loose(store, "tree", _root(blob, facts.tree_id))
    when = format_time(facts.created_at, facts.utc_offset_minutes)
    author = fast_import.AUTHOR
    head = f"tree {root}\nauthor {author} {when}\ncommitter {author} {when}\n\n"
    return write_loose(store, "commit", head.encode() + message(facts))


def commands(facts: CheckpointFacts, meta: TreeMeta) -> Iterator[bytes]:
    """Yield the commands by which ``git fast-import`` writes the facts, the commit and its ref,
    and prints the commit's id. The tree that holds an empty tree must be there: see
    ``write_roots``."""
    entries = [TreeEntry(TREE_MODE, TREE, facts.tree_id), TreeEntry(FILE_MODE, META, ":1")]
    if facts.tree_id == EMPTY_TREE:
        entries = [TreeEntry(TREE_MODE, "", objects_beside(facts.tree_id, meta)[1])]
    yield fast_import.blob(meta.encode(), 1)
    yield fast_import.commit(
        facts.ref_name,
        message(facts),
        entries,
        at=facts.created_at,
        offset_minutes=facts.utc_offset_minutes,
        mark=2,
    )
    yield fast_import.get_mark(2)


def write_roots(git: Git, states: Iterable[tuple[str, TreeMeta]]) -> None:
    """Write, in one process, the trees that hold captured trees and the facts beside them, which
    need not be in the store yet. ``fast-import`` leaves an entry with an empty tree out of the
    tree that holds it, so such a tree is written before its commit.

    Raises:
        GitFailed: when they cannot be written.
    """
    trees = []
    for tree_id, meta in states:
        facts, _ = objects_beside(tree_id, meta)
        entries = f"{FILE_MODE:o} blob {facts}\t{META}", f"{TREE_MODE:06o} tree {tree_id}\t{TREE}"
        trees.append("".join(f"{entry}\n" for entry in entries))
    if trees:
        git.run("mktree", "--missing", "--batch", stdin="\n".join(trees).encode())


def write_root(git: Git, tree_id: str, meta: TreeMeta) -> None:
    """Write both objects that a commit of a tree brings along.

    Raises:
        GitFailed: when they cannot be written.
    """
    git.run("hash-object", "-w", "--stdin", stdin=meta.encode())
    write_roots(git, [(tree_id, meta)])


def objects_beside(tree_id: str, meta: TreeMeta) -> tuple[str, str]:
    """Return the ids of the two objects that a commit of a tree brings along: the facts, and the
    tree that holds both."""
    blob = object_id("blob", meta.encode())
    return blob, object_id("tree", _root(blob, tree_id))


def _root(blob: str, tree_id: str) -> bytes:
    """Return the tree that holds facts and a captured tree."""
    entries = f"{FILE_MODE:o} {META}", f"{TREE_MODE:o} {TREE}"
    ids = blob, tree_id
    both = [f"{e}\0".encode() + bytes.fromhex(i) for e, i in zip(entries, ids, strict=True)]
    return b"".join(both)


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
    except (ValueError, RecursionError) as error:
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
    form = _Form(trailers)
    try:
        return CheckpointFacts(
            project_hash=form.text("Project"),
            working_dir=form.path("Workdir"),
            id=commit_id,
            tree_id=tree_id,
            state_id=form.text("State"),
            ref_name=ref_name,
            kind=Kind(trailers["Kind"]),
            reason=form.text("Reason"),
            created_at=form.time("Time"),
            utc_offset_minutes=form.offset(),
            label=form.text_or_none("Label"),
            session_id=form.text_or_none("Session"),
            turn=form.number_or_none("Turn"),
            message_count=form.number_or_none("Messages"),
            former_id=form.text_or_none("Former"),
            former_layout=form.layout(),
            partial=form.yes("Partial"),
            head=form.text_or_none("Head"),
            branch=form.path_or_none("Branch"),
            machine=form.text_or_none("Machine"),
            repository=form.text_or_none("Repository"),
            subdirectory=form.path_or_none("Subdirectory"),
            replaces=form.text_or_none("Replaces"),
            file_count=form.count("Files"),
            logical_bytes=form.count("Bytes"),
            ignored_count=meta.ignored,
            skipped=meta.skipped,
        )
    except KeyError as error:
        raise StoreDamaged(f"checkpoint commit {commit_id} lacks a trailer: {error}") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreDamaged(
            f"checkpoint commit {commit_id} has a trailer of a wrong form: {error}"
        ) from error


class _Form:
    """Trailers by name, each in the form that it must have: what git stores may say anything.

    Raises:
        KeyError: when a trailer is missing.
        ValueError, TypeError, OverflowError: when it is of another form.
    """

    def __init__(self, trailers: Mapping[str, Any]) -> None:
        self._trailers = trailers

    def text(self, name: str) -> str:
        value = self._trailers[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is no text: {value!r}")
        return value

    def text_or_none(self, name: str) -> str | None:
        return None if self._trailers.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        value = self._trailers[name]
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
            raise TypeError(f"{name} is no whole number that can be kept: {value!r}")
        return value

    def count(self, name: str) -> int:
        value = self.number(name)
        if value < 0:
            raise ValueError(f"{name} is less than nothing: {value}")
        return value

    def offset(self) -> int:
        value = self.number("Offset")
        if abs(value) >= _DAY:
            raise ValueError(f"Offset is a day or more: {value}")
        return value

    def number_or_none(self, name: str) -> int | None:
        return None if self._trailers.get(name) is None else self.number(name)

    def yes(self, name: str) -> bool:
        value = self._trailers.get(name, False)
        if not isinstance(value, bool):
            raise TypeError(f"{name} is neither true nor false: {value!r}")
        return value

    def path(self, name: str) -> str:
        path = self.text(name)
        if "\0" in path:
            raise ValueError(f"{name} cannot be a path: {path!r}")
        os.fsencode(path)
        return path

    def path_or_none(self, name: str) -> str | None:
        return None if self._trailers.get(name) is None else self.path(name)

    def time(self, name: str) -> datetime:
        time = datetime.fromisoformat(self.text(name))
        if time.tzinfo is None:
            raise ValueError(f"{name} has no zone: {time}")
        if not MINYEAR < time.year < MAXYEAR:
            raise ValueError(f"{name} may have no date in another zone: {time}")
        return time.astimezone(UTC)

    def layout(self) -> str | None:
        """Return the layout of the former id; both are given, or none."""
        layout = self.text_or_none("Former-Layout")
        if (layout is None) != (self._trailers.get("Former") is None):
            raise ValueError("Former and Former-Layout are given together")
        return None if layout is None else LegacyLayout(layout).value


def local_offset_minutes(when: datetime) -> int:
    """Return this machine's offset from UTC at a time, in minutes."""
    offset = when.astimezone().utcoffset() or timedelta()
    return int(offset.total_seconds() // 60)

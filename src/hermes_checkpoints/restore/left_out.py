"""Finds paths that a take leaves out although the checkpoint holds them, or a restore made them.

A file that grew over the size limit or is more than the bytes of a take, or that a rule ignores
since, lies there all the same. It can be brought back: the safety checkpoint of a restore holds
what the restore overwrites or deletes. What the checkpoint does not hold and a rule ignores is not
among these paths.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from hermes_checkpoints.fs.handles import Directory, Spot
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, ChangeStatus, SkipReason
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import TreeMeta, TreeState, list_entries
from hermes_checkpoints.restore.recorded import Record, present_left

IGNORED = "ignored by a rule"
OVERSIZE = "over the size limit"
OVER_BUDGET = "over the bytes of a take"
_BY_LIMITS = {SkipReason.OVERSIZE: OVERSIZE, SkipReason.OVER_BUDGET: OVER_BUDGET}


@dataclass(frozen=True)
class LeftOut:
    """What differs between the present and a checkpoint, by path, with ``reasons`` why a take
    leaves out some of these paths."""

    changes: Mapping[str, Change]
    reasons: Mapping[str, str]

    @classmethod
    def of(
        cls,
        root: Directory,
        changes: Mapping[str, Change],
        now: TreeMeta,
        then: TreeMeta,
        most: int,
    ) -> LeftOut:
        """Look at the paths that the present state seems to lack. ``changes`` lead from what a
        take captures ``now`` to the checkpoint. A file of more than ``most`` bytes is not looked
        into: no safety checkpoint could hold it."""
        found: dict[str, Change] = {}
        reasons: dict[str, str] = {}
        look = Inspector(root)
        limited = {
            one.path: _BY_LIMITS[one.reason] for one in now.skipped if one.reason in _BY_LIMITS
        }
        unfit = {one.path for one in now.skipped} - limited.keys()  # git can hold none of these
        for path, change in changes.items():
            if change.status is ChangeStatus.ADDED and path not in unfit:
                entry = look.look(path)
                if entry.kind in (EntryKind.FILE, EntryKind.LINK) and entry.size <= most:
                    seen = _seen(look.spot(path), entry, change, then)
                    if seen is not None:
                        found[path] = seen
                        reasons[path] = limited.get(path, IGNORED)
                    continue
            found[path] = change
        return cls(found, reasons)

    def with_made(self, root: Directory, record: Record, held: Container[str]) -> LeftOut:
        """Add what a restore made, that the state before it (``held``) lacked, and that a take
        leaves out now, as far as it is as the restore left it."""
        changes, reasons = dict(self.changes), dict(self.reasons)
        look = Inspector(root)
        for path, left in record.left.items():
            if path not in held and path not in changes:
                there = present_left(look, path, left)
                if there is not None:
                    changes[path], reasons[path] = there, IGNORED
        return LeftOut(changes, reasons)

    def as_recorded(self, changes: Mapping[str, Change]) -> dict[str, Change]:
        """Return the ``changes`` as whoever records them sees them: a path that a take leaves out
        has no present contents. It is a modification, since something lies there."""
        return {
            path: replace(changes[path], status=ChangeStatus.MODIFIED)
            if path in self.reasons
            else change
            for path, change in self.changes.items()
        }

    def name_of(self, state_id: str) -> str:
        """Return a name of the present state with what a take leaves out of it."""
        if not self.reasons:
            return state_id
        digest = hashlib.sha256(state_id.encode())
        for path in sorted(self.reasons):
            change = self.changes[path]
            line = f"\0{path}\0{change.old_blob}\0{change.old_mode}"
            digest.update(line.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:40]


def unread(git: Git, changes: Container[str], now: TreeState, then: TreeState) -> dict[str, Change]:
    """Return the files of a checkpoint that cannot be read now, so that nobody knows whether they
    differ, by path. A take carries an earlier version of them along, and ``changes``, which compare
    that one, do not have them.

    Raises:
        GitFailed: when a tree cannot be read.
    """
    closed = {one.path for one in now.meta.skipped if one.reason is SkipReason.UNREADABLE}
    if not closed:
        return {}
    outdated = {one.path for one in then.meta.skipped}
    carried = list_entries(git, now.tree_id)
    return {
        path: Change(
            path,
            ChangeStatus.MODIFIED,
            new_blob=entry.object_id,
            new_mode=stat.S_IFMT(entry.mode) | then.meta.bits(path, entry.mode),
        )
        for path, entry in list_entries(git, then.tree_id).items()
        if path in carried
        and path not in changes
        and within(path, closed)
        and not within(path, outdated)
    }


def _seen(spot: Spot, entry: Entry, change: Change, then: TreeMeta) -> Change | None:
    """Return how what lies at a path differs from the checkpoint, None where it does not."""
    kind = stat.S_IFLNK if entry.kind is EntryKind.LINK else stat.S_IFREG
    wanted = change.new_mode or 0
    mode = kind if kind == stat.S_IFLNK else kind | entry.mode
    try:
        blob = content_id(spot)
    except OSError:
        return change  # it is gone, or can no longer be read
    if stat.S_IFMT(wanted) != kind:
        status = ChangeStatus.TYPE_CHANGED
    elif blob == change.new_blob and (mode == wanted or not then.recorded):
        return None
    else:
        status = ChangeStatus.MODIFIED
    return replace(
        change,
        status=status,
        old_blob=blob,
        old_mode=mode,
        old_bytes=entry.size,
        insertions=None,
        deletions=None,
    )

"""What a checkpoint is, and what it holds and changed: the words of this package as frozen values.

Nothing in ``model`` does I/O. Paths inside a project are relative, use ``/``, and are strings in
the form of ``os.fsdecode``, so that every byte sequence a disk can hold survives. Times are aware
and in UTC; sizes are bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from hermes_checkpoints.model.heads import Head
from hermes_checkpoints.model.kinds import SHORT_ID, ChangeStatus, Kind, SkipReason

if TYPE_CHECKING:
    from hermes_checkpoints.model.projects import FileIdentity


FETCHED = 0
"""The number of the row of a checkpoint that has none, as it was fetched from a remote."""


@dataclass(frozen=True)
class Change:
    """One path that differs between a checkpoint and the one before it.

    ``old_*`` are None for an added path and ``new_*`` for a deleted one. ``*_bytes`` are the
    sizes of the contents, None in a ``Diff``, which measures none; ``stored_bytes`` is the space
    the new contents take on disk, 0 where the store had them already. Line counts are None for
    binary contents, for those over 256 KB, where too many changed at once (over 16 MB), and where
    counting took more than a second.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("as it is now")
    >>> taken = project.take()
    >>> [change] = project.changes("latest")
    >>> change.path, change.status.value, change.insertions, change.deletions, change.new_bytes
    ('notes.txt', 'M', 1, 1, 12)
    """

    path: str
    status: ChangeStatus
    old_blob: str | None = None
    new_blob: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    old_bytes: int | None = None
    new_bytes: int | None = None
    stored_bytes: int = 0
    insertions: int | None = None
    deletions: int | None = None

    @property
    def bits(self) -> tuple[int, int] | None:
        """The permission bits before and after, where they differ in what git does not keep and so
        no patch of it shows; else None."""
        if self.old_mode is None or self.new_mode is None:
            return None
        differ = self.old_mode ^ self.new_mode
        if differ & ~0o7777 or differ & 0o100 or not differ:
            return None
        return self.old_mode & 0o7777, self.new_mode & 0o7777


@dataclass(frozen=True)
class SkippedPath:
    """A path that a checkpoint does not hold. ``bytes`` is its size where it is known.

    >>> _ = Path("big.txt").write_bytes(bytes(11 * 1024 * 1024))
    >>> checkpoint = project.take().checkpoint
    >>> checkpoint.complete, project.skipped(checkpoint)
    (False, [SkippedPath(path='big.txt', reason=<SkipReason.OVERSIZE: 'oversize'>, bytes=11534336)])
    """

    path: str
    reason: SkipReason
    bytes: int | None = None


@dataclass(frozen=True)
class CheckpointFacts:
    """All that a checkpoint's commit tells of it: enough to rebuild its catalog row.

    ``former_id`` is the commit that an imported one had in ``former_layout`` (``v1``, ``v2``).
    A ``partial`` one holds a few named paths. One from which a content was forgotten ``replaces``
    the commit that held it. ``device``, ``inode`` and its ``generation`` are
    those of the working directory at that moment, as decimal text; no commit has them, since they
    mean something on one machine only.

    ``head`` and ``branch`` are where the repository stood that the directory belongs to,
    ``repository`` and ``subdirectory`` where it lies in that, as ``Origin`` has them, and
    ``machine`` is the id of the base.
    """

    project_hash: str
    working_dir: str
    id: str
    tree_id: str
    state_id: str
    ref_name: str
    kind: Kind
    reason: str
    created_at: datetime
    utc_offset_minutes: int = 0
    label: str | None = None
    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    file_count: int = 0
    logical_bytes: int = 0
    ignored_count: int = 0
    skipped: tuple[SkippedPath, ...] = ()
    former_id: str | None = None
    former_layout: str | None = None
    partial: bool = False
    replaces: str | None = None
    device: str | None = None
    inode: str | None = None
    generation: str | None = None
    head: str | None = None
    branch: str | None = None
    machine: str | None = None
    repository: str | None = None
    subdirectory: str | None = None


@dataclass(frozen=True)
class Moment:
    """A moment of an agent's conversation: its session, the turn of the user, and how many
    messages it had; None where that is not known. ``follows`` says that the conversation goes to
    the checkpoint as well, so that a restore can be undone even where no file differed.

    >>> taken = project.take()
    >>> safety = project.restore("latest").safety
    >>> safety == taken.checkpoint  # nothing had changed: the checkpoint itself is the safety
    True
    >>> moment = Moment("20261120_ab12", turn=3, message_count=12)
    >>> safety = project.restore("latest", moment=moment).safety  # it knows the conversation
    >>> safety.kind.value, safety.turn, safety.message_count
    ('safety', 3, 12)
    """

    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    follows: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as the catalog lists it.

    ``id`` is the id of its commit, its name for life. The figures of change are against the
    checkpoint before it in its project, of which ``is_first`` has none. ``labels`` are the names
    that people gave it, in the order of their text. ``lost_at`` is when the
    object store was found to lack part of it. The numbers of rows are for the statements of this
    package alone; they follow the order within a project. A ``partial`` one holds a few named paths
    and tells nothing of any other: it was taken of a directory that could not be captured as a
    whole. ``head`` and ``branch`` are where the repository of the directory stood then.
    ``turn_title`` is what an agent was asked for when this was the state.

    >>> checkpoint = project.take("before the clean-up", label="clean").checkpoint
    >>> checkpoint.reason, checkpoint.file_count, checkpoint.is_first, checkpoint.complete
    ('before the clean-up', 1, True, True)
    >>> project.get(checkpoint.short_id) == project.get("clean") == checkpoint
    True
    """

    _row: int = field(repr=False)
    project_hash: str
    working_dir: str
    id: str
    tree_id: str
    state_id: str
    ref_name: str
    kind: Kind
    reason: str
    created_at: datetime
    utc_offset_minutes: int
    labels: tuple[str, ...]
    session_id: str | None
    turn: int | None
    message_count: int | None
    pinned: bool
    file_count: int
    logical_bytes: int
    added_bytes: int
    superseded_bytes: int
    files_changed: int
    insertions: int
    deletions: int
    skipped_count: int
    ignored_count: int
    _previous_row: int | None = field(default=None, repr=False)
    pruned_at: datetime | None = None
    prune_reason: str | None = None
    lost_at: datetime | None = None
    _arriving: bool = field(default=False, repr=False)
    partial: bool = False
    _device: str | None = field(default=None, repr=False)
    _inode: str | None = field(default=None, repr=False)
    _generation: str | None = field(default=None, repr=False)
    head: str | None = None
    branch: str | None = None
    turn_title: str | None = None

    @property
    def label(self) -> str | None:
        """The first of its labels in the order of text, or None."""
        return self.labels[0] if self.labels else None

    @property
    def is_first(self) -> bool:
        """Whether no checkpoint of its project came before it."""
        return self._previous_row is None and not self.is_fetched

    @property
    def is_fetched(self) -> bool:
        """Whether it was fetched from a remote: it is none of this base. What its commit tells is
        known of it, and neither what it changed nor what came after it."""
        return self._row == FETCHED

    @property
    def short_id(self) -> str:
        """The first digits of ``id``, as people are shown them."""
        return self.id[:SHORT_ID]

    @property
    def complete(self) -> bool:
        """Whether every path that no rule ignores is in it."""
        return self.skipped_count == 0 and not self.partial

    @property
    def partly_lost(self) -> bool:
        """Whether the store lacks the contents of some of its files; the others can be
        restored."""
        return self.lost_at is not None and self.pruned_at is None

    @property
    def stood_at(self) -> Head:
        """Where the repository of the directory stood when it was taken."""
        return Head(self.head, self.branch)

    @property
    def identity(self) -> FileIdentity | None:
        """Device and inode of the working directory when it was taken, None where that is not
        known."""
        from hermes_checkpoints.model.projects import FileIdentity

        if self._device is None or self._inode is None:
            return None
        return FileIdentity(self._device, self._inode)

    @property
    def local_time(self) -> datetime:
        """``created_at`` in the zone in which it was taken."""
        return self.created_at.astimezone(timezone(timedelta(minutes=self.utc_offset_minutes)))

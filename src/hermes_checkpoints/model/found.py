"""Which checkpoints hold a path: what ``find`` and the history of a path answer."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hermes_checkpoints.model.checkpoints import Checkpoint
from hermes_checkpoints.model.kinds import ChangeStatus
from hermes_checkpoints.model.turns import PathEvent


class PathNow(enum.StrEnum):
    """What lies at a captured path in the working directory now.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> project.find_paths("notes.txt").found[0].now
    <PathNow.GONE: 'gone'>
    """

    THERE = "there"  # a file or a link
    GONE = "gone"  # nothing, or something that is no file and no link
    UNSEEN = "unseen"  # a directory above it is closed, or the whole cannot be reached


@dataclass(frozen=True)
class ContentMatch:
    """Where a content matched: the number of the line, from 1 on, and the line, cut after 200
    characters; bytes that are no UTF-8 are in ``os.fsdecode`` form.

    >>> taken = project.take()
    >>> project.find_paths(content="as it").found[0].match
    ContentMatch(line=1, text='as it was')
    """

    line: int
    text: str


@dataclass(frozen=True)
class FoundPath:
    """A path that a checkpoint holds: ``checkpoint`` is the newest that does, or, where contents
    were asked for, the newest whose content there matched.

    It is live, and a restore of the path from it brings ``blob``, the content, back, unless the
    path is ``lost``: then the store has none of the contents that checkpoints held there.
    ``number`` is what lists show of it, None for a safety checkpoint. ``bytes`` is the size, None
    where it is not known, and ``last`` what happened to the path last, as far as is on record, in
    the turn with the ``turn_title``.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> [found] = project.find_paths("*.txt", deleted=True).found
    >>> found.path, found.number, found.bytes, found.checkpoint == taken.checkpoint
    ('notes.txt', 1, 9, True)
    """

    path: str
    now: PathNow
    checkpoint: Checkpoint
    number: int | None
    blob: str
    bytes: int | None
    last: PathEvent | None = None
    match: ContentMatch | None = None
    turn_title: str | None = None
    lost: bool = False


@dataclass(frozen=True)
class NotSearched:
    """A content that was not searched, and why: ``binary``, ``large`` (over 16 MB) or ``damaged``.

    >>> _ = Path("data").write_bytes(bytes(3))
    >>> taken = project.take()
    >>> project.find_paths("data", content="x").not_searched[0].reason
    'binary'
    """

    path: str
    checkpoint: Checkpoint
    reason: str


@dataclass(frozen=True)
class FoundPaths:
    """What a search found, one entry for each path: those that were held last come first. ``total``
    is how many there are, of which a limit may have left some out. ``unseen`` is how many paths
    were left out of a search for deleted ones, since nobody can see whether they are there;
    ``notes`` say what could not be read.

    >>> taken = project.take()
    >>> found = project.find_paths("notes.*")
    >>> found.total, found.found[0].now.value, found.notes
    (1, 'there', ())
    """

    found: tuple[FoundPath, ...]
    total: int
    unseen: int = 0
    not_searched: tuple[NotSearched, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PathStep:
    """What a checkpoint says of a path, or of all that lies below a directory, compared with the
    live one before it.

    ``status`` is None where it holds the path and nothing tells since when: in the oldest
    checkpoint that is left, and in a partial one. ``files`` is how many paths differ. ``bytes`` is
    the size of the content then, and line counts are as those of ``Change``, None as well where
    checkpoints in between were pruned; ``of_permissions`` says that no content differs. ``last`` is
    what happened last in the time since the checkpoint before, in the turn with the ``turn_title``;
    ``others`` says that it was not the only one to change something in that time.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("as it is now")
    >>> taken = project.take()
    >>> found = project.history("notes.txt")
    >>> [(step.number, step.status.value, step.bytes) for step in found.steps]
    [(1, 'M', 12), (2, 'A', 9)]
    """

    checkpoint: Checkpoint
    number: int | None
    status: ChangeStatus | None
    files: int
    bytes: int | None
    insertions: int | None
    deletions: int | None
    of_permissions: bool = False
    last: PathEvent | None = None
    turn_title: str | None = None
    others: bool = False


@dataclass(frozen=True)
class PathHistory:
    """Which checkpoints changed a path, newest first. ``lost`` is the newest content that lies no
    longer there, with a checkpoint that holds it: of a path that is gone the last one, else the
    newest other one; None where there is none, and for a directory with something in it.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> project.history("notes.txt").lost.checkpoint == taken.checkpoint
    True
    """

    path: str
    steps: tuple[PathStep, ...]
    lost: FoundPath | None = None
    notes: tuple[str, ...] = ()

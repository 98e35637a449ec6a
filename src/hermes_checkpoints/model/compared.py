"""What comparisons of a checkpoint show, and where it went out of the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.model.checkpoints import Change, Checkpoint, SkippedPath
from hermes_checkpoints.model.heads import Head

if TYPE_CHECKING:
    from hermes_checkpoints.model.turns import PathEvent


@dataclass(frozen=True)
class Diff:
    """A checkpoint against the working directory, or against another checkpoint.

    ``stat`` and ``text`` are git's, decoded with surrogate escapes. ``skipped`` are the paths
    that one side left out for a reason, so that they could not be compared: no change tells of
    them.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("oops")
    >>> print(project.diff("latest").stat, end="")
     notes.txt | 2 +-
     1 file changed, 1 insertion(+), 1 deletion(-)
    """

    checkpoint: Checkpoint
    against: Checkpoint | None
    changes: tuple[Change, ...]
    stat: str
    text: str
    skipped: tuple[SkippedPath, ...] = ()


@dataclass(frozen=True)
class Archived:
    """A checkpoint that was written as an archive: how many files and links are in it, and how many
    ``bytes`` the files have. ``skipped`` is what the checkpoint left out, and ``lost`` are paths
    that it names and of which the store has no contents.

    >>> taken = project.take()
    >>> with open("../work.tar", "wb") as file:
    ...     project.write_tar("latest", file).bytes
    9
    """

    checkpoint: Checkpoint
    files: int
    bytes: int
    skipped: tuple[SkippedPath, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True)
class HeadDiff:
    """HEAD of the repository that a project lies in against a checkpoint, or against the working
    directory where ``checkpoint`` is None.

    ``stat`` and ``text`` are git's, decoded with surrogate escapes. Files are compared byte for
    byte, and of permissions what git keeps. ``skipped`` are paths that could not be compared, and
    ``submodules`` those that have a HEAD of their own and were left out. Of ``lost`` paths one
    side lacks the contents, as a partial clone does.

    >>> for words in ("init -q", "add .", "-c user.name=me -c user.email=me@here commit -qm one"):
    ...     _ = os.system(f"git {words}")
    >>> _ = Path("notes.txt").write_text("as it is now")
    >>> [(change.status.value, change.path) for change in project.head_diff().changes]
    [('M', 'notes.txt')]
    """

    head: Head
    checkpoint: Checkpoint | None
    changes: tuple[Change, ...]
    stat: str
    text: str
    skipped: tuple[SkippedPath, ...] = ()
    submodules: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class AgentDiff:
    """What an agent did to the files of a project, in a session or in one turn of it.

    A change leads from what a path was before the agent changed it first to what the agent left
    there last. What others did in between is no part of it: ``stat`` and ``text``, which are git's,
    then have the path more than once, and ``between`` has their events. ``shared`` are events of
    the agent at which another session was at work, too, so that they may be that one's. Of ``lost``
    paths the object store lacks the contents. ``session_id`` is None for a session without a name,
    ``ended_at`` while a turn is open; ``unseen`` says that the directory could not be looked at
    meanwhile, so that the end may be missing, and ``folded`` that checkpoints of that time were
    pruned and much of its record with them, so that earlier changes may be missing.

    >>> taken = project.take(kind="auto", session_id="session-1", turn=1)
    >>> _ = Path("notes.txt").write_text("by the agent")
    >>> diff = project.agent_diff(session_id="session-1")
    >>> [(change.status.value, change.path) for change in diff.changes]
    [('M', 'notes.txt')]
    """

    session_id: str | None
    turn: int | None
    began_at: datetime | None
    ended_at: datetime | None
    changes: tuple[Change, ...]
    stat: str
    text: str
    between: tuple[PathEvent, ...] = ()
    shared: tuple[PathEvent, ...] = ()
    lost: tuple[str, ...] = ()
    unseen: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Coverage:
    """What the next checkpoint of a directory would hold and leave out.

    ``ignored`` are the entries that a rule leaves out; one that ends in ``/`` is a directory
    with all that is in it. Of these, ``worktrees`` are left out because they are other checkouts of
    the repository that the directory belongs to; they are captured when they are asked for by
    themselves. ``file_count`` and ``directory_count`` are what would be captured. ``notes`` say
    what could not be found out, so that something may be missing.

    >>> _ = Path(".env").write_text("TOKEN=secret")
    >>> found = project.coverage()
    >>> found.file_count, found.ignored, found.complete
    (1, ('.env',), True)
    """

    working_dir: Path
    file_count: int
    directory_count: int
    skipped: tuple[SkippedPath, ...]
    ignored: tuple[str, ...]
    worktrees: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every path that no rule ignores would be in it."""
        return not self.skipped

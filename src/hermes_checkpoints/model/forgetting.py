"""What it takes to make a content leave every checkpoint, and what was done."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_checkpoints.model.remote import Pushed


@dataclass(frozen=True)
class HeldPath:
    """A path of a project at which checkpoints hold a content that is to be forgotten: the
    directory, the path, and how many checkpoints hold it there.

    >>> taken = project.take()
    >>> [held] = project.plan_forget("notes.txt").held
    >>> held.path, held.checkpoints, held.working_dir == str(project.working_dir)
    ('notes.txt', 1, True)
    """

    working_dir: str
    path: str
    checkpoints: int


@dataclass(frozen=True)
class SentCopies:
    """What a remote has of checkpoints that hold what is forgotten. A forget does not reach it.

    ``held`` were sent by this base and hold it. ``perhaps`` were sent and are not here any more, so
    that nobody can say here what they hold. ``foreign`` says that some of ``held`` lie below the id
    of another base, of which this one is a copy. ``url`` is the address as it may be shown.

    >>> from hermes_checkpoints import Pushed, PushState
    >>> ref = "refs/checkpoints/0a1b2c3d4e5f/0a1b2c3d4e5f6071/20261120T120000Z-1f2e3d4c"
    >>> one = Pushed("1f2e3d4c" * 5, "0a1b2c3d4e5f6071", PushState.SENT, ref)
    >>> SentCopies("/srv/undo.git", (one,)).refs[-1]
    'refs/checkpoints-cursor/0a1b2c3d4e5f/0a1b2c3d4e5f6071'
    """

    url: str
    held: tuple[Pushed, ...] = ()
    perhaps: tuple[Pushed, ...] = ()
    foreign: bool = False

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs there that hold it, with the cursors that may lead to it."""
        names = [one.ref_name for one in self.held if one.ref_name is not None]
        above = dict.fromkeys(name.rpartition("/")[0] for name in names)
        cursors = (name.replace("checkpoints/", "checkpoints-cursor/", 1) for name in above)
        return (*names, *cursors)


@dataclass(frozen=True)
class ForgetPlan:
    """What a forget would do now. ``blobs`` are git's ids of the contents that the path ever had,
    ``held`` where checkpoints hold any of them, other names and projects included, and
    ``replaced`` the ids of these checkpoints. ``archives`` are originals of imported history that
    may hold them, with how to remove them. ``recaptured`` says why the next take holds the path
    again, and which other files that held a content are still there, or is None. ``sent`` is what
    remotes have of these checkpoints, which stays there.

    >>> taken = project.take()
    >>> plan = project.plan_forget("notes.txt")
    >>> len(plan.blobs), plan.held[0].path, plan.replaced == (taken.checkpoint.id,)
    (1, 'notes.txt', True)
    """

    path: str
    working_dir: str
    all_projects: bool = False
    blobs: frozenset[str] = frozenset()
    held: tuple[HeldPath, ...] = ()
    replaced: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    recaptured: str | None = None
    sent: tuple[SentCopies, ...] = ()


@dataclass(frozen=True)
class Forgotten:
    """What a forget did. ``replaced`` has by the id of each checkpoint that held a content that of
    the one which took its place; ``purged`` are files that were kept of damage and are gone or
    were written anew. So many ``fetched`` checkpoints of remotes went from the store, as they may
    hold the same. Nothing is forgotten while there are ``errors``: each says what is left.

    >>> taken = project.take()
    >>> done = project.forget("notes.txt")
    >>> list(done.replaced) == [taken.checkpoint.id], done.errors
    (True, ())
    >>> [(one.path, one.reason.value) for one in project.skipped("latest")]
    [('notes.txt', 'forgotten')]
    """

    plan: ForgetPlan
    replaced: dict[str, str]
    freed_bytes: int = 0
    purged: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    fetched: int = 0

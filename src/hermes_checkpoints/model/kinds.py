"""The words of which a value is one of a few: the kinds, states and rules that the catalog keeps as
text; and the numbers and signs that mean the same everywhere.

They are apart from what has them, because the tables name all of them, and a process that takes
checkpoints has no use for the values of restores and prunes.
"""

from __future__ import annotations

import enum

SHORT_ID = 8
"""How many hex digits of a commit id are shown to people (v2's ``restored_to``)."""

MB = 1024 * 1024

LATEST = "latest"
"""The reference that means the newest checkpoint of a project that is no safety checkpoint."""

TIME_SIGN = "@"
"""What a reference that names a time begins with; no id, number or label does."""


class Kind(enum.StrEnum):
    """Why a checkpoint exists.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("oops")
    >>> restored = project.restore("latest", mode="overlay")
    >>> [checkpoint.kind.value for checkpoint in project.list(safety=True)]
    ['safety', 'manual']
    """

    AUTO = "auto"  # the agent, before it changes files
    MANUAL = "manual"  # a person or script, by `take`
    SAFETY = "safety"  # before a restore
    IMPORTED = "imported"  # from an earlier storage layout


class SkipReason(enum.StrEnum):
    """Why a path is not in a checkpoint although it lies in the working directory.

    >>> _ = Path("big.txt").write_bytes(bytes(11 * 1024 * 1024))
    >>> [(path.path, path.reason) for path in project.coverage().skipped]
    [('big.txt', <SkipReason.OVERSIZE: 'oversize'>)]
    """

    OVERSIZE = "oversize"
    UNREADABLE = "unreadable"
    SPECIAL = "special"
    VANISHED = "vanished"
    UNSUPPORTED_NAME = "unsupported-name"
    IGNORED = "ignored-by-rule"
    OVER_BUDGET = "over-budget"
    FORGOTTEN = "forgotten"


class ChangeStatus(enum.StrEnum):
    """What happened to a path, in git's letters.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> project.diff("latest").changes[0].status
    <ChangeStatus.DELETED: 'D'>
    """

    ADDED = "A"
    MODIFIED = "M"
    DELETED = "D"
    TYPE_CHANGED = "T"


class ProjectState(enum.StrEnum):
    """Whether a project's working directory can be seen."""

    LIVE = "live"
    ORPHAN = "orphan"
    UNREACHABLE = "unreachable"


class Actor(enum.StrEnum):
    """Who changed a path.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("changed by hand")
    >>> again = project.take()
    >>> project.who("notes.txt")[0].actor
    <Actor.SINCE: 'since'>
    """

    AGENT = "agent"  # in a turn of an agent, by its tools or through the shell
    PERSON = "person"  # while no agent was at work
    SINCE = "since"  # after a checkpoint that a person or script took by hand
    RESTORE = "restore"  # by a restore, an undo or a redo
    UNRECORDED = "unrecorded"  # after an imported checkpoint, until the first turn
    UNKNOWN = "unknown"  # the record is lost, or cannot tell


class RestoreRole(enum.StrEnum):
    """What a restore was for.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest", mode="overlay")
    >>> restored.role, project.plan_undo().role
    (<RestoreRole.RESTORE: 'restore'>, <RestoreRole.UNDO: 'undo'>)
    """

    RESTORE = "restore"
    UNDO = "undo"
    REDO = "redo"


class RestoreState(enum.StrEnum):
    """How far a restore came."""

    WRITING = "writing"
    DONE = "done"
    PARTIAL = "partial"
    INTERRUPTED = "interrupted"


class Mode(enum.StrEnum):
    """How far a restore goes; none ever falls back to a wider one.

    >>> taken = project.take(kind="auto", session_id="20261120_ab12")
    >>> project.end_turn(session_id="20261120_ab12")
    True
    >>> _ = Path("new.txt").write_text("by a person")
    >>> [[step.action.value for step in project.plan_restore("latest", mode=m).steps] for m in Mode]
    [['keep'], [], ['delete']]
    """

    KEEP_EDITS = "keep-edits"  # bring back what the agent changed, keep what the user changed
    OVERLAY = "overlay"  # bring every captured file back, delete nothing
    EXACT = "exact"  # the tree becomes the checkpoint


class Action(enum.StrEnum):
    """What a restore does to one path.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> plan = project.plan_restore("latest", mode="exact")
    >>> [(step.action, step.path) for step in plan.of(Action.WRITE, Action.DELETE)]
    [(<Action.WRITE: 'write'>, 'notes.txt')]
    """

    WRITE = "write"
    DELETE = "delete"
    CHMOD = "chmod"
    MKDIR = "mkdir"
    KEEP = "keep"


class Rule(enum.StrEnum):
    """What decided about a checkpoint.

    >>> taken = project.take()
    >>> [group] = checkpoints.plan_prune().kept
    >>> group.rule, group.reason
    (<Rule.NEWEST: 'newest'>, 'it is the newest of its project')
    """

    # keeping
    UNFINISHED = "unfinished-restore"
    PROTECTED = "protected"
    PINNED = "pinned"
    LABELLED = "labelled"
    UNREACHABLE = "unreachable"
    NEWEST = "newest"
    LAST_RESTORE = "last-restore"
    KEEP_RULE = "keep-rule"
    WITHIN_LIMITS = "within-limits"
    # dropping
    REQUESTED = "requested"
    ORPHAN = "orphan"
    STALE = "stale"
    OVER_LIMIT = "over-limit"
    NO_KEEP_RULE = "no-keep-rule"
    SIZE_CAP = "size-cap"


class OperationKind(enum.StrEnum):
    """What the operations journal records."""

    TAKE = "take"
    RESTORE = "restore"
    PRUNE = "prune"
    GC = "gc"
    MIGRATION = "migration"
    REBUILD = "rebuild"
    FORGET = "forget"
    PUSH = "push"
    PULL = "pull"
    REMOTE_PRUNE = "remote-prune"
    FETCH = "fetch"


class PushState(enum.StrEnum):
    """What became of a checkpoint on a remote. Without any it was not tried yet.

    >>> PushState("sent") is PushState.SENT
    True
    """

    WAITING = "waiting"  # tried, and not taken: the next push tries again
    SENT = "sent"  # the remote has confirmed its ref
    REFUSED = "refused"  # it holds what looks like a secret, so it was not offered
    REMOVED = "removed"  # it was sent, and the remote has it no longer


class OperationOutcome(enum.StrEnum):
    """How an operation ended; ``running`` is one that has not ended, or was killed."""

    RUNNING = "running"
    DONE = "done"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    PARTIAL = "partial"
    FAILED = "failed"


class LegacyLayout(enum.StrEnum):
    """What wrote it.

    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> [record.layout for record in checkpoints.import_legacy("old").records]
    [<LegacyLayout.SESSION_FILE: 'session-file'>]
    """

    V1 = "v1"  # one repository for each working directory
    V2 = "v2"  # one store for all, with one chain of commits for each
    SESSION_FILE = "session-file"  # one YAML file for each session


class LegacyState(enum.StrEnum):
    """How far an import came. What could not be imported is archived without ``imported_at``.

    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> [record.state for record in checkpoints.import_legacy("old").records]
    [<LegacyState.IMPORTED: 'imported'>]
    """

    FOUND = "found"
    IMPORTED = "imported"
    ARCHIVED = "archived"
    CLEARED = "cleared"

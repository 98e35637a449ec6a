"""The tables of the catalog, as this version of the package expects them.

The revisions under migrations/ create them; a test proves that both agree to the letter. Types
are portable: nothing here is known to SQLite only, except the wish for ids that are never reused.
"""

from __future__ import annotations

import enum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    text,
)

from hermes_checkpoints.catalog.types import JsonText, Member, PathText, PlainText, UtcDateTime
from hermes_checkpoints.model import (
    Action,
    Actor,
    ChangeStatus,
    Kind,
    LegacyLayout,
    LegacyState,
    Mode,
    OperationKind,
    OperationOutcome,
    ProjectState,
    PushState,
    RestoreRole,
    RestoreState,
    SkipReason,
)

REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007"),
    *("0008", "0009", "0010", "0011", "0012", "0013", "0014", "0015"),
)
"""Every revision that this version can read and upgrade, oldest first."""

HEAD = REVISIONS[-1]
"""The revision whose tables are below."""

VIEWS = frozenset(
    {
        "project_status",
        "checkpoint_list",
        "store_totals",
        "stale_projects",
        "orphaned_projects",
        "recent_failures",
        "take_health",
        "store_packing",
        "retention_policy",
        "retention_decisions",
        "prune_preview",
        "size_cap_candidates",
        "file_history",
        "session_activity",
        "session_list",
        "legacy_list",
        "restore_list",
        "restore_path_list",
        "operation_list",
        "running_operations",
        "remote_list",
        "push_status",
    }
)
"""The reports for people. Their SQL is in the revisions; ``views/`` says what it is made of."""

CHECKPOINT_STATES = ("arriving", "live", "pruning", "pruned")
"""``arriving``: an earlier version's, listed in the catalog, whose objects are not here yet."""

THERE = CHECKPOINT_STATES[:-1]
"""The states of checkpoints that somebody can go back to, now or once they have arrived."""

TURN_ENDS = ("host", "next", "gone")
"""The host said that it is over, the next one of its session began, or its process is gone."""

APPLICATION_ID = 0x48434B50
"""What the header of a catalog says of whose file it is: ``HCKP`` in ASCII."""

LEGACY_LAYOUTS = ("v1", "v2", "archive", "session-file")

MOST = 2**63 - 1

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _one_of(column: str, values: type[enum.StrEnum] | tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _within(least: int, *columns: str) -> list[CheckConstraint]:
    """Require integers from ``least`` on, or NULL; SQLite would store text in their place."""
    return [
        CheckConstraint(f"{column} BETWEEN {least} AND {MOST}", name=column) for column in columns
    ]


def _counts(*columns: str) -> list[CheckConstraint]:
    return _within(0, *columns)


def _integers(*columns: str) -> list[CheckConstraint]:
    return _within(-MOST, *columns)


def _yes_or_no(column: str) -> Boolean:
    """The type of a column that is 0 or 1, where the database has no type for that."""
    return Boolean(create_constraint=True, name=column)


projects = Table(
    "projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", String(16), nullable=False, unique=True),
    Column("workdir", PathText, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_touch", UtcDateTime, nullable=False),
    Column("state", Member(ProjectState, 16), nullable=False, server_default="live"),
    Column("state_checked_at", UtcDateTime),
    Column("last_seen_at", UtcDateTime),
    Column("missing_since", UtcDateTime),
    Column("device", String(32)),
    Column("inode", String(32)),
    Column("parent_device", String(32)),
    Column("parent_inode", String(32)),
    Column("disposable", _yes_or_no("disposable"), nullable=False, server_default=text("0")),
    Column("looked_ns", BigInteger, *_integers("looked_ns")),
    Column("looked_restore", Integer, *_integers("looked_restore")),
    Column("repository", PlainText),
    Column("subdirectory", PathText),
    Column("repository_config", String(64)),
    Column("max_snapshots", Integer, *_counts("max_snapshots")),
    _one_of("state", ProjectState),
    Index(None, "last_touch"),
    sqlite_autoincrement=True,
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("projects.id"), nullable=False),
    Column("commit_id", String(64), nullable=False, unique=True),
    Column("tree_id", String(64)),
    Column("state_id", String(64)),
    Column("ref_name", String(255)),
    Column("previous_id", Integer, ForeignKey("checkpoints.id")),
    Column("kind", Member(Kind, 16), nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("pinned", _yes_or_no("pinned"), nullable=False, server_default=text("0")),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("message_count", Integer),
    Column("created_at", UtcDateTime, nullable=False),
    Column("utc_offset_minutes", Integer, nullable=False, server_default=text("0")),
    Column("file_count", Integer, nullable=False, server_default=text("0")),
    Column("logical_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("added_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("superseded_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("stored_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("held_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("files_changed", Integer, nullable=False, server_default=text("0")),
    Column("insertions", Integer, nullable=False, server_default=text("0")),
    Column("deletions", Integer, nullable=False, server_default=text("0")),
    Column("skipped_count", Integer, nullable=False, server_default=text("0")),
    Column("ignored_count", Integer, nullable=False, server_default=text("0")),
    Column("state", String(16), nullable=False, server_default="live"),
    Column("pruned_at", UtcDateTime),
    Column("prune_reason", PlainText),
    Column(
        "partial",
        Boolean,
        CheckConstraint("partial IN (0, 1)", name="partial"),
        nullable=False,
        server_default=text("0"),
    ),
    Column("device", String(32)),
    Column("inode", String(32)),
    Column("generation", String(32)),
    Column("lost_at", UtcDateTime),
    Column("head", String(64)),
    Column("branch", PathText),
    Column("replaced_by", Integer, *_integers("replaced_by")),
    _one_of("kind", Kind),
    _one_of("state", CHECKPOINT_STATES),
    *_counts("file_count", "logical_bytes", "added_bytes", "superseded_bytes", "stored_bytes"),
    *_counts("held_bytes", "files_changed", "insertions", "deletions"),
    *_counts("skipped_count", "ignored_count"),
    *_integers("turn", "message_count", "utc_offset_minutes"),
    CheckConstraint("(state IN ('arriving', 'live')) = (pruned_at IS NULL)", name="pruned_at"),
    CheckConstraint(
        "state NOT IN ('live', 'pruning') OR"
        " (tree_id IS NOT NULL AND state_id IS NOT NULL AND ref_name IS NOT NULL)",
        name="whole",
    ),
    Index(None, "state", "project_id", "id"),
    Index(None, "ref_name", unique=True, sqlite_where=text("ref_name IS NOT NULL")),
    Index(None, "session_id", "state", "turn", sqlite_where=text("session_id IS NOT NULL")),
    Index(
        "ix_checkpoints_unshrunk",
        "state",
        "project_id",
        "id",
        sqlite_where=text("ref_name IS NOT NULL"),
    ),
    Index("ix_checkpoints_lost", "project_id", "id", sqlite_where=text("lost_at IS NOT NULL")),
    sqlite_autoincrement=True,
)

labels = Table(
    "labels",
    metadata,
    Column("project_id", Integer, ForeignKey("projects.id"), primary_key=True),
    Column("label", PlainText, primary_key=True),
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id"), nullable=False),
    Index(None, "checkpoint_id", "label"),
)
"""The names of checkpoints, each once in a project."""

checkpoint_changes = Table(
    "checkpoint_changes",
    metadata,
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id"), primary_key=True),
    Column("path", PathText, primary_key=True),
    Column("status", Member(ChangeStatus, 1), nullable=False),
    Column("old_blob", String(64)),
    Column("new_blob", String(64)),
    Column("old_mode", Integer),
    Column("new_mode", Integer),
    Column("old_bytes", BigInteger),
    Column("new_bytes", BigInteger),
    Column("stored_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("insertions", Integer),
    Column("deletions", Integer),
    _one_of("status", ChangeStatus),
    *_counts("old_mode", "new_mode", "old_bytes", "new_bytes", "stored_bytes"),
    *_counts("insertions", "deletions"),
    Index(None, "new_blob"),
    Index(None, "path", "checkpoint_id"),
)

skipped_paths = Table(
    "skipped_paths",
    metadata,
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id"), primary_key=True),
    Column("path", PathText, primary_key=True),
    Column("reason", Member(SkipReason, 32), nullable=False),
    Column("bytes", BigInteger),
    _one_of("reason", SkipReason),
    *_counts("bytes"),
)

agent_writes = Table(
    "agent_writes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("projects.id"), nullable=False),
    Column("turn_id", Integer, ForeignKey("turns.id")),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("path", PathText, nullable=False),
    Column("tool", PlainText),
    Column("written_at", UtcDateTime, nullable=False),
    Column("blob", String(64)),
    Column("seen", _yes_or_no("seen"), nullable=False, server_default=text("0")),
    *_integers("turn"),
    Index(None, "project_id"),
    Index(None, "turn_id"),
    sqlite_autoincrement=True,
)
"""What tools reported to have written: of turns that are open, and what no look has seen yet."""

turns = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("projects.id"), nullable=False),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("start_checkpoint_id", Integer, ForeignKey("checkpoints.id")),
    Column("end_checkpoint_id", Integer, ForeignKey("checkpoints.id")),
    Column("ended_by", String(16)),
    Column("actor", PlainText, nullable=False, server_default="agent"),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("owner", PlainText),
    Column("tools_told", _yes_or_no("tools_told"), nullable=False, server_default=text("0")),
    Column("title", PlainText),
    *_integers("turn"),
    _one_of("ended_by", TURN_ENDS),
    _one_of("actor", Actor),
    CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="ended_at"),
    Index(None, "project_id", "end_checkpoint_id"),
    Index(None, "session_id", "turn"),
    Index(
        "ix_turns_titled",
        "start_checkpoint_id",
        "id",
        sqlite_where=text("title IS NOT NULL"),
    ),
    Index(
        "ix_turns_open",
        "project_id",
        "session_id",
        unique=True,
        sqlite_where=text("ended_at IS NULL"),
    ),
    Index(
        "ix_turns_open_of_no_session",
        "project_id",
        unique=True,
        sqlite_where=text("ended_at IS NULL AND session_id IS NULL"),
    ),
    sqlite_autoincrement=True,
)
"""When agents were at work. ``end_checkpoint_id`` is the last checkpoint when it ended, ``title``
the first line of what was asked for."""

hook_sessions = Table(
    "hook_sessions",
    metadata,
    Column("session_id", PlainText, primary_key=True),
    Column("agent", String(16), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("title", PlainText),
    Column("prompted_at", UtcDateTime, nullable=False),
    Column("told", PlainText),
    *_counts("turn"),
)
"""The sessions of agents that tell of themselves by hooks, each with its last prompt."""

tool_runs = Table(
    "tool_runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("turn_id", Integer, ForeignKey("turns.id"), nullable=False),
    Column("run", PlainText),
    Column("tool", PlainText),
    Column("began_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger),
    Column("record", PathText),
    *_integers("began_ns", "ended_ns"),
    Index(None, "turn_id"),
)
"""When the tools of open turns ran, in nanoseconds since 1970. ``record`` is the file in which the
agent writes the conversation."""

path_events = Table(
    "path_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("projects.id"), nullable=False),
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id"), nullable=False),
    Column("path", PathText, nullable=False),
    Column("status", Member(ChangeStatus, 1), nullable=False),
    Column("actor", Member(Actor, 16), nullable=False),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("tool", PlainText),
    Column("overlaps", PlainText),
    Column("reason", PlainText),
    Column("old_blob", String(64)),
    Column("blob", String(64)),
    Column("old_mode", Integer),
    Column("mode", Integer),
    Column("at", UtcDateTime, nullable=False),
    Column("target_id", Integer, ForeignKey("checkpoints.id")),
    _one_of("status", ChangeStatus),
    _one_of("actor", Actor),
    *_integers("turn"),
    *_counts("old_mode", "mode"),
    Index(None, "project_id", "checkpoint_id"),
    Index(None, "project_id", "path", "checkpoint_id"),
    Index(None, "checkpoint_id"),
    sqlite_autoincrement=True,
)
"""What looks saw change, with who did it; ``checkpoint_id`` is the last checkpoint before."""

restores = Table(
    "restores",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("projects.id"), nullable=False),
    Column("operation_id", Integer),
    Column("role", Member(RestoreRole, 16), nullable=False),
    Column("state", Member(RestoreState, 16), nullable=False),
    Column("mode", Member(Mode, 16), nullable=False),
    Column("whole", _yes_or_no("whole"), nullable=False),
    Column("target_id", Integer, ForeignKey("checkpoints.id")),
    Column("target_commit", String(64)),
    Column("safety_id", Integer, ForeignKey("checkpoints.id"), nullable=False),
    Column("undo_of", Integer, ForeignKey("restores.id")),
    Column("undone_by", Integer, ForeignKey("restores.id")),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    _one_of("role", RestoreRole),
    _one_of("state", RestoreState),
    _one_of("mode", Mode),
    CheckConstraint("(state = 'writing') = (finished_at IS NULL)", name="finished_at"),
    CheckConstraint("(target_id IS NULL) = (target_commit IS NOT NULL)", name="target_commit"),
    Index(None, "project_id", "id"),
    Index(None, "operation_id"),
    Index(None, "safety_id"),
    Index(None, "state"),
    sqlite_autoincrement=True,
)

restore_paths = Table(
    "restore_paths",
    metadata,
    Column("restore_id", Integer, ForeignKey("restores.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("path", PathText, nullable=False),
    Column("action", Member(Action, 16), nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("blob", String(64)),
    Column("mode", Integer),
    Column("outcome", String(16), nullable=False),
    Column("error", PlainText),
    _one_of("action", Action),
    CheckConstraint("outcome IN ('planned', 'done', 'kept', 'failed')", name="outcome"),
    *_counts("mode"),
)

session_checkpoints = Table(
    "session_checkpoints",
    metadata,
    Column("session_id", String(255), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("status", PlainText),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("task", PlainText),
    Column("document", PlainText, nullable=False),
    *_counts("version", "size_bytes"),
    Index(None, "updated_at"),
    Index(None, "status", "updated_at"),
)

session_checkpoint_versions = Table(
    "session_checkpoint_versions",
    metadata,
    Column(
        "session_id",
        String(255),
        ForeignKey("session_checkpoints.session_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("version", Integer, primary_key=True),
    Column("status", PlainText),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("task", PlainText),
    Column("document", PlainText, nullable=False),
    *_counts("size_bytes"),
)

legacy_archives = Table(
    "legacy_archives",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", PathText, nullable=False),
    Column("path", PathText, nullable=False),
    Column("layout", Member(LegacyLayout, 16), nullable=False),
    Column("project_hash", String(16)),
    Column("workdir", PathText),
    Column("state", Member(LegacyState, 16), nullable=False, server_default="found"),
    Column("size_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("imported_checkpoints", Integer, nullable=False, server_default=text("0")),
    Column("error", PlainText),
    Column("found_at", UtcDateTime, nullable=False),
    Column("imported_at", UtcDateTime),
    Column("archived_at", UtcDateTime),
    Column("cleared_at", UtcDateTime),
    _one_of("layout", LEGACY_LAYOUTS),
    _one_of("state", LegacyState),
    *_counts("size_bytes", "imported_checkpoints"),
    Index(None, "path"),
    sqlite_autoincrement=True,
)

former_ids = Table(
    "former_ids",
    metadata,
    Column("former_id", String(64), primary_key=True),
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id"), primary_key=True),
    Column("layout", String(16), nullable=False),
    Column("archive_id", Integer, ForeignKey("legacy_archives.id")),
    Column("let_go_at", UtcDateTime),
    _one_of("layout", LEGACY_LAYOUTS),
    Index(None, "checkpoint_id"),
    Index(None, "archive_id"),
)

operations = Table(
    "operations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Member(OperationKind, 16), nullable=False),
    Column("outcome", Member(OperationOutcome, 16), nullable=False),
    Column("project_id", Integer, ForeignKey("projects.id")),
    Column("workdir", PathText),
    Column("checkpoint_id", Integer, ForeignKey("checkpoints.id")),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("duration_ms", BigInteger),
    Column("code", String(64)),
    Column("message", PlainText),
    Column("pid", Integer),
    Column("detail", JsonText),
    _one_of("kind", OperationKind),
    _one_of("outcome", OperationOutcome),
    *_integers("turn", "pid"),
    *_counts("duration_ms"),
    CheckConstraint("(outcome = 'running') = (finished_at IS NULL)", name="finished_at"),
    Index(None, "kind", "outcome", "workdir", "id"),
    Index(None, "outcome"),
    sqlite_autoincrement=True,
)

machines = Table(
    "machines",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", PlainText),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("last_seen", UtcDateTime, nullable=False),
    CheckConstraint("length(id) = 12", name="id"),
)
"""The bases of which checkpoints are on remotes, this one among them."""

remotes = Table(
    "remotes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url_hash", String(16), nullable=False, unique=True),
    Column("url_shown", PlainText, nullable=False),
    Column("added_at", UtcDateTime, nullable=False),
    Column("last_success_at", UtcDateTime),
    Column("last_failure_at", UtcDateTime),
    Column("last_code", String(64)),
    Column("last_error", PlainText),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("pulled_at", UtcDateTime),
    *_counts("failures"),
    CheckConstraint("length(url_hash) = 16", name="url_hash"),
    sqlite_autoincrement=True,
)
"""The git repositories that checkpoints are sent to. No address is kept as it was given: it may
hold a password."""

pushes = Table(
    "pushes",
    metadata,
    Column("remote_id", Integer, ForeignKey("remotes.id", ondelete="CASCADE"), primary_key=True),
    Column("commit_id", String(64), primary_key=True),
    Column("state", Member(PushState, 16), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("reason", PlainText),
    Column("machine_id", String(12), ForeignKey("machines.id"), nullable=False),
    Column("project_hash", String(16), nullable=False),
    Column("ref_name", PathText),
    Column("cursor_id", String(64)),
    _one_of("state", PushState),
    CheckConstraint(
        "state NOT IN ('sent', 'removed') OR ref_name IS NOT NULL",
        name="ref_name",
    ),
)
"""What became of each checkpoint on each remote. A row names the commit and not the row of the
checkpoint, which has another commit once a content was forgotten: that one was never sent."""

refused_paths = Table(
    "refused_paths",
    metadata,
    Column("remote_id", Integer, primary_key=True),
    Column("commit_id", String(64), primary_key=True),
    Column("path", PathText, primary_key=True),
    Column("reason", PlainText, nullable=False),
    CheckConstraint("length(commit_id) IN (40, 64)", name="commit_id"),
    ForeignKeyConstraint(
        ["remote_id", "commit_id"],
        ["pushes.remote_id", "pushes.commit_id"],
        ondelete="CASCADE",
    ),
)
"""For which files a checkpoint was refused."""

remote_checkpoints = Table(
    "remote_checkpoints",
    metadata,
    Column("remote_id", Integer, ForeignKey("remotes.id", ondelete="CASCADE"), primary_key=True),
    Column("ref_name", PathText, primary_key=True),
    Column("machine_id", String(12), ForeignKey("machines.id"), nullable=False),
    Column("project_hash", String(16), nullable=False),
    Column("repository", PlainText),
    Column("subdirectory", PathText),
    Column("workdir", PathText, nullable=False),
    Column("commit_id", String(64), nullable=False),
    Column("state_id", String(64), nullable=False),
    Column("kind", Member(Kind, 16), nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("session_id", PlainText),
    Column("turn", Integer),
    Column("created_at", UtcDateTime, nullable=False),
    Column("utc_offset_minutes", Integer, nullable=False, server_default=text("0")),
    Column("file_count", Integer, nullable=False, server_default=text("0")),
    Column("logical_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("partial", _yes_or_no("partial"), nullable=False, server_default=text("0")),
    Column("head", String(64)),
    Column("branch", PathText),
    _one_of("kind", Kind),
    *_counts("file_count", "logical_bytes"),
    *_integers("turn", "utc_offset_minutes"),
    Index(None, "repository", "subdirectory", "created_at"),
    Index(None, "machine_id", "project_hash", "created_at"),
    Index(None, "commit_id"),
    Index(None, "session_id", sqlite_where=text("session_id IS NOT NULL")),
)
"""The list of the checkpoints on a remote, as the last pull found it. It is apart from
``checkpoints``, so that no rule, sum or look at this base can reach what is not of it."""

fetched_checkpoints = Table(
    "fetched_checkpoints",
    metadata,
    Column("commit_id", String(64), primary_key=True),
    Column("ref_name", PathText, nullable=False, unique=True),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("stored_bytes", BigInteger, nullable=False, server_default=text("0")),
    *_counts("stored_bytes"),
)
"""Of which checkpoints on remotes the contents are in the store. They are no checkpoints of this
base: no rule, sum or look at it reaches them, and a prune removes them when their time is over."""

settings = Table(
    "settings",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", PlainText, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

TABLES = frozenset(metadata.tables)
EXPECTED = TABLES | VIEWS
"""Every table and view of a complete catalog."""

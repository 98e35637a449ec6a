"""Create the catalog: its tables, and its views for people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def id_column() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), nullable=False)


def count_column(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), server_default=sa.text("0"), nullable=False)


def create_projects() -> None:
    op.create_table(
        "projects",
        id_column(),
        sa.Column("hash", sa.String(16), nullable=False),
        sa.Column("workdir", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("last_touch", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(16), server_default="live", nullable=False),
        sa.Column("state_checked_at", sa.DateTime()),
        sa.Column("last_seen_at", sa.DateTime()),
        sa.Column("missing_since", sa.DateTime()),
        sa.Column("device", sa.String(32)),
        sa.Column("inode", sa.String(32)),
        sa.Column("parent_device", sa.String(32)),
        sa.Column("parent_inode", sa.String(32)),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.CheckConstraint("state IN ('live', 'orphan', 'unreachable')", name="ck_projects_state"),
        sa.UniqueConstraint("hash", name="uq_projects_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_projects_last_touch", "projects", ["last_touch"])


def create_checkpoints() -> None:
    op.create_table(
        "checkpoints",
        id_column(),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.String(64), nullable=False),
        sa.Column("tree_id", sa.String(64), nullable=False),
        sa.Column("state_id", sa.String(64), nullable=False),
        sa.Column("ref_name", sa.String(255), nullable=False),
        sa.Column("previous_id", sa.Integer()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("turn", sa.Integer()),
        sa.Column("message_count", sa.Integer()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        count_column("utc_offset_minutes"),
        count_column("file_count"),
        count_column("logical_bytes", sa.BigInteger),
        count_column("added_bytes", sa.BigInteger),
        count_column("superseded_bytes", sa.BigInteger),
        count_column("files_changed"),
        count_column("insertions"),
        count_column("deletions"),
        count_column("skipped_count"),
        count_column("ignored_count"),
        sa.Column("state", sa.String(16), server_default="live", nullable=False),
        sa.Column("pruned_at", sa.DateTime()),
        sa.Column("prune_reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_checkpoints"),
        sa.CheckConstraint(
            "kind IN ('auto', 'manual', 'safety', 'imported')", name="ck_checkpoints_kind"
        ),
        sa.CheckConstraint("state IN ('live', 'pruning', 'pruned')", name="ck_checkpoints_state"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_checkpoints_project_id_projects"
        ),
        sa.UniqueConstraint("commit_id", name="uq_checkpoints_commit_id"),
        sa.UniqueConstraint("ref_name", name="uq_checkpoints_ref_name"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["checkpoints.id"], name="fk_checkpoints_previous_id_checkpoints"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_checkpoints_project_id_state_id", "checkpoints", ["project_id", "state", "id"]
    )
    op.create_index("ix_checkpoints_session_id", "checkpoints", ["session_id"])
    op.create_index("ix_checkpoints_state", "checkpoints", ["state"])


def create_paths() -> None:
    op.create_table(
        "checkpoint_changes",
        sa.Column("checkpoint_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("status", sa.String(1), nullable=False),
        sa.Column("old_blob", sa.String(64)),
        sa.Column("new_blob", sa.String(64)),
        sa.Column("old_mode", sa.Integer()),
        sa.Column("new_mode", sa.Integer()),
        sa.Column("old_bytes", sa.BigInteger()),
        sa.Column("new_bytes", sa.BigInteger()),
        count_column("stored_bytes", sa.BigInteger),
        sa.Column("insertions", sa.Integer()),
        sa.Column("deletions", sa.Integer()),
        sa.PrimaryKeyConstraint("checkpoint_id", "path", name="pk_checkpoint_changes"),
        sa.CheckConstraint("status IN ('A', 'M', 'D', 'T')", name="ck_checkpoint_changes_status"),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"],
            ["checkpoints.id"],
            name="fk_checkpoint_changes_checkpoint_id_checkpoints",
        ),
    )
    op.create_index("ix_checkpoint_changes_new_blob", "checkpoint_changes", ["new_blob"])
    op.create_index("ix_checkpoint_changes_path", "checkpoint_changes", ["path"])
    op.create_table(
        "skipped_paths",
        sa.Column("checkpoint_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("bytes", sa.BigInteger()),
        sa.PrimaryKeyConstraint("checkpoint_id", "path", name="pk_skipped_paths"),
        sa.CheckConstraint(
            "reason IN ('oversize', 'unreadable', 'special', 'vanished', 'unsupported-name', "
            "'ignored-by-rule')",
            name="ck_skipped_paths_reason",
        ),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"],
            ["checkpoints.id"],
            name="fk_skipped_paths_checkpoint_id_checkpoints",
        ),
    )


def create_agent_records() -> None:
    op.create_table(
        "agent_writes",
        id_column(),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("turn", sa.Integer()),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("written_at", sa.DateTime(), nullable=False),
        sa.Column("blob", sa.String(64)),
        sa.PrimaryKeyConstraint("id", name="pk_agent_writes"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_agent_writes_project_id_projects"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_agent_writes_project_id_path", "agent_writes", ["project_id", "path"])
    op.create_table(
        "turns",
        id_column(),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("turn", sa.Integer()),
        sa.Column("start_checkpoint_id", sa.Integer()),
        sa.Column("end_tree", sa.String(64)),
        sa.Column("end_state", sa.String(64)),
        sa.Column("ended_by", sa.String(16)),
        sa.Column("overlaps", sa.Text()),
        sa.Column("actor", sa.Text()),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime()),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_turns_project_id_projects"
        ),
        sa.ForeignKeyConstraint(
            ["start_checkpoint_id"],
            ["checkpoints.id"],
            name="fk_turns_start_checkpoint_id_checkpoints",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_turns_project_id_id", "turns", ["project_id", "id"])
    op.create_index("ix_turns_session_id", "turns", ["session_id"])
    op.create_table(
        "session_checkpoints",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("status", sa.Text()),
        sa.Column("task", sa.Text()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_session_checkpoints"),
    )
    op.create_index("ix_session_checkpoints_updated_at", "session_checkpoints", ["updated_at"])


def create_records() -> None:
    op.create_table(
        "legacy_archives",
        id_column(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("layout", sa.String(16), nullable=False),
        sa.Column("project_hash", sa.String(16)),
        sa.Column("state", sa.String(16), server_default="found", nullable=False),
        count_column("size_bytes", sa.BigInteger),
        count_column("imported_checkpoints"),
        sa.Column("error", sa.Text()),
        sa.Column("found_at", sa.DateTime(), nullable=False),
        sa.Column("imported_at", sa.DateTime()),
        sa.Column("archived_at", sa.DateTime()),
        sa.Column("cleared_at", sa.DateTime()),
        sa.PrimaryKeyConstraint("id", name="pk_legacy_archives"),
        sa.CheckConstraint(
            "layout IN ('v1', 'v2', 'archive', 'session-file')",
            name="ck_legacy_archives_layout",
        ),
        sa.CheckConstraint(
            "state IN ('found', 'imported', 'archived', 'cleared')",
            name="ck_legacy_archives_state",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_legacy_archives_path", "legacy_archives", ["path"])
    op.create_table(
        "operations",
        id_column(),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("project_id", sa.Integer()),
        sa.Column("workdir", sa.Text()),
        sa.Column("checkpoint_id", sa.Integer()),
        sa.Column("session_id", sa.Text()),
        sa.Column("turn", sa.Integer()),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime()),
        sa.Column("duration_ms", sa.BigInteger()),
        sa.Column("code", sa.String(64)),
        sa.Column("message", sa.Text()),
        sa.Column("pid", sa.Integer()),
        sa.Column("detail", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_operations"),
        sa.CheckConstraint(
            "outcome IN ('running', 'done', 'unchanged', 'skipped', 'partial', 'failed')",
            name="ck_operations_outcome",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_operations_project_id_projects"
        ),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"], ["checkpoints.id"], name="fk_operations_checkpoint_id_checkpoints"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_operations_kind_outcome_workdir_id",
        "operations",
        ["kind", "outcome", "workdir", "id"],
    )
    op.create_index("ix_operations_outcome", "operations", ["outcome"])
    op.create_index("ix_operations_project_id", "operations", ["project_id"])
    op.create_index("ix_operations_started_at", "operations", ["started_at"])
    op.create_table(
        "settings",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )


# Times in views are UTC and cut to seconds; sizes are bytes.

PROJECT_STATUS = """
CREATE VIEW project_status AS
SELECT
    p.hash AS project,
    p.workdir AS working_directory,
    p.state AS state,
    count(c.id) AS checkpoints,
    coalesce(sum(c.added_bytes), 0) AS added_bytes,
    substr(max(c.created_at), 1, 19) AS last_checkpoint_at,
    substr(p.last_touch, 1, 19) AS last_touch,
    substr(p.created_at, 1, 19) AS created_at,
    substr(p.missing_since, 1, 19) AS missing_since
FROM projects AS p
LEFT JOIN checkpoints AS c ON c.project_id = p.id AND c.state = 'live'
GROUP BY p.id
ORDER BY p.last_touch DESC
"""

CHECKPOINT_LIST = """
CREATE VIEW checkpoint_list AS
SELECT
    p.workdir AS working_directory,
    row_number() OVER (PARTITION BY c.project_id ORDER BY c.id DESC) AS number,
    substr(c.commit_id, 1, 8) AS checkpoint,
    substr(c.created_at, 1, 19) AS taken_at,
    c.kind AS kind,
    c.reason AS reason,
    c.label AS label,
    CASE WHEN c.pinned THEN 'yes' ELSE 'no' END AS pinned,
    c.file_count AS files,
    c.logical_bytes AS logical_bytes,
    c.added_bytes AS added_bytes,
    c.files_changed AS files_changed,
    c.insertions AS insertions,
    c.deletions AS deletions,
    c.skipped_count AS skipped,
    CASE WHEN c.skipped_count = 0 THEN 'yes' ELSE 'no' END AS complete,
    c.session_id AS session_id,
    c.turn AS turn,
    p.hash AS project,
    c.commit_id AS commit_id
FROM checkpoints AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.state = 'live'
ORDER BY p.workdir, c.id DESC
"""

STORE_TOTALS = """
CREATE VIEW store_totals AS
SELECT
    (SELECT count(*) FROM projects) AS projects,
    (SELECT count(*) FROM projects WHERE state = 'orphan') AS orphaned_projects,
    (SELECT count(*) FROM projects WHERE state = 'unreachable') AS unreachable_projects,
    count(CASE WHEN state = 'live' THEN 1 END) AS checkpoints,
    count(CASE WHEN state = 'live' AND pinned THEN 1 END) AS pinned,
    count(CASE WHEN state = 'pruned' THEN 1 END) AS pruned,
    coalesce(sum(CASE WHEN state = 'live' THEN added_bytes END), 0) AS added_bytes,
    coalesce(sum(CASE WHEN state = 'live' THEN superseded_bytes END), 0) AS superseded_bytes,
    substr(min(CASE WHEN state = 'live' THEN created_at END), 1, 19) AS oldest_checkpoint_at,
    substr(max(CASE WHEN state = 'live' THEN created_at END), 1, 19) AS newest_checkpoint_at
FROM checkpoints
"""

STALE_PROJECTS = """
CREATE VIEW stale_projects AS
WITH age (days) AS (
    SELECT coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'retention_days'), 7)
)
SELECT
    s.project AS project,
    s.working_directory AS working_directory,
    s.state AS state,
    s.last_touch AS last_touch,
    CAST(julianday('now') - julianday(s.last_touch) AS INTEGER) AS days_untouched,
    age.days AS retention_days,
    s.checkpoints AS checkpoints,
    s.added_bytes AS added_bytes
FROM project_status AS s
CROSS JOIN age
WHERE julianday(s.last_touch) < julianday('now') - age.days
ORDER BY s.last_touch
"""

ORPHANED_PROJECTS = """
CREATE VIEW orphaned_projects AS
SELECT
    s.project AS project,
    s.working_directory AS working_directory,
    s.missing_since AS missing_since,
    substr(p.last_seen_at, 1, 19) AS last_seen_at,
    substr(p.state_checked_at, 1, 19) AS checked_at,
    s.checkpoints AS checkpoints,
    s.added_bytes AS added_bytes
FROM project_status AS s
JOIN projects AS p ON p.hash = s.project
WHERE p.state = 'orphan'
ORDER BY p.missing_since
"""

RECENT_FAILURES = """
CREATE VIEW recent_failures AS
SELECT
    substr(o.started_at, 1, 19) AS started_at,
    o.kind AS operation,
    o.outcome AS outcome,
    o.workdir AS working_directory,
    o.code AS code,
    o.message AS message,
    o.duration_ms AS duration_ms,
    o.session_id AS session_id,
    o.turn AS turn
FROM operations AS o
WHERE o.outcome IN ('failed', 'partial')
  AND o.started_at >= datetime('now', '-14 days')
ORDER BY o.id DESC
"""

VIEWS = (
    PROJECT_STATUS,
    CHECKPOINT_LIST,
    STORE_TOTALS,
    STALE_PROJECTS,
    ORPHANED_PROJECTS,
    RECENT_FAILURES,
)


def upgrade() -> None:
    create_projects()
    create_checkpoints()
    create_paths()
    create_agent_records()
    create_records()
    for view in VIEWS:
        op.execute(view.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

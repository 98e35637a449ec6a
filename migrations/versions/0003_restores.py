"""Keep a journal of restores, path by path, and of what each turn changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turn_changes",
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("status", sa.String(1), nullable=False),
        sa.Column("old_blob", sa.String(64)),
        sa.Column("new_blob", sa.String(64)),
        sa.Column("old_mode", sa.Integer()),
        sa.Column("new_mode", sa.Integer()),
        sa.PrimaryKeyConstraint("turn_id", "path", name="pk_turn_changes"),
        sa.CheckConstraint("status IN ('A', 'M', 'D', 'T')", name="ck_turn_changes_status"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name="fk_turn_changes_turn_id_turns"),
    )
    op.create_index("ix_turn_changes_path", "turn_changes", ["path"])
    op.create_table(
        "restores",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("operation_id", sa.Integer()),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("safety_id", sa.Integer(), nullable=False),
        sa.Column("undo_of", sa.Integer()),
        sa.Column("undone_by", sa.Integer()),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime()),
        sa.PrimaryKeyConstraint("id", name="pk_restores"),
        sa.CheckConstraint("role IN ('restore', 'undo', 'redo')", name="ck_restores_role"),
        sa.CheckConstraint(
            "state IN ('writing', 'done', 'partial', 'interrupted')", name="ck_restores_state"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_restores_project_id_projects"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["checkpoints.id"], name="fk_restores_target_id_checkpoints"
        ),
        sa.ForeignKeyConstraint(
            ["safety_id"], ["checkpoints.id"], name="fk_restores_safety_id_checkpoints"
        ),
        sa.ForeignKeyConstraint(["undo_of"], ["restores.id"], name="fk_restores_undo_of_restores"),
        sa.ForeignKeyConstraint(
            ["undone_by"], ["restores.id"], name="fk_restores_undone_by_restores"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_restores_project_id_id", "restores", ["project_id", "id"])
    op.create_index("ix_restores_state", "restores", ["state"])
    op.create_table(
        "restore_paths",
        sa.Column("restore_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("blob", sa.String(64)),
        sa.Column("mode", sa.Integer()),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("error", sa.Text()),
        sa.PrimaryKeyConstraint("restore_id", "position", name="pk_restore_paths"),
        sa.CheckConstraint(
            "action IN ('write', 'delete', 'chmod', 'mkdir', 'keep')",
            name="ck_restore_paths_action",
        ),
        sa.CheckConstraint(
            "outcome IN ('planned', 'done', 'kept', 'failed')", name="ck_restore_paths_outcome"
        ),
        sa.ForeignKeyConstraint(
            ["restore_id"], ["restores.id"], name="fk_restore_paths_restore_id_restores"
        ),
    )
    op.create_index("ix_restore_paths_path", "restore_paths", ["path"])


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

"""Mark checkpoints of which the object store lost something."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("checkpoints", sa.Column("lost_at", sa.DateTime()))
    op.create_index(
        "ix_checkpoints_lost",
        "checkpoints",
        ["project_id", "id"],
        sqlite_where=sa.text("lost_at IS NOT NULL"),
    )


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

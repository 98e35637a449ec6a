"""Add where the repository of a project stood at each checkpoint, and which repository it is.

Nobody recorded it until here, so the checkpoints that are there have nothing.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("checkpoints", sa.Column("head", sa.String(64)))
    op.add_column("checkpoints", sa.Column("branch", sa.Text()))
    op.add_column("projects", sa.Column("repository", sa.Text()))
    op.add_column("projects", sa.Column("subdirectory", sa.Text()))
    op.add_column("projects", sa.Column("repository_config", sa.String(64)))


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

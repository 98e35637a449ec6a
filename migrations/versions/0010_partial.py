"""Tell partial checkpoints from whole ones, and in which directory each was taken.

A partial checkpoint holds a few named paths of a directory that could not be captured as a whole.
Device, inode and its generation tell later whether another directory was put in the place of the
one that was captured. Of the checkpoints that are there, what is known of the project is the best.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # As one clause of the column, since SQLite adds no constraint to a table.
    op.execute(
        "ALTER TABLE checkpoints ADD COLUMN partial BOOLEAN DEFAULT 0 NOT NULL"
        " CONSTRAINT ck_checkpoints_partial CHECK (partial IN (0, 1))"
    )
    op.add_column("checkpoints", sa.Column("device", sa.String(32)))
    op.add_column("checkpoints", sa.Column("inode", sa.String(32)))
    op.add_column("checkpoints", sa.Column("generation", sa.String(32)))
    of_project = "FROM projects WHERE projects.id = checkpoints.project_id"
    op.execute(
        f"UPDATE checkpoints SET device = (SELECT device {of_project}),"  # noqa: S608
        f" inode = (SELECT inode {of_project}) WHERE state = 'live'"
    )


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

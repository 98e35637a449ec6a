"""Keep previous versions of session checkpoints, and add a report of sessions.

The document moves behind the columns that reports read, because SQLite reads a row from its
beginning: a query of states and times then never touches the pages of long documents.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def columns() -> list[sa.Column[object]]:
    return [
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("task", sa.Text()),
        sa.Column("document", sa.Text(), nullable=False),
    ]


SESSION_LIST = """
CREATE VIEW session_list AS
SELECT
    s.session_id AS session_id,
    s.status AS status,
    s.task AS task,
    substr(s.updated_at, 1, 19) AS updated_at,
    substr(s.created_at, 1, 19) AS created_at,
    s.size_bytes AS size_bytes,
    s.version AS version,
    (SELECT count(*) FROM session_checkpoint_versions AS v
     WHERE v.session_id = s.session_id) AS previous_versions,
    (SELECT count(*) FROM checkpoints AS c
     WHERE c.session_id = s.session_id AND c.state = 'live') AS checkpoints,
    (SELECT count(*) FROM
        (SELECT c.turn FROM checkpoints AS c
         WHERE c.session_id = s.session_id AND c.state = 'live' AND c.turn IS NOT NULL
         UNION
         SELECT t.turn FROM turns AS t
         WHERE t.session_id = s.session_id AND t.turn IS NOT NULL) AS both_of_them) AS turns
FROM session_checkpoints AS s
ORDER BY s.updated_at DESC, s.session_id
"""


def upgrade() -> None:
    op.drop_index("ix_session_checkpoints_updated_at", "session_checkpoints")
    op.rename_table("session_checkpoints", "session_checkpoints_before")
    op.create_table(
        "session_checkpoints",
        *columns(),
        sa.PrimaryKeyConstraint("session_id", name="pk_session_checkpoints"),
    )
    names = ", ".join(column.name for column in columns())
    op.execute(
        f"INSERT INTO session_checkpoints ({names}) "  # noqa: S608 - names from above
        f"SELECT {names} FROM session_checkpoints_before"
    )
    op.drop_table("session_checkpoints_before")
    op.create_index("ix_session_checkpoints_updated_at", "session_checkpoints", ["updated_at"])
    op.create_index(
        "ix_session_checkpoints_status_updated_at",
        "session_checkpoints",
        ["status", "updated_at"],
    )
    op.create_table(
        "session_checkpoint_versions",
        *columns(),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_session_checkpoint_versions"),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session_checkpoints.session_id"],
            name="fk_session_checkpoint_versions_session_id_session_checkpoints",
            ondelete="CASCADE",
        ),
    )
    op.execute(SESSION_LIST.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

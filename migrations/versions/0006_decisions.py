"""Keep in the catalog what decisions are made of, so that one statement makes them all.

What a checkpoint stored and what it holds become columns, since the changes from which both were
summed grow with the history. ``arriving`` is the state of a checkpoint of an earlier version whose
objects are not in the store yet. SQLite cannot change a constraint, so a table that gets another
one is made anew; the views are dropped before, and made again at the end.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

VIEWS = (
    "project_status",
    "checkpoint_list",
    "store_totals",
    "stale_projects",
    "orphaned_projects",
    "recent_failures",
    "session_list",
    "legacy_list",
)


def count(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), server_default=sa.text("0"), nullable=False)


def checkpoints() -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
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
        count("utc_offset_minutes"),
        count("file_count"),
        count("logical_bytes", sa.BigInteger),
        count("added_bytes", sa.BigInteger),
        count("superseded_bytes", sa.BigInteger),
        count("stored_bytes", sa.BigInteger),
        count("held_bytes", sa.BigInteger),
        count("files_changed"),
        count("insertions"),
        count("deletions"),
        count("skipped_count"),
        count("ignored_count"),
        sa.Column("state", sa.String(16), server_default="live", nullable=False),
        sa.Column("pruned_at", sa.DateTime()),
        sa.Column("prune_reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_checkpoints"),
        sa.CheckConstraint(
            "kind IN ('auto', 'manual', 'safety', 'imported')", name="ck_checkpoints_kind"
        ),
        sa.CheckConstraint(
            "state IN ('arriving', 'live', 'pruning', 'pruned')", name="ck_checkpoints_state"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_checkpoints_project_id_projects"
        ),
        sa.UniqueConstraint("commit_id", name="uq_checkpoints_commit_id"),
        sa.UniqueConstraint("ref_name", name="uq_checkpoints_ref_name"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["checkpoints.id"], name="fk_checkpoints_previous_id_checkpoints"
        ),
    ]


STORED = (
    "coalesce((SELECT sum(x.stored_bytes) FROM checkpoint_changes AS x"
    " WHERE x.checkpoint_id = checkpoints.id), 0)"
)
FILLED = {
    "stored_bytes": STORED,
    "held_bytes": (
        f"max(0, sum({STORED} - superseded_bytes) OVER (PARTITION BY project_id ORDER BY id))"
    ),
}


def make_anew(
    name: str, items: list[sa.schema.SchemaItem], filled: Mapping[str, str] | None = None
) -> None:
    """Make a table anew with its rows. ``filled`` has the SQL of columns that are not copied."""
    connection = op.get_bind()
    of_it = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?"
    last_id = connection.exec_driver_sql(of_it, (name,)).scalar() or 0
    new = f"new_{name}"
    op.create_table(new, *items, sqlite_autoincrement=True)
    columns = [item.name for item in items if isinstance(item, sa.Column)]
    values = [(filled or {}).get(column, column) for column in columns]
    op.execute(f"INSERT INTO {new} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {name}")  # noqa: S608 - names from above
    # Ids that were given are not given anew, also where their rows are gone.
    connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (new,))
    connection.exec_driver_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (new, last_id))
    op.drop_table(name)
    op.rename_table(new, name)


def upgrade() -> None:
    connection = op.get_bind()
    made = {
        name: str(sql)
        for name, sql in connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        )
    }
    for view in VIEWS:
        op.execute(f"DROP VIEW {view}")
    op.add_column(
        "projects",
        sa.Column("disposable", sa.Boolean(), server_default=sa.text("0"), nullable=False),
    )
    make_anew("checkpoints", checkpoints(), FILLED)
    op.create_index(
        "ix_checkpoints_state_project_id_id", "checkpoints", ["state", "project_id", "id"]
    )
    op.create_index("ix_checkpoints_session_id", "checkpoints", ["session_id"])
    with op.batch_alter_table("turns", recreate="never") as turns:
        turns.drop_column("end_tree")
    for view in VIEWS:
        op.execute(made[view])


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

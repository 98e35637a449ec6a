"""Remember sessions that tell of themselves by hooks, and what each turn was asked for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

MOST = 2**63 - 1

HOOK_SESSIONS = f"""
CREATE TABLE hook_sessions (
  session_id TEXT NOT NULL,
  agent VARCHAR(16) NOT NULL,
  turn INTEGER NOT NULL,
  title TEXT,
  prompted_at DATETIME NOT NULL,
  told TEXT,
  CONSTRAINT pk_hook_sessions PRIMARY KEY (session_id),
  CONSTRAINT ck_hook_sessions_turn CHECK (turn BETWEEN 0 AND {MOST})
)
"""

# --- views, as catalog/views makes them (written by tests/catalog/revisions/views.py) ---

CHECKPOINT_LIST = """
CREATE VIEW checkpoint_list AS
/* One row for each checkpoint that can be restored, by directory and newest first.
   working_directory  the absolute path of the directory, links resolved
   number             position in the project, 1 for the newest, safety checkpoints not counted;
                      NULL for those; changes as checkpoints come and go
   checkpoint         its name, the first 8 hex digits; never changes
   taken_at           when
   kind               auto: by the agent; manual: on request; safety: before a restore; imported:
                      from an earlier layout
   reason             why it was taken
   labels             the names that people gave it, with ,  between them
   pinned             yes: never pruned
   files              how many files it holds
   logical_bytes      the sum of their sizes
   added_bytes        bytes that it added to the store, as measured when it was taken
   files_changed      how many paths differ from the checkpoint before it
   insertions         lines of text files that came
   deletions          lines of text files that went
   held_bytes         bytes that the store needs now for what it added: an estimate, corrected by
                      the last repack
   skipped            how many paths it does not hold in spite of the rules
   partial            yes where it tells of a few named files alone, since the directory is
                      refused as a whole
   complete           yes when none, and it is not partial
   session_id         in which conversation
   turn               in which turn of it
   turn_title         what the agent was asked for when this was the state, cut to one line
   head               the commit at which the repository of the directory stood; NULL: not known
   branch             the branch of that; NULL: not known, or HEAD was detached
   project            first 16 hex digits of the SHA-256 of the working directory
   commit_id          its name in full */
SELECT projects.workdir AS working_directory,
  CASE WHEN (checkpoints.kind != 'safety') THEN sum(CASE WHEN (checkpoints.kind
      != 'safety') THEN 1 ELSE 0 END) OVER (PARTITION BY projects.workdir,
    projects.hash
  ORDER BY checkpoints.id DESC) END AS number,
  substr(checkpoints.commit_id, 1, 8) AS checkpoint,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  checkpoints.kind AS kind,
  checkpoints.reason AS reason,
  (SELECT group_concat(labels.label, ', ') AS group_concat_1
  FROM labels
  WHERE labels.checkpoint_id = checkpoints.id) AS labels,
  CASE WHEN checkpoints.pinned THEN 'yes' ELSE 'no' END AS pinned,
  checkpoints.file_count AS files,
  checkpoints.logical_bytes AS logical_bytes,
  checkpoints.added_bytes AS added_bytes,
  checkpoints.files_changed AS files_changed,
  checkpoints.insertions AS insertions,
  checkpoints.deletions AS deletions,
  CAST(round(CAST(checkpoints.added_bytes AS FLOAT) * CASE WHEN (checkpoints.id
        <= (SELECT store_packing.through FROM store_packing)) THEN
      (SELECT store_packing.ratio FROM store_packing) ELSE 1.0 END)
    AS INTEGER) AS held_bytes,
  checkpoints.skipped_count AS skipped,
  CASE WHEN checkpoints.partial THEN 'yes' ELSE 'no' END AS partial,
  CASE WHEN (checkpoints.skipped_count = 0 AND checkpoints.partial
    IS 0) THEN 'yes' ELSE 'no' END AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  (SELECT turns.title
  FROM turns
  WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title
    IS NOT NULL
  ORDER BY turns.id DESC LIMIT 1 OFFSET 0) AS turn_title,
  checkpoints.head AS head,
  checkpoints.branch AS branch,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC
"""

VIEWS = {"checkpoint_list": CHECKPOINT_LIST}


def upgrade() -> None:
    op.add_column("turns", sa.Column("title", sa.Text()))
    op.add_column("tool_runs", sa.Column("record", sa.Text()))
    op.create_index(
        "ix_turns_titled",
        "turns",
        ["start_checkpoint_id", "id"],
        sqlite_where=sa.text("title IS NOT NULL"),
    )
    op.execute(HOOK_SESSIONS.strip())
    for name, text in VIEWS.items():
        op.execute(f"DROP VIEW {name}")
        op.execute(text.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

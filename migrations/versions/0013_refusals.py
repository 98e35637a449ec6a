"""Let a checkpoint list what was left out for the bytes of a take, and show refusals as failures.

A take that a guard refuses (too many files, a directory that is too broad) leaves no checkpoint
either: until one works again, ``recent_failures`` lists it.
"""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0011"
branch_labels = None
depends_on = None

SKIPPED_PATHS = """
CREATE TABLE new_skipped_paths (
  checkpoint_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  reason VARCHAR(32) NOT NULL,
  bytes BIGINT,
  CONSTRAINT pk_skipped_paths PRIMARY KEY (checkpoint_id, path),
  CONSTRAINT ck_skipped_paths_reason CHECK (reason IN ('oversize', 'unreadable', 'special',
    'vanished', 'unsupported-name', 'ignored-by-rule', 'over-budget')),
  CONSTRAINT fk_skipped_paths_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id)
    REFERENCES checkpoints (id),
  CONSTRAINT ck_skipped_paths_bytes CHECK (bytes BETWEEN 0 AND 9223372036854775807)
)
"""

RECENT_FAILURES = """
CREATE VIEW recent_failures AS
SELECT substr(operations.started_at, 1, 19) AS started_at,
  operations.kind AS operation,
  operations.outcome AS outcome,
  operations.workdir AS working_directory,
  operations.code AS code,
  operations.message AS message,
  operations.duration_ms AS duration_ms,
  operations.session_id AS session_id,
  operations.turn AS turn,
  CASE WHEN (operations.kind = 'take' AND operations.outcome IN ('failed',
      'skipped') AND operations.workdir IS NOT NULL AND NOT (EXISTS
      (SELECT later.id FROM operations AS later WHERE later.kind =
        'take' AND later.outcome IN ('done', 'unchanged', 'partial')
        AND later.workdir = operations.workdir AND later.id > operations.id)))
  THEN 'yes' ELSE 'no' END AS unresolved
FROM operations
WHERE operations.outcome IN ('failed', 'partial') AND operations.started_at
  >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(14 AS VARCHAR)
      || ' days') || '000') OR operations.kind = 'take' AND operations.outcome
  IN ('failed', 'skipped') AND operations.workdir IS NOT NULL AND NOT
  (EXISTS (SELECT later.id FROM operations AS later WHERE later.kind
      = 'take' AND later.outcome IN ('done', 'unchanged', 'partial')
      AND later.workdir = operations.workdir AND later.id > operations.id))
  ORDER BY operations.id DESC
"""


def upgrade() -> None:
    op.execute(SKIPPED_PATHS.strip())
    op.execute("INSERT INTO new_skipped_paths SELECT * FROM skipped_paths")
    op.execute("DROP TABLE skipped_paths")
    op.rename_table("new_skipped_paths", "skipped_paths")
    op.execute("DROP VIEW recent_failures")
    op.execute(RECENT_FAILURES.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

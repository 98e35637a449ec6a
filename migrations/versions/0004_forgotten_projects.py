"""Leave out of the reports what is gone with all its checkpoints.

A project row outlives its directory and its checkpoints, because tombstones belong to it. The
other reports read ``project_status``, so they follow.
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

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
HAVING p.state <> 'orphan' OR count(c.id) > 0
ORDER BY p.last_touch DESC
"""

STORE_TOTALS = """
CREATE VIEW store_totals AS
SELECT
    (SELECT count(*) FROM project_status) AS projects,
    (SELECT count(*) FROM project_status WHERE state = 'orphan') AS orphaned_projects,
    (SELECT count(*) FROM project_status WHERE state = 'unreachable') AS unreachable_projects,
    count(CASE WHEN state = 'live' THEN 1 END) AS checkpoints,
    count(CASE WHEN state = 'live' AND pinned THEN 1 END) AS pinned,
    count(CASE WHEN state = 'pruned' THEN 1 END) AS pruned,
    coalesce(sum(CASE WHEN state = 'live' THEN added_bytes END), 0) AS added_bytes,
    coalesce(sum(CASE WHEN state = 'live' THEN superseded_bytes END), 0) AS superseded_bytes,
    substr(min(CASE WHEN state = 'live' THEN created_at END), 1, 19) AS oldest_checkpoint_at,
    substr(max(CASE WHEN state = 'live' THEN created_at END), 1, 19) AS newest_checkpoint_at
FROM checkpoints
"""


def upgrade() -> None:
    for name, view in (("project_status", PROJECT_STATUS), ("store_totals", STORE_TOTALS)):
        op.execute(f"DROP VIEW {name}")
        op.execute(view.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

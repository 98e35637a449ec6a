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
UNCHANGED = ("session_list", "legacy_list")


# --- views that are made of the program's expressions (catalog/views.py) -------------------------

RETENTION_POLICY = """
CREATE VIEW retention_policy AS
WITH setting AS (SELECT coalesce(max(CASE WHEN (settings.name = 'max_snapshots')
        THEN settings.value END), '20') AS max_snapshots,
    coalesce(max(CASE WHEN (settings.name = 'max_total_size_mb') THEN
        settings.value END), '500') AS max_total_size_mb,
    coalesce(max(CASE WHEN (settings.name = 'retention_days') THEN
        settings.value END), '7') AS retention_days,
    coalesce(max(CASE WHEN (settings.name = 'delete_orphans') THEN
        settings.value END), 'true') AS delete_orphans,
    coalesce(max(CASE WHEN (settings.name = 'orphan_grace_days') THEN
        settings.value END), '7') AS orphan_grace_days,
    coalesce(max(CASE WHEN (settings.name = 'keep_last') THEN settings.value
        END), '0') AS keep_last, coalesce(max(CASE WHEN (settings.name
          = 'keep_hourly') THEN settings.value END), '0') AS keep_hourly,
    coalesce(max(CASE WHEN (settings.name = 'keep_daily') THEN settings.value
        END), '0') AS keep_daily, coalesce(max(CASE WHEN (settings.name
          = 'keep_weekly') THEN settings.value END), '0') AS keep_weekly,
    coalesce(max(CASE WHEN (settings.name = 'keep_monthly') THEN settings.value
        END), '0') AS keep_monthly, coalesce(max(CASE WHEN (settings.name
          = 'keep_within') THEN settings.value END), '') AS keep_within
    FROM settings) SELECT strftime('%Y-%m-%d %H:%M:%f',
    'now') || '000' AS now,
  CAST(setting.max_snapshots AS INTEGER) AS max_snapshots,
  CAST(setting.retention_days AS INTEGER) AS retention_days,
  CASE WHEN (CAST(setting.retention_days AS INTEGER) > 0) THEN strftime('%Y-%m-%d %H:%M:%f',
    'now', '-' || CAST(CAST(setting.retention_days AS INTEGER) AS VARCHAR)
    || ' days') || '000' ELSE NULL END AS stale_before,
  setting.delete_orphans = 'true' AS delete_orphans,
  strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(CAST(setting.orphan_grace_days
        AS INTEGER) AS VARCHAR) || ' days') || '000' AS orphan_before,
  CAST(setting.orphan_grace_days AS INTEGER) * 86400 AS orphan_grace_seconds,
  CAST(setting.keep_last AS INTEGER) AS keep_last,
  CAST(setting.keep_hourly AS INTEGER) AS keep_hourly,
  CAST(setting.keep_daily AS INTEGER) AS keep_daily,
  CAST(setting.keep_weekly AS INTEGER) AS keep_weekly,
  CAST(setting.keep_monthly AS INTEGER) AS keep_monthly,
  CASE WHEN (CAST(setting.keep_within AS INTEGER) * CASE WHEN (substr(setting.keep_within,
        -1) = 'h') THEN 1 WHEN (substr(setting.keep_within, -1) = 'd')
    THEN 24 WHEN (substr(setting.keep_within, -1) = 'w') THEN 168 ELSE
    0 END > 0) THEN strftime('%Y-%m-%d %H:%M:%f', 'now',
    '-' || CAST(CAST(setting.keep_within AS INTEGER) * CASE WHEN (substr(setting.keep_within,
          -1) = 'h') THEN 1 WHEN (substr(setting.keep_within, -1) =
        'd') THEN 24 WHEN (substr(setting.keep_within, -1) = 'w') THEN
      168 ELSE 0 END AS VARCHAR) || ' hours') || '000' ELSE NULL END
  AS within_since,
  0 AS include_pinned,
  0 AS only_limit,
  CAST(setting.max_total_size_mb AS BIGINT) * 1048576 AS cap_bytes,
  0 AS reclaim_bytes
FROM setting
"""

PROJECT_STATUS = """
CREATE VIEW project_status AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  projects.state AS state,
  substr(projects.state_checked_at, 1, 19) AS checked_at,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes,
  substr((SELECT max(checkpoints.created_at) AS max_1 FROM checkpoints
      WHERE checkpoints.state = 'live' AND checkpoints.project_id =
      projects.id), 1, 19) AS last_checkpoint_at,
  substr(projects.last_touch, 1, 19) AS last_touch,
  substr(projects.created_at, 1, 19) AS created_at,
  substr(projects.missing_since, 1, 19) AS missing_since
FROM projects
WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id FROM
      checkpoints AS remembered WHERE remembered.project_id = projects.id
      AND remembered.state = 'live'))
ORDER BY projects.last_touch DESC,
  projects.id DESC
"""

CHECKPOINT_LIST = """
CREATE VIEW checkpoint_list AS
SELECT projects.workdir AS working_directory,
  (SELECT count(*) AS count_1
  FROM checkpoints AS newer
  WHERE newer.state = 'live' AND newer.project_id = checkpoints.project_id
    AND newer.id >= checkpoints.id) AS number,
  substr(checkpoints.commit_id, 1, 8) AS checkpoint,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  checkpoints.kind AS kind,
  checkpoints.reason AS reason,
  checkpoints.label AS label,
  CASE WHEN checkpoints.pinned THEN 'yes' ELSE 'no' END AS pinned,
  checkpoints.file_count AS files,
  checkpoints.logical_bytes AS logical_bytes,
  checkpoints.added_bytes AS added_bytes,
  checkpoints.files_changed AS files_changed,
  checkpoints.insertions AS insertions,
  checkpoints.deletions AS deletions,
  checkpoints.skipped_count AS skipped,
  CASE WHEN (checkpoints.skipped_count = 0) THEN 'yes' ELSE 'no' END
  AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC
"""

STORE_TOTALS = """
CREATE VIEW store_totals AS
SELECT (SELECT count(*) AS count_1
  FROM projects
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
        FROM checkpoints AS remembered WHERE remembered.project_id
        = projects.id AND remembered.state = 'live'))) AS projects,
  (SELECT count(*) AS count_2
  FROM projects
  WHERE (projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
          FROM checkpoints AS remembered WHERE remembered.project_id
          = projects.id AND remembered.state = 'live'))) AND projects.state
    = 'orphan') AS orphaned_projects,
  (SELECT count(*) AS count_3
  FROM projects
  WHERE (projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
          FROM checkpoints AS remembered WHERE remembered.project_id
          = projects.id AND remembered.state = 'live'))) AND projects.state
    = 'unreachable') AS unreachable_projects,
  (SELECT count(*) AS count_4
  FROM checkpoints
  WHERE checkpoints.state = 'live') AS checkpoints,
  (SELECT count(*) AS count_5
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.pinned = 1) AS pinned,
  (SELECT count(*) AS count_6
  FROM checkpoints
  WHERE checkpoints.state = 'arriving') AS arriving,
  (SELECT count(*) AS count_7
  FROM checkpoints
  WHERE checkpoints.state = 'pruned') AS pruned,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live') AS added_bytes,
  (SELECT coalesce(sum(checkpoints.superseded_bytes), 0) AS coalesce_2
    FROM checkpoints
  WHERE checkpoints.state = 'live') AS superseded_bytes,
  substr((SELECT min(checkpoints.created_at) AS min_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS oldest_checkpoint_at,
  substr((SELECT max(checkpoints.created_at) AS max_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS newest_checkpoint_at
"""

STALE_PROJECTS = """
CREATE VIEW stale_projects AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  projects.state AS state,
  substr(projects.last_touch, 1, 19) AS last_touch,
  (CAST(strftime('%s', substr(retention_policy.now, 1, 19)) AS INTEGER)
    - CAST(strftime('%s', substr(projects.last_touch, 1, 19)) AS INTEGER))
  / 86400 AS days_untouched,
  retention_policy.retention_days AS retention_days,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes
FROM projects JOIN retention_policy ON projects.last_touch <= retention_policy.stale_before
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
      FROM checkpoints AS remembered WHERE remembered.project_id =
      projects.id AND remembered.state = 'live'))
ORDER BY projects.last_touch
"""

ORPHANED_PROJECTS = """
CREATE VIEW orphaned_projects AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  substr(projects.missing_since, 1, 19) AS missing_since,
  substr(projects.last_seen_at, 1, 19) AS last_seen_at,
  substr(projects.state_checked_at, 1, 19) AS checked_at,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes
FROM projects
WHERE projects.state = 'orphan' AND (projects.state != 'orphan' OR
    (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
        remembered.project_id = projects.id AND remembered.state =
        'live')))
ORDER BY projects.missing_since
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
  CASE WHEN (operations.kind = 'take' AND operations.outcome = 'failed'
    AND operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT later.id
        FROM operations AS later WHERE later.kind = 'take' AND later.outcome
        IN ('done', 'unchanged', 'partial') AND later.workdir = operations.workdir
        AND later.id > operations.id))) THEN 'yes' ELSE 'no' END AS
  unresolved
FROM operations
WHERE operations.outcome IN ('failed', 'partial') AND (operations.started_at
    >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(14 AS VARCHAR)
        || ' days') || '000') OR operations.kind = 'take' AND operations.outcome
    = 'failed' AND operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT
        later.id FROM operations AS later WHERE later.kind = 'take'
        AND later.outcome IN ('done', 'unchanged', 'partial') AND later.workdir
        = operations.workdir AND later.id > operations.id)))
ORDER BY operations.id DESC
"""

RETENTION_DECISIONS = """
CREATE VIEW retention_decisions AS
WITH unfinished AS (SELECT restores.target_id AS id
  FROM restores
  WHERE restores.state = 'writing' OR restores.state = 'interrupted'
    AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
        FROM restores AS later WHERE later.project_id = restores.project_id
        AND later.id > restores.id))
  UNION ALL SELECT restores.safety_id AS safety_id
  FROM restores
  WHERE restores.state = 'writing' OR restores.state = 'interrupted'
    AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
        FROM restores AS later WHERE later.project_id = restores.project_id
        AND later.id > restores.id))),
  local_times AS (SELECT checkpoints.id AS id, checkpoints.project_id
    AS project_id, checkpoints.utc_offset_minutes AS "offset",
    datetime(substr(checkpoints.created_at, 1, 19), CAST(checkpoints.utc_offset_minutes
        AS VARCHAR) || ' minutes') AS time
  FROM checkpoints
  WHERE checkpoints.state = 'live' LIMIT CASE WHEN ((SELECT retention_policy.keep_hourly
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_daily
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_weekly
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_monthly
        FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET 0) SELECT
  decided.commit_id AS commit_id,
  substr(decided.commit_id, 1, 8) AS checkpoint,
  projects.workdir AS working_directory,
  substr(decided.created_at, 1, 19) AS taken_at,
  decided.decision AS decision,
  decided.rule AS rule,
  decided.reason AS reason,
  decided.freed_bytes AS bytes
FROM (SELECT ruled.id AS id, ruled.project_id AS project_id,
    ruled.commit_id AS commit_id, ruled.created_at AS created_at,
    CASE ruled.rule WHEN 'orphan' THEN 'drop' WHEN 'stale' THEN 'drop'
    WHEN 'over-limit' THEN 'drop' WHEN 'no-keep-rule' THEN 'drop' ELSE
    'keep' END AS decision, ruled.rule AS rule, CASE ruled.rule WHEN
    'within-limits' THEN 'it is within all limits' WHEN 'unfinished-restore'
    THEN 'an unfinished restore needs it' WHEN 'protected' THEN 'it is in use just now'
    WHEN 'pinned' THEN 'it is pinned' WHEN 'labelled' THEN 'it has the label '
    || ruled.label WHEN 'unreachable' THEN
  'its directory cannot be seen, which does not prove that it is gone'
    WHEN 'orphan' THEN 'its directory is gone, as seen first on ' ||
    date(substr(coalesce(ruled.missing_since, (SELECT retention_policy.now
            FROM retention_policy)), 1, 19), 'localtime') WHEN 'newest'
    THEN CASE WHEN (ruled.state != 'orphan') THEN 'it is the newest of its project'
    ELSE 'its directory is gone, as seen first on ' || date(substr(coalesce(ruled.missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), 'localtime') || CASE WHEN (SELECT retention_policy.delete_orphans
      FROM retention_policy) = 0 THEN ', and orphans are kept' ELSE
    ', and orphans are kept until ' || date(substr(coalesce(ruled.missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), CAST((SELECT retention_policy.orphan_grace_seconds FROM
          retention_policy) AS VARCHAR) || ' seconds', 'localtime')
    || ' unless somebody agrees' END END WHEN 'keep-rule' THEN CASE
    WHEN (ruled.rank <= (SELECT retention_policy.keep_last FROM retention_policy))
    THEN 'it is one of the last ' || CAST((SELECT retention_policy.keep_last
        FROM retention_policy) AS VARCHAR) || ' (keep_last)' WHEN (ruled.created_at
      >= (SELECT retention_policy.within_since FROM retention_policy))
    THEN 'it is young enough (keep_within)' WHEN (ruled.place = 0)
    THEN 'it is the newest of its period (keep_hourly)' WHEN (ruled.place
      = 1) THEN 'it is the newest of its period (keep_daily)' WHEN
    (ruled.place = 2) THEN 'it is the newest of its period (keep_weekly)'
    WHEN (ruled.place = 3) THEN 'it is the newest of its period (keep_monthly)'
    END WHEN 'no-keep-rule' THEN 'no keep rule keeps it' WHEN 'stale'
    THEN 'its project was last touched on ' || date(substr(ruled.last_touch,
        1, 19), 'localtime') || ' (retention_days: ' || CAST((SELECT
        retention_policy.retention_days FROM retention_policy) AS VARCHAR)
    || ')' WHEN 'over-limit' THEN 'its project has more than ' || CAST((SELECT
        retention_policy.max_snapshots FROM retention_policy) AS VARCHAR)
    || ' (max_snapshots)' END AS reason, ruled.freed_bytes AS freed_bytes
    FROM (SELECT ranked.id AS id, ranked.project_id AS project_id,
      ranked.commit_id AS commit_id, ranked.created_at AS created_at,
      ranked.label AS label, ranked.rank AS rank, ranked.freed_bytes
      AS freed_bytes, projects.state AS state, projects.missing_since
      AS missing_since, projects.last_touch AS last_touch, kept.place
      AS place, CASE WHEN (ranked.id IN (SELECT unfinished.id FROM
          unfinished)) THEN 'unfinished-restore' WHEN ranked.in_use
      THEN 'protected' WHEN (ranked.pinned = 1 AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 'pinned' WHEN (ranked.label
        IS NOT NULL AND (SELECT retention_policy.include_pinned FROM
          retention_policy) = 0) THEN 'labelled' WHEN (projects.state
        = 'unreachable') THEN 'unreachable' WHEN (projects.state =
        'orphan' AND (SELECT retention_policy.delete_orphans FROM retention_policy)
        AND ((SELECT retention_policy.orphan_before FROM retention_policy)
          IS NULL OR coalesce(projects.missing_since, (SELECT retention_policy.now
              FROM retention_policy)) <= (SELECT retention_policy.orphan_before
            FROM retention_policy))) THEN 'orphan' WHEN (ranked.rank
        = 1) THEN 'newest' WHEN (ranked.rank <= (SELECT retention_policy.keep_last
          FROM retention_policy)) THEN 'keep-rule' WHEN (ranked.created_at
        >= (SELECT retention_policy.within_since FROM retention_policy))
      THEN 'keep-rule' WHEN (kept.place IS NOT NULL) THEN 'keep-rule'
      WHEN (((SELECT retention_policy.keep_last FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_hourly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_daily FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_weekly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_monthly FROM retention_policy)
          > 0 OR (SELECT retention_policy.within_since FROM retention_policy)
          IS NOT NULL) AND (SELECT retention_policy.only_limit FROM
          retention_policy) = 0) THEN 'no-keep-rule' WHEN (projects.last_touch
        <= (SELECT retention_policy.stale_before FROM retention_policy))
      THEN 'stale' WHEN ((SELECT retention_policy.max_snapshots FROM
          retention_policy) > 0 AND ranked.rank > (SELECT retention_policy.max_snapshots
          FROM retention_policy)) THEN 'over-limit' ELSE 'within-limits'
      END AS rule FROM (SELECT checkpoints.id AS id, checkpoints.project_id
        AS project_id, checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, checkpoints.pinned AS pinned, checkpoints.label
        AS label, 0 AS in_use, row_number() OVER (PARTITION BY checkpoints.project_id
          ORDER BY checkpoints.id DESC) AS rank, coalesce(lag(checkpoints.superseded_bytes
            + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
              > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
            ELSE 0 END) OVER (PARTITION BY checkpoints.project_id ORDER
            BY checkpoints.id DESC), checkpoints.held_bytes + CASE
          WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
            > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
          ELSE 0 END) AS freed_bytes FROM checkpoints WHERE checkpoints.state
        = 'live') AS ranked JOIN projects ON projects.id = ranked.project_id
      LEFT OUTER JOIN (SELECT every.id AS id, min(every.place) AS place
        FROM (SELECT hourly.id AS id, 0 AS place FROM (SELECT CAST(max(local_times.id)
              AS INTEGER) AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY CAST(max(local_times.id) AS INTEGER) DESC) AS
            number FROM local_times GROUP BY local_times.project_id,
            substr(local_times.time, 1, 13), local_times."offset" LIMIT
            CASE WHEN ((SELECT retention_policy.keep_hourly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS hourly WHERE hourly.number
          <= (SELECT retention_policy.keep_hourly FROM retention_policy)
          UNION ALL SELECT daily.id AS id, 1 AS place FROM (SELECT
            CAST(max(local_times.id) AS INTEGER) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY CAST(max(local_times.id)
                AS INTEGER) DESC) AS number FROM local_times GROUP
            BY local_times.project_id, substr(local_times.time, 1,
              10) LIMIT CASE WHEN ((SELECT retention_policy.keep_daily
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS daily WHERE daily.number <= (SELECT retention_policy.keep_daily
            FROM retention_policy) UNION ALL SELECT weekly.id AS id,
          2 AS place FROM (SELECT CAST(max(local_times.id) AS INTEGER)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY CAST(max(local_times.id) AS INTEGER) DESC) AS
            number FROM local_times GROUP BY local_times.project_id,
            date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE
            WHEN ((SELECT retention_policy.keep_weekly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS weekly WHERE weekly.number
          <= (SELECT retention_policy.keep_weekly FROM retention_policy)
          UNION ALL SELECT monthly.id AS id, 3 AS place FROM (SELECT
            CAST(max(local_times.id) AS INTEGER) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY CAST(max(local_times.id)
                AS INTEGER) DESC) AS number FROM local_times GROUP
            BY local_times.project_id, substr(local_times.time, 1,
              7) LIMIT CASE WHEN ((SELECT retention_policy.keep_monthly
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS monthly WHERE monthly.number <= (SELECT retention_policy.keep_monthly
            FROM retention_policy)) AS every GROUP BY every.id) AS
      kept ON ranked.id = kept.id LIMIT -1 OFFSET 0) AS ruled) AS decided
  JOIN projects ON projects.id = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC
"""

PRUNE_PREVIEW = """
CREATE VIEW prune_preview AS
SELECT retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule,
  count(*) AS checkpoints,
  sum(retention_decisions.bytes) AS bytes
FROM retention_decisions GROUP BY retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule
ORDER BY retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule
"""

SIZE_CAP_CANDIDATES = """
CREATE VIEW size_cap_candidates AS
SELECT candidates.place AS place,
  candidates.commit_id AS commit_id,
  substr(candidates.commit_id, 1, 8) AS checkpoint,
  projects.workdir AS working_directory,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  candidates.freed_bytes AS bytes,
  candidates.freed_before + candidates.freed_bytes AS running_bytes
  FROM (SELECT row_number() OVER (ORDER BY projects.disposable DESC,
      turns.turn, turns.created_at, turns.id) AS place,
    turns.id AS id, turns.project_id AS project_id,
    turns.commit_id AS commit_id, turns.turn AS turn,
    turns.freed_bytes AS freed_bytes, coalesce(sum(turns.freed_bytes)
      OVER (ORDER BY projects.disposable DESC, turns.turn, turns.created_at,
        turns.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
      0) AS freed_before
  FROM (SELECT decided.id AS id, decided.project_id AS project_id,
      decided.commit_id AS commit_id, decided.created_at AS created_at,
      decided.freed_bytes AS freed_bytes, row_number() OVER (PARTITION
        BY decided.project_id ORDER BY decided.id) AS turn FROM (SELECT
        checkpoints.id AS id, checkpoints.project_id AS project_id,
        checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, retention_decisions.rule AS rule, retention_decisions.bytes
        AS freed_bytes FROM retention_decisions JOIN checkpoints ON
        checkpoints.commit_id = retention_decisions.commit_id) AS decided
      WHERE decided.rule = 'within-limits') AS turns JOIN projects
    ON projects.id = turns.project_id
  ORDER BY place) AS candidates JOIN projects ON projects.id = candidates.project_id
  JOIN checkpoints ON checkpoints.id = candidates.id
ORDER BY candidates.place
"""

MADE_ANEW = (
    RETENTION_POLICY,
    PROJECT_STATUS,
    CHECKPOINT_LIST,
    STORE_TOTALS,
    STALE_PROJECTS,
    ORPHANED_PROJECTS,
    RECENT_FAILURES,
    RETENTION_DECISIONS,
    PRUNE_PREVIEW,
    SIZE_CAP_CANDIDATES,
)
"""What people read, by the settings in force; frozen as the program's expressions were then."""


# --- end of these views ------------------------------------------------------------------------


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
        "ix_checkpoints_project_id_state_id", "checkpoints", ["project_id", "state", "id"]
    )
    op.create_index(
        "ix_checkpoints_live",
        "checkpoints",
        ["project_id", "id"],
        sqlite_where=sa.text("state = 'live'"),
    )
    op.create_index("ix_checkpoints_session_id", "checkpoints", ["session_id"])
    op.create_index("ix_checkpoints_state", "checkpoints", ["state"])
    with op.batch_alter_table("turns", recreate="never") as turns:
        turns.drop_column("end_tree")
    for view in UNCHANGED:
        op.execute(made[view])
    for sql in MADE_ANEW:
        op.execute(sql.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

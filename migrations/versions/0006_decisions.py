"""Keep in the catalog what decisions are made of, and refuse what makes no sense there.

What a checkpoint stored and what it holds become columns, since the changes from which both were
summed grow with the history. ``arriving`` is the state of a checkpoint of an earlier version whose
objects are not in the store yet. What the code believes of every row becomes a constraint; rows
that break one are mended first, so that no row stops the upgrade. Each statement gets its index,
and an index without a statement goes.

SQLite cannot add a constraint, so each table is made anew with its rows; the views are dropped
before, and made again at the end.
"""

# ruff: noqa: S608 - the names in statements are those of this module

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

APPLICATION_ID = 0x48434B50
MOST = 2**63 - 1

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
"""The views of earlier revisions."""

UNCHANGED = ("session_list", "legacy_list")
"""Those that stay as they are."""

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
FROM (SELECT judged.id AS id, judged.project_id AS project_id,
    judged.commit_id AS commit_id, judged.created_at AS created_at,
    CASE judged.number WHEN 0 THEN 'keep' WHEN 1 THEN 'keep' WHEN 2
    THEN 'keep' WHEN 3 THEN 'keep' WHEN 4 THEN 'keep' WHEN 5 THEN 'drop'
    WHEN 6 THEN 'keep' WHEN 7 THEN 'keep' WHEN 8 THEN 'keep' WHEN 9
    THEN 'keep' WHEN 10 THEN 'keep' WHEN 11 THEN 'keep' WHEN 12 THEN
    'keep' WHEN 13 THEN 'keep' WHEN 14 THEN 'keep' WHEN 15 THEN 'drop'
    WHEN 16 THEN 'drop' WHEN 17 THEN 'drop' WHEN 18 THEN 'keep' END
    AS decision, CASE judged.number WHEN 0 THEN 'unfinished-restore'
    WHEN 1 THEN 'protected' WHEN 2 THEN 'pinned' WHEN 3 THEN 'labelled'
    WHEN 4 THEN 'unreachable' WHEN 5 THEN 'orphan' WHEN 6 THEN 'newest'
    WHEN 7 THEN 'newest' WHEN 8 THEN 'newest' WHEN 9 THEN 'keep-rule'
    WHEN 10 THEN 'keep-rule' WHEN 11 THEN 'keep-rule' WHEN 12 THEN
    'keep-rule' WHEN 13 THEN 'keep-rule' WHEN 14 THEN 'keep-rule' WHEN
    15 THEN 'no-keep-rule' WHEN 16 THEN 'stale' WHEN 17 THEN 'over-limit'
    WHEN 18 THEN 'within-limits' END AS rule, CASE judged.number WHEN
    0 THEN 'an unfinished restore needs it' WHEN 1 THEN 'it is in use just now'
    WHEN 2 THEN 'it is pinned' WHEN 3 THEN 'it has the label ' || label
    WHEN 4 THEN 'its directory cannot be seen, which does not prove that it is gone'
    WHEN 5 THEN 'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), 'localtime') WHEN 6 THEN 'its directory is gone, as seen first on '
    || date(substr(coalesce(missing_since, (SELECT retention_policy.now
            FROM retention_policy)), 1, 19), 'localtime') || ', and orphans are kept'
    WHEN 7 THEN 'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), 'localtime') || ', and orphans are kept until ' ||
  date(substr(coalesce(missing_since, (SELECT retention_policy.now
            FROM retention_policy)), 1, 19), CAST((SELECT retention_policy.orphan_grace_seconds
          FROM retention_policy) AS VARCHAR) || ' seconds', 'localtime')
    || ' unless somebody agrees' WHEN 8 THEN 'it is the newest of its project'
    WHEN 9 THEN 'it is one of the last ' || CAST((SELECT retention_policy.keep_last
        FROM retention_policy) AS VARCHAR) || ' (keep_last)' WHEN 10
    THEN 'it is young enough (keep_within)' WHEN 11 THEN
  'it is the newest of its period (keep_hourly)' WHEN 12 THEN
  'it is the newest of its period (keep_daily)' WHEN 13 THEN
  'it is the newest of its period (keep_weekly)' WHEN 14 THEN
  'it is the newest of its period (keep_monthly)' WHEN 15 THEN 'no keep rule keeps it'
    WHEN 16 THEN 'its project was last touched on ' || date(substr(last_touch,
        1, 19), 'localtime') || ' (retention_days: ' || CAST((SELECT
        retention_policy.retention_days FROM retention_policy) AS VARCHAR)
    || ')' WHEN 17 THEN 'its project has more than ' || CAST((SELECT
        retention_policy.max_snapshots FROM retention_policy) AS VARCHAR)
    || ' (max_snapshots)' WHEN 18 THEN 'it is within all limits' END
    AS reason, judged.freed_bytes AS freed_bytes
  FROM (SELECT ranked.id AS id, ranked.project_id AS project_id, ranked.commit_id
      AS commit_id, ranked.created_at AS created_at, ranked.label AS
      label, ranked.freed_bytes AS freed_bytes, projects.last_touch
      AS last_touch, projects.missing_since AS missing_since, CASE
      WHEN (ranked.id IN (SELECT unfinished.id FROM unfinished)) THEN
      0 WHEN ranked.marked THEN 1 WHEN (ranked.pinned = 1 AND (SELECT
          retention_policy.include_pinned FROM retention_policy) =
        0) THEN 2 WHEN (ranked.label IS NOT NULL AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 3 WHEN (projects.state =
        'unreachable') THEN 4 WHEN (projects.state = 'orphan' AND (SELECT
          retention_policy.delete_orphans FROM retention_policy) AND
        ((SELECT retention_policy.orphan_before FROM retention_policy)
          IS NULL OR coalesce(projects.missing_since, (SELECT retention_policy.now
              FROM retention_policy)) <= (SELECT retention_policy.orphan_before
            FROM retention_policy))) THEN 5 WHEN (ranked.rank = 1 AND
        projects.state = 'orphan' AND (SELECT retention_policy.delete_orphans
          FROM retention_policy) = 0) THEN 6 WHEN (ranked.rank = 1
        AND projects.state = 'orphan') THEN 7 WHEN (ranked.rank = 1)
      THEN 8 WHEN (ranked.rank <= (SELECT retention_policy.keep_last
          FROM retention_policy)) THEN 9 WHEN (ranked.created_at >=
        (SELECT retention_policy.within_since FROM retention_policy))
      THEN 10 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 13), local_times."offset" LIMIT CASE WHEN ((SELECT
                retention_policy.keep_hourly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_hourly FROM retention_policy)))
      THEN 11 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 10) LIMIT CASE WHEN ((SELECT retention_policy.keep_daily
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_daily
            FROM retention_policy))) THEN 12 WHEN (ranked.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE
            WHEN ((SELECT retention_policy.keep_weekly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_weekly FROM retention_policy)))
      THEN 13 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 7) LIMIT CASE WHEN ((SELECT retention_policy.keep_monthly
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_monthly
            FROM retention_policy))) THEN 14 WHEN (((SELECT retention_policy.keep_last
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_hourly
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_daily
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_weekly
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_monthly
            FROM retention_policy) > 0 OR (SELECT retention_policy.within_since
            FROM retention_policy) IS NOT NULL) AND (SELECT retention_policy.only_limit
          FROM retention_policy) = 0) THEN 15 WHEN (projects.last_touch
        <= (SELECT retention_policy.stale_before FROM retention_policy))
      THEN 16 WHEN ((SELECT retention_policy.max_snapshots FROM retention_policy)
        > 0 AND ranked.rank > (SELECT retention_policy.max_snapshots
          FROM retention_policy)) THEN 17 WHEN 1 THEN 18 END AS number
      FROM (SELECT checkpoints.id AS id, checkpoints.project_id AS
        project_id, checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, checkpoints.pinned AS pinned, checkpoints.label
        AS label, 0 AS marked, row_number() OVER (PARTITION BY checkpoints.project_id
          ORDER BY checkpoints.id DESC) AS rank, coalesce(lag(checkpoints.superseded_bytes
            + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
              > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
            ELSE 0 END) OVER (PARTITION BY checkpoints.project_id ORDER
            BY checkpoints.id DESC), checkpoints.held_bytes + CASE
          WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
            > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
          ELSE 0 END) AS freed_bytes FROM checkpoints WHERE checkpoints.state
        = 'live') AS ranked JOIN projects ON projects.id = ranked.project_id
      WHERE 1 = 1 LIMIT -1 OFFSET 0) AS judged) AS decided JOIN projects
  ON projects.id = decided.project_id
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
      waiting.turn, waiting.created_at, waiting.id) AS place,
    waiting.id AS id, waiting.project_id AS project_id,
    waiting.commit_id AS commit_id, waiting.turn AS turn,
    waiting.freed_bytes AS freed_bytes, coalesce(sum(waiting.freed_bytes)
      OVER (ORDER BY projects.disposable DESC, waiting.turn, waiting.created_at,
        waiting.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
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
      WHERE decided.rule = 'within-limits') AS waiting JOIN projects
    ON projects.id = waiting.project_id
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


# --- new views ---------------------------------------------------------------------------------

RESTORE_LIST = """
CREATE VIEW restore_list AS
SELECT
    p.workdir AS working_directory,
    r.role AS role,
    r.state AS state,
    r.mode AS mode,
    CASE WHEN r.whole THEN 'yes' ELSE 'no' END AS whole,
    substr(t.commit_id, 1, 8) AS target,
    substr(s.commit_id, 1, 8) AS safety,
    substr(r.started_at, 1, 19) AS started_at,
    substr(r.finished_at, 1, 19) AS finished_at,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'done') AS written,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'kept') AS kept,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'failed') AS failed,
    (SELECT x.error FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'failed'
     ORDER BY x.position LIMIT 1) AS first_error,
    CASE WHEN r.undone_by IS NULL THEN 'no' ELSE 'yes' END AS undone,
    r.id AS restore_id
FROM restores AS r
JOIN projects AS p ON p.id = r.project_id
JOIN checkpoints AS t ON t.id = r.target_id
JOIN checkpoints AS s ON s.id = r.safety_id
ORDER BY r.id DESC
"""

RESTORE_PATH_LIST = """
CREATE VIEW restore_path_list AS
SELECT
    x.restore_id AS restore_id,
    x.path AS path,
    x.action AS action,
    x.reason AS reason,
    x.outcome AS outcome,
    x.error AS error,
    x.blob AS blob,
    x.mode AS mode
FROM restore_paths AS x
ORDER BY x.restore_id DESC, x.position
"""

OPERATION_LIST = """
CREATE VIEW operation_list AS
SELECT
    substr(o.started_at, 1, 19) AS started_at,
    o.kind AS operation,
    o.outcome AS outcome,
    o.workdir AS working_directory,
    substr(c.commit_id, 1, 8) AS checkpoint,
    o.duration_ms AS duration_ms,
    o.session_id AS session_id,
    o.turn AS turn,
    o.code AS code,
    o.message AS message
FROM operations AS o
LEFT JOIN checkpoints AS c ON c.id = o.checkpoint_id
ORDER BY o.id DESC
"""

RUNNING_OPERATIONS = """
CREATE VIEW running_operations AS
SELECT
    o.kind AS operation,
    o.workdir AS working_directory,
    o.pid AS pid,
    substr(o.started_at, 1, 19) AS started_at,
    o.session_id AS session_id,
    o.turn AS turn
FROM operations AS o
WHERE o.outcome = 'running'
ORDER BY o.id
"""

NEW_VIEWS = (RESTORE_LIST, RESTORE_PATH_LIST, OPERATION_LIST, RUNNING_OPERATIONS)


# --- constraints -------------------------------------------------------------------------------

COUNTS: Mapping[str, tuple[str, ...]] = {
    "checkpoints": (
        "file_count",
        "logical_bytes",
        "added_bytes",
        "superseded_bytes",
        "stored_bytes",
        "held_bytes",
        "files_changed",
        "insertions",
        "deletions",
        "skipped_count",
        "ignored_count",
    ),
    "checkpoint_changes": (
        "old_mode",
        "new_mode",
        "old_bytes",
        "new_bytes",
        "stored_bytes",
        "insertions",
        "deletions",
    ),
    "skipped_paths": ("bytes",),
    "turn_changes": ("old_mode", "new_mode"),
    "restore_paths": ("mode",),
    "session_checkpoints": ("version", "size_bytes"),
    "session_checkpoint_versions": ("size_bytes",),
    "legacy_archives": ("size_bytes", "imported_checkpoints"),
    "operations": ("duration_ms",),
}
"""Whole numbers from 0 on. SQLite stores text in a column of numbers where nothing forbids it."""

INTEGERS: Mapping[str, tuple[str, ...]] = {
    "checkpoints": ("turn", "message_count", "utc_offset_minutes"),
    "agent_writes": ("turn",),
    "turns": ("turn",),
    "operations": ("turn", "pid"),
}

BOOLEANS: Mapping[str, tuple[str, ...]] = {
    "projects": ("disposable",),
    "checkpoints": ("pinned",),
    "restores": ("whole",),
}

CHANGES = ("A", "M", "D", "T")
LAYOUTS = ("v1", "v2", "archive", "session-file")
WORDS: Mapping[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("projects", "state"): (("live", "orphan", "unreachable"), "unreachable"),
    ("checkpoints", "kind"): (("auto", "manual", "safety", "imported"), "manual"),
    ("checkpoints", "state"): (("arriving", "live", "pruning", "pruned"), "live"),
    ("checkpoint_changes", "status"): (CHANGES, "M"),
    ("skipped_paths", "reason"): (
        ("oversize", "unreadable", "special", "vanished", "unsupported-name", "ignored-by-rule"),
        "unreadable",
    ),
    ("turns", "ended_by"): (("host", "next"), "next"),
    ("turns", "actor"): (
        ("agent", "person", "since", "restore", "unrecorded", "unknown"),
        "unknown",
    ),
    ("turn_changes", "status"): (CHANGES, "M"),
    ("restores", "role"): (("restore", "undo", "redo"), "restore"),
    ("restores", "state"): (("writing", "done", "partial", "interrupted"), "partial"),
    ("restores", "mode"): (("keep-edits", "overlay", "exact"), "keep-edits"),
    ("restore_paths", "action"): (("write", "delete", "chmod", "mkdir", "keep"), "keep"),
    ("restore_paths", "outcome"): (("planned", "done", "kept", "failed"), "planned"),
    ("legacy_archives", "layout"): (LAYOUTS, "archive"),
    ("legacy_archives", "state"): (("found", "imported", "archived", "cleared"), "found"),
    ("former_ids", "layout"): (LAYOUTS, "v2"),
    ("operations", "kind"): (
        ("take", "restore", "prune", "gc", "migration", "rebuild"),
        "migration",
    ),
    ("operations", "outcome"): (
        ("running", "done", "unchanged", "skipped", "partial", "failed"),
        "partial",
    ),
}
"""By table and column: the words that may stand there, and the one that claims least, which takes
the place of any other."""

RULES: Mapping[str, Mapping[str, str]] = {
    "checkpoints": {
        "pruned_at": "(state IN ('arriving', 'live')) = (pruned_at IS NULL)",
        "whole": (
            "state NOT IN ('live', 'pruning') OR"
            " (tree_id IS NOT NULL AND state_id IS NOT NULL AND ref_name IS NOT NULL)"
        ),
    },
    "turns": {"ended_at": "(ended_at IS NULL) = (ended_by IS NULL)"},
    "restores": {"finished_at": "(state = 'writing') = (finished_at IS NULL)"},
    "operations": {"finished_at": "(outcome = 'running') = (finished_at IS NULL)"},
}

UNIQUE = {"projects": "workdir"}

TABLES = (
    "projects",
    "checkpoints",
    "checkpoint_changes",
    "skipped_paths",
    "agent_writes",
    "turns",
    "turn_changes",
    "restores",
    "restore_paths",
    "session_checkpoints",
    "session_checkpoint_versions",
    "legacy_archives",
    "operations",
)
"""Those that get constraints."""

INDEXES = (
    "CREATE INDEX ix_projects_last_touch ON projects (last_touch)",
    (
        "CREATE UNIQUE INDEX ix_checkpoints_ref_name ON checkpoints (ref_name)"
        " WHERE ref_name IS NOT NULL"
    ),
    "CREATE INDEX ix_checkpoints_state_project_id_id ON checkpoints (state, project_id, id)",
    (
        "CREATE INDEX ix_checkpoints_session_id_state_turn ON checkpoints (session_id, state, turn)"
        " WHERE session_id IS NOT NULL"
    ),
    (
        "CREATE INDEX ix_checkpoints_unshrunk ON checkpoints (state, project_id, id)"
        " WHERE ref_name IS NOT NULL"
    ),
    "CREATE INDEX ix_checkpoint_changes_new_blob ON checkpoint_changes (new_blob)",
    "CREATE INDEX ix_checkpoint_changes_path ON checkpoint_changes (path)",
    "CREATE INDEX ix_agent_writes_project_id_written_at ON agent_writes (project_id, written_at)",
    (
        "CREATE INDEX ix_turns_project_id_start_checkpoint_id"
        " ON turns (project_id, start_checkpoint_id)"
    ),
    "CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn)",
    "CREATE UNIQUE INDEX ix_turns_open ON turns (project_id) WHERE ended_at IS NULL",
    "CREATE INDEX ix_restores_project_id_id ON restores (project_id, id)",
    "CREATE INDEX ix_restores_operation_id ON restores (operation_id)",
    "CREATE INDEX ix_restores_state ON restores (state)",
    "CREATE INDEX ix_session_checkpoints_updated_at ON session_checkpoints (updated_at)",
    (
        "CREATE INDEX ix_session_checkpoints_status_updated_at"
        " ON session_checkpoints (status, updated_at)"
    ),
    "CREATE INDEX ix_legacy_archives_path ON legacy_archives (path)",
    "CREATE INDEX ix_operations_kind_outcome_workdir_id ON operations (kind, outcome, workdir, id)",
    "CREATE INDEX ix_operations_outcome ON operations (outcome)",
)


def constraints(table: str) -> dict[str, str]:
    """The constraints of a table by name, but for its keys."""
    found = {name: f"{name} BETWEEN 0 AND {MOST}" for name in COUNTS.get(table, ())}
    found |= {name: f"{name} BETWEEN -{MOST} AND {MOST}" for name in INTEGERS.get(table, ())}
    found |= {name: f"{name} IN (0, 1)" for name in BOOLEANS.get(table, ())}
    for (of, name), (words, _) in WORDS.items():
        if of == table:
            found[name] = f"{name} IN ({', '.join(map(repr, words))})"
    found |= RULES.get(table, {})
    lines = {f"ck_{table}_{name}": f"CHECK ({rule})" for name, rule in found.items()}
    if table in UNIQUE:
        lines[f"uq_{table}_{UNIQUE[table]}"] = f"UNIQUE ({UNIQUE[table]})"
    return lines


# --- mending -----------------------------------------------------------------------------------


def mend() -> None:
    """Bring each row that breaks a constraint to the nearest that does not."""
    for table, names in BOOLEANS.items():
        for name in names:
            op.execute(f"UPDATE {table} SET {name} = 1 WHERE {name} NOT IN (0, 1)")
    for (table, name), (words, neutral) in WORDS.items():
        listed = ", ".join(map(repr, words))
        op.execute(f"UPDATE {table} SET {name} = '{neutral}' WHERE {name} NOT IN ({listed})")
    mend_numbers()
    mend_what_is_no_time()
    merge_projects()
    mend_times()


def mend_numbers() -> None:
    """A number below 0 becomes 0; what is no number becomes NULL, or 0 where that may not be."""
    required = required_columns()
    for least, numbers in ((0, COUNTS), (-MOST, INTEGERS)):
        for table, names in numbers.items():
            for name in names:
                if (table, name) in (
                    ("checkpoints", "stored_bytes"),
                    ("checkpoints", "held_bytes"),
                ):
                    continue  # made below, from numbers that are mended here
                other = "0" if (table, name) in required else "NULL"
                op.execute(
                    f"UPDATE {table} SET {name} = CASE WHEN typeof({name}) = 'integer'"
                    f" THEN {least} ELSE {other} END"
                    f" WHERE typeof({name}) NOT IN ('integer', 'null') OR {name} < {least}"
                )


def mend_what_is_no_time() -> None:
    """What is no time becomes NULL, or the present time where that may not be: what is taken for
    new is not pruned for its age."""
    connection = op.get_bind()
    for table in (*TABLES, "settings"):
        for _, name, kind, required, _, _ in connection.exec_driver_sql(
            f"PRAGMA table_info({table})"
        ).all():
            if kind != "DATETIME":
                continue
            other = "strftime('%Y-%m-%d %H:%M:%f000', 'now')" if required else "NULL"
            op.execute(
                f"UPDATE {table} SET {name} = {other} WHERE {name} IS NOT NULL AND ("
                f"typeof({name}) <> 'text' OR {name} NOT GLOB '[0-9][0-9][0-9][0-9]-*'"
                f" OR date({name}, '+0 days') IS NOT substr({name}, 1, 10))"
            )


def required_columns() -> set[tuple[str, str]]:
    connection = op.get_bind()
    return {
        (table, str(row[1]))
        for table in {*COUNTS, *INTEGERS}
        for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")
        if row[3]
    }


def merge_projects() -> None:
    """Where several projects have one directory, give all to the one that its hash names, or else
    to the first."""
    rows = op.get_bind().exec_driver_sql("SELECT id, hash, workdir FROM projects ORDER BY id")
    by_directory: dict[str, list[tuple[int, str]]] = {}
    for id_, hash_, workdir in rows:
        by_directory.setdefault(str(workdir), []).append((int(id_), str(hash_)))
    for workdir, found in by_directory.items():
        named = hash_of(workdir)
        kept = min(found, key=lambda one: (one[1] != named, one[0]))[0]
        for id_, _ in found:
            if id_ != kept:
                merge_project(id_, kept)


def hash_of(workdir: str) -> str:
    """The hash that names the project of a directory, from the text that the catalog has."""

    def unescaped(match: re.Match[str]) -> str:
        code = match.group(1)
        if code == "\\":
            return code
        return chr(int(code[1:], 16) + (0xDC00 if code[0] == "x" else 0))

    path = re.sub(r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4})", unescaped, workdir)
    try:
        return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    except ValueError:  # a text that is the name of nothing here
        return ""


def merge_project(id_: int, kept: int) -> None:
    for table in ("checkpoints", "agent_writes", "turns", "restores", "operations"):
        op.execute(f"UPDATE {table} SET project_id = {kept} WHERE project_id = {id_}")
    op.execute(
        "UPDATE projects SET last_touch ="
        f" (SELECT max(b.last_touch) FROM projects AS b WHERE b.id IN ({kept}, {id_}))"
        f" WHERE id = {kept}"
    )
    op.execute(f"DELETE FROM projects WHERE id = {id_}")


def mend_times() -> None:
    """Give what has ended the time of its beginning where it has none."""
    op.execute(
        "UPDATE checkpoints SET pruned_at = created_at"
        " WHERE state IN ('pruning', 'pruned') AND pruned_at IS NULL"
    )
    op.execute(
        "UPDATE checkpoints SET pruned_at = NULL, prune_reason = NULL"
        " WHERE state NOT IN ('pruning', 'pruned') AND pruned_at IS NOT NULL"
    )
    for table, running in (
        ("restores", "state = 'writing'"),
        ("operations", "outcome = 'running'"),
    ):
        op.execute(
            f"UPDATE {table} SET finished_at = started_at"
            f" WHERE NOT {running} AND finished_at IS NULL"
        )
        op.execute(
            f"UPDATE {table} SET finished_at = NULL WHERE {running} AND finished_at IS NOT NULL"
        )
    op.execute(
        "UPDATE turns SET ended_at = started_at WHERE ended_at IS NULL AND ended_by IS NOT NULL"
    )
    op.execute("UPDATE turns SET ended_by = 'next' WHERE ended_by IS NULL AND ended_at IS NOT NULL")
    later = (
        "FROM turns AS n WHERE n.project_id = turns.project_id AND n.id > turns.id"
        " AND n.ended_at IS NULL"
    )
    op.execute(
        "UPDATE turns SET ended_by = 'next',"
        f" ended_at = (SELECT n.started_at {later} ORDER BY n.id LIMIT 1)"
        f" WHERE ended_at IS NULL AND EXISTS (SELECT 1 {later})"
    )


# --- tables ------------------------------------------------------------------------------------


def count(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), server_default=sa.text("0"), nullable=False)


def checkpoints() -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.String(64), nullable=False),
        sa.Column("tree_id", sa.String(64)),
        sa.Column("state_id", sa.String(64)),
        sa.Column("ref_name", sa.String(255)),
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
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_checkpoints_project_id_projects"
        ),
        sa.UniqueConstraint("commit_id", name="uq_checkpoints_commit_id"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["checkpoints.id"], name="fk_checkpoints_previous_id_checkpoints"
        ),
        *(
            sa.CheckConstraint(rule.removeprefix("CHECK (").removesuffix(")"), name=name)
            for name, rule in constraints("checkpoints").items()
        ),
    ]


# Sums that nonsense makes larger than an integer can be stay at what one can hold.
STORED = (
    "coalesce((SELECT CAST(min(total(x.stored_bytes), 9e18) AS INTEGER)"
    " FROM checkpoint_changes AS x WHERE x.checkpoint_id = checkpoints.id), 0)"
)
FILLED = {
    "stored_bytes": STORED,
    "held_bytes": (
        f"CAST(min(max(0, total({STORED} - superseded_bytes)"
        " OVER (PARTITION BY project_id ORDER BY id)), 9e18) AS INTEGER)"
    ),
}


def make_anew(
    name: str,
    items: list[sa.schema.SchemaItem] | None = None,
    filled: Mapping[str, str] | None = None,
) -> None:
    """Make a table anew with its rows: of these items, or as it is with its new constraints.

    ``filled`` has the SQL of columns that are not copied.
    """
    connection = op.get_bind()
    new = f"new_{name}"
    sequence = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)
    ).scalar()
    of_it = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    old = str(connection.exec_driver_sql(of_it, (name,)).scalar())
    if items is None:
        create_like(old, new, constraints(name))
    else:
        op.create_table(new, *items, sqlite_autoincrement=True)
    columns = [str(row[1]) for row in connection.exec_driver_sql(f"PRAGMA table_info({new})")]
    values = [(filled or {}).get(column, column) for column in columns]
    op.execute(f"INSERT INTO {new} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {name}")
    if "AUTOINCREMENT" in old:
        # Ids that were given are not given anew, also where their rows are gone.
        connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (new,))
        seen = "INSERT INTO sqlite_sequence VALUES (?, ?)"
        connection.exec_driver_sql(seen, (new, sequence or 0))
    op.drop_table(name)
    op.rename_table(new, name)


def create_like(old: str, new: str, added: Mapping[str, str]) -> None:
    """Create a table with the definition of another and more constraints."""
    body = re.sub(r'^CREATE TABLE "?\w+"? \(', "", old).rstrip().removesuffix(")").rstrip()
    lines = [
        f"CONSTRAINT {name} {rule}"
        for name, rule in added.items()
        if f"CONSTRAINT {name} " not in old
    ]
    op.execute(f"CREATE TABLE {new} ({', '.join([body, *lines])})")


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
    with op.batch_alter_table("turns", recreate="never") as turns:
        turns.drop_column("end_tree")
    mend()
    make_anew("checkpoints", checkpoints(), FILLED)
    for table in TABLES:
        if table != "checkpoints":
            make_anew(table)
    for index in INDEXES:
        op.execute(index)
    for view in UNCHANGED:
        op.execute(made[view])
    for sql in (*MADE_ANEW, *NEW_VIEWS):
        op.execute(sql.strip())
    op.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

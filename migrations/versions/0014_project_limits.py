"""Let a project have a limit of its own, and tell partial checkpoints in the list.

``projects.max_snapshots`` is what the configuration says of that project, in the place of the
general setting; the views that decide what a prune drops go by it.
"""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0011"
branch_labels = None
depends_on = None

RETENTION_POLICY = """
CREATE VIEW retention_policy AS
WITH setting AS (SELECT coalesce(max(CASE WHEN (settings.name = 'max_snapshots')
        THEN settings.value END), '20') AS max_snapshots,
    coalesce(max(CASE WHEN (settings.name = 'max_safety_snapshots')
        THEN settings.value END), '20') AS max_safety_snapshots,
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
  CAST(setting.max_safety_snapshots AS INTEGER) AS max_safety_snapshots,
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
  0 AS reclaim_bytes,
  1 AS own_limits
FROM setting
"""

CHECKPOINT_LIST = """
CREATE VIEW checkpoint_list AS
SELECT projects.workdir AS working_directory,
  CASE WHEN (checkpoints.kind != 'safety') THEN (SELECT count(*) AS
    count_1
  FROM checkpoints AS newer
  WHERE newer.state = 'live' AND newer.project_id = checkpoints.project_id
    AND newer.id >= checkpoints.id AND newer.kind != 'safety') END
  AS number,
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
  CASE WHEN checkpoints.partial THEN 'yes' ELSE 'no' END AS partial,
  CASE WHEN (checkpoints.skipped_count = 0 AND checkpoints.partial
    IS 0) THEN 'yes' ELSE 'no' END AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC
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
  WHERE checkpoints.state = 'live' AND checkpoints.kind != 'safety'
    LIMIT CASE WHEN ((SELECT retention_policy.keep_hourly FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_daily FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_weekly FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_monthly FROM retention_policy)
      > 0) THEN -1 ELSE 0 END OFFSET 0),
  undoable AS (SELECT projects.id AS project_id, (SELECT restores.safety_id
      FROM restores WHERE restores.project_id = projects.id ORDER BY
      restores.id DESC LIMIT 1 OFFSET 0) AS id
  FROM projects
  WHERE 1 = 1) SELECT decided.commit_id AS commit_id,
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
    'keep' WHEN 13 THEN 'keep' WHEN 14 THEN 'keep' WHEN 15 THEN 'keep'
    WHEN 16 THEN 'drop' WHEN 17 THEN 'drop' WHEN 18 THEN 'drop' WHEN
    19 THEN 'drop' WHEN 20 THEN 'keep' END AS decision,
    CASE judged.number WHEN 0 THEN 'unfinished-restore' WHEN 1 THEN
    'protected' WHEN 2 THEN 'pinned' WHEN 3 THEN 'labelled' WHEN 4
    THEN 'unreachable' WHEN 5 THEN 'orphan' WHEN 6 THEN 'newest' WHEN
    7 THEN 'newest' WHEN 8 THEN 'newest' WHEN 9 THEN 'last-restore'
    WHEN 10 THEN 'keep-rule' WHEN 11 THEN 'keep-rule' WHEN 12 THEN
    'keep-rule' WHEN 13 THEN 'keep-rule' WHEN 14 THEN 'keep-rule' WHEN
    15 THEN 'keep-rule' WHEN 16 THEN 'no-keep-rule' WHEN 17 THEN 'stale'
    WHEN 18 THEN 'over-limit' WHEN 19 THEN 'over-limit' WHEN 20 THEN
    'within-limits' END AS rule, CASE judged.number WHEN 0 THEN 'an unfinished restore needs it'
    WHEN 1 THEN 'it is in use just now' WHEN 2 THEN 'it is pinned'
    WHEN 3 THEN 'it has the label ' || label WHEN 4 THEN
  'its directory cannot be seen, which does not prove that it is gone'
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
    WHEN 9 THEN 'the last restore is taken back with it' WHEN 10 THEN
    'it is one of the last ' || CAST((SELECT retention_policy.keep_last
        FROM retention_policy) AS VARCHAR) || ' (keep_last)' WHEN 11
    THEN 'it is young enough (keep_within)' WHEN 12 THEN
  'it is the newest of its period (keep_hourly)' WHEN 13 THEN
  'it is the newest of its period (keep_daily)' WHEN 14 THEN
  'it is the newest of its period (keep_weekly)' WHEN 15 THEN
  'it is the newest of its period (keep_monthly)' WHEN 16 THEN 'no keep rule keeps it'
    WHEN 17 THEN 'its project was last touched on ' || date(substr(last_touch,
        1, 19), 'localtime') || ' (retention_days: ' || CAST((SELECT
        retention_policy.retention_days FROM retention_policy) AS VARCHAR)
    || ')' WHEN 18 THEN 'its project has more than ' || CAST((SELECT
        retention_policy.max_safety_snapshots FROM retention_policy)
      AS VARCHAR) || ' safety checkpoints (max_safety_snapshots)' WHEN
    19 THEN 'its project has more than ' || CAST(most AS VARCHAR) ||
    ' (max_snapshots)' WHEN 20 THEN 'it is within all limits' END AS
    reason, judged.by_hand AS by_hand, judged.freed_bytes AS freed_bytes
    FROM (SELECT placed.id AS id, placed.project_id AS project_id,
      placed.commit_id AS commit_id, placed.created_at AS created_at,
      placed.label AS label, placed.by_hand AS by_hand, placed.freed_bytes
      AS freed_bytes, projects.last_touch AS last_touch, projects.missing_since
      AS missing_since, CASE WHEN ((SELECT retention_policy.own_limits
          FROM retention_policy) AND projects.max_snapshots IS NOT
        NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
        FROM retention_policy) END AS most, CASE WHEN (placed.id IN
        (SELECT unfinished.id FROM unfinished)) THEN 0 WHEN placed.marked
      THEN 1 WHEN (placed.pinned = 1 AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 2 WHEN (placed.label IS
        NOT NULL AND (SELECT retention_policy.include_pinned FROM retention_policy)
        = 0) THEN 3 WHEN (projects.state = 'unreachable') THEN 4 WHEN
      (projects.state = 'orphan' AND (SELECT retention_policy.delete_orphans
          FROM retention_policy) AND ((SELECT retention_policy.orphan_before
            FROM retention_policy) IS NULL OR coalesce(projects.missing_since,
            (SELECT retention_policy.now FROM retention_policy)) <=
          (SELECT retention_policy.orphan_before FROM retention_policy)))
      THEN 5 WHEN (placed.rank = 1 AND projects.state = 'orphan' AND
        (SELECT retention_policy.delete_orphans FROM retention_policy)
        = 0) THEN 6 WHEN (placed.rank = 1 AND projects.state = 'orphan')
      THEN 7 WHEN (placed.rank = 1) THEN 8 WHEN placed.undoes THEN
      9 WHEN (placed.safety = 0 AND placed.rank <= (SELECT retention_policy.keep_last
          FROM retention_policy)) THEN 10 WHEN (placed.safety = 0 AND
        placed.created_at >= (SELECT retention_policy.within_since
          FROM retention_policy)) THEN 11 WHEN (placed.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            substr(local_times.time, 1, 13), local_times."offset" LIMIT
            CASE WHEN ((SELECT retention_policy.keep_hourly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_hourly FROM retention_policy)))
      THEN 12 WHEN (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 10) LIMIT CASE WHEN ((SELECT retention_policy.keep_daily
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_daily
            FROM retention_policy))) THEN 13 WHEN (placed.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE
            WHEN ((SELECT retention_policy.keep_weekly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_weekly FROM retention_policy)))
      THEN 14 WHEN (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 7) LIMIT CASE WHEN ((SELECT retention_policy.keep_monthly
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_monthly
            FROM retention_policy))) THEN 15 WHEN (placed.safety =
        0 AND ((SELECT retention_policy.keep_last FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_hourly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_daily FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_weekly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_monthly FROM retention_policy)
          > 0 OR (SELECT retention_policy.within_since FROM retention_policy)
          IS NOT NULL) AND (SELECT retention_policy.only_limit FROM
          retention_policy) = 0) THEN 16 WHEN (projects.last_touch
        <= (SELECT retention_policy.stale_before FROM retention_policy))
      THEN 17 WHEN (placed.safety = 1 AND (SELECT retention_policy.max_safety_snapshots
          FROM retention_policy) > 0 AND placed.place > (SELECT
        retention_policy.max_safety_snapshots FROM retention_policy))
      THEN 18 WHEN (placed.safety = 0 AND CASE WHEN ((SELECT retention_policy.own_limits
            FROM retention_policy) AND projects.max_snapshots IS NOT
          NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
          FROM retention_policy) END > 0 AND placed.place > CASE WHEN
        ((SELECT retention_policy.own_limits FROM retention_policy)
          AND projects.max_snapshots IS NOT NULL) THEN projects.max_snapshots
        ELSE (SELECT retention_policy.max_snapshots FROM retention_policy)
        END) THEN 19 WHEN 1 THEN 20 END AS number FROM (SELECT ranked.id
        AS id, ranked.project_id AS project_id, ranked.commit_id AS
        commit_id, ranked.created_at AS created_at, ranked.pinned AS
        pinned, ranked.label AS label, ranked.marked AS marked, ranked.safety
        AS safety, ranked.by_hand AS by_hand, ranked.undoes AS undoes,
        ranked.rank AS rank, ranked.freed_bytes AS freed_bytes, row_number()
        OVER (PARTITION BY ranked.project_id, ranked.safety, (ranked.pinned
            = 1 OR ranked.label IS NOT NULL) AND (SELECT retention_policy.include_pinned
            FROM retention_policy) = 0 AND ranked.rank > 1 ORDER BY
          ranked.rank = 1 DESC, ranked.undoes DESC, (ranked.pinned
            = 1 OR ranked.label IS NOT NULL) DESC, ranked.by_hand DESC,
          ranked.id DESC) AS place FROM (SELECT checkpoints.id AS id,
          checkpoints.project_id AS project_id, checkpoints.commit_id
          AS commit_id, checkpoints.created_at AS created_at, checkpoints.pinned
          AS pinned, checkpoints.label AS label, 0 AS marked, checkpoints.kind
          = 'safety' AS safety, checkpoints.kind = 'manual' AS by_hand,
          (checkpoints.project_id, checkpoints.id) IN (SELECT undoable.project_id,
            undoable.id FROM undoable) AS undoes, row_number() OVER
          (PARTITION BY checkpoints.project_id ORDER BY checkpoints.kind
            = 'safety', checkpoints.id DESC) AS rank, coalesce(lag(checkpoints.superseded_bytes
              + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
              ELSE 0 END) OVER (PARTITION BY checkpoints.project_id
              ORDER BY checkpoints.id DESC), checkpoints.held_bytes
            + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
              > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
            ELSE 0 END) AS freed_bytes FROM checkpoints WHERE checkpoints.state
          = 'live') AS ranked) AS placed JOIN projects ON projects.id
      = placed.project_id WHERE 1 = 1 LIMIT -1 OFFSET 0) AS judged)
  AS decided JOIN projects ON projects.id = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC
"""

VIEWS = {
    "retention_policy": RETENTION_POLICY,
    "checkpoint_list": CHECKPOINT_LIST,
    "retention_decisions": RETENTION_DECISIONS,
}


def upgrade() -> None:
    # As one clause of the column, since SQLite adds no constraint to a table.
    op.execute(
        "ALTER TABLE projects ADD COLUMN max_snapshots INTEGER CONSTRAINT ck_projects_max_snapshots"
        " CHECK (max_snapshots BETWEEN 0 AND 9223372036854775807)"
    )
    for name in reversed(VIEWS):
        op.execute(f"DROP VIEW {name}")
    for sql in VIEWS.values():
        op.execute(sql.strip())


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

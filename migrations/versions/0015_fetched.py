"""Know of which checkpoints on remotes the contents are here, and restores to such a checkpoint.

- A restore to a checkpoint that is none of this base has no row to name, but its commit. SQLite
  takes no rule off a column, so the table is made anew with the rows that it has.
- What was fetched is in a table of its own: it stays in the store when a remote has it no longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

MOST = 2**63 - 1

RESTORES = """
CREATE TABLE new_restores (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  operation_id INTEGER,
  role VARCHAR(16) NOT NULL,
  state VARCHAR(16) NOT NULL,
  mode VARCHAR(16) NOT NULL,
  whole BOOLEAN NOT NULL,
  target_id INTEGER,
  target_commit VARCHAR(64),
  safety_id INTEGER NOT NULL,
  undo_of INTEGER,
  undone_by INTEGER,
  started_at DATETIME NOT NULL,
  finished_at DATETIME,
  CONSTRAINT ck_restores_whole CHECK (whole IN (0, 1)),
  CONSTRAINT ck_restores_role CHECK (role IN ('restore', 'undo', 'redo')),
  CONSTRAINT ck_restores_state CHECK (state IN ('writing', 'done', 'partial', 'interrupted')),
  CONSTRAINT ck_restores_mode CHECK (mode IN ('keep-edits', 'overlay', 'exact')),
  CONSTRAINT ck_restores_finished_at CHECK ((state = 'writing') = (finished_at IS NULL)),
  CONSTRAINT ck_restores_target_commit
    CHECK ((target_id IS NULL) = (target_commit IS NOT NULL)),
  CONSTRAINT fk_restores_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_restores_target_id_checkpoints FOREIGN KEY(target_id)
    REFERENCES checkpoints (id),
  CONSTRAINT fk_restores_safety_id_checkpoints FOREIGN KEY(safety_id)
    REFERENCES checkpoints (id),
  CONSTRAINT fk_restores_undo_of_restores FOREIGN KEY(undo_of) REFERENCES restores (id),
  CONSTRAINT fk_restores_undone_by_restores FOREIGN KEY(undone_by) REFERENCES restores (id)
)
"""

FETCHED_CHECKPOINTS = f"""
CREATE TABLE fetched_checkpoints (
  commit_id VARCHAR(64) NOT NULL,
  ref_name TEXT NOT NULL,
  fetched_at DATETIME NOT NULL,
  stored_bytes BIGINT DEFAULT 0 NOT NULL,
  CONSTRAINT pk_fetched_checkpoints PRIMARY KEY (commit_id),
  CONSTRAINT ck_fetched_checkpoints_stored_bytes CHECK (stored_bytes BETWEEN 0 AND {MOST}),
  CONSTRAINT uq_fetched_checkpoints_ref_name UNIQUE (ref_name)
)
"""

# --- views, as catalog/views makes them (written by tests/catalog/revisions/views.py) ---

RETENTION_DECISIONS = """
CREATE VIEW retention_decisions AS
/* One row for each live checkpoint, by directory and newest first: what a prune that nobody
   watches would do with it now, by the settings in force (table settings). It is the statement by
   which the program decides. prune by hand asks a person, so for it an orphan needs no grace, and
   it looks at all directories anew first; prune --dry-run is its preview. The size cap comes
   after these decisions, see size_cap_candidates.
   commit_id          its name in full
   checkpoint         its name, the first 8 hex digits
   working_directory  whose it is
   taken_at           when
   decision           keep or drop
   rule               what decided, see docs/retention.md: unfinished-restore, pinned, labelled,
                      unreachable, newest, last-restore, keep-rule and within-limits keep; orphan,
                      stale, over-limit and no-keep-rule drop
   reason             why, in words that end a sentence beginning with "because"
   bytes              what the store loses with it, where the older ones go first: an estimate,
                      corrected by the last repack */
WITH unfinished AS (SELECT restores.target_id AS id
  FROM restores
  WHERE (restores.state = 'writing' OR restores.state = 'interrupted'
      AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
          FROM restores AS later WHERE later.project_id = restores.project_id
          AND later.id > restores.id))) AND restores.target_id IS NOT
    NULL
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
    WHEN 3 THEN CASE WHEN (instr(labels, ', ') > 0) THEN 'it has the labels '
    ELSE 'it has the label ' END || labels WHEN 4 THEN
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
      placed.labels AS labels, placed.by_hand AS by_hand, placed.freed_bytes
      AS freed_bytes, projects.last_touch AS last_touch, projects.missing_since
      AS missing_since, CASE WHEN ((SELECT retention_policy.own_limits
          FROM retention_policy) AND projects.max_snapshots IS NOT
        NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
        FROM retention_policy) END AS most, CASE WHEN (placed.id IN
        (SELECT unfinished.id FROM unfinished)) THEN 0 WHEN placed.marked
      THEN 1 WHEN (placed.pinned = 1 AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 2 WHEN (placed.labels IS
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
        pinned, ranked.labels AS labels, ranked.marked AS marked, ranked.safety
        AS safety, ranked.by_hand AS by_hand, ranked.undoes AS undoes,
        ranked.rank AS rank, ranked.freed_bytes AS freed_bytes, row_number()
        OVER (PARTITION BY ranked.project_id, ranked.safety, (ranked.pinned
            = 1 OR ranked.labels IS NOT NULL) AND (SELECT retention_policy.include_pinned
            FROM retention_policy) = 0 AND ranked.rank > 1 ORDER BY
          ranked.rank = 1 DESC, ranked.undoes DESC, (ranked.pinned
            = 1 OR ranked.labels IS NOT NULL) DESC, ranked.by_hand
          DESC, ranked.id DESC) AS place FROM (SELECT checkpoints.id
          AS id, checkpoints.project_id AS project_id, checkpoints.commit_id
          AS commit_id, checkpoints.created_at AS created_at, checkpoints.pinned
          AS pinned, (SELECT group_concat(labels.label, ', ') AS group_concat_1
            FROM labels WHERE labels.checkpoint_id = checkpoints.id)
          AS labels, 0 AS marked, checkpoints.kind = 'safety' AS safety,
          checkpoints.kind = 'manual' AS by_hand, (checkpoints.project_id,
            checkpoints.id) IN (SELECT undoable.project_id, undoable.id
            FROM undoable) AS undoes, row_number() OVER (PARTITION
            BY checkpoints.project_id ORDER BY checkpoints.kind = 'safety',
            checkpoints.id DESC) AS rank,
        CAST(round(CAST(coalesce(lag(checkpoints.superseded_bytes +
                    CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                      > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
                    ELSE 0 END) OVER (PARTITION BY checkpoints.project_id
                    ORDER BY checkpoints.id DESC), checkpoints.held_bytes
                  + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                    > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
                  ELSE 0 END) AS FLOAT) * CASE WHEN (checkpoints.id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END) AS INTEGER) AS freed_bytes FROM checkpoints
          WHERE checkpoints.state = 'live') AS ranked) AS placed JOIN
      projects ON projects.id = placed.project_id WHERE 1 = 1 LIMIT
      -1 OFFSET 0) AS judged) AS decided JOIN projects ON projects.id
  = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC
"""

RESTORE_LIST = """
CREATE VIEW restore_list AS
/* One row for each restore, undo and redo, newest first.
   working_directory  where
   role               restore, undo or redo
   state              writing, done, partial (some paths failed) or interrupted (killed while it
                      wrote)
   mode               keep-edits, overlay or exact, see docs/restore.md
   whole              yes: of the whole directory; no: of some paths or one session
   target             the checkpoint that it went to
   safety             the checkpoint that has the state before it
   started_at         when it began
   finished_at        when it ended, or was found to be killed
   planned            how many paths it was to bring back or to delete
   written            of these, how many it has brought back or deleted
   kept               how many paths beside these it was to leave as they were
   failed             how many of the planned could not be brought back or deleted
   not_done           how many of the planned it has not come to: those of a restore that runs, or
                      was killed
   first_error        why the first of the failed failed
   undone             yes where it was taken back
   undone_by          the restore_id of what took it back
   undo_of            the restore_id of what it is to take back
   restore_id         its number in restore_path_list */
SELECT p.workdir AS working_directory,
  r.role AS role,
  r.state AS state,
  r.mode AS mode,
  CASE WHEN r.whole THEN 'yes' ELSE 'no' END AS whole,
  substr(coalesce(t.commit_id, r.target_commit), 1,
    8) AS target,
  substr(s.commit_id, 1, 8) AS safety,
  substr(r.started_at, 1, 19) AS started_at,
  substr(r.finished_at, 1, 19) AS finished_at,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action <> 'keep') AS planned,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action <> 'keep' AND x.outcome =
    'done') AS written,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action = 'keep') AS kept,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'failed') AS failed,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'planned' AND x.action
    <> 'keep') AS not_done,
  (SELECT x.error
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'failed'
  ORDER BY x.position LIMIT 1) AS first_error,
  CASE WHEN r.undone_by IS NULL THEN 'no' ELSE 'yes' END AS undone,
  r.undone_by AS undone_by,
  r.undo_of AS undo_of,
  r.id AS restore_id
FROM restores AS r JOIN projects AS p ON p.id = r.project_id LEFT JOIN
  checkpoints AS t ON t.id = r.target_id JOIN checkpoints AS s ON s.id
  = r.safety_id
ORDER BY r.id DESC
"""

REMOTE_LIST = """
CREATE VIEW remote_list AS
/* One row for each directory of each machine that has checkpoints on a remote, as the last pull
   found it, by repository and directory. This machine is one of them.
   remote             its address, without what gives access
   repository         the git repository that the directory belongs to; NULL: none that another
                      machine knows
   subdirectory       where it lies in that
   working_directory  the absolute path of the directory on that machine
   machine            its id, 12 hex digits
   machine_name       what people call it; NULL: not known
   checkpoints        how many it has there
   here               of these, how many this base has, too
   fetched            of how many the contents were brought here
   oldest_at          when the machine took the oldest, by its own clock
   newest_at          when it took the newest, by its own clock
   last_seen          when a pull of this base last found something new of the machine
   project            first 16 hex digits of the SHA-256 of the working directory, as on that
                      machine */
SELECT remotes.url_shown AS remote,
  listed.repository AS repository,
  listed.subdirectory AS subdirectory,
  listed.workdir AS working_directory,
  listed.machine_id AS machine,
  machines.name AS machine_name,
  count(*) AS checkpoints,
  sum(listed.here) AS here,
  count(listed.fetched_at) AS fetched,
  substr(min(listed.created_at), 1, 19) AS oldest_at,
  substr(max(listed.created_at), 1, 19) AS newest_at,
  substr(machines.last_seen, 1, 19) AS last_seen,
  listed.project_hash AS project
FROM (SELECT remote_checkpoints.repository AS repository,
    remote_checkpoints.subdirectory AS subdirectory,
    remote_checkpoints.workdir AS workdir, remote_checkpoints.machine_id
    AS machine_id, remote_checkpoints.project_hash AS project_hash,
    remote_checkpoints.remote_id AS remote_id, remote_checkpoints.commit_id
    AS commit_id, remote_checkpoints.created_at AS created_at,
    (SELECT fetched_checkpoints.fetched_at FROM fetched_checkpoints
      WHERE fetched_checkpoints.commit_id = remote_checkpoints.commit_id)
    AS fetched_at, CASE WHEN (EXISTS (SELECT checkpoints.id FROM checkpoints
        WHERE checkpoints.commit_id = remote_checkpoints.commit_id
        AND checkpoints.state = 'live')) THEN 1 ELSE 0 END AS here
    FROM remote_checkpoints) AS listed JOIN remotes ON remotes.id =
  listed.remote_id JOIN machines ON machines.id = listed.machine_id
  GROUP BY remotes.id,
  listed.repository,
  listed.subdirectory,
  listed.workdir,
  listed.machine_id,
  listed.project_hash,
  machines.name,
  machines.last_seen
ORDER BY listed.repository,
  listed.subdirectory,
  listed.workdir,
  listed.machine_id
"""

OPERATION_LIST = """
CREATE VIEW operation_list AS
/* One row for each row of the journal, newest first.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   outcome            running, done, unchanged (nothing to capture), skipped (a guard refused),
                      partial or failed
   working_directory  where
   checkpoint         what came of it: the first 8 hex digits
   duration_ms        how long it took, in milliseconds
   session_id         for which conversation
   turn               in which turn of it
   code               why it failed, in one word
   message            why, in a sentence; or what was done */
SELECT substr(o.started_at, 1, 19) AS started_at,
  o.kind AS operation,
  o.outcome AS outcome,
  o.workdir AS working_directory,
  substr(c.commit_id, 1, 8) AS checkpoint,
  o.duration_ms AS duration_ms,
  o.session_id AS session_id,
  o.turn AS turn,
  o.code AS code,
  o.message AS message
FROM operations AS o LEFT JOIN checkpoints AS c ON c.id = o.checkpoint_id
  ORDER BY o.id DESC
"""

RUNNING_OPERATIONS = """
CREATE VIEW running_operations AS
/* One row for each operation that runs now, or was interrupted and is not settled yet, oldest
   first.
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   working_directory  where
   pid                the number of its process
   started_at         when it began
   session_id         for which conversation
   turn               in which turn of it */
SELECT o.kind AS operation,
  o.workdir AS working_directory,
  o.pid AS pid,
  substr(o.started_at, 1, 19) AS started_at,
  o.session_id AS session_id,
  o.turn AS turn
FROM operations AS o
WHERE o.outcome = 'running'
ORDER BY o.id
"""

RECENT_FAILURES = """
CREATE VIEW recent_failures AS
/* One row for each operation that failed, or was done only in part, in the last 14 days, newest
   first; unresolved ones however old they are.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   outcome            failed, partial, or skipped for a take that a guard refused
   working_directory  where
   code               the kind of failure, in one word
   message            what was wrong, and what to do
   duration_ms        how long it took, in milliseconds
   session_id         for which conversation
   turn               in which turn of it
   unresolved         yes for a take that failed or was refused and after which none of that
                      directory has worked; of these status warns, more than 14 days later only
                      while the directory is there */
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
        AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
            checkpoints.id = later.checkpoint_id AND checkpoints.partial
            = 1)) AND later.workdir = operations.workdir AND later.id
        > operations.id))) THEN 'yes' ELSE 'no' END AS unresolved
FROM operations
WHERE operations.outcome IN ('failed', 'partial') AND operations.started_at
  >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(14 AS VARCHAR)
      || ' days') || '000') OR operations.kind = 'take' AND operations.outcome
  IN ('failed', 'skipped') AND operations.workdir IS NOT NULL AND NOT
  (EXISTS (SELECT later.id FROM operations AS later WHERE later.kind
      = 'take' AND later.outcome IN ('done', 'unchanged', 'partial')
      AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
          checkpoints.id = later.checkpoint_id AND checkpoints.partial
          = 1)) AND later.workdir = operations.workdir AND later.id
      > operations.id))
ORDER BY operations.id DESC
"""

CHANGED = {
    "retention_decisions": RETENTION_DECISIONS,
    "restore_list": RESTORE_LIST,
    "remote_list": REMOTE_LIST,
    "operation_list": OPERATION_LIST,
    "running_operations": RUNNING_OPERATIONS,
    "recent_failures": RECENT_FAILURES,
}


def upgrade() -> None:
    connection = op.get_bind()
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid"
    views = connection.exec_driver_sql(query).all()
    for name, _ in views:  # no table is made anew that a view names
        quoted = str(name).replace('"', '""')
        connection.exec_driver_sql(f'DROP VIEW "{quoted}"')
    make_anew(connection, "operations", more_kinds)
    make_anew(connection, "restores", lambda _: RESTORES.strip())
    op.execute(FETCHED_CHECKPOINTS.strip())
    op.execute("ALTER TABLE remote_checkpoints DROP COLUMN fetched_at")
    for name, sql in views:
        connection.exec_driver_sql(CHANGED.get(name, sql).strip())


def more_kinds(sql: str) -> str:
    """Return the SQL of the journal whose rows may tell of fetches, too."""
    new = re.sub(r'^CREATE TABLE "?operations"?', "CREATE TABLE new_operations", sql)
    return re.sub(r"(CHECK \(kind IN \([^)]*)\)", r"\1, 'fetch')", new)


def make_anew(connection: sa.Connection, table: str, changed: Callable[[str], str]) -> None:
    """Make a table anew, with its rows, its indexes, and the number that was given last."""
    query = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type = ? AND sql IS NOT NULL"
    old = str(connection.exec_driver_sql(query, (table, "table")).scalar())
    indexes = [str(row[0]) for row in connection.exec_driver_sql(query, (table, "index"))]
    columns = [f'"{row[1]}"' for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
    sequence = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).scalar()
    op.execute(changed(old))
    both = ", ".join(columns)
    op.execute(f"INSERT INTO new_{table} ({both}) SELECT {both} FROM {table}")  # noqa: S608
    connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (f"new_{table}",))
    connection.exec_driver_sql(
        "INSERT INTO sqlite_sequence VALUES (?, ?)", (f"new_{table}", sequence or 0)
    )
    op.drop_table(table)
    op.rename_table(f"new_{table}", table)
    for index in indexes:
        op.execute(index)


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

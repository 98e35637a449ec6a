"""Know remotes: what was sent to each, and what other machines have put there.

- Nothing of the rows that are there changes, but that the journal may tell of pushes now: SQLite
  changes no constraint of a table, so it is made anew with its at most 7,000 rows.
- A checkpoint without a row in ``pushes`` is unsent, so all that are there are.
- What was dropped before the next take, and says nothing of that, does not count in the sizes of
  the views.
- What is on a remote is in a table of its own, which no view of this base reads but the new one.
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

MOST = 2**63 - 1

MACHINES = """
CREATE TABLE machines (
  id VARCHAR(12) NOT NULL,
  name TEXT,
  first_seen DATETIME NOT NULL,
  last_seen DATETIME NOT NULL,
  CONSTRAINT pk_machines PRIMARY KEY (id),
  CONSTRAINT ck_machines_id CHECK (length(id) = 12)
)
"""

REMOTES = f"""
CREATE TABLE remotes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  url_hash VARCHAR(16) NOT NULL,
  url_shown TEXT NOT NULL,
  added_at DATETIME NOT NULL,
  last_success_at DATETIME,
  last_failure_at DATETIME,
  last_code VARCHAR(64),
  last_error TEXT,
  failures INTEGER DEFAULT 0 NOT NULL,
  pulled_at DATETIME,
  CONSTRAINT ck_remotes_failures CHECK (failures BETWEEN 0 AND {MOST}),
  CONSTRAINT ck_remotes_url_hash CHECK (length(url_hash) = 16),
  CONSTRAINT uq_remotes_url_hash UNIQUE (url_hash)
)
"""

PUSHES = """
CREATE TABLE pushes (
  remote_id INTEGER NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  at DATETIME NOT NULL,
  reason TEXT,
  machine_id VARCHAR(12) NOT NULL,
  project_hash VARCHAR(16) NOT NULL,
  ref_name TEXT,
  cursor_id VARCHAR(64),
  CONSTRAINT pk_pushes PRIMARY KEY (remote_id, commit_id),
  CONSTRAINT ck_pushes_state CHECK (state IN ('waiting', 'sent', 'refused', 'removed')),
  CONSTRAINT ck_pushes_ref_name CHECK (state NOT IN ('sent', 'removed') OR ref_name IS NOT NULL),
  CONSTRAINT fk_pushes_remote_id_remotes FOREIGN KEY(remote_id) REFERENCES remotes (id)
    ON DELETE CASCADE,
  CONSTRAINT fk_pushes_machine_id_machines FOREIGN KEY(machine_id) REFERENCES machines (id)
)
"""

REFUSED_PATHS = """
CREATE TABLE refused_paths (
  remote_id INTEGER NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  CONSTRAINT pk_refused_paths PRIMARY KEY (remote_id, commit_id, path),
  CONSTRAINT ck_refused_paths_commit_id CHECK (length(commit_id) IN (40, 64)),
  CONSTRAINT fk_refused_paths_remote_id_commit_id_pushes FOREIGN KEY(remote_id, commit_id)
    REFERENCES pushes (remote_id, commit_id) ON DELETE CASCADE
)
"""

REMOTE_CHECKPOINTS = f"""
CREATE TABLE remote_checkpoints (
  remote_id INTEGER NOT NULL,
  ref_name TEXT NOT NULL,
  machine_id VARCHAR(12) NOT NULL,
  project_hash VARCHAR(16) NOT NULL,
  repository TEXT,
  subdirectory TEXT,
  workdir TEXT NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  state_id VARCHAR(64) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  reason TEXT NOT NULL,
  session_id TEXT,
  turn INTEGER,
  created_at DATETIME NOT NULL,
  utc_offset_minutes INTEGER DEFAULT 0 NOT NULL,
  file_count INTEGER DEFAULT 0 NOT NULL,
  logical_bytes BIGINT DEFAULT 0 NOT NULL,
  partial BOOLEAN DEFAULT 0 NOT NULL,
  head VARCHAR(64),
  branch TEXT,
  fetched_at DATETIME,
  CONSTRAINT pk_remote_checkpoints PRIMARY KEY (remote_id, ref_name),
  CONSTRAINT ck_remote_checkpoints_kind CHECK (kind IN ('auto', 'manual', 'safety', 'imported')),
  CONSTRAINT ck_remote_checkpoints_file_count CHECK (file_count BETWEEN 0 AND {MOST}),
  CONSTRAINT ck_remote_checkpoints_logical_bytes CHECK (logical_bytes BETWEEN 0 AND {MOST}),
  CONSTRAINT ck_remote_checkpoints_turn CHECK (turn BETWEEN -{MOST} AND {MOST}),
  CONSTRAINT ck_remote_checkpoints_utc_offset_minutes
    CHECK (utc_offset_minutes BETWEEN -{MOST} AND {MOST}),
  CONSTRAINT ck_remote_checkpoints_partial CHECK (partial IN (0, 1)),
  CONSTRAINT fk_remote_checkpoints_remote_id_remotes FOREIGN KEY(remote_id) REFERENCES remotes (id)
    ON DELETE CASCADE,
  CONSTRAINT fk_remote_checkpoints_machine_id_machines FOREIGN KEY(machine_id)
    REFERENCES machines (id)
)
"""

TABLES = (MACHINES, REMOTES, PUSHES, REFUSED_PATHS, REMOTE_CHECKPOINTS)

INDEXES = (
    ("remote_checkpoints", "repository", "subdirectory", "created_at"),
    ("remote_checkpoints", "machine_id", "project_hash", "created_at"),
    ("remote_checkpoints", "commit_id"),
)

MORE_OPERATIONS = ("push", "pull", "remote-prune")

# --- views, as catalog/views makes them (written by tests/catalog/revisions/views.py) ---

PROJECT_STATUS = """
CREATE VIEW project_status AS
/* One row for each project, newest touch first. A project whose directory is gone and whose
   checkpoints are all pruned is left out, here and below.
   project             first 16 hex digits of the SHA-256 of the working directory
   working_directory   the absolute path of the directory, links resolved
   state               live; orphan: its parent is there and it is not; unreachable: it cannot be
                       told, as with an unmounted volume
   checked_at          when somebody last looked at the directory, on which state rests
   checkpoints         how many live checkpoints it has
   added_bytes         bytes that its live checkpoints added to the store, as measured when each
                       was taken
   held_bytes          bytes that its live checkpoints hold in the store now, each content once;
                       an estimate, corrected by the last repack as in du; what other projects
                       hold, too, is in each of them
   last_checkpoint_at  when the newest of them was taken
   last_touch          when an agent last worked here, with or without a new checkpoint
   created_at          when it was first seen
   missing_since       the first look that did not find it */
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
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes,
  substr((SELECT max(checkpoints.created_at) AS max_2 FROM checkpoints
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

STORE_TOTALS = """
CREATE VIEW store_totals AS
/* One row: sums over the whole store.
   projects              how many there are
   orphaned_projects     of these, how many whose directory is gone
   unreachable_projects  of these, how many of which that cannot be told
   checkpoints           how many live ones there are
   pinned                of these, how many are pinned
   arriving              checkpoints of earlier versions whose objects are not here yet
   pruned                the number of tombstones
   added_bytes           bytes that the live checkpoints added to the store, as measured when each
                         was taken
   held_bytes            bytes that the live checkpoints hold in the store now, what several
                         projects share counted once; an estimate, corrected by the last repack as
                         in du
   superseded_bytes      bytes of the contents that they replaced or deleted, as measured when
                         these came
   oldest_checkpoint_at  when the oldest live one was taken
   newest_checkpoint_at  when the newest live one was taken */
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
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live'), 0) + coalesce((SELECT
          sum(CASE WHEN (once.bytes > 0) THEN once.bytes ELSE (SELECT
              max(CAST(other.stored_bytes AS FLOAT) * CASE WHEN (other.checkpoint_id
                  <= (SELECT store_packing.through FROM store_packing))
                THEN (SELECT store_packing.ratio FROM store_packing)
                ELSE 1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoint_changes.new_blob
              IS NOT NULL UNION ALL SELECT spans.new_blob AS new_blob,
              spans.bytes AS bytes FROM (SELECT gone.until AS until,
                checkpoint_changes.path AS path, checkpoint_changes.new_blob
                AS new_blob, CAST(checkpoint_changes.stored_bytes AS
                  FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                  <= (SELECT store_packing.through FROM store_packing))
                THEN (SELECT store_packing.ratio FROM store_packing)
                ELSE 1.0 END AS bytes, lead(checkpoint_changes.checkpoint_id)
                OVER (PARTITION BY gone.project_id, checkpoint_changes.path
                  ORDER BY checkpoint_changes.checkpoint_id) AS next
                FROM checkpoint_changes JOIN (SELECT rows_there.id
                  AS id, rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned')) AS rows_there WHERE
                  rows_there.state IN ('pruning', 'pruned') AND (rows_there.passed
                    IS NULL OR rows_there.id <= rows_there.passed))
                AS gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes,
  (SELECT coalesce(sum(checkpoints.superseded_bytes), 0) AS coalesce_2
    FROM checkpoints
  WHERE checkpoints.state = 'live') AS superseded_bytes,
  substr((SELECT min(checkpoints.created_at) AS min_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS oldest_checkpoint_at,
  substr((SELECT max(checkpoints.created_at) AS max_2 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS newest_checkpoint_at
"""

STALE_PROJECTS = """
CREATE VIEW stale_projects AS
/* One row for each project without a touch for as many days as the setting retention_days says,
   stalest first; none where that is 0.
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   state              as in project_status
   last_touch         when an agent last worked here
   days_untouched     whole days since then
   retention_days     the setting in force
   checkpoints        how many live checkpoints it has
   added_bytes        bytes that its live checkpoints added to the store, as measured when each
                      was taken
   held_bytes         bytes that its live checkpoints hold in the store now, each content once; an
                      estimate, corrected by the last repack as in du; what other projects hold,
                      too, is in each of them */
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
  AS added_bytes,
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes
FROM projects JOIN retention_policy ON projects.last_touch <= retention_policy.stale_before
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
      FROM checkpoints AS remembered WHERE remembered.project_id =
      projects.id AND remembered.state = 'live'))
ORDER BY projects.last_touch
"""

ORPHANED_PROJECTS = """
CREATE VIEW orphaned_projects AS
/* One row for each project whose directory is gone, longest first. Unreachable ones are not among
   them.
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   missing_since      the first look that did not find it
   last_seen_at       the last look that found it
   checked_at         when somebody last looked
   checkpoints        how many live checkpoints it has
   added_bytes        bytes that its live checkpoints added to the store, as measured when each
                      was taken
   held_bytes         bytes that its live checkpoints hold in the store now, each content once; an
                      estimate, corrected by the last repack as in du; what other projects hold,
                      too, is in each of them */
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
  AS added_bytes,
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes
FROM projects
WHERE projects.state = 'orphan' AND (projects.state != 'orphan' OR
    (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
        remembered.project_id = projects.id AND remembered.state =
        'live')))
ORDER BY projects.missing_since
"""

RECENT_FAILURES = """
CREATE VIEW recent_failures AS
/* One row for each operation that failed, or was done only in part, in the last 14 days, newest
   first; unresolved ones however old they are.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull or remote-
                      prune
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

OPERATION_LIST = """
CREATE VIEW operation_list AS
/* One row for each row of the journal, newest first.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull or remote-
                      prune
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
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull or remote-
                      prune
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

PUSH_STATUS = """
CREATE VIEW push_status AS
/* One row for each remote and each project with live checkpoints, or of which the remote has
   some, by remote and directory: how far the remote has them. A checkpoint that the store has
   lost in part is not among the unsent ones.
   remote             its address, without what gives access
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   unsent             how many live checkpoints the next push would send
   waiting            of these, how many a push has tried that the remote did not take
   sent               how many the remote has confirmed and not removed, pruned ones too
   refused            how many live ones were not offered, as they hold what looks like a secret
                      (refused_paths)
   removed            how many live ones were sent and removed there since
   oldest_unsent_at   when the first unsent one was taken
   last_sent_at       when the remote last confirmed one */
SELECT remotes.url_shown AS remote,
  projects.hash AS project,
  projects.workdir AS working_directory,
  sum(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
      IS NULL AND pushes.state IS NULL OR checkpoints.state = 'live'
      AND checkpoints.lost_at IS NULL AND pushes.state = 'waiting')
    THEN 1 ELSE 0 END) AS unsent,
  sum(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
      IS NULL AND pushes.state = 'waiting') THEN 1 ELSE 0 END) AS waiting,
  sum(CASE WHEN (pushes.state = 'sent') THEN 1 ELSE 0 END) AS sent,
  sum(CASE WHEN (checkpoints.state = 'live' AND pushes.state = 'refused')
    THEN 1 ELSE 0 END) AS refused,
  sum(CASE WHEN (checkpoints.state = 'live' AND pushes.state = 'removed')
    THEN 1 ELSE 0 END) AS removed,
  substr(min(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
        IS NULL AND pushes.state IS NULL OR checkpoints.state = 'live'
        AND checkpoints.lost_at IS NULL AND pushes.state = 'waiting')
      THEN checkpoints.created_at END), 1, 19) AS oldest_unsent_at,
  substr(max(CASE WHEN (pushes.state = 'sent') THEN pushes.at END),
    1, 19) AS last_sent_at
FROM remotes JOIN checkpoints ON 1 = 1 JOIN projects ON projects.id
  = checkpoints.project_id LEFT OUTER JOIN pushes ON pushes.remote_id
  = remotes.id AND pushes.commit_id = checkpoints.commit_id
WHERE checkpoints.state = 'live' OR pushes.state = 'sent' GROUP BY
  remotes.id,
  projects.id
ORDER BY remotes.id,
  projects.workdir
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
    remote_checkpoints.fetched_at AS fetched_at, CASE WHEN (EXISTS
      (SELECT checkpoints.id FROM checkpoints WHERE checkpoints.commit_id
        = remote_checkpoints.commit_id AND checkpoints.state = 'live'))
    THEN 1 ELSE 0 END AS here
  FROM remote_checkpoints) AS listed JOIN remotes ON remotes.id = listed.remote_id
  JOIN machines ON machines.id = listed.machine_id GROUP BY remotes.id,
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

CHANGED = {
    "orphaned_projects": ORPHANED_PROJECTS,
    "stale_projects": STALE_PROJECTS,
    "store_totals": STORE_TOTALS,
    "project_status": PROJECT_STATUS,
    "recent_failures": RECENT_FAILURES,
    "operation_list": OPERATION_LIST,
    "running_operations": RUNNING_OPERATIONS,
}
NEW = (PUSH_STATUS, REMOTE_LIST)


def upgrade() -> None:
    connection = op.get_bind()
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid"
    views = connection.exec_driver_sql(query).all()
    for name, _ in views:  # no table is made anew that a view names
        quoted = str(name).replace('"', '""')
        connection.exec_driver_sql(f'DROP VIEW "{quoted}"')
    allow(connection, "operations", "kind", MORE_OPERATIONS)
    for sql in TABLES:
        op.execute(sql.strip())
    for name, *columns in INDEXES:
        op.create_index(f"ix_{name}_{'_'.join(columns)}", name, columns)
    op.create_index(
        "ix_remote_checkpoints_session_id",
        "remote_checkpoints",
        ["session_id"],
        sqlite_where=sa.text("session_id IS NOT NULL"),
    )
    for name, sql in views:
        connection.exec_driver_sql(CHANGED.get(name, sql).strip())
    for sql in NEW:
        op.execute(sql.strip())


def allow(connection: sa.Connection, table: str, column: str, values: tuple[str, ...]) -> None:
    """Make a table anew whose column may have more values."""
    query = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type = ? AND sql IS NOT NULL"
    old = str(connection.exec_driver_sql(query, (table, "table")).scalar())
    indexes = [str(row[0]) for row in connection.exec_driver_sql(query, (table, "index"))]
    sequence = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).scalar()
    listed = re.compile(rf"(CHECK \({column} IN \([^)]*)\)")
    more = "".join(f", '{value}'" for value in values)
    body = listed.sub(lambda found: f"{found[1]}{more})", old)
    new = re.sub(rf'^CREATE TABLE "?{table}"?', f"CREATE TABLE new_{table}", body)
    op.execute(new)
    op.execute(f"INSERT INTO new_{table} SELECT * FROM {table}")  # noqa: S608
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

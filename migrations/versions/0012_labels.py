"""Give a checkpoint any number of labels, each once in a project, and let contents be forgotten.

Until here a label was a column of the checkpoint, and two of a project could have the same. The
newest keeps it, since that is the one that was found by it; an older one has it with a number
behind it, so that it is still not pruned.

A checkpoint from which a content was forgotten names the reason for its path, and the tombstone of
the one that held it names which took its place.
"""

from __future__ import annotations

import itertools
import re

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

NOT_IN_SQL = "also gives the labels that checkpoints had."

LABELS = """
CREATE TABLE labels (
  project_id INTEGER NOT NULL,
  label TEXT NOT NULL,
  checkpoint_id INTEGER NOT NULL,
  CONSTRAINT pk_labels PRIMARY KEY (project_id, label),
  CONSTRAINT fk_labels_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_labels_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id)
    REFERENCES checkpoints (id)
)
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
    19 THEN 'its project has more than ' || CAST((SELECT retention_policy.max_snapshots
        FROM retention_policy) AS VARCHAR) || ' (max_snapshots)' WHEN
    20 THEN 'it is within all limits' END AS reason,
    judged.by_hand AS by_hand, judged.freed_bytes AS freed_bytes
  FROM (SELECT placed.id AS id, placed.project_id AS project_id, placed.commit_id
      AS commit_id, placed.created_at AS created_at, placed.labels
      AS labels, placed.by_hand AS by_hand, placed.freed_bytes AS freed_bytes,
      projects.last_touch AS last_touch, projects.missing_since AS
      missing_since, CASE WHEN (placed.id IN (SELECT unfinished.id
          FROM unfinished)) THEN 0 WHEN placed.marked THEN 1 WHEN (placed.pinned
        = 1 AND (SELECT retention_policy.include_pinned FROM retention_policy)
        = 0) THEN 2 WHEN (placed.labels IS NOT NULL AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 3 WHEN (projects.state =
        'unreachable') THEN 4 WHEN (projects.state = 'orphan' AND (SELECT
          retention_policy.delete_orphans FROM retention_policy) AND
        ((SELECT retention_policy.orphan_before FROM retention_policy)
          IS NULL OR coalesce(projects.missing_since, (SELECT retention_policy.now
              FROM retention_policy)) <= (SELECT retention_policy.orphan_before
            FROM retention_policy))) THEN 5 WHEN (placed.rank = 1 AND
        projects.state = 'orphan' AND (SELECT retention_policy.delete_orphans
          FROM retention_policy) = 0) THEN 6 WHEN (placed.rank = 1
        AND projects.state = 'orphan') THEN 7 WHEN (placed.rank = 1)
      THEN 8 WHEN placed.undoes THEN 9 WHEN (placed.safety = 0 AND
        placed.rank <= (SELECT retention_policy.keep_last FROM retention_policy))
      THEN 10 WHEN (placed.safety = 0 AND placed.created_at >= (SELECT
          retention_policy.within_since FROM retention_policy)) THEN
      11 WHEN (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 13), local_times."offset" LIMIT CASE WHEN ((SELECT
                retention_policy.keep_hourly FROM retention_policy)
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
      THEN 18 WHEN (placed.safety = 0 AND (SELECT retention_policy.max_snapshots
          FROM retention_policy) > 0 AND placed.place > (SELECT retention_policy.max_snapshots
          FROM retention_policy)) THEN 19 WHEN 1 THEN 20 END AS number
      FROM (SELECT ranked.id AS id, ranked.project_id AS project_id,
        ranked.commit_id AS commit_id, ranked.created_at AS created_at,
        ranked.pinned AS pinned, ranked.labels AS labels, ranked.marked
        AS marked, ranked.safety AS safety, ranked.by_hand AS by_hand,
        ranked.undoes AS undoes, ranked.rank AS rank, ranked.freed_bytes
        AS freed_bytes, row_number() OVER (PARTITION BY ranked.project_id,
          ranked.safety, (ranked.pinned = 1 OR ranked.labels IS NOT
            NULL) AND (SELECT retention_policy.include_pinned FROM
            retention_policy) = 0 AND ranked.rank > 1 ORDER BY ranked.rank
          = 1 DESC, ranked.undoes DESC, (ranked.pinned = 1 OR ranked.labels
            IS NOT NULL) DESC, ranked.by_hand DESC, ranked.id DESC)
        AS place FROM (SELECT checkpoints.id AS id, checkpoints.project_id
          AS project_id, checkpoints.commit_id AS commit_id, checkpoints.created_at
          AS created_at, checkpoints.pinned AS pinned, (SELECT group_concat(labels.label,
              ', ') AS group_concat_1 FROM labels WHERE labels.checkpoint_id
            = checkpoints.id) AS labels, 0 AS marked, checkpoints.kind
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

MADE_ANEW = {"checkpoint_list": CHECKPOINT_LIST, "retention_decisions": RETENTION_DECISIONS}

MOST = 2**63 - 1

MORE = {"skipped_paths": ("reason", "forgotten"), "operations": ("kind", "forget")}
"""The columns that may have one more value."""

GIVEN = "SELECT project_id, label, id FROM checkpoints WHERE label IS NOT NULL ORDER BY id DESC"


def upgrade() -> None:
    connection = op.get_bind()
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
    views = {str(name): str(sql) for name, sql in connection.exec_driver_sql(query)}
    for view in views:  # no column goes that a view names
        op.execute(f"DROP VIEW {view}")
    op.execute(LABELS.strip())
    op.execute("CREATE INDEX ix_labels_checkpoint_id_label ON labels (checkpoint_id, label)")
    give_labels(connection)
    op.execute("ALTER TABLE checkpoints DROP COLUMN label")
    op.execute(
        "ALTER TABLE checkpoints ADD COLUMN replaced_by INTEGER"
        f" CONSTRAINT ck_checkpoints_replaced_by CHECK (replaced_by BETWEEN {-MOST} AND {MOST})"
    )
    for table, (column, value) in MORE.items():
        allow(connection, table, column, value)
    for view, sql in views.items():
        op.execute(MADE_ANEW.get(view, sql).strip())


def allow(connection: sa.Connection, table: str, column: str, value: str) -> None:
    """Make a table anew whose column may have one more value."""
    query = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type = ? AND sql IS NOT NULL"
    old = str(connection.exec_driver_sql(query, (table, "table")).scalar())
    indexes = [str(row[0]) for row in connection.exec_driver_sql(query, (table, "index"))]
    sequence = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).scalar()
    listed = re.compile(rf"(CHECK \({column} IN \([^)]*)\)")
    body = listed.sub(lambda found: f"{found[1]}, '{value}')", old)
    new = re.sub(rf'^CREATE TABLE "?{table}"?', f"CREATE TABLE new_{table}", body)
    op.execute(new)
    op.execute(f"INSERT INTO new_{table} SELECT * FROM {table}")  # noqa: S608
    if "AUTOINCREMENT" in old:  # ids that were given are not given anew
        connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (f"new_{table}",))
        connection.exec_driver_sql(
            "INSERT INTO sqlite_sequence VALUES (?, ?)", (f"new_{table}", sequence or 0)
        )
    op.drop_table(table)
    op.rename_table(f"new_{table}", table)
    for index in indexes:
        op.execute(index)


def give_labels(connection: sa.Connection) -> None:
    """Write the labels that checkpoints have, newest first."""
    given = connection.exec_driver_sql(GIVEN).all()
    taken = {(project, label) for project, label, _ in given}
    newest: set[tuple[int, str]] = set()
    for project, label, checkpoint in given:
        name = label
        if (project, label) in newest:
            numbered = (f"{label}-{number}" for number in itertools.count(2))
            name = next(one for one in numbered if (project, one) not in taken)
            taken.add((project, name))
        newest.add((project, label))
        connection.exec_driver_sql(
            "INSERT INTO labels (project_id, label, checkpoint_id) VALUES (?, ?, ?)",
            (project, name, checkpoint),
        )


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

"""The views of what happened: to each path, in each session, and in each restore.

They are written as SQL. Those of restores and of the journal show rows as they are; what happened
to a path are the events that ``who`` tells, and where there is none, what a checkpoint recorded.
"""

from __future__ import annotations

FILE_HISTORY = """
SELECT found.working_directory AS working_directory, found.path AS path,
  substr(found.at, 1, 19) AS changed_at, found.change AS change, found.changed_by AS changed_by,
  found.session_id AS session_id, found.turn AS turn, found.tool AS tool, found.reason AS reason,
  substr(found.good_id, 1, 8) AS last_good, substr(found.good_at, 1, 19) AS last_good_taken_at,
  found.project AS project
FROM (
SELECT p.workdir AS working_directory, e.path AS path, e.at AS at, e.id AS place,
  CASE e.status WHEN 'A' THEN 'created' WHEN 'D' THEN 'deleted' WHEN 'T' THEN 'replaced'
  ELSE CASE WHEN e.blob IS NULL OR (e.blob = e.old_blob AND e.mode <> e.old_mode)
  THEN 'permissions changed' ELSE 'changed' END END AS change,
  e.actor AS changed_by, e.session_id AS session_id, e.turn AS turn, e.tool AS tool,
  e.reason AS reason, good.commit_id AS good_id, good.created_at AS good_at, p.hash AS project
FROM projects AS p CROSS JOIN path_events AS e ON e.project_id = p.id
LEFT JOIN checkpoints AS good ON good.id = (SELECT max(c.id) FROM checkpoints AS c
  WHERE c.state = 'live' AND c.project_id = e.project_id AND c.id <= e.checkpoint_id
    AND NOT c.partial)
  AND NOT EXISTS (SELECT 1 FROM path_events AS f WHERE f.project_id = e.project_id
    AND f.path = e.path AND f.checkpoint_id BETWEEN good.id AND e.checkpoint_id AND f.id < e.id)
WHERE e.path <> '.'
UNION ALL
SELECT p.workdir, x.path, k.created_at, 0,
  CASE x.status WHEN 'A' THEN 'created' WHEN 'D' THEN 'deleted' WHEN 'T' THEN 'replaced'
  ELSE CASE WHEN x.new_blob IS NULL OR (x.new_blob = x.old_blob AND x.new_mode <> x.old_mode)
  THEN 'permissions changed' ELSE 'changed' END END,
  'unrecorded', NULL, NULL, NULL,
  CASE WHEN k.previous_id IS NULL THEN 'it was captured for the first time' END,
  good.commit_id, good.created_at, p.hash
FROM checkpoint_changes AS x CROSS JOIN checkpoints AS k ON k.id = x.checkpoint_id
CROSS JOIN projects AS p ON p.id = k.project_id
LEFT JOIN checkpoints AS good ON good.id = (SELECT max(c.id) FROM checkpoints AS c
  WHERE c.state = 'live' AND c.project_id = k.project_id AND c.id < k.id AND NOT c.partial)
  AND NOT EXISTS (SELECT 1 FROM checkpoint_changes AS y CROSS JOIN checkpoints AS d
    ON d.id = y.checkpoint_id WHERE y.path = x.path AND y.checkpoint_id > good.id
    AND y.checkpoint_id < k.id AND d.project_id = k.project_id)
WHERE k.state <> 'arriving'
  AND EXISTS (SELECT 1 FROM checkpoints AS c WHERE c.state = 'live'
    AND c.project_id = k.project_id AND c.id <= k.id)
  AND NOT EXISTS (SELECT 1 FROM path_events AS e WHERE e.project_id = k.project_id
    AND e.path = x.path AND e.checkpoint_id < k.id AND e.checkpoint_id >= coalesce(
      (SELECT max(c.id) FROM checkpoints AS c WHERE c.state = 'live'
       AND c.project_id = k.project_id AND c.id < k.id), e.checkpoint_id))
) AS found
ORDER BY found.at DESC, found.place DESC
"""
"""A change that no event tells is unrecorded. Rows of changes that are older than all live
checkpoints are not listed: a prune has moved them together (``catalog/shrinking.py``). The joins
are in the order of the indexes that find one path. Several changes may be of one second, so they
are put in order before the moments are cut."""

SESSION_ACTIVITY = """
SELECT s.session_id AS session_id, p.workdir AS working_directory,
  count(DISTINCT s.turn) AS turns, substr(min(s.first_at), 1, 19) AS first_seen_at,
  substr(max(s.last_at), 1, 19) AS last_seen_at, sum(s.checkpoints) AS checkpoints,
  count(DISTINCT s.path) AS files_changed, sum(s.to_people) AS files_left_to_people,
  group_concat(DISTINCT s.tool) AS tools, p.hash AS project
FROM (
  SELECT t.project_id, t.session_id, t.turn, t.started_at AS first_at,
    coalesce(t.ended_at, t.started_at) AS last_at, 0 AS checkpoints, NULL AS path,
    0 AS to_people, NULL AS tool
  FROM turns AS t WHERE t.session_id IS NOT NULL
  UNION ALL
  SELECT c.project_id, c.session_id, c.turn, c.created_at, c.created_at, 1, NULL, 0, NULL
  FROM checkpoints AS c WHERE c.session_id IS NOT NULL AND c.state = 'live'
  UNION ALL
  SELECT e.project_id, e.session_id, e.turn, e.at, e.at, 0, e.path, 0, e.tool
  FROM path_events AS e
  WHERE e.session_id IS NOT NULL AND e.actor = 'agent' AND e.path <> '.'
  UNION ALL
  SELECT own.project_id, own.session_id, NULL, NULL, NULL, 0, NULL, 1, NULL
  FROM (SELECT project_id, session_id, path, max(id) AS last_id FROM path_events
    WHERE session_id IS NOT NULL AND actor = 'agent' AND path <> '.'
    GROUP BY project_id, session_id, path) AS own
  JOIN (SELECT project_id, path, max(id) AS last_id FROM path_events
    WHERE actor NOT IN ('agent', 'restore') GROUP BY project_id, path) AS theirs
  ON theirs.project_id = own.project_id AND theirs.path = own.path
    AND theirs.last_id > own.last_id
) AS s JOIN projects AS p ON p.id = s.project_id
GROUP BY s.project_id, s.session_id, p.workdir, p.hash
ORDER BY max(s.last_at) DESC, s.session_id
"""

SESSION_LIST = """
SELECT s.session_id AS session_id, s.status AS status, s.task AS task,
  substr(s.updated_at, 1, 19) AS updated_at, substr(s.created_at, 1, 19) AS created_at,
  s.size_bytes AS size_bytes, s.version AS version,
  (SELECT count(*) FROM session_checkpoint_versions AS v
   WHERE v.session_id = s.session_id) AS previous_versions,
  (SELECT count(*) FROM checkpoints AS c
   WHERE c.session_id = s.session_id AND c.state = 'live') AS checkpoints,
  (SELECT count(*) FROM (SELECT c.turn FROM checkpoints AS c
     WHERE c.session_id = s.session_id AND c.state = 'live' AND c.turn IS NOT NULL
     UNION SELECT t.turn FROM turns AS t
     WHERE t.session_id = s.session_id AND t.turn IS NOT NULL) AS both_of_them) AS turns
FROM session_checkpoints AS s
ORDER BY s.updated_at DESC, s.session_id
"""

RESTORE_LIST = """
SELECT p.workdir AS working_directory, r.role AS role, r.state AS state, r.mode AS mode,
  CASE WHEN r.whole THEN 'yes' ELSE 'no' END AS whole,
  substr(coalesce(t.commit_id, r.target_commit), 1, 8) AS target,
  substr(s.commit_id, 1, 8) AS safety,
  substr(r.started_at, 1, 19) AS started_at, substr(r.finished_at, 1, 19) AS finished_at,
  (SELECT count(*) FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.action <> 'keep') AS planned,
  (SELECT count(*) FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.action <> 'keep' AND x.outcome = 'done') AS written,
  (SELECT count(*) FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.action = 'keep') AS kept,
  (SELECT count(*) FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.outcome = 'failed') AS failed,
  (SELECT count(*) FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.outcome = 'planned' AND x.action <> 'keep') AS not_done,
  (SELECT x.error FROM restore_paths AS x
   WHERE x.restore_id = r.id AND x.outcome = 'failed'
   ORDER BY x.position LIMIT 1) AS first_error,
  CASE WHEN r.undone_by IS NULL THEN 'no' ELSE 'yes' END AS undone,
  r.undone_by AS undone_by, r.undo_of AS undo_of, r.id AS restore_id
FROM restores AS r JOIN projects AS p ON p.id = r.project_id
LEFT JOIN checkpoints AS t ON t.id = r.target_id JOIN checkpoints AS s ON s.id = r.safety_id
ORDER BY r.id DESC
"""

LEGACY_LIST = """
SELECT l.path AS path, l.layout AS layout, l.workdir AS working_directory, l.state AS state,
  CASE WHEN l.imported_at IS NULL THEN 'no' WHEN l.error IS NULL THEN 'yes'
  ELSE 'in part' END AS imported, l.imported_checkpoints AS checkpoints,
  l.size_bytes AS size_bytes, l.error AS error, substr(l.found_at, 1, 19) AS found_at,
  substr(l.imported_at, 1, 19) AS imported_at
FROM legacy_archives AS l
ORDER BY l.state = 'cleared', l.path
"""

RESTORE_PATH_LIST = """
SELECT x.restore_id AS restore_id, x.path AS path, x.action AS action, x.reason AS reason,
  x.outcome AS outcome, x.error AS error, x.blob AS blob, x.mode AS mode
FROM restore_paths AS x
ORDER BY x.restore_id DESC, x.position
"""

OPERATION_LIST = """
SELECT substr(o.started_at, 1, 19) AS started_at, o.kind AS operation, o.outcome AS outcome,
  o.workdir AS working_directory, substr(c.commit_id, 1, 8) AS checkpoint,
  o.duration_ms AS duration_ms, o.session_id AS session_id, o.turn AS turn, o.code AS code,
  o.message AS message
FROM operations AS o LEFT JOIN checkpoints AS c ON c.id = o.checkpoint_id
ORDER BY o.id DESC
"""

RUNNING_OPERATIONS = """
SELECT o.kind AS operation, o.workdir AS working_directory, o.pid AS pid,
  substr(o.started_at, 1, 19) AS started_at, o.session_id AS session_id, o.turn AS turn
FROM operations AS o
WHERE o.outcome = 'running'
ORDER BY o.id
"""

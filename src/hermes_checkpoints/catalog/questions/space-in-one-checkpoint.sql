-- Which are the largest contents that only one checkpoint holds?
-- :limit how many (20)
-- A drop of that checkpoint gives their space back.
WITH left_behind AS MATERIALIZED (
  SELECT k.id FROM checkpoints AS k WHERE k.state IN ('pruning', 'pruned') AND EXISTS (
    SELECT 1 FROM checkpoints AS n
    WHERE n.project_id = k.project_id AND n.id > k.id AND n.previous_id < k.id)
), spans AS (
  SELECT c.project_id, x.path, x.new_blob AS blob, x.new_bytes AS bytes, x.stored_bytes,
    x.checkpoint_id AS first_id,
    lead(x.checkpoint_id, 1, 9223372036854775807)
      OVER (PARTITION BY c.project_id, x.path ORDER BY x.checkpoint_id) - 1 AS last_id
  FROM checkpoint_changes AS x JOIN checkpoints AS c ON c.id = x.checkpoint_id
  WHERE NOT c.partial AND NOT (x.status = 'M' AND x.new_blob IS NULL)
    AND c.id NOT IN (SELECT id FROM left_behind)
), held AS (
  SELECT s.blob, s.path, s.bytes, s.stored_bytes,
    (SELECT min(c.id) FROM checkpoints AS c WHERE c.state = 'live' AND NOT c.partial
      AND c.project_id = s.project_id AND c.id >= s.first_id) AS first_id,
    (SELECT max(c.id) FROM checkpoints AS c WHERE c.state = 'live' AND NOT c.partial
      AND c.project_id = s.project_id AND c.id <= s.last_id) AS last_id
  FROM spans AS s
  WHERE s.blob IS NOT NULL
  UNION ALL
  SELECT x.new_blob, x.path, x.new_bytes, x.stored_bytes, c.id, c.id
  FROM checkpoint_changes AS x JOIN checkpoints AS c ON c.id = x.checkpoint_id
  WHERE c.state = 'live' AND c.partial AND x.new_blob IS NOT NULL
), alone AS (
  SELECT min(first_id) AS checkpoint_id, min(path) AS path, max(bytes) AS bytes,
    max(stored_bytes) AS stored_bytes
  FROM held
  WHERE first_id <= last_id
  GROUP BY blob
  HAVING min(first_id) = max(last_id)
  ORDER BY stored_bytes DESC, bytes DESC, path
  LIMIT coalesce(nullif(:limit, ''), 20)
)
SELECT l.working_directory, l.checkpoint, l.taken_at, a.path, a.bytes, a.stored_bytes
FROM alone AS a
JOIN checkpoints AS c ON c.id = a.checkpoint_id
JOIN checkpoint_list AS l ON l.commit_id = c.commit_id
ORDER BY a.stored_bytes DESC, a.bytes DESC, a.path;

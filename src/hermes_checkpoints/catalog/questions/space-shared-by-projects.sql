-- Which contents do several projects hold?
-- :limit how many (20)
-- The store has each of them once.
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
  SELECT s.blob, s.path, s.bytes, s.project_id FROM spans AS s
  WHERE s.blob IS NOT NULL AND EXISTS (
    SELECT 1 FROM checkpoints AS c WHERE c.state = 'live' AND NOT c.partial
      AND c.project_id = s.project_id AND c.id BETWEEN s.first_id AND s.last_id)
  UNION ALL
  SELECT x.new_blob, x.path, x.new_bytes, c.project_id
  FROM checkpoint_changes AS x JOIN checkpoints AS c ON c.id = x.checkpoint_id
  WHERE c.state = 'live' AND c.partial AND x.new_blob IS NOT NULL
)
SELECT h.blob, max(h.bytes) AS bytes, count(DISTINCT h.project_id) AS projects,
  group_concat(DISTINCT p.workdir || '/' || h.path) AS files
FROM held AS h JOIN projects AS p ON p.id = h.project_id
GROUP BY h.blob
HAVING count(DISTINCT h.project_id) > 1
ORDER BY bytes DESC, h.blob
LIMIT coalesce(nullif(:limit, ''), 20);

-- Which checkpoints hold a file?
-- :path the file, from its working directory, with `/`
-- What was dropped before the next take says nothing of later checkpoints: it is `left_behind`.
WITH left_behind AS MATERIALIZED (
  SELECT k.id FROM checkpoints AS k WHERE k.state IN ('pruning', 'pruned') AND EXISTS (
    SELECT 1 FROM checkpoints AS n
    WHERE n.project_id = k.project_id AND n.id > k.id AND n.previous_id < k.id)
)
SELECT l.working_directory, l.number, l.checkpoint, l.taken_at, l.labels, l.reason
FROM checkpoint_list AS l JOIN checkpoints AS c ON c.commit_id = l.commit_id
WHERE (
  SELECT x.status FROM checkpoint_changes AS x JOIN checkpoints AS k ON k.id = x.checkpoint_id
  WHERE x.path = :path AND k.project_id = c.project_id AND k.id <= c.id
    AND CASE WHEN c.partial THEN k.id = c.id ELSE NOT k.partial END
    AND k.id NOT IN (SELECT id FROM left_behind)
  ORDER BY k.id DESC LIMIT 1
) <> 'D'
ORDER BY l.working_directory, c.id DESC;

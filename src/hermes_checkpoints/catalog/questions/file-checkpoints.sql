-- Which checkpoints hold a file?
-- :path the file, from its working directory, with `/`
SELECT l.working_directory, l.number, l.checkpoint, l.taken_at, l.labels, l.reason
FROM checkpoint_list AS l JOIN checkpoints AS c ON c.commit_id = l.commit_id
WHERE (
  SELECT x.status FROM checkpoint_changes AS x JOIN checkpoints AS k ON k.id = x.checkpoint_id
  WHERE x.path = :path AND k.project_id = c.project_id AND k.id <= c.id
    AND CASE WHEN c.partial THEN k.id = c.id ELSE NOT k.partial END
  ORDER BY k.id DESC LIMIT 1
) <> 'D'
ORDER BY l.working_directory, c.id DESC;

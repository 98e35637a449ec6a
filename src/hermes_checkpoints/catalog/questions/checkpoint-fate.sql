-- What became of a checkpoint?
-- :checkpoint its id, or the beginning of it
SELECT p.workdir AS working_directory, c.commit_id, c.state,
  substr(c.created_at, 1, 19) AS taken_at, substr(c.pruned_at, 1, 19) AS pruned_at,
  c.prune_reason AS because, substr(c.lost_at, 1, 19) AS lost_at, substr(n.commit_id, 1, 8) AS replaced_by
FROM checkpoints AS c
JOIN projects AS p ON p.id = c.project_id
LEFT JOIN checkpoints AS n ON n.id = c.replaced_by
WHERE :checkpoint <> '' AND substr(c.commit_id, 1, length(:checkpoint)) = lower(:checkpoint)
ORDER BY c.id DESC;

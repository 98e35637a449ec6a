-- How often has each rule dropped checkpoints, and when last?
SELECT coalesce(prune_reason, 'not recorded') AS because, count(*) AS checkpoints,
  count(DISTINCT project_id) AS projects, substr(max(pruned_at), 1, 19) AS last_at
FROM checkpoints
WHERE state = 'pruned' AND lost_at IS NULL
GROUP BY because
ORDER BY checkpoints DESC, because;

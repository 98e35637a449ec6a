-- What do the newest checkpoints not hold, and for which reason?
SELECT s.reason, count(*) AS paths, count(DISTINCT c.project_id) AS projects, sum(s.bytes) AS bytes,
  min(p.workdir || '/' || s.path) AS example
FROM checkpoints AS c
JOIN skipped_paths AS s ON s.checkpoint_id = c.id
JOIN projects AS p ON p.id = c.project_id
WHERE c.id IN (SELECT max(id) FROM checkpoints WHERE state = 'live' GROUP BY project_id)
GROUP BY s.reason
ORDER BY paths DESC, s.reason;

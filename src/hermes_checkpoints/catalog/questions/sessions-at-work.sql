-- Which agents are at work, since when, and at which checkpoint did they begin?
SELECT p.workdir AS working_directory, t.session_id, t.turn, substr(t.started_at, 1, 19) AS since,
  substr(c.commit_id, 1, 8) AS began_at, t.owner
FROM turns AS t
JOIN projects AS p ON p.id = t.project_id
LEFT JOIN checkpoints AS c ON c.id = t.start_checkpoint_id
WHERE t.ended_at IS NULL AND t.actor = 'agent'
ORDER BY t.id;

-- Which sessions changed most?
-- :limit how many (20)
SELECT session_id, count(*) AS projects, sum(turns) AS turns, sum(checkpoints) AS checkpoints,
  sum(files_changed) AS files_changed, max(last_seen_at) AS last_seen_at
FROM session_activity
GROUP BY session_id
ORDER BY files_changed DESC, checkpoints DESC, session_id
LIMIT coalesce(nullif(:limit, ''), 20);

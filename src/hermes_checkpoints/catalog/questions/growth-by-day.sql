-- By how much has the store grown, day by day?
-- :days how many days back (14)
-- Days are those of UTC. What takes added when they were made; prunes give space back.
SELECT date(substr(created_at, 1, 19)) AS day, count(*) AS checkpoints,
  count(DISTINCT project_id) AS projects, sum(added_bytes) AS added_bytes,
  sum(files_changed) AS files_changed
FROM checkpoints
WHERE state <> 'arriving'
  AND created_at >= datetime('now', '-' || coalesce(nullif(:days, ''), 14) || ' days')
GROUP BY day
ORDER BY day DESC;

-- By how much has the store grown, week by week?
-- :weeks how many weeks back (12)
-- A week is the year and its number in that year, from Monday on, in UTC.
-- What takes added when they were made; prunes give space back.
SELECT strftime('%Y-%W', substr(created_at, 1, 19)) AS week, count(*) AS checkpoints,
  count(DISTINCT project_id) AS projects, sum(added_bytes) AS added_bytes,
  sum(files_changed) AS files_changed
FROM checkpoints
WHERE state <> 'arriving'
  AND created_at >= datetime('now', '-' || min(7 * coalesce(nullif(:weeks, ''), 12), 999999) || ' days')
GROUP BY week
ORDER BY week DESC;

-- Of which changes is it not known who made them, and why?
-- :days how many days back (30)
-- A restore that keeps edits leaves such files as they are.
SELECT p.workdir AS working_directory, coalesce(e.reason, 'not recorded') AS because,
  count(*) AS changes, count(DISTINCT e.path) AS files, substr(max(e.at), 1, 19) AS last_at
FROM path_events AS e JOIN projects AS p ON p.id = e.project_id
WHERE e.actor = 'unknown' AND e.path <> '.'
  AND e.at >= datetime('now', '-' || coalesce(nullif(:days, ''), 30) || ' days')
GROUP BY p.id, because
ORDER BY changes DESC, p.workdir, because;

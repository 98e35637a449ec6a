-- What did a session change?
-- :session the id of the session
SELECT p.workdir AS working_directory, e.path, count(*) AS changes,
  substr(min(e.at), 1, 19) AS first_at, substr(max(e.at), 1, 19) AS last_at,
  group_concat(DISTINCT e.tool) AS tools
FROM path_events AS e JOIN projects AS p ON p.id = e.project_id
WHERE e.actor = 'agent' AND e.path <> '.' AND e.session_id = :session
GROUP BY p.id, e.path
ORDER BY p.workdir, e.path;

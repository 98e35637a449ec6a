-- Which projects have had no successful take for days?
-- :days for so many days (7)
SELECT s.working_directory, s.state, h.last_success_at,
  CAST(julianday('now') - julianday(h.last_success_at) AS INTEGER) AS days,
  h.failures_since_success, h.refusals_since_success
FROM project_status AS s
LEFT JOIN take_health AS h ON h.working_directory = s.working_directory
WHERE h.last_success_at IS NULL
  OR h.last_success_at < datetime('now', '-' || coalesce(nullif(:days, ''), 7) || ' days')
ORDER BY h.last_success_at, s.working_directory;

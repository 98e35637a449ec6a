-- Which projects have had no successful take for days?
-- :days for so many days (7)
-- Projects that were never taken, though it was tried, come first.
SELECT h.working_directory, s.state, h.last_success_at,
  CAST(julianday('now') - julianday(h.last_success_at) AS INTEGER) AS days,
  h.failures_since_success, h.refusals_since_success
FROM take_health AS h
LEFT JOIN project_status AS s ON s.working_directory = h.working_directory
WHERE (h.last_success_at IS NULL
    OR h.last_success_at < datetime('now', '-' || coalesce(nullif(:days, ''), 7) || ' days'))
  AND (s.working_directory IS NOT NULL OR h.failures_since_success + h.refusals_since_success > 0)
ORDER BY h.last_success_at, h.working_directory;

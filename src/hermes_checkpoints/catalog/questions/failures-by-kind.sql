-- What failed, how often, and for how many projects?
-- :days how many days back (30)
SELECT kind AS operation, outcome, coalesce(code, '') AS code, count(*) AS times,
  count(DISTINCT workdir) AS projects, substr(max(started_at), 1, 19) AS last_at,
  max(message) AS example
FROM operations
WHERE outcome IN ('failed', 'partial', 'skipped')
  AND started_at >= datetime('now', '-' || coalesce(nullif(:days, ''), 30) || ' days')
GROUP BY kind, outcome, code
ORDER BY times DESC, operation, code;

-- In which projects do takes fail, since when, and why?
SELECT working_directory, min(started_at) AS since, count(*) AS times,
  max(started_at) AS last_at, code, message
FROM recent_failures
WHERE operation = 'take' AND unresolved = 'yes'
GROUP BY working_directory
ORDER BY last_at DESC, working_directory;

-- What would the next prune drop, and why?
SELECT working_directory, checkpoint, taken_at, rule, reason, bytes
FROM retention_decisions
WHERE decision = 'drop'
ORDER BY working_directory, taken_at;

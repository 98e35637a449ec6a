-- Where do takes last longest?
SELECT working_directory, takes_in_7_days, median_ms, p95_ms, last_success_at
FROM take_health
WHERE takes_in_7_days > 0
ORDER BY p95_ms DESC, working_directory;

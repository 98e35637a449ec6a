-- What would go to make room, beside what a prune drops anyway?
-- :mb how many megabytes to free (100)
SELECT place, working_directory, checkpoint, taken_at, bytes, running_bytes
FROM size_cap_candidates
WHERE running_bytes - bytes < coalesce(nullif(:mb, ''), 100) * 1024 * 1024
ORDER BY place;

-- Which projects are orphans, since when, and what do they take?
SELECT working_directory, missing_since, last_seen_at, checkpoints, held_bytes
FROM orphaned_projects
ORDER BY held_bytes DESC, working_directory;

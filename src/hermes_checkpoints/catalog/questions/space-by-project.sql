-- Which projects take the space?
-- `held_bytes` is what its checkpoints hold now; what several projects share is in each of them.
SELECT working_directory, state, checkpoints, held_bytes, added_bytes, last_checkpoint_at
FROM project_status
ORDER BY held_bytes DESC, working_directory;

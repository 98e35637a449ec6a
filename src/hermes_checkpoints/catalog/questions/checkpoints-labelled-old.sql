-- Which checkpoints are labelled, and old?
-- :days older than so many days (30)
SELECT working_directory, labels, checkpoint, taken_at,
  CAST(julianday('now') - julianday(taken_at) AS INTEGER) AS days, held_bytes
FROM checkpoint_list
WHERE labels <> ''
  AND taken_at < datetime('now', '-' || coalesce(nullif(:days, ''), 30) || ' days')
ORDER BY taken_at, working_directory;

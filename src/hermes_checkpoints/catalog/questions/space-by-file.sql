-- Which files cost most space, with all their versions?
-- :limit how many (20)
-- `stored_bytes` is what contents took when they came; contents
-- of pruned checkpoints are not counted.
SELECT p.workdir AS working_directory, x.path, count(*) AS versions,
  sum(x.stored_bytes) AS stored_bytes
FROM checkpoint_changes AS x
JOIN checkpoints AS c ON c.id = x.checkpoint_id AND c.state = 'live'
JOIN projects AS p ON p.id = c.project_id
WHERE x.new_blob IS NOT NULL
GROUP BY p.id, x.path
ORDER BY stored_bytes DESC, p.workdir, x.path
LIMIT coalesce(nullif(:limit, ''), 20);

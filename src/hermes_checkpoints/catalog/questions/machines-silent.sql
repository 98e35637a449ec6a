-- Which machines have sent nothing to a remote for days?
-- :days for so many days (30)
-- By what they say of their newest checkpoint there, as far as a pull has read it.
SELECT machine, max(machine_name) AS machine_name, count(*) AS directories,
  sum(checkpoints) AS checkpoints, max(newest_at) AS newest_at,
  CAST(julianday('now') - julianday(max(newest_at)) AS INTEGER) AS days
FROM remote_list
GROUP BY machine
HAVING max(newest_at) < datetime('now', '-' || coalesce(nullif(:days, ''), 30) || ' days')
ORDER BY newest_at, machine;

-- Which checkpoints does a remote not have, and why?
-- Those with the state `unsent` or `waiting` are what the next push sends.
SELECT r.url_shown AS remote, p.workdir AS working_directory,
  substr(c.commit_id, 1, 8) AS checkpoint, substr(c.created_at, 1, 19) AS taken_at,
  coalesce(s.state, 'unsent') AS state, s.reason AS because,
  (SELECT group_concat(f.path, ', ') FROM refused_paths AS f
    WHERE f.remote_id = s.remote_id AND f.commit_id = s.commit_id) AS files
FROM remotes AS r
JOIN checkpoints AS c ON c.state = 'live'
JOIN projects AS p ON p.id = c.project_id
LEFT JOIN pushes AS s ON s.remote_id = r.id AND s.commit_id = c.commit_id
WHERE coalesce(s.state, 'unsent') <> 'sent'
ORDER BY remote, working_directory, c.id;

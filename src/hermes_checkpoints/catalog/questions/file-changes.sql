-- Who changed a file, when, and which checkpoint has it as it was before?
-- :path the file, from its working directory, with `/`
SELECT working_directory, changed_at, change, changed_by, session_id, turn, tool, last_good
FROM file_history
WHERE path = :path;

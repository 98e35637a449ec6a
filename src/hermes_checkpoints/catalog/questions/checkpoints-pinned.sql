-- Which checkpoints are pinned or labelled, and so kept whatever the rules say?
SELECT working_directory, checkpoint, taken_at, pinned, labels, held_bytes, reason
FROM checkpoint_list
WHERE pinned = 'yes' OR labels <> ''
ORDER BY working_directory, taken_at DESC;

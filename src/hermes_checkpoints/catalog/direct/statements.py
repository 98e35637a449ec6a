"""Statements of the catalog as SQLAlchemy compiles them, and what it consists of.

Written by ``python tests/catalog/direct/compiling.py``; not to be edited.
"""

from __future__ import annotations

from hermes_checkpoints.catalog.direct.reader import Statement

HEAD = "0015"
APPLICATION_ID = 0x48434B50
TABLES = frozenset(
    {
        "agent_writes",
        "checkpoint_changes",
        "checkpoints",
        "fetched_checkpoints",
        "former_ids",
        "hook_sessions",
        "labels",
        "legacy_archives",
        "machines",
        "operations",
        "path_events",
        "projects",
        "pushes",
        "refused_paths",
        "remote_checkpoints",
        "remotes",
        "restore_paths",
        "restores",
        "session_checkpoint_versions",
        "session_checkpoints",
        "settings",
        "skipped_paths",
        "tool_runs",
        "turns",
    }
)
VIEWS = frozenset(
    {
        "checkpoint_list",
        "file_history",
        "legacy_list",
        "operation_list",
        "orphaned_projects",
        "project_status",
        "prune_preview",
        "push_status",
        "recent_failures",
        "remote_list",
        "restore_list",
        "restore_path_list",
        "retention_decisions",
        "retention_policy",
        "running_operations",
        "session_activity",
        "session_list",
        "size_cap_candidates",
        "stale_projects",
        "store_packing",
        "store_totals",
        "take_health",
    }
)
SETTING = Statement(
    """
    SELECT settings.value FROM settings WHERE settings.name = :name
    """,
    "name:plain",
    "plain",
)
SETTINGS = Statement(
    """
    SELECT settings.name, settings.value FROM settings
    """,
    "",
    "plain plain",
)
PROJECT = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.created_at,
    projects.last_touch, projects.state FROM projects WHERE projects.hash = :hash
    """,
    "hash:plain",
    "plain plain path time time ProjectState",
)
PROJECT_ORIGIN = Statement(
    """
    SELECT projects.repository, projects.subdirectory, projects.repository_config FROM
    projects WHERE projects.hash = :hash
    """,
    "hash:plain",
    "plain path plain",
)
PROJECTS = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.created_at,
    projects.last_touch, projects.state FROM projects ORDER BY projects.last_touch DESC,
    projects.id DESC
    """,
    "",
    "plain plain path time time ProjectState",
)
PROJECTS_WITH_LIMITS = Statement(
    """
    SELECT projects.workdir, projects.max_snapshots FROM projects WHERE projects.max_snapshots
    IS NOT NULL
    """,
    "",
    "path plain",
)
PROJECT_LIMITS = Statement(
    """
    SELECT projects.workdir, projects.max_snapshots FROM projects
    """,
    "",
    "path plain",
)
PROJECTS_AT = Statement(
    """
    SELECT projects.workdir FROM projects WHERE projects.workdir IN (:folders) AND ((EXISTS
    (SELECT * FROM checkpoints WHERE checkpoints.project_id = projects.id AND
    checkpoints.state = 'live' AND checkpoints.partial IS 0)) OR NOT (EXISTS (SELECT * FROM
    checkpoints WHERE checkpoints.project_id = projects.id AND checkpoints.state = 'live')))
    """,
    "folders:path",
    "path",
)
RELATED = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.created_at,
    projects.last_touch, projects.state FROM projects WHERE (projects.workdir IN (:parents) OR
    substr(projects.workdir, 1, length(:below)) = :below) AND projects.workdir != :itself AND
    (EXISTS (SELECT * FROM checkpoints WHERE checkpoints.project_id = projects.id AND
    checkpoints.state = 'live')) ORDER BY projects.workdir
    """,
    "parents:path below:path itself:path",
    "plain plain path time time ProjectState",
)
WORKING_DIRS = Statement(
    """
    SELECT projects.workdir FROM projects WHERE (EXISTS (SELECT * FROM checkpoints WHERE
    checkpoints.project_id = projects.id AND checkpoints.state = 'live' AND
    checkpoints.partial IS 0)) OR NOT (EXISTS (SELECT * FROM checkpoints WHERE
    checkpoints.project_id = projects.id AND checkpoints.state = 'live'))
    """,
    "",
    "path",
)
LAST_LOOKS = Statement(
    """
    SELECT projects.hash, projects.workdir, projects.state, projects.device, projects.inode,
    projects.parent_device, projects.parent_inode, projects.state_checked_at IS NULL OR
    projects.state_checked_at < :since OR projects.state_checked_at > :until AS anon_1 FROM
    projects
    """,
    "since:time until:time",
    "plain path ProjectState plain plain plain plain flag",
)
SOME_LAST_LOOKS = Statement(
    """
    SELECT projects.hash, projects.workdir, projects.state, projects.device, projects.inode,
    projects.parent_device, projects.parent_inode, projects.state_checked_at IS NULL OR
    projects.state_checked_at < :since OR projects.state_checked_at > :until AS anon_1 FROM
    projects WHERE projects.hash IN (:hashes)
    """,
    "since:time until:time hashes:plain",
    "plain path ProjectState plain plain plain plain flag",
)
SET_STATE = Statement(
    """
    UPDATE projects SET state=:state, state_checked_at=:now, last_seen_at=CASE WHEN (:state =
    'live') THEN :now ELSE projects.last_seen_at END, missing_since=CASE WHEN (:state =
    'live') THEN NULL WHEN (projects.state = :state) THEN coalesce(projects.missing_since,
    :now) ELSE :now END WHERE projects.hash IN (:hashes)
    """,
    "state:member now:time hashes:plain",
)
PROJECT_FIGURES = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.created_at,
    projects.last_touch, projects.state, (SELECT count(*) AS count_1 FROM checkpoints WHERE
    checkpoints.state = 'live' AND checkpoints.project_id = projects.id) AS anon_1, (SELECT
    coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1 FROM checkpoints WHERE
    checkpoints.state = 'live' AND checkpoints.project_id = projects.id) AS anon_2, (SELECT
    max(checkpoints.created_at) AS max_1 FROM checkpoints WHERE checkpoints.state = 'live' AND
    checkpoints.project_id = projects.id) AS anon_3 FROM projects WHERE projects.state !=
    'orphan' OR (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
    remembered.project_id = projects.id AND remembered.state = 'live')) ORDER BY
    projects.last_touch DESC, projects.id DESC LIMIT :limit OFFSET 0
    """,
    "limit:plain",
    "plain plain path time time ProjectState plain plain time",
)
FIGURES_OF_PROJECT = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.created_at,
    projects.last_touch, projects.state, (SELECT count(*) AS count_1 FROM checkpoints WHERE
    checkpoints.state = 'live' AND checkpoints.project_id = projects.id) AS anon_1, (SELECT
    coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1 FROM checkpoints WHERE
    checkpoints.state = 'live' AND checkpoints.project_id = projects.id) AS anon_2, (SELECT
    max(checkpoints.created_at) AS max_1 FROM checkpoints WHERE checkpoints.state = 'live' AND
    checkpoints.project_id = projects.id) AS anon_3 FROM projects WHERE (projects.state !=
    'orphan' OR (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
    remembered.project_id = projects.id AND remembered.state = 'live'))) AND projects.hash =
    :hash ORDER BY projects.last_touch DESC, projects.id DESC LIMIT :limit OFFSET 0
    """,
    "hash:plain limit:plain",
    "plain plain path time time ProjectState plain plain time",
)
HELD = Statement(
    """
    SELECT projects.created_at, projects.last_touch, coalesce(of_all.count, 0) AS coalesce_1,
    projects.hash, projects.workdir, projects.state, projects.device, projects.inode,
    projects.parent_device, projects.parent_inode, projects.state_checked_at IS NULL OR
    projects.state_checked_at < :since OR projects.state_checked_at > :until AS anon_1 FROM
    projects LEFT OUTER JOIN (SELECT checkpoints.project_id AS project_id, count(*) AS count
    FROM checkpoints WHERE checkpoints.state = 'live' GROUP BY checkpoints.project_id) AS
    of_all ON of_all.project_id = projects.id WHERE projects.state != 'orphan' OR (EXISTS
    (SELECT remembered.id FROM checkpoints AS remembered WHERE remembered.project_id =
    projects.id AND remembered.state = 'live')) ORDER BY projects.last_touch DESC, projects.id
    DESC
    """,
    "since:time until:time",
    "time time plain plain path ProjectState plain plain plain plain flag",
)
TOTALS = Statement(
    """
    SELECT (SELECT count(*) AS count_1 FROM projects WHERE projects.state != 'orphan' OR
    (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE remembered.project_id =
    projects.id AND remembered.state = 'live'))) AS anon_1, (SELECT count(*) AS count_2 FROM
    checkpoints WHERE checkpoints.state = 'live') AS anon_2
    """,
    "",
    "plain plain",
)
ADDED_BYTES = Statement(
    """
    SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1 FROM checkpoints
    """,
    "",
    "plain",
)
FETCHED_BYTES = Statement(
    """
    SELECT coalesce(sum(fetched_checkpoints.stored_bytes), 0) AS coalesce_1 FROM
    fetched_checkpoints
    """,
    "",
    "plain",
)
STORE_SIZE = Statement(
    """
    WITH told AS (SELECT (SELECT settings.value FROM settings WHERE settings.name =
    'measured_store') AS measured, coalesce(CAST((SELECT settings.value FROM settings WHERE
    settings.name = 'store_growth') AS INTEGER), 0) AS growth, (SELECT settings.value FROM
    settings WHERE settings.name = 'store_growth_pruned') AS pruned), known AS (SELECT
    told.growth AS growth, told.pruned AS pruned, json_extract(CASE WHEN
    (json_valid(told.measured) = 1) THEN told.measured END, '$.bytes') AS bytes,
    json_extract(CASE WHEN (json_valid(told.measured) = 1) THEN told.measured END, '$.growth')
    AS by_then, json_extract(CASE WHEN (json_valid(told.measured) = 1) THEN told.measured END,
    '$.at') AS at FROM told) SELECT CASE WHEN (typeof(known.bytes) = 'integer' AND
    typeof(known.by_then) = 'integer' AND known.at LIKE '____-__-__T%' AND datetime(known.at)
    IS NOT NULL) THEN max(0, (known.bytes + known.growth) - known.by_then) END AS anon_1, CASE
    WHEN (typeof(known.bytes) = 'integer' AND typeof(known.by_then) = 'integer' AND known.at
    LIKE '____-__-__T%' AND datetime(known.at) IS NOT NULL) THEN known.at END AS anon_2,
    known.pruned IS NOT CAST(known.growth AS VARCHAR) AS anon_3 FROM known
    """,
    "",
    "plain plain flag",
)
RUNNING = Statement(
    """
    SELECT operations.id, operations.kind, operations.workdir, operations.started_at,
    operations.detail FROM operations WHERE operations.outcome = 'running' ORDER BY
    operations.id
    """,
    "",
    "plain OperationKind path time document",
)
FAILURE_RUNS = Statement(
    """
    WITH runs AS (SELECT operations.workdir AS workdir, count(*) AS failures,
    min(operations.started_at) AS since, max(operations.id) AS newest FROM operations WHERE
    operations.kind = 'take' AND operations.outcome IN ('failed', 'skipped') AND
    operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT later.id FROM operations AS later
    WHERE later.kind = 'take' AND later.outcome IN ('done', 'unchanged', 'partial') AND NOT
    (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE checkpoints.id = later.checkpoint_id
    AND checkpoints.partial = 1)) AND later.workdir = operations.workdir AND later.id >
    operations.id)) AND (:dir IS NULL OR operations.workdir = :dir) GROUP BY
    operations.workdir) SELECT runs.workdir, runs.failures, runs.since,
    coalesce(newest.message, newest.code, 'unknown') AS coalesce_1, newest.outcome != 'failed'
    AS anon_1, newest.started_at FROM runs JOIN operations AS newest ON newest.id =
    runs.newest WHERE :since IS NULL OR newest.started_at >= :since ORDER BY runs.newest DESC
    """,
    "dir:path since:time",
    "path plain time plain flag time",
)
LAST_SUCCESS = Statement(
    """
    SELECT max(anon_1.finished_at) AS max_1 FROM (SELECT anon_2.finished_at AS finished_at
    FROM (SELECT operations.finished_at AS finished_at FROM operations WHERE
    operations.outcome = 'done' AND operations.kind = 'take' AND NOT (EXISTS (SELECT
    checkpoints.id FROM checkpoints WHERE checkpoints.id = operations.checkpoint_id AND
    checkpoints.partial = 1)) ORDER BY operations.id DESC LIMIT 1 OFFSET 0) AS anon_2 UNION
    ALL SELECT anon_3.finished_at AS finished_at FROM (SELECT operations.finished_at AS
    finished_at FROM operations WHERE operations.outcome = 'unchanged' AND operations.kind =
    'take' AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE checkpoints.id =
    operations.checkpoint_id AND checkpoints.partial = 1)) ORDER BY operations.id DESC LIMIT 1
    OFFSET 0) AS anon_3 UNION ALL SELECT anon_4.finished_at AS finished_at FROM (SELECT
    operations.finished_at AS finished_at FROM operations WHERE operations.outcome = 'partial'
    AND operations.kind = 'take' AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
    checkpoints.id = operations.checkpoint_id AND checkpoints.partial = 1)) ORDER BY
    operations.id DESC LIMIT 1 OFFSET 0) AS anon_4) AS anon_1
    """,
    "",
    "time",
)
LAST_REFUSAL = Statement(
    """
    SELECT operations.code FROM operations LEFT OUTER JOIN checkpoints ON checkpoints.id =
    operations.checkpoint_id WHERE operations.kind = 'take' AND operations.workdir = :dir AND
    (operations.code IS NOT NULL OR checkpoints.partial IS 0) ORDER BY operations.id DESC
    LIMIT 1 OFFSET 0
    """,
    "dir:path",
    "plain",
)
LISTED = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.kind != 'safety' ORDER BY checkpoints.id DESC LIMIT :limit OFFSET 0
    """,
    "hash:plain limit:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
LISTED_WITH_SAFETY = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' ORDER
    BY checkpoints.id DESC LIMIT :limit OFFSET 0
    """,
    "hash:plain limit:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
LIVE_ROWS = Statement(
    """
    SELECT checkpoints.id, checkpoints.commit_id FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live'
    """,
    "hash:plain",
    "plain plain",
)
SEEN = Statement(
    """
    SELECT path_events.path, path_events.checkpoint_id, path_events.target_id,
    path_events.actor, path_events.old_blob, path_events.old_mode, path_events.blob,
    path_events.mode, path_events.session_id FROM path_events JOIN projects ON projects.id =
    path_events.project_id WHERE projects.hash = :hash AND path_events.checkpoint_id >= :since
    AND path_events.path != '.' ORDER BY path_events.checkpoint_id DESC, path_events.id DESC
    LIMIT :limit OFFSET 0
    """,
    "hash:plain since:plain limit:plain",
    "path plain plain Actor plain plain plain plain plain",
)
PRUNING = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.state = 'pruning'
    """,
    "",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
FOUND = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.id IN (SELECT found.id FROM (SELECT
    checkpoints.id AS id FROM checkpoints WHERE checkpoints.commit_id >= :first AND
    checkpoints.commit_id < :end UNION SELECT former_ids.checkpoint_id AS checkpoint_id FROM
    former_ids WHERE former_ids.former_id >= :first AND former_ids.former_id < :end) AS found
    ORDER BY found.id DESC LIMIT 20 OFFSET 0)
    """,
    "first:plain end:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
SKIPPED = Statement(
    """
    SELECT skipped_paths.path, skipped_paths.reason, skipped_paths.bytes FROM skipped_paths
    WHERE skipped_paths.checkpoint_id = :checkpoint ORDER BY skipped_paths.path
    """,
    "checkpoint:plain",
    "path SkipReason plain",
)
SAFETY = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3, restores.role, restores.started_at,
    coalesce(target.commit_id, restores.target_commit) AS coalesce_4 FROM checkpoints JOIN
    projects ON projects.id = checkpoints.project_id LEFT OUTER JOIN restores ON restores.id =
    (SELECT max(of_it.id) AS max_1 FROM restores AS of_it WHERE of_it.safety_id =
    checkpoints.id) LEFT OUTER JOIN checkpoints AS target ON target.id = restores.target_id
    WHERE projects.hash = :hash AND checkpoints.state = 'live' AND checkpoints.kind = 'safety'
    ORDER BY checkpoints.id DESC
    """,
    "hash:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain RestoreRole time plain"
    ),
)
INTERRUPTED = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3, restores.id AS id_1, restores.role,
    restores.state, restores.whole, restores.started_at, restores.target_id FROM checkpoints
    JOIN projects ON projects.id = checkpoints.project_id JOIN restores ON restores.safety_id
    = checkpoints.id WHERE restores.state = 'interrupted' AND restores.undone_by IS NULL AND
    NOT (EXISTS (SELECT restores_1.id FROM restores AS restores_1 WHERE restores_1.id =
    restores.undo_of AND restores_1.undone_by > restores.id)) ORDER BY restores.id DESC
    """,
    "",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain plain RestoreRole RestoreState "
        "flag time plain"
    ),
)
LOST = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.lost_at IS NOT NULL AND checkpoints.project_id
    > 0 AND checkpoints.pruned_at IS NOT NULL
    """,
    "",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
LOST_OF = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.lost_at IS NOT NULL AND checkpoints.project_id
    > 0 AND checkpoints.pruned_at IS NOT NULL AND projects.hash = :hash
    """,
    "hash:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
PARTLY_LOST = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.lost_at IS NOT NULL AND checkpoints.project_id
    > 0 AND checkpoints.pruned_at IS NULL
    """,
    "",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
ARCHIVES = Statement(
    """
    SELECT legacy_archives.id, legacy_archives.name, legacy_archives.path,
    legacy_archives.layout, legacy_archives.project_hash, legacy_archives.workdir,
    legacy_archives.state, legacy_archives.size_bytes, legacy_archives.imported_checkpoints,
    legacy_archives.error, legacy_archives.imported_at, legacy_archives.archived_at FROM
    legacy_archives ORDER BY legacy_archives.id
    """,
    "",
    "plain path path LegacyLayout plain path LegacyState plain plain plain time time",
)
ARCHIVES_PENDING = Statement(
    """
    SELECT legacy_archives.id, legacy_archives.name, legacy_archives.path,
    legacy_archives.layout, legacy_archives.project_hash, legacy_archives.workdir,
    legacy_archives.state, legacy_archives.size_bytes, legacy_archives.imported_checkpoints,
    legacy_archives.error, legacy_archives.imported_at, legacy_archives.archived_at FROM
    legacy_archives WHERE legacy_archives.state IN ('found', 'imported') ORDER BY
    legacy_archives.id
    """,
    "",
    "plain path path LegacyLayout plain path LegacyState plain plain plain time time",
)
ARRIVING = Statement(
    """
    SELECT count(*) AS count_1 FROM checkpoints WHERE checkpoints.state = 'arriving'
    """,
    "",
    "plain",
)
ONLY_IN_ARCHIVES = Statement(
    """
    SELECT legacy_archives.path, CASE WHEN (legacy_archives.layout = 'v1') THEN (SELECT
    count(checkpoints.id) AS count_1 FROM checkpoints WHERE checkpoints.id IN (SELECT
    former_ids.checkpoint_id FROM former_ids WHERE former_ids.archive_id = legacy_archives.id
    AND former_ids.let_go_at IS NULL) AND checkpoints.state != 'live') + (SELECT
    count(checkpoints.id) AS count_2 FROM checkpoints JOIN projects ON projects.id =
    checkpoints.project_id WHERE checkpoints.id IN (SELECT former_ids.checkpoint_id FROM
    former_ids WHERE former_ids.archive_id IS NULL AND former_ids.layout = 'v1' AND
    former_ids.let_go_at IS NULL) AND (checkpoints.id NOT IN (SELECT former_ids.checkpoint_id
    FROM former_ids WHERE former_ids.archive_id = legacy_archives.id AND former_ids.let_go_at
    IS NULL)) AND checkpoints.state != 'live' AND (legacy_archives.project_hash =
    projects.hash OR legacy_archives.workdir = projects.workdir OR (checkpoints.ref_name GLOB
    'refs/checkpoints/' || legacy_archives.project_hash || '/*'))) ELSE 0 END AS anon_1 FROM
    legacy_archives WHERE legacy_archives.state = 'archived' AND legacy_archives.imported_at
    IS NOT NULL AND CASE WHEN (legacy_archives.layout = 'v1') THEN (SELECT
    count(checkpoints.id) AS count_1 FROM checkpoints WHERE checkpoints.id IN (SELECT
    former_ids.checkpoint_id FROM former_ids WHERE former_ids.archive_id = legacy_archives.id
    AND former_ids.let_go_at IS NULL) AND checkpoints.state != 'live') + (SELECT
    count(checkpoints.id) AS count_2 FROM checkpoints JOIN projects ON projects.id =
    checkpoints.project_id WHERE checkpoints.id IN (SELECT former_ids.checkpoint_id FROM
    former_ids WHERE former_ids.archive_id IS NULL AND former_ids.layout = 'v1' AND
    former_ids.let_go_at IS NULL) AND (checkpoints.id NOT IN (SELECT former_ids.checkpoint_id
    FROM former_ids WHERE former_ids.archive_id = legacy_archives.id AND former_ids.let_go_at
    IS NULL)) AND checkpoints.state != 'live' AND (legacy_archives.project_hash =
    projects.hash OR legacy_archives.workdir = projects.workdir OR (checkpoints.ref_name GLOB
    'refs/checkpoints/' || legacy_archives.project_hash || '/*'))) ELSE 0 END > 0 ORDER BY
    legacy_archives.id
    """,
    "",
    "path plain",
)
OPEN_OF_SESSION = Statement(
    """
    SELECT projects.workdir FROM projects JOIN turns ON turns.project_id = projects.id WHERE
    turns.session_id = :session AND turns.ended_at IS NULL ORDER BY turns.id
    """,
    "session:text",
    "path",
)
OPEN_TURNS = Statement(
    """
    SELECT turns.id, turns.session_id, turns.turn, turns.actor, turns.started_at, turns.owner,
    turns.tools_told FROM turns WHERE turns.project_id = :project AND turns.ended_at IS NULL
    ORDER BY turns.id
    """,
    "project:plain",
    "plain plain plain plain time plain flag",
)
RECORD_WRITE = Statement(
    """
    INSERT INTO agent_writes (project_id, turn_id, session_id, turn, path, tool, written_at,
    blob) VALUES (:project, (SELECT turns.id FROM turns WHERE turns.project_id = :project AND
    turns.actor = 'agent' AND turns.ended_at IS NULL AND turns.session_id IS :session_id),
    :session_id, :turn, :path, :tool, :now, :blob)
    """,
    "project:plain session_id:text turn:plain path:path tool:text now:time blob:plain",
)
TOLD = Statement(
    """
    UPDATE turns SET tools_told=1 WHERE turns.id = (SELECT turns.id FROM turns WHERE
    turns.project_id = :project AND turns.actor = 'agent' AND turns.ended_at IS NULL AND
    turns.session_id IS :session)
    """,
    "project:plain session:text",
)
BEGIN_RUN = Statement(
    """
    INSERT INTO tool_runs (turn_id, run, tool, began_ns, record) SELECT turns.id, :run AS
    anon_1, :tool AS anon_2, :ns AS anon_3, :record AS anon_4 FROM turns WHERE
    turns.project_id = :project AND turns.actor = 'agent' AND turns.ended_at IS NULL AND
    turns.session_id IS :session
    """,
    "run:text tool:text ns:plain record:path project:plain session:text",
)
END_RUN = Statement(
    """
    UPDATE tool_runs SET ended_ns=:ns WHERE tool_runs.id = (SELECT max(tool_runs.id) AS max_1
    FROM tool_runs WHERE tool_runs.turn_id = (SELECT turns.id FROM turns WHERE
    turns.project_id = :project AND turns.actor = 'agent' AND turns.ended_at IS NULL AND
    turns.session_id IS :session) AND tool_runs.ended_ns IS NULL AND tool_runs.run = :run)
    """,
    "ns:plain project:plain session:text run:text",
)
END_LAST_RUN = Statement(
    """
    UPDATE tool_runs SET ended_ns=:ns WHERE tool_runs.id = (SELECT max(tool_runs.id) AS max_1
    FROM tool_runs WHERE tool_runs.turn_id = (SELECT turns.id FROM turns WHERE
    turns.project_id = :project AND turns.actor = 'agent' AND turns.ended_at IS NULL AND
    turns.session_id IS :session) AND tool_runs.ended_ns IS NULL)
    """,
    "ns:plain project:plain session:text",
)
REFUSED_SINCE = Statement(
    """
    SELECT operations.id FROM operations WHERE operations.workdir = :dir AND
    operations.started_at >= :since AND operations.kind = 'take' AND operations.outcome =
    'skipped' AND operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT later.id FROM
    operations AS later WHERE later.kind = 'take' AND later.outcome IN ('done', 'unchanged',
    'partial') AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE checkpoints.id =
    later.checkpoint_id AND checkpoints.partial = 1)) AND later.workdir = operations.workdir
    AND later.id > operations.id)) LIMIT 1 OFFSET 0
    """,
    "dir:path since:time",
    "plain",
)
RECORD = Statement(
    """
    INSERT INTO operations (kind, outcome, project_id, workdir, checkpoint_id, session_id,
    turn, started_at, finished_at, duration_ms, code, message, pid, detail) VALUES (:kind,
    :outcome, :project_id, :workdir, :checkpoint_id, :session_id, :turn, :started_at,
    :finished_at, :duration_ms, :code, :message, :pid, :detail)
    """,
    (
        "kind:member outcome:member project_id:plain workdir:path checkpoint_id:plain "
        "session_id:text turn:plain started_at:time finished_at:time duration_ms:plain "
        "code:plain message:text pid:plain detail:document"
    ),
)
TOUCH = Statement(
    """
    UPDATE projects SET last_touch=CASE WHEN (projects.last_touch < :now) THEN :now ELSE
    projects.last_touch END, state='live', last_seen_at=:now, missing_since=NULL,
    device=:device, inode=:inode, parent_device=:parent_device, parent_inode=:parent_inode
    WHERE projects.hash = :hash RETURNING id, hash, workdir, created_at, last_touch, state
    """,
    "now:time device:plain inode:plain parent_device:plain parent_inode:plain hash:plain",
    "plain plain path time time ProjectState",
)
LAST = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.partial IS 0 ORDER BY checkpoints.id DESC LIMIT 1 OFFSET 0
    """,
    "hash:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
LAST_TWO = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.id IN ((SELECT checkpoints.id FROM checkpoints JOIN projects ON projects.id =
    checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.partial IS 0 ORDER BY checkpoints.id DESC LIMIT 1 OFFSET 0), (SELECT
    checkpoints.id FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
    WHERE projects.hash = :hash AND checkpoints.state = 'live' AND checkpoints.kind !=
    'safety' ORDER BY checkpoints.id DESC LIMIT 1 OFFSET 0)) ORDER BY checkpoints.id DESC
    """,
    "hash:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
NEWEST_ROW = Statement(
    """
    SELECT max(checkpoints.id) AS max_1 FROM checkpoints WHERE checkpoints.state IN
    ('arriving', 'live', 'pruning', 'pruned') AND checkpoints.project_id = :project
    """,
    "project:plain",
    "plain",
)
NEWEST_ROW_BEFORE = Statement(
    """
    SELECT max(checkpoints.id) AS max_1 FROM checkpoints WHERE checkpoints.state IN
    ('arriving', 'live', 'pruning', 'pruned') AND checkpoints.project_id = :project AND
    checkpoints.id < :before
    """,
    "project:plain before:plain",
    "plain",
)
SAFETY_COUNT = Statement(
    """
    SELECT count(checkpoints.id) AS count_1 FROM checkpoints JOIN projects ON projects.id =
    checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.kind = 'safety'
    """,
    "hash:plain",
    "plain",
)
BEGIN_TURN = Statement(
    """
    INSERT INTO turns (project_id, session_id, turn, start_checkpoint_id, actor, started_at,
    owner, tools_told, title) VALUES (:project, :session, :turn, :checkpoint, :actor, :now,
    :owner, :told, :title)
    """,
    (
        "project:plain session:text turn:plain checkpoint:plain actor:text now:time "
        "owner:text told:plain title:text"
    ),
)
END_TURNS = Statement(
    """
    UPDATE turns SET end_checkpoint_id=:checkpoint, ended_by=:by, ended_at=:now WHERE turns.id
    IN (:ids)
    """,
    "checkpoint:plain by:plain now:time ids:plain",
)
FORGET_RUNS = Statement(
    """
    DELETE FROM tool_runs WHERE tool_runs.turn_id IN (:ids)
    """,
    "ids:plain",
)
FORGET_WRITES = Statement(
    """
    DELETE FROM agent_writes WHERE agent_writes.turn_id IN (:ids)
    """,
    "ids:plain",
)
WRITES = Statement(
    """
    SELECT agent_writes.path, agent_writes.session_id, agent_writes.turn, agent_writes.tool,
    agent_writes.written_at, agent_writes.blob, agent_writes.turn_id, agent_writes.seen FROM
    agent_writes WHERE agent_writes.project_id = :project ORDER BY agent_writes.id
    """,
    "project:plain",
    "path plain plain plain time plain plain flag",
)
TOOL_RUNS = Statement(
    """
    SELECT tool_runs.tool, tool_runs.began_ns, tool_runs.ended_ns, tool_runs.run,
    tool_runs.record FROM tool_runs WHERE tool_runs.turn_id = :turn ORDER BY tool_runs.id
    """,
    "turn:plain",
    "plain plain plain plain path",
)
EVENTS_SINCE = Statement(
    """
    SELECT path_events.path, path_events.status, path_events.actor, path_events.session_id,
    path_events.turn, path_events.tool, path_events.blob, path_events.mode, path_events.at,
    path_events.overlaps, path_events.reason, path_events.old_blob, path_events.old_mode,
    path_events.checkpoint_id, path_events.target_id, path_events.id FROM path_events WHERE
    path_events.project_id = :project AND path_events.checkpoint_id >= :checkpoint ORDER BY
    path_events.id
    """,
    "project:plain checkpoint:plain",
    (
        "path ChangeStatus Actor plain plain plain plain plain time plain plain plain plain "
        "plain plain plain"
    ),
)
ADD_EVENT = Statement(
    """
    INSERT INTO path_events (project_id, checkpoint_id, target_id, path, status, actor,
    session_id, turn, tool, blob, mode, at, overlaps, reason, old_blob, old_mode) VALUES
    (:project_id, :checkpoint_id, :target_id, :path, :status, :actor, :session_id, :turn,
    :tool, :blob, :mode, :at, :overlaps, :reason, :old_blob, :old_mode)
    """,
    (
        "project_id:plain checkpoint_id:plain target_id:plain path:path status:member "
        "actor:member session_id:text turn:plain tool:text blob:plain mode:plain at:time "
        "overlaps:text reason:text old_blob:plain old_mode:plain"
    ),
)
LOOKED = Statement(
    """
    UPDATE projects SET looked_ns=:ns, looked_restore=(SELECT max(restores.id) AS max_1 FROM
    restores WHERE restores.project_id = :project) WHERE projects.id = :project
    """,
    "ns:plain project:plain",
)
FORGET_REPORTS = Statement(
    """
    DELETE FROM agent_writes WHERE agent_writes.project_id = :project AND agent_writes.turn_id
    IS NULL
    """,
    "project:plain",
)
REPORTS_SEEN = Statement(
    """
    UPDATE agent_writes SET seen=1 WHERE agent_writes.project_id = :project
    """,
    "project:plain",
)
LAST_LOOK = Statement(
    """
    SELECT projects.looked_ns, coalesce(coalesce(projects.looked_restore, 0) < (SELECT
    max(restores.id) AS max_1 FROM restores WHERE restores.project_id = :project), 0) AS
    coalesce_1 FROM projects WHERE projects.id = :project
    """,
    "project:plain",
    "plain flag",
)
TOUCH_AND_PLACE = Statement(
    """
    UPDATE projects SET last_touch=CASE WHEN (projects.last_touch < :now) THEN :now ELSE
    projects.last_touch END, state='live', last_seen_at=:now, missing_since=NULL,
    device=:device, inode=:inode, parent_device=:parent_device, parent_inode=:parent_inode,
    repository=:repository, subdirectory=:subdirectory, repository_config=:config WHERE
    projects.hash = :hash RETURNING id, hash, workdir, created_at, last_touch, state
    """,
    (
        "now:time device:plain inode:plain parent_device:plain parent_inode:plain "
        "repository:text subdirectory:path config:plain hash:plain"
    ),
    "plain plain path time time ProjectState",
)
ADD_PROJECT = Statement(
    """
    INSERT INTO projects (hash, workdir, created_at, last_touch, state, last_seen_at, device,
    inode, parent_device, parent_inode) VALUES (:hash, :workdir, :now, :now, 'live', :now,
    :device, :inode, :parent_device, :parent_inode) RETURNING id, hash, workdir, created_at,
    last_touch, state
    """,
    (
        "hash:plain workdir:path now:time device:plain inode:plain parent_device:plain "
        "parent_inode:plain"
    ),
    "plain plain path time time ProjectState",
)
SET_SETTING = Statement(
    """
    UPDATE settings SET value=:value, updated_at=:now WHERE settings.name = :name
    """,
    "value:text now:time name:plain",
)
ADD_SETTING = Statement(
    """
    INSERT INTO settings (name, value, updated_at) VALUES (:name, :value, :now)
    """,
    "name:plain value:text now:time",
)
INCREASE = Statement(
    """
    UPDATE settings SET value=CAST(CAST(settings.value AS INTEGER) + :amount AS VARCHAR),
    updated_at=:now WHERE settings.name = :name
    """,
    "amount:plain now:time name:plain",
)
BLOB_SIZES = Statement(
    """
    SELECT checkpoint_changes.new_blob, max(checkpoint_changes.new_bytes) AS max_1,
    max(checkpoint_changes.stored_bytes) AS max_2, max(CASE WHEN (checkpoints.state =
    'pruned') THEN 0 ELSE 1 END) AS max_3 FROM checkpoint_changes JOIN checkpoints ON
    checkpoints.id = checkpoint_changes.checkpoint_id WHERE checkpoint_changes.new_blob IN
    (:blobs) AND checkpoint_changes.new_bytes IS NOT NULL GROUP BY checkpoint_changes.new_blob
    """,
    "blobs:plain",
    "plain plain plain plain",
)
OF_COMMIT = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE checkpoints.commit_id = :commit
    """,
    "commit:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
HELD_BEFORE = Statement(
    """
    SELECT (SELECT checkpoints.held_bytes FROM checkpoints WHERE checkpoints.id = :previous)
    AS anon_1, EXISTS (SELECT lost.id FROM checkpoints AS lost WHERE lost.lost_at IS NOT NULL
    AND lost.project_id = :project AND lost.state = 'live') AS anon_2
    """,
    "previous:plain project:plain",
    "plain flag",
)
ADD_CHECKPOINT = Statement(
    """
    INSERT INTO checkpoints (project_id, commit_id, tree_id, state_id, ref_name, previous_id,
    kind, reason, session_id, turn, message_count, created_at, utc_offset_minutes, file_count,
    logical_bytes, added_bytes, superseded_bytes, stored_bytes, held_bytes, files_changed,
    insertions, deletions, skipped_count, ignored_count, partial, device, inode, generation,
    head, branch) VALUES (:project_id, :commit_id, :tree_id, :state_id, :ref_name,
    :previous_id, :kind, :reason, :session_id, :turn, :message_count, :created_at,
    :utc_offset_minutes, :file_count, :logical_bytes, :added_bytes, :superseded_bytes,
    :stored_bytes, :held_bytes, :files_changed, :insertions, :deletions, :skipped_count,
    :ignored_count, :partial, :device, :inode, :generation, :head, :branch)
    """,
    (
        "project_id:plain commit_id:plain tree_id:plain state_id:plain ref_name:plain "
        "previous_id:plain kind:member reason:text session_id:text turn:plain "
        "message_count:plain created_at:time utc_offset_minutes:plain file_count:plain "
        "logical_bytes:plain added_bytes:plain superseded_bytes:plain stored_bytes:plain "
        "held_bytes:plain files_changed:plain insertions:plain deletions:plain "
        "skipped_count:plain ignored_count:plain partial:plain device:plain inode:plain "
        "generation:plain head:plain branch:path"
    ),
)
ADD_CHANGE = Statement(
    """
    INSERT INTO checkpoint_changes (checkpoint_id, path, status, old_blob, new_blob, old_mode,
    new_mode, old_bytes, new_bytes, stored_bytes, insertions, deletions) VALUES
    (:checkpoint_id, :path, :status, :old_blob, :new_blob, :old_mode, :new_mode, :old_bytes,
    :new_bytes, :stored_bytes, :insertions, :deletions)
    """,
    (
        "checkpoint_id:plain path:path status:member old_blob:plain new_blob:plain "
        "old_mode:plain new_mode:plain old_bytes:plain new_bytes:plain stored_bytes:plain "
        "insertions:plain deletions:plain"
    ),
)
ADD_SKIPPED = Statement(
    """
    INSERT INTO skipped_paths (checkpoint_id, path, reason, bytes) VALUES (:checkpoint_id,
    :path, :reason, :bytes)
    """,
    "checkpoint_id:plain path:path reason:member bytes:plain",
)
TOUCH_AGAIN = Statement(
    """
    UPDATE projects SET last_touch=CASE WHEN (projects.last_touch < :now) THEN :now ELSE
    projects.last_touch END, state='live', missing_since=NULL WHERE projects.id = :project
    """,
    "now:time project:plain",
)
STARTED = Statement(
    """
    SELECT operations.started_at FROM operations WHERE operations.id = :operation
    """,
    "operation:plain",
    "time",
)
FINISH_TAKE = Statement(
    """
    UPDATE operations SET outcome='done', project_id=:project,
    workdir=coalesce(operations.workdir, (SELECT projects.workdir FROM projects WHERE
    projects.id = :project)), checkpoint_id=:checkpoint, finished_at=:now,
    duration_ms=:milliseconds WHERE operations.id = :operation
    """,
    "project:plain checkpoint:plain now:time milliseconds:plain operation:plain",
)
REF_ROWS = Statement(
    """
    SELECT checkpoints.id, checkpoints.commit_id, checkpoints.tree_id, checkpoints.ref_name,
    checkpoints.state, checkpoints.lost_at FROM checkpoints WHERE checkpoints.state IN
    ('live', 'arriving', 'pruning')
    """,
    "",
    "plain plain plain plain plain time",
)
FOLLOW = Statement(
    """
    UPDATE settings SET value=:after, updated_at=:now WHERE settings.name = 'refs_sign' AND
    settings.value = :before
    """,
    "after:text now:time before:text",
)
WITHIN_LIMITS = Statement(
    """
    SELECT NOT (:max_snapshots > 0 AND count(CASE WHEN (checkpoints.kind != 'safety') THEN 1
    END) > :max_snapshots OR :max_safety_snapshots > 0 AND count(CASE WHEN (checkpoints.kind =
    'safety') THEN 1 END) > :max_safety_snapshots) AS anon_1 FROM checkpoints WHERE
    checkpoints.state = 'live' AND checkpoints.project_id = (SELECT projects.id FROM projects
    WHERE projects.hash = :project)
    """,
    "max_snapshots:plain max_safety_snapshots:plain project:plain",
    "plain",
)
OVER_LIMIT = Statement(
    """
    WITH policy AS (SELECT :now AS now, :max_snapshots AS max_snapshots, :max_safety_snapshots
    AS max_safety_snapshots, :retention_days AS retention_days, NULL AS stale_before, 0 AS
    delete_orphans, :orphan_before AS orphan_before, :orphan_grace_seconds AS
    orphan_grace_seconds, :keep_last AS keep_last, :keep_hourly AS keep_hourly, :keep_daily AS
    keep_daily, :keep_weekly AS keep_weekly, :keep_monthly AS keep_monthly, :within_since AS
    within_since, 0 AS include_pinned, 1 AS only_limit, :cap_bytes AS cap_bytes,
    :reclaim_bytes AS reclaim_bytes, 0 AS own_limits), unfinished AS (SELECT
    restores.target_id AS id FROM restores WHERE (restores.state = 'writing' OR restores.state
    = 'interrupted' AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id FROM
    restores AS later WHERE later.project_id = restores.project_id AND later.id >
    restores.id))) AND restores.target_id IS NOT NULL UNION ALL SELECT restores.safety_id AS
    safety_id FROM restores WHERE restores.state = 'writing' OR restores.state = 'interrupted'
    AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id FROM restores AS later
    WHERE later.project_id = restores.project_id AND later.id > restores.id))), local_times AS
    (SELECT checkpoints.id AS id, checkpoints.project_id AS project_id,
    checkpoints.utc_offset_minutes AS "offset", datetime(substr(checkpoints.created_at, 1,
    19), CAST(checkpoints.utc_offset_minutes AS VARCHAR) || ' minutes') AS time FROM
    checkpoints WHERE checkpoints.state = 'live' AND checkpoints.project_id = (SELECT
    projects.id FROM projects WHERE projects.hash = :project) AND checkpoints.kind != 'safety'
    LIMIT CASE WHEN ((SELECT policy.keep_hourly FROM policy) > 0 OR (SELECT policy.keep_daily
    FROM policy) > 0 OR (SELECT policy.keep_weekly FROM policy) > 0 OR (SELECT
    policy.keep_monthly FROM policy) > 0) THEN -1 ELSE 0 END OFFSET 0), undoable AS (SELECT
    projects.id AS project_id, (SELECT restores.safety_id FROM restores WHERE
    restores.project_id = projects.id ORDER BY restores.id DESC LIMIT 1 OFFSET 0) AS id FROM
    projects WHERE projects.id = (SELECT projects.id FROM projects WHERE projects.hash =
    :project)), decided AS (SELECT judged.id AS id, judged.project_id AS project_id,
    judged.commit_id AS commit_id, judged.created_at AS created_at, CASE judged.number WHEN 0
    THEN 'keep' WHEN 1 THEN 'keep' WHEN 2 THEN 'keep' WHEN 3 THEN 'keep' WHEN 4 THEN 'keep'
    WHEN 5 THEN 'keep' WHEN 6 THEN 'drop' WHEN 7 THEN 'keep' WHEN 8 THEN 'keep' WHEN 9 THEN
    'keep' WHEN 10 THEN 'keep' WHEN 11 THEN 'keep' WHEN 12 THEN 'keep' WHEN 13 THEN 'keep'
    WHEN 14 THEN 'keep' WHEN 15 THEN 'keep' WHEN 16 THEN 'keep' WHEN 17 THEN 'drop' WHEN 18
    THEN 'drop' WHEN 19 THEN 'drop' WHEN 20 THEN 'drop' WHEN 21 THEN 'keep' END AS decision,
    CASE judged.number WHEN 0 THEN 'unfinished-restore' WHEN 1 THEN 'protected' WHEN 2 THEN
    'pinned' WHEN 3 THEN 'labelled' WHEN 4 THEN 'unreachable' WHEN 5 THEN 'protected' WHEN 6
    THEN 'orphan' WHEN 7 THEN 'newest' WHEN 8 THEN 'newest' WHEN 9 THEN 'newest' WHEN 10 THEN
    'last-restore' WHEN 11 THEN 'keep-rule' WHEN 12 THEN 'keep-rule' WHEN 13 THEN 'keep-rule'
    WHEN 14 THEN 'keep-rule' WHEN 15 THEN 'keep-rule' WHEN 16 THEN 'keep-rule' WHEN 17 THEN
    'no-keep-rule' WHEN 18 THEN 'stale' WHEN 19 THEN 'over-limit' WHEN 20 THEN 'over-limit'
    WHEN 21 THEN 'within-limits' END AS rule, CASE judged.number WHEN 0 THEN
    'an unfinished restore needs it' WHEN 1 THEN 'it is in use just now' WHEN 2 THEN
    'it is pinned' WHEN 3 THEN CASE WHEN (instr(labels, ', ') > 0) THEN 'it has the labels '
    ELSE 'it has the label ' END || labels WHEN 4 THEN
    'its directory cannot be seen, which does not prove that it is gone' WHEN 5 THEN
    'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since, (SELECT
    policy.now FROM policy)), 1, 19), 'localtime') ||
    ', and nobody agreed that anything of it goes' WHEN 6 THEN
    'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since, (SELECT
    policy.now FROM policy)), 1, 19), 'localtime') WHEN 7 THEN
    'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since, (SELECT
    policy.now FROM policy)), 1, 19), 'localtime') || ', and orphans are kept' WHEN 8 THEN
    'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since, (SELECT
    policy.now FROM policy)), 1, 19), 'localtime') || ', and orphans are kept until ' ||
    date(substr(coalesce(missing_since, (SELECT policy.now FROM policy)), 1, 19), CAST((SELECT
    policy.orphan_grace_seconds FROM policy) AS VARCHAR) || ' seconds', 'localtime') ||
    ' unless somebody agrees' WHEN 9 THEN 'it is the newest of its project' WHEN 10 THEN
    'the last restore is taken back with it' WHEN 11 THEN 'it is one of the last ' ||
    CAST((SELECT policy.keep_last FROM policy) AS VARCHAR) || ' (keep_last)' WHEN 12 THEN
    'it is young enough (keep_within)' WHEN 13 THEN
    'it is the newest of its period (keep_hourly)' WHEN 14 THEN
    'it is the newest of its period (keep_daily)' WHEN 15 THEN
    'it is the newest of its period (keep_weekly)' WHEN 16 THEN
    'it is the newest of its period (keep_monthly)' WHEN 17 THEN 'no keep rule keeps it' WHEN
    18 THEN 'its project was last touched on ' || date(substr(last_touch, 1, 19), 'localtime')
    || ' (retention_days: ' || CAST((SELECT policy.retention_days FROM policy) AS VARCHAR) ||
    ')' WHEN 19 THEN 'its project has more than ' || CAST((SELECT policy.max_safety_snapshots
    FROM policy) AS VARCHAR) || ' safety checkpoints (max_safety_snapshots)' WHEN 20 THEN
    'its project has more than ' || CAST(most AS VARCHAR) || ' (max_snapshots)' WHEN 21 THEN
    'it is within all limits' END AS reason, judged.by_hand AS by_hand, judged.freed_bytes AS
    freed_bytes FROM (SELECT placed.id AS id, placed.project_id AS project_id,
    placed.commit_id AS commit_id, placed.created_at AS created_at, placed.labels AS labels,
    placed.by_hand AS by_hand, placed.freed_bytes AS freed_bytes, projects.last_touch AS
    last_touch, projects.missing_since AS missing_since, CASE WHEN ((SELECT policy.own_limits
    FROM policy) AND projects.max_snapshots IS NOT NULL) THEN projects.max_snapshots ELSE
    (SELECT policy.max_snapshots FROM policy) END AS most, CASE WHEN (placed.id IN (SELECT
    unfinished.id FROM unfinished)) THEN 0 WHEN placed.marked THEN 1 WHEN (placed.pinned = 1
    AND (SELECT policy.include_pinned FROM policy) = 0) THEN 2 WHEN (placed.labels IS NOT NULL
    AND (SELECT policy.include_pinned FROM policy) = 0) THEN 3 WHEN (projects.state =
    'unreachable') THEN 4 WHEN (projects.state = 'orphan' AND NOT (:orphans IS NULL OR
    projects.hash IN (SELECT orphans.value FROM json_each(:orphans) AS orphans))) THEN 5 WHEN
    (projects.state = 'orphan' AND (SELECT policy.delete_orphans FROM policy) AND ((SELECT
    policy.orphan_before FROM policy) IS NULL OR coalesce(projects.missing_since, (SELECT
    policy.now FROM policy)) <= (SELECT policy.orphan_before FROM policy))) THEN 6 WHEN
    (placed.rank = 1 AND projects.state = 'orphan' AND (SELECT policy.delete_orphans FROM
    policy) = 0) THEN 7 WHEN (placed.rank = 1 AND projects.state = 'orphan') THEN 8 WHEN
    (placed.rank = 1) THEN 9 WHEN placed.undoes THEN 10 WHEN (placed.safety = 0 AND
    placed.rank <= (SELECT policy.keep_last FROM policy)) THEN 11 WHEN (placed.safety = 0 AND
    placed.created_at >= (SELECT policy.within_since FROM policy)) THEN 12 WHEN (placed.id IN
    (SELECT newest.id FROM (SELECT max(local_times.id) AS id, row_number() OVER (PARTITION BY
    local_times.project_id ORDER BY max(local_times.id) DESC) AS number FROM local_times GROUP
    BY local_times.project_id, substr(local_times.time, 1, 13), local_times."offset" LIMIT
    CASE WHEN ((SELECT policy.keep_hourly FROM policy) > 0) THEN -1 ELSE 0 END OFFSET 0) AS
    newest WHERE newest.number <= (SELECT policy.keep_hourly FROM policy))) THEN 13 WHEN
    (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id) AS id, row_number() OVER
    (PARTITION BY local_times.project_id ORDER BY max(local_times.id) DESC) AS number FROM
    local_times GROUP BY local_times.project_id, substr(local_times.time, 1, 10) LIMIT CASE
    WHEN ((SELECT policy.keep_daily FROM policy) > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest
    WHERE newest.number <= (SELECT policy.keep_daily FROM policy))) THEN 14 WHEN (placed.id IN
    (SELECT newest.id FROM (SELECT max(local_times.id) AS id, row_number() OVER (PARTITION BY
    local_times.project_id ORDER BY max(local_times.id) DESC) AS number FROM local_times GROUP
    BY local_times.project_id, date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE WHEN
    ((SELECT policy.keep_weekly FROM policy) > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE
    newest.number <= (SELECT policy.keep_weekly FROM policy))) THEN 15 WHEN (placed.id IN
    (SELECT newest.id FROM (SELECT max(local_times.id) AS id, row_number() OVER (PARTITION BY
    local_times.project_id ORDER BY max(local_times.id) DESC) AS number FROM local_times GROUP
    BY local_times.project_id, substr(local_times.time, 1, 7) LIMIT CASE WHEN ((SELECT
    policy.keep_monthly FROM policy) > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE
    newest.number <= (SELECT policy.keep_monthly FROM policy))) THEN 16 WHEN (placed.safety =
    0 AND ((SELECT policy.keep_last FROM policy) > 0 OR (SELECT policy.keep_hourly FROM
    policy) > 0 OR (SELECT policy.keep_daily FROM policy) > 0 OR (SELECT policy.keep_weekly
    FROM policy) > 0 OR (SELECT policy.keep_monthly FROM policy) > 0 OR (SELECT
    policy.within_since FROM policy) IS NOT NULL) AND (SELECT policy.only_limit FROM policy) =
    0) THEN 17 WHEN (projects.last_touch <= (SELECT policy.stale_before FROM policy)) THEN 18
    WHEN (placed.safety = 1 AND (SELECT policy.max_safety_snapshots FROM policy) > 0 AND
    placed.place > (SELECT policy.max_safety_snapshots FROM policy)) THEN 19 WHEN
    (placed.safety = 0 AND CASE WHEN ((SELECT policy.own_limits FROM policy) AND
    projects.max_snapshots IS NOT NULL) THEN projects.max_snapshots ELSE (SELECT
    policy.max_snapshots FROM policy) END > 0 AND placed.place > CASE WHEN ((SELECT
    policy.own_limits FROM policy) AND projects.max_snapshots IS NOT NULL) THEN
    projects.max_snapshots ELSE (SELECT policy.max_snapshots FROM policy) END) THEN 20 WHEN 1
    THEN 21 END AS number FROM (SELECT ranked.id AS id, ranked.project_id AS project_id,
    ranked.commit_id AS commit_id, ranked.created_at AS created_at, ranked.pinned AS pinned,
    ranked.labels AS labels, ranked.marked AS marked, ranked.safety AS safety, ranked.by_hand
    AS by_hand, ranked.undoes AS undoes, ranked.rank AS rank, ranked.freed_bytes AS
    freed_bytes, row_number() OVER (PARTITION BY ranked.project_id, ranked.safety,
    (ranked.pinned = 1 OR ranked.labels IS NOT NULL) AND (SELECT policy.include_pinned FROM
    policy) = 0 AND ranked.rank > 1 ORDER BY ranked.rank = 1 DESC, ranked.undoes DESC,
    (ranked.pinned = 1 OR ranked.labels IS NOT NULL) DESC, ranked.by_hand DESC, ranked.id
    DESC) AS place FROM (SELECT checkpoints.id AS id, checkpoints.project_id AS project_id,
    checkpoints.commit_id AS commit_id, checkpoints.created_at AS created_at,
    checkpoints.pinned AS pinned, (SELECT group_concat(labels.label, ', ') AS group_concat_1
    FROM labels WHERE labels.checkpoint_id = checkpoints.id) AS labels, checkpoints.commit_id
    IN (SELECT protected.value FROM json_each(:protected) AS protected) AS marked,
    checkpoints.kind = 'safety' AS safety, checkpoints.kind = 'manual' AS by_hand,
    (checkpoints.project_id, checkpoints.id) IN (SELECT undoable.project_id, undoable.id FROM
    undoable) AS undoes, row_number() OVER (PARTITION BY checkpoints.project_id ORDER BY
    checkpoints.kind = 'safety', checkpoints.id DESC) AS rank,
    CAST(round(CAST(coalesce(lag(checkpoints.superseded_bytes + CASE WHEN
    (checkpoints.added_bytes - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes -
    checkpoints.stored_bytes ELSE 0 END) OVER (PARTITION BY checkpoints.project_id ORDER BY
    checkpoints.id DESC), checkpoints.held_bytes + CASE WHEN (checkpoints.added_bytes -
    checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes ELSE
    0 END) AS FLOAT) * CASE WHEN (checkpoints.id <= (SELECT store_packing.through FROM
    store_packing)) THEN (SELECT store_packing.ratio FROM store_packing) ELSE 1.0 END) AS
    INTEGER) AS freed_bytes FROM checkpoints WHERE checkpoints.state = 'live' AND
    checkpoints.project_id = (SELECT projects.id FROM projects WHERE projects.hash =
    :project)) AS ranked) AS placed JOIN projects ON projects.id = placed.project_id WHERE 1 =
    1 LIMIT -1 OFFSET 0) AS judged) SELECT decided.project_id, decided.rule, decided.reason AS
    why, decided.decision, decided.id, checkpoints.commit_id, checkpoints.ref_name,
    checkpoints.created_at, checkpoints.pinned, EXISTS (SELECT labels.label FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS labelled, checkpoints.reason,
    decided.freed_bytes, 1 AS number, 0 AS id_sum, 0 AS id_max FROM decided JOIN checkpoints
    ON checkpoints.id = decided.id WHERE decided.decision = 'drop'
    """,
    (
        "now:time max_snapshots:plain max_safety_snapshots:plain retention_days:plain "
        "orphan_before:time orphan_grace_seconds:plain keep_last:plain keep_hourly:plain "
        "keep_daily:plain keep_weekly:plain keep_monthly:plain within_since:time "
        "cap_bytes:plain reclaim_bytes:plain project:plain orphans:plain protected:plain"
    ),
    "plain plain plain plain plain plain plain time flag flag plain plain plain plain plain",
)
ITS_FACTS = Statement(
    """
    SELECT projects.id, projects.hash, projects.workdir, projects.state, projects.last_touch,
    projects.missing_since, projects.disposable, projects.device, projects.inode,
    projects.parent_device, projects.parent_inode FROM projects WHERE (EXISTS (SELECT
    checkpoints.id FROM checkpoints WHERE checkpoints.state = 'live' AND
    checkpoints.project_id = projects.id)) AND projects.hash = :project ORDER BY
    projects.last_touch DESC, projects.id DESC
    """,
    "project:plain",
    "plain plain path ProjectState time time flag plain plain plain plain",
)
STANDING = Statement(
    """
    WITH unfinished AS (SELECT restores.target_id AS id FROM restores WHERE (restores.state =
    'writing' OR restores.state = 'interrupted' AND restores.undone_by IS NULL AND NOT (EXISTS
    (SELECT later.id FROM restores AS later WHERE later.project_id = restores.project_id AND
    later.id > restores.id))) AND restores.target_id IS NOT NULL UNION ALL SELECT
    restores.safety_id AS safety_id FROM restores WHERE restores.state = 'writing' OR
    restores.state = 'interrupted' AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT
    later.id FROM restores AS later WHERE later.project_id = restores.project_id AND later.id
    > restores.id))), undoable AS (SELECT projects.id AS project_id, (SELECT
    restores.safety_id FROM restores WHERE restores.project_id = projects.id ORDER BY
    restores.id DESC LIMIT 1 OFFSET 0) AS id FROM projects WHERE 1 = 1), decided AS (SELECT
    told."key" AS "key", json_extract(told.value, '$.id') AS id, json_extract(told.value,
    '$.rule') AS rule, json_extract(told.value, '$.pinned') AS pinned,
    json_extract(told.value, '$.labelled') AS labelled FROM json_each(:decisions) AS told)
    SELECT decided."key", checkpoints.id, checkpoints.pinned, EXISTS (SELECT labels.label FROM
    labels WHERE labels.checkpoint_id = checkpoints.id) AS anon_1, CASE WHEN
    (checkpoints.pinned = 1 AND decided.pinned = 0 OR (EXISTS (SELECT labels.label FROM labels
    WHERE labels.checkpoint_id = checkpoints.id)) AND decided.labelled = 0 OR checkpoints.id
    IN (SELECT unfinished.id FROM unfinished) OR decided.rule = 'orphan' AND projects.state !=
    'orphan' OR decided.rule != 'requested' AND projects.state = 'orphan' AND NOT (:orphans IS
    NULL OR projects.hash IN (SELECT orphans.value FROM json_each(:orphans) AS orphans)) OR
    (decided.rule NOT IN ('orphan', 'requested')) AND (NOT (EXISTS (SELECT newer.id FROM
    checkpoints AS newer WHERE newer.state = 'live' AND newer.project_id =
    checkpoints.project_id AND newer.id > checkpoints.id AND (newer.kind != 'safety' OR
    checkpoints.kind = 'safety'))) AND NOT (checkpoints.kind = 'safety' AND (EXISTS (SELECT
    newer.id FROM checkpoints AS newer WHERE newer.state = 'live' AND newer.project_id =
    checkpoints.project_id AND newer.kind != 'safety'))) OR (checkpoints.project_id,
    checkpoints.id) IN (SELECT undoable.project_id, undoable.id FROM undoable))) THEN 0 ELSE 1
    END AS anon_2 FROM decided LEFT OUTER JOIN checkpoints ON checkpoints.commit_id =
    decided.id AND (checkpoints.state = 'live' OR checkpoints.state = 'pruned' AND
    checkpoints.lost_at IS NOT NULL) LEFT OUTER JOIN projects ON projects.id =
    checkpoints.project_id
    """,
    "decisions:plain orphans:plain",
    "plain plain flag flag flag",
)
MARK_PRUNING = Statement(
    """
    UPDATE checkpoints SET state='pruning', pruned_at=:now, prune_reason=:why, lost_at=NULL
    WHERE checkpoints.id = :id AND (checkpoints.state = 'live' OR checkpoints.state = 'pruned'
    AND checkpoints.lost_at IS NOT NULL) AND checkpoints.pinned IS 0
    """,
    "now:time why:text id:plain",
)
MARK_PRUNED = Statement(
    """
    UPDATE checkpoints SET state='pruned' WHERE checkpoints.id = :id AND checkpoints.state =
    'pruning'
    """,
    "id:plain",
)
IMPORTED = Statement(
    """
    SELECT count(DISTINCT former_ids.checkpoint_id) AS count_1 FROM former_ids WHERE
    former_ids.checkpoint_id IN (:ids)
    """,
    "ids:plain",
    "plain",
)
AGENT_SINCE = Statement(
    """
    SELECT turns.id FROM turns WHERE turns.project_id = :project AND turns.actor IN ('agent',
    'unknown') AND (turns.ended_at IS NULL OR turns.end_checkpoint_id >= :checkpoint) LIMIT 1
    OFFSET 0
    """,
    "project:plain checkpoint:plain",
    "plain",
)
OWNERS = Statement(
    """
    SELECT turns.session_id, turns.owner FROM turns WHERE turns.id IN (SELECT max(turns.id) AS
    max_1 FROM turns WHERE turns.actor = 'agent' AND turns.session_id IN (:sessions) AND
    turns.session_id IN (SELECT turns.session_id FROM turns WHERE turns.actor = 'agent' AND
    turns.project_id = :project) GROUP BY turns.session_id) AND turns.owner IS NOT NULL
    """,
    "sessions:text project:plain",
    "plain plain",
)
OF_STATE = Statement(
    """
    SELECT checkpoints.id, projects.hash, projects.workdir, checkpoints.commit_id,
    coalesce(checkpoints.tree_id, '') AS tree_id, coalesce(checkpoints.state_id, '') AS
    state_id, coalesce(checkpoints.ref_name, '') AS ref_name, checkpoints.kind,
    checkpoints.reason, checkpoints.created_at, checkpoints.utc_offset_minutes, (SELECT
    json_group_array(labels.label) AS json_group_array_1 FROM labels WHERE
    labels.checkpoint_id = checkpoints.id) AS anon_1, checkpoints.session_id,
    checkpoints.turn, checkpoints.message_count, checkpoints.pinned, checkpoints.file_count,
    checkpoints.logical_bytes, checkpoints.added_bytes, checkpoints.superseded_bytes,
    checkpoints.files_changed, checkpoints.insertions, checkpoints.deletions,
    checkpoints.skipped_count, checkpoints.ignored_count, checkpoints.previous_id,
    checkpoints.pruned_at, checkpoints.prune_reason, checkpoints.lost_at, checkpoints.state =
    'arriving' AS anon_2, checkpoints.partial, checkpoints.device, checkpoints.inode,
    checkpoints.generation, checkpoints.head, checkpoints.branch, (SELECT turns.title FROM
    turns WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title IS NOT NULL ORDER
    BY turns.id DESC LIMIT 1 OFFSET 0) AS anon_3 FROM checkpoints JOIN projects ON projects.id
    = checkpoints.project_id WHERE projects.hash = :hash AND checkpoints.state = 'live' AND
    checkpoints.state_id = :state ORDER BY checkpoints.id DESC
    """,
    "hash:plain state:plain",
    (
        "plain plain path plain plain plain plain Kind plain time plain names plain plain "
        "plain flag plain plain plain plain plain plain plain plain plain plain time plain "
        "time flag flag plain plain plain plain path plain"
    ),
)
FINISH = Statement(
    """
    UPDATE operations SET outcome=:outcome, project_id=:project,
    workdir=coalesce(operations.workdir, (SELECT projects.workdir FROM projects WHERE
    projects.id = :project)), checkpoint_id=:checkpoint, finished_at=:now,
    duration_ms=:milliseconds, detail=:detail WHERE operations.id = :operation
    """,
    (
        "outcome:member project:plain checkpoint:plain now:time milliseconds:plain "
        "detail:document operation:plain"
    ),
)
ADD_RESTORE = Statement(
    """
    INSERT INTO restores (project_id, operation_id, role, state, mode, whole, target_id,
    safety_id, undo_of, started_at) VALUES (:project, :operation, :role, 'writing', :mode,
    :whole, :target, :safety, :undo_of, :now)
    """,
    (
        "project:plain operation:plain role:member mode:member whole:plain target:plain "
        "safety:plain undo_of:plain now:time"
    ),
)
ADD_RESTORE_PATH = Statement(
    """
    INSERT INTO restore_paths (restore_id, position, path, action, reason, blob, mode,
    outcome) VALUES (:restore, :position, :path, :action, :reason, :blob, :mode, 'planned')
    """,
    "restore:plain position:plain path:path action:member reason:text blob:plain mode:plain",
)
END_RESTORE = Statement(
    """
    UPDATE restores SET state='done', finished_at=:now WHERE restores.id = :restore
    """,
    "now:time restore:plain",
)
TAKEN_BACK = Statement(
    """
    UPDATE restores SET undone_by=:restore WHERE restores.id = (SELECT restores.undo_of FROM
    restores WHERE restores.id = :restore)
    """,
    "restore:plain",
)
END_PATHS = Statement(
    """
    UPDATE restore_paths SET outcome=CASE WHEN (restore_paths.action = 'keep') THEN 'kept'
    ELSE 'done' END WHERE restore_paths.restore_id = :restore
    """,
    "restore:plain",
)
CUT_SHORT = Statement(
    """
    SELECT restore_paths.path, restore_paths.action, restore_paths.blob, restore_paths.mode
    FROM restore_paths JOIN restores ON restores.id = restore_paths.restore_id JOIN projects
    ON projects.id = restores.project_id WHERE restores.project_id = :project AND
    restores.state IN ('interrupted', 'writing') AND restores.id >
    coalesce(projects.looked_restore, 0) AND restore_paths.action != 'keep' ORDER BY
    restores.id, restore_paths.position
    """,
    "project:plain",
    "path Action plain plain",
)
LEFT_UNSENT = Statement(
    """
    SELECT coalesce(sum(CASE WHEN (checkpoints.lost_at IS NULL AND checkpoints.created_at <
    :before AND (pushes.state IS NULL OR pushes.state = 'waiting')) THEN 1 ELSE 0 END), 0) AS
    coalesce_1, min(CASE WHEN (checkpoints.lost_at IS NULL AND checkpoints.created_at <
    :before AND (pushes.state IS NULL OR pushes.state = 'waiting')) THEN
    checkpoints.created_at END) AS min_1, coalesce(sum(CASE WHEN (pushes.state = 'refused')
    THEN 1 ELSE 0 END), 0) AS coalesce_3, max(CASE WHEN (remotes.failures > 0) THEN
    remotes.last_error END) AS max_1 FROM checkpoints JOIN projects ON projects.id =
    checkpoints.project_id LEFT OUTER JOIN remotes ON remotes.url_shown = replace(:shown,
    '{project}', projects.hash) LEFT OUTER JOIN pushes ON pushes.remote_id = remotes.id AND
    pushes.commit_id = checkpoints.commit_id WHERE checkpoints.state = 'live'
    """,
    "before:time shown:text",
    "plain time plain plain",
)
HOOK_SESSION = Statement(
    """
    SELECT hook_sessions.session_id, hook_sessions.agent, hook_sessions.turn,
    hook_sessions.title, hook_sessions.prompted_at, hook_sessions.told FROM hook_sessions
    WHERE hook_sessions.session_id = :session
    """,
    "session:text",
    "plain plain plain plain time plain",
)
HOOK_BEGIN = Statement(
    """
    INSERT INTO hook_sessions (session_id, turn, agent, prompted_at) SELECT :session AS
    anon_1, (SELECT coalesce(max(turns.turn), 0) AS coalesce_1 FROM turns WHERE
    turns.session_id = :session) AS anon_2, :agent AS anon_3, :now AS anon_4 WHERE NOT (EXISTS
    (SELECT hook_sessions.session_id FROM hook_sessions WHERE hook_sessions.session_id =
    :session))
    """,
    "session:text agent:plain now:time",
)
HOOK_NEXT = Statement(
    """
    UPDATE hook_sessions SET agent=:agent, turn=(hook_sessions.turn + 1), title=:title,
    prompted_at=:now WHERE hook_sessions.session_id = :session
    """,
    "agent:plain title:text now:time session:text",
)
HOOK_FORGET = Statement(
    """
    DELETE FROM hook_sessions WHERE hook_sessions.prompted_at < :before
    """,
    "before:time",
)
HOOK_TELL = Statement(
    """
    UPDATE hook_sessions SET told=:why WHERE hook_sessions.session_id = :session
    """,
    "why:text session:text",
)
HOOK_END = Statement(
    """
    DELETE FROM hook_sessions WHERE hook_sessions.session_id = :session
    """,
    "session:text",
)

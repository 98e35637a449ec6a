BEGIN TRANSACTION;
CREATE TABLE agent_writes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  turn_id INTEGER,
  session_id TEXT,
  turn INTEGER,
  path TEXT NOT NULL,
  tool TEXT,
  written_at DATETIME NOT NULL,
  blob VARCHAR(64),
  seen BOOLEAN DEFAULT 0 NOT NULL,
  CONSTRAINT ck_agent_writes_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT fk_agent_writes_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_agent_writes_turn_id_turns FOREIGN KEY(turn_id) REFERENCES turns (id),
  CONSTRAINT ck_agent_writes_seen CHECK (seen IN (0, 1))
);
INSERT INTO "agent_writes" VALUES(1,1,1,'session_id-1',1,'path-1','tool-1','2026-11-21 12:00:00.000000','blob-1',1);
INSERT INTO "agent_writes" VALUES(2,2,2,'session_id-2',2,'path-2','tool-2','2026-11-22 12:00:00.000000','blob-2',0);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0014');
CREATE TABLE "checkpoint_changes" (
	checkpoint_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	status VARCHAR(1) NOT NULL, 
	old_blob VARCHAR(64), 
	new_blob VARCHAR(64), 
	old_mode INTEGER, 
	new_mode INTEGER, 
	old_bytes BIGINT, 
	new_bytes BIGINT, 
	stored_bytes BIGINT DEFAULT 0 NOT NULL, 
	insertions INTEGER, 
	deletions INTEGER, 
	CONSTRAINT pk_checkpoint_changes PRIMARY KEY (checkpoint_id, path), 
	CONSTRAINT ck_checkpoint_changes_status CHECK (status IN ('A', 'M', 'D', 'T')), 
	CONSTRAINT fk_checkpoint_changes_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_checkpoint_changes_old_mode CHECK (old_mode BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_new_mode CHECK (new_mode BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_old_bytes CHECK (old_bytes BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_new_bytes CHECK (new_bytes BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_stored_bytes CHECK (stored_bytes BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_insertions CHECK (insertions BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_checkpoint_changes_deletions CHECK (deletions BETWEEN 0 AND 9223372036854775807));
INSERT INTO "checkpoint_changes" VALUES(1,'path-1','A','old_blob-1','new_blob-1',1,1,1,1,1,1,1);
INSERT INTO "checkpoint_changes" VALUES(2,'path-2','A','old_blob-2','new_blob-2',2,2,2,2,2,2,2);
CREATE TABLE "checkpoints" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	commit_id VARCHAR(64) NOT NULL, 
	tree_id VARCHAR(64), 
	state_id VARCHAR(64), 
	ref_name VARCHAR(255), 
	previous_id INTEGER, 
	kind VARCHAR(16) NOT NULL, 
	reason TEXT NOT NULL, 
	label TEXT, 
	pinned BOOLEAN DEFAULT 0 NOT NULL, 
	session_id TEXT, 
	turn INTEGER, 
	message_count INTEGER, 
	created_at DATETIME NOT NULL, 
	utc_offset_minutes INTEGER DEFAULT 0 NOT NULL, 
	file_count INTEGER DEFAULT 0 NOT NULL, 
	logical_bytes BIGINT DEFAULT 0 NOT NULL, 
	added_bytes BIGINT DEFAULT 0 NOT NULL, 
	superseded_bytes BIGINT DEFAULT 0 NOT NULL, 
	stored_bytes BIGINT DEFAULT 0 NOT NULL, 
	held_bytes BIGINT DEFAULT 0 NOT NULL, 
	files_changed INTEGER DEFAULT 0 NOT NULL, 
	insertions INTEGER DEFAULT 0 NOT NULL, 
	deletions INTEGER DEFAULT 0 NOT NULL, 
	skipped_count INTEGER DEFAULT 0 NOT NULL, 
	ignored_count INTEGER DEFAULT 0 NOT NULL, 
	state VARCHAR(16) DEFAULT 'live' NOT NULL, 
	pruned_at DATETIME, 
	prune_reason TEXT, lost_at DATETIME, partial BOOLEAN DEFAULT 0 NOT NULL CONSTRAINT ck_checkpoints_partial CHECK (partial IN (0, 1)), device VARCHAR(32), inode VARCHAR(32), generation VARCHAR(32), 
	CONSTRAINT fk_checkpoints_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id), 
	CONSTRAINT uq_checkpoints_commit_id UNIQUE (commit_id), 
	CONSTRAINT fk_checkpoints_previous_id_checkpoints FOREIGN KEY(previous_id) REFERENCES checkpoints (id), 
	CONSTRAINT ck_checkpoints_file_count CHECK (file_count BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_logical_bytes CHECK (logical_bytes BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_added_bytes CHECK (added_bytes BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_superseded_bytes CHECK (superseded_bytes BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_stored_bytes CHECK (stored_bytes BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_held_bytes CHECK (held_bytes BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_files_changed CHECK (files_changed BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_insertions CHECK (insertions BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_deletions CHECK (deletions BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_skipped_count CHECK (skipped_count BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_ignored_count CHECK (ignored_count BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_message_count CHECK (message_count BETWEEN -9223372036854775807 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_utc_offset_minutes CHECK (utc_offset_minutes BETWEEN -9223372036854775807 AND 9223372036854775807), 
	CONSTRAINT ck_checkpoints_pinned CHECK (pinned IN (0, 1)), 
	CONSTRAINT ck_checkpoints_kind CHECK (kind IN ('auto', 'manual', 'safety', 'imported')), 
	CONSTRAINT ck_checkpoints_state CHECK (state IN ('arriving', 'live', 'pruning', 'pruned')), 
	CONSTRAINT ck_checkpoints_pruned_at CHECK ((state IN ('arriving', 'live')) = (pruned_at IS NULL)), 
	CONSTRAINT ck_checkpoints_whole CHECK (state NOT IN ('live', 'pruning') OR (tree_id IS NOT NULL AND state_id IS NOT NULL AND ref_name IS NOT NULL))
);
INSERT INTO "checkpoints" VALUES(1,1,'commit_id-1','tree_id-1','state_id-1','ref_name-1',1,'auto','reason-1','label-1',1,'session_id-1',1,1,'2026-11-21 12:00:00.000000',1,1,1,1,1,1,1,1,1,1,1,1,'live',NULL,NULL,NULL,1,'device-1','inode-1','generation-1');
INSERT INTO "checkpoints" VALUES(2,2,'commit_id-2','tree_id-2','state_id-2','ref_name-2',2,'auto','reason-2','label-2',0,'session_id-2',2,2,'2026-11-22 12:00:00.000000',2,2,2,2,2,2,2,2,2,2,2,2,'live',NULL,NULL,NULL,0,'device-2','inode-2','generation-2');
CREATE TABLE "former_ids" (
	former_id VARCHAR(64) NOT NULL, 
	checkpoint_id INTEGER NOT NULL, 
	layout VARCHAR(16) NOT NULL, 
	archive_id INTEGER, 
	let_go_at DATETIME, 
	CONSTRAINT pk_former_ids PRIMARY KEY (former_id, checkpoint_id), 
	CONSTRAINT ck_former_ids_layout CHECK (layout IN ('v1', 'v2', 'archive', 'session-file')), 
	CONSTRAINT fk_former_ids_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), 
	CONSTRAINT fk_former_ids_archive_id_legacy_archives FOREIGN KEY(archive_id) REFERENCES legacy_archives (id)
);
INSERT INTO "former_ids" VALUES('former_id-1',1,'v1',1,'2026-11-21 12:00:00.000000');
INSERT INTO "former_ids" VALUES('former_id-2',2,'v1',2,'2026-11-22 12:00:00.000000');
CREATE TABLE "legacy_archives" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	path TEXT NOT NULL, 
	layout VARCHAR(16) NOT NULL, 
	project_hash VARCHAR(16), 
	state VARCHAR(16) DEFAULT 'found' NOT NULL, 
	size_bytes BIGINT DEFAULT 0 NOT NULL, 
	imported_checkpoints INTEGER DEFAULT 0 NOT NULL, 
	error TEXT, 
	found_at DATETIME NOT NULL, 
	imported_at DATETIME, 
	archived_at DATETIME, 
	cleared_at DATETIME, workdir TEXT, 
	CONSTRAINT ck_legacy_archives_layout CHECK (layout IN ('v1', 'v2', 'archive', 'session-file')), 
	CONSTRAINT ck_legacy_archives_state CHECK (state IN ('found', 'imported', 'archived', 'cleared')), CONSTRAINT ck_legacy_archives_size_bytes CHECK (size_bytes BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_legacy_archives_imported_checkpoints CHECK (imported_checkpoints BETWEEN 0 AND 9223372036854775807));
INSERT INTO "legacy_archives" VALUES(1,'name-1','path-1','v1','project_hash-1','archived',1,1,'error-1','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','workdir-1');
INSERT INTO "legacy_archives" VALUES(2,'name-2','path-2','v1','project_hash-2','archived',2,2,'error-2','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','workdir-2');
CREATE TABLE "operations" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind VARCHAR(16) NOT NULL, 
	outcome VARCHAR(16) NOT NULL, 
	project_id INTEGER, 
	workdir TEXT, 
	checkpoint_id INTEGER, 
	session_id TEXT, 
	turn INTEGER, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	duration_ms BIGINT, 
	code VARCHAR(64), 
	message TEXT, 
	pid INTEGER, 
	detail TEXT, 
	CONSTRAINT ck_operations_outcome CHECK (outcome IN ('running', 'done', 'unchanged', 'skipped', 'partial', 'failed')), 
	CONSTRAINT fk_operations_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id), 
	CONSTRAINT fk_operations_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_operations_duration_ms CHECK (duration_ms BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_operations_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807), CONSTRAINT ck_operations_pid CHECK (pid BETWEEN -9223372036854775807 AND 9223372036854775807), CONSTRAINT ck_operations_kind CHECK (kind IN ('take', 'restore', 'prune', 'gc', 'migration', 'rebuild')), CONSTRAINT ck_operations_finished_at CHECK ((outcome = 'running') = (finished_at IS NULL)));
INSERT INTO "operations" VALUES(1,'take','done',1,'workdir-1',1,'session_id-1',1,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',1,'code-1','message-1',1,'{}');
INSERT INTO "operations" VALUES(2,'take','done',2,'workdir-2',2,'session_id-2',2,'2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000',2,'code-2','message-2',2,'{}');
CREATE TABLE path_events (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  checkpoint_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  status VARCHAR(1) NOT NULL,
  actor VARCHAR(16) NOT NULL,
  session_id TEXT,
  turn INTEGER,
  tool TEXT,
  overlaps TEXT,
  reason TEXT,
  old_blob VARCHAR(64),
  blob VARCHAR(64),
  old_mode INTEGER,
  mode INTEGER,
  at DATETIME NOT NULL,
  target_id INTEGER,
  CONSTRAINT ck_path_events_status CHECK (status IN ('A', 'M', 'D', 'T')),
  CONSTRAINT ck_path_events_actor CHECK (actor IN ('agent', 'person', 'since', 'restore', 'unrecorded', 'unknown')),
  CONSTRAINT ck_path_events_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_path_events_old_mode CHECK (old_mode BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT ck_path_events_mode CHECK (mode BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT fk_path_events_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_path_events_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id),
  CONSTRAINT fk_path_events_target_id_checkpoints FOREIGN KEY(target_id) REFERENCES checkpoints (id)
);
INSERT INTO "path_events" VALUES(1,1,1,'path-1','A','agent','session_id-1',1,'tool-1','overlaps-1','reason-1','old_blob-1','blob-1',1,1,'2026-11-21 12:00:00.000000',1);
INSERT INTO "path_events" VALUES(2,2,2,'path-2','A','agent','session_id-2',2,'tool-2','overlaps-2','reason-2','old_blob-2','blob-2',2,2,'2026-11-22 12:00:00.000000',2);
CREATE TABLE "projects" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	hash VARCHAR(16) NOT NULL, 
	workdir TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_touch DATETIME NOT NULL, 
	state VARCHAR(16) DEFAULT 'live' NOT NULL, 
	state_checked_at DATETIME, 
	last_seen_at DATETIME, 
	missing_since DATETIME, 
	device VARCHAR(32), 
	inode VARCHAR(32), 
	parent_device VARCHAR(32), 
	parent_inode VARCHAR(32), disposable BOOLEAN DEFAULT 0 NOT NULL, looked_ns BIGINT CONSTRAINT ck_projects_looked_ns CHECK (looked_ns BETWEEN -9223372036854775807 AND 9223372036854775807), looked_restore INTEGER CONSTRAINT ck_projects_looked_restore CHECK (looked_restore BETWEEN -9223372036854775807 AND 9223372036854775807), max_snapshots INTEGER CONSTRAINT ck_projects_max_snapshots CHECK (max_snapshots BETWEEN 0 AND 9223372036854775807), 
	CONSTRAINT ck_projects_state CHECK (state IN ('live', 'orphan', 'unreachable')), 
	CONSTRAINT uq_projects_hash UNIQUE (hash), CONSTRAINT ck_projects_disposable CHECK (disposable IN (0, 1)), CONSTRAINT uq_projects_workdir UNIQUE (workdir));
INSERT INTO "projects" VALUES(1,'hash-1','workdir-1','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','live','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','device-1','inode-1','parent_device-1','parent_inode-1',1,1,1,1);
INSERT INTO "projects" VALUES(2,'hash-2','workdir-2','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','live','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','device-2','inode-2','parent_device-2','parent_inode-2',0,2,2,2);
CREATE TABLE "restore_paths" (
	restore_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	reason TEXT NOT NULL, 
	blob VARCHAR(64), 
	mode INTEGER, 
	outcome VARCHAR(16) NOT NULL, 
	error TEXT, 
	CONSTRAINT pk_restore_paths PRIMARY KEY (restore_id, position), 
	CONSTRAINT ck_restore_paths_action CHECK (action IN ('write', 'delete', 'chmod', 'mkdir', 'keep')), 
	CONSTRAINT ck_restore_paths_outcome CHECK (outcome IN ('planned', 'done', 'kept', 'failed')), 
	CONSTRAINT fk_restore_paths_restore_id_restores FOREIGN KEY(restore_id) REFERENCES restores (id), CONSTRAINT ck_restore_paths_mode CHECK (mode BETWEEN 0 AND 9223372036854775807));
INSERT INTO "restore_paths" VALUES(1,1,'path-1','write','reason-1','blob-1',1,'done','error-1');
INSERT INTO "restore_paths" VALUES(2,2,'path-2','write','reason-2','blob-2',2,'done','error-2');
CREATE TABLE "restores" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	operation_id INTEGER, 
	role VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	whole BOOLEAN NOT NULL, 
	target_id INTEGER NOT NULL, 
	safety_id INTEGER NOT NULL, 
	undo_of INTEGER, 
	undone_by INTEGER, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT ck_restores_role CHECK (role IN ('restore', 'undo', 'redo')), 
	CONSTRAINT ck_restores_state CHECK (state IN ('writing', 'done', 'partial', 'interrupted')), 
	CONSTRAINT fk_restores_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id), 
	CONSTRAINT fk_restores_target_id_checkpoints FOREIGN KEY(target_id) REFERENCES checkpoints (id), 
	CONSTRAINT fk_restores_safety_id_checkpoints FOREIGN KEY(safety_id) REFERENCES checkpoints (id), 
	CONSTRAINT fk_restores_undo_of_restores FOREIGN KEY(undo_of) REFERENCES restores (id), 
	CONSTRAINT fk_restores_undone_by_restores FOREIGN KEY(undone_by) REFERENCES restores (id), CONSTRAINT ck_restores_whole CHECK (whole IN (0, 1)), CONSTRAINT ck_restores_mode CHECK (mode IN ('keep-edits', 'overlay', 'exact')), CONSTRAINT ck_restores_finished_at CHECK ((state = 'writing') = (finished_at IS NULL)));
INSERT INTO "restores" VALUES(1,1,1,'restore','done','overlay',1,1,1,1,1,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000');
INSERT INTO "restores" VALUES(2,2,2,'restore','done','overlay',0,2,2,2,2,'2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000');
CREATE TABLE "session_checkpoint_versions" (
	session_id VARCHAR(255) NOT NULL, 
	version INTEGER NOT NULL, 
	status TEXT, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	task TEXT, 
	document TEXT NOT NULL, 
	CONSTRAINT pk_session_checkpoint_versions PRIMARY KEY (session_id, version), 
	CONSTRAINT fk_session_checkpoint_versions_session_id_session_checkpoints FOREIGN KEY(session_id) REFERENCES session_checkpoints (session_id) ON DELETE CASCADE, CONSTRAINT ck_session_checkpoint_versions_size_bytes CHECK (size_bytes BETWEEN 0 AND 9223372036854775807));
INSERT INTO "session_checkpoint_versions" VALUES('session_id-1',1,'A','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',13,'task-1','{"task": "a"}');
INSERT INTO "session_checkpoint_versions" VALUES('session_id-2',2,'A','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000',13,'task-2','{"task": "a"}');
CREATE TABLE "session_checkpoints" (
	session_id VARCHAR(255) NOT NULL, 
	version INTEGER NOT NULL, 
	status TEXT, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	task TEXT, 
	document TEXT NOT NULL, 
	CONSTRAINT pk_session_checkpoints PRIMARY KEY (session_id), CONSTRAINT ck_session_checkpoints_version CHECK (version BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_session_checkpoints_size_bytes CHECK (size_bytes BETWEEN 0 AND 9223372036854775807));
INSERT INTO "session_checkpoints" VALUES('session_id-1',1,'in_progress','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',13,'task-1','{"task": "a"}');
INSERT INTO "session_checkpoints" VALUES('session_id-2',2,'in_progress','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000',13,'task-2','{"task": "a"}');
CREATE TABLE settings (
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('name-1','value-1','2026-11-21 12:00:00.000000');
INSERT INTO "settings" VALUES('name-2','value-2','2026-11-22 12:00:00.000000');
CREATE TABLE "skipped_paths" (
	checkpoint_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	bytes BIGINT, 
	CONSTRAINT pk_skipped_paths PRIMARY KEY (checkpoint_id, path), 
	CONSTRAINT ck_skipped_paths_reason CHECK (reason IN ('oversize', 'unreadable', 'special', 'vanished', 'unsupported-name', 'ignored-by-rule')), 
	CONSTRAINT fk_skipped_paths_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_skipped_paths_bytes CHECK (bytes BETWEEN 0 AND 9223372036854775807));
INSERT INTO "skipped_paths" VALUES(1,'path-1','oversize',1);
INSERT INTO "skipped_paths" VALUES(2,'path-2','oversize',2);
CREATE TABLE tool_runs (
  id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  run TEXT,
  tool TEXT,
  began_ns BIGINT NOT NULL,
  ended_ns BIGINT,
  CONSTRAINT pk_tool_runs PRIMARY KEY (id),
  CONSTRAINT ck_tool_runs_began_ns CHECK (began_ns BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_tool_runs_ended_ns CHECK (ended_ns BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT fk_tool_runs_turn_id_turns FOREIGN KEY(turn_id) REFERENCES turns (id)
);
INSERT INTO "tool_runs" VALUES(1,1,'run-1','tool-1',1,1);
INSERT INTO "tool_runs" VALUES(2,2,'run-2','tool-2',2,2);
CREATE TABLE turns (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  session_id TEXT,
  turn INTEGER,
  start_checkpoint_id INTEGER,
  end_checkpoint_id INTEGER,
  ended_by VARCHAR(16),
  actor TEXT DEFAULT 'agent' NOT NULL,
  started_at DATETIME NOT NULL,
  ended_at DATETIME,
  owner TEXT,
  tools_told BOOLEAN DEFAULT 0 NOT NULL,
  CONSTRAINT ck_turns_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_turns_ended_by CHECK (ended_by IN ('host', 'next', 'gone')),
  CONSTRAINT ck_turns_actor CHECK (actor IN ('agent', 'person', 'since', 'restore', 'unrecorded', 'unknown')),
  CONSTRAINT ck_turns_ended_at CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
  CONSTRAINT fk_turns_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_turns_start_checkpoint_id_checkpoints FOREIGN KEY(start_checkpoint_id) REFERENCES checkpoints (id),
  CONSTRAINT fk_turns_end_checkpoint_id_checkpoints FOREIGN KEY(end_checkpoint_id) REFERENCES checkpoints (id),
  CONSTRAINT ck_turns_tools_told CHECK (tools_told IN (0, 1))
);
INSERT INTO "turns" VALUES(1,1,'session_id-1',1,1,1,'next','agent','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','owner-1',1);
INSERT INTO "turns" VALUES(2,2,'session_id-2',2,2,2,'next','agent','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','owner-2',0);
CREATE INDEX ix_projects_last_touch ON projects (last_touch);
CREATE UNIQUE INDEX ix_checkpoints_ref_name ON checkpoints (ref_name) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoints_state_project_id_id ON checkpoints (state, project_id, id);
CREATE INDEX ix_checkpoints_session_id_state_turn ON checkpoints (session_id, state, turn) WHERE session_id IS NOT NULL;
CREATE INDEX ix_checkpoints_unshrunk ON checkpoints (state, project_id, id) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoint_changes_new_blob ON checkpoint_changes (new_blob);
CREATE INDEX ix_checkpoint_changes_path ON checkpoint_changes (path);
CREATE INDEX ix_restores_project_id_id ON restores (project_id, id);
CREATE INDEX ix_restores_operation_id ON restores (operation_id);
CREATE INDEX ix_restores_state ON restores (state);
CREATE INDEX ix_session_checkpoints_updated_at ON session_checkpoints (updated_at);
CREATE INDEX ix_session_checkpoints_status_updated_at ON session_checkpoints (status, updated_at);
CREATE INDEX ix_legacy_archives_path ON legacy_archives (path);
CREATE INDEX ix_operations_kind_outcome_workdir_id ON operations (kind, outcome, workdir, id);
CREATE INDEX ix_operations_outcome ON operations (outcome);
CREATE VIEW session_list AS
SELECT
    s.session_id AS session_id,
    s.status AS status,
    s.task AS task,
    substr(s.updated_at, 1, 19) AS updated_at,
    substr(s.created_at, 1, 19) AS created_at,
    s.size_bytes AS size_bytes,
    s.version AS version,
    (SELECT count(*) FROM session_checkpoint_versions AS v
     WHERE v.session_id = s.session_id) AS previous_versions,
    (SELECT count(*) FROM checkpoints AS c
     WHERE c.session_id = s.session_id AND c.state = 'live') AS checkpoints,
    (SELECT count(*) FROM
        (SELECT c.turn FROM checkpoints AS c
         WHERE c.session_id = s.session_id AND c.state = 'live' AND c.turn IS NOT NULL
         UNION
         SELECT t.turn FROM turns AS t
         WHERE t.session_id = s.session_id AND t.turn IS NOT NULL) AS both_of_them) AS turns
FROM session_checkpoints AS s
ORDER BY s.updated_at DESC, s.session_id;
CREATE VIEW legacy_list AS
SELECT
    l.path AS path,
    l.layout AS layout,
    l.workdir AS working_directory,
    l.state AS state,
    CASE WHEN l.imported_at IS NULL THEN 'no' WHEN l.error IS NULL THEN 'yes' ELSE 'in part' END
        AS imported,
    l.imported_checkpoints AS checkpoints,
    l.size_bytes AS size_bytes,
    l.error AS error,
    substr(l.found_at, 1, 19) AS found_at,
    substr(l.imported_at, 1, 19) AS imported_at
FROM legacy_archives AS l
ORDER BY l.state = 'cleared', l.path;
CREATE VIEW project_status AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  projects.state AS state,
  substr(projects.state_checked_at, 1, 19) AS checked_at,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes,
  substr((SELECT max(checkpoints.created_at) AS max_1 FROM checkpoints
      WHERE checkpoints.state = 'live' AND checkpoints.project_id =
      projects.id), 1, 19) AS last_checkpoint_at,
  substr(projects.last_touch, 1, 19) AS last_touch,
  substr(projects.created_at, 1, 19) AS created_at,
  substr(projects.missing_since, 1, 19) AS missing_since
FROM projects
WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id FROM
      checkpoints AS remembered WHERE remembered.project_id = projects.id
      AND remembered.state = 'live'))
ORDER BY projects.last_touch DESC,
  projects.id DESC;
CREATE VIEW store_totals AS
SELECT (SELECT count(*) AS count_1
  FROM projects
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
        FROM checkpoints AS remembered WHERE remembered.project_id
        = projects.id AND remembered.state = 'live'))) AS projects,
  (SELECT count(*) AS count_2
  FROM projects
  WHERE (projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
          FROM checkpoints AS remembered WHERE remembered.project_id
          = projects.id AND remembered.state = 'live'))) AND projects.state
    = 'orphan') AS orphaned_projects,
  (SELECT count(*) AS count_3
  FROM projects
  WHERE (projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
          FROM checkpoints AS remembered WHERE remembered.project_id
          = projects.id AND remembered.state = 'live'))) AND projects.state
    = 'unreachable') AS unreachable_projects,
  (SELECT count(*) AS count_4
  FROM checkpoints
  WHERE checkpoints.state = 'live') AS checkpoints,
  (SELECT count(*) AS count_5
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.pinned = 1) AS pinned,
  (SELECT count(*) AS count_6
  FROM checkpoints
  WHERE checkpoints.state = 'arriving') AS arriving,
  (SELECT count(*) AS count_7
  FROM checkpoints
  WHERE checkpoints.state = 'pruned') AS pruned,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live') AS added_bytes,
  (SELECT coalesce(sum(checkpoints.superseded_bytes), 0) AS coalesce_2
    FROM checkpoints
  WHERE checkpoints.state = 'live') AS superseded_bytes,
  substr((SELECT min(checkpoints.created_at) AS min_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS oldest_checkpoint_at,
  substr((SELECT max(checkpoints.created_at) AS max_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS newest_checkpoint_at;
CREATE VIEW stale_projects AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  projects.state AS state,
  substr(projects.last_touch, 1, 19) AS last_touch,
  (CAST(strftime('%s', substr(retention_policy.now, 1, 19)) AS INTEGER)
    - CAST(strftime('%s', substr(projects.last_touch, 1, 19)) AS INTEGER))
  / 86400 AS days_untouched,
  retention_policy.retention_days AS retention_days,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes
FROM projects JOIN retention_policy ON projects.last_touch <= retention_policy.stale_before
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
      FROM checkpoints AS remembered WHERE remembered.project_id =
      projects.id AND remembered.state = 'live'))
ORDER BY projects.last_touch;
CREATE VIEW orphaned_projects AS
SELECT projects.hash AS project,
  projects.workdir AS working_directory,
  substr(projects.missing_since, 1, 19) AS missing_since,
  substr(projects.last_seen_at, 1, 19) AS last_seen_at,
  substr(projects.state_checked_at, 1, 19) AS checked_at,
  (SELECT count(*) AS count_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS checkpoints,
  (SELECT coalesce(sum(checkpoints.added_bytes), 0) AS coalesce_1
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.project_id = projects.id)
  AS added_bytes
FROM projects
WHERE projects.state = 'orphan' AND (projects.state != 'orphan' OR
    (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
        remembered.project_id = projects.id AND remembered.state =
        'live')))
ORDER BY projects.missing_since;
CREATE VIEW recent_failures AS
SELECT substr(operations.started_at, 1, 19) AS started_at,
  operations.kind AS operation,
  operations.outcome AS outcome,
  operations.workdir AS working_directory,
  operations.code AS code,
  operations.message AS message,
  operations.duration_ms AS duration_ms,
  operations.session_id AS session_id,
  operations.turn AS turn,
  CASE WHEN (operations.kind = 'take' AND operations.outcome = 'failed'
    AND operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT later.id
        FROM operations AS later WHERE later.kind = 'take' AND later.outcome
        IN ('done', 'unchanged', 'partial') AND later.workdir = operations.workdir
        AND later.id > operations.id))) THEN 'yes' ELSE 'no' END AS
  unresolved
FROM operations
WHERE operations.outcome IN ('failed', 'partial') AND (operations.started_at
    >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(14 AS VARCHAR)
        || ' days') || '000') OR operations.kind = 'take' AND operations.outcome
    = 'failed' AND operations.workdir IS NOT NULL AND NOT (EXISTS (SELECT
        later.id FROM operations AS later WHERE later.kind = 'take'
        AND later.outcome IN ('done', 'unchanged', 'partial') AND later.workdir
        = operations.workdir AND later.id > operations.id)))
ORDER BY operations.id DESC;
CREATE VIEW prune_preview AS
SELECT retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule,
  count(*) AS checkpoints,
  sum(retention_decisions.bytes) AS bytes
FROM retention_decisions GROUP BY retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule
ORDER BY retention_decisions.working_directory,
  retention_decisions.decision,
  retention_decisions.rule;
CREATE VIEW restore_list AS
SELECT
    p.workdir AS working_directory,
    r.role AS role,
    r.state AS state,
    r.mode AS mode,
    CASE WHEN r.whole THEN 'yes' ELSE 'no' END AS whole,
    substr(t.commit_id, 1, 8) AS target,
    substr(s.commit_id, 1, 8) AS safety,
    substr(r.started_at, 1, 19) AS started_at,
    substr(r.finished_at, 1, 19) AS finished_at,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'done') AS written,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'kept') AS kept,
    (SELECT count(*) FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'failed') AS failed,
    (SELECT x.error FROM restore_paths AS x
     WHERE x.restore_id = r.id AND x.outcome = 'failed'
     ORDER BY x.position LIMIT 1) AS first_error,
    CASE WHEN r.undone_by IS NULL THEN 'no' ELSE 'yes' END AS undone,
    r.id AS restore_id
FROM restores AS r
JOIN projects AS p ON p.id = r.project_id
JOIN checkpoints AS t ON t.id = r.target_id
JOIN checkpoints AS s ON s.id = r.safety_id
ORDER BY r.id DESC;
CREATE VIEW restore_path_list AS
SELECT
    x.restore_id AS restore_id,
    x.path AS path,
    x.action AS action,
    x.reason AS reason,
    x.outcome AS outcome,
    x.error AS error,
    x.blob AS blob,
    x.mode AS mode
FROM restore_paths AS x
ORDER BY x.restore_id DESC, x.position;
CREATE VIEW operation_list AS
SELECT
    substr(o.started_at, 1, 19) AS started_at,
    o.kind AS operation,
    o.outcome AS outcome,
    o.workdir AS working_directory,
    substr(c.commit_id, 1, 8) AS checkpoint,
    o.duration_ms AS duration_ms,
    o.session_id AS session_id,
    o.turn AS turn,
    o.code AS code,
    o.message AS message
FROM operations AS o
LEFT JOIN checkpoints AS c ON c.id = o.checkpoint_id
ORDER BY o.id DESC;
CREATE VIEW running_operations AS
SELECT
    o.kind AS operation,
    o.workdir AS working_directory,
    o.pid AS pid,
    substr(o.started_at, 1, 19) AS started_at,
    o.session_id AS session_id,
    o.turn AS turn
FROM operations AS o
WHERE o.outcome = 'running'
ORDER BY o.id;
CREATE INDEX ix_former_ids_checkpoint_id ON former_ids (checkpoint_id);
CREATE INDEX ix_former_ids_archive_id ON former_ids (archive_id);
CREATE VIEW size_cap_candidates AS
SELECT candidates.place AS place,
  candidates.commit_id AS commit_id,
  substr(candidates.commit_id, 1, 8) AS checkpoint,
  projects.workdir AS working_directory,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  candidates.freed_bytes AS bytes,
  candidates.freed_before + candidates.freed_bytes AS running_bytes
  FROM (SELECT row_number() OVER (ORDER BY projects.disposable DESC,
      waiting.turn, waiting.created_at, waiting.id) AS place,
    waiting.id AS id, waiting.project_id AS project_id,
    waiting.commit_id AS commit_id, waiting.turn AS turn,
    waiting.freed_bytes AS freed_bytes, coalesce(sum(waiting.freed_bytes)
      OVER (ORDER BY projects.disposable DESC, waiting.turn, waiting.created_at,
        waiting.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
      0) AS freed_before
  FROM (SELECT decided.id AS id, decided.project_id AS project_id,
      decided.commit_id AS commit_id, decided.created_at AS created_at,
      decided.freed_bytes AS freed_bytes, row_number() OVER (PARTITION
        BY decided.project_id ORDER BY decided.by_hand, decided.id)
      AS turn FROM (SELECT checkpoints.id AS id, checkpoints.project_id
        AS project_id, checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, retention_decisions.rule AS rule, checkpoints.kind
        = 'manual' AS by_hand, retention_decisions.bytes AS freed_bytes
        FROM retention_decisions JOIN checkpoints ON checkpoints.commit_id
        = retention_decisions.commit_id) AS decided WHERE decided.rule
      = 'within-limits') AS waiting JOIN projects ON projects.id =
    waiting.project_id
  ORDER BY place) AS candidates JOIN projects ON projects.id = candidates.project_id
  JOIN checkpoints ON checkpoints.id = candidates.id
ORDER BY candidates.place;
CREATE INDEX ix_checkpoints_lost ON checkpoints (project_id, id) WHERE lost_at IS NOT NULL;
CREATE INDEX ix_restores_safety_id ON restores (safety_id);
CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn);
CREATE UNIQUE INDEX ix_turns_open ON turns (project_id, session_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX ix_turns_open_of_no_session ON turns (project_id) WHERE ended_at IS NULL AND session_id IS NULL;
CREATE INDEX ix_turns_project_id_end_checkpoint_id ON turns (project_id, end_checkpoint_id);
CREATE INDEX ix_agent_writes_project_id ON agent_writes (project_id);
CREATE INDEX ix_agent_writes_turn_id ON agent_writes (turn_id);
CREATE INDEX ix_tool_runs_turn_id ON tool_runs (turn_id);
CREATE INDEX ix_path_events_project_id_checkpoint_id ON path_events (project_id, checkpoint_id);
CREATE INDEX ix_path_events_project_id_path ON path_events (project_id, path);
CREATE INDEX ix_path_events_checkpoint_id ON path_events (checkpoint_id);
CREATE VIEW retention_policy AS
WITH setting AS (SELECT coalesce(max(CASE WHEN (settings.name = 'max_snapshots')
        THEN settings.value END), '20') AS max_snapshots,
    coalesce(max(CASE WHEN (settings.name = 'max_safety_snapshots')
        THEN settings.value END), '20') AS max_safety_snapshots,
    coalesce(max(CASE WHEN (settings.name = 'max_total_size_mb') THEN
        settings.value END), '500') AS max_total_size_mb,
    coalesce(max(CASE WHEN (settings.name = 'retention_days') THEN
        settings.value END), '7') AS retention_days,
    coalesce(max(CASE WHEN (settings.name = 'delete_orphans') THEN
        settings.value END), 'true') AS delete_orphans,
    coalesce(max(CASE WHEN (settings.name = 'orphan_grace_days') THEN
        settings.value END), '7') AS orphan_grace_days,
    coalesce(max(CASE WHEN (settings.name = 'keep_last') THEN settings.value
        END), '0') AS keep_last, coalesce(max(CASE WHEN (settings.name
          = 'keep_hourly') THEN settings.value END), '0') AS keep_hourly,
    coalesce(max(CASE WHEN (settings.name = 'keep_daily') THEN settings.value
        END), '0') AS keep_daily, coalesce(max(CASE WHEN (settings.name
          = 'keep_weekly') THEN settings.value END), '0') AS keep_weekly,
    coalesce(max(CASE WHEN (settings.name = 'keep_monthly') THEN settings.value
        END), '0') AS keep_monthly, coalesce(max(CASE WHEN (settings.name
          = 'keep_within') THEN settings.value END), '') AS keep_within
    FROM settings) SELECT strftime('%Y-%m-%d %H:%M:%f',
    'now') || '000' AS now,
  CAST(setting.max_snapshots AS INTEGER) AS max_snapshots,
  CAST(setting.max_safety_snapshots AS INTEGER) AS max_safety_snapshots,
  CAST(setting.retention_days AS INTEGER) AS retention_days,
  CASE WHEN (CAST(setting.retention_days AS INTEGER) > 0) THEN strftime('%Y-%m-%d %H:%M:%f',
    'now', '-' || CAST(CAST(setting.retention_days AS INTEGER) AS VARCHAR)
    || ' days') || '000' ELSE NULL END AS stale_before,
  setting.delete_orphans = 'true' AS delete_orphans,
  strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(CAST(setting.orphan_grace_days
        AS INTEGER) AS VARCHAR) || ' days') || '000' AS orphan_before,
  CAST(setting.orphan_grace_days AS INTEGER) * 86400 AS orphan_grace_seconds,
  CAST(setting.keep_last AS INTEGER) AS keep_last,
  CAST(setting.keep_hourly AS INTEGER) AS keep_hourly,
  CAST(setting.keep_daily AS INTEGER) AS keep_daily,
  CAST(setting.keep_weekly AS INTEGER) AS keep_weekly,
  CAST(setting.keep_monthly AS INTEGER) AS keep_monthly,
  CASE WHEN (CAST(setting.keep_within AS INTEGER) * CASE WHEN (substr(setting.keep_within,
        -1) = 'h') THEN 1 WHEN (substr(setting.keep_within, -1) = 'd')
    THEN 24 WHEN (substr(setting.keep_within, -1) = 'w') THEN 168 ELSE
    0 END > 0) THEN strftime('%Y-%m-%d %H:%M:%f', 'now',
    '-' || CAST(CAST(setting.keep_within AS INTEGER) * CASE WHEN (substr(setting.keep_within,
          -1) = 'h') THEN 1 WHEN (substr(setting.keep_within, -1) =
        'd') THEN 24 WHEN (substr(setting.keep_within, -1) = 'w') THEN
      168 ELSE 0 END AS VARCHAR) || ' hours') || '000' ELSE NULL END
  AS within_since,
  0 AS include_pinned,
  0 AS only_limit,
  CAST(setting.max_total_size_mb AS BIGINT) * 1048576 AS cap_bytes,
  0 AS reclaim_bytes,
  1 AS own_limits
FROM setting;
CREATE VIEW checkpoint_list AS
SELECT projects.workdir AS working_directory,
  CASE WHEN (checkpoints.kind != 'safety') THEN (SELECT count(*) AS
    count_1
  FROM checkpoints AS newer
  WHERE newer.state = 'live' AND newer.project_id = checkpoints.project_id
    AND newer.id >= checkpoints.id AND newer.kind != 'safety') END
  AS number,
  substr(checkpoints.commit_id, 1, 8) AS checkpoint,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  checkpoints.kind AS kind,
  checkpoints.reason AS reason,
  checkpoints.label AS label,
  CASE WHEN checkpoints.pinned THEN 'yes' ELSE 'no' END AS pinned,
  checkpoints.file_count AS files,
  checkpoints.logical_bytes AS logical_bytes,
  checkpoints.added_bytes AS added_bytes,
  checkpoints.files_changed AS files_changed,
  checkpoints.insertions AS insertions,
  checkpoints.deletions AS deletions,
  checkpoints.skipped_count AS skipped,
  CASE WHEN checkpoints.partial THEN 'yes' ELSE 'no' END AS partial,
  CASE WHEN (checkpoints.skipped_count = 0 AND checkpoints.partial
    IS 0) THEN 'yes' ELSE 'no' END AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC;
CREATE VIEW retention_decisions AS
WITH unfinished AS (SELECT restores.target_id AS id
  FROM restores
  WHERE restores.state = 'writing' OR restores.state = 'interrupted'
    AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
        FROM restores AS later WHERE later.project_id = restores.project_id
        AND later.id > restores.id))
  UNION ALL SELECT restores.safety_id AS safety_id
  FROM restores
  WHERE restores.state = 'writing' OR restores.state = 'interrupted'
    AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
        FROM restores AS later WHERE later.project_id = restores.project_id
        AND later.id > restores.id))),
  local_times AS (SELECT checkpoints.id AS id, checkpoints.project_id
    AS project_id, checkpoints.utc_offset_minutes AS "offset",
    datetime(substr(checkpoints.created_at, 1, 19), CAST(checkpoints.utc_offset_minutes
        AS VARCHAR) || ' minutes') AS time
  FROM checkpoints
  WHERE checkpoints.state = 'live' AND checkpoints.kind != 'safety'
    LIMIT CASE WHEN ((SELECT retention_policy.keep_hourly FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_daily FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_weekly FROM retention_policy)
      > 0 OR (SELECT retention_policy.keep_monthly FROM retention_policy)
      > 0) THEN -1 ELSE 0 END OFFSET 0),
  undoable AS (SELECT projects.id AS project_id, (SELECT restores.safety_id
      FROM restores WHERE restores.project_id = projects.id ORDER BY
      restores.id DESC LIMIT 1 OFFSET 0) AS id
  FROM projects
  WHERE 1 = 1) SELECT decided.commit_id AS commit_id,
  substr(decided.commit_id, 1, 8) AS checkpoint,
  projects.workdir AS working_directory,
  substr(decided.created_at, 1, 19) AS taken_at,
  decided.decision AS decision,
  decided.rule AS rule,
  decided.reason AS reason,
  decided.freed_bytes AS bytes
FROM (SELECT judged.id AS id, judged.project_id AS project_id,
    judged.commit_id AS commit_id, judged.created_at AS created_at,
    CASE judged.number WHEN 0 THEN 'keep' WHEN 1 THEN 'keep' WHEN 2
    THEN 'keep' WHEN 3 THEN 'keep' WHEN 4 THEN 'keep' WHEN 5 THEN 'drop'
    WHEN 6 THEN 'keep' WHEN 7 THEN 'keep' WHEN 8 THEN 'keep' WHEN 9
    THEN 'keep' WHEN 10 THEN 'keep' WHEN 11 THEN 'keep' WHEN 12 THEN
    'keep' WHEN 13 THEN 'keep' WHEN 14 THEN 'keep' WHEN 15 THEN 'keep'
    WHEN 16 THEN 'drop' WHEN 17 THEN 'drop' WHEN 18 THEN 'drop' WHEN
    19 THEN 'drop' WHEN 20 THEN 'keep' END AS decision,
    CASE judged.number WHEN 0 THEN 'unfinished-restore' WHEN 1 THEN
    'protected' WHEN 2 THEN 'pinned' WHEN 3 THEN 'labelled' WHEN 4
    THEN 'unreachable' WHEN 5 THEN 'orphan' WHEN 6 THEN 'newest' WHEN
    7 THEN 'newest' WHEN 8 THEN 'newest' WHEN 9 THEN 'last-restore'
    WHEN 10 THEN 'keep-rule' WHEN 11 THEN 'keep-rule' WHEN 12 THEN
    'keep-rule' WHEN 13 THEN 'keep-rule' WHEN 14 THEN 'keep-rule' WHEN
    15 THEN 'keep-rule' WHEN 16 THEN 'no-keep-rule' WHEN 17 THEN 'stale'
    WHEN 18 THEN 'over-limit' WHEN 19 THEN 'over-limit' WHEN 20 THEN
    'within-limits' END AS rule, CASE judged.number WHEN 0 THEN 'an unfinished restore needs it'
    WHEN 1 THEN 'it is in use just now' WHEN 2 THEN 'it is pinned'
    WHEN 3 THEN 'it has the label ' || label WHEN 4 THEN
  'its directory cannot be seen, which does not prove that it is gone'
    WHEN 5 THEN 'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), 'localtime') WHEN 6 THEN 'its directory is gone, as seen first on '
    || date(substr(coalesce(missing_since, (SELECT retention_policy.now
            FROM retention_policy)), 1, 19), 'localtime') || ', and orphans are kept'
    WHEN 7 THEN 'its directory is gone, as seen first on ' || date(substr(coalesce(missing_since,
          (SELECT retention_policy.now FROM retention_policy)), 1,
        19), 'localtime') || ', and orphans are kept until ' ||
  date(substr(coalesce(missing_since, (SELECT retention_policy.now
            FROM retention_policy)), 1, 19), CAST((SELECT retention_policy.orphan_grace_seconds
          FROM retention_policy) AS VARCHAR) || ' seconds', 'localtime')
    || ' unless somebody agrees' WHEN 8 THEN 'it is the newest of its project'
    WHEN 9 THEN 'the last restore is taken back with it' WHEN 10 THEN
    'it is one of the last ' || CAST((SELECT retention_policy.keep_last
        FROM retention_policy) AS VARCHAR) || ' (keep_last)' WHEN 11
    THEN 'it is young enough (keep_within)' WHEN 12 THEN
  'it is the newest of its period (keep_hourly)' WHEN 13 THEN
  'it is the newest of its period (keep_daily)' WHEN 14 THEN
  'it is the newest of its period (keep_weekly)' WHEN 15 THEN
  'it is the newest of its period (keep_monthly)' WHEN 16 THEN 'no keep rule keeps it'
    WHEN 17 THEN 'its project was last touched on ' || date(substr(last_touch,
        1, 19), 'localtime') || ' (retention_days: ' || CAST((SELECT
        retention_policy.retention_days FROM retention_policy) AS VARCHAR)
    || ')' WHEN 18 THEN 'its project has more than ' || CAST((SELECT
        retention_policy.max_safety_snapshots FROM retention_policy)
      AS VARCHAR) || ' safety checkpoints (max_safety_snapshots)' WHEN
    19 THEN 'its project has more than ' || CAST(most AS VARCHAR) ||
    ' (max_snapshots)' WHEN 20 THEN 'it is within all limits' END AS
    reason, judged.by_hand AS by_hand, judged.freed_bytes AS freed_bytes
    FROM (SELECT placed.id AS id, placed.project_id AS project_id,
      placed.commit_id AS commit_id, placed.created_at AS created_at,
      placed.label AS label, placed.by_hand AS by_hand, placed.freed_bytes
      AS freed_bytes, projects.last_touch AS last_touch, projects.missing_since
      AS missing_since, CASE WHEN ((SELECT retention_policy.own_limits
          FROM retention_policy) AND projects.max_snapshots IS NOT
        NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
        FROM retention_policy) END AS most, CASE WHEN (placed.id IN
        (SELECT unfinished.id FROM unfinished)) THEN 0 WHEN placed.marked
      THEN 1 WHEN (placed.pinned = 1 AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 2 WHEN (placed.label IS
        NOT NULL AND (SELECT retention_policy.include_pinned FROM retention_policy)
        = 0) THEN 3 WHEN (projects.state = 'unreachable') THEN 4 WHEN
      (projects.state = 'orphan' AND (SELECT retention_policy.delete_orphans
          FROM retention_policy) AND ((SELECT retention_policy.orphan_before
            FROM retention_policy) IS NULL OR coalesce(projects.missing_since,
            (SELECT retention_policy.now FROM retention_policy)) <=
          (SELECT retention_policy.orphan_before FROM retention_policy)))
      THEN 5 WHEN (placed.rank = 1 AND projects.state = 'orphan' AND
        (SELECT retention_policy.delete_orphans FROM retention_policy)
        = 0) THEN 6 WHEN (placed.rank = 1 AND projects.state = 'orphan')
      THEN 7 WHEN (placed.rank = 1) THEN 8 WHEN placed.undoes THEN
      9 WHEN (placed.safety = 0 AND placed.rank <= (SELECT retention_policy.keep_last
          FROM retention_policy)) THEN 10 WHEN (placed.safety = 0 AND
        placed.created_at >= (SELECT retention_policy.within_since
          FROM retention_policy)) THEN 11 WHEN (placed.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            substr(local_times.time, 1, 13), local_times."offset" LIMIT
            CASE WHEN ((SELECT retention_policy.keep_hourly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_hourly FROM retention_policy)))
      THEN 12 WHEN (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 10) LIMIT CASE WHEN ((SELECT retention_policy.keep_daily
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_daily
            FROM retention_policy))) THEN 13 WHEN (placed.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE
            WHEN ((SELECT retention_policy.keep_weekly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_weekly FROM retention_policy)))
      THEN 14 WHEN (placed.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 7) LIMIT CASE WHEN ((SELECT retention_policy.keep_monthly
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_monthly
            FROM retention_policy))) THEN 15 WHEN (placed.safety =
        0 AND ((SELECT retention_policy.keep_last FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_hourly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_daily FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_weekly FROM retention_policy)
          > 0 OR (SELECT retention_policy.keep_monthly FROM retention_policy)
          > 0 OR (SELECT retention_policy.within_since FROM retention_policy)
          IS NOT NULL) AND (SELECT retention_policy.only_limit FROM
          retention_policy) = 0) THEN 16 WHEN (projects.last_touch
        <= (SELECT retention_policy.stale_before FROM retention_policy))
      THEN 17 WHEN (placed.safety = 1 AND (SELECT retention_policy.max_safety_snapshots
          FROM retention_policy) > 0 AND placed.place > (SELECT
        retention_policy.max_safety_snapshots FROM retention_policy))
      THEN 18 WHEN (placed.safety = 0 AND CASE WHEN ((SELECT retention_policy.own_limits
            FROM retention_policy) AND projects.max_snapshots IS NOT
          NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
          FROM retention_policy) END > 0 AND placed.place > CASE WHEN
        ((SELECT retention_policy.own_limits FROM retention_policy)
          AND projects.max_snapshots IS NOT NULL) THEN projects.max_snapshots
        ELSE (SELECT retention_policy.max_snapshots FROM retention_policy)
        END) THEN 19 WHEN 1 THEN 20 END AS number FROM (SELECT ranked.id
        AS id, ranked.project_id AS project_id, ranked.commit_id AS
        commit_id, ranked.created_at AS created_at, ranked.pinned AS
        pinned, ranked.label AS label, ranked.marked AS marked, ranked.safety
        AS safety, ranked.by_hand AS by_hand, ranked.undoes AS undoes,
        ranked.rank AS rank, ranked.freed_bytes AS freed_bytes, row_number()
        OVER (PARTITION BY ranked.project_id, ranked.safety, (ranked.pinned
            = 1 OR ranked.label IS NOT NULL) AND (SELECT retention_policy.include_pinned
            FROM retention_policy) = 0 AND ranked.rank > 1 ORDER BY
          ranked.rank = 1 DESC, ranked.undoes DESC, (ranked.pinned
            = 1 OR ranked.label IS NOT NULL) DESC, ranked.by_hand DESC,
          ranked.id DESC) AS place FROM (SELECT checkpoints.id AS id,
          checkpoints.project_id AS project_id, checkpoints.commit_id
          AS commit_id, checkpoints.created_at AS created_at, checkpoints.pinned
          AS pinned, checkpoints.label AS label, 0 AS marked, checkpoints.kind
          = 'safety' AS safety, checkpoints.kind = 'manual' AS by_hand,
          (checkpoints.project_id, checkpoints.id) IN (SELECT undoable.project_id,
            undoable.id FROM undoable) AS undoes, row_number() OVER
          (PARTITION BY checkpoints.project_id ORDER BY checkpoints.kind
            = 'safety', checkpoints.id DESC) AS rank, coalesce(lag(checkpoints.superseded_bytes
              + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
              ELSE 0 END) OVER (PARTITION BY checkpoints.project_id
              ORDER BY checkpoints.id DESC), checkpoints.held_bytes
            + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
              > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
            ELSE 0 END) AS freed_bytes FROM checkpoints WHERE checkpoints.state
          = 'live') AS ranked) AS placed JOIN projects ON projects.id
      = placed.project_id WHERE 1 = 1 LIMIT -1 OFFSET 0) AS judged)
  AS decided JOIN projects ON projects.id = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('checkpoints',2);
INSERT INTO "sqlite_sequence" VALUES('projects',2);
INSERT INTO "sqlite_sequence" VALUES('restores',2);
INSERT INTO "sqlite_sequence" VALUES('legacy_archives',2);
INSERT INTO "sqlite_sequence" VALUES('operations',2);
INSERT INTO "sqlite_sequence" VALUES('turns',2);
INSERT INTO "sqlite_sequence" VALUES('agent_writes',2);
INSERT INTO "sqlite_sequence" VALUES('path_events',2);
COMMIT;

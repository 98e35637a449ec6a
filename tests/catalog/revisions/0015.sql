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
INSERT INTO "alembic_version" VALUES('0015');
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
	prune_reason TEXT, lost_at DATETIME, partial BOOLEAN DEFAULT 0 NOT NULL CONSTRAINT ck_checkpoints_partial CHECK (partial IN (0, 1)), device VARCHAR(32), inode VARCHAR(32), generation VARCHAR(32), replaced_by INTEGER CONSTRAINT ck_checkpoints_replaced_by CHECK (replaced_by BETWEEN -9223372036854775807 AND 9223372036854775807), head VARCHAR(64), branch TEXT, 
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
INSERT INTO "checkpoints" VALUES(1,1,'commit_id-1','tree_id-1','state_id-1','ref_name-1',1,'auto','reason-1',1,'session_id-1',1,1,'2026-11-21 12:00:00.000000',1,1,1,1,1,1,1,1,1,1,1,1,'live',NULL,NULL,NULL,1,'device-1','inode-1','generation-1',1,'head-1','branch-1');
INSERT INTO "checkpoints" VALUES(2,2,'commit_id-2','tree_id-2','state_id-2','ref_name-2',2,'auto','reason-2',0,'session_id-2',2,2,'2026-11-22 12:00:00.000000',2,2,2,2,2,2,2,2,2,2,2,2,'live',NULL,NULL,NULL,0,'device-2','inode-2','generation-2',2,'head-2','branch-2');
CREATE TABLE fetched_checkpoints (
  commit_id VARCHAR(64) NOT NULL,
  ref_name TEXT NOT NULL,
  fetched_at DATETIME NOT NULL,
  stored_bytes BIGINT DEFAULT 0 NOT NULL,
  CONSTRAINT pk_fetched_checkpoints PRIMARY KEY (commit_id),
  CONSTRAINT ck_fetched_checkpoints_stored_bytes CHECK (stored_bytes BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT uq_fetched_checkpoints_ref_name UNIQUE (ref_name)
);
INSERT INTO "fetched_checkpoints" VALUES('commit_id-1','ref_name-1','2026-11-21 12:00:00.000000',1);
INSERT INTO "fetched_checkpoints" VALUES('commit_id-2','ref_name-2','2026-11-22 12:00:00.000000',2);
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
CREATE TABLE hook_sessions (
  session_id TEXT NOT NULL,
  agent VARCHAR(16) NOT NULL,
  turn INTEGER NOT NULL,
  title TEXT,
  prompted_at DATETIME NOT NULL,
  told TEXT,
  CONSTRAINT pk_hook_sessions PRIMARY KEY (session_id),
  CONSTRAINT ck_hook_sessions_turn CHECK (turn BETWEEN 0 AND 9223372036854775807)
);
INSERT INTO "hook_sessions" VALUES('session_id-1','agent-1',1,'title-1','2026-11-21 12:00:00.000000','told-1');
INSERT INTO "hook_sessions" VALUES('session_id-2','agent-2',2,'title-2','2026-11-22 12:00:00.000000','told-2');
CREATE TABLE labels (
  project_id INTEGER NOT NULL,
  label TEXT NOT NULL,
  checkpoint_id INTEGER NOT NULL,
  CONSTRAINT pk_labels PRIMARY KEY (project_id, label),
  CONSTRAINT fk_labels_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_labels_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id)
    REFERENCES checkpoints (id)
);
INSERT INTO "labels" VALUES(1,'label-1',1);
INSERT INTO "labels" VALUES(2,'label-2',2);
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
CREATE TABLE machines (
  id VARCHAR(12) NOT NULL,
  name TEXT,
  first_seen DATETIME NOT NULL,
  last_seen DATETIME NOT NULL,
  CONSTRAINT pk_machines PRIMARY KEY (id),
  CONSTRAINT ck_machines_id CHECK (length(id) = 12)
);
INSERT INTO "machines" VALUES('000000000001','name-1','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000');
INSERT INTO "machines" VALUES('000000000002','name-2','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000');
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
	CONSTRAINT fk_operations_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_operations_duration_ms CHECK (duration_ms BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_operations_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807), CONSTRAINT ck_operations_pid CHECK (pid BETWEEN -9223372036854775807 AND 9223372036854775807), CONSTRAINT ck_operations_kind CHECK (kind IN ('take', 'restore', 'prune', 'gc', 'migration', 'rebuild', 'forget', 'push', 'pull', 'remote-prune', 'fetch')), CONSTRAINT ck_operations_finished_at CHECK ((outcome = 'running') = (finished_at IS NULL)));
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
	parent_inode VARCHAR(32), disposable BOOLEAN DEFAULT 0 NOT NULL, looked_ns BIGINT CONSTRAINT ck_projects_looked_ns CHECK (looked_ns BETWEEN -9223372036854775807 AND 9223372036854775807), looked_restore INTEGER CONSTRAINT ck_projects_looked_restore CHECK (looked_restore BETWEEN -9223372036854775807 AND 9223372036854775807), max_snapshots INTEGER CONSTRAINT ck_projects_max_snapshots CHECK (max_snapshots BETWEEN 0 AND 9223372036854775807), repository TEXT, subdirectory TEXT, repository_config VARCHAR(64), 
	CONSTRAINT ck_projects_state CHECK (state IN ('live', 'orphan', 'unreachable')), 
	CONSTRAINT uq_projects_hash UNIQUE (hash), CONSTRAINT ck_projects_disposable CHECK (disposable IN (0, 1)), CONSTRAINT uq_projects_workdir UNIQUE (workdir));
INSERT INTO "projects" VALUES(1,'hash-1','workdir-1','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','live','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','device-1','inode-1','parent_device-1','parent_inode-1',1,1,1,1,'repository-1','subdirectory-1','repository_confi');
INSERT INTO "projects" VALUES(2,'hash-2','workdir-2','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','live','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','device-2','inode-2','parent_device-2','parent_inode-2',0,2,2,2,'repository-2','subdirectory-2','repository_confi');
CREATE TABLE pushes (
  remote_id INTEGER NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  at DATETIME NOT NULL,
  reason TEXT,
  machine_id VARCHAR(12) NOT NULL,
  project_hash VARCHAR(16) NOT NULL,
  ref_name TEXT,
  cursor_id VARCHAR(64),
  CONSTRAINT pk_pushes PRIMARY KEY (remote_id, commit_id),
  CONSTRAINT ck_pushes_state CHECK (state IN ('waiting', 'sent', 'refused', 'removed')),
  CONSTRAINT ck_pushes_ref_name CHECK (state NOT IN ('sent', 'removed') OR ref_name IS NOT NULL),
  CONSTRAINT fk_pushes_remote_id_remotes FOREIGN KEY(remote_id) REFERENCES remotes (id)
    ON DELETE CASCADE,
  CONSTRAINT fk_pushes_machine_id_machines FOREIGN KEY(machine_id) REFERENCES machines (id)
);
INSERT INTO "pushes" VALUES(1,'0000000000000000000000000000000000000001','sent','2026-11-21 12:00:00.000000','reason-1','000000000001','project_hash-1','ref_name-1','cursor_id-1');
INSERT INTO "pushes" VALUES(2,'0000000000000000000000000000000000000002','sent','2026-11-22 12:00:00.000000','reason-2','000000000002','project_hash-2','ref_name-2','cursor_id-2');
CREATE TABLE refused_paths (
  remote_id INTEGER NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  CONSTRAINT pk_refused_paths PRIMARY KEY (remote_id, commit_id, path),
  CONSTRAINT ck_refused_paths_commit_id CHECK (length(commit_id) IN (40, 64)),
  CONSTRAINT fk_refused_paths_remote_id_commit_id_pushes FOREIGN KEY(remote_id, commit_id)
    REFERENCES pushes (remote_id, commit_id) ON DELETE CASCADE
);
INSERT INTO "refused_paths" VALUES(1,'0000000000000000000000000000000000000001','path-1','reason-1');
INSERT INTO "refused_paths" VALUES(2,'0000000000000000000000000000000000000002','path-2','reason-2');
CREATE TABLE remote_checkpoints (
  remote_id INTEGER NOT NULL,
  ref_name TEXT NOT NULL,
  machine_id VARCHAR(12) NOT NULL,
  project_hash VARCHAR(16) NOT NULL,
  repository TEXT,
  subdirectory TEXT,
  workdir TEXT NOT NULL,
  commit_id VARCHAR(64) NOT NULL,
  state_id VARCHAR(64) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  reason TEXT NOT NULL,
  session_id TEXT,
  turn INTEGER,
  created_at DATETIME NOT NULL,
  utc_offset_minutes INTEGER DEFAULT 0 NOT NULL,
  file_count INTEGER DEFAULT 0 NOT NULL,
  logical_bytes BIGINT DEFAULT 0 NOT NULL,
  partial BOOLEAN DEFAULT 0 NOT NULL,
  head VARCHAR(64),
  branch TEXT,
  CONSTRAINT pk_remote_checkpoints PRIMARY KEY (remote_id, ref_name),
  CONSTRAINT ck_remote_checkpoints_kind CHECK (kind IN ('auto', 'manual', 'safety', 'imported')),
  CONSTRAINT ck_remote_checkpoints_file_count CHECK (file_count BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT ck_remote_checkpoints_logical_bytes CHECK (logical_bytes BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT ck_remote_checkpoints_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_remote_checkpoints_utc_offset_minutes
    CHECK (utc_offset_minutes BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_remote_checkpoints_partial CHECK (partial IN (0, 1)),
  CONSTRAINT fk_remote_checkpoints_remote_id_remotes FOREIGN KEY(remote_id) REFERENCES remotes (id)
    ON DELETE CASCADE,
  CONSTRAINT fk_remote_checkpoints_machine_id_machines FOREIGN KEY(machine_id)
    REFERENCES machines (id)
);
INSERT INTO "remote_checkpoints" VALUES(1,'ref_name-1','000000000001','project_hash-1','repository-1','subdirectory-1','workdir-1','commit_id-1','state_id-1','auto','reason-1','session_id-1',1,'2026-11-21 12:00:00.000000',1,1,1,1,'head-1','branch-1');
INSERT INTO "remote_checkpoints" VALUES(2,'ref_name-2','000000000002','project_hash-2','repository-2','subdirectory-2','workdir-2','commit_id-2','state_id-2','auto','reason-2','session_id-2',2,'2026-11-22 12:00:00.000000',2,2,2,0,'head-2','branch-2');
CREATE TABLE remotes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  url_hash VARCHAR(16) NOT NULL,
  url_shown TEXT NOT NULL,
  added_at DATETIME NOT NULL,
  last_success_at DATETIME,
  last_failure_at DATETIME,
  last_code VARCHAR(64),
  last_error TEXT,
  failures INTEGER DEFAULT 0 NOT NULL,
  pulled_at DATETIME,
  CONSTRAINT ck_remotes_failures CHECK (failures BETWEEN 0 AND 9223372036854775807),
  CONSTRAINT ck_remotes_url_hash CHECK (length(url_hash) = 16),
  CONSTRAINT uq_remotes_url_hash UNIQUE (url_hash)
);
INSERT INTO "remotes" VALUES(1,'0000000000000001','url_shown-1','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','last_code-1','last_error-1',1,'2026-11-21 12:00:00.000000');
INSERT INTO "remotes" VALUES(2,'0000000000000002','url_shown-2','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','last_code-2','last_error-2',2,'2026-11-22 12:00:00.000000');
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
  target_id INTEGER,
  target_commit VARCHAR(64),
  safety_id INTEGER NOT NULL,
  undo_of INTEGER,
  undone_by INTEGER,
  started_at DATETIME NOT NULL,
  finished_at DATETIME,
  CONSTRAINT ck_restores_whole CHECK (whole IN (0, 1)),
  CONSTRAINT ck_restores_role CHECK (role IN ('restore', 'undo', 'redo')),
  CONSTRAINT ck_restores_state CHECK (state IN ('writing', 'done', 'partial', 'interrupted')),
  CONSTRAINT ck_restores_mode CHECK (mode IN ('keep-edits', 'overlay', 'exact')),
  CONSTRAINT ck_restores_finished_at CHECK ((state = 'writing') = (finished_at IS NULL)),
  CONSTRAINT ck_restores_target_commit
    CHECK ((target_id IS NULL) = (target_commit IS NOT NULL)),
  CONSTRAINT fk_restores_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_restores_target_id_checkpoints FOREIGN KEY(target_id)
    REFERENCES checkpoints (id),
  CONSTRAINT fk_restores_safety_id_checkpoints FOREIGN KEY(safety_id)
    REFERENCES checkpoints (id),
  CONSTRAINT fk_restores_undo_of_restores FOREIGN KEY(undo_of) REFERENCES restores (id),
  CONSTRAINT fk_restores_undone_by_restores FOREIGN KEY(undone_by) REFERENCES restores (id)
);
INSERT INTO "restores" VALUES(1,1,1,'restore','done','overlay',1,1,NULL,1,1,1,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000');
INSERT INTO "restores" VALUES(2,2,2,'restore','done','overlay',0,2,NULL,2,2,2,'2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000');
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
	CONSTRAINT ck_skipped_paths_reason CHECK (reason IN ('oversize', 'unreadable', 'special', 'vanished', 'unsupported-name', 'ignored-by-rule', 'over-budget', 'forgotten')), 
	CONSTRAINT fk_skipped_paths_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_skipped_paths_bytes CHECK (bytes BETWEEN 0 AND 9223372036854775807));
INSERT INTO "skipped_paths" VALUES(1,'path-1','oversize',1);
INSERT INTO "skipped_paths" VALUES(2,'path-2','oversize',2);
CREATE TABLE tool_runs (
  id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  run TEXT,
  tool TEXT,
  began_ns BIGINT NOT NULL,
  ended_ns BIGINT, record TEXT,
  CONSTRAINT pk_tool_runs PRIMARY KEY (id),
  CONSTRAINT ck_tool_runs_began_ns CHECK (began_ns BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_tool_runs_ended_ns CHECK (ended_ns BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT fk_tool_runs_turn_id_turns FOREIGN KEY(turn_id) REFERENCES turns (id)
);
INSERT INTO "tool_runs" VALUES(1,1,'run-1','tool-1',1,1,'record-1');
INSERT INTO "tool_runs" VALUES(2,2,'run-2','tool-2',2,2,'record-2');
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
  tools_told BOOLEAN DEFAULT 0 NOT NULL, title TEXT,
  CONSTRAINT ck_turns_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807),
  CONSTRAINT ck_turns_ended_by CHECK (ended_by IN ('host', 'next', 'gone')),
  CONSTRAINT ck_turns_actor CHECK (actor IN ('agent', 'person', 'since', 'restore', 'unrecorded', 'unknown')),
  CONSTRAINT ck_turns_ended_at CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
  CONSTRAINT fk_turns_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id),
  CONSTRAINT fk_turns_start_checkpoint_id_checkpoints FOREIGN KEY(start_checkpoint_id) REFERENCES checkpoints (id),
  CONSTRAINT fk_turns_end_checkpoint_id_checkpoints FOREIGN KEY(end_checkpoint_id) REFERENCES checkpoints (id),
  CONSTRAINT ck_turns_tools_told CHECK (tools_told IN (0, 1))
);
INSERT INTO "turns" VALUES(1,1,'session_id-1',1,1,1,'next','agent','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','owner-1',1,'title-1');
INSERT INTO "turns" VALUES(2,2,'session_id-2',2,2,2,'next','agent','2026-11-22 12:00:00.000000','2026-11-22 12:00:00.000000','owner-2',0,'title-2');
CREATE INDEX ix_projects_last_touch ON projects (last_touch);
CREATE UNIQUE INDEX ix_checkpoints_ref_name ON checkpoints (ref_name) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoints_state_project_id_id ON checkpoints (state, project_id, id);
CREATE INDEX ix_checkpoints_session_id_state_turn ON checkpoints (session_id, state, turn) WHERE session_id IS NOT NULL;
CREATE INDEX ix_checkpoints_unshrunk ON checkpoints (state, project_id, id) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoint_changes_new_blob ON checkpoint_changes (new_blob);
CREATE INDEX ix_session_checkpoints_updated_at ON session_checkpoints (updated_at);
CREATE INDEX ix_session_checkpoints_status_updated_at ON session_checkpoints (status, updated_at);
CREATE INDEX ix_legacy_archives_path ON legacy_archives (path);
CREATE INDEX ix_former_ids_checkpoint_id ON former_ids (checkpoint_id);
CREATE INDEX ix_former_ids_archive_id ON former_ids (archive_id);
CREATE INDEX ix_checkpoints_lost ON checkpoints (project_id, id) WHERE lost_at IS NOT NULL;
CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn);
CREATE UNIQUE INDEX ix_turns_open ON turns (project_id, session_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX ix_turns_open_of_no_session ON turns (project_id) WHERE ended_at IS NULL AND session_id IS NULL;
CREATE INDEX ix_turns_project_id_end_checkpoint_id ON turns (project_id, end_checkpoint_id);
CREATE INDEX ix_agent_writes_project_id ON agent_writes (project_id);
CREATE INDEX ix_agent_writes_turn_id ON agent_writes (turn_id);
CREATE INDEX ix_tool_runs_turn_id ON tool_runs (turn_id);
CREATE INDEX ix_path_events_project_id_checkpoint_id ON path_events (project_id, checkpoint_id);
CREATE INDEX ix_path_events_checkpoint_id ON path_events (checkpoint_id);
CREATE INDEX ix_labels_checkpoint_id_label ON labels (checkpoint_id, label);
CREATE INDEX ix_path_events_project_id_path_checkpoint_id ON path_events (project_id, path, checkpoint_id);
CREATE INDEX ix_checkpoint_changes_path_checkpoint_id ON checkpoint_changes (path, checkpoint_id);
CREATE INDEX ix_turns_titled ON turns (start_checkpoint_id, id) WHERE title IS NOT NULL;
CREATE INDEX ix_remote_checkpoints_repository_subdirectory_created_at ON remote_checkpoints (repository, subdirectory, created_at);
CREATE INDEX ix_remote_checkpoints_machine_id_project_hash_created_at ON remote_checkpoints (machine_id, project_hash, created_at);
CREATE INDEX ix_remote_checkpoints_commit_id ON remote_checkpoints (commit_id);
CREATE INDEX ix_remote_checkpoints_session_id ON remote_checkpoints (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX ix_operations_kind_outcome_workdir_id ON operations (kind, outcome, workdir, id);
CREATE INDEX ix_operations_outcome ON operations (outcome);
CREATE INDEX ix_restores_project_id_id ON restores (project_id, id);
CREATE INDEX ix_restores_operation_id ON restores (operation_id);
CREATE INDEX ix_restores_state ON restores (state);
CREATE INDEX ix_restores_safety_id ON restores (safety_id);
CREATE VIEW store_packing AS
/* One row: by how much sizes are corrected that were measured before the last repack, for it is
   then that git finds out how small it can make things.
   through  the row in checkpoints of the newest one that was packed then; 0: none
   ratio    bytes that git needed then for each byte that the rows said */
SELECT coalesce(CAST((SELECT settings.value FROM settings WHERE settings.name
        = 'packed_through') AS INTEGER), 0) AS through,
  coalesce(CAST((SELECT settings.value FROM settings WHERE settings.name
        = 'packed_bytes') AS FLOAT) / (nullif(CAST((SELECT settings.value
            FROM settings WHERE settings.name = 'packed_rows') AS FLOAT),
        0) + 0.0), 1.0) AS ratio;
CREATE VIEW retention_policy AS
/* One row: the rules that the settings make at this moment, for a prune that nobody watches. The
   views of decisions judge by it.
   now                   the present time
   max_snapshots         the setting of this name; 0 is off, here and below
   max_safety_snapshots  the setting of this name
   retention_days        the setting of this name
   stale_before          a project that was touched last at this time or earlier is stale; NULL:
                         none is
   delete_orphans        the setting of this name, 0 or 1
   orphan_before         an orphan goes if its absence was first seen at this time or earlier
   orphan_grace_seconds  that is so many seconds ago
   keep_last             the setting of this name
   keep_hourly           the setting of this name
   keep_daily            the setting of this name
   keep_weekly           the setting of this name
   keep_monthly          the setting of this name
   within_since          what was taken at this time or later is kept (keep_within); NULL: nothing
                         is for that
   include_pinned        0 here: what a person may ask for
   only_limit            0 here: what a take asks for
   cap_bytes             max_total_size_mb in bytes
   reclaim_bytes         0 here: what the size cap asks for, in bytes
   own_limits            1: the max_snapshots of a project, where it has one, replaces the general
                         one */
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
CREATE VIEW project_status AS
/* One row for each project, newest touch first. A project whose directory is gone and whose
   checkpoints are all pruned is left out, here and below.
   project             first 16 hex digits of the SHA-256 of the working directory
   working_directory   the absolute path of the directory, links resolved
   state               live; orphan: its parent is there and it is not; unreachable: it cannot be
                       told, as with an unmounted volume
   checked_at          when somebody last looked at the directory, on which state rests
   checkpoints         how many live checkpoints it has
   added_bytes         bytes that its live checkpoints added to the store, as measured when each
                       was taken
   held_bytes          bytes that its live checkpoints hold in the store now, each content once;
                       an estimate, corrected by the last repack as in du; what other projects
                       hold, too, is in each of them
   last_checkpoint_at  when the newest of them was taken
   last_touch          when an agent last worked here, with or without a new checkpoint
   created_at          when it was first seen
   missing_since       the first look that did not find it */
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
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes,
  substr((SELECT max(checkpoints.created_at) AS max_2 FROM checkpoints
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
/* One row: sums over the whole store.
   projects              how many there are
   orphaned_projects     of these, how many whose directory is gone
   unreachable_projects  of these, how many of which that cannot be told
   checkpoints           how many live ones there are
   pinned                of these, how many are pinned
   arriving              checkpoints of earlier versions whose objects are not here yet
   pruned                the number of tombstones
   added_bytes           bytes that the live checkpoints added to the store, as measured when each
                         was taken
   held_bytes            bytes that the live checkpoints hold in the store now, what several
                         projects share counted once; an estimate, corrected by the last repack as
                         in du
   superseded_bytes      bytes of the contents that they replaced or deleted, as measured when
                         these came
   oldest_checkpoint_at  when the oldest live one was taken
   newest_checkpoint_at  when the newest live one was taken */
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
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live'), 0) + coalesce((SELECT
          sum(CASE WHEN (once.bytes > 0) THEN once.bytes ELSE (SELECT
              max(CAST(other.stored_bytes AS FLOAT) * CASE WHEN (other.checkpoint_id
                  <= (SELECT store_packing.through FROM store_packing))
                THEN (SELECT store_packing.ratio FROM store_packing)
                ELSE 1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoint_changes.new_blob
              IS NOT NULL UNION ALL SELECT spans.new_blob AS new_blob,
              spans.bytes AS bytes FROM (SELECT gone.until AS until,
                checkpoint_changes.path AS path, checkpoint_changes.new_blob
                AS new_blob, CAST(checkpoint_changes.stored_bytes AS
                  FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                  <= (SELECT store_packing.through FROM store_packing))
                THEN (SELECT store_packing.ratio FROM store_packing)
                ELSE 1.0 END AS bytes, lead(checkpoint_changes.checkpoint_id)
                OVER (PARTITION BY gone.project_id, checkpoint_changes.path
                  ORDER BY checkpoint_changes.checkpoint_id) AS next
                FROM checkpoint_changes JOIN (SELECT rows_there.id
                  AS id, rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned')) AS rows_there WHERE
                  rows_there.state IN ('pruning', 'pruned') AND (rows_there.passed
                    IS NULL OR rows_there.id <= rows_there.passed))
                AS gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes,
  (SELECT coalesce(sum(checkpoints.superseded_bytes), 0) AS coalesce_2
    FROM checkpoints
  WHERE checkpoints.state = 'live') AS superseded_bytes,
  substr((SELECT min(checkpoints.created_at) AS min_1 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS oldest_checkpoint_at,
  substr((SELECT max(checkpoints.created_at) AS max_2 FROM checkpoints
      WHERE checkpoints.state = 'live'), 1, 19) AS newest_checkpoint_at;
CREATE VIEW stale_projects AS
/* One row for each project without a touch for as many days as the setting retention_days says,
   stalest first; none where that is 0.
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   state              as in project_status
   last_touch         when an agent last worked here
   days_untouched     whole days since then
   retention_days     the setting in force
   checkpoints        how many live checkpoints it has
   added_bytes        bytes that its live checkpoints added to the store, as measured when each
                      was taken
   held_bytes         bytes that its live checkpoints hold in the store now, each content once; an
                      estimate, corrected by the last repack as in du; what other projects hold,
                      too, is in each of them */
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
  AS added_bytes,
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes
FROM projects JOIN retention_policy ON projects.last_touch <= retention_policy.stale_before
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
      FROM checkpoints AS remembered WHERE remembered.project_id =
      projects.id AND remembered.state = 'live'))
ORDER BY projects.last_touch;
CREATE VIEW orphaned_projects AS
/* One row for each project whose directory is gone, longest first. Unreachable ones are not among
   them.
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   missing_since      the first look that did not find it
   last_seen_at       the last look that found it
   checked_at         when somebody last looked
   checkpoints        how many live checkpoints it has
   added_bytes        bytes that its live checkpoints added to the store, as measured when each
                      was taken
   held_bytes         bytes that its live checkpoints hold in the store now, each content once; an
                      estimate, corrected by the last repack as in du; what other projects hold,
                      too, is in each of them */
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
  AS added_bytes,
  CAST(round(coalesce((SELECT sum(CAST(CASE WHEN (checkpoints.added_bytes
                - checkpoints.stored_bytes > 0) THEN checkpoints.added_bytes
              - checkpoints.stored_bytes ELSE 0 END AS FLOAT) * CASE
            WHEN (checkpoints.id <= (SELECT store_packing.through FROM
                store_packing)) THEN (SELECT store_packing.ratio FROM
              store_packing) ELSE 1.0 END) AS sum_1 FROM checkpoints
          WHERE checkpoints.state = 'live' AND checkpoints.project_id
          = projects.id), 0) + coalesce((SELECT sum(CASE WHEN (once.bytes
              > 0) THEN once.bytes ELSE (SELECT max(CAST(other.stored_bytes
                  AS FLOAT) * CASE WHEN (other.checkpoint_id <= (SELECT
                    store_packing.through FROM store_packing)) THEN
                (SELECT store_packing.ratio FROM store_packing) ELSE
                1.0 END) AS max_1 FROM checkpoint_changes AS other
              WHERE other.new_blob = once.blob) END) AS sum_2 FROM
          (SELECT held.blob AS blob, max(held.bytes) AS bytes FROM
            (SELECT checkpoint_changes.new_blob AS blob, CAST(checkpoint_changes.stored_bytes
                AS FLOAT) * CASE WHEN (checkpoint_changes.checkpoint_id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END AS bytes FROM checkpoint_changes JOIN checkpoints
              ON checkpoints.id = checkpoint_changes.checkpoint_id
              WHERE checkpoints.state = 'live' AND checkpoints.project_id
              = projects.id AND checkpoint_changes.new_blob IS NOT
              NULL UNION ALL SELECT spans.new_blob AS new_blob, spans.bytes
              AS bytes FROM (SELECT gone.until AS until, checkpoint_changes.path
                AS path, checkpoint_changes.new_blob AS new_blob,
              CAST(checkpoint_changes.stored_bytes AS FLOAT) * CASE
                WHEN (checkpoint_changes.checkpoint_id <= (SELECT store_packing.through
                    FROM store_packing)) THEN (SELECT store_packing.ratio
                  FROM store_packing) ELSE 1.0 END AS bytes,
              lead(checkpoint_changes.checkpoint_id) OVER (PARTITION
                  BY gone.project_id, checkpoint_changes.path ORDER
                  BY checkpoint_changes.checkpoint_id) AS next FROM
                checkpoint_changes JOIN (SELECT rows_there.id AS id,
                  rows_there.project_id AS project_id, rows_there.until
                  AS until FROM (SELECT checkpoints.id AS id, checkpoints.project_id
                    AS project_id, checkpoints.state AS state, min(checkpoints.previous_id)
                    OVER (PARTITION BY checkpoints.project_id ORDER
                      BY checkpoints.id DESC ROWS BETWEEN UNBOUNDED
                      PRECEDING AND 1 PRECEDING) AS passed, min(CASE
                      WHEN (checkpoints.state = 'live' AND checkpoints.partial
                        IS 0) THEN checkpoints.id END) OVER (PARTITION
                      BY checkpoints.project_id ORDER BY checkpoints.id
                      DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS until FROM checkpoints WHERE checkpoints.ref_name
                    IS NOT NULL AND checkpoints.state IN ('arriving',
                      'live', 'pruning', 'pruned') AND checkpoints.project_id
                    = projects.id) AS rows_there WHERE rows_there.state
                  IN ('pruning', 'pruned') AND (rows_there.passed IS
                    NULL OR rows_there.id <= rows_there.passed)) AS
                gone ON gone.id = checkpoint_changes.checkpoint_id
                WHERE NOT (checkpoint_changes.status = 'M' AND checkpoint_changes.new_blob
                  IS NULL)) AS spans WHERE spans.new_blob IS NOT NULL
              AND spans.until IS NOT NULL AND (spans.next IS NULL OR
                spans.next > spans.until) AND NOT (EXISTS (SELECT there.path
                  FROM checkpoint_changes AS there WHERE there.checkpoint_id
                  = spans.until AND there.path = spans.path AND NOT
                  (there.status = 'M' AND there.new_blob IS NULL))))
            AS held GROUP BY held.blob) AS once), 0)) AS INTEGER) AS
  held_bytes
FROM projects
WHERE projects.state = 'orphan' AND (projects.state != 'orphan' OR
    (EXISTS (SELECT remembered.id FROM checkpoints AS remembered WHERE
        remembered.project_id = projects.id AND remembered.state =
        'live')))
ORDER BY projects.missing_since;
CREATE VIEW recent_failures AS
/* One row for each operation that failed, or was done only in part, in the last 14 days, newest
   first; unresolved ones however old they are.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   outcome            failed, partial, or skipped for a take that a guard refused
   working_directory  where
   code               the kind of failure, in one word
   message            what was wrong, and what to do
   duration_ms        how long it took, in milliseconds
   session_id         for which conversation
   turn               in which turn of it
   unresolved         yes for a take that failed or was refused and after which none of that
                      directory has worked; of these status warns, more than 14 days later only
                      while the directory is there */
SELECT substr(operations.started_at, 1, 19) AS started_at,
  operations.kind AS operation,
  operations.outcome AS outcome,
  operations.workdir AS working_directory,
  operations.code AS code,
  operations.message AS message,
  operations.duration_ms AS duration_ms,
  operations.session_id AS session_id,
  operations.turn AS turn,
  CASE WHEN (operations.kind = 'take' AND operations.outcome IN ('failed',
      'skipped') AND operations.workdir IS NOT NULL AND NOT (EXISTS
      (SELECT later.id FROM operations AS later WHERE later.kind =
        'take' AND later.outcome IN ('done', 'unchanged', 'partial')
        AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
            checkpoints.id = later.checkpoint_id AND checkpoints.partial
            = 1)) AND later.workdir = operations.workdir AND later.id
        > operations.id))) THEN 'yes' ELSE 'no' END AS unresolved
FROM operations
WHERE operations.outcome IN ('failed', 'partial') AND operations.started_at
  >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(14 AS VARCHAR)
      || ' days') || '000') OR operations.kind = 'take' AND operations.outcome
  IN ('failed', 'skipped') AND operations.workdir IS NOT NULL AND NOT
  (EXISTS (SELECT later.id FROM operations AS later WHERE later.kind
      = 'take' AND later.outcome IN ('done', 'unchanged', 'partial')
      AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
          checkpoints.id = later.checkpoint_id AND checkpoints.partial
          = 1)) AND later.workdir = operations.workdir AND later.id
      > operations.id))
ORDER BY operations.id DESC;
CREATE VIEW take_health AS
/* One row for each directory of which takes were tried, and each project, by path: whether takes
   work there. It rests on the journal: 7,000 rows, and the newest success of each.
   working_directory       the absolute path of the directory
   last_success_at         when the last take ended that worked, with or without a new checkpoint;
                           NULL: none has
   last_failure_at         when the last take began that failed
   last_failure_code       the kind of that failure, in one word
   last_failure_message    what was wrong, and what to do
   failures_since_success  how many takes have failed since the last that worked
   refusals_since_success  how many takes a guard has refused since then
   takes_in_7_days         how many takes worked in the last 7 days
   median_ms               milliseconds within which half of these were done
   p95_ms                  milliseconds within which 95 of a hundred of these were done */
SELECT place.workdir AS working_directory,
  substr(success.finished_at, 1, 19) AS last_success_at,
  substr(failure.started_at, 1, 19) AS last_failure_at,
  failure.code AS last_failure_code,
  failure.message AS last_failure_message,
  (SELECT count(*) AS count_1
  FROM operations
  WHERE operations.kind = 'take' AND operations.outcome IN ('failed',
      'skipped') AND operations.workdir IS NOT NULL AND NOT (EXISTS
      (SELECT later.id FROM operations AS later WHERE later.kind =
        'take' AND later.outcome IN ('done', 'unchanged', 'partial')
        AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
            checkpoints.id = later.checkpoint_id AND checkpoints.partial
            = 1)) AND later.workdir = operations.workdir AND later.id
        > operations.id)) AND operations.outcome = 'failed' AND operations.workdir
    = place.workdir) AS failures_since_success,
  (SELECT count(*) AS count_2
  FROM operations
  WHERE operations.kind = 'take' AND operations.outcome IN ('failed',
      'skipped') AND operations.workdir IS NOT NULL AND NOT (EXISTS
      (SELECT later.id FROM operations AS later WHERE later.kind =
        'take' AND later.outcome IN ('done', 'unchanged', 'partial')
        AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
            checkpoints.id = later.checkpoint_id AND checkpoints.partial
            = 1)) AND later.workdir = operations.workdir AND later.id
        > operations.id)) AND operations.outcome != 'failed' AND operations.workdir
    = place.workdir) AS refusals_since_success,
  coalesce(timed.takes, 0) AS takes_in_7_days,
  timed.median_ms AS median_ms,
  timed.p95_ms AS p95_ms
FROM (SELECT projects.workdir AS workdir
  FROM projects
  WHERE projects.state != 'orphan' OR (EXISTS (SELECT remembered.id
        FROM checkpoints AS remembered WHERE remembered.project_id
        = projects.id AND remembered.state = 'live'))
  UNION SELECT operations.workdir AS workdir
  FROM operations
  WHERE operations.kind = 'take' AND operations.workdir IS NOT NULL)
  AS place LEFT OUTER JOIN operations AS success ON success.id = (SELECT
    max(operations.id) AS max_1
  FROM operations
  WHERE operations.kind = 'take' AND operations.outcome IN ('done',
      'unchanged', 'partial') AND NOT (EXISTS (SELECT checkpoints.id
        FROM checkpoints WHERE checkpoints.id = operations.checkpoint_id
        AND checkpoints.partial = 1)) AND operations.workdir = place.workdir)
  LEFT OUTER JOIN operations AS failure ON failure.id = (SELECT max(operations.id)
    AS max_2
  FROM operations
  WHERE operations.kind = 'take' AND operations.outcome = 'failed'
    AND operations.workdir = place.workdir) LEFT OUTER JOIN (SELECT
    "each".workdir AS workdir, count(*) AS takes, min(CASE WHEN ("each".place
        * 100 >= "each".takes * 50) THEN "each".duration_ms END) AS
    median_ms, min(CASE WHEN ("each".place * 100 >= "each".takes *
        95) THEN "each".duration_ms END) AS p95_ms
  FROM (SELECT operations.workdir AS workdir, operations.duration_ms
      AS duration_ms, row_number() OVER (PARTITION BY operations.workdir
        ORDER BY operations.duration_ms) AS place, count(*) OVER (PARTITION
        BY operations.workdir) AS takes FROM operations WHERE operations.kind
      = 'take' AND operations.outcome IN ('done', 'unchanged', 'partial')
      AND NOT (EXISTS (SELECT checkpoints.id FROM checkpoints WHERE
          checkpoints.id = operations.checkpoint_id AND checkpoints.partial
          = 1)) AND operations.duration_ms IS NOT NULL AND operations.started_at
      >= (strftime('%Y-%m-%d %H:%M:%f', 'now', '-' || CAST(7 AS VARCHAR)
          || ' days') || '000')) AS "each" GROUP BY "each".workdir)
  AS timed ON timed.workdir = place.workdir
ORDER BY place.workdir;
CREATE VIEW retention_decisions AS
/* One row for each live checkpoint, by directory and newest first: what a prune that nobody
   watches would do with it now, by the settings in force (table settings). It is the statement by
   which the program decides. prune by hand asks a person, so for it an orphan needs no grace, and
   it looks at all directories anew first; prune --dry-run is its preview. The size cap comes
   after these decisions, see size_cap_candidates.
   commit_id          its name in full
   checkpoint         its name, the first 8 hex digits
   working_directory  whose it is
   taken_at           when
   decision           keep or drop
   rule               what decided, see docs/retention.md: unfinished-restore, pinned, labelled,
                      unreachable, newest, last-restore, keep-rule and within-limits keep; orphan,
                      stale, over-limit and no-keep-rule drop
   reason             why, in words that end a sentence beginning with "because"
   bytes              what the store loses with it, where the older ones go first: an estimate,
                      corrected by the last repack */
WITH unfinished AS (SELECT restores.target_id AS id
  FROM restores
  WHERE (restores.state = 'writing' OR restores.state = 'interrupted'
      AND restores.undone_by IS NULL AND NOT (EXISTS (SELECT later.id
          FROM restores AS later WHERE later.project_id = restores.project_id
          AND later.id > restores.id))) AND restores.target_id IS NOT
    NULL
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
    WHEN 3 THEN CASE WHEN (instr(labels, ', ') > 0) THEN 'it has the labels '
    ELSE 'it has the label ' END || labels WHEN 4 THEN
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
      placed.labels AS labels, placed.by_hand AS by_hand, placed.freed_bytes
      AS freed_bytes, projects.last_touch AS last_touch, projects.missing_since
      AS missing_since, CASE WHEN ((SELECT retention_policy.own_limits
          FROM retention_policy) AND projects.max_snapshots IS NOT
        NULL) THEN projects.max_snapshots ELSE (SELECT retention_policy.max_snapshots
        FROM retention_policy) END AS most, CASE WHEN (placed.id IN
        (SELECT unfinished.id FROM unfinished)) THEN 0 WHEN placed.marked
      THEN 1 WHEN (placed.pinned = 1 AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 2 WHEN (placed.labels IS
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
        pinned, ranked.labels AS labels, ranked.marked AS marked, ranked.safety
        AS safety, ranked.by_hand AS by_hand, ranked.undoes AS undoes,
        ranked.rank AS rank, ranked.freed_bytes AS freed_bytes, row_number()
        OVER (PARTITION BY ranked.project_id, ranked.safety, (ranked.pinned
            = 1 OR ranked.labels IS NOT NULL) AND (SELECT retention_policy.include_pinned
            FROM retention_policy) = 0 AND ranked.rank > 1 ORDER BY
          ranked.rank = 1 DESC, ranked.undoes DESC, (ranked.pinned
            = 1 OR ranked.labels IS NOT NULL) DESC, ranked.by_hand
          DESC, ranked.id DESC) AS place FROM (SELECT checkpoints.id
          AS id, checkpoints.project_id AS project_id, checkpoints.commit_id
          AS commit_id, checkpoints.created_at AS created_at, checkpoints.pinned
          AS pinned, (SELECT group_concat(labels.label, ', ') AS group_concat_1
            FROM labels WHERE labels.checkpoint_id = checkpoints.id)
          AS labels, 0 AS marked, checkpoints.kind = 'safety' AS safety,
          checkpoints.kind = 'manual' AS by_hand, (checkpoints.project_id,
            checkpoints.id) IN (SELECT undoable.project_id, undoable.id
            FROM undoable) AS undoes, row_number() OVER (PARTITION
            BY checkpoints.project_id ORDER BY checkpoints.kind = 'safety',
            checkpoints.id DESC) AS rank,
        CAST(round(CAST(coalesce(lag(checkpoints.superseded_bytes +
                    CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                      > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
                    ELSE 0 END) OVER (PARTITION BY checkpoints.project_id
                    ORDER BY checkpoints.id DESC), checkpoints.held_bytes
                  + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
                    > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
                  ELSE 0 END) AS FLOAT) * CASE WHEN (checkpoints.id
                <= (SELECT store_packing.through FROM store_packing))
              THEN (SELECT store_packing.ratio FROM store_packing)
              ELSE 1.0 END) AS INTEGER) AS freed_bytes FROM checkpoints
          WHERE checkpoints.state = 'live') AS ranked) AS placed JOIN
      projects ON projects.id = placed.project_id WHERE 1 = 1 LIMIT
      -1 OFFSET 0) AS judged) AS decided JOIN projects ON projects.id
  = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC;
CREATE VIEW prune_preview AS
/* One row for each directory, decision and rule: the sums of retention_decisions.
   working_directory  whose checkpoints they are
   decision           keep or drop
   rule               what decided
   checkpoints        how many
   bytes              what the store loses with them, as in retention_decisions */
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
CREATE VIEW size_cap_candidates AS
/* One row for each checkpoint that the size cap may drop, in the order in which it would: only
   what retention_decisions keeps as within-limits, the oldest of each project in turn, first
   those in temporary directories and git worktrees.
   place              1 goes first
   commit_id          its name in full
   checkpoint         its name, the first 8 hex digits
   working_directory  whose it is
   taken_at           when
   bytes              what it frees, as in retention_decisions
   running_bytes      what it frees together with all before it */
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
CREATE VIEW file_history AS
/* One row for each change of each file that is on record, newest first: what who tells, and the
   changes that checkpoints recorded where nobody was seen to make them. Ask for one path, and for
   one working_directory. A prune keeps, between two checkpoints, the last change of each of those
   who made some.
   working_directory   the absolute path of the directory, links resolved
   path                from there, with /
   changed_at          when it was seen that the file had changed
   change              created, changed, permissions changed, replaced (by an entry of another
                       type) or deleted
   changed_by          agent; person; since: somebody after a checkpoint taken by hand; restore;
                       unrecorded: of a time without a record; unknown
   session_id          in which conversation of the agent
   turn                in which turn of it
   tool                the tool that reported the write; NULL: through the shell, or by a person
   reason              why nobody knows more
   last_good           the newest live checkpoint that was taken between the change before this
                       one and this one, and so has the file as it was: its first 8 hex digits;
                       NULL: there is none
   last_good_taken_at  when that was taken
   project             first 16 hex digits of the SHA-256 of the working directory */
SELECT found.working_directory AS working_directory,
  found.path AS path,
  substr(found.at, 1, 19) AS changed_at,
  found.change AS change,
  found.changed_by AS changed_by,
  found.session_id AS session_id,
  found.turn AS turn,
  found.tool AS tool,
  found.reason AS reason,
  substr(found.good_id, 1, 8) AS last_good,
  substr(found.good_at, 1, 19) AS last_good_taken_at,
  found.project AS project
FROM (SELECT p.workdir AS working_directory, e.path AS path,
    e.at AS at, e.id AS place, CASE e.status WHEN 'A' THEN 'created'
    WHEN 'D' THEN 'deleted' WHEN 'T' THEN 'replaced' ELSE CASE WHEN
    e.blob IS NULL OR (e.blob = e.old_blob AND e.mode <> e.old_mode)
    THEN 'permissions changed' ELSE 'changed' END END AS change,
    e.actor AS changed_by, e.session_id AS session_id,
    e.turn AS turn, e.tool AS tool, e.reason AS reason,
    good.commit_id AS good_id, good.created_at AS good_at,
    p.hash AS project
  FROM projects AS p CROSS JOIN path_events AS e ON e.project_id =
    p.id LEFT JOIN checkpoints AS good ON good.id = (SELECT max(c.id)
      FROM checkpoints AS c WHERE c.state = 'live' AND c.project_id
      = e.project_id AND c.id <= e.checkpoint_id AND NOT c.partial)
    AND NOT EXISTS (SELECT 1 FROM path_events AS f WHERE f.project_id
      = e.project_id AND f.path = e.path AND f.checkpoint_id BETWEEN
      good.id AND e.checkpoint_id AND f.id < e.id)
  WHERE e.path <> '.'
  UNION ALL SELECT p.workdir, x.path, k.created_at,
    0, CASE x.status WHEN 'A' THEN 'created' WHEN 'D' THEN 'deleted'
    WHEN 'T' THEN 'replaced' ELSE CASE WHEN x.new_blob IS NULL OR (x.new_blob
      = x.old_blob AND x.new_mode <> x.old_mode) THEN 'permissions changed'
    ELSE 'changed' END END, 'unrecorded', NULL, NULL,
    NULL, CASE WHEN k.previous_id IS NULL THEN 'it was captured for the first time'
    END, good.commit_id, good.created_at, p.hash
  FROM checkpoint_changes AS x CROSS JOIN checkpoints AS k ON k.id
    = x.checkpoint_id CROSS JOIN projects AS p ON p.id = k.project_id
    LEFT JOIN checkpoints AS good ON good.id = (SELECT max(c.id) FROM
      checkpoints AS c WHERE c.state = 'live' AND c.project_id = k.project_id
      AND c.id < k.id AND NOT c.partial) AND NOT EXISTS (SELECT 1 FROM
      checkpoint_changes AS y CROSS JOIN checkpoints AS d ON d.id =
      y.checkpoint_id WHERE y.path = x.path AND y.checkpoint_id > good.id
      AND y.checkpoint_id < k.id AND d.project_id = k.project_id)
  WHERE k.state <> 'arriving' AND EXISTS (SELECT 1 FROM checkpoints
      AS c WHERE c.state = 'live' AND c.project_id = k.project_id AND
      c.id <= k.id) AND NOT EXISTS (SELECT 1 FROM path_events AS e
      WHERE e.project_id = k.project_id AND e.path = x.path AND e.checkpoint_id
      < k.id AND e.checkpoint_id >= coalesce((SELECT max(c.id) FROM
          checkpoints AS c WHERE c.state = 'live' AND c.project_id
          = k.project_id AND c.id < k.id), e.checkpoint_id)) ) AS found
  ORDER BY found.at DESC,
  found.place DESC;
CREATE VIEW session_activity AS
/* One row for each conversation (session) and each project that it worked in, the last seen
   first, as far as the record goes that prunes leave.
   session_id            of the agent
   working_directory     the absolute path of the directory, links resolved
   turns                 how many of its numbered turns are known here
   first_seen_at         the first turn, checkpoint or change of it
   last_seen_at          the last of these
   checkpoints           how many live checkpoints were taken for it
   files_changed         how many files the agent changed in it
   files_left_to_people  of these, how many were changed after the agent by a person, or by nobody
                         knows whom: a restore of the session leaves them as they are
   tools                 the tools that reported these changes, with commas; NULL: none did
   project               first 16 hex digits of the SHA-256 of the working directory */
SELECT s.session_id AS session_id,
  p.workdir AS working_directory,
  count(DISTINCT s.turn) AS turns,
  substr(min(s.first_at), 1, 19) AS first_seen_at,
  substr(max(s.last_at), 1, 19) AS last_seen_at,
  sum(s.checkpoints) AS checkpoints,
  count(DISTINCT s.path) AS files_changed,
  sum(s.to_people) AS files_left_to_people,
  group_concat(DISTINCT s.tool) AS tools,
  p.hash AS project
FROM (SELECT t.project_id, t.session_id, t.turn, t.started_at AS first_at,
    coalesce(t.ended_at, t.started_at) AS last_at,
    0 AS checkpoints, NULL AS path, 0 AS to_people,
    NULL AS tool
  FROM turns AS t
  WHERE t.session_id IS NOT NULL
  UNION ALL SELECT c.project_id, c.session_id, c.turn,
    c.created_at, c.created_at, 1, NULL, 0, NULL
  FROM checkpoints AS c
  WHERE c.session_id IS NOT NULL AND c.state = 'live'
  UNION ALL SELECT e.project_id, e.session_id, e.turn,
    e.at, e.at, 0, e.path, 0, e.tool
  FROM path_events AS e
  WHERE e.session_id IS NOT NULL AND e.actor = 'agent' AND e.path <>
    '.'
  UNION ALL SELECT own.project_id, own.session_id,
    NULL, NULL, NULL, 0, NULL, 1, NULL
  FROM (SELECT project_id, session_id, path, max(id) AS last_id FROM
      path_events WHERE session_id IS NOT NULL AND actor = 'agent'
      AND path <> '.' GROUP BY project_id, session_id, path) AS own
    JOIN (SELECT project_id, path, max(id) AS last_id FROM path_events
      WHERE actor NOT IN ('agent', 'restore') GROUP BY project_id,
      path) AS theirs ON theirs.project_id = own.project_id AND theirs.path
    = own.path AND theirs.last_id > own.last_id ) AS s JOIN projects
  AS p ON p.id = s.project_id GROUP BY s.project_id,
  s.session_id,
  p.workdir,
  p.hash
ORDER BY max(s.last_at) DESC,
  s.session_id;
CREATE VIEW session_list AS
/* One row for each session checkpoint, newest first.
   session_id         whose it is
   status             what the document says; in_progress where it has none
   task               what the document says
   updated_at         when it was last written
   created_at         when it was first written
   size_bytes         of the document
   version            how often it was written
   previous_versions  how many former states are kept
   checkpoints        how many live checkpoints of files the session has
   turns              how many turns are known of it */
SELECT s.session_id AS session_id,
  s.status AS status,
  s.task AS task,
  substr(s.updated_at, 1, 19) AS updated_at,
  substr(s.created_at, 1, 19) AS created_at,
  s.size_bytes AS size_bytes,
  s.version AS version,
  (SELECT count(*)
  FROM session_checkpoint_versions AS v
  WHERE v.session_id = s.session_id) AS previous_versions,
  (SELECT count(*)
  FROM checkpoints AS c
  WHERE c.session_id = s.session_id AND c.state = 'live') AS checkpoints,
  (SELECT count(*)
  FROM (SELECT c.turn FROM checkpoints AS c WHERE c.session_id = s.session_id
      AND c.state = 'live' AND c.turn IS NOT NULL UNION SELECT t.turn
      FROM turns AS t WHERE t.session_id = s.session_id AND t.turn
      IS NOT NULL) AS both_of_them) AS turns
FROM session_checkpoints AS s
ORDER BY s.updated_at DESC,
  s.session_id;
CREATE VIEW legacy_list AS
/* One row for each repository, store and session file of an earlier version that was found.
   path               where it is now: from the base, or absolute where it lies elsewhere
   layout             what wrote it: v1, v2 or session-file
   working_directory  of which directory it is
   state              found, imported, archived (moved aside), cleared (deleted)
   imported           yes, in part or no; only what says yes is ever deleted by a prune
   checkpoints        how many of its commits are checkpoints
   size_bytes         the space that only it took when it was archived
   error              what was not imported or moved, and why
   found_at           when it was found
   imported_at        when it was imported */
SELECT l.path AS path,
  l.layout AS layout,
  l.workdir AS working_directory,
  l.state AS state,
  CASE WHEN l.imported_at IS NULL THEN 'no' WHEN l.error IS NULL THEN
  'yes' ELSE 'in part' END AS imported,
  l.imported_checkpoints AS checkpoints,
  l.size_bytes AS size_bytes,
  l.error AS error,
  substr(l.found_at, 1, 19) AS found_at,
  substr(l.imported_at, 1, 19) AS imported_at
FROM legacy_archives AS l
ORDER BY l.state = 'cleared',
  l.path;
CREATE VIEW restore_list AS
/* One row for each restore, undo and redo, newest first.
   working_directory  where
   role               restore, undo or redo
   state              writing, done, partial (some paths failed) or interrupted (killed while it
                      wrote)
   mode               keep-edits, overlay or exact, see docs/restore.md
   whole              yes: of the whole directory; no: of some paths or one session
   target             the checkpoint that it went to
   safety             the checkpoint that has the state before it
   started_at         when it began
   finished_at        when it ended, or was found to be killed
   planned            how many paths it was to bring back or to delete
   written            of these, how many it has brought back or deleted
   kept               how many paths beside these it was to leave as they were
   failed             how many of the planned could not be brought back or deleted
   not_done           how many of the planned it has not come to: those of a restore that runs, or
                      was killed
   first_error        why the first of the failed failed
   undone             yes where it was taken back
   undone_by          the restore_id of what took it back
   undo_of            the restore_id of what it is to take back
   restore_id         its number in restore_path_list */
SELECT p.workdir AS working_directory,
  r.role AS role,
  r.state AS state,
  r.mode AS mode,
  CASE WHEN r.whole THEN 'yes' ELSE 'no' END AS whole,
  substr(coalesce(t.commit_id, r.target_commit), 1,
    8) AS target,
  substr(s.commit_id, 1, 8) AS safety,
  substr(r.started_at, 1, 19) AS started_at,
  substr(r.finished_at, 1, 19) AS finished_at,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action <> 'keep') AS planned,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action <> 'keep' AND x.outcome =
    'done') AS written,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.action = 'keep') AS kept,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'failed') AS failed,
  (SELECT count(*)
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'planned' AND x.action
    <> 'keep') AS not_done,
  (SELECT x.error
  FROM restore_paths AS x
  WHERE x.restore_id = r.id AND x.outcome = 'failed'
  ORDER BY x.position LIMIT 1) AS first_error,
  CASE WHEN r.undone_by IS NULL THEN 'no' ELSE 'yes' END AS undone,
  r.undone_by AS undone_by,
  r.undo_of AS undo_of,
  r.id AS restore_id
FROM restores AS r JOIN projects AS p ON p.id = r.project_id LEFT JOIN
  checkpoints AS t ON t.id = r.target_id JOIN checkpoints AS s ON s.id
  = r.safety_id
ORDER BY r.id DESC;
CREATE VIEW restore_path_list AS
/* One row for each path of each restore, the newest restore first, in the order of writing.
   restore_id  of which restore
   path        from the working directory, with /
   action      write, delete, chmod, mkdir or keep
   reason      why
   outcome     planned until it ends, then done, kept or failed
   error       why it failed
   blob        git's name of the contents that were to be written
   mode        git's mode that was to be written, as a decimal number */
SELECT x.restore_id AS restore_id,
  x.path AS path,
  x.action AS action,
  x.reason AS reason,
  x.outcome AS outcome,
  x.error AS error,
  x.blob AS blob,
  x.mode AS mode
FROM restore_paths AS x
ORDER BY x.restore_id DESC,
  x.position;
CREATE VIEW operation_list AS
/* One row for each row of the journal, newest first.
   started_at         when it began
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   outcome            running, done, unchanged (nothing to capture), skipped (a guard refused),
                      partial or failed
   working_directory  where
   checkpoint         what came of it: the first 8 hex digits
   duration_ms        how long it took, in milliseconds
   session_id         for which conversation
   turn               in which turn of it
   code               why it failed, in one word
   message            why, in a sentence; or what was done */
SELECT substr(o.started_at, 1, 19) AS started_at,
  o.kind AS operation,
  o.outcome AS outcome,
  o.workdir AS working_directory,
  substr(c.commit_id, 1, 8) AS checkpoint,
  o.duration_ms AS duration_ms,
  o.session_id AS session_id,
  o.turn AS turn,
  o.code AS code,
  o.message AS message
FROM operations AS o LEFT JOIN checkpoints AS c ON c.id = o.checkpoint_id
  ORDER BY o.id DESC;
CREATE VIEW running_operations AS
/* One row for each operation that runs now, or was interrupted and is not settled yet, oldest
   first.
   operation          take, restore, prune, gc, migration, rebuild, forget, push, pull, fetch or
                      remote-prune
   working_directory  where
   pid                the number of its process
   started_at         when it began
   session_id         for which conversation
   turn               in which turn of it */
SELECT o.kind AS operation,
  o.workdir AS working_directory,
  o.pid AS pid,
  substr(o.started_at, 1, 19) AS started_at,
  o.session_id AS session_id,
  o.turn AS turn
FROM operations AS o
WHERE o.outcome = 'running'
ORDER BY o.id;
CREATE VIEW checkpoint_list AS
/* One row for each checkpoint that can be restored, by directory and newest first.
   working_directory  the absolute path of the directory, links resolved
   number             position in the project, 1 for the newest, safety checkpoints not counted;
                      NULL for those; changes as checkpoints come and go
   checkpoint         its name, the first 8 hex digits; never changes
   taken_at           when
   kind               auto: by the agent; manual: on request; safety: before a restore; imported:
                      from an earlier layout
   reason             why it was taken
   labels             the names that people gave it, with ,  between them
   pinned             yes: never pruned
   files              how many files it holds
   logical_bytes      the sum of their sizes
   added_bytes        bytes that it added to the store, as measured when it was taken
   files_changed      how many paths differ from the checkpoint before it
   insertions         lines of text files that came
   deletions          lines of text files that went
   held_bytes         bytes that the store needs now for what it added: an estimate, corrected by
                      the last repack
   skipped            how many paths it does not hold in spite of the rules
   partial            yes where it tells of a few named files alone, since the directory is
                      refused as a whole
   complete           yes when none, and it is not partial
   session_id         in which conversation
   turn               in which turn of it
   turn_title         what the agent was asked for when this was the state, cut to one line
   head               the commit at which the repository of the directory stood; NULL: not known
   branch             the branch of that; NULL: not known, or HEAD was detached
   project            first 16 hex digits of the SHA-256 of the working directory
   commit_id          its name in full */
SELECT projects.workdir AS working_directory,
  CASE WHEN (checkpoints.kind != 'safety') THEN sum(CASE WHEN (checkpoints.kind
      != 'safety') THEN 1 ELSE 0 END) OVER (PARTITION BY projects.workdir,
    projects.hash
  ORDER BY checkpoints.id DESC) END AS number,
  substr(checkpoints.commit_id, 1, 8) AS checkpoint,
  substr(checkpoints.created_at, 1, 19) AS taken_at,
  checkpoints.kind AS kind,
  checkpoints.reason AS reason,
  (SELECT group_concat(labels.label, ', ') AS group_concat_1
  FROM labels
  WHERE labels.checkpoint_id = checkpoints.id) AS labels,
  CASE WHEN checkpoints.pinned THEN 'yes' ELSE 'no' END AS pinned,
  checkpoints.file_count AS files,
  checkpoints.logical_bytes AS logical_bytes,
  checkpoints.added_bytes AS added_bytes,
  checkpoints.files_changed AS files_changed,
  checkpoints.insertions AS insertions,
  checkpoints.deletions AS deletions,
  CAST(round(CAST(checkpoints.added_bytes AS FLOAT) * CASE WHEN (checkpoints.id
        <= (SELECT store_packing.through FROM store_packing)) THEN
      (SELECT store_packing.ratio FROM store_packing) ELSE 1.0 END)
    AS INTEGER) AS held_bytes,
  checkpoints.skipped_count AS skipped,
  CASE WHEN checkpoints.partial THEN 'yes' ELSE 'no' END AS partial,
  CASE WHEN (checkpoints.skipped_count = 0 AND checkpoints.partial
    IS 0) THEN 'yes' ELSE 'no' END AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  (SELECT turns.title
  FROM turns
  WHERE turns.start_checkpoint_id = checkpoints.id AND turns.title
    IS NOT NULL
  ORDER BY turns.id DESC LIMIT 1 OFFSET 0) AS turn_title,
  checkpoints.head AS head,
  checkpoints.branch AS branch,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC;
CREATE VIEW push_status AS
/* One row for each remote and each project with live checkpoints, or of which the remote has
   some, by remote and directory: how far the remote has them. A checkpoint that the store has
   lost in part is not among the unsent ones.
   remote             its address, without what gives access
   project            first 16 hex digits of the SHA-256 of the working directory
   working_directory  the absolute path of the directory, links resolved
   unsent             how many live checkpoints the next push would send
   waiting            of these, how many a push has tried that the remote did not take
   sent               how many the remote has confirmed and not removed, pruned ones too
   refused            how many live ones were not offered, as they hold what looks like a secret
                      (refused_paths)
   removed            how many live ones were sent and removed there since
   oldest_unsent_at   when the first unsent one was taken
   last_sent_at       when the remote last confirmed one */
SELECT remotes.url_shown AS remote,
  projects.hash AS project,
  projects.workdir AS working_directory,
  sum(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
      IS NULL AND pushes.state IS NULL OR checkpoints.state = 'live'
      AND checkpoints.lost_at IS NULL AND pushes.state = 'waiting')
    THEN 1 ELSE 0 END) AS unsent,
  sum(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
      IS NULL AND pushes.state = 'waiting') THEN 1 ELSE 0 END) AS waiting,
  sum(CASE WHEN (pushes.state = 'sent') THEN 1 ELSE 0 END) AS sent,
  sum(CASE WHEN (checkpoints.state = 'live' AND pushes.state = 'refused')
    THEN 1 ELSE 0 END) AS refused,
  sum(CASE WHEN (checkpoints.state = 'live' AND pushes.state = 'removed')
    THEN 1 ELSE 0 END) AS removed,
  substr(min(CASE WHEN (checkpoints.state = 'live' AND checkpoints.lost_at
        IS NULL AND pushes.state IS NULL OR checkpoints.state = 'live'
        AND checkpoints.lost_at IS NULL AND pushes.state = 'waiting')
      THEN checkpoints.created_at END), 1, 19) AS oldest_unsent_at,
  substr(max(CASE WHEN (pushes.state = 'sent') THEN pushes.at END),
    1, 19) AS last_sent_at
FROM remotes JOIN checkpoints ON 1 = 1 JOIN projects ON projects.id
  = checkpoints.project_id LEFT OUTER JOIN pushes ON pushes.remote_id
  = remotes.id AND pushes.commit_id = checkpoints.commit_id
WHERE checkpoints.state = 'live' OR pushes.state = 'sent' GROUP BY
  remotes.id,
  projects.id
ORDER BY remotes.id,
  projects.workdir;
CREATE VIEW remote_list AS
/* One row for each directory of each machine that has checkpoints on a remote, as the last pull
   found it, by repository and directory. This machine is one of them.
   remote             its address, without what gives access
   repository         the git repository that the directory belongs to; NULL: none that another
                      machine knows
   subdirectory       where it lies in that
   working_directory  the absolute path of the directory on that machine
   machine            its id, 12 hex digits
   machine_name       what people call it; NULL: not known
   checkpoints        how many it has there
   here               of these, how many this base has, too
   fetched            of how many the contents were brought here
   oldest_at          when the machine took the oldest, by its own clock
   newest_at          when it took the newest, by its own clock
   last_seen          when a pull of this base last found something new of the machine
   project            first 16 hex digits of the SHA-256 of the working directory, as on that
                      machine */
SELECT remotes.url_shown AS remote,
  listed.repository AS repository,
  listed.subdirectory AS subdirectory,
  listed.workdir AS working_directory,
  listed.machine_id AS machine,
  machines.name AS machine_name,
  count(*) AS checkpoints,
  sum(listed.here) AS here,
  count(listed.fetched_at) AS fetched,
  substr(min(listed.created_at), 1, 19) AS oldest_at,
  substr(max(listed.created_at), 1, 19) AS newest_at,
  substr(machines.last_seen, 1, 19) AS last_seen,
  listed.project_hash AS project
FROM (SELECT remote_checkpoints.repository AS repository,
    remote_checkpoints.subdirectory AS subdirectory,
    remote_checkpoints.workdir AS workdir, remote_checkpoints.machine_id
    AS machine_id, remote_checkpoints.project_hash AS project_hash,
    remote_checkpoints.remote_id AS remote_id, remote_checkpoints.commit_id
    AS commit_id, remote_checkpoints.created_at AS created_at,
    (SELECT fetched_checkpoints.fetched_at FROM fetched_checkpoints
      WHERE fetched_checkpoints.commit_id = remote_checkpoints.commit_id)
    AS fetched_at, CASE WHEN (EXISTS (SELECT checkpoints.id FROM checkpoints
        WHERE checkpoints.commit_id = remote_checkpoints.commit_id
        AND checkpoints.state = 'live')) THEN 1 ELSE 0 END AS here
    FROM remote_checkpoints) AS listed JOIN remotes ON remotes.id =
  listed.remote_id JOIN machines ON machines.id = listed.machine_id
  GROUP BY remotes.id,
  listed.repository,
  listed.subdirectory,
  listed.workdir,
  listed.machine_id,
  listed.project_hash,
  machines.name,
  machines.last_seen
ORDER BY listed.repository,
  listed.subdirectory,
  listed.workdir,
  listed.machine_id;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('checkpoints',2);
INSERT INTO "sqlite_sequence" VALUES('projects',2);
INSERT INTO "sqlite_sequence" VALUES('legacy_archives',2);
INSERT INTO "sqlite_sequence" VALUES('turns',2);
INSERT INTO "sqlite_sequence" VALUES('operations',2);
INSERT INTO "sqlite_sequence" VALUES('restores',2);
INSERT INTO "sqlite_sequence" VALUES('agent_writes',2);
INSERT INTO "sqlite_sequence" VALUES('path_events',2);
INSERT INTO "sqlite_sequence" VALUES('remotes',2);
COMMIT;

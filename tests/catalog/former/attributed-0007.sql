BEGIN TRANSACTION;
CREATE TABLE "agent_writes" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	session_id TEXT, 
	turn INTEGER, 
	path TEXT NOT NULL, 
	tool TEXT, 
	written_at DATETIME NOT NULL, 
	blob VARCHAR(64), 
	CONSTRAINT fk_agent_writes_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id), CONSTRAINT ck_agent_writes_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807));
INSERT INTO "agent_writes" VALUES(1,1,'s1',1,'a.txt','write_file','2026-11-28 17:10:41.555830','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(2,1,'s2',2,'sub/c.txt','late','2026-11-28 17:10:41.659702',NULL);
INSERT INTO "agent_writes" VALUES(3,1,'s2',2,'sub/c.txt','late','2026-11-28 17:10:41.772021',NULL);
INSERT INTO "agent_writes" VALUES(4,1,'s1',1,'a.txt','write_file','2026-11-28 17:10:42.027884','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(5,1,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:42.058534',NULL);
INSERT INTO "agent_writes" VALUES(6,1,'s2',2,'b.txt','late','2026-11-28 17:10:42.242491','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(7,2,'s2',1,'b.txt','write_file','2026-11-28 17:10:42.964792','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(8,2,'s2',1,'a.txt','write_file','2026-11-28 17:10:42.965279','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(9,2,'s2',2,'sub/c.txt','late','2026-11-28 17:10:43.034125',NULL);
INSERT INTO "agent_writes" VALUES(10,2,'s1',2,'b.txt','late','2026-11-28 17:10:43.034700','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(11,3,'s2',1,'b.txt','write_file','2026-11-28 17:10:43.489339','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(12,3,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:43.489758','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(13,3,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:43.736078','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(14,3,'s2',1,'b.txt','write_file','2026-11-28 17:10:43.736558','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(15,4,'s1',1,'b.txt','write_file','2026-11-28 17:10:44.547293','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(16,5,'s2',2,'a.txt','late','2026-11-28 17:10:45.041580',NULL);
INSERT INTO "agent_writes" VALUES(17,5,'s1',1,'a.txt','write_file','2026-11-28 17:10:45.130368','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(18,5,'s1',1,'b.txt','write_file','2026-11-28 17:10:45.299157',NULL);
INSERT INTO "agent_writes" VALUES(19,5,'s1',1,'b.txt','write_file','2026-11-28 17:10:45.409102','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(20,5,'s1',1,'sub/c.txt','write_file','2026-11-28 17:10:45.492020','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(21,5,'s1',2,'b.txt','late','2026-11-28 17:10:45.905508',NULL);
INSERT INTO "agent_writes" VALUES(22,6,'s1',2,'a.txt','late','2026-11-28 17:10:46.954931','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(23,6,'s1',1,'a.txt','write_file','2026-11-28 17:10:47.187684',NULL);
INSERT INTO "agent_writes" VALUES(24,6,'s1',1,'b.txt','write_file','2026-11-28 17:10:47.278308',NULL);
INSERT INTO "agent_writes" VALUES(25,6,'s1',1,'a.txt','write_file','2026-11-28 17:10:47.278868','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(26,6,'s1',2,'b.txt','late','2026-11-28 17:10:47.315381','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(27,6,'s2',1,'a.txt','write_file','2026-11-28 17:10:47.383459','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(28,6,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:47.383934','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(29,6,'s2',1,'a.txt','write_file','2026-11-28 17:10:47.384335','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(30,6,'s2',1,'a.txt','write_file','2026-11-28 17:10:47.512700','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(31,6,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:47.513202','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(32,6,'s1',1,'a.txt','write_file','2026-11-28 17:10:47.611469','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(33,6,'s1',1,'sub/c.txt','write_file','2026-11-28 17:10:47.611902','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(34,6,'s2',1,'b.txt','write_file','2026-11-28 17:10:47.747853','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(35,6,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:47.748299',NULL);
INSERT INTO "agent_writes" VALUES(36,7,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:49.487498','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(37,7,'s2',2,'a.txt','late','2026-11-28 17:10:49.487961','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(38,7,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:49.598275','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(39,7,'s2',1,'a.txt','write_file','2026-11-28 17:10:49.659612','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(40,7,'s1',2,'a.txt','late','2026-11-28 17:10:50.003265','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(41,7,'s2',2,'b.txt','late','2026-11-28 17:10:50.003830','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(42,7,'s2',2,'b.txt','late','2026-11-28 17:10:50.004263','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(43,7,'s1',1,'b.txt','write_file','2026-11-28 17:10:50.125219','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(44,7,'s1',1,'b.txt','write_file','2026-11-28 17:10:50.125709','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(45,7,'s2',2,'b.txt','late','2026-11-28 17:10:50.492750','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(46,8,'s1',1,'a.txt','write_file','2026-11-28 17:10:51.405583',NULL);
INSERT INTO "agent_writes" VALUES(47,8,'s1',1,'sub/c.txt','write_file','2026-11-28 17:10:51.508869','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(48,9,'s2',2,'b.txt','late','2026-11-28 17:10:52.525458','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(49,9,'s2',1,'a.txt','write_file','2026-11-28 17:10:52.595166','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(50,9,'s1',1,'b.txt','write_file','2026-11-28 17:10:53.008500','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(51,10,'s2',1,'a.txt','write_file','2026-11-28 17:10:54.315973',NULL);
INSERT INTO "agent_writes" VALUES(52,10,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:54.316471','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(53,10,'s2',1,'b.txt','write_file','2026-11-28 17:10:54.483095',NULL);
INSERT INTO "agent_writes" VALUES(54,10,'s2',1,'a.txt','write_file','2026-11-28 17:10:54.548184','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(55,10,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:54.548610',NULL);
INSERT INTO "agent_writes" VALUES(56,10,'s2',2,'a.txt','late','2026-11-28 17:10:55.032871','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(57,11,'s2',2,'b.txt','late','2026-11-28 17:10:55.928845','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(58,11,'s2',1,'b.txt','write_file','2026-11-28 17:10:56.029082','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(59,11,'s2',1,'a.txt','write_file','2026-11-28 17:10:56.219653','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(60,11,'s2',1,'b.txt','write_file','2026-11-28 17:10:56.220147','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(61,11,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:56.220575','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(62,11,'s1',1,'a.txt','write_file','2026-11-28 17:10:56.305144',NULL);
INSERT INTO "agent_writes" VALUES(63,11,'s1',1,'b.txt','write_file','2026-11-28 17:10:56.450737','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(64,11,'s2',2,'b.txt','late','2026-11-28 17:10:56.454027',NULL);
INSERT INTO "agent_writes" VALUES(65,11,'s1',2,'b.txt','late','2026-11-28 17:10:56.454573',NULL);
INSERT INTO "agent_writes" VALUES(66,11,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:56.742956','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(67,11,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:56.743442','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(68,11,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:56.746145','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(69,12,'s1',1,'sub/c.txt','write_file','2026-11-28 17:10:57.817371',NULL);
INSERT INTO "agent_writes" VALUES(70,12,'s2',2,'a.txt','late','2026-11-28 17:10:57.910464','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(71,12,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:58.071910',NULL);
INSERT INTO "agent_writes" VALUES(72,12,'s2',1,'sub/c.txt','write_file','2026-11-28 17:10:58.245395','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(73,12,'s1',1,'b.txt','write_file','2026-11-28 17:10:58.292099',NULL);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
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
INSERT INTO "checkpoint_changes" VALUES(1,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,4096,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(2,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,4096,1,0);
INSERT INTO "checkpoint_changes" VALUES(2,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(7,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,4096,1,1);
INSERT INTO "checkpoint_changes" VALUES(7,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(8,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(8,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,4096,1,0);
INSERT INTO "checkpoint_changes" VALUES(9,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(10,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(11,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(12,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(13,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(14,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(15,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(16,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(16,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(17,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(17,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(18,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(19,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(20,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(21,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(23,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(24,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(25,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(26,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(27,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(28,'sub/c.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(29,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(30,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(31,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(31,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(32,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(32,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(33,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(34,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(34,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(34,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(35,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(36,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(37,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33261,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(38,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(38,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(39,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(40,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(41,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(42,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(43,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(43,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(44,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(44,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(44,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(45,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(46,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(47,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(48,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(48,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(49,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33188,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(49,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(50,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(50,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(51,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(53,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(54,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(54,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(55,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(55,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(56,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(57,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(58,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(59,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(60,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(61,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(61,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(61,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(62,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(62,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(62,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(63,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(63,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(63,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(64,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(64,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(65,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(66,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(67,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(68,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(70,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(71,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(71,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(72,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(72,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(73,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(73,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(74,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(75,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(76,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(77,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(77,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(78,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(78,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(79,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(79,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(79,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(80,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(81,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(82,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(82,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(83,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(83,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(84,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(84,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(84,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33261,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(85,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33261,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(86,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(87,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(89,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(89,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(90,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(91,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(92,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(92,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
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
	prune_reason TEXT, 
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
INSERT INTO "checkpoints" VALUES(1,1,'87bbe23cf9da1da280b406cd2ea6625ace6b2a7e','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171041480591Z-0c827afb',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:41.480591',0,1,0,12288,0,4096,4096,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(2,1,'7406090de21e074597909488f0b6c74dd2b1ac57','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','8121a2efb29d8477ae740d83ced593b2b65c7912','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171041635460Z-46f3e9a2',1,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:10:41.635460',0,3,2,12288,0,4096,8192,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(3,1,'48cd205cbfc91df3549bb4dfe456ce913a26c81e','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','75b5aef425879b0175d27120f4577948576fe4c4','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171041699606Z-1cc1081b',2,'safety','pre-rollback snapshot (restoring to 7406090d)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:41.699606',0,3,2,4096,0,0,8192,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(4,1,'0d4ce321dc23c8421097683f37a53a59a9248145','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171041839334Z-e2e0c2d4',3,'safety','pre-undo checkpoint (going back to 48cd205c)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:41.839334',0,3,2,4096,0,0,8192,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(5,1,'2b37e353e85d196ca54ca348677b82259259f26c','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','75b5aef425879b0175d27120f4577948576fe4c4','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171041949005Z-42cda9c3',4,'safety','pre-rollback snapshot (restoring to 87bbe23c)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:41.949005',0,3,2,4096,0,0,8192,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(6,1,'4633bfebe25ce3d88292a30f4184346f960d43cd','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','2b2d4b5e49e0a18cb13b7551746328a30ce5a931','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171042108582Z-a37bed04',5,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:10:42.108582',0,3,2,4096,0,0,8192,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(7,1,'0d83ba05665cf0af7178223c78d70f62d78445b4','d06526c0f081aa7e0d3099b90466669be0c70aeb','76adffc71a560c1c791042a50e8f0a88c7fb6e15','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171042159973Z-26f84508',6,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:42.159973',0,2,1,12288,4096,4096,8192,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(8,1,'fdd7318af0c770ccd79806e90dd25f2acb49d032','0a52210d6a14431d5b6a9a45c0986914297a8c7c','fbf4b591ac2efefbe20be56899a64a7ba984940b','refs/checkpoints/8f640ee9e1d6b0c0/20261128T171042280663Z-d0e92588',7,'auto','manual',NULL,0,'s2',6,NULL,'2026-11-28 17:10:42.280663',0,3,2,12288,4096,4096,8192,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(9,2,'8c7b9b3539f18e48b9340c770aaa41e9830fd3b2','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/15731e0a464ec146/20261128T171042935636Z-78acde24',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:42.935636',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(10,2,'ad1f857e3fe22bd0dca037ddf9a4edc7290358cc','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','075f00b7e771890df88ad0ed498448b28b25ab00','refs/checkpoints/15731e0a464ec146/20261128T171043008158Z-395feac5',9,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:43.008158',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(11,2,'ac2bb5b8ba93c67788f91e9be04fd39ff1581d4d','b4ab4a8102833d7d9725427c1eeb338350d66d7f','a29d08c40208c57f676067f0b37ef01483a8a53c','refs/checkpoints/15731e0a464ec146/20261128T171043062261Z-fdb9e34a',10,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:10:43.062261',0,2,1,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(12,3,'13df1cdcf1d969b990b79fcdc7680fb95b963da7','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/29d575e78777d75c/20261128T171043338301Z-94257d66',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:43.338301',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(13,3,'00b51ec2f5cc38bfdb2b41e971a92539c9b4ff5d','a86752e1dc6aa948868e503e6a0e0969272a2d8e','280b3ac92746f18b799a5a0c13d891709f679275','refs/checkpoints/29d575e78777d75c/20261128T171043391429Z-464ed1c8',12,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:10:43.391429',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(14,3,'ae3754b9d4882bda9cefeadbb39ac8e4dc78b4d4','7f9418b5bb13da864c68863d5b9c671723a5a1fc','aa41c7460df7f8347714330f41ae8dffd638cb8e','refs/checkpoints/29d575e78777d75c/20261128T171043451691Z-618e2fda',13,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:43.451691',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(15,3,'aa3f9f91ca2c2cc231eea8a8d0b863a6f1565a4d','4785ceaecda4610e05d335e1f5ff4bbcedd6174a','9edb3e452f780a2dbf74f3d4f1b535a861795804','refs/checkpoints/29d575e78777d75c/20261128T171043592169Z-1043e052',14,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:10:43.592169',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(16,3,'90aeef381c3940bb02eaea4f9eab526df72ec6b2','de463007b34b5de7f2931a7ac886fe1957b836c2','0493c898420a5c8a21e8a2e2652895015ae00712','refs/checkpoints/29d575e78777d75c/20261128T171043658372Z-b1be8fb9',15,'safety','pre-rollback snapshot (restoring to 00b51ec2)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:43.658372',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(17,3,'cccf61436fab0dd39284c12af42e32737a08257b','164c47ffe3b0f8fc6c362e23b90025bc7aa5aca1','464358056812912bd904b784a2da0b17b6005bb4','refs/checkpoints/29d575e78777d75c/20261128T171043776422Z-bac7b731',16,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:10:43.776422',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(18,4,'ae9e0061c12760c55d008ab066ac2dcbbb390fc4','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/4ebf456ffc5055c0/20261128T171044264573Z-69f61d83',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:44.264573',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(19,4,'cf0373913c503d7d1db538bb0220453f74ca3739','3b456247105b0ffb2dda4229bc48675abb9fc9ad','01abfcd177cc1bcbac2936621519eae353f1c452','refs/checkpoints/4ebf456ffc5055c0/20261128T171044593930Z-a6e1c49e',18,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:10:44.593930',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(20,4,'88ff35ad91d24f357fb85c87c49839cb5876e91e','16cfbf4bb4cf9d13f7157e472d0985001fd86b91','c54771b4947a6c1f1349706da248cb43cd21731c','refs/checkpoints/4ebf456ffc5055c0/20261128T171044674863Z-6e40f644',19,'manual','the last',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:44.674863',0,2,1,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(21,5,'5e965b405232adcd689b11f71be777d8c6820628','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/4eeb01a98149cd12/20261128T171045002196Z-6bfa8d47',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:45.002196',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(22,5,'7ae74eefe48f3aac98f8900b306211c42112aec7','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/4eeb01a98149cd12/20261128T171045093627Z-c1c02770',21,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:45.093627',0,1,0,4096,0,0,0,0,0,0,0,0,'pruned','2026-11-28 17:10:45.982231','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(23,5,'e8808ca4ff5aa2f8207949161383df2df53620d5','85ac3df6386a7836bf06ff666d158cc9035fde32','48f8123b781ed27792ba9f96662d035602f5d5ac','refs/checkpoints/4eeb01a98149cd12/20261128T171045202953Z-83aaa69b',22,'auto','manual',NULL,0,'s2',6,NULL,'2026-11-28 17:10:45.202953',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(24,5,'dc6ed3747e327598a283ed74269ecd9d0222a8ec','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/4eeb01a98149cd12/20261128T171045282108Z-c1a7b326',23,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:10:45.282108',0,1,0,8192,4096,0,0,1,0,1,0,0,'pruned','2026-11-28 17:10:46.069098','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(25,5,'adac1322e2d0a7199b02a1bee70d26138f727b90','b4ab4a8102833d7d9725427c1eeb338350d66d7f','a29d08c40208c57f676067f0b37ef01483a8a53c','refs/checkpoints/4eeb01a98149cd12/20261128T171045379938Z-39428409',24,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:10:45.379938',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(26,5,'cd3ff2da4ca2b2c5d69060e7c1e4bbfeefd4f671','3b456247105b0ffb2dda4229bc48675abb9fc9ad','3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','refs/checkpoints/4eeb01a98149cd12/20261128T171045479109Z-8516d891',25,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:10:45.479109',0,2,1,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(27,5,'0578c95a7c7b1c6c16c2708e5bf225b9c253375e','8c9932fc0a3de96a1050931d573279f819eea1e6','f9ca88981730903e8bccb350a3bf792a7a4e4c91','refs/checkpoints/4eeb01a98149cd12/20261128T171045591824Z-fc632e6e',26,'safety','pre-rollback snapshot (restoring to 7ae74eef)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:45.591824',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(28,5,'27faaeb004d277607a9c63618a41e8ac398599ef','3b456247105b0ffb2dda4229bc48675abb9fc9ad','3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','refs/checkpoints/4eeb01a98149cd12/20261128T171045711078Z-a0d59347',27,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:10:45.711078',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(29,5,'c19f89ca56b7db3818be105ba18866fe05ebd341','904e17589e76de2b7edfb270c387e5dae35380d5','c988bc45919156892c8fca04021ac9a1d3c430ed','refs/checkpoints/4eeb01a98149cd12/20261128T171046136523Z-f3dabbb9',28,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:10:46.136523',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(30,6,'2509cfc476396de2253624755107bf9eb4a16b23','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/6cea45924fcdc256/20261128T171046915092Z-14ecb30c',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:46.915092',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(31,6,'1d9e3063824a7f236222f3621d1096927bc02a4c','9234929f3aef5c210d159cc44f6a0ee75fd06b6e','fb5fa3283c141649de4fec531666345ea7220105','refs/checkpoints/6cea45924fcdc256/20261128T171047020969Z-3f2ffc1e',30,'safety','pre-rollback snapshot (restoring to 2509cfc4)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:47.020969',0,3,2,8192,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(32,6,'a10350332a5497e0d1cbe681e5965b9e797c3d30','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/6cea45924fcdc256/20261128T171047148019Z-5f76ea82',31,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:10:47.148019',0,1,0,8192,8192,0,0,2,0,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(33,6,'a34e00dfc01e68d7156ca65f922cf7615a0610b0','d06526c0f081aa7e0d3099b90466669be0c70aeb','76adffc71a560c1c791042a50e8f0a88c7fb6e15','refs/checkpoints/6cea45924fcdc256/20261128T171047242996Z-1558c099',32,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:10:47.242996',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(34,6,'7503f2f997f370e74effa955143ca5e3efb9a7dc','8b23ac1f05a78bf7f17c056c34e82f13ca223641','8705850b7fe0c7e248ca109f9803fc3cc9477861','refs/checkpoints/6cea45924fcdc256/20261128T171047352986Z-7ca641fc',33,'auto','manual',NULL,0,'s2',6,NULL,'2026-11-28 17:10:47.352986',0,4,3,12288,0,0,0,3,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(35,6,'e3eda7d66a27322a843bd69f6ede8c11b2ddbd43','9da1e2669463bc2e944bb17035722e6fd2b2a1a2','7fc82fa661f3f5191d82c69cf1b6695e41f03c20','refs/checkpoints/6cea45924fcdc256/20261128T171047488103Z-7541ea68',34,'auto','manual',NULL,0,'s2',6,NULL,'2026-11-28 17:10:47.488103',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(36,6,'ba06919f38360855c9123b32a3e9de9c866a0b5e','da790238f71efd5c166ebd2204c8facaf64db165','3fe55faed738bf9e885ed650ed9e3e9cfaf1247f','refs/checkpoints/6cea45924fcdc256/20261128T171047584444Z-a5f7d810',35,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:10:47.584444',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(37,6,'c86601956bae1664fc6208d9ec34c4b1927173e9','42ab1844fae95fdcc26766b3fedfbd7a596fee1a','0184190e46c506a02cc1f7fc9b3b090a4e2963f3','refs/checkpoints/6cea45924fcdc256/20261128T171047717011Z-f48d9380',36,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:10:47.717011',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(38,6,'cb949d72ea16d0c0c564e4a20c4c6c8e37e519db','a874326681858795f9d578b98e1fabdae74c145e','9b31c51793f726a52b65c0d8aee5193c4710ca05','refs/checkpoints/6cea45924fcdc256/20261128T171047824680Z-db72000a',37,'safety','pre-undo checkpoint (going back to 1d9e3063)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:47.824680',0,3,2,8192,4096,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(39,6,'11bbbd76e1faa87c191cd37d792219459d81872e','9234929f3aef5c210d159cc44f6a0ee75fd06b6e','fb5fa3283c141649de4fec531666345ea7220105','refs/checkpoints/6cea45924fcdc256/20261128T171047955025Z-88508674',38,'safety','pre-rollback snapshot (restoring to a1035033)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:47.955025',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(40,6,'6c3f460f16115559beaab28d69b6c9a7f9e7e8fe','d06526c0f081aa7e0d3099b90466669be0c70aeb','ad7fd21e51dd6c75b5c068d36acb3652cf34e585','refs/checkpoints/6cea45924fcdc256/20261128T171048119235Z-eea9615f',39,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:10:48.119235',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(41,6,'18d536a87fdb12f5e511f15434ded6a32c22ad34','d7abb34dcff09abcad91baf8ff456aabeb9ad7c8','cf4a9f448fa84bb9e191986acb0194026f10c44b','refs/checkpoints/6cea45924fcdc256/20261128T171048278996Z-d584827e',40,'manual','the last',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:48.278996',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(42,7,'f9d5cda504be7133a739ca6601bbf327571b7ed1','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/5683b815f5e0265a/20261128T171049445940Z-0af20c45',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:49.445940',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(43,7,'f8877bc23e51d4bf7f517daf9ad456a14d4ea12a','48e1f771ae72bd4dc7d387346f07b3d4e4aea58d','5d019807afe87d8bd89c87833a9c2bb661c80008','refs/checkpoints/5683b815f5e0265a/20261128T171049544391Z-37c9cd15',42,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:10:49.544391',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(44,7,'1332ffce8593699274b46e8b2b67882400cb2f44','b2f01d6261877a27760ade3946b990b9dcfc51df','d483a694619f28a8f8bb146921e0eef11f6886ce','refs/checkpoints/5683b815f5e0265a/20261128T171049631966Z-dfd33c66',43,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:10:49.631966',0,4,3,12288,8192,0,0,3,3,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(45,7,'56263ed67ff447d9ca3b2d5635b7ed585de98820','8118478be13cb63d826bff4cc1ad09fd88df8204','0aa5fb985f4bef95d80928d1ff248a5cd0d5e9d1','refs/checkpoints/5683b815f5e0265a/20261128T171049755929Z-56098ba7',44,'safety','pre-rollback snapshot (restoring to f9d5cda5)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:49.755929',0,3,2,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(46,7,'5c3b5d3db754b42dd6f5678f31fa97e0186f4fca','2668a5a39baf76d96b2e395166d354e68d897a60','903571ed49f5d729c3306809f5e9cbb12fbbedd0','refs/checkpoints/5683b815f5e0265a/20261128T171049903094Z-c6a14f42',45,'safety','pre-rollback snapshot (restoring to f9d5cda5)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:49.903094',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(47,7,'08682d501322639438d09a6b8fcda64dcfe666d6','8d1b70dbe215ae39fc5150b7b3e86b32e4faaa23','0634f5bdf4f503604ef5c8c49ade62773d0746aa','refs/checkpoints/5683b815f5e0265a/20261128T171050073722Z-8dc3b1d1',46,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:10:50.073722',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(48,7,'a77e132b2904dfbc099cf189416c0ba0ad0e86b0','d9829e0e6836ec980d2128ec240c953a0a5f5bb4','c10cac48ec599421b885cb2073ce10a4add72bac','refs/checkpoints/5683b815f5e0265a/20261128T171050247099Z-3ecaab96',47,'safety','pre-rollback snapshot (restoring to 1332ffce)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:50.247099',0,4,3,12288,4096,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(49,7,'0be4ef42077ec4282949bcdde77ae5a3175721fb','b2f01d6261877a27760ade3946b990b9dcfc51df','d483a694619f28a8f8bb146921e0eef11f6886ce','refs/checkpoints/5683b815f5e0265a/20261128T171050400597Z-be54fe80',48,'safety','pre-undo checkpoint (going back to a77e132b)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:50.400597',0,4,3,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(50,7,'0ee075767c4e05dbcb66a27a9ddbe38b68797412','03d4c5d3d1eb22ffd35cf53d97b2ce923b9fc740','4902a39e7c891c298e1f8cb943ebab9768e6ce05','refs/checkpoints/5683b815f5e0265a/20261128T171050532476Z-c467a435',49,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:10:50.532476',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(51,8,'79f64179eb16dc5f4a2366afaafd930943778a1c','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/74b4a238e76f1ede/20261128T171051270445Z-0e5d46ec',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:51.270445',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(52,8,'912fb3ecf68a1ad9b7eb5ea80d72d45bf0b62ba3','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/74b4a238e76f1ede/20261128T171051368734Z-fa5f86c6',51,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:10:51.368734',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(53,8,'74511cabdfabcfe2a3424578700a216670674dc4','df25b1220552776e3256802dabda6752a22438b1','578162e53db8c4f76c9a3209e2c5451494e3d37a','refs/checkpoints/74b4a238e76f1ede/20261128T171051486465Z-097367ec',52,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:10:51.486465',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(54,8,'0efda7e6635c7c819e19dd4d099fdd3967cf1a99','7aab6af51aafb33775acc1d2ba3d0b4f98fd789a','25a02a6f3ac14a3561d6fdaee214e3a6146cf7c3','refs/checkpoints/74b4a238e76f1ede/20261128T171051587205Z-02d283c6',53,'safety','pre-rollback snapshot (restoring to 74511cab)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:51.587205',0,3,2,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(55,8,'f46e3d2ec0e7e4f601cccae42bfbde7a43a7ee63','6b0231dff76fbc3ec53a2d554dae9fbe88243043','699d8d29c26e58245e9ba47ba5a76d3839d16784','refs/checkpoints/74b4a238e76f1ede/20261128T171051663839Z-036d3d59',54,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:10:51.663839',0,4,3,12288,4096,0,0,2,2,1,0,0,'pruned','2026-11-28 17:10:51.995692','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(56,8,'00c19630fd9ee32f03bf3237465e9eb046ae5beb','321bdb59c5026137918a4a7c4ce86ef4ffb60dc2','be6c7349308274bf2e4a52653080b2648016db76','refs/checkpoints/74b4a238e76f1ede/20261128T171051773576Z-a2c3c5be',55,'safety','pre-undo checkpoint (going back to 0efda7e6)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:51.773576',0,4,3,12288,4096,0,0,1,1,1,0,0,'pruned','2026-11-28 17:10:51.917554','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(57,8,'de52b25a2f48dc74dab4dfc92b1501d96dbb75fb','7aab6af51aafb33775acc1d2ba3d0b4f98fd789a','25a02a6f3ac14a3561d6fdaee214e3a6146cf7c3','refs/checkpoints/74b4a238e76f1ede/20261128T171051863753Z-b79e53ff',56,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:10:51.863753',0,3,2,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(58,9,'1704022bbfdd413058acc4e575ab0ba19cfa63dd','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/701abee740d602c7/20261128T171052408020Z-81a2770e',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:52.408020',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(59,9,'024bd1a54c0cedd8fca29007acaa58bdbdf9162e','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','4d220c97025a4a329bd77c3430a0499b94ae7655','refs/checkpoints/701abee740d602c7/20261128T171052562902Z-d18f50c3',58,'imported','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:10:52.562902',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(60,9,'ffd5ef53a952d2e6328614f467476dc2241a73fa','e598414e5a738c63a62e8fef4a0018eefc7cd2d2','4b6667320c62e23942caa2c7445a98d6cef3a56c','refs/checkpoints/701abee740d602c7/20261128T171052636185Z-71fa0244',59,'imported','pre-rollback snapshot (restoring to 1704022b)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:52.636185',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(61,9,'e9b2ca1a82794aba214d4ac5feac502118d8e941','febbae70c31c60470f3303a29e6db6a2303b4ad1','ac8a88de29204c3c32db07f3142659b72d4dff05','refs/checkpoints/701abee740d602c7/20261128T171052734925Z-073f3442',60,'safety','pre-rollback snapshot (restoring to ffd5ef53)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:52.734925',0,3,2,12288,8192,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(62,9,'20b3c220a8fdc4cb454481b00a396cd8a5efafd8','e598414e5a738c63a62e8fef4a0018eefc7cd2d2','4b6667320c62e23942caa2c7445a98d6cef3a56c','refs/checkpoints/701abee740d602c7/20261128T171052821045Z-484ae92c',61,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:52.821045',0,3,2,8192,8192,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(63,9,'b28d4c617e11a6ab0ca89c9de006316a0dfcfb32','febbae70c31c60470f3303a29e6db6a2303b4ad1','ac8a88de29204c3c32db07f3142659b72d4dff05','refs/checkpoints/701abee740d602c7/20261128T171052972810Z-9a901742',62,'auto','manual',NULL,0,'s1',8,NULL,'2026-11-28 17:10:52.972810',0,3,2,12288,8192,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(64,9,'8fbf89a2b76d5c06b2b38ab3a9e4ef5f553bf0dc','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','ac8408f8ea5cf0ca70e4f41e09e41eb4bb9dbb30','refs/checkpoints/701abee740d602c7/20261128T171053110785Z-55dcf7a0',63,'auto','manual',NULL,0,'s2',5,NULL,'2026-11-28 17:10:53.110785',0,3,2,8192,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(65,9,'4dcaf028eae7f3d0173d8a45ebb4c599461199a0','e9e308510742c13ea0c470ffb9f2141aed2364b3','9618e218a2c6d5333236321e17357e52df56bc82','refs/checkpoints/701abee740d602c7/20261128T171053209982Z-f6e1a1ae',64,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:10:53.209982',0,4,3,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(66,10,'8877ce04b4b5b488a908842cdfc184717ceebfa5','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fffdb31619bc92a5/20261128T171054138814Z-85f93702',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:54.138814',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(67,10,'19fdc4d85083306fa578d3c14c9cb3c93e3db5ca','df25b1220552776e3256802dabda6752a22438b1','7585301c1325531d1e432c644250638292e155ed','refs/checkpoints/fffdb31619bc92a5/20261128T171054372456Z-be73156b',66,'safety','pre-rollback snapshot (restoring to 8877ce04)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:54.372456',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(68,10,'e2635ec50f7f3de3d5f74dff4cb65852ace7ac0b','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fffdb31619bc92a5/20261128T171054468636Z-df7b608c',67,'auto','manual',NULL,0,'s2',5,NULL,'2026-11-28 17:10:54.468636',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(69,10,'5a206fe671f57dcedc26749afc06bd790a97eb11','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/fffdb31619bc92a5/20261128T171054519501Z-12bdb039',68,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:10:54.519501',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(70,10,'c6c257fc7600ff61d1ff013cf9b30f678440eed1','d06526c0f081aa7e0d3099b90466669be0c70aeb','76adffc71a560c1c791042a50e8f0a88c7fb6e15','refs/checkpoints/fffdb31619bc92a5/20261128T171054604393Z-103af8d5',69,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:54.604393',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(71,10,'97faee1c0d75b83a44b4ee0f2eeb32429b20c166','7f9418b5bb13da864c68863d5b9c671723a5a1fc','e9590955a88803a2faa5e666c5ea185d6395585a','refs/checkpoints/fffdb31619bc92a5/20261128T171054782923Z-0f52173d',70,'safety','pre-undo checkpoint (going back to c6c257fc)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:54.782923',0,3,2,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(72,10,'2cc76567cfc0f15ff9d25f656a4381590f66dffc','d06526c0f081aa7e0d3099b90466669be0c70aeb','76adffc71a560c1c791042a50e8f0a88c7fb6e15','refs/checkpoints/fffdb31619bc92a5/20261128T171054868460Z-8d87bf6f',71,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:10:54.868460',0,2,1,8192,4096,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(73,10,'6c45dcd97f8b49833ad7e827639383c474fedeb7','df25b1220552776e3256802dabda6752a22438b1','7585301c1325531d1e432c644250638292e155ed','refs/checkpoints/fffdb31619bc92a5/20261128T171055012246Z-d3dd6615',72,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:10:55.012246',0,2,1,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(74,10,'c309a25d743951e00a6c98ded3ed136bded6e175','7f9418b5bb13da864c68863d5b9c671723a5a1fc','e9590955a88803a2faa5e666c5ea185d6395585a','refs/checkpoints/fffdb31619bc92a5/20261128T171055080203Z-47ba2dac',73,'auto','the last',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:55.080203',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(75,11,'d6e39b619fdeb2ce7c265a98981f837fe5eb8d6a','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/30fe008421d9e228/20261128T171055806688Z-81031f8f',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:55.806688',0,1,0,8192,0,0,0,1,0,0,0,0,'pruned','2026-11-28 17:10:57.020468','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(76,11,'6164c72ed98196520aa95a00f7e0a7a98c6310ac','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','4d220c97025a4a329bd77c3430a0499b94ae7655','refs/checkpoints/30fe008421d9e228/20261128T171055968378Z-02aa11d7',75,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:55.968378',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(77,11,'7a97f3dce795d11a88f56c2571b88af068307bf2','bc118bdedfd609264754ea187de9a1e19d8fa2dc','bf7246613c5e1c0e1dc699916344eeedff3345f1','refs/checkpoints/30fe008421d9e228/20261128T171056096205Z-283dec55',76,'safety','pre-rollback snapshot (restoring to d6e39b61)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:56.096205',0,3,2,8192,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(78,11,'469c79f6f4166666408cd50aaeaeeafd2aa92a26','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/30fe008421d9e228/20261128T171056186597Z-adfaf413',77,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:10:56.186597',0,1,0,8192,8192,0,0,2,0,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(79,11,'070f6c365eed37ca08382296a32ef4ad14fbf031','b2f01d6261877a27760ade3946b990b9dcfc51df','d483a694619f28a8f8bb146921e0eef11f6886ce','refs/checkpoints/30fe008421d9e228/20261128T171056284484Z-033f0ccc',78,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:10:56.284484',0,4,3,12288,0,0,0,3,3,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(80,11,'ed15e463828482de95d8ba30d99da66588b8483a','8118478be13cb63d826bff4cc1ad09fd88df8204','0aa5fb985f4bef95d80928d1ff248a5cd0d5e9d1','refs/checkpoints/30fe008421d9e228/20261128T171056334754Z-b27b165f',79,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:56.334754',0,3,2,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(81,11,'1ebf8ef6fa14278eb323f4fa35259d232103fc08','043bfda55d513d2caceee81e96355e77d70c20a7','2691b41602e0229d0422958470fc0b5ea739313b','refs/checkpoints/30fe008421d9e228/20261128T171056410816Z-4a658bbc',80,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:10:56.410816',0,3,2,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(82,11,'220934e4f984af5d1bebe3483b142f98424ff35d','e8badcaf4948f7208dbfc11b7966539d277d3953','ebf50fdadd917499878f68e2f6e8abaa4dce0242','refs/checkpoints/30fe008421d9e228/20261128T171056512737Z-2cdd4a82',81,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:56.512737',0,3,2,8192,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(83,11,'8c2b803c56b8c959b325cf0039d0d02e767eb563','c930b2ce6353783befd86023481c34a62329c089','48858074ca2f247e4bd9b13ef9ce06c20b44b1df','refs/checkpoints/30fe008421d9e228/20261128T171056591485Z-5b5856fa',82,'safety','pre-undo checkpoint (going back to 7a97f3dc)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:56.591485',0,2,1,12288,4096,0,0,2,0,1,0,0,'pruned','2026-11-28 17:10:56.939139','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(84,11,'c68ae53d732f2405469c079c377677873acb9946','bc118bdedfd609264754ea187de9a1e19d8fa2dc','bf7246613c5e1c0e1dc699916344eeedff3345f1','refs/checkpoints/30fe008421d9e228/20261128T171056681928Z-2d7c3eb6',83,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:56.681928',0,3,2,8192,4096,0,0,3,2,1,0,0,'pruned','2026-11-28 17:10:56.871687','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(85,11,'7c2236441a6316a79d15f4aff00afdf2da837ecf','b21f5dfe27453909b5e26481f06d230289c6cb2e','517074be6dcc1706c68c0947a4ea586b4550363e','refs/checkpoints/30fe008421d9e228/20261128T171056794974Z-7d5529f1',84,'auto','manual',NULL,0,'s1',8,NULL,'2026-11-28 17:10:56.794974',0,4,3,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(86,12,'76ab325c70856478a4362f81b31389cc48fde28d','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fe220c457e824f95/20261128T171057686493Z-92f5649f',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:10:57.686493',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(87,12,'9e96702e08064877002eedb0701385a717d9e099','3b456247105b0ffb2dda4229bc48675abb9fc9ad','252caa601f9f12b62957ae6d66bce168f98a907a','refs/checkpoints/fe220c457e824f95/20261128T171057788922Z-cfa0fa64',86,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:57.788922',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(88,12,'51cd920613af33b20d8011ba034be1e6d35c97bc','3b456247105b0ffb2dda4229bc48675abb9fc9ad','3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','refs/checkpoints/fe220c457e824f95/20261128T171057891366Z-4bca23fa',87,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:57.891366',0,2,1,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(89,12,'4c84cfb130e61e185c8158535fda47f90941cc80','a1d99d869ef14b7b1a4b97220b1118c6bc3ca546','b2c412d0f2fa3460cfe3428da3e3a030a742b0a8','refs/checkpoints/fe220c457e824f95/20261128T171057950142Z-43ff13c4',88,'safety','pre-rollback snapshot (restoring to 51cd9206)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:57.950142',0,4,3,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(90,12,'51cadb90fb1acd27121cf65a3be5cabe223e385b','bc118bdedfd609264754ea187de9a1e19d8fa2dc','fd2c8ee0481749358a268e20f45f9d6df5c6be71','refs/checkpoints/fe220c457e824f95/20261128T171058116356Z-3d8d7678',89,'safety','pre-rollback snapshot (restoring to 51cd9206)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:58.116356',0,3,2,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(91,12,'dce64f9948d49dde9543e399bfef3060fbe01a54','94bc567344d92f62e33202cf0212881bfd807602','ec9296f4015e7da17609a17f5048553a4470fe2f','refs/checkpoints/fe220c457e824f95/20261128T171058213100Z-eaa8f156',90,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:10:58.213100',0,4,3,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(92,12,'1c32308d448bc8e01a1608b97eb7e93cbf090e40','150fc5d24d40053901276da86996e9202fbe109d','1faa48a7a047b3cf71862b12579049b328c625aa','refs/checkpoints/fe220c457e824f95/20261128T171058360602Z-2ab5cb95',91,'auto','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:10:58.360602',0,3,2,8192,8192,0,0,2,1,2,0,0,'live',NULL,NULL);
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
	parent_inode VARCHAR(32), disposable BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT ck_projects_state CHECK (state IN ('live', 'orphan', 'unreachable')), 
	CONSTRAINT uq_projects_hash UNIQUE (hash), CONSTRAINT ck_projects_disposable CHECK (disposable IN (0, 1)), CONSTRAINT uq_projects_workdir UNIQUE (workdir));
INSERT INTO "projects" VALUES(1,'8f640ee9e1d6b0c0','/srv/1','2026-11-28 17:10:41.480591','2026-11-28 17:10:42.311724','live',NULL,'2026-11-28 17:10:42.311724',NULL,'27','22426467','27','22426307',0);
INSERT INTO "projects" VALUES(2,'15731e0a464ec146','/srv/2','2026-11-28 17:10:42.935636','2026-11-28 17:10:43.112026','live',NULL,'2026-11-28 17:10:43.112026',NULL,'27','22429553','27','22426307',0);
INSERT INTO "projects" VALUES(3,'29d575e78777d75c','/srv/3','2026-11-28 17:10:43.338301','2026-11-28 17:10:43.794071','live',NULL,'2026-11-28 17:10:43.776422',NULL,'27','22430175','27','22426307',0);
INSERT INTO "projects" VALUES(4,'4ebf456ffc5055c0','/srv/4','2026-11-28 17:10:44.264573','2026-11-28 17:10:44.694663','live',NULL,'2026-11-28 17:10:44.674863',NULL,'27','22435337','27','22426307',0);
INSERT INTO "projects" VALUES(5,'4eeb01a98149cd12','/srv/5','2026-11-28 17:10:45.002196','2026-11-28 17:10:46.161457','live',NULL,'2026-11-28 17:10:46.136523',NULL,'27','22436796','27','22426307',0);
INSERT INTO "projects" VALUES(6,'6cea45924fcdc256','/srv/6','2026-11-28 17:10:46.915092','2026-11-28 17:10:48.306509','live',NULL,'2026-11-28 17:10:48.278996',NULL,'27','22440299','27','22426307',0);
INSERT INTO "projects" VALUES(7,'5683b815f5e0265a','/srv/7','2026-11-28 17:10:49.445940','2026-11-28 17:10:50.551042','live',NULL,'2026-11-28 17:10:50.532476',NULL,'27','22444322','27','22426307',0);
INSERT INTO "projects" VALUES(8,'74b4a238e76f1ede','/srv/8','2026-11-28 17:10:51.270445','2026-11-28 17:10:52.035640','live',NULL,'2026-11-28 17:10:52.035640',NULL,'27','22447981','27','22426307',0);
INSERT INTO "projects" VALUES(9,'701abee740d602c7','/srv/9','2026-11-28 17:10:52.408020','2026-11-28 17:10:53.237851','live',NULL,'2026-11-28 17:10:53.209982',NULL,'27','22450380','27','22426307',0);
INSERT INTO "projects" VALUES(10,'fffdb31619bc92a5','/srv/10','2026-11-28 17:10:54.138814','2026-11-28 17:10:55.100047','live',NULL,'2026-11-28 17:10:55.080203',NULL,'27','22452691','27','22426307',0);
INSERT INTO "projects" VALUES(11,'30fe008421d9e228','/srv/11','2026-11-28 17:10:55.806688','2026-11-28 17:10:57.055752','live',NULL,'2026-11-28 17:10:57.055752',NULL,'27','22454650','27','22426307',0);
INSERT INTO "projects" VALUES(12,'fe220c457e824f95','/srv/12','2026-11-28 17:10:57.686493','2026-11-28 17:10:58.380176','live',NULL,'2026-11-28 17:10:58.360602',NULL,'27','22458757','27','22426307',0);
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
INSERT INTO "restore_paths" VALUES(1,0,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(2,0,'d2','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(2,1,'d1','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(3,0,'a.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(3,1,'b.txt','write','missing now','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(4,0,'a.txt','delete','created since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(5,0,'sub/c.txt','delete','agent created (write_file)','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(5,1,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(5,2,'b.txt','keep','you changed it after the agent','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'kept',NULL);
INSERT INTO "restore_paths" VALUES(6,0,'a.txt','delete','agent created (late)','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(6,1,'b.txt','delete','created since the checkpoint','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(7,0,'a.txt','write','changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(7,1,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(7,2,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(7,3,'d1','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(8,0,'b.txt','delete','agent created (write_file)','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(8,1,'a.txt','keep','you changed it after the agent','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'kept',NULL);
INSERT INTO "restore_paths" VALUES(9,0,'b.txt','delete','shell created','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,1,'sub/c.txt','delete','agent created (write_file)','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,2,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(10,0,'sub/c.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(10,1,'b.txt','chmod','permissions changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(11,0,'sub/c.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(11,1,'b.txt','chmod','permissions changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,'done',NULL);
INSERT INTO "restore_paths" VALUES(12,0,'sub/c.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(13,0,'b.txt','delete','created since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(14,0,'a.txt','delete','agent created (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(14,1,'b.txt','delete','agent created (late)','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,0,'a.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,1,'b.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,2,'sub/c.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,0,'sub','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,1,'a.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,2,'sub/c.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,3,'b.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(17,0,'sub/c.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(17,1,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(17,2,'d1','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,0,'sub','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,1,'sub/c.txt','write','missing now','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,2,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,3,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(19,0,'d2','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(19,1,'a.txt','write','changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(19,2,'sub/c.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(19,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(20,0,'sub','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(20,1,'sub/c.txt','write','missing now','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(20,2,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(20,3,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(21,0,'a.txt','delete','shell created','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(21,1,'b.txt','delete','agent created (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,0,'a.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,1,'b.txt','write','missing now','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,2,'sub/c.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33261,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,4,'d1','delete','created since',NULL,16877,'done',NULL);
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
INSERT INTO "restores" VALUES(1,1,5,'restore','done','exact',1,2,3,NULL,2,'2026-11-28 17:10:41.758019','2026-11-28 17:10:41.768536');
INSERT INTO "restores" VALUES(2,1,7,'undo','done','exact',1,3,4,1,NULL,'2026-11-28 17:10:41.885045','2026-11-28 17:10:41.895076');
INSERT INTO "restores" VALUES(3,1,15,'restore','done','overlay',1,3,7,NULL,NULL,'2026-11-28 17:10:42.226294','2026-11-28 17:10:42.236425');
INSERT INTO "restores" VALUES(4,5,53,'restore','done','exact',1,22,23,NULL,NULL,'2026-11-28 17:10:45.259808','2026-11-28 17:10:45.262244');
INSERT INTO "restores" VALUES(5,5,58,'restore','done','keep-edits',1,22,27,NULL,NULL,'2026-11-28 17:10:45.660014','2026-11-28 17:10:45.662617');
INSERT INTO "restores" VALUES(6,6,68,'restore','done','keep-edits',1,30,31,NULL,7,'2026-11-28 17:10:47.076086','2026-11-28 17:10:47.084701');
INSERT INTO "restores" VALUES(7,6,76,'undo','done','exact',1,31,38,6,NULL,'2026-11-28 17:10:47.885036','2026-11-28 17:10:47.897348');
INSERT INTO "restores" VALUES(8,6,78,'restore','done','keep-edits',1,32,39,NULL,NULL,'2026-11-28 17:10:48.048430','2026-11-28 17:10:48.056220');
INSERT INTO "restores" VALUES(9,7,90,'restore','done','keep-edits',1,42,46,NULL,NULL,'2026-11-28 17:10:49.977647','2026-11-28 17:10:49.995409');
INSERT INTO "restores" VALUES(10,7,93,'restore','done','overlay',1,44,48,NULL,11,'2026-11-28 17:10:50.325910','2026-11-28 17:10:50.341076');
INSERT INTO "restores" VALUES(11,7,95,'undo','done','exact',1,48,49,10,NULL,'2026-11-28 17:10:50.475321','2026-11-28 17:10:50.483225');
INSERT INTO "restores" VALUES(12,8,103,'restore','done','overlay',1,53,54,NULL,13,'2026-11-28 17:10:51.636131','2026-11-28 17:10:51.639918');
INSERT INTO "restores" VALUES(13,8,106,'undo','done','exact',1,54,56,12,NULL,'2026-11-28 17:10:51.836209','2026-11-28 17:10:51.840134');
INSERT INTO "restores" VALUES(14,9,118,'restore','done','keep-edits',1,58,60,NULL,NULL,'2026-11-28 17:10:52.689906','2026-11-28 17:10:52.701854');
INSERT INTO "restores" VALUES(15,9,120,'restore','done','exact',1,60,61,NULL,16,'2026-11-28 17:10:52.768090','2026-11-28 17:10:52.779093');
INSERT INTO "restores" VALUES(16,9,123,'undo','done','exact',1,61,62,15,NULL,'2026-11-28 17:10:52.920915','2026-11-28 17:10:52.928374');
INSERT INTO "restores" VALUES(17,10,134,'restore','done','exact',1,66,67,NULL,20,'2026-11-28 17:10:54.421425','2026-11-28 17:10:54.430721');
INSERT INTO "restores" VALUES(18,10,139,'restore','done','exact',1,67,70,NULL,19,'2026-11-28 17:10:54.706572','2026-11-28 17:10:54.715188');
INSERT INTO "restores" VALUES(19,10,141,'undo','done','exact',1,70,71,18,NULL,'2026-11-28 17:10:54.818094','2026-11-28 17:10:54.821882');
INSERT INTO "restores" VALUES(20,10,144,'undo','done','exact',1,67,72,17,NULL,'2026-11-28 17:10:54.941495','2026-11-28 17:10:54.962221');
INSERT INTO "restores" VALUES(21,11,153,'restore','done','keep-edits',1,75,77,NULL,22,'2026-11-28 17:10:56.158645','2026-11-28 17:10:56.165871');
INSERT INTO "restores" VALUES(22,11,160,'undo','done','exact',1,77,83,21,NULL,'2026-11-28 17:10:56.637872','2026-11-28 17:10:56.645880');
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
CREATE TABLE settings (
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('max_snapshots','20','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('max_total_size_mb','500','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('retention_days','7','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('delete_orphans','true','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('orphan_grace_days','7','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('auto_prune','true','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('min_interval_hours','24','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_last','0','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_hourly','0','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_daily','0','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_weekly','0','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_monthly','0','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('keep_within','','2026-11-28 17:10:41.414026');
INSERT INTO "settings" VALUES('store_read_at','no store yet','2026-11-28 17:10:41.417760');
INSERT INTO "settings" VALUES('store_growth','1601536','2026-11-28 17:10:58.380176');
INSERT INTO "settings" VALUES('measured_store','{"bytes": 1257472, "growth": 1482752, "at": "2026-11-28T17:10:57.028768+00:00"}','2026-11-28 17:10:57.028768');
INSERT INTO "settings" VALUES('measured_archives','{}','2026-11-28 17:10:41.529090');
INSERT INTO "settings" VALUES('catalog_written_anew','409600','2026-11-28 17:10:57.049783');
CREATE TABLE "skipped_paths" (
	checkpoint_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	bytes BIGINT, 
	CONSTRAINT pk_skipped_paths PRIMARY KEY (checkpoint_id, path), 
	CONSTRAINT ck_skipped_paths_reason CHECK (reason IN ('oversize', 'unreadable', 'special', 'vanished', 'unsupported-name', 'ignored-by-rule')), 
	CONSTRAINT fk_skipped_paths_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_skipped_paths_bytes CHECK (bytes BETWEEN 0 AND 9223372036854775807));
ANALYZE "sqlite_master";
INSERT INTO "sqlite_stat1" VALUES('operations','ix_operations_outcome','166 83');
INSERT INTO "sqlite_stat1" VALUES('operations','ix_operations_kind_outcome_workdir_id','166 56 42 6 1');
INSERT INTO "sqlite_stat1" VALUES('restore_paths','sqlite_autoindex_restore_paths_1','58 3 1');
INSERT INTO "sqlite_stat1" VALUES('turn_changes','sqlite_autoindex_turn_changes_1','98 2 1');
INSERT INTO "sqlite_stat1" VALUES('settings','sqlite_autoindex_settings_1','18 1');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_state','22 22');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_operation_id','22 1');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_project_id_id','22 3 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_unshrunk','85 43 7 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_session_id_state_turn','59 30 15 3');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_state_project_id_id','85 43 7 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_ref_name','85 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','sqlite_autoindex_checkpoints_1','85 1');
INSERT INTO "sqlite_stat1" VALUES('alembic_version','sqlite_autoindex_alembic_version_1','1 1');
INSERT INTO "sqlite_stat1" VALUES('projects','ix_projects_last_touch','11 1');
INSERT INTO "sqlite_stat1" VALUES('projects','sqlite_autoindex_projects_2','11 1');
INSERT INTO "sqlite_stat1" VALUES('projects','sqlite_autoindex_projects_1','11 1');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_open','5 1');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_session_id_turn','116 39 7');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_project_id_start_checkpoint_id','116 11 2');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','ix_checkpoint_changes_path','114 29');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','ix_checkpoint_changes_new_blob','114 23');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','sqlite_autoindex_checkpoint_changes_1','114 2 1');
INSERT INTO "sqlite_stat1" VALUES('agent_writes','ix_agent_writes_project_id_written_at','68 7 1');
CREATE TABLE "turn_changes" (
	turn_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	status VARCHAR(1) NOT NULL, 
	old_blob VARCHAR(64), 
	new_blob VARCHAR(64), 
	old_mode INTEGER, 
	new_mode INTEGER, 
	CONSTRAINT pk_turn_changes PRIMARY KEY (turn_id, path), 
	CONSTRAINT ck_turn_changes_status CHECK (status IN ('A', 'M', 'D', 'T')), 
	CONSTRAINT fk_turn_changes_turn_id_turns FOREIGN KEY(turn_id) REFERENCES turns (id), CONSTRAINT ck_turn_changes_old_mode CHECK (old_mode BETWEEN 0 AND 9223372036854775807), CONSTRAINT ck_turn_changes_new_mode CHECK (new_mode BETWEEN 0 AND 9223372036854775807));
INSERT INTO "turn_changes" VALUES(2,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(2,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(9,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(9,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(11,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(11,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(13,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(15,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(15,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(16,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(23,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(24,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(24,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(26,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(26,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(27,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261);
INSERT INTO "turn_changes" VALUES(36,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(37,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261);
INSERT INTO "turn_changes" VALUES(41,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(43,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(44,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(45,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(46,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(47,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(53,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(53,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(54,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(54,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(55,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(56,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261);
INSERT INTO "turn_changes" VALUES(56,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(57,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(58,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(59,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33261,33261);
INSERT INTO "turn_changes" VALUES(60,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(60,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(61,'a.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(62,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(63,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(66,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(66,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(68,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(68,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(68,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(69,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(71,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(72,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(72,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(73,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261);
INSERT INTO "turn_changes" VALUES(73,'sub/c.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(74,'sub/c.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(74,'b.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(75,'sub/c.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(75,'b.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261);
INSERT INTO "turn_changes" VALUES(76,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33261,33261);
INSERT INTO "turn_changes" VALUES(80,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(81,'sub/c.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(82,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(83,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(91,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(91,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(92,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(92,'b.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(92,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(94,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(94,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(94,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(95,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(95,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(97,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(98,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(102,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(103,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(105,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(107,'sub/c.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(107,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(108,'a.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(108,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(110,'sub/c.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(110,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(111,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(116,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(116,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(117,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(117,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(118,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(118,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(118,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(119,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(120,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(121,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(121,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(122,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(122,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261);
INSERT INTO "turn_changes" VALUES(123,'a.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(123,'b.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(123,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(125,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33261);
INSERT INTO "turn_changes" VALUES(127,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(127,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33261,33261);
INSERT INTO "turn_changes" VALUES(131,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(134,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(134,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(138,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(141,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(141,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL);
CREATE TABLE "turns" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	session_id TEXT, 
	turn INTEGER, 
	start_checkpoint_id INTEGER, 
	end_state VARCHAR(64), 
	ended_by VARCHAR(16), 
	overlaps TEXT, 
	actor TEXT, 
	started_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT fk_turns_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id), 
	CONSTRAINT fk_turns_start_checkpoint_id_checkpoints FOREIGN KEY(start_checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_turns_turn CHECK (turn BETWEEN -9223372036854775807 AND 9223372036854775807), CONSTRAINT ck_turns_ended_by CHECK (ended_by IN ('host', 'next')), CONSTRAINT ck_turns_actor CHECK (actor IN ('agent', 'person', 'since', 'restore', 'unrecorded', 'unknown')), CONSTRAINT ck_turns_ended_at CHECK ((ended_at IS NULL) = (ended_by IS NULL)));
INSERT INTO "turns" VALUES(1,1,'s1',NULL,1,NULL,'next',NULL,'since','2026-11-28 17:10:41.526523','2026-11-28 17:10:41.554461');
INSERT INTO "turns" VALUES(2,1,'s1',8,1,'8121a2efb29d8477ae740d83ced593b2b65c7912','host',NULL,'agent','2026-11-28 17:10:41.554461','2026-11-28 17:10:41.609335');
INSERT INTO "turns" VALUES(3,1,'s1',2,2,NULL,'next',NULL,'agent','2026-11-28 17:10:41.658384','2026-11-28 17:10:41.728431');
INSERT INTO "turns" VALUES(4,1,NULL,NULL,3,NULL,'host',NULL,'restore','2026-11-28 17:10:41.768536','2026-11-28 17:10:41.768536');
INSERT INTO "turns" VALUES(5,1,NULL,NULL,4,NULL,'host',NULL,'restore','2026-11-28 17:10:41.895076','2026-11-28 17:10:41.895076');
INSERT INTO "turns" VALUES(6,1,NULL,NULL,5,NULL,'host',NULL,'restore','2026-11-28 17:10:42.004863','2026-11-28 17:10:42.004863');
INSERT INTO "turns" VALUES(7,1,'s1',4,5,NULL,'next',NULL,'agent','2026-11-28 17:10:42.027125','2026-11-28 17:10:42.057514');
INSERT INTO "turns" VALUES(8,1,'s2',5,5,'75b5aef425879b0175d27120f4577948576fe4c4','host','s1','agent','2026-11-28 17:10:42.057514','2026-11-28 17:10:42.086157');
INSERT INTO "turns" VALUES(9,1,'s1',1,6,NULL,'next',NULL,'agent','2026-11-28 17:10:42.132442','2026-11-28 17:10:42.173289');
INSERT INTO "turns" VALUES(10,1,NULL,NULL,7,NULL,'next','s1','since','2026-11-28 17:10:42.173289','2026-11-28 17:10:42.198630');
INSERT INTO "turns" VALUES(11,1,NULL,NULL,7,NULL,'host',NULL,'restore','2026-11-28 17:10:42.236425','2026-11-28 17:10:42.236425');
INSERT INTO "turns" VALUES(12,1,'s2',6,8,'fbf4b591ac2efefbe20be56899a64a7ba984940b','host',NULL,'agent','2026-11-28 17:10:42.292305','2026-11-28 17:10:42.310117');
INSERT INTO "turns" VALUES(13,1,'s2',3,8,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:42.326958','2026-11-28 17:10:42.361979');
INSERT INTO "turns" VALUES(14,2,'s1',NULL,9,NULL,'next',NULL,'agent','2026-11-28 17:10:42.955101','2026-11-28 17:10:42.963909');
INSERT INTO "turns" VALUES(15,2,'s2',8,9,'ba6dbe2afd36c41b8e23199ce6995675529ee583','host','s1','agent','2026-11-28 17:10:42.963909','2026-11-28 17:10:42.983667');
INSERT INTO "turns" VALUES(16,2,NULL,NULL,10,NULL,'next',NULL,'since','2026-11-28 17:10:43.024940','2026-11-28 17:10:43.083612');
INSERT INTO "turns" VALUES(17,2,'s1',5,11,NULL,'next',NULL,'agent','2026-11-28 17:10:43.083612','2026-11-28 17:10:43.110895');
INSERT INTO "turns" VALUES(18,2,NULL,NULL,11,NULL,'next','s1','since','2026-11-28 17:10:43.110895','2026-11-28 17:10:43.128266');
INSERT INTO "turns" VALUES(19,2,'s1',NULL,11,NULL,NULL,NULL,'since','2026-11-28 17:10:43.128266',NULL);
INSERT INTO "turns" VALUES(22,3,'s1',NULL,14,NULL,'next',NULL,'since','2026-11-28 17:10:43.467549','2026-11-28 17:10:43.488486');
INSERT INTO "turns" VALUES(23,3,'s2',1,14,'9edb3e452f780a2dbf74f3d4f1b535a861795804','host','s1','agent','2026-11-28 17:10:43.488486','2026-11-28 17:10:43.543307');
INSERT INTO "turns" VALUES(24,3,'s2',3,15,NULL,'next',NULL,'agent','2026-11-28 17:10:43.606833','2026-11-28 17:10:43.680846');
INSERT INTO "turns" VALUES(25,3,NULL,NULL,16,NULL,'host',NULL,'restore','2026-11-28 17:10:43.714822','2026-11-28 17:10:43.714822');
INSERT INTO "turns" VALUES(26,3,'s2',7,16,NULL,'next',NULL,'agent','2026-11-28 17:10:43.735278','2026-11-28 17:10:43.796152');
INSERT INTO "turns" VALUES(27,3,'s2',3,17,'e6516df6b14e5b358edc4f58ad2367be07981723','host',NULL,'agent','2026-11-28 17:10:43.796152','2026-11-28 17:10:43.830266');
INSERT INTO "turns" VALUES(28,4,'s1',NULL,18,NULL,'next',NULL,'agent','2026-11-28 17:10:44.279140','2026-11-28 17:10:44.303151');
INSERT INTO "turns" VALUES(29,4,NULL,NULL,18,NULL,'host',NULL,'restore','2026-11-28 17:10:44.320429','2026-11-28 17:10:44.320429');
INSERT INTO "turns" VALUES(30,4,NULL,NULL,18,NULL,'host',NULL,'restore','2026-11-28 17:10:44.340792','2026-11-28 17:10:44.340792');
INSERT INTO "turns" VALUES(31,4,NULL,NULL,18,NULL,'next',NULL,'since','2026-11-28 17:10:44.354994','2026-11-28 17:10:44.372101');
INSERT INTO "turns" VALUES(32,4,'s1',NULL,18,NULL,'next',NULL,'since','2026-11-28 17:10:44.372101','2026-11-28 17:10:44.391425');
INSERT INTO "turns" VALUES(33,4,NULL,NULL,18,NULL,'host',NULL,'restore','2026-11-28 17:10:44.433920','2026-11-28 17:10:44.433920');
INSERT INTO "turns" VALUES(34,4,'s1',NULL,18,NULL,'next',NULL,'since','2026-11-28 17:10:44.456521','2026-11-28 17:10:44.476403');
INSERT INTO "turns" VALUES(35,4,NULL,NULL,18,NULL,'host',NULL,'restore','2026-11-28 17:10:44.522535','2026-11-28 17:10:44.522535');
INSERT INTO "turns" VALUES(36,4,'s1',1,18,NULL,'next',NULL,'agent','2026-11-28 17:10:44.546398','2026-11-28 17:10:44.622635');
INSERT INTO "turns" VALUES(37,4,'s2',1,19,NULL,'next','s1','agent','2026-11-28 17:10:44.622635','2026-11-28 17:10:44.696737');
INSERT INTO "turns" VALUES(38,4,'s1',NULL,20,NULL,NULL,'s2','since','2026-11-28 17:10:44.696737',NULL);
INSERT INTO "turns" VALUES(39,5,'s1',NULL,21,NULL,'next',NULL,'agent','2026-11-28 17:10:45.039326','2026-11-28 17:10:45.105691');
INSERT INTO "turns" VALUES(40,5,'s1',NULL,22,NULL,'next',NULL,'since','2026-11-28 17:10:45.105691','2026-11-28 17:10:45.125002');
INSERT INTO "turns" VALUES(41,5,'s1',6,22,'48f8123b781ed27792ba9f96662d035602f5d5ac','host',NULL,'agent','2026-11-28 17:10:45.125002','2026-11-28 17:10:45.166075');
INSERT INTO "turns" VALUES(42,5,'s2',6,23,NULL,'next',NULL,'agent','2026-11-28 17:10:45.226865','2026-11-28 17:10:45.249632');
INSERT INTO "turns" VALUES(43,5,NULL,NULL,23,NULL,'host',NULL,'restore','2026-11-28 17:10:45.262244','2026-11-28 17:10:45.262244');
INSERT INTO "turns" VALUES(44,5,'s1',4,24,'a29d08c40208c57f676067f0b37ef01483a8a53c','host',NULL,'agent','2026-11-28 17:10:45.298114','2026-11-28 17:10:45.356670');
INSERT INTO "turns" VALUES(45,5,'s1',5,25,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:45.405727','2026-11-28 17:10:45.447280');
INSERT INTO "turns" VALUES(46,5,NULL,NULL,26,'f9ca88981730903e8bccb350a3bf792a7a4e4c91','host',NULL,'unknown','2026-11-28 17:10:45.490617','2026-11-28 17:10:45.535526');
INSERT INTO "turns" VALUES(47,5,NULL,NULL,27,NULL,'host',NULL,'restore','2026-11-28 17:10:45.662617','2026-11-28 17:10:45.662617');
INSERT INTO "turns" VALUES(48,5,'s2',1,28,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:45.732986','2026-11-28 17:10:45.775668');
INSERT INTO "turns" VALUES(49,5,'s1',8,28,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:45.791330','2026-11-28 17:10:45.800803');
INSERT INTO "turns" VALUES(50,5,'s1',6,28,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:45.831677','2026-11-28 17:10:45.846199');
INSERT INTO "turns" VALUES(51,5,'s2',7,28,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:45.868575','2026-11-28 17:10:45.903539');
INSERT INTO "turns" VALUES(52,5,'s2',3,29,'c988bc45919156892c8fca04021ac9a1d3c430ed','host',NULL,'agent','2026-11-28 17:10:46.164767','2026-11-28 17:10:46.194362');
INSERT INTO "turns" VALUES(53,6,'s1',NULL,30,NULL,'next',NULL,'since','2026-11-28 17:10:46.944798','2026-11-28 17:10:47.041519');
INSERT INTO "turns" VALUES(54,6,NULL,NULL,31,NULL,'host',NULL,'restore','2026-11-28 17:10:47.084701','2026-11-28 17:10:47.084701');
INSERT INTO "turns" VALUES(55,6,'s1',3,32,NULL,'next',NULL,'agent','2026-11-28 17:10:47.185982','2026-11-28 17:10:47.272376');
INSERT INTO "turns" VALUES(56,6,'s1',4,33,'662592aa2ff39f7504188c7b9cf18f40b508ebfc','host',NULL,'agent','2026-11-28 17:10:47.272376','2026-11-28 17:10:47.313001');
INSERT INTO "turns" VALUES(57,6,'s2',6,34,'7fc82fa661f3f5191d82c69cf1b6695e41f03c20','host',NULL,'agent','2026-11-28 17:10:47.381973','2026-11-28 17:10:47.454067');
INSERT INTO "turns" VALUES(58,6,'s2',6,35,NULL,'next',NULL,'agent','2026-11-28 17:10:47.511142','2026-11-28 17:10:47.609831');
INSERT INTO "turns" VALUES(59,6,'s1',6,36,'0184190e46c506a02cc1f7fc9b3b090a4e2963f3','host','s2','agent','2026-11-28 17:10:47.609831','2026-11-28 17:10:47.679620');
INSERT INTO "turns" VALUES(60,6,'s2',4,37,NULL,'next',NULL,'agent','2026-11-28 17:10:47.746303','2026-11-28 17:10:47.845294');
INSERT INTO "turns" VALUES(61,6,NULL,NULL,38,NULL,'host',NULL,'restore','2026-11-28 17:10:47.897348','2026-11-28 17:10:47.897348');
INSERT INTO "turns" VALUES(62,6,NULL,NULL,39,NULL,'host',NULL,'restore','2026-11-28 17:10:48.056220','2026-11-28 17:10:48.056220');
INSERT INTO "turns" VALUES(63,6,'s2',8,40,'cf4a9f448fa84bb9e191986acb0194026f10c44b','host',NULL,'agent','2026-11-28 17:10:48.161975','2026-11-28 17:10:48.222243');
INSERT INTO "turns" VALUES(64,6,'s1',NULL,41,NULL,NULL,NULL,'since','2026-11-28 17:10:48.308846',NULL);
INSERT INTO "turns" VALUES(65,7,'s1',NULL,42,NULL,'next',NULL,'agent','2026-11-28 17:10:49.464975','2026-11-28 17:10:49.486554');
INSERT INTO "turns" VALUES(66,7,'s2',1,42,NULL,'next','s1','agent','2026-11-28 17:10:49.486554','2026-11-28 17:10:49.556241');
INSERT INTO "turns" VALUES(67,7,'s1',5,43,NULL,'next','s2','agent','2026-11-28 17:10:49.556241','2026-11-28 17:10:49.595206');
INSERT INTO "turns" VALUES(68,7,'s2',6,43,NULL,'next','s1','agent','2026-11-28 17:10:49.595206','2026-11-28 17:10:49.648954');
INSERT INTO "turns" VALUES(69,7,'s2',1,44,'0aa5fb985f4bef95d80928d1ff248a5cd0d5e9d1','host',NULL,'agent','2026-11-28 17:10:49.648954','2026-11-28 17:10:49.688879');
INSERT INTO "turns" VALUES(70,7,NULL,NULL,45,NULL,'host',NULL,'restore','2026-11-28 17:10:49.818066','2026-11-28 17:10:49.818066');
INSERT INTO "turns" VALUES(71,7,'s1',3,45,NULL,'next',NULL,'agent','2026-11-28 17:10:49.848816','2026-11-28 17:10:49.925603');
INSERT INTO "turns" VALUES(72,7,NULL,NULL,46,NULL,'host',NULL,'restore','2026-11-28 17:10:49.995409','2026-11-28 17:10:49.995409');
INSERT INTO "turns" VALUES(73,7,'s1',5,47,'c0cb2ecc9b95df8c40eb71677259b0351c89b3df','host',NULL,'agent','2026-11-28 17:10:50.123673','2026-11-28 17:10:50.187663');
INSERT INTO "turns" VALUES(74,7,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:10:50.341076','2026-11-28 17:10:50.341076');
INSERT INTO "turns" VALUES(75,7,NULL,NULL,49,NULL,'host',NULL,'restore','2026-11-28 17:10:50.483225','2026-11-28 17:10:50.483225');
INSERT INTO "turns" VALUES(76,7,'s2',3,50,'5bf4aa4549536a2daa50e01107f4799071359663','host',NULL,'agent','2026-11-28 17:10:50.553387','2026-11-28 17:10:50.614743');
INSERT INTO "turns" VALUES(80,8,'s1',3,53,'9df24a634b128e25ceec62c2d710695226ee649d','host',NULL,'agent','2026-11-28 17:10:51.507488','2026-11-28 17:10:51.554616');
INSERT INTO "turns" VALUES(81,8,NULL,NULL,54,NULL,'host',NULL,'restore','2026-11-28 17:10:51.639918','2026-11-28 17:10:51.639918');
INSERT INTO "turns" VALUES(82,8,'s2',4,55,'be6c7349308274bf2e4a52653080b2648016db76','host',NULL,'agent','2026-11-28 17:10:51.677603','2026-11-28 17:10:51.747361');
INSERT INTO "turns" VALUES(83,8,NULL,NULL,56,NULL,'host',NULL,'restore','2026-11-28 17:10:51.840134','2026-11-28 17:10:51.840134');
INSERT INTO "turns" VALUES(84,8,'s2',2,57,'25a02a6f3ac14a3561d6fdaee214e3a6146cf7c3','host',NULL,'agent','2026-11-28 17:10:51.877974','2026-11-28 17:10:51.886484');
INSERT INTO "turns" VALUES(85,8,'s1',NULL,57,NULL,NULL,NULL,'agent','2026-11-28 17:10:52.047058',NULL);
INSERT INTO "turns" VALUES(91,9,NULL,NULL,60,NULL,'host',NULL,'restore','2026-11-28 17:10:52.701854','2026-11-28 17:10:52.701854');
INSERT INTO "turns" VALUES(92,9,NULL,NULL,61,NULL,'host',NULL,'restore','2026-11-28 17:10:52.779093','2026-11-28 17:10:52.779093');
INSERT INTO "turns" VALUES(93,9,NULL,NULL,62,NULL,'next',NULL,'since','2026-11-28 17:10:52.853828','2026-11-28 17:10:52.875249');
INSERT INTO "turns" VALUES(94,9,NULL,NULL,62,NULL,'host',NULL,'restore','2026-11-28 17:10:52.928374','2026-11-28 17:10:52.928374');
INSERT INTO "turns" VALUES(95,9,'s1',8,63,'94953aaedcf9c72bb3a09bf4a1bf3c74f7406668','host',NULL,'agent','2026-11-28 17:10:53.006919','2026-11-28 17:10:53.064291');
INSERT INTO "turns" VALUES(96,9,'s2',5,64,'ac8408f8ea5cf0ca70e4f41e09e41eb4bb9dbb30','host',NULL,'agent','2026-11-28 17:10:53.137206','2026-11-28 17:10:53.163499');
INSERT INTO "turns" VALUES(97,9,'s2',7,64,NULL,'next',NULL,'agent','2026-11-28 17:10:53.178184','2026-11-28 17:10:53.240212');
INSERT INTO "turns" VALUES(98,9,'s2',3,65,'07ad426294aa00ea684687319e74b5397898d7ad','host',NULL,'agent','2026-11-28 17:10:53.240212','2026-11-28 17:10:53.294157');
INSERT INTO "turns" VALUES(99,10,'s1',NULL,66,NULL,'next',NULL,'since','2026-11-28 17:10:54.179982','2026-11-28 17:10:54.212583');
INSERT INTO "turns" VALUES(100,10,'s2',3,66,'b0492c43531a482d399401e36f7234eceb8f6ec7','host','s1','agent','2026-11-28 17:10:54.212583','2026-11-28 17:10:54.235667');
INSERT INTO "turns" VALUES(101,10,NULL,NULL,66,NULL,'host',NULL,'restore','2026-11-28 17:10:54.295038','2026-11-28 17:10:54.295038');
INSERT INTO "turns" VALUES(102,10,'s2',8,66,NULL,'next',NULL,'agent','2026-11-28 17:10:54.315220','2026-11-28 17:10:54.397305');
INSERT INTO "turns" VALUES(103,10,NULL,NULL,67,NULL,'host',NULL,'restore','2026-11-28 17:10:54.430721','2026-11-28 17:10:54.430721');
INSERT INTO "turns" VALUES(104,10,'s2',5,68,NULL,'next',NULL,'agent','2026-11-28 17:10:54.481946','2026-11-28 17:10:54.546761');
INSERT INTO "turns" VALUES(105,10,'s2',7,69,NULL,'next',NULL,'agent','2026-11-28 17:10:54.546761','2026-11-28 17:10:54.628452');
INSERT INTO "turns" VALUES(106,10,NULL,NULL,70,NULL,'next','s2','unknown','2026-11-28 17:10:54.628452','2026-11-28 17:10:54.667284');
INSERT INTO "turns" VALUES(107,10,NULL,NULL,70,NULL,'host',NULL,'restore','2026-11-28 17:10:54.715188','2026-11-28 17:10:54.715188');
INSERT INTO "turns" VALUES(108,10,NULL,NULL,71,NULL,'host',NULL,'restore','2026-11-28 17:10:54.821882','2026-11-28 17:10:54.821882');
INSERT INTO "turns" VALUES(109,10,'s1',1,72,'76adffc71a560c1c791042a50e8f0a88c7fb6e15','host',NULL,'agent','2026-11-28 17:10:54.889213','2026-11-28 17:10:54.902858');
INSERT INTO "turns" VALUES(110,10,NULL,NULL,72,NULL,'host',NULL,'restore','2026-11-28 17:10:54.962221','2026-11-28 17:10:54.962221');
INSERT INTO "turns" VALUES(111,10,'s1',7,73,NULL,'next',NULL,'agent','2026-11-28 17:10:55.031480','2026-11-28 17:10:55.108423');
INSERT INTO "turns" VALUES(112,10,'s1',NULL,74,NULL,NULL,NULL,'agent','2026-11-28 17:10:55.108423',NULL);
INSERT INTO "turns" VALUES(113,11,'s1',NULL,75,NULL,'next',NULL,'agent','2026-11-28 17:10:55.819911','2026-11-28 17:10:55.865247');
INSERT INTO "turns" VALUES(114,11,NULL,NULL,75,NULL,'host',NULL,'restore','2026-11-28 17:10:55.926858','2026-11-28 17:10:55.926858');
INSERT INTO "turns" VALUES(115,11,'s1',NULL,76,NULL,'next',NULL,'since','2026-11-28 17:10:55.999773','2026-11-28 17:10:56.024959');
INSERT INTO "turns" VALUES(116,11,'s2',4,76,'bf7246613c5e1c0e1dc699916344eeedff3345f1','host','s1','agent','2026-11-28 17:10:56.024959','2026-11-28 17:10:56.067446');
INSERT INTO "turns" VALUES(117,11,NULL,NULL,77,NULL,'host',NULL,'restore','2026-11-28 17:10:56.165871','2026-11-28 17:10:56.165871');
INSERT INTO "turns" VALUES(118,11,'s2',8,78,'d483a694619f28a8f8bb146921e0eef11f6886ce','host',NULL,'agent','2026-11-28 17:10:56.213584','2026-11-28 17:10:56.260845');
INSERT INTO "turns" VALUES(119,11,'s1',7,79,NULL,'next',NULL,'agent','2026-11-28 17:10:56.303846','2026-11-28 17:10:56.352640');
INSERT INTO "turns" VALUES(120,11,NULL,NULL,80,NULL,'next','s1','since','2026-11-28 17:10:56.352640','2026-11-28 17:10:56.436841');
INSERT INTO "turns" VALUES(121,11,'s1',2,81,NULL,'next',NULL,'agent','2026-11-28 17:10:56.436841','2026-11-28 17:10:56.549539');
INSERT INTO "turns" VALUES(122,11,NULL,NULL,82,NULL,'next','s1','since','2026-11-28 17:10:56.549539','2026-11-28 17:10:56.614976');
INSERT INTO "turns" VALUES(123,11,NULL,NULL,83,NULL,'host',NULL,'restore','2026-11-28 17:10:56.645880','2026-11-28 17:10:56.645880');
INSERT INTO "turns" VALUES(124,11,'s1',NULL,84,NULL,'next',NULL,'since','2026-11-28 17:10:56.708946','2026-11-28 17:10:56.737722');
INSERT INTO "turns" VALUES(125,11,'s2',3,84,NULL,'next','s1','agent','2026-11-28 17:10:56.737722','2026-11-28 17:10:56.817312');
INSERT INTO "turns" VALUES(126,11,'s1',8,85,'517074be6dcc1706c68c0947a4ea586b4550363e','host','s2','agent','2026-11-28 17:10:56.817312','2026-11-28 17:10:56.831322');
INSERT INTO "turns" VALUES(127,11,'s2',3,85,'fb41e9ac6bafdf454a0b5b4245745c75b8f3ffd0','host',NULL,'agent','2026-11-28 17:10:57.067231','2026-11-28 17:10:57.099151');
INSERT INTO "turns" VALUES(128,12,'s1',NULL,86,NULL,'next',NULL,'since','2026-11-28 17:10:57.700814','2026-11-28 17:10:57.723608');
INSERT INTO "turns" VALUES(129,12,NULL,NULL,86,NULL,'next','s1','since','2026-11-28 17:10:57.723608','2026-11-28 17:10:57.735070');
INSERT INTO "turns" VALUES(130,12,'s1',NULL,86,NULL,'next',NULL,'since','2026-11-28 17:10:57.735070','2026-11-28 17:10:57.748810');
INSERT INTO "turns" VALUES(131,12,'s1',8,86,NULL,'next',NULL,'agent','2026-11-28 17:10:57.748810','2026-11-28 17:10:57.800670');
INSERT INTO "turns" VALUES(132,12,NULL,NULL,87,NULL,'next','s1','since','2026-11-28 17:10:57.800670','2026-11-28 17:10:57.816474');
INSERT INTO "turns" VALUES(133,12,'s1',4,87,'3a357b2a0c0f170f5601d9aca446d5cc9710c3a3','host',NULL,'agent','2026-11-28 17:10:57.816474','2026-11-28 17:10:57.864325');
INSERT INTO "turns" VALUES(134,12,NULL,NULL,88,NULL,'next',NULL,'since','2026-11-28 17:10:57.905046','2026-11-28 17:10:57.966868');
INSERT INTO "turns" VALUES(135,12,NULL,NULL,89,NULL,'host',NULL,'restore','2026-11-28 17:10:58.008666','2026-11-28 17:10:58.008666');
INSERT INTO "turns" VALUES(136,12,'s1',7,89,NULL,'next',NULL,'agent','2026-11-28 17:10:58.016503','2026-11-28 17:10:58.022705');
INSERT INTO "turns" VALUES(137,12,'s1',4,89,'b2c412d0f2fa3460cfe3428da3e3a030a742b0a8','host',NULL,'agent','2026-11-28 17:10:58.022705','2026-11-28 17:10:58.039361');
INSERT INTO "turns" VALUES(138,12,'s2',3,89,NULL,'next',NULL,'agent','2026-11-28 17:10:58.071184','2026-11-28 17:10:58.136971');
INSERT INTO "turns" VALUES(139,12,NULL,NULL,90,NULL,'host',NULL,'restore','2026-11-28 17:10:58.184291','2026-11-28 17:10:58.184291');
INSERT INTO "turns" VALUES(140,12,'s2',1,91,'ec9296f4015e7da17609a17f5048553a4470fe2f','host',NULL,'agent','2026-11-28 17:10:58.243848','2026-11-28 17:10:58.269342');
INSERT INTO "turns" VALUES(141,12,'s1',8,91,'1faa48a7a047b3cf71862b12579049b328c625aa','host',NULL,'agent','2026-11-28 17:10:58.289534','2026-11-28 17:10:58.328753');
INSERT INTO "turns" VALUES(142,12,NULL,NULL,92,NULL,NULL,NULL,'agent','2026-11-28 17:10:58.390843',NULL);
CREATE INDEX ix_projects_last_touch ON projects (last_touch);
CREATE UNIQUE INDEX ix_checkpoints_ref_name ON checkpoints (ref_name) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoints_state_project_id_id ON checkpoints (state, project_id, id);
CREATE INDEX ix_checkpoints_session_id_state_turn ON checkpoints (session_id, state, turn) WHERE session_id IS NOT NULL;
CREATE INDEX ix_checkpoints_unshrunk ON checkpoints (state, project_id, id) WHERE ref_name IS NOT NULL;
CREATE INDEX ix_checkpoint_changes_new_blob ON checkpoint_changes (new_blob);
CREATE INDEX ix_checkpoint_changes_path ON checkpoint_changes (path);
CREATE INDEX ix_agent_writes_project_id_written_at ON agent_writes (project_id, written_at);
CREATE INDEX ix_turns_project_id_start_checkpoint_id ON turns (project_id, start_checkpoint_id);
CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn);
CREATE UNIQUE INDEX ix_turns_open ON turns (project_id) WHERE ended_at IS NULL;
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
CREATE VIEW retention_policy AS
WITH setting AS (SELECT coalesce(max(CASE WHEN (settings.name = 'max_snapshots')
        THEN settings.value END), '20') AS max_snapshots,
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
  0 AS reclaim_bytes
FROM setting;
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
CREATE VIEW checkpoint_list AS
SELECT projects.workdir AS working_directory,
  (SELECT count(*) AS count_1
  FROM checkpoints AS newer
  WHERE newer.state = 'live' AND newer.project_id = checkpoints.project_id
    AND newer.id >= checkpoints.id) AS number,
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
  CASE WHEN (checkpoints.skipped_count = 0) THEN 'yes' ELSE 'no' END
  AS complete,
  checkpoints.session_id AS session_id,
  checkpoints.turn AS turn,
  projects.hash AS project,
  checkpoints.commit_id AS commit_id
FROM checkpoints JOIN projects ON projects.id = checkpoints.project_id
  WHERE checkpoints.state = 'live'
ORDER BY projects.workdir,
  checkpoints.id DESC;
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
  WHERE checkpoints.state = 'live' LIMIT CASE WHEN ((SELECT retention_policy.keep_hourly
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_daily
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_weekly
        FROM retention_policy) > 0 OR (SELECT retention_policy.keep_monthly
        FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET 0) SELECT
  decided.commit_id AS commit_id,
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
    'keep' WHEN 13 THEN 'keep' WHEN 14 THEN 'keep' WHEN 15 THEN 'drop'
    WHEN 16 THEN 'drop' WHEN 17 THEN 'drop' WHEN 18 THEN 'keep' END
    AS decision, CASE judged.number WHEN 0 THEN 'unfinished-restore'
    WHEN 1 THEN 'protected' WHEN 2 THEN 'pinned' WHEN 3 THEN 'labelled'
    WHEN 4 THEN 'unreachable' WHEN 5 THEN 'orphan' WHEN 6 THEN 'newest'
    WHEN 7 THEN 'newest' WHEN 8 THEN 'newest' WHEN 9 THEN 'keep-rule'
    WHEN 10 THEN 'keep-rule' WHEN 11 THEN 'keep-rule' WHEN 12 THEN
    'keep-rule' WHEN 13 THEN 'keep-rule' WHEN 14 THEN 'keep-rule' WHEN
    15 THEN 'no-keep-rule' WHEN 16 THEN 'stale' WHEN 17 THEN 'over-limit'
    WHEN 18 THEN 'within-limits' END AS rule, CASE judged.number WHEN
    0 THEN 'an unfinished restore needs it' WHEN 1 THEN 'it is in use just now'
    WHEN 2 THEN 'it is pinned' WHEN 3 THEN 'it has the label ' || label
    WHEN 4 THEN 'its directory cannot be seen, which does not prove that it is gone'
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
    WHEN 9 THEN 'it is one of the last ' || CAST((SELECT retention_policy.keep_last
        FROM retention_policy) AS VARCHAR) || ' (keep_last)' WHEN 10
    THEN 'it is young enough (keep_within)' WHEN 11 THEN
  'it is the newest of its period (keep_hourly)' WHEN 12 THEN
  'it is the newest of its period (keep_daily)' WHEN 13 THEN
  'it is the newest of its period (keep_weekly)' WHEN 14 THEN
  'it is the newest of its period (keep_monthly)' WHEN 15 THEN 'no keep rule keeps it'
    WHEN 16 THEN 'its project was last touched on ' || date(substr(last_touch,
        1, 19), 'localtime') || ' (retention_days: ' || CAST((SELECT
        retention_policy.retention_days FROM retention_policy) AS VARCHAR)
    || ')' WHEN 17 THEN 'its project has more than ' || CAST((SELECT
        retention_policy.max_snapshots FROM retention_policy) AS VARCHAR)
    || ' (max_snapshots)' WHEN 18 THEN 'it is within all limits' END
    AS reason, judged.freed_bytes AS freed_bytes
  FROM (SELECT ranked.id AS id, ranked.project_id AS project_id, ranked.commit_id
      AS commit_id, ranked.created_at AS created_at, ranked.label AS
      label, ranked.freed_bytes AS freed_bytes, projects.last_touch
      AS last_touch, projects.missing_since AS missing_since, CASE
      WHEN (ranked.id IN (SELECT unfinished.id FROM unfinished)) THEN
      0 WHEN ranked.marked THEN 1 WHEN (ranked.pinned = 1 AND (SELECT
          retention_policy.include_pinned FROM retention_policy) =
        0) THEN 2 WHEN (ranked.label IS NOT NULL AND (SELECT retention_policy.include_pinned
          FROM retention_policy) = 0) THEN 3 WHEN (projects.state =
        'unreachable') THEN 4 WHEN (projects.state = 'orphan' AND (SELECT
          retention_policy.delete_orphans FROM retention_policy) AND
        ((SELECT retention_policy.orphan_before FROM retention_policy)
          IS NULL OR coalesce(projects.missing_since, (SELECT retention_policy.now
              FROM retention_policy)) <= (SELECT retention_policy.orphan_before
            FROM retention_policy))) THEN 5 WHEN (ranked.rank = 1 AND
        projects.state = 'orphan' AND (SELECT retention_policy.delete_orphans
          FROM retention_policy) = 0) THEN 6 WHEN (ranked.rank = 1
        AND projects.state = 'orphan') THEN 7 WHEN (ranked.rank = 1)
      THEN 8 WHEN (ranked.rank <= (SELECT retention_policy.keep_last
          FROM retention_policy)) THEN 9 WHEN (ranked.created_at >=
        (SELECT retention_policy.within_since FROM retention_policy))
      THEN 10 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 13), local_times."offset" LIMIT CASE WHEN ((SELECT
                retention_policy.keep_hourly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_hourly FROM retention_policy)))
      THEN 11 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 10) LIMIT CASE WHEN ((SELECT retention_policy.keep_daily
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_daily
            FROM retention_policy))) THEN 12 WHEN (ranked.id IN (SELECT
          newest.id FROM (SELECT max(local_times.id) AS id, row_number()
            OVER (PARTITION BY local_times.project_id ORDER BY max(local_times.id)
              DESC) AS number FROM local_times GROUP BY local_times.project_id,
            date(local_times.time, '-6 days', 'weekday 1') LIMIT CASE
            WHEN ((SELECT retention_policy.keep_weekly FROM retention_policy)
              > 0) THEN -1 ELSE 0 END OFFSET 0) AS newest WHERE newest.number
          <= (SELECT retention_policy.keep_weekly FROM retention_policy)))
      THEN 13 WHEN (ranked.id IN (SELECT newest.id FROM (SELECT max(local_times.id)
            AS id, row_number() OVER (PARTITION BY local_times.project_id
              ORDER BY max(local_times.id) DESC) AS number FROM local_times
            GROUP BY local_times.project_id, substr(local_times.time,
              1, 7) LIMIT CASE WHEN ((SELECT retention_policy.keep_monthly
                FROM retention_policy) > 0) THEN -1 ELSE 0 END OFFSET
            0) AS newest WHERE newest.number <= (SELECT retention_policy.keep_monthly
            FROM retention_policy))) THEN 14 WHEN (((SELECT retention_policy.keep_last
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_hourly
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_daily
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_weekly
            FROM retention_policy) > 0 OR (SELECT retention_policy.keep_monthly
            FROM retention_policy) > 0 OR (SELECT retention_policy.within_since
            FROM retention_policy) IS NOT NULL) AND (SELECT retention_policy.only_limit
          FROM retention_policy) = 0) THEN 15 WHEN (projects.last_touch
        <= (SELECT retention_policy.stale_before FROM retention_policy))
      THEN 16 WHEN ((SELECT retention_policy.max_snapshots FROM retention_policy)
        > 0 AND ranked.rank > (SELECT retention_policy.max_snapshots
          FROM retention_policy)) THEN 17 WHEN 1 THEN 18 END AS number
      FROM (SELECT checkpoints.id AS id, checkpoints.project_id AS
        project_id, checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, checkpoints.pinned AS pinned, checkpoints.label
        AS label, 0 AS marked, row_number() OVER (PARTITION BY checkpoints.project_id
          ORDER BY checkpoints.id DESC) AS rank, coalesce(lag(checkpoints.superseded_bytes
            + CASE WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
              > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
            ELSE 0 END) OVER (PARTITION BY checkpoints.project_id ORDER
            BY checkpoints.id DESC), checkpoints.held_bytes + CASE
          WHEN (checkpoints.added_bytes - checkpoints.stored_bytes
            > 0) THEN checkpoints.added_bytes - checkpoints.stored_bytes
          ELSE 0 END) AS freed_bytes FROM checkpoints WHERE checkpoints.state
        = 'live') AS ranked JOIN projects ON projects.id = ranked.project_id
      WHERE 1 = 1 LIMIT -1 OFFSET 0) AS judged) AS decided JOIN projects
  ON projects.id = decided.project_id
ORDER BY projects.workdir,
  decided.id DESC;
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
        BY decided.project_id ORDER BY decided.id) AS turn FROM (SELECT
        checkpoints.id AS id, checkpoints.project_id AS project_id,
        checkpoints.commit_id AS commit_id, checkpoints.created_at
        AS created_at, retention_decisions.rule AS rule, retention_decisions.bytes
        AS freed_bytes FROM retention_decisions JOIN checkpoints ON
        checkpoints.commit_id = retention_decisions.commit_id) AS decided
      WHERE decided.rule = 'within-limits') AS waiting JOIN projects
    ON projects.id = waiting.project_id
  ORDER BY place) AS candidates JOIN projects ON projects.id = candidates.project_id
  JOIN checkpoints ON checkpoints.id = candidates.id
ORDER BY candidates.place;
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('checkpoints',92);
INSERT INTO "sqlite_sequence" VALUES('projects',12);
INSERT INTO "sqlite_sequence" VALUES('agent_writes',73);
INSERT INTO "sqlite_sequence" VALUES('turns',142);
INSERT INTO "sqlite_sequence" VALUES('restores',22);
INSERT INTO "sqlite_sequence" VALUES('legacy_archives',0);
INSERT INTO "sqlite_sequence" VALUES('operations',184);
COMMIT;

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
INSERT INTO "agent_writes" VALUES(1,1,'s2',1,'a.txt','write_file','2026-11-28 17:19:33.852132','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(2,1,'s1',1,'b.txt','write_file','2026-11-28 17:19:33.952380','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(3,1,'s1',1,'b.txt','write_file','2026-11-28 17:19:33.952858','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(4,1,'s1',1,'a.txt','write_file','2026-11-28 17:19:34.039900','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(5,1,'s1',1,'a.txt','write_file','2026-11-28 17:19:34.040380','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(6,1,'s1',1,'b.txt','write_file','2026-11-28 17:19:34.040808','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(7,1,'s2',2,'b.txt','late','2026-11-28 17:19:34.704225','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(8,1,'s2',1,'a.txt','write_file','2026-11-28 17:19:35.564871',NULL);
INSERT INTO "agent_writes" VALUES(9,1,'s1',2,'a.txt','late','2026-11-28 17:19:35.737658','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(10,1,'s2',1,'a.txt','write_file','2026-11-28 17:19:36.534721','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(11,1,'s2',1,'a.txt','write_file','2026-11-28 17:19:36.535392',NULL);
INSERT INTO "agent_writes" VALUES(12,2,'s2',1,'b.txt','write_file','2026-11-28 17:19:40.247772','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(13,2,'s2',1,'a.txt','write_file','2026-11-28 17:19:40.776915','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(14,2,'s2',1,'a.txt','write_file','2026-11-28 17:19:40.777417','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(15,2,'s2',1,'sub/c.txt','write_file','2026-11-28 17:19:41.336689',NULL);
INSERT INTO "agent_writes" VALUES(16,2,'s2',1,'b.txt','write_file','2026-11-28 17:19:42.697514','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(17,2,'s2',2,'a.txt','late','2026-11-28 17:19:42.793747',NULL);
INSERT INTO "agent_writes" VALUES(18,2,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:43.183164','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(19,3,'s2',2,'a.txt','late','2026-11-28 17:19:45.197040','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(20,3,'s1',2,'sub/c.txt','late','2026-11-28 17:19:46.080724','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(21,3,'s1',1,'b.txt','write_file','2026-11-28 17:19:46.285167','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(22,3,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:46.285710','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(23,3,'s2',1,'b.txt','write_file','2026-11-28 17:19:47.405747','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(24,3,'s2',1,'b.txt','write_file','2026-11-28 17:19:47.428731','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(25,4,'s2',2,'b.txt','late','2026-11-28 17:19:50.904244','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(26,4,'s2',1,'sub/c.txt','write_file','2026-11-28 17:19:50.996714','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(27,5,'s1',1,'a.txt','write_file','2026-11-28 17:19:53.503101',NULL);
INSERT INTO "agent_writes" VALUES(28,5,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:53.844427',NULL);
INSERT INTO "agent_writes" VALUES(29,5,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:53.845044','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(30,5,'s1',1,'a.txt','write_file','2026-11-28 17:19:53.931488','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(31,5,'s1',2,'sub/c.txt','late','2026-11-28 17:19:54.044636','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(32,6,'s1',1,'a.txt','write_file','2026-11-28 17:19:54.824751',NULL);
INSERT INTO "agent_writes" VALUES(33,7,'s2',1,'a.txt','write_file','2026-11-28 17:19:55.489568',NULL);
INSERT INTO "agent_writes" VALUES(34,7,'s2',1,'a.txt','write_file','2026-11-28 17:19:55.624613',NULL);
INSERT INTO "agent_writes" VALUES(35,7,'s2',1,'a.txt','write_file','2026-11-28 17:19:55.625426','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(36,7,'s2',1,'sub/c.txt','write_file','2026-11-28 17:19:55.634151',NULL);
INSERT INTO "agent_writes" VALUES(37,8,'s2',1,'sub/c.txt','write_file','2026-11-28 17:19:56.259481','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(38,8,'s1',1,'a.txt','write_file','2026-11-28 17:19:56.438898','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(39,8,'s2',2,'b.txt','late','2026-11-28 17:19:56.702510','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(40,8,'s1',2,'b.txt','late','2026-11-28 17:19:56.703071','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(41,8,'s2',1,'b.txt','write_file','2026-11-28 17:19:57.092321','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(42,8,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:57.194706','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(43,8,'s1',1,'b.txt','write_file','2026-11-28 17:19:57.283868','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(44,9,'s1',1,'a.txt','write_file','2026-11-28 17:19:58.595803',NULL);
INSERT INTO "agent_writes" VALUES(45,9,'s2',1,'a.txt','write_file','2026-11-28 17:19:58.684780',NULL);
INSERT INTO "agent_writes" VALUES(46,9,'s1',1,'b.txt','write_file','2026-11-28 17:19:58.750229',NULL);
INSERT INTO "agent_writes" VALUES(47,9,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:58.750695','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(48,10,'s2',2,'sub/c.txt','late','2026-11-28 17:19:59.425133',NULL);
INSERT INTO "agent_writes" VALUES(49,10,'s1',1,'sub/c.txt','write_file','2026-11-28 17:19:59.650827','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(50,10,'s1',2,'sub/c.txt','late','2026-11-28 17:19:59.697650','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(51,10,'s1',1,'a.txt','write_file','2026-11-28 17:19:59.775963','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(52,10,'s2',1,'sub/c.txt','write_file','2026-11-28 17:19:59.856115','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(53,10,'s2',1,'a.txt','write_file','2026-11-28 17:19:59.856540',NULL);
INSERT INTO "agent_writes" VALUES(54,11,'s2',2,'sub/c.txt','late','2026-11-28 17:20:01.827559',NULL);
INSERT INTO "agent_writes" VALUES(55,11,'s1',1,'b.txt','write_file','2026-11-28 17:20:02.071619','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(56,11,'s1',1,'a.txt','write_file','2026-11-28 17:20:02.251561','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(57,11,'s1',1,'a.txt','write_file','2026-11-28 17:20:02.431673','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(58,11,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:02.432211','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(59,11,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:02.698264','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(60,12,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:04.104253','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(61,12,'s2',1,'b.txt','write_file','2026-11-28 17:20:04.104755','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(62,12,'s2',2,'a.txt','late','2026-11-28 17:20:04.169304',NULL);
INSERT INTO "agent_writes" VALUES(63,12,'s1',1,'b.txt','write_file','2026-11-28 17:20:04.259728','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(64,12,'s2',2,'b.txt','late','2026-11-28 17:20:04.321142','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(65,12,'s1',1,'a.txt','write_file','2026-11-28 17:20:04.420983','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(66,12,'s2',1,'a.txt','write_file','2026-11-28 17:20:04.531067','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(67,12,'s2',1,'a.txt','write_file','2026-11-28 17:20:04.662879','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(68,12,'s2',1,'a.txt','write_file','2026-11-28 17:20:04.663410','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(69,12,'s2',1,'a.txt','write_file','2026-11-28 17:20:04.663903','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(70,12,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:04.776654','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(71,13,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:06.244014','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(72,13,'s1',2,'a.txt','late','2026-11-28 17:20:06.817569','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(73,14,'s1',2,'sub/c.txt','late','2026-11-28 17:20:08.355838',NULL);
INSERT INTO "agent_writes" VALUES(74,14,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:08.417756',NULL);
INSERT INTO "agent_writes" VALUES(75,14,'s1',2,'b.txt','late','2026-11-28 17:20:08.451495','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(76,14,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:08.696164',NULL);
INSERT INTO "agent_writes" VALUES(77,14,'s2',1,'a.txt','write_file','2026-11-28 17:20:08.696612',NULL);
INSERT INTO "agent_writes" VALUES(78,14,'s1',1,'b.txt','write_file','2026-11-28 17:20:08.815501','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(79,14,'s1',1,'a.txt','write_file','2026-11-28 17:20:08.935052',NULL);
INSERT INTO "agent_writes" VALUES(80,14,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:09.116659',NULL);
INSERT INTO "agent_writes" VALUES(81,14,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:09.335815',NULL);
INSERT INTO "agent_writes" VALUES(82,14,'s2',2,'sub/c.txt','late','2026-11-28 17:20:09.379096','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(83,16,'s1',1,'b.txt','write_file','2026-11-28 17:20:11.934861','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(84,16,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:12.575050','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(85,16,'s1',1,'a.txt','write_file','2026-11-28 17:20:12.575591','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(86,16,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:12.576026','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(87,17,'s1',2,'b.txt','late','2026-11-28 17:20:13.267587','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(88,17,'s1',2,'a.txt','late','2026-11-28 17:20:13.474013',NULL);
INSERT INTO "agent_writes" VALUES(89,17,'s2',1,'b.txt','write_file','2026-11-28 17:20:13.585531',NULL);
INSERT INTO "agent_writes" VALUES(90,18,'s1',2,'sub/c.txt','late','2026-11-28 17:20:14.588394','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(91,18,'s1',1,'b.txt','write_file','2026-11-28 17:20:14.901488','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(92,19,'s2',1,'b.txt','write_file','2026-11-28 17:20:15.746059','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(93,19,'s1',1,'a.txt','write_file','2026-11-28 17:20:15.860733','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(94,19,'s1',1,'b.txt','write_file','2026-11-28 17:20:15.861213','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(95,19,'s1',2,'a.txt','late','2026-11-28 17:20:16.126106',NULL);
INSERT INTO "agent_writes" VALUES(96,19,'s1',1,'a.txt','write_file','2026-11-28 17:20:16.235984',NULL);
INSERT INTO "agent_writes" VALUES(97,19,'s1',1,'a.txt','write_file','2026-11-28 17:20:16.665062','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(98,19,'s2',1,'b.txt','write_file','2026-11-28 17:20:16.718007','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(99,19,'s2',1,'a.txt','write_file','2026-11-28 17:20:16.783130','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(100,19,'s1',1,'a.txt','write_file','2026-11-28 17:20:16.835492','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(101,19,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:16.835961','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(102,20,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:18.316182','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(103,20,'s2',1,'b.txt','write_file','2026-11-28 17:20:18.316676',NULL);
INSERT INTO "agent_writes" VALUES(104,20,'s2',1,'b.txt','write_file','2026-11-28 17:20:18.432718','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(105,20,'s2',1,'a.txt','write_file','2026-11-28 17:20:18.433296','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(106,20,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:18.526108',NULL);
INSERT INTO "agent_writes" VALUES(107,20,'s2',2,'b.txt','late','2026-11-28 17:20:18.597330','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(108,20,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:18.796382','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(109,20,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:18.796837','8c7e5a667f1b771847fe88c01c3de34413a1b220');
INSERT INTO "agent_writes" VALUES(110,20,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:19.312450',NULL);
INSERT INTO "agent_writes" VALUES(111,21,'s2',1,'a.txt','write_file','2026-11-28 17:20:20.260668','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(112,21,'s2',1,'sub/c.txt','write_file','2026-11-28 17:20:20.357661','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(113,21,'s1',1,'b.txt','write_file','2026-11-28 17:20:20.470842','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(114,21,'s1',1,'a.txt','write_file','2026-11-28 17:20:20.471375',NULL);
INSERT INTO "agent_writes" VALUES(115,21,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:20.656762','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(116,21,'s1',1,'b.txt','write_file','2026-11-28 17:20:20.657261','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(117,21,'s1',1,'sub/c.txt','write_file','2026-11-28 17:20:20.953265','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(118,21,'s1',1,'b.txt','write_file','2026-11-28 17:20:20.965731','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(119,21,'s2',1,'b.txt','write_file','2026-11-28 17:20:21.048711','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(120,22,'s1',2,'b.txt','late','2026-11-28 17:20:22.413668','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(121,23,'s1',2,'a.txt','late','2026-11-28 17:20:24.344725','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(122,23,'s1',1,'b.txt','write_file','2026-11-28 17:20:24.441077','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54');
INSERT INTO "agent_writes" VALUES(123,23,'s1',1,'a.txt','write_file','2026-11-28 17:20:24.441529',NULL);
INSERT INTO "agent_writes" VALUES(124,24,'s2',1,'b.txt','write_file','2026-11-28 17:20:25.944808','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(125,24,'s1',1,'b.txt','write_file','2026-11-28 17:20:26.119854','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
INSERT INTO "agent_writes" VALUES(126,24,'s1',2,'sub/c.txt','late','2026-11-28 17:20:26.395264','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c');
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
INSERT INTO "checkpoint_changes" VALUES(2,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,4096,1,0);
INSERT INTO "checkpoint_changes" VALUES(3,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(4,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,4096,1,1);
INSERT INTO "checkpoint_changes" VALUES(5,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(6,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(7,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(8,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(8,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(9,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(9,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(10,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(11,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(11,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(12,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(13,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(14,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(15,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(16,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(18,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(21,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(22,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33261,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(22,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(23,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(24,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(25,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(26,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(26,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(27,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(28,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(29,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(29,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(29,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(30,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(31,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(32,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(32,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(33,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(34,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(35,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(36,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(36,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(37,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(37,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(38,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(39,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(40,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(41,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(44,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(45,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(45,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(46,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(47,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(47,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(48,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(49,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(50,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(52,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(53,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(54,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(54,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(55,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(56,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(56,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(57,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(57,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(58,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(59,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(59,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(59,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(60,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(61,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(62,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(63,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(64,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(65,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(65,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(66,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(67,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(68,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(70,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(71,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(71,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(72,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(72,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(73,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(73,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(73,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(74,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(74,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33261,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(74,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(75,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(75,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(76,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(76,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(77,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(79,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(80,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(81,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(82,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(82,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(83,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(84,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(85,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(86,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(86,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(86,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(87,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(88,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(88,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(89,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(89,'sub/c.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(90,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(90,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(91,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(92,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(93,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(95,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(96,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(97,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(97,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(98,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(99,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(100,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(101,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(103,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(104,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(105,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(106,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(107,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(108,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(109,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(109,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(110,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(111,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(111,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(112,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(113,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(114,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(115,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(116,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(117,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(118,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(119,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(120,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(121,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(122,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(123,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(124,'sub/c.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(125,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(126,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(127,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(128,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(128,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(129,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(129,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(130,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(131,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(131,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(131,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(132,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(132,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(133,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(134,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(134,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(135,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(135,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(136,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(136,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(138,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(138,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(139,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(139,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33188,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(140,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(140,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(140,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(141,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(142,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(143,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(144,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(144,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(145,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(146,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(147,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(148,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(149,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(150,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(152,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(153,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(155,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(156,'b.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(157,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(158,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(158,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(159,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(160,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(161,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(161,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(162,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(162,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(162,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,NULL,0,0,1);
INSERT INTO "checkpoint_changes" VALUES(163,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(163,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188,1,1,0,1,1);
INSERT INTO "checkpoint_changes" VALUES(163,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(164,'stays','A',NULL,'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',NULL,33188,NULL,0,0,NULL,NULL);
INSERT INTO "checkpoint_changes" VALUES(166,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(167,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL,1,0,1,0);
INSERT INTO "checkpoint_changes" VALUES(168,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261,1,1,0,0,0);
INSERT INTO "checkpoint_changes" VALUES(169,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33261,1,1,0,1,1);
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
INSERT INTO "checkpoints" VALUES(1,1,'f76a9a47ce3a96922c299e16169d5d5ebeb067ca','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fc67a13d02bca26b/20261128T171933758946Z-7d604c80',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:33.758946',0,1,0,12288,0,4096,4096,1,0,0,0,0,'pruned','2026-11-28 17:19:37.096345','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(2,1,'161b180bf7119c9527add1a9e091753dbbddb70b','9e886f8820eafb8cbbe8ad53f98b59136a0bb5ee','9bd41a869f3a432a9c25b0645185e0e824f77da6','refs/checkpoints/fc67a13d02bca26b/20261128T171933911631Z-c68db76f',1,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:19:33.911631',0,3,2,16384,0,8192,12288,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(3,1,'6ca4acbfec69b1f74fa7d5f3df398d3e385d8dcc','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/fc67a13d02bca26b/20261128T171933998998Z-98ca62f5',2,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:19:33.998998',0,3,2,8192,4096,0,8192,1,1,1,0,0,'pruned','2026-11-28 17:19:36.883385','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(4,1,'629b418e5f4a20544c35d60a9ee1320160e0f4e3','3788a09c74303115048ebb21bab3fb9df09a3708','e58732d38d062340e86b527621a8ab7bc32f0a93','refs/checkpoints/fc67a13d02bca26b/20261128T171934171120Z-b8824e0a',3,'safety','pre-rollback snapshot (restoring to 6ca4acbf)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:34.171120',0,3,2,12288,4096,4096,8192,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(5,1,'f443ff0cfe730cc6278e2a526212fc00105ad735','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/fc67a13d02bca26b/20261128T171934419309Z-996e9e79',4,'safety','pre-undo checkpoint (going back to 629b418e)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:34.419309',0,3,2,8192,4096,0,4096,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(6,1,'25edad31860c1e0f9253bd1e3614a9d3c40f20f1','3788a09c74303115048ebb21bab3fb9df09a3708','e58732d38d062340e86b527621a8ab7bc32f0a93','refs/checkpoints/fc67a13d02bca26b/20261128T171934647036Z-3bef6ba9',5,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:34.647036',0,3,2,8192,4096,0,0,1,1,1,0,0,'pruned','2026-11-28 17:19:37.507183','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(7,1,'1b820f593aff292c372b4ff3254bc7856c07e7e9','e598414e5a738c63a62e8fef4a0018eefc7cd2d2','0259c1f34f89865affaec2df0105b49706895df9','refs/checkpoints/fc67a13d02bca26b/20261128T171934775233Z-82c29b32',6,'safety','pre-rollback snapshot (restoring to 6ca4acbf)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:34.775233',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(8,1,'de4e8de6a4d016eb27ace6f422d8b4dc712e792b','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/fc67a13d02bca26b/20261128T171935079068Z-65becc6c',7,'safety','pre-undo checkpoint (going back to 1b820f59)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:35.079068',0,3,2,8192,8192,0,0,2,2,2,0,0,'pruned','2026-11-28 17:19:37.295171','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(9,1,'0175890ee0099625dde7581ead8a5125672c5965','e598414e5a738c63a62e8fef4a0018eefc7cd2d2','0259c1f34f89865affaec2df0105b49706895df9','refs/checkpoints/fc67a13d02bca26b/20261128T171935424582Z-cc4ca44f',8,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:35.424582',0,3,2,8192,4096,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(10,1,'d48ec43654bc686f4c20fceab940dcd883d80b0e','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','15f09c48c9642f84858abd38f1000136ee2f01fd','refs/checkpoints/fc67a13d02bca26b/20261128T171935667008Z-e3a502dd',9,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:35.667008',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(11,1,'a8a26f57b3f89c7ed6ce775d0db32bd30c2df542','d06526c0f081aa7e0d3099b90466669be0c70aeb','223618c8bb7f948e52665c1f6d85b5fd4bbc8301','refs/checkpoints/fc67a13d02bca26b/20261128T171935899171Z-b869497e',10,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:19:35.899171',0,2,1,8192,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(12,1,'260e6caa1c997d09c6002bfa5633ac6b0a1613cf','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fc67a13d02bca26b/20261128T171936387065Z-def38c09',11,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:36.387065',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(13,1,'ee98865feb3c62794418e7b6d8a25bcf3cad87bb','871ee005c9690229aea42509fd04f57935371079','1e13f3941cf7c938c80de34bc69b3692d342d2dd','refs/checkpoints/fc67a13d02bca26b/20261128T171937835308Z-b8467393',12,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:37.835308',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(14,2,'b63d7c6658844f581ba2b823ff690b5b1e9e1924','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/eb7ff3732124e3bb/20261128T171940118956Z-16f8245a',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:40.118956',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(15,2,'c9e1bce530eaea2fc134d4dbb0b6106cd39b3d74','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','4d220c97025a4a329bd77c3430a0499b94ae7655','refs/checkpoints/eb7ff3732124e3bb/20261128T171940556756Z-a7c062d4',14,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:40.556756',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(16,2,'54676cec6401de83bec4116883319c0ded1aa510','9e886f8820eafb8cbbe8ad53f98b59136a0bb5ee','ba6dbe2afd36c41b8e23199ce6995675529ee583','refs/checkpoints/eb7ff3732124e3bb/20261128T171940930984Z-16b31d35',15,'safety','pre-rollback snapshot (restoring to b63d7c66)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:40.930984',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(17,2,'3dd986f893ca8ce8340d0e3bb8f4688a898302b9','9e886f8820eafb8cbbe8ad53f98b59136a0bb5ee','9bd41a869f3a432a9c25b0645185e0e824f77da6','refs/checkpoints/eb7ff3732124e3bb/20261128T171941664698Z-094b02d0',16,'safety','pre-rollback snapshot (restoring to 54676cec)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:41.664698',0,3,2,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(18,2,'8b2e42308fa52d5479d03bb9cf34d8a67fd430da','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','4d220c97025a4a329bd77c3430a0499b94ae7655','refs/checkpoints/eb7ff3732124e3bb/20261128T171942433028Z-34093cf6',17,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:19:42.433028',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(19,2,'1abebfdcc8765d69742d54867e4d7df9f8abe2a7','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','15f09c48c9642f84858abd38f1000136ee2f01fd','refs/checkpoints/eb7ff3732124e3bb/20261128T171942653916Z-5c70c7f9',18,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:19:42.653916',0,2,1,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(20,2,'3f313bb044b4746edaf5b8c74514954f00078a2c','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','7791594b8a961268a5ad6c2e49d8ed2ce9524fa8','refs/checkpoints/eb7ff3732124e3bb/20261128T171942926348Z-7cb205e4',19,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:19:42.926348',0,2,1,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(21,2,'ddb3164da8361dbbaa2a9be85d85e2736704a839','1574d8c101d2f961c31cc594d05bc761258fe6ba','9cd5725e3903b9584ce698c0cb8a5bd46a39afbf','refs/checkpoints/eb7ff3732124e3bb/20261128T171943112543Z-fc769739',20,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:19:43.112543',0,2,1,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(22,2,'78d36ff73962719cd42a2deea05b746a8d13e910','0aa07f9ed312d162167c797fb7ce6e97dbb1629f','cf3748b114ff8bef5be42deb2b3358274b08d41f','refs/checkpoints/eb7ff3732124e3bb/20261128T171943489441Z-ce63ceb0',21,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:43.489441',0,3,2,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(23,3,'20951e2052ab09685dc21715a5be06eb69940b66','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/894dc3dee3977527/20261128T171944983205Z-97d4c2af',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:44.983205',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(24,3,'3215e336edb680fc75bf612eb552bc48647b8413','d06526c0f081aa7e0d3099b90466669be0c70aeb','d1667db7182ded00996bfd742bcc2613070444c1','refs/checkpoints/894dc3dee3977527/20261128T171945347052Z-8c75ede5',23,'safety','pre-rollback snapshot (restoring to 20951e20)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:45.347052',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(25,3,'3aeab2dd6e441bdc8263aac0ae80258bb5cbd5ff','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/894dc3dee3977527/20261128T171945755177Z-e07154a8',24,'safety','pre-undo checkpoint (going back to 3215e336)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:45.755177',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(26,3,'125dc9782e9fc2440b5a56bb3f0dae3520461cb4','d7abb34dcff09abcad91baf8ff456aabeb9ad7c8','c1237810ee3ae5d4d11bd6fa5cb4b9f6a2f363fa','refs/checkpoints/894dc3dee3977527/20261128T171946217058Z-2cb934b4',25,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:19:46.217058',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(27,3,'6d774c06b19df354eefc8e7b3c31cbe676a79265','94bc567344d92f62e33202cf0212881bfd807602','42090de35c867b388e1fbb195d019184b74ab809','refs/checkpoints/894dc3dee3977527/20261128T171946447103Z-995a7aab',26,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:19:46.447103',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(28,3,'2456a020e757f08b3338f0d8b23a149d8a47caa4','3fb09440a49de923dec55c1294fc3c8d44a25045','0824c137003dc0a63fbadce870c33215facdacd1','refs/checkpoints/894dc3dee3977527/20261128T171946747129Z-caeeaa4a',27,'safety','pre-rollback snapshot (restoring to 20951e20)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:46.747129',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(29,3,'74364bb73a27125bf284172c40669e869008eb61','a86752e1dc6aa948868e503e6a0e0969272a2d8e','280b3ac92746f18b799a5a0c13d891709f679275','refs/checkpoints/894dc3dee3977527/20261128T171947139181Z-3858aafa',28,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:47.139181',0,2,1,8192,8192,0,0,3,1,3,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(30,3,'d0184713f86d00fdc2db628c29dc519174a00127','d06526c0f081aa7e0d3099b90466669be0c70aeb','d1667db7182ded00996bfd742bcc2613070444c1','refs/checkpoints/894dc3dee3977527/20261128T171947336470Z-9378bf5c',29,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:19:47.336470',0,2,1,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(31,3,'efda557ad658f2e0bbe71f5416f8235b6f1dc559','9e556bed17b8afd64227005541561b3338d4e05b','67a051a26eb386b3d7e1131b502923013bee72a5','refs/checkpoints/894dc3dee3977527/20261128T171947691092Z-3f3b9f93',30,'safety','pre-rollback snapshot (restoring to 20951e20)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:47.691092',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(32,3,'eb5db1037458693891e8ab0ad4fe5a62cba28f26','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/894dc3dee3977527/20261128T171948019324Z-f0fd2d0c',31,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:48.019324',0,1,0,8192,4096,0,0,2,0,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(33,4,'edc96d55d17c27ffe9657513e5b44e7f7c6c4bb0','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/649a2f74c26eed56/20261128T171950671217Z-3852c083',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:50.671217',0,1,0,8192,0,0,0,1,0,0,0,0,'pruned','2026-11-28 17:19:52.458370','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(34,4,'bcb887c27d983f4314592359e107509015267dfd','6d730aaefc2336d1bd5c39c8826acf7b50e45da3','4d220c97025a4a329bd77c3430a0499b94ae7655','refs/checkpoints/649a2f74c26eed56/20261128T171950960432Z-3b8aa2f6',33,'imported','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:50.960432',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(35,4,'7d410be9e1765984709189fca72f2c692503d711','143fb781cb6bf39e11309b09e22d830cdda4c282','64c368e24605d91612b568656046b79c1930ac80','refs/checkpoints/649a2f74c26eed56/20261128T171951049217Z-3886eb27',34,'imported','pre-rollback snapshot (restoring to edc96d55)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:51.049217',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(36,4,'3b0944efa7ee8a36fea6777051b96deadc6e9410','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/649a2f74c26eed56/20261128T171951338327Z-8c6d0025',35,'imported','pre-undo checkpoint (going back to 7d410be9)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:51.338327',0,1,0,8192,4096,0,0,2,0,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(37,4,'1442abc555469d7e9f2f3b7414c0486908079fa4','143fb781cb6bf39e11309b09e22d830cdda4c282','64c368e24605d91612b568656046b79c1930ac80','refs/checkpoints/649a2f74c26eed56/20261128T171951576350Z-efdf2e60',36,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:19:51.576350',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(38,4,'c4e154c9bde0cfbe73ce0bee253e4d49753dc1b5','8118478be13cb63d826bff4cc1ad09fd88df8204','0aa5fb985f4bef95d80928d1ff248a5cd0d5e9d1','refs/checkpoints/649a2f74c26eed56/20261128T171951792648Z-44e2e8a5',37,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:19:51.792648',0,3,2,12288,4096,0,0,1,1,1,0,0,'pruned','2026-11-28 17:19:52.586206','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(39,4,'5ef8d2b68eb73f6e92e4f2ab98e8a3c8ad6993f0','c2f94d0c1c38e1b32df94a6991b37322b08a0876','9eb7fab011fe986569c49165d5db5b6904815a19','refs/checkpoints/649a2f74c26eed56/20261128T171952104555Z-9a47a44d',38,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:19:52.104555',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(40,4,'097e2a48e9ca48c5b517cfdd847791f50c778641','3315a9801917839dbed3f3657e9602d872e335a2','878e4c262459d34801f15e280e060e00b61f45c9','refs/checkpoints/649a2f74c26eed56/20261128T171952262966Z-dc8ee512',39,'safety','pre-rollback snapshot (restoring to 7d410be9)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:52.262966',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(41,5,'295332f1615a0e3bdda3de5534c3da5796c6138f','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/0bcad879a679a0c0/20261128T171953402254Z-03010152',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:53.402254',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(42,5,'459485810f5866d85e2eed2823d24cbb5e89cdd3','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/0bcad879a679a0c0/20261128T171953469353Z-68ad783e',41,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:19:53.469353',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(43,5,'00ed2592b32f08db8d1d7c65bb0694ec109a77d2','904e17589e76de2b7edfb270c387e5dae35380d5','c988bc45919156892c8fca04021ac9a1d3c430ed','refs/checkpoints/0bcad879a679a0c0/20261128T171953548282Z-4a75dde6',42,'safety','pre-rollback snapshot (restoring to 295332f1)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:53.548282',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(44,5,'cf5d98d9b9c8e89cd411a1f290867d93f31743d3','a86752e1dc6aa948868e503e6a0e0969272a2d8e','f0603ccd2fb8651a2e7e0c2ae1d57881c995b28a','refs/checkpoints/0bcad879a679a0c0/20261128T171953756297Z-36462ed0',43,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:19:53.756297',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(45,5,'7c9882d55717f964fa49cd39516dc860f61f50d6','4785ceaecda4610e05d335e1f5ff4bbcedd6174a','e6fc02caf0b8a3daaca70913f6390715767a7db5','refs/checkpoints/0bcad879a679a0c0/20261128T171953912677Z-ea589b7a',44,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:19:53.912677',0,4,3,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(46,5,'a26ece4eb380bf65c99d28ae7e2a4ed5c4f218db','6b0231dff76fbc3ec53a2d554dae9fbe88243043','699d8d29c26e58245e9ba47ba5a76d3839d16784','refs/checkpoints/0bcad879a679a0c0/20261128T171953976363Z-6db3d07a',45,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:19:53.976363',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(47,5,'cd44b22f3401cf10f4f4c6cac9d8f4905aa5bd39','2668a5a39baf76d96b2e395166d354e68d897a60','9284f5185f2c6a305fc469133db2c892a9670f88','refs/checkpoints/0bcad879a679a0c0/20261128T171954108607Z-65bf54f9',46,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:54.108607',0,3,2,12288,8192,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(48,6,'ee5c7478bb8b440268197db685376c8abc927e9b','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/4a8d35557c974e75/20261128T171954786868Z-6f9b67a5',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:54.786868',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(49,7,'422465b314b26f4f9e7c19e9be59d5bcead37f23','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/db2be07016be9bca/20261128T171955375984Z-3fbf4115',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:55.375984',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(50,7,'caf153cd65765fdba3c9e17483484834de73bcf4','3b456247105b0ffb2dda4229bc48675abb9fc9ad','01abfcd177cc1bcbac2936621519eae353f1c452','refs/checkpoints/db2be07016be9bca/20261128T171955472671Z-6b56c05c',49,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:19:55.472671',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(51,7,'36f6ec0135b80d2e548ddcab5c169510b5582103','3b456247105b0ffb2dda4229bc48675abb9fc9ad','b512faff2e6f0ebaf500db3e1c74399827a1f219','refs/checkpoints/db2be07016be9bca/20261128T171955575611Z-7b5eee36',50,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:55.575611',0,2,1,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(52,7,'83c343e9a06d87a34e3557ba921746fe33c6d112','0a52210d6a14431d5b6a9a45c0986914297a8c7c','9d2cbfd8acd941367c0d77fdd460dc592e38322d','refs/checkpoints/db2be07016be9bca/20261128T171955754906Z-aa22ad65',51,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:55.754906',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(53,8,'539cd740a6b1224bf8bc17679cad2fe6fc116e27','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/48c31050ea8b44c5/20261128T171956230160Z-35a0fbff',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:56.230160',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(54,8,'8a2461e06ced61cec99a2d6ed6d208737784ba9b','150fc5d24d40053901276da86996e9202fbe109d','73744ca8bfc15498861f6d04099012f3c0fcc3ac','refs/checkpoints/48c31050ea8b44c5/20261128T171956316521Z-a55de4b8',53,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:19:56.316521',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(55,8,'1ee77e0c72121734daaae3b62256b90acfa3c61d','d7abb34dcff09abcad91baf8ff456aabeb9ad7c8','c1237810ee3ae5d4d11bd6fa5cb4b9f6a2f363fa','refs/checkpoints/48c31050ea8b44c5/20261128T171956519816Z-3373ad05',54,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:19:56.519816',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(56,8,'593b5cb441b7a9ac6f951f3622acc6838b8627cb','6dbaa3907b539662a35de98fd395b6c0e23dc3ff','00054f3ec2f8f51bff9d140d473cc7d0d9ce78ea','refs/checkpoints/48c31050ea8b44c5/20261128T171956618970Z-51d43efc',55,'safety','pre-rollback snapshot (restoring to 539cd740)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:56.618970',0,4,3,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(57,8,'df0df8029b1456a858b65ad933fca0def91d9ba9','e598414e5a738c63a62e8fef4a0018eefc7cd2d2','4b6667320c62e23942caa2c7445a98d6cef3a56c','refs/checkpoints/48c31050ea8b44c5/20261128T171956744575Z-8a5023e9',56,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:19:56.744575',0,3,2,8192,8192,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(58,8,'85fa233dbdab858c13b22da257399cb172856a0f','7e5e854934d3e081109e8d22a15d7402a80b9606','530d728a5cf3237d835614a188d7e1eec20991a6','refs/checkpoints/48c31050ea8b44c5/20261128T171956839143Z-32d4079d',57,'safety','pre-rollback snapshot (restoring to 539cd740)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:19:56.839143',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(59,8,'f20695ebe367e0be6ba1dddea7d3ce810181a6e3','2668a5a39baf76d96b2e395166d354e68d897a60','903571ed49f5d729c3306809f5e9cbb12fbbedd0','refs/checkpoints/48c31050ea8b44c5/20261128T171956961517Z-7a2b5490',58,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:19:56.961517',0,3,2,12288,4096,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(60,8,'1578f0d506c5181fd525a7ec43b7ccca27925bf3','8d1b70dbe215ae39fc5150b7b3e86b32e4faaa23','0634f5bdf4f503604ef5c8c49ade62773d0746aa','refs/checkpoints/48c31050ea8b44c5/20261128T171957028686Z-6c0f0143',59,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:19:57.028686',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(61,8,'57dfdc68883bdba750231c7a27beb510923d87f5','b2f01d6261877a27760ade3946b990b9dcfc51df','d483a694619f28a8f8bb146921e0eef11f6886ce','refs/checkpoints/48c31050ea8b44c5/20261128T171957148459Z-42189885',60,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:19:57.148459',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(62,8,'b30291a1486b009b1bb11f917053ceca99b343c6','6dbaa3907b539662a35de98fd395b6c0e23dc3ff','00054f3ec2f8f51bff9d140d473cc7d0d9ce78ea','refs/checkpoints/48c31050ea8b44c5/20261128T171957242980Z-b84acb86',61,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:19:57.242980',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(63,9,'7688eff4049d7c14d6fe19ecf943620f3590cb53','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/a2b2eaae665c22bf/20261128T171958448145Z-5270ac26',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:58.448145',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(64,9,'f7ba8c743afdc61d482b030cbf2197e75a9a393b','85ac3df6386a7836bf06ff666d158cc9035fde32','022cb58f9094f277c6f1ead55a634eaf8639d7cc','refs/checkpoints/a2b2eaae665c22bf/20261128T171958524304Z-0b989785',63,'imported','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:19:58.524304',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(65,9,'9ce380e99dc4cf32ec1ca7a56bd6734f97600bb1','871ee005c9690229aea42509fd04f57935371079','1ab8bbb989e46c420d6297121005d8becd4d2b7d','refs/checkpoints/a2b2eaae665c22bf/20261128T171958644477Z-fe374845',64,'imported','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:19:58.644477',0,2,1,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(66,9,'e7cfc776892fae2902ddf7ee945393c1f3cacd4b','181ea0b8c3206e28a4b6ef0a1eb152522622790e','f977189e4438b8644af0959585df8af71b8e3020','refs/checkpoints/a2b2eaae665c22bf/20261128T171958719732Z-6ff1be30',65,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:19:58.719732',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(67,9,'6a75b10fd7b98edffcdf0713470e32fa12b5e3dc','871ee005c9690229aea42509fd04f57935371079','9df24a634b128e25ceec62c2d710695226ee649d','refs/checkpoints/a2b2eaae665c22bf/20261128T171958797037Z-00ba4775',66,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:58.797037',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(68,10,'97ecf81d30a6b14be2ea23080d90c06f374fd8d3','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fcab651c656da816/20261128T171959404419Z-a23dfdc1',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:19:59.404419',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(69,10,'340aab16c2296521660f15c902d29c3e00aee079','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/fcab651c656da816/20261128T171959459439Z-9e53e38d',68,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:19:59.459439',0,1,0,4096,0,0,0,0,0,0,0,0,'pruned','2026-11-28 17:20:00.748046','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(70,10,'2ba4a64ca2fccd0c97893d355c94afd668579e72','b4ab4a8102833d7d9725427c1eeb338350d66d7f','9018c0e4baa2bf125f7f267fc73f48c986752d12','refs/checkpoints/fcab651c656da816/20261128T171959605708Z-f867d882',69,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:19:59.605708',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(71,10,'440095734a9fc7a88d40ef5abe0405161aea93d7','e9e308510742c13ea0c470ffb9f2141aed2364b3','96a264472618f14a6e7851a9274f202fe31151cf','refs/checkpoints/fcab651c656da816/20261128T171959751788Z-9d780f52',70,'auto','manual',NULL,0,'s1',8,NULL,'2026-11-28 17:19:59.751788',0,4,3,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(72,10,'e07347f4084e0f6c44bc3e7a132e69860472c1d4','054c3ffa365b1efc83da26a2115b84c510ff577c','b90d3c99eb43f415012faf8977c8228e16be33a4','refs/checkpoints/fcab651c656da816/20261128T171959818943Z-39dfb919',71,'auto','manual',NULL,0,'s2',8,NULL,'2026-11-28 17:19:59.818943',0,4,3,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(73,10,'00460ba2188348a183fd5f2b0b2f6cd4af3405be','bc18463ebd0b20c1c23fbd42f4e7fcf85af540cd','23d0195c49aa3e9f674cea1db2149db083053375','refs/checkpoints/fcab651c656da816/20261128T172000113567Z-43a453bd',72,'safety','pre-rollback snapshot (restoring to 44009573)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:00.113567',0,3,2,12288,4096,0,0,3,2,3,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(74,10,'fee9ca5941ef471fce7927212c3d72116d946e51','e9e308510742c13ea0c470ffb9f2141aed2364b3','96a264472618f14a6e7851a9274f202fe31151cf','refs/checkpoints/fcab651c656da816/20261128T172000267554Z-93b99f42',73,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:00.267554',0,4,3,12288,8192,0,0,3,3,2,0,0,'pruned','2026-11-28 17:20:00.601012','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(75,10,'0f30821f9544b2de1ba83198db13b4ce63acdc33','c2f94d0c1c38e1b32df94a6991b37322b08a0876','81a0fd4e7d0552ff1028d482e6c70facdbd5997a','refs/checkpoints/fcab651c656da816/20261128T172000377964Z-ae47464f',74,'safety','pre-rollback snapshot (restoring to fee9ca59)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:00.377964',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(76,10,'d5b1dced83d3c650be9d1ecd1f33ca91f330fbe7','e9e308510742c13ea0c470ffb9f2141aed2364b3','96a264472618f14a6e7851a9274f202fe31151cf','refs/checkpoints/fcab651c656da816/20261128T172000855980Z-d24382e9',75,'auto','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:00.855980',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(77,11,'fa1bbc3cf4d67a9fec8d1f547f9f87fe427bc044','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/214faf269c66f996/20261128T172001782587Z-1b4f715f',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:01.782587',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(78,11,'fcce28cb8201b41f1a213938e9f13343a1d8d4d8','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/214faf269c66f996/20261128T172001893335Z-62a4eee4',77,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:01.893335',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(79,11,'9bc51607ff34265ce98abbddfc4e475b6e126d52','3b456247105b0ffb2dda4229bc48675abb9fc9ad','252caa601f9f12b62957ae6d66bce168f98a907a','refs/checkpoints/214faf269c66f996/20261128T172002028644Z-b335e011',78,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:20:02.028644',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(80,11,'b0ebbf88e3aae2667c1c26d2bfe131488caee5f2','b4ab4a8102833d7d9725427c1eeb338350d66d7f','9018c0e4baa2bf125f7f267fc73f48c986752d12','refs/checkpoints/214faf269c66f996/20261128T172002208258Z-6274df6e',79,'auto','manual',NULL,0,'s1',8,NULL,'2026-11-28 17:20:02.208258',0,2,1,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(81,11,'b3f62307586dafb21987367b235ed22202c4188a','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/214faf269c66f996/20261128T172002340273Z-b9f8c229',80,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:02.340273',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(82,11,'9b02e8081eec31763b68e160758dccab43226a1e','98ff3cf2a2906b38cd3398a081b3d3e809b7e265','88616982c54ef0b25a13881b2c2dff3297a9ca34','refs/checkpoints/214faf269c66f996/20261128T172002526858Z-3fb508ed',81,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:20:02.526858',0,4,3,12288,0,0,0,2,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(83,11,'c4f3d73438d726b533373abed35dbf5360ef690a','160ad2bad2f327be21fb6fd95b92020b26d023a4','3a55f1530f013193d8de878a92483a4aee0f0040','refs/checkpoints/214faf269c66f996/20261128T172002745356Z-03242cb4',82,'safety','pre-rollback snapshot (restoring to 9b02e808)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:02.745356',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(84,11,'0f64407bcf342dc42951e62f47c1cce11ef28328','98ff3cf2a2906b38cd3398a081b3d3e809b7e265','88616982c54ef0b25a13881b2c2dff3297a9ca34','refs/checkpoints/214faf269c66f996/20261128T172002944936Z-4790a3b2',83,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:02.944936',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(85,12,'e639bb336b3f64408f0334564cdfb00a96519236','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/564cbf8b0ca821c9/20261128T172004034865Z-d382e342',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:04.034865',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(86,12,'652cfa18b571f0ba35442acd1752b691a5695084','92bbfbd4374038a4dfc8e45cfa5f12fd3a60b4a9','3c16287570d21e187a9be6ce9558d3cdae75c033','refs/checkpoints/564cbf8b0ca821c9/20261128T172004217646Z-dd1e7309',85,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:20:04.217646',0,4,3,12288,0,0,0,3,3,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(87,12,'c68672e9b174e0471dc04cddca9469b43c63fa5f','de463007b34b5de7f2931a7ac886fe1957b836c2','e1dfcb18465407e2896af33a5781874f6ac5956d','refs/checkpoints/564cbf8b0ca821c9/20261128T172004396287Z-4c591aca',86,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:04.396287',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(88,12,'90241c285c03b6b9eb8c35c1843a24a69f6058cf','94bc567344d92f62e33202cf0212881bfd807602','c7bc6735837e0e641e67ffde2d8f2f668176324e','refs/checkpoints/564cbf8b0ca821c9/20261128T172004504084Z-ca18a380',87,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:20:04.504084',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(89,12,'87052d172fe0aee54c3e57e54dd9ae6d399f9471','7e5e854934d3e081109e8d22a15d7402a80b9606','397d752d09e82e2fca5692b17d938db6e29296e8','refs/checkpoints/564cbf8b0ca821c9/20261128T172004632330Z-d889a9e9',88,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:20:04.632330',0,3,2,8192,8192,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(90,12,'c7ff667d29ad7b04b8a57674779b405c93a0ccf1','90cc9d101dc8138b973f39991023e214550aee58','6bc42a51486a39d88ffbb867bcffb04db438443a','refs/checkpoints/564cbf8b0ca821c9/20261128T172004742729Z-5539a7b5',89,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:20:04.742729',0,4,3,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(91,12,'e07babaa984b51c1d803c0770bcc42c0b4ea276a','2714a68a6ca3b39df5aa57b31570dafa59be829d','e33501787b7e41beda9bf5fc63f42ad8dd1d485a','refs/checkpoints/564cbf8b0ca821c9/20261128T172004885960Z-b287a85e',90,'safety','pre-rollback snapshot (restoring to c68672e9)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:04.885960',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(92,12,'f29c34e6053abfe8fe28fde4827aeeaf6cf8cb42','92bbfbd4374038a4dfc8e45cfa5f12fd3a60b4a9','3c16287570d21e187a9be6ce9558d3cdae75c033','refs/checkpoints/564cbf8b0ca821c9/20261128T172005072344Z-94b4bb41',91,'manual','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:05.072344',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(93,13,'04c5e95d259961fa2f97082625de47bc09f92345','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006124058Z-f34ee564',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:06.124058',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(94,13,'3d1543bc18c577120bedf8233e12cb3c2fcd3457','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006215398Z-73ebf581',93,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:20:06.215398',0,1,0,4096,0,0,0,0,0,0,0,0,'pruned','2026-11-28 17:20:07.047193','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(95,13,'362a6c1a28760bc743fae273537de4c6fa9c1249','df078d5fb7ac6c2adec8ba23b9010c8a00de9564','d9df78c56dc301c2a15857b5100590e1d427a116','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006363014Z-ba3b9e87',94,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:06.363014',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(96,13,'c3a6a02a95e4104d9762a3368ead67cc74ca7d77','8118478be13cb63d826bff4cc1ad09fd88df8204','5155042ee73448b0a07bcc87253e565122efc64f','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006538092Z-16f91170',95,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:20:06.538092',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(97,13,'20fb74dab9c85f181ab50687c8a7ac01fdd6356a','c58119e89d62c46865f221323fe0143c71ef3421','4d9ce7a92c16ccd574a36b8b83c89389ddc193ac','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006604185Z-92d081ff',96,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:06.604185',0,3,2,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(98,13,'528a0eaf35039a6559cafb77a9e8c605dc518654','871ee005c9690229aea42509fd04f57935371079','b03e74d55bb6aad70aa21ae869eb60550679c98e','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006760623Z-deb084fe',97,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:06.760623',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(99,13,'fb64fbf603dcb3b36094ca2f94e685c8b74a830a','05733e657a8f228ff9a36da0026cff7db94115f0','b342f89da538ca3e38df5d5c18b59555d3e2b713','refs/checkpoints/ad78a8ee9db13b0b/20261128T172006859330Z-de285bae',98,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:20:06.859330',0,3,2,8192,0,0,0,1,1,0,0,0,'pruned','2026-11-28 17:20:07.221888','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(100,13,'10ee5b9b9eb35a4ec25df456c044e6e0c1cd71b8','05733e657a8f228ff9a36da0026cff7db94115f0','b342f89da538ca3e38df5d5c18b59555d3e2b713','refs/checkpoints/ad78a8ee9db13b0b/20261128T172007342378Z-79330d77',98,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:07.342378',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(101,14,'8b959566451680939890a36ab43ac5b748f11dd7','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/56c21f28db7b9217/20261128T172008292529Z-26757da4',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:08.292529',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(102,14,'d7b7cb6fcd046dbec5621746de5f44cd9b77a5ee','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/56c21f28db7b9217/20261128T172008387732Z-f618a93d',101,'imported','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:20:08.387732',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(103,14,'1d190697fe6e0daae5f45854e06440f7b2384e82','3b456247105b0ffb2dda4229bc48675abb9fc9ad','b512faff2e6f0ebaf500db3e1c74399827a1f219','refs/checkpoints/56c21f28db7b9217/20261128T172008482300Z-a5871c54',102,'imported','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:08.482300',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(104,14,'87515e46d8bf4eb95f57704891f634d4ea466630','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/56c21f28db7b9217/20261128T172008656966Z-b1e5e82a',103,'auto','manual',NULL,0,'s2',5,NULL,'2026-11-28 17:20:08.656966',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(105,14,'860988eda280f01920f7e0d41e57c1698d4809c6','df078d5fb7ac6c2adec8ba23b9010c8a00de9564','5ce181586247dbd655e5e65e0590c34d3d0c006b','refs/checkpoints/56c21f28db7b9217/20261128T172008755036Z-5cf7f2a1',104,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:20:08.755036',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(106,14,'ef9dc67cb1a1886bfbc379b62baf7dfe0f3b557a','8c9932fc0a3de96a1050931d573279f819eea1e6','f9ca88981730903e8bccb350a3bf792a7a4e4c91','refs/checkpoints/56c21f28db7b9217/20261128T172008858916Z-48a508ff',105,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:20:08.858916',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(107,14,'fdd89a3b5f3b25176c8c3498eaf8c66377d4f52b','bffa5cee10fe6180f319890a53faf8cb54ec001a','6deb36f9b46ad0c69dff6cf85e33a4feb4b860ed','refs/checkpoints/56c21f28db7b9217/20261128T172009068683Z-1295475a',106,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:09.068683',0,3,2,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(108,14,'214a9fb829688c049968329b68121a4bb00cfc53','3b456247105b0ffb2dda4229bc48675abb9fc9ad','2ddd96ef6c5c3b508949aa5a39dd563d678be768','refs/checkpoints/56c21f28db7b9217/20261128T172009206955Z-6d08ec7b',107,'safety','pre-rollback snapshot (restoring to 1d190697)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:09.206955',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(109,14,'4bdf1f0669e567eac18d8f1a1d3a2fabef3733eb','7cedacf67add275ff44780b382e122e4bc90eb9d','a479248a133f964b33b9d547269652df685749c6','refs/checkpoints/56c21f28db7b9217/20261128T172009412279Z-5e6681ec',108,'manual','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:09.412279',0,4,3,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(110,15,'c40a54b0166c6a42576434512b9da2d09bf4f37b','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/33c8bb56a8ac643f/20261128T172010556430Z-464fb7ad',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:10.556430',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(111,15,'f0f3b8e282d69e0c27b29da3f0fd5aaa37a2a96f','7f9418b5bb13da864c68863d5b9c671723a5a1fc','e9590955a88803a2faa5e666c5ea185d6395585a','refs/checkpoints/33c8bb56a8ac643f/20261128T172010748882Z-f59774c7',110,'safety','pre-rollback snapshot (restoring to c40a54b0)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:10.748882',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(112,16,'9aed1bf9b179304c3b21ffc7fb66602484795c8b','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/971b689f3fb2ee02/20261128T172011633734Z-1c4a498e',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:11.633734',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(113,16,'a1bb688f3ff93e3de5ad89a3a10e69d645758b5b','3b456247105b0ffb2dda4229bc48675abb9fc9ad','01abfcd177cc1bcbac2936621519eae353f1c452','refs/checkpoints/971b689f3fb2ee02/20261128T172012040397Z-43db0a29',112,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:12.040397',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(114,16,'498b75d045a906eb28e06180bb53a9de5aeae3d8','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/971b689f3fb2ee02/20261128T172012255040Z-8d416d52',113,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:12.255040',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(115,16,'741960cee93ada42d81b11173e0bb321abfe7ae6','df078d5fb7ac6c2adec8ba23b9010c8a00de9564','fed1c811b1750c2379fa41a7528be7bb0e8ec935','refs/checkpoints/971b689f3fb2ee02/20261128T172012488867Z-9642ce1b',114,'auto','manual',NULL,0,'s2',4,NULL,'2026-11-28 17:20:12.488867',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(116,16,'272f3c8fa9b9da8a543a78c594789f53588ce908','41cfcba0e046df5a1b696043039996d08a674cad','d8b18cb35afacf43e90922673445bad64ddbeee8','refs/checkpoints/971b689f3fb2ee02/20261128T172012660135Z-5d0eea70',115,'auto','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:12.660135',0,3,2,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(117,17,'92186e126e1c62ffe8b9b5eed74c3bb8de92ffe7','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/d03043d71993da6e/20261128T172013224074Z-51efbfca',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:13.224074',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(118,17,'6230f65329c98b493db7b868549fdedd29cdf5ed','b4ab4a8102833d7d9725427c1eeb338350d66d7f','d79541be3dd294fe239d268ab68b9f120e1b6035','refs/checkpoints/d03043d71993da6e/20261128T172013343087Z-78dabde8',117,'safety','pre-rollback snapshot (restoring to 92186e12)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:13.343087',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(119,17,'a63179fc2e518312ec50528833338dbcacee1428','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/d03043d71993da6e/20261128T172013538951Z-c8b4d87f',118,'auto','manual',NULL,0,'s2',2,NULL,'2026-11-28 17:20:13.538951',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(120,17,'7bcc594cbf562ac36875e838a254c1773689da4c','df078d5fb7ac6c2adec8ba23b9010c8a00de9564','fed1c811b1750c2379fa41a7528be7bb0e8ec935','refs/checkpoints/d03043d71993da6e/20261128T172013671670Z-476aa1c8',119,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:20:13.671670',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(121,18,'673fd5e6c4da5b8fcf0b24e2f0043596b385b0b3','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/c0af8d45f8b2e303/20261128T172014348597Z-9b984cf9',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:14.348597',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(122,18,'dab1bda25347d3ee32e9bff288f297e357a4b854','871ee005c9690229aea42509fd04f57935371079','1ab8bbb989e46c420d6297121005d8becd4d2b7d','refs/checkpoints/c0af8d45f8b2e303/20261128T172014527158Z-e2b1848a',121,'safety','pre-rollback snapshot (restoring to 673fd5e6)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:14.527158',0,2,1,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(123,18,'577f4edfa7b26bfe54069ea7f43483ff9d6d8c91','df078d5fb7ac6c2adec8ba23b9010c8a00de9564','2b505fbcd2b8f04c03df71d7599951f9f2c67d4d','refs/checkpoints/c0af8d45f8b2e303/20261128T172014632605Z-a85117fa',122,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:20:14.632605',0,2,1,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(124,18,'a4e7fa4f9dd218ba40a1c6b0aaa2ebcf8bd0eb73','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/c0af8d45f8b2e303/20261128T172014867954Z-020dd39b',123,'auto','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:20:14.867954',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(125,18,'c126792bd44a2dfc213ccf4b7d71a53b86347ae2','b4ab4a8102833d7d9725427c1eeb338350d66d7f','9018c0e4baa2bf125f7f267fc73f48c986752d12','refs/checkpoints/c0af8d45f8b2e303/20261128T172014955202Z-64155246',124,'auto','manual',NULL,0,'s1',5,NULL,'2026-11-28 17:20:14.955202',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(126,19,'44b85ed9070a690bcbe69c92c78e58b147f967e4','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/fef090624b995313/20261128T172015667165Z-dc00b163',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:15.667165',0,1,0,8192,0,0,0,1,0,0,0,0,'pruned','2026-11-28 17:20:17.447736','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(127,19,'e6550e4448657ee3dc5fe5ff4f36f4afebbc041a','3b456247105b0ffb2dda4229bc48675abb9fc9ad','252caa601f9f12b62957ae6d66bce168f98a907a','refs/checkpoints/fef090624b995313/20261128T172015811748Z-f427bdf6',126,'imported','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:15.811748',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(128,19,'e7a71883fd569df58ebcbef8598c4424cf1082be','3788a09c74303115048ebb21bab3fb9df09a3708','e58732d38d062340e86b527621a8ab7bc32f0a93','refs/checkpoints/fef090624b995313/20261128T172015999681Z-69acc4ed',127,'imported','pre-rollback snapshot (restoring to e6550e44)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:15.999681',0,3,2,8192,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(129,19,'9309c69269dbb4ea31f273c9e89a257167a466d6','3b456247105b0ffb2dda4229bc48675abb9fc9ad','252caa601f9f12b62957ae6d66bce168f98a907a','refs/checkpoints/fef090624b995313/20261128T172016180074Z-e68c46b5',128,'imported','manual',NULL,0,'s1',6,NULL,'2026-11-28 17:20:16.180074',0,2,1,8192,8192,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(130,19,'e4746309731785cee9fb7f5c6b48da5c3bad995e','bc118bdedfd609264754ea187de9a1e19d8fa2dc','2e4e5fb0c9179cdbfada3dc7878f4b5de9ff48e6','refs/checkpoints/fef090624b995313/20261128T172016354172Z-c085e941',129,'safety','pre-rollback snapshot (restoring to e6550e44)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:16.354172',0,3,2,8192,0,0,0,1,1,0,0,0,'pruned','2026-11-28 17:20:17.211642','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(131,19,'7a8c4dd25b0e0d56fd335e9b2b3ef3d140a7e413','4785ceaecda4610e05d335e1f5ff4bbcedd6174a','e6fc02caf0b8a3daaca70913f6390715767a7db5','refs/checkpoints/fef090624b995313/20261128T172016638978Z-ef9686b0',130,'auto','manual',NULL,0,'s1',2,NULL,'2026-11-28 17:20:16.638978',0,4,3,12288,8192,0,0,3,3,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(132,19,'bc40c597c766265433dd3804c3e43baa014e89a6','4bb947279238eb9796d610ce2ae85f805c114451','aca59361f2a62e441b73ad5142727502571a1a62','refs/checkpoints/fef090624b995313/20261128T172016866535Z-7252ad43',131,'safety','pre-rollback snapshot (restoring to 44b85ed9)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:16.866535',0,4,3,12288,8192,0,0,2,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(133,20,'710cf9751d65ed434130c8ea633d7128db3c3c18','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/f1a983d663fbd999/20261128T172018235932Z-ac4baf7d',NULL,'manual','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:18.235932',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(134,20,'864f3a5368272a731fc3f9e1d99d4c62af231d14','bffa5cee10fe6180f319890a53faf8cb54ec001a','b193e975cea6dfb532e94f93f5730f467f27547c','refs/checkpoints/f1a983d663fbd999/20261128T172018384321Z-6ab5e920',133,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:18.384321',0,3,2,12288,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(135,20,'36a433818dae8deb2fb3bbcd83f1d87186435717','3315a9801917839dbed3f3657e9602d872e335a2','33b84b3c3fcf0d4fa7e8232540a79c6219c59301','refs/checkpoints/f1a983d663fbd999/20261128T172018486926Z-57af09a2',134,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:20:18.486926',0,4,3,8192,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(136,20,'8f8e25ab5ab4c283ba52a5c492eee0e7b5f3f33e','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','67e536d9b9c5dadc2b3b90d06c931bee45e2c59d','refs/checkpoints/f1a983d663fbd999/20261128T172018671062Z-9c1dec2b',135,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:18.671062',0,3,2,8192,4096,0,0,2,1,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(137,20,'d6a38e6a99b7c6d4bd0ac995ad7c2855084a53dd','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','ac8408f8ea5cf0ca70e4f41e09e41eb4bb9dbb30','refs/checkpoints/f1a983d663fbd999/20261128T172018758328Z-a00f1dfd',136,'auto','manual',NULL,0,'s1',8,NULL,'2026-11-28 17:20:18.758328',0,3,2,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(138,20,'252b4175d42a74c2555f71a7dc984c66d215c688','bcc16010f138a21846ca3e8dd69332392e397de7','724769a0a4a2a26c12f02f42432495e9485bd437','refs/checkpoints/f1a983d663fbd999/20261128T172018896812Z-8fd431be',137,'safety','pre-rollback snapshot (restoring to 864f3a53)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:18.896812',0,3,2,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(139,20,'33a2f1a39247f98d9da9491a42472041cb67f04d','bffa5cee10fe6180f319890a53faf8cb54ec001a','b193e975cea6dfb532e94f93f5730f467f27547c','refs/checkpoints/f1a983d663fbd999/20261128T172019085042Z-36ddc989',138,'safety','pre-rollback snapshot (restoring to 8f8e25ab)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:19.085042',0,3,2,12288,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(140,20,'66acfa236aebc3d3e1d93da6626f41b1df665552','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','67e536d9b9c5dadc2b3b90d06c931bee45e2c59d','refs/checkpoints/f1a983d663fbd999/20261128T172019257305Z-f045930e',139,'auto','manual',NULL,0,'s2',1,NULL,'2026-11-28 17:20:19.257305',0,3,2,8192,8192,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(141,21,'b77f9aed0d06a5d1605c7e8254bee9be335f358b','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/3f6a1726f9b94b25/20261128T172020180365Z-ef16a550',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:20.180365',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(142,21,'3d7626b2cc384b16b6478b4d43368b37c33a684c','a86752e1dc6aa948868e503e6a0e0969272a2d8e','280b3ac92746f18b799a5a0c13d891709f679275','refs/checkpoints/3f6a1726f9b94b25/20261128T172020320752Z-4fd726c9',141,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:20.320752',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(143,21,'f969943e2c005f45636cdef5cb8137466bf3f5ed','41cfcba0e046df5a1b696043039996d08a674cad','187e804f079e62e72e6e0afba401ea0533290564','refs/checkpoints/3f6a1726f9b94b25/20261128T172020421153Z-8c0dbd02',142,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:20:20.421153',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(144,21,'cba017b1494fa00466973c3bb7305de467c1b137','8c9932fc0a3de96a1050931d573279f819eea1e6','3f76700dda7d16e80668d6002cbaae2677645199','refs/checkpoints/3f6a1726f9b94b25/20261128T172020602565Z-a703cf75',143,'auto','manual',NULL,0,'s1',7,NULL,'2026-11-28 17:20:20.602565',0,3,2,8192,4096,0,0,2,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(145,21,'a28e2a9f0d596f104183bfe136ac87b97544f400','c949666d849237522a23305284613d124db8f267','3b1d2c27b896167d2c9e731d9f020df2d8a7f780','refs/checkpoints/3f6a1726f9b94b25/20261128T172020769053Z-bf319807',144,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:20.769053',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(146,21,'2860bdacd1eb5432e55d93c10c22076c70b4ed9f','8189b98c82e61a892f6244f16ecc64dcabeb99a0','966f4d2ca33011f4a488c32f96aefb8d3a1b2584','refs/checkpoints/3f6a1726f9b94b25/20261128T172020915083Z-9f558072',145,'auto','manual',NULL,0,'s1',3,NULL,'2026-11-28 17:20:20.915083',0,4,3,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(147,21,'244b15eadba8b98bd8d292c7346d9c0d0d3c31af','c44c3f235597cf2ea3bff35e8220c78f2888c937','c29c8de7344c87945aaa9c72d9a5f9bd495711f9','refs/checkpoints/3f6a1726f9b94b25/20261128T172021028363Z-9952f73a',146,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:21.028363',0,4,3,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(148,21,'af46162f1d90d7562819a55fe670e3fcdbe0120d','eda17ab3a54b96134c69348fadc4841c1ace6b86','8272b6ff056868445157f218c2dfee6a089815db','refs/checkpoints/3f6a1726f9b94b25/20261128T172021159322Z-b9123859',147,'safety','pre-rollback snapshot (restoring to 244b15ea)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:21.159322',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(149,21,'ac08b8d8e4135c211ad02c73f39b4ef8f99306de','c44c3f235597cf2ea3bff35e8220c78f2888c937','c29c8de7344c87945aaa9c72d9a5f9bd495711f9','refs/checkpoints/3f6a1726f9b94b25/20261128T172021336655Z-95e106de',148,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:21.336655',0,4,3,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(150,22,'838686838545ca5d5696522afd07a0bd955a747f','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/983f3e65d3e2bf72/20261128T172022167064Z-cf23bbc7',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:22.167064',0,1,0,8192,0,0,0,1,0,0,0,0,'pruned','2026-11-28 17:20:23.322484','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(151,22,'27dc6e4c18b8df312a3fac062fe667b1825a7552','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/983f3e65d3e2bf72/20261128T172022324799Z-995e0f23',150,'safety','pre-rollback snapshot (restoring to 83868683)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:22.324799',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(152,22,'1b0991729bfe9b3647011e0a82f623628d57eb78','b4ab4a8102833d7d9725427c1eeb338350d66d7f','7cee29e7847f9a19890ae4aa308948a98580ecf6','refs/checkpoints/983f3e65d3e2bf72/20261128T172022454584Z-554f540b',151,'safety','pre-rollback snapshot (restoring to 27dc6e4c)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:22.454584',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(153,22,'d27d1e8653998952d43510b17487f8e8451dffea','904e17589e76de2b7edfb270c387e5dae35380d5','a444b0a719927d96f921be07a182fe1571247f7d','refs/checkpoints/983f3e65d3e2bf72/20261128T172022551006Z-f74eccfd',152,'auto','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:20:22.551006',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(154,22,'eb4b0d44f1e1b11895db0bc30003bb1cd664d947','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/983f3e65d3e2bf72/20261128T172022675768Z-57270006',153,'auto','manual',NULL,0,'s2',6,NULL,'2026-11-28 17:20:22.675768',0,1,0,4096,0,0,0,0,0,0,0,0,'pruned','2026-11-28 17:20:23.116982','it was dropped by hand');
INSERT INTO "checkpoints" VALUES(155,22,'7401120e162175f79c855b02b8f6ca9f4f9fdb94','3b456247105b0ffb2dda4229bc48675abb9fc9ad','01abfcd177cc1bcbac2936621519eae353f1c452','refs/checkpoints/983f3e65d3e2bf72/20261128T172022770471Z-5ee31850',154,'manual','by hand',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:22.770471',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(156,22,'3a8e4a88083908d598ea31763cb68aeb604fefa5','904e17589e76de2b7edfb270c387e5dae35380d5','c988bc45919156892c8fca04021ac9a1d3c430ed','refs/checkpoints/983f3e65d3e2bf72/20261128T172023442996Z-9ac03d49',155,'auto','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:23.442996',0,1,0,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(157,23,'75a3d2449e57637b915ff170fc680254ca7de4cd','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/c37ed8e1312be6bb/20261128T172024099745Z-3767cdcb',NULL,'auto','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:24.099745',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(158,23,'b5b2ad024302a084c1ef78b07bc7f6a063f49de0','70d92597e0c897a9d609d7d4cbfb93d00b69e4c3','6a1556bf11cc071c1323568bbcfefc3e0ef229dc','refs/checkpoints/c37ed8e1312be6bb/20261128T172024305144Z-c7c1b217',157,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:24.305144',0,3,2,8192,0,0,0,2,2,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(159,23,'60df2d46668ec7782e9d8866594adc3724596a80','3788a09c74303115048ebb21bab3fb9df09a3708','085fc13cd3f3c998f856034ea9495ab3ec4ebf1e','refs/checkpoints/c37ed8e1312be6bb/20261128T172024399049Z-f9d45c78',158,'auto','manual',NULL,0,'s1',4,NULL,'2026-11-28 17:20:24.399049',0,3,2,8192,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(160,23,'d436b1f2f01c3d52b51f9d75ae1119ed9f731c8d','b4ab4a8102833d7d9725427c1eeb338350d66d7f','a29d08c40208c57f676067f0b37ef01483a8a53c','refs/checkpoints/c37ed8e1312be6bb/20261128T172024501590Z-1683297f',159,'auto','manual',NULL,0,'s1',1,NULL,'2026-11-28 17:20:24.501590',0,2,1,8192,4096,0,0,1,0,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(161,23,'8d87de9e9790ad256f0dcb6cb57acce53a8c3665','bffa5cee10fe6180f319890a53faf8cb54ec001a','6deb36f9b46ad0c69dff6cf85e33a4feb4b860ed','refs/checkpoints/c37ed8e1312be6bb/20261128T172024567109Z-2e008956',160,'safety','pre-rollback snapshot (restoring to 60df2d46)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:24.567109',0,3,2,12288,4096,0,0,2,2,1,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(162,23,'b323d5bd3089b68ffa4be4e62593d0c562d7ab0b','3788a09c74303115048ebb21bab3fb9df09a3708','085fc13cd3f3c998f856034ea9495ab3ec4ebf1e','refs/checkpoints/c37ed8e1312be6bb/20261128T172024721660Z-aa773df4',161,'safety','pre-undo checkpoint (going back to 8d87de9e)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:24.721660',0,3,2,8192,8192,0,0,3,2,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(163,23,'9c73b400436260e9631f888490a28e321a6d2e1c','af4add57ba66d523d373e143703ad75a6a6a8cdd','f3bada90001fc53cd3385f709eec15dcda6eeb2e','refs/checkpoints/c37ed8e1312be6bb/20261128T172024930127Z-f472768b',162,'auto','manual',NULL,0,'s2',3,NULL,'2026-11-28 17:20:24.930127',0,4,3,12288,8192,0,0,3,3,2,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(164,24,'94d795f453a24b8820f479d0564069019121c517','904e17589e76de2b7edfb270c387e5dae35380d5','b0492c43531a482d399401e36f7234eceb8f6ec7','refs/checkpoints/8908c2c514a4abc0/20261128T172025819262Z-4029c281',NULL,'imported','first',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:25.819262',0,1,0,8192,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(165,24,'cd9470900b98668014b022ecc96230f1529be811','904e17589e76de2b7edfb270c387e5dae35380d5','c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','refs/checkpoints/8908c2c514a4abc0/20261128T172025882231Z-873d478e',164,'imported','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:25.882231',0,1,0,4096,0,0,0,0,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(166,24,'91caef5660d7ee1c26a8359218d3399d69efb263','3b456247105b0ffb2dda4229bc48675abb9fc9ad','252caa601f9f12b62957ae6d66bce168f98a907a','refs/checkpoints/8908c2c514a4abc0/20261128T172026041721Z-849eea17',165,'imported','manual',NULL,0,'s2',7,NULL,'2026-11-28 17:20:26.041721',0,2,1,8192,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(167,24,'5cf3e490a88f3909de284c9141f2f6e4e7c4effd','173c45e2286973338d91751f38406e3e0891c321','93a600fcc57441fbb93a5184dd9102c17c280b6d','refs/checkpoints/8908c2c514a4abc0/20261128T172026237089Z-b4055ff3',166,'safety','pre-rollback snapshot (restoring to 94d795f4)',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:26.237089',0,3,2,12288,0,0,0,1,1,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(168,24,'129680720611047ebd9e267254863b4085ea0c2f','fb841f8954a6f4504a92c047af6817f8c21aee82','7fc6b8aa68ffec9932c2afeac96028ae32f177fc','refs/checkpoints/8908c2c514a4abc0/20261128T172026418145Z-a4010bcc',167,'manual','by hand',NULL,0,'s1',NULL,NULL,'2026-11-28 17:20:26.418145',0,3,2,12288,0,0,0,1,0,0,0,0,'live',NULL,NULL);
INSERT INTO "checkpoints" VALUES(169,24,'83249b1437071fba9ea77f9f21014799ec4b28e2','473464af5e0aafc58bd93ccb4ee977de75ceeda6','f9ac35069bcc81a59dd7247f80c3148d773d5118','refs/checkpoints/8908c2c514a4abc0/20261128T172026510288Z-1d69174d',168,'auto','the last',NULL,0,NULL,NULL,NULL,'2026-11-28 17:20:26.510288',0,3,2,12288,4096,0,0,1,1,1,0,0,'live',NULL,NULL);
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
INSERT INTO "projects" VALUES(1,'fc67a13d02bca26b','/srv/1','2026-11-28 17:19:33.758946','2026-11-28 17:19:37.898551','live',NULL,'2026-11-28 17:19:37.835308',NULL,'27','23000468','27','23000156',0);
INSERT INTO "projects" VALUES(2,'eb7ff3732124e3bb','/srv/2','2026-11-28 17:19:40.118956','2026-11-28 17:19:43.536727','live',NULL,'2026-11-28 17:19:43.536727',NULL,'27','23001997','27','23000156',0);
INSERT INTO "projects" VALUES(3,'894dc3dee3977527','/srv/3','2026-11-28 17:19:44.983205','2026-11-28 17:19:48.051349','live',NULL,'2026-11-28 17:19:48.019324',NULL,'27','23003737','27','23000156',0);
INSERT INTO "projects" VALUES(4,'649a2f74c26eed56','/srv/4','2026-11-28 17:19:50.671217','2026-11-28 17:19:52.662724','live',NULL,'2026-11-28 17:19:52.662724',NULL,'27','23005886','27','23000156',0);
INSERT INTO "projects" VALUES(5,'0bcad879a679a0c0','/srv/5','2026-11-28 17:19:53.402254','2026-11-28 17:19:54.182813','live',NULL,'2026-11-28 17:19:54.182813',NULL,'27','23007812','27','23000156',0);
INSERT INTO "projects" VALUES(6,'4a8d35557c974e75','/srv/6','2026-11-28 17:19:54.786868','2026-11-28 17:19:55.232151','live',NULL,'2026-11-28 17:19:55.232151',NULL,'27','23009137','27','23000156',0);
INSERT INTO "projects" VALUES(7,'db2be07016be9bca','/srv/7','2026-11-28 17:19:55.375984','2026-11-28 17:19:55.766867','live',NULL,'2026-11-28 17:19:55.754906',NULL,'27','23009633','27','23000156',0);
INSERT INTO "projects" VALUES(8,'48c31050ea8b44c5','/srv/8','2026-11-28 17:19:56.230160','2026-11-28 17:19:57.351853','live',NULL,'2026-11-28 17:19:57.351853',NULL,'27','23010262','27','23000156',0);
INSERT INTO "projects" VALUES(9,'a2b2eaae665c22bf','/srv/9','2026-11-28 17:19:58.448145','2026-11-28 17:19:58.828584','live',NULL,'2026-11-28 17:19:58.797037',NULL,'27','23012466','27','23000156',0);
INSERT INTO "projects" VALUES(10,'fcab651c656da816','/srv/10','2026-11-28 17:19:59.404419','2026-11-28 17:20:00.910510','live',NULL,'2026-11-28 17:20:00.855980',NULL,'27','23013378','27','23000156',0);
INSERT INTO "projects" VALUES(11,'214faf269c66f996','/srv/11','2026-11-28 17:20:01.782587','2026-11-28 17:20:03.001479','live',NULL,'2026-11-28 17:20:03.001479',NULL,'27','23015820','27','23000156',0);
INSERT INTO "projects" VALUES(12,'564cbf8b0ca821c9','/srv/12','2026-11-28 17:20:04.034865','2026-11-28 17:20:05.107562','live',NULL,'2026-11-28 17:20:05.072344',NULL,'27','23017826','27','23000156',0);
INSERT INTO "projects" VALUES(13,'ad78a8ee9db13b0b','/srv/13','2026-11-28 17:20:06.124058','2026-11-28 17:20:07.361625','live',NULL,'2026-11-28 17:20:07.342378',NULL,'27','23019945','27','23000156',0);
INSERT INTO "projects" VALUES(14,'56c21f28db7b9217','/srv/14','2026-11-28 17:20:08.292529','2026-11-28 17:20:09.431487','live',NULL,'2026-11-28 17:20:09.412279',NULL,'27','23022174','27','23000156',0);
INSERT INTO "projects" VALUES(15,'33c8bb56a8ac643f','/srv/15','2026-11-28 17:20:10.556430','2026-11-28 17:20:11.259473','live',NULL,'2026-11-28 17:20:11.259473',NULL,'27','23024246','27','23000156',0);
INSERT INTO "projects" VALUES(16,'971b689f3fb2ee02','/srv/16','2026-11-28 17:20:11.633734','2026-11-28 17:20:12.688843','live',NULL,'2026-11-28 17:20:12.660135',NULL,'27','23025438','27','23000156',0);
INSERT INTO "projects" VALUES(17,'d03043d71993da6e','/srv/17','2026-11-28 17:20:13.224074','2026-11-28 17:20:13.739910','live',NULL,'2026-11-28 17:20:13.739910',NULL,'27','23027107','27','23000156',0);
INSERT INTO "projects" VALUES(18,'c0af8d45f8b2e303','/srv/18','2026-11-28 17:20:14.348597','2026-11-28 17:20:15.025210','live',NULL,'2026-11-28 17:20:15.025210',NULL,'27','23028323','27','23000156',0);
INSERT INTO "projects" VALUES(19,'fef090624b995313','/srv/19','2026-11-28 17:20:15.667165','2026-11-28 17:20:17.568454','live',NULL,'2026-11-28 17:20:17.568454',NULL,'27','23029228','27','23000156',0);
INSERT INTO "projects" VALUES(20,'f1a983d663fbd999','/srv/20','2026-11-28 17:20:18.235932','2026-11-28 17:20:19.380287','live',NULL,'2026-11-28 17:20:19.380287',NULL,'27','23031238','27','23000156',0);
INSERT INTO "projects" VALUES(21,'3f6a1726f9b94b25','/srv/21','2026-11-28 17:20:20.180365','2026-11-28 17:20:21.366608','live',NULL,'2026-11-28 17:20:21.336655',NULL,'27','23032929','27','23000156',0);
INSERT INTO "projects" VALUES(22,'983f3e65d3e2bf72','/srv/22','2026-11-28 17:20:22.167064','2026-11-28 17:20:23.472205','live',NULL,'2026-11-28 17:20:23.442996',NULL,'27','23034720','27','23000156',0);
INSERT INTO "projects" VALUES(23,'c37ed8e1312be6bb','/srv/23','2026-11-28 17:20:24.099745','2026-11-28 17:20:24.962393','live',NULL,'2026-11-28 17:20:24.930127',NULL,'27','23036420','27','23000156',0);
INSERT INTO "projects" VALUES(24,'8908c2c514a4abc0','/srv/24','2026-11-28 17:20:25.819262','2026-11-28 17:20:26.535320','live',NULL,'2026-11-28 17:20:26.510288',NULL,'27','23038483','27','23000156',0);
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
INSERT INTO "restore_paths" VALUES(1,0,'a.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(2,0,'a.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(3,0,'a.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(3,1,'b.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(4,0,'a.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(4,1,'b.txt','write','changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(5,0,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(5,1,'d1','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(6,0,'a.txt','delete','created since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(6,1,'d1','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(7,0,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(8,0,'a.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,0,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,1,'b.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,2,'sub/c.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(9,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(10,0,'a.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(10,1,'b.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(11,0,'b.txt','delete','agent created (late)','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(11,1,'sub/c.txt','delete','agent created (write_file)','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(11,2,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(12,0,'sub','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(12,1,'b.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(12,2,'sub/c.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(13,0,'a.txt','delete','agent created (write_file)','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(13,1,'b.txt','delete','shell created','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(13,2,'sub/c.txt','delete','shell created','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(13,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(14,0,'a.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(14,1,'b.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,0,'a.txt','write','missing now','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,1,'b.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(15,2,'sub/c.txt','write','changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,0,'b.txt','write','shell changed','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(16,1,'sub/c.txt','write','shell changed','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(17,0,'sub/c.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,0,'a.txt','write','agent changed (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(18,1,'sub/c.txt','keep','you changed it after the agent','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'kept',NULL);
INSERT INTO "restore_paths" VALUES(19,0,'sub/c.txt','write','shell changed','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(19,1,'b.txt','delete','shell created','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(20,0,'b.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(21,0,'b.txt','delete','agent created (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(22,0,'b.txt','delete','created since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(23,0,'sub/c.txt','delete','created since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(23,1,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(24,0,'sub/c.txt','delete','agent created (late)','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(24,1,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(25,0,'b.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(26,0,'a.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(26,1,'b.txt','write','changed since','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(27,0,'b.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(27,1,'sub/c.txt','chmod','permissions changed since','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(27,2,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(28,0,'a.txt','write','shell deleted','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(28,1,'b.txt','write','changed by a restore','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(28,2,'sub/c.txt','delete','created by a restore','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(29,0,'a.txt','write','agent deleted (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(29,1,'b.txt','keep','you changed it after the agent','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33261,'kept',NULL);
INSERT INTO "restore_paths" VALUES(30,0,'a.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(31,0,'b.txt','delete','agent created (late)','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(32,0,'d2','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(33,0,'d2','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(33,1,'b.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(34,0,'a.txt','write','agent deleted (write_file)','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(34,1,'b.txt','write','shell changed','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(34,2,'sub/c.txt','delete','shell created','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(34,3,'sub','delete','created since',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(35,0,'sub','mkdir','missing now',NULL,16877,'done',NULL);
INSERT INTO "restore_paths" VALUES(35,1,'b.txt','write','changed since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(35,2,'sub/c.txt','write','missing now','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,'done',NULL);
INSERT INTO "restore_paths" VALUES(35,3,'a.txt','delete','created since','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,'done',NULL);
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
INSERT INTO "restores" VALUES(1,1,6,'restore','done','exact',1,3,4,NULL,2,'2026-11-28 17:19:34.273921','2026-11-28 17:19:34.304918');
INSERT INTO "restores" VALUES(2,1,8,'undo','done','exact',1,4,5,1,NULL,'2026-11-28 17:19:34.561918','2026-11-28 17:19:34.577935');
INSERT INTO "restores" VALUES(3,1,11,'restore','done','overlay',1,3,7,NULL,4,'2026-11-28 17:19:34.879838','2026-11-28 17:19:34.939509');
INSERT INTO "restores" VALUES(4,1,13,'undo','done','exact',1,7,8,3,NULL,'2026-11-28 17:19:35.305918','2026-11-28 17:19:35.345038');
INSERT INTO "restores" VALUES(5,1,19,'restore','done','exact',1,1,11,NULL,NULL,'2026-11-28 17:19:36.214192','2026-11-28 17:19:36.257924');
INSERT INTO "restores" VALUES(6,2,39,'restore','done','exact',1,15,17,NULL,NULL,'2026-11-28 17:19:42.249606','2026-11-28 17:19:42.309967');
INSERT INTO "restores" VALUES(7,3,51,'restore','done','exact',1,23,24,NULL,8,'2026-11-28 17:19:45.562202','2026-11-28 17:19:45.589935');
INSERT INTO "restores" VALUES(8,3,53,'undo','done','exact',1,24,25,7,NULL,'2026-11-28 17:19:46.001915','2026-11-28 17:19:46.077925');
INSERT INTO "restores" VALUES(9,3,57,'restore','done','exact',1,23,28,NULL,NULL,'2026-11-28 17:19:46.933608','2026-11-28 17:19:46.966969');
INSERT INTO "restores" VALUES(10,3,61,'restore','done','exact',1,23,31,NULL,NULL,'2026-11-28 17:19:47.872484','2026-11-28 17:19:47.909374');
INSERT INTO "restores" VALUES(11,4,68,'restore','done','keep-edits',1,33,35,NULL,12,'2026-11-28 17:19:51.191990','2026-11-28 17:19:51.213758');
INSERT INTO "restores" VALUES(12,4,70,'undo','done','exact',1,35,36,11,NULL,'2026-11-28 17:19:51.480054','2026-11-28 17:19:51.511209');
INSERT INTO "restores" VALUES(13,8,119,'restore','done','keep-edits',1,53,56,NULL,NULL,'2026-11-28 17:19:56.692145','2026-11-28 17:19:56.696394');
INSERT INTO "restores" VALUES(14,8,122,'restore','done','exact',1,53,58,NULL,NULL,'2026-11-28 17:19:56.892079','2026-11-28 17:19:56.900235');
INSERT INTO "restores" VALUES(15,10,142,'restore','done','overlay',1,71,73,NULL,NULL,'2026-11-28 17:20:00.199527','2026-11-28 17:20:00.221881');
INSERT INTO "restores" VALUES(16,10,145,'restore','done','keep-edits',1,74,75,NULL,NULL,'2026-11-28 17:20:00.470182','2026-11-28 17:20:00.493926');
INSERT INTO "restores" VALUES(17,11,161,'restore','done','overlay',1,82,83,NULL,NULL,'2026-11-28 17:20:02.861864','2026-11-28 17:20:02.880014');
INSERT INTO "restores" VALUES(18,12,172,'restore','done','keep-edits',1,87,91,NULL,NULL,'2026-11-28 17:20:04.992256','2026-11-28 17:20:05.009413');
INSERT INTO "restores" VALUES(19,13,184,'restore','done','keep-edits',1,95,97,NULL,NULL,'2026-11-28 17:20:06.705595','2026-11-28 17:20:06.715867');
INSERT INTO "restores" VALUES(20,14,196,'restore','done','exact',1,102,103,NULL,NULL,'2026-11-28 17:20:08.619140','2026-11-28 17:20:08.628743');
INSERT INTO "restores" VALUES(21,16,227,'restore','done','keep-edits',1,112,113,NULL,NULL,'2026-11-28 17:20:12.177870','2026-11-28 17:20:12.186948');
INSERT INTO "restores" VALUES(22,17,237,'restore','done','exact',1,117,118,NULL,NULL,'2026-11-28 17:20:13.457580','2026-11-28 17:20:13.466314');
INSERT INTO "restores" VALUES(23,18,244,'restore','done','exact',1,121,122,NULL,NULL,'2026-11-28 17:20:14.576809','2026-11-28 17:20:14.585882');
INSERT INTO "restores" VALUES(24,18,247,'restore','done','keep-edits',1,121,123,NULL,NULL,'2026-11-28 17:20:14.806159','2026-11-28 17:20:14.821987');
INSERT INTO "restores" VALUES(25,19,255,'restore','done','overlay',1,127,128,NULL,NULL,'2026-11-28 17:20:16.102539','2026-11-28 17:20:16.111958');
INSERT INTO "restores" VALUES(26,19,260,'restore','done','overlay',1,128,130,NULL,NULL,'2026-11-28 17:20:16.575248','2026-11-28 17:20:16.593880');
INSERT INTO "restores" VALUES(27,20,279,'restore','done','exact',1,134,138,NULL,NULL,'2026-11-28 17:20:18.993881','2026-11-28 17:20:19.003158');
INSERT INTO "restores" VALUES(28,20,281,'restore','done','keep-edits',1,136,139,NULL,NULL,'2026-11-28 17:20:19.208475','2026-11-28 17:20:19.225845');
INSERT INTO "restores" VALUES(29,21,292,'restore','done','keep-edits',1,143,145,NULL,NULL,'2026-11-28 17:20:20.875145','2026-11-28 17:20:20.883374');
INSERT INTO "restores" VALUES(30,21,296,'restore','done','overlay',1,147,148,NULL,NULL,'2026-11-28 17:20:21.269426','2026-11-28 17:20:21.282155');
INSERT INTO "restores" VALUES(31,22,304,'restore','done','keep-edits',1,151,152,NULL,NULL,'2026-11-28 17:20:22.503629','2026-11-28 17:20:22.508193');
INSERT INTO "restores" VALUES(32,22,307,'restore','done','exact',1,150,153,NULL,33,'2026-11-28 17:20:22.636180','2026-11-28 17:20:22.645878');
INSERT INTO "restores" VALUES(33,22,311,'undo','done','exact',1,153,155,32,NULL,'2026-11-28 17:20:22.919679','2026-11-28 17:20:22.928310');
INSERT INTO "restores" VALUES(34,23,321,'restore','done','keep-edits',1,159,161,NULL,35,'2026-11-28 17:20:24.636884','2026-11-28 17:20:24.657997');
INSERT INTO "restores" VALUES(35,23,323,'undo','done','exact',1,161,162,34,NULL,'2026-11-28 17:20:24.837872','2026-11-28 17:20:24.857978');
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
INSERT INTO "settings" VALUES('max_snapshots','20','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('max_total_size_mb','500','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('retention_days','7','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('delete_orphans','true','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('orphan_grace_days','7','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('auto_prune','true','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('min_interval_hours','24','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_last','0','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_hourly','0','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_daily','0','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_weekly','0','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_monthly','0','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('keep_within','','2026-11-28 17:19:33.636933');
INSERT INTO "settings" VALUES('store_read_at','no store yet','2026-11-28 17:19:33.649669');
INSERT INTO "settings" VALUES('store_growth','2854912','2026-11-28 17:20:26.535320');
INSERT INTO "settings" VALUES('measured_store','{"bytes": 2101248, "growth": 2625536, "at": "2026-11-28T17:20:23.343419+00:00"}','2026-11-28 17:20:23.343419');
INSERT INTO "settings" VALUES('measured_archives','{}','2026-11-28 17:19:33.808540');
INSERT INTO "settings" VALUES('catalog_written_anew','507904','2026-11-28 17:20:23.368451');
CREATE TABLE "skipped_paths" (
	checkpoint_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	bytes BIGINT, 
	CONSTRAINT pk_skipped_paths PRIMARY KEY (checkpoint_id, path), 
	CONSTRAINT ck_skipped_paths_reason CHECK (reason IN ('oversize', 'unreadable', 'special', 'vanished', 'unsupported-name', 'ignored-by-rule')), 
	CONSTRAINT fk_skipped_paths_checkpoint_id_checkpoints FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id), CONSTRAINT ck_skipped_paths_bytes CHECK (bytes BETWEEN 0 AND 9223372036854775807));
ANALYZE "sqlite_master";
INSERT INTO "sqlite_stat1" VALUES('operations','ix_operations_outcome','313 157');
INSERT INTO "sqlite_stat1" VALUES('operations','ix_operations_kind_outcome_workdir_id','313 105 79 5 1');
INSERT INTO "sqlite_stat1" VALUES('restore_paths','sqlite_autoindex_restore_paths_1','63 2 1');
INSERT INTO "sqlite_stat1" VALUES('turn_changes','sqlite_autoindex_turn_changes_1','141 2 1');
INSERT INTO "sqlite_stat1" VALUES('settings','sqlite_autoindex_settings_1','18 1');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_state','33 33');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_operation_id','33 1');
INSERT INTO "sqlite_stat1" VALUES('restores','ix_restores_project_id_id','33 2 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_unshrunk','155 78 6 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_session_id_state_turn','110 55 28 5');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_state_project_id_id','155 78 6 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','ix_checkpoints_ref_name','155 1');
INSERT INTO "sqlite_stat1" VALUES('checkpoints','sqlite_autoindex_checkpoints_1','155 1');
INSERT INTO "sqlite_stat1" VALUES('alembic_version','sqlite_autoindex_alembic_version_1','1 1');
INSERT INTO "sqlite_stat1" VALUES('projects','ix_projects_last_touch','22 1');
INSERT INTO "sqlite_stat1" VALUES('projects','sqlite_autoindex_projects_2','22 1');
INSERT INTO "sqlite_stat1" VALUES('projects','sqlite_autoindex_projects_1','22 1');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_open','10 1');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_session_id_turn','212 71 12');
INSERT INTO "sqlite_stat1" VALUES('turns','ix_turns_project_id_start_checkpoint_id','212 10 2');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','ix_checkpoint_changes_path','191 48');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','ix_checkpoint_changes_new_blob','191 39');
INSERT INTO "sqlite_stat1" VALUES('checkpoint_changes','sqlite_autoindex_checkpoint_changes_1','191 2 1');
INSERT INTO "sqlite_stat1" VALUES('agent_writes','ix_agent_writes_project_id_written_at','120 6 1');
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
INSERT INTO "turn_changes" VALUES(2,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(3,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(4,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(5,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(6,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(7,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(8,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(8,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(9,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(9,'b.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(11,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(12,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(12,'b.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(14,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(17,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(19,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(21,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(27,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(31,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33261);
INSERT INTO "turn_changes" VALUES(32,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(39,'a.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(40,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(42,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(42,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(42,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(43,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(44,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(45,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(45,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(51,'b.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(51,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(53,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(54,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(55,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(63,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(63,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(64,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(65,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(68,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(82,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(88,'b.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(88,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(89,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(89,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(89,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(90,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(91,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(91,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(92,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(94,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(95,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(101,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261);
INSERT INTO "turn_changes" VALUES(102,'a.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261,NULL);
INSERT INTO "turn_changes" VALUES(103,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(103,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(105,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(107,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(107,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(108,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261);
INSERT INTO "turn_changes" VALUES(108,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(109,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(109,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33261);
INSERT INTO "turn_changes" VALUES(109,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(110,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(110,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(110,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(111,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(111,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(112,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(112,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(116,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(117,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(118,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(120,'a.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33261);
INSERT INTO "turn_changes" VALUES(120,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(124,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(125,'sub/c.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(127,'sub/c.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(129,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(129,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(130,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(130,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(131,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(131,'sub/c.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(132,'a.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(133,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(135,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(142,'b.txt','M','8c7e5a667f1b771847fe88c01c3de34413a1b220','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(142,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(145,'sub/c.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(145,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(146,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(148,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(153,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(154,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(155,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(156,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(157,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(168,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(174,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(176,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(179,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(181,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(183,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(184,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(185,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(187,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(192,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(193,'b.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(200,'a.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(202,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(202,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(206,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(206,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(209,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(211,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(211,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(212,'a.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(212,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(213,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(215,'a.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(215,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33261);
INSERT INTO "turn_changes" VALUES(216,'b.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(216,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(217,'a.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(217,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(217,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(222,'a.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(223,'sub/c.txt','A',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(224,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(224,'b.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(225,'b.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261);
INSERT INTO "turn_changes" VALUES(227,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(228,'sub/c.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','8c7e5a667f1b771847fe88c01c3de34413a1b220',33188,33188);
INSERT INTO "turn_changes" VALUES(229,'a.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',33188,33188);
INSERT INTO "turn_changes" VALUES(230,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(231,'b.txt','D','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33261,NULL);
INSERT INTO "turn_changes" VALUES(231,'sub/c.txt','D','8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(235,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(240,'b.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(245,'a.txt','D','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188,NULL);
INSERT INTO "turn_changes" VALUES(246,'b.txt','M','7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33188);
INSERT INTO "turn_changes" VALUES(246,'sub/c.txt','A',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(247,'a.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(247,'b.txt','M',NULL,'7371f47a6f8bd23a8fa1a8b2a9479cdd76380e54',NULL,33188);
INSERT INTO "turn_changes" VALUES(247,'sub/c.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(248,'b.txt','M',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(248,'sub/c.txt','M',NULL,'8c7e5a667f1b771847fe88c01c3de34413a1b220',NULL,33188);
INSERT INTO "turn_changes" VALUES(248,'a.txt','D',NULL,NULL,NULL,NULL);
INSERT INTO "turn_changes" VALUES(255,'sub/c.txt','A',NULL,'96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',NULL,33188);
INSERT INTO "turn_changes" VALUES(258,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c',33188,33261);
INSERT INTO "turn_changes" VALUES(259,'sub/c.txt','M','96d80cd6c4e7158dbebd0849f4fb7ce513e5828c','8c7e5a667f1b771847fe88c01c3de34413a1b220',33261,33261);
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
INSERT INTO "turns" VALUES(1,1,'s1',NULL,1,NULL,'next',NULL,'agent','2026-11-28 17:19:33.797217','2026-11-28 17:19:33.850442');
INSERT INTO "turns" VALUES(2,1,'s2',7,1,NULL,'next','s1','agent','2026-11-28 17:19:33.850442','2026-11-28 17:19:33.950178');
INSERT INTO "turns" VALUES(3,1,'s1',4,2,NULL,'next','s2','agent','2026-11-28 17:19:33.950178','2026-11-28 17:19:34.029720');
INSERT INTO "turns" VALUES(4,1,'s1',1,3,'e58732d38d062340e86b527621a8ab7bc32f0a93','host',NULL,'agent','2026-11-28 17:19:34.029720','2026-11-28 17:19:34.118189');
INSERT INTO "turns" VALUES(5,1,NULL,NULL,4,NULL,'host',NULL,'restore','2026-11-28 17:19:34.304918','2026-11-28 17:19:34.304918');
INSERT INTO "turns" VALUES(6,1,NULL,NULL,5,NULL,'host',NULL,'restore','2026-11-28 17:19:34.577935','2026-11-28 17:19:34.577935');
INSERT INTO "turns" VALUES(7,1,'s1',NULL,6,NULL,'next',NULL,'since','2026-11-28 17:19:34.696220','2026-11-28 17:19:34.818675');
INSERT INTO "turns" VALUES(8,1,NULL,NULL,7,NULL,'host',NULL,'restore','2026-11-28 17:19:34.939509','2026-11-28 17:19:34.939509');
INSERT INTO "turns" VALUES(9,1,NULL,NULL,8,NULL,'host',NULL,'restore','2026-11-28 17:19:35.345038','2026-11-28 17:19:35.345038');
INSERT INTO "turns" VALUES(10,1,'s1',NULL,9,NULL,'next',NULL,'since','2026-11-28 17:19:35.487275','2026-11-28 17:19:35.563784');
INSERT INTO "turns" VALUES(11,1,'s2',1,9,NULL,'next','s1','agent','2026-11-28 17:19:35.563784','2026-11-28 17:19:35.736050');
INSERT INTO "turns" VALUES(12,1,NULL,NULL,10,NULL,'next','s2','since','2026-11-28 17:19:35.736050','2026-11-28 17:19:35.945730');
INSERT INTO "turns" VALUES(13,1,'s1',7,11,'223618c8bb7f948e52665c1f6d85b5fd4bbc8301','host',NULL,'agent','2026-11-28 17:19:35.945730','2026-11-28 17:19:36.018527');
INSERT INTO "turns" VALUES(14,1,NULL,NULL,11,NULL,'host',NULL,'restore','2026-11-28 17:19:36.257924','2026-11-28 17:19:36.257924');
INSERT INTO "turns" VALUES(15,1,NULL,NULL,12,NULL,'next',NULL,'since','2026-11-28 17:19:36.445336','2026-11-28 17:19:36.521078');
INSERT INTO "turns" VALUES(16,1,'s2',1,12,'a444b0a719927d96f921be07a182fe1571247f7d','host',NULL,'agent','2026-11-28 17:19:36.521078','2026-11-28 17:19:36.662119');
INSERT INTO "turns" VALUES(17,1,'s2',3,13,'1900585c259851fd838c3530dff5eb5706f597e6','host',NULL,'agent','2026-11-28 17:19:37.903319','2026-11-28 17:19:38.039907');
INSERT INTO "turns" VALUES(18,2,'s1',NULL,14,NULL,'next',NULL,'agent','2026-11-28 17:19:40.167467','2026-11-28 17:19:40.246448');
INSERT INTO "turns" VALUES(19,2,'s2',4,14,'4d220c97025a4a329bd77c3430a0499b94ae7655','host','s1','agent','2026-11-28 17:19:40.246448','2026-11-28 17:19:40.422197');
INSERT INTO "turns" VALUES(20,2,'s2',3,15,'4d220c97025a4a329bd77c3430a0499b94ae7655','host',NULL,'agent','2026-11-28 17:19:40.601593','2026-11-28 17:19:40.698315');
INSERT INTO "turns" VALUES(21,2,'s2',8,15,NULL,'next',NULL,'agent','2026-11-28 17:19:40.775914','2026-11-28 17:19:40.972874');
INSERT INTO "turns" VALUES(22,2,NULL,NULL,16,NULL,'host',NULL,'restore','2026-11-28 17:19:41.125892','2026-11-28 17:19:41.125892');
INSERT INTO "turns" VALUES(23,2,'s2',7,16,'ba6dbe2afd36c41b8e23199ce6995675529ee583','host',NULL,'agent','2026-11-28 17:19:41.189473','2026-11-28 17:19:41.259050');
INSERT INTO "turns" VALUES(24,2,'s2',8,16,'9bd41a869f3a432a9c25b0645185e0e824f77da6','host',NULL,'agent','2026-11-28 17:19:41.335780','2026-11-28 17:19:41.502105');
INSERT INTO "turns" VALUES(25,2,NULL,NULL,17,NULL,'host',NULL,'restore','2026-11-28 17:19:41.938006','2026-11-28 17:19:41.938006');
INSERT INTO "turns" VALUES(26,2,'s2',5,17,NULL,'next',NULL,'agent','2026-11-28 17:19:42.017759','2026-11-28 17:19:42.084202');
INSERT INTO "turns" VALUES(27,2,NULL,NULL,17,NULL,'host',NULL,'restore','2026-11-28 17:19:42.309967','2026-11-28 17:19:42.309967');
INSERT INTO "turns" VALUES(28,2,'s2',8,18,'4d220c97025a4a329bd77c3430a0499b94ae7655','host',NULL,'agent','2026-11-28 17:19:42.465004','2026-11-28 17:19:42.548712');
INSERT INTO "turns" VALUES(29,2,'s2',8,18,NULL,'next',NULL,'agent','2026-11-28 17:19:42.607709','2026-11-28 17:19:42.695859');
INSERT INTO "turns" VALUES(30,2,'s2',2,19,'15f09c48c9642f84858abd38f1000136ee2f01fd','host',NULL,'agent','2026-11-28 17:19:42.695859','2026-11-28 17:19:42.791577');
INSERT INTO "turns" VALUES(31,2,'s1',3,20,NULL,'next',NULL,'agent','2026-11-28 17:19:42.985694','2026-11-28 17:19:43.160941');
INSERT INTO "turns" VALUES(32,2,'s1',7,21,'72788c04d13c642bcd2d02f5a4e9ea39bc02c423','host',NULL,'agent','2026-11-28 17:19:43.160941','2026-11-28 17:19:43.358125');
INSERT INTO "turns" VALUES(33,2,NULL,NULL,22,NULL,'next',NULL,'since','2026-11-28 17:19:43.535097','2026-11-28 17:19:43.585407');
INSERT INTO "turns" VALUES(34,2,NULL,NULL,22,NULL,NULL,NULL,'agent','2026-11-28 17:19:43.585407',NULL);
INSERT INTO "turns" VALUES(39,3,NULL,NULL,25,NULL,'host',NULL,'restore','2026-11-28 17:19:46.077925','2026-11-28 17:19:46.077925');
INSERT INTO "turns" VALUES(40,3,'s1',2,26,NULL,'next',NULL,'agent','2026-11-28 17:19:46.283442','2026-11-28 17:19:46.489128');
INSERT INTO "turns" VALUES(41,3,'s2',2,27,'42090de35c867b388e1fbb195d019184b74ab809','host','s1','agent','2026-11-28 17:19:46.489128','2026-11-28 17:19:46.626387');
INSERT INTO "turns" VALUES(42,3,NULL,NULL,28,NULL,'host',NULL,'restore','2026-11-28 17:19:46.966969','2026-11-28 17:19:46.966969');
INSERT INTO "turns" VALUES(43,3,'s1',NULL,29,NULL,'next',NULL,'since','2026-11-28 17:19:47.197360','2026-11-28 17:19:47.381394');
INSERT INTO "turns" VALUES(44,3,'s2',7,30,'67a051a26eb386b3d7e1131b502923013bee72a5','host','s1','agent','2026-11-28 17:19:47.381394','2026-11-28 17:19:47.574244');
INSERT INTO "turns" VALUES(45,3,NULL,NULL,31,NULL,'host',NULL,'restore','2026-11-28 17:19:47.909374','2026-11-28 17:19:47.909374');
INSERT INTO "turns" VALUES(46,3,'s2',3,32,'c8cd62b934718c0fcf98421b9ab6344fe91bb4bf','host',NULL,'agent','2026-11-28 17:19:48.062574','2026-11-28 17:19:48.187772');
INSERT INTO "turns" VALUES(51,4,NULL,NULL,36,NULL,'host',NULL,'restore','2026-11-28 17:19:51.511209','2026-11-28 17:19:51.511209');
INSERT INTO "turns" VALUES(52,4,'s2',4,37,'64c368e24605d91612b568656046b79c1930ac80','host',NULL,'agent','2026-11-28 17:19:51.601264','2026-11-28 17:19:51.671686');
INSERT INTO "turns" VALUES(53,4,'s2',5,37,NULL,'next',NULL,'agent','2026-11-28 17:19:51.719740','2026-11-28 17:19:51.858068');
INSERT INTO "turns" VALUES(54,4,'s2',8,38,'9eb7fab011fe986569c49165d5db5b6904815a19','host',NULL,'agent','2026-11-28 17:19:51.858068','2026-11-28 17:19:52.018227');
INSERT INTO "turns" VALUES(55,4,'s2',2,39,'878e4c262459d34801f15e280e060e00b61f45c9','host',NULL,'agent','2026-11-28 17:19:52.148351','2026-11-28 17:19:52.210069');
INSERT INTO "turns" VALUES(56,4,NULL,NULL,40,NULL,'host',NULL,'restore','2026-11-28 17:19:52.324118','2026-11-28 17:19:52.324118');
INSERT INTO "turns" VALUES(57,4,NULL,NULL,40,NULL,NULL,NULL,'agent','2026-11-28 17:19:52.707819',NULL);
INSERT INTO "turns" VALUES(58,5,'s1',NULL,41,NULL,'next',NULL,'agent','2026-11-28 17:19:53.428571','2026-11-28 17:19:53.489302');
INSERT INTO "turns" VALUES(59,5,'s1',2,42,'c988bc45919156892c8fca04021ac9a1d3c430ed','host',NULL,'agent','2026-11-28 17:19:53.489302','2026-11-28 17:19:53.530164');
INSERT INTO "turns" VALUES(60,5,NULL,NULL,43,NULL,'host',NULL,'restore','2026-11-28 17:19:53.608433','2026-11-28 17:19:53.608433');
INSERT INTO "turns" VALUES(61,5,NULL,NULL,43,NULL,'host',NULL,'restore','2026-11-28 17:19:53.695998','2026-11-28 17:19:53.695998');
INSERT INTO "turns" VALUES(62,5,NULL,NULL,44,'f0603ccd2fb8651a2e7e0c2ae1d57881c995b28a','host',NULL,'unknown','2026-11-28 17:19:53.797300','2026-11-28 17:19:53.818043');
INSERT INTO "turns" VALUES(63,5,'s1',5,44,'e6fc02caf0b8a3daaca70913f6390715767a7db5','host',NULL,'agent','2026-11-28 17:19:53.841001','2026-11-28 17:19:53.878494');
INSERT INTO "turns" VALUES(64,5,'s1',3,45,'699d8d29c26e58245e9ba47ba5a76d3839d16784','host',NULL,'agent','2026-11-28 17:19:53.930098','2026-11-28 17:19:53.956950');
INSERT INTO "turns" VALUES(65,5,'s2',1,46,'8d5751ddb56561c4c37279e1cd151843a9c4b46e','host',NULL,'agent','2026-11-28 17:19:53.989318','2026-11-28 17:19:54.042257');
INSERT INTO "turns" VALUES(66,5,NULL,NULL,47,NULL,'next',NULL,'since','2026-11-28 17:19:54.143451','2026-11-28 17:19:54.177090');
INSERT INTO "turns" VALUES(67,5,'s2',1,47,NULL,'next',NULL,'agent','2026-11-28 17:19:54.177090','2026-11-28 17:19:54.192585');
INSERT INTO "turns" VALUES(68,5,'s2',3,47,'8d5751ddb56561c4c37279e1cd151843a9c4b46e','host',NULL,'agent','2026-11-28 17:19:54.192585','2026-11-28 17:19:54.227834');
INSERT INTO "turns" VALUES(69,6,'s1',NULL,48,NULL,'next',NULL,'since','2026-11-28 17:19:54.806686','2026-11-28 17:19:54.823484');
INSERT INTO "turns" VALUES(70,6,'s1',6,48,NULL,'next',NULL,'agent','2026-11-28 17:19:54.823484','2026-11-28 17:19:54.841354');
INSERT INTO "turns" VALUES(71,6,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:19:54.898691','2026-11-28 17:19:54.898691');
INSERT INTO "turns" VALUES(72,6,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:19:54.967920','2026-11-28 17:19:54.967920');
INSERT INTO "turns" VALUES(73,6,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:19:55.014085','2026-11-28 17:19:55.014085');
INSERT INTO "turns" VALUES(74,6,'s2',6,48,'b0492c43531a482d399401e36f7234eceb8f6ec7','host',NULL,'agent','2026-11-28 17:19:55.027361','2026-11-28 17:19:55.039512');
INSERT INTO "turns" VALUES(75,6,'s1',NULL,48,NULL,'next',NULL,'since','2026-11-28 17:19:55.061026','2026-11-28 17:19:55.105525');
INSERT INTO "turns" VALUES(76,6,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:19:55.145584','2026-11-28 17:19:55.145584');
INSERT INTO "turns" VALUES(77,6,NULL,NULL,48,NULL,'host',NULL,'restore','2026-11-28 17:19:55.229993','2026-11-28 17:19:55.229993');
INSERT INTO "turns" VALUES(78,6,'s1',NULL,48,NULL,NULL,NULL,'since','2026-11-28 17:19:55.261011',NULL);
INSERT INTO "turns" VALUES(79,7,'s1',NULL,49,NULL,'next',NULL,'since','2026-11-28 17:19:55.390557','2026-11-28 17:19:55.397440');
INSERT INTO "turns" VALUES(80,7,'s2',5,49,'b0492c43531a482d399401e36f7234eceb8f6ec7','host','s1','agent','2026-11-28 17:19:55.397440','2026-11-28 17:19:55.409447');
INSERT INTO "turns" VALUES(81,7,'s2',8,50,'b512faff2e6f0ebaf500db3e1c74399827a1f219','host',NULL,'agent','2026-11-28 17:19:55.488262','2026-11-28 17:19:55.547546');
INSERT INTO "turns" VALUES(82,7,'s2',3,51,'9d2cbfd8acd941367c0d77fdd460dc592e38322d','host',NULL,'agent','2026-11-28 17:19:55.611661','2026-11-28 17:19:55.701395');
INSERT INTO "turns" VALUES(83,7,'s2',3,52,'9d2cbfd8acd941367c0d77fdd460dc592e38322d','host',NULL,'agent','2026-11-28 17:19:55.770839','2026-11-28 17:19:55.791563');
INSERT INTO "turns" VALUES(88,8,'s1',5,55,NULL,'next',NULL,'agent','2026-11-28 17:19:56.553685','2026-11-28 17:19:56.633685');
INSERT INTO "turns" VALUES(89,8,NULL,NULL,56,NULL,'host',NULL,'restore','2026-11-28 17:19:56.696394','2026-11-28 17:19:56.696394');
INSERT INTO "turns" VALUES(90,8,'s2',1,57,NULL,'next',NULL,'agent','2026-11-28 17:19:56.769670','2026-11-28 17:19:56.856502');
INSERT INTO "turns" VALUES(91,8,NULL,NULL,58,NULL,'host',NULL,'restore','2026-11-28 17:19:56.900235','2026-11-28 17:19:56.900235');
INSERT INTO "turns" VALUES(92,8,'s1',3,59,'0634f5bdf4f503604ef5c8c49ade62773d0746aa','host',NULL,'agent','2026-11-28 17:19:56.987968','2026-11-28 17:19:57.012880');
INSERT INTO "turns" VALUES(93,8,'s2',8,60,'0634f5bdf4f503604ef5c8c49ade62773d0746aa','host',NULL,'agent','2026-11-28 17:19:57.041193','2026-11-28 17:19:57.077028');
INSERT INTO "turns" VALUES(94,8,'s2',7,60,'d483a694619f28a8f8bb146921e0eef11f6886ce','host',NULL,'agent','2026-11-28 17:19:57.091458','2026-11-28 17:19:57.127372');
INSERT INTO "turns" VALUES(95,8,'s1',5,61,NULL,'next',NULL,'agent','2026-11-28 17:19:57.172623','2026-11-28 17:19:57.273368');
INSERT INTO "turns" VALUES(96,8,'s1',6,62,NULL,'next',NULL,'agent','2026-11-28 17:19:57.273368','2026-11-28 17:19:57.350369');
INSERT INTO "turns" VALUES(97,8,'s1',NULL,62,NULL,'next',NULL,'since','2026-11-28 17:19:57.350369','2026-11-28 17:19:57.375302');
INSERT INTO "turns" VALUES(98,8,'s1',NULL,62,NULL,NULL,NULL,'agent','2026-11-28 17:19:57.375302',NULL);
INSERT INTO "turns" VALUES(101,9,NULL,NULL,65,NULL,'next','s1','unknown','2026-11-28 17:19:58.677180','2026-11-28 17:19:58.748710');
INSERT INTO "turns" VALUES(102,9,'s1',4,66,NULL,'next','s2','agent','2026-11-28 17:19:58.748710','2026-11-28 17:19:58.835433');
INSERT INTO "turns" VALUES(103,9,'s2',3,67,'be6c7349308274bf2e4a52653080b2648016db76','host','s1','agent','2026-11-28 17:19:58.835433','2026-11-28 17:19:58.894001');
INSERT INTO "turns" VALUES(104,10,'s1',NULL,68,NULL,'next',NULL,'since','2026-11-28 17:19:59.423820','2026-11-28 17:19:59.518259');
INSERT INTO "turns" VALUES(105,10,'s2',2,69,'9018c0e4baa2bf125f7f267fc73f48c986752d12','host','s1','agent','2026-11-28 17:19:59.518259','2026-11-28 17:19:59.567542');
INSERT INTO "turns" VALUES(106,10,'s2',3,70,NULL,'next',NULL,'agent','2026-11-28 17:19:59.635002','2026-11-28 17:19:59.649901');
INSERT INTO "turns" VALUES(107,10,'s1',3,70,'50a2bcf22471962abafac12b28d276158ff493f3','host','s2','agent','2026-11-28 17:19:59.649901','2026-11-28 17:19:59.694272');
INSERT INTO "turns" VALUES(108,10,'s1',8,71,NULL,'next',NULL,'agent','2026-11-28 17:19:59.774508','2026-11-28 17:19:59.845708');
INSERT INTO "turns" VALUES(109,10,NULL,NULL,72,'23d0195c49aa3e9f674cea1db2149db083053375','host','s1','unknown','2026-11-28 17:19:59.845708','2026-11-28 17:19:59.909638');
INSERT INTO "turns" VALUES(110,10,NULL,NULL,73,NULL,'host',NULL,'restore','2026-11-28 17:20:00.221881','2026-11-28 17:20:00.221881');
INSERT INTO "turns" VALUES(111,10,'s1',3,74,NULL,'next',NULL,'agent','2026-11-28 17:20:00.315758','2026-11-28 17:20:00.404574');
INSERT INTO "turns" VALUES(112,10,NULL,NULL,75,NULL,'host',NULL,'restore','2026-11-28 17:20:00.493926','2026-11-28 17:20:00.493926');
INSERT INTO "turns" VALUES(113,10,NULL,NULL,76,NULL,NULL,NULL,'agent','2026-11-28 17:20:00.913143',NULL);
INSERT INTO "turns" VALUES(114,11,'s1',NULL,77,NULL,'next',NULL,'since','2026-11-28 17:20:01.809577','2026-11-28 17:20:01.927338');
INSERT INTO "turns" VALUES(115,11,'s1',NULL,78,NULL,'next',NULL,'since','2026-11-28 17:20:01.927338','2026-11-28 17:20:01.967687');
INSERT INTO "turns" VALUES(116,11,'s1',2,78,NULL,'next',NULL,'agent','2026-11-28 17:20:01.967687','2026-11-28 17:20:02.069442');
INSERT INTO "turns" VALUES(117,11,'s1',5,79,'9018c0e4baa2bf125f7f267fc73f48c986752d12','host',NULL,'agent','2026-11-28 17:20:02.069442','2026-11-28 17:20:02.139256');
INSERT INTO "turns" VALUES(118,11,'s1',8,80,'6a1556bf11cc071c1323568bbcfefc3e0ef229dc','host',NULL,'agent','2026-11-28 17:20:02.250121','2026-11-28 17:20:02.297706');
INSERT INTO "turns" VALUES(119,11,'s1',3,81,'6a1556bf11cc071c1323568bbcfefc3e0ef229dc','host',NULL,'agent','2026-11-28 17:20:02.370802','2026-11-28 17:20:02.401882');
INSERT INTO "turns" VALUES(120,11,'s1',8,81,'88616982c54ef0b25a13881b2c2dff3297a9ca34','host',NULL,'agent','2026-11-28 17:20:02.430683','2026-11-28 17:20:02.495439');
INSERT INTO "turns" VALUES(121,11,'s2',2,82,'88616982c54ef0b25a13881b2c2dff3297a9ca34','host',NULL,'agent','2026-11-28 17:20:02.561628','2026-11-28 17:20:02.599814');
INSERT INTO "turns" VALUES(122,11,'s1',2,82,NULL,'next',NULL,'agent','2026-11-28 17:20:02.626320','2026-11-28 17:20:02.653613');
INSERT INTO "turns" VALUES(123,11,'s1',3,82,NULL,'next',NULL,'agent','2026-11-28 17:20:02.653613','2026-11-28 17:20:02.684859');
INSERT INTO "turns" VALUES(124,11,'s2',2,82,NULL,'next','s1','agent','2026-11-28 17:20:02.684859','2026-11-28 17:20:02.794882');
INSERT INTO "turns" VALUES(125,11,NULL,NULL,83,NULL,'host',NULL,'restore','2026-11-28 17:20:02.880014','2026-11-28 17:20:02.880014');
INSERT INTO "turns" VALUES(126,11,NULL,NULL,84,NULL,'next',NULL,'since','2026-11-28 17:20:02.999547','2026-11-28 17:20:03.035619');
INSERT INTO "turns" VALUES(127,11,'s2',3,84,'8d2bcb942977aeb2c944f63221fe6859118c1e2d','host',NULL,'agent','2026-11-28 17:20:03.035619','2026-11-28 17:20:03.104376');
INSERT INTO "turns" VALUES(128,12,'s1',NULL,85,NULL,'next',NULL,'agent','2026-11-28 17:20:04.074671','2026-11-28 17:20:04.103252');
INSERT INTO "turns" VALUES(129,12,'s2',7,85,'d3304cebea6e80167a446cb675f2f986cc1c2294','host','s1','agent','2026-11-28 17:20:04.103252','2026-11-28 17:20:04.167255');
INSERT INTO "turns" VALUES(130,12,'s1',2,86,'c5255d8ecf483ad8c27d8a90be5ccaa4046cf829','host',NULL,'agent','2026-11-28 17:20:04.245325','2026-11-28 17:20:04.318028');
INSERT INTO "turns" VALUES(131,12,'s1',3,87,'c7bc6735837e0e641e67ffde2d8f2f668176324e','host',NULL,'agent','2026-11-28 17:20:04.419600','2026-11-28 17:20:04.471301');
INSERT INTO "turns" VALUES(132,12,'s2',4,88,'3e5f71b471148635bee79cc7476e1a0bd7c94477','host',NULL,'agent','2026-11-28 17:20:04.525478','2026-11-28 17:20:04.583468');
INSERT INTO "turns" VALUES(133,12,'s2',7,89,'8f41940e0b2b4ece7d8d3c6a3a6ea05720d79b2b','host',NULL,'agent','2026-11-28 17:20:04.653429','2026-11-28 17:20:04.707564');
INSERT INTO "turns" VALUES(134,12,'s1',6,90,'6bc42a51486a39d88ffbb867bcffb04db438443a','host',NULL,'agent','2026-11-28 17:20:04.765397','2026-11-28 17:20:04.822273');
INSERT INTO "turns" VALUES(135,12,NULL,NULL,91,NULL,'host',NULL,'restore','2026-11-28 17:20:05.009413','2026-11-28 17:20:05.009413');
INSERT INTO "turns" VALUES(136,12,NULL,NULL,92,NULL,NULL,NULL,'since','2026-11-28 17:20:05.135281',NULL);
INSERT INTO "turns" VALUES(142,13,'s1',4,96,NULL,'next',NULL,'agent','2026-11-28 17:20:06.569047','2026-11-28 17:20:06.617016');
INSERT INTO "turns" VALUES(143,13,'s1',NULL,97,NULL,'next',NULL,'since','2026-11-28 17:20:06.617016','2026-11-28 17:20:06.645926');
INSERT INTO "turns" VALUES(144,13,NULL,NULL,97,NULL,'next','s1','since','2026-11-28 17:20:06.645926','2026-11-28 17:20:06.667071');
INSERT INTO "turns" VALUES(145,13,NULL,NULL,97,NULL,'host',NULL,'restore','2026-11-28 17:20:06.715867','2026-11-28 17:20:06.715867');
INSERT INTO "turns" VALUES(146,13,'s1',NULL,98,NULL,'next',NULL,'since','2026-11-28 17:20:06.816220','2026-11-28 17:20:06.896912');
INSERT INTO "turns" VALUES(147,13,'s1',2,99,'b342f89da538ca3e38df5d5c18b59555d3e2b713','host',NULL,'agent','2026-11-28 17:20:06.896912','2026-11-28 17:20:06.923734');
INSERT INTO "turns" VALUES(148,13,'s2',3,100,'bde38cbfc64ab587a7999b5f76499282e7b4bce9','host',NULL,'agent','2026-11-28 17:20:07.364203','2026-11-28 17:20:07.447366');
INSERT INTO "turns" VALUES(151,14,NULL,NULL,103,NULL,'next',NULL,'unknown','2026-11-28 17:20:08.506166','2026-11-28 17:20:08.526145');
INSERT INTO "turns" VALUES(152,14,NULL,NULL,103,NULL,'host',NULL,'restore','2026-11-28 17:20:08.558745','2026-11-28 17:20:08.558745');
INSERT INTO "turns" VALUES(153,14,NULL,NULL,103,NULL,'host',NULL,'restore','2026-11-28 17:20:08.628743','2026-11-28 17:20:08.628743');
INSERT INTO "turns" VALUES(154,14,'s2',5,104,NULL,'next',NULL,'agent','2026-11-28 17:20:08.694800','2026-11-28 17:20:08.784263');
INSERT INTO "turns" VALUES(155,14,'s1',1,105,NULL,'next','s2','agent','2026-11-28 17:20:08.784263','2026-11-28 17:20:08.921011');
INSERT INTO "turns" VALUES(156,14,'s1',6,106,'6deb36f9b46ad0c69dff6cf85e33a4feb4b860ed','host',NULL,'agent','2026-11-28 17:20:08.921011','2026-11-28 17:20:09.011898');
INSERT INTO "turns" VALUES(157,14,'s1',3,107,'2ddd96ef6c5c3b508949aa5a39dd563d678be768','host',NULL,'agent','2026-11-28 17:20:09.105485','2026-11-28 17:20:09.177993');
INSERT INTO "turns" VALUES(158,14,NULL,NULL,108,NULL,'host',NULL,'restore','2026-11-28 17:20:09.312522','2026-11-28 17:20:09.312522');
INSERT INTO "turns" VALUES(159,14,'s2',6,108,'2ddd96ef6c5c3b508949aa5a39dd563d678be768','host',NULL,'agent','2026-11-28 17:20:09.334939','2026-11-28 17:20:09.366831');
INSERT INTO "turns" VALUES(160,14,NULL,NULL,109,NULL,NULL,NULL,'since','2026-11-28 17:20:09.442344',NULL);
INSERT INTO "turns" VALUES(161,15,'s1',NULL,110,NULL,'next',NULL,'agent','2026-11-28 17:20:10.601763','2026-11-28 17:20:10.616451');
INSERT INTO "turns" VALUES(162,15,NULL,NULL,110,NULL,'host',NULL,'restore','2026-11-28 17:20:10.650507','2026-11-28 17:20:10.650507');
INSERT INTO "turns" VALUES(163,15,'s1',5,110,'b0492c43531a482d399401e36f7234eceb8f6ec7','host',NULL,'agent','2026-11-28 17:20:10.668879','2026-11-28 17:20:10.684649');
INSERT INTO "turns" VALUES(164,15,NULL,NULL,111,NULL,'host',NULL,'unknown','2026-11-28 17:20:10.914851','2026-11-28 17:20:10.914851');
INSERT INTO "turns" VALUES(165,15,NULL,NULL,111,NULL,'host',NULL,'restore','2026-11-28 17:20:11.021863','2026-11-28 17:20:11.021863');
INSERT INTO "turns" VALUES(166,15,NULL,NULL,111,NULL,'host',NULL,'restore','2026-11-28 17:20:11.146792','2026-11-28 17:20:11.146792');
INSERT INTO "turns" VALUES(167,15,NULL,NULL,111,NULL,'host',NULL,'restore','2026-11-28 17:20:11.256957','2026-11-28 17:20:11.256957');
INSERT INTO "turns" VALUES(168,15,'s2',3,111,'ebf50fdadd917499878f68e2f6e8abaa4dce0242','host',NULL,'agent','2026-11-28 17:20:11.295171','2026-11-28 17:20:11.355609');
INSERT INTO "turns" VALUES(169,16,'s1',NULL,112,NULL,'next',NULL,'since','2026-11-28 17:20:11.685097','2026-11-28 17:20:11.721303');
INSERT INTO "turns" VALUES(170,16,NULL,NULL,112,NULL,'next','s1','since','2026-11-28 17:20:11.721303','2026-11-28 17:20:11.759604');
INSERT INTO "turns" VALUES(171,16,'s1',NULL,112,NULL,'next',NULL,'since','2026-11-28 17:20:11.759604','2026-11-28 17:20:11.811169');
INSERT INTO "turns" VALUES(172,16,NULL,NULL,112,NULL,'host',NULL,'restore','2026-11-28 17:20:11.873869','2026-11-28 17:20:11.873869');
INSERT INTO "turns" VALUES(173,16,NULL,NULL,112,NULL,'next',NULL,'since','2026-11-28 17:20:11.896807','2026-11-28 17:20:11.933466');
INSERT INTO "turns" VALUES(174,16,'s1',5,112,'01abfcd177cc1bcbac2936621519eae353f1c452','host',NULL,'agent','2026-11-28 17:20:11.933466','2026-11-28 17:20:11.995429');
INSERT INTO "turns" VALUES(175,16,NULL,NULL,113,NULL,'next',NULL,'since','2026-11-28 17:20:12.065648','2026-11-28 17:20:12.105393');
INSERT INTO "turns" VALUES(176,16,NULL,NULL,113,NULL,'host',NULL,'restore','2026-11-28 17:20:12.186948','2026-11-28 17:20:12.186948');
INSERT INTO "turns" VALUES(177,16,'s1',NULL,114,NULL,'next',NULL,'since','2026-11-28 17:20:12.314392','2026-11-28 17:20:12.344133');
INSERT INTO "turns" VALUES(178,16,NULL,NULL,114,NULL,'host',NULL,'restore','2026-11-28 17:20:12.407222','2026-11-28 17:20:12.407222');
INSERT INTO "turns" VALUES(179,16,'s1',7,114,'fed1c811b1750c2379fa41a7528be7bb0e8ec935','host',NULL,'agent','2026-11-28 17:20:12.418994','2026-11-28 17:20:12.461453');
INSERT INTO "turns" VALUES(180,16,'s2',4,115,NULL,'next',NULL,'agent','2026-11-28 17:20:12.541028','2026-11-28 17:20:12.573700');
INSERT INTO "turns" VALUES(181,16,'s1',2,115,'d8b18cb35afacf43e90922673445bad64ddbeee8','host','s2','agent','2026-11-28 17:20:12.573700','2026-11-28 17:20:12.623684');
INSERT INTO "turns" VALUES(182,16,NULL,NULL,116,NULL,NULL,NULL,'agent','2026-11-28 17:20:12.691275',NULL);
INSERT INTO "turns" VALUES(183,17,'s1',NULL,117,NULL,'next',NULL,'since','2026-11-28 17:20:13.257008','2026-11-28 17:20:13.384512');
INSERT INTO "turns" VALUES(184,17,NULL,NULL,118,NULL,'host',NULL,'restore','2026-11-28 17:20:13.466314','2026-11-28 17:20:13.466314');
INSERT INTO "turns" VALUES(185,17,'s2',2,119,NULL,'next',NULL,'agent','2026-11-28 17:20:13.584228','2026-11-28 17:20:13.705493');
INSERT INTO "turns" VALUES(186,17,'s2',7,120,'fed1c811b1750c2379fa41a7528be7bb0e8ec935','host',NULL,'agent','2026-11-28 17:20:13.705493','2026-11-28 17:20:13.738033');
INSERT INTO "turns" VALUES(187,17,'s2',3,120,'98c36a78fbb2b1b58adf15fea38551bc2283fd17','host',NULL,'agent','2026-11-28 17:20:13.775281','2026-11-28 17:20:13.838074');
INSERT INTO "turns" VALUES(191,18,'s1',6,123,'2b505fbcd2b8f04c03df71d7599951f9f2c67d4d','host',NULL,'agent','2026-11-28 17:20:14.678383','2026-11-28 17:20:14.720749');
INSERT INTO "turns" VALUES(192,18,NULL,NULL,123,NULL,'host',NULL,'restore','2026-11-28 17:20:14.821987','2026-11-28 17:20:14.821987');
INSERT INTO "turns" VALUES(193,18,'s1',6,124,NULL,'next',NULL,'agent','2026-11-28 17:20:14.900165','2026-11-28 17:20:14.991188');
INSERT INTO "turns" VALUES(194,18,'s1',5,125,'9018c0e4baa2bf125f7f267fc73f48c986752d12','host',NULL,'agent','2026-11-28 17:20:14.991188','2026-11-28 17:20:15.020611');
INSERT INTO "turns" VALUES(195,18,NULL,NULL,125,NULL,NULL,NULL,'since','2026-11-28 17:20:15.041010',NULL);
INSERT INTO "turns" VALUES(200,19,NULL,NULL,129,'2e4e5fb0c9179cdbfada3dc7878f4b5de9ff48e6','host',NULL,'unknown','2026-11-28 17:20:16.234249','2026-11-28 17:20:16.307505');
INSERT INTO "turns" VALUES(201,19,NULL,NULL,130,NULL,'host',NULL,'restore','2026-11-28 17:20:16.476143','2026-11-28 17:20:16.476143');
INSERT INTO "turns" VALUES(202,19,NULL,NULL,130,NULL,'host',NULL,'restore','2026-11-28 17:20:16.593880','2026-11-28 17:20:16.593880');
INSERT INTO "turns" VALUES(203,19,'s1',2,131,NULL,'next',NULL,'agent','2026-11-28 17:20:16.663468','2026-11-28 17:20:16.712434');
INSERT INTO "turns" VALUES(204,19,'s2',8,131,'e6fc02caf0b8a3daaca70913f6390715767a7db5','host','s1','agent','2026-11-28 17:20:16.712434','2026-11-28 17:20:16.767672');
INSERT INTO "turns" VALUES(205,19,'s2',1,131,'e6fc02caf0b8a3daaca70913f6390715767a7db5','host',NULL,'agent','2026-11-28 17:20:16.782197','2026-11-28 17:20:16.811644');
INSERT INTO "turns" VALUES(206,19,'s1',1,131,NULL,'next',NULL,'agent','2026-11-28 17:20:16.834657','2026-11-28 17:20:16.896332');
INSERT INTO "turns" VALUES(207,19,NULL,NULL,132,NULL,'host',NULL,'restore','2026-11-28 17:20:16.941630','2026-11-28 17:20:16.941630');
INSERT INTO "turns" VALUES(208,19,NULL,NULL,132,NULL,'host',NULL,'restore','2026-11-28 17:20:17.039820','2026-11-28 17:20:17.039820');
INSERT INTO "turns" VALUES(209,19,'s2',3,132,'ec9296f4015e7da17609a17f5048553a4470fe2f','host',NULL,'agent','2026-11-28 17:20:17.613320','2026-11-28 17:20:17.691562');
INSERT INTO "turns" VALUES(210,20,'s1',NULL,133,NULL,'next',NULL,'since','2026-11-28 17:20:18.280756','2026-11-28 17:20:18.314975');
INSERT INTO "turns" VALUES(211,20,'s2',2,133,NULL,'next','s1','agent','2026-11-28 17:20:18.314975','2026-11-28 17:20:18.420963');
INSERT INTO "turns" VALUES(212,20,'s2',3,134,NULL,'next',NULL,'agent','2026-11-28 17:20:18.420963','2026-11-28 17:20:18.516483');
INSERT INTO "turns" VALUES(213,20,'s1',1,135,'7081a37e18ba0a45e1f0b0beee64b8abf06bf1e6','host','s2','agent','2026-11-28 17:20:18.516483','2026-11-28 17:20:18.595107');
INSERT INTO "turns" VALUES(214,20,NULL,NULL,136,NULL,'next',NULL,'since','2026-11-28 17:20:18.701666','2026-11-28 17:20:18.794672');
INSERT INTO "turns" VALUES(215,20,NULL,NULL,137,'724769a0a4a2a26c12f02f42432495e9485bd437','host',NULL,'unknown','2026-11-28 17:20:18.794672','2026-11-28 17:20:18.863470');
INSERT INTO "turns" VALUES(216,20,NULL,NULL,138,NULL,'host',NULL,'restore','2026-11-28 17:20:19.003158','2026-11-28 17:20:19.003158');
INSERT INTO "turns" VALUES(217,20,NULL,NULL,139,NULL,'host',NULL,'restore','2026-11-28 17:20:19.225845','2026-11-28 17:20:19.225845');
INSERT INTO "turns" VALUES(218,20,'s2',1,140,'67e536d9b9c5dadc2b3b90d06c931bee45e2c59d','host',NULL,'agent','2026-11-28 17:20:19.310980','2026-11-28 17:20:19.338319');
INSERT INTO "turns" VALUES(219,20,'s1',4,140,'67e536d9b9c5dadc2b3b90d06c931bee45e2c59d','host',NULL,'agent','2026-11-28 17:20:19.351863','2026-11-28 17:20:19.371602');
INSERT INTO "turns" VALUES(220,20,NULL,NULL,140,NULL,NULL,NULL,'agent','2026-11-28 17:20:19.394144',NULL);
INSERT INTO "turns" VALUES(221,21,'s1',NULL,141,NULL,'next',NULL,'agent','2026-11-28 17:20:20.219864','2026-11-28 17:20:20.259541');
INSERT INTO "turns" VALUES(222,21,'s2',6,141,NULL,'next','s1','agent','2026-11-28 17:20:20.259541','2026-11-28 17:20:20.355887');
INSERT INTO "turns" VALUES(223,21,'s2',3,142,NULL,'next',NULL,'agent','2026-11-28 17:20:20.355887','2026-11-28 17:20:20.460570');
INSERT INTO "turns" VALUES(224,21,'s1',1,143,'3f76700dda7d16e80668d6002cbaae2677645199','host','s2','agent','2026-11-28 17:20:20.460570','2026-11-28 17:20:20.530101');
INSERT INTO "turns" VALUES(225,21,'s1',7,144,'cf3748b114ff8bef5be42deb2b3358274b08d41f','host',NULL,'agent','2026-11-28 17:20:20.655116','2026-11-28 17:20:20.729385');
INSERT INTO "turns" VALUES(226,21,NULL,NULL,145,NULL,'next',NULL,'since','2026-11-28 17:20:20.822955','2026-11-28 17:20:20.844822');
INSERT INTO "turns" VALUES(227,21,NULL,NULL,145,NULL,'host',NULL,'restore','2026-11-28 17:20:20.883374','2026-11-28 17:20:20.883374');
INSERT INTO "turns" VALUES(228,21,'s1',3,146,'c29c8de7344c87945aaa9c72d9a5f9bd495711f9','host',NULL,'agent','2026-11-28 17:20:20.951692','2026-11-28 17:20:20.999283');
INSERT INTO "turns" VALUES(229,21,'s2',3,147,'8272b6ff056868445157f218c2dfee6a089815db','host',NULL,'agent','2026-11-28 17:20:21.047237','2026-11-28 17:20:21.110150');
INSERT INTO "turns" VALUES(230,21,NULL,NULL,148,NULL,'host',NULL,'restore','2026-11-28 17:20:21.282155','2026-11-28 17:20:21.282155');
INSERT INTO "turns" VALUES(231,21,'s2',3,149,'ecde597f21792827772bccd0acd03d6600e008d4','host',NULL,'agent','2026-11-28 17:20:21.369274','2026-11-28 17:20:21.447529');
INSERT INTO "turns" VALUES(232,22,'s1',NULL,150,NULL,'next',NULL,'agent','2026-11-28 17:20:22.188851','2026-11-28 17:20:22.226725');
INSERT INTO "turns" VALUES(233,22,NULL,NULL,150,NULL,'host',NULL,'restore','2026-11-28 17:20:22.278245','2026-11-28 17:20:22.278245');
INSERT INTO "turns" VALUES(234,22,NULL,NULL,151,NULL,'host',NULL,'restore','2026-11-28 17:20:22.412003','2026-11-28 17:20:22.412003');
INSERT INTO "turns" VALUES(235,22,NULL,NULL,152,NULL,'host',NULL,'restore','2026-11-28 17:20:22.508193','2026-11-28 17:20:22.508193');
INSERT INTO "turns" VALUES(236,22,'s2',7,153,'a444b0a719927d96f921be07a182fe1571247f7d','host',NULL,'agent','2026-11-28 17:20:22.578273','2026-11-28 17:20:22.599606');
INSERT INTO "turns" VALUES(237,22,NULL,NULL,153,NULL,'host',NULL,'restore','2026-11-28 17:20:22.645878','2026-11-28 17:20:22.645878');
INSERT INTO "turns" VALUES(238,22,'s2',6,154,'b0492c43531a482d399401e36f7234eceb8f6ec7','host',NULL,'agent','2026-11-28 17:20:22.710111','2026-11-28 17:20:22.727536');
INSERT INTO "turns" VALUES(239,22,NULL,NULL,155,NULL,'next',NULL,'since','2026-11-28 17:20:22.815159','2026-11-28 17:20:22.871669');
INSERT INTO "turns" VALUES(240,22,NULL,NULL,155,NULL,'host',NULL,'restore','2026-11-28 17:20:22.928310','2026-11-28 17:20:22.928310');
INSERT INTO "turns" VALUES(241,22,NULL,NULL,156,NULL,NULL,NULL,'agent','2026-11-28 17:20:23.488406',NULL);
INSERT INTO "turns" VALUES(245,23,'s1',4,159,NULL,'next',NULL,'agent','2026-11-28 17:20:24.439265','2026-11-28 17:20:24.517700');
INSERT INTO "turns" VALUES(246,23,'s1',1,160,NULL,'next',NULL,'agent','2026-11-28 17:20:24.517700','2026-11-28 17:20:24.588639');
INSERT INTO "turns" VALUES(247,23,NULL,NULL,161,NULL,'host',NULL,'restore','2026-11-28 17:20:24.657997','2026-11-28 17:20:24.657997');
INSERT INTO "turns" VALUES(248,23,NULL,NULL,162,NULL,'host',NULL,'restore','2026-11-28 17:20:24.857978','2026-11-28 17:20:24.857978');
INSERT INTO "turns" VALUES(249,23,'s2',3,163,'f3bada90001fc53cd3385f709eec15dcda6eeb2e','host',NULL,'agent','2026-11-28 17:20:24.965402','2026-11-28 17:20:25.035775');
INSERT INTO "turns" VALUES(253,24,NULL,NULL,166,'252caa601f9f12b62957ae6d66bce168f98a907a','host',NULL,'unknown','2026-11-28 17:20:26.065730','2026-11-28 17:20:26.082191');
INSERT INTO "turns" VALUES(254,24,NULL,NULL,166,NULL,'next',NULL,'unknown','2026-11-28 17:20:26.101258','2026-11-28 17:20:26.118793');
INSERT INTO "turns" VALUES(255,24,NULL,NULL,166,'93a600fcc57441fbb93a5184dd9102c17c280b6d','host','s2','unknown','2026-11-28 17:20:26.118793','2026-11-28 17:20:26.182288');
INSERT INTO "turns" VALUES(256,24,NULL,NULL,167,NULL,'host',NULL,'restore','2026-11-28 17:20:26.326543','2026-11-28 17:20:26.326543');
INSERT INTO "turns" VALUES(257,24,'s1',NULL,167,NULL,'next',NULL,'since','2026-11-28 17:20:26.369194','2026-11-28 17:20:26.388721');
INSERT INTO "turns" VALUES(258,24,NULL,NULL,167,NULL,'next','s1','since','2026-11-28 17:20:26.388721','2026-11-28 17:20:26.456726');
INSERT INTO "turns" VALUES(259,24,'s1',NULL,168,NULL,'next',NULL,'since','2026-11-28 17:20:26.456726','2026-11-28 17:20:26.547908');
INSERT INTO "turns" VALUES(260,24,NULL,NULL,169,NULL,NULL,'s1','agent','2026-11-28 17:20:26.547908',NULL);
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
INSERT INTO "sqlite_sequence" VALUES('checkpoints',169);
INSERT INTO "sqlite_sequence" VALUES('projects',24);
INSERT INTO "sqlite_sequence" VALUES('agent_writes',126);
INSERT INTO "sqlite_sequence" VALUES('turns',260);
INSERT INTO "sqlite_sequence" VALUES('restores',35);
INSERT INTO "sqlite_sequence" VALUES('legacy_archives',0);
INSERT INTO "sqlite_sequence" VALUES('operations',336);
COMMIT;

"""Record whose each change is at the moment when it is seen.

Until here a restore replayed turns, the changes of each, and what tools had reported. From here on
every look writes one event a path, with the actor. The events of the time before are worked out
once, of the same rows and by the same rules; then what was only needed for that goes.

A turn belongs to a session, and names the process that works for it. Turns that are open had none:
what changes from here on is theirs only as far as tools report it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0008"
branch_labels = None
depends_on = None

NOT_IN_SQL = "also works out who made the changes that were seen so far."

MOST = 2**63 - 1
STATUSES = "'A', 'M', 'D', 'T'"
ACTORS = "'agent', 'person', 'since', 'restore', 'unrecorded', 'unknown'"


def integer(table: str, name: str, least: int = -MOST) -> str:
    return f"CONSTRAINT ck_{table}_{name} CHECK ({name} BETWEEN {least} AND {MOST})"


def refers(table: str, name: str, to: str) -> str:
    return f"CONSTRAINT fk_{table}_{name}_{to} FOREIGN KEY({name}) REFERENCES {to} (id)"


TURNS = f"""
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
  {integer("turns", "turn")},
  CONSTRAINT ck_turns_ended_by CHECK (ended_by IN ('host', 'next', 'gone')),
  CONSTRAINT ck_turns_actor CHECK (actor IN ({ACTORS})),
  CONSTRAINT ck_turns_ended_at CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
  {refers("turns", "project_id", "projects")},
  {refers("turns", "start_checkpoint_id", "checkpoints")},
  {refers("turns", "end_checkpoint_id", "checkpoints")},
  CONSTRAINT ck_turns_tools_told CHECK (tools_told IN (0, 1))
)
"""

AGENT_WRITES = f"""
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
  {integer("agent_writes", "turn")},
  {refers("agent_writes", "project_id", "projects")},
  {refers("agent_writes", "turn_id", "turns")},
  CONSTRAINT ck_agent_writes_seen CHECK (seen IN (0, 1))
)
"""

TOOL_RUNS = f"""
CREATE TABLE tool_runs (
  id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  run TEXT,
  tool TEXT,
  began_ns BIGINT NOT NULL,
  ended_ns BIGINT,
  CONSTRAINT pk_tool_runs PRIMARY KEY (id),
  {integer("tool_runs", "began_ns")},
  {integer("tool_runs", "ended_ns")},
  {refers("tool_runs", "turn_id", "turns")}
)
"""

PATH_EVENTS = f"""
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
  CONSTRAINT ck_path_events_status CHECK (status IN ({STATUSES})),
  CONSTRAINT ck_path_events_actor CHECK (actor IN ({ACTORS})),
  {integer("path_events", "turn")},
  {integer("path_events", "old_mode", 0)},
  {integer("path_events", "mode", 0)},
  {refers("path_events", "project_id", "projects")},
  {refers("path_events", "checkpoint_id", "checkpoints")},
  {refers("path_events", "target_id", "checkpoints")}
)
"""

INDEXES = (
    "CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn)",
    (
        "CREATE UNIQUE INDEX ix_turns_open ON turns (project_id, coalesce(session_id, ''))"
        " WHERE ended_at IS NULL"
    ),
    "CREATE INDEX ix_turns_project_id_end_checkpoint_id ON turns (project_id, end_checkpoint_id)",
    "CREATE INDEX ix_agent_writes_project_id ON agent_writes (project_id)",
    "CREATE INDEX ix_agent_writes_turn_id ON agent_writes (turn_id)",
    "CREATE INDEX ix_tool_runs_turn_id ON tool_runs (turn_id)",
    (
        "CREATE INDEX ix_path_events_project_id_checkpoint_id"
        " ON path_events (project_id, checkpoint_id)"
    ),
    "CREATE INDEX ix_path_events_checkpoint_id ON path_events (checkpoint_id)",
)

# A turn that the next checkpoint ended was over at the look of that checkpoint, whose predecessor
# was the last one then; one that the host ended, at the last one that was taken before its end.
KEPT_TURNS = """
INSERT INTO turns (
  id, project_id, session_id, turn, start_checkpoint_id, end_checkpoint_id, ended_by, actor,
  started_at, ended_at
)
SELECT id, project_id, session_id, turn, start_checkpoint_id,
  CASE WHEN ended_at IS NOT NULL THEN coalesce(
    (SELECT max(c.id) FROM checkpoints AS c
     WHERE c.project_id = o.project_id AND c.created_at < o.ended_at
     AND c.id >= o.start_checkpoint_id),
    start_checkpoint_id) END,
  ended_by,
  CASE WHEN actor = 'unknown' AND 'imported' =
    (SELECT c.kind FROM checkpoints AS c WHERE c.id = o.start_checkpoint_id)
  THEN 'unrecorded' ELSE coalesce(actor, 'agent') END,
  started_at, ended_at
FROM old_turns AS o
WHERE coalesce(actor, 'agent') <> 'restore'
"""

# Reports count for what no look has seen yet.
KEPT_WRITES = """
INSERT INTO agent_writes (
  id, project_id, turn_id, session_id, turn, path, tool, written_at, blob
)
SELECT w.id, w.project_id, t.id, w.session_id, w.turn, w.path, w.tool, w.written_at, w.blob
FROM old_agent_writes AS w
LEFT JOIN turns AS t ON t.project_id = w.project_id AND t.ended_at IS NULL
  AND t.actor = 'agent' AND t.session_id IS w.session_id
WHERE w.written_at > coalesce(
  (SELECT max(coalesce(o.ended_at, o.started_at)) FROM old_turns AS o
   WHERE o.project_id = w.project_id), '')
"""

ADD_EVENT = sa.text(
    "INSERT INTO path_events (project_id, checkpoint_id, path, status, actor, session_id, turn,"
    " tool, overlaps, old_blob, blob, old_mode, mode, at) VALUES (:project, :after, :path,"
    " :status, :actor, :session, :turn, :tool, :overlaps, :old_blob, :blob, :old_mode, :mode, :at)"
)

OF_TURN = """
SELECT path, status, old_blob, new_blob, old_mode, new_mode FROM turn_changes WHERE turn_id = :id
"""

OF_CHECKPOINT = """
SELECT path, status, old_blob, new_blob, old_mode, new_mode
FROM checkpoint_changes WHERE checkpoint_id = :id
"""

TURNED = {"A": "D", "D": "A"}


class Change(NamedTuple):
    """What became of a path, as the tables of then have it; columns as there."""

    path: str
    status: str
    old_blob: str | None
    new_blob: str | None
    old_mode: int | None
    new_mode: int | None


class Turn(NamedTuple):
    """A turn, as the table of then has it."""

    id: int
    session: str | None
    turn: int | None
    start: int
    actor: str
    started_at: str
    ended_at: str | None
    overlaps: str | None


class Write(NamedTuple):
    """A report of a tool, as the table of then has it."""

    path: str
    session: str | None
    turn: int | None
    tool: str | None
    at: str
    blob: str | None


class History:
    """The events of one project, worked out of its turns, checkpoints and reports."""

    def __init__(self, connection: sa.Connection, project: int) -> None:
        self.connection = connection
        self.project = project
        self.events: list[dict[str, Any]] = []
        self.last: dict[str, dict[str, Any]] = {}
        rows = connection.execute(
            sa.text(
                "SELECT id, created_at, kind FROM checkpoints WHERE project_id = :project"
                " AND previous_id IS NOT NULL ORDER BY id"
            ),
            {"project": project},
        ).all()
        ids = connection.scalars(
            sa.text("SELECT id FROM checkpoints WHERE project_id = :project ORDER BY id"),
            {"project": project},
        ).all()
        self.before = dict(zip(ids[1:], ids, strict=False))
        self.left = [(row.id, row.created_at, row.kind) for row in reversed(rows)]
        self.reports: dict[str, list[Write]] = {}
        for row in connection.execute(
            sa.text(
                "SELECT path, session_id, turn, tool, written_at, blob FROM old_agent_writes"
                " WHERE project_id = :project ORDER BY id"
            ),
            {"project": project},
        ):
            self.reports.setdefault(row[0], []).append(Write(*row))
        self.by_turn: list[tuple[Change, str]] = []

    def work_out(self) -> list[dict[str, Any]]:
        turns = [
            Turn(*row)
            for row in self.connection.execute(
                sa.text(
                    "SELECT id, session_id, turn, start_checkpoint_id, coalesce(actor, 'agent'),"
                    " started_at, ended_at, overlaps FROM old_turns WHERE project_id = :project"
                    " AND start_checkpoint_id IS NOT NULL ORDER BY start_checkpoint_id, id"
                ),
                {"project": self.project},
            )
        ]
        for turn in turns:
            self.see_checkpoints(turn.start)
            self.put_back((), turn.start, turn.started_at)
            for change in self.changes(OF_TURN, turn.id):
                self.add_of_turn(turn, change)
        self.see_checkpoints(None)
        return self.events

    def changes(self, query: str, id_: int) -> Sequence[Change]:
        rows = self.connection.execute(
            sa.text(query),
            {"id": id_},
        )
        return [Change(*row) for row in rows]

    def see_checkpoints(self, until: int | None) -> None:
        """What a checkpoint saw and no turn had left so, a person did."""
        while self.left and (until is None or self.left[-1][0] <= until):
            id_, at, kind = self.left.pop()
            after = self.before.get(id_)
            if kind == "imported" or after is None:
                continue
            found = self.changes(OF_CHECKPOINT, id_)
            self.put_back([change.path for change in found], after, at)
            for change in found:
                last = self.last.get(change.path)
                if last is None or (last["blob"], last["mode"]) != change[3::2]:
                    self.add(change, after, at, *self.outside(change, at))

    def put_back(self, found: Sequence[str], after: int, at: str) -> None:
        """What a look does not find as the last turn left it is as it was before."""
        there = set(found)
        for change, _ in self.by_turn:
            if change.path not in there:
                back = Change(
                    change.path,
                    TURNED.get(change.status, change.status),
                    change.new_blob,
                    change.old_blob,
                    change.new_mode,
                    change.old_mode,
                )
                self.add(back, after, at, *self.outside(back, at))
        self.by_turn.clear()

    def outside(self, change: Change, at: str) -> tuple[str, Turn | None, Write | None]:
        """Who changed something outside of turns: a person, or a tool that said so late."""
        last = self.last.get(change.path)
        since = "" if last is None else last["at"]
        for write in reversed(self.reports.get(change.path, ())):
            if (
                since < write.at <= at
                and write.blob == change.new_blob
                and ((write.blob is None) == (change.new_mode is None))
            ):
                return "agent", None, write
        return "person", None, None

    def add_of_turn(self, turn: Turn, change: Change) -> None:
        end = turn.ended_at or turn.started_at
        told = [
            write
            for write in self.reports.get(change.path, ())
            if write.at >= turn.started_at and (turn.ended_at is None or write.at <= end)
        ]
        last = told[-1] if told and turn.actor != "restore" else None
        if turn.actor == "restore" and change.path in self.last:
            known = self.last[change.path]
            change = change._replace(old_blob=known["blob"], old_mode=known["mode"])
        self.add(change, turn.start, end, turn.actor, turn, last)
        if (
            last is not None
            and change.new_mode is not None
            and last.blob
            not in (
                None,
                change.new_blob,
            )
        ):
            self.add(change, turn.start, end, "person", None, None)
        self.by_turn.append((change, end))

    def add(
        self, change: Change, after: int, at: str, actor: str, turn: Turn | None, by: Write | None
    ) -> None:
        event = {
            "project": self.project,
            "after": after,
            "path": change.path,
            "status": change.status,
            "actor": actor if by is None else "agent",
            "session": by.session if by and by.session else turn.session if turn else None,
            "turn": by.turn if by and by.turn is not None else turn.turn if turn else None,
            "tool": (by.tool or "tool") if by else None,
            "overlaps": turn.overlaps if turn else None,
            "old_blob": change.old_blob,
            "blob": change.new_blob,
            "old_mode": change.old_mode,
            "mode": change.new_mode,
            "at": at,
        }
        self.events.append(event)
        self.last[change.path] = event


def upgrade() -> None:
    connection = op.get_bind()
    for name in ("ix_turns_project_id_start_checkpoint_id", "ix_turns_session_id_turn"):
        op.execute(f"DROP INDEX {name}")
    op.execute("DROP INDEX ix_turns_open")
    op.execute("DROP INDEX ix_agent_writes_project_id_written_at")
    op.execute("PRAGMA legacy_alter_table = ON")  # references to turns stay as they are written
    for table in ("turns", "agent_writes"):
        op.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    op.execute("PRAGMA legacy_alter_table = OFF")
    for sql in (TURNS, AGENT_WRITES, TOOL_RUNS, PATH_EVENTS):
        op.execute(sql.strip())
    for name in ("looked_ns BIGINT", "looked_restore INTEGER"):
        rule = integer("projects", name.partition(" ")[0])
        op.execute(f"ALTER TABLE projects ADD COLUMN {name} {rule}")
    op.execute(KEPT_TURNS)
    op.execute(KEPT_WRITES)
    projects = connection.scalars(
        sa.text("SELECT DISTINCT project_id FROM old_turns ORDER BY project_id")
    ).all()
    for project in projects:
        events = History(connection, project).work_out()
        if events:
            connection.execute(ADD_EVENT, events)
    op.execute(
        "UPDATE projects SET looked_restore ="
        " (SELECT max(r.id) FROM restores AS r WHERE r.project_id = projects.id)"
    )
    for table in ("turn_changes", "old_agent_writes", "old_turns"):
        op.execute(f"DROP TABLE {table}")
    for index in INDEXES:
        op.execute(index)


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

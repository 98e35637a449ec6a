"""Record whose each change is at the moment when it is seen.

Until here a restore replayed turns, the changes of each, and what tools had reported. From here on
every look writes one event a path, with the actor. The events of the time since the oldest
checkpoint to which somebody can go back are worked out once, of the same rows and by the same
rules; then what was only needed for that goes.

Which checkpoint a restore had brought back was not a part of its turn, so their events name no
target: what happened before them still counts, as it did. Directories had no record: theirs is
worked out of the states between which nothing but turns of agents lay, as it was.

A turn belongs to a session, and names the process that works for it. Turns that are open had none:
what changes from here on is theirs only as far as tools report it.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
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
    "CREATE INDEX ix_restores_safety_id ON restores (safety_id)",
    "CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn)",
    "CREATE UNIQUE INDEX ix_turns_open ON turns (project_id, session_id) WHERE ended_at IS NULL",
    (
        "CREATE UNIQUE INDEX ix_turns_open_of_no_session ON turns (project_id)"
        " WHERE ended_at IS NULL AND session_id IS NULL"
    ),
    "CREATE INDEX ix_turns_project_id_end_checkpoint_id ON turns (project_id, end_checkpoint_id)",
    "CREATE INDEX ix_agent_writes_project_id ON agent_writes (project_id)",
    "CREATE INDEX ix_agent_writes_turn_id ON agent_writes (turn_id)",
    "CREATE INDEX ix_tool_runs_turn_id ON tool_runs (turn_id)",
    (
        "CREATE INDEX ix_path_events_project_id_checkpoint_id"
        " ON path_events (project_id, checkpoint_id)"
    ),
    "CREATE INDEX ix_path_events_project_id_path ON path_events (project_id, path)",
    "CREATE INDEX ix_path_events_checkpoint_id ON path_events (checkpoint_id)",
)


# Each checkpoint ended the open turn, so the last one before the end of a turn is the one at which
# it began. One that is missing, or another project's, stands for the project's last one before it.
KEPT_TURNS = """
WITH placed AS (
  SELECT o.*, coalesce(
    (SELECT c.id FROM checkpoints AS c
     WHERE c.id = o.start_checkpoint_id AND c.project_id = o.project_id),
    (SELECT max(c.id) FROM checkpoints AS c
     WHERE c.project_id = o.project_id AND c.id <= o.start_checkpoint_id)) AS own_id
  FROM old_turns AS o
  WHERE coalesce(o.actor, 'agent') <> 'restore'
)
INSERT INTO turns (
  id, project_id, session_id, turn, start_checkpoint_id, end_checkpoint_id, ended_by, actor,
  started_at, ended_at
)
SELECT id, project_id, session_id, turn, own_id, CASE WHEN ended_at IS NOT NULL THEN own_id END,
  ended_by,
  CASE WHEN actor = 'unknown' AND 'imported' =
    (SELECT c.kind FROM checkpoints AS c WHERE c.id = own_id)
  THEN 'unrecorded' ELSE coalesce(actor, 'agent') END,
  started_at, ended_at
FROM placed
ORDER BY id
"""

# Reports count for what no look has seen yet.
LOOKED = """
SELECT max(coalesce((SELECT max(coalesce(ended_at, started_at)) FROM old_turns
    WHERE project_id = :project), ''),
  coalesce((SELECT max(created_at) FROM checkpoints WHERE project_id = :project), ''))
"""

KEPT_WRITES = """
INSERT INTO agent_writes (
  id, project_id, turn_id, session_id, turn, path, tool, written_at, blob
)
SELECT w.id, w.project_id, t.id, w.session_id, w.turn, w.path, w.tool, w.written_at, w.blob
FROM old_agent_writes AS w
LEFT JOIN turns AS t ON t.project_id = w.project_id AND t.ended_at IS NULL
  AND t.actor = 'agent' AND t.session_id IS w.session_id
WHERE w.project_id = :project AND w.written_at > :looked
ORDER BY w.id
"""

# A restore that was cut short after the last look has left what that look did not see.
KEPT_RESTORE = """
UPDATE projects SET looked_restore = (
  SELECT max(r.id) FROM restores AS r WHERE r.project_id = :project AND r.started_at <= :looked)
WHERE id = :project
"""

ADD_EVENT = """
INSERT INTO path_events (
  project_id, checkpoint_id, path, status, actor, session_id, turn, tool, overlaps, old_blob, blob,
  old_mode, mode, at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

NEEDED = """
SELECT min(c.id) FROM checkpoints AS c WHERE c.project_id = :project AND (
  c.state IN ('arriving', 'live', 'pruning') OR c.id IN (
    SELECT r.target_id FROM restores AS r WHERE r.state IN ('writing', 'interrupted')
    UNION SELECT r.safety_id FROM restores AS r WHERE r.state IN ('writing', 'interrupted')))
"""

CHECKPOINTS = """
SELECT id, created_at, kind, state_id, previous_id FROM checkpoints
WHERE project_id = ? AND id >= ? AND state <> 'arriving' ORDER BY id
"""

EMPTIED = """
SELECT min(id) FROM checkpoints
WHERE project_id = ? AND state = 'pruned' AND ref_name IS NULL
"""

OF_PROJECT = """
SELECT id, session_id, turn, start_checkpoint_id, coalesce(actor, 'agent'), started_at, ended_at,
  ended_by, end_state, overlaps
FROM old_turns WHERE project_id = ? AND start_checkpoint_id >= ? ORDER BY start_checkpoint_id, id
"""

BEFORE = "SELECT 1 FROM old_turns WHERE project_id = ? AND start_checkpoint_id < ? LIMIT 1"

OF_TURN = """
SELECT path, status, old_blob, new_blob, old_mode, new_mode FROM turn_changes WHERE turn_id = ?
"""

OF_CHECKPOINT = """
SELECT path, status, old_blob, new_blob, old_mode, new_mode
FROM checkpoint_changes WHERE checkpoint_id = ?
"""

REPORTED = """
SELECT path, session_id, turn, tool, written_at, blob FROM old_agent_writes
WHERE project_id = ? AND written_at >= ? AND written_at <= ? ORDER BY id
"""

TURNED = {"A": "D", "D": "A"}
DIRECTORIES = "."
DIRECTORY = 0o040000
AT_ONCE = 5_000


class Change(NamedTuple):
    """What became of a path, as the tables of then have it; columns as there."""

    path: str
    status: str
    old_blob: str | None
    new_blob: str | None
    old_mode: int | None
    new_mode: int | None

    @property
    def after(self) -> tuple[str | None, int | None]:
        return self.new_blob, self.new_mode

    @property
    def of_bits(self) -> bool:
        """Whether permissions alone have changed: then no contents are named."""
        return self.old_blob is None and self.new_blob is None and self.new_mode is not None

    @property
    def turned(self) -> Change:
        """The change as seen from its end."""
        status = TURNED.get(self.status, self.status)
        return Change(self.path, status, self.new_blob, self.old_blob, self.new_mode, self.old_mode)


class Turn(NamedTuple):
    """A turn, as the table of then has it."""

    id: int
    session: str | None
    turn: int | None
    start: int
    actor: str
    started_at: str
    ended_at: str | None
    ended_by: str | None
    end_state: str | None
    overlaps: str | None


class Write(NamedTuple):
    """A report of a tool, as the table of then has it."""

    path: str
    session: str | None
    turn: int | None
    tool: str | None
    at: str
    blob: str | None


class Checkpoint(NamedTuple):
    """A checkpoint, as the table of then has it; ``previous`` is the one that it was compared
    with."""

    id: int
    at: str
    kind: str
    state: str | None
    previous: int | None


class Seen(NamedTuple):
    """How an event left its path: when, after which checkpoint, and as what."""

    after: int
    at: str
    blob: str | None
    mode: int | None


class History:
    """The events of one project since the checkpoint ``first``, worked out of its turns,
    checkpoints and reports, in the order in which they were seen.

    In memory are the checkpoints, the turns and the paths, and no more of the changes than those
    of one look and ``AT_ONCE`` events."""

    def __init__(self, connection: sqlite3.Connection, project: int, first: int) -> None:
        self.connection = connection
        self.project = project
        self.events: list[tuple[Any, ...]] = []
        self.last: dict[str, Seen] = {}
        self.contents: dict[str, str | None] = {}
        self.checkpoints = [
            Checkpoint(*row) for row in connection.execute(CHECKPOINTS, (project, first))
        ]
        self.ids = [one.id for one in self.checkpoints]
        self.own_ids = set(self.ids)
        self.next = 1  # what the first one saw was before it
        self.turns = [turn for turn in self._turns(first) if self.ids and turn.start >= self.ids[0]]
        self.looks = sorted(
            {str(one.at) for one in self.checkpoints}
            | {str(turn.started_at) for turn in self.turns if turn.actor != "restore"}
            | {
                str(turn.ended_at)
                for turn in self.turns
                if turn.ended_at and turn.actor != "restore"
            }
        )
        self.by_turn: list[Change] = []
        self.state = self.checkpoints[0].state if self.checkpoints else None
        (emptied,) = connection.execute(EMPTIED, (project,)).fetchone()
        before = connection.execute(BEFORE, (project, first)).fetchone()
        self.recorded = before is not None or (emptied is not None and emptied < first)

    def _turns(self, first: int) -> Iterator[Turn]:
        for row in self.connection.execute(OF_PROJECT, (self.project, first)):
            yield Turn(*row)

    def work_out(self) -> None:
        """Write the events."""
        for place, turn in enumerate(self.turns):
            start = self.own(turn.start)
            self.see_checkpoints(turn.start)
            self.recorded = True
            self.put_back((), start.id, str(turn.started_at))
            self.see_directories(start.state, start.id, str(turn.started_at))
            self.end(turn, start)
            self.end_of_directories(turn, start, self.turns[place + 1 : place + 2])
        self.see_checkpoints(None)
        self.flush()

    def own(self, id_: int) -> Checkpoint:
        """The checkpoint, or the last one of the project before it."""
        return self.checkpoints[bisect_right(self.ids, id_) - 1]

    def changes(self, query: str, id_: int) -> list[Change]:
        return [Change(*row) for row in self.connection.execute(query, (id_,))]

    def reported(self, since: str, until: str) -> dict[str, list[Write]]:
        """What tools reported in a time, both ends included, by path."""
        found: dict[str, list[Write]] = {}
        for row in self.connection.execute(REPORTED, (self.project, since, until)):
            found.setdefault(row[0], []).append(Write(*row))
        return found

    # --- looks ------------------------------------------------------------------------------

    def see_checkpoints(self, until: int | None) -> None:
        """What a checkpoint saw and no turn had left so, a person did."""
        while self.next < len(self.checkpoints):
            before, seen = self.checkpoints[self.next - 1 : self.next + 1]
            if until is not None and seen.id > until:
                return
            self.next += 1
            found = [] if seen.previous is None else self.changes(OF_CHECKPOINT, seen.id)
            after = seen.previous if seen.previous in self.own_ids else before.id
            self.see(found, after, str(seen.at))
            for change in found:
                if not change.of_bits:
                    self.contents[change.path] = change.new_blob
            self.see_directories(seen.state, after, str(seen.at))

    def see(self, found: Iterable[Change], after: int, at: str) -> None:
        found = list(found)
        self.put_back([change.path for change in found], after, at)
        other = [change for change in found if not self.is_known(change, after)]
        self.add_outside(other, after, at)

    def is_known(self, change: Change, after: int) -> bool:
        """Whether the last event since the checkpoint ``after`` left a path so."""
        last = self.last.get(change.path)
        if last is None or last.after < after:
            return False
        return self.named(change.path, *change.after) == self.named(
            change.path, last.blob, last.mode
        )

    def named(self, path: str, blob: str | None, mode: int | None) -> tuple[Any, ...]:
        if blob is None and mode is not None:
            return self.contents.get(path), mode
        return blob, mode

    def put_back(self, found: Iterable[str], after: int, at: str) -> None:
        """What a look does not find as the last turn left it is as it was before."""
        there = set(found)
        back = [change.turned for change in self.by_turn if change.path not in there]
        self.by_turn.clear()
        self.add_outside(back, after, at)

    def add_outside(self, changes: list[Change], after: int, at: str) -> None:
        """Somebody changed something outside of turns: a tool that said so late, or a person.
        Before the first turn, nobody recorded who."""
        if not changes:
            return
        place = bisect_left(self.looks, at)
        before = self.looks[place - 1] if place else ""
        late = self.reported(before, at) if self.recorded else {}
        for change in changes:
            last = self.last.get(change.path)
            since = max(before, last.at) if last else before
            told = [
                write
                for write in late.get(change.path, ())
                if str(write.at) > since
                and write.blob == change.new_blob
                and (write.blob is None) == (change.new_mode is None)
            ]
            actor = "person" if self.recorded else "unrecorded"
            self.add(change, after, at, actor, by=told[-1] if told else None)

    # --- turns ------------------------------------------------------------------------------

    def end(self, turn: Turn, start: Checkpoint) -> None:
        """What a turn changed was its actor's; what is not as a tool said, a person's."""
        changes = self.changes(OF_TURN, turn.id)
        at = str(turn.ended_at or turn.started_at)
        told = {}
        if changes and turn.actor != "restore":
            told = self.reported(str(turn.started_at), at)
        imported = turn.actor == "unknown" and start.kind == "imported"
        actor = "unrecorded" if imported else turn.actor
        for found in changes:
            change, known = found, self.last.get(found.path)
            if turn.actor == "restore" and known is not None:
                change = found._replace(old_blob=known.blob, old_mode=known.mode)
            last = told[change.path][-1] if change.path in told else None
            self.add(change, start.id, at, actor, turn, last)
            if last is not None and self.differs(change, last):
                self.add(change, start.id, at, "person")
            self.by_turn.append(change)

    def differs(self, change: Change, last: Write) -> bool:
        """Whether a path is otherwise than a tool said last."""
        blob, mode = self.named(change.path, *change.after)
        if mode is None:
            return last.blob is not None
        return blob is not None and blob != last.blob

    # --- directories ------------------------------------------------------------------------

    def see_directories(self, state: str | None, after: int, at: str) -> None:
        """What is not as the last turn left it, somebody may have changed outside of turns, with
        the directories."""
        if self.state != state:
            self.add_directories(after, at, "unknown")
        self.state = state

    def end_of_directories(self, turn: Turn, start: Checkpoint, following: list[Turn]) -> None:
        if turn.ended_at is None:
            return
        later = self.checkpoints[bisect_right(self.ids, start.id) :][:1]
        if turn.ended_by == "host":
            self.state = turn.end_state or ""
        elif later and not (following and self.own(following[0].start) is start):
            self.state = later[0].state
        agents = turn.actor in ("agent", "since")
        if self.state != start.state or not agents:
            actor = turn.actor if agents else "unknown"
            self.add_directories(start.id, str(turn.ended_at), actor, turn)

    def add_directories(self, after: int, at: str, actor: str, turn: Turn | None = None) -> None:
        change = Change(DIRECTORIES, "M", None, None, DIRECTORY, DIRECTORY)
        self.add(change, after, at, actor, None if actor == "since" else turn)

    # --- rows -------------------------------------------------------------------------------

    def add(
        self,
        change: Change,
        after: int,
        at: str,
        actor: str,
        turn: Turn | None = None,
        by: Write | None = None,
    ) -> None:
        session, number = (turn.session, turn.turn) if turn else (None, None)
        if by is not None:
            session = by.session or session
            number = by.turn if by.turn is not None else number
        self.events.append(
            (
                *(self.project, after, change.path, change.status),
                *(actor if by is None else "agent", session, number),
                (by.tool or "tool") if by else None,
                turn.overlaps if turn else None,
                *(change.old_blob, change.new_blob, change.old_mode, change.new_mode, at),
            )
        )
        self.last[change.path] = Seen(after, at, *change.after)
        if len(self.events) >= AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self.connection.executemany(ADD_EVENT, self.events)
        self.events.clear()


def upgrade() -> None:
    op.execute("DROP INDEX ix_turns_session_id_turn")
    op.execute("DROP INDEX ix_turns_open")
    op.execute("PRAGMA legacy_alter_table = ON")  # references to turns stay as they are written
    for table in ("turns", "agent_writes"):
        op.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    op.execute("PRAGMA legacy_alter_table = OFF")
    op.execute("CREATE INDEX ix_checkpoints_of_project ON checkpoints (project_id, id)")
    for sql in (TURNS, AGENT_WRITES, TOOL_RUNS, PATH_EVENTS):
        op.execute(sql.strip())
    for name in ("looked_ns BIGINT", "looked_restore INTEGER"):
        rule = integer("projects", name.partition(" ")[0])
        op.execute(f"ALTER TABLE projects ADD COLUMN {name} {rule}")
    op.execute(KEPT_TURNS.strip())
    work_out(op.get_bind())
    op.execute("DROP INDEX ix_checkpoints_of_project")
    for table in ("turn_changes", "old_agent_writes", "old_turns"):
        op.execute(f"DROP TABLE {table}")
    for index in INDEXES:
        op.execute(index)


def work_out(connection: sa.Connection) -> None:
    """Write the events of each project, and what no look has seen yet."""
    driver: Any = connection.connection.driver_connection
    for (project,) in driver.execute("SELECT id FROM projects ORDER BY id").fetchall():
        named: dict[str, Any] = {"project": project}
        (named["looked"],) = driver.execute(LOOKED, named).fetchone()
        driver.execute(KEPT_WRITES, named)
        driver.execute(KEPT_RESTORE, named)
        (first,) = driver.execute(NEEDED, named).fetchone()
        if first is not None:
            History(driver, project, first).work_out()


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

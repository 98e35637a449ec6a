"""Keep in the catalog what decisions are made of, and refuse what makes no sense there.

What a checkpoint stored and what it holds become columns, since the changes from which both were
summed grow with the history. ``arriving`` is the state of a checkpoint of an earlier version whose
objects are not in the store yet. What the code believes of every row becomes a constraint; rows
that break one are mended first, so that no row stops the upgrade. Each statement gets its index,
and an index without a statement goes.

SQLite cannot add a constraint, so each table is made anew with its rows; the views are dropped
before, and made again at the end.
"""

# ruff: noqa: S608 - the names in statements are those of this module

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

APPLICATION_ID = 0x48434B50
MOST = 2**63 - 1

VIEWS = (
    "project_status",
    "checkpoint_list",
    "store_totals",
    "stale_projects",
    "orphaned_projects",
    "recent_failures",
    "session_list",
    "legacy_list",
)
"""The views of earlier revisions that stay as they are."""


# --- new views ---------------------------------------------------------------------------------

RESTORE_LIST = """
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
ORDER BY r.id DESC
"""

RESTORE_PATH_LIST = """
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
ORDER BY x.restore_id DESC, x.position
"""

OPERATION_LIST = """
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
ORDER BY o.id DESC
"""

RUNNING_OPERATIONS = """
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
ORDER BY o.id
"""

NEW_VIEWS = (RESTORE_LIST, RESTORE_PATH_LIST, OPERATION_LIST, RUNNING_OPERATIONS)


# --- constraints -------------------------------------------------------------------------------

COUNTS: Mapping[str, tuple[str, ...]] = {
    "checkpoints": (
        "file_count",
        "logical_bytes",
        "added_bytes",
        "superseded_bytes",
        "stored_bytes",
        "held_bytes",
        "files_changed",
        "insertions",
        "deletions",
        "skipped_count",
        "ignored_count",
    ),
    "checkpoint_changes": (
        "old_mode",
        "new_mode",
        "old_bytes",
        "new_bytes",
        "stored_bytes",
        "insertions",
        "deletions",
    ),
    "skipped_paths": ("bytes",),
    "turn_changes": ("old_mode", "new_mode"),
    "restore_paths": ("mode",),
    "session_checkpoints": ("version", "size_bytes"),
    "session_checkpoint_versions": ("size_bytes",),
    "legacy_archives": ("size_bytes", "imported_checkpoints"),
    "operations": ("duration_ms",),
}
"""Whole numbers from 0 on. SQLite stores text in a column of numbers where nothing forbids it."""

INTEGERS: Mapping[str, tuple[str, ...]] = {
    "checkpoints": ("turn", "message_count", "utc_offset_minutes"),
    "agent_writes": ("turn",),
    "turns": ("turn",),
    "operations": ("turn", "pid"),
}

BOOLEANS: Mapping[str, tuple[str, ...]] = {
    "projects": ("disposable",),
    "checkpoints": ("pinned",),
    "restores": ("whole",),
}

CHANGES = ("A", "M", "D", "T")
LAYOUTS = ("v1", "v2", "archive", "session-file")
WORDS: Mapping[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("projects", "state"): (("live", "orphan", "unreachable"), "unreachable"),
    ("checkpoints", "kind"): (("auto", "manual", "safety", "imported"), "manual"),
    ("checkpoints", "state"): (("arriving", "live", "pruning", "pruned"), "live"),
    ("checkpoint_changes", "status"): (CHANGES, "M"),
    ("skipped_paths", "reason"): (
        ("oversize", "unreadable", "special", "vanished", "unsupported-name", "ignored-by-rule"),
        "unreadable",
    ),
    ("turns", "ended_by"): (("host", "next"), "next"),
    ("turns", "actor"): (("agent", "person", "since", "restore", "unknown"), "unknown"),
    ("turn_changes", "status"): (CHANGES, "M"),
    ("restores", "role"): (("restore", "undo", "redo"), "restore"),
    ("restores", "state"): (("writing", "done", "partial", "interrupted"), "partial"),
    ("restores", "mode"): (("keep-edits", "overlay", "exact"), "keep-edits"),
    ("restore_paths", "action"): (("write", "delete", "chmod", "mkdir", "keep"), "keep"),
    ("restore_paths", "outcome"): (("planned", "done", "kept", "failed"), "planned"),
    ("legacy_archives", "layout"): (LAYOUTS, "archive"),
    ("legacy_archives", "state"): (("found", "imported", "archived", "cleared"), "found"),
    ("former_ids", "layout"): (LAYOUTS, "v2"),
    ("operations", "kind"): (
        ("take", "restore", "prune", "gc", "migration", "rebuild"),
        "migration",
    ),
    ("operations", "outcome"): (
        ("running", "done", "unchanged", "skipped", "partial", "failed"),
        "partial",
    ),
}
"""By table and column: the words that may stand there, and the one that claims least, which takes
the place of any other."""

RULES: Mapping[str, Mapping[str, str]] = {
    "checkpoints": {
        "pruned_at": "(state IN ('arriving', 'live')) = (pruned_at IS NULL)",
        "whole": (
            "state NOT IN ('live', 'pruning') OR"
            " (tree_id IS NOT NULL AND state_id IS NOT NULL AND ref_name IS NOT NULL)"
        ),
    },
    "turns": {"ended_at": "(ended_at IS NULL) = (ended_by IS NULL)"},
    "restores": {"finished_at": "(state = 'writing') = (finished_at IS NULL)"},
    "operations": {"finished_at": "(outcome = 'running') = (finished_at IS NULL)"},
}

UNIQUE = {"projects": "workdir"}

TABLES = (
    "projects",
    "checkpoints",
    "checkpoint_changes",
    "skipped_paths",
    "agent_writes",
    "turns",
    "turn_changes",
    "restores",
    "restore_paths",
    "session_checkpoints",
    "session_checkpoint_versions",
    "legacy_archives",
    "operations",
)
"""Those that get constraints."""

INDEXES = (
    "CREATE INDEX ix_projects_last_touch ON projects (last_touch)",
    (
        "CREATE UNIQUE INDEX ix_checkpoints_ref_name ON checkpoints (ref_name)"
        " WHERE ref_name IS NOT NULL"
    ),
    "CREATE INDEX ix_checkpoints_state_project_id_id ON checkpoints (state, project_id, id)",
    (
        "CREATE INDEX ix_checkpoints_session_id_state_turn ON checkpoints (session_id, state, turn)"
        " WHERE session_id IS NOT NULL"
    ),
    (
        "CREATE INDEX ix_checkpoints_unshrunk ON checkpoints (state, project_id, id)"
        " WHERE ref_name IS NOT NULL"
    ),
    "CREATE INDEX ix_checkpoint_changes_new_blob ON checkpoint_changes (new_blob)",
    "CREATE INDEX ix_checkpoint_changes_path ON checkpoint_changes (path)",
    "CREATE INDEX ix_agent_writes_project_id_written_at ON agent_writes (project_id, written_at)",
    (
        "CREATE INDEX ix_turns_project_id_start_checkpoint_id"
        " ON turns (project_id, start_checkpoint_id)"
    ),
    "CREATE INDEX ix_turns_session_id_turn ON turns (session_id, turn)",
    "CREATE UNIQUE INDEX ix_turns_open ON turns (project_id) WHERE ended_at IS NULL",
    "CREATE INDEX ix_restores_project_id_id ON restores (project_id, id)",
    "CREATE INDEX ix_restores_operation_id ON restores (operation_id)",
    "CREATE INDEX ix_restores_state ON restores (state)",
    "CREATE INDEX ix_session_checkpoints_updated_at ON session_checkpoints (updated_at)",
    (
        "CREATE INDEX ix_session_checkpoints_status_updated_at"
        " ON session_checkpoints (status, updated_at)"
    ),
    "CREATE INDEX ix_legacy_archives_path ON legacy_archives (path)",
    "CREATE INDEX ix_operations_kind_outcome_workdir_id ON operations (kind, outcome, workdir, id)",
    "CREATE INDEX ix_operations_outcome ON operations (outcome)",
)


def constraints(table: str) -> dict[str, str]:
    """The constraints of a table by name, but for its keys."""
    found = {name: f"{name} BETWEEN 0 AND {MOST}" for name in COUNTS.get(table, ())}
    found |= {name: f"{name} BETWEEN -{MOST} AND {MOST}" for name in INTEGERS.get(table, ())}
    found |= {name: f"{name} IN (0, 1)" for name in BOOLEANS.get(table, ())}
    for (of, name), (words, _) in WORDS.items():
        if of == table:
            found[name] = f"{name} IN ({', '.join(map(repr, words))})"
    found |= RULES.get(table, {})
    lines = {f"ck_{table}_{name}": f"CHECK ({rule})" for name, rule in found.items()}
    if table in UNIQUE:
        lines[f"uq_{table}_{UNIQUE[table]}"] = f"UNIQUE ({UNIQUE[table]})"
    return lines


# --- mending -----------------------------------------------------------------------------------


def mend() -> None:
    """Bring each row that breaks a constraint to the nearest that does not."""
    for table, names in BOOLEANS.items():
        for name in names:
            op.execute(f"UPDATE {table} SET {name} = 1 WHERE {name} NOT IN (0, 1)")
    for (table, name), (words, neutral) in WORDS.items():
        listed = ", ".join(map(repr, words))
        op.execute(f"UPDATE {table} SET {name} = '{neutral}' WHERE {name} NOT IN ({listed})")
    mend_numbers()
    merge_projects()
    mend_times()


def mend_numbers() -> None:
    """A number below 0 becomes 0; what is no number becomes NULL, or 0 where that may not be."""
    required = required_columns()
    for least, numbers in ((0, COUNTS), (-MOST, INTEGERS)):
        for table, names in numbers.items():
            for name in names:
                if (table, name) in (
                    ("checkpoints", "stored_bytes"),
                    ("checkpoints", "held_bytes"),
                ):
                    continue  # made below, from numbers that are mended here
                other = "0" if (table, name) in required else "NULL"
                op.execute(
                    f"UPDATE {table} SET {name} = CASE WHEN typeof({name}) = 'integer'"
                    f" THEN {least} ELSE {other} END"
                    f" WHERE typeof({name}) NOT IN ('integer', 'null') OR {name} < {least}"
                )


def required_columns() -> set[tuple[str, str]]:
    connection = op.get_bind()
    return {
        (table, str(row[1]))
        for table in {*COUNTS, *INTEGERS}
        for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")
        if row[3]
    }


def merge_projects() -> None:
    """Where several projects have one directory, give all to the one that its hash names, or else
    to the first."""
    rows = op.get_bind().exec_driver_sql("SELECT id, hash, workdir FROM projects ORDER BY id")
    by_directory: dict[str, list[tuple[int, str]]] = {}
    for id_, hash_, workdir in rows:
        by_directory.setdefault(str(workdir), []).append((int(id_), str(hash_)))
    for workdir, found in by_directory.items():
        named = hash_of(workdir)
        kept = min(found, key=lambda one: (one[1] != named, one[0]))[0]
        for id_, _ in found:
            if id_ != kept:
                merge_project(id_, kept)


def hash_of(workdir: str) -> str:
    """The hash that names the project of a directory, from the text that the catalog has."""

    def unescaped(match: re.Match[str]) -> str:
        code = match.group(1)
        if code == "\\":
            return code
        return chr(int(code[1:], 16) + (0xDC00 if code[0] == "x" else 0))

    path = re.sub(r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4})", unescaped, workdir)
    try:
        return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    except ValueError:  # a text that is the name of nothing here
        return ""


def merge_project(id_: int, kept: int) -> None:
    for table in ("checkpoints", "agent_writes", "turns", "restores", "operations"):
        op.execute(f"UPDATE {table} SET project_id = {kept} WHERE project_id = {id_}")
    op.execute(
        "UPDATE projects SET last_touch ="
        f" (SELECT max(b.last_touch) FROM projects AS b WHERE b.id IN ({kept}, {id_}))"
        f" WHERE id = {kept}"
    )
    op.execute(f"DELETE FROM projects WHERE id = {id_}")


def mend_times() -> None:
    """Give what has ended the time of its beginning where it has none."""
    op.execute(
        "UPDATE checkpoints SET pruned_at = created_at"
        " WHERE state IN ('pruning', 'pruned') AND pruned_at IS NULL"
    )
    op.execute(
        "UPDATE checkpoints SET pruned_at = NULL, prune_reason = NULL"
        " WHERE state NOT IN ('pruning', 'pruned') AND pruned_at IS NOT NULL"
    )
    for table, running in (
        ("restores", "state = 'writing'"),
        ("operations", "outcome = 'running'"),
    ):
        op.execute(
            f"UPDATE {table} SET finished_at = started_at"
            f" WHERE NOT {running} AND finished_at IS NULL"
        )
        op.execute(
            f"UPDATE {table} SET finished_at = NULL WHERE {running} AND finished_at IS NOT NULL"
        )
    op.execute(
        "UPDATE turns SET ended_at = started_at WHERE ended_at IS NULL AND ended_by IS NOT NULL"
    )
    op.execute("UPDATE turns SET ended_by = 'next' WHERE ended_by IS NULL AND ended_at IS NOT NULL")
    later = (
        "FROM turns AS n WHERE n.project_id = turns.project_id AND n.id > turns.id"
        " AND n.ended_at IS NULL"
    )
    op.execute(
        "UPDATE turns SET ended_by = 'next',"
        f" ended_at = (SELECT n.started_at {later} ORDER BY n.id LIMIT 1)"
        f" WHERE ended_at IS NULL AND EXISTS (SELECT 1 {later})"
    )


# --- tables ------------------------------------------------------------------------------------


def count(name: str, kind: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), server_default=sa.text("0"), nullable=False)


def checkpoints() -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.String(64), nullable=False),
        sa.Column("tree_id", sa.String(64)),
        sa.Column("state_id", sa.String(64)),
        sa.Column("ref_name", sa.String(255)),
        sa.Column("previous_id", sa.Integer()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("turn", sa.Integer()),
        sa.Column("message_count", sa.Integer()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        count("utc_offset_minutes"),
        count("file_count"),
        count("logical_bytes", sa.BigInteger),
        count("added_bytes", sa.BigInteger),
        count("superseded_bytes", sa.BigInteger),
        count("stored_bytes", sa.BigInteger),
        count("held_bytes", sa.BigInteger),
        count("files_changed"),
        count("insertions"),
        count("deletions"),
        count("skipped_count"),
        count("ignored_count"),
        sa.Column("state", sa.String(16), server_default="live", nullable=False),
        sa.Column("pruned_at", sa.DateTime()),
        sa.Column("prune_reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_checkpoints"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_checkpoints_project_id_projects"
        ),
        sa.UniqueConstraint("commit_id", name="uq_checkpoints_commit_id"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["checkpoints.id"], name="fk_checkpoints_previous_id_checkpoints"
        ),
        *(
            sa.CheckConstraint(rule.removeprefix("CHECK (").removesuffix(")"), name=name)
            for name, rule in constraints("checkpoints").items()
        ),
    ]


# Sums that nonsense makes larger than an integer can be stay at what one can hold.
STORED = (
    "coalesce((SELECT CAST(min(total(x.stored_bytes), 9e18) AS INTEGER)"
    " FROM checkpoint_changes AS x WHERE x.checkpoint_id = checkpoints.id), 0)"
)
FILLED = {
    "stored_bytes": STORED,
    "held_bytes": (
        f"CAST(min(max(0, total({STORED} - superseded_bytes)"
        " OVER (PARTITION BY project_id ORDER BY id)), 9e18) AS INTEGER)"
    ),
}


def make_anew(
    name: str,
    items: list[sa.schema.SchemaItem] | None = None,
    filled: Mapping[str, str] | None = None,
) -> None:
    """Make a table anew with its rows: of these items, or as it is with its new constraints.

    ``filled`` has the SQL of columns that are not copied.
    """
    connection = op.get_bind()
    new = f"new_{name}"
    sequence = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)
    ).scalar()
    of_it = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    old = str(connection.exec_driver_sql(of_it, (name,)).scalar())
    if items is None:
        create_like(old, new, constraints(name))
    else:
        op.create_table(new, *items, sqlite_autoincrement=True)
    columns = [str(row[1]) for row in connection.exec_driver_sql(f"PRAGMA table_info({new})")]
    values = [(filled or {}).get(column, column) for column in columns]
    op.execute(f"INSERT INTO {new} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {name}")
    if "AUTOINCREMENT" in old:
        # Ids that were given are not given anew, also where their rows are gone.
        connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (new,))
        seen = "INSERT INTO sqlite_sequence VALUES (?, ?)"
        connection.exec_driver_sql(seen, (new, sequence or 0))
    op.drop_table(name)
    op.rename_table(new, name)


def create_like(old: str, new: str, added: Mapping[str, str]) -> None:
    """Create a table with the definition of another and more constraints."""
    body = re.sub(r'^CREATE TABLE "?\w+"? \(', "", old).rstrip().removesuffix(")").rstrip()
    lines = [
        f"CONSTRAINT {name} {rule}"
        for name, rule in added.items()
        if f"CONSTRAINT {name} " not in old
    ]
    op.execute(f"CREATE TABLE {new} ({', '.join([body, *lines])})")


def upgrade() -> None:
    connection = op.get_bind()
    made = {
        name: str(sql)
        for name, sql in connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        )
    }
    for view in VIEWS:
        op.execute(f"DROP VIEW {view}")
    op.add_column(
        "projects",
        sa.Column("disposable", sa.Boolean(), server_default=sa.text("0"), nullable=False),
    )
    with op.batch_alter_table("turns", recreate="never") as turns:
        turns.drop_column("end_tree")
    mend()
    make_anew("checkpoints", checkpoints(), FILLED)
    for table in TABLES:
        if table != "checkpoints":
            make_anew(table)
    for index in INDEXES:
        op.execute(index)
    for view in VIEWS:
        op.execute(made[view])
    for sql in NEW_VIEWS:
        op.execute(sql.strip())
    op.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

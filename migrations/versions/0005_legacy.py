"""Take in what earlier versions left in the base: find it all, and read what fits into rows.

Repositories and stores of versions 1 and 2 are entered as found. Their objects are imported by
the program once this revision is committed, because no git may run while the catalog is locked.
Files of sessions, the facts of projects and the time of the last prune are rows at once.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import yaml
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NOT_IN_SQL = "also lists in the catalog what earlier versions left in its folder."
LAYOUTS = "layout IN ('v1', 'v2', 'archive', 'session-file')"
REPOSITORY_NAME = re.compile(r"[0-9a-f]{16}")
MOST_ID_CHARACTERS = 255

LEGACY_LIST = """
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
ORDER BY l.state = 'cleared', l.path
"""

archives = sa.table(
    "legacy_archives",
    sa.column("name", sa.Text()),
    sa.column("path", sa.Text()),
    sa.column("layout", sa.String()),
    sa.column("project_hash", sa.String()),
    sa.column("workdir", sa.Text()),
    sa.column("state", sa.String()),
    sa.column("size_bytes", sa.BigInteger()),
    sa.column("error", sa.Text()),
    sa.column("found_at", sa.DateTime()),
    sa.column("imported_at", sa.DateTime()),
)
projects = sa.table(
    "projects",
    sa.column("hash", sa.String()),
    sa.column("workdir", sa.Text()),
    sa.column("created_at", sa.DateTime()),
    sa.column("last_touch", sa.DateTime()),
)
sessions = sa.table(
    "session_checkpoints",
    sa.column("session_id", sa.String()),
    sa.column("version", sa.Integer()),
    sa.column("status", sa.Text()),
    sa.column("created_at", sa.DateTime()),
    sa.column("updated_at", sa.DateTime()),
    sa.column("size_bytes", sa.BigInteger()),
    sa.column("task", sa.Text()),
    sa.column("document", sa.Text()),
)
settings = sa.table(
    "settings",
    sa.column("name", sa.String()),
    sa.column("value", sa.Text()),
    sa.column("updated_at", sa.DateTime()),
)


def utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(tzinfo=None)


def encoded(path: str) -> str:
    """A path as the catalog writes it: no backslash but doubled, undecodable bytes as \\xNN."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match.group())
        if code == 0x5C:
            return "\\\\"
        return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"

    return re.sub(r"[\\\ud800-\udfff]", escape, path)


def base_of(connection: sa.Connection) -> Path | None:
    """The folder of the catalog, or None where it is in memory."""
    for _, name, file in connection.exec_driver_sql("PRAGMA database_list"):
        if name == "main" and file:
            return Path(file).parent
    return None


def contents(file: Path) -> bytes:
    """The bytes of a regular file, none of anything else: a pipe would be waited for."""
    try:
        return file.read_bytes() if file.is_file() else b""
    except OSError:
        return b""


def entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def is_repository(path: Path) -> bool:
    parts = ("HEAD", "HERMES_WORKDIR", "objects")
    return bool(REPOSITORY_NAME.fullmatch(path.name)) and any((path / p).exists() for p in parts)


def is_v2_store(store: Path) -> bool:
    return (
        b" refs/hermes/" in contents(store / "packed-refs")
        or any(entries(store / "refs" / "hermes"))
        or (store / "projects").is_dir()
    )


def workdir_of(repository: Path) -> str | None:
    text = contents(repository / "HERMES_WORKDIR").decode("utf-8", "surrogateescape")
    return text.rstrip("\r\n") or None


def found(base: Path) -> Iterator[tuple[Path, str]]:
    """What lies in the base, in the order in which it is to be imported: oldest layout first."""
    folders = [e for e in entries(base) if e.name.startswith("legacy-") and e.is_dir()]
    for folder in (*folders, base):
        for entry in entries(folder):
            if is_repository(entry):
                yield entry, "v1"
            elif entry.suffix == ".yaml" and not entry.is_dir():
                yield entry, "session-file"
    if is_v2_store(base / "store"):
        yield base / "store", "v2"


# --- sessions ------------------------------------------------------------------------------


def moment(value: object) -> dt.datetime | None:
    """The time that a value means, in UTC; one without a zone is local."""
    try:
        if isinstance(value, str):
            value = dt.datetime.fromisoformat(value)
        elif isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            value = dt.datetime.combine(value, dt.time())
        if isinstance(value, dt.datetime):
            return value.astimezone(dt.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def words(value: object) -> str | None:
    if isinstance(value, bool | int | float | dt.date):
        return str(value)
    return value if isinstance(value, str) and value.isprintable() else None


def session_row(file: Path, now: dt.datetime) -> dict[str, Any] | None:
    """The row of a session file, or None where the program has to look at it."""
    name = file.name.removesuffix(".yaml")
    good_name = name.isprintable() and 0 < len(name) <= MOST_ID_CHARACTERS and "%" not in name
    if not good_name or file.is_symlink() or not file.is_file():
        return None
    try:
        text = file.read_bytes().decode("utf-8")
        document = yaml.safe_load(text)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, yaml.YAMLError):
        return None
    if not isinstance(document, dict) or "\0" in text:
        return None
    updated = moment(document.get("updated")) or now
    return {
        "session_id": name,
        "version": 1,
        "status": words(document.get("status", "in_progress")),
        "created_at": moment(document.get("created")) or updated,
        "updated_at": updated,
        "size_bytes": len(text.encode()),
        "task": words(document.get("task")),
        "document": text,
    }


def add_session(connection: sa.Connection, row: dict[str, Any]) -> bool:
    """Add a session that the catalog has not; say whether it then has that state."""
    known = connection.scalar(
        sa.select(sessions.c.updated_at).where(sessions.c.session_id == row["session_id"])
    )
    if known is None:
        connection.execute(sessions.insert().values(row))
    return known is None or known == row["updated_at"]


# --- facts of version 2 ----------------------------------------------------------------------


def time_of(value: object) -> dt.datetime | None:
    try:
        return dt.datetime.fromtimestamp(float(value), dt.UTC).replace(tzinfo=None)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def add_projects(connection: sa.Connection, store: Path, now: dt.datetime) -> None:
    for file in entries(store / "projects"):
        try:
            facts = json.loads(contents(file))
            workdir = facts["workdir"]
            hash_ = hashlib.sha256(workdir.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        known = connection.scalar(sa.select(projects.c.hash).where(projects.c.hash == hash_))
        if file.name != f"{hash_}.json" or known is not None:
            continue
        touched = time_of(facts.get("last_touch")) or now
        created = time_of(facts.get("created_at")) or touched
        connection.execute(
            projects.insert().values(
                hash=hash_, workdir=encoded(workdir), created_at=created, last_touch=touched
            )
        )


def add_last_prune(connection: sa.Connection, base: Path, now: dt.datetime) -> None:
    try:
        told = time_of(contents(base / ".last_prune").decode().strip())
    except ValueError:
        return
    known = connection.scalar(sa.select(settings.c.name).where(settings.c.name == "last_prune"))
    if told is not None and known is None:
        value = told.replace(tzinfo=dt.UTC).isoformat()
        connection.execute(settings.insert().values(name="last_prune", value=value, updated_at=now))


def take_in(connection: sa.Connection, base: Path) -> None:
    now = utc_now()
    known = set(connection.scalars(sa.select(archives.c.path)))
    for path, layout in found(base):
        name = encoded(path.relative_to(base).as_posix())
        if name in known:
            continue
        row: dict[str, Any] = {
            "name": encoded(path.name),
            "path": name,
            "layout": layout,
            "state": "found",
            "found_at": now,
        }
        if layout == "v1":
            workdir = workdir_of(path)
            row |= {"project_hash": path.name, "workdir": workdir and encoded(workdir)}
        elif layout == "session-file":
            session = session_row(path, now)
            if session is not None and add_session(connection, session):
                row |= {"state": "imported", "imported_at": now}
        connection.execute(archives.insert().values(row))
    add_projects(connection, base / "store", now)
    add_last_prune(connection, base, now)


def upgrade() -> None:
    op.add_column("legacy_archives", sa.Column("workdir", sa.Text()))
    op.create_table(
        "former_ids",
        sa.Column("former_id", sa.String(64), nullable=False),
        sa.Column("checkpoint_id", sa.Integer(), nullable=False),
        sa.Column("layout", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("former_id", "checkpoint_id", name="pk_former_ids"),
        sa.CheckConstraint(LAYOUTS, name="ck_former_ids_layout"),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"], ["checkpoints.id"], name="fk_former_ids_checkpoint_id_checkpoints"
        ),
    )
    op.create_index("ix_former_ids_checkpoint_id", "former_ids", ["checkpoint_id"])
    op.execute(LEGACY_LIST.strip())
    connection = op.get_bind()
    base = base_of(connection)
    if base is not None:
        take_in(connection, base)


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

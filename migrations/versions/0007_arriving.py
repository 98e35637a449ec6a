"""List the checkpoints of earlier versions before their objects are in the store.

The program reads what old repositories hold before this revision runs, and hands it over as plain
documents, because no git may run while the catalog is locked. Each of their commits becomes a row
in the state ``arriving``, under the id that the checkpoint will have; the program brings the
objects afterwards. What has no document, or no free place, is imported by the program alone.

``former_ids`` learns in which archive a former commit lies, and whether a person let the
checkpoint go: an archive stays while it alone has something.
"""

from __future__ import annotations

import datetime as dt
import heapq
import itertools
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NOT_IN_SQL = "also lists in the catalog the checkpoints that earlier versions left in its folder."

FIRST_ID = -(2**31)
LAYOUTS = "layout IN ('v1', 'v2', 'archive', 'session-file')"

archives = sa.table(
    "legacy_archives",
    sa.column("id", sa.Integer()),
    sa.column("name", sa.Text()),
    sa.column("path", sa.Text()),
    sa.column("layout", sa.String()),
    sa.column("project_hash", sa.String()),
    sa.column("workdir", sa.Text()),
    sa.column("state", sa.String()),
    sa.column("found_at", sa.DateTime()),
)
projects = sa.table(
    "projects",
    sa.column("id", sa.Integer()),
    sa.column("hash", sa.String()),
    sa.column("workdir", sa.Text()),
    sa.column("created_at", sa.DateTime()),
    sa.column("last_touch", sa.DateTime()),
)
checkpoints = sa.table(
    "checkpoints",
    sa.column("id", sa.Integer()),
    sa.column("project_id", sa.Integer()),
    sa.column("commit_id", sa.String()),
    sa.column("tree_id", sa.String()),
    sa.column("state_id", sa.String()),
    sa.column("ref_name", sa.String()),
    sa.column("kind", sa.String()),
    sa.column("reason", sa.Text()),
    sa.column("created_at", sa.DateTime()),
    sa.column("utc_offset_minutes", sa.Integer()),
    sa.column("state", sa.String()),
)
former_ids = sa.table(
    "former_ids",
    sa.column("former_id", sa.String()),
    sa.column("checkpoint_id", sa.Integer()),
    sa.column("layout", sa.String()),
    sa.column("archive_id", sa.Integer()),
)

# Of what was imported before: the one archive of the same layout and directory, if there is one. A
# folder elsewhere is named only where none in the base is, and where several in the base are, which
# of them has the commit is not known. A checkpoint of a directory that was moved since has a ref
# with the former one. What was dropped by name was let go.
CLAIM = """
UPDATE former_ids SET archive_id = (
    SELECT CASE
        WHEN sum(l.inside) > 1 THEN NULL
        WHEN sum(l.inside) = 1 THEN max(CASE WHEN l.inside THEN l.id END)
        ELSE max(l.id) END
    FROM (
        SELECT id, layout, workdir, project_hash,
            NOT (path GLOB '/*' OR path GLOB '[A-Za-z]:*' OR path GLOB '\\*') AS inside
        FROM legacy_archives WHERE state <> 'cleared'
    ) AS l, checkpoints AS c, projects AS p
    WHERE c.id = former_ids.checkpoint_id AND p.id = c.project_id
      AND l.layout = former_ids.layout
      AND (l.layout = 'v2' OR l.workdir = p.workdir OR l.project_hash = p.hash
           OR c.ref_name GLOB 'refs/checkpoints/' || l.project_hash || '/*')
)
"""
LET_GO = """
UPDATE former_ids SET let_go_at = (
    SELECT coalesce(c.pruned_at, c.created_at) FROM checkpoints AS c
    WHERE c.id = former_ids.checkpoint_id AND c.prune_reason = 'it was dropped by hand'
)
"""


class Entry(NamedTuple):
    """A commit that may become a row."""

    former_id: str
    tree_id: str
    message: str
    created_at: dt.datetime
    utc_offset_minutes: int
    layout: str
    archive_id: int


def encoded(path: str) -> str:
    """A path as the catalog writes it: no backslash but doubled, undecodable bytes as \\xNN."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match.group())
        if code == 0x5C:
            return "\\\\"
        return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"

    return re.sub(r"[\\\ud800-\udfff]", escape, path)


def plain(text: str) -> str:
    """A text as the catalog writes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def archive_of(connection: sa.Connection, document: dict[str, Any], now: dt.datetime) -> int | None:
    """The record of what a document was read from, made if there is none; None where it is
    listed as imported."""
    path = encoded(document["path"])
    where = sa.and_(archives.c.path == path, archives.c.state != "cleared")
    known = connection.execute(sa.select(archives.c.id, archives.c.state).where(where)).first()
    if known is not None:
        return int(known.id) if known.state == "found" else None
    row = {
        "name": encoded(PurePath(document["path"]).name),
        "path": path,
        "layout": document["layout"],
        "state": "found",
        "found_at": now,
    }
    if document["layout"] == "v1":
        workdir = document["working_dir"]
        row |= {"project_hash": document["name"], "workdir": workdir and encoded(workdir)}
    connection.execute(archives.insert().values(row))
    return int(connection.scalar(sa.select(sa.func.max(archives.c.id))) or 0)


def entries(document: dict[str, Any], archive: int) -> list[Entry]:
    """The commits of a document, parents first."""
    return [
        Entry(
            one["former_id"],
            one["tree_id"],
            plain(one["message"]),
            dt.datetime.fromisoformat(one["created_at"]).astimezone(dt.UTC).replace(tzinfo=None),
            one["utc_offset_minutes"],
            document["layout"],
            archive,
        )
        for one in document["commits"]
    ]


def fresh(
    connection: sa.Connection, project: int, histories: list[list[Entry]], taken: set[str]
) -> Iterator[Entry]:
    """The commits of a project that have no row, oldest first, each once. A commit of version 2
    with the tree and message of a checkpoint may be a copy of that one: the program knows."""
    of_project = (
        sa.select(
            former_ids.c.former_id,
            former_ids.c.layout,
            checkpoints.c.tree_id,
            checkpoints.c.reason,
        )
        .join_from(former_ids, checkpoints, checkpoints.c.id == former_ids.c.checkpoint_id)
        .where(checkpoints.c.project_id == project)
    )
    known = connection.execute(of_project).all()
    copies = {(row.tree_id, row.reason) for row in known if row.layout == "v2"}
    seen = taken | {row.former_id for row in known}
    for entry in heapq.merge(*histories, key=lambda one: one.created_at):
        copy = entry.layout == "v2" and (entry.tree_id, entry.message) in copies
        if entry.former_id not in seen and not copy:
            seen.add(entry.former_id)
            yield entry


def free_ids(
    connection: sa.Connection, places: list[tuple[int | None, int, dt.datetime]]
) -> list[int]:
    """An id that no checkpoint has for each place: after which row, before which, and when, oldest
    first. The ids grow as the places do. Where nothing comes before it, it is a negative one that
    grows with the time; where there is no room between two rows, the ids go on below the first."""
    found: list[int] = []
    for after, before, at in reversed(places):
        end = min([before, *found[-1:]])
        least = FIRST_ID if after is None else after + 1
        wanted = FIRST_ID + int(at.replace(tzinfo=dt.UTC).timestamp())
        first = wanted if least <= wanted < end else end - 1
        for candidate in itertools.chain(range(first, end), range(first - 1, FIRST_ID, -1)):
            taken = sa.select(checkpoints.c.id).where(checkpoints.c.id == candidate)
            if connection.scalar(taken) is None:
                found.append(candidate)
                break
        else:
            raise RuntimeError("there is no room for another imported checkpoint")
    return found[::-1]


def enter(connection: sa.Connection, documents: list[dict[str, Any]]) -> None:
    """Add the rows of what the documents hold, of each project in the order of time."""
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    of_project: dict[str, list[list[Entry]]] = {}
    workdirs: dict[str, str] = {}
    for document in documents:
        archive = archive_of(connection, document, now)
        if archive is not None and document["commits"]:
            workdirs[document["project_hash"]] = document["working_dir"]
            of_project.setdefault(document["project_hash"], []).append(entries(document, archive))
    taken = set(connection.scalars(sa.select(checkpoints.c.commit_id)))
    last = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'checkpoints'"
    next_id = int(connection.exec_driver_sql(last).scalar() or 0) + 1
    for hash_, histories in of_project.items():
        first = min(one.created_at for history in histories for one in history)
        project = project_of(connection, hash_, workdirs[hash_], first, now)
        found = list(fresh(connection, project, histories, taken))
        taken |= {one.former_id for one in found}
        next_id = add(connection, project, hash_, found, next_id)


def project_of(
    connection: sa.Connection, hash_: str, workdir: str, first: dt.datetime, now: dt.datetime
) -> int:
    of_hash = sa.select(projects.c.id).where(projects.c.hash == hash_)
    known = connection.scalar(of_hash)
    if known is None:
        row = {
            "hash": hash_,
            "workdir": encoded(workdir),
            "created_at": first,
            "last_touch": max(first, now),
        }
        connection.execute(projects.insert().values(row))
        known = connection.scalar(of_hash)
    return int(known or 0)


def add(
    connection: sa.Connection, project: int, hash_: str, found: list[Entry], next_id: int
) -> int:
    """Add rows where the time puts them among the live checkpoints of their project; return the
    next id that is free above all."""
    live = (
        sa.select(checkpoints.c.id, checkpoints.c.created_at)
        .where(checkpoints.c.project_id == project, checkpoints.c.state == "live")
        .order_by(checkpoints.c.id)
    )
    rest = [(int(row[0]), row[1]) for row in connection.execute(live)]
    after: int | None = None
    placed: list[tuple[Entry, tuple[int | None, int, dt.datetime] | None]] = []
    for entry in found:
        earlier = [i for i, (_, taken) in enumerate(rest) if taken <= entry.created_at]
        if earlier:
            after = rest[earlier[-1]][0]
            del rest[: earlier[-1] + 1]
        placed.append((entry, (after, rest[0][0], entry.created_at) if rest else None))
    ids = iter(free_ids(connection, [place for _, place in placed if place is not None]))
    rows: list[dict[str, Any]] = []
    formers: list[dict[str, Any]] = []
    for entry, place in placed:
        if place is None:
            id_, next_id = next_id, next_id + 1
        else:
            id_ = next(ids)
        stamp = f"{entry.created_at:%Y%m%dT%H%M%S%f}Z"
        row = {
            "id": id_,
            "project_id": project,
            "commit_id": entry.former_id,
            "tree_id": entry.tree_id,
            "state_id": entry.tree_id,
            "ref_name": f"refs/checkpoints/{hash_}/{stamp}-{entry.former_id[:16]}",
            "kind": "imported",
            "reason": entry.message,
            "created_at": entry.created_at,
            "utc_offset_minutes": entry.utc_offset_minutes,
            "state": "arriving",
        }
        former = {
            "former_id": entry.former_id,
            "checkpoint_id": id_,
            "layout": entry.layout,
            "archive_id": entry.archive_id,
        }
        rows.append(row)
        formers.append(former)
    if rows:
        connection.execute(checkpoints.insert(), rows)
        connection.execute(former_ids.insert(), formers)
    return next_id


def upgrade() -> None:
    # SQLite adds no foreign key to a table, so it is made anew; no view reads it.
    op.create_table(
        "new_former_ids",
        sa.Column("former_id", sa.String(64), nullable=False),
        sa.Column("checkpoint_id", sa.Integer(), nullable=False),
        sa.Column("layout", sa.String(16), nullable=False),
        sa.Column("archive_id", sa.Integer()),
        sa.Column("let_go_at", sa.DateTime()),
        sa.PrimaryKeyConstraint("former_id", "checkpoint_id", name="pk_former_ids"),
        sa.CheckConstraint(LAYOUTS, name="ck_former_ids_layout"),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"], ["checkpoints.id"], name="fk_former_ids_checkpoint_id_checkpoints"
        ),
        sa.ForeignKeyConstraint(
            ["archive_id"], ["legacy_archives.id"], name="fk_former_ids_archive_id_legacy_archives"
        ),
    )
    op.execute(
        "INSERT INTO new_former_ids (former_id, checkpoint_id, layout)"
        " SELECT former_id, checkpoint_id, layout FROM former_ids"
    )
    op.drop_table("former_ids")
    op.rename_table("new_former_ids", "former_ids")
    op.create_index("ix_former_ids_checkpoint_id", "former_ids", ["checkpoint_id"])
    op.create_index("ix_former_ids_archive_id", "former_ids", ["archive_id"])
    op.execute(CLAIM.strip())
    op.execute(LET_GO.strip())
    config = op.get_context().config
    documents = config.attributes.get("documents") if config is not None else None
    if documents:
        enter(op.get_bind(), documents)


def downgrade() -> None:
    raise RuntimeError(
        "a catalog is never downgraded: restore the backup at catalog.db.backup-<revision>-<time>"
    )

"""Checkpoints of earlier versions that are listed, and whose objects are not in the store yet.

A row in the state ``arriving`` has the id that the checkpoint will have, and its former commit in
place of the one that it gets. Nothing else reads such rows: they cannot be restored, do not count
and are never pruned. Revision 0007 enters them at an upgrade by the same rules as ``enter``.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)

from hermes_checkpoints.catalog.checkpoints import Place, free_ids
from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.schema import (
    checkpoints,
    former_ids,
    labels,
    legacy_archives,
    projects,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.layout import REF_PREFIX, imported_ref
from hermes_checkpoints.model import Kind, LegacyLayout, LegacyState

if TYPE_CHECKING:
    from hermes_checkpoints.model import FormerDocument, FormerEntry, LegacyRecord

_ARRIVING = checkpoints.c.state == "arriving"
_COUNT = select(func.count()).select_from(checkpoints).where(_ARRIVING)
_COUNT_OF_PROJECT = _COUNT.where(
    checkpoints.c.project_id
    == select(projects.c.id).where(projects.c.hash == bindparam("of_hash")).scalar_subquery()
)
_IMPORTED = select(func.count(former_ids.c.checkpoint_id.distinct())).where(
    former_ids.c.checkpoint_id.in_(bindparam("ids", expanding=True))
)


@dataclass(frozen=True)
class _Entry:
    """A commit that may become a row."""

    facts: FormerEntry
    created_at: datetime
    layout: str
    archive_id: int


class Arriving(Records):
    """The arriving rows of ``checkpoints``. Every method is one transaction."""

    def enter(self, documents: Iterable[FormerDocument], now: datetime) -> int:
        """List the commits of documents that are not listed yet, each where the time puts it
        among the checkpoints of its project; return how many.

        The archives of the documents must be listed as found. A commit that another project has,
        and one of version 2 that may be a copy of a checkpoint, are left to the import.
        """
        count = 0
        with self._transactions.writing() as connection:
            of_project: dict[str, list[list[_Entry]]] = {}
            working_dirs: dict[str, str] = {}
            for document in documents:
                archive = _archive_of(connection, document)
                hash_, working_dir = document["project_hash"], document["working_dir"]
                if archive is not None and document["commits"] and hash_ and working_dir:
                    working_dirs[hash_] = working_dir
                    of_project.setdefault(hash_, []).append(_entries(document, archive))
            for hash_, histories in of_project.items():
                first = min(one.created_at for history in histories for one in history)
                project = _project_of(connection, hash_, working_dirs[hash_], first, now)
                for found in _placed(connection, project, hash_, histories):
                    _insert(connection, *found)
                    count += 1
        return count

    def count(self, project_hash: str | None = None) -> int:
        """Return how many there are, of one project if it is named by its hash."""
        if project_hash is None:
            return int(self._column(_COUNT)[0])
        return int(self._column(_COUNT_OF_PROJECT, {"of_hash": project_hash})[0])

    def rows(self, former: Sequence[str]) -> dict[str, int]:
        """Return the number of the row of each of these former commits that is arriving."""
        found: dict[str, int] = {}
        with self._transactions.reading() as connection:
            for some in chunks(former):
                query = select(checkpoints.c.commit_id, checkpoints.c.id).where(
                    _ARRIVING, checkpoints.c.commit_id.in_(some)
                )
                found |= {row[0]: row[1] for row in connection.execute(query)}
        return found

    def source(self, checkpoint_id: int) -> str | None:
        """Return the path of the archive that an arriving checkpoint comes from, as listed."""
        query = (
            select(legacy_archives.c.path)
            .join(former_ids, former_ids.c.archive_id == legacy_archives.c.id)
            .where(former_ids.c.checkpoint_id == checkpoint_id)
        )
        row = self._row(query)
        return None if row is None else str(row[0])

    def archives(self) -> set[int]:
        """Return the ids of the archives of which some checkpoints are arriving."""
        query = (
            select(former_ids.c.archive_id)
            .join(checkpoints, checkpoints.c.id == former_ids.c.checkpoint_id)
            .where(_ARRIVING, former_ids.c.archive_id.is_not(None))
            .distinct()
        )
        return set(self._column(query))

    # --- what does not arrive after all -----------------------------------------------------------

    def forget(self, former: Iterable[str]) -> None:
        """Remove the rows of former commits that cannot be had."""
        wanted = sorted(set(former))
        for some in chunks(wanted):
            self._forget(checkpoints.c.commit_id.in_(some))

    def forget_project(self, project_hash: str) -> None:
        """Remove the rows of a project whose places are not what its history says by now."""
        self._forget(checkpoints.c.project_id == _project(project_hash))

    def forget_rest(self) -> None:
        """Remove the rows of archives from which nothing is to be imported any more."""
        found = select(legacy_archives.c.id).where(legacy_archives.c.state == LegacyState.FOUND)
        coming = select(former_ids.c.checkpoint_id).where(former_ids.c.archive_id.in_(found))
        self._forget(checkpoints.c.id.not_in(coming))

    def _forget(self, condition: ColumnElement[bool]) -> None:
        ids = select(checkpoints.c.id).where(_ARRIVING, condition)
        with self._transactions.writing() as connection:
            gone = connection.scalars(ids).all()
            for some in chunks(gone):
                for of_them in (former_ids, labels):
                    connection.execute(delete(of_them).where(of_them.c.checkpoint_id.in_(some)))
                connection.execute(delete(checkpoints).where(checkpoints.c.id.in_(some)))

    # --- where imported checkpoints lie ---------------------------------------------------------

    def claim(self, record: LegacyRecord, former: Iterable[str], *, inside: bool) -> None:
        """Write down that former commits lie in an archive. One that is not ``inside`` the base
        takes none from another."""
        wanted = sorted(set(former))
        with self._transactions.writing() as connection:
            for some in chunks(wanted):
                of_them = former_ids.c.former_id.in_(some)
                statement = update(former_ids).where(of_them).values(archive_id=record.id)
                if not inside:
                    statement = statement.where(former_ids.c.archive_id.is_(None))
                connection.execute(statement)

    def let_go(self, checkpoint_ids: Iterable[int], now: datetime) -> None:
        """Write down that a person let checkpoints go, so that no archive has to keep them."""
        wanted = sorted(set(checkpoint_ids))
        with self._transactions.writing() as connection:
            for some in chunks(wanted):
                of_them = former_ids.c.checkpoint_id.in_(some)
                connection.execute(update(former_ids).where(of_them).values(let_go_at=now))

    def imported_among(self, checkpoint_ids: Sequence[int]) -> int:
        """Return how many of these checkpoints were imported."""
        count = 0
        with self._transactions.reading() as connection:
            for some in chunks(checkpoint_ids):
                count += connection.scalar(_IMPORTED, {"ids": some}) or 0
        return count

    def only_in_archives(self) -> list[tuple[str, int]]:
        """Return the paths of the archives from which something was imported that is nowhere else
        by now, each with how many checkpoints, in the order in which they were found."""
        return [(path, count) for path, count in self._rows(_only_in_archives())]


@functools.cache
def _only_in_archives() -> Select[Any]:
    count = only_there()
    return (
        select(legacy_archives.c.path, count)
        .where(
            legacy_archives.c.state == LegacyState.ARCHIVED,
            legacy_archives.c.imported_at.is_not(None),
            count > 0,
        )
        .order_by(legacy_archives.c.id)
    )


def only_there() -> ColumnElement[int]:
    """Return how many checkpoints are nowhere but in the archive of the row: they are not live, and
    no person let them go. One of which it is not known where it lies counts for every archive of
    its directory. Only repositories of version 1 are whole in an archive: the store of version 2
    is the one in use."""
    kept, lost = former_ids.c.let_go_at.is_(None), checkpoints.c.state != "live"
    lies_there = (
        select(former_ids.c.checkpoint_id)
        .where(former_ids.c.archive_id == legacy_archives.c.id, kept)
        .correlate(legacy_archives)
    )
    in_doubt = select(former_ids.c.checkpoint_id).where(
        former_ids.c.archive_id.is_(None), former_ids.c.layout == LegacyLayout.V1, kept
    )
    may_lie_there = or_(
        legacy_archives.c.project_hash == projects.c.hash,
        legacy_archives.c.workdir == projects.c.workdir,
        checkpoints.c.ref_name.op("GLOB")(
            literal(REF_PREFIX) + legacy_archives.c.project_hash + "/*"
        ),
    )
    known = select(func.count(checkpoints.c.id)).where(checkpoints.c.id.in_(lies_there), lost)
    doubtful = (
        select(func.count(checkpoints.c.id))
        .join(projects, projects.c.id == checkpoints.c.project_id)
        .where(
            checkpoints.c.id.in_(in_doubt),
            checkpoints.c.id.not_in(lies_there),
            lost,
            may_lie_there,
        )
    )
    both = (
        known.correlate(legacy_archives).scalar_subquery()
        + doubtful.correlate(legacy_archives).scalar_subquery()
    )
    return case((legacy_archives.c.layout == LegacyLayout.V1, both), else_=0)


def _project(project_hash: str) -> Any:
    return select(projects.c.id).where(projects.c.hash == project_hash).scalar_subquery()


def _archive_of(connection: Connection, document: FormerDocument) -> int | None:
    query = select(legacy_archives.c.id).where(
        legacy_archives.c.path == document["path"], legacy_archives.c.state == LegacyState.FOUND
    )
    return connection.scalar(query)


def _entries(document: FormerDocument, archive: int) -> list[_Entry]:
    return [
        _Entry(one, datetime.fromisoformat(one["created_at"]), document["layout"], archive)
        for one in document["commits"]
    ]


def _project_of(
    connection: Connection, hash_: str, working_dir: str, first: datetime, now: datetime
) -> int:
    known = connection.scalar(select(projects.c.id).where(projects.c.hash == hash_))
    if known is not None:
        return int(known)
    values = {
        "hash": hash_,
        "workdir": working_dir,
        "created_at": first,
        "last_touch": max(first, now),
    }
    return insert_row(connection, projects, values)


def _placed(
    connection: Connection, project: int, hash_: str, histories: list[list[_Entry]]
) -> Iterator[tuple[int, str, _Entry, int | None]]:
    """Yield project, hash, commit and id (None: above all others) of what has no row yet, oldest
    first."""
    live = (
        select(checkpoints.c.id, checkpoints.c.created_at)
        .where(checkpoints.c.project_id == project, checkpoints.c.state == "live")
        .order_by(checkpoints.c.id)
    )
    rest = [(row[0], row[1]) for row in connection.execute(live)]
    after: int | None = None
    found: list[tuple[_Entry, Place | None]] = []
    for entry in _fresh(connection, project, histories):
        earlier = [i for i, (_, taken) in enumerate(rest) if taken <= entry.created_at]
        if earlier:
            after = rest[earlier[-1]][0]
            del rest[: earlier[-1] + 1]
        found.append((entry, (after, rest[0][0], entry.created_at) if rest else None))
    rows = iter(free_ids(connection, [place for _, place in found if place is not None]))
    for entry, place in found:
        yield project, hash_, entry, None if place is None else next(rows)


def _fresh(connection: Connection, project: int, histories: list[list[_Entry]]) -> Iterator[_Entry]:
    of_project = (
        select(former_ids.c.former_id, former_ids.c.layout, *_COPY)
        .join(checkpoints, checkpoints.c.id == former_ids.c.checkpoint_id)
        .where(checkpoints.c.project_id == project)
    )
    known = connection.execute(of_project).all()
    copies = {(row[2], row[3]) for row in known if row[1] == LegacyLayout.V2}
    seen = {row[0] for row in known}
    taken = select(checkpoints.c.id)
    for entry in heapq.merge(*histories, key=lambda one: one.created_at):
        facts = entry.facts
        name = facts["former_id"]
        copy = entry.layout == LegacyLayout.V2 and (facts["tree_id"], facts["message"]) in copies
        if name in seen or copy:
            continue
        seen.add(name)
        if connection.scalar(taken.where(checkpoints.c.commit_id == name)) is None:
            yield entry


_COPY = (checkpoints.c.tree_id, checkpoints.c.reason)


def _insert(
    connection: Connection, project: int, hash_: str, entry: _Entry, row: int | None
) -> None:
    facts = entry.facts
    values: dict[str, Any] = {
        "project_id": project,
        "commit_id": facts["former_id"],
        "tree_id": facts["tree_id"],
        "state_id": facts["tree_id"],
        "ref_name": imported_ref(hash_, entry.created_at, facts["former_id"]),
        "kind": Kind.IMPORTED,
        "reason": facts["message"],
        "created_at": entry.created_at,
        "utc_offset_minutes": facts["utc_offset_minutes"],
        "state": "arriving",
    }
    if row is not None:
        values["id"] = row
    key = insert_row(connection, checkpoints, values)
    former = {
        "former_id": facts["former_id"],
        "checkpoint_id": key,
        "layout": entry.layout,
        "archive_id": entry.archive_id,
    }
    connection.execute(former_ids.insert().values(former))

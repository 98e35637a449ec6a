"""Who takes how much space, from the rows alone.

A content is held by a live checkpoint if it appeared at or before it, at some path, and the
path did not change until after it, but for what was left behind (``left_behind.py``). Sizes are
those that were measured when each content came into the store, corrected where git has packed it
since (``catalog/packing.py``).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Integer,
    MetaData,
    ScalarSelect,
    Select,
    String,
    Table,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    type_coerce,
    union,
    union_all,
)
from sqlalchemy.schema import CreateTable

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.keys import MEASURED, PRUNED, STORE_GROWTH
from hermes_checkpoints.catalog.left_behind import built_on
from hermes_checkpoints.catalog.packing import beside_contents, packed
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    fetched_checkpoints,
    projects,
    settings,
)
from hermes_checkpoints.catalog.types import PathText
from hermes_checkpoints.model import ChangeStatus, ProjectUsage

LARGEST = 5
"""How many of a project's largest files are told."""


@dataclass(frozen=True)
class UsageRows:
    """All projects, and what the whole store needs: contents that several hold count once."""

    projects: tuple[ProjectUsage, ...]
    total: int
    newest_id: int


class Usage(Records):
    """Figures of space. Every method is one transaction."""

    def added(self) -> int:
        """Return the bytes that all checkpoints ever added, those of pruned ones, too."""
        (added,) = self._column(select(func.coalesce(func.sum(checkpoints.c.added_bytes), 0)))
        return int(added)

    def fetched(self) -> int:
        """Return the bytes that contents of remotes took when they were fetched, of those that are
        still here: they are in the store, and none of this base."""
        (taken,) = self._column(
            select(func.coalesce(func.sum(fetched_checkpoints.c.stored_bytes), 0))
        )
        return int(taken)

    def store(self) -> tuple[int | None, str | None, bool]:
        """Return what the store takes on disk, in bytes: as it was last measured and what takes
        have made it grow by since; then when it was measured, as ISO 8601. Both are None where it
        never was. The last says whether takes have made it grow since its last prune for the size
        cap was planned."""
        ((size, at, grown),) = self._rows(_store())
        return size, at, grown

    def rows(self, *, as_taken: bool = False) -> UsageRows:
        """Return the figures of every project with live checkpoints, largest first; ``as_taken``
        with the sizes that were measured at the takes, whatever git has packed since."""
        with self._transactions.reading() as connection:
            _collect(connection, as_taken)  # into scratch tables, which end with the transaction
            shared = {row[0]: row[1:] for row in connection.execute(_shared_contents())}
            newest = connection.scalar(select(func.max(checkpoints.c.id))) or 0
            total = float(connection.scalar(_all_shared()) or 0)
            files: dict[int, list[Any]] = {}
            for found in connection.execute(_files(as_taken)):
                files.setdefault(found.project_id, []).append(found)
            rows = []
            for id_, hash_, working_dir, count, beside in connection.execute(_beside(as_taken)):
                largest = files.get(id_, [])
                singles = largest[0].singles if largest else 0
                all_, own = shared.get(id_, (0, 0))
                total += beside + singles
                rows.append(
                    ProjectUsage(
                        hash_,
                        working_dir,
                        count,
                        round(all_ + singles + beside),
                        round(own + singles + beside),
                        tuple((row.path, round(row.bytes)) for row in largest),
                    )
                )
        rows.sort(key=lambda row: (-row.unique_bytes, -row.referenced_bytes, row.working_dir))
        return UsageRows(tuple(rows), round(total), newest)


# --- the store ----------------------------------------------------------------------------------


@functools.cache
def _store() -> Select[Any]:
    """Return the statement of ``store``. What is no measure as this program writes it is none."""
    told = select(
        _setting(MEASURED).label("measured"),
        func.coalesce(cast(_setting(STORE_GROWTH), Integer), 0).label("growth"),
        _setting(PRUNED).label("pruned"),
    ).cte("told")
    document = case((func.json_valid(told.c.measured) == 1, told.c.measured))
    parts = (
        func.json_extract(document, f"$.{name}").label(label)
        for name, label in (("bytes", "bytes"), ("growth", "by_then"), ("at", "at"))
    )
    known = select(told.c.growth, told.c.pruned, *parts).cte("known")
    measured = and_(
        func.typeof(known.c.bytes) == "integer",
        func.typeof(known.c.by_then) == "integer",
        known.c.at.like("____-__-__T%"),
        func.datetime(known.c.at).is_not(None),
    )
    return select(
        case((measured, func.max(0, known.c.bytes + known.c.growth - known.c.by_then))),
        case((measured, known.c.at)),
        type_coerce(known.c.pruned.is_distinct_from(cast(known.c.growth, String)), Boolean()),
    )


def _setting(name: str) -> ScalarSelect[str]:
    return select(settings.c.value).where(settings.c.name == name).scalar_subquery()


# --- what is held -------------------------------------------------------------------------------
#
# Most contents are in one row, whose checkpoint is live: those are summed in one statement.
# Scratch tables hold the rest, which are few: contents that several rows name, and what live
# checkpoints have from before, out of the rows of pruned ones.

_scratch = MetaData()
_repeated = Table(
    "repeated",
    _scratch,
    Column("blob", String(64), primary_key=True),
    Column("bytes", Float, nullable=False),
    prefixes=["TEMPORARY"],
)
_former = Table(
    "former",
    _scratch,
    Column("project_id", Integer, nullable=False),
    Column("checkpoint_id", Integer, nullable=False),
    Column("path", PathText, nullable=False),
    Column("blob", String(64)),
    Column("bytes", Float, nullable=False),
    prefixes=["TEMPORARY"],
)
_shared = Table(
    "shared",
    _scratch,
    Column("project_id", Integer, primary_key=True),
    Column("path", PathText, primary_key=True),
    Column("blob", String(64), primary_key=True),
    prefixes=["TEMPORARY"],
)
_change = checkpoint_changes.c


def _collect(connection: Connection, as_taken: bool) -> None:
    for table in _scratch.sorted_tables:
        connection.execute(CreateTable(table))
    size = _bytes(as_taken)
    twice = (
        select(_change.new_blob)
        .where(_change.new_blob.is_not(None))
        .group_by(_change.new_blob)
        .having(func.count() > 1)
    )
    of_repeated = (
        select(_change.new_blob, func.max(size))
        .where(_change.new_blob.in_(twice))
        .group_by(_change.new_blob)
    )
    connection.execute(_repeated.insert().from_select(["blob", "bytes"], of_repeated))
    names = ["project_id", "checkpoint_id", "path", "blob", "bytes"]
    connection.execute(_former.insert().from_select(names, _held_from_before(size)))
    repeated = select(_repeated.c.blob)
    of_live = (
        select(checkpoints.c.project_id, _change.path, _change.new_blob)
        .join(checkpoints, checkpoints.c.id == _change.checkpoint_id)
        .where(_change.new_blob.in_(repeated), checkpoints.c.state == "live")
    )
    of_former = select(_former.c.project_id, _former.c.path, _former.c.blob).where(
        _former.c.blob.in_(repeated)
    )
    both = union(of_live, of_former)
    connection.execute(_shared.insert().from_select(["project_id", "path", "blob"], both))


def _bytes(as_taken: bool) -> ColumnElement[float]:
    return _size(_change.stored_bytes, _change.checkpoint_id, as_taken)


def _size(
    size: ColumnElement[int], checkpoint_id: ColumnElement[int], as_taken: bool
) -> ColumnElement[float]:
    return cast(size, Float) if as_taken else packed(size, checkpoint_id)


def _held_from_before(size: ColumnElement[float]) -> Select[Any]:
    """Return the contents in rows of pruned checkpoints that the next live one has: no row of the
    path lies between."""
    gone = built_on().cte("gone")
    spans = (
        select(
            gone.c.project_id,
            gone.c.until,
            _change.checkpoint_id,
            _change.path,
            _change.new_blob,
            size.label("bytes"),
            func.lead(_change.checkpoint_id)
            .over(partition_by=(gone.c.project_id, _change.path), order_by=_change.checkpoint_id)
            .label("next"),
        )
        .join(gone, gone.c.id == _change.checkpoint_id)
        .where(~bits_alone(checkpoint_changes))
        .cte("spans")
    )
    there = checkpoint_changes.alias("there")
    replaced = (
        select(there.c.path)
        .where(
            there.c.checkpoint_id == spans.c.until, there.c.path == spans.c.path, ~bits_alone(there)
        )
        .exists()
    )
    return select(
        spans.c.project_id, spans.c.checkpoint_id, spans.c.path, spans.c.new_blob, spans.c.bytes
    ).where(
        spans.c.new_blob.is_not(None),
        spans.c.until.is_not(None),
        or_(spans.c.next.is_(None), spans.c.next > spans.c.until),
        ~replaced,
    )


def bits_alone(change: FromClause) -> ColumnElement[bool]:
    """Tell whether a row says that permissions alone have changed: it ends no content."""
    return and_(change.c.status == ChangeStatus.MODIFIED, change.c.new_blob.is_(None))


def _beside(as_taken: bool) -> Select[Any]:
    """Return each project with live checkpoints, and what these take beside contents."""
    of_live = (
        select(
            checkpoints.c.project_id,
            func.count().label("count"),
            func.sum(_size(beside_contents(), checkpoints.c.id, as_taken)).label("bytes"),
        )
        .where(checkpoints.c.state == "live")
        .group_by(checkpoints.c.project_id)
        .subquery("of_live")
    )
    columns = (projects.c.id, projects.c.hash, projects.c.workdir)
    return select(*columns, of_live.c.count, of_live.c.bytes).join(
        of_live, of_live.c.project_id == projects.c.id
    )


def _owners() -> Any:
    return (
        select(
            _shared.c.blob.label("blob"),
            func.count(_shared.c.project_id.distinct()).label("owners"),
        )
        .group_by(_shared.c.blob)
        .cte("owners")
    )


def _shared_contents() -> Select[Any]:
    """Return what each project holds of the repeated contents, and of those only it has."""
    owners = _owners()
    once = select(_shared.c.project_id, _shared.c.blob).distinct().subquery("once")
    return (
        select(
            once.c.project_id,
            func.sum(_repeated.c.bytes),
            func.sum(case((owners.c.owners == 1, _repeated.c.bytes), else_=0)),
        )
        .join(_repeated, _repeated.c.blob == once.c.blob)
        .join(owners, owners.c.blob == once.c.blob)
        .group_by(once.c.project_id)
    )


def _all_shared() -> Select[Any]:
    held = select(_shared.c.blob)
    return select(func.sum(_repeated.c.bytes)).where(_repeated.c.blob.in_(held))


def _files(as_taken: bool) -> Select[Any]:
    """Return the largest files of each project with all their contents, largest first, each with
    the sum of what contents of one row take in all files of the project."""
    repeated = select(_repeated.c.blob)
    parts = union_all(
        select(
            checkpoints.c.project_id,
            _change.path,
            _bytes(as_taken).label("single"),
            literal(0.0, Float).label("other"),
        )
        .join(checkpoints, checkpoints.c.id == _change.checkpoint_id)
        .where(
            checkpoints.c.state == "live",
            _change.new_blob.is_not(None),
            _change.new_blob.not_in(repeated),
        ),
        select(_former.c.project_id, _former.c.path, _former.c.bytes, literal(0.0, Float)).where(
            _former.c.blob.not_in(repeated)
        ),
        select(_shared.c.project_id, _shared.c.path, literal(0.0, Float), _repeated.c.bytes).join(
            _repeated, _repeated.c.blob == _shared.c.blob
        ),
    ).subquery("parts")
    by_path = (
        select(
            parts.c.project_id,
            parts.c.path,
            (func.sum(parts.c.single) + func.sum(parts.c.other)).label("bytes"),
            func.sum(parts.c.single).label("single"),
        )
        .group_by(parts.c.project_id, parts.c.path)
        .subquery("by_path")
    )
    ranked = select(
        by_path.c.project_id,
        by_path.c.path,
        by_path.c.bytes,
        func.sum(by_path.c.single).over(partition_by=by_path.c.project_id).label("singles"),
        func.row_number()
        .over(partition_by=by_path.c.project_id, order_by=(by_path.c.bytes.desc(), by_path.c.path))
        .label("place"),
    ).subquery("ranked")
    return (
        select(ranked.c.project_id, ranked.c.path, ranked.c.bytes, ranked.c.singles)
        .where(ranked.c.place <= LARGEST)
        .order_by(ranked.c.project_id, ranked.c.place)
    )

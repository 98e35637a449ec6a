"""Who takes how much space, from the rows alone.

A content is held by a live checkpoint if it appeared at or before it, at some path, and the
path did not change until after it. Sizes are those that were measured when each content came
into the store; ``ratio`` corrects the ones that git has packed since.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import CTE, Float, and_, case, cast, func, literal, or_, select

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.retention import overhead_of, stored_by_checkpoint
from hermes_checkpoints.catalog.schema import checkpoint_changes, checkpoints, projects
from hermes_checkpoints.model import ChangeStatus, ProjectUsage

LARGEST = 5
"""How many of a project's largest files are told."""


@dataclass(frozen=True)
class Packed:
    """What a gc found: the rows up to the checkpoint ``through`` said ``rows_bytes``, and git
    needed ``measured_bytes`` for them."""

    through: int = 0
    rows_bytes: int = 0
    measured_bytes: int = 0

    @property
    def ratio(self) -> float:
        return self.measured_bytes / self.rows_bytes if self.rows_bytes else 1.0


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

    def rows(self, packed: Packed) -> UsageRows:
        """Return the figures of every project with live checkpoints, largest first."""
        held = _held(packed)
        stored = stored_by_checkpoint()
        factor = _factor(checkpoints.c.id, packed)
        owners = (
            select(
                held.c.blob,
                func.max(held.c.bytes).label("bytes"),
                func.count(held.c.project_id.distinct()).label("owners"),
            )
            .group_by(held.c.blob)
            .cte("owners")
        )
        once = select(held.c.project_id, held.c.blob).distinct().subquery("once")
        contents = (
            select(
                once.c.project_id,
                func.sum(owners.c.bytes),
                func.sum(case((owners.c.owners == 1, owners.c.bytes), else_=0)),
            )
            .join(owners, owners.c.blob == once.c.blob)
            .group_by(once.c.project_id)
        )
        overheads = (
            select(
                projects.c.id,
                projects.c.hash,
                projects.c.workdir,
                func.count(checkpoints.c.id),
                func.sum(overhead_of(stored) * factor),
            )
            .join(checkpoints, checkpoints.c.project_id == projects.c.id)
            .outerjoin(stored, stored.c.checkpoint_id == checkpoints.c.id)
            .where(checkpoints.c.state == "live")
            .group_by(projects.c.id)
        )
        with self._transactions.reading() as connection:
            sums = {row[0]: row[1:] for row in connection.execute(contents)}
            files = _files(connection, held)
            shared = connection.scalar(select(func.sum(owners.c.bytes))) or 0
            newest = connection.scalar(select(func.max(checkpoints.c.id))) or 0
            rows = []
            total = float(shared)
            for id_, hash_, working_dir, count, overhead in connection.execute(overheads):
                all_, own = sums.get(id_, (0, 0))
                total += overhead
                rows.append(
                    ProjectUsage(
                        hash_,
                        working_dir,
                        count,
                        round(all_ + overhead),
                        round(own + overhead),
                        tuple(files[id_]),
                    )
                )
        rows.sort(key=lambda row: (-row.unique_bytes, -row.referenced_bytes, row.working_dir))
        return UsageRows(tuple(rows), round(total), newest)


def _factor(column: Any, packed: Packed) -> Any:
    return case((column <= packed.through, literal(packed.ratio, Float)), else_=1.0)


def _held(packed: Packed) -> CTE:
    """Return what live checkpoints hold: ``project_id``, ``path``, ``blob`` and ``bytes``."""
    change = checkpoint_changes
    bits_alone = and_(
        change.c.status == ChangeStatus.MODIFIED,
        change.c.new_blob.is_(None),
    )
    spans = (
        select(
            checkpoints.c.project_id,
            change.c.path,
            change.c.new_blob.label("blob"),
            change.c.checkpoint_id.label("start"),
            func.lead(change.c.checkpoint_id)
            .over(
                partition_by=(checkpoints.c.project_id, change.c.path),
                order_by=change.c.checkpoint_id,
            )
            .label("stop"),
        )
        .join(checkpoints, checkpoints.c.id == change.c.checkpoint_id)
        .where(~bits_alone)
        .cte("spans")
    )
    sizes = (
        select(
            change.c.new_blob.label("blob"),
            func.max(
                cast(change.c.stored_bytes, Float) * _factor(change.c.checkpoint_id, packed)
            ).label("bytes"),
        )
        .where(change.c.new_blob.is_not(None))
        .group_by(change.c.new_blob)
        .cte("sizes")
    )
    holder = checkpoints.alias("holder")
    held_by_some = (
        select(holder.c.id)
        .where(
            holder.c.project_id == spans.c.project_id,
            holder.c.state == "live",
            holder.c.id >= spans.c.start,
            or_(spans.c.stop.is_(None), holder.c.id < spans.c.stop),
        )
        .exists()
    )
    return (
        select(spans.c.project_id, spans.c.path, spans.c.blob, sizes.c.bytes)
        .join(sizes, sizes.c.blob == spans.c.blob)
        .where(spans.c.blob.is_not(None), held_by_some)
        .distinct()
        .cte("held")
    )


def _files(connection: Any, held: CTE) -> dict[int, list[tuple[str, int]]]:
    stored = func.sum(held.c.bytes)
    by_path = (
        select(
            held.c.project_id,
            held.c.path,
            stored.label("bytes"),
            func.row_number()
            .over(partition_by=held.c.project_id, order_by=(stored.desc(), held.c.path))
            .label("place"),
        )
        .group_by(held.c.project_id, held.c.path)
        .subquery()
    )
    query = (
        select(by_path.c.project_id, by_path.c.path, by_path.c.bytes)
        .where(by_path.c.place <= LARGEST)
        .order_by(by_path.c.project_id, by_path.c.place)
    )
    files: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for project, path, size in connection.execute(query):
        files[project].append((path, round(size)))
    return files

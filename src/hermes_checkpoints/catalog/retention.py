"""What a prune plan is made from, by a constant number of statements for any store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.sql.elements import Over
from sqlalchemy.sql.functions import Function

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import columns_of, select_checkpoints
from hermes_checkpoints.catalog.schema import (
    checkpoints,
    metadata,
    projects,
    restores,
    turns,
)
from hermes_checkpoints.catalog.turns import BY_NEXT
from hermes_checkpoints.model import (
    Candidate,
    Checkpoint,
    Facts,
    FileIdentity,
    ProjectFacts,
    ProjectState,
    RestoreState,
)

_IDENTITIES = ("device", "inode", "parent_device", "parent_inode")
_PROJECT = [
    projects.c[name]
    for name in ("id", "hash", "workdir", "state", "last_touch", "missing_since", *_IDENTITIES)
]


class Retention(Records):
    """The questions of retention to the catalog. Every method is one transaction."""

    def facts(self) -> Facts:
        """Return every project and live checkpoint, by three statements of one state."""
        return self._facts(_projects(), _candidates())

    def facts_of(self, project_hash: str) -> Facts:
        """Return one project and its live checkpoints, without estimates of their sizes."""
        of_it = projects.c.hash == project_hash
        live = _live(literal(0)).join(projects, projects.c.id == checkpoints.c.project_id)
        return self._facts(_projects().where(of_it), live.where(of_it))

    def _facts(self, of_projects: Select[Any], candidates: Select[Any]) -> Facts:
        with self._transactions.reading() as connection:
            return Facts(
                tuple(_project(row) for row in connection.execute(of_projects)),
                tuple(Candidate(*row) for row in connection.execute(candidates)),
                frozenset(connection.scalars(unfinished())),
            )

    def projects(self) -> tuple[ProjectFacts, ...]:
        """Return every project, newest touch first."""
        return tuple(_project(row) for row in self._rows(_projects()))

    def set_identities(self, seen: Mapping[str, tuple[FileIdentity, FileIdentity]]) -> None:
        """Record by hash the identities of working directories and of their parents."""
        statement = (
            update(projects)
            .where(projects.c.hash == bindparam("of_hash"))
            .values({name: bindparam(f"new_{name}") for name in _IDENTITIES})
        )
        rows = [
            {"of_hash": hash_, **_identities("new_", own, parent)}
            for hash_, (own, parent) in seen.items()
        ]
        self._write(statement, rows)

    def live_trees(self) -> dict[str, set[str]]:
        """Return the trees of the live checkpoints, by project hash."""
        query = (
            select(projects.c.hash, checkpoints.c.tree_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(checkpoints.c.state == "live")
        )
        trees: dict[str, set[str]] = {}
        for hash_, tree in self._rows(query):
            trees.setdefault(hash_, set()).add(tree)
        return trees

    def of_ref(self, ref_name: str) -> Checkpoint | None:
        """Return the checkpoint, live or pruned, that has this ref, or None."""
        row = self._row(select_checkpoints().where(checkpoints.c.ref_name == ref_name))
        return None if row is None else Checkpoint(*row)

    def unpin(self, ids: Iterable[int]) -> None:
        """Take the pins from checkpoints, so that ``mark_pruning`` takes them, too."""
        statement = (
            update(checkpoints).where(checkpoints.c.id == bindparam("of_id")).values(pinned=False)
        )
        self._write(statement, [{"of_id": id_} for id_ in ids])

    def erase(self) -> None:
        """Delete everything but session checkpoints; ids are not given anew afterwards."""
        with self._transactions.emptying() as connection:
            for table in metadata.sorted_tables:
                if not table.name.startswith("session_"):
                    connection.execute(table.delete())

    def rebind(
        self, old: str, new: str, working_dir: str, own: FileIdentity, parent: FileIdentity
    ) -> None:
        """Give the history of the project with hash ``old`` to the directory ``working_dir``, whose
        hash is ``new``. Where that has a history of its own, both become one in the order in
        which the checkpoints were taken."""
        of_hash = select(projects.c.id).where(projects.c.hash == bindparam("of_hash"))
        seen: dict[str, str | None] = {"state": ProjectState.LIVE, "missing_since": None}
        with self._transactions.writing() as connection:
            old_id = connection.scalar(of_hash, {"of_hash": old})
            new_id = connection.scalar(of_hash, {"of_hash": new})
            if new_id is None:
                new_id = old_id
                seen |= {"hash": new, "workdir": working_dir}
            else:
                _end_all_but_the_newest_turn(connection, (old_id, new_id))
                for table in metadata.sorted_tables:
                    column = table.c.get("project_id")
                    if column is not None:
                        moved = update(table).where(column == old_id).values(project_id=new_id)
                        connection.execute(moved)
                connection.execute(projects.delete().where(projects.c.id == old_id))
            connection.execute(
                update(projects)
                .where(projects.c.id == new_id)
                .values(seen | _identities("", own, parent))
            )


def _end_all_but_the_newest_turn(connection: Connection, project_ids: Sequence[int | None]) -> None:
    """End the earlier open turn of two projects that become one: one is open at most."""
    open_ = (
        select(turns.c.id, turns.c.started_at)
        .where(turns.c.project_id.in_(project_ids), turns.c.ended_at.is_(None))
        .order_by(turns.c.id)
    )
    earlier = connection.execute(open_).all()
    if len(earlier) > 1:
        ended = {"ended_at": earlier[-1].started_at, "ended_by": BY_NEXT}
        ids = [row.id for row in earlier[:-1]]
        connection.execute(update(turns).where(turns.c.id.in_(ids)).values(ended))


def _identities(prefix: str, own: FileIdentity, parent: FileIdentity) -> dict[str, str]:
    values = own.device, own.inode, parent.device, parent.inode
    return {f"{prefix}{name}": value for name, value in zip(_IDENTITIES, values, strict=True)}


def _projects() -> Select[Any]:
    return select(*_PROJECT).order_by(projects.c.last_touch.desc(), projects.c.id.desc())


def _project(row: Sequence[Any]) -> ProjectFacts:
    id_, hash_, working_dir, state, last_touch, missing, *seen = row
    own, parent = (FileIdentity(*pair) if all(pair) else None for pair in (seen[:2], seen[2:]))
    return ProjectFacts(id_, hash_, working_dir, state, last_touch, missing, own, parent)


def _live(freed: ColumnElement[int]) -> Select[Any]:
    return (
        select(
            *columns_of(
                Candidate,
                checkpoints,
                _row=checkpoints.c.id,
                id=checkpoints.c.commit_id,
                freed_bytes=freed,
            )
        )
        .where(checkpoints.c.state == "live")
        .order_by(checkpoints.c.project_id, checkpoints.c.id.desc())
    )


def beside_contents() -> ColumnElement[int]:
    """Return what a checkpoint takes beside contents: trees, the commit, the facts."""
    rest = checkpoints.c.added_bytes - checkpoints.c.stored_bytes
    return case((rest > 0, rest), else_=0)


def _candidates() -> Select[Any]:
    """Live checkpoints with what the store loses with each, where older ones go first.

    That is what the next one replaced, and the trees of one of them; with the newest goes all
    that is left, which is what it holds.
    """
    beside = beside_contents()
    following = _by_age(func.lead(checkpoints.c.superseded_bytes))
    first = _by_age(func.row_number()) == 1
    freed = case(
        (following.is_(None), beside + checkpoints.c.held_bytes),
        (first, following + _by_age(func.lead(beside))),
        else_=following + beside,
    )
    return _live(freed)


def _by_age(value: Function[Any]) -> Over[Any]:
    """Return a window function over the checkpoints of a project, oldest first."""
    return value.over(partition_by=checkpoints.c.project_id, order_by=checkpoints.c.id)


def unfinished() -> Select[tuple[int]]:
    """Targets and safety checkpoints of restores that were killed while they wrote, until they
    are undone or another restore of the project comes after them."""
    later = restores.alias("later")
    open_ = or_(
        restores.c.state == RestoreState.WRITING,
        and_(
            restores.c.state == RestoreState.INTERRUPTED,
            restores.c.undone_by.is_(None),
            ~select(later.c.id)
            .where(later.c.project_id == restores.c.project_id, later.c.id > restores.c.id)
            .exists(),
        ),
    )
    targets = select(restores.c.target_id).where(open_)
    return targets.union(select(restores.c.safety_id).where(open_))  # type: ignore[return-value]

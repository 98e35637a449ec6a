"""The projects: which working directories have checkpoints, and whether they can be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePath

from sqlalchemy import (
    ColumnElement,
    String,
    bindparam,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.new_rows import places_of
from hermes_checkpoints.catalog.recorded import around_of, nearest_first
from hermes_checkpoints.catalog.rows import PROJECT
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.model import FileIdentity, Origin, ProjectRecord, ProjectState

_HASHED = projects.c.hash == bindparam("of_hash")
_NOW = bindparam("now", type_=UtcDateTime)
touched = case((projects.c.last_touch < _NOW, _NOW), else_=projects.c.last_touch)
"""The last touch of a project that is touched ``now``: a clock that went back changes nothing."""

_OF_HASH = select(*PROJECT).where(_HASHED)
_ORIGIN = select(
    projects.c.repository, projects.c.subdirectory, projects.c.repository_config
).where(_HASHED)
_TOUCH = (
    update(projects)
    .where(_HASHED)
    .values(state=ProjectState.LIVE, missing_since=None, last_touch=touched)
    .returning(*PROJECT)
)
_ADD = insert(projects).returning(*PROJECT)
_BELOW = bindparam("below", type_=projects.c.workdir.type)
_RELATED = (
    select(*PROJECT)
    .where(
        or_(
            projects.c.workdir.in_(bindparam("parents", expanding=True)),
            func.substr(projects.c.workdir, 1, func.length(_BELOW), type_=String()) == _BELOW,
        ),
        projects.c.workdir != bindparam("itself"),
        exists().where(checkpoints.c.project_id == projects.c.id, checkpoints.c.state == "live"),
    )
    .order_by(projects.c.workdir)
)
_STATE = bindparam("new_state", type_=projects.c.state.type)
_IS_LIVE = _STATE == ProjectState.LIVE
_SET_STATE = (
    update(projects)
    .where(projects.c.hash.in_(bindparam("hashes", expanding=True)))
    .values(
        state=_STATE,
        state_checked_at=_NOW,
        last_seen_at=case((_IS_LIVE, _NOW), else_=projects.c.last_seen_at),
        missing_since=case(
            (_IS_LIVE, None),
            (projects.c.state == _STATE, func.coalesce(projects.c.missing_since, _NOW)),
            else_=_NOW,
        ),
    )
)
_LIMITS = select(projects.c.workdir, projects.c.max_snapshots)
_WITH_LIMIT = _LIMITS.where(projects.c.max_snapshots.is_not(None))


class Projects(Records):
    """The table ``projects``. Every method is one transaction and may raise what opening does."""

    def ensure(
        self,
        hash: str,  # noqa: A002 - the column's name
        working_dir: str,
        now: datetime,
        *,
        identity: FileIdentity | None,
        parent: FileIdentity | None,
        origin: Origin | None = None,
        max_snapshots: int | None = None,
    ) -> ProjectRecord:
        """Add the project, or touch it and mark it live; return it as it then is.

        An identity, origin or limit that is given replaces the recorded one; None leaves that as
        it is.
        """
        facts: dict[str, object] = {"last_seen_at": now, **places_of(identity, parent)}
        if origin is not None:
            facts |= {
                "repository": origin.repository,
                "subdirectory": origin.subdirectory,
                "repository_config": origin.config,
            }
        if max_snapshots is not None:
            facts["max_snapshots"] = max_snapshots
        told = {"of_hash": hash, "now": now, **facts}
        with self._transactions.writing() as connection:
            found = connection.execute(_TOUCH, told).first()
            if found is None:
                facts |= {"hash": hash, "workdir": working_dir, "state": ProjectState.LIVE}
                facts |= {"created_at": now, "last_touch": now}
                found = connection.execute(_ADD, facts).one()
            return ProjectRecord(*found)

    def keep_limits(self, limit_of: Callable[[str], int | None] | None) -> None:
        """Record how many checkpoints are kept of each project that has a limit of its own, which
        ``limit_of`` its working directory tells; None where no project has one.

        Raises:
            CatalogBusy, BaseUnwritable, NoSpace.
        """
        query = _WITH_LIMIT if limit_of is None else _LIMITS
        wanted = {
            working_dir: (known, None if limit_of is None else limit_of(working_dir))
            for working_dir, known in self._rows(query)
        }
        changed = [
            {"of_workdir": working_dir, "new_limit": limit}
            for working_dir, (known, limit) in wanted.items()
            if known != limit
        ]
        if changed:
            self._write(
                update(projects)
                .where(projects.c.workdir == bindparam("of_workdir"))
                .values(max_snapshots=bindparam("new_limit")),
                changed,
            )

    def get(self, hash: str) -> ProjectRecord | None:  # noqa: A002
        """Return the project with this hash, or None."""
        row = self._row(_OF_HASH, {"of_hash": hash})
        return None if row is None else ProjectRecord(*row)

    def origin(self, hash: str) -> Origin:  # noqa: A002
        """Return where the project lies in the repository that encloses it, as far as that is
        recorded."""
        row = self._row(_ORIGIN, {"of_hash": hash})
        return Origin() if row is None else Origin(*row)

    def all(self) -> list[ProjectRecord]:
        """Return every project, newest touch first."""
        query = select(*PROJECT).order_by(projects.c.last_touch.desc(), projects.c.id.desc())
        return [ProjectRecord(*row) for row in self._rows(query)]

    def at_or_above(self, path: str) -> frozenset[str]:
        """Return which of a directory and those above it are projects' working directories. One
        of which single files are captured alone is none: it speaks for no directory in it."""
        folders = [path, *map(str, PurePath(path).parents)]
        query = select(projects.c.workdir).where(projects.c.workdir.in_(folders), _is_whole())
        return frozenset(self._column(query))

    def working_dirs(self) -> frozenset[str]:
        """Return the working directories of all projects but those of which single files are
        captured alone."""
        return frozenset(self._column(select(projects.c.workdir).where(_is_whole())))

    def related(self, working_dir: str) -> list[ProjectRecord]:
        """Return the projects with live checkpoints whose directory is above or below this one.

        The nearest come first: parents from the inside out, then children by name.
        """
        around = around_of(working_dir)
        found = [ProjectRecord(*row) for row in self._rows(_RELATED, around)]
        return nearest_first(found, around["parents"])

    def set_states(self, states: Mapping[str, ProjectState], now: datetime) -> None:
        """Record by hash what a look at each working directory found, in one transaction, which
        does not wait for the disk: the next look sees it again.

        A project that is not live is missing since the first look that found it in that state:
        time in which it could not be seen does not count as time in which it was gone.
        """
        of_state: dict[ProjectState, list[str]] = {}
        for hash_, found in states.items():
            of_state.setdefault(found, []).append(hash_)
        if not states:
            return
        with self._transactions.writing(durable=False) as connection:
            for found, hashes in of_state.items():
                for some in chunks(hashes):
                    values = {"hashes": some, "new_state": found, "now": now}
                    connection.execute(_SET_STATE, values)


def _is_whole() -> ColumnElement[bool]:
    """Tell whether a project has a checkpoint of its whole directory, or none at all."""
    its = checkpoints.c.project_id == projects.c.id, checkpoints.c.state == "live"
    whole = exists().where(*its, checkpoints.c.partial.is_(False))
    return or_(whole, ~exists().where(*its))

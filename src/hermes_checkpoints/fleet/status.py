"""What the index tells: totals, machines by how long they have been silent, stale projects, and how
the remotes were indexed. It only reads."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.encoding import decode_path
from hermes_checkpoints.fleet.address import address_of, shown
from hermes_checkpoints.fleet.server import connected, require_library
from hermes_checkpoints.fleet.upgrading import require_current
from hermes_checkpoints.model import FleetMachine, FleetProject, FleetRemote, FleetStatus

STALE_DAYS = 30
"""A project of which nothing was taken for so long is stale."""

_TOTALS = """
SELECT (SELECT count(*) FROM fleet_machines), count(*), coalesce(sum(checkpoints), 0)::bigint,
    least(coalesce(sum(bytes), 0), 9223372036854775807)::bigint,
    (SELECT count(*) FROM fleet_remotes),
    count(*) FILTER (WHERE newest_at < now() - make_interval(days => %(stale)s))
FROM fleet_projects
"""
_MACHINES = """
SELECT id, name, newest_at, newest_at > now() + interval '1 day', checkpoints, projects
FROM fleet_machines
ORDER BY newest_at > now() + interval '1 day' DESC, newest_at, id
LIMIT %(limit)s
"""
_STALE = """
SELECT repository, subdirectory, workdir, machines, checkpoints, bytes, newest_at
FROM fleet_projects
WHERE newest_at < now() - make_interval(days => %(stale)s)
ORDER BY newest_at, id
LIMIT %(limit)s
"""
_REMOTES = """
SELECT url, indexed_at, failures, failed_at, code, error, checkpoints, malformed
FROM fleet_remotes
ORDER BY failures = 0, indexed_at NULLS FIRST, url_hash
LIMIT %(limit)s
"""


def status(base: Base, catalog: str | None, limit: int) -> FleetStatus:
    """Return what the index at ``catalog``, or that of the configuration, tells; of each list at
    most ``limit``.

    Raises:
        BadRequest, FleetOff, FleetUnreachable, FleetDenied, FleetFailed, CatalogNewer, CatalogBusy.
    """
    require_library()
    address = address_of(catalog, base.layout.config)
    with connected(address) as connection:
        require_current(connection, address)
        with connection.begin():
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return _status(connection, shown(address), limit)


def _status(connection: Connection, where: str, limit: int) -> FleetStatus:
    def ask(query: str) -> Any:
        return connection.exec_driver_sql(query, {"stale": STALE_DAYS, "limit": limit}).all()

    (totals,) = ask(_TOTALS)
    machines, projects, checkpoints, size, remotes, stale = totals
    return FleetStatus(
        where,
        machines,
        projects,
        checkpoints,
        size,
        remotes,
        stale,
        STALE_DAYS,
        [FleetMachine(*row) for row in ask(_MACHINES)],
        [_project(*row) for row in ask(_STALE)],
        [FleetRemote(*row) for row in ask(_REMOTES)],
    )


def _project(
    repository: str | None, subdirectory: str | None, workdir: str, *sums: Any
) -> FleetProject:
    below = None if subdirectory is None else decode_path(subdirectory)
    return FleetProject(repository, below, decode_path(workdir), *sums)

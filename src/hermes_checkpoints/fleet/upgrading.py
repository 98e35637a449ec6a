"""Makes and upgrades the tables of the index, by Alembic, in one transaction."""

from __future__ import annotations

import importlib.resources

from sqlalchemy import URL, Connection

from hermes_checkpoints.errors import PROGRAM, CatalogNewer, FleetFailed
from hermes_checkpoints.fleet.address import shown
from hermes_checkpoints.fleet.server import advisory_key

PACKAGE = "hermes_checkpoints.migrations.fleet"
REVISIONS = ("0001", "0002")
"""The revisions of the index, oldest first."""
HEAD = REVISIONS[-1]


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the tables; None where there are none."""
    table = connection.exec_driver_sql("SELECT to_regclass('fleet_revision')").scalar_one()
    if table is None:
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM fleet_revision").scalars().all()
    return str(found[0]) if len(found) == 1 else ""


def require_current(connection: Connection, url: URL) -> None:
    """Refuse to read an index that is not there, or of another revision.

    Raises:
        FleetFailed: where there is none yet, or it is to be upgraded.
        CatalogNewer: when a newer version of this package made it.
    """
    with connection.begin():
        found = revision_of(connection)
    if found is None:
        raise FleetFailed(
            f"there is no index in {shown(url)} yet, or not in this user's search_path; "
            f"`{PROGRAM} fleet index` makes it",
            hint=f"{PROGRAM} fleet index",
        )
    _require_known(found, url)
    if found != HEAD:
        raise FleetFailed(
            f"the index {shown(url)} is of an earlier revision ({found}); "
            f"`{PROGRAM} fleet index` upgrades it",
            hint=f"{PROGRAM} fleet index",
        )


def upgrade(connection: Connection, url: URL, target: str = HEAD) -> None:
    """Bring the tables to a revision; who comes meanwhile waits.

    Raises:
        CatalogNewer: when a newer version of this package made them.
        FleetFailed: when what is there is none of a revision.
    """
    with connection.begin():
        if revision_of(connection) == target:
            return
    with connection.begin():
        schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
        key = advisory_key(schema, "upgrading")
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (key,))
        found = revision_of(connection)  # a statement of its own, which sees what was awaited
        if found is not None:
            _require_known(found, url)
        if found != target:
            _run(connection, target)


def _require_known(found: str, url: URL) -> None:
    if found == "":
        raise FleetFailed(
            f"the index {shown(url)} names no revision, or several; drop its tables, as "
            f"docs/fleet.md says, and `{PROGRAM} fleet index` makes it anew"
        )
    if found not in REVISIONS:
        raise CatalogNewer(
            f"the index {shown(url)} is of revision {found}, which a newer version of this package "
            "made; upgrade the package hermes-checkpoints here, too"
        )


def _run(connection: Connection, target: str) -> None:
    from alembic import command
    from alembic.config import Config

    folder = importlib.resources.files(PACKAGE)
    with importlib.resources.as_file(folder) as path:
        config = Config()
        config.set_main_option("script_location", str(path).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, target)

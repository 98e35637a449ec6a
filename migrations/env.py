"""Runs revisions on the connection that the caller hands over, inside the caller's transaction.

Opening a catalog upgrades it; there is no other way, because a plain ``alembic upgrade`` would
hold neither the lock nor one transaction around all revisions. ``alembic`` on the command line
serves development: ``revision``, ``history``, ``heads``, and ``check -x catalog=FILE``.
"""

from __future__ import annotations

from pathlib import Path

from alembic import context
from alembic.util import CommandError
from sqlalchemy import Connection


def run(connection: Connection, **options: object) -> None:
    context.configure(connection=connection, **options)  # type: ignore[arg-type]
    context.run_migrations()


def run_for_developer() -> None:
    """Show Alembic an existing catalog; whatever it would write is rolled back."""
    from hermes_checkpoints.catalog.engine import make_engine
    from hermes_checkpoints.catalog.schema import metadata

    file = context.get_x_argument(as_dictionary=True).get("catalog")
    if context.is_offline_mode() or not isinstance(file, str):
        raise CommandError("name a catalog to look at: alembic -x catalog=FILE check")
    with make_engine(Path(file), pooled=False).connect() as connection:
        transaction = connection.begin()
        run(connection, target_metadata=metadata)
        transaction.rollback()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    run_for_developer()

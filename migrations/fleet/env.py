"""What Alembic runs for the index of a fleet, which is in PostgreSQL.

``fleet index`` hands its connection over, under a lock of that database and in one transaction
(fleet/upgrading.py), so that a revision is there whole or not at all. On the command line
``alembic --name fleet upgrade head --sql`` prints the statements, for who makes the tables under
another role; nothing else is done there.
"""

from __future__ import annotations

from alembic import context
from alembic.util import CommandError

VERSION_TABLE = "fleet_revision"

given = context.config.attributes.get("connection")
if given is not None:
    context.configure(connection=given, version_table=VERSION_TABLE)
elif context.is_offline_mode():
    context.configure(dialect_name="postgresql", version_table=VERSION_TABLE)
else:
    raise CommandError(
        "the index of a fleet is made and upgraded by `hermes checkpoints fleet index`; "
        "alembic --name fleet upgrade head --sql prints the statements"
    )
with context.begin_transaction():
    context.run_migrations()

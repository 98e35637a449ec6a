"""The settings in force, under the keys of the configuration, and small facts about the store.

The views read the settings; so people see in a shell what the program decides by.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, Integer, String, cast, select

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.schema import settings


class Settings(Records):
    """The table ``settings``."""

    def get(self, name: str) -> str | None:
        """Return the value of a setting, or None."""
        row = self._row(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else str(row[0])

    def set(self, name: str, value: str, now: datetime) -> None:
        """Give a setting a value; nothing is written where it has that value already."""
        if self.get(name) == value:
            return
        with self._transactions.writing() as connection:
            values = {"value": value, "updated_at": now}
            changed = connection.execute(
                settings.update().where(settings.c.name == name).values(values)
            )
            if changed.rowcount == 0:
                connection.execute(settings.insert().values(name=name, **values))

    def keep(
        self, values: Mapping[str, str], now: datetime, *, patience: float | None = None
    ) -> None:
        """Give settings their values: one read, and one transaction where something differs.
        ``patience`` is how long to wait for others that write, in seconds.

        Raises:
            CatalogBusy: when others write for longer.
            BaseUnwritable, NoSpace.
        """
        known = select(settings.c.name, settings.c.value).where(settings.c.name.in_(values))
        found = {row[0]: row[1] for row in self._rows(known)}
        changed = {name: value for name, value in values.items() if found.get(name) != value}
        if not changed:
            return
        rows = [
            {"name": name, "value": value, "updated_at": now} for name, value in changed.items()
        ]
        with self._transactions.writing(busy_timeout=patience) as connection:
            connection.execute(settings.delete().where(settings.c.name.in_(changed)))
            connection.execute(settings.insert(), rows)


def increase(connection: Connection, name: str, amount: int, now: datetime) -> None:
    """Add to a setting that is a number, as part of the caller's transaction."""
    number = cast(cast(settings.c.value, Integer) + amount, String)
    changed = connection.execute(
        settings.update().where(settings.c.name == name).values(value=number, updated_at=now)
    )
    if changed.rowcount == 0:
        connection.execute(settings.insert().values(name=name, value=str(amount), updated_at=now))

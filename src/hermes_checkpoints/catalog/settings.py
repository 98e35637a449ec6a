"""Small facts about the store as a whole, by name; the views read some of them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Integer, String, cast, select

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.schema import settings

STORE_GROWTH = "store_growth"
"""The setting with the bytes on disk by which takes have made the store grow, ever."""


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


def increase(connection: Connection, name: str, amount: int, now: datetime) -> None:
    """Add to a setting that is a number, as part of the caller's transaction."""
    number = cast(cast(settings.c.value, Integer) + amount, String)
    changed = connection.execute(
        settings.update().where(settings.c.name == name).values(value=number, updated_at=now)
    )
    if changed.rowcount == 0:
        connection.execute(settings.insert().values(name=name, value=str(amount), updated_at=now))

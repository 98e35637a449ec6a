"""The settings in force, under the keys of the configuration, and small facts about the store.

The views read the settings; so people see in a shell what the program decides by.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, Integer, String, bindparam, cast, select

from hermes_checkpoints.catalog.engine import Records, insert_into
from hermes_checkpoints.catalog.schema import settings

_NAMED = settings.c.name == bindparam("of_name")
_VALUE = select(settings.c.value).where(_NAMED)
_ALL = select(settings.c.name, settings.c.value)
_SET = settings.update().where(_NAMED)
_INCREASED = cast(settings.c.value, Integer) + bindparam("amount", type_=Integer)
_INCREASE = _SET.values(value=cast(_INCREASED, String))


class Settings(Records):
    """The table ``settings``."""

    def get(self, name: str) -> str | None:
        """Return the value of a setting, or None."""
        row = self._row(_VALUE, {"of_name": name})
        return None if row is None else str(row[0])

    def set(self, name: str, value: str, now: datetime, *, durable: bool = True) -> None:
        """Give a setting a value; nothing is written where it has that value already. What is only
        a measure, which is taken again where it is lost, need not be ``durable``: then nothing
        waits for the disk."""
        if self.get(name) == value:
            return
        with self._transactions.writing(durable=durable) as connection:
            values = {"value": value, "updated_at": now}
            if connection.execute(_SET, {"of_name": name, **values}).rowcount == 0:
                connection.execute(insert_into(settings), {"name": name, **values})

    def keep(
        self, values: Mapping[str, str], now: datetime, *, patience: float | None = None
    ) -> None:
        """Give settings their values: one read, and one transaction where something differs.
        ``patience`` is how long to wait for others that write, in seconds.

        Raises:
            CatalogBusy: when others write for longer.
            BaseUnwritable, NoSpace.
        """
        found = {row[0]: row[1] for row in self._rows(_ALL)}
        changed = {name: value for name, value in values.items() if found.get(name) != value}
        if not changed:
            return
        rows = [
            {"name": name, "value": value, "updated_at": now} for name, value in changed.items()
        ]
        with self._transactions.writing(busy_timeout=patience) as connection:
            connection.execute(settings.delete().where(settings.c.name.in_(changed)))
            connection.execute(insert_into(settings), rows)


def increase(connection: Connection, name: str, amount: int, now: datetime) -> None:
    """Add to a setting that is a number, as part of the caller's transaction."""
    values = {"of_name": name, "amount": amount, "updated_at": now}
    if connection.execute(_INCREASE, values).rowcount == 0:
        first = {"name": name, "value": str(amount), "updated_at": now}
        connection.execute(insert_into(settings), first)

"""Whether the catalog tells of times that have not come yet, as after a clock that was wrong."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select, union_all

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.schema import checkpoints, operations, projects


class Times(Records):
    """The times in the tables ``checkpoints``, ``operations`` and ``projects``."""

    def later_than(self, moment: datetime) -> tuple[int, datetime | None]:
        """Return how many rows have a later time than a moment, and the latest of these times; None
        where there is none."""
        columns = (
            (checkpoints.c.created_at, checkpoints.c.state == "live"),
            (operations.c.started_at, operations.c.id.is_not(None)),
            (projects.c.last_touch, projects.c.id.is_not(None)),
        )
        query = union_all(
            *(
                select(func.count(), func.max(column)).where(column > moment, condition)
                for column, condition in columns
            )
        )
        rows = self._rows(query)
        latest = [row[1] for row in rows if row[1] is not None]
        return sum(row[0] for row in rows), max(latest, default=None)

"""Which checkpoints of remotes have their contents in the store, and since when.

They are none of this base: the rows are in a table of their own, which no rule, sum or look at it
reads. Each has a ref below ``refs/fetched/``, by which its contents stay until a prune.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import ColumnElement, delete, or_, select, update

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import fetched_checkpoints
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import FetchedRef

_its = fetched_checkpoints.c


class Fetched(Records):
    """The table ``fetched_checkpoints``. Every method is one transaction."""

    def get(self, commit_id: str) -> FetchedRef | None:
        """Return where the contents of a checkpoint hang, None where they are not here."""
        found = self._found(_its.commit_id == commit_id)
        return found[0] if found else None

    def find(self, prefix: str) -> list[FetchedRef]:
        """Return those whose id begins so, hex digits in small letters, oldest first."""
        return self._found(_its.commit_id >= prefix, _its.commit_id < f"{prefix}g")

    def all(self, before: datetime | None = None) -> list[FetchedRef]:
        """Return all that are here, or those that were so at this time or earlier, oldest first."""
        return self._found() if before is None else self._found(_its.fetched_at <= before)

    def add(self, found: FetchedRef) -> None:
        """Record that the contents of a checkpoint were brought here, also once more. Where its ref
        led to another one, which the remote moved, that one is here no longer."""
        with self._transactions.writing() as connection:
            its = or_(_its.commit_id == found.id, _its.ref_name == found.ref_name)
            connection.execute(delete(fetched_checkpoints).where(its))
            connection.execute(
                fetched_checkpoints.insert().values(
                    commit_id=found.id,
                    ref_name=found.ref_name,
                    fetched_at=found.fetched_at,
                    stored_bytes=found.stored_bytes,
                )
            )

    def resize(self, total: int) -> None:
        """Record what all of them take in the store that nothing else there needs, in bytes: what
        came with several, or is also held by checkpoints of this base, is not theirs twice."""
        found = self.all()
        known = sum(one.stored_bytes for one in found)
        with self._transactions.writing() as connection:
            for one in found:
                share = total * one.stored_bytes // known if known else total // len(found)
                connection.execute(
                    update(fetched_checkpoints)
                    .where(_its.commit_id == one.id)
                    .values(stored_bytes=share)
                )

    def remove(self, refs: Iterable[str]) -> None:
        """Record that these refs are gone, and with them the contents."""
        with self._transactions.writing() as connection:
            for some in chunks(sorted(set(refs))):
                connection.execute(delete(fetched_checkpoints).where(_its.ref_name.in_(some)))

    def _found(self, *conditions: ColumnElement[bool]) -> list[FetchedRef]:
        order = _its.fetched_at, _its.commit_id
        query = select(*_FETCHED).where(*conditions).order_by(*order)
        return [FetchedRef(*row) for row in self._rows(query)]


_FETCHED = columns_of(FetchedRef, fetched_checkpoints, id=_its.commit_id)

"""What was found of earlier layouts, how far its import came, and the ids that it had there."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    Update,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    not_,
    select,
    update,
)

from hermes_checkpoints.catalog.arriving import only_there
from hermes_checkpoints.catalog.changes import insert_changes
from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.new_rows import figures_of
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    former_ids,
    legacy_archives,
    projects,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.layout import LEGACY_PREFIX
from hermes_checkpoints.model import Change, KnownFormer, LegacyLayout, LegacyRecord, LegacyState

_RECORD = columns_of(LegacyRecord, legacy_archives, working_dir=legacy_archives.c.workdir)
_WHEN = {
    LegacyState.IMPORTED: "imported_at",
    LegacyState.ARCHIVED: "archived_at",
    LegacyState.CLEARED: "cleared_at",
}


_ALL = select(*_RECORD).order_by(legacy_archives.c.id)
_PENDING = _ALL.where(legacy_archives.c.state.in_((LegacyState.FOUND, LegacyState.IMPORTED)))
_OF_ID = _ALL.where(legacy_archives.c.id == bindparam("of_id"))


def _why_it_stays() -> ColumnElement[str | None]:
    """Return why no rule removes what lies in an archive: it was not imported as a whole, or some
    of its checkpoints are nowhere else. NULL where it may go."""
    alone = only_there()
    only_one = "1 imported checkpoint is nowhere else, and no person let them go"
    several = " imported checkpoints are nowhere else, and no person let them go"
    whole = and_(legacy_archives.c.imported_at.is_not(None), legacy_archives.c.error.is_(None))
    return case(
        (not_(whole), literal("not all of it was imported", String)),
        (alone == 1, literal(only_one, String)),
        (alone > 1, cast(alone, String) + several),
    )


def _is_in_an_archive() -> ColumnElement[bool]:
    """Tell whether something lies in the folder of an archive, where an import has moved it."""
    below = legacy_archives.c.path.op("GLOB")(literal(f"{LEGACY_PREFIX}*/*", String))
    return and_(legacy_archives.c.state == LegacyState.ARCHIVED, below)


@functools.cache
def _expired() -> Select[Any]:
    before = bindparam("before", type_=legacy_archives.c.archived_at.type)
    return (
        select(*_RECORD, _why_it_stays())
        .where(_is_in_an_archive(), legacy_archives.c.archived_at < before)
        .order_by(legacy_archives.c.id)
    )


@functools.cache
def _that_may_go() -> Select[Any]:
    ids = func.json_each(bindparam("ids", type_=String())).table_valued("value").c.value
    return _ALL.where(
        legacy_archives.c.id.in_(select(ids)), _is_in_an_archive(), _why_it_stays().is_(None)
    )


@functools.cache
def _clear_folder() -> Update:
    folder = bindparam("folder", type_=legacy_archives.c.path.type)
    inside = func.substr(legacy_archives.c.path, 1, func.length(folder)) == folder
    now = bindparam("now", type_=legacy_archives.c.cleared_at.type)
    return (
        update(legacy_archives)
        .where(inside, legacy_archives.c.state != LegacyState.CLEARED)
        .values(state=LegacyState.CLEARED, cleared_at=now)
    )


class Archives(Records):
    """The tables ``legacy_archives`` and ``former_ids``. Every method is one transaction."""

    def pending(self) -> list[LegacyRecord]:
        """Return what is neither archived nor cleared, in the order in which it is imported."""
        return self._records(_PENDING)

    def all(self) -> list[LegacyRecord]:
        """Return everything that was ever found, cleared things too."""
        return self._records(_ALL)

    def expired(self, before: datetime) -> list[tuple[LegacyRecord, str | None]]:
        """Return what lies in archives since before a time, each with why no rule removes it, in
        words that follow "stays:", or None where it may go."""
        rows = self._rows(_expired(), {"before": before})
        return [(LegacyRecord(*record), why) for *record, why in rows]

    def that_may_go(self, record_ids: Iterable[int]) -> dict[int, LegacyRecord]:
        """Return by id those of these records that lie in an archive which may go."""
        found = self._records(_that_may_go(), {"ids": json.dumps(list(record_ids))})
        return {record.id: record for record in found}

    def get(self, record_id: int) -> LegacyRecord | None:
        """Return one record, or None."""
        found = self._records(_OF_ID, {"of_id": record_id})
        return found[0] if found else None

    def add(
        self,
        path: str,
        name: str,
        layout: LegacyLayout,
        *,
        project_hash: str | None,
        working_dir: str | None,
        now: datetime,
    ) -> LegacyRecord:
        """Add something as found; where that path is listed and not cleared, that it is found
        once more, with what is known of it from before."""
        where = and_(legacy_archives.c.path == path, legacy_archives.c.state != LegacyState.CLEARED)
        facts = {"project_hash": project_hash, "workdir": working_dir, "layout": layout}
        with self._transactions.writing() as connection:
            known = connection.scalar(select(legacy_archives.c.id).where(where))
            if known is None:
                values = {"path": path, "name": name, "found_at": now, **facts}
                known = insert_row(connection, legacy_archives, values)
            else:
                again = {"state": LegacyState.FOUND, **facts}
                connection.execute(
                    update(legacy_archives).where(legacy_archives.c.id == known).values(again)
                )
            return _record(connection, known)

    def set_state(
        self, record: LegacyRecord, state: LegacyState, now: datetime, **values: Any
    ) -> LegacyRecord:
        """Give a record a state, with the time, and other columns; return it as it then is.

        Archiving what was never imported sets no ``imported_at``.
        """
        return self.note(record, state=state, **{_WHEN[state]: now}, **values)

    def clear_folder(self, name: str, now: datetime) -> None:
        """Record that the folder of an archive, with all that lay in it, is gone."""
        self._write(_clear_folder(), {"folder": f"{name}/", "now": now})

    def note(self, record: LegacyRecord, **values: Any) -> LegacyRecord:
        """Give a record other columns; return it as it then is."""
        of_it = legacy_archives.c.id == record.id
        with self._transactions.writing() as connection:
            connection.execute(update(legacy_archives).where(of_it).values(values))
            return _record(connection, record.id)

    def forget(self, record: LegacyRecord) -> None:
        """Remove a record of something that is no archive after all."""
        self._write(legacy_archives.delete().where(legacy_archives.c.id == record.id))

    # --- former ids ----------------------------------------------------------------------------

    def known_formers(self, project_hash: str, layout: LegacyLayout) -> list[KnownFormer]:
        """Return the former ids of a project's checkpoints, pruned ones too, arriving ones not."""
        query = (
            select(
                former_ids.c.former_id,
                checkpoints.c.id,
                checkpoints.c.tree_id,
                checkpoints.c.reason,
            )
            .join(checkpoints, checkpoints.c.id == former_ids.c.checkpoint_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(
                projects.c.hash == project_hash,
                former_ids.c.layout == layout.value,
                checkpoints.c.state != "arriving",
            )
            .order_by(checkpoints.c.id)
        )
        return [KnownFormer(*row) for row in self._rows(query)]

    def former_ids(self, checkpoint_ids: Iterable[int]) -> dict[int, list[str]]:
        """Return by checkpoint the ids that it had before it was imported."""
        wanted = sorted(set(checkpoint_ids))
        found: dict[int, list[str]] = {}
        with self._transactions.reading() as connection:
            for some in chunks(wanted):
                query = select(former_ids.c.checkpoint_id, former_ids.c.former_id).where(
                    former_ids.c.checkpoint_id.in_(some)
                )
                for checkpoint_id, former in connection.execute(query):
                    found.setdefault(checkpoint_id, []).append(former)
        return found

    def add_alias(self, former_id: str, checkpoint_id: int, layout: LegacyLayout) -> None:
        """Let a former id lead to a checkpoint that is listed already."""
        values = {"former_id": former_id, "checkpoint_id": checkpoint_id, "layout": layout.value}
        known = select(former_ids.c.former_id).where(
            former_ids.c.former_id == former_id, former_ids.c.checkpoint_id == checkpoint_id
        )
        with self._transactions.writing() as connection:
            if connection.scalar(known) is None:
                connection.execute(former_ids.insert().values(values))

    # --- what an import changes of what was there ------------------------------------------------

    def relink(
        self, checkpoint_id: int, previous_id: int | None, changes: Sequence[Change]
    ) -> None:
        """Compare a checkpoint with another one before it than so far: replace its changes.

        What its contents took in the store when they came stays written down.
        """
        of_it = checkpoint_changes.c.checkpoint_id == checkpoint_id
        stored_of = select(checkpoint_changes.c.new_blob, checkpoint_changes.c.stored_bytes)
        with self._transactions.writing() as connection:
            rows = connection.execute(stored_of.where(of_it, checkpoint_changes.c.stored_bytes > 0))
            stored = {row[0]: row[1] for row in rows}
            connection.execute(checkpoint_changes.delete().where(of_it))
            kept = [
                dataclasses.replace(change, stored_bytes=stored.pop(change.new_blob, 0))
                for change in changes
            ]
            insert_changes(connection, checkpoint_id, kept)
            connection.execute(
                update(checkpoints)
                .where(checkpoints.c.id == checkpoint_id)
                .values(
                    previous_id=previous_id,
                    **figures_of(changes),
                )
            )

    # --- inside --------------------------------------------------------------------------------

    def _records(
        self, query: Select[Any], values: Mapping[str, Any] | None = None
    ) -> list[LegacyRecord]:
        return [LegacyRecord(*row) for row in self._rows(query, values)]


def _record(connection: Connection, record_id: int) -> LegacyRecord:
    query = select(*_RECORD).where(legacy_archives.c.id == record_id)
    return LegacyRecord(*connection.execute(query).one())

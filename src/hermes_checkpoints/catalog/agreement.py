"""What the rows say of the refs of the store, and which checkpoints the store has lost.

A checkpoint that cannot be restored any more, since the store lacks part of it, is *lost*: its row
is in the state ``pruned`` and ``lost_at`` says when that was found. It keeps its pin and label, and
all that is known of its time, so that it can be live again once the store comes back.

One of which only the contents of some paths are gone is *partly lost*: its row is live, with
``lost_at``. It has no ref, which would lead git to what is missing; a pack that no gc touches keeps
what is left of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, bindparam, func, or_, select, update

from hermes_checkpoints.catalog.changes import insert_skipped
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.catalog.new_rows import facts_values
from hermes_checkpoints.catalog.rows import select_checkpoints
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    projects,
    settings,
    skipped_paths,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.model import Checkpoint, CheckpointFacts
from hermes_checkpoints.model.retention import BY_HAND

_FOUND = and_(checkpoints.c.lost_at.is_not(None), checkpoints.c.project_id > 0)
_LOST = and_(_FOUND, checkpoints.c.pruned_at.is_not(None))
_PARTLY = and_(_FOUND, checkpoints.c.pruned_at.is_(None))
"""Every project has a number above 0; that it is asked for, and no state, leads SQLite into the
index of these."""


_LOST_ROWS = select_checkpoints().where(_LOST)
_LOST_ROWS_OF_PROJECT = _LOST_ROWS.where(projects.c.hash == bindparam("of_hash"))
_PARTLY_ROWS = select_checkpoints().where(_PARTLY)
_FOLLOW = update(settings).where(
    settings.c.name == REFS_SIGN, settings.c.value == bindparam("before")
)


@dataclass(frozen=True, slots=True)
class RefRow:
    """What a row says of a ref: its number, the commit, the tree, the ref and its state. One that
    is ``partly`` lost is to have no ref."""

    row: int
    commit_id: str
    tree_id: str
    ref_name: str
    state: str
    lost_at: datetime | None = None

    @property
    def partly(self) -> bool:
        return self.state == "live" and self.lost_at is not None


class Agreement(Records):
    """The questions of a comparison of rows and refs. Every method is one transaction."""

    def rows(self) -> list[RefRow]:
        """Return what every row in use says of its ref, in the states ``live``, ``arriving`` and
        ``pruning``, by one statement."""
        columns = ("id", "commit_id", "tree_id", "ref_name", "state", "lost_at")
        query = select(*(checkpoints.c[name] for name in columns)).where(
            checkpoints.c.state.in_(("live", "arriving", "pruning"))
        )
        return [RefRow(*row) for row in self._rows(query)]

    def of_commits(self, commits: Iterable[str]) -> dict[str, Checkpoint]:
        """Return the rows of these commits, in whatever state, by commit."""
        found: dict[str, Checkpoint] = {}
        for some in chunks(sorted(set(commits))):
            query = select_checkpoints().where(checkpoints.c.commit_id.in_(some))
            found |= {one.id: one for one in (Checkpoint(*row) for row in self._rows(query))}
        return found

    # --- what the store lost ---------------------------------------------------------------------

    def lost(self, project_hash: str | None = None) -> list[Checkpoint]:
        """Return the checkpoints that are lost as a whole, newest first, of one project if it is
        named by its hash."""
        query = _LOST_ROWS if project_hash is None else _LOST_ROWS_OF_PROJECT
        values = None if project_hash is None else {"of_hash": project_hash}
        found = [Checkpoint(*row) for row in self._rows(query, values)]
        return sorted(found, key=lambda one: -one._row)

    def partly_lost(self) -> list[Checkpoint]:
        """Return the partly lost checkpoints of all projects, newest first."""
        found = [Checkpoint(*row) for row in self._rows(_PARTLY_ROWS)]
        return sorted(found, key=lambda one: -one._row)

    def mark_partly(self, rows: Iterable[int], now: datetime) -> None:
        """Mark live or lost checkpoints as partly lost, from now on where they were neither."""
        statement = (
            update(checkpoints)
            .where(
                checkpoints.c.id == bindparam("of_id"),
                or_(checkpoints.c.state == "live", _LOST),
            )
            .values(
                state="live",
                pruned_at=None,
                prune_reason=None,
                lost_at=func.coalesce(checkpoints.c.lost_at, bindparam("now", type_=UtcDateTime)),
            )
        )
        self._write(statement, [{"of_id": row, "now": now} for row in rows])

    def mark_whole(self, rows: Iterable[int]) -> None:
        """Take the mark from partly lost checkpoints."""
        statement = (
            update(checkpoints)
            .where(checkpoints.c.id == bindparam("of_id"), checkpoints.c.state == "live")
            .values(lost_at=None)
        )
        self._write(statement, [{"of_id": row} for row in rows])

    def mark_lost(self, reasons: Mapping[int, str], now: datetime) -> None:
        """Mark live checkpoints, by row with what is gone, as lost."""
        statement = (
            update(checkpoints)
            .where(checkpoints.c.id == bindparam("of_id"), checkpoints.c.state == "live")
            .values(
                state="pruned",
                pruned_at=bindparam("now", type_=UtcDateTime),
                lost_at=bindparam("now", type_=UtcDateTime),
                prune_reason=bindparam("because", type_=checkpoints.c.prune_reason.type),
            )
        )
        rows = [{"of_id": id_, "because": why, "now": now} for id_, why in reasons.items()]
        self._write(statement, rows)

    def revive(self, row: int, facts: CheckpointFacts) -> None:
        """Make a lost or pruned checkpoint, whose ref is there, live again with what its commit
        tells. Its pin, its label and its place among the others are those of its row."""
        values = {
            **facts_values(facts),
            "state": "live",
            "pruned_at": None,
            "prune_reason": None,
            "lost_at": None,
        }
        gone = checkpoints.c.id == row, checkpoints.c.state == "pruned"
        known = select(skipped_paths.c.path).where(skipped_paths.c.checkpoint_id == row).limit(1)
        with self._transactions.writing() as connection:
            changed = connection.execute(update(checkpoints).where(*gone).values(values)).rowcount
            if changed and connection.execute(known).first() is None:
                insert_skipped(connection, row, facts.skipped)

    def pruned_by_rule(self) -> dict[str, int]:
        """Return the rows, by commit, of what rules pruned or the store lost: what a person neither
        dropped by name nor made to forget, and an import may bring back."""
        query = select(checkpoints.c.commit_id, checkpoints.c.id).where(
            checkpoints.c.state == "pruned",
            func.coalesce(checkpoints.c.prune_reason, "") != BY_HAND,
            checkpoints.c.replaced_by.is_(None),
        )
        return {row[0]: row[1] for row in self._rows(query)}

    def lacking_changes(self) -> set[str]:
        """Return the ids of the live checkpoints that have not as many changes as they say."""
        own = checkpoint_changes.c.checkpoint_id == checkpoints.c.id
        count = select(func.count()).where(own).scalar_subquery()
        query = select(checkpoints.c.commit_id).where(
            checkpoints.c.state == "live", checkpoints.c.files_changed != count
        )
        return set(self._column(query))

    def with_former(
        self, ids: Collection[str], *, following: bool = False
    ) -> list[tuple[Checkpoint | None, Checkpoint]]:
        """Return those of some checkpoints that are live, each behind the live one that is before
        it, which is None where nothing is, or where it is partial. With ``following`` also those
        whose former one is among them."""
        if not ids:
            return []
        live = select_checkpoints().where(checkpoints.c.state == "live").order_by(checkpoints.c.id)
        before: dict[str, Checkpoint] = {}
        found: list[tuple[Checkpoint | None, Checkpoint]] = []
        for row in self._rows(live):
            one = Checkpoint(*row)
            former = None if one.partial else before.get(one.project_hash)
            if one.id in ids or (following and former is not None and former.id in ids):
                found.append((former, one))
            if not one.partial:
                before[one.project_hash] = one
        return found

    def forget_lost(self, before: datetime) -> int:
        """Make plain tombstones of what was found to be lost before a time; return how many."""
        old = and_(_LOST, checkpoints.c.lost_at < bindparam("before", before, type_=UtcDateTime))
        found = self._column(select(checkpoints.c.id).where(old))
        if not found:
            return 0
        return self._write(update(checkpoints).where(old).values(lost_at=None))

    def places(self, blobs: Iterable[str]) -> list[tuple[str, str, str, int]]:
        """Return where files with these contents were: the blob, the working directory, the path
        and the mode, once each."""
        change = checkpoint_changes.c
        found: set[tuple[str, str, str, int]] = set()
        for some in chunks(sorted(set(blobs))):
            query = (
                select(change.new_blob, projects.c.workdir, change.path, change.new_mode)
                .join(checkpoints, checkpoints.c.id == change.checkpoint_id)
                .join(projects, projects.c.id == checkpoints.c.project_id)
                .where(change.new_blob.in_(some), change.new_mode.is_not(None))
                .distinct()
            )
            found.update((row[0], row[1], row[2], row[3]) for row in self._rows(query))
        return sorted(found)

    # --- the sign --------------------------------------------------------------------------------

    def follow(self, before: str, after: str, now: datetime) -> None:
        """Let the sign be ``after`` where it was ``before``: what changed the refs in between was
        ours alone. Where it was another, it stays, so that rows and refs are compared."""
        if before == after:
            return
        self._write(_FOLLOW, {"before": before, "value": after, "updated_at": now})


def by_ref(rows: Sequence[RefRow]) -> dict[str, RefRow]:
    """Return rows by the name of their ref."""
    return {row.ref_name: row for row in rows if row.ref_name}

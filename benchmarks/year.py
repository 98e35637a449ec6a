"""Lets one project live for a year in a catalog, and tells how large it is and what it costs.

    python benchmarks/year.py [--turns N] [--per-day N] [--checkpoints N] [--home DIR]

Each turn is a checkpoint of two changed files, two reported writes and the end of the turn, and
drops what is over ``max_snapshots``, as a take does; each day ends with what a prune does in the
catalog. The rows go in by the catalog's own methods, no git runs. The run fails when the catalog
of the whole year is larger than 20 MB.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from hermes_checkpoints.attribution.folding import fold
from hermes_checkpoints.catalog import BY_HOST, Catalog, schema
from hermes_checkpoints.model import (
    Actor,
    Change,
    ChangeStatus,
    CheckpointFacts,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    PathEvent,
    ProjectRecord,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
MB = 1024 * 1024
MOST_MB = 20
TURNS = 73_000
FILES = 400


def name_of(*words: object) -> str:
    """Return forty hex digits that stand for some words."""
    return hashlib.sha1(repr(words).encode(), usedforsecurity=False).hexdigest()


class Year:
    """One project, turn by turn."""

    def __init__(self, catalog: Catalog, project: ProjectRecord, keep: int) -> None:
        self.catalog = catalog
        self.project = project
        self.keep = keep
        self.live: deque[int] = deque()
        self.last: int | None = None

    def turn(self, number: int, now: datetime) -> None:
        """Take a checkpoint and work for one turn, all in one transaction."""
        catalog, project = self.catalog, self.project
        session = f"{now:%Y%m%d}_{number // 25:06x}"
        changes = [
            Change(
                f"src/package/module_{(number + step * 101) % FILES}.py",
                ChangeStatus.MODIFIED,
                old_blob=name_of("old", number, step),
                new_blob=name_of("new", number, step),
                old_mode=0o100644,
                new_mode=0o100644,
                old_bytes=6_000,
                new_bytes=6_010,
                stored_bytes=2_048,
                insertions=3,
                deletions=2,
            )
            for step in (0, 1)
        ]
        with catalog.together():
            operation = catalog.operations.begin(
                JournalEntry(
                    OperationKind.TAKE, now, session_id=session, turn=1, project_id=project.id
                )
            )
            facts = CheckpointFacts(
                project.hash,
                project.working_dir,
                name_of("commit", number),
                name_of("tree", number),
                name_of("state", number),
                f"refs/checkpoints/{project.hash}/{now:%Y%m%dT%H%M%S%fZ}-{number:08x}",
                Kind.AUTO,
                "before write_file",
                now,
                session_id=session,
                turn=number % 25,
                message_count=number % 200,
                file_count=FILES,
                logical_bytes=FILES * 6_000,
            )
            taken = catalog.checkpoints.add(
                project,
                facts,
                changes=changes,
                added_bytes=12_000,
                superseded_bytes=4_096,
                previous_id=self.last,
                operation_id=operation,
                now=now,
            )
            catalog.turns.begin(
                project.id,
                start_checkpoint_id=taken._row,
                session_id=session,
                turn=number % 25,
                actor=Actor.AGENT,
                now=now,
            )
            for change in changes:
                catalog.turns.record_write(
                    project.id,
                    change.path,
                    session_id=session,
                    turn=number % 25,
                    tool="write_file",
                    blob=change.new_blob,
                    now=now + timedelta(seconds=20),
                )
            end = now + timedelta(seconds=40)
            self._look(taken._row, changes, session, number, end)
            self.last = taken._row
            self.live.append(taken._row)
            self._trim(now)

    def _look(
        self, row: int, changes: Sequence[Change], session: str, number: int, now: datetime
    ) -> None:
        """End the turn by a look that sees what its tools reported."""
        catalog, project = self.catalog, self.project
        seen = [
            PathEvent(
                change.path,
                change.status,
                Actor.AGENT,
                session,
                number % 25,
                "write_file",
                change.new_blob,
                change.new_mode,
                now,
                old_blob=change.old_blob,
                old_mode=change.old_mode,
            )
            for change in changes
        ]
        catalog.events.add(project.id, row, seen)
        catalog.events.looked(project.id, int(now.timestamp() * 1e9), reports=True)
        open_ = catalog.turns.open(project.id)
        catalog.turns.end(open_, by=BY_HOST, checkpoint_id=row, now=now)

    def _trim(self, now: datetime) -> None:
        if len(self.live) <= self.keep:
            return
        reason = f"its project has more than {self.keep} (max_snapshots)"
        going = [self.live.popleft() for _ in range(len(self.live) - self.keep)]
        self.catalog.checkpoints.mark_pruning(dict.fromkeys(going, reason), now)
        self.catalog.checkpoints.mark_pruned(going)
        self.catalog.operations.record(
            JournalEntry(
                OperationKind.PRUNE,
                now,
                self.project.working_dir,
                outcome=OperationOutcome.DONE,
                message=f"{len(going)} over max_snapshots ({self.keep})",
            ),
            now=now,
        )


def live_through(
    catalog: Catalog, project: ProjectRecord, turns: int, per_day: int, keep: int
) -> float:
    """Live so many turns, and return what all prunes took, in seconds."""
    year = Year(catalog, project, keep)
    pruning = 0.0
    for number in range(turns):
        day, of_day = divmod(number, per_day)
        year.turn(number, START + timedelta(days=day, seconds=of_day * (80_000 // per_day)))
        if of_day == per_day - 1:
            begun = time.perf_counter()
            fold(catalog)
            catalog.shrink()
            pruning += time.perf_counter() - begun
    return pruning


def read(folder: Path, what: str) -> None:
    """Read a view as a whole, or what is asked of it, with nothing but SQLite."""
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        for _ in connection.execute(f"SELECT * FROM {what}"):  # noqa: S608 - names from here
            pass


def main(argv: Sequence[str] | None = None) -> int:
    """Live through the year and print what it left."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--per-day", type=int, default=200)
    parser.add_argument("--checkpoints", type=int, default=20, help="max_snapshots")
    parser.add_argument("--home", type=Path)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.home or Path(temporary)
        with Catalog.open(folder / "catalog.db", folder / "lock") as catalog:
            project = catalog.projects.ensure(
                name_of("project")[:16],
                "/srv/project",
                START,
                identity=None,
                parent=None,
            )
            begun = time.perf_counter()
            pruning = live_through(catalog, project, args.turns, args.per_day, args.checkpoints)
            took = time.perf_counter() - begun
            size = catalog.bytes
            print(f"{args.turns:,} turns in {took:,.0f} s, prunes {pruning:,.0f} s of it")
            print(f"catalog                 {size / MB:>8.1f} MB")
            print(f"each turn               {size / args.turns:>8.0f} bytes")
            measures: dict[str, Callable[[], object]] = {
                "du": catalog.usage.rows,
                "status": catalog.status.projects,
                "log": partial(catalog.checkpoints.list, project.hash),
                "failures": catalog.operations.failure_runs,
            }
            measures |= {view: partial(read, folder, view) for view in sorted(schema.VIEWS)}
            one = "file_history WHERE path = 'src/package/module_7.py'"
            measures["file_history of a path"] = partial(read, folder, one)
            measures["clear"] = catalog.retention.erase
            for name, look in measures.items():
                begun = time.perf_counter()
                look()
                print(f"{name:<23} {(time.perf_counter() - begun) * 1000:>8.1f} ms")
    fine = size <= MOST_MB * MB * max(args.turns, TURNS) / TURNS
    print("as wanted" if fine else f"NOT as wanted: more than {MOST_MB} MB")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

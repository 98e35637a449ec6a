"""Works out which live checkpoints hold which path, from the changes on the way back of each.

Nothing here does I/O: the caller has asked the catalog, and reads a tree where changes do not tell.
What a live checkpoint holds is what the one holds that it was compared with, and its own changes;
tombstones on the way count with theirs. Where the way ends at one that was emptied, the tree tells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.catalog.holdings import ChangeRow
from hermes_checkpoints.model import ChangeStatus, Checkpoint


@dataclass(frozen=True)
class Listed:
    """The contents that a checkpoint has, by path; ``unread`` are the folders, with a ``/`` at the
    end of each but the top, of which nothing can be told."""

    files: Mapping[str, str]
    unread: tuple[str, ...] = ()


Listing = Callable[[Checkpoint], Listed]
"""Reads what a checkpoint has."""


@dataclass(slots=True)
class Span:
    """A content of a path, and from which to which live checkpoint it was held there, by row."""

    path: str
    blob: str
    bytes: int | None
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Step:
    """What a live checkpoint (``row``) says of a path against the live one before it, whose row is
    ``before``. ``status`` is None where it has it, and nothing is before it to tell more."""

    path: str
    row: int
    before: int | None
    status: ChangeStatus | None
    blob: str | None
    bytes: int | None
    insertions: int | None = None
    deletions: int | None = None
    of_permissions: bool = False


@dataclass
class Holdings:
    """What the live checkpoints of one project hold: the spans of each path, and the steps, if
    they were asked for. ``before`` is the live checkpoint that each was compared with."""

    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    steps: list[Step] = field(default_factory=list)
    before: dict[int, int | None] = field(default_factory=dict)

    def holders(self, span: Span) -> Iterator[int]:
        """Yield the rows of the checkpoints that hold a span, newest first."""
        row: int | None = span.last
        while row is not None and row >= span.first:
            yield row
            row = self.before.get(row)


def work_out(
    live: Sequence[Checkpoint],
    links: Mapping[int, int | None],
    changes: Mapping[int, Sequence[ChangeRow]],
    listing: Listing,
    *,
    steps: bool = False,
) -> Holdings:
    """Return what the live checkpoints of a project hold of the paths of ``changes``, which are by
    row. ``links`` are the tombstones among them, each with the row that it was compared with."""
    found = Holdings()
    whole = {one._row: one for one in sorted(live, key=lambda one: one._row) if not one.partial}
    in_order = zip([None, *whole], whole, strict=False)
    ways = {row: _way(whole[row], former, whole, links) for former, row in in_order}
    waiting = Counter(way.parent for way in ways.values())
    states: dict[int, dict[str, Span]] = {}
    for row, one in whole.items():
        way = ways[row]
        found.before[row] = way.parent
        if way.parent is None:
            state: dict[str, Span] = {}
        else:
            waiting[way.parent] -= 1
            left = waiting[way.parent]
            state = dict(states[way.parent]) if left else states.pop(way.parent)
        if way.ends:
            _list(found, state, one, way.parent, listing, steps=steps)
        else:
            _apply(found, state, row, way, changes, steps=steps)
        if waiting[row]:
            states[row] = state
        else:
            _close(state.values(), row)
    for one in live:
        if one.partial:
            _partial(found, one, changes.get(one._row, ()), steps=steps)
    return found


@dataclass(frozen=True)
class _Way:
    """The way back from a checkpoint to the live one that it builds on, which is None where there
    is none: ``rows`` are those of the changes on it, oldest first. Where it ``ends`` at something
    that is not told any more, that is the live one before it in order, and there are none."""

    parent: int | None
    rows: tuple[int, ...]
    ends: bool = False


def _way(
    one: Checkpoint,
    former: int | None,
    whole: Mapping[int, Checkpoint],
    links: Mapping[int, int | None],
) -> _Way:
    """Return the way back; ``former`` is the row of the live checkpoint before it in order."""
    ended = _Way(former, (), ends=True)
    rows, at = [one._row], one._previous_row
    while at is not None and at not in whole:
        if at not in links or at >= rows[-1]:
            return ended
        rows.append(at)
        at = links[at]
    if at is not None and at >= one._row:
        return ended
    if at is None and len(rows) == 1 and one.files_changed < one.file_count:
        return ended  # its changes do not make it up
    return _Way(at, tuple(reversed(rows)))


def _list(
    found: Holdings,
    state: dict[str, Span],
    one: Checkpoint,
    before: int | None,
    listing: Listing,
    *,
    steps: bool,
) -> None:
    """Let a state be what a tree has, compared with the one before, if there is one."""
    row, listed = one._row, listing(one)
    there = listed.files
    for path in [path for path in state if path not in there]:
        if before is not None:
            _close([state[path]], before)
        del state[path]
        if steps and not path.startswith(listed.unread):
            found.steps.append(Step(path, row, before, ChangeStatus.DELETED, None, None))
    for path, blob in there.items():
        held = state.get(path)
        if held is not None and held.blob == blob:
            continue
        status = None if before is None else ChangeStatus.ADDED
        if held is not None and before is not None:
            _close([held], before)
            status = ChangeStatus.MODIFIED
        state[path] = span = Span(path, blob, None, row, row)
        found.spans[path].append(span)
        if steps:
            found.steps.append(Step(path, row, before, status, blob, None))


def _apply(
    found: Holdings,
    state: dict[str, Span],
    row: int,
    way: _Way,
    changes: Mapping[int, Sequence[ChangeRow]],
    *,
    steps: bool,
) -> None:
    of_paths: dict[str, list[ChangeRow]] = {}
    for at in way.rows:
        for change in changes.get(at, ()):
            of_paths.setdefault(change.path, []).append(change)
    for path, its in of_paths.items():
        before = state.get(path)
        # A change of permissions alone says nothing of the content.
        change = next((one for one in reversed(its) if not _of_bits(one)), its[-1])
        status = _become(found, state, row, way.parent, change)
        if not steps or status is None:
            continue
        same = before is not None and before is state.get(path)
        if same and its[0].old_mode == its[-1].new_mode:
            continue  # it is again what it was
        if status is ChangeStatus.MODIFIED and change.status is ChangeStatus.TYPE_CHANGED:
            status = change.status
        own = len(its) == 1 and change.row == row
        span = state.get(path)
        step = Step(
            path,
            row,
            way.parent,
            status,
            None if span is None else span.blob,
            None if span is None else span.bytes,
            change.insertions if own else None,
            change.deletions if own else None,
            same and status is ChangeStatus.MODIFIED,
        )
        found.steps.append(step)


def _of_bits(change: ChangeRow) -> bool:
    return change.status is ChangeStatus.MODIFIED and change.new_blob is None


def _become(
    found: Holdings, state: dict[str, Span], row: int, before: int | None, change: ChangeRow
) -> ChangeStatus | None:
    """Let a path be what a change says; return what happened, None where nothing did."""
    path, held = change.path, state.get(change.path)
    if _of_bits(change):
        return None if held is None else ChangeStatus.MODIFIED
    if held is not None and held.blob == change.new_blob:
        return ChangeStatus.MODIFIED
    if held is not None and before is not None:
        _close([held], before)
    if change.status is ChangeStatus.DELETED or change.new_blob is None:
        return None if state.pop(path, None) is None else ChangeStatus.DELETED
    state[path] = span = Span(path, change.new_blob, change.new_bytes, row, row)
    found.spans[path].append(span)
    return ChangeStatus.ADDED if held is None else ChangeStatus.MODIFIED


def _close(spans: Iterable[Span], row: int) -> None:
    for span in spans:
        span.last = max(span.last, row)


def _partial(
    found: Holdings, one: Checkpoint, changes: Sequence[ChangeRow], *, steps: bool
) -> None:
    """Add what a partial checkpoint holds: it is compared with nothing, and nothing with it."""
    for change in changes:
        if change.new_blob is None:
            continue
        row = one._row
        found.spans[change.path].append(
            Span(change.path, change.new_blob, change.new_bytes, row, row)
        )
        if steps:
            found.steps.append(
                Step(change.path, row, None, None, change.new_blob, change.new_bytes)
            )

"""Finds the checkpoints that hold a path, changed it, or last held it.

Names cost a few statements, however many projects, checkpoints and paths there are. Git is asked
where changes do not tell what the oldest checkpoint has (after a prune), which contents of a partly
lost one are there, whether packs have the contents that are told of, and what contents say. What is
called held can be restored; a path of which the store has no content any more is called lost.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.admin.held import Holdings, Listed, Span, Step, work_out
from hermes_checkpoints.admin.patterns import read_pattern
from hermes_checkpoints.admin.searching import Searched, read_expression, search
from hermes_checkpoints.base.arguments import flag, number_or_none, text_or_none
from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.presence import look_at
from hermes_checkpoints.catalog.holdings import ChangeRow, EventRow, Where
from hermes_checkpoints.errors import PROGRAM, StoreDamaged
from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    ChangeStatus,
    Checkpoint,
    FoundPath,
    FoundPaths,
    Kind,
    NotSearched,
    PathEvent,
    PathHistory,
    PathNow,
    PathStep,
    ProjectState,
)
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, GITLINK_MODE, TREE_MODE
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree
from hermes_checkpoints.object_store.steady_reader import SteadyReader
from hermes_checkpoints.object_store.wholeness import LostPaths, lost_paths


@dataclass(frozen=True)
class Query:
    """What is searched for: paths that a pattern means, all where it is None; those that are gone
    from the working directory alone; those with a content that an expression matches. ``limit``
    bounds how many are returned."""

    pattern: str | None = None
    deleted: bool = False
    content: str | None = None
    limit: int | None = None


def query(pattern: object, *, deleted: object, content: object, limit: object) -> Query:
    """Return a query of arguments of the typed API.

    Raises:
        BadRequest: when one of them is of the wrong kind.
    """
    return Query(
        text_or_none(pattern, "a pattern"),
        flag(deleted, "deleted"),
        text_or_none(content, "a regular expression"),
        number_or_none(limit, "the limit of a list"),
    )


def find(base: Base, target: Target | None, asked: Query) -> FoundPaths:
    """Return the paths of one project, or of all, that checkpoints hold.

    Raises:
        BadRequest: when pattern or expression cannot be read.
        ProjectUnknown: when no checkpoint was taken of the directory.
        CheckpointError: when catalog or store cannot be read.
    """
    pattern = read_pattern(asked.pattern)
    expression = None if asked.content is None else read_expression(asked.content)
    if target is not None:
        require_project(base, target)
    where = Where(None if target is None else target.hash, pattern.part)
    with base.store.git.reading() as git:
        held = _Held.of(base, git, where, pattern.matches)
        places = held.places(base)
        unseen = 0
        if asked.deleted:
            unseen = sum(place.now is PathNow.UNSEEN for place in places)
            places = [place for place in places if place.now is PathNow.GONE]
        searched, left_out = None, tuple[NotSearched, ...]()
        if expression is not None:
            blobs = {span.blob: span.bytes for place in places for span in place.spans}
            blobs |= _sizes(base, git, (blob for blob, size in blobs.items() if size is None))
            searched = search(git, expression, blobs.items())
            left_out = tuple(_not_searched(places, searched))
            places = [place for place in places if place.match_in(searched)]
        places.sort(key=lambda one: _order(one, one.newest(searched)[1]))
        chosen = _there(base, git, places[: asked.limit], searched)
        chosen.sort(key=lambda one: _order(one.place, one.checkpoint))
        found = _answers(base, held, chosen, searched)
    return FoundPaths(found, len(places), unseen, left_out, tuple(held.notes))


def _order(place: _Place, holder: Checkpoint) -> tuple[int, str, str]:
    """Return what sorts paths: those that were held last come first."""
    return -holder._row, holder.working_dir, place.path


def history(base: Base, target: Target, path: str) -> PathHistory:
    """Return which checkpoints changed a path, or something below it.

    Raises:
        ProjectUnknown: when no checkpoint was taken of the directory.
        CheckpointError: when catalog or store cannot be read.
    """
    require_project(base, target)
    where = Where(target.hash, at=path)
    with base.store.git.reading() as git:
        held = _Held.of(base, git, where, _at_or_below(path), steps=True)
        project = held.projects.get(target.hash)
        if project is None:
            return PathHistory(path, (), None, tuple(held.notes))
        events = base.catalog.holdings.events(where, newest=False)
        unknown = (step.blob for step in project.holdings.steps if step.bytes is None)
        sizes = _sizes(base, git, (blob for blob in unknown if blob is not None))
        steps = tuple(_steps(project, events, sizes))
        lost = _lost(base, git, held, path)
    return PathHistory(path, steps, lost, tuple(held.notes))


def last_holder(base: Base, target: Target, path: str, *, below: bool) -> FoundPath | None:
    """Return the newest checkpoint of a project that holds a path, or with ``below`` something that
    lies below it; None where none does. It is one that is lost where there is no other.

    Raises:
        CheckpointError: when catalog or store cannot be read.
    """
    meant = _at_or_below(path) if below else path.__eq__
    with base.store.git.reading() as git:
        held = _Held.of(base, git, Where(target.hash, at=path), meant)
        places = sorted(held.places(base), key=lambda one: -one.newest(None)[1]._row)
        return _first_there(base, git, held, places)


def _at_or_below(path: str) -> Callable[[str], bool]:
    above = f"{path}/"
    return lambda one: one == path or one.startswith(above)


# --- what is held -------------------------------------------------------------------------------


@dataclass
class _Project:
    """What the live checkpoints of a project hold: the contents that the store lacks of partly lost
    ones are not held (``lost``, by row)."""

    hash: str
    working_dir: str
    live: Mapping[int, Checkpoint]
    numbers: Mapping[int, int]
    holdings: Holdings
    lost: Mapping[int, Collection[str]]

    def holder(self, span: Span) -> Checkpoint | None:
        """Return the newest checkpoint that holds a content and has it whole."""
        for row in self.holdings.holders(span):
            if span.path not in self.lost.get(row, ()):
                return self.live[row]
        return None


@dataclass
class _Place:
    """A path that is held: the contents that it had with a holder of each, newest first. Where it
    is ``lost``, no checkpoint can give any of them."""

    project: _Project
    path: str
    now: PathNow
    holders: Sequence[tuple[Span, Checkpoint]]
    lost: bool = False

    @property
    def spans(self) -> Iterator[Span]:
        return (span for span, _ in self.holders)

    def match_in(self, searched: Searched) -> bool:
        return any(span.blob in searched.matches for span in self.spans)

    def newest(self, searched: Searched | None) -> tuple[Span, Checkpoint]:
        """Return the newest content, of those that matched if contents were searched."""
        return next((span, one) for span, one in self.holders if self.fits(span, searched))

    @staticmethod
    def fits(span: Span, searched: Searched | None) -> bool:
        """Tell whether a content matched, where contents were searched."""
        return searched is None or span.blob in searched.matches


@dataclass
class _Held:
    """What is held of the paths that are asked for, by project."""

    where: Where
    projects: dict[str, _Project] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        base: Base,
        git: Git,
        where: Where,
        matches: Callable[[str], bool],
        *,
        steps: bool = False,
    ) -> _Held:
        held = cls(where)
        catalog = base.catalog
        with catalog.at_one_moment():
            if where.project is None:
                live = catalog.checkpoints.live()[::-1]
            else:
                live = catalog.checkpoints.list(where.project)
            links = catalog.holdings.links(where.project)
            rows = catalog.holdings.changes(where)
        changes: dict[str, dict[int, list[ChangeRow]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            if matches(row.path):
                changes[row.project_hash][row.row].append(row)
        of_projects: dict[str, list[Checkpoint]] = defaultdict(list)
        for one in live:
            of_projects[one.project_hash].append(one)
        partly = [one for one in live if one.partly_lost]
        gone = lost_paths(git, [one.tree_id for one in partly]) if partly else {}
        with SteadyReader(git) as reader:
            trees = _Trees(reader, matches, where.at, held.notes)
            for project, its in of_projects.items():
                holdings = work_out(its, links, changes[project], trees.files, steps=steps)
                held.projects[project] = _Project(
                    project,
                    its[0].working_dir,
                    {one._row: one for one in its},
                    _numbers(its),
                    holdings,
                    {
                        one._row: _lost_of(gone.get(one.tree_id), holdings)
                        for one in its
                        if one.partly_lost
                    },
                )
        return held

    def places(self, base: Base) -> list[_Place]:
        """Return the paths that are held, with what lies there now."""
        present = _Present(base, [one for one in self.projects.values() if one.holdings.spans])
        found = []
        for project in self.projects.values():
            for path, spans in project.holdings.spans.items():
                holders = [
                    (span, one) for span in spans if (one := project.holder(span)) is not None
                ]
                lost = not holders
                if lost:
                    holders = [(span, project.live[span.last]) for span in spans]
                holders.sort(key=lambda pair: -pair[1]._row)
                if holders:
                    found.append(_Place(project, path, present.at(project, path), holders, lost))
        return found


def _numbers(live: Iterable[Checkpoint]) -> dict[int, int]:
    """Return the numbers that lists show, by row; ``live`` is newest first."""
    numbered = (one for one in live if one.kind is not Kind.SAFETY)
    return {one._row: number for number, one in enumerate(numbered, 1)}


def _lost_of(found: LostPaths | None, holdings: Holdings) -> Collection[str]:
    """Return which paths a partly lost checkpoint cannot give: all where its tree cannot be
    read."""
    return holdings.spans.keys() if found is None else frozenset(found.paths)


class _Trees:
    """Reads the files of trees: each tree once, though many checkpoints have it, and where one path
    is asked for (``at``) those alone that lead to it."""

    def __init__(
        self,
        reader: SteadyReader,
        matches: Callable[[str], bool],
        at: str | None,
        notes: list[str],
    ) -> None:
        self._reader, self._matches, self._notes = reader, matches, notes
        self._at = None if at is None else f"{at}/"
        self._read: dict[str, tuple[TreeEntry, ...]] = {}

    def files(self, checkpoint: Checkpoint) -> Listed:
        """Return the contents of the paths of a checkpoint that are asked for, by path."""
        found: dict[str, str] = {}
        waiting = [("", checkpoint.tree_id)]
        unread: list[str] = []
        while waiting:
            above, tree = waiting.pop()
            try:
                entries = self._entries(tree)
            except StoreDamaged:
                unread.append(above)
                continue
            for mode, name, object_id in entries:
                path = above + name
                if mode == TREE_MODE:
                    if self._leads_there(f"{path}/"):
                        waiting.append((f"{path}/", object_id))
                elif mode != GITLINK_MODE and self._matches(path):
                    found[path] = object_id
        if unread:
            self._notes.append(
                f"a part of checkpoint {checkpoint.short_id} of {checkpoint.working_dir} cannot be "
                "read, so what it and later ones hold from before is not all known; "
                f"`{PROGRAM} doctor` says more"
            )
        return Listed(found, tuple(unread))

    def _leads_there(self, folder: str) -> bool:
        at = self._at
        return at is None or at.startswith(folder) or folder.startswith(at)

    def _entries(self, tree: str) -> tuple[TreeEntry, ...]:
        if tree == EMPTY_TREE:
            return ()
        if tree not in self._read:
            self._read[tree] = tuple(parse_tree(self._reader.read(tree)[2]))
        return self._read[tree]


# --- what lies there now ------------------------------------------------------------------------

_FILES = (EntryKind.FILE, EntryKind.LINK, EntryKind.OVERSIZE)


class _Present:
    """Tells what lies at paths of some projects now. Of a directory that cannot be reached nothing
    is known, and all of one that was removed is gone."""

    def __init__(self, base: Base, projects: Sequence[_Project]) -> None:
        states = look_at(base, {one.hash for one in projects}).states if projects else {}
        self._unreachable = {
            name for name, state in states.items() if state is ProjectState.UNREACHABLE
        }
        self._inspectors = {one.hash: Inspector(one.working_dir) for one in projects}

    def at(self, project: _Project, path: str) -> PathNow:
        if project.hash in self._unreachable:
            return PathNow.UNSEEN
        return _now(self._inspectors[project.hash], path)


def _now(inspector: Inspector, path: str) -> PathNow:
    kind = inspector.look(path, try_reading=False).kind
    if kind in _FILES:
        return PathNow.THERE
    return PathNow.UNSEEN if kind is EntryKind.UNREADABLE else PathNow.GONE


# --- answers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chosen:
    """A content of a path that is told of, with its holder and its size, where that is known.
    ``lost`` says that the store has none of those that the path had."""

    place: _Place
    span: Span
    checkpoint: Checkpoint
    bytes: int | None
    lost: bool


def _there(
    base: Base, git: Git, places: Sequence[_Place], searched: Searched | None
) -> list[_Chosen]:
    """Choose of each place the newest content that the store has, of those that matched if contents
    were searched; the newest of all where it has none. What the store has is looked up, since it
    may have lost something of which the catalog does not know."""
    newest = [place.newest(searched) for place in places]
    sizes = _sizes(base, git, (span.blob for span, _ in newest))
    gone = [p for p, (span, _) in zip(places, newest, strict=True) if span.blob not in sizes]
    sizes |= _sizes(base, git, (span.blob for place in gone for span in place.spans))
    found = []
    for place, first in zip(places, newest, strict=True):
        pairs = [pair for pair in place.holders if place.fits(pair[0], searched)]
        there = next((pair for pair in pairs if pair[0].blob in sizes), None)
        span, one = there or first
        size = sizes.get(span.blob) if span.bytes is None else span.bytes
        found.append(_Chosen(place, span, one, size, place.lost or there is None))
    return found


def _answers(
    base: Base, held: _Held, chosen: Sequence[_Chosen], searched: Searched | None
) -> tuple[FoundPath, ...]:
    """Return the answer for each place."""
    events: dict[tuple[str, str], EventRow] = {}
    if chosen:
        for known in base.catalog.holdings.events(held.where, newest=True):
            events[known.project_hash, known.event.path] = known
    found = []
    for one in chosen:
        place = one.place
        last = events.get((place.project.hash, place.path))
        found.append(
            FoundPath(
                place.path,
                place.now,
                one.checkpoint,
                place.project.numbers.get(one.checkpoint._row),
                one.span.blob,
                one.bytes,
                None if last is None else last.event,
                None if searched is None else searched.matches[one.span.blob],
                None if last is None else last.title,
                one.lost,
            )
        )
    return tuple(found)


def _sizes(base: Base, git: Git, blobs: Iterable[str]) -> dict[str, int]:
    wanted = {*blobs}
    return {blob: size for blob, (size, _) in base.store.sizes(wanted, git).items()}


def _not_searched(places: Iterable[_Place], searched: Searched) -> Iterator[NotSearched]:
    for place in places:
        for span, one in place.holders:
            reason = searched.left_out.get(span.blob)
            if reason is not None:
                yield NotSearched(place.path, one, reason)


def _steps(
    project: _Project, events: Sequence[EventRow], sizes: Mapping[str, int]
) -> Iterator[PathStep]:
    """Yield the steps of a path newest first, those of one checkpoint as one."""
    of_rows: dict[int, list[Step]] = defaultdict(list)
    for step in project.holdings.steps:
        of_rows[step.row].append(step)
    for row in sorted(of_rows, reverse=True):
        steps = of_rows[row]
        alone = steps[0] if len(steps) == 1 else None
        before = steps[0].before
        since = [one for one in events if before is not None and before <= one.after < row]
        yield PathStep(
            project.live[row],
            project.numbers.get(row),
            alone.status if alone else _common(step.status for step in steps),
            len(steps),
            _size(alone, sizes) if alone else None,
            _sum(step.insertions for step in steps),
            _sum(step.deletions for step in steps),
            all(step.of_permissions for step in steps),
            since[-1].event if since else None,
            since[-1].title if since else None,
            len({_hand(one.event) for one in since}) > 1,
        )


def _hand(event: PathEvent) -> tuple[object, ...]:
    """Return by whose hand something happened."""
    return event.actor, event.tool, event.session_id, event.turn


def _size(step: Step, sizes: Mapping[str, int]) -> int | None:
    return sizes.get(step.blob or "") if step.bytes is None else step.bytes


def _common(statuses: Iterable[ChangeStatus | None]) -> ChangeStatus | None:
    found = {*statuses}
    return found.pop() if len(found) == 1 else ChangeStatus.MODIFIED


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [*counts]
    return None if None in known else sum(count for count in known if count is not None)


def _lost(base: Base, git: Git, held: _Held, path: str) -> FoundPath | None:
    """Return the newest content of a path that does not lie there now; of a directory, that of the
    file that was held last, where none of its files is there."""
    places = held.places(base)
    own = next((place for place in places if place.path == path), None)
    if own is None:
        if not places or any(place.now is not PathNow.GONE for place in places):
            return None
        places.sort(key=lambda place: -place.newest(None)[1]._row)
        return _first_there(base, git, held, places)
    holders = own.holders
    if own.now is PathNow.THERE:
        present = _content_now(own.project.working_dir, path)
        holders = [(span, one) for span, one in holders if present not in (None, span.blob)]
    elif own.now is PathNow.UNSEEN:
        return None
    return _first_there(base, git, held, [replace(own, holders=holders)] if holders else [])


def _first_there(base: Base, git: Git, held: _Held, places: Sequence[_Place]) -> FoundPath | None:
    """Return the answer for the first of some paths that is not lost, for the first of all where
    each is, and None where there are none."""
    found = _there(base, git, places[:1], None)
    if found and found[0].lost:
        rest = _there(base, git, places[1:], None)
        found = [one for one in rest if not one.lost] or found
    return _answers(base, held, found[:1], None)[0] if found else None


def _content_now(working_dir: str, path: str) -> str | None:
    """Return the id of the content that lies at a path now, None where it cannot be read."""
    with contextlib.suppress(OSError):
        return content_id(Inspector(working_dir).spot(path))
    return None

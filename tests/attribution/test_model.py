"""Random histories of two sessions, a person and restores have the answers of docs/attribution.md.

The oracle follows the page in its own way: it keeps what made each path what it is, copies that at
every checkpoint, and lets a restore bring the copy back. HYPOTHESIS_EXAMPLES sets how many
histories are played; docs/reliability.md has the figures of long runs.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from attribution.histories import FILES, History, RealHistory, runs_unless
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution import observing, turns
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Action, Checkpoint, Mode, Restored
from support import examples

PATHS = (*FILES, "n")
SESSIONS = ("A", "B")


@dataclass(frozen=True)
class Deed:
    """Something that made a path what it is: by whom, and between which looks."""

    when: int
    who: str  # agent, person, hand, restore, unknown
    session: str | None = None
    doubtful: str | None = None  # another session that may have done it


Past = dict[str, tuple[Deed, ...]]


def contents(state: str | None) -> str | None:
    """A state without its permissions, where it has any."""
    return state if state is None else re.sub(r"^[0-7]+ ", "", state)


@dataclass
class Oracle:
    """What docs/attribution.md says of a history, step by step."""

    files: dict[str, str | None]
    past: Past = field(default_factory=dict)
    seen: dict[str, str | None] = field(default_factory=dict)
    opened: dict[str, bool] = field(default_factory=dict)  # session: its process runs
    reports: dict[str, list[tuple[str, str | None]]] = field(default_factory=dict)
    told: set[tuple[str, str]] = field(default_factory=set)
    by_hand: bool = False
    looks: int = 0
    at_work: list[int] = field(default_factory=list)  # the looks up to which an agent was
    over: set[str] = field(default_factory=set)  # sessions whose last process is gone

    def look(self) -> None:
        """Attribute what changed since the look before."""
        self.looks += 1
        for path, state in self.files.items():
            if state != self.seen.get(path):
                self.past[path] = (*self.past.get(path, ()), self.deed(path))
        self.seen = dict(self.files)
        self.reports.clear()
        if self.opened:
            self.at_work.append(self.looks)
        self.opened = {session: True for session, runs in self.opened.items() if runs}
        self.told = {(session, path) for session, path in self.told if session in self.opened}

    def deed(self, path: str) -> Deed:
        reports = self.reports.get(path, [])
        now, before = contents(self.files[path]), contents(self.seen.get(path))
        if reports and contents(reports[-1][1]) == now != before:
            return Deed(self.looks, "agent", reports[-1][0])
        if not self.opened:
            return Deed(self.looks, "hand" if self.by_hand else "person")
        alive = [session for session, runs in self.opened.items() if runs]
        if not alive:
            return Deed(self.looks, "unknown")
        told = [session for session in alive if (session, path) in self.told]
        if len(told) == 1:
            return Deed(self.looks, "agent", told[0])
        return Deed(self.looks, "agent", alive[-1], alive[-2] if alive[1:] else None)

    def comes_back(self, path: str, since: int, scope: str | None, *, created: bool) -> bool:
        deeds = [deed for deed in self.past.get(path, ()) if deed.when > since]
        if not deeds or any(deed.who == "unknown" for deed in deeds):
            return False
        persons = [deed for deed in deeds if deed.who in ("person", "hand")]
        if persons and any(look > since for look in self.at_work):
            return False
        if created and any(deed.who == "person" for deed in persons):
            return False
        mine = (scope, *self.over)
        agents = [deed for deed in deeds if deed.who == "agent"]
        return scope is None or not any(
            deed.session not in mine or deed.doubtful not in (None, *mine) for deed in agents
        )


@dataclass
class Point:
    """A checkpoint of a history, with what the oracle knew then."""

    checkpoint: Checkpoint
    look: int
    files: dict[str, str | None]
    past: Past


@dataclass
class Game:
    """A history and the oracle, side by side."""

    history: History
    oracle: Oracle
    points: list[Point] = field(default_factory=list)
    restores: int = 0

    def now(self) -> dict[str, str | None]:
        return {path: text for path, text in self.history.now().items() if path in PATHS}

    def take(self, session: str | None) -> None:
        checkpoint = self.history.take(session)
        self.oracle.look()
        if session is not None:
            self.oracle.opened.pop(session, None)
            self.oracle.told = {one for one in self.oracle.told if one[0] != session}
            self.oracle.opened[session] = True
            self.oracle.over.discard(session)
        if session is None or not any(p.checkpoint.id == checkpoint.id for p in self.points):
            self.oracle.by_hand = checkpoint.kind.value == "manual"
        self.remember(checkpoint)

    def remember(self, checkpoint: Checkpoint) -> None:
        if all(point.checkpoint.id != checkpoint.id for point in self.points):
            point = Point(
                checkpoint, self.oracle.looks, dict(self.oracle.files), dict(self.oracle.past)
            )
            self.points.append(point)

    def agent(self, session: str, verb: str, path: str) -> None:
        self.history.does(session, verb, path)
        self.oracle.files = self.now()
        if verb == "reports":
            self.oracle.reports.setdefault(path, []).append((session, self.oracle.files[path]))
            if session in self.oracle.opened:
                self.oracle.told.add((session, path))

    def you(self, verb: str, path: str) -> None:
        if verb == "back":
            text = self.points[0].files[path]
            (self.history.directory / path).unlink(missing_ok=True)
            if text is not None:
                (self.history.directory / path).write_text(text)
        elif verb == "delete":
            self.history.delete(path)
        else:
            self.history.write(path)
        self.oracle.files = self.now()

    def end(self, session: str) -> None:
        if session in self.oracle.opened:
            self.history.ends(session)
            self.oracle.look()
            self.oracle.opened.pop(session, None)
            self.oracle.told = {one for one in self.oracle.told if one[0] != session}

    def kill(self, session: str) -> None:
        if self.oracle.opened.get(session):
            self.history.killed(session)
            self.oracle.opened[session] = False
            self.oracle.over.add(session)

    def restore(self, number: int, mode: Mode) -> None:
        target = self.points[number % len(self.points)]
        done = self.history.project.restore(target.checkpoint, mode=mode)
        self.restores += bool(done.done)
        self.done(done)

    def undo(self) -> None:
        if self.restores:
            self.done(self.history.project.undo())
            self.restores -= 1

    def done(self, done: Restored) -> None:
        """A restore brings each path that it wrote back with the past that it had then."""
        assert not done.failed
        self.oracle.look()
        if all(point.checkpoint.id != done.safety.id for point in self.points):
            self.oracle.by_hand = False
        self.remember(done.safety)
        (target,) = (p for p in self.points if p.checkpoint.id == done.checkpoint.id)
        self.oracle.looks += 1
        restored = Deed(self.oracle.looks, "restore")
        for path in {step.path for step in done.done} & self.oracle.files.keys():
            self.oracle.past[path] = (*target.past.get(path, ()), restored)
        self.oracle.files = self.now()
        self.oracle.seen = dict(self.oracle.files)

    def check(self) -> None:
        """The plan to every checkpoint, and for each session to the first, is as it must be."""
        then = replace(self.oracle, past=dict(self.oracle.past))
        then.look()
        asked: list[tuple[Point, str | None]] = [(point, None) for point in self.points[1:]]
        asked += [(self.points[0], scope) for scope in (None, *SESSIONS)]
        for point, scope in asked:
            plan = self.history.project.plan_restore(point.checkpoint, session_id=scope)
            kept = {step.path for step in plan.of(Action.KEEP)}
            done = {step.path for step in plan.steps} - kept
            for path in PATHS:
                if self.oracle.files[path] == point.files[path]:
                    assert path not in kept | done
                    continue
                back = then.comes_back(path, point.look, scope, created=point.files[path] is None)
                words = f"{path} to {point.checkpoint.short_id} for {scope}: {then.past.get(path)}"
                assert (path in done) == back, f"{words}; {plan.steps}"
                assert (path in kept) != back, words


paths, sessions = st.sampled_from(PATHS), st.sampled_from(SESSIONS)
agents = st.tuples(
    st.just("agent"), sessions, st.sampled_from(["writes", "reports", "deletes"]), paths
)
people = st.tuples(st.just("you"), st.sampled_from(["edit", "delete", "back"]), paths)
steps = st.one_of(
    agents,
    agents,
    people,
    st.tuples(st.just("take"), sessions),
    st.tuples(st.just("take"), sessions),
    st.tuples(st.just("take"), st.none()),
    st.tuples(st.just("end"), sessions),
    st.tuples(st.just("kill"), sessions),
    st.tuples(
        st.just("restore"), st.integers(0, 5), st.sampled_from([Mode.KEEP_EDITS, Mode.EXACT])
    ),
    st.just(("undo",)),
)


@pytest.fixture
def place() -> Iterator[tuple[Path, Checkpoints]]:
    """A folder for projects, and an opened base."""
    with tempfile.TemporaryDirectory(prefix="model-") as folder:
        config = Config(max_snapshots=0, max_total_size_mb=0)
        root = Path(folder).resolve()
        with Checkpoints.open(root / "home", config=config) as base:
            yield root, base


def play(played: History, history: list[tuple[Any, ...]], *, by_hand: bool) -> None:
    first = played.begin(by_hand=by_hand)
    game = Game(played, Oracle(dict.fromkeys(PATHS)))
    game.oracle.files = game.now()
    game.oracle.seen = dict(game.oracle.files)
    game.oracle.by_hand = by_hand
    if not by_hand:
        game.oracle.opened["A"] = True
    game.remember(first)
    for name, *arguments in history:
        note(f"{name}({', '.join(map(repr, arguments))})")
        getattr(game, name)(*arguments)
    game.check()


histories = st.lists(steps, min_size=3, max_size=14)
checked: Any = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}


@pytest.mark.slow
@settings(max_examples=examples(15), **checked)
@given(by_hand=st.booleans(), history=histories)
def test_every_answer_is_that_of_the_page(
    place: tuple[Path, Checkpoints], by_hand: bool, history: list[tuple[Any, ...]]
) -> None:
    root, base = place
    directory = Path(tempfile.mkdtemp(dir=root))
    dead: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        for module in (observing, turns):
            patch.setattr(module, "still_runs", runs_unless(dead))
        play(History(base, directory, dead), history, by_hand=by_hand)
    shutil.rmtree(directory)


@pytest.mark.slow
@settings(max_examples=examples(2), **checked)
@given(by_hand=st.booleans(), history=histories)
@example(
    by_hand=False,
    history=[
        ("agent", "A", "reports", "f"),
        ("agent", "A", "writes", "g"),
        ("kill", "A"),
        ("you", "edit", "n"),
        ("take", "B"),
        ("agent", "B", "writes", "n"),
        ("end", "B"),
    ],
)
def test_every_answer_holds_for_agents_that_are_processes_and_are_killed(
    place: tuple[Path, Checkpoints], by_hand: bool, history: list[tuple[Any, ...]]
) -> None:
    root, base = place
    directory = Path(tempfile.mkdtemp(dir=root))
    played = RealHistory(base, directory)
    try:
        play(played, history, by_hand=by_hand)
    finally:
        played.close()
    shutil.rmtree(directory)

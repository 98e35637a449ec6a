"""Random histories of two sessions that tell by hooks, and of a person, a process an event: what a
person changed last while no tool ran is never taken back, what only tools changed is, and an undo
brings every byte and mode back.

The oracle knows when each change was really made, and by whom. Where docs/attribution.md lets a
change be either's, as one that a later one hides, it says nothing. HYPOTHESIS_EXAMPLES sets how
many histories are played.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.hooks.agents import AGENTS, EventKind
from hermes_checkpoints.model import Action
from hooks.agents import HookedAgent
from support import everything, examples

PATHS = ("a", "b", "d/c", "n", "d/e/m")
THERE = PATHS[:3]
SESSIONS = ("one", "other")
BACK, STAYS, EITHER = "back", "stays", "either"

State = tuple[int, bytes] | None


@dataclass
class Run:
    """A tool, as the hooks tell of it."""

    began: int
    ended: int | None = None


@dataclass
class Turn:
    """An open turn."""

    began: int
    gaps: bool
    runs: list[Run] = field(default_factory=list)

    def covers(self, at: int, *, interrupted: bool) -> tuple[bool, bool]:
        """Whether a change may be this turn's, and whether that is not known."""
        if self.gaps and not interrupted:
            return True, False
        runs = self.runs
        if self.gaps:
            known = [run.began if run.ended is None else run.ended for run in runs]
            runs = [Run(self.began, max(known, default=None)), *runs]
        found = [r for r in runs if r.began <= at and (r.ended is None or at <= r.ended)]
        unended = bool(found) and all(run.ended is None for run in found)
        return bool(found), interrupted and unended


@dataclass
class Play:
    """A history, and what is known of it."""

    name: str
    home: Path
    directory: Path
    now: int = 0
    agents: dict[str, HookedAgent] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    seen: dict[str, State] = field(default_factory=dict)
    first: dict[str, State] = field(default_factory=dict)
    first_id: str = ""
    made: dict[str, list[tuple[int, bool]]] = field(default_factory=dict)  # when, by a person
    judged: dict[str, list[str]] = field(default_factory=dict)

    # --- the directory --------------------------------------------------------------------------

    def files(self) -> dict[str, State]:
        paths = {name: self.directory / name for name in PATHS}
        return {
            name: (path.stat().st_mode, path.read_bytes()) if path.is_file() else None
            for name, path in paths.items()
        }

    def change(self, deed: str, name: str, *, person: bool) -> None:
        self.later()
        path, before = self.directory / name, self.files()[name]
        if deed == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{self.now:9}")
        elif before is not None and deed == "delete":
            path.unlink()
        elif before is not None and deed == "mode":
            path.chmod(before[0] ^ 0o111)
        elif before is not None and deed == "replace":
            (path.parent / ".new").write_text(f"{self.now:9}")
            (path.parent / ".new").rename(path)
        else:
            return
        self.made.setdefault(name, []).append((self.now, person))
        if deed != "mode":  # the times of the directory, by which a deletion is judged
            for above in PurePosixPath(name).parents:
                self.made.setdefault(f"{above}/", []).append((self.now, person))
        self.later()

    def later(self) -> None:
        """Wait until the clock of the disk is past all that was before."""
        probe = self.directory.parent / "clock"
        probe.write_text("")
        begun = probe.stat().st_ctime_ns
        while probe.stat().st_ctime_ns <= begun + 10_000_000:
            os.utime(probe)
        self.now += 1

    # --- what the page says ---------------------------------------------------------------------

    def look(self, interrupted: Collection[str] = ()) -> dict[str, list[str]]:
        """Return what is known of each path after a look."""
        found = {name: list(known) for name, known in self.judged.items()}
        for name, state in self.files().items():
            if state != self.seen[name]:
                found.setdefault(name, []).append(self.whose(name, state, interrupted))
        return found

    def looked(self, interrupted: Collection[str] = ()) -> None:
        self.judged = self.look(interrupted)
        self.seen = self.files()
        self.made.clear()

    def whose(self, name: str, state: State, interrupted: Collection[str]) -> str:
        made = list(self.made[name])
        if state is None:
            made += [one for above in PurePosixPath(name).parents for one in self.made[f"{above}/"]]
        made.sort()
        told = [
            [turn.covers(at, interrupted=one in interrupted) for one, turn in self.turns.items()]
            for at, _ in made
        ]
        ours = [any(covered for covered, _ in one) for one in told]
        doubt = [any(doubtful for _, doubtful in one) for one in told]
        if not any(person for _, person in made) and all(ours) and not any(doubt):
            return BACK
        by_persons = made[-1][1] if state is not None else all(person for _, person in made)
        free = not ours[-1] or doubt[-1] if state is not None else not any(ours)
        return STAYS if by_persons and free else EITHER

    # --- steps ----------------------------------------------------------------------------------

    def begin(self) -> None:
        for name in THERE:
            self.change("write", name, person=True)
        self.seen = self.first = self.files()
        self.tool("one", [])
        with Checkpoints.open(self.home) as checkpoints:
            self.first_id = checkpoints.project(self.directory).get().id
        self.judged.clear()

    def agent(self, session: str) -> HookedAgent:
        if session not in self.agents:
            self.agents[session] = HookedAgent(self.name, self.directory, session)
            self.prompt(session)
        return self.agents[session]

    def prompt(self, session: str) -> None:
        self.agent(session).asked()
        if session in self.turns:
            self.looked({session})
            del self.turns[session]
        if not AGENTS[self.name].tells_every_tool:
            self.open(session)

    def open(self, session: str) -> None:
        self.looked()
        self.turns[session] = Turn(self.now, not AGENTS[self.name].tells_every_tool)
        self.later()

    def tool(self, session: str, deeds: list[tuple[str, str]], *, ends: bool = True) -> None:
        agent = self.agent(session)
        call = agent.begins_shell()
        if session not in self.turns:
            self.open(session)
        self.turns[session].runs.append(run := Run(self.now))
        self.later()
        for deed, name in deeds:
            self.change(deed, name, person=False)
        if ends:
            agent.ends_tool(call)
            run.ended = self.now
        self.later()

    def refused(self, session: str) -> None:
        self.tool(session, [], ends=False)

    def person(self, deed: str, name: str) -> None:
        self.change(deed, name, person=True)

    def stop(self, session: str) -> None:
        agent = self.agent(session)
        agent.tell(EventKind.STOP)
        if session in self.turns:
            self.looked({session} if AGENTS[self.name].tells_every_tool else ())
            del self.turns[session]
        self.later()

    def back_and_forth(self) -> None:
        """Restore to the first checkpoint, undo it, and have every byte and mode again."""
        self.looked()
        before = everything(self.directory)
        with Checkpoints.open(self.home) as checkpoints:
            project = checkpoints.project(self.directory)
            restored = project.restore(self.first_id)
            assert not restored.failed
            done = {step.path for step in restored.done}
            self.check(done, self.judged, self.seen)
            assert {name: self.files()[name] for name in done & {*PATHS}} == {
                name: self.first[name] for name in done & {*PATHS}
            }
            if restored.done:
                assert not project.undo().failed
        assert everything(self.directory) == before
        self.later()

    def plan(self) -> None:
        with Checkpoints.open(self.home) as checkpoints:
            plan = checkpoints.project(self.directory).plan_restore(self.first_id)
        done = {step.path for step in plan.steps if step.action is not Action.KEEP}
        self.check(done, self.look(), self.files())

    def check(self, done: set[str], judged: dict[str, list[str]], files: dict[str, State]) -> None:
        for name in PATHS:
            known = judged.get(name, [])
            if files[name] == self.first[name]:
                assert name not in done
            elif STAYS in known:
                assert name not in done, (name, known)
            elif EITHER not in known:
                assert name in done, (name, known)

    def close(self) -> None:
        assert [agent.said for agent in self.agents.values() if agent.said] == []


paths, sessions = st.sampled_from(PATHS), st.sampled_from(SESSIONS)
deeds = st.sampled_from(["write", "write", "delete", "mode", "replace"])
people = st.tuples(st.just("person"), deeds, paths)
tools = st.tuples(st.just("tool"), sessions, st.lists(st.tuples(deeds, paths), max_size=2))
steps = st.one_of(
    tools,
    tools,
    people,
    people,
    st.tuples(st.just("prompt"), sessions),
    st.tuples(st.just("stop"), sessions),
    st.tuples(st.just("refused"), sessions),
    st.sampled_from([("back_and_forth",), ("plan",)]),
)


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="random-") as folder:
        yield Path(folder).resolve()


@pytest.mark.slow
@settings(
    max_examples=examples(1),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(name=st.sampled_from([*AGENTS]), history=st.lists(steps, min_size=3, max_size=14))
@example(
    name="claude",
    history=[
        ("tool", "other", [("write", "n"), ("delete", "a")]),
        ("person", "replace", "b"),
        ("refused", "one"),
        ("person", "write", "d/c"),
        ("stop", "other"),
        ("prompt", "one"),
        ("back_and_forth",),
        ("tool", "one", [("write", "d/c"), ("mode", "n")]),
    ],
)
def test_what_a_person_did_stays_and_what_tools_did_comes_back(
    fresh_home: Path, place: Path, name: str, history: list[tuple[Any, ...]]
) -> None:
    root = Path(tempfile.mkdtemp(dir=place))
    (root / "project").mkdir()
    shutil.rmtree(fresh_home, ignore_errors=True)
    played = Play(name, fresh_home, root / "project")
    try:
        played.begin()
        for step, *arguments in history:
            note(f"{step}({', '.join(map(repr, arguments))})")
            getattr(played, step)(*arguments)
        played.plan()
        played.back_and_forth()
        played.close()
    finally:
        for agent in played.agents.values():
            agent.close()
    shutil.rmtree(root)

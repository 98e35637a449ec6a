"""Plays histories that are written as in docs/attribution.md, on a real directory.

``History(home, project).play("A writes f; A ends; you edit f")`` does just that. Every content is
another. Which processes run is said by ``dead``; the caller makes ``still_runs`` ask it.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.looks import GRANULE_NS
from hermes_checkpoints.capture.request import TakeRequest
from hermes_checkpoints.capture.take import take
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.fs.writer import TreeWriter
from hermes_checkpoints.model import Checkpoint, Kind, Mode, Owner, Taken, Unchanged
from interpreters import Interpreter, run, start

FILES = ("f", "g")
IGNORED = "i"


class CutShort(BaseException):
    """Stands for whatever ends a process in the middle of a restore."""


@dataclass
class History:
    """A history of one directory. ``first`` is the checkpoint to which it may go back."""

    base: Checkpoints
    directory: Path
    dead: set[str] = field(default_factory=set)
    number: int = 0
    owners: dict[str, str] = field(default_factory=dict)
    first: Checkpoint | None = None
    scope: str | None = None

    @property
    def project(self) -> Project:
        return self.base.project(self.directory)

    def begin(self, *, by_hand: bool = False) -> Checkpoint:
        for name in FILES:
            self.write(name)
        (self.directory / ".gitignore").write_text(f"{IGNORED}\n")
        self.first = self.take(None if by_hand else "A")
        return self.first

    def take(self, session: str | None) -> Checkpoint:
        self.number += 1
        kind = Kind.MANUAL if session is None else Kind.AUTO
        owner = None
        if session is not None:
            self.owners[session] = f"{session}-{self.number}"
            owner = Owner("here", "now", 1, self.owners[session])
        request = TakeRequest(str(self.directory), "test", kind, session, owner=owner)
        outcome = take(self.base._base, request)
        assert isinstance(outcome, Taken | Unchanged)
        return outcome.checkpoint

    def write(self, path: str) -> None:
        self.number += 1
        (self.directory / path).write_text(f"{path} {self.number}\n" * self.number)

    def delete(self, path: str) -> None:
        (self.directory / path).unlink(missing_ok=True)

    def report(self, session: str, path: str) -> None:
        self.project.record_agent_write(path, session_id=session, tool="write_file")

    def now(self) -> dict[str, str | None]:
        """The contents of all that a history speaks of, None where it is missing."""
        names = {*FILES, IGNORED, "n", "m"}
        paths = {name: self.directory / name for name in names}
        return {name: p.read_text() if p.exists() else None for name, p in paths.items()}

    # --- the words --------------------------------------------------------------------------------

    def play(self, words: str) -> None:
        for step in filter(None, (part.strip() for part in words.split(";"))):
            self.step(step)

    def step(self, step: str) -> None:
        for form, act in STEPS.items():
            match = re.fullmatch(form, step)
            if match:
                (getattr(self, act) if isinstance(act, str) else partial(act, self))(
                    *match.groups()
                )
                return
        raise AssertionError(f"nobody knows what {step!r} means")

    def ends(self, session: str) -> None:
        self.project.end_turn(session_id=session)

    def killed(self, session: str) -> None:
        self.dead.add(self.owners[session])

    def thinks(self, session: str) -> None:
        """The tools of the turn have run long ago."""
        at = time.time_ns() - 10**10
        row = self._row()
        catalog = self.base._base.catalog
        catalog.turns.begin_tool(row, session, None, "terminal", at)
        catalog.turns.end_tool(row, session, None, at + 1)

    def runs(self, session: str, verb: str, path: str) -> None:
        row = self._row()
        catalog = self.base._base.catalog
        catalog.turns.begin_tool(row, session, None, "terminal", self._tick())
        self.does(session, verb, path)
        catalog.turns.end_tool(row, session, None, self._tick())
        self._tick()

    def begins_tool(self, session: str) -> None:
        catalog = self.base._base.catalog
        catalog.turns.begin_tool(self._row(), session, None, "terminal", self._tick())

    def interrupted(self, session: str) -> None:
        self.project.end_turn(session_id=session, interrupted=True)

    def does(self, session: str, verb: str, path: str) -> None:
        if verb == "deletes":
            self.delete(path)
        else:
            self.write(path)
        if verb == "reports":
            self.report(session, path)

    def puts_back(self, path: str) -> None:
        assert self.first is not None
        self.number += 1
        (self.directory / path).write_bytes(self.project.read_file(self.first, path))

    def stops_ignoring(self, _session: str) -> None:
        (self.directory / ".gitignore").write_text("nothing\n")

    def restores(self, how: str | None) -> None:
        assert self.first is not None
        mode = Mode.EXACT if how == " exactly" else Mode.KEEP_EDITS
        if how != ", cut short":
            self.project.restore(self.first, mode=mode)
            return
        write, count = TreeWriter.write, 0

        def cut(*arguments: object, **options: object) -> None:
            nonlocal count
            count += 1
            if count == 2:
                raise CutShort
            write(*arguments, **options)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TreeWriter, "write", cut)
            with pytest.raises(CutShort):
                self.project.restore(self.first, mode=mode)
        home = self.base._base.layout.home
        self.base.close()
        self.base = Checkpoints.open(home)

    def _row(self) -> int:
        project = self.base._base.catalog.projects.get(self.project._target.hash)
        assert project is not None
        return project.id

    def _tick(self) -> int:
        """Wait until the disk's clock has gone on for long enough that nobody can mistake what was
        before, and return its time."""
        probe = self.directory.parent / "tick"
        probe.write_text("")
        begun = probe.stat().st_ctime_ns
        while probe.stat().st_ctime_ns <= begun + GRANULE_NS:
            os.utime(probe)
        return probe.stat().st_ctime_ns


HOOK = """
import sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.capture.request import TakeRequest
from hermes_checkpoints.capture.take import take
from hermes_checkpoints.fs.processes import name_process
from hermes_checkpoints.model import Kind

home, directory, what, session, argument = sys.argv[1:]
with Checkpoints.open(home) as checkpoints:
    project = checkpoints.project(directory)
    if what == "take":
        owner = name_process(int(argument))
        assert owner is not None
        request = TakeRequest(directory, "test", Kind.AUTO, session, owner=owner)
        print(take(checkpoints._base, request).checkpoint.id)
    elif what == "report":
        project.record_agent_write(argument, session_id=session, tool="write_file")
    else:
        project.end_turn(session_id=session)
"""
"""One event of an agent: a process of its own, which shares nothing with the others."""

AGENT = "import sys; sys.stdin.read()"


@dataclass
class RealHistory(History):
    """A history whose agents are processes, and whose events are others, as hooks are."""

    agents: dict[str, Interpreter] = field(default_factory=dict)

    def take(self, session: str | None) -> Checkpoint:
        if session is None:
            return super().take(None)
        if session not in self.agents:
            self.agents[session] = start(AGENT)
        commit = self.hook("take", session, self.agents[session].pid)
        return self.project.get(commit)

    def report(self, session: str, path: str) -> None:
        self.hook("report", session, path)

    def ends(self, session: str) -> None:
        self.hook("end", session, "")

    def killed(self, session: str) -> None:
        agent = self.agents.pop(session)
        os.kill(agent.pid, signal.SIGKILL)
        agent.finish()

    def hook(self, what: str, session: str, argument: object) -> str:
        home = self.base._base.layout.home
        ended = run(HOOK, home, self.directory, what, session, argument)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def close(self) -> None:
        for agent in self.agents.values():
            agent.finish()


STEPS: dict[str, str | Callable[..., None]] = {
    r"([AB]) takes": lambda h, session: h.take(session) and None,
    r"([AB]) (writes|makes|deletes|reports) (\w)": "does",
    r"([AB]) ends": "ends",
    r"([AB]) is killed": "killed",
    r"([AB]) thinks": "thinks",
    r"([AB]) runs a tool that (writes|makes|deletes|reports) (\w)": "runs",
    r"([AB]) begins a tool": "begins_tool",
    r"([AB]) is interrupted": "interrupted",
    r"([AB]) stops ignoring i": "stops_ignoring",
    r"you (?:edit|make) (\w)": "write",
    r"you delete (\w)": "delete",
    r"you put (\w) back": "puts_back",
    r"you take": lambda h: h.take(None) and None,
    r"you claim (\w) for ([AB])": lambda h, path, session: h.report(session, path),
    r"restore( exactly|, cut short)?": "restores",
    r"undo": lambda h: h.project.undo() and None,
    r"for ([AB])": lambda h, session: setattr(h, "scope", session),
}


def runs_unless(dead: set[str]) -> Callable[[Owner], bool]:
    """Return what tells whether a process runs: all do but those that are dead."""
    return lambda owner: owner.started not in dead

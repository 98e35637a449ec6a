"""The way of a request: through how many modules it is handed on, and how often into each.

A call counts where one module calls a function of another and hands it the request, or the
workspace in which the request is carried out (also as ``self``).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.request import TakeRequest
from hermes_checkpoints.capture.take import take
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Checkpoint, Restored, Taken, Unchanged
from hermes_checkpoints.restore.request import RestoreRequest
from hermes_checkpoints.restore.run import plan_restore, restore

MOST_MODULES = 8
MOST_ENTRIES = 2
PACKAGE = "hermes_checkpoints."
VALUES = ("restore.request", "capture.request", "capture.facts")
"""Modules that say what a request is or what its commit tells, as the model does, and hand it on to
nobody."""

REQUESTS = (TakeRequest, RestoreRequest, Workspace)


@dataclass
class Way:
    """The calls that handed a request from one module to another, in order."""

    calls: list[tuple[str, str]] = field(default_factory=list)

    def follow(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and note the way of the request through it."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            return function(*arguments)
        finally:
            sys.setprofile(before)

    @property
    def entries(self) -> Counter[str]:
        """How often the request came into each module from another one."""
        return Counter(call.split(":")[0] for _, call in self.calls)

    def check(self) -> None:
        """Fail with the whole way where it is too long or comes back too often."""
        assert len(self.entries) <= MOST_MODULES, self.calls
        assert max(self.entries.values()) <= MOST_ENTRIES, self.calls

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        module = _module(frame)
        if event != "call" or module is None or not _carries_request(frame):
            return
        if frame.f_code.co_flags & CO_GENERATOR and frame.f_lasti > 0:
            return  # a block that goes on at its end was counted when it began
        caller = next((name for up in _callers(frame) if (name := _module(up))), "caller")
        if caller != module:
            self.calls.append((caller, f"{module}:{frame.f_code.co_name}"))


def _callers(frame: FrameType) -> Iterator[FrameType]:
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame


def _module(frame: FrameType) -> str | None:
    """Name the module of this package, or None: what dataclasses generate is of no module."""
    name = str(frame.f_globals.get("__name__"))
    if not name.startswith(PACKAGE) or frame.f_code.co_filename.startswith("<"):
        return None
    name = name.removeprefix(PACKAGE)
    return None if name in VALUES else name


def _carries_request(frame: FrameType) -> bool:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return any(isinstance(frame.f_locals.get(name), REQUESTS) for name in names)


@pytest.fixture
def base(home: Path) -> Iterator[Base]:
    opened = Base.open(Layout.of(home))
    yield opened
    opened.catalog.close()


@pytest.fixture
def first(base: Base, project: Path) -> Checkpoint:
    """A checkpoint of the project, in which a file was changed since and one was added."""
    taken = take(base, TakeRequest(str(project), "first"))
    assert isinstance(taken, Taken)
    (project / "src" / "app.py").write_text("changed\n")
    (project / "added.txt").write_text("added\n")
    return taken.checkpoint


def test_the_way_of_a_take(base: Base, project: Path, first: Checkpoint) -> None:
    way = Way()
    request = TakeRequest(str(project), "second")
    assert isinstance(way.follow(take, base, request), Taken)
    assert way.calls[0] == ("caller", "capture.take:take")
    assert {"base.workspace", "retention.delete"} <= way.entries.keys()
    way.check()


def test_the_way_of_a_take_that_finds_no_change(base: Base, project: Path) -> None:
    request = TakeRequest(str(project), "first")
    take(base, request)
    way = Way()
    assert isinstance(way.follow(take, base, request), Unchanged)
    assert "base.workspace" in way.entries
    way.check()


def test_the_way_of_a_restore(base: Base, project: Path, first: Checkpoint) -> None:
    way = Way()
    target = Target.of(project.resolve())
    restored = way.follow(restore, base, target, RestoreRequest(first))
    assert isinstance(restored, Restored)
    assert way.calls[0] == ("caller", "restore.run:restore")
    assert {"capture.take", "base.workspace", "retention.delete"} <= way.entries.keys()
    way.check()


def test_the_way_of_a_plan_of_a_restore(base: Base, project: Path, first: Checkpoint) -> None:
    way = Way()
    target = Target.of(project.resolve())
    assert way.follow(plan_restore, base, target, RestoreRequest(first)).steps
    assert {"restore.run", "base.workspace"} <= way.entries.keys()
    way.check()


def test_a_way_that_comes_back_too_often_is_found(base: Base, project: Path) -> None:
    def wander(workspace: Workspace) -> None:
        for _ in range(MOST_ENTRIES + 1):
            workspace.survey()

    way = Way()
    with Workspace.enter(base, Target.of(project.resolve()), "test") as workspace:
        way.follow(wander, workspace)
    assert way.entries == {"base.workspace": MOST_ENTRIES + 1}
    with pytest.raises(AssertionError, match="survey"):
        way.check()

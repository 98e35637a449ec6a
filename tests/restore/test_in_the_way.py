"""What stays is in the way of what comes back: nobody's file is lost to make room.

Each case is played with real files and restored; what the plan says is what happens, and the
undo gives everything back.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import NothingToUndo
from hermes_checkpoints.model import Action, Kind, Mode, Restored
from hermes_checkpoints.model.paths import parents
from support import crossed, everything

FOLDER = "a directory"
LINK = "leads to "
GONE = None
Edits = dict[str, str | None]
"""What is put at a path: contents, a link, an empty directory, or nothing."""
Tree = dict[str, tuple[int, bytes | str | None]]


@dataclass
class Tangle:
    """A project in which one path stands in the way of another."""

    checkpoints: Checkpoints
    root: Path
    target: str = ""

    def put(self, edits: Edits) -> None:
        for name, what in edits.items():
            path = self.root / name
            for at in [*reversed(path.relative_to(self.root).parents[:-1]), Path(name)]:
                there = self.root / at
                if there.is_symlink() or there.is_file():
                    there.unlink()
            if path.is_dir():
                shutil.rmtree(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            if what == FOLDER:
                path.mkdir()
            elif what is not None and what.startswith(LINK):
                path.symlink_to(what.removeprefix(LINK))
            elif what is not None:
                path.write_text(what)

    def turn(self, edits: Edits, session: str = "s1", tool: str | None = None) -> None:
        """A turn of the agent; the checkpoint before the first one is the target."""
        self.checkpoints.project(self.root).take(kind=Kind.AUTO, session_id=session)
        self.target = self.target or self.checkpoints.project(self.root).list()[0].id
        self.put(edits)
        for name in edits if tool else ():
            self.checkpoints.project(self.root).record_agent_write(
                name, session_id=session, tool=tool
            )
        if tool is None:
            self.end(session)

    def end(self, session: str = "s1") -> None:
        assert self.checkpoints.project(self.root).end_turn(session_id=session)

    def restore(self, mode: Mode = Mode.KEEP_EDITS, **limits: Any) -> tuple[Restored, Tree]:
        """Restore as planned, find that plan, report and files agree, and undo it. Return the
        report and the tree before the undo."""
        before = everything(self.root)
        plan = self.checkpoints.project(self.root).plan_restore(self.target, mode=mode, **limits)
        done = self.checkpoints.project(self.root).restore(
            self.target, mode=mode, plan=plan, **limits
        )
        assert not done.failed, done.failed
        assert [*done.done, *done.kept] == list(plan.steps)
        after = everything(self.root)
        for step in done.kept:
            assert after.get(step.path) == before.get(step.path), step
        touched = {step.path for step in done.done}
        changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        assert changed <= touched, done
        if done.done or done.failed:
            self.checkpoints.project(self.root).undo()
        else:
            with pytest.raises(NothingToUndo):
                self.checkpoints.project(self.root).undo()
        assert everything(self.root) == before
        return done, after


@pytest.fixture
def tangle(home: Path, tmp_path: Path) -> Iterator[Tangle]:
    root = tmp_path / "tangled"
    root.mkdir()
    (root / "beside").write_text("zero\n")
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as checkpoints:
        yield Tangle(checkpoints, root)


def kept(done: Restored) -> dict[str, str]:
    return {step.path: step.reason for step in done.kept}


YOURS = "you changed it"
AFTER = "you changed it after the agent"
NOBODYS = "no record of who changed it"


@dataclass(frozen=True)
class Case:
    """What the checkpoint holds, what the agent and then the person made of it, and what stays
    for which reason; everything else comes back."""

    then: Edits
    agent: Edits
    person: Edits
    stays: dict[str, str] = field(default_factory=dict)


BLOCKED: dict[str, Case] = {
    # A file or link is where a directory was.
    "a file the person edited": Case(
        {"a/b/c": "one\n"},
        {"a": "agent\n"},
        {"a": "mine\n"},
        {"a": AFTER, "a/b/c": f"a is in the way: {AFTER}"},
    ),
    "a file the person put there": Case(
        {"a/b/c": "one\n"},
        {"a": GONE},
        {"a": "mine\n"},
        {"a": YOURS, "a/b/c": f"a is in the way: {YOURS}"},
    ),
    "a file in the middle": Case(
        {"a/b/c/d": "one\n", "a/e": "one\n"},
        {"a/b": "agent\n", "a/e": "agent\n"},
        {"a/b": "mine\n"},
        {"a/b": AFTER, "a/b/c/d": f"a/b is in the way: {AFTER}"},
    ),
    "a link the person made": Case(
        {"a/b/c": "one\n"},
        {"a": f"{LINK}beside"},
        {"a": f"{LINK}nowhere"},
        {"a": AFTER, "a/b/c": f"a is in the way: {AFTER}"},
    ),
    "a link to a directory": Case(
        {"a/b": "one\n", "d/e": "one\n"},
        {"a": GONE},
        {"a": f"{LINK}d"},
        {"a": YOURS, "a/b": f"a is in the way: {YOURS}"},
    ),
    "a file over several": Case(
        {"a/b": "one\n", "a/c/d": "one\n", "a/empty": FOLDER},
        {"a": "agent\n"},
        {"a": "mine\n"},
        {
            "a": AFTER,
            "a/b": f"a is in the way: {AFTER}",
            "a/c/d": f"a is in the way: {AFTER}",
        },
    ),
    # A directory is where a file or link was.
    "a file the person added": Case(
        {"a": "one\n"},
        {"a/b": "agent\n"},
        {"a/c": "mine\n"},
        {"a": f"a/c is in the way: {YOURS}", "a/c": YOURS},
    ),
    "a file several levels down": Case(
        {"a": "one\n"},
        {"a/b/c/d": "agent\n"},
        {"a/b/c/e": "mine\n"},
        {"a": f"a/b/c/e is in the way: {YOURS}", "a/b/c/e": YOURS},
    ),
    "an edited file below": Case(
        {"a": "one\n"},
        {"a/b/c": "agent\n"},
        {"a/b/c": "mine\n"},
        {"a": f"a/b/c is in the way: {AFTER}", "a/b/c": AFTER},
    ),
    "a link below": Case(
        {"a": f"{LINK}beside"},
        {"a/b": "agent\n"},
        {"a/c": f"{LINK}nowhere"},
        {"a": f"a/c is in the way: {YOURS}", "a/c": YOURS},
    ),
    "an empty directory": Case(
        {"a": "one\n"},
        {"a": GONE},
        {"a": FOLDER},
        {"a": f"a is in the way: {NOBODYS}"},
    ),
    "an empty directory below": Case(
        {"a": "one\n"},
        {"a/b/c": "agent\n"},
        {"a/b/mine/deep": FOLDER},
        {"a": f"a/b/mine/deep is in the way: {NOBODYS}"},
    ),
    "what is not captured": Case(
        {"a": "one\n"},
        {"a/b": "agent\n"},
        {"a/c": "big\n" * 400_000},
        {"a": "a/c is in the way: not captured: oversize"},
    ),
}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("case", BLOCKED.values(), ids=BLOCKED.keys())
def test_what_a_person_put_in_the_way_stays(tangle: Tangle, case: Case) -> None:
    tangle.put(case.then)
    tangle.turn(case.agent)
    tangle.put(case.person)
    mine = {name: everything(tangle.root)[name] for name in case.person}
    done, found = tangle.restore()
    assert {name: found.get(name) for name in mine} == mine
    assert kept(done) == case.stays
    done, found = tangle.restore(paths=sorted(case.then))
    assert {name: found.get(name) for name in mine} == mine
    chosen = {name for name in case.stays if {name, *parents(name)} & set(case.then)}
    assert kept(done) == {name: case.stays[name] for name in chosen}


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize(("case", "mode"), crossed(3, BLOCKED.values(), [Mode.OVERLAY, Mode.EXACT]))
def test_modes_that_do_not_ask_who_clear_the_way_and_the_undo_brings_it_back(
    tangle: Tangle, case: Case, mode: Mode
) -> None:
    tangle.put(case.then)
    then = everything(tangle.root)
    tangle.turn(case.agent)
    tangle.put(case.person)
    done, found = tangle.restore(mode)
    if any("not captured" in why for why in case.stays.values()):
        assert case.stays.items() <= kept(done).items()
    elif mode is Mode.EXACT:
        assert found == then
    else:
        assert found.items() >= then.items()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("then", "agent"),
    [
        ({"a/b/c": "one\n"}, {"a": "agent\n"}),
        ({"a/b/c": "one\n", "a/d": FOLDER}, {"a/b": f"{LINK}beside"}),
        ({"a": FOLDER}, {"a": "agent\n"}),
        ({"a": "one\n"}, {"a/b/c": "agent\n", "a/b/d": FOLDER}),
        ({"a": f"{LINK}beside"}, {"a/b/c": f"{LINK}nowhere"}),
    ],
)
def test_what_the_agent_put_in_the_way_goes(tangle: Tangle, then: Edits, agent: Edits) -> None:
    tangle.put(then)
    before = everything(tangle.root)
    tangle.turn(agent)
    done, found = tangle.restore()
    assert not done.kept
    assert found == before


def test_the_agents_way_is_cleared_beside_a_persons_edit(tangle: Tangle) -> None:
    """No directory is made for a path that stays away, nor one that no path needs."""
    tangle.put({"a/b/c": "one\n", "a/empty": FOLDER, "d/e": "one\n"})
    tangle.turn({"a": "agent\n", "d": GONE})
    tangle.put({"beside": "mine\n", "d": "mine\n"})
    done, _ = tangle.restore()
    assert [(step.action, step.path) for step in done.done] == [
        (Action.DELETE, "a"),
        (Action.MKDIR, "a"),
        (Action.MKDIR, "a/b"),
        (Action.WRITE, "a/b/c"),
    ]
    assert done.done[0].reason == "in the way of a/b/c"
    assert kept(done) == {
        "beside": YOURS,
        "d": YOURS,
        "d/e": f"d is in the way: {YOURS}",
    }


def test_a_directory_does_not_take_the_place_of_an_edit_of_what_a_tool_made(tangle: Tangle) -> None:
    tangle.put({"a/empty": FOLDER, "f": FOLDER})
    tangle.turn({"a": "agent\n", "f": "agent\n"}, tool="patch")
    tangle.end()
    tangle.put({"a": "mine\n"})
    done, found = tangle.restore()
    assert kept(done) == {"a": AFTER}
    assert found["a"][1] == b"mine\n"


def test_only_turns_happened_so_directories_come_back_for_their_own_sake(tangle: Tangle) -> None:
    tangle.put({"a/empty": FOLDER, "f": FOLDER})
    tangle.turn({"a": "agent\n", "f": "agent\n"}, tool="patch")
    tangle.end()
    _, found = tangle.restore()
    assert stat.S_ISDIR(found["f"][0])
    assert stat.S_ISDIR(found["a/empty"][0])


def test_a_named_directory_does_not_clear_its_way_and_then_stay_away(tangle: Tangle) -> None:
    tangle.put({"a/empty": FOLDER, "a/b": "one\n"})
    tangle.turn({"a": "agent\n"})
    tangle.put({"beside": "mine\n"})
    before = everything(tangle.root)
    done, found = tangle.restore(paths=["a/empty"])
    assert not done.done
    assert found == before


OTHERS = "s2 session changed it"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("then", "first", "second", "stays"),
    [
        (
            {"a/b/c": "one\n"},
            {"a": GONE},
            {"a": "two\n"},
            {"a": OTHERS, "a/b/c": f"a is in the way: {OTHERS}"},
        ),
        (
            {"a": "one\n"},
            {"a": GONE},
            {"a/b": "two\n"},
            {"a": f"a/b is in the way: {OTHERS}", "a/b": OTHERS},
        ),
        ({"a": "one\n"}, {"a": GONE}, {"a": FOLDER}, {"a": f"a is in the way: {NOBODYS}"}),
    ],
)
def test_what_another_session_put_in_the_way_stays(
    tangle: Tangle, then: Edits, first: Edits, second: Edits, stays: dict[str, str]
) -> None:
    tangle.put(then)
    tangle.turn(first)
    tangle.turn(second, "s2")
    before = everything(tangle.root)
    done, found = tangle.restore(session_id="s1")
    assert kept(done) == stays
    assert not done.done
    assert found == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("then", "agent", "later"),
    [
        ({"a/b/c": "one\n"}, {"a": "agent\n"}, {"a/mine": "mine\n"}),
        ({"a": "one\n"}, {"a/b/c": "agent\n"}, {"a/mine/deep": "mine\n"}),
    ],
)
def test_the_undo_of_a_narrow_restore_clears_its_way_and_the_redo_brings_it_back(
    tangle: Tangle, then: Edits, agent: Edits, later: Edits
) -> None:
    tangle.put(then)
    tangle.turn(agent)
    agents = everything(tangle.root)
    tangle.checkpoints.project(tangle.root).restore(tangle.target, sorted(then))
    tangle.put({**later, "beside": "mine\n"})
    before = everything(tangle.root)
    tangle.checkpoints.project(tangle.root).undo(exact=True)
    found = everything(tangle.root)
    assert {name: found.get(name) for name in agents if name != "beside"} == {
        name: what for name, what in agents.items() if name != "beside"
    }
    assert found["beside"] == before["beside"]
    tangle.checkpoints.project(tangle.root).redo()
    assert everything(tangle.root) == before

"""Whose a change is: golden records, and a model over random histories of a real project.

The model's oracle knows what really happened. Under keep-edits, a path that only the agent has
changed since the target comes back, one that a person touched stays byte for byte, and an undo
brings the former tree back.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.timeline import Record, timeline, with_contents
from hermes_checkpoints.attribution.verdict import judge, only_turns
from hermes_checkpoints.errors import TreeChanged
from hermes_checkpoints.model import (
    Action,
    Actor,
    AgentWrite,
    Change,
    ChangeStatus,
    Kind,
    Mode,
    Taken,
    Turn,
    Unchanged,
)
from hermes_checkpoints.model.paths import parents
from support import everything, examples

# --- golden cases -------------------------------------------------------------------------------

START = datetime(2026, 11, 28, 10, tzinfo=UTC)
FILE = stat.S_IFREG | 0o644


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def change(old: str | None, new: str | None, path: str = "f") -> Change:
    """A path that was ``old`` and became ``new``; None is absent."""
    status = ChangeStatus.MODIFIED
    if old is None:
        status = ChangeStatus.ADDED
    elif new is None:
        status = ChangeStatus.DELETED
    return Change(path, status, old, new, FILE if old else None, FILE if new else None)


def turn(
    number: int,
    *,
    start: int | None = None,
    session: str | None = "s1",
    ended: bool = True,
    actor: Actor = Actor.AGENT,
    by: str = "host",
    overlaps: str | None = None,
    end_state: str | None = None,
) -> Turn:
    """Turn ``number`` begins at checkpoint ``number`` and at minute 10 × ``number``; it takes
    five minutes."""
    return Turn(
        id=number,
        session_id=session,
        turn=number,
        start_checkpoint_id=number if start is None else start,
        actor=actor,
        started_at=at(10 * number),
        ended_at=at(10 * number + 5) if ended else None,
        ended_by=by if ended else None,
        overlaps=overlaps,
        end_state=end_state,
    )


def record(
    *turns: Turn,
    of_turns: dict[int, list[Change]] | None = None,
    of_checkpoints: dict[int, list[Change]] | None = None,
    writes: list[AgentWrite] | None = None,
    states: dict[int, str] | None = None,
) -> Record:
    starts = {turn.start_checkpoint_id or 0 for turn in turns}
    return Record(
        turns,
        of_turns or {},
        of_checkpoints or {},
        {id_: at(10 * id_) for id_ in starts | {*(of_checkpoints or {})}},
        writes or [],
        states or {},
    )


def wrote(minute: int, blob: str | None, tool: str = "patch", session: str = "s1") -> AgentWrite:
    return AgentWrite("f", session, 1, tool, at(minute), blob)


def actors(what: Record) -> list[str]:
    return [str(event.actor) for event in timeline(what).get("f", [])]


def verdict(what: Record, now: str | None, then: str | None, session: str | None = None) -> Any:
    return verdict_on(change(now, then), what, session)


def verdict_on(now: Change, what: Record, session: str | None = None) -> Any:
    what, named = with_contents(what, {now.path: now})
    found = judge(named[now.path], what, timeline(what), session)
    return found.restore, found.reason


def test_the_shell_and_a_tool_of_a_turn() -> None:
    by_shell = record(turn(1), of_turns={1: [change("x", "a")]})
    assert verdict(by_shell, "a", "x") == (True, "shell changed")
    by_tool = replace(by_shell, writes=[wrote(12, "a")])
    assert verdict(by_tool, "a", "x") == (True, "agent changed (patch)")
    created = record(turn(1), of_turns={1: [change(None, "a")]})
    assert verdict(created, "a", None) == (True, "shell created")
    deleted = record(turn(1), of_turns={1: [change("x", None)]})
    assert verdict(deleted, None, "x") == (True, "shell deleted")


def test_a_person_after_the_last_turn() -> None:
    known = record(turn(1), of_turns={1: [change("x", "a")]})
    assert verdict(known, "mine", "x") == (False, "you changed it after the agent")
    assert verdict(record(turn(1)), "mine", "x") == (False, "you changed it")


def test_a_person_between_two_turns_is_never_forgotten() -> None:
    what = record(
        turn(1),
        turn(2),
        of_turns={1: [change("x", "a")], 2: [change("mine", "b")]},
        of_checkpoints={2: [change("x", "mine")]},
    )
    assert actors(what) == ["agent", "person", "agent"]
    assert verdict(what, "b", "x") == (False, "you changed it after the agent")


def test_a_checkpoint_without_a_turn_is_walked_too() -> None:
    """Such as the safety checkpoint of a restore that went no further."""
    what = record(
        turn(1),
        turn(3),
        of_turns={3: [change("mine", "b")]},
        of_checkpoints={2: [change("x", "mine")], 3: [change("y", "z", "other")]},
    )
    assert actors(what) == ["person", "agent"]
    assert not verdict(what, "b", "x")[0]
    untouched = record(turn(1), turn(3, ended=False), of_checkpoints={2: [change("x", "mine")]})
    assert verdict(untouched, "mine", "x") == (False, "you changed it")
    last = record(turn(1), of_checkpoints={2: [change("x", "mine")]})
    assert verdict(last, "mine", "x") == (False, "you changed it")


def test_put_back_between_two_turns_is_an_edit() -> None:
    closed = record(turn(1), turn(2), of_turns={1: [change("x", "a")], 2: [change("x", "b")]})
    assert actors(closed) == ["agent", "person", "agent"]
    still_open = record(turn(1), turn(2, ended=False), of_turns={1: [change("x", "a")]})
    assert verdict(still_open, "b", "x") == (False, "you changed it after the agent")


def test_put_back_and_then_made_again_as_the_agent_had_it() -> None:
    """What lies there is what the agent left, and yet a person's."""
    agents = {1: [change("x", "a")]}
    beside = {2: [change("y", "z", "other")]}
    for seen in (
        record(turn(1), of_turns=agents, of_checkpoints=beside),
        record(turn(1), turn(2), of_turns=agents, of_checkpoints=beside),
        record(turn(1), turn(2, start=1), of_turns=agents),
        record(turn(1), turn(2, start=1, ended=False), of_turns=agents),
    ):
        assert verdict(seen, "a", "x") == (False, "you changed it after the agent")
    restored = record(
        turn(1),
        turn(2, actor=Actor.RESTORE, session=None),
        of_turns={**agents, 2: [Change("f", ChangeStatus.MODIFIED, None, "b", None, FILE)]},
        of_checkpoints={2: [change("x", "a")], 3: [change("y", "z", "other")]},
    )
    assert actors(restored) == ["agent", "restore", "person"]
    assert timeline(restored)["f"][-1].blob == "a"


def test_a_report_that_says_what_was_put_back() -> None:
    what = record(
        turn(1),
        turn(2),
        of_turns={1: [change("x", "a")], 2: [change("x", "b")]},
        writes=[wrote(17, "x")],
    )
    assert verdict(what, "b", "x") == (True, "shell changed")


def test_the_next_checkpoint_ends_a_turn() -> None:
    what = record(
        turn(1, by="next"),
        turn(2, ended=False),
        of_turns={1: [change("x", "a")]},
        of_checkpoints={2: [change("x", "a")]},
    )
    assert actors(what) == ["agent"]
    assert verdict(what, "a", "x") == (True, "shell changed")
    assert verdict(what, "b", "x") == (True, "shell changed")


def test_a_report_tells_a_later_edit_in_the_same_turn() -> None:
    what = record(turn(1, ended=False), writes=[wrote(11, "a")])
    assert verdict(what, "a", "x") == (True, "agent changed (patch)")
    assert verdict(what, "a and mine", "x") == (False, "you changed it after the agent")
    closed = record(turn(1), of_turns={1: [change("x", "a and mine")]}, writes=[wrote(11, "a")])
    assert verdict(closed, "a and mine", "x") == (False, "you changed it after the agent")


def test_a_report_after_the_end_of_the_turn_counts_if_it_says_what_is_there() -> None:
    what = record(turn(1), writes=[wrote(17, "late")])
    assert verdict(what, "late", "x") == (True, "agent changed (patch)")
    assert verdict(what, "mine", "x") == (False, "you changed it")
    seen = record(
        turn(1), turn(2), of_checkpoints={2: [change("x", "late")]}, writes=[wrote(17, "late")]
    )
    assert verdict(seen, "late", "x") == (True, "agent changed (patch)")


def test_a_report_before_or_after_an_edit_does_not_claim_it() -> None:
    """A tool may write what was, or what comes to be, a person's."""
    wrote_it_again = record(
        turn(1),
        turn(2),
        of_checkpoints={2: [change("x", "mine")]},
        writes=[wrote(22, "mine")],
    )
    assert verdict(wrote_it_again, "mine", "x") == (False, "you changed it")
    wrote_it_for_a_while = record(turn(1), writes=[wrote(12, "mine"), wrote(13, "x")])
    assert verdict(wrote_it_for_a_while, "mine", "x") == (False, "you changed it")
    seen = replace(
        wrote_it_for_a_while,
        of_checkpoints={2: [change("x", "mine")]},
        times={1: at(10), 2: at(20)},
    )
    assert verdict(seen, "mine", "x") == (False, "you changed it")
    put_back = record(
        turn(1),
        turn(2),
        of_turns={1: [change("x", "a")]},
        of_checkpoints={1: [change("z", "x")]},
        writes=[wrote(22, "x")],
    )
    assert verdict(put_back, "x", "z") == (False, "you changed it after the agent")


def test_a_report_of_a_deletion_does_not_claim_a_change_of_permissions() -> None:
    what = record(turn(1), of_checkpoints={2: [bits(FILE, CLOSED)]}, writes=[wrote(17, None)])
    assert actors(what) == ["person"]


CLOSED = FILE & ~0o044


def bits(old: int | None, new: int) -> Change:
    """A change of permissions alone, which names no contents."""
    return Change("f", ChangeStatus.MODIFIED, None, None, old, new)


def closed(old: str | None, new: str) -> Change:
    """A change of the contents of a path that only its owner may read."""
    return replace(change(old, new), old_mode=CLOSED, new_mode=CLOSED)


AFTER = (False, "you changed it after the agent")


def test_contents_that_a_person_changes_after_the_agent_changed_permissions() -> None:
    agents = {1: [bits(FILE, CLOSED)]}
    now = replace(change("mine", "x"), old_mode=CLOSED)
    assert verdict_on(now, record(turn(1), of_turns=agents)) == AFTER
    unseen = record(turn(1), turn(2), of_turns=agents, of_checkpoints=agents_seen(2))
    assert verdict_on(now, unseen) == AFTER
    with_it = {2: [replace(change("x", "mine"), new_mode=CLOSED)]}
    assert (
        verdict_on(now, record(turn(1), turn(2), of_turns=agents, of_checkpoints=with_it)) == AFTER
    )
    after = {**agents_seen(2), 3: [closed("x", "mine")]}
    assert verdict_on(now, record(turn(1), turn(2), of_turns=agents, of_checkpoints=after)) == AFTER
    own = record(
        turn(1),
        turn(2),
        of_turns={**agents, 2: [closed("x", "mine")]},
        of_checkpoints=agents_seen(2),
    )
    assert verdict_on(now, own) == (True, "shell changed")


def agents_seen(checkpoint: int) -> dict[int, list[Change]]:
    return {checkpoint: [bits(FILE, CLOSED)]}


def test_contents_that_a_person_puts_back_under_the_agents_permissions() -> None:
    agents = {1: [replace(change("x", "a"), new_mode=CLOSED)]}
    assert verdict_on(bits(CLOSED, FILE), record(turn(1), of_turns=agents)) == AFTER
    seen = record(turn(1), turn(2), of_turns=agents, of_checkpoints=agents_seen(2))
    assert verdict_on(bits(CLOSED, FILE), seen) == AFTER


def test_permissions_that_a_restore_changed() -> None:
    restored = turn(2, actor=Actor.RESTORE, session=None)
    what = record(
        turn(1),
        restored,
        of_turns={1: [change("x", "a")], 2: [bits(None, CLOSED)]},
        of_checkpoints={2: [change("x", "a")]},
    )
    now = replace(change("a", "x"), old_mode=CLOSED)
    assert verdict_on(now, what) == (True, "changed by a restore")
    assert verdict_on(replace(now, old_blob="mine"), what) == AFTER


def test_without_a_record() -> None:
    assert verdict(record(), "a", "x") == (False, "no record of who changed it")
    lost = record(
        turn(1, actor=Actor.UNKNOWN, by="next"),
        turn(2),
        of_turns={1: [change("x", "a")], 2: [change("a", "b")]},
        of_checkpoints={2: [change("x", "a")]},
    )
    assert verdict(lost, "b", "x") == (False, "no record of who changed it")


def test_what_changed_before_anything_could_be_recorded_comes_back() -> None:
    nothing = replace(record(), times={1: at(10)}, unrecorded=True)
    assert verdict(nothing, "a", "x") == (True, "changed before any record")
    assert verdict(nothing, None, "x") == (True, "deleted before any record")
    assert verdict(nothing, "a", None) == (False, "no record of who changed it")
    seen = record(
        turn(3),
        of_turns={3: [change("b", "agent's")]},
        of_checkpoints={2: [change("x", "a")], 3: [change("a", "b")]},
    )
    assert actors(seen) == ["person", "person", "agent"]
    before = replace(seen, unrecorded=True)
    assert actors(before) == ["unrecorded", "unrecorded", "agent"]
    assert verdict(before, "agent's", "x") == (True, "shell changed")
    assert verdict(before, "mine", "x") == (False, "you changed it after the agent")
    assert verdict(before, "agent's", "x", "s1") == (False, "no session changed it")
    created = {2: [change(None, "a")], 3: [change("a", "b")]}
    made = replace(before, of_checkpoints=created)
    assert verdict(made, "agent's", None) == (False, "no record of who changed it")


def test_a_turn_that_an_import_stands_for_is_nobodys() -> None:
    imported = turn(1, actor=Actor.UNRECORDED, session=None, by="next")
    what = record(
        imported,
        turn(2),
        of_turns={1: [change("x", "a")], 2: [change("a", "b")]},
        of_checkpoints={2: [change("x", "a")]},
        states={1: "one", 2: "two"},
    )
    assert verdict(what, "b", "x") == (True, "shell changed")
    assert verdict(what, "mine", "x") == (False, "you changed it after the agent")
    assert not only_turns(what, "one", "two")
    still_open = record(replace(imported, ended_at=None, ended_by=None))
    assert verdict(still_open, "a", "x") == (True, "changed before any record")


def test_after_a_checkpoint_by_hand() -> None:
    by_hand = turn(1, actor=Actor.SINCE, session=None, by="next")
    alone = record(by_hand, of_turns={1: [change("x", "a")]})
    assert verdict(alone, "a", "x") == (True, "changed since the checkpoint")
    with_agent = record(
        by_hand,
        turn(2),
        of_turns={1: [change("x", "a")]},
        of_checkpoints={2: [change("x", "a")]},
    )
    assert verdict(with_agent, "a", "x") == (False, "you changed it")
    of_a_session = record(
        replace(by_hand, session_id="s1"),
        turn(2),
        of_turns={1: [change("x", "a")]},
        of_checkpoints={2: [change("x", "a")]},
    )
    assert verdict(of_a_session, "a", "x")[0]


def test_one_session_alone() -> None:
    what = record(
        turn(1),
        turn(2, session="s2"),
        of_turns={1: [change("x", "a")], 2: [change("a", "b")]},
        of_checkpoints={2: [change("x", "a")]},
    )
    assert verdict(what, "b", "x", "s1") == (False, "s2 session changed it")
    assert verdict(what, "b", "x", "s2") == (False, "s1 session changed it")
    overlapping = record(turn(2, session="s2", overlaps="s1"), of_turns={2: [change("x", "b")]})
    assert verdict(overlapping, "b", "x", "s2") == (False, "session s1 was at work, too")
    reported = replace(overlapping, writes=[wrote(22, "b", session="s2")])
    assert verdict(reported, "b", "x", "s2") == (True, "agent changed (patch)")


@pytest.mark.parametrize(
    ("turns", "now", "free"),
    [
        ([turn(1, ended=False)], "now", True),
        ([turn(1, end_state="now")], "now", True),
        ([turn(1, end_state="then")], "now", False),
        ([turn(1, end_state="two"), turn(2, end_state="now")], "now", True),
        ([turn(1, end_state="else"), turn(2, end_state="now")], "now", False),
        ([turn(1, by="next"), turn(2, end_state="now")], "now", True),
        ([turn(1, by="next")], "two", True),
        ([turn(1, by="next"), turn(2, start=1, ended=False)], "now", True),
        ([turn(2, ended=False)], "now", False),
        ([turn(1, actor=Actor.UNKNOWN, ended=False)], "now", False),
        ([turn(1, actor=Actor.SINCE, ended=False)], "now", True),
        ([turn(1, actor=Actor.SINCE, by="next"), turn(2, ended=False)], "now", False),
        ([], "now", False),
    ],
)
def test_nothing_happened_outside_of_turns(turns: list[Turn], now: str, free: bool) -> None:
    what = record(*turns, states={1: "then", 2: "two"})
    assert only_turns(what, "then", now) is free


# --- the model ----------------------------------------------------------------------------------

PLAIN = ("a.txt", "b.txt", "d/c.txt", "d/e.txt")
TANGLED = ("a", "a/b", "a/b/c", "d", "d/e")
"""Of which one stands in the way of another."""
File = tuple[int, str]
Files = dict[str, File]
Step = tuple[Any, ...]

contents = st.sampled_from(["one\n", "two\n", "three\n"])
LINK = "leads to "
edits = st.one_of(contents, st.none(), st.sampled_from([0o600, 0o644, 0o755]))


def histories(paths: st.SearchStrategy[str], edits: st.SearchStrategy[Any]) -> Any:
    """Random sequences of what agents, people and restores do to these paths."""
    edit = st.tuples(paths, edits, st.sampled_from([None, None, "patch"]))
    turns = st.tuples(
        st.just("whole_turn"), st.sampled_from(["s1", "s2"]), st.lists(edit, max_size=3)
    )
    step = st.one_of(
        turns,
        turns,
        st.tuples(st.just("user"), paths, edits),
        st.tuples(st.just("start"), st.sampled_from(["s1", "s2"])),
        st.tuples(st.just("agent"), paths, edits, st.sampled_from([None, "patch"])),
        st.tuples(st.just("agent"), paths, edits, st.none()),
        st.tuples(st.just("end")),
        st.tuples(st.just("user"), paths, edits),
        st.tuples(st.just("mkdir"), st.sampled_from(["mine", "d/mine", "a/mine", "a/b/mine"])),
        st.tuples(st.just("take")),
        st.tuples(st.just("restore"), st.integers(0, 9), st.sampled_from(list(Mode))),
        st.tuples(st.just("restore"), st.integers(0, 9), st.just(Mode.KEEP_EDITS)),
        st.tuples(st.just("stale"), paths, edits),
        st.tuples(st.just("undo")),
        st.tuples(st.just("redo")),
    )
    return st.lists(step, min_size=6, max_size=25)


@dataclass
class Stretch:
    """The time between two looks at the project: an agent's turn, or the time between."""

    who: str
    before: Files
    checkpoint: int
    reported: dict[str, File | None] = field(default_factory=dict)


@dataclass
class World:
    """A project, what happened to it, and what must come of a restore."""

    root: Path
    checkpoints: Checkpoints
    paths: tuple[str, ...]
    targets: list[tuple[int, str, Files]] = field(default_factory=list)
    touched: list[tuple[int, str, str]] = field(default_factory=list)
    agent_starts: list[int] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    stretch: Stretch | None = None
    session: str | None = None
    turn: int = 0
    undos: list[dict[str, Any]] = field(default_factory=list)
    redos: list[dict[str, Any]] = field(default_factory=list)

    def files(self) -> Files:
        found: Files = {}
        for name in self.paths:
            path = self.root / name
            if any((self.root / parent).is_symlink() for parent in parents(name)):
                continue
            if path.is_symlink():
                found[name] = (0, LINK + os.readlink(path))
            elif path.is_file():
                found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_text())
        return found

    def tree(self) -> dict[str, Any]:
        return everything(self.root)

    # --- what happens ---------------------------------------------------------------------------

    def settle(self, who: str | None = None) -> None:
        """A look is taken: note who changed what since the last one."""
        now, last = self.files(), self.stretch
        if last is None:
            return
        for name in self.paths:
            if name in last.reported:
                reported, present = last.reported[name], now.get(name)
                if (reported and reported[1]) != (present and present[1]):
                    self.touched.append((last.checkpoint, name, "user"))
            if last.before.get(name) != now.get(name):
                self.touched.append((last.checkpoint, name, last.who))
        self.stretch = Stretch(who or last.who, now, last.checkpoint)

    def taken(self, kind: Kind, session: str | None = None) -> None:
        outcome = self.checkpoints.project(self.root).take(
            "r", kind=kind, session_id=session, turn=self.turn
        )
        assert isinstance(outcome, Taken | Unchanged), outcome
        self.settle()
        id_ = outcome.checkpoint._row
        if isinstance(outcome, Taken):
            self.targets.append((id_, outcome.checkpoint.id, self.files()))
        if kind is Kind.AUTO:
            self.agent_starts.append(id_)
        self.session = session
        who = "agent" if kind is Kind.AUTO else "hand"
        self.stretch = Stretch(who, self.files(), id_)

    def start(self, session: str) -> None:
        self.turn += 1
        self.taken(Kind.AUTO, session)

    def whole_turn(self, session: str, edits: list[Any]) -> None:
        self.start(session)
        for name, edit, tool in edits:
            self.agent(name, edit, tool)
        self.end()

    def take(self) -> None:
        self.taken(Kind.MANUAL)

    def end(self) -> None:
        if self.stretch is not None and self.stretch.who == "agent":
            assert self.checkpoints.project(self.root).end_turn(session_id=self.session)
            self.settle("user")

    def agent(self, name: str, edit: Any, tool: str | None) -> None:
        if self.stretch is None or self.stretch.who != "agent":
            return
        self.change(name, edit)
        if tool is not None:
            self.checkpoints.project(self.root).record_agent_write(
                name, session_id=self.session, turn=self.turn, tool=tool
            )
            self.stretch.reported[name] = self.files().get(name)

    def user(self, name: str, edit: Any) -> None:
        """A person edits; within a turn, only what a tool has reported can be told apart."""
        last = self.stretch
        in_a_turn = last is not None and last.who == "agent"
        if not in_a_turn or (last and name in last.reported and not isinstance(edit, int)):
            self.change(name, edit)

    def mkdir(self, name: str) -> None:
        if self.stretch is None or self.stretch.who == "agent":
            return
        if not any(not (self.root / up).is_dir() for up in parents(name)):
            (self.root / name).mkdir(exist_ok=True)
            if self.stretch.who == "user":
                self.made.add(name)

    def change(self, name: str, edit: Any) -> None:
        """Put contents or a link at a path, whatever is there, or delete or chmod a file."""
        path = self.root / name
        plain = path.is_file() and not path.is_symlink()
        if isinstance(edit, int):
            if plain and name in self.files():
                path.chmod(edit)
            return
        if edit is None and name not in self.files():
            return
        for up in [*reversed(list(parents(name))), name]:
            there = self.root / up
            if there.is_symlink() or (up != name and there.is_file()):
                there.unlink()
        if edit is None:
            path.unlink(missing_ok=True)
            return
        if path.is_dir():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if edit.startswith(LINK):
            path.unlink(missing_ok=True)
            path.symlink_to(edit.removeprefix(LINK))
        else:
            path.write_text(edit)

    # --- what must come of it ---------------------------------------------------------------------

    def expected(self, target: int, then: Files) -> Files:
        """The files after a restore that keeps edits."""
        agents = any(start >= target for start in self.agent_starts)
        result = dict(self.files())
        for name in self.paths:
            if result.get(name) == then.get(name):
                continue
            writers = {who for at, path, who in self.touched if path == name and at >= target}
            persons = {"user", "hand"} if agents else {"user"}
            if writers and not writers & persons:
                if name in then:
                    result[name] = then[name]
                else:
                    del result[name]
        return result

    def restore(self, number: int, mode: Mode) -> None:
        if not self.targets:
            return
        target, commit, then = self.targets[number % len(self.targets)]
        before, files = self.tree(), self.files()
        self.settle("user")
        expected = self.expected(target, then)
        if mode is Mode.EXACT:
            expected = then
        elif mode is Mode.OVERLAY:
            expected = {**self.files(), **then}
        made = {name for name in self.made if (self.root / name).is_dir()}
        done = self.checkpoints.project(self.root).restore(commit, mode=mode)
        assert done.complete, done.failed
        if self.paths is PLAIN or mode is Mode.EXACT:
            assert self.files() == expected, (target, done)
        elif mode is Mode.OVERLAY:
            assert self.files().items() >= then.items(), (target, done)
        else:
            # What comes back may have to stay away, where what a person touched is in the way.
            kept = {step.path for step in done.kept}
            for name in self.paths:
                if self.files().get(name) != expected.get(name):
                    assert self.files().get(name) == files.get(name), (name, target, done)
                    assert name in kept, (name, target, done)
        if mode is Mode.KEEP_EDITS:
            assert all((self.root / name).is_dir() for name in made), done
        self.made.clear()
        self.after(done.safety._row)
        if done.done or done.failed:
            self.undos.append(before)
            self.redos.clear()

    def stale(self, name: str, edit: Any) -> None:
        """A restore that goes no further than its safety checkpoint."""
        if not self.targets or self.stretch is None:
            return
        commit = self.targets[-1][1]
        plan = self.checkpoints.project(self.root).plan_restore(commit)
        if name not in {s.path for s in plan.steps if s.action is not Action.KEEP}:
            return
        before = self.tree()
        self.user(name, edit)
        if self.tree() == before:
            return
        with pytest.raises(TreeChanged):
            self.checkpoints.project(self.root).restore(commit, plan=plan)
        self.settle("user")
        newest = self.checkpoints.project(self.root).list(limit=1)[0]
        self.stretch = Stretch("user", self.files(), newest._row)
        self.session = None

    def after(self, safety: int) -> None:
        """A restore has changed what it has changed."""
        assert self.stretch is not None
        last = self.stretch
        for name in self.paths:
            if last.before.get(name) != self.files().get(name):
                self.touched.append((safety, name, "restore"))
        self.stretch = Stretch("user", self.files(), safety)
        self.session = None

    def undo(self) -> None:
        if self.undos:
            before = self.tree()
            self.settle("user")
            done = self.checkpoints.project(self.root).undo()
            assert self.tree() == self.undos.pop(), done
            self.redos.append(before)
            self.after(done.safety._row)

    def redo(self) -> None:
        if self.redos:
            before = self.tree()
            self.settle("user")
            done = self.checkpoints.project(self.root).redo()
            assert self.tree() == self.redos.pop(), done
            self.undos.append(before)
            self.after(done.safety._row)


@pytest.fixture
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="attribution-") as folder:
        yield Path(folder).resolve()


def play(scratch: Path, paths: tuple[str, ...], steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        root = Path(folder) / "project"
        root.mkdir()
        for name in (paths[0], paths[-1]):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text("zero\n")
        with Checkpoints.open(Path(folder) / "home") as checkpoints:
            world = World(root, checkpoints, paths)
            for name, *arguments in steps:
                note(f"{name}({', '.join(map(repr, arguments))})")
                getattr(world, name)(*arguments)


model = settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.slow
@model
@given(steps=histories(st.sampled_from(PLAIN), edits))
@example(
    steps=[
        ("whole_turn", "s1", []),
        ("user", "a.txt", "one\n"),
        ("whole_turn", "s1", [("a.txt", "one\n", "patch")]),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
@example(
    steps=[
        ("whole_turn", "s1", [("a.txt", 0o600, None)]),
        ("user", "a.txt", "one\n"),
        ("whole_turn", "s1", []),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
@example(
    steps=[
        ("whole_turn", "s1", [("a.txt", 0o600, None), ("a.txt", "one\n", None)]),
        ("user", "a.txt", "zero\n"),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
def test_what_only_the_agent_changed_comes_back_and_what_a_person_touched_stays(
    scratch: Path, steps: list[Step]
) -> None:
    play(scratch, PLAIN, steps)


@pytest.mark.slow
@model
@given(steps=histories(st.sampled_from(TANGLED), edits | st.sampled_from([f"{LINK}d", f"{LINK}x"])))
@example(
    steps=[
        ("user", "a", "one\n"),
        ("user", "a/b/c", "one\n"),
        ("whole_turn", "s1", []),
        ("whole_turn", "s1", [("a", "one\n", None)]),
        ("user", "a", "two\n"),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
@example(
    steps=[
        ("whole_turn", "s1", [("a", "two\n", None)]),
        ("user", "a", "zero\n"),
        ("whole_turn", "s1", []),
        ("user", "a", "two\n"),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
@example(
    steps=[
        ("whole_turn", "s1", [("a/b/c", f"{LINK}d", None)]),
        ("whole_turn", "s1", []),
        ("restore", 0, Mode.KEEP_EDITS),
        ("user", "a", None),
        ("stale", "a", "one\n"),
        ("undo",),
        ("user", "a", "one\n"),
        ("user", "a", None),
        ("whole_turn", "s1", [("d/e", "one\n", None)]),
        ("user", "a/b/c", f"{LINK}d"),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
@example(
    steps=[
        ("user", "d", "one\n"),
        ("whole_turn", "s1", [("d/e", "one\n", None)]),
        ("mkdir", "d/mine"),
        ("restore", 0, Mode.KEEP_EDITS),
    ]
)
def test_what_a_person_touched_stays_whatever_is_in_the_way(
    scratch: Path, steps: list[Step]
) -> None:
    play(scratch, TANGLED, steps)

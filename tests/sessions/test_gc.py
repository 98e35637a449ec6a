"""Garbage collection: the agent's rules to the microsecond, and no unreadable text is lost."""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.records import counted
from hermes_checkpoints import Sessions
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BadRequest, BaseUnwritable, SessionChanged
from hermes_checkpoints.sessions.files import UNREADABLE
from sessions.conftest import Clock
from sessions.test_sessions import damage, rows

MICROSECOND = timedelta(microseconds=1)


def ids(collected: Any) -> list[str]:
    return [one.session_id for one in collected.sessions]


@pytest.mark.parametrize(
    ("status", "age", "removed"),
    [
        ("in_progress", timedelta(days=7) - MICROSECOND, False),
        ("in_progress", timedelta(days=7), False),
        ("in_progress", timedelta(days=7) + MICROSECOND, True),
        ("completed", timedelta(days=1), False),
        ("completed", timedelta(days=1) + MICROSECOND, True),
        ("completed", timedelta(days=8), True),
        ("Completed", timedelta(days=6), False),
        (None, timedelta(days=6), False),
        (None, timedelta(days=8), True),
        ("in_progress", -timedelta(days=100), False),
        ("completed", -timedelta(days=100), False),
    ],
)
def test_the_rules(sessions: Sessions, status: str | None, age: timedelta, removed: bool) -> None:
    written = sessions.write("s", {"status": status}).updated_at
    assert ids(sessions.plan_gc(now=written + age)) == (["s"] if removed else [])
    assert sessions.ids() == ["s"]
    assert ids(sessions.gc(now=written + age)) == (["s"] if removed else [])
    assert sessions.ids() == ([] if removed else ["s"])


def test_the_age_is_an_argument_and_completed_stays_at_one_day(
    sessions: Sessions, clock: Clock
) -> None:
    sessions.write("open", {})
    sessions.write("done", {"status": "completed"})
    clock.go(days=2)
    assert ids(sessions.plan_gc(max_age_days=30)) == ["done"]
    assert ids(sessions.plan_gc(max_age_days=1.5)) == ["done", "open"]
    assert ids(sessions.plan_gc(max_age_days=10**15)) == ["done"]
    assert ids(sessions.plan_gc(max_age_days=float("inf"))) == ["done"]
    assert ids(sessions.plan_gc(max_age_days=0)) == ["done", "open"]
    for wrong in ("x", float("nan"), -1, -(10**15), True):
        with pytest.raises(BadRequest, match=f"a number of days from 0 on, not {wrong!r}"):
            sessions.gc(max_age_days=wrong)  # type: ignore[arg-type]
    assert len(sessions.ids()) == 2


def test_one_statement_decides_and_removes(sessions: Sessions, base: Base, clock: Clock) -> None:
    for number in range(50):
        sessions.write(f"s{number:02}", {"status": "completed" if number % 2 else "x"})
        sessions.write(f"s{number:02}", {"status": "completed" if number % 2 else "x"})
    clock.go(days=3)
    with counted(base.catalog) as statements:
        assert len(sessions.gc().sessions) == 25
    assert len([one for one in statements if not one.startswith("SELECT")]) == 1
    assert len(statements) == 2
    assert len(sessions.ids()) == 25
    assert len(rows(base, "SELECT DISTINCT session_id FROM session_checkpoint_versions")) == 25


def test_what_is_written_meanwhile_stays(sessions: Sessions, clock: Clock) -> None:
    sessions.write("s", {})
    clock.go(days=8)
    planned = sessions.plan_gc(now=clock.moment)
    assert ids(planned) == ["s"]
    now = clock.moment
    sessions.write("s", {"back": True})
    assert ids(sessions.gc(now=now)) == []


def test_no_more_sessions_are_removed_than_were_planned(sessions: Sessions, clock: Clock) -> None:
    sessions.write("a", {})
    clock.go(days=8)
    plan = sessions.plan_gc()
    clock.go(days=-8)
    sessions.write("b", {})
    clock.go(days=8)
    with pytest.raises(SessionChanged, match="session b would be removed, too"):
        sessions.gc(plan=plan)
    assert sessions.ids() == ["a", "b"]
    plan = sessions.plan_gc()
    assert ids(plan) == ["a", "b"]
    sessions.delete("a")
    assert ids(sessions.gc(plan=plan)) == ["b"]


def test_a_plan_is_carried_out_by_its_own_age_and_time(sessions: Sessions, clock: Clock) -> None:
    sessions.write("planned", {})
    clock.go(days=2)
    plan = sessions.plan_gc(max_age_days=1)
    assert ids(plan) == ["planned"]
    sessions.write("newer", {})
    clock.go(days=30)
    assert ids(sessions.plan_gc()) == ["newer", "planned"]
    assert ids(sessions.gc(plan=plan)) == ["planned"]
    assert sessions.ids() == ["newer"]


def test_only_a_plan_is_one_and_it_stands_alone(sessions: Sessions, clock: Clock) -> None:
    sessions.write("s", {})
    clock.go(days=8)
    plan = sessions.plan_gc()
    for more in ({"max_age_days": 7}, {"now": clock.moment}):
        with pytest.raises(BadRequest, match="give the plan alone"):
            sessions.gc(plan=plan, **more)
    done = sessions.gc(plan=plan)
    sessions.write("s", {})
    with pytest.raises(BadRequest, match="no plan of `plan_gc`"):
        sessions.gc(plan=done)
    assert sessions.ids() == ["s"]


# --- unreadable documents -----------------------------------------------------------------------


def test_unreadable_is_removed_after_it_was_exported(sessions: Sessions, base: Base) -> None:
    sessions.write("../x", {"n": 1})
    sessions.write("good", {"n": 1})
    sessions.write("edited", {"n": 1})
    damage(base, "../x", "{half of it: é")
    damage(base, "edited", '{"n": 1, "edited": "by hand, and readable"}')
    planned = sessions.plan_gc()
    assert ids(planned) == ["../x"]
    assert planned.unreadable == {"../x"}
    done = sessions.gc()
    assert ids(done) == ["../x"]
    path = done.exported["../x"]
    assert path.parent == base.layout.base / UNREADABLE
    assert path.name.startswith("%2E.%2Fx.v1.")
    assert path.read_text(encoding="utf-8") == "{half of it: é"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sessions.ids() == ["edited", "good"]


def test_a_stale_unreadable_one_is_exported_too(
    sessions: Sessions, base: Base, clock: Clock
) -> None:
    written = sessions.write("s", {"n": 1}).size_bytes
    damage(base, "s", "[" * written)  # as long as before
    assert ids(sessions.gc()) == []
    clock.go(days=8)
    (path,) = sessions.gc().exported.values()
    assert path.read_text(encoding="utf-8") == "[" * written


def test_what_cannot_be_exported_is_not_removed(
    sessions: Sessions, base: Base, clock: Clock
) -> None:
    sessions.write("broken", {})
    sessions.write("stale", {})
    damage(base, "broken", "- no mapping")
    clock.go(days=8)
    folder = base.layout.base / UNREADABLE
    folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(BaseUnwritable, match=UNREADABLE):
        sessions.gc()
    assert sessions.ids() == ["broken", "stale"]
    folder.unlink()
    assert ids(sessions.gc()) == ["broken", "stale"]


def test_collecting_sessions_keeps_checkpoints_of_files(home: Path, project: Path) -> None:
    from hermes_checkpoints import Checkpoints

    with Checkpoints.open(home) as checkpoints, Sessions.open(home) as sessions:
        checkpoints.project(project).take("before", session_id="s")
        sessions.write("s", {})
        sessions.gc(max_age_days=0, now=sessions.read("s").updated_at + MICROSECOND)
        assert sessions.ids() == []
        assert [one.reason for one in checkpoints.project(project).list()] == ["before"]
        assert [one.reason for one in sessions.checkpoints("s")] == ["before"]

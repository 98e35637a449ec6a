"""A plan of what is removed for good covers all that goes, or nothing goes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import BadRequest, Checkpoints, Taken
from hermes_checkpoints.catalog import sqlite as connections
from retention.histories import History


def take(checkpoints: Checkpoints, project: Path, text: str) -> Taken:
    (project / "data").write_text(text, encoding="utf-8")
    done = checkpoints.project(project).take(text)
    assert isinstance(done, Taken)
    return done


def test_a_plan_is_carried_out(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints, project, "one")
        plan = checkpoints.plan_clear()
        done = checkpoints.clear(plan=plan)
        assert (plan.checkpoints, done.checkpoints, done.errors) == (1, 1, ())
    assert not (home / "checkpoints").exists()


def test_what_went_since_the_plan_is_no_matter(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for text in ("one", "two"):
            take(checkpoints, project, text)
        plan = checkpoints.plan_clear()
        checkpoints.project(project).drop("2")
        assert checkpoints.clear(plan=plan).checkpoints == 1


def test_a_checkpoint_that_the_plan_has_not_is_not_lost(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for text in ("one", "two"):
            take(checkpoints, project, text)
        plan = checkpoints.plan_clear()
        checkpoints.project(project).drop("2")
        newest = take(checkpoints, project, "three").checkpoint  # as many as before
        with pytest.raises(BadRequest, match="1 more than the plan has would be removed, first ch"):
            checkpoints.clear(plan=plan)
        assert checkpoints.project(project).get() == newest
        assert checkpoints.clear(plan=checkpoints.plan_clear()).checkpoints == 2


def test_a_session_that_the_plan_has_not_is_not_lost(home: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.sessions.write("planned", {})
        plan = checkpoints.plan_clear(sessions=True)
        checkpoints.sessions.write("later", {})
        with pytest.raises(BadRequest, match="first session later"):
            checkpoints.clear(sessions=True, plan=plan)
        kept = checkpoints.plan_clear()
        with pytest.raises(BadRequest, match="another `sessions`"):
            checkpoints.clear(sessions=True, plan=kept)
        with pytest.raises(BadRequest, match="another `sessions`"):
            checkpoints.clear(plan=plan)
        assert checkpoints.sessions.ids() == ["later", "planned"]
        checkpoints.sessions.write("more", {})
        assert checkpoints.clear(plan=kept).kept_sessions == 3


def test_an_archive_that_the_plan_has_not_is_not_lost(home: Path) -> None:
    base = home / "checkpoints"
    with Checkpoints.open(home) as checkpoints:
        (base / "legacy-1" / "repository").mkdir(parents=True)
        plans = {
            checkpoints.clear: checkpoints.plan_clear(),
            checkpoints.clear_legacy: checkpoints.plan_clear_legacy(),
        }
        (base / "legacy-1" / "another").mkdir()
        for method, plan in plans.items():
            with pytest.raises(BadRequest, match="first archive legacy-1/another; nothing was"):
                method(plan=plan)
        assert len(list((base / "legacy-1").iterdir())) == 2
        done = checkpoints.clear_legacy(plan=checkpoints.plan_clear_legacy())
        assert (done.archives, done.errors) == (1, ())


def test_a_plan_is_of_its_method_and_its_base(home: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints, Checkpoints.open(tmp_path / "other") as other:
        (home / "checkpoints" / "legacy-1").mkdir()
        for method, plan in (
            (checkpoints.clear, checkpoints.plan_clear_legacy()),
            (checkpoints.clear_legacy, checkpoints.plan_clear()),
            (checkpoints.clear, other.plan_clear()),
            (checkpoints.clear_legacy, other.plan_clear_legacy()),
            (other.clear_legacy, other.clear_legacy()),
        ):
            with pytest.raises(BadRequest, match="no plan of `plan_clear"):
                method(plan=plan)
        assert len(checkpoints.legacy_archives()) == 1


def test_a_long_history_is_erased_at_once(history: History) -> None:
    """Each row was looked up in all others: 40,000 took more than a minute."""
    history.take(history.project())
    base = history.checkpoints._base
    history.checkpoints.sessions.write("s1", {"task": "port the parser"})
    with closing(sqlite3.connect(base.layout.catalog)) as connection, connection:
        columns = "project_id, commit_id, ref_name, tree_id, state_id, kind, reason, created_at"
        connection.execute(
            f"INSERT INTO checkpoints ({columns}, previous_id)"  # noqa: S608
            " WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)"
            " SELECT 1, 'c' || n, 'r' || n, 't', 's', 'auto', 'x', '2026-11-20', n FROM n"
        )
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1000

    with pytest.MonkeyPatch.context() as patch:
        real = connections.connect

        def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection = real(*arguments, **options)
            connection.set_progress_handler(count, 1000)
            return connection

        patch.setattr(connections, "connect", connect)
        base.catalog.retention.erase()
    assert steps < 20_000
    assert base.catalog.checkpoints.known_commits() == set()
    assert base.catalog.sessions.ids() == ["s1"]
    assert base.catalog.shrink() is None
    assert base.catalog.bytes < 600_000
    taken = history.take(history.project("another"))
    assert taken._row > 20_000, "ids are not given anew"

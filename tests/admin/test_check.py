"""``check`` says for monitoring whether checkpoints work: by age, failures and size."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import BadRequest, Check, Checkpoints, Failed, Skipped, Taken
from hermes_checkpoints.config import Config


def codes(check: Check) -> list[str]:
    return [problem.code for problem in check.problems]


def later(checkpoints: Checkpoints, time: timedelta) -> Checkpoints:
    """The same base as of another time."""
    base = checkpoints._base
    now = base.now() + time
    return Checkpoints(replace(base, now=lambda: now))


def test_a_take_of_today_is_fine_and_one_of_before_is_not(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        assert codes(checkpoints.check()) == ["never"]
        assert checkpoints.check().text == "not fine: no take has ever worked"
        assert isinstance(checkpoints.project(project).take(), Taken)
        found = checkpoints.check()
        assert (found.fine, found.failures, found.max_failures) == (True, 0, 0)
        assert found.text.startswith("fine: last successful take 0s ago; no failures; ")
        almost, over = timedelta(hours=23), timedelta(hours=25)
        assert later(checkpoints, almost).check().fine
        old = later(checkpoints, over).check()
        assert codes(old) == ["age"]
        assert "was 1d ago, and at most 1d is fine" in old.text
        assert later(checkpoints, over).check(max_age=timedelta(hours=26)).fine
        assert later(checkpoints, over).check(max_age=None).fine


def test_a_take_that_finds_no_change_counts(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        _move_operations(home, "-2 days")
        assert codes(checkpoints.check()) == ["age"]
        assert not isinstance(checkpoints.project(project).take(), Taken)
        assert checkpoints.check().fine


def test_a_success_that_is_dated_ahead_is_not_believed(home: Path, project: Path) -> None:
    """It would hide for as long that no take works any more."""
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        _move_operations(home, "+3 days")
        found = checkpoints.check()
        assert codes(found) == ["clock"]
        assert "2d ahead of this clock" in found.text or "3d ahead" in found.text
        assert later(checkpoints, timedelta(minutes=-4)).check(max_age=None).problems


def _move_operations(home: Path, by: str) -> None:
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute(
            "UPDATE operations SET started_at = datetime(substr(started_at, 1, 19), ?)"
            " || '.000000', finished_at = datetime(substr(finished_at, 1, 19), ?) || '.000000'",
            (by, by),
        )


def test_failures_since_the_last_success_count(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        one.take()
        for _ in range(2):
            assert isinstance(one.take(turn=-1), Failed)
        found = checkpoints.check(max_failures=1)
        assert (codes(found), found.failures) == (["failures"], 2)
        assert "last 2 takes failed since" in found.text
        assert checkpoints.check(max_failures=2).fine
        one.take()
        assert checkpoints.check().fine


def test_what_can_be_no_project_is_told_for_a_day(home: Path, project: Path) -> None:
    """No take of the home ever works, so that one try would be told to monitoring for ever."""
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        for directory in (Path.home(), Path("/"), home / "checkpoints"):
            assert isinstance(checkpoints.project(directory).take(), Skipped)
        assert checkpoints.check().failures == 3
        almost, over = timedelta(hours=23), timedelta(hours=25)
        assert later(checkpoints, almost).check(max_age=None).failures == 3
        assert later(checkpoints, over).check(max_age=None).fine
        with Checkpoints.open(home, config=Config(max_files=1)) as strict:
            assert isinstance(strict.project(project).take(), Skipped)
        later_on = later(checkpoints, timedelta(days=30)).check(max_age=None)
        assert (codes(later_on), later_on.failures) == (["failures"], 1)


def test_a_project_is_judged_by_itself(home: Path, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        assert isinstance(checkpoints.project(other).take(turn=-1), Failed)
        assert codes(checkpoints.check()) == ["failures"]
        assert checkpoints.check(working_dir=project).fine
        alone = checkpoints.check(working_dir=other)
        assert codes(alone) == ["never", "failures"]
        assert f"no take of {other} has ever worked" in alone.text


def test_the_size_is_judged_by_the_cap_of_the_configuration(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_total_size_mb=1)) as checkpoints:
        for _ in range(3):
            (project / "data").write_bytes(os.urandom(250_000))
            checkpoints.project(project).take()
        found = checkpoints.check()
        assert (codes(found), found.max_bytes) == (["size"], 1024 * 1024)
        assert found.bytes == checkpoints.capped_bytes()
        assert "more than 1.0 MB" in found.text
        assert checkpoints.check(max_bytes=0).fine
        assert checkpoints.check(max_bytes=found.bytes).fine
        assert codes(checkpoints.check(max_bytes=found.bytes - 1)) == ["size"]


def test_without_a_base_nothing_is_protected(fresh_home: Path) -> None:
    with Checkpoints.open(fresh_home, create=False) as checkpoints:
        found = checkpoints.check()
        assert codes(found) == ["no-base"]
        assert found.text == f"not fine: there is no checkpoint base at {fresh_home}/checkpoints"
        assert found.bytes == 0
    assert not fresh_home.exists()


def test_what_went_is_not_judged_by_what_was(home: Path, project: Path) -> None:
    """A directory that is gone for long, with takes that failed, warns for two weeks."""
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        checkpoints.project(project).take(turn=-1)
        shutil.rmtree(project)
        assert codes(checkpoints.check()) == ["failures"]
        assert codes(later(checkpoints, timedelta(days=15)).check(max_age=None)) == []


@pytest.mark.parametrize(
    "bound", [{"max_age": 3}, {"max_failures": -1}, {"max_bytes": "1"}, {"max_failures": 1.5}]
)
def test_a_bound_that_is_none_is_refused(home: Path, bound: dict[str, object]) -> None:
    with Checkpoints.open(home) as checkpoints, pytest.raises(BadRequest):
        checkpoints.check(**bound)  # type: ignore[arg-type]

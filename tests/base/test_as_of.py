"""Times where a checkpoint is meant: what each form means, by the clock of the system or another,
and which checkpoint that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints import Checkpoints, Project
from hermes_checkpoints.base.as_of import exactly, read_as_of
from hermes_checkpoints.errors import BadRequest, CheckpointError, CheckpointUnknown, ProjectUnknown
from hermes_checkpoints.model import Taken
from support import machine_in

NOW = datetime(2026, 11, 29, 12, 30, tzinfo=UTC)
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
HAVANA = "CST5CDT,M3.2.0/0,M11.1.0/1"


def meant(text: str, zone: str = "UTC0", now: datetime = NOW) -> str:
    with machine_in(zone):
        return read_as_of(text, now).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("@45s", "2026-11-29 12:29:15"),
        ("@30m", "2026-11-29 12:00:00"),
        ("@2h", "2026-11-29 10:30:00"),
        ("@3d", "2026-11-26 12:30:00"),
        ("@2w", "2026-11-15 12:30:00"),
        ("@{2h}", "2026-11-29 10:30:00"),
        ("@{ 2H }", "2026-11-29 10:30:00"),
        ("@10:00", "2026-11-29 10:00:59"),
        ("@9:05", "2026-11-29 09:05:59"),
        ("@10:00:30", "2026-11-29 10:00:30"),
        ("@23:00", "2026-11-29 23:00:59"),
        ("@yesterday", "2026-11-28 23:59:59"),
        ("@{Yesterday}", "2026-11-28 23:59:59"),
        ("@2026-11-27", "2026-11-27 23:59:59"),
        ("@{2026-11-27}", "2026-11-27 23:59:59"),
        ("@{2026-11-27 18:00}", "2026-11-27 18:00:59"),
        ("@2026-11-27T18:00", "2026-11-27 18:00:59"),
        ("@{2026-11-27T18:00:05Z}", "2026-11-27 18:00:05"),
        ("@{2026-11-27 18:00 +0100}", "2026-11-27 17:00:59"),
        ("@{2026-11-27 18:00-05:30}", "2026-11-27 23:30:59"),
        ("@{2026-11-27T18:00:05.25Z}", "2026-11-27 18:00:05"),
    ],
)
def test_each_form_means_the_end_of_what_it_names(text: str, moment: str) -> None:
    assert meant(text) == moment


def test_a_day_and_a_time_are_those_of_the_local_clock() -> None:
    late = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)  # half past midnight on the 30th in Berlin
    assert meant("@yesterday", BERLIN, late) == "2026-11-29 22:59:59"
    assert meant("@00:10", BERLIN, late) == "2026-11-29 23:10:59"
    assert meant("@{2026-11-27 18:00}", BERLIN) == "2026-11-27 17:00:59"
    assert meant("@{2026-07-27 18:00}", BERLIN) == "2026-07-27 16:00:59"
    assert meant("@2d", BERLIN) == "2026-11-27 12:30:00"


def test_a_local_time_that_comes_twice_means_the_second_time() -> None:
    assert meant("@{2026-10-25 02:30}", BERLIN) == "2026-10-25 01:30:59"
    assert meant("@{2026-10-25 01:30}", BERLIN) == "2026-10-24 23:30:59"


def test_a_local_time_that_was_passed_over_means_the_later_moment() -> None:
    assert meant("@{2026-03-29 02:30}", BERLIN) == "2026-03-29 01:30:59"  # it showed 03:30


def test_a_day_ends_before_the_next_one_also_where_midnight_comes_twice_or_never() -> None:
    assert meant("@2026-10-31", HAVANA) == "2026-11-01 03:59:59"
    assert meant("@2026-03-07", HAVANA) == "2026-03-08 04:59:59"


@pytest.mark.parametrize(
    "text",
    [
        *("@", "@{}", "@2", "@2x", "@-2h", "@2 h", "@1.5h", "@h2", "@{2h", "@2h}", "@tomorrow"),
        *("@25:00", "@10:60", "@10", "@2026-13-01", "@2026-02-30", "@2026-11-27 18", "@20261127"),
        *("@{2026-11-27 18:00 +25:00}", "@{2026-11-27 18:00 CET}", "@types/node", "@٢h"),
        *("@{2026-11-27 24:00}", "@{2026-11-27 18:00:60}", "@{{2h}}", "@2h@3h", "@\n2h\x00"),
    ],
)
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="is no time"):
        read_as_of(text, NOW)


def test_what_is_unknown_is_answered_with_the_known_forms() -> None:
    with pytest.raises(BadRequest, match=r"@30m.*@10:00.*@yesterday.*@\{2026-11-27 18:00\}"):
        read_as_of("@soon", NOW)


@pytest.mark.parametrize(
    "text", ["@999999999w", "@0001-01-01", "@{0001-01-01 00:00 +14:00}", "@{0001-01-01 00:00Z}"]
)
@pytest.mark.parametrize("zone", ["UTC0", BERLIN, "XXX12", "XXX-14"])
def test_the_edges_of_the_calendar_are_no_failure(text: str, zone: str) -> None:
    with machine_in(zone):
        assert read_as_of(text, NOW) < datetime(1900, 1, 1, tzinfo=UTC)
        assert read_as_of("@9999-12-31", NOW) > NOW
        assert read_as_of("@{9999-12-31 23:59:59 -12:00}", NOW) > NOW


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001
    st.sampled_from(["UTC0", BERLIN, HAVANA, "XXX-5:45", "XXX9:30"]),
    st.sampled_from(["%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f"]),
)
def test_what_is_shown_of_a_moment_never_means_one_before_it(
    moment: datetime, zone: str, form: str
) -> None:
    taken = moment.replace(tzinfo=UTC)
    with machine_in(zone):
        shown = taken.astimezone().strftime(form)
        found = read_as_of(f"@{{{shown}}}", NOW)
        assert found >= taken
        assert found.astimezone().strftime(form) == shown


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_exact_reference_means_that_very_moment(moment: datetime) -> None:
    assert read_as_of(exactly(moment), NOW) == moment


# --- which checkpoint that is ---------------------------------------------------------------------


class Clocked:
    """A project whose checkpoints are taken when the test says so."""

    def __init__(self, opened: Checkpoints, directory: Path) -> None:
        self.opened, self.directory = opened, directory
        self.hour = 0.0

    def at(self, hour: float) -> Project:
        """Return the project, so many hours after the begin of 2026-11-28."""
        start = datetime(2026, 11, 28, tzinfo=UTC)
        now = start + timedelta(hours=hour)
        self.opened._base = replace(self.opened._base, now=lambda: now)
        return self.opened.project(self.directory)

    def take(self, hour: float) -> str:
        (self.directory / "file.txt").write_text(f"{hour}\n")
        outcome = self.at(hour).take(f"at {hour}")
        assert isinstance(outcome, Taken), outcome
        return outcome.checkpoint.id


@pytest.fixture
def clocked(home: Path, project: Path) -> Iterator[Clocked]:
    with machine_in("UTC0"), Checkpoints.open(home) as opened:
        yield Clocked(opened, project)


def test_a_time_means_the_newest_taken_until_then(clocked: Clocked) -> None:
    first, second, third = clocked.take(9), clocked.take(10.5), clocked.take(33)
    now = clocked.at(34)
    assert now.get("@2h").id == second
    assert now.get("@1h").id == third
    assert now.get("@10:00").id == third
    assert now.get("@yesterday").id == second
    assert now.get("@{2026-11-28 10:29}").id == first
    assert now.get("@{2026-11-28 10:30}").id == second
    assert [c.id for c in (now.diff("@2h", "@1h").checkpoint,)] == [second]


def test_ahead_of_now_it_is_the_newest(clocked: Clocked) -> None:
    clocked.take(9)
    newest = clocked.take(10)
    now = clocked.at(11)
    assert now.get("@23:00").id == now.get("@2030-01-01").id == newest


def test_before_all_it_is_refused_with_the_nearest(clocked: Clocked) -> None:
    first = clocked.take(9)
    clocked.take(10)
    with pytest.raises(CheckpointUnknown) as refused:
        clocked.at(11).get("@{2026-11-27 18:00}")
    told = str(refused.value)
    assert "2026-11-27 18:00:59 +0000 (@{2026-11-27 18:00})" in told
    assert f"number 2 ({first[:8]}) of 2026-11-28 09:00:00 +0000" in told
    with pytest.raises(CheckpointUnknown, match="number 2"):
        clocked.at(11).get("@999999999w")


def test_a_safety_checkpoint_is_never_meant(clocked: Clocked) -> None:
    taken = clocked.take(9)
    (clocked.directory / "file.txt").write_text("edited\n")
    clocked.at(10).restore("1", mode="exact")
    assert clocked.at(11).get("@0s").id == clocked.at(11).get("@12:00").id == taken


def test_a_clock_that_was_set_back_changes_no_time_of_a_checkpoint(clocked: Clocked) -> None:
    early, late, after = clocked.take(9), clocked.take(12), clocked.take(10)
    now = clocked.at(13)
    assert now.get("@09:30").id == early
    assert now.get("@11:00").id == after
    assert now.get("@12:30").id == late
    assert now.get("@14:00").id == now.get("latest").id == after
    back = clocked.at(10.5)  # and two of them are ahead of the clock by now
    assert back.get("@0s").id == after
    assert back.get("@11:00").id == after


def test_of_two_of_one_moment_it_is_the_later_one(clocked: Clocked) -> None:
    clocked.take(9)
    clocked.take(10)
    (clocked.directory / "other.txt").write_text("more\n")
    outcome = clocked.at(10).take("again")
    assert isinstance(outcome, Taken)
    assert clocked.at(11).get("@30m").id == outcome.checkpoint.id


def test_what_was_pruned_is_not_meant(clocked: Clocked) -> None:
    first, second = clocked.take(9), clocked.take(10)
    clocked.take(11)
    clocked.at(12).drop([second])
    assert clocked.at(12).get("@90m").id == first


def test_a_project_without_checkpoints_says_so_first(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as opened:
        for text in ("@2h", "@23:59", "@2030-01-01"):
            with pytest.raises(ProjectUnknown):
                opened.project(project).get(text)


def test_a_time_names_no_checkpoint_without_a_project(clocked: Clocked) -> None:
    clocked.take(9)
    with pytest.raises(CheckpointError, match="within a project only"):
        clocked.opened.find("@2h")


def test_a_label_cannot_look_like_a_time(clocked: Clocked) -> None:
    clocked.take(9)
    with pytest.raises(BadRequest):
        clocked.at(10).label("1", "@2h")

"""How long a remote that denies access is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.remote.pausing import LONGEST_PAUSE, may_try, pause

NOW = datetime(2026, 11, 30, tzinfo=UTC)
MANY = st.integers(-1, 10**6)
SECONDS = st.integers(0, 86_400)


@given(MANY, SECONDS)
def test_a_pause_doubles_and_is_an_hour_at_most(denials: int, seconds: int) -> None:
    usual = timedelta(seconds=seconds)
    assert usual <= pause(denials, seconds) <= max(usual, LONGEST_PAUSE)
    assert pause(denials, seconds) <= pause(denials + 1, seconds)
    if denials > 1 and pause(denials, seconds) < LONGEST_PAUSE:
        assert pause(denials, seconds) == 2 * pause(denials - 1, seconds)


@given(MANY, SECONDS, st.integers(-(10**6), 10**6))
def test_it_is_tried_again_after_the_pause_and_whatever_the_clock_says(
    denials: int, seconds: int, ago: int
) -> None:
    failed = NOW - timedelta(seconds=ago)
    found = may_try(NOW, failed, denials, seconds)
    if denials <= 0 or ago < 0:
        assert found
    else:
        assert found == (timedelta(seconds=ago) >= pause(denials, seconds))
    assert may_try(NOW, None, denials, seconds)

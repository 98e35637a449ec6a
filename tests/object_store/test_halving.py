"""The halving of a list finds every bad item, and only those, with few calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.object_store.halving import failing


class Command:
    """Fails where one of the items is bad, and keeps what it was called with."""

    def __init__(self, bad: set[int], error: type[GitFailed] = GitFailed) -> None:
        self.bad = bad
        self.error = error
        self.calls: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> None:
        self.calls.append(list(items))
        found = self.bad & set(items)
        if found:
            raise self.error(str(sorted(found)))


@given(st.integers(0, 200), st.sets(st.integers(0, 199), max_size=4))
def test_just_the_bad_items_are_found_in_order_and_all_others_pass(
    number: int, bad: set[int]
) -> None:
    command = Command(bad)
    found = list(failing(range(number), command))
    expected = sorted(bad & set(range(number)))
    assert [item for item, _ in found] == expected
    assert [str(failure) for _, failure in found] == [f"[{item}]" for item in expected]
    passed = [i for call in command.calls if not bad & set(call) for i in call]
    assert sorted(passed) == sorted(set(range(number)) - bad)
    depth = ceil(log2(number)) if number > 1 else 0
    assert len(command.calls) <= 1 + 2 * depth * len(expected)


def test_an_item_is_dealt_with_before_those_behind_it_are_tried() -> None:
    command = Command({0, 1})
    for item, _ in failing([0, 1], command):
        command.bad.discard(item + 1)  # what was done about the one mended the next
    assert command.calls == [[0, 1], [0], [1]]


def test_nothing_is_run_for_no_items() -> None:
    command = Command({1})
    assert list(failing([], command)) == []
    assert command.calls == []


def test_running_out_of_time_is_no_fault_of_an_item() -> None:
    command = Command({1}, GitTimedOut)
    with pytest.raises(GitTimedOut):
        list(failing([0, 1, 2], command))
    assert len(command.calls) == 1

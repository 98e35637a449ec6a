"""A wrong type or value is refused by what is wrong with it, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import BadRequest, Sessions
from sessions.conftest import Clock

Call = Callable[[Any], object]

IDS: list[Any] = [None, 5, True, b"x", Path("x"), ["s"]]
NUMBERS: list[Any] = ["1", b"1", -1, 1.0, True, 2**63, [1]]
DAYS: list[Any] = ["7", True, -1, -0.5, float("nan"), float("-inf"), [7]]
TIMES: list[Any] = ["2026-11-20", 0, False, datetime(2026, 11, 20, 12, 0)]  # noqa: DTZ001
PATHS: list[Any] = [3, False, 1.5, b"x", "a\0b", "\ud800", "~nobody-has-this-name/x"]
REQUIRED_PATHS: list[Any] = [*PATHS, None]

METHODS: dict[str, tuple[list[Any], Callable[[Sessions, Any], object]]] = {
    "write(id)": (IDS, lambda s, wrong: s.write(wrong, {})),
    "write(document)": ([None, [1], "text", 5], lambda s, wrong: s.write("s", wrong)),
    "write(if_version)": (NUMBERS, lambda s, wrong: s.write("s", {}, if_version=wrong)),
    "read(id)": (IDS, lambda s, wrong: s.read(wrong)),
    "read(version)": (NUMBERS, lambda s, wrong: s.read("s", version=wrong)),
    "document_in_local_time(id)": (IDS, lambda s, wrong: s.document_in_local_time(wrong)),
    "export(id)": (IDS, lambda s, wrong: s.export(wrong)),
    "export(version)": (NUMBERS, lambda s, wrong: s.export("s", version=wrong)),
    "history(id)": (IDS, lambda s, wrong: s.history(wrong)),
    "restore(id)": (IDS, lambda s, wrong: s.restore(wrong, 1)),
    "restore(version)": ([*NUMBERS, None], lambda s, wrong: s.restore("s", wrong)),
    "restore(if_version)": (NUMBERS, lambda s, wrong: s.restore("s", 1, if_version=wrong)),
    "delete(id)": (IDS, lambda s, wrong: s.delete(wrong)),
    "checkpoints(id)": (IDS, lambda s, wrong: s.checkpoints(wrong)),
    "turns(id)": (IDS, lambda s, wrong: s.turns(wrong)),
    "list(status)": ([3, True, b"x", ["x"]], lambda s, wrong: s.list(status=wrong)),
    "list(limit)": (NUMBERS, lambda s, wrong: s.list(limit=wrong)),
    "import_folder(folder)": (REQUIRED_PATHS, lambda s, wrong: s.import_folder(wrong)),
    "plan_gc(max_age_days)": (DAYS, lambda s, wrong: s.plan_gc(max_age_days=wrong)),
    "plan_gc(now)": (TIMES, lambda s, wrong: s.plan_gc(now=wrong)),
    "gc(max_age_days)": (DAYS, lambda s, wrong: s.gc(max_age_days=wrong)),
    "gc(now)": (TIMES, lambda s, wrong: s.gc(now=wrong)),
    "gc(plan)": ([{}, ["s"], False, "s"], lambda s, wrong: s.gc(plan=wrong)),
    "open(home)": (PATHS, lambda s, wrong: s.open(wrong)),
    "open(base)": (PATHS, lambda s, wrong: s.open(base=wrong)),
    "open(config)": ([7, {}, False, "config.yaml"], lambda s, wrong: s.open(config=wrong)),
}


@pytest.mark.parametrize(
    ("method", "wrong"),
    [(method, wrong) for method, (values, _) in METHODS.items() for wrong in values],
)
def test_a_wrong_argument_is_refused(
    sessions: Sessions, clock: Clock, method: str, wrong: Any
) -> None:
    sessions.write("s", {"n": 1})
    clock.go(days=100)  # a collection would remove it
    with pytest.raises(BadRequest):
        METHODS[method][1](sessions, wrong)
    assert [one.version for one in sessions.history("s")] == [1]


def test_every_method_with_an_argument_is_in_the_table() -> None:
    without = {"ids", "close"}
    methods = {name for name, value in vars(Sessions).items() if not name.startswith("_")}
    assert {name.partition("(")[0] for name in METHODS} == methods - without

"""Judges whether checkpoints work, for monitoring: by the last success, failures and the size."""

from __future__ import annotations

from datetime import datetime, timedelta

from hermes_checkpoints.admin.status import failing
from hermes_checkpoints.base.measures import store_size
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.model import MB, Check, FailureRun, Problem
from hermes_checkpoints.text import age, counted, size, span, takes_failed

_AHEAD = timedelta(minutes=5)
"""How far ahead of this clock that of another process may be."""


def check(
    base: Base,
    *,
    max_age: timedelta | None,
    max_failures: int,
    max_bytes: int | None,
    only: Target | None = None,
) -> Check:
    """Judge a base by these bounds; ``only`` limits age and failures to one project.

    Raises:
        CheckpointError: when it cannot be told.
    """
    cap = base.config.max_total_size_mb * MB if max_bytes is None else max_bytes
    bound = cap if cap > 0 else None
    place = None if only is None else only.name
    with base.catalog.at_one_moment():
        last = base.catalog.operations.last_success(place)
        runs = failing(base, place)
    used = _bytes(base, bound)
    now = base.now()
    failures = sum(run.count for run in runs)
    problems = [
        *_of_age(base, last, now, max_age, only),
        *_of_failures(runs, failures, max_failures),
        *_of_size(used, bound),
    ]
    return Check(
        problems=tuple(problems),
        last_success_at=last,
        age=None if last is None else now - last,
        max_age=max_age,
        failures=failures,
        max_failures=max_failures,
        bytes=used,
        max_bytes=bound,
        text=_text(problems, last, now, failures, used, bound),
    )


def _bytes(base: Base, bound: int | None) -> int:
    """Return what counts under the cap, nothing where there is no base. What of the catalog does is
    only looked up where the whole file would be too much."""
    if base.layout.stands_for is not None:
        return 0
    store = store_size(base).bytes
    whole = store + base.catalog.bytes
    if bound is None or whole <= bound:
        return whole
    return store + base.catalog.capped_bytes


def _of_age(
    base: Base, last: datetime | None, now: datetime, most: timedelta | None, only: Target | None
) -> list[Problem]:
    if base.layout.stands_for is not None:
        return [Problem("no-base", f"there is no checkpoint base at {base.layout.named}")]
    if last is None:
        of = "" if only is None else f" of {only.path}"
        return [Problem("never", f"no take{of} has ever worked")]
    if last - now > _AHEAD:
        ahead = span(last - now)
        return [Problem("clock", f"the last successful take is dated {ahead} ahead of this clock")]
    if most is not None and now - last > most:
        was = f"the last successful take was {age(last, now)}"
        return [Problem("age", f"{was}, and at most {span(most)} is fine")]
    return []


def _of_failures(runs: list[FailureRun], failures: int, most: int) -> list[Problem]:
    if failures <= most:
        return []
    more = f", and those of {counted(len(runs) - 1, 'other project')}" if len(runs) > 1 else ""
    return [Problem("failures", f"{takes_failed(runs[0])}{more}")]


def _of_size(used: int, bound: int | None) -> list[Problem]:
    if bound is None or used <= bound:
        return []
    return [Problem("size", f"the store takes {size(used)}, more than {size(bound)}")]


def _text(
    problems: list[Problem],
    last: datetime | None,
    now: datetime,
    failures: int,
    used: int,
    bound: int | None,
) -> str:
    if problems:
        return f"not fine: {'; '.join(problem.message for problem in problems)}"
    failed = counted(failures, "failure") if failures else "no failures"
    of = "" if bound is None else f" of {size(bound)}"
    return f"fine: last successful take {age(last, now)}; {failed}; {size(used)}{of}"

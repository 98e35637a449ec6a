"""The name of the base among those that share checkpoints, and the clock that its rows tell of."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import timedelta

from hermes_checkpoints.base.machine import complaint, machine_of
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import aside
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import counted

_AHEAD = timedelta(days=1)


def check(patient: Patient) -> Iterator[Finding]:
    """Look at ``machine.json``, and for rows of the future.

    Raises:
        OSError: when the file cannot be looked at.
    """
    path = patient.layout.machine
    wrong = complaint(patient.layout)
    if not os.path.lexists(path):
        yield Finding(
            "machine-missing",
            path.name,
            "the base has no id of its own yet, by which those that share checkpoints know it",
            "nothing: the next take makes it",
            note=True,
        )
    elif wrong is not None and wrong.startswith("came"):
        yield Finding(
            "machine-of-another",
            path.name,
            f"the file {wrong}: this base is a copy, as a backup that was put back is",
            "nothing: the next take gives this base another id, so that both never pass for one",
            note=True,
        )
    elif wrong is not None:
        yield Finding(
            "machine-garbled",
            path.name,
            "the file that names this base is damaged",
            f"`{PROGRAM} doctor --repair` gives the base another id, as the next take does",
            repairs=True,
        )
    yield from _clock(patient)


def mend(layout: Layout, findings: Sequence[Finding]) -> list[str]:
    """Give a base with a damaged name another one; return what was done."""
    if not any(one.kind == "machine-garbled" for one in findings):
        return []
    path = layout.machine
    kept = aside(path)
    made = machine_of(layout, git_timeout())
    return [f"{path.name} was written anew (machine {made.id}); {kept.name} is the former one"]


def _clock(patient: Patient) -> Iterator[Finding]:
    if patient.catalog is None:
        return
    count, latest = patient.catalog.times.later_than(patient.now + _AHEAD)
    if latest is not None:
        yield Finding(
            "time-in-the-future",
            f"{latest:%Y-%m-%d %H:%M} UTC",
            f"{counted(count, 'row')} of the catalog have times of more than a day from now: the "
            "clock was wrong then, or is wrong now; rules that go by age keep such checkpoints "
            "for too long",
            "check the clock of this machine (date -u); what was taken with a wrong clock can be "
            f"dropped by id: `{PROGRAM} log`, `{PROGRAM} drop ID`",
        )

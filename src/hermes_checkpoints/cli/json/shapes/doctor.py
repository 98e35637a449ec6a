"""What a look at a base found."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import Base, Where


class Finding(Where):
    """One thing that is not as it must be, or that people should know."""

    check: str
    """The check that found it."""
    kind: str
    """Its stable name."""
    text: str
    """What is wrong."""
    remedy: str
    """What to do."""
    repairs: bool
    """Whether `doctor --repair` does that."""
    note: bool
    """Whether it is no fault."""


class NotLooked(TypedDict):
    """A check that could not be made."""

    check: str
    """The check."""
    reason: str
    """Why not."""


class Diagnosis(Base):
    """What one look found."""

    deep: bool
    """Whether every object was read."""
    repaired: NotRequired[list[str]]
    """What a repair did before that look; not there without `--repair`."""
    sound: bool
    """Whether everything was looked at and nothing is at fault."""
    faults: int
    """How many findings are faults."""
    notes: int
    """How many are none."""
    findings: list[Finding]
    """The findings."""
    looked: list[str]
    """The checks that were made."""
    not_looked: list[NotLooked]
    """Those that could not be made."""

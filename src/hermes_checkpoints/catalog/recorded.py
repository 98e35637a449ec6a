"""What the catalog knows of turns, of changes and of what was sent, without SQLAlchemy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_checkpoints.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.model import Checkpoint, PathEvent, ProjectRecord, RemoteRule

BY_HOST = "host"
BY_NEXT = "next"
BY_GONE = "gone"


@dataclass(frozen=True)
class Recorded:
    """An event with its place: ``after`` is the row of the last checkpoint before the look that
    saw it, ``target`` that of the checkpoint which a restore brought back."""

    event: PathEvent
    after: int
    target: int | None = None
    id: int = 0


@dataclass(frozen=True)
class Planned:
    """What a restore that was cut short was to leave at a path; both None where it was to be
    deleted, and ``blob`` None where only the permissions."""

    path: str
    blob: str | None
    mode: int | None


@dataclass(frozen=True)
class LastLook:
    """When the last look at a project began, in nanoseconds since 1970, or None, and whether a
    restore began since."""

    at_ns: int | None = None
    restores_since: bool = False


class BlobSize(NamedTuple):
    """The bytes of a content and of what the store keeps of it, and whether a checkpoint names it
    that is no tombstone."""

    content: int
    stored: int
    needed: bool


class LeftUnsent(NamedTuple):
    """What the remotes in use lack although it is to be sent by itself: how many checkpoints have
    been ``unsent`` for too long, since when, how many are ``refused``, and how the last push failed
    to a remote that has failed since its last success."""

    unsent: int
    since: datetime | None
    refused: int
    error: str | None


def last_two_of(found: Sequence[Checkpoint]) -> tuple[Checkpoint | None, Checkpoint | None]:
    """Return, of the newest checkpoints, newest first, the last whole one and the one that the list
    number 1 means; None for one that is not among them."""
    from hermes_checkpoints.model import Kind

    last = next((one for one in found if not one.partial), None)
    return last, next((one for one in found if one.kind is not Kind.SAFETY), None)


def around_of(working_dir: str) -> dict[str, Any]:
    """Return what is asked for the projects around a directory: its parents, from the inside out,
    what those below it begin with, and itself."""
    parents = [str(parent) for parent in PurePath(working_dir).parents]
    below = working_dir if working_dir.endswith(os.sep) else working_dir + os.sep
    return {"parents": parents, "below": below, "itself": working_dir}


def nearest_first(found: Sequence[ProjectRecord], parents: Sequence[str]) -> list[ProjectRecord]:
    """Put projects around a directory in order: its parents from the inside out, then the rest as
    they come."""
    nearness = {parent: index for index, parent in enumerate(parents)}
    return sorted(found, key=lambda one: nearness.get(one.working_dir, len(parents)))


class ListedRef(NamedTuple):
    """A ref that a remote has of checkpoints, or a cursor: below which machine and project it lies,
    and when its name says that the checkpoint was taken, None where it does not."""

    ref_name: str
    machine: str
    project_hash: str
    commit_id: str
    named_at: datetime | None = None
    is_cursor: bool = False


@dataclass(frozen=True)
class RemovalTerms:
    """By what is decided which checkpoints are removed from a remote.

    ``machine`` is this base, and ``project_hash`` the one project of it that is meant, None for
    all. What was taken ``before`` a time may go, and with ``others`` other machines that have sent
    nothing since ``dead_before``; None is for ever. Where ``ids`` are given, even none, nothing but
    these commits goes, whatever their age. ``days`` and ``dead_days`` are what both times were
    worked out of, for people.
    """

    machine: str
    project_hash: str | None = None
    ids: frozenset[str] | None = None
    others: bool = False
    before: datetime | None = None
    dead_before: datetime | None = None
    days: int = 0
    dead_days: int = 0

    def reason(self, rule: RemoteRule, last_at: datetime | None = None) -> str:
        """Return why a rule removes or keeps, in words that end a sentence beginning with
        "because". ``last_at`` is when a machine sent something last."""
        since = "" if last_at is None else f" since {last_at:%Y-%m-%d}"
        days, dead_days = counted(self.days, "day"), counted(self.dead_days, "day")
        return {
            "pinned": "it is pinned here",
            "labelled": "it has a label here",
            "newest": "it is the newest of its project",
            "for-ever": "the configuration keeps it for ever",
            "undated": "nothing tells when it was sent",
            "young": f"it is not older than {days}",
            "foreign": "it is of another machine",
            "alive": f"its machine has sent something within {dead_days}",
            "named": "it was named",
            "over-age": f"it is older than {days}",
            "dead": f"its machine has sent nothing{since}, which is more than {dead_days}",
        }[rule.value]

"""Sends what is unsent when nobody watches: when a turn or a session has ended.

A remote is asked no more often than ``min_interval_seconds`` says, and left alone while it denies
access. What a turn added too soon after a push is not forgotten: who sends waits for the rest of
the interval, where that is not long, and the end of a session does not wait at all. What goes wrong
is in the journal, and ``notice`` tells it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import CheckpointError, LockHeld, RemoteDenied
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome, Remote
from hermes_checkpoints.remote.notice import everywhere
from hermes_checkpoints.remote.pausing import may_try
from hermes_checkpoints.remote.push import Push
from hermes_checkpoints.remote.words import redacted_url
from hermes_checkpoints.remote_config import PushWhen, RemoteConfig, SecretCheck

PATIENCE = 600.0
"""How many seconds a push that a person has begun is waited for."""

LEAST_PAUSE = RemoteConfig.min_interval_seconds
"""How many seconds a remote is left alone at least that has denied access: an interval of 0 is for
those that do not."""


@dataclass(frozen=True)
class Sent:
    """What came of it: whether ``some`` were sent, whether a remote has ``failed`` or is left alone
    since it did, and the time to ``wait`` for until more may be sent, None where there is none."""

    some: bool = False
    failed: bool = False
    wait: timedelta | None = None


def send(base: Base, project_hash: str | None, *, at_once: bool = False) -> Sent:
    """Send what is unsent, first that of the project whose turn has ended, where one is named.
    ``at_once`` waits for no interval. Nothing is raised for a remote, nor for a base, that cannot:
    the journal has it.
    """
    config = load_remote_config(base.layout.config)
    if not config.is_on or config.push is PushWhen.MANUAL:
        return Sent()
    asked: dict[str, Sent] = {}
    try:
        for scope in _scopes(base, config, project_hash):
            push = Push.of(base, scope, checks=config.secrets is SecretCheck.REFUSE)
            found = asked.get(push.remote.url)
            if found is None:
                own = scope == project_hash or not config.is_of_project
                found = _held_up(base, push.remote, config, own=own, at_once=at_once)
            if not found.failed and found.wait is None:
                done = push.done(patience=PATIENCE)
                found = Sent(found.some or bool(done.sent), done.error is not None)
            asked[push.remote.url] = found
    except CheckpointError as error:
        _note(base, error)
        return Sent(failed=True)
    return Sent(
        any(one.some for one in asked.values()),
        any(one.failed for one in asked.values()),
        min((one.wait for one in asked.values() if one.wait is not None), default=None),
    )


def is_left(base: Base) -> bool:
    """Tell whether there is a checkpoint that was never tried."""
    config = load_remote_config(base.layout.config)
    return config.is_on and bool(_unsent(base, config, tried=False))


def left_of_interval(remote: Remote, config: RemoteConfig, now: datetime) -> timedelta | None:
    """Return how long a remote is still to be left alone since it was last asked; None where it may
    be asked. A time in the future, since a clock was put back, holds nothing up."""
    asked = [at for at in (remote.last_success_at, remote.last_failure_at) if at is not None]
    past = [at for at in asked if at <= now]
    if not past:
        return None
    left = max(past) + timedelta(seconds=config.min_interval_seconds) - now
    return left if left > timedelta() else None


def _scopes(base: Base, config: RemoteConfig, project_hash: str | None) -> Iterable[str | None]:
    """Return whose checkpoints are sent, one after the other: those of projects, by hash, or all
    that are left."""
    unsent = _unsent(base, config, tried=True)
    first = [one for one in unsent if one == project_hash]
    others = [one for one in unsent if one != project_hash]
    if config.is_of_project:
        return [*first, *others]
    return [*first, *([None] if others else [])]


def _unsent(base: Base, config: RemoteConfig, *, tried: bool) -> list[str]:
    shown = redacted_url(everywhere(config, base))
    return base.catalog.remotes.projects_unsent(shown, tried=tried)


def _held_up(base: Base, remote: Remote, config: RemoteConfig, *, own: bool, at_once: bool) -> Sent:
    """Return what keeps a remote from being asked now, if anything does. The remote of a project
    whose turn it is not is left alone after any failure, for longer each time: it may not exist."""
    now = base.now()
    counts = not own or remote.last_code == RemoteDenied.code
    failures = remote.failures if counts else 0
    usual = max(config.min_interval_seconds, LEAST_PAUSE)
    if not may_try(now, remote.last_failure_at, failures, usual):
        return Sent(failed=True)
    return Sent(wait=None if at_once else left_of_interval(remote, config, now))


def _note(base: Base, error: CheckpointError) -> None:
    """Write down why nothing could be sent, unless somebody else is sending just that."""
    if isinstance(error, LockHeld):
        return
    entry = JournalEntry(
        OperationKind.PUSH,
        base.now(),
        str(base.layout.base),
        outcome=OperationOutcome.FAILED,
        code=error.code,
        message=str(error),
    )
    with contextlib.suppress(CheckpointError):
        base.journal(entry)

"""What people are told of what should have been sent by itself, and was not.

Whoever sends by itself has nobody to tell. So what stays unsent is told where people look anyway,
in one line with what to do, as long as it is so.
"""

from __future__ import annotations

from datetime import timedelta

from hermes_checkpoints.base.machine import known_machine
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.recorded import LeftUnsent
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import PROGRAM, RemoteOff
from hermes_checkpoints.remote.elected import require_apart
from hermes_checkpoints.remote.words import redacted_url
from hermes_checkpoints.remote_config import PushWhen, RemoteConfig, SecretCheck
from hermes_checkpoints.text import counted

LATE = timedelta(days=1)
"""So long may a checkpoint be unsent before people are told: a night without a network is usual."""


def notice(base: Base) -> str | None:
    """Return what is to be told, or None. It costs two statements where something is sent by
    itself, and none elsewhere.

    Raises:
        CatalogBusy, CatalogDamaged.
    """
    config = load_remote_config(base.layout.config)
    if config.warnings:
        return "; ".join(config.warnings)
    if not config.is_on or config.push is PushWhen.MANUAL:
        return None
    url = everywhere(config, base)
    try:
        require_apart(base, url)
    except RemoteOff as off:
        return f"nothing is sent by itself: {off}"
    left = base.catalog.remotes.left_unsent(redacted_url(url), base.now() - LATE)
    return "; ".join([*_late(left, config, url), *_refused(left, config)]) or None


def everywhere(config: RemoteConfig, base: Base) -> str:
    """Return the address of the remote of a base, with ``{project}`` where each project has one of
    its own. It may hold a password."""
    if "{machine}" not in config.url:
        return config.url
    machine = known_machine(base.layout)
    return config.url if machine is None else config.url.replace("{machine}", machine)


def _late(left: LeftUnsent, config: RemoteConfig, url: str) -> list[str]:
    if not left.unsent or left.since is None:
        return []
    are = counted(left.unsent, "checkpoint", "is")
    why = "" if left.error is None else f" (the last push failed: {left.error})"
    text = (
        f"{are} still not sent to {redacted_url(url)}, the oldest since "
        f"{left.since:%Y-%m-%d %H:%M} UTC, although `push: {config.push}` is set{why}; "
        f"`{PROGRAM} push --all` sends what can be sent, and says what is wrong"
    )
    return [text]


def _refused(left: LeftUnsent, config: RemoteConfig) -> list[str]:
    if not left.refused or config.secrets is SecretCheck.ALLOW:
        return []
    text = (
        f"{counted(left.refused, 'checkpoint', 'is')} not sent, for what looks like a "
        f"secret; `{PROGRAM} push --all --dry-run` names the files and what to do"
    )
    return [text]

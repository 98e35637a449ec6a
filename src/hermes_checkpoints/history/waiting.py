"""Lets an opening wait before it tries again what cost it time in vain.

What cannot be imported now, because a disk is full or something is in its place, is tried at each
opening: that costs nothing. Where the attempt itself takes long, openings would be slow for good.
So each attempt that failed is paid for: the next one comes after twenty times as long as it took.
``import-legacy`` waits for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base

if TYPE_CHECKING:
    from hermes_checkpoints.model import LegacyRecord


SETTING = "legacy_waiting"
"""The setting that has, by the number of a record, the time before which it is not tried again."""

_TIMES = 20
_MOST = timedelta(days=1)
_FREE = 0.5
"""Seconds of an attempt that nobody waits for."""


class Waiting:
    """Which records wait, in the catalog of a base."""

    def __init__(self, base: Base) -> None:
        self._base = base

    def due(self, records: Sequence[LegacyRecord]) -> list[LegacyRecord]:
        """Return those that are to be tried now."""
        if not records:
            return []
        until, now = self._until(), self._base.now()
        return [one for one in records if not now < until.get(str(one.id), now) < now + _MOST]

    def note(self, record: LegacyRecord, seconds: float) -> None:
        """Write down that an attempt which took so long was in vain."""
        until = self._until()
        until.pop(str(record.id), None)
        now = self._base.now()
        if seconds > _FREE:
            wait = min(timedelta(seconds=_TIMES * seconds), _MOST - timedelta(seconds=1))
            until[str(record.id)] = now + wait
        elif not until:
            return
        text = json.dumps({name: at.isoformat() for name, at in until.items() if at > now})
        self._base.catalog.settings.set(SETTING, text, now)

    def _until(self) -> dict[str, datetime]:
        try:
            found = json.loads(self._base.catalog.settings.get(SETTING) or "{}")
            return {str(name): datetime.fromisoformat(at) for name, at in found.items()}
        except (ValueError, TypeError, AttributeError):
            return {}

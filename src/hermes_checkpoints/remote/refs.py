"""What the refs of a remote say by their names: below which machine and project each lies, whether
it is a cursor, and when the checkpoint was taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from hermes_checkpoints.catalog.recorded import ListedRef
from hermes_checkpoints.remote_config import RefNamespace

_CHECKPOINT = re.compile(r"([0-9a-f]{12})/([0-9a-f]{16})/([0-9A-Za-z][0-9A-Za-z._-]{7,99})")
_CURSOR = re.compile(r"([0-9a-f]{12})/([0-9a-f]{16})")
_TIME = re.compile(r"(\d{8}T\d{6})(\d{0,6})Z-.*")
_ID = re.compile(r"[0-9a-f]{40}")
_LINE = 46
"""What git sends of each ref beside its name."""


@dataclass(frozen=True)
class RefsThere:
    """The refs that a remote has: those that are checkpoints or cursors, how many lie among these
    and have names of another form, and how many there are besides."""

    listed: tuple[ListedRef, ...] = ()
    unknown: int = 0
    others: int = 0

    @classmethod
    def of(cls, refs: Mapping[str, str], namespace: RefNamespace) -> RefsThere:
        """Tell all refs of a remote, with their commits, from each other."""
        listed, unknown, others = [], 0, 0
        for name, id_ in refs.items():
            is_cursor = name.startswith(namespace.cursor_prefix)
            if not is_cursor and not name.startswith(namespace.prefix):
                others += 1
                continue
            prefix = namespace.cursor_prefix if is_cursor else namespace.prefix
            place = (_CURSOR if is_cursor else _CHECKPOINT).fullmatch(name.removeprefix(prefix))
            if place is None or not _ID.fullmatch(id_):
                unknown += 1
            elif is_cursor:
                listed.append(ListedRef(name, place[1], place[2], id_, is_cursor=True))
            else:
                listed.append(ListedRef(name, place[1], place[2], id_, named_at(place[3])))
        return cls(tuple(listed), unknown, others)


def named_at(name: str) -> datetime | None:
    """Return the time with which the last part of the name of a ref begins, in UTC; None where
    there is none.

    >>> named_at("20261120T120000Z-1f2e3d4c").isoformat()
    '2026-11-20T12:00:00+00:00'
    """
    found = _TIME.fullmatch(name)
    if found is None:
        return None
    try:
        at = datetime.strptime(found[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return at.replace(microsecond=int(found[2].ljust(6, "0")) if found[2] else 0)


def advertised(refs: Mapping[str, str]) -> int:
    """Return about how many bytes of refs each push is told."""
    return sum(_LINE + len(name.encode("utf-8", "surrogateescape")) for name in refs)

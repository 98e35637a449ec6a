"""Keeps what went wrong with an event of a hook while the catalog could not keep it: it was busy or
damaged, or no space was left. The next event of the session that reaches the catalog brings it into
the journal, and the person is told, who may have let an unprotected tool run.

A note is a file beside the locks, which takes hardly any space: its name says of which session it
is, and whether the person was told; a note without contents is one, too.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hermes_checkpoints.layout import Layout

_TOLD, _UNTOLD = "told-", "untold-"
_MOST_OF_A_NAME = 200
_PASSES = frozenset({errno.ENOSPC, errno.EDQUOT})


class Untold(NamedTuple):
    """What went wrong with an event in ``directory``, as a sentence, and whether the person was
    told."""

    directory: str
    what: str
    told: bool


def is_any(layout: Layout, session_id: str) -> bool:
    """Tell whether something is noted for a session."""
    return any(os.path.lexists(_note(layout, session_id, kind)) for kind in (_TOLD, _UNTOLD))


def note(layout: Layout, session_id: str, found: Untold) -> bool:
    """Note what went wrong with an event; return whether it is the first of its kind since the
    last event of the session that went well. Of those that follow nothing more is kept. Where
    nothing can be noted, it counts as the first if that may pass, as a full disk does."""
    path = _note(layout, session_id, _TOLD if found.told else _UNTOLD)
    try:
        layout.locks.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        return error.errno in _PASSES
    document = json.dumps([found.directory, found.what])
    with suppress(OSError), open(descriptor, "w", encoding="utf-8") as file:
        file.write(document)
    return True


def taken(layout: Layout, session_id: str, directory: str) -> Iterator[Untold]:
    """Yield what is noted for a session, and forget each once it has been dealt with. ``directory``
    stands for that of a note without contents. Who was told of one was told enough."""
    told = os.path.lexists(_note(layout, session_id, _TOLD))
    for kind in (_UNTOLD, _TOLD):
        path = _note(layout, session_id, kind)
        try:
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        where, what = directory, "the catalog could not be written"
        with suppress(ValueError, TypeError):
            where, what = map(str, json.loads(text))
        yield Untold(where, f"{what} ({at:%Y-%m-%d %H:%M:%S} UTC)", told)
        with suppress(OSError):
            path.unlink()


def _note(layout: Layout, session_id: str, kind: str) -> Path:
    name = session_id.encode("utf-8", "surrogatepass").hex()[:_MOST_OF_A_NAME]
    return layout.locks / f"{kind}{name}"

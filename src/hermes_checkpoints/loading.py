"""Loads what takes, restores and hosts need before their work begins.

What a process does not use, it does not import, so that many imports stand in functions. But a
child waits for ever for a module that another thread was loading when it was forked. So takes and
restores begin by loading all that they need, in a block that no fork cuts in two; later imports
find it loaded.

Garbage is not looked for meanwhile. Modules stay, so hardly any of it is theirs, and a full look
goes through all that the process has: beside the hundred thousand objects of an agent that costs
as much as a take.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from importlib import import_module

from hermes_checkpoints.fs import forks

_LENDS = ("hermes_checkpoints.checkpoints.lent",)
_TAKES_DIRECTLY = (
    "hermes_checkpoints.capture.take",
    "hermes_checkpoints.object_store.footprint",
)
_ASKS_DIRECTLY = (
    "hermes_checkpoints.catalog.direct.opening",
    "hermes_checkpoints.catalog.direct.looking",
    "hermes_checkpoints.catalog.direct.turns",
    "hermes_checkpoints.catalog.new_rows",
    "hermes_checkpoints.object_store.store",
)
_FOUNDS = (
    "hermes_checkpoints.admin.rebuild",
    "hermes_checkpoints.catalog.backups",
    "hermes_checkpoints.catalog.founding",
    "hermes_checkpoints.history.documents",
    "hermes_checkpoints.history.run",
    "hermes_checkpoints.object_store.healing",
)
_TAKES = (
    *_TAKES_DIRECTLY,
    "hermes_checkpoints.catalog.arriving",
    "hermes_checkpoints.catalog.events",
    "hermes_checkpoints.catalog.plans",
    "hermes_checkpoints.catalog.retention",
    "hermes_checkpoints.catalog.size_cap",
    "hermes_checkpoints.catalog.turns",
    "hermes_checkpoints.catalog.usage",
)
_RESTORES_DIRECTLY = (
    "ctypes",
    "hermes_checkpoints.capture.compare",
    "hermes_checkpoints.fs.removals",
    "hermes_checkpoints.fs.writer",
    "hermes_checkpoints.object_store.steady_reader",
    "hermes_checkpoints.object_store.wholeness",
    "hermes_checkpoints.restore.run",
    "hermes_checkpoints.restore.undo",
)
_SENDS = ("hermes_checkpoints.remote.background",)
_RESTORES = (*_RESTORES_DIRECTLY, "hermes_checkpoints.catalog.restores")


def load_lending() -> None:
    """Load what lends the checkpoints of a home to a host."""
    _load(_LENDS)


def begin_to_load(*, founding: bool = False) -> None:
    """Let a thread load what a first take needs, while the host waits for its model's answer: it
    takes longer than a take of a small project. ``founding`` says that there is no base yet. Who
    needs it sooner loads it, or waits for it; where no thread can be started, the take loads it."""
    wanted = (*_LENDS, *_TAKES_DIRECTLY, *_ASKS_DIRECTLY, *(_FOUNDS if founding else ()))
    if all(name in sys.modules for name in wanted):
        return
    name = "hermes-checkpoints loads"
    if not any(thread.name == name for thread in threading.enumerate()):
        thread = threading.Thread(target=_load_quietly, args=(wanted,), name=name, daemon=True)
        with contextlib.suppress(RuntimeError, MemoryError):
            thread.start()


def _load_quietly(names: tuple[str, ...]) -> None:
    with contextlib.suppress(Exception):  # the take meets it, too, and says what it is
        _load(names)


def load_takes(*, directly: bool = False) -> None:
    """Load what a take needs; ``directly`` without the whole catalog, which is loaded once what
    asks directly cannot answer."""
    _load(_TAKES_DIRECTLY if directly else _TAKES)


def load_restores(*, directly: bool = False) -> None:
    """Load what a restore and its undo need; ``directly`` as for ``load_takes``."""
    _load(_RESTORES_DIRECTLY if directly else _RESTORES)


def load_sending() -> None:
    """Load what starts the process that sends checkpoints by itself."""
    _load(_SENDS)


def _load(names: tuple[str, ...]) -> None:
    if all(name in sys.modules for name in names):
        return  # one that another thread is loading is awaited by its import, and by a fork
    with forks.undivided(), _no_garbage_looked_for():
        for name in names:
            import_module(name)


@contextlib.contextmanager
def _no_garbage_looked_for() -> Iterator[None]:
    """Switch the garbage collector off for a block; it stays off where it was."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

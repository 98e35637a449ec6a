"""Where the agent's checkpoints lie: ``CHECKPOINT_BASE``, which follows the agent's home until
somebody assigns it.

The agent's module fixes it when it is imported, and its tests assign it to have the whole module
work elsewhere. Here it is looked up at each use, because the home may be that of another profile
by then; what is assigned holds for the manager and every function until the value that was there
is assigned again, as ``monkeypatch`` does in the end.
"""

from __future__ import annotations

import os
import types
from pathlib import Path

from hermes_checkpoints.compat.places import agent_layout
from hermes_checkpoints.layout import Layout

BasePath = str | os.PathLike[str]


class _Places:
    """What was assigned, and each path that was handed out while nothing was."""

    def __init__(self) -> None:
        self.assigned: Path | None = None
        self.handed: dict[Path, Path] = {}


_places = _Places()


def checkpoint_base() -> Path:
    """Return the checkpoint folder: the one that was assigned, else that of the home in which the
    agent works at this moment."""
    if _places.assigned is not None:
        return _places.assigned
    here = agent_layout().base
    return _places.handed.setdefault(here, here)


def assign(value: BasePath) -> None:
    """Work in this folder from now on. The very object that ``checkpoint_base`` has returned while
    nothing was assigned stands for that: the folder follows the home again."""
    if any(value is path for path in _places.handed.values()):
        _places.assigned = None
    else:
        _places.assigned = Path(value)


def follow() -> None:
    """Work in the folder of the home again, whatever was assigned."""
    _places.assigned = None


def agents_layout() -> Layout:
    """Return where everything lies for the agent: in the folder that was assigned, whose parent is
    its home then, else in the home that the agent works in."""
    return agent_layout() if _places.assigned is None else Layout.of_base(_places.assigned)


def is_assigned() -> bool:
    """Tell whether somebody has assigned the folder."""
    return _places.assigned is not None


class BaseModule(types.ModuleType):
    """A module whose ``CHECKPOINT_BASE`` can be read and assigned."""

    @property
    def CHECKPOINT_BASE(self) -> Path:  # noqa: N802 - the name that hosts know
        return checkpoint_base()

    @CHECKPOINT_BASE.setter
    def CHECKPOINT_BASE(self, value: BasePath) -> None:  # noqa: N802
        assign(value)

    @CHECKPOINT_BASE.deleter
    def CHECKPOINT_BASE(self) -> None:  # noqa: N802 - so ends `unittest.mock.patch`
        follow()


class CurrentBase(os.PathLike[str]):
    """The checkpoint folder, looked up where it is used: a home that cannot be looked up fails
    inside the guard of the call."""

    def __fspath__(self) -> str:
        return str(checkpoint_base())


def given(checkpoint_base: BasePath | None) -> BasePath:
    """Return the folder that a caller names, else the one that is current when it is used."""
    return CurrentBase() if checkpoint_base is None else checkpoint_base

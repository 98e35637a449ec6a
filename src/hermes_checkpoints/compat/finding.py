"""Decides whether the agent gets a stand-in where it looks for one of its checkpoint modules.

It does not under ``HERMES_SAFE_MODE``, nor in a home whose configuration does not enable the
plugin, so that all of a session is of one kind. Packages that happen to have the same names are
left alone. Asked by the finder in site-packages (``startup``), when the module is looked for.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path

from hermes_checkpoints.compat import STAND_INS
from hermes_checkpoints.compat.plugin_list import is_enabled_in
from hermes_checkpoints.layout import default_home

_MARK = "hermes_constants.py"
"""A file that lies beside the packages of the agent."""
_YES = frozenset({"1", "true", "yes", "on"})


def spec_of(name: str, path: object) -> ModuleSpec | None:
    """Return where the stand-in for the agent's module ``name`` is, if it is to be used.

    Raises:
        CheckpointError, OSError: when the home or its configuration cannot be read.
    """
    ours = STAND_INS.get(name)
    folders = list(path) if hasattr(path, "__iter__") else []
    if ours is None or not any(_is_the_agents(str(folder)) for folder in folders):
        return None
    if is_safe_mode() or not _is_enabled():
        return None
    source = os.path.join(os.path.dirname(__file__), f"{ours}.py")
    spec = ModuleSpec(name, SourceFileLoader(name, source), origin=source)
    spec.has_location = True
    return spec


def is_safe_mode() -> bool:
    """Tell whether the agent is told to load no plugins. Its option sets the variable, but only
    after the module of ``hermes checkpoints`` is loaded: so the words are looked at, too."""
    told = os.environ.get("HERMES_SAFE_MODE", "").strip().lower() in _YES
    return told or "--safe-mode" in sys.argv[1:]


def _is_the_agents(package: str) -> bool:
    return os.path.isfile(os.path.join(os.path.dirname(package), _MARK))


def _is_enabled() -> bool:
    constants = sys.modules.get("hermes_constants")
    current = getattr(constants, "get_hermes_home", None)
    home = Path(current()) if callable(current) else default_home()
    return is_enabled_in(home / "config.yaml")

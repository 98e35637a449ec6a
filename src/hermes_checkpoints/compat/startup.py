"""Lets an adopted environment find the stand-ins where it looks for the agent's modules.

Imported by the line that ``adopt`` puts into site-packages, at the start of every Python program
of that environment. So it imports next to nothing and does nothing for other packages that happen
to have the same names. ``HERMES_SAFE_MODE`` switches it off, as it does the agent's plugins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader

from hermes_checkpoints.compat import STAND_INS

_MARK = "hermes_constants.py"
"""A file that lies beside the packages of the agent."""


class Finder:
    """Finds the stand-ins; everything else is left to the finders behind it."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None = None,
        target: object = None,  # noqa: ARG004 - the protocol of finders
    ) -> ModuleSpec | None:
        """Return where the module ``name`` is, if it is one of the agent's that we replace."""
        ours = STAND_INS.get(name)
        if ours is None or not any(_is_the_agents(folder) for folder in path or ()):
            return None
        source = os.path.join(os.path.dirname(__file__), f"{ours}.py")
        spec = ModuleSpec(name, SourceFileLoader(name, source), origin=source)
        spec.has_location = True
        return spec


def _is_the_agents(package: str) -> bool:
    return os.path.isfile(os.path.join(os.path.dirname(package), _MARK))


def install() -> None:
    """Put the finder before all others, once."""
    safe = os.environ.get("HERMES_SAFE_MODE", "").strip().lower() in {"1", "true", "yes", "on"}
    if not safe and not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


install()

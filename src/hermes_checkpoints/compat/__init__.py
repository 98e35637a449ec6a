"""Stands in for the checkpoint modules of hermes-agent 0.19.

``checkpoint_manager`` has the names that the agent takes from ``tools.checkpoint_manager``,
``command_line`` those of ``hermes_cli.checkpoints``. No file of the agent is touched: the modules
are put in place when the agent loads its plugins (``put_in_place``), or, where it loads none, while
Python looks for them (``startup``, ``finding``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STAND_INS = {
    "tools.checkpoint_manager": "checkpoint_manager",
    "tools.checkpoint_maintenance": "checkpoint_maintenance",  # 0.19.0 has this one and the next
    "tools.checkpoint_pruning": "checkpoint_pruning",  # in the first; newer sources apart
    "hermes_cli.checkpoints": "command_line",
}
"""The modules of the agent, and which module of this package stands in for each."""


def put_in_place() -> None:
    """Replace the agent's modules in this process, also where they are loaded already."""
    import sys
    from importlib import import_module

    for theirs, ours in STAND_INS.items():
        module = import_module(f"{__name__}.{ours}")
        package, _, name = theirs.rpartition(".")
        sys.modules[theirs] = module
        parent = sys.modules.get(package)
        if parent is not None:
            setattr(parent, name, module)


def agent_is_here() -> bool:
    """Tell whether the agent can be imported in this environment."""
    from importlib.util import find_spec

    return find_spec("hermes_cli") is not None


def agent_main() -> Callable[[], object] | None:
    """Return the agent's own ``hermes`` program, where the agent is installed here."""
    from importlib import import_module

    if not agent_is_here():
        return None
    main: Callable[[], object] = import_module("hermes_cli.main").main
    return main

"""Stands in for the checkpoint modules of hermes-agent 0.19.

``checkpoint_manager`` has the names that the agent takes from ``tools.checkpoint_manager``,
``command_line`` those of ``hermes_cli.checkpoints``. No file of the agent is touched: the modules
are put in place while Python looks for them (``startup``), or when the agent loads its plugins
(``put_in_place``). This module imports nothing, since it runs at the start of every program of
an adopted environment.
"""

from __future__ import annotations

STAND_INS = {
    "tools.checkpoint_manager": "checkpoint_manager",
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

"""The names of ``hermes_cli.checkpoints``: the verbs below ``hermes checkpoints``."""

from __future__ import annotations

from typing import Any


def register_cli(parser: Any) -> None:
    """Mount the verbs on the agent's parser.

    The agent ignores what its handlers return, so a handler that does not end well exits with
    its code.
    """
    import hermes_checkpoints

    hermes_checkpoints.register_cli(parser, exits=True)

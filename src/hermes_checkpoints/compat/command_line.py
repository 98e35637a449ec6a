"""The names of ``hermes_cli.checkpoints``: the verbs below ``hermes checkpoints``.

``cmd_*`` are its handlers: they take the arguments that the agent's own parser made, and return
the exit code. What those do not say, such as ``--json``, is as if it was not given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def register_cli(parser: Any) -> None:
    """Mount the verbs on the agent's parser.

    The agent ignores what its handlers return, so a handler that does not end well exits with
    its code.
    """
    import hermes_checkpoints

    hermes_checkpoints.register_cli(parser, exits=True)


def cmd_status(args: argparse.Namespace) -> int:
    """Print the status, with at most ``limit`` projects."""
    return _run("status", args)


def cmd_list(args: argparse.Namespace) -> int:
    """Print the status."""
    return _run("list", args)


def cmd_prune(args: argparse.Namespace) -> int:
    """Prune by ``retention_days``, ``max_size_mb`` and ``keep_orphans``, without a question:
    calling this is the consent."""
    return _run("prune", args, "-f")


def cmd_clear(args: argparse.Namespace) -> int:
    """Delete the checkpoint base; it asks, unless ``force``."""
    return _run("clear", args)


def cmd_clear_legacy(args: argparse.Namespace) -> int:
    """Delete the archives of earlier layouts; it asks, unless ``force``."""
    return _run("clear-legacy", args)


def _run(verb: str, args: argparse.Namespace, *options: str) -> int:
    import argparse

    import hermes_checkpoints

    parser = argparse.ArgumentParser(prog="hermes checkpoints")
    hermes_checkpoints.register_cli(parser)
    whole = parser.parse_args([verb, *options])
    given = {name: value for name, value in vars(args).items() if name != "func"}
    vars(whole).update(given)
    code: int = whole.func(whole)
    return code

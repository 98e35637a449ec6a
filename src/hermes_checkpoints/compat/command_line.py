"""The names of ``hermes_cli.checkpoints``: the verbs below ``hermes checkpoints``.

``cmd_*`` are its handlers: they take the arguments that the agent's own parser made, and return
the exit code. What those do not say, such as ``--json``, is as if it was not given. All work where
the agent does: in the home of its profile, and in ``CHECKPOINT_BASE`` where that was assigned.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def register_cli(parser: Any) -> None:
    """Mount the verbs on the agent's parser.

    The agent ignores what its handlers return, so a handler that does not end well exits with
    its code. Where its command line names a verb, that one alone is mounted.
    """
    _mount(parser, exits=True, verb=_named(sys.argv[1:]))


def _named(words: list[str]) -> str | None:
    """Return the verb that stands behind ``checkpoints``, None where an option does, or nothing."""
    _, *rest = words[words.index("checkpoints") :] if "checkpoints" in words else [""]
    return rest[0] if rest and not rest[0].startswith("-") else None


def cmd_status(args: argparse.Namespace) -> int:
    """Print the status, with at most ``limit`` projects."""
    return _run("status", args)


def cmd_list(args: argparse.Namespace) -> int:
    """Print the status."""
    return _run("list", args)


def cmd_prune(args: argparse.Namespace) -> int:
    """Prune by ``retention_days``, ``max_size_mb`` and ``keep_orphans``.

    The parser of 0.19.0 has no ``force``: there calling this is the consent. Where it has one,
    nobody is asked with it, nor where there is no terminal.
    """
    return _run("prune", args, *([] if hasattr(args, "force") else ["-f"]))


def cmd_clear(args: argparse.Namespace) -> int:
    """Delete the checkpoint base; it asks, unless ``force``."""
    return _run("clear", args)


def cmd_clear_legacy(args: argparse.Namespace) -> int:
    """Delete the archives of earlier layouts; it asks, unless ``force``."""
    return _run("clear-legacy", args)


def _run(verb: str, args: argparse.Namespace, *options: str) -> int:
    import argparse

    parser = argparse.ArgumentParser(prog="hermes checkpoints")
    _mount(parser, verb=verb)
    whole = parser.parse_args([verb, *options])
    given = {name: value for name, value in vars(args).items() if name != "func"}
    vars(whole).update(given)
    code: int = whole.func(whole)
    return code


def _mount(parser: Any, **how: Any) -> None:
    import hermes_checkpoints
    from hermes_checkpoints.compat.bases import agents_layout

    hermes_checkpoints.register_cli(parser, **how)
    parser.set_defaults(checkpoints_place=agents_layout)

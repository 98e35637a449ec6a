"""The command line: one module for each verb. Nothing else in this package prints.

Its modules are imported when it is run, so that a Ctrl-C while they are is answered as any other.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

__all__ = ["hermes", "main", "register_cli"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``hermes-checkpoints``, or the arguments given, and return the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        if words[:1] == ["hook"]:  # an agent waits for the answer
            from hermes_checkpoints.cli import hook

            if hook.is_event(words[1:]):
                return hook.answer(words[1:])
        if "_ARGCOMPLETE" in os.environ:  # a shell asks what a word may become
            return _complete()
        from hermes_checkpoints.cli import program

        return program.main(words)
    except KeyboardInterrupt:  # before a verb began: those answer it themselves
        return _interrupted(words)


def hermes(argv: Sequence[str] | None = None) -> int:
    """Run ``hermes``, whose group ``checkpoints`` has the verbs, and return the exit code: see
    ``program.hermes``."""
    if "_ARGCOMPLETE" in os.environ:  # neither is the agent started for that
        return _complete()
    try:
        from hermes_checkpoints.cli import program

        return program.hermes(argv)
    except KeyboardInterrupt:
        return _interrupted(sys.argv[1:] if argv is None else argv)


def register_cli(
    parser: argparse.ArgumentParser, *, exits: bool = False, verb: str | None = None
) -> None:
    """Mount the verbs on ``parser``: see ``program.register_cli``."""
    from hermes_checkpoints.cli import program

    program.register_cli(parser, exits=exits, verb=verb)


def _complete() -> int:
    try:
        from hermes_checkpoints.cli import completing
    except ImportError:  # the extra was taken away; no verb must run because of that
        return 1
    completing.answer()
    return 0


def _interrupted(words: Sequence[str]) -> int:
    from hermes_checkpoints.cli.parser import asks_for_json
    from hermes_checkpoints.cli.problem import tell_interruption

    tell_interruption([], as_json=asks_for_json(words))
    return 130

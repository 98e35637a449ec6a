"""The command line as a whole: its verbs, and how every one of them ends.

A host mounts the group on a parser of its own with ``register_cli``; the scripts mount it on
theirs. Each verb sets ``func``, which takes the parsed arguments and returns an exit code. It
raises nothing but SystemExit: errors become a message on stderr and the code of their class.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import logging
import sys
from collections.abc import Sequence
from importlib import import_module

from hermes_checkpoints import __version__
from hermes_checkpoints.cli.exits import BadUsage, Exit, OutputLost, ReaderGone
from hermes_checkpoints.cli.output import drop, flush, interruption, is_terminal
from hermes_checkpoints.cli.parser import (
    Handler,
    Parser,
    Verbs,
    add_home,
    add_json,
    add_no_pager,
    add_start,
)
from hermes_checkpoints.cli.problem import (
    OUTPUT_LOST,
    UNFORESEEN,
    Problem,
    problem_of,
    tell,
    tell_interruption,
)
from hermes_checkpoints.cli.target import check_start
from hermes_checkpoints.errors import CheckpointError

_OF_VERB = {
    "status": "status",
    "list": "status",
    "doctor": "doctor",
    "take": "take",
    "watch": "watch",
    "log": "log",
    "browse": "browse",
    "find": "find",
    "show": "show",
    "coverage": "coverage",
    "diff": "diff",
    "cat": "cat",
    "restore": "restore",
    "undo": "undo",
    "redo": "undo",
    "who": "who",
    "sessions": "sessions",
    "du": "du",
    "sql": "sql",
    "admin": "admin",
    "pin": "mark",
    "unpin": "mark",
    "label": "mark",
    "prune": "prune",
    "drop": "prune",
    "forget": "forget",
    "rebind": "rebind",
    "clear": "clear",
    "import-legacy": "legacy",
    "clear-legacy": "clear",
    "export": "export",
    "demo": "demo",
    "adopt": "adopt",
    "pull": "pull",
    "push": "push",
    "remote": "remote",
    "fleet": "fleet",
    "hook": "hook",
    "mcp": "mcp",
    "completion": "completion",
}
"""The module of each verb, in the order of the help: a verb is loaded with its module, where it is
called or all are listed."""

_WITH_A_VALUE = frozenset({"-C", "--home"})
_FLAGS = frozenset({"--json", "--no-pager"})

DESCRIPTION = "Checkpoints of working directories: list, compare and restore them."

logger = logging.getLogger(__name__)


def register_cli(
    parser: argparse.ArgumentParser, *, exits: bool = False, verb: str | None = None
) -> None:
    """Mount the verbs on ``parser``; without a verb it shows the status.

    After parsing, ``args.func(args)`` runs the command and returns its exit code. With
    ``exits`` it exits with that code instead, unless all went well: for a host that ignores what
    its handlers return. Wrong usage of a verb ends with SystemExit and code 64; what ``parser``
    itself refuses ends as it wants. Where ``verb`` is one of them, only the module that has it is
    mounted: the parsers of all take longer to make than some verbs take to answer.
    """
    guarded = _exiting if exits else _guarded
    for add in (add_start, add_home, add_json, add_no_pager):
        with contextlib.suppress(argparse.ArgumentError):  # the host has such an option: it stays
            add(parser)
    parser.set_defaults(checkpoints_start=None, checkpoints_home=None, json=False, no_pager=False)
    parser.set_defaults(func=guarded(_status, parser))
    verbs = Verbs(parser, guarded)
    for name in [_OF_VERB[verb]] if verb in _OF_VERB else dict.fromkeys(_OF_VERB.values()):
        import_module(f"hermes_checkpoints.cli.{name}").register(verbs)


def _status(args: argparse.Namespace) -> int:
    """Show the status, where no verb was named."""
    from hermes_checkpoints.cli import status

    return status.run(args)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``hermes-checkpoints``, or the arguments given, and return the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    return _run(parser_of(_verb_in(words)), words)


def parser_of(verb: str | None = None) -> Parser:
    """Return the parser of ``hermes-checkpoints``, of all verbs unless one is named."""
    parser = Parser(prog="hermes-checkpoints", description=DESCRIPTION)
    _add_version(parser)
    register_cli(parser, verb=verb)
    return parser


def hermes(argv: Sequence[str] | None = None) -> int:
    """Run ``hermes``, whose group ``checkpoints`` has the verbs, and return the exit code.

    Where the agent is installed, too, this is the agent's own program of that name: only
    ``hermes checkpoints adopt`` is answered here.
    """
    from hermes_checkpoints.compat import agent_main

    if argv is None and sys.argv[1:3] != ["checkpoints", "adopt"]:
        agent = agent_main()
        if agent is not None:
            code = agent()
            return code if isinstance(code, int) else Exit.DONE
    words = sys.argv[1:] if argv is None else list(argv)
    return _run(parser_of_hermes(_verb_in(words[1:])), words)


def parser_of_hermes(verb: str | None = None) -> Parser:
    """Return the parser of ``hermes``, with all verbs unless one is named."""
    parser = Parser(prog="hermes", description="Tools of the Hermes agent.")
    _add_version(parser)
    groups = parser.add_subparsers(metavar="GROUP", required=True)
    group = groups.add_parser("checkpoints", help=DESCRIPTION, description=DESCRIPTION)
    register_cli(group, verb=verb)
    return parser


def _verb_in(words: Sequence[str]) -> str | None:
    """Return the first word that is no option and no value of one: ``status`` where there are only
    options that say of what, None where others may need to know all verbs."""
    rest, others = iter(words), False
    for word in rest:
        if word in _WITH_A_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            return word
        elif word not in _FLAGS:
            others = True
    return None if others else "status"


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")


def _run(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    args = parser.parse_args(argv)
    code: int = args.func(args)
    return code


def _guarded(handler: Handler, parser: argparse.ArgumentParser) -> Handler:
    @functools.wraps(handler)
    def func(args: argparse.Namespace) -> int:
        as_json = getattr(args, "json", False)
        try:
            check_start(args)
            with _pager(args):
                code = handler(args)
                flush()
        except BadUsage as error:
            tell(problem_of(error), as_json=as_json, usage=parser.format_usage())
            return error.exit_code
        except OutputLost as error:
            drop(sys.stdout)
            tell(Problem(OUTPUT_LOST, str(error), Exit.UNFORESEEN), as_json=as_json)
            return Exit.UNFORESEEN
        except CheckpointError as error:
            tell(problem_of(error), as_json=as_json)
            return error.exit_code
        except KeyboardInterrupt as stop:
            tell_interruption(interruption(stop), as_json=as_json)
            return Exit.INTERRUPTED
        except ReaderGone:
            return Exit.PIPE_CLOSED
        except BrokenPipeError:
            drop(sys.stdout)
            return Exit.PIPE_CLOSED
        except Exception as error:
            logger.exception("unexpected error of %s", handler.__module__)
            message = f"unexpected error: {type(error).__name__}: {error}"
            tell(Problem(UNFORESEEN, message, Exit.UNFORESEEN), as_json=as_json)
            return Exit.UNFORESEEN
        return code

    return func


def _pager(args: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """Return what the answer of a verb passes through."""
    if not getattr(args, "paged", False) or not is_terminal(sys.stdout):
        return contextlib.nullcontext()
    from hermes_checkpoints.cli.pager import paged

    return paged(args)


def _exiting(handler: Handler, parser: argparse.ArgumentParser) -> Handler:
    guarded = _guarded(handler, parser)

    @functools.wraps(handler)
    def func(args: argparse.Namespace) -> int:
        code = guarded(args)
        if code:
            raise SystemExit(int(code))
        return code

    return func

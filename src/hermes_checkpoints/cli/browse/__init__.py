"""``browse``: the checkpoints of a working directory on the whole terminal, to look at, compare and
restore with keys or the mouse.

This module has what is decided before anything is drawn. The library that draws is an extra, and is
loaded by ``app.py`` and the modules that it uses.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.browse.terminal import require_terminal, writes_ascii_only
from hermes_checkpoints.cli.exits import without_extra
from hermes_checkpoints.cli.output import say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import layout_of, target
from hermes_checkpoints.errors import PROGRAM, BadRequest


def register(verbs: Verbs) -> None:
    """Add ``browse``."""
    parser = verbs.add(
        "browse", run, "Look at checkpoints, compare and restore them, on the whole terminal"
    )
    add_directory(parser)


def run(args: argparse.Namespace) -> int:
    """Open the application, and return when it is left.

    Raises:
        BadRequest: when there is no terminal that it can draw on, or the library is not there.
    """
    if args.json:
        hint = f"`{PROGRAM} log --json` has the list"
        raise BadRequest(f"`browse` draws on the terminal; {hint}", hint=hint)
    try:
        app = import_module("hermes_checkpoints.cli.browse.app")
    except ImportError as error:
        raise without_extra("browse", "textual", extra="tui") from error
    require_terminal()
    from hermes_checkpoints.cli.browse.reading import Reader
    from hermes_checkpoints.cli.browse.words import Clean

    with target(args) as what:
        if not what.project.list(limit=1) and not what.working_dir.is_dir():
            raise BadRequest(f"{what.working_dir} does not exist, and no checkpoints of it do")
        where = plans.named_for_reverse(what, args)
        named = [] if where is None else ["--dir", str(where)]

        def command(verb: str, *words: str) -> str:
            return plans.command(args, verb, *named, *words)

        clean = Clean(ascii_only=writes_ascii_only())
        catalog = layout_of(args).catalog
        reader = Reader(what.project, catalog, clean, command, what.checkpoints.hold_cap)
        code: int
        code, told = app.open_on(reader)
        for line in told:
            say(line)
    return code

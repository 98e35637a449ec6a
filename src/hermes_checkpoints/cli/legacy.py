"""``import-legacy``: history of earlier versions in."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.importing import ImportProgress
from hermes_checkpoints.cli.json.history import of_import
from hermes_checkpoints.cli.output import complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.progress import bar_of
from hermes_checkpoints.cli.target import opened, path_of
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import LegacyImport


def register(verbs: Verbs) -> None:
    """Add ``import-legacy``."""
    parser = verbs.add(
        "import-legacy",
        run_import,
        "Import checkpoints and sessions of earlier versions, of a backup or another machine",
        base=True,
    )
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="PATH",
        help="a Hermes home, a checkpoint base, or a part of one (default: this base)",
    )


def run_import(args: argparse.Namespace) -> int:
    """Import, and print what came of each thing that was found."""
    with opened(args, create=True) as checkpoints:
        folder = None if args.folder is None else path_of(args, args.folder, "folder")
        bar = bar_of(args)
        with bar.shown(), ImportProgress(bar) as reporter:
            done = checkpoints.import_legacy(folder, reporter=reporter)
    if args.json:
        document(of_import(done))
    else:
        _print_import(done)
    return Exit.IN_PART if done.errors else Exit.DONE


def _print_import(done: LegacyImport) -> None:
    if not done.records and not done.shared:
        say("Nothing to import was found.")
    else:
        total = sum(record.imported_checkpoints for record in done.records) + done.shared
        say(
            f"Imported {counted(done.checkpoints, 'checkpoint')} "
            f"({total - done.checkpoints} were here already) "
            f"and {counted(done.sessions, 'session')}."
        )
    for error in done.errors:
        complain(f"not imported: {error}")

"""``import-legacy`` and ``export``: history of earlier versions in, and out to one of them."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.importing import ImportProgress
from hermes_checkpoints.cli.json.history import of_export, of_import
from hermes_checkpoints.cli.output import PROGRAM, complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import opened, path_of
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import LegacyImport


def register(verbs: Verbs) -> None:
    """Add ``import-legacy`` and ``export``."""
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
    parser = verbs.add(
        "export", run_export, "Write all checkpoints for an earlier version to use", base=True
    )
    parser.add_argument("--layout", choices=["v2"], required=True, help="the version to write for")
    parser.add_argument("target", metavar="DIR", help="a new folder, which becomes the base")


def run_import(args: argparse.Namespace) -> int:
    """Import, and print what came of each thing that was found."""
    with opened(args, create=True) as checkpoints:
        folder = None if args.folder is None else path_of(args, args.folder, "folder")
        done = checkpoints.import_legacy(folder, reporter=ImportProgress())
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


def run_export(args: argparse.Namespace) -> int:
    """Write the store, and say how it is put to use."""
    with opened(args) as checkpoints:
        done = checkpoints.export_v2(path_of(args, args.target, "folder"))
    if args.json:
        document(of_export(done))
        return Exit.DONE
    say(
        f"Exported {counted(done.checkpoints, 'checkpoint')} of "
        f"{counted(done.projects, 'project')} to {done.base}."
    )
    say("To use them, move this folder to `checkpoints` in the home of the earlier version.")
    say(f"Sessions are exported by: {PROGRAM} sessions export ID")
    return Exit.DONE

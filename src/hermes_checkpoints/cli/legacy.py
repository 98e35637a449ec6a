"""``import-legacy`` and ``export``: history of earlier versions in, and out to one of them."""

from __future__ import annotations

import argparse
from pathlib import Path

from hermes_checkpoints.cli.arguments import Verbs, add_json, opened
from hermes_checkpoints.cli.importing import ImportProgress
from hermes_checkpoints.cli.json.history import of_export, of_import
from hermes_checkpoints.cli.output import PROGRAM, complain, document, say
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import LegacyImport

IN_PART = 3
"""Exit code of an import that left something out."""


def register(verbs: Verbs) -> None:
    """Add ``import-legacy`` and ``export``."""
    parser = verbs.add(
        "import-legacy",
        run_import,
        "Import checkpoints and sessions of earlier versions, of a backup or another machine",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        metavar="PATH",
        help="a Hermes home, a checkpoint base, or a part of one (default: this base)",
    )
    add_json(parser)
    parser = verbs.add("export", run_export, "Write all checkpoints for an earlier version to use")
    parser.add_argument("--layout", choices=["v2"], required=True, help="the version to write for")
    parser.add_argument("target", metavar="DIR", help="a new folder, which becomes the base")
    add_json(parser)


def run_import(args: argparse.Namespace) -> int:
    """Import, and print what came of each thing that was found."""
    with opened(args) as checkpoints:
        done = checkpoints.import_legacy(args.folder, reporter=ImportProgress())
    if args.json:
        document(of_import(done))
    else:
        _print_import(done)
    return IN_PART if done.errors else 0


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
        done = checkpoints.export_v2(Path(args.target))
    if args.json:
        document(of_export(done))
        return 0
    say(
        f"Exported {counted(done.checkpoints, 'checkpoint')} of "
        f"{counted(done.projects, 'project')} to {done.base}."
    )
    say("To use them, move this folder to `checkpoints` in the home of the earlier version.")
    say(f"Sessions are exported by: {PROGRAM} sessions export ID")
    return 0

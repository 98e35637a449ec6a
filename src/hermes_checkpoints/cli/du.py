"""``du``: which projects, and which of their files, fill the store."""

from __future__ import annotations

import argparse
from dataclasses import replace

from hermes_checkpoints.cli.arguments import add_directory, add_limit
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.status import of_usage
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import Column, Row, say_table
from hermes_checkpoints.cli.target import named_directory, opened
from hermes_checkpoints.cli.text import age, size
from hermes_checkpoints.errors import PROGRAM

_FILES = 3
_HEADS = (
    Column("WORKING DIRECTORY", least=20, path=True),
    *(Column(title, right=True) for title in ("COUNT", "REFERENCED", "UNIQUE", "SHARED")),
)


def register(verbs: Verbs) -> None:
    """Add ``du``."""
    parser = verbs.add("du", run, "Show who takes how much space in the store", paged=True)
    add_directory(parser, "list only this project (default: all)")
    parser.add_argument(
        "--measure", action="store_true", help="ask git instead of estimating; may take a while"
    )
    add_limit(parser, "list at most N projects, the largest first (default: all)")


def run(args: argparse.Namespace) -> int:
    """Print what each project takes, and its largest files."""
    with opened(args) as checkpoints:
        only = named_directory(args, checkpoints)
        usage = checkpoints.usage(measure=args.measure)
        listed = usage.projects
        if only is not None:
            listed = tuple(one for one in listed if one.working_dir == str(only))
            if not listed:
                checkpoints.project(only).get()  # says that there are no checkpoints
        usage = replace(usage, projects=listed[: args.limit])
    if args.json:
        document(of_usage(usage))
        return Exit.DONE
    when = "estimated" if usage.measured_at is None else f"measured {age(usage.measured_at)}"
    catalog = size(usage.catalog_bytes)
    say(f"Store on disk: {size(usage.store_bytes)} ({when}), and its catalog: {catalog}")
    how = "as git says" if usage.measured else f"estimated; {PROGRAM} du --measure asks git"
    say(f"Held by checkpoints: {size(usage.total_bytes)} ({how})")
    if not usage.projects:
        return Exit.DONE
    say()
    rows: list[Row] = []
    for project in usage.projects:
        figures = (project.referenced_bytes, project.unique_bytes, project.shared_bytes)
        rows.append([place(project.working_dir), str(project.checkpoints), *map(size, figures)])
        rows += [f"   {size(stored):>10}  {path}" for path, stored in project.files[:_FILES]]
    say_table(_HEADS, rows, indent=1)
    return Exit.DONE

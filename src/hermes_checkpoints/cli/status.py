"""``status``: is there a safety net, how large is it, and has it silently stopped working?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_directory, add_limit, time_of, whole
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.output import column_width, document, ellipsis, place, say, say_spans
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import named_directory, opened
from hermes_checkpoints.cli.text import age, columns, counted, padded, shown, size
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.text import takes_failed

if TYPE_CHECKING:
    from hermes_checkpoints.model import FailureRun, StoreLook, StoreStatus


DEFAULT_LIMIT = 20
_DAY = timedelta(days=1)
_BOUNDS = ("max_age", "max_failures", "max_size_mb")
_MOST_LINES = 20
_STATES = {"orphan": "red", "unreachable": "yellow"}
_BESIDE = 38
"""The characters that a line of the table has beside the directory, in its widest state."""


def register(verbs: Verbs) -> None:
    """Add ``status`` and its alias ``list``."""
    parser = verbs.add(
        "status",
        run,
        "Show total size, project count, and per-project breakdown",
        aliases=["list"],
    )
    add_directory(parser, "list only this project (default: all)")
    add_limit(parser, f"list at most N projects (default {DEFAULT_LIMIT})", whole)
    parser.set_defaults(limit=DEFAULT_LIMIT)
    checks = parser.add_argument_group(
        "for monitoring", "print one line, and exit with 1 where something is not fine"
    )
    checks.add_argument("--check", action="store_true", help="tell whether checkpoints work")
    checks.add_argument(
        "--max-age",
        type=time_of,
        metavar="AGE",
        help="how long ago the last successful take may be: 12h, 7d, 2w (default: 24h)",
    )
    checks.add_argument(
        "--max-failures",
        type=whole,
        metavar="N",
        help="how many takes may have failed since the last that worked (default: 0)",
    )
    checks.add_argument(
        "--max-size-mb",
        type=whole,
        metavar="N",
        help="how large the store may be; 0 is no bound (default: max_total_size_mb)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the status; without a verb there is no namespace entry for the options."""

    if getattr(args, "check", False):
        return _check(args)
    if any(getattr(args, name, None) is not None for name in _BOUNDS):
        raise BadUsage("--max-age, --max-failures and --max-size-mb go with --check")
    limit = getattr(args, "limit", None) or DEFAULT_LIMIT
    with opened(args) as checkpoints:
        only = named_directory(args, checkpoints)
        status = checkpoints.status(limit=limit, working_dir=only)
    if args.json:
        from hermes_checkpoints.cli.json.status import of_status

        document(of_status(status))
        return Exit.DONE
    _print_totals(status)
    _print_projects(status, of_one=only is not None)
    _print_archives(status)
    return Exit.DONE


def _check(args: argparse.Namespace) -> int:
    """Print in one line whether checkpoints work."""
    from hermes_checkpoints.model import MB

    with opened(args) as checkpoints:
        size_mb = args.max_size_mb
        found = checkpoints.check(
            max_age=_DAY if args.max_age is None else args.max_age,
            max_failures=args.max_failures or 0,
            max_bytes=None if size_mb is None else size_mb * MB,
            working_dir=named_directory(args, checkpoints),
        )
    if args.json:
        from hermes_checkpoints.cli.json.status import of_check

        document(of_check(found))
    else:
        say(found.text)
    return Exit.DONE if found.fine else Exit.NO


def _print_totals(status: StoreStatus) -> None:
    say(f"Checkpoint base: {place(status.base)}")
    say(f"Total size:      {size(status.total_bytes)}{_as_of(status)}")
    say(f"  store/         {size(status.store_bytes)}")
    say(f"  legacy-*       {size(status.legacy_bytes)}")
    say(f"Projects:        {status.project_count}")
    say(f"Checkpoints:     {status.checkpoint_count}")
    say(f"Last successful take: {age(status.last_success_at)}")
    for failure in status.failures:
        say(failure_line(failure), "red")
    if status.looked is not None:
        say(f"Store looked at: {looked(status.looked)}")
    if status.interrupted:
        say(f"Interrupted operations: {status.interrupted}")
    if status.journal_mode.lower() != "wal":
        say(f"Catalog journal: {status.journal_mode} (write-ahead logging is not in use)")
    for note in status.notes:
        say(f"Note: {note}")


def looked(look: StoreLook) -> str:
    """Return in one line when the store was looked at before a gc, and what was broken."""
    if not look.faults:
        return f"{age(look.at)}, nothing broken at first sight"
    more = f" and {look.faults - len(look.first)} more" if look.faults > len(look.first) else ""
    named = shown(", ".join(look.first))
    return (
        f"{age(look.at)}, {counted(look.faults, 'fault')}: {named}{more}; "
        f"`{PROGRAM} doctor` says what they were part of"
    )


def _as_of(status: StoreStatus) -> str:
    if status.measured_at is None:
        return " (estimated)" if status.store_bytes else ""
    if (datetime.now(UTC) - status.measured_at).total_seconds() < 60:
        return ""
    return f" (measured {age(status.measured_at)})"


def failure_line(failure: FailureRun) -> str:
    """Return the line that says that takes fail, how many, since when and why."""
    of = place(failure.working_dir) if failure.working_dir else failure.working_dir
    return f"WARNING: {takes_failed(replace(failure, working_dir=of))}"


def _print_projects(status: StoreStatus, *, of_one: bool) -> None:
    if not status.projects:
        return
    names = [shown(place(listed.project.working_dir)) for listed in status.projects]
    wide = column_width(max(map(columns, names)), beside=_BESIDE)
    say()
    say(f"  {'WORKDIR':<{wide}}  {'COMMITS':>7}  {'LAST TOUCH':>12}  STATE")
    for name, listed in zip(names, status.projects, strict=True):
        touched, state = age(listed.project.last_touch), listed.project.state
        line = f"  {padded(name, wide, mark=ellipsis())}  {listed.checkpoints:>7}  {touched:>12}  "
        say_spans([(line, ""), (str(state), _STATES.get(state, ""))])
    more = status.project_count - len(status.projects)
    if more > 0 and not of_one:
        say(f"  … and {counted(more, 'more project')}: --limit {status.project_count}")


def _print_archives(status: StoreStatus) -> None:
    if not status.archives:
        return
    say()
    say(f"Legacy archives ({len(status.archives)}):")
    for archive in sorted(status.archives, key=lambda a: a.mtime, reverse=True):
        imported = ""
        if archive.checkpoints:
            imported = f"  {counted(archive.checkpoints, 'checkpoint')} imported"
        say(f"  {archive.name:<40}  {size(archive.size_bytes):>10}{imported}")
        for text in archive.not_imported[:_MOST_LINES]:
            say(f"    not imported: {text}")
        more = len(archive.not_imported) - _MOST_LINES
        if more > 0:
            say(f"    … and {more} more; --json lists all")
    say()
    say(f"Clear with: {PROGRAM} clear-legacy")

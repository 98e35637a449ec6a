"""``clear`` and ``clear-legacy``: remove all, or the archives; asked first, and said what stays."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.cli.arguments import add_dry_run, add_force
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit, refuse_silent_question
from hermes_checkpoints.cli.json.retention import of_cleared
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import VerbParser, Verbs
from hermes_checkpoints.cli.problem import NOT_CLEARED, Problem, tell
from hermes_checkpoints.cli.target import layout_of, opened
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.errors import PROGRAM, CatalogDamaged, CatalogNewer
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout

if TYPE_CHECKING:
    from hermes_checkpoints.admin.clear import Cleared

NO_ARCHIVES = "No legacy archives to clear."


def register(verbs: Verbs) -> None:
    """Add ``clear`` and ``clear-legacy``."""
    parser = verbs.add(
        "clear",
        run,
        "Delete the entire checkpoint base (all /rollback history)",
        base=True,
    )
    parser.add_argument("--sessions", action="store_true", help="also delete session checkpoints")
    _add_rest(parser)
    parser = verbs.add(
        "clear-legacy",
        run_legacy,
        "Delete only the legacy-<ts>/ archives from v1 migration",
        base=True,
    )
    _add_rest(parser)


def _add_rest(parser: VerbParser) -> None:
    add_dry_run(parser, "say what would go, change nothing")
    add_force(parser, "Skip confirmation prompt")


def run(args: argparse.Namespace) -> int:
    """Remove all checkpoints and archives, keep session checkpoints unless told otherwise."""
    refuse_silent_question(args, "delete", "what would go")
    layout = layout_of(args)
    if not base_exists(layout):
        return _report_nothing(args, "Nothing to clear — checkpoint base does not exist.")
    try:
        with opened(args) as checkpoints:
            plan = checkpoints.plan_clear(sessions=args.sessions)
            if not args.json:
                projects = checkpoints.status(limit=0).project_count
                _announce(layout, plan.freed_bytes, projects, plan.archives)
                kept = checkpoints.plan_clear() if args.sessions else plan
                _say_what_stays(args, kept.kept_sessions)
            if args.dry_run:
                return _report_plan(plan, args)
            if not args.force and not confirm("Proceed?"):
                return Exit.NO
            # What somebody agreed to is what goes, and nothing that came while he was asked.
            agreed = None if args.force else plan
            with _telling_interrupts(layout):
                cleared = checkpoints.clear(sessions=args.sessions, plan=agreed)
    except (CatalogDamaged, CatalogNewer) as error:
        if not args.sessions or args.dry_run:
            raise
        complain(f"{error}; removed with everything else")
        if not args.force and not confirm(f"Delete {place(layout.base)}?"):
            return Exit.NO
        from hermes_checkpoints.admin.clear import remove_all

        cleared = remove_all(layout)
    return _report(cleared, args, f"Cleared. Reclaimed {size(cleared.freed_bytes)}.")


@contextlib.contextmanager
def _telling_interrupts(layout: Layout, archives: int | None = None) -> Iterator[None]:
    """Let a Ctrl-C inside tell how far it came; ``archives`` is how many go, where only they do."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(_how_far(layout, archives))
        raise


def _how_far(layout: Layout, archives: int | None) -> str:
    if archives is not None:
        left = sum(1 for _ in layout.base.glob(f"{LEGACY_PREFIX}*"))
        return f"interrupted: {archives - left} of {counted(archives, 'archive')} deleted"
    if clearing.is_left(layout):
        return "interrupted: the clear has begun, and the next command carries it out"
    if layout.store.is_dir():
        return "interrupted: nothing was removed"
    return "interrupted when all of it was removed"


def _announce(layout: Layout, total: int, projects: int, archives: int) -> None:
    say(f"This will delete the ENTIRE checkpoint base at {place(layout.base)}")
    say(f"  size:        {size(total)}")
    say(f"  projects:    {projects}")
    say(f"  legacy dirs: {archives}")
    say()
    say("All /rollback history for every working directory will be lost.")
    say(f"To remove only what the rules allow: {PROGRAM} prune")


def _say_what_stays(args: argparse.Namespace, sessions: int) -> None:
    if not sessions:
        return
    counted_sessions = counted(sessions, "session checkpoint")
    if args.sessions:
        say(f"{counted_sessions} will be lost, too.")
    else:
        say(f"{counted_sessions} will be kept (--sessions deletes them, too).")


def run_legacy(args: argparse.Namespace) -> int:
    """Remove the archives."""
    refuse_silent_question(args, "delete", "what would go")
    layout = layout_of(args)
    if not base_exists(layout):
        return _report_nothing(args, NO_ARCHIVES)
    with opened(args) as checkpoints:
        archives = checkpoints.legacy_archives()
        if not archives:
            return _report_nothing(args, NO_ARCHIVES)
        if not args.json:
            total = sum(archive.size_bytes for archive in archives)
            say(f"Found {len(archives)} legacy archive(s), total {size(total)}:")
            for archive in archives:
                say(f"  {archive.name:<40}  {size(archive.size_bytes):>10}")
                for text in archive.not_imported:
                    say(f"    not imported, and lost then: {text}")
            say()
            say("Legacy archives hold pre-v2 per-project shadow repos, moved aside")
            say("during the single-store migration. Delete when you're confident")
            say("you don't need the old /rollback history.")
        plan = checkpoints.plan_clear_legacy()
        if args.dry_run:
            return _report_plan(plan, args)
        if not args.force and not confirm("Delete all legacy archives?"):
            return Exit.NO
        with _telling_interrupts(layout, len(archives)):
            cleared = checkpoints.clear_legacy(plan=None if args.force else plan)
    reclaimed = f"reclaimed {size(cleared.freed_bytes)}"
    return _report(cleared, args, f"Deleted {cleared.archives} archive(s), {reclaimed}.")


def _report_nothing(args: argparse.Namespace, words: str) -> int:
    from hermes_checkpoints.admin.clear import Cleared

    if args.json:
        document(of_cleared(Cleared(0), dry_run=args.dry_run))
    else:
        say(words)
    return Exit.DONE


def _report_plan(planned: Cleared, args: argparse.Namespace) -> int:
    if args.json:
        document(of_cleared(planned, dry_run=True))
    else:
        say(
            f"Plan: delete {counted(planned.checkpoints, 'checkpoint')} and "
            f"{counted(planned.archives, 'legacy archive')}, reclaim {size(planned.freed_bytes)}"
        )
    return Exit.DONE


def _report(cleared: Cleared, args: argparse.Namespace, done: str) -> int:
    if args.json:
        document(of_cleared(cleared))
    elif not cleared.errors:
        say(done)
        if cleared.kept_sessions:
            say(f"Kept: {counted(cleared.kept_sessions, 'session checkpoint')}.")
    if not cleared.errors:
        return Exit.DONE
    if args.json and not cleared.freed_bytes:
        problem = Problem(NOT_CLEARED, "; ".join(cleared.errors), Exit.ERROR)
        tell(problem, as_json=True)
        return Exit.ERROR
    for error in cleared.errors:
        complain(error)
    return Exit.IN_PART if cleared.freed_bytes else Exit.ERROR

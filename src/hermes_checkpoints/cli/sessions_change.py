"""The verbs of ``sessions`` that change something: nothing is removed unasked.

What a question names is what is removed; if more would be by then, nothing is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hermes_checkpoints.cli.arguments import add_dry_run, add_force, count, whole
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit, refuse_silent_question
from hermes_checkpoints.cli.json.sessions import (
    of_imported_files,
    of_removed_sessions,
    of_session_state,
    outcome_of,
)
from hermes_checkpoints.cli.output import complain, document, say
from hermes_checkpoints.cli.parser import VerbParser, Verbs
from hermes_checkpoints.cli.target import opened_sessions, path_of
from hermes_checkpoints.cli.text import age, counted, minute
from hermes_checkpoints.model import GC_MAX_AGE_DAYS, SessionSummary

LISTED = 40
"""How many sessions stand before the question."""


def register(below: Verbs) -> None:
    """Add ``restore``, ``delete``, ``gc`` and ``import``."""
    bring_back = below.add(
        "restore", restore, "Make a former version of a session its newest", base=True
    )
    bring_back.add_argument("session_id", metavar="ID", help="the id of a session")
    bring_back.add_argument("version", type=count, metavar="VERSION", help="as in `history`")

    remove = below.add("delete", delete, "Remove a session and its former versions", base=True)
    remove.add_argument("session_id", metavar="ID", help="the id of a session")
    _add_asking(remove)

    collect = below.add(
        "gc", gc, "Remove sessions that are stale, and those completed a day ago", base=True
    )
    collect.add_argument(
        "--max-age-days",
        type=whole,
        default=GC_MAX_AGE_DAYS,
        metavar="N",
        help=f"stale is what was not written for N days (default {GC_MAX_AGE_DAYS})",
    )
    _add_asking(collect)

    take_in = below.add(
        "import", import_folder, "Read the session files of an older store", base=True
    )
    take_in.add_argument("folder", metavar="DIR", help="the folder with files SESSION.yaml")


def _add_asking(parser: VerbParser) -> None:
    add_dry_run(parser, "say what would go, change nothing")
    add_force(parser)


def restore(args: argparse.Namespace) -> int:
    """Write a former version once more."""
    with opened_sessions(args) as sessions:
        summary = sessions.restore(args.session_id, args.version)
    if args.json:
        document(of_session_state(summary))
    else:
        say(
            f"Version {args.version} of session {args.session_id} is now its version "
            f"{summary.version}; to undo, restore version {summary.version - 1}"
        )
    return Exit.DONE


def delete(args: argparse.Namespace) -> int:
    """Ask, and remove one session."""
    refuse_silent_question(args, "remove", "what would go")
    with opened_sessions(args) as sessions:
        found = sessions.history(args.session_id)
        if args.dry_run or not args.force:
            _show([found[0]], args, unreadable=())
            if args.dry_run:
                return Exit.DONE
            former = counted(len(found) - 1, "former version")
            if not confirm(f"Remove session {args.session_id} and {former} for good?"):
                return Exit.NO
        sessions.delete(args.session_id)
    if args.json:
        document(of_removed_sessions([found[0]], {}, dry_run=False))
    else:
        say(f"Removed session {args.session_id}")
    return Exit.DONE


def gc(args: argparse.Namespace) -> int:
    """Plan, ask, and remove what the plan shows, by the same clock."""
    refuse_silent_question(args, "remove", "what would go")
    with opened_sessions(args) as sessions:
        planned = sessions.plan_gc(max_age_days=args.max_age_days)
        if args.dry_run:
            _show(planned.sessions, args, unreadable=planned.unreadable)
            return Exit.DONE
        if planned.sessions and not args.force:
            _show(planned.sessions, args, unreadable=planned.unreadable)
            if not confirm(f"Remove {counted(len(planned.sessions), 'session')} for good?"):
                return Exit.NO
        done = sessions.gc(plan=planned)
    if args.json:
        document(of_removed_sessions(done.sessions, done.exported, dry_run=False))
        return Exit.DONE
    if not done.sessions:
        say("Nothing to remove")
        return Exit.DONE
    say(f"Removed {counted(len(done.sessions), 'session')}")
    for session_id, path in done.exported.items():
        say(f"The unreadable document of session {session_id} is in {path}")
    return Exit.DONE


def _show(
    sessions: Sequence[SessionSummary],
    args: argparse.Namespace,
    unreadable: frozenset[str] | tuple[str, ...],
) -> None:
    if args.json:
        document(of_removed_sessions(sessions, {}, dry_run=True))
        return
    if not sessions:
        say("Nothing to remove")
        return
    listed = sessions if args.dry_run else sessions[:LISTED]
    for one in listed:
        state = "unreadable" if one.session_id in unreadable else one.status or "—"
        when = f"{minute(one.updated_at.astimezone())}, {age(one.updated_at)}"
        say(f"  remove  {one.session_id}  ({state}, {when})")
    if len(sessions) > len(listed):
        say(f"  … and {len(sessions) - len(listed)} more: --dry-run lists all")


def import_folder(args: argparse.Namespace) -> int:
    """Import, and name what was not imported."""
    folder = path_of(args, args.folder, "folder")
    with opened_sessions(args, create=True) as sessions:
        files = sessions.import_folder(folder)
    failed = [file for file in files if file.reason is not None]
    if args.json:
        document(of_imported_files(folder, files))
    else:
        imported = sum(outcome_of(file) == "imported" for file in files)
        kept = sum(file.kept for file in files)
        say(f"Imported {counted(imported, 'session')} from {folder}")
        if kept:
            say(f"Kept {counted(kept, 'session')} of which the catalog has no older state")
    for file in failed:
        complain(f"not imported: {file.path}: {file.reason}")
    return Exit.IN_PART if failed else Exit.DONE

"""``sessions``: what is kept of each session of the agent, and what belongs to it."""

from __future__ import annotations

import argparse
import sys

from hermes_checkpoints.cli import sessions_change
from hermes_checkpoints.cli.arguments import add_limit, count
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.sessions import of_listed_session, of_session, of_session_state
from hermes_checkpoints.cli.log import line
from hermes_checkpoints.cli.output import document, is_terminal, raw, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import Column, say_table
from hermes_checkpoints.cli.target import opened_sessions
from hermes_checkpoints.cli.text import age, counted, minute, size
from hermes_checkpoints.errors import SessionUnknown

_HEADS = (
    Column("SESSION"),
    Column("STATUS", spare=2),
    Column("UPDATED", right=True),
    Column("FILES", right=True),
    Column("TURNS", right=True, spare=1),
    Column("TASK", least=12),
)

_ID = "the id of a session, as `sessions list` shows it"


def register(verbs: Verbs) -> None:
    """Add ``sessions`` with its own verbs; without one it lists the sessions."""
    parser = verbs.add(
        "sessions",
        list_sessions,
        "Show, export, import and remove session checkpoints",
        base=True,
        paged=True,
    )
    parser.set_defaults(status=None, limit=None)
    below = verbs.below(parser, "sessions")
    listing = below.add("list", list_sessions, "List sessions, newest first", base=True, paged=True)
    listing.add_argument("--status", help="only those with this status")
    add_limit(listing, "list at most N")
    for name, handler, summary in (
        ("show", show, "Show a session: its state, its checkpoints of files and its turns"),
        ("history", history, "List the versions that are kept of a session, newest first"),
        ("export", export, "Print a session as the YAML file of an older store"),
    ):
        added = below.add(name, handler, summary, base=True, paged=handler is not export)
        added.add_argument("session_id", metavar="ID", help=_ID)
        if handler is history:
            add_limit(added, "list only the newest N (default: all)")
        else:
            added.add_argument(
                "--version", type=count, metavar="N", help="a former version (default: newest)"
            )
    sessions_change.register(below)


def list_sessions(args: argparse.Namespace) -> int:
    """Print one line for each session."""
    with opened_sessions(args) as sessions:
        found = sessions.list(status=args.status, limit=args.limit)
    if args.json:
        document({"sessions": [of_listed_session(one) for one in found]})
        return Exit.DONE
    if not found:
        say("No session checkpoints found")
        return Exit.DONE
    rows = [
        [
            one.summary.session_id,
            one.summary.status or "—",
            age(one.summary.updated_at),
            str(one.checkpoints),
            str(one.turns),
            one.summary.task or "",
        ]
        for one in found
    ]
    say_table(_HEADS, rows, indent=1)
    return Exit.DONE


def show(args: argparse.Namespace) -> int:
    """Print a session; one that has only checkpoints of files is shown with these."""
    with opened_sessions(args) as sessions:
        checkpoints = sessions.checkpoints(args.session_id)
        turns = sessions.turns(args.session_id)
        try:
            state = sessions.read(args.session_id, version=args.version)
            yaml = sessions.export(args.session_id, version=state.version)
        except SessionUnknown:
            if args.version is not None or not (checkpoints or turns):
                raise
            state, yaml = None, None
    if args.json:
        document(of_session(args.session_id, state, yaml, checkpoints, turns))
        return Exit.DONE
    say(f"Session: {args.session_id}")
    if state is None:
        say("State: none is kept")
    else:
        say(f"Status: {state.status or '—'}")
        if state.task:
            say(f"Task: {state.task}")
        say(f"Updated: {minute(state.updated_at.astimezone())} ({age(state.updated_at)})")
        say(f"Created: {minute(state.created_at.astimezone())}")
        say(f"Version: {state.version} ({size(state.size_bytes)})")
    say(f"Turns: {', '.join(map(str, turns)) or '—'}")
    say(f"Checkpoints of files: {len(checkpoints)}")
    for checkpoint in checkpoints:
        turn = "" if checkpoint.turn is None else f"  (turn {checkpoint.turn})"
        say(f"  {line(checkpoint)}{turn}  {checkpoint.working_dir}")
    if yaml is not None:
        say()
        for text in yaml.rstrip("\n").split("\n"):
            say(text)
    return Exit.DONE


def history(args: argparse.Namespace) -> int:
    """Print the versions that can be read, exported and restored."""
    with opened_sessions(args) as sessions:
        found = sessions.history(args.session_id)[: args.limit]
    if args.json:
        document({"versions": [of_session_state(one) for one in found]})
        return Exit.DONE
    say(f"{counted(len(found), 'version')} of session {args.session_id}:")
    for one in found:
        when = minute(one.updated_at.astimezone())
        say(f"  {one.version:>4}  {when}  {one.status or '—'}  {size(one.size_bytes)}".rstrip())
    return Exit.DONE


def export(args: argparse.Namespace) -> int:
    """Print the YAML; elsewhere than on a terminal byte for byte."""
    with opened_sessions(args) as sessions:
        state = sessions.read(args.session_id, version=args.version)
        yaml = sessions.export(args.session_id, version=state.version)
    if args.json:
        document({**of_session_state(state), "yaml": yaml})
        return Exit.DONE
    if getattr(sys.stdout, "buffer", None) is None or is_terminal(sys.stdout):
        for text in yaml.rstrip("\n").split("\n"):
            say(text)
        return Exit.DONE
    raw(yaml.encode())
    return Exit.DONE

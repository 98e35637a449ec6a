"""``who``: who changed a path, when, in which turn of which session, and by which tool."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import Verbs, add_directory, add_json, target
from hermes_checkpoints.cli.json.checkpoints import of_events
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.text import minute
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Actor, ChangeStatus, PathEvent

_DID = {
    ChangeStatus.ADDED: "created",
    ChangeStatus.DELETED: "deleted",
    ChangeStatus.TYPE_CHANGED: "replaced",
}

_NAMES = {
    Actor.PERSON: "you",
    Actor.SINCE: "somebody after a checkpoint by hand",
    Actor.RESTORE: "a restore",
    Actor.UNKNOWN: "somebody: the record is lost",
}


def register(verbs: Verbs) -> None:
    """Add ``who``."""
    parser = verbs.add("who", run, "Tell who changed a file: which turn, session and tool")
    parser.add_argument("paths", nargs=1, metavar="PATH", help="a file of the project")
    add_directory(parser, option=True)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what happened to a path, newest first."""
    if len(args.paths) != 1:
        raise BadRequest("give exactly one PATH")
    with target(args) as what:
        path = (what.paths(args) or [""])[0]
        events = what.project.who(path)
    if args.json:
        document(of_events(path, events))
        return 0
    if not events:
        say(f"No change of {path} is settled since it was first captured")
    for event in events:
        say(event_line(event))
    return 0


def event_line(event: PathEvent) -> str:
    """Return when, who, what and in which turn, on one line."""
    what = _DID.get(event.status, "changed")
    if event.status is ChangeStatus.MODIFIED and event.blob is None:
        what = "permissions changed"
    parts = [minute(event.at.astimezone()), f"{what} by {_who(event)}"]
    if event.session_id:
        turn = "" if event.turn is None else f", turn {event.turn}"
        parts.append(f"session {event.session_id}{turn}")
    elif event.turn is not None:
        parts.append(f"turn {event.turn}")
    if event.overlaps:
        parts.append(f"[session {event.overlaps} was at work, too]")
    return "  ".join(parts)


def _who(event: PathEvent) -> str:
    if event.actor is Actor.AGENT:
        return f"the agent's {event.tool}" if event.tool else "the agent's shell"
    return _NAMES[event.actor]

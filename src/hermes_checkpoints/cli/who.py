"""``who``: who changed a path, when, in which turn of which session, and by which tool."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_limit, add_paths
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.checkpoints import of_events
from hermes_checkpoints.cli.output import document, ellipsis, say, width
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import minute, shortened, shown
from hermes_checkpoints.model import Actor, ChangeStatus, PathEvent
from hermes_checkpoints.model.whose import hand_of

_DID = {
    ChangeStatus.ADDED: "created",
    ChangeStatus.DELETED: "deleted",
    ChangeStatus.TYPE_CHANGED: "replaced",
}

_STYLES = {Actor.AGENT: "cyan", Actor.PERSON: "green", Actor.RESTORE: "dim"}

_NAMES = {
    Actor.PERSON: "you",
    Actor.SINCE: "somebody after a checkpoint by hand",
    Actor.RESTORE: "a restore",
    Actor.UNRECORDED: "somebody before there was a record",
    Actor.UNKNOWN: "somebody",
}


def register(verbs: Verbs) -> None:
    """Add ``who``."""
    parser = verbs.add(
        "who",
        run,
        "Tell who changed a file: which turn, session and tool",
        usage="PATH",
        paged=True,
    )
    add_paths(parser, "a file of the project")
    add_limit(parser, "list only the newest N changes (default: all)")


def run(args: argparse.Namespace) -> int:
    """Print what happened to a path, newest first."""
    paths = [*args.paths, *(args.literal or ())]
    if len(paths) != 1:
        raise BadUsage("give exactly one PATH")
    with target(args) as what:
        path = what.path(paths[0])
        events = what.project.who(path)[: args.limit]
    if args.json:
        document(of_events(path, events))
        return Exit.DONE
    if not events:
        say(f"No change of {path} is settled since it was first captured")
    for event in events:
        hand = hand_of(event.actor, event.session_id)
        say(event_line(event), _STYLES.get(hand, ""))
    return Exit.DONE


def event_line(event: PathEvent) -> str:
    """Return when, who, what and in which turn, on one line."""
    parts = [minute(event.at.astimezone()), what_happened(event)]
    if event.reason:
        parts.append(f"[{event.reason}]")
    if event.overlaps:
        parts.append(f"[session {session_name(event.overlaps)} was at work, too]")
    return "  ".join(parts)


def what_happened(event: PathEvent, title: str | None = None) -> str:
    """Return what was done and by whom, and in which turn of which session."""
    what = _DID.get(event.status, "changed")
    if event.status is ChangeStatus.MODIFIED and event.of_permissions:
        what = "permissions changed"
    return f"{what} {by_whom(event, title)}"


def by_whom(event: PathEvent, title: str | None = None) -> str:
    """Return who did it, and in which turn of which session."""
    return "  ".join(filter(None, (f"by {_who(event)}", of_turn(event, title))))


def of_turn(event: PathEvent, title: str | None = None) -> str:
    """Return in which turn of which session something happened, with the title of the turn where
    that is known."""
    turn = "" if event.turn is None else f"turn {event.turn}"
    if title is not None:
        turn = f"{turn}: {title}" if turn else title
    if not event.session_id:
        return turn
    return ", ".join(filter(None, (f"session {session_name(event.session_id)}", turn)))


_LONG_NAME, _SHORT_NAME, _ROOM_FOR_LONG = 16, 10, 120


def session_name(session_id: str) -> str:
    """Return the id of a session as lists have it: on a terminal where a line with a UUID would not
    fit, its beginning. ``show`` has it whole."""
    wide = width()
    if wide is None or wide >= _ROOM_FOR_LONG or len(session_id) <= _LONG_NAME:
        return session_id
    return shortened(shown(session_id), _SHORT_NAME, end=False, mark=ellipsis())


def _who(event: PathEvent) -> str:
    if event.actor is Actor.AGENT:
        return f"the agent's {event.tool}" if event.tool else "the agent's shell"
    hand = hand_of(event.actor, event.session_id)
    return _NAMES[Actor.PERSON if hand is Actor.PERSON else event.actor]

"""``remote status``: how far the remote has what is here, and what lies there."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.remote_state import of_remote_status
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.push import say_refused
from hermes_checkpoints.cli.table import Column, say_table, say_wrapped
from hermes_checkpoints.cli.target import one_or_all, opened, remote_of, require_one_or_all
from hermes_checkpoints.cli.text import counted, minute
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.text import size

if TYPE_CHECKING:
    from hermes_checkpoints.model import RemoteContents, RemoteStatus

_MOST = 5
_HEADS = (
    Column("DIRECTORY", least=12, path=True),
    Column("SENT", right=True),
    Column("UNSENT", right=True),
    Column("REFUSED", right=True),
    Column("REMOVED", right=True),
    Column("LAST SENT", spare=1),
)


def register(verbs: Verbs) -> None:
    """Add ``remote status``."""
    parser = verbs.add("status", run, "Say what is unsent, and what lies on the remote")
    add_directory(parser)
    parser.add_argument("--all", action="store_true", help="of all projects")


def run(args: argparse.Namespace) -> int:
    """Ask catalog and server, and print how the remote stands."""
    require_one_or_all(args)
    remote_of(args)
    with opened(args, create=True) as checkpoints:
        found = checkpoints.remote_status(working_dir=one_or_all(args, checkpoints))
    if args.json:
        document(of_remote_status(found))
    else:
        for number, one in enumerate(found):
            if number:
                say()
            _print(one)
        if not found:
            say("Each project has a remote of its own, and there is no project yet")
    return Exit.IN_PART if any(one.error is not None for one in found) else Exit.DONE


def _print(found: RemoteStatus) -> None:
    remote = found.remote
    say(f"Remote:       {remote.url}")
    say(f"Machine:      {found.machine}")
    say(f"Last success: {_when(remote.last_success_at)}")
    say(f"Last failure: {_when(remote.last_failure_at)}")
    if remote.last_failure_at is not None and remote.last_error is not None:
        often = "" if not remote.failures else f" ({counted(remote.failures, 'failure')} since)"
        say_wrapped(f"{remote.last_error}{often}", begin="              ")
    if found.contents is not None:
        say_wrapped(_there(found.contents), begin="There:        ")
        say(f"Each push:    is told of all refs, about {size(found.contents.advertised_bytes)}")
    say()
    if found.projects:
        rows = [
            (
                place(one.working_dir),
                *(str(number) for number in (one.sent, one.unsent, one.refused, one.removed)),
                "" if one.last_sent_at is None else minute(one.last_sent_at.astimezone()),
            )
            for one in found.projects
        ]
        say_table(_HEADS, rows, indent=0)
    else:
        say("There are no checkpoints here to send")
    _print_rest(found)
    if found.error is not None:
        complain(found.error)


def _print_rest(found: RemoteStatus) -> None:
    """Print what there is to do."""
    if found.removed:
        ids = ", ".join(one.short_id for one in found.removed[:_MOST])
        more = ", …" if len(found.removed) > _MOST else ""
        many = counted(len(found.removed), "checkpoint")
        say_wrapped(f"{many} had been sent and {_are(found)} not there any more: {ids}{more}")
    removed = sum(one.removed for one in found.projects)
    if removed:
        are = "checkpoint that is here was" if removed == 1 else "checkpoints that are here were"
        say_wrapped(f"{removed} {are} removed there; `{PROGRAM} push --again` sends what was")
    say_refused(found.refused, "not sent")
    oldest = found.oldest_unsent_at
    if oldest is not None:
        when = minute(oldest.astimezone())
        say(f"The oldest unsent one is of {when}; `{PROGRAM} push` sends what can be sent")


def _there(there: RemoteContents) -> str:
    own = f"{counted(there.checkpoints, 'checkpoint')} and {counted(there.cursors, 'cursor')}"
    rest = f", {counted(there.other_refs, 'other ref')}" if there.other_refs else ""
    if not there.machines:
        return f"{own} of this machine, nothing of others{rest}"
    others = (
        f"{counted(there.foreign_checkpoints, 'checkpoint')} and "
        f"{counted(there.foreign_cursors, 'cursor')} of {counted(there.machines, 'other')}"
    )
    return f"{own} of this machine, {others}{rest}"


def _are(found: RemoteStatus) -> str:
    return "is" if len(found.removed) == 1 else "are"


def _when(moment: datetime | None) -> str:
    return "none" if moment is None else minute(moment.astimezone())

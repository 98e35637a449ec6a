"""``log --remote``: what other machines have sent, as the last ``pull`` has found it."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.remote import of_remote_list
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.table import Column, say_table
from hermes_checkpoints.cli.target import one_or_all, opened, require_one_or_all
from hermes_checkpoints.cli.text import minute
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import RemoteCheckpoint

_HEADS = (
    Column("ID"),
    Column("TAKEN"),
    Column("MACHINE", least=8, spare=2),
    Column("DIRECTORY", least=12, path=True, spare=1),
    Column("REASON", least=12),
)


def say_remote(args: argparse.Namespace) -> int:
    """Print the list of the remote.

    Raises:
        BadUsage: when options contradict each other.
    """
    if not args.remote:
        raise BadUsage("--all belongs to --remote; without it `log` lists one project")
    require_one_or_all(args)
    if args.flat or args.session is not None:
        raise BadUsage("--flat and --session do not go with --remote")
    with opened(args) as checkpoints:
        where = one_or_all(args, checkpoints)
        found = checkpoints.remote_list(working_dir=where, limit=args.limit)
    if args.json:
        document(of_remote_list(found))
        return Exit.DONE
    if not found:
        of = "" if where is None else f" of {place(where)}"
        say(f"Nothing is listed{of} on the remote; {PROGRAM} pull brings the list")
        return Exit.DONE
    rows = [
        (
            one.short_id,
            minute(one.local_time),
            one.machine_name or one.machine,
            place(one.working_dir),
            f"{one.reason}{_marked(one)}",
        )
        for one in found
    ]
    say_table(_HEADS, rows, indent=0)
    return Exit.DONE


def _marked(one: RemoteCheckpoint) -> str:
    """Return what there is to say of what this base has of it."""
    if one.is_here:
        return " (here, too)"
    return " (fetched)" if one.fetched_at is not None else ""

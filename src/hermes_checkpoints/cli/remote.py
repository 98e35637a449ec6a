"""``remote``: the one git server that keeps checkpoints beyond this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hermes_checkpoints.cli import remote_prune, remote_status
from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.remote import of_remote_check
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import say_wrapped
from hermes_checkpoints.cli.target import current_or_named, opened, remote_of
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model.remote_check import RemoteStanding

if TYPE_CHECKING:
    from hermes_checkpoints.model import RemoteCheck

FAILED, WARNING = RemoteStanding.FAILED, RemoteStanding.WARNING


def register(verbs: Verbs) -> None:
    """Add ``remote`` with its own verbs."""
    parser = verbs.add(
        "remote", run, "Look after the git server that keeps checkpoints beyond this machine"
    )
    below = verbs.below(parser, "remote")
    looking = below.add("check", check, "Try whether the remote can be reached, read and written")
    add_directory(
        looking,
        "where each project has a remote of its own, whose (default: the project of the current "
        "directory)",
    )
    remote_status.register(below)
    remote_prune.register(below)


def run(_: argparse.Namespace) -> int:
    """Refuse to guess which of its verbs is meant.

    Raises:
        BadUsage.
    """
    raise BadUsage("`remote` has verbs of its own; give one: check, status, prune")


def check(args: argparse.Namespace) -> int:
    """Print what a look at the remote found."""
    config = remote_of(args)
    with opened(args, create=True) as checkpoints:
        project = None
        if config.is_of_project or args.directory or args.dirs:
            project = current_or_named(args, checkpoints).working_dir
        found = checkpoints.check_remote(working_dir=project)
    if args.json:
        document(of_remote_check(found))
    else:
        _print(found)
    return Exit.DONE if found.works else Exit.IN_PART


def _print(found: RemoteCheck) -> None:
    say(f"Remote:  {found.url}")
    say(f"Machine: {found.machine}")
    say(f"Git:     {found.git or 'unknown'}")
    say()
    wide = max((len(one.check) for one in found.findings), default=0)
    for one in found.findings:
        say_wrapped(one.text, begin=f"{one.standing.value:<8} {one.check:<{wide}}  ")
        if one.remedy and one.remedy not in one.text:
            say_wrapped(f"to do: {one.remedy}", begin=" " * (wide + 11))
    standings = [one.standing for one in found.findings]
    failed, warned = (standings.count(one) for one in (FAILED, WARNING))
    words = [counted(failed, "failure")] if failed else ["It works"]
    if warned:
        words.append(counted(warned, "warning"))
    say()
    say(", ".join(words))

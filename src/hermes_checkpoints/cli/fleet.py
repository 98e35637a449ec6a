"""``fleet``: the index over the checkpoints of many machines, in PostgreSQL."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_limit
from hermes_checkpoints.cli.exits import BadUsage, Exit, without_extra
from hermes_checkpoints.cli.json.fleet import of_fleet_indexed, of_fleet_status
from hermes_checkpoints.cli.output import complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import Column, say_table, say_wrapped
from hermes_checkpoints.cli.target import layout_of, opened, remote_of
from hermes_checkpoints.cli.text import age, counted, how_old, minute, size

if TYPE_CHECKING:
    from hermes_checkpoints.model import FleetMachine, FleetProject, FleetRemote, FleetStatus

LIMIT = 20


def register(verbs: Verbs) -> None:
    """Add ``fleet`` with its own verbs."""
    parser = verbs.add("fleet", run, "Look after many machines, by an index in PostgreSQL")
    below = verbs.below(parser, "fleet")
    indexing = below.add("index", index, "Let the index have what remotes have, no contents")
    indexing.add_argument(
        "urls",
        nargs="*",
        metavar="URL",
        help="the addresses of remotes (default: the one of config.yaml)",
    )
    _add_catalog(indexing)
    asking = below.add("status", status, "Show who is silent, what is stale, and what failed")
    _add_catalog(asking)
    add_limit(asking, f"how many of each list (default: {LIMIT})")


def _add_catalog(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--catalog",
        metavar="URL",
        help="the address of the index, as postgresql+psycopg://HOST/NAME (default: catalog of "
        "fleet: in config.yaml); other users see it, so leave the password to ~/.pgpass",
    )


def run(_: argparse.Namespace) -> int:
    """Refuse to guess which of its verbs is meant.

    Raises:
        BadUsage.
    """
    raise BadUsage("`fleet` has verbs of its own; give one: index, status")


def index(args: argparse.Namespace) -> int:
    """Index remotes, and print what came of it."""
    _require(args)
    if not args.urls:
        remote_of(args)
    with opened(args, create=True) as checkpoints:
        results = checkpoints.index_fleet(args.urls, catalog=args.catalog)
    if args.json:
        document(of_fleet_indexed(results))
    else:
        for one in results:
            say(f"Of {one.url}:")
            if one.error is not None:
                complain(one.error)
                continue
            say(f"  {counted(one.listed, 'checkpoint')} indexed, {one.added} new, {one.gone} gone")
            if one.malformed:
                say(f"  {counted(one.malformed, 'ref')} left out: their commits are malformed")
    return Exit.DONE if all(one.complete for one in results) else Exit.IN_PART


def status(args: argparse.Namespace) -> int:
    """Print what the index tells."""
    _require(args)
    with opened(args) as checkpoints:
        found = checkpoints.fleet_status(catalog=args.catalog, limit=args.limit or LIMIT)
    if args.json:
        document(of_fleet_status(found))
    else:
        _print(found)
    return Exit.DONE


def _require(args: argparse.Namespace) -> None:
    """Refuse what lacks the library or the address of the index, before a base is made for it.

    Raises:
        BadRequest, FleetOff.
    """
    try:
        address = import_module("hermes_checkpoints.fleet.address")
        import_module("psycopg")
    except ImportError as error:
        raise without_extra("fleet", "psycopg") from error
    address.address_of(args.catalog, layout_of(args).config)


def _print(found: FleetStatus) -> None:
    say(f"Index:       {found.catalog}")
    say(f"Machines:    {found.machines}")
    say(f"Projects:    {found.projects}")
    say(f"Checkpoints: {found.checkpoints}, of files with {size(found.bytes)}")
    _machines(found.machine_list, found.machines)
    _stale(found.stale, found.stale_projects, found.stale_days)
    _remotes(found.remote_list, found.remotes)


def _machines(machines: Sequence[FleetMachine], of_all: int) -> None:
    if not machines:
        return
    say()
    say("Machines, by how long nothing newer was sent:")
    heads = [
        Column("ID"),
        Column("NAME", least=8),
        Column("NEWEST (UTC)", spare=1),
        Column("SILENT FOR"),
        Column("CHECKPOINTS", right=True),
        Column("PROJECTS", right=True, spare=2),
    ]
    rows = [
        (
            one.id,
            one.name or "",
            minute(one.newest_at),
            "clock is ahead" if one.ahead else how_old(one.newest_at),
            str(one.checkpoints),
            str(one.projects),
        )
        for one in machines
    ]
    say_table(heads, rows)
    _more(len(machines), of_all, "machine")


def _stale(stale: Sequence[FleetProject], of_all: int, days: int) -> None:
    if not stale:
        return
    say()
    say(f"Projects of which nothing was taken for {days} days:")
    heads = [
        Column("PROJECT", least=20, path=True),
        Column("NEWEST (UTC)"),
        Column("CHECKPOINTS", right=True),
        Column("MACHINES", right=True, spare=1),
    ]
    rows = [
        (one.name, minute(one.newest_at), str(one.checkpoints), str(one.machines)) for one in stale
    ]
    say_table(heads, rows)
    _more(len(stale), of_all, "project")


def _remotes(remotes: Sequence[FleetRemote], of_all: int) -> None:
    if not remotes:
        return
    say()
    say("Remotes, as they were indexed last:")
    heads = [
        Column("REMOTE", least=20, path=True),
        Column("INDEXED"),
        Column("CHECKPOINTS", right=True),
        Column("MALFORMED", right=True, spare=1),
    ]
    rows = [
        (
            one.url,
            "never" if one.indexed_at is None else age(one.indexed_at),
            str(one.checkpoints),
            str(one.malformed or ""),
        )
        for one in remotes
    ]
    say_table(heads, rows)
    for one in remotes:
        if one.failures:
            times = "" if one.failures == 1 else f", {one.failures} times since"
            say_wrapped(f"failed {age(one.failed_at)}{times}: {one.error}", begin="  ")
    _more(len(remotes), of_all, "remote")


def _more(listed: int, of_all: int, what: str) -> None:
    if of_all > listed:
        say(f"  and {counted(of_all - listed, what)} more: give -n {of_all}")

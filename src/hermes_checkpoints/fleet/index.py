"""Indexes remotes: one job, which may be run at any time and any number of times.

After it the index has, of each remote that could be read, what that has and nothing else. One that
could not be read keeps what is known of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from hermes_checkpoints.base.machine import known_machine
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import (
    BadRequest,
    GitFailed,
    LockHeld,
    RemoteFailed,
    RemoteOff,
)
from hermes_checkpoints.fleet import rows
from hermes_checkpoints.fleet.address import address_of
from hermes_checkpoints.fleet.reading import Listing, Place, Ref, listed
from hermes_checkpoints.fleet.server import connected, require_library, try_lock
from hermes_checkpoints.fleet.upgrading import upgrade
from hermes_checkpoints.model import FleetIndexed, RemoteCheckpoint
from hermes_checkpoints.remote.elected import Elected, each_remote_of, elected, require_apart
from hermes_checkpoints.remote.words import redacted_url
from hermes_checkpoints.remote_config import PLACEHOLDERS, RemoteConfig, wrong_with


def index(base: Base, urls: Sequence[str], catalog: str | None) -> list[FleetIndexed]:
    """Index the remotes at some addresses, or those of the configuration of the home, into the
    database at ``catalog``, or that of the configuration; return what came of it, remote by remote.
    What goes wrong with a remote is in its result, and in the index.

    Raises:
        BadRequest: when an address is none, or the library for PostgreSQL is not there.
        FleetOff, RemoteOff: when there is no index, or no remote.
        FleetUnreachable, FleetDenied, FleetFailed, CatalogNewer, CatalogBusy, NoSpace: when it is
            the database that cannot.
        BaseUnwritable, GitMissing, GitFailed: when it is this base that cannot.
    """
    require_library()
    address = address_of(catalog, base.layout.config)
    base.require_kept()
    targets = _named(base, urls) if urls else [elected(base, one) for one in each_remote_of(base)]
    with connected(address) as connection:
        upgrade(connection, address)
        return [_indexed(base, connection, to) for to in targets]


def _named(base: Base, urls: Iterable[str]) -> list[Elected]:
    """Return the remotes at addresses that the caller gave; protocols and time limit are those of
    the configuration of the home."""
    config = load_remote_config(base.layout.config)
    if config.warnings:
        raise RemoteOff("; ".join(config.warnings))
    projects = tuple(sorted(one.working_dir for one in base.catalog.projects.all()))
    machine = known_machine(base.layout) or ""
    found = []
    known: dict[str, str] = {}
    for url in urls:
        shown = redacted_url(url)
        if known.setdefault(shown, url) != url:
            raise BadRequest(
                f"two addresses differ in what gives access alone ({shown}), so that they are one "
                "remote; name it once"
            )
    for url in known.values():
        own = _config_of(config, url)
        require_apart(base, url)
        found.append(Elected(own, machine, url, projects))
    return found


def _config_of(config: RemoteConfig, url: str) -> RemoteConfig:
    """Return the configuration for another address.

    Raises:
        BadRequest: when it is no address.
    """
    if not url or any(one in url for one in PLACEHOLDERS):
        raise BadRequest("an address of a remote is empty or has a placeholder; name each one")
    wrong = wrong_with(url, config.protocols)
    if wrong is not None:
        raise BadRequest(f"the address {redacted_url(url)} {wrong}")
    return replace(config, url=url)


def _indexed(base: Base, connection: Connection, to: Elected) -> FleetIndexed:
    """Index one remote."""
    shown = redacted_url(to.url)
    digits = rows.url_hash(shown)
    with try_lock(connection, "remote", digits) as had:
        if not had:
            held = LockHeld(
                f"another process is indexing {shown}, and does the same; nothing was done here"
            )
            return FleetIndexed(shown, error=str(held), code=held.code)
        remote = rows.remote_id(connection, shown)
        try:
            with listed(base, to, digits) as found:
                return _written(connection, remote, found, shown)
        except LockHeld as error:
            return FleetIndexed(shown, error=str(error), code=error.code)
        except (RemoteFailed, GitFailed) as error:
            rows.record_failure(connection, remote, error.code, str(error))
            return FleetIndexed(shown, error=str(error), code=error.code)


def _written(connection: Connection, remote: int, found: Listing, shown: str) -> FleetIndexed:
    fresh, touched = rows.compare(connection, remote, found.refs)
    read = found.read(fresh)
    new = [(ref, one) for ref, one in read.items() if one is not None]
    touched |= {ref.place for ref, _ in new}
    malformed = len(read) - len(new)
    written = rows.write(
        connection,
        remote,
        new,
        _newest(found, touched, read),
        found.names.items(),
        malformed,
    )
    return FleetIndexed(shown, written.listed, written.added, written.gone, malformed)


def _newest(
    found: Listing, touched: set[Place], read: Mapping[Ref, RemoteCheckpoint | None]
) -> list[tuple[Place, RemoteCheckpoint]]:
    """Return what the newest checkpoint of each place tells, by the names of refs, which begin with
    the time: what the place is now. So it follows from the remote alone, whatever the index had."""
    bad = {ref for ref, one in read.items() if one is None}
    newest: dict[Place, Ref] = {}
    for ref in found.refs:
        if ref.place in touched and ref not in bad:
            known = newest.setdefault(ref.place, ref)
            if ref.name > known.name:
                newest[ref.place] = ref
    more = found.read(ref for ref in newest.values() if ref not in read)
    both = {**read, **more}
    return [(place, one) for place, ref in newest.items() if (one := both[ref]) is not None]

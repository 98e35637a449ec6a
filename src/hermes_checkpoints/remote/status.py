"""Says how far a remote has the checkpoints of this base, and what lies there: ``remote status``.

What this base knows is asked of the catalog, and what only the server knows of the server, once.
Where that cannot be reached, the rest is told all the same. What was sent and is not there any more
is recorded as removed: it is not sent again unless somebody says so.
"""

from __future__ import annotations

from dataclasses import replace

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import RemoteFailed
from hermes_checkpoints.model import PushState, RemoteContents, RemoteScope, RemoteStatus
from hermes_checkpoints.remote.cache import cache
from hermes_checkpoints.remote.elected import Elected, each_remote_of, elected, require_remote
from hermes_checkpoints.remote.refs import RefsThere, advertised
from hermes_checkpoints.remote.words import redacted_url


def status(base: Base, project: Target | None = None) -> list[RemoteStatus]:
    """Return how the remotes of a base stand, or, where each project has its own, that of a
    project; of projects with something to send or on it, all or the one.

    Raises:
        RemoteOff: when there is no remote.
        BaseUnwritable, NoSpace, GitFailed: when it is this base that cannot.
    """
    base.require_writable()
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    found = []
    for one in each_remote_of(base) if project is None else [project]:
        to = elected(base, one if config.is_of_project else None)
        found.append(_status(base, to, None if one is None else one.hash))
    return found


def _status(base: Base, to: Elected, project_hash: str | None) -> RemoteStatus:
    remote = base.catalog.remotes.register(redacted_url(to.url), base.now())
    began, namespace = base.now(), to.config.namespace
    told = RemoteStatus(remote, to.machine)
    try:
        refs = to.git(cache(base)).refs()
    except RemoteFailed as error:
        told = replace(told, error=str(error), code=error.code)
    else:
        removed = base.catalog.elsewhere.record_look(
            remote,
            {name: id_ for name, id_ in refs.items() if name.startswith(namespace.prefix)},
            scope=RemoteScope(namespace.prefix),
            machine=to.machine,
            now=base.now(),
            began=began,
        )
        there = RefsThere.of(refs, namespace)
        told = replace(
            told,
            removed=tuple(one for one in removed if project_hash in (None, one.project_hash)),
            contents=_contents(there, to.machine, advertised(refs)),
        )
    refused = {PushState.REFUSED}
    return replace(
        told,
        projects=tuple(base.catalog.remotes.status(remote, project_hash)),
        refused=tuple(base.catalog.remotes.pushed(remote, refused, project_hash=project_hash)),
    )


def _contents(there: RefsThere, machine: str, size: int) -> RemoteContents:
    own = [one for one in there.listed if one.machine == machine]
    foreign = [one for one in there.listed if one.machine != machine]
    return RemoteContents(
        sum(not one.is_cursor for one in own),
        sum(one.is_cursor for one in own),
        sum(not one.is_cursor for one in foreign),
        sum(one.is_cursor for one in foreign),
        len({one.machine for one in foreign}),
        there.unknown + there.others,
        size,
    )

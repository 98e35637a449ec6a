"""Plans what is to be removed from a remote: it looks which refs the remote has, and the catalog
decides which of them go (``removals``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.catalog.recorded import RemovalTerms
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import (
    PROGRAM,
    BadRequest,
    CheckpointAmbiguous,
    CheckpointUnknown,
    RemoteFailed,
)
from hermes_checkpoints.model import Remote, RemotePrunePlan
from hermes_checkpoints.remote.cache import cache
from hermes_checkpoints.remote.elected import Elected, each_remote_of, elected, require_remote
from hermes_checkpoints.remote.network_git import NetworkGit
from hermes_checkpoints.remote.refs import RefsThere
from hermes_checkpoints.remote.words import redacted_url

_ID = re.compile(r"[0-9a-f]{8,40}")


def plan(
    base: Base,
    project: Target | None = None,
    *,
    others: bool = False,
    ids: Collection[str] = (),
) -> list[RemotePrunePlan]:
    """Return what a prune would remove, remote by remote: of one project of this machine or of all,
    with ``others`` also machines that have sent nothing for long, or, whatever its age, what is
    named by ``ids``, which may be beginnings of 8 digits and more. A remote that cannot be read is
    told in its plan.

    Raises:
        RemoteOff: when there is no remote.
        BadRequest: when an id has another form.
        CheckpointUnknown, CheckpointAmbiguous: when no remote has a named one, or more than one.
        BaseUnwritable, NoSpace, GitFailed: when it is this base that cannot.
    """
    base.require_writable()
    for one in ids:
        if not _ID.fullmatch(one):
            raise BadRequest(f"{one!r} is no id; give at least 8 of its hexadecimal digits")
    each = _each(base, project)
    looks = [one.looked() for one in each]
    whole = _resolved(looks, ids)
    found = []
    for meant, look in zip(each, looks, strict=True):
        if isinstance(look, RemoteFailed):
            error, where = str(look), meant.working_dir
            found.append(
                RemotePrunePlan(*meant.named, working_dir=where, error=error, code=look.code)
            )
        else:
            found.append(meant.planned(look, others=others, ids=whole))
    return found


_Look = RefsThere | RemoteFailed


def _each(base: Base, project: Target | None) -> list[Meant]:
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    scopes = each_remote_of(base) if project is None else [project]
    found = []
    for one in scopes:
        to = elected(base, one if config.is_of_project else None)
        found.append(Meant(base, to, to.remote(base), one))
    return found


def meant_by(base: Base, planned: RemotePrunePlan) -> Meant:
    """Return what a plan is about.

    Raises:
        BadRequest: when it is for another remote or another machine than now.
    """
    project = None if planned.working_dir is None else Target.of(Path(planned.working_dir))
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    to = elected(base, project if config.is_of_project else None)
    if (redacted_url(to.url), to.machine) != (planned.url, planned.machine):
        raise BadRequest(
            f"the plan is for {planned.url} as machine {planned.machine}, and the remote is "
            f"{redacted_url(to.url)} as machine {to.machine} now; make another plan"
        )
    return Meant(base, to, to.remote(base), project)


def _resolved(looks: Iterable[_Look], ids: Collection[str]) -> frozenset[str] | None:
    """Return the whole ids of which the beginnings are given; None where none are.

    Raises:
        CheckpointUnknown, CheckpointAmbiguous.
    """
    if not ids:
        return None
    looks = list(looks)
    there = {
        ref.commit_id
        for look in looks
        if isinstance(look, RefsThere)
        for ref in look.listed
        if not ref.is_cursor
    }
    found = set()
    for one in ids:
        meant = {id_ for id_ in there if id_.startswith(one)}
        if len(meant) > 1:
            raise CheckpointAmbiguous(
                f"{one} is the beginning of {len(meant)} checkpoints there; give more digits"
            )
        if not meant and not any(isinstance(look, RemoteFailed) for look in looks):
            raise CheckpointUnknown(
                f"the remote has no checkpoint {one}; `{PROGRAM} remote status` looks at what it "
                "has, and nothing was removed"
            )
        found |= meant
    return frozenset(found)


@dataclass(frozen=True)
class Meant:
    """What a prune is about: one remote, and of this machine one project or all."""

    base: Base
    to: Elected
    remote: Remote
    project: Target | None = None

    @property
    def named(self) -> tuple[str, str]:
        """The address as it may be shown, and the id of this base."""
        return self.remote.url, self.to.machine

    @property
    def working_dir(self) -> str | None:
        """The one project that is meant, None for all."""
        return None if self.project is None else self.project.name

    def looked(self) -> _Look:
        """Return the refs that the remote has, or why it cannot be told."""
        try:
            return self.refs(self.network())
        except RemoteFailed as error:
            return error

    def planned(
        self, there: RefsThere, *, others: bool, ids: Collection[str] | None
    ) -> RemotePrunePlan:
        """Let the catalog decide."""
        terms = self._terms(others=others, ids=ids)
        decided = self.base.catalog.removals.decide(self.remote, there.listed, terms)
        return RemotePrunePlan(
            *self.named,
            tuple(decided.remove),
            tuple(decided.kept),
            tuple(decided.cursors),
            there.unknown,
            others,
            None if ids is None else tuple(sorted(ids)),
            self.working_dir,
        )

    def network(self) -> NetworkGit:
        """Return git for the remote."""
        return self.to.git(cache(self.base))

    def refs(self, network: NetworkGit) -> RefsThere:
        """Return the refs that the remote has."""
        return RefsThere.of(network.refs(), self.to.config.namespace)

    def _terms(self, *, others: bool, ids: Collection[str] | None) -> RemovalTerms:
        config, now = self.to.config, self.base.now()
        days, dead = config.keep_days, config.keep_dead_days
        return RemovalTerms(
            self.to.machine,
            None if self.project is None else self.project.hash,
            None if ids is None else frozenset(ids),
            others,
            now - timedelta(days=days) if days else None,
            now - timedelta(days=dead) if dead else None,
            days,
            dead,
        )

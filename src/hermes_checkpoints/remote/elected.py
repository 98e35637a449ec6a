"""Which remote it is: the one that the home's ``config.yaml`` names, and no other.

Whoever sends or fetches begins here. So the configuration is read anew each time, from the home
alone, and what is in doubt ends here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import PROGRAM, BadRequest, BaseUnwritable, RemoteOff
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Remote
from hermes_checkpoints.remote.network_git import NetworkGit
from hermes_checkpoints.remote.words import redacted_url
from hermes_checkpoints.remote_config import RemoteConfig, protocol_of


@dataclass(frozen=True)
class Elected:
    """The remote of a base, or of a project where each has its own. ``machine`` is the id of the
    base, and ``url`` the address, which may hold a password. ``projects`` are the working
    directories of the base: no program that lies there gets the credentials of the user, also where
    PATH leads there.
    """

    config: RemoteConfig
    machine: str
    url: str = field(repr=False)
    projects: tuple[str, ...] = field(default=(), repr=False)

    def git(self, git: Git, *, longest: float = 3600.0) -> NetworkGit:
        """Return git for it, in the repository and under the locks of another git.

        Raises:
            GitMissing, GitFailed: as ``NetworkGit.of``.
        """
        barred = self.projects
        return NetworkGit.of(git, self.config, self.url, longest=longest, barred=barred)

    def remote(self, base: Base) -> Remote:
        """Return what the catalog knows of it; one of which nothing is known yet has no row."""
        shown = redacted_url(self.url)
        return base.catalog.remotes.find(shown) or Remote(0, shown, base.now())

    @property
    def own_prefix(self) -> str:
        """What the names of refs begin with that this machine writes there."""
        return f"{self.config.namespace.prefix}{self.machine}/"


def elected(base: Base, target: Target | None) -> Elected:
    """Return the remote of a base, or, where each project has one of its own, of a project.

    Raises:
        RemoteOff: when there is none, or it is the base itself; or when the home lies in a project,
            so that who works there could say where checkpoints go.
        BadRequest: when it needs a project, and none is named.
        BaseUnwritable: when there is no base, or it has no id and none can be made.
    """
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    if config.is_of_project and target is None:
        raise BadRequest("each project has a remote of its own, by {project} in url: name one")
    base.require_kept()
    machine = machine_of(base.layout, base.lock_timeout)
    if machine.id is None:
        raise BaseUnwritable(machine.told or f"{base.layout.named} has no id")
    url = config.address(machine.id, None if target is None else target.hash)
    require_apart(base, url)
    projects = {one.working_dir for one in base.catalog.projects.all()}
    projects |= set() if target is None else {target.name}
    return Elected(config, machine.id, url, tuple(sorted(projects)))


def each_remote_of(base: Base) -> list[Target | None]:
    """Return whose remotes a base has: None stands for the one of all projects, else each project
    has its own.

    Raises:
        RemoteOff: when there is none.
    """
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    if not config.is_of_project:
        return [None]
    return [Target(Path(one.working_dir), one.hash) for one in base.catalog.projects.all()]


def require_remote(config: RemoteConfig, layout: Layout) -> RemoteConfig:
    """Return the configuration where there is a remote.

    Raises:
        RemoteOff: with what to do.
    """
    if config.is_on:
        return config
    if config.warnings:
        raise RemoteOff("; ".join(config.warnings))
    raise RemoteOff(
        f"no remote is configured; set url of remote: of checkpoints: in {layout.config} "
        f"(docs/remote.md), then try it with `{PROGRAM} remote check`"
    )


def require_apart(base: Base, url: str) -> None:
    """Refuse an address that is the base itself, and a home in which a project could say where
    checkpoints go.

    Raises:
        RemoteOff: with what to do.
    """
    _require_elsewhere(url, base.layout)
    _require_home_apart(base)


def _require_home_apart(base: Base) -> None:
    home = base.layout.home
    for one in base.catalog.projects.working_dirs():
        if home.is_relative_to(one):
            raise RemoteOff(
                f"the home {home} lies in the project {one}, and no file of a project decides where"
                " checkpoints go; choose a home elsewhere, with --home or HERMES_HOME"
            )


def _require_elsewhere(url: str, layout: Layout) -> None:
    """Refuse an address in the base: refs of the store are its checkpoints."""
    if protocol_of(url) != "file":
        return
    path = url.removeprefix("file://")
    for one in {path, unquote(path)}:
        real = os.path.realpath(one)
        if Path(real).is_relative_to(layout.base):
            raise RemoteOff(
                f"the remote would be the base itself ({layout.base}); give another repository as "
                f"url in {layout.config}"
            )

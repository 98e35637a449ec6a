"""The homes of the agent: the default one, and that of each profile below it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.text import shown

DEFAULT = "default"
_PROFILES = "profiles"
_PROFILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""Names of folders that the agent takes for profiles."""


@dataclass(frozen=True)
class Home:
    """A home of the agent, with the name of its profile."""

    profile: str
    folder: Path

    @property
    def config(self) -> Path:
        """Its configuration, through which the agent loads plugins."""
        return self.folder / "config.yaml"


def homes(home: str | os.PathLike[str] | None = None) -> tuple[Home, ...]:
    """Return the default home and that of every profile of it. ``home`` is the default home or
    that of a profile; HERMES_HOME, or ``~/.hermes``, unless it is given.

    Raises:
        BaseUnwritable: as ``Layout.of``.
        BadRequest: when the folder of the profiles cannot be read.
    """
    named = Layout.of(home).home
    root = named.parent.parent if named.parent.name == _PROFILES else named
    found = {DEFAULT: root} if named == root else {DEFAULT: root, named.name: named}
    try:
        for folder in sorted((root / _PROFILES).iterdir()):
            if folder.name != DEFAULT and _PROFILE.fullmatch(folder.name) and folder.is_dir():
                found[folder.name] = folder
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise BadRequest(f"{error.filename} cannot be read ({error.strerror})") from error
    return tuple(Home(profile, folder) for profile, folder in found.items())


def named(found: Sequence[Home], profiles: Sequence[str]) -> tuple[Home, ...]:
    """Return the homes of the profiles with these names, all where none is named.

    Raises:
        BadRequest: when there is no such profile.
    """
    names = [name.strip().lower() for name in profiles]
    for name in names:
        if name not in {home.profile for home in found}:
            known = ", ".join(shown(home.profile) for home in found)
            raise BadRequest(f"there is no profile {shown(name)} of the agent; there are: {known}")
    return tuple(home for home in found if not names or home.profile in names)

"""The cursor of a project on a remote: a commit that says what one machine sent last of it.

Its tree is that of the newest checkpoint, and its parent the one that was sent before, by which git
finds out what need not be sent. So there is one for each machine and project, and in its message
stands what both are: whoever looks for a project there reads these few, not every checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_checkpoints.base.machine import name_of_machine
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import ProjectKey
from hermes_checkpoints.object_store.commits import trailers_of
from hermes_checkpoints.object_store.fast_import import AUTHOR

_TIME = "1700000000 +0000"
_SUBJECT = "hermes-checkpoints: what was sent last"


@dataclass(frozen=True)
class Cursor:
    """Whose cursor it is: the ``machine`` by its id and by what people call it, the project by its
    hash, its directory there, and the repository that this belongs to with the place in it."""

    machine: str
    machine_name: str
    project_hash: str
    working_dir: str
    repository: str | None = None
    subdirectory: str | None = None

    @property
    def key(self) -> ProjectKey:
        """By what its project is known."""
        return ProjectKey(self.machine, self.project_hash, self.repository, self.subdirectory)

    def commit(self, tree: str, parent: str | None) -> bytes:
        """Return the commit with the whole tree of the newest checkpoint, and the one that was sent
        before, None where there was none."""
        trailers = {
            "Version": 1,
            "Machine": self.machine,
            "Machine-Name": self.machine_name,
            "Project": self.project_hash,
            "Workdir": self.working_dir,
            "Repository": self.repository,
            "Subdirectory": self.subdirectory,
        }
        told = [f"Hermes-{k}: {json.dumps(v)}" for k, v in trailers.items() if v is not None]
        above = [] if parent is None else [f"parent {parent}"]
        who = f"{AUTHOR} {_TIME}"
        lines = [f"tree {tree}", *above, f"author {who}", f"committer {who}", "", _SUBJECT, ""]
        return "\n".join([*lines, *told, ""]).encode()

    @classmethod
    def of_message(cls, message: str) -> Cursor | None:
        """Return what the message of a commit tells; None where it is of no cursor, or damaged."""
        try:
            trailers: Mapping[str, Any] = trailers_of(message)
            names = ("Machine", "Machine-Name", "Project", "Workdir")
            own = [trailers[name] for name in names]
            more = [trailers.get(name) for name in ("Repository", "Subdirectory")]
        except (CheckpointError, KeyError):
            return None
        if not all(isinstance(one, str) for one in own):
            return None
        if not all(one is None or isinstance(one, str) for one in more):
            return None
        return cls(*own, *more)


def own_cursor(base: Base, machine: str, project_hash: str, working_dir: str) -> Cursor:
    """Return the cursor of a project of this base, below the id of a machine."""
    origin = base.catalog.projects.origin(project_hash)
    place = origin.repository, origin.subdirectory
    return Cursor(machine, name_of_machine(), project_hash, working_dir, *place)

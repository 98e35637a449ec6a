"""What is known of a working directory of which checkpoints are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from hermes_checkpoints.model.kinds import ProjectState


@dataclass(frozen=True)
class FileIdentity:
    """Device and inode of a directory while it was seen, as decimal strings."""

    device: str
    inode: str


@dataclass(frozen=True)
class ProjectRecord:
    """A working directory of which checkpoints are kept, as the catalog has it. ``id`` is its
    row's.

    >>> taken = project.take()
    >>> record = checkpoints.status().projects[0].project
    >>> record.working_dir == str(project.working_dir), record.state.value
    (True, 'live')
    """

    id: int
    hash: str
    working_dir: str
    created_at: datetime
    last_touch: datetime
    state: ProjectState = ProjectState.LIVE


class LastLook(NamedTuple):
    """What the last look at a project's directory found: its state, and device and inode of it and
    of its parent, as decimal strings. ``is_due`` says that the next one is to be recorded, too,
    where it finds the same.

    >>> taken = project.take()
    >>> look = checkpoints.summary().projects[0].last_look
    >>> look.working_dir == str(project.working_dir), look.state.value
    (True, 'live')
    """

    hash: str
    working_dir: str
    state: ProjectState
    device: str | None
    inode: str | None
    parent_device: str | None
    parent_inode: str | None
    is_due: bool

    @property
    def identity(self) -> FileIdentity | None:
        """The identity of the directory, where it is known."""
        return FileIdentity(self.device, self.inode) if self.device and self.inode else None

    @property
    def parent(self) -> FileIdentity | None:
        """The identity of the folder that it lies in, where that is known."""
        device, inode = self.parent_device, self.parent_inode
        return FileIdentity(device, inode) if device and inode else None


@dataclass(frozen=True)
class Origin:
    """Where a working directory lies in the repository that encloses it, by which two machines
    find that they mean the same. ``repository`` names it by its origin in the normal form of
    docs/format.md, None where it has none that another machine could know; ``subdirectory`` is
    "" at its top, and None outside of any repository. ``config`` is the SHA-256, in hex, of the
    configuration in which the origin was read."""

    repository: str | None = None
    subdirectory: str | None = None
    config: str | None = None

"""The cache beside a project's git index: what the last take saw of the working directory.

It describes one state of that index, named by the index's checksum. Where the two do not
belong together, the cache is dropped and made anew; it never decides what a checkpoint holds.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.model import SkippedPath
from hermes_checkpoints.object_store.directories import DirectoryRecord
from hermes_checkpoints.object_store.meta import MOST_IGNORED_PATHS, TreeMeta, UsualModes

_VERSION = 1
_CHECKSUM_BYTES = 20


def state_file(index: Path) -> Path:
    """Where the cache of an index lies."""
    return index.with_name(index.name + ".state")


def index_checksum(index: Path) -> str:
    """Return the checksum at the end of a git index, or "" where there is no index."""
    try:
        with index.open("rb") as file:
            file.seek(-_CHECKSUM_BYTES, os.SEEK_END)
            return file.read().hex()
    except OSError:
        return ""


def is_sound(index: Path) -> bool:
    """Whether a git index is there and is as git wrote it. Git itself does not check, and takes
    a truncated one for an index of strange files."""
    try:
        data = index.read_bytes()
    except OSError:
        return False
    contents, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    return hashlib.sha1(contents, usedforsecurity=False).digest() == checksum


def index_entries(index: Path) -> int:
    """Return how many entries a git index has, by its header; 0 where there is no index."""
    try:
        with index.open("rb") as file:
            return int.from_bytes(file.read(12)[8:], "big")
    except OSError:
        return 0


@dataclass(frozen=True)
class StageState:
    """What the last take saw. ``tree_id`` is the tree of the index with this checksum.

    ``recent`` has the stamps of files that had changed just before. Git compares whole seconds,
    so it misses a second change of status within the same one. ``max_file_bytes`` is the limit
    that was in force.
    """

    checksum: str
    tree_id: str
    state_id: str
    rules: str
    usual: UsualModes
    files: dict[str, int] = field(default_factory=dict)
    directories: dict[str, DirectoryRecord] = field(default_factory=dict)
    ignored_paths: tuple[str, ...] = ()
    specials: frozenset[str] = frozenset()
    recent: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    max_file_bytes: int | None = None

    def save(self, index: Path) -> None:
        """Write the cache beside ``index``."""
        document = {
            "version": _VERSION,
            "checksum": self.checksum,
            "tree": self.tree_id,
            "state": self.state_id,
            "rules": self.rules,
            "usual": [self.usual.file, self.usual.executable, self.usual.directory],
            "files": self.files,
            "directories": {p: [d.mode, d.mtime, d.files] for p, d in self.directories.items()},
            "ignored_paths": self.ignored_paths,
            "specials": sorted(self.specials),
            "recent": self.recent,
            "max_file_bytes": self.max_file_bytes,
        }
        write_atomically(state_file(index), json.dumps(document, separators=(",", ":")).encode())

    @classmethod
    def load(cls, index: Path) -> StageState | None:
        """Read the cache of ``index``, or return None where it is missing or of another state."""
        try:
            document = json.loads(state_file(index).read_bytes())
            if document["version"] != _VERSION or document["checksum"] != index_checksum(index):
                return None
            return cls(
                document["checksum"],
                document["tree"],
                document["state"],
                document["rules"],
                UsualModes(*document["usual"]),
                document["files"],
                {p: DirectoryRecord(*record) for p, record in document["directories"].items()},
                tuple(document["ignored_paths"]),
                frozenset(document["specials"]),
                {p: (c, m, s, b) for p, (c, m, s, b) in document["recent"].items()},
                document["max_file_bytes"],
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None


def forget(index: Path) -> None:
    """Delete an index with its cache and lock, so that the next take stages anew."""
    for file in (index, state_file(index), lock_file(index)):
        file.unlink(missing_ok=True)


def lock_file(index: Path) -> Path:
    """The lock that git itself makes beside an index while it writes it."""
    return index.with_name(index.name + ".lock")


def meta_of(state: StageState, skipped: tuple[SkippedPath, ...]) -> TreeMeta:
    """Return the facts beside the tree of a state; each survey finds anew what was skipped."""
    count = len(state.ignored_paths)
    return TreeMeta(
        state.usual,
        state.files,
        {p: d.mode for p, d in state.directories.items() if p},
        skipped,
        state.ignored_paths if count <= MOST_IGNORED_PATHS else (),
        count,
    )

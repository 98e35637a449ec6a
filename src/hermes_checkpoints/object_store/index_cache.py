"""The cache beside a project's git index: what the last take saw of the working directory.

It describes one state of that index, named by the index's checksum. Where the two do not
belong together, the cache is dropped and made anew; it never decides what a checkpoint holds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.model import SkippedPath
from hermes_checkpoints.object_store.directories import DirectoryRecord
from hermes_checkpoints.object_store.git_index import index_checksum, lock_file
from hermes_checkpoints.object_store.meta import MOST_IGNORED_PATHS, TreeMeta, UsualModes

_VERSION = 1


def state_file(index: Path) -> Path:
    """Return where the cache of an index lies."""
    return index.with_name(index.name + ".state")


@dataclass(frozen=True)
class StageState:
    """What the last take saw. ``tree_id`` is the tree of the index with this checksum.

    ``recent`` has the stamps of files that had changed just before. Git compares whole seconds,
    so it misses a second change of status within the same one. ``max_file_bytes`` is the limit
    that was in force. ``over_budget`` has the stamps of the files that were left out for the bytes
    of a take, and ``max_take_bytes`` is the largest limit by which one of them was.
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
    over_budget: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    max_take_bytes: int = 0

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
            "over_budget": self.over_budget,
            "max_take_bytes": self.max_take_bytes,
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
                _stamps(document["recent"]),
                document["max_file_bytes"],
                _stamps(document.get("over_budget", {})),
                document.get("max_take_bytes", 0),
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None


def _stamps(found: dict[str, list[int]]) -> dict[str, tuple[int, int, int, int]]:
    return {path: (c, m, s, b) for path, (c, m, s, b) in found.items()}


def forget(index: Path) -> None:
    """Delete an index with its cache and lock, so that the next take stages anew."""
    for file in (index, state_file(index), lock_file(index)):
        file.unlink(missing_ok=True)


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

"""The cache beside a project's git index: what the last take saw of the working directory.

It describes one state of that index, named by the index's checksum. Where the two do not
belong together, the cache is dropped and made anew, and so it is where it is not as it was written:
a directory that it did not name would be one that nobody looks at.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.fs.walking import remove_folder
from hermes_checkpoints.model import SkippedPath
from hermes_checkpoints.object_store.directories import DirectoryRecord
from hermes_checkpoints.object_store.git_index import index_checksum, lock_file
from hermes_checkpoints.object_store.listings import excludes_file
from hermes_checkpoints.object_store.meta import MOST_IGNORED_PATHS, TreeMeta, UsualModes
from hermes_checkpoints.object_store.tracked import TrackedState

_VERSION = 3


def state_file(index: Path) -> Path:
    """Return where the cache of an index lies."""
    return index.with_name(index.name + ".state")


@dataclass(frozen=True)
class StageState:
    """What the last take saw. ``tree_id`` is the tree of the index with this checksum.

    ``recent`` has the stamps of files that had changed just before. Git compares whole seconds,
    so it misses a second change of status within the same one. ``max_file_bytes`` is the limit
    that was in force. ``rule_files`` are the .gitignore files that a rule leaves out, with the
    stamp of each, or None where it had changed just before. ``repositories`` are the directories
    that have a ``.git``; ``worktrees`` and ``meant`` are those of the rules, and ``tracked`` is
    what the project's own git tracks. ``over_budget`` has the stamps of the files that were left
    out for the bytes of a take, and ``max_take_bytes`` is the largest limit by which one of them
    was. ``owners`` are those of the files with a set-id bit. ``permissions`` names whose they were
    that looked. ``others`` are the files that git lists as new though the index was brought up to
    date, those that are left out for their size among them; None where git must be asked.
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
    rule_files: dict[str, tuple[int, int, int, int] | None] = field(default_factory=dict)
    repositories: frozenset[str] = frozenset()
    worktrees: frozenset[str] = frozenset()
    meant: frozenset[str] = frozenset()
    tracked: TrackedState = field(default_factory=TrackedState)
    over_budget: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    max_take_bytes: int = 0
    owners: dict[str, tuple[int, int]] = field(default_factory=dict)
    permissions: str = ""
    others: tuple[str, ...] | None = None

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
            "directories": self.directories,
            "ignored_paths": self.ignored_paths,
            "specials": sorted(self.specials),
            "recent": self.recent,
            "max_file_bytes": self.max_file_bytes,
            "rule_files": self.rule_files,
            "repositories": sorted(self.repositories),
            "worktrees": sorted(self.worktrees),
            "meant": sorted(self.meant),
            "tracked": {
                "stamps": self.tracked.stamps,
                "digest": self.tracked.digest,
                "held": sorted(self.tracked.held),
                "absent": sorted(self.tracked.absent),
                "unread": self.tracked.unread,
            },
            "over_budget": self.over_budget,
            "max_take_bytes": self.max_take_bytes,
            "owners": self.owners,
            "permissions": self.permissions,
            "others": self.others,
        }
        text = json.dumps(document, separators=(",", ":")).encode()
        write_atomically(state_file(index), sealed(text))

    @classmethod
    def load(cls, index: Path) -> StageState | None:
        """Read the cache of ``index``, or return None where it is missing or of another state."""
        try:
            document = json.loads(unsealed(state_file(index).read_bytes()))
            if document["version"] != _VERSION or document["checksum"] != index_checksum(index):
                return None
            tracked = document["tracked"]
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
                {p: _four(stamp) for p, stamp in document["recent"].items()},
                document["max_file_bytes"],
                {p: None if s is None else _four(s) for p, s in document["rule_files"].items()},
                frozenset(document["repositories"]),
                frozenset(document["worktrees"]),
                frozenset(document["meant"]),
                TrackedState(
                    {p: _four(stamp) for p, stamp in tracked["stamps"].items()},
                    tracked["digest"],
                    frozenset(tracked["held"]),
                    frozenset(tracked["absent"]),
                    tuple(tracked["unread"]),
                ),
                {p: _four(stamp) for p, stamp in document["over_budget"].items()},
                document["max_take_bytes"],
                {path: (user, group) for path, (user, group) in document["owners"].items()},
                document["permissions"],
                None if document["others"] is None else tuple(document["others"]),
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None


def sealed(text: bytes) -> bytes:
    """Return a text with a line below it by which ``unsealed`` knows that nothing of it changed.

    >>> unsealed(sealed(b"{}"))
    b'{}'
    """
    return b"%s\n%08x\n" % (text, zlib.crc32(text))


def unsealed(data: bytes) -> bytes:
    """Return the text that was sealed.

    Raises:
        ValueError: when it is not as it was written.
    """
    text, _, seal = data.removesuffix(b"\n").rpartition(b"\n")
    if int(seal, 16) != zlib.crc32(text):
        raise ValueError("it is not as it was written")
    return text


def _four(stamp: list[int]) -> tuple[int, int, int, int]:
    first, second, third, fourth = stamp
    return first, second, third, fourth


def forget(index: Path) -> None:
    """Delete an index with its cache and lock, so that the next take stages anew. A folder in the
    place of one goes, too."""
    for file in (index, state_file(index), lock_file(index), excludes_file(index)):
        if file.is_dir() and not file.is_symlink():
            remove_folder(file)
        else:
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
        owners=state.owners,
    )

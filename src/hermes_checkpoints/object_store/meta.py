"""What git's tree cannot hold of a working directory, kept beside the tree in each commit.

That is: full permission bits, directories (empty ones too), and the paths that were left out
with the reason. The form is canonical JSON, so that an unchanged fact is the same blob in
every checkpoint, and ``state_id`` names tree and facts together: two equal ids are two equal
states of a working directory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.object_store.git_objects import EXECUTABLE_MODE

VERSION = 1
MOST_IGNORED_PATHS = 2_000

_TRANSIENT = {SkipReason.VANISHED}
_ALL_BITS = 0o7777
_MOST = 2**63 - 1
_ELSEWHERE = re.compile(r"(?:^|[/\0])(?:\.{0,2}|\.[gG][iI][tT])(?=[/\0]|\Z)")
"""A part of one of several paths, with a NUL between them, by which it would lead elsewhere."""


@dataclass(frozen=True)
class UsualModes:
    """The permission bits that go without saying, so that only exceptions are listed."""

    file: int = 0o644
    executable: int = 0o755
    directory: int = 0o755

    def of(self, git_mode: int) -> int:
        """Return the usual bits of a file with git's mode."""
        return self.executable if git_mode == EXECUTABLE_MODE else self.file

    def of_bits(self, bits: int) -> int:
        """Return the usual bits of a file that is as executable as these bits say."""
        return self.executable if bits & 0o100 else self.file


@dataclass(frozen=True)
class TreeMeta:
    """The facts beside a tree.

    ``files`` maps a path to its permission bits where they are not the usual ones;
    ``directories`` maps every directory but the root to its bits. ``ignored_paths`` are the
    entries that a rule left out, an ignored directory as one that ends in ``/``; ``ignored``
    counts them all, also where they are too many to be listed. ``absent`` are paths that were
    looked for and not there, of a checkpoint that tells of named paths alone; a directory that was
    missing above one is among them. ``owners`` are the user and group of each file that has a
    set-id bit, as far as they are known. Not ``recorded`` are the facts of
    a checkpoint of an earlier layout, which kept nothing beside its tree: then neither
    permission bits nor what was left out are known.
    """

    usual: UsualModes = UsualModes()
    files: Mapping[str, int] = field(default_factory=dict)
    directories: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[SkippedPath, ...] = ()
    ignored_paths: tuple[str, ...] = ()
    ignored: int = 0
    recorded: bool = True
    absent: tuple[str, ...] = ()
    owners: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def ignored_known(self) -> bool:
        """Tell whether ``ignored_paths`` lists every ignored entry."""
        return self.recorded and self.ignored == len(self.ignored_paths)

    def assuming(self, other: TreeMeta) -> TreeMeta:
        """Return these facts; where they were not recorded, with the permission bits that
        another state has, so that nothing differs in what is not known."""
        if self.recorded or not other.recorded:
            return self
        return replace(
            self,
            usual=other.usual,
            files=other.files,
            directories={
                path: other.directories.get(path, other.usual.directory)
                for path in self.directories
            },
        )

    def bits(self, path: str, git_mode: int) -> int:
        """Return the permission bits of a captured file."""
        bits = self.files.get(path)
        executable = git_mode == EXECUTABLE_MODE
        if bits is None or (not self.recorded and bool(bits & 0o100) != executable):
            return self.usual.of(git_mode)
        return bits

    def encode(self) -> bytes:
        """Return the canonical form that is stored in git."""
        ignored = {"ignored": self.ignored, "ignored_paths": list(self.ignored_paths)}
        return _canonical(self._document(sizes=True) | ignored)

    def state_id(self, tree_id: str) -> str:
        """Return the name of tree and facts together.

        Sizes of skipped files and the ignored entries are left out of it: a log that
        grows is no change of the working directory.
        """
        return hashlib.sha256(
            tree_id.encode() + b"\0" + _canonical(self._document(sizes=False))
        ).hexdigest()[:40]

    def _document(self, *, sizes: bool) -> dict[str, Any]:
        usual = self.usual.directory
        skipped = [
            [s.path, s.reason.value, s.bytes] if sizes else [s.path, s.reason.value]
            for s in sorted(self.skipped, key=lambda s: (s.path, s.reason))
            if sizes or s.reason not in _TRANSIENT
        ]
        return {
            **({} if self.recorded else {"recorded": False}),
            **({"absent": sorted(self.absent)} if self.absent else {}),
            **({"owners": {p: list(o) for p, o in self.owners.items()}} if self.owners else {}),
            "version": VERSION,
            "usual": [self.usual.file, self.usual.executable, usual],
            "files": dict(self.files),
            "directories": sorted(self.directories),
            "directory_modes": {p: m for p, m in self.directories.items() if m != usual},
            "skipped": skipped,
        }

    @classmethod
    def decode(cls, data: bytes) -> TreeMeta:
        """Read what ``encode`` wrote.

        Raises:
            StoreDamaged: when the blob is not of this form.
        """
        try:
            document = json.loads(data)
            if document["version"] > VERSION:
                raise StoreDamaged(
                    "a checkpoint was written by a newer version; upgrade the package"
                )
            file, executable, directory = _bits(document["usual"])
            files, modes = document["files"], document["directory_modes"]
            _bits(files.values())
            _places(list(files))
            _bits(modes.values())
            owners = document.get("owners", {})
            return cls(
                UsualModes(file, executable, directory),
                files,
                {path: modes.get(path, directory) for path in _places(document["directories"])},
                tuple(
                    SkippedPath(p, SkipReason(r), b if b is None else _number(b))
                    for p, r, b in document["skipped"]
                    if _texts([p])
                ),
                tuple(_texts(document["ignored_paths"])),
                _number(document["ignored"]),
                bool(document.get("recorded", True)),
                tuple(_texts(document.get("absent", []))),
                {p: (_number(user), _number(group)) for p, (user, group) in owners.items()},
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise StoreDamaged(f"the facts beside a checkpoint's tree are damaged: {error}") from (
                error
            )


def _bits(found: Iterable[Any]) -> list[int]:
    """Return permission bits; what a remote or a damaged store says may be anything.

    Raises:
        ValueError: when one is none.
    """
    bits = list(found)
    if not all(type(one) is int and 0 <= one <= _ALL_BITS for one in bits):
        raise ValueError("permission bits are whole numbers of 12 bits")
    return bits


def _number(found: Any) -> int:
    """Return a size or a count.

    Raises:
        ValueError: when it is none.
    """
    if type(found) is not int or not 0 <= found <= _MOST:
        raise ValueError(f"{str(found)[:40]!r} is no size and no count")
    return found


def _texts(found: Any) -> list[str]:
    """Return texts that could be paths.

    Raises:
        ValueError, TypeError: when one is none.
    """
    if not isinstance(found, list):
        raise TypeError("paths are a list")
    os.fsencode("".join(found))
    return found


def _places(found: Any) -> list[str]:
    """Return paths that lie below a directory, whoever made them up.

    Raises:
        ValueError, TypeError: when one does not.
    """
    paths = _texts(found)
    joined = "\0".join(paths)
    if joined.count("\0") >= max(1, len(paths)) or (paths and _ELSEWHERE.search(joined)):
        raise ValueError("a path leads out of what was captured")
    return paths


def usual_modes(files: Iterable[int], directories: Iterable[int]) -> UsualModes:
    """Return the most common permission bits of these files and directories."""
    default = UsualModes()
    plain = [bits for bits in files if not bits & 0o100]
    executable = [bits for bits in files if bits & 0o100]
    return UsualModes(
        _most_common(plain, default.file),
        _most_common(executable, default.executable),
        _most_common(list(directories), default.directory),
    )


def _most_common(bits: list[int], default: int) -> int:
    counts = Counter(bits)
    return max(counts, key=lambda b: (counts[b], b == default, -b), default=default)


def _canonical(document: dict[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode("ascii")

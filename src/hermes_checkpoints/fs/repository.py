"""Reads what the repository that a directory belongs to says of itself, from its files alone.

No git runs here and no setting is obeyed: whoever can write in a project can write in its
``.git``, so that what is read are names and ids, nothing else. gitrepository-layout(5) has the
form of the files.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.model import Head
from hermes_checkpoints.model.paths import GIT_NAME

_MOST_PACKED = 1 << 26
_MOST_LINE = 1 << 13  # more than the longest path that a system opens
_CHAIN = 5
_ID = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_POINTER = b"gitdir:"
_SYMBOLIC = b"ref:"
_BRANCHES = "refs/heads/"


@dataclass(frozen=True)
class Repository:
    """A repository that has a working directory.

    ``top`` is the root of that, ``git_dir`` has its HEAD and index, and ``common_dir`` what all
    linked worktrees share: refs, config and ``info/exclude``.
    """

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def index(self) -> Path:
        """The index of this working directory, which need not exist."""
        return self.git_dir / "index"

    @property
    def excludes(self) -> Path:
        """The patterns of this clone alone, a file that need not exist."""
        return self.common_dir / "info" / "exclude"

    @property
    def config(self) -> Path:
        """The configuration, which is not to be obeyed."""
        return self.common_dir / "config"

    @property
    def objects(self) -> Path:
        """The folder of its objects, which need not exist."""
        return self.common_dir / "objects"

    def subdirectory(self, directory: Path) -> str:
        """Return where a resolved directory lies in the working directory, "" at its top.

        Raises:
            ValueError: when it lies elsewhere.
        """
        inside = directory.relative_to(self.top).as_posix()
        return "" if inside == "." else inside

    def head(self) -> Head:
        """Return where the repository stands; what cannot be read is not known."""
        text = _line(self.git_dir / "HEAD")
        branch: str | None = None
        for _ in range(_CHAIN):
            if not text.startswith(_SYMBOLIC):
                break
            name = os.fsdecode(text[len(_SYMBOLIC) :].strip())
            if not _is_ref(name):
                return Head(None, branch)
            if branch is None and name.startswith(_BRANCHES):
                branch = name.removeprefix(_BRANCHES)
            text = _line(self.common_dir / name)
            if not text:
                packed = self._packed(name)
                if packed is None:
                    return Head()
                text = packed
        found = _ID.fullmatch(text)
        commit = found[0].decode() if found else None
        unknown = branch == ".invalid"  # what reftable leaves in HEAD
        return Head(commit, None if unknown else branch)

    def _packed(self, name: str) -> bytes | None:
        """Return the id that ``packed-refs`` has for a ref, nothing where it has none, and None
        where it cannot be told."""
        file = self.common_dir / "packed-refs"
        text = small_contents(file, _MOST_PACKED)
        if not text and _has_bytes(file):
            return None
        # Its own line alone ends so; the file may have a million lines.
        end = text.find(b" " + os.fsencode(name) + b"\n")
        return b"" if end < 0 else text[text.rfind(b"\n", 0, end) + 1 : end]


def head_of(directory: Path) -> Head:
    """Return where the repository stands that a resolved directory belongs to; nothing is known
    where there is none."""
    found = enclosing(directory)
    return Head() if found is None else found.head()


def enclosing(directory: Path) -> Repository | None:
    """Return the repository that a resolved directory belongs to, as git finds it: at the nearest
    directory at or above it, on the same filesystem, that has a ``.git``; or None."""
    device = _device(directory)
    for folder in (directory, *directory.parents):
        if _device(folder) != device:
            return None
        found = repository_at(folder)
        if found is not None:
            return found
    return None


def repository_at(folder: Path) -> Repository | None:
    """Return the repository whose working directory has its root at ``folder``, or None. Linked
    worktrees and submodules have a file there that points to the folder of their repository."""
    git = folder / GIT_NAME
    if os.path.isdir(git):
        git_dir = Path(os.path.realpath(git))
    else:
        pointer = _line(git)
        if not pointer.startswith(_POINTER):
            return None
        git_dir = _join(folder, pointer[len(_POINTER) :])
    if not os.path.isfile(git_dir / "HEAD"):
        return None
    shared = _line(git_dir / "commondir")
    return Repository(folder, git_dir, _join(git_dir, shared) if shared else git_dir)


def _line(file: Path) -> bytes:
    """Return what a file of one line says; nothing where it cannot be read or names no path."""
    text = small_contents(file, _MOST_LINE).strip()
    return b"" if b"\0" in text else text


def _join(folder: Path, name: bytes) -> Path:
    """Return what a pointer in ``folder`` names, resolved; it need not exist."""
    return Path(os.path.realpath(folder / os.fsdecode(name.strip())))


def _is_ref(name: str) -> bool:
    parts = name.split("/")
    return parts[0] == "refs" and all(part not in ("", ".", "..") for part in parts)


def _has_bytes(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def _device(folder: Path) -> int | None:
    try:
        return folder.stat().st_dev
    except OSError:
        return None

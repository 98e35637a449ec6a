"""Makes working directories of every kind, and reads them back without the package's help."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BUILT_IN_FILES = (".log",)
BUILT_IN_DIRECTORIES = ("node_modules",)


@dataclass(frozen=True)
class Seen:
    """An entry: its type and permission bits, contents or target, and time of change in ns.

    ``open`` tells whether this user could read it: for a directory, list and enter it.
    """

    mode: int
    data: bytes
    mtime: int
    open: bool = True
    size: int = 0

    @property
    def is_dir(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_special(self) -> bool:
        return stat.S_IFMT(self.mode) not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)

    @property
    def what(self) -> tuple[int, bytes]:
        """What a restore brings back."""
        return self.mode, self.data


def listing(root: Path) -> dict[str, Seen]:
    """Return every entry below ``root``, also below ``.git``, by relative path.

    Closed files and directories of this user are opened for the look and closed again.
    """
    found: dict[str, Seen] = {}
    _list(str(root), "", found)
    return found


def _list(root: str, folder: str, found: dict[str, Seen]) -> None:
    for name in sorted(os.listdir(os.path.join(root, folder))):
        path = f"{folder}/{name}" if folder else name
        absolute = os.path.join(root, path)
        info = os.lstat(absolute)
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            can = os.access(absolute, os.R_OK | os.X_OK)
            found[path] = Seen(info.st_mode, b"", info.st_mtime_ns, can)
            with _opened(absolute, info.st_mode, can):
                _list(root, path, found)
        elif kind == stat.S_IFREG:
            can = os.access(absolute, os.R_OK)
            with _opened(absolute, info.st_mode, can):
                data = _contents(absolute, info)
                found[path] = Seen(info.st_mode, data, info.st_mtime_ns, can, info.st_size)
        elif kind == stat.S_IFLNK:
            target = os.fsencode(os.readlink(absolute))
            found[path] = Seen(info.st_mode, target, info.st_mtime_ns)
        else:
            found[path] = Seen(info.st_mode, str(info.st_rdev).encode(), info.st_mtime_ns)


def _contents(absolute: str, info: os.stat_result) -> bytes:
    if info.st_size > 4 << 20:  # sparse: nobody wants to read it
        return f"{info.st_size} bytes".encode()
    return Path(absolute).read_bytes()


@contextlib.contextmanager
def _opened(absolute: str, mode: int, can: bool) -> Iterator[None]:
    if can:
        yield
        return
    os.chmod(absolute, stat.S_IMODE(mode) | 0o700)
    try:
        yield
    finally:
        os.chmod(absolute, stat.S_IMODE(mode))


def wipe(path: Path) -> None:
    """Delete whatever lies at ``path``, closed directories too."""
    if path.is_dir() and not path.is_symlink():
        _open_all(path)
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def _open_all(folder: Path) -> None:
    folder.chmod(0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _open_all(Path(entry.path))


# --- nested repositories -------------------------------------------------------------------

REPOSITORIES = ("committed", "empty", "bare", "submodule", "worktree", "garbage", "emptied")


def git(folder: Path, *arguments: str) -> str:
    """Run git as a user of the project would, with an identity and no other settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    identity = ("-c", "user.name=U", "-c", "user.email=u@example.org")
    return subprocess.run(
        ["git", *identity, "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


class Repositories:
    """Repositories to be copied into trees: making one takes many processes, copying none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        made = folder / "committed"
        made.mkdir()
        git(made, "init", "-q", "-b", "main")
        # Must not be believed of a repository that lies inside of a project.
        (made / ".git/info/exclude").write_text("*\n")
        (made / "inner.txt").write_text("inner\n")
        git(made, "add", "-f", "inner.txt")
        git(made, "commit", "-q", "-m", "one")
        empty = folder / "empty"
        empty.mkdir()
        git(empty, "init", "-q", "-b", "main")
        git(folder, "init", "-q", "--bare", "bare")

    def put(self, kind: str, place: Path) -> None:
        """Make the directory ``place`` a repository of one of the kinds."""
        inside = place / ".git"
        if kind == "bare":
            if not os.path.lexists(place / "HEAD"):
                shutil.copytree(self._folder / "bare", place, dirs_exist_ok=True)
            return
        wipe(inside)
        if kind in ("committed", "empty"):
            shutil.copytree(self._folder / kind / ".git", inside, symlinks=True)
        elif kind in ("submodule", "worktree"):
            inside.write_text(f"gitdir: {self._folder / 'committed' / '.git'}\n")
        elif kind == "garbage":
            inside.mkdir()
            (inside / "junk").write_bytes(b"\0junk")
        else:
            inside.write_bytes(b"")

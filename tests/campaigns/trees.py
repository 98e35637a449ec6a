"""What lies in a directory, as the campaigns themselves see it, and random changes of it."""

from __future__ import annotations

import os
import random
import shutil
import stat
from pathlib import Path

Entry = tuple[str, int, bytes]
"""Kind (``file``, ``link`` or ``dir``), permission bits (0 for a link), contents or target."""

Tree = dict[str, Entry]
"""Entries by path. The directory's own ``.git`` is none of them."""

LEFTOVER = ".hermes-restore-"
"""How names begin that a restore needs for a moment."""

IGNORED = ".log"
"""What the ``.gitignore`` of the corpus leaves out ends like this."""


def look(folder: Path, *, git: bool = False) -> Tree:
    """Return all that lies below a folder; with ``git``, the ``.git`` at its top as well."""
    found: Tree = {}
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            entries = list(os.scandir(folder / above))
        except FileNotFoundError:
            continue
        for entry in entries:
            path = f"{above}/{entry.name}" if above else entry.name
            if path == ".git" and not git:
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                found[path] = ("link", 0, os.fsencode(os.readlink(folder / path)))
            elif stat.S_ISDIR(mode):
                found[path] = ("dir", stat.S_IMODE(mode), b"")
                waiting.append(path)
            elif stat.S_ISREG(mode):
                found[path] = ("file", stat.S_IMODE(mode), (folder / path).read_bytes())
            else:
                found[path] = ("special", stat.S_IMODE(mode), b"")
    return found


def captured(tree: Tree) -> Tree:
    """Return what of a tree a checkpoint must hold."""
    return {path: entry for path, entry in tree.items() if not path.endswith(IGNORED)}


def without_leftovers(tree: Tree) -> Tree:
    return {path: entry for path, entry in tree.items() if LEFTOVER not in path}


def differing(one: Tree, other: Tree) -> list[str]:
    """Return the paths at which two trees differ."""
    return sorted(p for p in one.keys() | other.keys() if one.get(p) != other.get(p))


def empty(folder: Path) -> None:
    """Remove all that lies in a folder; the folder itself stays the same one."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def mutate(folder: Path, chance: random.Random, count: int = 4) -> None:
    """Make ``count`` random changes below a folder: contents, modes, links, names, directories."""
    for _ in range(count):
        tree = look(folder)
        files = sorted(p for p, e in tree.items() if e[0] == "file" and p != ".gitignore")
        folders = ["", *sorted(p for p, e in tree.items() if e[0] == "dir")]
        act = chance.randrange(9)
        name = f"n{chance.randrange(40)}"
        above = chance.choice(folders)
        new = folder / above / name
        if act in (0, 1) or not files:
            if not os.path.lexists(new):
                new.write_bytes(chance.randbytes(chance.choice((0, 1, 300, 5000))))
        elif act in (2, 3):
            file = folder / chance.choice(files)
            file.chmod(file.stat().st_mode | 0o200)
            file.write_bytes(b"%d\n" % chance.randrange(1000) * chance.randrange(1, 90))
        elif act == 4:
            (folder / chance.choice(files)).unlink()
        elif act == 5:
            (folder / chance.choice(files)).chmod(chance.choice((0o644, 0o755, 0o600, 0o444)))
        elif act == 6:
            if not os.path.lexists(new):
                new.symlink_to(chance.choice(("README.md", "../outside/sentinel", "nowhere")))
        elif act == 7:
            if not os.path.lexists(new):
                (folder / chance.choice(files)).rename(new)
        elif not os.path.lexists(new):
            new.mkdir()
            (new / "inner").write_bytes(b"inner %d\n" % chance.randrange(99))
        elif new.is_dir() and not new.is_symlink():
            shutil.rmtree(new)

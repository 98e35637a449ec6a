"""Makes objects leave the places that no gc touches: packs of what is kept of damaged checkpoints,
and damaged files that were moved aside.

The caller has the store alone and has collected it: what is still there then, and no ref reaches,
lies in such a place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs.walking import remove_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store import damage
from hermes_checkpoints.object_store.quarantine import FOLDER

_PATIENCE = 40
_PARTS = (".keep", ".idx", ".rev", ".pack")
_ID_DIGITS = 40


@dataclass
class Purged:
    """What was done: ``removed`` are the files of the store, by their paths in it, that are gone
    or were written anew without the objects, ``left`` the objects that are still there."""

    removed: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)


def purge(git: Git, ids: Collection[str], live: Collection[str]) -> Purged:
    """Remove objects from kept packs and from the damaged files that were moved aside; those that
    the commits ``live`` reach stay. A damaged pack that does not tell what is in it goes as a
    whole, since it may hold any of them.

    Raises:
        GitFailed: when a kept pack cannot be read or written anew; nothing of it is lost then.
        OSError: when a file cannot be removed.
    """
    done = Purged()
    going = set(ids) - damage.reached(git, live)
    if not going:
        return done
    for keep in sorted((git.repository / "objects" / "pack").glob("*.keep")):
        if _write_without(git, keep.with_suffix(".idx"), going):
            done.removed.append(keep.with_suffix(".pack").relative_to(git.repository).as_posix())
    for path in _aside(git, going):
        name = path.relative_to(git.repository).as_posix()
        remove_folder(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        done.removed.append(name)
    done.left = set(damage.present(git, sorted(going)))
    return done


def _write_without(git: Git, index: Path, going: Collection[str]) -> bool:
    """Write a kept pack anew without some objects, if it has any of them; tell whether it had."""
    if not index.exists():
        return False
    names = _listed(git, index)
    if names.isdisjoint(going):
        return False
    staying = sorted(names - set(going))
    new = None
    if staying:
        pack = index.parent / "pack"
        stdin = "".join(f"{name}\n" for name in staying).encode()
        sum_ = git.run("pack-objects", "-q", str(pack), stdin=stdin, patience=_PATIENCE)
        new = pack.with_name(f"pack-{sum_.decode().strip()}.keep")
        new.touch()
    if new != index.with_suffix(".keep"):
        for part in _PARTS:
            index.with_suffix(part).unlink(missing_ok=True)
    return True


def _listed(git: Git, index: Path) -> set[str]:
    """Return the objects that a pack has by its index.

    Raises:
        GitFailed: when that cannot be read.
    """
    output = git.run("show-index", stdin=index.read_bytes(), patience=4)
    return {line.split()[1].decode("ascii") for line in output.splitlines()}


def _aside(git: Git, going: Collection[str]) -> Iterator[Path]:
    """Yield the damaged files that may hold any of these objects."""
    folder = git.repository / FOLDER / "objects"
    for path in sorted(folder.glob("[0-9a-f][0-9a-f]/*")):
        if (path.parent.name + path.name)[:_ID_DIGITS] in going:
            yield path
    packs = sorted((folder / "pack").glob("*"))
    sound = {path.name.partition(".")[0] for path in packs if _has_none(git, path, going)}
    for path in packs:
        if path.name.partition(".")[0] not in sound:
            yield path
    for path in sorted(folder.glob("*")):
        if path.name != "pack" and not (path.is_dir() and len(path.name) == 2):
            yield path


def _has_none(git: Git, path: Path, going: Collection[str]) -> bool:
    """Tell whether a file is an index that can be read and lists none of these objects."""
    if ".idx" not in path.name:
        return False
    try:
        return _listed(git, path).isdisjoint(going)
    except GitTimedOut:
        raise
    except (GitFailed, OSError, ValueError, IndexError):
        return False

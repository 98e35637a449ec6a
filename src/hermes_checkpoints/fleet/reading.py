"""Reads what a remote has, by git, into a bare repository that is kept for the next time.

It has commits alone, and can be deleted at any time: then they are fetched again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import RemoteFailed, base_errors
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import RemoteCheckpoint
from hermes_checkpoints.remote.cache import listing, make_bare
from hermes_checkpoints.remote.elected import Elected
from hermes_checkpoints.remote.reading import (
    CURSORS,
    LISTED,
    checkpoint_of,
    cursors_in,
    fetch,
    listed_in,
    parts_of,
)
from hermes_checkpoints.remote_config import RefNamespace

_SETTINGS = {"fetch.fsckObjects": "false"}
"""Nothing is ever made of what comes, and what commits tell is checked one by one. Git would refuse
all that a remote has for one odd commit of one machine."""


class Place(NamedTuple):
    """A directory of a machine on a remote: what its refs begin with, the machine, and the hash of
    the project."""

    prefix: str
    machine: str
    project_hash: str


class Ref(NamedTuple):
    """A ref of a checkpoint on a remote: its place, the last part of its name, and its commit."""

    place: Place
    name: str
    commit: str

    @property
    def full_name(self) -> str:
        """Its name on the remote."""
        place = self.place
        return f"{place.prefix}{place.machine}/{place.project_hash}/{self.name}"


@dataclass(frozen=True)
class Listing:
    """What a remote has: its refs, and what each place is called by its machine. ``is_new`` says
    that the cache was made for it just now."""

    git: Git
    to: Elected
    refs: tuple[Ref, ...]
    names: dict[Place, str]
    is_new: bool

    def read(self, refs: Iterable[Ref]) -> dict[Ref, RemoteCheckpoint | None]:
        """Return what the commits of some of its refs tell; None for one that is malformed, and not
        for one that the cache has lost: that is fetched again.

        Raises:
            RemoteFailed: when it cannot be fetched.
            GitTimedOut.
        """
        with self.git.blobs() as reader:
            found = _read(reader, refs)
            bad = [ref for ref, one in found.items() if one is None]
            lost = not self.is_new and reader.lacking([ref.commit for ref in bad])
        if lost:
            _fetch_anew(self.git, self.to)
            with self.git.blobs() as reader:
                found |= _read(reader, bad)
        return found


@contextmanager
def listed(base: Base, to: Elected, digits: str) -> Iterator[Listing]:
    """Fetch the commits of a remote, and yield what it has; ``digits`` are the name of its cache,
    which nobody else uses meanwhile.

    Raises:
        RemoteFailed: or what it is in particular.
        LockHeld: when another process of this home reads the remote.
        BaseUnwritable, NoSpace, GitMissing, GitFailed: when it is this base that cannot.
    """
    lock = base.layout.fleet_lock(digits)
    with exclusive(lock, purpose="indexing a remote", timeout=0) as own:
        place = base.layout.fleet / f"{digits}.git"
        git = Git(place, base.lock_timeout, locks=(own,))
        is_new = not place.exists()
        try:
            _fetch(git, to)
        except RemoteFailed:
            if is_new or not _answers(git, to):
                raise
            is_new = True  # the cache is damaged: the remote answers
            _fetch_anew(git, to)
        yield Listing(git, to, _refs(git), _names(git), is_new)


def _read(reader: BlobReader, refs: Iterable[Ref]) -> dict[Ref, RemoteCheckpoint | None]:
    wanted = [*refs]
    reader.expect(ref.commit for ref in wanted)
    return {
        ref: checkpoint_of(reader, ref.full_name, ref.commit, ref.place.prefix) for ref in wanted
    }


def _fetch_anew(git: Git, to: Elected) -> None:
    with base_errors(git.repository):
        shutil.rmtree(git.repository)
    _fetch(git, to)


def _fetch(git: Git, to: Elected) -> None:
    with base_errors(git.repository):
        make_bare(git.repository)
        _remove_locks(git.repository)
    fetch(listing(to, git).with_settings(_SETTINGS), [*_specs()])
    git.run("pack-refs", "--all")  # a file for each ref would take more space than all else


def _refs(git: Git) -> tuple[Ref, ...]:
    """Return the refs of checkpoints in the cache; of the same commit twice in one place the first
    one, which is one row."""
    found: dict[tuple[Place, str], Ref] = {}
    for namespace in RefNamespace:
        known = listed_in(git, namespace.prefix, _below(LISTED, namespace))
        for name, commit in known.items():
            machine, project = parts_of(name, namespace.prefix)
            ref = Ref(Place(namespace.prefix, machine, project), name.rpartition("/")[2], commit)
            first = found.setdefault((ref.place, commit), ref)
            if ref.name < first.name:
                found[ref.place, commit] = ref
    return tuple(found.values())


def _names(git: Git) -> dict[Place, str]:
    """Return what machines call themselves, by the cursors in the cache."""
    found = {}
    for namespace in RefNamespace:
        with git.blobs() as reader:
            for one in cursors_in(git, reader, _below(CURSORS, namespace)):
                place = Place(namespace.prefix, one.machine, one.project_hash)
                found[place] = one.machine_name
    return found


def _specs() -> Iterator[str]:
    """Yield what is fetched: both namespaces, since each machine has its own configuration."""
    for namespace in RefNamespace:
        yield f"+{namespace.prefix}*:{_below(LISTED, namespace)}*"
        yield f"+{namespace.cursor_prefix}*:{_below(CURSORS, namespace)}*"


def _below(prefix: str, namespace: RefNamespace) -> str:
    return f"{prefix}{namespace.value}/"


def _answers(git: Git, to: Elected) -> bool:
    """Tell whether the remote answers, where a fetch from it failed."""
    try:
        listing(to, git).run("ls-remote", "--", to.url, "refs/heads/none")
    except RemoteFailed:
        return False
    return True


def _remove_locks(place: Path) -> None:
    """Remove locks of a git that was killed; none runs here, since it would hold our lock."""
    for folder, _, files in os.walk(place):
        for name in files:
            if name.endswith(".lock"):
                Path(folder, name).unlink(missing_ok=True)

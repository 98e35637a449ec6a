"""Brings the contents of a checkpoint that only the remote has: whole, and at once.

One git fetches into a folder of its own, which can read the store: so only what is new here comes
over the line. Nothing is locked meanwhile. Then the pack is moved into the store, beside others who
work with it, and a ref below ``refs/fetched/`` holds the checkpoint there until a prune.

It is none of this base: the ref is no checkpoint's, and the row is in a table of its own. Nothing
is fetched later, while something is read or restored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hermes_checkpoints.base.fetched import fetched_checkpoint, is_held, place_of
from hermes_checkpoints.base.lookup import Reference
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import (
    PROGRAM,
    BadRequest,
    CheckpointAmbiguous,
    CheckpointUnknown,
    GitFailed,
    GitTimedOut,
    RemoteFailed,
    RemoteOff,
    RemoteRefused,
    StoreDamaged,
    base_errors,
)
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import (
    Checkpoint,
    FetchedRef,
    JournalEntry,
    OperationKind,
    OperationOutcome,
    Remote,
    RemoteCheckpoint,
)
from hermes_checkpoints.model.paths import is_git_name
from hermes_checkpoints.object_store import ref_files
from hermes_checkpoints.object_store.bulk import bring_packs
from hermes_checkpoints.object_store.damage import incomplete, reach
from hermes_checkpoints.object_store.maintenance import delete_refs
from hermes_checkpoints.object_store.raw_tree import parse_tree
from hermes_checkpoints.remote.cache import REMOTE, make_bare
from hermes_checkpoints.remote.elected import Elected, elected
from hermes_checkpoints.remote.words import redacted_url

_ID = re.compile(r"[0-9a-f]{8,64}")
_GONE = re.compile(r"couldn't find remote ref")
_BROUGHT = "refs/brought"
_PATIENCE = 40
_MOST_TIPS = 20
_MOST_TRIES = 3


def fetch(base: Base, reference: Reference, named: Target | None = None) -> Checkpoint:
    """Return the checkpoint of the remote with this id, or the only one whose id begins so, with
    its contents in the store. Where they are there already, nobody is asked. ``named`` is the
    project whose remote is meant, where each has its own.

    Raises:
        BadRequest: when it is no id, or has fewer than eight digits.
        CheckpointUnknown: when the list of the remote does not have it.
        CheckpointAmbiguous: when several begin so.
        RemoteOff: when there is no remote, or another one than the list is of.
        RemoteFailed: or what it is in particular, when it cannot be had.
        BaseUnwritable, NoSpace, LockHeld, StoreDamaged, GitFailed: when it is this base that
            cannot.
    """
    given: object = reference.id if isinstance(reference, Checkpoint) else reference
    text = given.strip().lower() if isinstance(given, str) else ""
    if not _ID.fullmatch(text):
        raise BadRequest(
            f"{given!r} is no id of a checkpoint: give at least 8 digits of it, as text"
        )
    listed = base.catalog.elsewhere.find(text)
    ids = {one.id for one in listed} | {one.id for one in base.catalog.fetched.find(text)}
    if len(ids) > 1:
        told = ", ".join(one[:12] for one in sorted(ids)[:5])
        raise CheckpointAmbiguous(f"the id {text} is ambiguous ({told}); give more digits")
    for id_ in ids:
        if (found := _here(base, id_)) is not None:
            return found
    if not listed:
        raise CheckpointUnknown(
            f"Checkpoint '{text}' is neither here nor in the list of the remote; `{PROGRAM} pull` "
            "brings that up to date"
        )
    base.require_writable()
    return _Fetch.of(base, listed[0], named).done()


def _here(base: Base, id_: str) -> Checkpoint | None:
    """Return a checkpoint whose contents are all in the store; what was fetched of one that the
    store does not have whole any more is let go."""
    known = base.catalog.fetched.get(id_)
    if known is None:
        return None
    if is_held(base, known) and reach(base.store.git, [id_])[1]:
        return fetched_checkpoint(base, id_)
    if not base.read_only:
        with base.store_together() as git:
            delete_refs(git, [known.ref_name])
        base.catalog.fetched.remove([known.ref_name])
    return None


@dataclass(frozen=True)
class _Fetch:
    """One fetch of the contents of one checkpoint."""

    base: Base
    to: Elected
    remote: Remote
    wanted: RemoteCheckpoint
    named: Target | None

    @classmethod
    def of(cls, base: Base, wanted: RemoteCheckpoint, named: Target | None) -> _Fetch:
        to = elected(base, named)
        shown = redacted_url(to.url)
        remote = base.catalog.remotes.find(shown)
        if remote is None or remote._row != wanted._remote:
            raise RemoteOff(
                f"checkpoint {wanted.short_id} is in the list of another remote than {shown}, and "
                f"no other is asked; `{PROGRAM} pull` brings the list of this one"
            )
        return cls(base, to, remote, wanted, named)

    def done(self) -> Checkpoint:
        """Fetch, move what came into the store, and record it."""
        base, started = self.base, self.base.now()
        entry = JournalEntry(OperationKind.FETCH, started, self.wanted.working_dir)
        try:
            self._keep()
        except (RemoteFailed, StoreDamaged) as error:
            failed = OperationOutcome.FAILED
            base.journal(replace(entry, outcome=failed, code=error.code, message=str(error)))
            raise
        told = f"checkpoint {self.wanted.short_id} from {self.remote.url}"
        base.journal(replace(entry, outcome=OperationOutcome.DONE, message=told))
        return fetched_checkpoint(base, self.wanted.id)

    def _keep(self) -> None:
        """Bring the contents, until the store has them all and holds them."""
        self.base.store.ensure(self.base.config.exclude)
        tips = self._tips()
        for _ in range(_MOST_TRIES):
            with self._bare() as git:
                came = self._came(git, tips)
                if came and self._is_moved(git):
                    return
            tips = []  # what was to be here already has gone since, or was not whole
        raise StoreDamaged(
            f"checkpoint {self.wanted.short_id} cannot be had whole from {self.remote.url}: what "
            f"came lacks a part of it; `{PROGRAM} doctor` tells whether this store is sound"
        )

    def _tips(self) -> list[str]:
        """Return checkpoints that are here and on the remote, so that what they hold need not
        come."""
        known = [one.id for one in self.base.catalog.fetched.all()[-_MOST_TIPS:]]
        if self.named is not None:
            last = self.base.catalog.remotes.last_sent(self.remote, self.named.hash)
            known += [] if last is None else [last.id]
        if not known:
            return []
        lacking = incomplete(self.base.store.git, {one: one for one in known})
        return [one for one in known if one not in lacking]

    @contextmanager
    def _bare(self) -> Iterator[Git]:
        """Lend a repository for what comes, which can read the store."""
        place = self.base.layout.scratch
        with base_errors(place), scratch_folder(place, SCRATCH_PREFIX) as folder:
            bare = folder / "brought.git"
            make_bare(bare, borrowing=self.base.layout.store / "objects")
            yield Git(bare, self.base.lock_timeout)

    def _came(self, git: Git, tips: list[str]) -> bool:
        """Fetch into a repository; tell whether all of it is there now. A prune may sweep the
        folder away meanwhile, as what a dead one left.

        Raises:
            RemoteRefused: when the remote has the checkpoint no longer.
            RemoteFailed: or what it is in particular.
        """
        network = self.to.git(git).with_settings(
            {
                f"remote.{REMOTE}.url": self.to.url,
                "core.alternateRefsPrefixes": "refs/nowhere/",
                "fetch.unpackLimit": "1",
            }
        )
        options = ["--no-tags", "--no-write-fetch-head", "--progress"]
        options += [f"--negotiation-tip={one}" for one in tips]
        spec = f"+{self.wanted.ref_name}:{_BROUGHT}"
        try:
            network.run("fetch", *options, "--", REMOTE, spec)
        except RemoteFailed as error:
            if self._is_swept(git):
                return False
            if _GONE.search(str(error)):
                raise self._gone() from error
            raise
        refs = ref_files.read(git.repository).named
        if refs.get(_BROUGHT) != self.wanted.id:
            if self._is_swept(git):
                return False
            raise self._gone()
        try:
            of_git = _holds_what_is_of_git(git)
        except GitTimedOut:
            raise
        except (GitFailed, StoreDamaged):
            return False
        if of_git:
            raise RemoteFailed(
                f"checkpoint {self.wanted.short_id} on {self.remote.url} is none: it holds a path "
                "of git's own, which is never captured; it was not fetched"
            )
        return True

    def _is_swept(self, git: Git) -> bool:
        """Tell whether the folder was swept away; a prune that is at it is waited for."""
        with self.base.store_together():
            parts = (git.repository / "HEAD", git.repository / "objects" / "info" / "alternates")
            return not all(part.is_file() for part in parts)

    def _gone(self) -> RemoteRefused:
        return RemoteRefused(
            f"checkpoint {self.wanted.short_id} is not on {self.remote.url} any more; "
            f"`{PROGRAM} pull` brings the list up to date"
        )

    def _is_moved(self, git: Git) -> bool:
        """Move what came into the store, give it its ref, and record that, before any prune sees
        one without the other; False where the store does not have the checkpoint whole then."""
        store, id_ = self.base.layout.store, self.wanted.id
        ref = place_of(self.wanted.machine, self.wanted.ref_name)
        came = git.repository / "objects" / "pack"
        with self.base.store_together() as own, base_errors(self.base.layout.base):
            size = directory_bytes(came)
            bring_packs(came, store / "objects" / "pack")
            if not reach(own, [id_])[1]:
                return False
            _hold(own, ref, id_)
            self.base.catalog.fetched.add(FetchedRef(id_, ref, self.base.now(), size))
        return True


def _holds_what_is_of_git(git: Git) -> bool:
    """Tell whether something in what was brought is named ``.git``. Each tree is read once, in
    however many places it lies.

    Raises:
        GitFailed, StoreDamaged: when it is not whole.
    """
    words = ("--objects", "--no-object-names", "--filter=blob:none", _BROUGHT)
    _, *trees = git.run("rev-list", *words, patience=_PATIENCE).decode("ascii", "replace").split()
    with git.blobs() as reader:
        reader.expect(trees)
        read = (parse_tree(reader.read(tree)[2]) for tree in trees)
        return any(is_git_name(entry.path) for entries in read for entry in entries)


def _hold(git: Git, ref: str, id_: str) -> None:
    """Write the ref of what was fetched, unless it is there; one that leads elsewhere goes."""
    there = ref_files.read(git.repository).named.get(ref)
    if there == id_:
        return
    if there is not None:
        delete_refs(git, [ref])
    ref_files.create(git.repository, ref, id_)

"""Brings the list of what a remote has: who took which checkpoint of what, and when. No contents.

First the cursors are read, of which each machine has one for a project: they tell which of them are
of the project that is meant, also where it lies at another path there. Then the commits of these
alone are fetched, without trees. What a commit tells is checked before it is listed; what is
malformed is counted and left.

What is found stands in a table of its own, and counts in no rule of this base.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.base.machine import known_machine
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.capture.origin import origin_of
from hermes_checkpoints.errors import GitFailed, RemoteFailed, StoreDamaged
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.repository import enclosing
from hermes_checkpoints.git import BlobReader
from hermes_checkpoints.model import (
    JournalEntry,
    OperationKind,
    OperationOutcome,
    ProjectKey,
    PullResult,
    Remote,
    RemoteCheckpoint,
    RemoteScope,
)
from hermes_checkpoints.object_store.maintenance import unlock_dead
from hermes_checkpoints.object_store.ref_files import any_loose
from hermes_checkpoints.remote.cache import cache, is_damaged, listing
from hermes_checkpoints.remote.cursors import Cursor
from hermes_checkpoints.remote.elected import Elected, each_remote_of, elected
from hermes_checkpoints.remote.reading import (
    CURSORS,
    LISTED,
    by_machine,
    checkpoint_of,
    cursors_in,
    fetch,
    listed_in,
    parts_of,
)
from hermes_checkpoints.remote.words import redacted_url

_MOST_SPECS = 200
_MANY_REFS = 1_000


def pull(
    base: Base, named: Target | None = None, *, machine: str | None = None
) -> list[PullResult]:
    """Bring the list of one project, also of one that has no checkpoints here, from every machine
    or one, or of all that the remote has; return what came of it, remote by remote. What goes wrong
    with a remote is in its result, and in the journal.

    Raises:
        RemoteOff: when there is no remote.
        BaseUnwritable, NoSpace, LockHeld, GitFailed: when it is this base that cannot.
    """
    base.require_writable()
    targets = each_remote_of(base) if named is None else [named]
    return [_Pull.of(base, each, machine).done() for each in targets]


def key_of(base: Base, named: Target) -> ProjectKey:
    """Return by what a project is known on all machines. Of one that has no checkpoints here, its
    repository is looked at."""
    machine = known_machine(base.layout)
    origin = base.catalog.projects.origin(named.hash)
    if base.catalog.projects.get(named.hash) is None:
        repository = enclosing(named.path)
        if repository is not None:
            origin = origin_of(base.store.git, repository, named.path, origin)
    return ProjectKey(machine, named.hash, origin.repository, origin.subdirectory)


@dataclass(frozen=True)
class _Found:
    """What a remote has of one machine: the commits of its ``refs``, what those tell that are not
    listed yet, and how many are ``malformed``, which are not among the refs."""

    scope: RemoteScope
    refs: Mapping[str, str]
    new: Sequence[RemoteCheckpoint]
    malformed: int


@dataclass(frozen=True)
class _Pull:
    """One pull from one remote. ``key`` is the project that is meant, None for all, and ``machine``
    the one whose checkpoints are meant, None for all."""

    base: Base
    to: Elected
    remote: Remote
    key: ProjectKey | None
    machine: str | None

    @classmethod
    def of(cls, base: Base, named: Target | None, machine: str | None) -> _Pull:
        to = elected(base, named)
        remote = base.catalog.remotes.register(redacted_url(to.url), base.now())
        return cls(base, to, remote, None if named is None else key_of(base, named), machine)

    def done(self) -> PullResult:
        """Fetch, look at what is new, and list it."""
        entry = JournalEntry(OperationKind.PULL, self.base.now(), str(self.base.layout.base))
        limit = self.base.lock_timeout
        with exclusive(self.base.layout.pull_lock, purpose="reading the remote", timeout=limit):
            try:
                cursors, found = self._found_anew()
            except RemoteFailed as error:
                failed = OperationOutcome.FAILED
                self.base.journal(
                    replace(entry, outcome=failed, code=error.code, message=str(error))
                )
                return PullResult(self.remote.url, error=str(error), code=error.code)
            names = {one.machine: one.machine_name for one in cursors}
            return self._recorded(found, names, entry)

    def _found_anew(self) -> tuple[list[Cursor], list[_Found]]:
        """Look at the remote; again where it was the cache that was damaged, which is made anew."""
        try:
            return self._found()
        except (RemoteFailed, GitFailed, StoreDamaged):
            if not is_damaged(cache(self.base)):
                raise
            shutil.rmtree(self.base.layout.remote_cache, ignore_errors=True)
            return self._found()

    def _recorded(
        self, found: Sequence[_Found], names: Mapping[str, str], entry: JournalEntry
    ) -> PullResult:
        """List what was found, machine by machine, so that no take waits for long; the journal is
        told with the last one."""
        malformed = sum(one.malformed for one in found)
        total, added, gone = sum(len(one.refs) for one in found), 0, 0
        new = sum(len(one.new) for one in found)
        told = f"from {self.remote.url}: {total} checkpoints, {new} of them new"
        told += f"; {malformed} malformed" if malformed else ""
        outcome = OperationOutcome.PARTIAL if malformed else OperationOutcome.DONE
        entry = replace(entry, outcome=outcome, message=told)
        nothing = RemoteScope(self.to.config.namespace.prefix, self.machine, frozenset())
        parts = found or [_Found(nothing, {}, (), 0)]
        for number, one in enumerate(parts, 1):
            pulled = self.base.catalog.elsewhere.record_pull(
                self.remote,
                one.refs,
                one.new,
                entry if number == len(parts) else None,
                scope=one.scope,
                machine=self.to.machine,
                names={id_: name for id_, name in names.items() if id_ == one.scope.machine},
                now=self.base.now(),
                began=entry.started_at,
            )
            added, gone = added + pulled.added, gone + pulled.gone
        return PullResult(self.remote.url, total, added, gone, malformed)

    # --- looking at the remote -------------------------------------------------------------------

    def _found(self) -> tuple[list[Cursor], list[_Found]]:
        """Return the cursors of what is meant, and what the remote has, machine by machine."""
        git = cache(self.base)
        unlock_dead(git.repository)  # nobody else fetches into it
        network = listing(self.to, git)
        prefix = self.to.config.namespace.prefix
        fetch(network, [f"+{self.to.config.namespace.cursor_prefix}*:{CURSORS}*"])
        with git.blobs() as reader:
            cursors = [one for one in cursors_in(git, reader) if self._is_meant(one)]
        hashes: dict[str, set[str]] = {}
        for one in cursors:
            hashes.setdefault(one.machine, set()).add(one.project_hash)
        if self.key is None:
            places = ["" if self.machine is None else f"{self.machine}/"]
        else:
            for known_one in self._listed_of_project():
                hashes.setdefault(known_one.machine, set()).add(known_one.project_hash)
            places = [f"{id_}/{hash_}/" for id_, own in hashes.items() for hash_ in own]
        specs = [f"+{prefix}{place}*:{LISTED}{place}*" for place in places]
        for start in range(0, len(specs), _MOST_SPECS):
            fetch(network, specs[start : start + _MOST_SPECS])
        if any_loose(git.repository, least=_MANY_REFS):
            git.run("pack-refs", "--all")  # a file for each takes more space than all else
        listed = by_machine(listed_in(git, prefix), prefix)
        known = self._known(prefix)
        machines = {*hashes} if self.key is not None else {*hashes, *listed, *known}
        if self.machine is not None:
            machines &= {self.machine}
        with git.blobs() as reader:
            return cursors, [
                self._of_machine(
                    RemoteScope(prefix, id_, None if self.key is None else hashes[id_]),
                    listed.get(id_, {}),
                    known.get(id_, {}),
                    reader,
                )
                for id_ in sorted(machines)
            ]

    def _listed_of_project(self) -> list[RemoteCheckpoint]:
        """Return what is listed already of the project that is meant: also where a cursor is gone,
        with all that it stood for."""
        known = self.base.catalog.elsewhere
        return known.list(self.key, remote=self.remote, machine=self.machine)

    def _known(self, prefix: str) -> dict[str, dict[str, str]]:
        """Return what is listed already, by machine."""
        scope = RemoteScope(prefix, self.machine)
        return by_machine(self.base.catalog.elsewhere.refs(self.remote, scope), prefix)

    def _is_meant(self, cursor: Cursor) -> bool:
        """Tell whether a cursor is of the project and the machine that are meant."""
        if self.machine is not None and cursor.machine != self.machine:
            return False
        return self.key is None or self.key.means(cursor.key)

    def _of_machine(
        self,
        scope: RemoteScope,
        listed: Mapping[str, str],
        known: Mapping[str, str],
        reader: BlobReader,
    ) -> _Found:
        """Return what the remote has in a part of it, which is of one machine. ``listed`` are the
        refs that it has of that machine, and ``known`` those that were listed before."""
        only, prefix = scope.project_hashes, scope.prefix
        refs = {
            ref: id_
            for ref, id_ in listed.items()
            if only is None or parts_of(ref, prefix)[1] in only
        }
        fresh = {ref: id_ for ref, id_ in refs.items() if known.get(ref) != id_}
        reader.expect(fresh.values())
        read = {ref: checkpoint_of(reader, ref, id_, prefix) for ref, id_ in fresh.items()}
        new = [one for one in read.values() if one is not None]
        bad = {ref for ref, one in read.items() if one is None}
        sound = {ref: id_ for ref, id_ in refs.items() if ref not in bad}
        return _Found(scope, sound, new, len(bad))

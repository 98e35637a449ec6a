"""Sends the checkpoints of this base to its remote: each as a ref of its own, below the id of this
machine.

A checkpoint has no parent, so git would send its whole tree each time. So a commit goes with it
whose tree is the new one and whose parent is the last one that was sent: the cursor
(``cursors``). Git leaves out what that parent has. The cursor lies in a repository of its own,
which borrows the objects of the store, for the time of the push: what git leaves there, or a
remote helper of git (refs, objects, settings), goes with it and never gets into the store.

Nothing is locked while the network is waited for, but against another push to the same remote: no
take, restore or prune waits for it. What a prune takes away meanwhile need not be sent any more,
and what the store has lost cannot be: git then sends nothing of the batch, so the rest is sent
without these. What the remote has confirmed is recorded batch by batch; after a kill the next push
is answered that it is there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.base.machine import name_of_machine, renew
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import (
    PROGRAM,
    CheckpointError,
    GitFailed,
    GitTimedOut,
    RemoteFailed,
    StoreDamaged,
    base_errors,
)
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import (
    Checkpoint,
    JournalEntry,
    OperationKind,
    OperationOutcome,
    Pushed,
    PushPlan,
    PushResult,
    PushState,
    Remote,
)
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.object_store.wholeness import lacking
from hermes_checkpoints.remote.cache import make_bare
from hermes_checkpoints.remote.cursors import own_cursor
from hermes_checkpoints.remote.elected import Elected, each_remote_of, elected, require_remote
from hermes_checkpoints.remote.network_git import MOST_REFS, RefChange
from hermes_checkpoints.remote.outgoing import Examination, Outgoing
from hermes_checkpoints.remote.places import cursor_of, ref_of
from hermes_checkpoints.remote.words import redacted_url
from hermes_checkpoints.remote_config import SecretCheck
from hermes_checkpoints.text import counted

MOST_BYTES = 256 << 20
"""How many bytes of new contents are sent at once, unless one checkpoint has more."""

_MOST_LOOKS = 20
"""How often one push looks for what the store lacks, when it was that which could not be sent."""

_NOT_READ = re.compile(
    r"bad (?:tree )?object|unable to (?:read|unpack|normalize)|corrupt|inflate|missing|not a valid"
    r"|pack-objects|eof before pack header|early EOF|does not match any|loose object|not our ref"
    r"|abnormal exit"
)
"""What git and the server may say where git could not read what it was to send. It decides no more
than whether the store is looked at."""


def push(
    base: Base,
    project_hash: str | None = None,
    *,
    allow_secrets: bool = False,
    again: bool = False,
) -> list[PushResult]:
    """Send what was not sent yet, of one project or of all, and with ``again`` what the remote had
    and has no longer, too; return what came of it, remote by remote: there are several only where
    each project has its own.

    What goes wrong with a remote is in its result, and in the journal.

    Raises:
        RemoteOff: when there is no remote.
        LockHeld: when another push to the same remote is at work.
        BaseUnwritable, NoSpace, StoreDamaged, GitFailed: when it is this base that cannot.
    """
    pushes = _pushes(base, project_hash, allow_secrets=allow_secrets, again=again)
    return [each.done() for each in pushes]


def plan(
    base: Base,
    project_hash: str | None = None,
    *,
    allow_secrets: bool = False,
    again: bool = False,
) -> list[PushPlan]:
    """Return what ``push`` would send, without a word to the network.

    Raises:
        RemoteOff, BaseUnwritable, NoSpace, StoreDamaged, GitFailed: as ``push``.
    """
    pushes = _pushes(base, project_hash, allow_secrets=allow_secrets, again=again)
    return [each.planned() for each in pushes]


def _pushes(
    base: Base, project_hash: str | None, *, allow_secrets: bool, again: bool
) -> list[Push]:
    base.require_writable()
    config = require_remote(load_remote_config(base.layout.config), base.layout)
    checks = config.secrets is SecretCheck.REFUSE and not allow_secrets
    scopes = [project_hash]
    if project_hash is None:
        scopes = [None if one is None else one.hash for one in each_remote_of(base)]
    return [replace(Push.of(base, each, checks=checks), again=again) for each in scopes]


@dataclass
class Push:
    """One push to one remote, of one project or of all. What comes of it is noted as it comes.
    ``again`` sends what the remote had and has no longer, too."""

    base: Base
    to: Elected
    remote: Remote
    project_hash: str | None
    checks: bool
    again: bool = False
    sent: list[Pushed] = field(default_factory=list)
    waiting: list[Pushed] = field(default_factory=list)
    new_bytes: int = 0
    _offered: set[str] = field(default_factory=set)
    _damaged: set[str] = field(default_factory=set)
    _looks: int = 0
    _renewed: bool = False

    @classmethod
    def of(cls, base: Base, project_hash: str | None, *, checks: bool) -> Push:
        """Make one to the remote of a base or, where each has its own, of a project."""
        record = None if project_hash is None else base.catalog.projects.get(project_hash)
        target = None if record is None else Target(Path(record.working_dir), record.hash)
        to = elected(base, target)
        return cls(base, to, to.remote(base), project_hash, checks)

    @property
    def machine(self) -> str:
        """The id below which the refs lie."""
        return self.to.machine

    def planned(self) -> PushPlan:
        """Look at all that would be sent."""
        found, sizes = self._planned()
        effective = self.to.git(self.base.store.git).effective_url()
        return PushPlan(
            redacted_url(effective),
            self.machine,
            tuple(one.checkpoint for one in found if not one.suspicious),
            sum(sizes[one.checkpoint.id] for one in found if not one.suspicious),
            (*self._earlier_refused(), *(_refused(one) for one in found if one.suspicious)),
            (*self.waiting, *self._lost()),
            0 if self.again else self._removed(),
        )

    def _planned(self) -> tuple[list[Outgoing], dict[str, int]]:
        while True:
            todo: list[Checkpoint] = []
            try:
                with self._looking() as git:
                    todo = self._todo()
                    if not todo:
                        return [], {}
                    _roots(git, todo)  # reads each commit
                    found = list(self._examined(git, todo))
                    return found, self._sizes(git, found)
            except (StoreDamaged, GitFailed) as error:
                self._leave_out(todo, error)

    def done(self, *, patience: float = 0.0) -> PushResult:
        """Send batch by batch, until nothing is left or the remote does not answer. Another push
        that is at work is waited for no longer than ``patience`` seconds.

        Raises:
            LockHeld: when it goes on for longer.
        """
        lock = self.base.layout.push_lock(self.remote.url)
        error = None
        with exclusive(lock, purpose=f"sending to {self.remote.url}", timeout=patience):
            self.remote = self.base.catalog.remotes.register(self.remote.url, self.base.now())
            try:
                while self._batch():
                    pass
            except RemoteFailed as failed:
                error = failed
                self._record([], failed)
        unsent = self.base.catalog.remotes.unsent(self.remote, self.project_hash)
        left = {one.id for one in unsent} - {one.id for one in self.waiting}
        return PushResult(
            self.remote.url,
            self.machine,
            tuple(self.sent),
            (*self.waiting, *self._lost()),
            tuple(self._earlier_refused()),
            len(left),
            self.new_bytes,
            None if error is None else str(error),
            None if error is None else error.code,
            self._removed(),
        )

    # --- what is to leave ------------------------------------------------------------------------

    @contextmanager
    def _looking(self) -> Iterator[Git]:
        """Keep what is looked at from being collected. Nobody waits for the network meanwhile."""
        with self.base.store_together() as git, git.of_objects().reading() as reading:
            yield reading

    def _todo(self, limit: int | None = None) -> list[Checkpoint]:
        """Return the next checkpoints that were neither sent nor offered."""
        also = {PushState.REFUSED: not self.checks, PushState.REMOVED: self.again}
        most = None if limit is None else limit + len(self._offered)
        unsent = self.base.catalog.remotes.unsent(
            self.remote,
            self.project_hash,
            also=[state for state, meant in also.items() if meant],
            limit=most,
        )
        return [one for one in unsent if one.id not in self._offered][:limit]

    def _examined(self, git: Git, todo: Sequence[Checkpoint]) -> Iterator[Outgoing]:
        """Yield checkpoints, each with what it brings along."""
        last = {hash_: self._last(hash_) for hash_ in _projects(todo)}
        return Examination(git, last, checks=self.checks).of(todo)

    def _last(self, project_hash: str) -> Checkpoint | None:
        """Return the last checkpoint of a project that was sent, None where it is damaged."""
        last = self.base.catalog.remotes.last_sent(self.remote, project_hash)
        return None if last is None or last.id in self._damaged else last

    def _leave_out(self, todo: Sequence[Checkpoint], error: CheckpointError) -> list[Pushed]:
        """Leave out of this push what the store does not have whole, so that it holds up nothing
        else; return that. What is not live any more leaves by itself.

        Raises:
            CheckpointError: the given one, where nothing explains it.
        """
        self._looks += 1
        if isinstance(error, GitTimedOut) or self._looks > _MOST_LOOKS or not todo:
            raise error
        if not self.base.store.exists():
            raise StoreDamaged(
                f"{self.base.layout.store} is gone, with the contents of all checkpoints; put it "
                f"back from a backup, or `{PROGRAM} doctor --repair` notes what is lost"
            ) from error
        built_on = [one for one in map(self._last, _projects(todo)) if one is not None]
        with self._looking() as git:
            lacks = lacking(git, [one.id for one in (*todo, *built_on)], deep=True)
        left = {one.id for one in self._todo()}
        gone = [one for one in todo if one.id not in left]
        if not lacks and not gone:
            raise error
        self._damaged |= lacks.keys()
        found = [
            Pushed(one.id, one.project_hash, PushState.WAITING, reason=_lacks(lacks[one.id].text))
            for one in todo
            if one.id in lacks and one.id in left
        ]
        self._offered |= {one.id for one in found}
        self.waiting += found
        return found

    def _lost(self) -> list[Pushed]:
        """Return what was not sent before the store had lost it."""
        lost = self.base.catalog.remotes.unsent(
            self.remote, self.project_hash, also={PushState.REFUSED}, lost=True
        )
        why = _lacks("a part of it is lost")
        return [Pushed(one.id, one.project_hash, PushState.WAITING, reason=why) for one in lost]

    def _sizes(self, git: Git, found: Sequence[Outgoing]) -> dict[str, int]:
        """Return the bytes of new contents of each."""
        known = self.base.store.sizes((id_ for one in found for id_ in one.contents), git)
        return {
            one.checkpoint.id: sum(known[id_][0] for id_ in one.contents if id_ in known)
            for one in found
        }

    def _earlier_refused(self) -> list[Pushed]:
        """Return what is refused, as the catalog has it."""
        if not self.checks:
            return []
        refused = {PushState.REFUSED}
        return self.base.catalog.remotes.pushed(
            self.remote, refused, project_hash=self.project_hash
        )

    def _removed(self) -> int:
        """Return how many the remote had, and has no longer."""
        removed = {PushState.REMOVED}
        remotes = self.base.catalog.remotes
        return len(remotes.pushed(self.remote, removed, project_hash=self.project_hash))

    # --- sending ---------------------------------------------------------------------------------

    def _batch(self) -> bool:
        """Send one batch; tell whether to go on: not where the remote took nothing of it."""
        todo: list[Checkpoint] = []
        try:
            with self._looking() as git:
                todo = self._todo(MOST_REFS)
                if not todo:
                    return False
                found = list(self._examined(git, todo))
                sizes = self._sizes(git, found)
                refused = [_refused(one) for one in found if one.suspicious]
                batch = _together([one for one in found if not one.suspicious], sizes)
                roots = _roots(git, [one.checkpoint for one in batch])
        except (StoreDamaged, GitFailed) as error:
            self._record_some(self._leave_out(todo, error))
            return True
        self._offered |= {one.id for one in refused}
        if not batch:
            self._record(refused)
            return True
        try:
            outcomes = self._offer(batch, roots)
        except RemoteFailed as failed:
            if not self._is_of_the_store(batch, str(failed)):
                raise
            self._record_some([*refused, *self.waiting])
            return True
        done = [one for one in outcomes if one.state is PushState.SENT]
        words = next((one.reason for one in outcomes if one.reason), "")
        if not done and self._is_of_the_store(batch, words):
            self._record_some([*refused, *self.waiting])
            return True
        self._offered |= {one.id for one in outcomes}
        self.sent += done
        self.waiting += [one for one in outcomes if one.state is PushState.WAITING]
        self.new_bytes += sum(sizes[one.id] for one in done)
        self._record([*refused, *outcomes])
        return bool(done)

    def _is_of_the_store(self, batch: Sequence[Outgoing], words: str) -> bool:
        """Tell whether nothing was sent since the store has lost something of it, which is then
        left out, or since a prune has taken something away."""
        if not _NOT_READ.search(words):
            return False
        try:
            self._leave_out([one.checkpoint for one in batch], StoreDamaged(words))
        except (StoreDamaged, GitFailed):
            return False
        return True

    def _offer(self, batch: Sequence[Outgoing], roots: dict[str, str]) -> list[Pushed]:
        """Offer a batch to the remote; return what became of each. The newest one of each project
        tells the cursor that the remote has then."""
        tries = 0
        while True:
            tries += 1
            place = self.base.layout.scratch
            with base_errors(place), scratch_folder(place, SCRATCH_PREFIX) as folder:
                make_bare(folder, borrowing=self.base.layout.store / "objects")
                cursors = self._cursors(batch, roots, folder)
                refs = {self._ref(one.checkpoint): one.checkpoint for one in batch}
                changes = [RefChange(ref, one.id) for ref, one in refs.items()]
                try:
                    network = self.to.git(Git(folder, self.base.store.git.timeout))
                    told = network.push([*changes, *cursors.values()])
                    denied = [ref for ref, one in told.items() if not one.is_there]
                    there = network.refs(*denied) if denied else {}
                except (GitFailed, RemoteFailed):
                    if tries < _MOST_LOOKS and _is_swept(folder):
                        continue
                    raise
                swept = _is_swept(folder)
            if swept and len(denied) == len(told) and tries < _MOST_LOOKS:
                continue
            if any(there.get(ref, one.id) != one.id for ref, one in refs.items()) and self._renew():
                continue
            found = {}
            for ref, one in refs.items():
                if told[ref].is_there or there.get(ref) == one.id:
                    found[one.id] = Pushed(one.id, one.project_hash, PushState.SENT, ref)
                else:
                    found[one.id] = _not_taken(one, network.said(told[ref].words))
            for hash_, cursor in cursors.items():
                now_at = cursor.commit if told[cursor.ref].is_there else there.get(cursor.ref, "")
                newest = _newest(found.values(), hash_)
                found[newest.id] = replace(newest, cursor=now_at)
            return list(found.values())

    def _cursors(
        self, batch: Sequence[Outgoing], roots: dict[str, str], folder: Path
    ) -> dict[str, RefChange]:
        """Make the cursors of a batch, by project."""
        remotes = self.base.catalog.remotes
        found = {}
        for hash_, newest in {one.checkpoint.project_hash: one.checkpoint for one in batch}.items():
            last = self._last(hash_)
            cursor = own_cursor(self.base, self.machine, hash_, newest.working_dir)
            data = cursor.commit(roots[newest.id], None if last is None else last.id)
            commit = write_object(folder, "commit", data, durable=False)
            ref = cursor_of(hash_, self.machine, self.to.config.namespace)
            found[hash_] = RefChange(ref, commit, remotes.cursor(self.remote, self.machine, hash_))
        return found

    def _ref(self, checkpoint: Checkpoint) -> str:
        return ref_of(checkpoint, self.machine, self.to.config.namespace)

    def _renew(self) -> bool:
        """Take another id, once: what lies below the present one is another base's, of which this
        one is a copy. Tell whether that was done.

        Raises:
            BaseUnwritable: when it cannot be written.
        """
        if self._renewed:
            return False
        self._renewed = True
        self.to = replace(self.to, machine=renew(self.base.layout, self.base.lock_timeout))
        return True

    def _record(
        self,
        outcomes: Sequence[Pushed],
        error: CheckpointError | None = None,
    ) -> None:
        """Write down what became of some checkpoints, and that there was a push."""
        now: datetime = self.base.now()
        detail = {"remote": self.remote.url}
        entry = JournalEntry(OperationKind.PUSH, now, str(self.base.layout.base), detail=detail)
        if error is not None:
            entry = replace(
                entry, outcome=OperationOutcome.FAILED, code=error.code, message=str(error)
            )
        else:
            entry = replace(entry, outcome=_outcome(outcomes), message=self._said(outcomes))
        self.remote = self.base.catalog.remotes.record_push(
            self.remote,
            outcomes,
            entry,
            machine=self.machine,
            name=name_of_machine(),
            now=now,
        )

    def _record_some(self, outcomes: Sequence[Pushed]) -> None:
        """Write down what became of some, if of any."""
        if outcomes:
            self._record(outcomes)

    def _said(self, outcomes: Sequence[Pushed]) -> str:
        counts = [
            f"{sum(one.state is state for one in outcomes)} {state.value}"
            for state in (PushState.SENT, PushState.WAITING, PushState.REFUSED)
            if any(one.state is state for one in outcomes)
        ]
        refused = next((one for one in outcomes if one.state is PushState.REFUSED), None)
        why = "" if refused is None else f" ({refused.short_id} for {refused.reason})"
        return f"to {self.remote.url}: {', '.join(counts) or 'nothing'}{why}"


def _outcome(outcomes: Sequence[Pushed]) -> OperationOutcome:
    if all(one.state is PushState.SENT for one in outcomes):
        return OperationOutcome.DONE
    return OperationOutcome.PARTIAL


def _is_swept(folder: Path) -> bool:
    """Tell whether a prune has taken the folder of a push away, as what a dead one has left."""
    return not (folder / "objects").is_dir()


def _refused(one: Outgoing) -> Pushed:
    paths = one.suspicious
    more = f" and {counted(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
    why = f"{paths[0]}{more}"
    checkpoint = one.checkpoint
    return Pushed(
        checkpoint.id, checkpoint.project_hash, PushState.REFUSED, reason=why, paths=paths
    )


def _not_taken(one: Checkpoint, said: str) -> Pushed:
    why = f"the remote did not take it ({said or 'it gave no reason'})"
    return Pushed(one.id, one.project_hash, PushState.WAITING, reason=why)


def _lacks(what: str) -> str:
    return (
        f"the store of this base does not have it whole any more: {what}; "
        f"`{PROGRAM} doctor --deep --repair` mends it where it can"
    )


def _newest(found: Iterable[Pushed], project_hash: str) -> Pushed:
    """Return the newest one of a project among those of a batch, which are in order."""
    return [one for one in found if one.project_hash == project_hash][-1]


def _projects(checkpoints: Sequence[Checkpoint]) -> list[str]:
    return list(dict.fromkeys(one.project_hash for one in checkpoints))


def _together(found: Sequence[Outgoing], sizes: dict[str, int]) -> list[Outgoing]:
    """Return the first ones, as far as they are sent at once."""
    taken: list[Outgoing] = []
    left = MOST_BYTES
    for one in found:
        left -= sizes[one.checkpoint.id]
        if taken and left < 0:
            break
        taken.append(one)
    return taken


def _roots(git: Git, checkpoints: Sequence[Checkpoint]) -> dict[str, str]:
    """Return the whole trees of commits, which the captured ones lie in."""
    with git.blobs() as reader:
        reader.expect(one.id for one in checkpoints)
        found = {}
        for one in checkpoints:
            _, kind, data = reader.read(one.id)
            found[one.id] = parse_commit(one.id, kind, data).tree_id
        return found

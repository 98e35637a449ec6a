"""Removes from a remote what is old there: ``remote prune``.

What was planned (``prune_plan``) is looked at once more before it is carried out: a pin that came
meanwhile keeps, and so does a machine that has sent something. Each ref is removed by its exact
name, and only while it is at the commit that was seen, which the server compares. What this removes
there stays here, and is not sent again by itself.

It runs under the lock of a push to the same remote, and under no other while the network is waited
for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import RemoteFailed, base_errors
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.model import (
    CursorChange,
    CursorFate,
    JournalEntry,
    NotRemoved,
    OperationKind,
    OperationOutcome,
    Remote,
    RemotePrunePlan,
    RemotePruneResult,
    RemoteRemoval,
)
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.remote.cursors import own_cursor
from hermes_checkpoints.remote.network_git import MOST_REFS, NetworkGit, RefChange
from hermes_checkpoints.remote.prune_plan import Meant, meant_by
from hermes_checkpoints.remote.pushed import PushedRef
from hermes_checkpoints.remote.refs import RefsThere
from hermes_checkpoints.text import counted

_AWAY = "it was moved there since it was looked at, so it was left"
_PROTECTED = "it is kept by now: it has a pin or a label since, or its machine has sent something"


def execute(base: Base, plans: Sequence[RemotePrunePlan]) -> list[RemotePruneResult]:
    """Remove what plans say, remote by remote, and return what came of it. What goes wrong with a
    remote is in its result, and in the journal.

    Raises:
        RemoteOff: when there is no remote.
        BadRequest: when a plan is for another remote or another machine than now.
        LockHeld: when a push to the same remote is at work.
        BaseUnwritable, NoSpace, GitFailed: when it is this base that cannot.
    """
    base.require_writable()
    each = [meant_by(base, one) for one in plans]
    return [_Run(meant, meant.remote).done(one) for meant, one in zip(each, plans, strict=True)]


@dataclass
class _Run:
    """One prune of one remote. What comes of it is noted as it comes."""

    meant: Meant
    remote: Remote
    removed: list[RemoteRemoval] = field(default_factory=list)
    kept: list[NotRemoved] = field(default_factory=list)
    refused: list[NotRemoved] = field(default_factory=list)
    _cursors: dict[str, CursorChange] = field(default_factory=dict)
    _cursors_at: dict[str, str] = field(default_factory=dict)
    _cursors_left: dict[str, NotRemoved] = field(default_factory=dict)

    @property
    def base(self) -> Base:
        """The base that prunes."""
        return self.meant.base

    @property
    def machine(self) -> str:
        """The id of it."""
        return self.meant.to.machine

    def done(self, planned: RemotePrunePlan) -> RemotePruneResult:
        """Remove what a plan says, batch by batch, until nothing is left or the remote lets nothing
        go or does not answer.

        Raises:
            LockHeld: when a push to the remote is at work.
        """
        error, left = None, 0
        if planned.error is not None:
            return RemotePruneResult(*self.meant.named, error=planned.error, code=planned.code)
        if planned.nothing_to_remove:
            return RemotePruneResult(*self.meant.named)
        lock = self.base.layout.push_lock(self.remote.url)
        with exclusive(lock, purpose=f"removing from {self.remote.url}", timeout=0.0):
            self.remote = self.base.catalog.remotes.register(self.remote.url, self.base.now())
            todo = list(planned.remove)
            try:
                network = self.meant.network()
                todo = self._still(planned, self.meant.refs(network))
                self._empty_cursors(network, planned, todo)
                while todo:
                    some, todo = todo[:MOST_REFS], todo[MOST_REFS:]
                    if not self._batch(network, some):
                        break
                self._remove_cursors(network, planned)
            except RemoteFailed as failed:
                error = failed
                self._record([], failed)
                told = {one.ref_name for one in self.removed}
                told |= {one.ref_name for one in (*self.refused, *self.kept)}
                left = sum(one.ref_name not in told for one in planned.remove)
            else:
                left = len(todo)
        return RemotePruneResult(
            *self.meant.named,
            tuple(self.removed),
            tuple(self.kept),
            tuple(self.refused),
            left,
            tuple(self._cursors.values()),
            self._left(planned),
            None if error is None else str(error),
            None if error is None else error.code,
        )

    def _still(self, planned: RemotePrunePlan, there: RefsThere) -> list[RemoteRemoval]:
        """Return what of a plan may go by what is so now. What the remote has no longer is
        removed."""
        now_there = {one.ref_name: one.commit_id for one in there.listed}
        gone = [one for one in planned.remove if one.ref_name not in now_there]
        self._note_removed(gone)
        again = self.meant.planned(there, others=planned.others, ids=planned.ids)
        may_go = {one.ref_name for one in again.remove}
        todo = []
        for one in planned.remove:
            if one.ref_name in may_go or now_there.get(one.ref_name, one.id) != one.id:
                if one.ref_name in now_there:
                    todo.append(one)  # where it was moved, the server compares and tells
            elif one.ref_name in now_there:
                self.kept.append(NotRemoved(one.ref_name, one.id, _PROTECTED))
        return todo

    def _batch(self, network: NetworkGit, some: Sequence[RemoteRemoval]) -> bool:
        """Remove some refs; tell whether any of them is gone."""
        changes = [RefChange(one.ref_name, None, one.id) for one in some]
        told, there = _pushed(network, changes)
        gone = []
        refused = []
        for one in some:
            if told[one.ref_name].is_gone or one.ref_name not in there:
                gone.append(one)
            elif there[one.ref_name] != one.id:
                self.kept.append(NotRemoved(one.ref_name, one.id, _AWAY))
            else:
                why = _refused(network, told[one.ref_name])
                refused.append(NotRemoved(one.ref_name, one.id, why))
        self.refused += refused
        self._note_removed(gone, len(refused))
        return bool(gone) or not refused

    # --- cursors ---------------------------------------------------------------------------------

    def _empty_cursors(
        self, network: NetworkGit, planned: RemotePrunePlan, todo: Sequence[RemoteRemoval]
    ) -> None:
        """Let the cursors of this machine lead to nothing before the checkpoints go, so that none
        is within reach that is gone, also after a kill."""
        going = (*todo, *self.removed)
        places = {one.project_hash for one in going if one.machine == self.machine}
        changes = []
        for one in planned.cursors:
            if one.machine != self.machine or one.project_hash not in places:
                continue
            to = self._empty(one.project_hash)
            fate = CursorFate.EMPTIED if to is not None else CursorFate.REMOVED
            if to is None and planned.ids is None and one.fate is CursorFate.EMPTIED:
                why = "this base does not know the project any more"
                self._cursors_left[one.ref_name] = NotRemoved(one.ref_name, one.commit, why)
                continue  # where checkpoints are named, it must not keep these within reach
            changes.append((replace(one, fate=fate), RefChange(one.ref_name, to, one.commit)))
        self._change_cursors(network, changes)

    def _remove_cursors(self, network: NetworkGit, planned: RemotePrunePlan) -> None:
        """Remove the cursors of projects, and of machines, of which nothing is left."""
        stays = _left_of(planned, self.removed)
        machines = {machine for machine, _ in stays}
        lost = {(one.machine, one.project_hash) for one in self.removed}
        changes = []
        for one in planned.cursors:
            place, own = (one.machine, one.project_hash), one.machine == self.machine
            known = self._cursors.get(one.ref_name)
            if one.fate is not CursorFate.REMOVED or place in stays:
                continue
            if place not in lost and (own or one.machine in machines):
                continue  # a machine goes as a whole, or not
            if known is not None and known.fate is CursorFate.REMOVED:
                continue
            at = self._cursors_at.get(one.ref_name, one.commit)
            changes.append((one, RefChange(one.ref_name, None, at)))
        self._change_cursors(network, changes)

    def _change_cursors(
        self, network: NetworkGit, changes: Sequence[tuple[CursorChange, RefChange]]
    ) -> None:
        for start in range(0, len(changes), MOST_REFS):
            self._cursor_batch(network, changes[start : start + MOST_REFS])

    def _cursor_batch(
        self, network: NetworkGit, some: Sequence[tuple[CursorChange, RefChange]]
    ) -> None:
        told, there = _pushed(network, [change for _, change in some])
        now_at: dict[str, str] = {}
        for one, change in some:
            answer = told[one.ref_name]
            if answer.is_there or answer.is_gone or there.get(one.ref_name) == change.commit:
                self._cursors[one.ref_name] = one
                self._cursors_at[one.ref_name] = change.commit or ""
                self._cursors_left.pop(one.ref_name, None)
                if one.machine == self.machine:
                    now_at[one.project_hash] = change.commit or ""
                continue
            moved = there.get(one.ref_name) != change.expected
            why = _AWAY if moved else _refused(network, answer)
            self._cursors_left[one.ref_name] = NotRemoved(one.ref_name, one.commit, why)
        self.base.catalog.remotes.set_cursors(self.remote, self.machine, now_at)

    def _left(self, planned: RemotePrunePlan) -> tuple[NotRemoved, ...]:
        """Return the cursors that could not be changed, of what is gone."""
        lost = {(one.machine, one.project_hash) for one in self.removed}
        places = {one.ref_name: (one.machine, one.project_hash) for one in planned.cursors}
        left = self._cursors_left.values()
        own = self.machine
        return tuple(
            one for one in left if places[one.ref_name][0] != own or places[one.ref_name] in lost
        )

    def _empty(self, project_hash: str) -> str | None:
        """Make the cursor of a project that leads to nothing, and return its commit; None where
        this base does not know the project."""
        record = self.base.catalog.projects.get(project_hash)
        if record is None:
            return None
        cursor = own_cursor(self.base, self.machine, project_hash, record.working_dir)
        place = self.base.layout.remote_cache
        with base_errors(place):
            write_object(place, "tree", b"", durable=False)
            return write_object(place, "commit", cursor.commit(EMPTY_TREE, None), durable=False)

    # --- what is written down --------------------------------------------------------------------

    def _note_removed(self, gone: Sequence[RemoteRemoval], refused: int = 0) -> None:
        self.removed += gone
        if gone or refused:
            self._record(gone, refused=refused)

    def _record(
        self,
        gone: Sequence[RemoteRemoval],
        error: RemoteFailed | None = None,
        *,
        refused: int = 0,
    ) -> None:
        """Write down what was removed, and that there was a prune."""
        now = self.base.now()
        detail = {"remote": self.remote.url}
        entry = JournalEntry(
            OperationKind.REMOTE_PRUNE, now, str(self.base.layout.base), detail=detail
        )
        if error is not None:
            failed = OperationOutcome.FAILED
            entry = replace(entry, outcome=failed, code=error.code, message=str(error))
        else:
            told = f"from {self.remote.url}: {counted(len(gone), 'checkpoint')} removed"
            told += f", {refused} refused" if refused else ""
            outcome = OperationOutcome.PARTIAL if refused else OperationOutcome.DONE
            entry = replace(entry, outcome=outcome, message=told)
        names = [one.ref_name for one in gone]
        self.base.catalog.remotes.record_removal(
            self.remote, names, entry, machine=self.machine, now=now
        )


def _left_of(planned: RemotePrunePlan, removed: Iterable[RemoteRemoval]) -> set[tuple[str, str]]:
    """Return the machines and projects of which something of a plan was not removed."""
    gone = {one.ref_name for one in removed}
    return {(one.machine, one.project_hash) for one in planned.remove if one.ref_name not in gone}


def _pushed(
    network: NetworkGit, changes: Sequence[RefChange]
) -> tuple[dict[str, PushedRef], dict[str, str]]:
    """Change refs of the remote; return what became of each, and where those are that were not
    changed."""
    told = network.push(changes)
    denied = [ref for ref, one in told.items() if not (one.is_there or one.is_gone)]
    return told, network.refs(*denied) if denied else {}


def _refused(network: NetworkGit, answer: PushedRef) -> str:
    words = network.said(answer.words) or "it gave no reason"
    return f"the server does not let it go ({words})"

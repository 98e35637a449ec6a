"""Records of remotes to put into a catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from catalog.records import START, Maker, hex_id
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.elsewhere import Pulled
from hermes_checkpoints.model import (
    Checkpoint,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    Pushed,
    PushState,
    RefusedPath,
    Remote,
    RemoteCheckpoint,
    RemoteScope,
)

OWN, OTHER, THIRD = "0a1b2c3d4e5f", "111111111111", "222222222222"
URL = "https://example.org/saves.git"


def ref(machine: str, project_hash: str, id_: str) -> str:
    return f"refs/checkpoints/{machine}/{project_hash}/20261120T120000Z-{id_[:8]}"


def pushed(checkpoint: Checkpoint, state: PushState, **more: Any) -> Pushed:
    """What a push says of a checkpoint of this base."""
    if state in (PushState.SENT, PushState.REMOVED):
        more = {"ref_name": ref(OWN, checkpoint.project_hash, checkpoint.id), **more}
    if state is PushState.REFUSED:
        more = {"paths": (RefusedPath(".env", "named as secrets are"),), **more}
    return Pushed(checkpoint.id, checkpoint.project_hash, state, **more)


def remote_checkpoint(
    machine: str, number: int, workdir: str = "/home/ci/app", **more: Any
) -> RemoteCheckpoint:
    """A checkpoint that a machine has sent."""
    hash_ = hex_id(workdir)[:16]
    id_ = more.pop("id", hex_id("elsewhere", number))
    values: dict[str, Any] = {
        "ref_name": ref(machine, hash_, id_),
        "machine": machine,
        "project_hash": hash_,
        "working_dir": workdir,
        "id": id_,
        "state_id": hex_id("state", number),
        "kind": Kind.AUTO,
        "reason": f"reason {number}",
        "created_at": START + timedelta(minutes=number),
    }
    return RemoteCheckpoint(**(values | more))


def send(catalog: Catalog, *outcomes: Pushed, found: Sequence[RemoteCheckpoint] = ()) -> None:
    """Record a push to a remote, and a pull from it, both of now."""
    now = datetime.now(UTC)
    remote = catalog.remotes.register(URL, now)
    done = JournalEntry(OperationKind.PUSH, now, outcome=OperationOutcome.DONE)
    catalog.remotes.record_push(remote, outcomes, done, machine=OWN, name="desk", now=now)
    refs, names = {one.ref_name: one.id for one in found}, {OTHER: "laptop", THIRD: None}
    done = replace(done, kind=OperationKind.PULL)
    catalog.elsewhere.record_pull(remote, refs, found, done, machine=OWN, names=names, now=now)


@dataclass
class Sending:
    """Pushes to and pulls from one remote of a catalog."""

    make: Maker
    remote: Remote

    @classmethod
    def to(cls, make: Maker, url: str = URL) -> Sending:
        return cls(make, make.catalog.remotes.register(url, make.now()))

    def entry(
        self, kind: OperationKind, outcome: OperationOutcome = OperationOutcome.DONE, **more: Any
    ) -> JournalEntry:
        return JournalEntry(kind, self.make.now(), "/base", outcome=outcome, **more)

    def push(
        self,
        *outcomes: Pushed,
        outcome: OperationOutcome = OperationOutcome.DONE,
        machine: str = OWN,
        **more: Any,
    ) -> Remote:
        self.remote = self.make.catalog.remotes.record_push(
            self.remote,
            outcomes,
            self.entry(OperationKind.PUSH, outcome, **more),
            machine=machine,
            name="laptop",
            now=self.make.now(),
        )
        return self.remote

    def pull(
        self,
        found: Iterable[RemoteCheckpoint],
        *,
        scope: RemoteScope | None = None,
        machine: str | None = OWN,
        names: Mapping[str, str | None] | None = None,
    ) -> Pulled:
        found = list(found)
        return self.make.catalog.elsewhere.record_pull(
            self.remote,
            {one.ref_name: one.id for one in found},
            found,
            self.entry(OperationKind.PULL),
            scope=scope,
            machine=machine,
            names=names,
            now=self.make.now(),
        )

    def unsent(self, **options: Any) -> list[str]:
        return [one.id for one in self.make.catalog.remotes.unsent(self.remote, **options)]

    def states(self) -> dict[str, str]:
        found = self.make.catalog.remotes.pushed(self.remote, list(PushState))
        return {one.id: one.state.value for one in found}


def sent_by(machine: str, checkpoint: Checkpoint) -> RemoteCheckpoint:
    """The same checkpoint as a remote has it below the id of a machine."""
    return RemoteCheckpoint(
        ref(machine, checkpoint.project_hash, checkpoint.id),
        machine,
        checkpoint.project_hash,
        checkpoint.working_dir,
        checkpoint.id,
        checkpoint.state_id,
        checkpoint.kind,
        checkpoint.reason,
        checkpoint.created_at,
    )

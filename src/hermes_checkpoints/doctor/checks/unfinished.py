"""What a killed process began and nobody has ended yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.admin.recover import lock_of
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.doctor.needed import catalog_of, no_catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import quoted
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.holders import holdings
from hermes_checkpoints.layout import LOCKS
from hermes_checkpoints.model import Operation
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.retention.forget import pending_in
from hermes_checkpoints.text import counted

_UNSEEN = 3600.0
"""Seconds after which an operation counts as killed where nobody tells who holds locks."""


def check(patient: Patient) -> Iterator[Finding]:
    """Look for operations of dead processes, and for restores, imports and forgets that did not
    end.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    if no_catalog(patient):
        return
    catalog = catalog_of(patient)
    yield from _operations(patient, catalog)
    for restore in catalog.restores.interrupted():
        place = restore.safety.working_dir
        yield Finding(
            "restore-interrupted",
            place,
            f"a restore was killed as it wrote there ({restore.started_at:%Y-%m-%d %H:%M} UTC), "
            "and was neither taken back nor done again",
            f"`{PROGRAM} undo --dir {quoted(Path(place))}` brings the former state back; "
            "or restore once more",
        )
    left = len(pending_in(catalog))
    if left:
        yield Finding(
            "forget-unfinished",
            "store",
            f"{counted(left, 'content', 'is')} still in the store that should be forgotten",
            f"`{PROGRAM} prune` removes them; the same `forget`, given again, says when "
            "all is gone",
        )
    yield from _imports(catalog)


def _operations(patient: Patient, catalog: Catalog) -> Iterator[Finding]:
    held = holdings(patient.layout.base / LOCKS)
    names = {one.name for one in held or []}
    for operation in catalog.operations.running():
        age = (patient.now - operation.started_at).total_seconds()
        lock = lock_of(patient.layout, operation).name
        runs = age < _UNSEEN if held is None else lock in names
        what = f"a {operation.kind}" + (
            f" of {operation.working_dir}" if operation.working_dir else ""
        )
        since = f"{operation.started_at:%Y-%m-%d %H:%M} UTC"
        if runs:
            yield Finding(
                "operation-running",
                _name(operation),
                f"{what} is at work since {since}",
                "nothing: look again when it is done",
                note=True,
            )
        else:
            yield Finding(
                "operation-killed",
                _name(operation),
                f"{what} began at {since}, and its process is gone",
                f"`{PROGRAM} doctor --repair` settles it, as the next command does",
                repairs=True,
            )


def _name(operation: Operation) -> str:
    return f"operation {operation.id}"


def _imports(catalog: Catalog) -> Iterator[Finding]:
    arriving = catalog.arriving.count()
    if arriving:
        yield Finding(
            "import-unfinished",
            "catalog.db",
            f"{counted(arriving, 'checkpoint', 'is')} listed of an earlier version and not in the "
            "store yet, so not to be restored",
            f"the next command goes on with it: `{PROGRAM} status`",
        )
    for record in catalog.archives.pending():
        if Path(record.path).is_absolute():
            continue  # of another base, which a person named once
        yield Finding(
            "archive-unfinished",
            record.path,
            f"this of an earlier version is not imported ({record.error or 'not tried yet'})"
            if record.imported_at is None
            else f"this of an earlier version is imported and not moved aside yet ({record.error})",
            f"`{PROGRAM} import-legacy` tries again, and says why it cannot",
        )

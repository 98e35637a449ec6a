"""The catalog as a file: whether it is there, SQLite can read it, and its schema is ours."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.catalog.copying import copied
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.inspection import file_state, open_copy
from hermes_checkpoints.catalog.schema import HEAD
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM, CatalogDamaged, CatalogNewer
from hermes_checkpoints.fs.system import temporary_root
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store.ref_files import any_checkpoint

DAMAGED = "catalog-damaged"
MISSING = "catalog-missing"
SCHEMA = "catalog-schema"

_ANEW = (
    "put a backup of it back, if there is one that is not old, and look again; else `hermes "
    "checkpoints doctor --repair` keeps the file aside and makes a new one of the object store and "
    "of what can still be read"
)


def check(patient: Patient) -> Iterator[Finding]:
    """Read the whole file, and compare its schema with the one that this program makes.

    Raises:
        CheckpointError: when it is in use all the time, or closed to this user.
    """
    path = patient.layout.catalog
    where = path.name
    if isinstance(patient.unread, CatalogNewer):
        yield Finding(
            "catalog-newer",
            where,
            str(patient.unread),
            "upgrade the package hermes-checkpoints; nothing here can be mended by this version",
        )
        return
    if isinstance(patient.unread, CatalogDamaged):
        yield Finding(DAMAGED, where, _reason(patient.unread), _ANEW, repairs=True)
        return
    if patient.unread is not None:
        raise patient.unread
    if patient.copy is None:
        if any_checkpoint(patient.layout.store):
            yield Finding(
                MISSING,
                where,
                "there is no catalog, and the object store has checkpoints",
                _ANEW,
                repairs=True,
            )
        return
    state = file_state(patient.copy, deep=patient.deep)
    if state.faults:
        text = f"SQLite finds it damaged: {'; '.join(state.faults)}"
        yield Finding(DAMAGED, where, text, _ANEW, repairs=True)
    for fault in state.schema:
        yield Finding(
            SCHEMA,
            fault.name,
            fault.text,
            f"`{PROGRAM} doctor --repair` makes it as it must be",
            repairs=True,
        )
    if state.revision != HEAD:
        yield Finding(
            "catalog-older",
            where,
            f"it has revision {state.revision}, and this version works with {HEAD}",
            "nothing: the next command upgrades it, and keeps a backup",
            note=True,
        )


def _reason(error: CatalogDamaged) -> str:
    """Return what is wrong with a catalog, without the path of the copy that was read."""
    text = str(error)
    start = text.find("is damaged (")
    return f"it {text[start:].partition('; ')[0]}" if start >= 0 else text


def is_damaged(layout: Layout) -> bool:
    """Look once more at a catalog that was found to be damaged: the caller holds its lock now.

    Raises:
        CheckpointError: when it cannot be looked at.
    """
    with tempfile.TemporaryDirectory(dir=temporary_root()) as folder:
        try:
            with translated(layout.catalog):
                copy = copied(layout.catalog, Path(folder))
            open_copy(copy).close()
            return bool(file_state(copy, deep=True).faults)
        except CatalogDamaged:
            return True

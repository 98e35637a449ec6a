"""The rows of the catalog among themselves: whether each refers to what is there, and no path or
checkpoint is where it does not belong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.catalog.inspection import Inspection
from hermes_checkpoints.doctor.needed import catalog_of, no_catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import counted, shown

_SETTLED = "nothing, if such work is running; else the next command ends it"


def check(patient: Patient) -> Iterator[Finding]:
    """Compare rows with rows.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    if no_catalog(patient):
        return
    catalog = catalog_of(patient)
    inspection = Inspection.of(catalog)
    for (table, of), count in inspection.broken_references().items():
        yield Finding(
            "row-dangling",
            table,
            f"{counted(count, 'row')} of {table} without the row of {of} that it belongs to",
            f"`{PROGRAM} doctor --repair` reads checkpoints back from the store, and takes "
            "out the rows that still belong to nothing, after it kept a copy of the catalog",
            repairs=True,
        )
    for table, path, count in inspection.outside():
        yield Finding(
            "path-outside",
            table,
            f"{counted(count, 'row')} name the path {shown(path)!r}, which is outside of its "
            "project; a restore refuses it",
            f"`{PROGRAM} doctor --repair` takes them out, after it kept a copy of the catalog",
            repairs=True,
        )
    for hash_, working_dir in inspection.project_dirs().items():
        if project_hash(Path(working_dir)) != hash_:
            yield Finding(
                "row-elsewhere",
                working_dir,
                f"the project {hash_} names a directory that has another hash, so its checkpoints "
                "are not found there",
                f"`{PROGRAM} doctor --repair` lets it name the directory that its "
                "checkpoints were taken of",
                repairs=True,
            )
    busy = bool(catalog.operations.running())
    for state, (count, first) in inspection.unsettled().items():
        text = f"{counted(count, 'checkpoint')} {state}: work that was killed, or is running"
        yield Finding("unsettled", first, text, _SETTLED, repairs=True, note=busy)

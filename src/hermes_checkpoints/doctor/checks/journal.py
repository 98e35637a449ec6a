"""Whether SQLite writes the catalog with a log, so that readers never wait for a writer."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_checkpoints.catalog.sqlite import recorded_journal_mode
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.fs.filesystem import is_network
from hermes_checkpoints.model.doctor import Finding


def check(patient: Patient) -> Iterator[Finding]:
    """Look at the journal mode of the catalog.

    Raises:
        OSError: when the catalog cannot be read.
    """
    catalog = patient.layout.catalog
    if not catalog.is_file():
        return
    mode = recorded_journal_mode(catalog)
    if mode == "wal":
        return
    network = is_network(catalog)
    why = (
        "because other machines may share its file system, where a log would lose data"
        if network
        else "since SQLite could not switch it: the file system has no shared memory, or others "
        "had the catalog open"
    )
    yield Finding(
        "journal-mode",
        catalog.name,
        f"the catalog is written in the mode {mode} and not with a log (wal), {why}; everything "
        "works, and readers wait for writers",
        "nothing, unless the base can lie on a local disk"
        if network
        else "nothing: each opening tries to switch it",
        note=True,
    )

"""What a check cannot do without, so that it says so where that is missing."""

from __future__ import annotations

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.git import Git
from hermes_checkpoints.git_program import find_git
from hermes_checkpoints.object_store.ref_files import any_checkpoint


def catalog_of(patient: Patient) -> Catalog:
    """Return the catalog.

    Raises:
        CheckpointError: when it could not be opened to be read.
    """
    if patient.catalog is None:
        raise CheckpointError(
            f"it needs the catalog {patient.layout.catalog}, which could not be read"
        )
    return patient.catalog


def no_catalog(patient: Patient) -> bool:
    """Tell whether there is no catalog, which is another thing than one that cannot be read."""
    return patient.catalog is None and patient.unread is None


def not_imported(patient: Patient) -> bool:
    """Tell whether the base is one of an earlier version, of which nothing was imported yet: its
    store is not ours to judge then."""
    store = patient.layout.store
    return no_catalog(patient) and store.is_dir() and not any_checkpoint(store)


def git_of(patient: Patient) -> Git:
    """Return git for the objects of the store.

    Raises:
        CheckpointError: when there is no store, or no git.
    """
    if patient.git is None:
        find_git(patient.layout.base)
        raise CheckpointError(f"it needs the object store {patient.layout.store}")
    return patient.git

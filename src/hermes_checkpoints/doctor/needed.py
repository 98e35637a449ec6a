"""What a check cannot do without, so that it says so where that is missing."""

from __future__ import annotations

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.git import Git
from hermes_checkpoints.git_program import find_git


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


def git_of(patient: Patient) -> Git:
    """Return git for the objects of the store.

    Raises:
        CheckpointError: when there is no store, or no git.
    """
    if patient.git is None:
        find_git(patient.layout.base)
        raise CheckpointError(f"it needs the object store {patient.layout.store}")
    return patient.git

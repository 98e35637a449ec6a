"""What a check cannot do without, so that it says so where that is missing."""

from __future__ import annotations

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import CheckpointError


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

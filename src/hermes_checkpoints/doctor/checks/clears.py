"""A clear that was killed after it had begun: whoever opens the base next carries it out.

So this is looked at without the catalog, which may have been moved away already.
"""

from __future__ import annotations

from collections.abc import Iterator

from hermes_checkpoints.base import clearing
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import quoted, within
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.holders import holdings
from hermes_checkpoints.layout import LOCKS
from hermes_checkpoints.model.doctor import Finding

BEGUN = "clear-begun"


def check(patient: Patient) -> Iterator[Finding]:
    """Look for the folder of a clear that nobody is at."""
    begun = clearing.begun(patient.layout)
    held = holdings(patient.layout.base / LOCKS) or []
    if begun is None or any(one.name == patient.layout.prune_lock.name for one in held):
        return
    yield Finding(
        BEGUN,
        within(patient.layout, begun),
        "a clear was killed before it had moved everything away; the next command that opens the "
        "base carries it out, and deletes what lies there",
        f"let it go on: `{PROGRAM} status`. To keep the checkpoints, instead and before "
        f"any other command: mv {quoted(begun)}/* {quoted(patient.layout.base)}; "
        f"rmdir {quoted(begun)}",
    )

"""The working directories: whether they are there, and whether checkpoints of them are taken.

A safety net that has silently stopped working is the worst fault of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.admin.status import failing_in, is_of_no_project
from hermes_checkpoints.base.presence import state_of
from hermes_checkpoints.doctor.needed import catalog_of, no_catalog
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import quoted
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import FailureRun, ProjectState
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import counted


def check(patient: Patient) -> Iterator[Finding]:
    """Look at the directory of each project that has checkpoints, and at takes that failed.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    if no_catalog(patient):
        return
    catalog = catalog_of(patient)
    for run in failing_in(catalog, patient.layout, patient.now):
        yield Finding(
            "takes-fail",
            run.working_dir,
            f"nothing of it is protected since {run.since:%Y-%m-%d %H:%M} UTC: "
            f"{_takes(run)}: {run.last_error}",
            "start the agent in a project inside it; it is told until a day after the last try"
            if is_of_no_project(run, patient.layout)
            else f"do what that says, then: {PROGRAM} take {quoted(Path(run.working_dir))}",
        )
    for listed in catalog.status.held((patient.now, patient.now)):
        if not listed.checkpoints:
            continue
        known = listed.last_look
        path = Path(known.working_dir)
        state = state_of(path, known.identity, known.parent)
        kept = f"{counted(listed.checkpoints, 'checkpoint', 'is')} kept"
        if state is ProjectState.ORPHAN:
            yield Finding(
                "project-gone",
                known.working_dir,
                f"the directory was deleted or moved; {kept} for now",
                f"bring it back: {PROGRAM} restore latest --dir {quoted(path)}; or, where "
                f"it was moved: {PROGRAM} rebind {quoted(path)} NEW; else the rules of "
                f"`{PROGRAM} prune` let it go",
                note=True,
            )
        elif state is ProjectState.UNREACHABLE:
            yield Finding(
                "project-unreachable",
                known.working_dir,
                f"the directory cannot be seen now, as on a disk that is not mounted; {kept}",
                f"mount the disk; or, where it was moved: {PROGRAM} rebind {quoted(path)} NEW",
                note=True,
            )


def _takes(run: FailureRun) -> str:
    if run.count == 1:
        return "the last take was refused" if run.refused else "the last take failed"
    were = "were refused" if run.refused else "failed"
    return f"the last {run.count} takes {were}, the newest with"

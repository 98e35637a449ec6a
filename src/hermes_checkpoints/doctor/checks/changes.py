"""The recorded changes of checkpoints against the trees that they are between.

A path has at a checkpoint what the last change at or before it says. That must be what is in the
tree of each live checkpoint. Only a deep look compares them: git reads all trees for it, in one
process.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence

from hermes_checkpoints.admin.place import record_changes
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.inspection import Inspection, LiveRow, Recorded
from hermes_checkpoints.doctor.needed import git_of
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, NO_OBJECT, TREE_MODE
from hermes_checkpoints.object_store.raw_diff import RawDiff, diff_trees
from hermes_checkpoints.text import counted, shown

DIFFER = "changes-differ"

_DELETED = "D"
_PATIENCE = 40


def check(patient: Patient) -> Iterator[Finding]:
    """Compare recorded changes with trees, in a deep look.

    Raises:
        CheckpointError: when catalog or store cannot be read.
    """
    if not patient.deep or patient.catalog is None or not patient.layout.store.is_dir():
        return
    inspection = Inspection.of(patient.catalog)
    projects: dict[str, list[LiveRow]] = defaultdict(list)
    for row in inspection.live():
        if not row.partial:
            projects[row.project_hash].append(row)
    recorded: dict[str, list[Recorded]] = defaultdict(list)
    for change in inspection.recorded():
        if change.project_hash in projects:
            recorded[change.project_hash].append(change)
    pairs = [
        (old.tree_id if old else EMPTY_TREE, new.tree_id)
        for rows in projects.values()
        for old, new in zip([None, *rows], rows, strict=False)
    ]
    if not pairs:
        return
    diffs = diff_trees(git_of(patient), pairs, patience=_PATIENCE)
    for project, rows in projects.items():
        yield from _compare(rows, recorded[project], diffs)


def _compare(
    rows: list[LiveRow], recorded: list[Recorded], diffs: Iterator[RawDiff]
) -> Iterator[Finding]:
    """Compare the checkpoints of one project, oldest first."""
    said: dict[str, str] = {}
    there: dict[str, str] = {}
    position = 0
    for row in rows:
        touched, apart = set(), True
        while position < len(recorded) and recorded[position].row <= row.row:
            change = recorded[position]
            position += 1
            touched.add(change.path)
            apart = apart and change.row == row.row
            if change.status == _DELETED:
                said.pop(change.path, None)
            elif change.blob is not None:
                said[change.path] = change.blob
        for raw in next(diffs).changes:
            path = os.fsdecode(raw.path)
            if raw.old_mode != TREE_MODE and raw.new_mode == 0:
                touched.add(path)
                there.pop(path, None)
            elif raw.new_mode not in (TREE_MODE, 0) and raw.new_id != NO_OBJECT:
                touched.add(path)
                there[path] = raw.new_id
            elif raw.old_mode not in (TREE_MODE, 0):  # a directory in the place of a file
                touched.add(path)
                there.pop(path, None)
        wrong = sorted(path for path in touched if said.get(path) != there.get(path))
        if wrong:
            yield _differ(row, wrong, apart=apart)
        for path in wrong:
            said.pop(path, None)
            if path in there:
                said[path] = there[path]


def _differ(row: LiveRow, wrong: list[str], *, apart: bool) -> Finding:
    """``apart`` says that all changes since the live checkpoint before are its own."""
    remedy = "put back a backup of the catalog from before, if that matters"
    if apart:
        remedy = f"`{PROGRAM} doctor --repair` records them anew from the trees"
    return Finding(
        DIFFER,
        row.commit_id,
        f"{counted(len(wrong), 'path')} of this checkpoint of {row.working_dir} are not as the "
        f"recorded changes say ({shown(', '.join(wrong[:3]))}): `log`, `who` and sizes may be "
        "wrong, a restore is not",
        remedy,
        repairs=apart,
    )


def mend(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """Record the changes anew of checkpoints whose recorded ones differ from the trees; return what
    was done.

    Raises:
        CheckpointError: when the catalog cannot be written.
    """
    wrong = {found.where for found in findings if found.kind == DIFFER and found.repairs}
    count = record_changes(base, git, base.catalog.agreement.with_former(wrong))
    return [f"the changes of {counted(count, 'checkpoint')} recorded anew"] if count else []

"""Takes the agent's changes out of files that others have changed, too, and keeps theirs.

Of a file that a restore keeps because of somebody's edit, each stretch of the agent's work is taken
out by a three-way merge of git (``merge-file``), the newest first: from the present, by what the
agent left, to what it had found. What both have touched is a conflict, which is never written
unless somebody chooses it. A file that cannot be merged stays, and its reason says why.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hermes_checkpoints.attribution.stretches import Stretch, stretches_of
from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.catalog import Recorded
from hermes_checkpoints.errors import StoreDamaged, base_errors
from hermes_checkpoints.fs.inspect import SET_ID
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import Action, Change, Checkpoint, Conflict, PlannedPath
from hermes_checkpoints.object_store.aside import missing
from hermes_checkpoints.restore.parts import MOST_BYTES, is_text, read
from hermes_checkpoints.text import counted

MERGED = "merged: the agent's changes go, the others stay"

_MOST_CONFLICTS = 127
"""Git tells no more by its exit code."""

_MARK = 7
"""How long git's conflict markers are."""


@dataclass(frozen=True)
class Merged:
    """The steps of a plan with files merged, the ``contents`` of these, and the ``conflicts`` of
    those that are kept since the agent's and other changes touch."""

    steps: tuple[PlannedPath, ...]
    contents: Mapping[str, bytes] = field(default_factory=dict)
    conflicts: Mapping[str, Conflict] = field(default_factory=dict)


@dataclass(frozen=True)
class _File:
    """A file that is to be merged."""

    step: PlannedPath
    stretches: Sequence[Stretch]


def merge(
    git: Git,
    place: Path,
    checkpoint: Checkpoint,
    steps: Sequence[PlannedPath],
    changes: Mapping[str, Change],
    verdicts: Mapping[str, Verdict],
    recorded: Mapping[str, Sequence[Recorded]],
) -> Merged:
    """Merge the files that are kept because of who changed them. ``changes`` lead from the present
    to the checkpoint, ``recorded`` is what happened to each path since, and ``place`` is where
    scratch folders lie.

    Raises:
        GitFailed, BaseUnwritable, NoSpace.
    """
    told: dict[str, str] = {}
    files: dict[str, _File] = {}
    for step in steps:
        change = changes.get(step.path)
        verdict = verdicts.get(step.path)
        by_verdict = verdict is not None and not verdict.restore and step.reason == verdict.reason
        if step.action is not Action.KEEP or not by_verdict or change is None:
            continue
        if not all(stat.S_ISREG(mode or 0) for mode in (change.old_mode, change.new_mode)):
            continue
        found = stretches_of(recorded.get(step.path, ()), change)
        if isinstance(found, str):
            if found != step.reason:
                told[step.path] = found
        elif found:
            files[step.path] = _File(step, found)
    wanted = {blob for one in files.values() for blob in _blobs(one) if blob}
    away = missing(git, wanted) if wanted else set()
    merged: dict[str, tuple[bytes, int]] = {}
    results: dict[str, PlannedPath] = {}
    conflicts: dict[str, Conflict] = {}
    with base_errors(place), scratch_folder(place, SCRATCH_PREFIX) as folder:
        for path, file in files.items():
            if not away.isdisjoint(_blobs(file)):
                told[path] = "the object store no longer has what the agent left or found there"
                continue
            try:
                outcome = _merge(git, folder, checkpoint, file)
            except StoreDamaged as error:
                told[path] = str(error)
                continue
            if isinstance(outcome, str):
                told[path] = outcome
                continue
            data, places = outcome
            mode = _mode(file)
            if places:
                conflicts[path] = Conflict(data, places, mode)
                where = counted(places, "place")
                told[path] = f"the agent's changes and others touch in {where}"
            else:
                merged[path] = outcome
                results[path] = replace(
                    file.step,
                    action=Action.WRITE,
                    reason=MERGED,
                    blob=None,
                    mode=mode,
                    bytes=len(data),
                    insertions=None,
                    deletions=None,
                )
    return Merged(
        tuple(
            results.get(step.path, step)
            if step.path not in told
            else replace(step, reason=f"{step.reason}; not merged: {told[step.path]}")
            for step in steps
        ),
        {path: data for path, (data, _) in merged.items()},
        conflicts,
    )


def _blobs(file: _File) -> set[str]:
    states = [state for one in file.stretches for state in (one.before, one.after)]
    return {blob for blob in (file.step.old_blob, *(blob for blob, _ in states)) if blob}


def _merge(git: Git, folder: Path, checkpoint: Checkpoint, file: _File) -> tuple[bytes, int] | str:
    """Return the merged contents with the number of conflicts in them, or why there are none."""
    if (file.step.bytes or 0) > MOST_BYTES:
        return "it is too large"
    present = data = read(git, file.step.old_blob or "")
    conflicts = 0
    for number, stretch in enumerate(reversed(file.stretches)):
        after, before = (read(git, blob or "") for blob, _ in (stretch.after, stretch.before))
        if not all(map(is_text, (data, after, before))):
            return "it is no text"
        if data == after:
            data = before
            continue
        names = [folder / name for name in ("now", "after", "before")]
        for name, content in zip(names, (data, after, before), strict=True):
            name.write_bytes(content)
        count, data = git.of_objects().counting(
            *("merge-file", "-p", "--quiet", f"--marker-size={_MARK + number}"),
            *("-L", "as it is now", "-L", "as the agent left it"),
            *("-L", f"before the agent (checkpoint {checkpoint.short_id})"),
            *map(str, names),
            most=_MOST_CONFLICTS,
        )
        conflicts += count
    if data == present and _mode(file) == file.step.old_mode:
        return "nothing of what the agent did is left in it"
    return data, conflicts


def _mode(file: _File) -> int:
    """Return the full mode without what the agent did to it, as far as nobody changed that since.
    Contents that no checkpoint had get no set-id bits."""
    mode = file.step.old_mode or stat.S_IFREG
    for stretch in reversed(file.stretches):
        if stretch.before[1] is not None and stretch.after[1] == mode:
            mode = stretch.before[1]
    return mode & ~SET_ID

"""Takes the agent's changes out of files that others have changed, too, and keeps theirs.

Of a file that a restore keeps because of somebody's edit, each change of others is done again on
what the checkpoint has, by a three-way merge of git (``merge-file``): so what somebody took over
from the agent by hand stays as well. What both have touched is a conflict, which is never written
unless somebody chooses it. A file that cannot be merged stays, and its reason says why.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hermes_checkpoints.attribution.looks import State
from hermes_checkpoints.attribution.stretches import Stretch, stretches_of
from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.catalog import Recorded
from hermes_checkpoints.errors import StoreDamaged, base_errors
from hermes_checkpoints.fs.inspect import SET_ID
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import Action, Checkpoint, Conflict, PlannedPath
from hermes_checkpoints.object_store.aside import missing
from hermes_checkpoints.object_store.git_objects import is_text
from hermes_checkpoints.restore.parts import read
from hermes_checkpoints.text import counted

MERGED = "merged: the agent's changes go, the others stay"

FOLDED = "checkpoints in between were pruned, and with them the record of each change"

_MOST_CONFLICTS = 127
"""Git tells no more by its exit code."""

_MARK = 7
"""How long git's conflict markers are."""


@dataclass(frozen=True)
class TakenOut:
    """A file without what the agent did to it: its ``contents`` and full ``mode``, and in how many
    ``places`` that conflicts with what others did; there it has both, between markers."""

    contents: bytes
    places: int
    mode: int


@dataclass(frozen=True)
class Merged:
    """The steps of a plan with files merged, the ``contents`` of these, and the ``conflicts`` of
    those that are kept since the agent's and other changes touch."""

    steps: tuple[PlannedPath, ...]
    contents: Mapping[str, bytes] = field(default_factory=dict)
    conflicts: Mapping[str, Conflict] = field(default_factory=dict)


@dataclass(frozen=True)
class _File:
    step: PlannedPath
    stretches: Sequence[Stretch]


def take_out(
    git: Git,
    place: Path,
    checkpoint: Checkpoint,
    steps: Sequence[PlannedPath],
    verdicts: Mapping[str, Verdict],
    recorded: Mapping[str, Sequence[Recorded]],
    *,
    folded: bool,
    most: int | None = None,
) -> dict[str, TakenOut | str]:
    """Take the agent's changes out of the files of steps that a restore which keeps edits would
    keep because of who changed them, as ``verdicts`` say; return what is left of each, or why that
    cannot be told. Files that no agent has changed are not among them. ``recorded`` is what
    happened to each path since the checkpoint, and ``place`` is where scratch folders lie. Where
    that is ``folded``, one event may stand for several, so that nothing can be taken apart. Of more
    than ``most`` files, the first are looked at.

    Raises:
        GitFailed, BaseUnwritable, NoSpace.
    """
    found: dict[str, TakenOut | str] = {}
    files: dict[str, _File] = {}
    for step in steps:
        if most is not None and len(files) >= most:
            break
        verdict = verdicts.get(step.path)
        kept = verdict is not None and not verdict.restore and step.reason == verdict.reason
        both = step.mode or 0, step.old_mode or 0
        if step.action not in (Action.KEEP, Action.WRITE) or not kept:
            continue
        if not all(map(stat.S_ISREG, both)) or step.old_blob in (None, step.blob):
            continue  # the last where the checkpoint lacks it, too
        now, then = (step.old_blob, step.old_mode), (step.blob, step.mode)
        stretches = stretches_of(recorded.get(step.path, ()), now, then)
        if isinstance(stretches, str):
            found[step.path] = stretches
        elif not any(stretch.agents for stretch in stretches):
            continue
        elif folded:
            found[step.path] = FOLDED
        else:
            files[step.path] = _File(step, stretches)
    wanted = {blob for one in files.values() for blob in _blobs(one)}
    away = missing(git, wanted) if wanted else set()
    with base_errors(place), scratch_folder(place, SCRATCH_PREFIX) as folder:
        for done, (path, file) in enumerate(files.items()):
            if git.progress is not None:
                git.progress("merging", done, len(files))
            if not away.isdisjoint(_blobs(file)):
                found[path] = "the object store lacks what the agent left or found there"
                continue
            try:
                found[path] = _merged(git, folder, checkpoint, file)
            except StoreDamaged as error:
                found[path] = str(error)
    return found


def merge(steps: Sequence[PlannedPath], taken_out: Mapping[str, TakenOut | str]) -> Merged:
    """Return the steps of a plan with the files that are kept merged, where that leaves no
    conflict; the reasons of the others say why not."""
    contents: dict[str, bytes] = {}
    conflicts: dict[str, Conflict] = {}
    written: list[PlannedPath] = []
    rest: list[PlannedPath] = []
    for step in steps:
        result = taken_out.get(step.path)
        if result is None or step.action is not Action.KEEP:
            rest.append(step)
        elif isinstance(result, str):
            why = "" if result == step.reason else f"; not merged: {result}"
            rest.append(replace(step, reason=f"{step.reason}{why}"))
        elif result.places:
            conflicts[step.path] = Conflict(result.contents, result.places, result.mode)
            why = f"not merged: {counted(result.places, 'conflict')} with what the agent changed"
            rest.append(replace(step, reason=f"{step.reason}; {why}"))
        else:
            contents[step.path] = result.contents
            new = replace(step, action=Action.WRITE, reason=MERGED, blob=None, mode=result.mode)
            size = len(result.contents)
            written.append(replace(new, bytes=size, insertions=None, deletions=None))
    # These first: nothing depends on them, and what is deleted goes last.
    return Merged((*written, *rest), contents, conflicts)


def _blobs(file: _File) -> set[str]:
    states = [state for one in file.stretches for state in (one.before, one.after)]
    return {blob for blob in (file.step.old_blob, *(blob for blob, _ in states)) if blob}


class _Unfit(Exception):
    """Contents cannot be merged; the message says why."""


def _merged(git: Git, folder: Path, checkpoint: Checkpoint, file: _File) -> TakenOut | str:
    """Do the others' changes again without the agent's. Where that conflicts, and taking the
    agent's out of the present does, too, that is the result: it shows each place once."""

    def text(state: State) -> bytes:
        data = read(git, state[0] or "")
        if data is None:
            raise _Unfit("it is too large")
        if not is_text(data):
            raise _Unfit("it is no text")
        return data

    def forwards() -> tuple[int, bytes]:
        data, places = text(file.stretches[0].before), 0
        for number, one in enumerate(others):
            old, new = text(one.before), text(one.after)
            three = (new, old, data)
            count, data = (0, new) if data in (old, new) else merge_three(three, number)
            places += count
        return places, data

    def backwards() -> tuple[int, bytes]:
        data, places = present, 0
        for number, one in enumerate(reversed(agents)):
            old, new = text(one.before), text(one.after)
            three = (data, new, old)
            count, data = (0, old) if data in (old, new) else merge_three(three, number)
            places += count
        return places, data

    def merge_three(three: tuple[bytes, bytes, bytes], number: int) -> tuple[int, bytes]:
        return _three_way(git, folder, checkpoint, three, _MARK + number)

    others = [one for one in file.stretches if not one.agents]
    agents = [one for one in file.stretches if one.agents]
    try:
        present = text((file.step.old_blob, file.step.old_mode))
        places, data = forwards()
        if places:
            shown = backwards()
            places, data = shown if shown[0] else (places, data)
    except _Unfit as unfit:
        return str(unfit)
    mode = _mode(file)
    if data == present and mode == file.step.old_mode:
        return "nothing of what the agent did is left in it"
    return TakenOut(data, places, mode)


def _three_way(
    git: Git,
    folder: Path,
    checkpoint: Checkpoint,
    contents: tuple[bytes, bytes, bytes],
    marker: int,
) -> tuple[int, bytes]:
    """Return what git makes of contents as they are, as the agent left and as it found them, with
    the number of conflicts; ``marker`` is the length of their markers."""
    names = [folder / name for name in ("now", "after", "before")]
    for name, content in zip(names, contents, strict=True):
        name.write_bytes(content)
    return git.of_objects().counting(
        *("merge-file", "-p", "--quiet", f"--marker-size={marker}"),
        *("-L", "as it is now", "-L", "as the agent left it"),
        *("-L", f"before the agent (checkpoint {checkpoint.short_id})"),
        *map(str, names),
        most=_MOST_CONFLICTS,
    )


def _mode(file: _File) -> int:
    """Return the full mode with what others did to it alone. Contents that no checkpoint had get no
    set-id bits."""
    mode = file.step.mode or stat.S_IFREG
    for stretch in file.stretches:
        if not stretch.agents and stretch.after[1] not in (None, stretch.before[1]):
            mode = stretch.after[1] or mode
    return mode & ~SET_ID

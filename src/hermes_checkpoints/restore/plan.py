"""Puts the decisions about all paths together into a plan, in the order of execution. No I/O.

Two rules stand above every mode. What the safety checkpoint does not hold is neither
overwritten nor deleted. And that a path is missing in the checkpoint is no proof that it was
made since: one that the checkpoint skipped or that a rule ignored then stays.

The decisions build on each other, so their order is part of the rules:

1. which files come back, and what stands in their way (``files``, ``obstacles``);
2. which directories come back, for those files or for their own sake, and what stands in theirs;
3. which files are removed, now that it is known what goes to make room;
4. which directories are removed, now that it is known what is left in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_checkpoints.model import Action, Mode, PlannedPath
from hermes_checkpoints.restore import directories, files, nested, obstacles
from hermes_checkpoints.restore.situation import Basis, Situation


def plan_steps(
    situation: Situation, mode: Mode, chosen: Sequence[str] | None, *, exactly: bool = False
) -> tuple[PlannedPath, ...]:
    """Return what is done to every path that differs, in the order of execution.

    ``chosen`` limits the restore to these paths and what lies below them, or, ``exactly``, to
    these alone. What stands in the way of a path that comes back goes even if it is not chosen.
    A path has two steps where one kind of thing takes the place of another: a file ``a`` is
    deleted, and the directory ``a`` made.

    Room is made first, directories come before what lies in them, and what nothing needs the
    place of goes last, so that a restore that is cut short has deleted as little as possible.
    """
    basis = Basis(situation, mode, None if chosen is None else frozenset(chosen), exactly)

    files_back, ways_to_files = files.bring_back(basis)
    written = [step.path for step in _of(files_back, Action.WRITE)]
    directories_back, ways_to_directories = directories.bring_back(basis, written)
    in_the_way = obstacles.in_the_way([*ways_to_files, *ways_to_directories])
    files_gone = files.remove(basis, in_the_way)
    deleted = _of(files_gone, Action.DELETE)
    directories_gone = directories.remove(basis, in_the_way, [step.path for step in deleted])

    return (
        *(step for step in deleted if step.path in in_the_way),
        *directories.make_room(basis, in_the_way),
        *_of(directories_back, Action.MKDIR),
        *_of(files_back, Action.WRITE),
        *_of(files_back, Action.CHMOD),
        *(step for step in deleted if step.path not in in_the_way),
        *_of(directories_gone, Action.DELETE),
        *directories.change_modes(basis),
        *_of([*files_back, *files_gone, *directories_back, *directories_gone], Action.KEEP),
        *nested.keep(basis),
    )


def _of(steps: Sequence[PlannedPath], action: Action) -> list[PlannedPath]:
    return [step for step in steps if step.action is action]

"""Carries out the steps of a restore plan, and goes on past a path that fails.

Contents are read from the store and checked against their ids. A path that is another than the
safety checkpoint holds is left alone, since nothing would bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_checkpoints.errors import GitTimedOut, PathRefused, StoreDamaged
from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.leftovers import CHANGED
from hermes_checkpoints.fs.stamp import Stamp
from hermes_checkpoints.fs.writer import TreeWriter
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Action, FailedPath, PlannedPath
from hermes_checkpoints.restore.readable import Contents, room_for_nothing
from hermes_checkpoints.restore.stamps import Expected


def execute(
    git: Git, root: Directory, steps: Sequence[PlannedPath], expected: Expected
) -> tuple[tuple[PlannedPath, ...], tuple[FailedPath, ...]]:
    """Do the steps in order; return those done and those that failed.

    Directories that had to be opened are closed again in the end, whatever happens.
    """
    done: list[PlannedPath] = []
    failed: list[FailedPath] = []
    stamps = dict(expected.stamps)
    writer = TreeWriter(root, expected.closed, git.repository.parent, expected.owners)
    try:
        with Contents(git) as contents:
            useless = room_for_nothing(contents, steps)
            contents.expect([s.blob for s in steps if s.action is Action.WRITE and s.blob])
            changing = [step for step in steps if step.action is not Action.KEEP]
            for place, step in enumerate(changing):
                if git.progress is not None:
                    git.progress("restoring", place, len(changing))
                try:
                    if step.action is Action.DELETE and step.path in useless:
                        raise PathRefused(f"it stays: {useless[step.path]} cannot be read")
                    _do(writer, contents, step, stamps)
                except (OSError, PathRefused, StoreDamaged, GitTimedOut) as error:
                    failed.append(FailedPath(step.path, step.action, _words(error)))
                else:
                    done.append(step)
        for step in reversed([step for step in done if step.action is Action.MKDIR]):
            try:
                writer.change_mode(step.path, step.mode or 0, stamps[step.path])
            except (OSError, PathRefused) as error:
                failed.append(FailedPath(step.path, step.action, _words(error)))
    finally:
        unclosed = writer.finish()
    for step in [step for step in done if step.is_file and step.path in writer.stayed]:
        done.remove(step)
        failed.append(FailedPath(step.path, step.action, _words(writer.stayed[step.path])))
    failed += [FailedPath(path, Action.CHMOD, _words(error)) for path, error in unclosed]
    return tuple(done), tuple(failed)


def _do(
    writer: TreeWriter, contents: Contents, step: PlannedPath, stamps: dict[str, Stamp | None]
) -> None:
    """Do one step; where another step of the same path may follow, note what it then finds."""
    path, mode, stamp = step.path, step.mode or 0, stamps[step.path]
    if step.action is Action.WRITE:
        writer.write(path, mode, lambda write: contents.copy(step.blob, write), stamp)
    elif step.action is Action.MKDIR:
        if stamp is not None:
            raise PathRefused(CHANGED)
        writer.make_directory(path)
        stamps[path] = writer.look(path)
    elif step.action is Action.CHMOD:
        writer.change_mode(path, mode, stamp)
    else:
        writer.delete(path, stamp)
        stamps[path] = None


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)

"""Carries out the steps of a restore plan, and goes on past a path that fails.

Contents are read from the store and checked against their ids. A file that changed after the
safety checkpoint looked at it is left alone, since nothing holds what is in it now.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from hermes_checkpoints.errors import PathRefused, StoreDamaged
from hermes_checkpoints.fs.writer import TEMPORARY_PREFIX, TreeWriter
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import Action, Change, ChangeStatus, FailedPath, PlannedPath


def check_readable(git: Git, steps: Sequence[PlannedPath]) -> None:
    """Read every object that the steps need.

    Raises:
        StoreDamaged: naming the path that cannot be restored.
    """
    with git.blobs() as reader:
        for step in steps:
            if step.action is Action.WRITE and step.blob:
                try:
                    reader.copy(step.blob, lambda _: None)
                except StoreDamaged as error:
                    raise StoreDamaged(
                        f"nothing was restored: the contents of {step.path!r} cannot be read "
                        f"({error})"
                    ) from error


def execute(
    git: Git, root: Path, steps: Sequence[PlannedPath], seen_until: int
) -> tuple[tuple[PlannedPath, ...], tuple[FailedPath, ...]]:
    """Do the steps in order; return those done and those that failed.

    ``seen_until`` is the time in nanoseconds at which the safety checkpoint began to look.
    """
    done: list[PlannedPath] = []
    failed: list[FailedPath] = []
    writer = TreeWriter(root, barred=git.repository.parent)
    with git.blobs() as reader:
        for step in steps:
            if step.action is Action.KEEP:
                continue
            try:
                _refuse_changed(root, step, seen_until)
                _do(writer, reader, step)
            except (OSError, PathRefused, StoreDamaged) as error:
                failed.append(FailedPath(step.path, step.action, _words(error)))
            else:
                done.append(step)
    writer.finish()
    for step in reversed([step for step in done if step.action is Action.MKDIR]):
        try:
            writer.change_mode(step.path, step.mode or 0)
        except (OSError, PathRefused) as error:
            failed.append(FailedPath(step.path, step.action, _words(error)))
    return tuple(done), tuple(failed)


def sweep(root: Path, paths: Iterable[str]) -> None:
    """Delete the half-written files of a killed restore, beside the paths that it was to write.

    What cannot be deleted stays; no checkpoint holds such files.
    """
    for folder in {(root / path).parent for path in paths}:
        with contextlib.suppress(OSError):
            if folder.resolve() != folder or not folder.is_relative_to(root):
                continue  # a link leads elsewhere
            for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
                left.unlink()


def outcome_changes(done: Iterable[PlannedPath]) -> list[Change]:
    """Return what the steps changed, for the record of who changed what; directories have none.

    A path that was deleted and then written is one change.
    """
    changes: dict[str, Change] = {}
    for step in done:
        if step.action is Action.MKDIR or stat.S_ISDIR(step.mode or 0):
            continue
        if step.action is Action.DELETE:
            changes[step.path] = Change(step.path, ChangeStatus.DELETED)
        else:
            changes[step.path] = Change(
                step.path, ChangeStatus.MODIFIED, new_blob=step.blob, new_mode=step.mode
            )
    return list(changes.values())


def _refuse_changed(root: Path, step: PlannedPath, seen_until: int) -> None:
    if step.action not in (Action.WRITE, Action.DELETE):
        return
    try:
        found = os.lstat(root / step.path)
    except OSError:
        return
    if stat.S_ISREG(found.st_mode) and found.st_mtime_ns > seen_until:
        raise PathRefused("it changed while the restore ran; it was left as it is")


def _do(writer: TreeWriter, reader: BlobReader, step: PlannedPath) -> None:
    mode = step.mode or 0
    if step.action is Action.WRITE:
        blob = step.blob
        if blob is None:
            raise StoreDamaged("the plan names no contents")
        writer.write(step.path, mode, lambda write: reader.copy(blob, write))
    elif step.action is Action.MKDIR:
        writer.make_directory(step.path)
    elif step.action is Action.CHMOD:
        writer.change_mode(step.path, mode)
    elif stat.S_ISDIR(mode):
        writer.delete_directory(step.path)
    else:
        writer.delete(step.path)


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)

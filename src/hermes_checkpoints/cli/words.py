"""Decides what each word of a command line means: a checkpoint or a path.

One rule for all verbs:

- Where the place of a word leaves one meaning, it has that meaning: ``cat 1 2`` prints file ``2``
  of checkpoint 1.
- Elsewhere a word that resolves as a reference is a checkpoint, and one that is there, now or in a
  checkpoint, is a path. A word that is both is refused with both meanings named; one that is
  neither is refused with what was looked for.
- ``--`` separates: ``diff 1 --`` compares checkpoint 1, ``diff -- 1`` the file ``1``.

Directories are decided by ``target.named_directory``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.exits import BadUsage
from hermes_checkpoints.cli.target import Target
from hermes_checkpoints.errors import (
    PROGRAM,
    BadRequest,
    CheckpointAmbiguous,
    CheckpointError,
    CheckpointForeign,
    CheckpointLost,
    CheckpointPruned,
    CheckpointUnknown,
    PathRefused,
    PathUnknown,
    ProjectUnknown,
    RemoteOff,
)
from hermes_checkpoints.model import LATEST, TIME_SIGN, Checkpoint

if TYPE_CHECKING:
    from hermes_checkpoints.base.lookup import Reference

_NAMES_ANYWHERE = re.compile(r"[0-9a-f]{8,64}")
_ELSEWHERE = (CheckpointForeign, CheckpointUnknown, ProjectUnknown)


@dataclass(frozen=True)
class Found:
    """A checkpoint, and the project that it belongs to."""

    what: Target
    checkpoint: Checkpoint


@dataclass(frozen=True)
class Reading:
    """What the words of a verb mean. ``paths`` are from the working directory; None means all."""

    checkpoints: tuple[Found, ...]
    paths: list[str] | None


def checkpoint_of(
    what: Target,
    word: str | None,
    *,
    anywhere: bool = False,
    remote: bool | None = None,
    lost: bool = False,
) -> Found:
    """Return the checkpoint that ``word`` means, None the newest.

    With ``anywhere``, an id or a beginning of it of at least eight digits also names a checkpoint
    of another project, unless a directory was named. With ``remote``, which is as ``anywhere``
    where it is None, it names one that only the remote has, too: its contents are fetched then.
    With ``lost``, one that is lost as a whole is meant, too.

    Raises:
        CheckpointError: as ``Project.get``; a word that is a path is told to be one.
    """
    remote = anywhere if remote is None else remote
    try:
        return Found(what, what.project.get(LATEST if word is None else word, lost=lost))
    except _ELSEWHERE as error:
        if word is not None and anywhere and not what.named:
            found = _from_anywhere(what, word)
            if found is not None:
                return found
        if anywhere and isinstance(error, CheckpointForeign) and not what.named:
            raise CheckpointForeign(
                f"{error}; eight digits of an id name it from anywhere"
            ) from error
        found = _from_remote(what, word) if remote else None
        if found is not None:
            return found
        raise _with_what_it_is(error, what, word) from error
    except (CheckpointPruned, CheckpointLost):
        with contextlib.suppress(RemoteOff):
            found = _from_remote(what, word) if remote else None
            if found is not None:
                return found
        raise
    except BadRequest as error:
        raise _with_what_it_is(error, what, word) from error


def checkpoint_and_paths(
    what: Target, word: str, paths: Sequence[str], literal: Sequence[str] | None
) -> Reading:
    """Read ``ID [PATH …]``: the first word is a checkpoint, which also has to be no path, unless
    ``--`` stands behind it.

    Raises:
        BadRequest: when the first word is a checkpoint and a path.
        CheckpointError: when it is no checkpoint.
    """
    found = checkpoint_of(what, word, anywhere=True)
    if literal is None:
        _refuse_both(found, word)
    words = [*paths, *(literal or ())]
    return Reading((found,), [found.what.path(one) for one in words] or None)


def checkpoints_and_paths(
    what: Target, words: Sequence[str], literal: Sequence[str] | None, *, elsewhere: bool = False
) -> Reading:
    """Read ``[ID [ID]] [PATH …]``: checkpoints first; without one, the newest is meant. Paths may
    also lie ``elsewhere`` than in the directory and in checkpoints; then a word that is no
    checkpoint is a path.

    Raises:
        BadRequest: when a word is a checkpoint and a path, or a checkpoint behind a path.
        BadUsage: when more than two words stand before ``--``.
        PathUnknown: when a word is neither a checkpoint nor a path.
        CheckpointError: when a word before ``--`` is no checkpoint.
    """
    found: list[Found] = []
    paths: list[str] = []
    for word in words:
        here = found[0].what if found else what
        if literal is not None:
            if len(found) == 2:
                raise BadUsage(f"{word!r}: at most two checkpoints stand before --, paths behind")
            found.append(checkpoint_of(here, word, anywhere=not found, remote=True))
        elif paths or len(found) == 2:
            _refuse_misplaced(here, word)
            paths.append(word)
        elif (one := _reference(here, word, anywhere=not found)) is not None:
            _refuse_both(one, word)
            found.append(one)
        elif is_path(here, word, found) or (elsewhere and not word.strip().startswith(TIME_SIGN)):
            paths.append(word)
        else:
            raise _neither(here, word, found)
    start = found[0].what if found else what
    chosen = [start.path(word) for word in (*paths, *(literal or ()))]
    return Reading(tuple(found), chosen or None)


def _from_anywhere(what: Target, word: str) -> Found | None:
    if not _NAMES_ANYWHERE.fullmatch(word.strip().lower()):
        return None
    try:
        checkpoint = what.checkpoints.find(word)
    except CheckpointUnknown:
        return None
    return Found(what.at(what.checkpoints.project(checkpoint.working_dir)), checkpoint)


def _from_remote(what: Target, word: str | None) -> Found | None:
    """Return a checkpoint that is in the list of the remote and not here, with its contents; None
    where the list has none. Paths start at the top where it is of another project."""
    if word is None or not _NAMES_ANYWHERE.fullmatch(word.strip().lower()):
        return None
    try:
        found = what.checkpoints.fetch(word, working_dir=what.working_dir)
    except CheckpointUnknown:
        return None
    if what.project.is_same(found):
        return Found(what, found)
    return Found(replace(what, start=PurePath()), found)


def _reference(what: Target, word: str, *, anywhere: bool) -> Found | None:
    """Return the checkpoint that a word means, None where it means none.

    Raises:
        CheckpointAmbiguous, CheckpointPruned, CheckpointForeign: it means one that is not to be
            had.
    """
    try:
        return checkpoint_of(what, word, anywhere=anywhere, remote=True)
    except (CheckpointAmbiguous, CheckpointPruned, CheckpointForeign):
        if what.exists(word):
            return None
        raise
    except (BadRequest, CheckpointUnknown, ProjectUnknown):
        if not word.strip():
            raise
        return None


def is_path(what: Target, word: str, found: Sequence[Found]) -> bool:
    """Tell whether a word is a path that is there, or that a checkpoint holds: one of those found,
    or the newest."""
    if what.exists(word):
        return True
    refs: list[Reference] = [one.checkpoint for one in found]
    try:
        return any(what.project.holds(ref, what.path(word)) for ref in refs or [LATEST])
    except (BadRequest, CheckpointUnknown, PathRefused, ProjectUnknown):
        return False


def _refuse_both(found: Found, word: str) -> None:
    what, checkpoint = found.what, found.checkpoint
    if not (is_path(what, word, [found]) or is_path(what, word, [])):
        return
    own = checkpoint.working_dir == str(what.working_dir)
    raise BadRequest(
        f"{word!r} is checkpoint {checkpoint.short_id} of {checkpoint.working_dir}, and a path in "
        f"{'it' if own else what.working_dir}; -- separates: `{word} --` means the checkpoint, "
        f"`-- {word}` the path"
    )


def _refuse_misplaced(what: Target, word: str) -> None:
    """Refuse a checkpoint where only a path can stand."""
    if what.exists(word):
        return
    found = _reference(what, word, anywhere=False) if word.strip() else None
    if found is not None and not is_path(what, word, [found]):
        raise BadRequest(
            f"{word!r} is checkpoint {found.checkpoint.short_id}, where a path was expected; two "
            "checkpoints at most are compared, and they stand before the paths"
        )


def _neither(what: Target, word: str, found: Sequence[Found]) -> CheckpointError:
    ids = " and ".join(one.checkpoint.short_id for one in found)
    held = f"checkpoint {ids}" if ids else "the newest checkpoint"
    try:
        what.project.get(LATEST)
        if word.strip().startswith(TIME_SIGN):  # why this time means none is what there is to say
            what.project.get(word)
    except CheckpointError as error:  # no checkpoints at all: that is what there is to say
        return error
    return PathUnknown(
        f"{word!r} is neither a checkpoint of {what.working_dir} (no id, label, number or time) "
        f"nor a path there or in {held}; `{PROGRAM} log` lists the checkpoints"
    )


def _with_what_it_is(error: CheckpointError, what: Target, word: str | None) -> CheckpointError:
    """Return the error of a word that is no checkpoint, saying that it is a path."""
    if word is None or not what.exists(word):
        return error
    return type(error)(f"{error}; {word!r} is a path, and a checkpoint was expected")

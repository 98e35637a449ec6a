"""Every error that this package raises, as one tree.

A message names what went wrong and what to do about it, because it reaches a person through
the command line, the agent's log and the catalog's operations journal alike. ``exit_code`` is
what a command line ends with: 2 for an error that changed nothing, 3 for work done in part.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import ClassVar


class CheckpointError(Exception):
    """Base of all errors of this package. ``code`` is stable and safe to branch on."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2


# --- the machine ------------------------------------------------------------------------


class GitMissing(CheckpointError):
    """No ``git`` program was found on PATH."""

    code = "git-missing"


class GitTooOld(CheckpointError):
    """The ``git`` found is older than the oldest supported version."""

    code = "git-too-old"


class GitFailed(CheckpointError):
    """A git process ended with an error, or ran past its time limit."""

    code = "git-failed"


class GitTimedOut(GitFailed):
    """A git process ran past its time limit and was stopped."""

    code = "git-timed-out"


class LockHeld(CheckpointError):
    """Another process works on the same project or store; the message names it."""

    code = "lock-held"


class BaseUnwritable(CheckpointError):
    """The checkpoint base cannot be created or written."""

    code = "base-unwritable"


class NoSpace(CheckpointError):
    """The disk or quota is full."""

    code = "no-space"


# --- the catalog and the store --------------------------------------------------------------


class CatalogNewer(CheckpointError):
    """The catalog was written by a newer version of this package."""

    code = "catalog-newer"


class CatalogDamaged(CheckpointError):
    """SQLite cannot read the catalog, or it lacks what its revision says it has."""

    code = "catalog-damaged"


class CatalogBusy(CheckpointError):
    """The catalog stayed locked by another process for longer than the busy timeout."""

    code = "catalog-busy"


class StoreDamaged(CheckpointError):
    """The object store lacks an object, or one of its objects cannot be read."""

    code = "store-damaged"


# --- what the caller asked for ---------------------------------------------------------------


class BadRequest(CheckpointError):
    """An argument has a form that is refused before anything is looked up."""

    code = "bad-request"


class BadDirectory(CheckpointError):
    """The working directory is missing, no directory, or not readable."""

    code = "bad-directory"


class ProjectUnknown(CheckpointError):
    """No checkpoint was ever taken of this working directory."""

    code = "project-unknown"


class CheckpointUnknown(CheckpointError):
    """No checkpoint answers to this id."""

    code = "checkpoint-unknown"


class CheckpointAmbiguous(CheckpointError):
    """More than one checkpoint answers to this id prefix."""

    code = "checkpoint-ambiguous"


class CheckpointForeign(CheckpointError):
    """The checkpoint belongs to another project."""

    code = "checkpoint-foreign"


class CheckpointPruned(CheckpointError):
    """The checkpoint was pruned; the message says when and why."""

    code = "checkpoint-pruned"


class PathRefused(CheckpointError):
    """A path is absolute, leaves the project, or lies under a ``.git``."""

    code = "path-refused"


class PathUnknown(CheckpointError):
    """The checkpoint does not hold this path."""

    code = "path-unknown"


# --- restore ------------------------------------------------------------------------------


class NoSafetyCheckpoint(CheckpointError):
    """The safety checkpoint could not be taken, so nothing was restored."""

    code = "no-safety-checkpoint"


class NothingToUndo(CheckpointError):
    """No restore is left that an undo, or no undo that a redo, could take back."""

    code = "nothing-to-undo"


class TreeChanged(CheckpointError):
    """The working directory changed between the plan and its execution."""

    code = "tree-changed"


# --- sessions -----------------------------------------------------------------------------


class BadDocument(CheckpointError):
    """A session document holds what safe YAML cannot carry, or contains itself."""

    code = "bad-document"


class SessionUnknown(CheckpointError):
    """No state, or no such version, is kept of this session."""

    code = "session-unknown"


class SessionChanged(CheckpointError):
    """Another process wrote or removed the session since it was read."""

    code = "session-changed"


class SessionDamaged(CheckpointError):
    """The document of a session cannot be read; its former versions may be."""

    code = "session-damaged"


# --- errors of the system --------------------------------------------------------------------

_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def base_error(error: OSError, base: Path) -> CheckpointError:
    """Return what an error of the system on a file of the base means, with the remedy."""
    if error.errno in _NO_SPACE:
        return NoSpace(
            f"the disk of {base} is full; free some space or run `hermes checkpoints prune`"
        )
    return BaseUnwritable(
        f"{error.filename or base} cannot be written ({error.strerror}); "
        "check owner and permissions, or choose another home with --home or HERMES_HOME"
    )

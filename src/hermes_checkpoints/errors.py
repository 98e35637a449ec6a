"""Every error that this package raises, as one tree.

A message names what went wrong and what to do about it, because it reaches a person through
the command line, the agent's log and the catalog's operations journal alike. ``exit_code`` is
what a command line ends with: 2 for an error that changed nothing, 3 for work done in part.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from hermes_checkpoints.model import FoundPath


def _program() -> str:
    place, name = os.path.split((getattr(sys, "argv", None) or [""])[0])
    own = os.path.splitext(name)[0]
    if own == "__main__":  # python -m
        own = os.path.basename(place).replace("_", "-")
    return own if own in ("hermes-checkpoints", "hcp") else "hermes checkpoints"


PROGRAM = _program()
"""The command as people type it, in messages and advice: this one, where it is a script of this
package; else ``hermes checkpoints``, as beside the agent."""


class CheckpointError(Exception):
    """Base of all errors of this package. ``code`` is stable and safe to branch on; ``hint`` is
    what may be done, such as a command, where that can be told apart from the message.

    >>> try:
    ...     project.restore("latest")
    ... except CheckpointError as error:
    ...     print(error.code)
    project-unknown
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2

    def __init__(self, message: object = "", *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


# --- the machine ------------------------------------------------------------------------


class GitMissing(CheckpointError):
    """No ``git`` program was found on PATH.

    >>> import os
    >>> path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    >>> project.take().error.code
    'git-missing'
    >>> os.environ["PATH"] = path
    """

    code = "git-missing"


class GitTooOld(CheckpointError):
    """The ``git`` found is older than the oldest supported version.

    >>> issubclass(GitTooOld, CheckpointError), GitTooOld.code  # the message says which is needed
    (True, 'git-too-old')
    """

    code = "git-too-old"


class SqliteTooOld(CheckpointError):
    """The SQLite library that Python uses is older than the oldest supported version.

    >>> issubclass(SqliteTooOld, CheckpointError), SqliteTooOld.code  # the message names both
    (True, 'sqlite-too-old')
    """

    code = "sqlite-too-old"


class GitFailed(CheckpointError):
    """A git process ended with an error, or ran past its time limit.

    >>> import os, shutil
    >>> Path("../bin").mkdir()
    >>> Path("../bin/git").symlink_to(shutil.which("false"))
    >>> path, os.environ["PATH"] = os.environ["PATH"], str(Path("../bin").resolve())
    >>> project.take().error.code
    'git-failed'
    >>> os.environ["PATH"] = path
    """

    code = "git-failed"


class GitTimedOut(GitFailed):
    """A git process was stopped before it answered: it ran past its time limit, or the one that
    reads objects was killed from outside.

    >>> issubclass(GitTimedOut, GitFailed), GitTimedOut.code  # whoever catches the one gets both
    (True, 'git-timed-out')
    """

    code = "git-timed-out"


class LockHeld(CheckpointError):
    """Another process works on the same project or store; the message names it.

    >>> taken = project.take()
    >>> def prune_too(step):
    ...     checkpoints.prune(options=PruneOptions(lock_timeout=0))
    >>> checkpoints.prune(options=PruneOptions(report=prune_too))
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.LockHeld: ...
    """

    code = "lock-held"


class LockLost(CheckpointError):
    """A lock file was removed or replaced while it was held; nothing more was done.

    >>> issubclass(LockLost, CheckpointError), LockLost.code  # the message names the lock file
    (True, 'lock-lost')
    """

    code = "lock-lost"


class BaseUnwritable(CheckpointError):
    """The checkpoint base cannot be created or written.

    >>> Checkpoints.open("notes.txt/home")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.BaseUnwritable: the checkpoint base ... cannot be created ...
    """

    code = "base-unwritable"


class NoSpace(CheckpointError):
    """The disk or quota is full.

    >>> issubclass(NoSpace, CheckpointError), NoSpace.code  # the message says which disk is full
    (True, 'no-space')
    """

    code = "no-space"


# --- the catalog and the store --------------------------------------------------------------


class CatalogNewer(CheckpointError):
    """The catalog was written by a newer version of this package.

    >>> import sqlite3
    >>> Checkpoints.open("home").close()
    >>> catalog = sqlite3.connect("home/checkpoints/catalog.db", isolation_level=None)
    >>> _ = catalog.execute("UPDATE alembic_version SET version_num = '9999'")
    >>> catalog.close()
    >>> Checkpoints.open("home")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CatalogNewer: ...
    """

    code = "catalog-newer"


class CatalogDamaged(CheckpointError):
    """SQLite cannot read the catalog, or it lacks what its revision says it has.

    >>> Checkpoints.open("home").close()
    >>> _ = Path("home/checkpoints/catalog.db").write_text("no database at all " * 100)
    >>> Checkpoints.open("home")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CatalogDamaged: the catalog ... is damaged ...doctor --repair...
    """

    code = "catalog-damaged"


class CatalogBusy(CheckpointError):
    """The catalog stayed locked by another process for longer than the busy timeout.

    >>> issubclass(CatalogBusy, CheckpointError), CatalogBusy.code  # nothing was changed: try again
    (True, 'catalog-busy')
    """

    code = "catalog-busy"


class StoreDamaged(CheckpointError):
    """The object store lacks an object, or one of its objects cannot be read.

    >>> import shutil
    >>> taken = project.take()
    >>> for folder in (checkpoints.home / "checkpoints/store/objects").glob("??"):
    ...     shutil.rmtree(folder)
    >>> project.diff("latest")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.StoreDamaged: ...
    """

    code = "store-damaged"


# --- what the caller asked for ---------------------------------------------------------------


class BadRequest(CheckpointError):
    """An argument has a form that is refused before anything is looked up.

    >>> project.get(1)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.BadRequest: the number 1 is no reference to a checkpoint; give ...
    """

    code = "bad-request"


class LabelInUse(BadRequest):
    """Another checkpoint of the project has the label; the message says which.

    >>> first = project.take(label="clean")
    >>> _ = Path("notes.txt").write_text("oops")
    >>> second = project.take(label="clean")
    >>> second.error.code
    'label-in-use'
    >>> project.take(label="clean", move_label=True).checkpoint.labels
    ('clean',)
    """

    code = "label-in-use"


class QueryRefused(CheckpointError):
    """A query of the catalog is none, or would change something; the message says what is wrong.

    >>> checkpoints.ask("DELETE FROM settings")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.QueryRefused: the catalog is only read here: DELETE on settings is ...
    """

    code = "query-refused"


class BadDirectory(CheckpointError):
    """The working directory is missing, no directory, or not readable.

    >>> checkpoints.project("nowhere").coverage()
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.BadDirectory: .../nowhere does not exist; give an existing directory
    """

    code = "bad-directory"


class ProjectUnknown(CheckpointError):
    """No checkpoint was ever taken of this working directory.

    >>> project.get("latest")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.ProjectUnknown: No checkpoints exist for this directory (...)
    """

    code = "project-unknown"


class CheckpointUnknown(CheckpointError):
    """No checkpoint answers to this id.

    >>> taken = project.take()
    >>> project.get("7")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CheckpointUnknown: ... has 1 checkpoint, so there is no number 7...
    """

    code = "checkpoint-unknown"


class CheckpointAmbiguous(CheckpointError):
    """More than one checkpoint answers to this id prefix.

    >>> issubclass(CheckpointAmbiguous, CheckpointError), CheckpointAmbiguous.code
    (True, 'checkpoint-ambiguous')
    """

    code = "checkpoint-ambiguous"


class CheckpointForeign(CheckpointError):
    """The checkpoint belongs to another project.

    >>> taken = project.take()
    >>> checkpoints.project("elsewhere").get(taken.checkpoint)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CheckpointForeign: checkpoint ... belongs to ..., not to ...
    """

    code = "checkpoint-foreign"


class CheckpointPruned(CheckpointError):
    """The checkpoint was pruned; the message says when and why.

    >>> taken = project.take()
    >>> dropped = project.drop(taken.checkpoint)
    >>> project.get(taken.checkpoint)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CheckpointPruned: checkpoint ... was pruned on ... because ...
    """

    code = "checkpoint-pruned"


class CheckpointLost(CheckpointPruned):
    """The object store lost part of the checkpoint; the message says what, and what brings it back.

    >>> taken = project.take()
    >>> objects = checkpoints.home / "checkpoints" / "store" / "objects"
    >>> commit = taken.checkpoint.id
    >>> (objects / commit[:2] / commit[2:]).unlink()
    >>> result = checkpoints.prune()
    >>> project.get(taken.checkpoint)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.CheckpointLost: checkpoint ... is lost: ...
    """

    code = "checkpoint-lost"


class PathRefused(CheckpointError):
    """A path is absolute, leaves the project, or lies under a ``.git``.

    >>> taken = project.take()
    >>> project.restore("latest", "../notes.txt")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.PathRefused: '../notes.txt' leaves the project; give a path below it
    """

    code = "path-refused"


class PathUnknown(CheckpointError):
    """The checkpoint does not hold this path. ``path`` is which, and ``held`` the newest checkpoint
    that does hold it, where that was looked up.

    >>> taken = project.take()
    >>> project.read_file("latest", "*.txt")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.PathUnknown: checkpoint ... holds no file '*.txt'; paths are taken ...
    >>> Path("notes.txt").unlink()
    >>> taken_without_it = project.take()
    >>> try:
    ...     project.read_file("latest", "notes.txt")
    ... except PathUnknown as error:
    ...     error.held.number, error.held.checkpoint == taken.checkpoint
    (2, True)
    """

    code = "path-unknown"

    def __init__(self, message: str, path: str | None = None, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.held: FoundPath | None = None


class BranchRefused(CheckpointError):
    """A checkpoint cannot become a commit of the project's own repository; the message says why,
    and no branch was made there.

    >>> taken = project.take()
    >>> project.export_branch("latest", "rescued")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.BranchRefused: ... belongs to no git repository ...
    """

    code = "branch-refused"


# --- restore ------------------------------------------------------------------------------


class NoSafetyCheckpoint(CheckpointError):
    """The safety checkpoint could not be taken, so nothing was restored.

    >>> issubclass(NoSafetyCheckpoint, CheckpointError), NoSafetyCheckpoint.code
    (True, 'no-safety-checkpoint')
    """

    code = "no-safety-checkpoint"


class DirectoryReplaced(CheckpointError):
    """Another directory lies in the place of the one that was captured, so that nobody knows whose
    its files are. Modes overlay and exact do not ask that.

    >>> taken = project.take()
    >>> old = Path.cwd().rename("../another")
    >>> project.working_dir.mkdir()
    >>> try:
    ...     project.restore("latest")
    ... except DirectoryReplaced as error:
    ...     print(error.code)
    directory-replaced
    >>> len(project.restore("latest", mode="overlay").done)
    1
    """

    code = "directory-replaced"


class NothingToUndo(CheckpointError):
    """No restore is left that an undo, or no undo that a redo, could take back.

    >>> taken = project.take()
    >>> project.undo()
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.NothingToUndo: no restore of ... is left to undo
    """

    code = "nothing-to-undo"


class TreeChanged(CheckpointError):
    """What a plan touches changed between the plan and its execution.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("changed before the plan")
    >>> plan = project.plan_restore("latest", mode="exact")
    >>> _ = Path("notes.txt").write_text("changed after the plan")
    >>> project.restore("latest", plan=plan)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.TreeChanged: ... changed after the plan was made; ...
    """

    code = "tree-changed"


# --- sessions -----------------------------------------------------------------------------


class BadDocument(CheckpointError):
    """A session document holds what safe YAML cannot carry, or contains itself.

    >>> checkpoints.sessions.write("20261120_ab12", {"task": object()})
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.BadDocument: ...
    """

    code = "bad-document"


class SessionUnknown(CheckpointError):
    """No state, or no such version, is kept of this session.

    >>> checkpoints.sessions.read("20261120_ab12")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.SessionUnknown: ...
    """

    code = "session-unknown"


class SessionChanged(CheckpointError):
    """Another process wrote or removed the session since it was read.

    >>> written = checkpoints.sessions.write("20261120_ab12", {"step": 1})
    >>> checkpoints.sessions.write("20261120_ab12", {"step": 2}, if_version=0)
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.SessionChanged: ...
    """

    code = "session-changed"


class SessionDamaged(CheckpointError):
    """The document of a session cannot be read; its former versions may be.

    >>> import sqlite3
    >>> written = checkpoints.sessions.write("20261120_ab12", {"step": 1})
    >>> catalog = sqlite3.connect(checkpoints.home / "checkpoints/catalog.db", isolation_level=None)
    >>> _ = catalog.execute("UPDATE session_checkpoints SET document = '{'")
    >>> catalog.close()
    >>> checkpoints.sessions.read("20261120_ab12")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.SessionDamaged: ...
    """

    code = "session-damaged"


# --- the remote ---------------------------------------------------------------------------


class RemoteOff(CheckpointError):
    """There is no remote: none is configured, or what the configuration says of it is wrong.

    >>> checkpoints.check_remote()
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.RemoteOff: no remote is configured; ...
    """

    code = "remote-off"


class RemoteFailed(CheckpointError):
    """Git could not do what it was to do with the remote; the message has its words.

    >>> issubclass(RemoteFailed, CheckpointError), RemoteFailed.code  # nothing here was changed
    (True, 'remote-failed')
    """

    code = "remote-failed"


class RemoteUnreachable(RemoteFailed):
    """The remote gave no answer, or there is no repository at its address.

    >>> nowhere = Path("nowhere.git").resolve()
    >>> _ = (checkpoints.home / "config.yaml").write_text(
    ...     f"checkpoints: {{remote: {{url: {nowhere}}}}}"
    ... )
    >>> [one.code for one in checkpoints.check_remote().findings if one.code]
    ['remote-unreachable']
    """

    code = "remote-unreachable"


class RemoteDenied(RemoteFailed):
    """The remote lets nobody in without a password or key, and git found none that it takes.

    >>> issubclass(RemoteDenied, RemoteFailed), RemoteDenied.code  # nobody was asked for one
    (True, 'remote-denied')
    """

    code = "remote-denied"


class RemoteRefused(RemoteFailed):
    """The remote was reached and does not take or give what it was asked for; or git may not use
    the protocol of its address.

    >>> issubclass(RemoteRefused, RemoteFailed), RemoteRefused.code
    (True, 'remote-refused')
    """

    code = "remote-refused"


# --- the index of a fleet -------------------------------------------------------------------


class FleetOff(CheckpointError):
    """There is no index over many machines: none is configured, or what the configuration says of
    it is wrong.

    >>> checkpoints.fleet_status()
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.FleetOff: no index is configured; ...
    """

    code = "fleet-off"


class FleetFailed(CheckpointError):
    """The database of the index could not do what it was asked; the message has its words.

    >>> issubclass(FleetFailed, CheckpointError), FleetFailed.code  # the index is as it was
    (True, 'fleet-failed')
    """

    code = "fleet-failed"


class FleetUnreachable(FleetFailed):
    """The database of the index gave no answer.

    >>> checkpoints.fleet_status(catalog="postgresql://127.0.0.1:1/fleet")
    Traceback (most recent call last):
        ...
    hermes_checkpoints.errors.FleetUnreachable: the index 127.0.0.1:1/fleet gives no answer ...
    """

    code = "fleet-unreachable"


class FleetDenied(FleetFailed):
    """The database of the index does not let this user in, or do what is needed.

    >>> issubclass(FleetDenied, FleetFailed), FleetDenied.code  # the message has no password
    (True, 'fleet-denied')
    """

    code = "fleet-denied"


# --- errors of the system --------------------------------------------------------------------

_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def base_error(error: OSError, base: Path) -> CheckpointError:
    """Return what an error of the system on a file of the base means, with the remedy."""
    if error.errno in _NO_SPACE:
        return NoSpace(f"the disk of {base} is full; free some space or run `{PROGRAM} prune`")
    return BaseUnwritable(
        f"{error.filename or base} cannot be written ({error.strerror}); "
        "check owner and permissions, or choose another home with --home or HERMES_HOME"
    )


@contextlib.contextmanager
def base_errors(base: Path) -> Iterator[None]:
    """Let what the system refuses in the block, on a file of the base, be an error of the base.

    Raises:
        BaseUnwritable, NoSpace: as ``base_error`` says.
    """
    try:
        yield
    except OSError as error:
        raise base_error(error, base) from error


def without_library(what: str, library: str, extra: str) -> BadRequest:
    """Return the error of what needs a library that is not installed, and the ``extra`` of this
    package that brings it."""
    command = f"python -m pip install 'hermes-checkpoints[{extra}]'"
    return BadRequest(f"`{what}` needs the library {library}: {command}", hint=command)

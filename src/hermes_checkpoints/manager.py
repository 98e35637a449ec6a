"""What the host agent embeds: the names, arguments, result keys and texts that it knows from
earlier storage layers, on top of the typed API.

It must never crash the host. Boolean methods answer False for whatever goes wrong; the reason
is in the catalog's journal and in ``status``, or, where not even the catalog can be opened, in
the log. While it is disabled it touches no file and starts no process.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_checkpoints.config import Trigger, load_config
from hermes_checkpoints.conversation import Message, turn_starts
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.host_shapes import entry, format_checkpoint_list, restore_result
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Action, Failed, Kind, Mode, Skipped, Taken, TakeOutcome
from hermes_checkpoints.project_roots import known_project, project_root
from hermes_checkpoints.triggers import command_effect

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints

__all__ = ["CheckpointManager", "format_checkpoint_list", "store_status"]

logger = logging.getLogger(__name__)

_UNLIMITED = 1_000_000

T = TypeVar("T")
D = TypeVar("D")
Result = dict[str, Any]


class CheckpointManager:
    """Takes at most one checkpoint per directory and turn, and restores them.

    ``enabled`` is the master switch. ``max_snapshots`` is how many checkpoints of a directory
    are kept, ``max_file_size_mb`` (MB; 0 means no limit) the size over which a file is left
    out, ``max_total_size_mb`` the size (MB) that pruning aims at. ``home`` defaults to
    HERMES_HOME, else ``~/.hermes``, looked up at each use. ``session_id`` is recorded with each
    checkpoint. ``working_dir`` is the session's directory, from which relative paths are read;
    default is that of the process.
    """

    def __init__(
        self,
        enabled: bool = False,
        max_snapshots: int = 20,
        max_total_size_mb: int = 500,
        max_file_size_mb: int = 10,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        self.enabled = enabled
        self.max_snapshots = max(1, int(max_snapshots))
        self.max_total_size_mb = max(0, int(max_total_size_mb))
        self.max_file_size_mb = max(0, int(max_file_size_mb))
        self.session_id = session_id
        self.working_dir = working_dir
        self._home = home
        self._turn = 0
        self._message_count: int | None = None
        self._checkpointed: set[str] = set()
        self._open_turns: set[str] = set()
        self._registered: frozenset[str] | None = None
        self._warned = False

    @classmethod
    def from_config(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
    ) -> CheckpointManager:
        """Return a manager as the section ``checkpoints:`` of ``config.yaml`` wants it."""
        config = load_config(Layout.of(home).config)
        return cls(
            config.enabled,
            config.max_snapshots or _UNLIMITED,
            config.max_total_size_mb,
            config.max_file_size_mb,
            home=home,
            session_id=session_id,
            working_dir=working_dir,
        )

    def new_turn(self, messages: Sequence[Message] | None = None) -> None:
        """Begin a turn of the conversation: each directory may be checkpointed once more.

        The turn before ends now, unless ``end_turn`` has ended it already. ``messages`` is the
        conversation up to and with the request that begins this turn: its place is recorded
        with the checkpoints, so that a rollback finds it again.
        """
        self.end_turn()
        if messages is None:
            self._turn += 1
        else:
            self._turn, self._message_count = len(turn_starts(messages)), len(messages)
        self._checkpointed.clear()
        self._registered = None

    def end_turn(self) -> None:
        """Record that the agent is done for now: what changes from here on is the user's.

        Never raises. Costs nothing when no checkpoint was asked for in this turn.
        """
        open_dirs, self._open_turns = self._open_turns, set()
        if not self.enabled or not open_dirs:
            return

        def end(checkpoints: Checkpoints) -> None:
            for name in sorted(open_dirs):
                try:
                    checkpoints.end_turn(name, self.session_id)
                except CheckpointError as error:
                    logger.warning("the end of a turn in %s is not recorded: %s", name, error)

        self._quietly("the end of a turn is not recorded", end, None)

    def record_agent_write(self, file_path: str, tool: str | None = None) -> None:
        """Record that a tool has just written a file, so that a later edit by the user is told
        apart from it. Never raises."""
        if not self.enabled or not self._base_exists():
            return

        def record(checkpoints: Checkpoints) -> None:
            path = resolve_working_dir(self._placed(file_path))
            project = next(
                (p for p in path.parents if str(p) in self._checkpointed),
                project_root(path, checkpoints.working_dirs()),
            )
            checkpoints.record_agent_write(
                project,
                path.relative_to(project).as_posix(),
                session_id=self.session_id,
                turn=self._turn or None,
                tool=tool,
            )

        self._quietly(f"the write of {file_path} is not recorded", record, None)

    def ensure_checkpoint(
        self, working_dir: str, reason: str = "auto", *, message_count: int | None = None
    ) -> bool:
        """Take a checkpoint before files are changed, once per directory and turn.

        Returns True if one was taken; False if it was not needed, not allowed or failed. Never
        raises. ``message_count`` is how many messages the conversation has now, where
        ``new_turn`` was not told.
        """
        working_dir = self._placed(working_dir)
        if not self.enabled or self._is_done(working_dir):
            return False

        def take(checkpoints: Checkpoints) -> TakeOutcome:
            outcome = checkpoints.take(
                working_dir,
                reason,
                kind=Kind.AUTO,
                session_id=self.session_id,
                turn=self._turn or None,
                message_count=self._message_count if message_count is None else message_count,
            )
            match outcome:
                case Failed(error):
                    # Not marked as done: the next tool call of this turn tries again.
                    logger.warning("no checkpoint of %s: %s", working_dir, error)
                    return outcome
                case Skipped(_, reason_for_it):
                    logger.debug("no checkpoint of %s: %s", working_dir, reason_for_it)
                case _:
                    self._open_turns.add(str(resolve_working_dir(working_dir)))
            self._checkpointed.add(str(resolve_working_dir(working_dir)))
            return outcome

        outcome = self._quietly(f"no checkpoint of {working_dir}", take, None, working_dir)
        return isinstance(outcome, Taken)

    def ensure_before_command(self, command: str, working_dir: str | None = None) -> bool:
        """Take the checkpoints that a shell command calls for, before it runs in ``working_dir``
        (default: the session's directory).

        With ``trigger: always`` that is before every command, with ``destructive`` only before
        one that surely changes files. Other projects that the command names have theirs, too.
        Returns True if one was taken. Never raises.
        """
        if not self.enabled:
            return False
        directory = self._placed(working_dir or ".")
        effect = command_effect(command)
        if not effect.is_change and self.trigger is Trigger.DESTRUCTIVE:
            return False
        wanted = {directory: None}
        if effect.is_change:
            for path in effect.paths:
                there = self._project_elsewhere(os.path.join(directory, path), directory)
                if there is not None:
                    wanted[there] = None
        reason = f"before terminal: {command[:60]}"
        taken = [self.ensure_checkpoint(name, reason) for name in wanted]
        return any(taken)

    @property
    def trigger(self) -> Trigger:
        """Before which shell commands a checkpoint is taken, as ``config.yaml`` says."""
        return load_config(self.layout.config).trigger

    @property
    def layout(self) -> Layout:
        """Where everything lies, looked up now."""
        return Layout.of(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        """Return the directory from which relative paths are read; None for the process's."""
        return self.working_dir

    def list_checkpoints(self, working_dir: str) -> list[Result]:
        """Return the checkpoints of a directory, newest first, at most ``max_snapshots``.

        Each is a dict with ``hash``, ``short_hash``, ``timestamp`` (ISO 8601 with the zone in
        which it was taken), ``reason``, ``files_changed``, ``insertions``, ``deletions`` and
        ``skipped`` (how many paths were not captured).
        """
        if not self._base_exists():
            return []
        directory = self._placed(working_dir)

        def listing(checkpoints: Checkpoints) -> list[Result]:
            return [entry(c) for c in checkpoints.list(directory, limit=self.max_snapshots)]

        return self._quietly(f"checkpoints of {working_dir} cannot be listed", listing, [])

    def list_all_checkpoints(self) -> list[Result]:
        """Return the checkpoints of every directory, newest first, at most ``max_snapshots`` of
        each: the dicts of ``list_checkpoints`` with ``workdir``."""
        if not self._base_exists():
            return []

        def listing(checkpoints: Checkpoints) -> list[Result]:
            counts: Counter[str] = Counter()
            found = []
            for checkpoint in checkpoints.list_all():
                counts[checkpoint.workdir] += 1
                if counts[checkpoint.workdir] <= self.max_snapshots:
                    found.append(entry(checkpoint) | {"workdir": checkpoint.workdir})
            return found

        return self._quietly("checkpoints cannot be listed", listing, [])

    def diff(self, working_dir: str, commit_hash: str) -> Result:
        """Compare a checkpoint with the present working directory.

        Returns ``success`` with ``stat`` and ``diff`` (text), or with ``error``.
        """
        directory = self._placed(working_dir)

        def compare(checkpoints: Checkpoints) -> Result:
            found = checkpoints.diff(commit_hash, directory)
            return {"success": True, "stat": found.stat.rstrip("\n"), "diff": found.text}

        return self._answer(compare)

    def session_diff(self, working_dir: str) -> Result:
        """Compare the first checkpoint of this session with the present working directory: all
        that the session has changed there. Without a ``session_id``, the oldest checkpoint.

        Returns what ``diff`` returns, with ``baseline`` (the checkpoint's id), and ``empty``
        where there is no such checkpoint or no change.
        """
        nothing: Result = {"success": True, "stat": "", "diff": "", "empty": True}
        if not self._base_exists():
            return nothing
        directory = self._placed(working_dir)

        def compare(checkpoints: Checkpoints) -> Result:
            found = checkpoints.list(directory, session_id=self.session_id)
            if not found:
                return nothing
            diff = checkpoints.diff(found[-1].commit_id, directory)
            result: Result = {
                "success": True,
                "stat": diff.stat.rstrip("\n"),
                "diff": diff.text,
                "baseline": found[-1].commit_id,
            }
            return result if diff.changes else result | {"empty": True}

        return self._answer(compare)

    def safe_restore_plan(self, working_dir: str, commit_hash: str) -> Result:
        """Tell what ``restore`` with ``safe`` would do.

        Returns ``success`` with the lists of paths ``restore`` (brought back or deleted) and
        ``skipped`` (kept), or with ``error``.
        """
        directory = self._placed(working_dir)

        def plan(checkpoints: Checkpoints) -> Result:
            found = checkpoints.plan_restore(directory, commit_hash, mode=Mode.KEEP_EDITS)
            kept = found.of(Action.KEEP)
            return {
                "success": True,
                "restore": [step.path for step in found.steps if step not in kept],
                "skipped": [step.path for step in kept],
            }

        return self._answer(plan)

    def restore(
        self,
        working_dir: str,
        commit_hash: str,
        file_path: str | None = None,
        safe: bool = False,
    ) -> Result:
        """Bring a directory, or one file of it, back to a checkpoint.

        Without ``safe``, every captured file is brought back and nothing is deleted. With it,
        only what the agent changed is brought back, files that it made are deleted, and what
        the user changed is kept. A safety checkpoint comes first.

        Returns ``success``, ``restored_to`` (8 digits), ``reason``, ``directory``, ``safety``
        (the id of the safety checkpoint), and ``file`` if one was named; with ``safe`` also the
        lists of paths ``restored_files``, ``deleted_files``, ``skipped_user_edits``,
        ``skipped_oversize`` and ``failed_deletes``. If something went wrong, ``success`` is
        False and there is ``error`` and, if some paths failed, ``failed``.
        """
        directory = self._placed(working_dir)

        def bring_back(checkpoints: Checkpoints) -> Result:
            done = checkpoints.restore(
                directory,
                commit_hash,
                [file_path] if file_path is not None else None,
                mode=Mode.KEEP_EDITS if safe else Mode.OVERLAY,
            )
            result = restore_result(done, details=safe)
            if file_path is not None:
                result["file"] = file_path
            return result

        return self._answer(bring_back)

    def get_working_dir_for_path(self, file_path: str) -> str:
        """Return the directory to checkpoint for a file: below the home directory and within
        the same repository, the nearest one above it that has checkpoints; else the nearest
        with a project marker; else the file's own directory. Never raises for a path that can
        be resolved."""
        return str(project_root(self._placed(file_path), self._known_dirs()))

    # --- inside ------------------------------------------------------------------------------

    def _base_exists(self) -> bool:
        return self.layout.base.is_dir()

    def _placed(self, path: str) -> str:
        """Return a path seen from the session's directory, where the host has given one."""
        directory = self.session_dir()
        return path if directory is None else os.path.join(directory, os.path.expanduser(path))

    def _known_dirs(self) -> frozenset[str]:
        """Return the directories that have checkpoints, looked up once in a turn."""
        if not self.enabled or not self._base_exists():
            return frozenset()
        if self._registered is None:
            found = self._quietly("projects cannot be listed", lambda c: c.working_dirs(), None)
            if found is None:
                return frozenset()
            self._registered = found
        return self._registered

    def _project_elsewhere(self, path: str, directory: str) -> str | None:
        """Return the project that a path outside a directory surely belongs to."""
        try:
            if resolve_working_dir(path).is_relative_to(resolve_working_dir(directory)):
                return None
            found = known_project(path, self._known_dirs())
        except (OSError, ValueError, RuntimeError):
            return None
        return str(found) if found is not None else None

    def _open(self) -> Checkpoints:
        from hermes_checkpoints.checkpoints import Checkpoints

        layout = self.layout
        config = load_config(layout.config)
        if config.warning and not self._warned:
            self._warned = True
            logger.warning("%s", config.warning)
        return Checkpoints.open(
            layout.home,
            config=replace(
                config,
                max_snapshots=self.max_snapshots,
                max_total_size_mb=self.max_total_size_mb,
                max_file_size_mb=self.max_file_size_mb,
            ),
        )

    def _is_done(self, working_dir: str) -> bool:
        """Whether a directory had its checkpoint in this turn; asked before anything opens."""
        try:
            return str(resolve_working_dir(working_dir)) in self._checkpointed
        except (OSError, ValueError, RuntimeError):
            return False  # the take will say what is wrong with it

    def _quietly(
        self,
        failure: str,
        action: Callable[[Checkpoints], T],
        default: D,
        working_dir: str | None = None,
    ) -> T | D:
        """Act on the open checkpoints. Whatever goes wrong is logged, and journaled where it
        costs ``working_dir`` a checkpoint, and ``default`` comes back."""
        try:
            with self._open() as checkpoints:
                try:
                    return action(checkpoints)
                except Exception as error:
                    if working_dir is not None:
                        checkpoints.record_failure(working_dir, error)
                    raise
        except Exception as error:  # noqa: BLE001 - the host must go on, whatever it is
            logger.warning("%s: %s", failure, error)
            return default

    def _answer(self, action: Callable[[Checkpoints], Result]) -> Result:
        if not self._base_exists():
            return {"success": False, "error": "No checkpoints exist for this directory"}
        try:
            with self._open() as checkpoints:
                return action(checkpoints)
        except CheckpointError as error:
            return {"success": False, "error": str(error), "code": error.code}
        except Exception as error:  # the host must go on, whatever it is
            logger.exception("a checkpoint operation failed")
            return {"success": False, "error": f"{type(error).__name__}: {error}"}


def store_status(checkpoint_base: str | os.PathLike[str] | None = None) -> Result:
    """Return what the store holds, with the keys that hosts know.

    ``base``, ``store_size_bytes``, ``legacy_size_bytes``, ``total_size_bytes``,
    ``project_count``, ``projects`` (``hash``, ``workdir``, ``exists``, ``state``,
    ``created_at`` and ``last_touch`` in seconds since 1970, ``commits``) and
    ``legacy_archives`` (``name``, ``size_bytes``, ``mtime``). Sizes are bytes on disk.
    ``checkpoint_base`` is a checkpoint folder; default is that of HERMES_HOME.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    layout = Layout.of() if checkpoint_base is None else Layout.of_base(checkpoint_base)
    result: Result = {
        "base": str(layout.base),
        "store_size_bytes": 0,
        "legacy_size_bytes": 0,
        "total_size_bytes": 0,
        "project_count": 0,
        "projects": [],
        "legacy_archives": [],
    }
    if not layout.base.exists():
        return result
    from hermes_checkpoints.checkpoints import Checkpoints

    with Checkpoints.open(base=layout.base) as checkpoints:
        status = checkpoints.status()
    result |= {
        "store_size_bytes": status.store_bytes,
        "legacy_size_bytes": status.legacy_bytes,
        "total_size_bytes": status.total_bytes,
        "project_count": status.project_count,
        "projects": [
            {
                "hash": row.project.hash,
                "workdir": row.project.workdir,
                "exists": row.project.state == "live",
                "state": row.project.state.value,
                "created_at": row.project.created_at.timestamp(),
                "last_touch": row.project.last_touch.timestamp(),
                "commits": row.checkpoints,
            }
            for row in status.projects
        ],
        "legacy_archives": [
            {"name": a.name, "size_bytes": a.size_bytes, "mtime": a.mtime} for a in status.archives
        ],
    }
    return result

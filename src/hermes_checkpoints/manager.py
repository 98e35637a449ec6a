"""What the host agent embeds: the names, arguments, result keys and texts that it knows from
earlier storage layers, on top of the typed API.

It must never crash the host. Boolean methods answer False for whatever goes wrong; the reason
is in the catalog's journal and in ``status``, or, where not even the catalog can be opened, in
the log. While it is disabled it touches no file and starts no process.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_checkpoints.config import load_config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    Failed,
    Kind,
    Mode,
    Restored,
    Skipped,
    SkipReason,
    Taken,
    TakeOutcome,
)
from hermes_checkpoints.project_roots import project_root

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints

logger = logging.getLogger(__name__)

T = TypeVar("T")
D = TypeVar("D")
Result = dict[str, Any]


class CheckpointManager:
    """Takes at most one checkpoint per directory and turn, and restores them.

    ``enabled`` is the master switch. ``max_snapshots`` bounds what ``list_checkpoints``
    returns, ``max_file_size_mb`` (MB; 0 means no limit) is the size over which a file is left
    out, ``max_total_size_mb`` the size (MB) that pruning aims at. ``home`` defaults to
    HERMES_HOME, else ``~/.hermes``, looked up at each use; ``session_id`` is recorded with each
    checkpoint.
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
    ) -> None:
        self.enabled = enabled
        self.max_snapshots = max(1, int(max_snapshots))
        self.max_total_size_mb = max(0, int(max_total_size_mb))
        self.max_file_size_mb = max(0, int(max_file_size_mb))
        self.session_id = session_id
        self._home = home
        self._turn = 0
        self._checkpointed: set[str] = set()
        self._open_turns: set[str] = set()

    def new_turn(self) -> None:
        """Begin a turn of the conversation: each directory may be checkpointed once more.

        The turn before ends now, unless ``end_turn`` has ended it already.
        """
        self.end_turn()
        self._turn += 1
        self._checkpointed.clear()

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
        if not self.enabled:
            return

        def record(checkpoints: Checkpoints) -> None:
            path = resolve_working_dir(file_path)
            project = next(
                (p for p in path.parents if str(p) in self._checkpointed),
                project_root(file_path),
            )
            checkpoints.record_agent_write(
                project,
                path.relative_to(project).as_posix(),
                session_id=self.session_id,
                turn=self._turn or None,
                tool=tool,
            )

        self._quietly(f"the write of {file_path} is not recorded", record, None)

    def ensure_checkpoint(self, working_dir: str, reason: str = "auto") -> bool:
        """Take a checkpoint before files are changed, once per directory and turn.

        Returns True if one was taken; False if it was not needed, not allowed or failed. Never
        raises.
        """
        if not self.enabled or self._is_done(working_dir):
            return False

        def take(checkpoints: Checkpoints) -> TakeOutcome:
            outcome = checkpoints.take(
                working_dir,
                reason,
                kind=Kind.AUTO,
                session_id=self.session_id,
                turn=self._turn or None,
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

    def list_checkpoints(self, working_dir: str) -> list[Result]:
        """Return the checkpoints of a directory, newest first, at most ``max_snapshots``.

        Each is a dict with ``hash``, ``short_hash``, ``timestamp`` (ISO 8601 with the zone in
        which it was taken), ``reason``, ``files_changed``, ``insertions``, ``deletions`` and
        ``skipped`` (how many paths were not captured).
        """
        if not self._base_exists():
            return []

        def listing(checkpoints: Checkpoints) -> list[Result]:
            return [entry(c) for c in checkpoints.list(working_dir, limit=self.max_snapshots)]

        return self._quietly(f"checkpoints of {working_dir} cannot be listed", listing, [])

    def diff(self, working_dir: str, commit_hash: str) -> Result:
        """Compare a checkpoint with the present working directory.

        Returns ``success`` with ``stat`` and ``diff`` (text), or with ``error``.
        """

        def compare(checkpoints: Checkpoints) -> Result:
            found = checkpoints.diff(commit_hash, working_dir)
            return {"success": True, "stat": found.stat.rstrip("\n"), "diff": found.text}

        return self._answer(compare)

    def restore(
        self,
        working_dir: str,
        commit_hash: str,
        file_path: str | None = None,
        *,
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

        def bring_back(checkpoints: Checkpoints) -> Result:
            done = checkpoints.restore(
                working_dir,
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
        """Return the directory to checkpoint for a file: the nearest one above it with a
        project marker, below the home directory; else the file's own directory."""
        return str(project_root(file_path))

    # --- inside ------------------------------------------------------------------------------

    def _base_exists(self) -> bool:
        return Layout.of(self._home).base.is_dir()

    def _open(self) -> Checkpoints:
        from hermes_checkpoints.checkpoints import Checkpoints

        config = load_config(Layout.of(self._home).config)
        return Checkpoints.open(
            self._home,
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


def entry(checkpoint: Checkpoint) -> Result:
    """Return a checkpoint as the dict that hosts know. The first of a project has no figures
    of change, since there is nothing to compare it with."""
    first = checkpoint.previous_id is None
    return {
        "hash": checkpoint.commit_id,
        "short_hash": checkpoint.short_id,
        "timestamp": checkpoint.local_time.isoformat(timespec="seconds"),
        "reason": checkpoint.reason,
        "files_changed": 0 if first else checkpoint.files_changed,
        "insertions": 0 if first else checkpoint.insertions,
        "deletions": 0 if first else checkpoint.deletions,
        "skipped": checkpoint.skipped_count,
    }


def restore_result(done: Restored, *, details: bool) -> Result:
    """Return a restore as the dict that hosts know; ``details`` adds the lists of paths."""
    result: Result = {
        "success": done.complete,
        "restored_to": done.checkpoint.short_id,
        "reason": done.checkpoint.reason,
        "directory": str(done.working_dir),
        "safety": done.safety.commit_id,
    }
    if details:
        files = [step for step in done.done if not stat.S_ISDIR(step.mode or 0)]
        oversize = [step.path for step in done.kept if SkipReason.OVERSIZE in step.reason]
        result |= {
            "restored_files": [s.path for s in files if s.action is not Action.DELETE],
            "deleted_files": [s.path for s in files if s.action is Action.DELETE],
            "skipped_user_edits": [s.path for s in done.kept if s.path not in oversize],
            "skipped_oversize": oversize,
            "failed_deletes": [f.path for f in done.failed if f.action is Action.DELETE],
        }
    if done.failed:
        first = done.failed[0]
        result["failed"] = [{"path": f.path, "error": f.error} for f in done.failed]
        result["error"] = (
            f"{len(done.failed)} path(s) could not be restored, first {first.path}: {first.error}"
        )
    return result


def format_checkpoint_list(checkpoints: list[Result], directory: str) -> str:
    """Return the list that `/rollback` shows, from what ``list_checkpoints`` returned."""
    if not checkpoints:
        return f"No checkpoints found for {directory}"
    lines = [f"📸 Checkpoints for {directory}:\n"]
    for number, checkpoint in enumerate(checkpoints, 1):
        files = checkpoint.get("files_changed", 0)
        added, removed = checkpoint.get("insertions", 0), checkpoint.get("deletions", 0)
        stats = f"  ({files} file{'' if files == 1 else 's'}, +{added}/-{removed})" if files else ""
        if checkpoint.get("skipped"):
            stats += f"  [{checkpoint['skipped']} not captured]"
        when = _minute(checkpoint["timestamp"])
        lines.append(
            f"  {number}. {checkpoint['short_hash']}  {when}  {checkpoint['reason']}{stats}"
        )
    lines += [
        "\n  /rollback <N>             restore to checkpoint N",
        "  /rollback diff <N>        preview changes since checkpoint N",
        "  /rollback <N> <file>      restore a single file from checkpoint N",
    ]
    return "\n".join(lines)


def _minute(timestamp: str) -> str:
    """Shorten an ISO 8601 time to the minute; anything else is shown as it is."""
    day, separator, time = timestamp.partition("T")
    return f"{day} {time[:5]}" if separator else timestamp


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

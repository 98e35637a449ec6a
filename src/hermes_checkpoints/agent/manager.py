"""What the host agent embeds: the names, arguments, result keys and texts that it knows from
earlier storage layers, on top of the typed API.

It must never crash the host. Boolean methods answer False for whatever goes wrong; the reason
is in the catalog's journal and in ``status``, or, where not even the catalog can be opened, in
the log. While it is disabled it touches no file and starts no process.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.agent.answers import Answers
from hermes_checkpoints.agent.conversation import Message, turn_starts
from hermes_checkpoints.agent.shapes import format_checkpoint_list
from hermes_checkpoints.base.projects import known_project, project_root
from hermes_checkpoints.config import Trigger
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.layout import resolve_working_dir
from hermes_checkpoints.model import Failed, Kind, Skipped, Taken, TakeOutcome
from hermes_checkpoints.triggers import command_effect

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints

__all__ = ["CheckpointManager", "format_checkpoint_list"]

logger = logging.getLogger(__name__)


class CheckpointManager(Answers):
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
        super().__init__(
            enabled,
            max_snapshots,
            max_total_size_mb,
            max_file_size_mb,
            home=home,
            session_id=session_id,
            working_dir=working_dir,
        )
        self._turn = 0
        self._message_count: int | None = None
        self._checkpointed: set[str] = set()
        self._open_turns: set[str] = set()
        self._registered: frozenset[str] | None = None

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
                    checkpoints.project(name).end_turn(self.session_id)
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
            checkpoints.project(project).record_agent_write(
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
            outcome = checkpoints.project(working_dir).take(
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

    def get_working_dir_for_path(self, file_path: str) -> str:
        """Return the directory to checkpoint for a file: below the home directory and within
        the same repository, the nearest one above it that has checkpoints; else the nearest
        with a project marker; else the file's own directory. Never raises for a path that can
        be resolved."""
        return str(project_root(self._placed(file_path), self._known_dirs()))

    # --- inside ------------------------------------------------------------------------------

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

    def _is_done(self, working_dir: str) -> bool:
        """Whether a directory had its checkpoint in this turn; asked before anything opens."""
        try:
            return str(resolve_working_dir(working_dir)) in self._checkpointed
        except (OSError, ValueError, RuntimeError):
            return False  # the take will say what is wrong with it

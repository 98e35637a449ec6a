"""The manager as the agent constructs it: one for each of its conversations.

The agent makes it before it knows the session, and asks it for checkpoints itself where it is
switched on. What is protected is decided by the hooks (``bridge``): where they tell of the session,
they have taken the checkpoint before the agent asks for it. Without them the manager works alone.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.agent import answers
from hermes_checkpoints.agent import manager as managers
from hermes_checkpoints.agent.conversation import Message
from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.agent.shapes import Result
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat import places
from hermes_checkpoints.compat.places import agent_layout, elsewhere
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Moment

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Project

logger = logging.getLogger(__name__)


class CheckpointManager(managers.CheckpointManager):
    """Takes and restores checkpoints for one conversation of the agent, in whose process it lives.

    A directory of a call may lie inside a project: then the project is meant, and a file of it is
    named from that directory. Paths of a container or another machine are refused, because a path
    of the same name here is another file.
    """

    _shares_turns = False  # the whole session works in this process, which owns its turns
    _worker: bridges.Worker | None = None
    """Whom it works for, as the hooks have told; None without them."""

    @property
    def enabled(self) -> bool:
        """Whether checkpoints are taken: as it was constructed, or as the configuration says, where
        hooks see to it. The agent switches its own manager on in some of its programs only."""
        return self._enabled or bridges.bridge.takes_checkpoints()

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._enabled = value

    @property
    def layout(self) -> Layout:
        return agent_layout(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        return self.working_dir or os.environ.get("TERMINAL_CWD") or None

    @guarded("the place in the conversation is not known", lambda _: None)
    def new_turn(self, messages: Sequence[Message] | None = None) -> None:
        """Begin a turn. Where hooks tell of it, they have begun it: the agent calls this before
        each of its requests to the model."""
        worker = bridges.bridge.here or self._worker
        if worker is None:
            super().new_turn(messages)
            return
        if self._worker is not None and self._worker.session is not worker.session:
            bridges.bridge.is_done(self._worker)  # another conversation has taken its place
        self._worker = worker
        bridges.bridge.asks_again(worker, enabled=self._enabled and worker.subagent is None)
        self._join(worker.session)

    def ensure_checkpoint(
        self,
        working_dir: str,
        reason: str = "auto",
        *,
        message_count: int | None = None,
        about: Sequence[str] = (),
    ) -> bool:
        if not self.enabled:
            return False
        if self._worker is not None:
            return self._take_untold(self._worker, working_dir, reason, about)
        why = elsewhere()
        if why is not None:
            logger.warning("no checkpoint of %s: %s", working_dir, why)
            return False
        return super().ensure_checkpoint(
            working_dir, reason, message_count=message_count, about=about
        )

    def _take_untold(
        self, worker: bridges.Worker, working_dir: str, reason: str, about: Sequence[str]
    ) -> bool:
        """Take the checkpoint before a tool that no hook has told of; else that is done already, of
        the directory in which the tool works, which the agent may not know here."""
        session = worker.session
        with session.lock:
            if any(worker.runs(run) for run in session.running) or not session.is_on():
                return False
            return session.manager.ensure_checkpoint(working_dir, reason, about=about)

    def get_working_dir_for_path(self, file_path: str) -> str:
        session = None if self._worker is None else self._worker.session
        if session is None or not session.works_in:
            return super().get_working_dir_for_path(file_path)
        with session.lock:
            return session.manager.get_working_dir_for_path(file_path)

    def record_agent_write(self, file_path: str, tool: str | None = None) -> None:
        if self._worker is None and elsewhere() is None:
            super().record_agent_write(file_path, tool)

    def diff(self, working_dir: str, commit_hash: str) -> Result:
        return _refused() or super().diff(working_dir, commit_hash)

    @guarded("{working_dir} cannot be restored to {commit_hash}", answers.restore_failed)
    def restore(
        self,
        working_dir: str,
        commit_hash: str,
        file_path: str | None = None,
        safe: bool = False,
    ) -> Result:
        refused = _refused()
        if refused is not None:
            return refused
        if self.session_id is None and places.chat.get() is not None:
            self._join(bridges.bridge.session_of(places.chat.get()))
        file_path = answers.as_text(file_path)
        answers.refuse_early(commit_hash, self._placed(working_dir), file_path)
        moment = Moment(self.session_id, self._turn or None)
        with self._project(working_dir) as project:
            named = file_path
            if isinstance(file_path, str) and file_path:
                there = resolve_working_dir(self._placed(working_dir))
                named = _below(os.path.relpath(there, project.working_dir), file_path)
            result = answers.restored(project, commit_hash, named, safe, moment)
        return result | {"file": file_path} if "file" in result else result

    def _join(self, session: bridges.Session | None) -> None:
        """Work for a session, as far as it is known in the catalog."""
        if session is not None and (session.works_in or self.session_id is None):
            self.session_id = session.id
            self._turn = 0 if session.request is None else session.request.turn

    @contextlib.contextmanager
    def _project(self, working_dir: str) -> Iterator[Project]:
        with self._opened(create=False) as checkpoints:
            yield checkpoints.project_of(self._placed(working_dir))


def _below(folder: str, path: str) -> str:
    """Return a path that was named in a folder of a project, as seen from the project."""
    return path if folder == "." else os.path.join(folder, path)


def _refused() -> Result | None:
    why = elsewhere()
    return None if why is None else {"success": False, "error": f"Nothing was done: {why}"}

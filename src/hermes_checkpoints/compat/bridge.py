"""What the agent's hooks tell, by session, and the checkpoints that are taken for it.

Every session of the agent tells of itself through its hooks, whatever has started it: the command
line, a single request, the gateway, an editor, a timer, another agent. So what is protected is
decided here and nowhere else: a session has one manager of ours, made from the configuration of the
home in which the agent works, and each tool that may change files waits for it.

A *turn* begins when the user asks for something, and ends when the session has answered and the
subagents that it started are done. Subagents work for the session that started them: what they
change is of its turn. Hooks raise nothing, as the agent expects, and keep no tool from running.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.agent import manager as managers
from hermes_checkpoints.agent.conversation import turn_starts
from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.base.projects import project_root, too_broad
from hermes_checkpoints.compat import places
from hermes_checkpoints.compat.calls import Call, call_of
from hermes_checkpoints.config import Trigger, load_config, load_hook_config
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.loading import begin_to_load

logger = logging.getLogger(__name__)

MOST_SESSIONS = 64
"""How many sessions that are not at work are remembered."""

MOST_NAMES = 256
"""How many ids of subagents and former ids are remembered of one session."""


class Request(NamedTuple):
    """What the user asked for: the number of the turn, that of the messages with it, and its
    title."""

    turn: int
    message_count: int
    title: str | None


class SessionManager(managers.CheckpointManager):
    """Takes the checkpoints of one session, all of which works in this process. Its ``directory``
    is a project as a whole, if it lies in none."""

    _shares_turns = False

    def __init__(self, layout: Layout, session_id: str | None, directory: str) -> None:
        super().__init__(True, session_id=session_id)
        self._layout = layout
        self._directory = directory

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def works_in(self) -> tuple[str, ...]:
        """The directories in which a turn is open."""
        return tuple(self._begun)

    def only_named(self, only: bool) -> None:
        """Take checkpoints of those projects alone whose own settings say so, or of all others,
        too."""
        self._only_named = only

    def begin(self, request: Request) -> None:
        """Begin a turn; one that is open ends."""
        self.new_turn()
        self._turn, self._message_count = request.turn, request.message_count or None
        self.title = request.title

    def ensure_checkpoint(
        self,
        working_dir: str,
        reason: str = "auto",
        *,
        message_count: int | None = None,
        about: Sequence[str] = (),
    ) -> bool:
        """Take the checkpoint of the project that a directory or file belongs to."""
        root = self.get_working_dir_for_path(_existing(working_dir))
        return super().ensure_checkpoint(root, reason, message_count=message_count, about=about)

    def ensure_before(self, call: Call) -> None:
        """Take the checkpoints that a call of a tool needs, before it runs."""
        reason = f"before {call.tool}"
        if call.command is not None:
            self.ensure_before_command(call.command, call.directory)
        elif call.writes and call.paths:
            for path in call.paths:
                self.ensure_checkpoint(path, reason, about=[path])
        elif call.writes or self.trigger is Trigger.ALWAYS:
            others = (self._project_elsewhere(path, call.directory) for path in call.paths)
            for directory in dict.fromkeys([call.directory, *others]):
                if directory is not None:
                    self.ensure_checkpoint(directory, reason, about=call.paths)

    def _known_dirs(self) -> frozenset[str]:
        known = super()._known_dirs() | self._begun.keys()
        own = project_root(self._directory, known)
        return known if too_broad(own, self.layout) else known | {str(own)}


def _existing(path: str) -> str:
    """Return a path, or the nearest directory above it that exists."""
    there = Path(path)
    while not os.path.exists(there) and there != there.parent:
        there = there.parent
    return str(there)


@dataclass(eq=False)
class Session:
    """A conversation with the agent. ``name`` is the id by which the agent first called it, None
    where it has none. Whoever works with it holds ``lock``: its tools, and those of its subagents,
    tell of themselves from threads of their own.

    ``asked`` says that the user waits for an answer, in the turn that the agent calls ``turn_id``,
    ``announced`` are subagents that are about to work, ``subagents`` those that do, and ``running``
    the tools that do, by the names of their runs. ``wanted`` says that the agent's own manager is
    switched on for it, as by ``--checkpoints``, and ``tells_tools`` that hooks tell of all that
    changes files.
    """

    name: str | None
    layout: Layout
    directory: str
    chat: places.Chat | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    request: Request | None = None
    turn_id: str = ""
    asked: bool = False
    announced: set[str] = field(default_factory=set)
    subagents: set[str] = field(default_factory=set)
    running: dict[str, Call] = field(default_factory=dict)
    wanted: bool = False
    tells_tools: bool = True
    warned: bool = False

    @cached_property
    def id(self) -> str | None:
        """The id that the catalog has of it: its first one, since it goes on under another when it
        is compressed."""
        if self.name is None:
            return None
        return places.first_of_lineage(self.name, self.layout) or self.name

    @cached_property
    def manager(self) -> SessionManager:
        """Who takes its checkpoints, made when there is something to take."""
        manager = SessionManager(self.layout, self.id, self.directory)
        if self.request is not None:
            manager.begin(self.request)
        return manager

    @property
    def works_in(self) -> tuple[str, ...]:
        """The directories in which its turn is open."""
        return self.manager.works_in if "manager" in self.__dict__ else ()

    @property
    def at_work(self) -> bool:
        return bool(self.asked or self.announced or self.subagents)

    def is_on(self) -> bool:
        """Tell whether checkpoints are taken for it at this moment; say once that they cannot be,
        since the agent's files are not on this machine."""
        config = load_config(self.layout.config)
        whole = self.wanted or config.enabled
        if not whole and not config.enabled_somewhere:
            return False
        why = places.elsewhere()
        if why is not None:
            if not self.warned:
                logger.warning("no checkpoints of the session %s: %s", self.name, why)
            self.warned = True
            return False
        self.manager.only_named(not whole)
        return True

    def prepare(self) -> bool:
        """Tell whether checkpoints are taken for it; begin to load what the first one needs, while
        the model answers."""
        if not self.is_on():
            return False
        _ = self.manager  # which begins with its turn to load
        return True

    def ask(self, request: Request) -> None:
        """Begin a turn. One that is open was cut short, unless it is open for subagents: these go
        on in the new one, with the tools that they run."""
        cut_short, open_in = self.asked, self.works_in
        self.asked, self.request = True, request
        self.announced.clear()
        if not self.subagents:
            self.running.clear()
        if "manager" not in self.__dict__:
            return
        if open_in:
            self.manager.end_turn(interrupted=cut_short)
        self.manager.begin(request)
        if self.running and self.is_on():
            for directory in open_in:
                self.manager.ensure_checkpoint(directory, "while a subagent works")
            for run, call in self.running.items():
                self.manager.begin_tool(call.tool, run)

    def rest(self) -> None:
        """End the turn if nobody works in it any more, and no tool of nobody's."""
        if self.at_work or any(not call.goes_on for call in self.running.values()):
            return
        self.running.clear()
        if self.works_in:
            self.manager.end_turn()


class Worker(NamedTuple):
    """Who a hook tells of: a session, or a subagent of it by the id of its own session."""

    session: Session
    subagent: str | None = None

    def run(self, tool: str, call_id: str | None) -> str:
        """Return the name of a run of a tool. Models number their calls, and subagents have models
        of their own; a tool that a script calls has no number, and ends in the thread in which it
        began."""
        return f"{self._prefix}{call_id or f'{tool} in {threading.get_ident()}'}"

    def runs(self, name: str) -> bool:
        """Tell whether a run is one of this worker's own."""
        return name.startswith(self._prefix)

    @property
    def _prefix(self) -> str:
        return f"{self.subagent or self.session.name or ''}/"


class Bridge:
    """What the agent's hooks report. One exists in a process of the agent."""

    listens = False
    """Whether the agent's hooks lead here."""

    def __init__(self) -> None:
        self._here: ContextVar[Worker | None] = ContextVar("hermes_checkpoints", default=None)
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._sessions: dict[Session, None] = {}  # the one that was asked last is the last

    # --- what the rest of the process asks -----------------------------------------------------

    @property
    def here(self) -> Worker | None:
        """Who this thread or task works for."""
        return self._here.get()

    def asks_again(self, worker: Worker, *, enabled: bool) -> None:
        """Note that a worker asks its model again, so that its tools have ended: also one that was
        refused before it ran, of whose end no hook tells. ``enabled`` says that the agent's own
        manager is switched on."""
        session = worker.session
        with session.lock:
            if enabled and not session.wanted:
                session.wanted = True
                session.prepare()
            for run, call in list(session.running.items()):
                if worker.runs(run) and not call.goes_on:
                    del session.running[run]
                    session.manager.end_tool(run)

    def is_done(self, worker: Worker) -> None:
        """Note that a worker has done what it was asked for."""
        session = worker.session
        with session.lock:
            if worker.subagent is None:
                session.asked = False
            else:
                session.announced.discard(worker.subagent)
                session.subagents.discard(worker.subagent)
            for run in [one for one in session.running if worker.runs(one)]:
                del session.running[run]
            session.rest()

    @guarded("the configuration cannot be read", lambda _: False)
    def takes_checkpoints(self) -> bool:
        """Tell whether checkpoints are taken of whatever is asked in the agent's home now."""
        return self.listens and load_config(places.agent_layout().config).enabled

    @guarded("the configuration cannot be read", lambda _: None)
    def get_ready(self) -> None:
        """Begin to load what a session's first checkpoint needs, where the configuration says that
        checkpoints are taken: the agent is still starting then, and nobody waits for it."""
        layout = places.agent_layout()
        if load_config(layout.config).enabled_somewhere:
            begin_to_load(founding=not base_exists(layout))

    def session_of(self, chat: places.Chat | None) -> Session | None:
        """Return the session of a chat of the gateway that was asked last; without a chat, that of
        the other sessions."""
        with self._lock:
            found = [one for one in self._sessions if one.chat == chat]
        return found[-1] if found else None

    # --- hooks ---------------------------------------------------------------------------------

    @guarded("the user's request is not noticed", lambda _: None)
    def pre_llm_call(
        self,
        session_id: str | None = None,
        user_message: object = None,
        conversation_history: object = None,
        task_id: str | None = None,
        turn_id: str | None = None,
        **_: object,
    ) -> None:
        """Begin a turn, since the user has asked for something; or note that a subagent works."""
        self._here.set(None)
        if places.reviews_only():
            return
        worker = self._known(session_id, turn_id, task_id)
        layout = places.agent_layout()
        if worker is None or (worker.subagent is None and worker.session.layout != layout):
            worker = self._add(session_id, layout, task_id)
        self._here.set(worker)
        session = worker.session
        with session.lock:
            if worker.subagent is not None:
                session.announced.discard(worker.subagent)
                session.subagents.add(worker.subagent)
                return
            with self._lock:
                self._sessions[session] = self._sessions.pop(session, None)
            session.chat = session.chat or places.chat.get()
            history = conversation_history if isinstance(conversation_history, list) else []
            messages = [one for one in history if isinstance(one, Mapping)]
            titles = load_hook_config(layout.config).titles
            title = _text(user_message) if titles else None
            session.ask(Request(len(turn_starts(messages)), len(messages), title))
            session.turn_id = turn_id or ""
            session.tells_tools = True
            if session.prepare() and places.changes_files_by_itself():
                session.tells_tools = False
                directory = places.files_directory(task_id or "")
                session.manager.ensure_checkpoint(directory, "before a turn")

    @guarded("no checkpoint before the tool {tool_name}", lambda _: None)
    def pre_tool_call(
        self,
        tool_name: str = "",
        args: object = None,
        session_id: str | None = None,
        task_id: str | None = None,
        tool_call_id: str | None = None,
        turn_id: str | None = None,
        **_: object,
    ) -> None:
        """Take the checkpoints before a tool that may change files, and note that it runs."""
        call = call_of(tool_name, args, task_id or "")
        if call is None:
            return
        worker = self._worker(session_id, turn_id, task_id)
        session = worker.session
        with session.lock:
            if session.is_on():
                session.manager.ensure_before(call)
            if session.works_in and session.tells_tools:
                run = worker.run(tool_name, tool_call_id)
                session.running[run] = call
                session.manager.begin_tool(tool_name, run)

    @guarded("what the tool {tool_name} wrote is not recorded", lambda _: None)
    def post_tool_call(
        self,
        tool_name: str = "",
        args: object = None,
        session_id: str | None = None,
        task_id: str | None = None,
        tool_call_id: str | None = None,
        turn_id: str | None = None,
        status: str | None = None,
        **_: object,
    ) -> None:
        """Record what a tool that has run wrote, which is the agent's, and that it has ended; one
        that goes on in the background has not."""
        call = call_of(tool_name, args, task_id or "")
        if call is None:
            return
        worker = self._worker(session_id, turn_id, task_id)
        session, run = worker.session, worker.run(tool_name, tool_call_id)
        with session.lock:
            call = session.running.get(run, call)  # as it was before a command changed directory
            if "manager" in session.__dict__ and places.elsewhere() is None:
                manager = session.manager
                if call.writes and status in (None, "ok", "success"):
                    for path in call.paths:
                        manager.record_agent_write(path, tool_name)
                if call.command is not None and not call.goes_on:
                    manager.record_command(call.command, call.directory)
                if not call.goes_on:
                    manager.end_tool(run)
            if not call.goes_on:
                session.running.pop(run, None)
            session.rest()

    @guarded("that a tool waits for an answer is not recorded", lambda _: None)
    def pre_approval_request(self, tool_call_id: str | None = None, **_: object) -> None:
        """Record that a tool does not run yet: the user is asked whether it may, and may edit files
        meanwhile."""
        worker, call = self._waiting(tool_call_id)
        if worker is not None and call is not None:
            with worker.session.lock:
                worker.session.manager.end_tool(worker.run(call.tool, tool_call_id))

    @guarded("that a tool goes on is not recorded", lambda _: None)
    def post_approval_response(self, tool_call_id: str | None = None, **_: object) -> None:
        """Record that a tool goes on, since the user has answered: with its work, or to its end."""
        worker, call = self._waiting(tool_call_id)
        if worker is not None and call is not None:
            with worker.session.lock:
                worker.session.manager.begin_tool(call.tool, worker.run(call.tool, tool_call_id))

    def _waiting(self, tool_call_id: str | None) -> tuple[Worker | None, Call | None]:
        """Return the tool that this thread runs, with who does."""
        worker = self.here
        if worker is None or not tool_call_id:
            return None, None
        return worker, worker.session.running.get(worker.run("", tool_call_id))

    @guarded("the end of a turn is not noticed", lambda _: None)
    def on_session_end(
        self,
        session_id: str | None = None,
        task_id: str | None = None,
        turn_id: str | None = None,
        **_: object,
    ) -> None:
        """End the turn, since the agent has answered: what changes from here on is the user's."""
        worker = self._known(session_id, turn_id, task_id) or self.here
        self._here.set(None)
        if worker is None or places.reviews_only():
            return
        is_former = turn_id and worker.session.turn_id not in ("", turn_id)
        if worker.subagent is not None or not is_former:
            self.is_done(worker)

    @guarded("the end of a session is not noticed", lambda _: None)
    def on_session_finalize(self, session_id: str | None = None, **_: object) -> None:
        """End the turn of a session that is over, which may have its checkpoints sent. A subagent
        of it may still work: what it does is of a turn of its own then."""
        worker = self._known(session_id, None, None)
        if worker is None or worker.subagent is not None:
            return
        session = worker.session
        with session.lock:
            session.asked = False
            if "manager" in session.__dict__:
                session.manager.end_session()
        if not session.at_work:
            with self._lock:
                self._forget(session)

    @guarded("the start of a subagent is not noticed", lambda _: None)
    def subagent_start(
        self,
        parent_session_id: str | None = None,
        child_session_id: str | None = None,
        **_: object,
    ) -> None:
        """Note that a subagent is about to work for the session that its parent works for."""
        if not child_session_id:
            return
        session = self._worker(parent_session_id, None, None).session
        with session.lock:
            session.announced.add(child_session_id)
        with self._lock:
            self._workers[child_session_id] = Worker(session, child_session_id)
            self._bound(session)

    @guarded("the end of a subagent is not noticed", lambda _: None)
    def subagent_stop(self, child_session_id: str | None = None, **_: object) -> None:
        """Note that a subagent is done, also one that did not say so itself."""
        worker = self._known(child_session_id, None, None)
        if worker is not None and worker.subagent is not None:
            self.is_done(worker)

    # --- who it is -----------------------------------------------------------------------------

    def _known(
        self, session_id: str | None, turn_id: str | None, task_id: str | None
    ) -> Worker | None:
        """Return who a hook tells of, None where that is not known. In the middle of a turn it may
        go on under another id, since its conversation was compressed: the id of the turn has the
        former one."""
        former = _session_of_turn(turn_id or "", task_id or "")
        with self._lock:
            found = self._workers.get(session_id or "")
            if found is None and former in self._workers:
                found = self._workers[former]
                if session_id:
                    self._workers[session_id] = found
                    self._bound(found.session)
        return found

    def _worker(self, session_id: str | None, turn_id: str | None, task_id: str | None) -> Worker:
        """Return who a hook tells of: where it names nobody that is known, as with the tools that a
        script of ``execute_code`` calls, who this thread works for."""
        found = self._known(session_id, turn_id, task_id) if session_id or turn_id else None
        found = found or self.here
        if found is None and not session_id:
            found = self._known(task_id, None, None) or self._known(None, None, None)
        return found or self._add(session_id, places.agent_layout(), task_id)

    def _add(self, session_id: str | None, layout: Layout, task_id: str | None) -> Worker:
        directory = places.files_directory(task_id or "")
        worker = Worker(Session(session_id or None, layout, directory))
        with self._lock:
            former = self._workers.get(session_id or "")  # it works in another home from now on
            self._workers[session_id or ""] = worker
            self._sessions[worker.session] = None
            idle = [one for one in self._sessions if not one.at_work and one is not worker.session]
            dropped = idle[: max(0, len(self._sessions) - MOST_SESSIONS)]
            for session in dropped:
                self._forget(session)
        for session in [*dropped, *([] if former is None else [former.session])]:
            with session.lock:
                session.asked = False
                session.rest()
        return worker

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session, None)
        for name in self._names(session):
            del self._workers[name]

    def _bound(self, session: Session) -> None:
        """Forget the oldest ids of a session that has had too many."""
        kept = {session.name, *session.announced, *session.subagents}
        names = [name for name in self._names(session) if name not in kept]
        for name in names[: max(0, len(names) - MOST_NAMES)]:
            del self._workers[name]

    def _names(self, session: Session) -> list[str]:
        return [name for name, worker in self._workers.items() if worker.session is session]


def _session_of_turn(turn_id: str, task_id: str) -> str:
    """Return the id of the session in the id of a turn, `session:task:digits`; empty where it has
    another form."""
    head, _, _ = turn_id.rpartition(":")
    return head.removesuffix(f":{task_id}") if task_id and head.endswith(f":{task_id}") else ""


def _text(message: object) -> str | None:
    """Return the text of a message, which may have several parts."""
    if isinstance(message, str):
        return message
    parts = message if isinstance(message, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return next((text for text in texts if isinstance(text, str)), None)


bridge = Bridge()
"""The bridge of this process."""

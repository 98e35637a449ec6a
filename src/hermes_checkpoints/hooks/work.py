"""Does what an event calls for: begins and ends turns, takes checkpoints, and records what tools
wrote.

What goes wrong ends here. The journal has it, so that ``status`` can tell, and the person is told
once a session; the agent goes on.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.config import HookConfig, Trigger, load_hook_config
from hermes_checkpoints.errors import (
    BadRequest,
    CatalogBusy,
    CheckpointError,
    NoSpace,
    PathRefused,
    ProjectUnknown,
)
from hermes_checkpoints.hooks import untold
from hermes_checkpoints.hooks.agents import EventKind
from hermes_checkpoints.hooks.event import Event
from hermes_checkpoints.hooks.light import is_idle, is_noted
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.triggers import Effect, command_effect
from hermes_checkpoints.triggers.background import goes_on

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project
    from hermes_checkpoints.model import HookSession

_REASON_CHARACTERS = 60

_BEHIND = "goes on behind its tool"
"""The name of the run of what a tool has left running."""

_SPEAKER = "hermes-checkpoints"

_OFF = f"{_SPEAKER}: checkpoints are off"

_UNSAFE = "no checkpoint was taken"

_UNDONE = {
    EventKind.PROMPT: _UNSAFE,
    EventKind.BEFORE_TOOL: _UNSAFE,
    EventKind.AFTER_TOOL: "what a tool wrote is not recorded",
    EventKind.STOP: "the end of a turn is not recorded",
    EventKind.END: "the end of a session is not recorded",
}
"""What an event that is not worked off leaves undone."""

logger = logging.getLogger(__name__)


def work(event: Event, layout: Layout, words: Sequence[str]) -> str | None:
    """Do what an event calls for; return what the person is to be told, or None. ``words`` are the
    arguments of this process. Raises nothing of this package.
    """
    settings = load_hook_config(layout.config)
    off = None if settings.enabled else f"{_OFF}: `hook:` in {layout.config} says `enabled: false`"
    prompted = event.kind is EventKind.PROMPT
    try:
        if off is not None:
            if not base_exists(layout):
                return off if prompted else None  # nothing is made to remember it in
            if not prompted and is_idle(event, layout):
                return None
        elif is_noted(event, layout, titles=settings.titles):
            return None
        be_silent()
        with _opened(layout) as checkpoints:
            return _Work(event, layout, checkpoints, settings, words, off).done()
    except CheckpointError as error:
        return _unkept(event, layout, error)


def _unkept(event: Event, layout: Layout, error: CheckpointError) -> str | None:
    """Note an error that the catalog cannot keep; return what the person is to be told of it now:
    at each prompt, and once a turn before a tool, which nothing protects."""
    told = event.kind in (EventKind.PROMPT, EventKind.BEFORE_TOOL)
    what = f"{_UNDONE[event.kind]}: {error}"
    first = untold.note(layout, event.session_id, untold.Untold(event.directory, what, told))
    return f"{_SPEAKER}: {what}" if event.kind is EventKind.PROMPT or (told and first) else None


def be_silent() -> None:
    """Let nothing that is logged reach the agent; the journal has it, too."""
    logging.getLogger("hermes_checkpoints").addHandler(logging.NullHandler())


def note_failure(layout: Layout, directory: str, error: Exception) -> None:
    """Write to the journal that an event cost a directory its checkpoint.

    Raises:
        CheckpointError: when there is no journal to write to.
    """
    with _opened(layout) as checkpoints:
        checkpoints.project(directory).record_failure(error)


@contextmanager
def _opened(layout: Layout) -> Iterator[Checkpoints]:
    from hermes_checkpoints.checkpoints import Checkpoints

    found = Checkpoints.open(base=layout.base, create=not base_exists(layout))
    with found as checkpoints:
        yield checkpoints


def _once(checkpoints: Checkpoints, event: Event, said: str) -> str | None:
    """Return what is to be said, unless the session was told of something before."""
    session = checkpoints.agent_sessions.get(event.session_id)
    if session is None or session.told is not None:
        return None
    checkpoints.agent_sessions.tell(event.session_id, said)
    return said


def _unsafe(why: object) -> str:
    return f"{_SPEAKER}: {_UNSAFE}: {why}"


@dataclass
class _Work:
    """The work of one event. ``off`` says why no checkpoints are taken, where they are not: turns
    that are open go on and end all the same. ``problems`` are what the person is told, the first of
    them once a session."""

    event: Event
    layout: Layout
    checkpoints: Checkpoints
    settings: HookConfig
    words: Sequence[str]
    off: str | None = None
    problems: list[str] = field(default_factory=list)

    def done(self) -> str | None:
        self._tell_what_was_not_kept()
        with self._noted():
            _WORK[self.event.kind](self)
        problem = next(iter(self.problems), None)
        return None if problem is None else _once(self.checkpoints, self.event, problem)

    def _tell_what_was_not_kept(self) -> None:
        """Bring into the journal what went wrong with former events of the session."""
        event, layout = self.event, self.layout
        for found in untold.taken(layout, event.session_id, event.directory):
            try:
                self.checkpoints.project(found.directory).record_failure(
                    CheckpointError(found.what)
                )
            except (CatalogBusy, NoSpace):
                raise  # it stays noted
            except (CheckpointError, OSError):
                logger.exception("what is noted is not in the journal")
            if not found.told:
                self.problems.append(f"{_SPEAKER}: {found.what}")

    # --- events ------------------------------------------------------------------------------

    def prompted(self) -> None:
        """Begin the next turn of the session. One that is open was interrupted: an agent that has
        answered says so."""
        event = self.event
        title = event.prompt if self.settings.titles else None
        with self._noted():
            self.checkpoints.agent_sessions.prompted(event.session_id, event.agent.name, title)
        self._end_turns(interrupted=True)
        if self.off is not None:
            self.problems.append(self.off)
        elif not event.agent.tells_every_tool:
            self._take(self.checkpoints.project_of(event.directory), "before a turn", [])

    def before_tool(self) -> None:
        """Take the checkpoints that a tool calls for, and record that it runs."""
        for path, about in self._wanted().items() if self.off is None else ():
            with self._noted():
                self._take(self.checkpoints.project_of(path), self._reason(), about)
        for project in self.checkpoints.turn_projects(self.event.session_id):
            self._begin_tool(project, self.event.run, self.event.record)

    def after_tool(self) -> None:
        """Record what a tool wrote, and that it has ended."""
        event = self.event
        if not event.failed:
            for path in event.writes or self._named_where_refused():
                with self._noted():
                    self._record(path)
        for project in self.checkpoints.turn_projects(event.session_id):
            if self._goes_on:
                self._begin_tool(project, _BEHIND)
            project.end_tool(session_id=event.session_id, run=event.run)

    def stopped(self) -> None:
        """End the turns of the session. A tool of which only the begin was told may never have run,
        since a person or a rule has refused it: of what changed since, it is not known whose it is.
        What runs on behind a tool did so until now."""
        every = self.event.agent.tells_every_tool
        for project in self.checkpoints.turn_projects(self.event.session_id) if every else ():
            while project.end_tool(session_id=self.event.session_id, run=_BEHIND):
                pass
        self._end_turns(interrupted=every)

    def ended(self) -> None:
        self._end_turns(interrupted=True)
        self.checkpoints.agent_sessions.end(self.event.session_id)

    @cached_property
    def _session(self) -> HookSession | None:
        """The session, with its last prompt."""
        return self.checkpoints.agent_sessions.get(self.event.session_id)

    @property
    def _goes_on(self) -> bool:
        """Whether something of the tool may run on after it has answered."""
        return self.event.background or goes_on(self.event.command or "")

    # --- parts -------------------------------------------------------------------------------

    def _wanted(self) -> dict[str, list[str]]:
        """Return the paths of whose projects a checkpoint is wanted, each with the files in it
        that are about to be written."""
        event = self.event
        if event.writes:
            return {path: [path] for path in event.writes}
        if event.command is None:
            return {event.directory: []} if self._trigger is Trigger.ALWAYS else {}
        effect = command_effect(event.command)
        if not effect.is_change and self._trigger is Trigger.DESTRUCTIVE:
            return {}
        named = _paths_of(effect, event.directory)
        wanted = {event.directory: named}
        entered = [os.path.join(event.directory, os.path.expanduser(d)) for d in effect.directories]
        for path in [*entered, *(named if effect.is_change else [])]:
            if self._is_elsewhere(path):
                wanted[path] = named
        return wanted

    @property
    def _trigger(self) -> Trigger:
        return self.checkpoints.config.trigger

    def _is_elsewhere(self, path: str) -> bool:
        """Tell whether a path surely belongs to another project than the session's directory."""
        from hermes_checkpoints.base.projects import known_project

        try:
            own = self.checkpoints.project_of(self.event.directory).working_dir
            other = known_project(path, self.checkpoints.working_dirs_at_or_above(path))
        except (CheckpointError, OSError, RuntimeError):
            return False
        return other is not None and other != own and own not in other.parents

    def _take(self, project: Project, reason: str, about: list[str]) -> None:
        """Take a checkpoint of a project in which no turn of the session is open, and begin one."""
        from hermes_checkpoints.model import Failed, Kind, Skipped

        event = self.event
        if self.checkpoints.config.own_of(project.working_dir).get("enabled") is False:
            self.problems.append(
                f"hermes-checkpoints: checkpoints of {project.working_dir} are off: `projects:` in "
                f"{self.checkpoints.home / 'config.yaml'} says `enabled: false`"
            )
            return
        if project.has_turn(session_id=event.session_id):
            return
        session = self._session
        files = list(_inside(project.working_dir, about))
        since = None if session is None else session.prompted_at
        refused = since is not None and project.was_refused(since=since)
        if refused and not files:
            return
        outcome = project.take(
            reason,
            kind=Kind.AUTO,
            session_id=event.session_id,
            turn=None if session is None else session.turn,
            owner=self._owner(),
            about=files,
            alone=refused,
            title=None if session is None else session.title,
            once_a_turn=True,
        )
        if isinstance(outcome, Failed):
            self.problems.append(_unsafe(outcome.error))
        elif isinstance(outcome, Skipped):
            self.problems.append(_unsafe(outcome.reason))
        elif outcome.checkpoint.partial:
            why = "" if outcome.refused is None else f": {outcome.refused.reason}"
            self.problems.append(
                "hermes-checkpoints: only the files that a tool names are captured in "
                f"{project.working_dir}, and nothing else there is safe{why}"
            )

    def _begin_tool(self, project: Project, run: str | None, record: str | None = None) -> None:
        project.begin_tool(
            session_id=self.event.session_id,
            run=run,
            tool=self.event.tool,
            every_tool=self.event.agent.tells_every_tool,
            record=None if self._goes_on else record,
        )

    def _owner(self) -> int | None:
        """Return the number of the agent's process, None where it is not known."""
        from hermes_checkpoints.fs.processes import ancestors
        from hermes_checkpoints.hooks.owner import owner_among

        return owner_among(ancestors(), self.words)

    def _reason(self) -> str:
        event = self.event
        about = event.command
        if event.writes:
            about = os.path.relpath(event.writes[0], event.directory)
        if about is None:
            return f"before {event.tool}"
        return f"before {event.tool}: {' '.join(about.split())[:_REASON_CHARACTERS]}"

    def _named_where_refused(self) -> list[str]:
        """Return the files that a command names where no turn is open, since the directory is
        refused: nothing else tells that they are the agent's."""
        event = self.event
        if event.command is None or self.checkpoints.turn_projects(event.session_id):
            return []
        effect = command_effect(event.command)
        return _paths_of(effect, event.directory) if effect.is_change else []

    def _record(self, path: str) -> None:
        session = self._session
        try:
            self.checkpoints.record_agent_write(
                path,
                session_id=self.event.session_id,
                turn=None if session is None else session.turn,
                tool=self.event.tool,
            )
        except (ProjectUnknown, PathRefused, BadRequest):
            return  # nothing is kept there that it could be told of

    def _end_turns(self, *, interrupted: bool) -> None:
        """End the turns of the session, each as far as it can be looked at. One in a directory
        that is not there, as a worktree that the agent has removed, is open until that is back, or
        its process gone: nothing lies there that could be anybody's."""
        for project in self.checkpoints.turn_projects(self.event.session_id):
            if not os.path.lexists(project.working_dir):
                continue
            told = f"the end of a turn in {project.working_dir} is not recorded"
            with self._noted(told, project.working_dir):
                project.end_turn(session_id=self.event.session_id, interrupted=interrupted)

    @contextmanager
    def _noted(self, told: str = _UNSAFE, directory: Path | None = None) -> Iterator[None]:
        """Let what goes wrong in the block cost no more than the block: what the event calls for
        elsewhere is done all the same. The journal has it, for ``directory`` or that of the event,
        and the person is told."""
        try:
            yield
        except CatalogBusy:
            raise  # so is what would be written next, and the agent waits
        except Exception as error:
            logger.exception("%s", told)
            self.problems.append(f"{_SPEAKER}: {told}: {error}")
            try:
                self.checkpoints.project(directory or self.event.directory).record_failure(error)
            except (CheckpointError, OSError):
                logger.exception("what went wrong is not in the journal")


_WORK: dict[EventKind, Callable[[_Work], None]] = {
    EventKind.PROMPT: _Work.prompted,
    EventKind.BEFORE_TOOL: _Work.before_tool,
    EventKind.AFTER_TOOL: _Work.after_tool,
    EventKind.STOP: _Work.stopped,
    EventKind.END: _Work.ended,
}


def _paths_of(effect: Effect, directory: str) -> list[str]:
    return [os.path.join(directory, os.path.expanduser(path)) for path in effect.paths]


def _inside(root: Path, paths: list[str]) -> Iterator[str]:
    """Yield the paths in a directory of files that are about to be written. What a link leads to
    counts, too, since a tool that writes through it changes that."""
    from hermes_checkpoints.model.paths import clean_path

    for name in paths:
        path = Path(name)
        try:
            found = {path.parent.resolve() / path.name, path.resolve()}
        except (OSError, RuntimeError):
            continue
        for one in sorted(found):
            try:
                yield clean_path(one.relative_to(root).as_posix())
            except (ValueError, CheckpointError):
                continue

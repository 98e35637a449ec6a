"""What the host agent embeds: the names, arguments, result keys and texts that it knows from
earlier storage layers, on top of the typed API.

It must never crash the host, so each of its calls is guarded: whatever goes wrong is in the log
and, where it costs a checkpoint, in the catalog's journal and in ``status``; the host gets False,
nothing, or a dict with ``error``. While it is disabled it touches no file and starts no process.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hermes_checkpoints.agent import answers
from hermes_checkpoints.agent.conversation import Message, turn_starts
from hermes_checkpoints.agent.guard import Journaled, guarded
from hermes_checkpoints.agent.limits import Limit, configuration, limited
from hermes_checkpoints.agent.shapes import Result, format_checkpoint_list
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.base.projects import known_project, project_root
from hermes_checkpoints.config import Config, Trigger, load_config, sends_by_itself
from hermes_checkpoints.errors import BadRequest, CheckpointError, ProjectUnknown
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Failed, Kind, Moment, Skipped, Taken, Unchanged
from hermes_checkpoints.model.paths import clean_path
from hermes_checkpoints.triggers import command_effect

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project

__all__ = ["CheckpointManager", "format_checkpoint_list"]

logger = logging.getLogger(__name__)


class CheckpointManager:
    """Takes at most one checkpoint per directory and turn, and restores them.

    ``enabled`` is the master switch. ``max_snapshots`` is how many checkpoints of a directory
    are kept, ``max_file_size_mb`` (MB) the size over which a file is left out,
    ``max_total_size_mb`` the size (MB) that pruning aims at; 0 is no limit, and None, the default,
    is as configured: as ``config.yaml`` says, looked up at each use. ``home`` defaults to
    HERMES_HOME, else ``~/.hermes``, looked up at each use. ``working_dir`` is the session's
    directory, from which relative paths are read; default is that of the process.

    ``session_id`` is recorded with each checkpoint, and the turns of a session are in the catalog:
    the calls of one turn may come from several processes, each with a manager of its own. Without
    it a manager knows the turns that it has begun itself. ``owner`` is the number of the agent's
    process, by default this one; a hook that is a process of its own names its parent
    (``os.getppid()``). No method raises.

    >>> from hermes_checkpoints import CheckpointManager
    >>> manager = CheckpointManager(enabled=True, session_id="20261120_ab12")
    >>> manager.new_turn()
    >>> manager.ensure_checkpoint(".", "before write_file")
    True
    >>> _ = Path("notes.txt").write_text("oops")
    >>> [newest] = manager.list_checkpoints(".")
    >>> manager.restore(".", newest["hash"], "notes.txt")["success"], Path("notes.txt").read_text()
    (True, 'as it was')
    """

    max_snapshots = Limit()
    max_total_size_mb = Limit()
    max_file_size_mb = Limit()

    _shares_turns = True
    """Whether other processes may begin, report and end the turns of the session, too."""

    def __init__(
        self,
        enabled: bool = False,
        max_snapshots: int | None = None,
        max_total_size_mb: int | None = None,
        max_file_size_mb: int | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
        owner: int | None = None,
    ) -> None:
        self.enabled = enabled
        self._given: dict[str, int | None] = {}
        self.max_snapshots = max_snapshots
        self.max_total_size_mb = max_total_size_mb
        self.max_file_size_mb = max_file_size_mb
        self.session_id = session_id
        self.working_dir = working_dir
        self.owner = owner
        self.title: str | None = None  # of the turn; what the user has asked for
        self._home = home
        self._only_named = False  # off but for the projects whose own settings say otherwise
        self._warned = False
        self._turn = 0
        self._message_count: int | None = None
        self._refused: set[str] = set()  # directories of which this turn has no whole checkpoint
        self._alone: set[tuple[str, str]] = set()  # the files there that it has captured alone
        self._told: set[str] = set()  # directories that are known to be refused
        self._begun: dict[str, str | None] = {}  # those where it has begun, with the session
        self._unended: set[str] = set()  # those where the end of a turn could not be recorded
        self._registered: frozenset[str] | None = None

    @classmethod
    def from_config(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        working_dir: str | os.PathLike[str] | None = None,
        owner: int | None = None,
    ) -> Self:
        """Return a manager as the section ``checkpoints:`` of ``config.yaml`` wants it; a
        disabled one where there can be no such file. It is enabled also where that is said of
        single projects only, and takes checkpoints of these."""
        config = configuration(home)
        manager = cls(
            config.enabled_somewhere,
            config.max_snapshots,
            config.max_total_size_mb,
            config.max_file_size_mb,
            home=home,
            session_id=session_id,
            working_dir=working_dir,
            owner=owner,
        )
        manager._only_named = manager.enabled and not config.enabled
        return manager

    @property
    @guarded("the trigger cannot be read", lambda _: Trigger.ALWAYS)
    def trigger(self) -> Trigger:
        """Before which shell commands a checkpoint is taken, as ``config.yaml`` says."""
        return load_config(self.layout.config).trigger

    @property
    def layout(self) -> Layout:
        """Where everything lies, looked up now. It raises where ``home`` can be no directory."""
        return Layout.of(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        """Return the directory from which relative paths are read; None for the process's."""
        return self.working_dir

    # --- turns -------------------------------------------------------------------------------

    @guarded("the place in the conversation is not known", lambda _: None)
    def new_turn(self, messages: Sequence[Message] | None = None) -> None:
        """Begin a turn of the conversation: each directory may be checkpointed once more.

        The turn before ends now, unless ``end_turn`` has ended it already. ``messages`` is the
        conversation up to and with the request that begins this turn: its place is recorded
        with the checkpoints, so that a rollback finds it again.
        """
        self.end_turn()
        self._refused.clear()
        self._alone.clear()
        self._registered = None
        self._turn += 1
        if messages is not None:
            self._message_count = None  # unless they can be counted
            self._turn, self._message_count = len(turn_starts(messages)), len(messages)
        if self.enabled:
            from hermes_checkpoints.loading import begin_to_load

            begin_to_load(founding=not self._base_exists())

    @guarded("the end of a turn is not recorded", lambda _: None)
    def end_turn(self, *, interrupted: bool = False) -> None:
        """Record that the agent is done for now: what changes from here on is the user's. It ends
        what this manager has begun, and what any process has begun of its session. A turn that was
        ``interrupted`` ended with its last tool.

        Costs nothing when no checkpoint was asked for in this turn, with a session one look into
        the catalog.
        """
        if not self.enabled or not (self._begun or self._asks()):
            return
        with self._opened() as checkpoints:
            for project, session in self._open_turns(checkpoints):
                name = str(project.working_dir)
                try:
                    project.end_turn(session_id=session, interrupted=interrupted)
                except CheckpointError as error:
                    if name not in self._unended:
                        logger.warning("the end of a turn in %s is not recorded: %s", name, error)
                    self._unended.add(name)
                self._begun.pop(name, None)

    @guarded("the end of a session is not noticed", lambda _: None)
    def end_session(self) -> None:
        """Note that the session is over: its turn ends, and what is unsent goes to the remote in
        the background, where the configuration says that turns or sessions are sent."""
        self.end_turn()
        if not self.enabled:
            return
        layout = self.layout
        if sends_by_itself(layout.config):
            from hermes_checkpoints.loading import load_sending

            load_sending()
            from hermes_checkpoints.remote.background import start_after_session

            start_after_session(layout)

    @guarded("the begin of the tool {tool} is not recorded", lambda _: None)
    def begin_tool(self, tool: str | None = None, run: str | None = None) -> None:
        """Record that a tool begins to run, which may change files; ``run`` names this run.

        Once one is told, only what changes while a tool runs is the agent's: the user may edit
        files while the agent thinks. So tell of every tool that may change files, after the
        checkpoint that comes before it. Costs nothing where no turn was begun.
        """
        if not self.enabled or not (self._begun or self._asks()):
            return
        with self._opened() as checkpoints:
            for project, session in self._open_turns(checkpoints):
                project.begin_tool(session_id=session, run=run, tool=tool)

    @guarded("the end of a tool is not recorded", lambda _: None)
    def end_tool(self, run: str | None = None) -> None:
        """Record that a tool has ended, after what it wrote; leave it out for one that goes on in
        the background."""
        if not self.enabled or not (self._begun or self._asks()):
            return
        with self._opened() as checkpoints:
            for project, session in self._open_turns(checkpoints):
                project.end_tool(session_id=session, run=run)

    @guarded("the write of {file_path} is not recorded", lambda _: None)
    def record_agent_write(self, file_path: str, tool: str | None = None) -> None:
        """Record that a tool has just written a file, so that a later edit by the user is told
        apart from it."""
        if not self.enabled or not self._base_exists():
            return
        path = resolve_working_dir(self._placed(file_path))
        with self._opened() as checkpoints:
            own = (p for p in path.parents if str(p) in self._begun or str(p) in self._refused)
            working_dir = next(own, None)
            if working_dir is None:
                record = partial(checkpoints.record_agent_write, path)
            else:
                relative = path.relative_to(working_dir).as_posix()
                record = partial(checkpoints.project(working_dir).record_agent_write, relative)
            record(session_id=self.session_id, turn=self._turn or None, tool=tool)

    # --- taking ------------------------------------------------------------------------------

    @guarded("no checkpoint of {working_dir}", lambda _: False)
    def ensure_checkpoint(
        self,
        working_dir: str,
        reason: str = "auto",
        *,
        message_count: int | None = None,
        about: Sequence[str] = (),
    ) -> bool:
        """Take a checkpoint before files are changed, once per directory and turn.

        Returns True if one was taken; False if it was not needed, not allowed or failed.
        ``message_count`` is how many messages the conversation has now, where ``new_turn`` was
        not told. ``about`` are the files that are about to be written: where the directory as a
        whole is refused (a home, a shared folder, more than ``max_files``), these alone are
        captured, each once a turn, and the log says that nothing else there is safe.
        """
        if not self.enabled:
            return False
        place = resolve_working_dir(self._placed(working_dir))
        if about:
            place = next(folder for folder in (place, *place.parents) if folder.is_dir())
        if not self._is_on(place):
            return False
        directory = str(place)
        files = self._files_in(place, about)
        shared = self._shares_turns and self.session_id is not None
        refused = directory in self._refused
        if (refused and not files) or (directory in self._begun and not shared):
            return False
        with self._opened() as checkpoints:
            project = checkpoints.project(directory)
            with Journaled(project):
                if shared and directory not in self._unended and self._goes_on(project):
                    return False
                outcome = project.take(
                    reason,
                    kind=Kind.AUTO,
                    session_id=self.session_id,
                    turn=self._turn or None,
                    message_count=self._message_count if message_count is None else message_count,
                    owner=self._owner(),
                    about=files,
                    alone=refused,
                    title=self.title,
                )
            if isinstance(outcome, Failed):
                raise outcome.error  # not marked as done: the next tool call of this turn tries it
        if isinstance(outcome, Skipped) or outcome.checkpoint.partial:
            self._note_refused(directory, files, outcome)
        else:
            self._begun[directory] = self.session_id
            self._unended.discard(directory)
        return isinstance(outcome, Taken)

    def _is_on(self, directory: Path) -> bool:
        """Tell whether checkpoints are taken of a directory: as its own settings say, else as this
        manager is."""
        own: bool | None = load_config(self.layout.config).own_of(directory).get("enabled")
        return not self._only_named if own is None else own

    def _files_in(self, directory: Path, about: Sequence[str]) -> list[str]:
        """Return the paths in a directory of the files that are about to be written and that this
        turn has not captured alone yet. What a link leads to counts, too, since a tool that writes
        through it changes that."""
        found: dict[str, None] = {}
        for name in about:
            path = Path(self._placed(name)).expanduser()
            for one in (path.parent.resolve() / path.name, path.resolve()):
                with contextlib.suppress(ValueError, CheckpointError):  # elsewhere, or in a `.git`
                    relative = clean_path(one.relative_to(directory).as_posix())
                    if (str(directory), relative) not in self._alone:
                        found[relative] = None
        return list(found)

    def _note_refused(
        self, directory: str, files: Sequence[str], outcome: Taken | Unchanged | Skipped
    ) -> None:
        """Remember for this turn that a directory is refused, and which files were captured alone;
        say it once."""
        self._refused.add(directory)
        if isinstance(outcome, Skipped):
            logger.debug("no checkpoint of %s: %s", directory, outcome.reason)
            return
        self._alone.update((directory, path) for path in files)
        if outcome.refused is not None and directory not in self._told:
            self._told.add(directory)
            logger.warning(
                "only the files that a tool names are captured in %s, and nothing else there is "
                "safe: %s",
                directory,
                outcome.refused.reason,
            )

    def _owner(self) -> int | None:
        """Return the number of the agent's process, or None, for this one, where that has ended:
        the checkpoint is taken all the same, and since this process ends soon, only what tools
        report counts as the agent's."""
        from hermes_checkpoints.base.arguments import process

        try:
            process(self.owner)
        except BadRequest as error:
            logger.warning("%s", error)
            return None
        return self.owner

    @guarded("no checkpoint before a command in {working_dir}", lambda _: False)
    def ensure_before_command(self, command: str, working_dir: str | None = None) -> bool:
        """Take the checkpoints that a shell command calls for, before it runs in ``working_dir``
        (default: the session's directory).

        With ``trigger: always`` that is before every command, with ``destructive`` only before
        one that surely changes files. Other projects that the command names or enters have theirs,
        too. Returns True if one was taken.
        """
        if not self.enabled:
            return False
        directory = self._placed(working_dir or ".")
        effect = command_effect(command)
        if not effect.is_change and self.trigger is Trigger.DESTRUCTIVE:
            return False
        named = [os.path.join(directory, os.path.expanduser(path)) for path in effect.paths]
        wanted = {directory: None}
        if effect.is_change:
            for path in named:
                there = self._project_elsewhere(path, directory)
                if there is not None:
                    wanted[there] = None
        reason = f"before terminal: {command[:60]}"
        taken = [self.ensure_checkpoint(name, reason, about=named) for name in wanted]
        for entered in self._entered(effect.directories, directory):
            taken.append(self.ensure_checkpoint(entered, reason, about=named))
        return any(taken)

    def _entered(self, directories: Sequence[str], start: str) -> Iterator[str]:
        """Yield the projects that a command enters from ``start`` whose files are not among those
        of the checkpoint of that directory, which is elsewhere, or was refused."""
        for name in directories:
            try:
                here = resolve_working_dir(start)
                there = resolve_working_dir(os.path.join(start, os.path.expanduser(name)))
            except (OSError, ValueError, RuntimeError):
                continue  # no command runs there
            covered = there.is_relative_to(here) and str(here) not in self._refused
            if there.is_dir() and not covered:
                yield self.get_working_dir_for_path(str(there))

    @guarded("what a command wrote is not recorded", lambda _: None)
    def record_command(self, command: str, working_dir: str | None = None) -> None:
        """Record that a shell command has just run, which named files that this turn has captured
        alone. No turn is open in a directory that is refused, so that nothing else tells that they
        are the agent's."""
        if not self.enabled or not self._alone:
            return
        directory = self._placed(working_dir or ".")
        for path in command_effect(command).paths:
            file = resolve_working_dir(os.path.join(directory, os.path.expanduser(path)))
            if any(
                (str(up), file.relative_to(up).as_posix()) in self._alone for up in file.parents
            ):
                self.record_agent_write(str(file), "terminal")

    @guarded("no directory to checkpoint for {file_path}", lambda _: "")
    def get_working_dir_for_path(self, file_path: str) -> str:
        """Return the directory to checkpoint for a file: below the home directory and within
        the same repository, the nearest one above it that has checkpoints; else the nearest
        with a project marker; else the file's own directory. Empty for a path that cannot be
        resolved."""
        return str(project_root(self._placed(file_path), self._known_dirs()))

    # --- answers in dicts --------------------------------------------------------------------

    @guarded("checkpoints of {working_dir} cannot be listed", lambda _: list[Result]())
    def list_checkpoints(self, working_dir: str) -> list[Result]:
        """Return the checkpoints of a directory, safety checkpoints too, newest first, at most
        ``max_snapshots``.

        Each is a dict with ``hash``, ``short_hash``, ``timestamp`` (ISO 8601 with the zone in
        which it was taken), ``reason``, ``files_changed``, ``insertions``, ``deletions`` and
        ``skipped`` (how many paths were not captured).
        """
        try:
            with self._project(working_dir) as project:
                return answers.listed(project, project.settings.max_snapshots or None)
        except ProjectUnknown:
            return []

    @guarded("checkpoints cannot be listed", lambda _: list[Result]())
    def list_all_checkpoints(self) -> list[Result]:
        """Return the checkpoints of every directory, newest first, at most ``max_snapshots`` of
        each: the dicts of ``list_checkpoints`` with ``workdir``."""
        if not self._base_exists():
            return []
        with self._opened() as checkpoints:
            return answers.listed_everywhere(checkpoints)

    @guarded("checkpoint {commit_hash} of {working_dir} cannot be compared", answers.failed)
    def diff(self, working_dir: str, commit_hash: str) -> Result:
        """Compare a checkpoint with the present working directory.

        Returns ``success`` with ``stat`` and ``diff`` (text), or with ``error``.
        """
        answers.refuse_early(commit_hash, self._placed(working_dir))
        with self._project(working_dir) as project:
            return answers.compared(project, commit_hash)

    @guarded("the session's changes in {working_dir} cannot be compared", answers.failed)
    def session_diff(self, working_dir: str) -> Result:
        """Compare the first checkpoint of this session with the present working directory: all
        that the session has changed there. Without a ``session_id``, the oldest checkpoint.

        Returns what ``diff`` returns, with ``baseline`` (the checkpoint's id), and ``empty``
        where there is no such checkpoint or no change.
        """
        if not self._base_exists():
            return answers.nothing_compared()
        with self._project(working_dir) as project:
            return answers.session_compared(project, self.session_id)

    @guarded("a restore to {commit_hash} in {working_dir} cannot be planned", answers.failed)
    def safe_restore_plan(self, working_dir: str, commit_hash: str) -> Result:
        """Tell what ``restore`` with ``safe`` would do.

        Returns ``success`` with the lists of paths ``restore`` (brought back or deleted) and
        ``skipped`` (kept), or with ``error``.
        """
        answers.refuse_early(commit_hash, self._placed(working_dir))
        with self._project(working_dir) as project:
            return answers.planned(project, commit_hash, self.session_id)

    @guarded("{working_dir} cannot be restored to {commit_hash}", answers.restore_failed)
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
        the user changed is kept. With a ``session_id``, what agents of other sessions changed is
        kept either way, as long as their processes run, unless ``file_path`` names it. A safety
        checkpoint comes first.

        Returns ``success``, ``restored_to`` (8 digits), ``reason``, ``directory``, ``safety``
        (the id of the safety checkpoint), ``kept`` (each path that stays although it differs, as
        ``path`` and ``reason``), and ``file`` if one was named; with ``safe`` also the
        lists of paths ``restored_files`` (all that was brought back or deleted),
        ``deleted_files`` (of these, those that are gone), ``skipped_user_edits``,
        ``skipped_oversize`` and, where there are any, ``failed_deletes``. If something went wrong,
        ``success`` is False and there is ``error`` with ``debug`` (what the system or git said, or
        None) and, if some paths failed, ``failed``.
        """
        file_path = answers.as_text(file_path)
        answers.refuse_early(commit_hash, self._placed(working_dir), file_path)
        moment = Moment(self.session_id, self._turn or None)
        with self._project(working_dir) as project:
            return answers.restored(project, commit_hash, file_path, safe, moment)

    # --- inside ------------------------------------------------------------------------------

    def _asks(self) -> bool:
        """Whether the catalog is to be asked for turns that other processes have begun."""
        return self._shares_turns and self.session_id is not None and self._base_exists()

    def _goes_on(self, project: Project) -> bool:
        return project.has_turn(session_id=self.session_id)

    def _open_turns(self, checkpoints: Checkpoints) -> list[tuple[Project, str | None]]:
        """Return where a turn is open, with its session: those that this manager has begun, and
        those of its session that any process has."""
        found = [(checkpoints.project(name), self._begun[name]) for name in sorted(self._begun)]
        if self.session_id is not None and self._shares_turns:
            known = {project for project, session in found if session == self.session_id}
            others = checkpoints.turn_projects(self.session_id)
            found += [(one, self.session_id) for one in others if one not in known]
        return found

    @guarded("the configuration cannot be read", lambda _: Config())
    def _configured(self) -> Config:
        return load_config(self.layout.config)

    def _base_exists(self) -> bool:
        return base_exists(self.layout)

    def _placed(self, path: str) -> str:
        """Return a path seen from the session's directory, where the host has given one."""
        directory = self.session_dir()
        return path if directory is None else os.path.join(directory, os.path.expanduser(path))

    @contextlib.contextmanager
    def _opened(self, *, create: bool = True) -> Iterator[Checkpoints]:
        """Lend the checkpoints for one call, by the limits of this manager."""
        from hermes_checkpoints.loading import load_lending

        load_lending()
        from hermes_checkpoints.checkpoints.lent import lent

        with lent(self.layout, self._limits, create=create) as checkpoints:
            yield checkpoints

    def _limits(self, config: Config) -> Config:
        """Return the configuration with the limits of this manager; tell once what is wrong."""
        if config.warnings and not self._warned:
            self._warned = True
            logger.warning("%s", config.warning)
        return limited(config, self._given)

    @contextlib.contextmanager
    def _project(self, working_dir: str) -> Iterator[Project]:
        """Open the checkpoints of a directory for one call; no base is made for it."""
        with self._opened(create=False) as checkpoints:
            yield checkpoints.project(self._placed(working_dir))

    @guarded("projects cannot be listed", lambda _: frozenset[str]())
    def _known_dirs(self) -> frozenset[str]:
        """Return the directories that have checkpoints, looked up once in a turn."""
        if not self.enabled or not self._base_exists():
            return frozenset()
        if self._registered is None:
            with self._opened() as checkpoints:
                self._registered = checkpoints.whole_working_dirs()
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

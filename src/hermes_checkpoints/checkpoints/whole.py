"""All checkpoints under one home, as an object: what concerns the base as a whole is a method
here; what concerns one working directory is one of its ``Project``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.arguments import (
    PathLike,
    directory,
    flag,
    instance,
    layout,
    machine_or_none,
    number,
    number_or_none,
    text,
    text_or_none,
    time_or_none,
)
from hermes_checkpoints.base.lookup import Reference, find_anywhere, require_project
from hermes_checkpoints.base.measures import last_maintenance, note_maintenance, store_size
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import project_root
from hermes_checkpoints.checkpoints.project import Project
from hermes_checkpoints.config import Config, speaks_of_remote
from hermes_checkpoints.errors import BadRequest, CheckpointError
from hermes_checkpoints.fs.forks import once

if TYPE_CHECKING:
    import sqlite3

    from hermes_checkpoints.admin.clear import Cleared
    from hermes_checkpoints.admin.rebind import Rebound
    from hermes_checkpoints.admin.usage import StoreUsage
    from hermes_checkpoints.catalog.asking import Answer
    from hermes_checkpoints.checkpoints.agent_sessions import AgentSessions
    from hermes_checkpoints.history import Exported, Reporter
    from hermes_checkpoints.model import (
        Check,
        Checkpoint,
        FailureRun,
        FleetIndexed,
        FleetStatus,
        FoundPaths,
        LegacyArchive,
        LegacyImport,
        Policy,
        Progress,
        PrunePlan,
        PruneResult,
        PullResult,
        PushPlan,
        PushResult,
        RemoteCheck,
        RemoteCheckpoint,
        RemotePrunePlan,
        RemotePruneResult,
        RemoteStatus,
        StoreStatus,
        StoreSummary,
    )
    from hermes_checkpoints.model.queries import Question, Relation
    from hermes_checkpoints.retention.plan import PruneOptions
    from hermes_checkpoints.sessions.sessions import Sessions


_DAY = timedelta(days=1)


def _several(ids: Sequence[str]) -> list[str]:
    if isinstance(ids, str | bytes):
        raise BadRequest("the ids of checkpoints must be several texts, not one")
    return list(ids)


def _plan_of(one: object) -> RemotePrunePlan:
    from hermes_checkpoints.model import RemotePrunePlan

    if not isinstance(one, RemotePrunePlan):
        raise BadRequest(f"a plan must be one of plan_prune_remote, not {type(one).__name__}")
    return one


class Checkpoints:
    """All checkpoints under one home. Use it as a context manager, or ``close`` it.

    >>> from hermes_checkpoints import Checkpoints
    >>> with Checkpoints.open() as checkpoints:
    ...     taken = checkpoints.project(".").take("before the clean-up")
    ...     checkpoints.status().checkpoint_count
    1
    """

    def __init__(self, base: Base) -> None:
        self._base = base

    @classmethod
    def open(
        cls,
        home: PathLike | None = None,
        *,
        base: PathLike | None = None,
        config: Config | None = None,
        reporter: Reporter | None = None,
        create: bool = True,
        progress: Progress | None = None,
    ) -> Checkpoints:
        """Open the checkpoints under ``home`` (default: HERMES_HOME, else ``~/.hermes``).

        ``base`` names the checkpoint folder itself instead. Where it does not exist it is made;
        without ``create`` the home stays as it is, every question is answered as of an empty
        base, and whatever is to be kept is refused with BaseUnwritable. What an earlier process
        left unfinished is mended, and history of earlier versions in the base is imported:
        ``reporter`` is told how far that is, and ``progress`` how far a take or a restore is, and
        the catalog where it is made anew from the store. ``config`` replaces what ``config.yaml``
        says.

        Raises:
            BadRequest: when a path or the configuration is none.
            BaseUnwritable, CatalogNewer, CatalogDamaged, CatalogBusy, LockHeld, NoSpace.
        """
        from hermes_checkpoints.admin.recover import recover
        from hermes_checkpoints.history import bring_in

        instance(config, Config, "config")
        where = layout(home, base)
        opened = Base.open(
            where,
            config,
            create=flag(create, "create"),
            collect=partial(read_former, where.base),
        )
        opened.store.tell(progress)
        try:
            recover(opened, progress or (lambda _: None))
            bring_in(opened, reporter)
        except BaseException:
            opened.close()
            raise
        return cls(opened)

    @property
    def home(self) -> Path:
        """The home directory, resolved."""
        return self._base.layout.home

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._base.config

    @once
    def sessions(self) -> Sessions:
        """The session checkpoints of the same base; they are closed with it."""
        from hermes_checkpoints.sessions.sessions import Sessions

        return Sessions(self._base)

    @once
    def agent_sessions(self) -> AgentSessions:
        """The sessions of agents that tell of themselves by hooks."""
        from hermes_checkpoints.checkpoints.agent_sessions import AgentSessions

        return AgentSessions(self._base)

    # --- projects --------------------------------------------------------------------------------

    def project(self, working_dir: PathLike) -> Project:
        """Return the project of a directory, whether or not a checkpoint was taken of it yet."""
        return Project(self._base, working_dir)

    def project_of(self, path: PathLike = ".") -> Project:
        """Return the project that a path (default: the current directory) belongs to: the
        nearest directory above it that has checkpoints, else the nearest with a project marker,
        else the directory itself."""
        start = directory(path)
        return self.project(project_root(start, self.working_dirs_at_or_above(start)))

    def projects(self) -> list[Project]:
        """Return the projects that were ever checkpointed, those touched last first."""
        return [Project._of(self._base, found) for found in self._base.catalog.projects.all()]

    def working_dirs(self) -> frozenset[str]:
        """Return the working directories of all projects, as the catalog has them."""
        return frozenset(found.working_dir for found in self._base.catalog.projects.all())

    def whole_working_dirs(self) -> frozenset[str]:
        """Return the working directories of all projects but those of which only single files are
        captured, since the directory as a whole is refused."""
        return self._base.catalog.projects.working_dirs()

    def working_dirs_at_or_above(self, path: PathLike) -> frozenset[str]:
        """Return which of a path and the directories above it are those of projects, as the
        catalog has them, but for those of which only single files are captured; links are
        resolved.

        Raises:
            BadRequest: when it is neither text nor a path object, or no path can be like that.
        """
        return self._base.catalog.projects.at_or_above(str(directory(path)))

    def find(self, ref: Reference) -> Checkpoint:
        """Return the checkpoint with this id, or a unique beginning of it of at least eight
        digits, of whatever project it is, as it is now.

        Raises:
            BadRequest: when it has another form: a number, a label or ``latest`` needs a project.
            CheckpointUnknown, CheckpointAmbiguous, CheckpointPruned.
        """
        return find_anywhere(self._base, ref)

    def find_paths(
        self,
        pattern: str | None = None,
        *,
        deleted: bool = False,
        content: str | None = None,
        limit: int | None = None,
    ) -> FoundPaths:
        """Return the paths that checkpoints of any project hold, as ``Project.find_paths``; the
        pattern is relative to each. The working directory is that of each one's checkpoint.

        >>> taken = project.take()
        >>> found = checkpoints.find_paths("notes.*").found[0]  # held last
        >>> found.checkpoint.working_dir == str(project.working_dir), found.path
        (True, 'notes.txt')

        Raises:
            BadRequest: when the pattern or the expression cannot be read.
            CheckpointError: when catalog or store cannot be read.
        """
        from hermes_checkpoints.admin import find as finding

        query = finding.query(pattern, deleted=deleted, content=content, limit=limit)
        return finding.find(self._base, None, query)

    def list_all(self) -> list[Checkpoint]:
        """Return the checkpoints of every project, newest first, by one query; safety checkpoints
        are among them.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.checkpoints.live()[::-1]

    # --- turns of a session, by whatever process --------------------------------------------------

    def turn_begin(
        self,
        session_id: str,
        working_dir: PathLike = ".",
        *,
        turn: int | None = None,
        owner: int | None = None,
        tools_told: bool = False,
        title: str | None = None,
    ) -> bool:
        """Record that an agent's session begins to work in a directory: ``Project.begin_turn``.

        The record is in the catalog, so that each of ``turn_begin``, ``record_agent_write`` and
        ``turn_end`` may be called by another process, as by agents that start one for each event.

        >>> taken = project.take()
        >>> checkpoints.turn_begin("session-1", ".", owner=os.getppid())
        True
        >>> _ = Path("notes.txt").write_text("by the agent")
        >>> checkpoints.record_agent_write("notes.txt", session_id="session-1", tool="write_file")
        >>> checkpoints.turn_end("session-1") == [project]
        True
        >>> project.who("notes.txt")[0].tool
        'write_file'

        Raises:
            BadRequest, CheckpointError: as ``Project.begin_turn``.
        """
        return self.project(working_dir).begin_turn(
            session_id=text(session_id, "the id of a session"),
            turn=turn,
            owner=owner,
            tools_told=tools_told,
            title=title,
        )

    def turn_projects(self, session_id: str) -> list[Project]:
        """Return the projects in which a session has a turn open.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        session = text(session_id, "the id of a session")
        found = self._base.catalog.turns.open_of_session(session)
        return [Project._at(self._base, name) for name in found]

    def turn_end(self, session_id: str, *, interrupted: bool = False) -> list[Project]:
        """Record that a session is done for now, wherever a turn of it is open; return those
        projects. It costs a statement where there are none. ``interrupted`` is as for
        ``Project.end_turn``.

        Raises:
            CheckpointError: when a directory cannot be looked at; its turn stays open, and those
                of the others have ended.
        """
        ended: list[Project] = []
        failed: CheckpointError | None = None
        for project in self.turn_projects(session_id):
            try:
                if project.end_turn(session_id=session_id, interrupted=interrupted):
                    ended.append(project)
            except CheckpointError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return ended

    def record_agent_write(
        self,
        path: PathLike,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        tool: str | None = None,
    ) -> None:
        """Record that a tool of the agent has just written ``path``, a path of the system: in the
        nearest project above it in which the session has a turn open, else in the project that it
        belongs to.

        Raises:
            ProjectUnknown: when no checkpoint of that project exists.
            PathRefused, CheckpointError.
        """
        file = directory(path)
        open_ = [] if session_id is None else self.turn_projects(session_id)
        above = [one for one in open_ if one.working_dir in file.parents]
        if above:
            project = max(above, key=lambda one: len(one.working_dir.parts))
        else:
            project = self.project(project_root(file, self.working_dirs_at_or_above(file)))
        relative = file.relative_to(project.working_dir).as_posix()
        project.record_agent_write(relative, session_id=session_id, turn=turn, tool=tool)

    # --- what is there ---------------------------------------------------------------------------

    def status(
        self, *, limit: int | None = None, working_dir: PathLike | None = None
    ) -> StoreStatus:
        """Return what the base holds; ``limit`` bounds the listed projects, newest first, and
        ``working_dir`` names the only one to be listed. The sums are those of the whole base.

        The directories of the listed projects are looked at, and what is seen is recorded.

        Raises:
            ProjectUnknown: when no checkpoint was taken of the directory.
            CheckpointError: when the catalog cannot be read.
        """
        from hermes_checkpoints.admin import status as reporting
        from hermes_checkpoints.history import unimported_notes

        only = None
        if working_dir is not None:
            only = Target.of(directory(working_dir))
            require_project(self._base, only)
        most = number_or_none(limit, "the limit of a list")
        found = reporting.status(self._base, most, only)
        unsent = self.push_notice()
        told = [] if unsent is None or unsent in found.notes else [unsent]
        return replace(found, notes=(*found.notes, *told, *unimported_notes(self._base)))

    def summary(self) -> StoreSummary:
        """Return what the base holds, in short: its projects, newest touch first, with how many
        checkpoints each has, and the sizes. It is what ``store_status`` tells hosts.

        The directories of the projects are looked at, and what is seen is recorded.

        >>> taken = project.take()
        >>> found = checkpoints.summary().projects[0]
        >>> found.checkpoints, found.last_look.working_dir == str(project.working_dir)
        (1, True)

        Raises:
            CheckpointError: when the catalog cannot be read.
        """
        from hermes_checkpoints.admin import status as reporting

        return reporting.summary(self._base)

    def failing(self, *, since: datetime | None = None) -> list[FailureRun]:
        """Return for each directory the takes that failed, or that a guard refused, since the last
        that worked; that of the newest comes first. Those of more than 14 days ago are left out
        while their directory is not there. With ``since``, those alone of which the newest began
        then or later.

        >>> checkpoints.failing()
        []
        """
        from hermes_checkpoints.admin import status as reporting

        return reporting.failing(self._base, since=time_or_none(since, "since"))

    def usage(self, *, measure: bool = False) -> StoreUsage:
        """Return who takes how much space: estimates, or with ``measure`` what git says.

        Raises:
            CheckpointError: when catalog or store cannot be read.
        """
        from hermes_checkpoints.admin import usage as using

        return using.usage(self._base, measure=flag(measure, "measure"))

    def check(
        self,
        *,
        max_age: timedelta | None = _DAY,
        max_failures: int = 0,
        max_bytes: int | None = None,
        working_dir: PathLike | None = None,
    ) -> Check:
        """Tell whether checkpoints work, for monitoring: whether the last successful take is no
        older than ``max_age`` (None: any age), no more than ``max_failures`` takes have failed or
        were refused since the last that worked, of all directories together, and the store with
        its catalog is not over ``max_bytes``. Where that is None, the size cap of the configuration
        counts, and 0 is no bound. ``working_dir`` limits the first two to one project.

        >>> taken = project.take()
        >>> checkpoints.check().text
        'fine: last successful take 0s ago; no failures; ...'

        Raises:
            BadRequest: when an argument is none.
            CheckpointError: when it cannot be told, as of a damaged catalog.
        """
        from hermes_checkpoints.admin.check import check

        return check(
            self._base,
            max_age=instance(max_age, timedelta, "the greatest age"),
            max_failures=number(max_failures, "how many failures are fine"),
            max_bytes=number_or_none(max_bytes, "the greatest size"),
            only=None if working_dir is None else Target.of(directory(working_dir)),
        )

    # --- queries ---------------------------------------------------------------------------------

    def ask(
        self,
        query: str | Question,
        *,
        values: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> Answer:
        """Run one query of the catalog in SQL, or a question that comes with the package, and
        return the rows, ``limit`` at most. ``values`` are texts for its named parameters. Nothing
        can be changed by it, and nobody waits for it; docs/catalog.md has the views and tables.

        >>> list(checkpoints.ask("SELECT value FROM settings WHERE name = 'max_snapshots'"))
        [('20',)]

        Raises:
            BadRequest: when an argument is none.
            QueryRefused: when it is no query, several, or would change something.
            KeyboardInterrupt: when it was interrupted.
            CatalogBusy, CatalogDamaged, BaseUnwritable.
        """
        from hermes_checkpoints.catalog.asking import ask
        from hermes_checkpoints.model.queries import Question

        given = dict(values or {})
        if isinstance(query, Question):
            given = query.filled(given)
            query = query.query
        words = text(query, "the query")
        for name, value in given.items():
            text(value, f"the value of :{name}")
        return ask(self._base.catalog, words, given, number_or_none(limit, "the limit"))

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection of SQLite to the catalog for a tool that asks by itself, such as
        pandas or Datasette. It can only read, as ``ask`` does, and any thread may use it, one
        at a time. While a transaction of it is open the write-ahead log grows.

        >>> with checkpoints.connection() as connection:
        ...     connection.execute("SELECT max_snapshots FROM retention_policy").fetchall()
        [(20,)]

        Raises:
            CatalogBusy, CatalogDamaged, BaseUnwritable.
        """
        from hermes_checkpoints.catalog.asking import connected

        with connected(self._base.catalog) as connection:
            yield connection

    def questions(self) -> tuple[Question, ...]:
        """Return the questions that come with the package, by name: docs/sql.md has them."""
        from hermes_checkpoints.catalog.canned import questions

        return tuple(questions().values())

    def question(self, name: str) -> Question:
        """Return one of the questions that come with the package.

        Raises:
            BadRequest: when there is none of that name.
        """
        from hermes_checkpoints.catalog.asking import meant
        from hermes_checkpoints.catalog.canned import questions

        found = questions().get(text(name, "the name of a question"))
        if found is None:
            like = meant(name, questions())
            raise BadRequest(f"there is no question {name!r}; {like}`sql --questions` lists them")
        return found

    def relations(self, name: str | None = None) -> tuple[Relation, ...]:
        """Return the views and tables of the catalog with their columns, views first; with
        ``name`` only that one.

        Raises:
            BadRequest: when there is none of that name.
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.catalog.asking import meant, relations

        found = relations(self._base.catalog)
        if name is None:
            return tuple(found)
        only = tuple(one for one in found if one.name == name)
        if not only:
            like = meant(name, [one.name for one in found])
            raise BadRequest(
                f"the catalog has no view or table {name!r}; {like}`sql --schema` lists them"
            )
        return only

    def capped_bytes(self) -> int:
        """Return what the size cap is for: the store on disk, as of the last measure with what
        was added since, and the catalog without the documents of sessions."""
        return store_size(self._base).bytes + self._base.catalog.capped_bytes

    # --- keeping the store small -----------------------------------------------------------------

    @property
    def policy(self) -> Policy:
        """The retention rules of the configuration, as for a run that nobody watches."""
        from hermes_checkpoints.retention.delete import policy_of

        return policy_of(self._base.config)

    def plan_prune(
        self,
        *,
        policy: Policy | None = None,
        working_dir: PathLike | None = None,
        reclaim_bytes: int = 0,
        options: PruneOptions | None = None,
    ) -> PrunePlan:
        """Return which checkpoints a prune would drop and why, and how many stay by which rule.

        ``policy`` defaults to that of the configuration; ``working_dir`` limits the plan to one
        project. ``reclaim_bytes`` asks for so much space back, whatever the cap. With
        ``options``, a store over its cap is packed first, so that the sizes are exact.

        Raises:
            ProjectUnknown: when no checkpoint was taken of the directory.
            CheckpointError: when catalog or store cannot be read.
        """
        from hermes_checkpoints.model import Policy
        from hermes_checkpoints.retention import plan as planning
        from hermes_checkpoints.retention.plan import PruneOptions

        only = None
        if working_dir is not None:
            only = require_project(self._base, Target.of(directory(working_dir))).hash
        rules = instance(policy, Policy, "policy")
        return planning.make_plan(
            self._base,
            self.policy if rules is None else rules,
            only=only,
            reclaim=number(reclaim_bytes, "the space to reclaim"),
            options=instance(options, PruneOptions, "options"),
        )

    def prune(
        self, *, plan: PrunePlan | None = None, options: PruneOptions | None = None
    ) -> PruneResult:
        """Delete what a plan drops, and nothing that appeared since; reclaim the space. Without
        a plan, one is made by the configuration.

        Raises:
            LockHeld: when another prune runs, or takes go on for too long.
            CheckpointError: when catalog or refs cannot be written.
        """
        from hermes_checkpoints.admin.rebuild import adopt
        from hermes_checkpoints.model import PrunePlan
        from hermes_checkpoints.retention import run as pruning
        from hermes_checkpoints.retention.plan import PruneOptions

        if instance(options, PruneOptions, "options") is None:
            options = PruneOptions()
        made = instance(plan, PrunePlan, "plan")
        if made is None:
            made = self.plan_prune(options=options)
        return pruning.execute(self._base, made, options, adopt=adopt)

    def hold_cap(self) -> bool:
        """Start a prune in the background where the store is over its size cap, and return
        whether one was started: not where ``auto_prune`` is off, none is needed, or one runs.
        The end of a turn does so by itself.

        >>> checkpoints.hold_cap()  # the store is below its cap
        False
        """
        from hermes_checkpoints.retention.background import start_if_due

        return start_if_due(self._base)

    def cap_notice(self) -> str | None:
        """Return, once, what the last prune in the background did; None where there is nothing
        to tell. ``status`` goes on telling for two weeks."""
        from hermes_checkpoints.base.cap import tell_once

        return tell_once(self._base)

    def last_maintenance(self) -> datetime | None:
        """Return when maintenance last ran on its own, in UTC, or None."""
        return last_maintenance(self._base)

    def note_maintenance(self) -> None:
        """Write down that maintenance ran just now."""
        note_maintenance(self._base)

    # --- moving and clearing ---------------------------------------------------------------------

    def plan_rebind(self, old: PathLike, new: PathLike) -> Rebound:
        """Return what ``rebind`` would return; nothing is changed.

        Raises:
            BadRequest, ProjectUnknown, BadDirectory: as for ``rebind``.
        """
        from hermes_checkpoints.admin import rebind as rebinding

        first, second = Target.of(directory(old)), Target.of(directory(new))
        return rebinding.plan_rebind(self._base, first, second)

    def rebind(self, old: PathLike, new: PathLike, *, plan: Rebound | None = None) -> Rebound:
        """Give the history of the directory ``old`` to ``new``, where it was moved.

        Raises:
            BadRequest: also when ``plan``, that of ``plan_rebind``, is for other directories, or
                there are other checkpoints by now.
            ProjectUnknown, BadDirectory, LockHeld: nothing was changed then.
        """
        from hermes_checkpoints.admin import rebind as rebinding
        from hermes_checkpoints.admin.rebind import Rebound

        first, second = Target.of(directory(old)), Target.of(directory(new))
        return rebinding.rebind(self._base, first, second, instance(plan, Rebound, "plan"))

    def plan_clear(self, *, sessions: bool = False) -> Cleared:
        """Return what ``clear`` would remove; nothing is changed."""
        from hermes_checkpoints.admin import clear as clearing

        return clearing.plan_clear(self._base, sessions=flag(sessions, "sessions"))

    def clear(self, *, sessions: bool = False, plan: Cleared | None = None) -> Cleared:
        """Remove all checkpoints and archives, with ``sessions`` session checkpoints, too.

        Where nothing is left the base itself goes, and this object cannot be used any more.
        With ``plan``, that of ``plan_clear``, nothing is removed if something that the plan
        does not have would go by now.

        Raises:
            BadRequest: also for a plan for another base or other ``sessions``, or one that does
                not have all that would go.
            LockHeld, BaseUnwritable: nothing was removed then.
        """
        from hermes_checkpoints.admin import clear as clearing
        from hermes_checkpoints.admin.clear import Cleared

        made = instance(plan, Cleared, "plan")
        return clearing.clear(self._base, sessions=flag(sessions, "sessions"), plan=made)

    # --- history of earlier versions --------------------------------------------------------------

    def import_legacy(
        self, folder: PathLike | None = None, *, reporter: Reporter | None = None
    ) -> LegacyImport:
        """Import what lies in a folder: a home, a base or a part of one, of versions 1 and 2, or
        a base of this version from elsewhere. Without one, import what lies in this base and
        was not imported yet. What is here already is not imported again.

        Raises:
            BadDirectory: when the folder cannot be read.
            LockHeld: when another process imports for too long.
            CheckpointError: when catalog or store cannot be used.
        """
        from hermes_checkpoints.history import import_path

        path = None if folder is None else directory(folder)
        return import_path(self._base, path, reporter)

    def export_v2(self, folder: PathLike) -> Exported:
        """Write all live checkpoints into a new folder, as a base that version 2 can use.

        Raises:
            BadRequest: when the folder is not empty, or there are no checkpoints.
            NoSpace, BaseUnwritable: when it cannot be written.
        """
        from hermes_checkpoints.history import export_v2

        return export_v2(self._base, directory(folder))

    def legacy_archives(self) -> list[LegacyArchive]:
        """Return the folders that a migration moved aside, by name."""
        from hermes_checkpoints.admin import status as reporting

        return reporting.legacy_archives(self._base)

    def plan_clear_legacy(self) -> Cleared:
        """Return what ``clear_legacy`` would remove; nothing is changed."""
        from hermes_checkpoints.admin import clear as clearing

        return clearing.plan_clear_legacy(self._base)

    def clear_legacy(self, *, plan: Cleared | None = None) -> Cleared:
        """Remove the archives that a migration moved aside, and nothing else.

        Raises:
            BadRequest: when ``plan`` is not of ``plan_clear_legacy`` for this base, or does not
                have all that would go; nothing was removed then.
            LockHeld: when another process imports; nothing was removed then.
        """
        from hermes_checkpoints.admin import clear as clearing
        from hermes_checkpoints.admin.clear import Cleared

        return clearing.clear_legacy(self._base, plan=instance(plan, Cleared, "plan"))

    # --- the remote ------------------------------------------------------------------------------

    def check_remote(self, *, working_dir: PathLike | None = None) -> RemoteCheck:
        """Look whether the remote of ``config.yaml`` can be reached, read and written, and what is
        to be known of it besides. A ref of this machine's own is made there and deleted again.

        ``working_dir`` names the project where each has a remote of its own. Nobody is asked for
        a password; each step ends at ``timeout_seconds`` of the configuration. What does not work
        is a finding, and nothing is raised.

        >>> import subprocess
        >>> _ = subprocess.run(["git", "init", "-q", "--bare", "../undo.git"], check=True)
        >>> there = Path("../undo.git").resolve()
        >>> _ = (checkpoints.home / "config.yaml").write_text(
        ...     f"checkpoints: {{remote: {{url: {there}}}}}"
        ... )
        >>> checkpoints.check_remote().works
        True

        Raises:
            RemoteOff: when no remote is configured.
            BadRequest: when each project has one of its own, and none is named.
            BaseUnwritable, NoSpace: when the base has no id and none can be made.
            GitMissing, GitFailed: the latter where git cannot read the user's configuration.
        """
        from hermes_checkpoints.remote.check import check

        named = None if working_dir is None else Target.of(directory(working_dir))
        return check(self._base, named)

    def index_fleet(
        self, urls: str | Iterable[str] = (), *, catalog: str | None = None
    ) -> list[FleetIndexed]:
        """Let the index of a fleet have what remotes have: those at ``urls``, else the remote of
        ``config.yaml``. Returns what came of it, remote by remote. The same once more changes
        nothing; an index that was lost is made anew.

        ``catalog`` is the address of the PostgreSQL database of the index, else that of
        ``config.yaml`` counts. Of a remote that cannot be read the index keeps what it had, and the
        others go on.

        Raises:
            FleetOff, RemoteOff: when there is no index, or no remote.
            BadRequest: when an address is none, or the library of the extra ``fleet`` is not there.
            FleetUnreachable, FleetDenied, FleetFailed, CatalogNewer, CatalogBusy, NoSpace: when
                it is the database that cannot; the index is as it was then.
            BaseUnwritable, GitMissing, GitFailed.
        """
        from hermes_checkpoints.fleet.index import index

        wanted = [urls] if isinstance(urls, str) else [*urls]
        for url in wanted:
            text(url, "an address of a remote")
        return index(self._base, wanted, text_or_none(catalog, "catalog"))

    def fleet_status(self, *, catalog: str | None = None, limit: int = 20) -> FleetStatus:
        """Return what the index of a fleet tells: sums, machines by how long they have been silent,
        stale projects, and how the remotes were indexed; ``limit`` of each at most. ``catalog`` is
        as for ``index_fleet``. It only reads.

        Raises:
            FleetOff: when there is no index.
            BadRequest: when an address is none, or the library of the extra ``fleet`` is not there.
            FleetUnreachable, FleetDenied, FleetFailed, CatalogNewer, CatalogBusy.
        """
        from hermes_checkpoints.fleet.status import status

        return status(self._base, text_or_none(catalog, "catalog"), number(limit, "limit"))

    def remote_status(self, *, working_dir: PathLike | None = None) -> list[RemoteStatus]:
        """Return how the remote of ``config.yaml`` stands: what is unsent, refused and sent of each
        project, or of one directory, when pushes worked and failed, and what lies there. There is
        one answer, unless each project has a remote of its own.

        What lies there is asked of the server, once; where that cannot be reached, the rest is told
        with the error. What was sent and is not there any more is recorded as removed.

        >>> import subprocess
        >>> _ = subprocess.run(["git", "init", "-q", "--bare", "../undo.git"], check=True)
        >>> there = Path("../undo.git").resolve()
        >>> _ = (checkpoints.home / "config.yaml").write_text(
        ...     f"checkpoints: {{remote: {{url: {there}}}}}"
        ... )
        >>> taken = checkpoints.project(".").take("before the clean-up")
        >>> _ = checkpoints.push()
        >>> [status] = checkpoints.remote_status(working_dir=".")
        >>> status.unsent, status.contents.machines, status.error is None
        (0, 0, True)

        Raises:
            RemoteOff: when no remote is configured.
            BaseUnwritable, NoSpace, GitFailed: when this base cannot.
        """
        from hermes_checkpoints.remote.status import status

        named = None if working_dir is None else Target.of(directory(working_dir))
        return status(self._base, named)

    def plan_prune_remote(
        self,
        *,
        working_dir: PathLike | None = None,
        others: bool = False,
        ids: Sequence[str] = (),
    ) -> list[RemotePrunePlan]:
        """Return what ``prune_remote`` would remove, and what it would keep by which rule: of one
        directory, or of all that this base has sent. The server is asked what it has; nothing is
        changed.

        What is older than ``keep_days`` of the configuration goes, but for what has a pin or a
        label here and the newest of each project. With ``others``, machines go as a whole that have
        sent nothing for ``keep_dead_days``. With ``ids``, or their beginnings of at least 8 digits,
        just these go, whatever their age, unless they have a pin or a label here.

        Raises:
            RemoteOff: when no remote is configured.
            BadRequest: when an id has another form.
            CheckpointUnknown, CheckpointAmbiguous: when the remote has no such, or several.
            BaseUnwritable, NoSpace, GitFailed: when this base cannot.
        """
        from hermes_checkpoints.remote import prune_plan

        named = None if working_dir is None else Target.of(directory(working_dir))
        told = [text(one, "the id of a checkpoint") for one in _several(ids)]
        return prune_plan.plan(self._base, named, others=flag(others, "others"), ids=told)

    def prune_remote(
        self,
        *,
        plan: Sequence[RemotePrunePlan] | None = None,
        working_dir: PathLike | None = None,
        others: bool = False,
        ids: Sequence[str] = (),
    ) -> list[RemotePruneResult]:
        """Remove from the remote what a plan says, and nothing that appeared since; without one, it
        is made as by ``plan_prune_remote``. Nothing here is touched, and what was removed is not
        sent again by itself.

        Each ref is removed while it is where it was seen, and each is told. What the server does
        not let go stays.

        Raises:
            RemoteOff: when no remote is configured.
            BadRequest: also when ``plan`` is for another remote than that of the configuration.
            LockHeld: when a push to the same remote is at work.
            CheckpointError: as ``plan_prune_remote``.
        """
        from hermes_checkpoints.remote import prune

        made = plan
        if made is None:
            made = self.plan_prune_remote(working_dir=working_dir, others=others, ids=ids)
        return prune.execute(self._base, [_plan_of(one) for one in made])

    def plan_push(
        self,
        *,
        working_dir: PathLike | None = None,
        allow_secrets: bool = False,
        again: bool = False,
    ) -> list[PushPlan]:
        """Return what ``push`` would send, remote by remote. Nothing is asked of the network, and
        nothing is written.

        Raises:
            RemoteOff: when no remote is configured.
            ProjectUnknown: when a directory is named that has no checkpoints.
            BaseUnwritable, NoSpace, StoreDamaged, GitFailed.
        """
        from hermes_checkpoints.remote import push

        return push.plan(
            self._base, self._hash_of(working_dir), allow_secrets=allow_secrets, again=again
        )

    def push(
        self,
        *,
        working_dir: PathLike | None = None,
        allow_secrets: bool = False,
        again: bool = False,
    ) -> list[PushResult]:
        """Send the checkpoints that the remote of ``config.yaml`` does not have yet: those of one
        directory, or all. Each keeps its id. Returns what came of it, remote by remote; there is
        one, unless each project has its own.

        A checkpoint with a file that looks like a secret is not sent, unless ``allow_secrets`` or
        the configuration says so. What the remote does not take stays unsent, and the next push
        tries again. What it had and has no longer, as after ``prune_remote``, is sent with
        ``again`` alone. Takes, restores and prunes go on meanwhile.

        >>> import subprocess
        >>> _ = subprocess.run(["git", "init", "-q", "--bare", "../undo.git"], check=True)
        >>> there = Path("../undo.git").resolve()
        >>> _ = (checkpoints.home / "config.yaml").write_text(
        ...     f"checkpoints: {{remote: {{url: {there}}}}}"
        ... )
        >>> taken = checkpoints.project(".").take("before the clean-up")
        >>> [result] = checkpoints.push()
        >>> taken.checkpoint.id in [one.id for one in result.sent], result.complete
        (True, True)

        Raises:
            RemoteOff: when no remote is configured.
            ProjectUnknown: when a directory is named that has no checkpoints.
            LockHeld: when another push to the same remote is at work.
            BaseUnwritable, NoSpace, StoreDamaged, GitFailed: when this base cannot.
        """
        from hermes_checkpoints.remote import push

        return push.push(
            self._base, self._hash_of(working_dir), allow_secrets=allow_secrets, again=again
        )

    def pull(
        self, *, working_dir: PathLike | None = None, machine: str | None = None
    ) -> list[PullResult]:
        """Bring the list of what the remote has: of one directory, wherever it lies on other
        machines, or of all; from every machine, or from one by its id. Contents stay there.

        A directory is the same project on two machines where it is the same place of the same
        repository or, where it is in none, at the same path; it need have no checkpoints here.
        Returns what came of it, remote by remote; ``remote_list`` has the list. No rule of this
        base counts any of it.

        Raises:
            RemoteOff: when no remote is configured.
            BadRequest: when ``machine`` is no id.
            BaseUnwritable, NoSpace, LockHeld, GitFailed: when this base cannot.
        """
        from hermes_checkpoints.remote import pull

        named = None if working_dir is None else Target.of(directory(working_dir))
        return pull.pull(self._base, named, machine=machine_or_none(machine))

    def remote_list(
        self,
        *,
        working_dir: PathLike | None = None,
        machine: str | None = None,
        limit: int | None = None,
    ) -> list[RemoteCheckpoint]:
        """Return what the last ``pull`` has found on the remote, newest first by the clocks of
        those who took it: of one directory, as ``pull`` finds it, or of all; from every machine, or
        from one; at most ``limit``.

        Raises:
            BadRequest: when ``machine`` is no id.
        """
        from hermes_checkpoints.remote.pull import key_of

        key = None if working_dir is None else key_of(self._base, Target.of(directory(working_dir)))
        most = number_or_none(limit, "the limit of a list")
        return self._base.catalog.elsewhere.list(key, machine=machine_or_none(machine), limit=most)

    def fetch(self, ref: Reference, *, working_dir: PathLike | None = None) -> Checkpoint:
        """Bring the contents of a checkpoint that the remote has, by its id or a beginning of it
        that is unique in the list, and return it. Where they are here, nobody is asked.

        What is returned can be given to ``Project.diff``, ``read_file``, ``names``, ``holds``,
        ``skipped``, ``write_tar``, ``plan_restore`` and ``restore``, and to nothing else: it is
        none of this base, counts in no rule, and goes again with a prune some days later.
        ``working_dir`` is the project whose remote is meant, where each has its own.

        Raises:
            BadRequest: when it is no id, or has fewer than eight digits.
            CheckpointUnknown, CheckpointAmbiguous: by the list, which ``pull`` brings up to date.
            RemoteRefused: when the remote has it no longer.
            RemoteOff: when no remote is configured, or another one than the list is of.
            RemoteFailed: or what it is in particular; nothing is changed then.
            BaseUnwritable, NoSpace, LockHeld, StoreDamaged, GitFailed: when this base cannot.
        """
        from hermes_checkpoints.remote.fetch import fetch

        named = None if working_dir is None else Target.of(directory(working_dir))
        return fetch(self._base, ref, named)

    def push_notice(self) -> str | None:
        """Return what people are to be told of what is sent by itself: that something has been
        unsent for a day, or is refused for what looks like a secret, or that the remote is off
        because its configuration is wrong; each with what to do, in one line. None where all is
        well, or nothing is to be sent by itself.

        >>> checkpoints.push_notice() is None
        True

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        if not speaks_of_remote(self._base.layout.config):
            return None
        from hermes_checkpoints.remote.notice import notice

        return notice(self._base)

    def _hash_of(self, working_dir: PathLike | None) -> str | None:
        """Return the hash of a project that has checkpoints, None for all projects."""
        if working_dir is None:
            return None
        named = Target.of(directory(working_dir))
        require_project(self._base, named)
        return named.hash

    # --- closing ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the catalog."""
        self._base.close()

    def __repr__(self) -> str:
        return f"Checkpoints(base={str(self._base.layout.named)!r})"

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_former(
    base: Path, revision: str | None, imported: frozenset[str]
) -> Sequence[Mapping[str, object]]:
    """Read what earlier versions left in a base, for an upgrade of its catalog."""
    from hermes_checkpoints.history import collect

    return collect(base, revision, imported)

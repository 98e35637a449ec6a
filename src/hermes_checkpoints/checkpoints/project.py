"""One working directory and its checkpoints, as an object: what one does with a project is a
method here, and no method names the directory again."""

from __future__ import annotations

import builtins
import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hermes_checkpoints.base.arguments import (
    PathLike,
    Paths,
    directory,
    flag,
    instance,
    number_or_none,
    one_path,
    process,
    references,
    session_or_none,
    several,
    text,
    text_or_none,
)
from hermes_checkpoints.base.lookup import (
    Reference,
    clean_label,
    find_checkpoint,
    name_checkpoint,
    require_project,
    still_kept,
)
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.config import Config, sends_by_itself
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    PathRefused,
    PathUnknown,
)
from hermes_checkpoints.git_program import distrust
from hermes_checkpoints.loading import load_restores, load_sending, load_takes
from hermes_checkpoints.model import LATEST, Checkpoint, Kind, SkipReason
from hermes_checkpoints.model.paths import clean_path, parents, within

if TYPE_CHECKING:
    from hermes_checkpoints.model import (
        AgentDiff,
        Archived,
        Change,
        Coverage,
        Diff,
        ExportedBranch,
        FailureRun,
        FileParts,
        ForgetPlan,
        Forgotten,
        FoundPath,
        FoundPaths,
        HeadDiff,
        Mode,
        Moment,
        PathEvent,
        PathHistory,
        ProjectRecord,
        PrunePlan,
        PruneResult,
        Restored,
        RestorePlan,
        SafetyCheckpoint,
        SkippedPath,
        TakeOutcome,
        TimelineEntry,
        Whose,
    )
    from hermes_checkpoints.restore.request import RestoreRequest
    from hermes_checkpoints.retention.plan import PruneOptions


_NAMED = 5
"""How many other places of a content are named."""


class Project:
    """A working directory of which checkpoints are taken; ``Checkpoints.project`` makes it.

    It can be made of any directory: that no checkpoint was taken of it yet is an error only for
    what needs one, and always ``ProjectUnknown``. A *reference* is the id of a checkpoint, a
    unique beginning of it (4 digits at least), ``latest``, a label, the number that ``log``
    shows, a time such as ``@2h`` or ``@{2026-11-27 18:00}``, each as text, or a ``Checkpoint``.
    Numbers, times and ``latest`` never mean a safety checkpoint,
    which a restore takes before it writes. *Paths* are one path or several, relative to the
    working directory, and taken literally: ``*.py`` is a file of that name.

    >>> from hermes_checkpoints import Checkpoints
    >>> with Checkpoints.open() as checkpoints:
    ...     project = checkpoints.project(".")
    ...     taken = project.take("before the clean-up")
    ...     _ = Path("notes.txt").write_text("oops")
    ...     [change.path for change in project.diff("latest").changes]
    ...     restored = project.restore("latest", "notes.txt", mode="overlay")
    ...     Path("notes.txt").read_text()
    ['notes.txt']
    'as it was'
    """

    def __init__(self, base: Base, working_dir: PathLike) -> None:
        self._base = base
        self._target = Target.of(directory(working_dir))
        distrust(self._target.path)

    @classmethod
    def _of(cls, base: Base, found: ProjectRecord) -> Project:
        """Return a project by the path that the catalog has, whatever lies there today."""
        project = cls.__new__(cls)
        project._base, project._target = base, Target(Path(found.working_dir), found.hash)
        distrust(project._target.path)
        return project

    @classmethod
    def _at(cls, base: Base, working_dir: str) -> Project:
        """Return a project by the path that the catalog has, whatever lies there today."""
        project = cls.__new__(cls)
        project._base, project._target = base, Target.of(Path(working_dir))
        return project

    @property
    def working_dir(self) -> Path:
        """The working directory, with links resolved."""
        return self._target.path

    @property
    def settings(self) -> Config:
        """The configuration in force here: the general one with what ``projects:`` of the home's
        config.yaml says of this directory, or of the nearest above it."""
        return self._base.settings(self._target)

    def __repr__(self) -> str:
        return f"Project({str(self.working_dir)!r})"

    def __eq__(self, other: object) -> bool:
        """Tell whether both are of one directory and one base."""
        if not isinstance(other, Project):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Path, Target]:
        return self._base.layout.base, self._target

    # --- taking and finding ------------------------------------------------------------------

    def take(
        self,
        reason: str = "manual",
        *,
        kind: Kind = Kind.MANUAL,
        session_id: str | None = None,
        turn: int | None = None,
        message_count: int | None = None,
        label: str | None = None,
        owner: int | None = None,
        move_label: bool = False,
        about: Paths | None = None,
        alone: bool = False,
        title: str | None = None,
        once_a_turn: bool = False,
    ) -> TakeOutcome:
        """Take a checkpoint.

        ``label`` is a name by which it is found; where nothing has changed, the checkpoint that is
        the state gets it. One that another checkpoint has is refused, unless with ``move_label`` it
        leaves that one. ``session_id``, ``turn`` and ``message_count``
        are those of the agent's conversation. One of kind ``auto`` begins a turn of the agent's
        session, whose process is ``owner`` and whose title is ``title``, as for ``begin_turn``.
        With ``once_a_turn`` nothing is taken where such a turn is open already, also by another
        process just now: then the last checkpoint is returned as it is.

        ``about`` are the paths that are about to be written. Where the directory as a whole is
        refused (a home, a shared folder, more than ``max_files``), a *partial* checkpoint is taken
        of these files alone, which also says of them which were missing; ``refused`` of the outcome
        says why it has nothing else. ``alone`` leaves out the look at the whole directory: for one
        that was just refused. A directory is no such path, and is passed over.

        >>> small = Checkpoints.open(config=Config(max_files=1))
        >>> _ = Path("a.txt").write_text("a"), Path("b.txt").write_text("b")
        >>> outcome = small.project(".").take("before an edit", about="a.txt")
        >>> outcome.checkpoint.partial, outcome.checkpoint.reason, outcome.refused.code
        (True, 'before an edit (only a.txt)', 'too-many-files')
        >>> small.close()

        Returns ``Taken``; ``Unchanged`` when the directory is as the last checkpoint has it, and
        that is no safety checkpoint, or by ``once_a_turn``; ``Skipped`` when a guard refuses it;
        ``Failed`` with the error, which the journal has, too: ``BadRequest`` for a wrong argument,
        ``LabelInUse`` for a label of another checkpoint. Raises nothing of its own.
        """
        load_takes(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.capture import take as taking
        from hermes_checkpoints.capture.request import TakeRequest

        try:
            named = several(about) or []
            if flag(alone, "alone") and not named:
                raise BadRequest("name in `about` what is to be captured alone")
            request = TakeRequest(
                self._target.name,
                text(reason, "the reason of a checkpoint"),
                _kind(kind),
                session_or_none(session_id),
                number_or_none(turn, "a turn"),
                number_or_none(message_count, "the number of messages"),
                None if label is None else clean_label(label),
                process(owner),
                flag(move_label, "move_label"),
                tuple(dict.fromkeys(clean_path(path) for path in named)),
                alone,
                title_or_none(title),
                flag(once_a_turn, "once_a_turn"),
            )
        except (BadRequest, PathRefused) as error:
            return taking.refuse(self._base, self._target.name, error)
        return taking.take(self._base, request)

    def record_failure(self, error: Exception) -> None:
        """Record in the journal that a take failed for a reason that no take has written there: one
        that this package did not foresee, or of what was to come before it."""
        load_takes(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.capture import take as taking

        taking.record_failure(self._base, self._target.name, error)

    def list(
        self,
        *,
        limit: int | None = None,
        session_id: str | None = None,
        safety: bool = False,
    ) -> builtins.list[Checkpoint]:
        """Return the checkpoints, newest first, by one query; none where none was taken yet.

        The first is number 1, the second number 2. ``limit`` bounds how many are listed;
        ``session_id`` asks for those of one session, and ``safety`` for safety checkpoints as
        well, which have no number.

        Raises:
            BadRequest: when ``limit`` is no whole number from 0 on.
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.checkpoints.list(
            self._target.hash,
            limit=number_or_none(limit, "the limit of a list"),
            session_id=session_or_none(session_id),
            safety=flag(safety, "safety"),
        )

    def timeline(
        self, *, limit: int | None = None, touching: str | None = None
    ) -> builtins.list[TimelineEntry]:
        """Return the checkpoints in the order in which they were taken, newest first, safety
        checkpoints among them, each with what followed it and who did that; by a few queries.

        ``limit`` bounds how many there are. With ``touching``, only the newest is returned and
        those after which a path changed that has this text in it; capital letters of ASCII are as
        small ones.

        >>> taken = project.take("before the edit")
        >>> [(entry.number, entry.checkpoint.reason) for entry in project.timeline(limit=5)]
        [(1, 'before the edit')]

        Raises:
            BadRequest: when ``limit`` is no whole number from 0 on.
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.admin.timeline import timeline

        most = number_or_none(limit, "the limit of a list")
        part = text_or_none(touching, "a part of a path")
        return timeline(self._base, self._target, limit=most, touching=part)

    def lost(self) -> builtins.list[Checkpoint]:
        """Return the checkpoints of which the store was found to lack part, newest first; their
        ``prune_reason`` says what. They can be restored again once the store has it back.

        >>> project.lost()
        []
        """
        return self._base.catalog.agreement.lost(self._target.hash)

    def safety_checkpoints(self) -> builtins.list[SafetyCheckpoint]:
        """Return the safety checkpoints, newest first, by one query: each with the restore that it
        was taken before.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.restores.safety_of(self._target.hash)

    def whose(self, *, since: Checkpoint | None = None) -> dict[str, Whose]:
        """Return, by the id of each live checkpoint, whose changes followed it, and how many files
        restoring it would take back from an agent, as of the last look at the directory.

        With ``since``, only for this checkpoint and those that were taken after it, which is
        quicker. No more than the newest 20,000 changes on record are looked at; checkpoints before
        these are not among the answers.

        Raises:
            BadRequest: when ``since`` is no ``Checkpoint``.
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.admin.timeline import whose_by_row
        from hermes_checkpoints.model import Checkpoint

        first = instance(since, Checkpoint, "since")
        row = 0 if first is None else first._row
        ids = self._base.catalog.checkpoints.live_rows(self._target.hash)
        found = whose_by_row(self._base, self._target, [one for one in ids if one >= row])
        return {ids[one]: its for one, its in found.items()}

    def get(self, ref: Reference = LATEST, *, lost: bool = False) -> Checkpoint:
        """Return the checkpoint that a reference means, as it is now. With ``lost``, an id or a
        label may also mean one that is lost as a whole, which can be pinned, labelled and dropped.

        Raises:
            BadRequest: when it is neither text nor a ``Checkpoint``, or of no known form.
            CheckpointUnknown, CheckpointAmbiguous, CheckpointForeign, CheckpointPruned,
                CheckpointLost.
            ProjectUnknown: when no checkpoint was taken of this directory.
        """
        return find_checkpoint(self._base, ref, self._target, lost=flag(lost, "lost"))

    def is_same(self, ref: Reference) -> bool:
        """Tell whether a checkpoint is of this project, also where it was fetched from a remote:
        then it is, if it was taken in the same place of the same repository or, where there is
        none, at the same path.

        >>> project.is_same(project.take().checkpoint)
        True

        Raises:
            CheckpointUnknown: when it was fetched, and is not here any more.
            CheckpointError: for text, as ``get``.
        """
        from hermes_checkpoints.model import Checkpoint

        if not isinstance(ref, Checkpoint):
            return self.get(ref).project_hash == self._target.hash
        if not ref.is_fetched:
            return ref.project_hash == self._target.hash
        from hermes_checkpoints.base.fetched import key_of_fetched
        from hermes_checkpoints.remote.pull import key_of

        key = key_of(self._base, self._target)
        return key.means(key_of_fetched(self._base, ref))

    def changes(self, ref: Reference = LATEST) -> builtins.list[Change]:
        """Return what a checkpoint changed against the one before it, by path.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._base.catalog.checkpoints.changes(self.get(ref)._row)

    def skipped(self, ref: Reference = LATEST) -> builtins.list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, with the reasons.

        Raises:
            CheckpointError: as for ``get``.
        """
        checkpoint = self._readable(ref)
        if checkpoint.is_fetched:
            from hermes_checkpoints.base.fetched import stored

            return [*stored(self._base, checkpoint.id).facts.skipped]
        return self._base.catalog.checkpoints.skipped(checkpoint._row)

    def left_out(
        self, ref: Reference = LATEST, paths: Paths | None = None
    ) -> dict[SkipReason, int]:
        """Return how many paths a checkpoint does not hold, by reason; those that rules ignore
        count as ``SkipReason.IGNORED``, a directory as one. ``paths`` limits it to what lies at or
        below them and was left out in spite of the rules.

        >>> taken = project.take()
        >>> project.left_out()
        {}

        Raises:
            CheckpointError: as for ``get``.
        """
        checkpoint = self._readable(ref)
        skipped = self.skipped(checkpoint) if checkpoint.skipped_count else []
        chosen = several(paths)
        if chosen is not None:
            wanted = frozenset(map(clean_path, chosen))
            skipped = [one for one in skipped if within(one.path, wanted)]
        counts = Counter(one.reason for one in skipped)
        if chosen is None and checkpoint.ignored_count:
            counts[SkipReason.IGNORED] += checkpoint.ignored_count
        return dict(counts)

    def failing(self) -> FailureRun | None:
        """Return the takes that failed, or that a guard refused, since the last that worked; None
        where the last one worked.

        >>> project.failing() is None
        True
        """
        from hermes_checkpoints.admin.status import failing

        return next(iter(failing(self._base, self._target.name)), None)

    def was_refused(self, *, since: datetime) -> bool:
        """Tell whether a guard has refused to capture the directory as a whole since a moment, and
        no take has worked after that: then another try would only look at all of it again.

        >>> from datetime import UTC, datetime
        >>> project.was_refused(since=datetime(2026, 11, 1, tzinfo=UTC))
        False
        """
        found = instance(since, datetime, "since")
        if found is None or found.tzinfo is None:
            raise BadRequest("give the moment as a datetime with its zone")
        return self._base.catalog.operations.refused_since(self._target.name, found)

    def lost_paths(self, ref: Reference = LATEST) -> builtins.list[str]:
        """Return the paths of a partly lost checkpoint whose contents the store lacks, as it is
        now; none of one that is whole. A restore brings the others.

        >>> _ = project.take()
        >>> project.lost_paths()
        []

        Raises:
            GitFailed: when git cannot tell.
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.object_store.wholeness import all_lost_paths

        checkpoint = self._readable(ref)
        trees = [checkpoint.tree_id] if checkpoint.partly_lost else []
        return sorted(all_lost_paths(self._base.store.git, trees))

    def missing(self, ref: Reference = LATEST) -> builtins.list[str]:
        """Return the paths of which a partial checkpoint says that they were missing when it was
        taken, with the directories that were missing above them; none for a whole one.

        >>> small = Checkpoints.open(config=Config(max_files=1))
        >>> _ = Path("a.txt").write_text("a"), Path("b.txt").write_text("b")
        >>> taken = small.project(".").take("before an edit", about="docs/new.txt")
        >>> small.project(".").missing()
        ['docs', 'docs/new.txt']
        >>> small.close()

        Raises:
            StoreDamaged: when the store cannot give it.
            CheckpointError: as for ``get``.
        """
        checkpoint = self._readable(ref)
        with still_kept(self._base, checkpoint):
            return [*self._base.store.meta(checkpoint.id).absent] if checkpoint.partial else []

    def former_ids(self, ref: Reference = LATEST) -> builtins.list[str]:
        """Return the ids that a checkpoint had before it was imported, oldest layout first.

        Raises:
            CheckpointError: as for ``get``.
        """
        row = self.get(ref)._row
        return self._base.catalog.archives.former_ids([row]).get(row, [])

    def related(self) -> builtins.list[Project]:
        """Return the projects above and below this directory that have checkpoints, the nearest
        first."""
        found = self._base.catalog.projects.related(self._target.name)
        return [Project._of(self._base, one) for one in found]

    def coverage(self) -> Coverage:
        """Return what the next checkpoint would hold and leave out and why, without taking one.

        Raises:
            BadDirectory, GitFailed, LockHeld.
        """
        from hermes_checkpoints.capture import compare

        return compare.coverage(self._base, self._target)

    # --- comparing -----------------------------------------------------------------------------

    def diff(
        self,
        ref: Reference = LATEST,
        other: Reference | None = None,
        *,
        paths: Paths | None = None,
        binary: bool = False,
    ) -> Diff:
        """Compare a checkpoint with the working directory, or with ``other``, a later or an
        earlier checkpoint. Nothing is changed. ``paths`` limits it to these and what lies below
        them; an empty list of paths has no changes. With ``binary`` the text is a patch for
        ``git apply``, which has contents that are no text, too.

        Raises:
            PathUnknown: when neither side has one of ``paths``.
            CheckpointError: as for ``get``, and BadDirectory, PathRefused, GitFailed.
        """
        from hermes_checkpoints.capture import compare

        checkpoint, chosen = self._readable(ref), several(paths)
        if other is None:
            with still_kept(self._base, checkpoint):
                return compare.diff_with_present(
                    self._base, checkpoint, self._target, chosen, binary=flag(binary, "binary")
                )
        against = self._readable(other)
        with still_kept(self._base, checkpoint, against):
            return compare.diff_between(
                self._base, checkpoint, against, chosen, binary=flag(binary, "binary")
            )

    def head_diff(self, ref: Reference | None = None, *, paths: Paths | None = None) -> HeadDiff:
        """Compare HEAD of the repository that the directory belongs to with a checkpoint, or with
        the working directory where none is named; only the part of HEAD that the directory is.
        Nothing is changed, and the repository is only read.

        Raises:
            BadDirectory: when the directory belongs to no repository, or to one whose HEAD cannot
                be read here: without a commit, with reftables, or of SHA-256.
            PathUnknown: when neither side has one of ``paths``.
            CheckpointError: as for ``get``, and PathRefused, GitFailed.
        """
        from hermes_checkpoints.capture.compare_head import diff_with_head

        chosen = several(paths)
        if ref is None:
            return diff_with_head(self._base, self._target, None, chosen)
        checkpoint = self._readable(ref)
        with still_kept(self._base, checkpoint):
            return diff_with_head(self._base, self._target, checkpoint, chosen)

    def agent_diff(
        self,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        paths: Paths | None = None,
    ) -> AgentDiff:
        """Compare what an agent changed, in a session, in one turn of it, or in the newest turn of
        a number where no session is named: each path from before the agent changed it first to
        what the agent left there last. What others did in between is left out and named. Where a
        turn of it is open, the directory is looked at; nothing is changed or recorded.

        >>> taken = project.take(kind="auto", session_id="session-1", turn=3)
        >>> _ = Path("notes.txt").write_text("by the agent")
        >>> ended = project.end_turn(session_id="session-1")
        >>> _ = Path("more.txt").write_text("by a person")
        >>> diff = project.agent_diff(turn=3)
        >>> diff.session_id, [change.path for change in diff.changes]
        ('session-1', ['notes.txt'])

        Raises:
            BadRequest: when neither a session nor a turn is named.
            SessionUnknown: when no agent of the session was at work here, or in that turn.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: PathRefused, GitFailed, LockHeld.
        """
        from hermes_checkpoints.capture.compare_work import work_of

        session = session_or_none(session_id)
        number = number_or_none(turn, "a turn")
        return work_of(self._base, self._target, session, number, several(paths))

    def holds(self, ref: Reference, path: PathLike) -> bool:
        """Tell whether a checkpoint holds a path: a file, a link or a directory.

        Raises:
            PathRefused.
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.capture import compare

        checkpoint = self._readable(ref)
        with still_kept(self._base, checkpoint):
            return compare.holds(self._base, checkpoint, one_path(path))

    def names(self, ref: Reference = LATEST, folder: PathLike = "") -> builtins.list[str]:
        """Return the names of what a checkpoint holds directly in a folder, in the order of text;
        those of directories end in ``/``. There are none where it holds no such folder.

        >>> taken = project.take()
        >>> project.names("latest")
        ['notes.txt']

        Raises:
            PathRefused.
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.capture import compare

        checkpoint = self._readable(ref)
        with still_kept(self._base, checkpoint):
            return compare.names(self._base, checkpoint, one_path(folder))

    def read_file(self, ref: Reference, path: PathLike) -> bytes:
        """Return the contents of one file of a checkpoint (the target, for a link).

        Raises:
            PathRefused.
            PathUnknown: naming the last checkpoint that has such a file.
            StoreDamaged, GitFailed: when the store cannot give it.
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.capture import compare

        checkpoint = self._readable(ref)
        with self._naming_the_last_holder(below=False), still_kept(self._base, checkpoint):
            return compare.read_file(self._base, checkpoint, one_path(path))

    def write_tar(self, ref: Reference, target: IO[bytes]) -> Archived:
        """Write what a checkpoint holds to a stream of bytes, as a tar archive, and return what is
        in it and what is not. The same checkpoint makes the same bytes.

        >>> taken = project.take()
        >>> with open("../work.tar", "wb") as file:
        ...     project.write_tar("latest", file).files
        1

        Raises:
            StoreDamaged, GitFailed: when the store cannot give it.
            OSError: when ``target`` takes nothing more.
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.history.tarball import write_tar

        checkpoint = self._readable(ref)
        with still_kept(self._base, checkpoint):
            return write_tar(self._base, checkpoint, target)

    def plan_export_branch(self, ref: Reference, name: str) -> ExportedBranch:
        """Return what ``export_branch`` would commit, and what it would withhold. Nothing is
        written; ``commit`` is None.

        Raises:
            CheckpointError: as ``export_branch``.
        """
        return self._branch(ref, name, plan=True)

    def export_branch(self, ref: Reference, name: str) -> ExportedBranch:
        """Make a commit of a checkpoint on the new branch ``name`` of the git repository that the
        project lies in, with HEAD as its parent. HEAD, index, working directory and stash stay as
        they are, and no hook or filter runs.

        What the checkpoint does not know of, and what git makes by a filter, is as in HEAD; what
        HEAD lacks and git ignores, or is named as secrets are, is left out. ``withheld`` tells all
        of it.

        >>> for words in ("init -qb main", "add .", "-c user.name=a -c user.email=a commit -qm 1"):
        ...     _ = os.system(f"git {words}")
        >>> _ = Path("notes.txt").write_text("by the agent")
        >>> taken = project.take()
        >>> made = project.export_branch("latest", "rescued")
        >>> made.parent.branch, [change.path for change in made.changes]
        ('main', ['notes.txt'])

        Raises:
            BadRequest: when the name is none of a branch.
            BranchRefused: when the project lies in no repository, the repository has such a branch,
                or it is one in which none can be made; the message says what to do.
            StoreDamaged, GitFailed: when store or repository cannot be read.
            CheckpointError: as for ``get``.
        """
        return self._branch(ref, name, plan=False)

    def find_paths(
        self,
        pattern: str | None = None,
        *,
        deleted: bool = False,
        content: str | None = None,
        limit: int | None = None,
    ) -> FoundPaths:
        """Return the paths that checkpoints hold, each with the newest checkpoint that does, what
        lies there now, and who changed it last. They are in the order in which they were held last.

        ``pattern`` is a glob: without ``/`` it is matched with the last name of a path, else with
        the whole path, where ``**`` stands for any number of directories; one that ends in ``/``,
        or has no ``*``, ``?`` or ``[``, also means all that lies below a directory. With
        ``deleted``, only what is no longer in the working directory is returned, and with
        ``content``, a regular expression, what has a content that matches it somewhere: the newest
        such content of each path. ``limit`` bounds how many are returned.

        >>> taken = project.take()
        >>> Path("notes.txt").unlink()
        >>> [(one.path, one.number) for one in project.find_paths("*.txt", deleted=True).found]
        [('notes.txt', 1)]
        >>> project.find_paths(content="nowhere").total
        0

        Raises:
            BadRequest: when the pattern or the expression cannot be read.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: when catalog or store cannot be read.
        """
        from hermes_checkpoints.admin import find as finding

        query = finding.query(pattern, deleted=deleted, content=content, limit=limit)
        return finding.find(self._base, self._target, query)

    def history(self, path: PathLike) -> PathHistory:
        """Return which checkpoints changed a path, or something below it, newest first, and the
        newest content of it that is lost from the working directory. A path that no checkpoint
        holds has no steps.

        Raises:
            PathRefused.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: when catalog or store cannot be read.
        """
        from hermes_checkpoints.admin import find as finding

        return finding.history(self._base, self._target, clean_path(one_path(path)))

    # --- restoring -------------------------------------------------------------------------------

    def plan_restore(
        self,
        ref: Reference,
        paths: Paths | None = None,
        *,
        mode: Mode | str | None = None,
        session_id: str | None = None,
        into: PathLike | None = None,
        nested: bool = False,
        merge: bool = False,
        to_choose: bool = False,
    ) -> RestorePlan:
        """Return, for every path that differs, what ``restore`` would do and why. ``paths``
        limits it to these and what lies below them; an empty list of paths plans nothing.
        ``mode`` is keep-edits by default, and overlay for named paths: who names a path means it.
        With ``merge``, the mode is keep-edits, and of files that an agent and somebody else have
        changed the agent's changes are taken back: they have ``contents`` in the plan, or
        ``conflicts``, which stay unless ``RestorePlan.writing`` takes them up. A plan ``to_choose``
        has a step for every path, whoever changed it, with that as its reason;
        ``RestorePlan.only`` and ``writing`` take from it what is wanted, and ``parts_of`` finds the
        parts of a file.

        >>> taken = project.take()
        >>> _ = Path("notes.txt").write_text("oops")
        >>> _ = Path("more.txt").write_text("made since")
        >>> plan = project.plan_restore("latest", to_choose=True).only(["notes.txt"])
        >>> [step.path for step in project.restore("latest", plan=plan).done]
        ['notes.txt']

        Raises:
            BadRequest: when both are asked for, or with another mode, ``session_id`` or ``into``.
            CheckpointError: as for ``restore``.
        """
        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import run as restoring

        merges, chooses = flag(merge, "merge"), flag(to_choose, "to_choose")
        if merges or chooses:
            mode = _by_hand(merges and chooses, mode, session_id, into)
        target, request = self._request(ref, paths, mode, session_id, into, nested)
        request = replace(request, merge=merges, to_choose=chooses)
        with self._naming_the_last_holder(below=True):
            return restoring.plan_restore(self._base, target, request)

    def restore(
        self,
        ref: Reference,
        paths: Paths | None = None,
        *,
        mode: Mode | str | None = None,
        session_id: str | None = None,
        into: PathLike | None = None,
        nested: bool = False,
        merge: bool = False,
        plan: RestorePlan | None = None,
        moment: Moment | None = None,
    ) -> Restored:
        """Bring the working directory, or some paths of it, back to a checkpoint.

        A safety checkpoint of the present state comes first; without it nothing is restored.
        The result lists what was done, kept and failed. ``mode`` is keep-edits by default, and
        overlay for named paths, unless a session is named: who names a path means it.
        ``session_id`` keeps what agents of other sessions changed, as long as their processes run.
        Projects inside this one are left alone unless they are named, or with ``nested``; mode
        exact takes them in. ``into`` writes a checkpoint of this project to another directory.
        With ``merge``, the agent's changes are taken out of files that somebody else has changed,
        too, as by ``plan_restore``; what conflicts stays. With ``plan``, that plan is executed,
        with its paths, mode and session. ``moment`` is where the agent's conversation stands now;
        the safety checkpoint records it.

        Raises:
            TreeChanged: when the directory changed since the plan was made.
            PathUnknown: naming the last checkpoint that holds such a path.
            DirectoryReplaced: when another directory lies in the place of the one that was
                captured, and edits are to be kept there; a plan that says so is executed.
            BadRequest: also for a plan of ``undo`` or ``redo``, and for paths, a mode or a
                session that are not those of the plan.
            CheckpointForeign: when checkpoint or plan are of another project.
            CheckpointError: nothing was changed then.
        """
        from hermes_checkpoints.model import RestorePlan

        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import run as restoring

        made, merges = instance(plan, RestorePlan, "plan"), flag(merge, "merge")
        if made is None:
            if merges:
                mode = _by_hand(False, mode, session_id, into)
            target, request = self._request(ref, paths, mode, session_id, into, nested)
            request = replace(request, merge=merges)
            with self._naming_the_last_holder(below=True):
                return restoring.restore(self._base, target, _at(request, moment))
        if merges:
            raise BadRequest("a plan says whether it merges; give `merge` to `plan_restore`")
        return self._carry_out(made, ref, paths, mode, session_id, into, moment)

    def parts_of(self, plan: RestorePlan, path: PathLike) -> FileParts | None:
        """Return the parts in which a file differs from what the step of a plan would make of it;
        None where it has none to choose from and goes as a whole: what is no text, is a link, has
        more than 16 MB, or is missing now or in the checkpoint; or differs in permissions alone.

        >>> taken = project.take()
        >>> _ = Path("notes.txt").write_text("oops")
        >>> plan = project.plan_restore("latest", to_choose=True)
        >>> found = project.parts_of(plan, "notes.txt")
        >>> chosen = plan.writing("notes.txt", found.taking(found.parts), "all parts of it")
        >>> restored = project.restore("latest", plan=chosen.only(["notes.txt"]))
        >>> Path("notes.txt").read_text()
        'as it was'

        Raises:
            BadRequest: when the plan has no such path.
            TreeChanged: when the file is no longer as the plan saw it.
            CheckpointError: when the store cannot give what the checkpoint has.
        """
        from hermes_checkpoints.model import RestorePlan
        from hermes_checkpoints.restore import parts

        made, name = instance(plan, RestorePlan, "plan"), clean_path(one_path(path))
        step = None if made is None else made.step_of(name)
        if made is None or step is None:
            raise BadRequest(f"the plan has no path {name!r}")
        target = Target.of(made.working_dir)
        return parts.parts_of(self._base, target, step, made.without_agent.get(name))

    def wider_mode(
        self, ref: Reference, paths: Paths, *, than: Mode | str = "keep-edits"
    ) -> Mode | None:
        """Return the least mode wider than ``than`` that would restore or delete one of ``paths``,
        which a restore kept: the way out where it kept all that differs. None where no mode would.

        >>> taken = project.take(kind="auto")
        >>> ended = project.end_turn()
        >>> _ = Path("notes.txt").write_text("by a person")
        >>> plan = project.plan_restore("latest")
        >>> plan.keeps_all, project.wider_mode("latest", "notes.txt").value
        (True, 'overlay')

        Raises:
            CheckpointError: as for ``restore``.
        """
        from hermes_checkpoints.model import Action, Mode

        kept, modes = set(several(paths) or ()), list(Mode)
        for mode in modes[modes.index(_mode(than)) + 1 :]:
            steps = self.plan_restore(ref, mode=mode).steps
            if any(step.path in kept and step.action is not Action.KEEP for step in steps):
                return mode
        return None

    def plan_undo(self, *, exact: bool = False) -> RestorePlan:
        """Return what ``undo`` would do.

        Raises:
            CheckpointError: as for ``undo``.
        """
        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import undo as undoing

        return undoing.plan(self._base, self._target, self._undo(exact))

    def undo(
        self,
        *,
        exact: bool = False,
        plan: RestorePlan | None = None,
        moment: Moment | None = None,
    ) -> Restored:
        """Take the last restore back: also one that was killed or failed in part. Call it again
        for the one before. What is no longer as the restore left it is kept; ``exact`` brings the
        whole former state back. With ``plan``, that of ``plan_undo``, that plan is executed.
        ``moment`` is as for ``restore``.

        >>> taken = project.take()
        >>> Path("notes.txt").unlink()
        >>> restored = project.restore("latest", mode="overlay")
        >>> _ = Path("more.txt").write_text("worked on")
        >>> undone = project.undo()
        >>> Path("notes.txt").exists(), Path("more.txt").exists()
        (False, True)

        Raises:
            NothingToUndo: when no restore is left.
            TreeChanged: when the directory changed since the plan was made, or another undo
                came first.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        from hermes_checkpoints.model import RestorePlan

        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import undo as undoing

        found = instance(plan, RestorePlan, "plan")
        return undoing.execute(self._base, self._target, _at(self._undo(exact), moment), found)

    def plan_redo(self, *, exact: bool = False) -> RestorePlan:
        """Return what ``redo`` would do.

        Raises:
            CheckpointError: as for ``redo``.
        """
        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import undo as undoing

        return undoing.plan(self._base, self._target, self._redo(exact))

    def redo(
        self,
        *,
        exact: bool = False,
        plan: RestorePlan | None = None,
        moment: Moment | None = None,
    ) -> Restored:
        """Take the last undo back, as ``undo`` takes a restore back. With ``plan``, that of
        ``plan_redo``, that plan is executed. ``moment`` is as for ``restore``.

        Raises:
            NothingToUndo: when no undo is left, or a restore came after it.
            TreeChanged: as for ``undo``.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        from hermes_checkpoints.model import RestorePlan

        load_restores(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.restore import undo as undoing

        found = instance(plan, RestorePlan, "plan")
        return undoing.execute(self._base, self._target, _at(self._redo(exact), moment), found)

    # --- who changed what -------------------------------------------------------------------------

    def who(self, path: PathLike) -> builtins.list[PathEvent]:
        """Return who changed a path and when, newest first.

        Raises:
            ProjectUnknown, PathRefused, PathUnknown.
        """
        from hermes_checkpoints.attribution import turns

        return turns.who(self._base, self._target, one_path(path))

    def who_between(
        self, ref: Reference = LATEST, other: Reference | None = None
    ) -> builtins.list[PathEvent]:
        """Return who changed which path after a checkpoint, newest first, and before ``other``, a
        later one, if it is given; as far as a look has seen it.

        >>> first = project.take().checkpoint
        >>> _ = Path("notes.txt").write_text("as it is now")
        >>> second = project.take().checkpoint
        >>> [(event.path, event.actor.value) for event in project.who_between(first, second)]
        [('notes.txt', 'since')]

        Raises:
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.admin.timeline import who_between

        until = None if other is None else self.get(other)
        return who_between(self._base, self._target, self.get(ref), until)

    def begin_turn(
        self,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        owner: int | None = None,
        tools_told: bool = False,
        title: str | None = None,
    ) -> bool:
        """Record that an agent begins to work: what changes from now on, until ``end_turn``, is its
        session's. A turn of that session that is open ends here. Returns False where no checkpoint
        exists yet: the first ``take`` of kind ``auto`` begins one, too.

        ``owner`` is the number of the agent's process, by default this one; a hook, which is a
        process of its own, names its parent. Once that process is gone, only what tools reported
        is the agent's. ``tools_told`` says that ``begin_tool`` and ``end_tool`` will tell of every
        tool that may change files: what changes while none runs is then a person's. ``title`` says
        what the agent was asked for: of it the first line is kept, without secrets and cut to 120
        characters.

        >>> taken = project.take()
        >>> title = "Fix the notes"
        >>> project.begin_turn(session_id="session-1", owner=os.getppid(), title=title)
        True
        >>> project.get().turn_title
        'Fix the notes'
        >>> _ = Path("notes.txt").write_text("by the agent")
        >>> project.end_turn(session_id="session-1")
        True
        >>> project.who("notes.txt")[0].session_id
        'session-1'

        Raises:
            BadRequest: also when no process of that number runs.
            CheckpointError: when the directory cannot be looked at; nothing is recorded.
        """
        load_takes(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.attribution import turns

        work = turns.Work(
            session_or_none(session_id),
            number_or_none(turn, "a turn"),
            process(owner),
            title_or_none(title),
        )
        told = flag(tools_told, "tools_told")
        return turns.begin_turn(self._base, self._target, work, tools_told=told)

    def has_turn(self, *, session_id: str | None = None) -> bool:
        """Tell whether a turn of an agent's session is open here, by whatever process it was
        begun. One whose owner is gone is not.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.attribution import tools

        session = session_or_none(session_id)
        return tools.has_turn(self._base, self._target, session)

    def begin_tool(
        self,
        *,
        session_id: str | None = None,
        run: str | None = None,
        tool: str | None = None,
        every_tool: bool = True,
        record: PathLike | None = None,
    ) -> bool:
        """Record that a tool of the open turn of a session begins to run; False if none is open.

        From here on only what changes while a tool runs is that turn's, so tell of every tool that
        may change files. Where the host cannot tell of ``every_tool``, all that changes in the turn
        stays its, and the tools only say until when it lasted at least, if it is ``interrupted``.
        ``run`` names this run, for ``end_tool``; ``tool`` is the tool's name. ``record`` is the
        file in which the agent writes the conversation: where no ``end_tool`` comes, since a person
        has interrupted the agent, the end of the run is read there, in the form of Claude Code.

        >>> taken = project.take(kind="auto", session_id="session-1")
        >>> project.begin_tool(session_id="session-1", run="call-1", tool="terminal")
        True
        >>> _ = Path("notes.txt").write_text("by the agent")
        >>> project.end_tool(session_id="session-1", run="call-1")
        True
        >>> project.end_turn(session_id="session-1"), project.who("notes.txt")[0].actor.value
        (True, 'agent')

        Raises:
            ProjectUnknown: when no checkpoint was taken of this directory.
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.attribution import tools

        return tools.begin_tool(
            self._base,
            self._target,
            session_or_none(session_id),
            text_or_none(run, "the id of a tool's run"),
            text_or_none(tool, "the name of a tool"),
            every_tool=flag(every_tool, "every_tool"),
            record=None if record is None else str(directory(record)),
        )

    def end_tool(self, *, session_id: str | None = None, run: str | None = None) -> bool:
        """Record that a tool has ended: that of ``run``, else the one that began last. False if
        none runs.

        Raises:
            ProjectUnknown: when no checkpoint was taken of this directory.
            CatalogBusy, CatalogDamaged.
        """
        from hermes_checkpoints.attribution import tools

        return tools.end_tool(
            self._base,
            self._target,
            session_or_none(session_id),
            text_or_none(run, "the id of a tool's run"),
        )

    def end_turn(self, *, session_id: str | None = None, interrupted: bool = False) -> bool:
        """Record that the agent's turn is over; what changes from now on is a person's. Returns
        False if no turn of this session is open. Any process may do that.

        ``interrupted`` says that the turn was over before, at a time that nobody told: then it
        ended with its last tool, as ``begin_tool`` and ``end_tool`` told of it. What changed after
        that is a person's; of a tool whose end was not told it is unknown.

        Where the store is over its size cap by now, a prune is started in the background. So is a
        push where the configuration of the home says that each turn is sent.

        Raises:
            CheckpointError: when the directory cannot be looked at; the turn stays open.
        """
        load_takes(directly=self._base.catalog.asks_directly)
        from hermes_checkpoints.attribution import turns
        from hermes_checkpoints.retention.background import start_if_due

        session = session_or_none(session_id)
        cut = flag(interrupted, "interrupted")
        ended = turns.end_turn(self._base, self._target, session, interrupted=cut)
        if ended:
            start_if_due(self._base)
            if sends_by_itself(self._base.layout.config):
                load_sending()
                from hermes_checkpoints.remote.background import start_after_turn

                start_after_turn(self._base.layout, self._target.hash)
        return ended

    def record_agent_write(
        self,
        path: PathLike,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        tool: str | None = None,
    ) -> None:
        """Record that a tool of the agent has just written ``path``.

        Raises:
            ProjectUnknown, PathRefused, CheckpointError.
        """
        from hermes_checkpoints.attribution import tools

        tools.record_write(
            self._base,
            self._target,
            one_path(path),
            session_id=session_or_none(session_id),
            turn=number_or_none(turn, "a turn"),
            tool=text_or_none(tool, "the name of a tool"),
        )

    # --- keeping and dropping -------------------------------------------------------------------

    def pin(self, ref: Reference) -> Checkpoint:
        """Pin a checkpoint, so that no rule prunes it; return it as it then is.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._pinned(ref, pinned=True)

    def unpin(self, ref: Reference) -> Checkpoint:
        """Take the pin from a checkpoint; return it as it then is.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._pinned(ref, pinned=False)

    def label(self, ref: Reference, name: str, *, move: bool = False) -> Checkpoint:
        """Give a checkpoint one more name by which it is found and which keeps it from being
        pruned; return the checkpoint as it then is. A name that another one has leaves that one
        only with ``move``.

        Raises:
            BadRequest: when the name has a form that could not be looked up.
            LabelInUse: when another one has it, and it is not to be moved.
            CheckpointError: as for ``get``.
        """
        label = clean_label(name)
        found = self.get(ref, lost=True)
        name_checkpoint(self._base, found, label, move=flag(move, "move"))
        return self.get(found.id, lost=True)

    def unlabel(self, ref: Reference, name: str | None = None) -> Checkpoint:
        """Take a name from a checkpoint, the one that it has where none is given; return it as it
        then is.

        Raises:
            BadRequest: when it has several names and none is given, or does not have this one.
            CheckpointError: as for ``get``.
        """
        found = self.get(ref, lost=True)
        if name is None and len(found.labels) > 1:
            raise BadRequest(
                f"checkpoint {found.short_id} has the labels {', '.join(found.labels)}; name the "
                "one to remove"
            )
        going = found.labels[:1] if name is None else (clean_label(name),)
        for label in going:
            if label not in found.labels:
                raise BadRequest(f"checkpoint {found.short_id} does not have the label {label!r}")
            self._base.catalog.labels.take_away(found._row, label)
        return self.get(found.id, lost=True)

    def plan_drop(
        self, refs: Reference | Iterable[Reference], *, include_pinned: bool = False
    ) -> PrunePlan:
        """Return the plan that drops just these checkpoints.

        Pinned and labelled ones are kept unless ``include_pinned``; what an unfinished restore
        needs always is. The plan's ``refused`` are those that are kept.

        Raises:
            CheckpointError: as for ``get``.
        """
        from hermes_checkpoints.model import Policy
        from hermes_checkpoints.retention import plan as planning

        require_project(self._base, self._target)
        ids = [self.get(ref, lost=True).id for ref in references(refs)]
        policy = Policy(include_pinned=flag(include_pinned, "include_pinned"))
        return planning.plan_drop(self._base, self._target.hash, ids, policy)

    def drop(
        self,
        refs: Reference | Iterable[Reference],
        *,
        include_pinned: bool = False,
        plan: PrunePlan | None = None,
        options: PruneOptions | None = None,
    ) -> PruneResult:
        """Delete single checkpoints, and reclaim the space. With ``plan``, that of ``plan_drop``
        for the same checkpoints, that plan is executed.

        Raises:
            CheckpointForeign: when the plan drops what is not named here.
            LockHeld: when a prune runs, or takes go on for too long.
            CheckpointError: as for ``get``, or when catalog or refs cannot be written.
        """
        from hermes_checkpoints.admin.rebuild import adopt
        from hermes_checkpoints.model import PrunePlan
        from hermes_checkpoints.retention import run as pruning
        from hermes_checkpoints.retention.plan import PruneOptions

        flag(include_pinned, "include_pinned")
        instance(options, PruneOptions, "options")
        made = instance(plan, PrunePlan, "plan")
        if made is None:
            made = self.plan_drop(refs, include_pinned=include_pinned)
        else:
            self._require_named(made, references(refs))
        return pruning.execute(self._base, made, options, adopt=adopt)

    def plan_forget(self, path: PathLike, *, all_projects: bool = False) -> ForgetPlan:
        """Return what a forget of a path would do: which contents it ever had, and where
        checkpoints hold them, under other names and in other projects, too. Nothing is changed.

        Raises:
            BadRequest: when it is no path inside the project.
            PathUnknown: when no checkpoint is known to have held it.
            CheckpointError: ProjectUnknown, or when a checkpoint cannot be read.
        """
        from hermes_checkpoints.retention import forget as forgetting

        require_project(self._base, self._target)
        every = flag(all_projects, "all_projects")
        found = forgetting.plan(self._base, self._target, one_path(path), all_projects=every)
        texts = [self._recaptured(found.path), self._also_there(found)]
        return replace(found, recaptured="; ".join(text for text in texts if text) or None)

    def forget(self, path: PathLike, *, all_projects: bool = False) -> Forgotten:
        """Remove every content that a path, or what lies below it, ever had in a checkpoint of the
        project, or of all projects with ``all_projects``, from the object store.

        Each checkpoint that holds one is taken once more without it and says so; the new one has
        its place, time, labels and pin, and another id. The former id is never given to another
        state: it is answered with what took its place. No restore touches the path because of it.
        Copies elsewhere are not reached, nor is the file itself.

        Raises:
            LockHeld: when a prune runs, or takes go on for too long.
            CheckpointError: as for ``plan_forget``, or when it cannot be done.
        """
        from hermes_checkpoints.admin.rebuild import adopt
        from hermes_checkpoints.retention import forget as forgetting

        plan = self.plan_forget(path, all_projects=all_projects)
        done = forgetting.execute(self._base, self._target, plan, adopt=adopt)
        return replace(done, plan=replace(done.plan, recaptured=plan.recaptured))

    # --- inside ---------------------------------------------------------------------------

    def _readable(self, ref: Reference) -> Checkpoint:
        """Return a checkpoint that is only to be read, or restored: also one that was fetched."""
        return find_checkpoint(self._base, ref, self._target, fetched=True)

    def _branch(self, ref: Reference, name: str, *, plan: bool) -> ExportedBranch:
        from hermes_checkpoints.history.branch import branch_of

        checkpoint = self.get(ref)
        chosen = text(name, "the name of a branch")
        with still_kept(self._base, checkpoint):
            return branch_of(self._base, self._target, checkpoint, chosen, plan=plan)

    @contextlib.contextmanager
    def _naming_the_last_holder(self, *, below: bool) -> Iterator[None]:
        """Let an error of a path that a checkpoint lacks name the last one that has it, or with
        ``below`` something below it."""
        try:
            yield
        except PathUnknown as error:
            from hermes_checkpoints.admin import find as finding

            if error.path in (None, "", "."):
                raise
            path = str(error.path)
            try:
                held = finding.last_holder(self._base, self._target, path, below=below)
            except CheckpointError:
                raise error from None  # what was asked is answered, whatever else is wrong
            told = PathUnknown(f"{error}; {_last_holder(held, below=below)}", path)
            told.held = held
            raise told from error

    def _recaptured(self, path: str) -> str | None:
        """Return why the next take holds a path again, if it does."""
        from hermes_checkpoints.capture import compare

        if not os.path.lexists(self._target.path / path):
            return None
        try:
            found = compare.coverage(self._base, self._target)
        except CheckpointError as error:
            return f"whether the next take captures {path} again is not known: {error}"
        left_out = {one.rstrip("/") for one in found.ignored} | {s.path for s in found.skipped}
        if {path, *parents(path)} & left_out:
            return None
        return (
            f"{path} is still there, and the next take captures it again; to keep it out, remove "
            "it, or name it in .gitignore or in `exclude:` of config.yaml (what git tracks is "
            "captured all the same, until `git rm --cached`)"
        )

    def _also_there(self, plan: ForgetPlan) -> str | None:
        """Return which other files that held a content are still there, if any is."""
        own = self._target.name, plan.path
        places = [
            f"{one.path} in {one.working_dir}"
            for one in plan.held
            if (one.working_dir, one.path) != own
            and not (one.working_dir == own[0] and within(one.path, [plan.path]))
            and os.path.lexists(os.path.join(one.working_dir, one.path))
        ]
        if not places:
            return None
        more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        return (
            f"{', '.join(places[:_NAMED])}{more} held it, too: what is still there is captured "
            "again by the next take, unless a rule leaves it out"
        )

    def _request(
        self,
        ref: Reference,
        paths: Paths | None,
        mode: Mode | str | None,
        session_id: str | None,
        into: PathLike | None,
        nested: bool = False,
    ) -> tuple[Target, RestoreRequest]:
        from hermes_checkpoints.model import Mode
        from hermes_checkpoints.restore.request import RestoreRequest, is_foreign

        chosen = several(paths)
        session = session_or_none(session_id)
        found = self._readable(ref)
        target = self._target if into is None else Target.of(directory(into))
        if into is None and found.is_fetched:
            self._require_same_project(found)
        if mode is None and is_foreign(found, target) and session_id is None:
            mode = Mode.OVERLAY
        elif mode is None:
            mode = default_mode(chosen, session_id)
        return target, RestoreRequest(
            found,
            chosen,
            _mode(mode),
            session,
            foreign=into is not None,
            nested=flag(nested, "nested"),
        )

    def _require_same_project(self, found: Checkpoint) -> None:
        """Refuse a fetched checkpoint of another project than this one.

        Raises:
            CheckpointForeign: with the way to write it elsewhere.
        """
        if not self.is_same(found):
            raise CheckpointForeign(
                f"checkpoint {found.short_id} is of {found.working_dir} on another machine, which "
                f"is not the project {self.working_dir}; to write it into a directory on purpose, "
                "`restore` it with --into"
            )

    def _carry_out(
        self,
        plan: RestorePlan,
        ref: Reference,
        paths: Paths | None,
        mode: Mode | str | None,
        session_id: str | None,
        into: PathLike | None,
        moment: Moment | None,
    ) -> Restored:
        """Execute a plan of restore, if it is for what is asked."""
        from hermes_checkpoints.model import RestoreRole
        from hermes_checkpoints.restore import run as restoring

        if plan.role is not RestoreRole.RESTORE:
            raise BadRequest(f"this is a plan of {plan.role}; give it to `{plan.role}`")
        target, request = self._request(ref, plan.paths, plan.restore_mode, plan.session_id, into)
        request = replace(request, to_choose=plan.to_choose)
        if (plan.checkpoint.id, plan.working_dir) != (request.checkpoint.id, target.path):
            raise CheckpointForeign(
                f"the plan is for checkpoint {plan.checkpoint.short_id} and {plan.working_dir}, "
                f"not for {request.checkpoint.short_id} and {target.path}"
            )
        asked = several(paths)
        wrong = [
            name
            for name, differs in (
                ("paths", asked is not None and tuple(map(clean_path, asked)) != plan.paths),
                ("mode", mode is not None and _mode(mode) is not plan.restore_mode),
                ("session_id", session_or_none(session_id) not in (None, plan.session_id)),
            )
            if differs
        ]
        if wrong:
            raise BadRequest(f"the plan was made for another {', '.join(wrong)}; make a new plan")
        return restoring.restore(self._base, target, _at(request, moment), plan)

    def _require_named(self, plan: PrunePlan, refs: Iterable[Reference]) -> None:
        """Refuse a plan that drops other checkpoints than those that are named."""
        require_project(self._base, self._target)
        named = {self.get(ref, lost=True).id for ref in refs}
        for decision in plan.drop:
            if decision.checkpoint.id not in named:
                raise CheckpointForeign(
                    f"the plan drops checkpoint {decision.checkpoint.short_id} of "
                    f"{decision.project.working_dir}, which is not named here; make a new plan"
                )

    def _undo(self, exact: bool) -> RestoreRequest:
        from hermes_checkpoints.restore import undo as undoing

        require_project(self._base, self._target)
        exactly = flag(exact, "exact")
        return undoing.undo_request(self._base, self._target, exact=exactly)

    def _redo(self, exact: bool) -> RestoreRequest:
        from hermes_checkpoints.restore import undo as undoing

        require_project(self._base, self._target)
        exactly = flag(exact, "exact")
        return undoing.redo_request(self._base, self._target, exact=exactly)

    def _pinned(self, ref: Reference, *, pinned: bool) -> Checkpoint:
        found = self.get(ref, lost=True)
        self._base.catalog.checkpoints.set_pinned(found._row, pinned)
        return self.get(found.id, lost=True)


def _at(request: RestoreRequest, moment: Moment | None) -> RestoreRequest:
    """Return a request whose safety checkpoint records a moment of the conversation."""
    from hermes_checkpoints.model import Moment

    found = instance(moment, Moment, "moment")
    if found is not None:
        session_or_none(found.session_id)
        number_or_none(found.turn, "a turn")
        number_or_none(found.message_count, "the number of messages")
        flag(found.follows, "follows")
    return replace(request, moment=found)


def _last_holder(held: FoundPath | None, *, below: bool) -> str:
    what = "it" if below else "such a file"
    if held is None:
        return f"no checkpoint that is left has {what}"
    one = held.checkpoint
    number = "" if held.number is None else f"number {held.number}, "
    last = f"the last that has {what} is {number}{one.short_id} of {one.local_time:%Y-%m-%d %H:%M}"
    return f"{last}, and the object store lacks its contents" if held.lost else last


def default_mode(paths: Iterable[str] | None, session_id: str | None) -> Mode:
    """Return the mode of a restore that names none: who names a path means it, whoever changed it.

    >>> from hermes_checkpoints.checkpoints.project import default_mode
    >>> default_mode(None, None).value, default_mode(["notes.txt"], None).value
    ('keep-edits', 'overlay')
    """
    from hermes_checkpoints.model import Mode

    return Mode.KEEP_EDITS if paths is None or session_id is not None else Mode.OVERLAY


def title_or_none(title: str | None) -> str | None:
    """Return what is kept of what an agent was asked for.

    Raises:
        BadRequest: when it is no text.
    """
    if title is None:
        return None
    from hermes_checkpoints.capture.redact import title_of

    return title_of(text(title, "the title of a turn"))


def _by_hand(
    both: bool, mode: Mode | str | None, session_id: str | None, into: PathLike | None
) -> Mode:
    """Return the mode of a restore that merges or a plan that is to choose from.

    Raises:
        BadRequest: when that does not go with the rest.
    """
    from hermes_checkpoints.model import Mode

    if both:
        raise BadRequest("a plan merges or is to choose from, not both")
    if mode is not None and _mode(mode) is not Mode.KEEP_EDITS:
        raise BadRequest("a plan that merges or is to choose from has mode keep-edits")
    if session_id is not None or into is not None:
        raise BadRequest("a plan that merges or is to choose from is for everyone, and in place")
    return Mode.KEEP_EDITS


def _mode(mode: Mode | str) -> Mode:
    from hermes_checkpoints.model import Mode

    try:
        return Mode(mode)
    except ValueError:
        known = ", ".join(Mode)
        raise BadRequest(f"{mode!r} is no mode of restore; choose one of {known}") from None


def _kind(kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        raise BadRequest(f"{kind!r} is no kind of checkpoint: {', '.join(Kind)}") from None

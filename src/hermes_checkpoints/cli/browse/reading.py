"""All that is asked of a project, as values that can be drawn. Nothing here draws.

Each method may be called in a thread of its own, and takes as long as it takes.
"""

from __future__ import annotations

import enum
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.catalog.copying import stamp
from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.cli import choosing, restore, take, undo
from hermes_checkpoints.cli.browse.words import Clean
from hermes_checkpoints.cli.diff import not_compared
from hermes_checkpoints.cli.followed import hands_of, word_of
from hermes_checkpoints.cli.output import diff_style
from hermes_checkpoints.cli.plans import Words
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.cli.who import what_happened
from hermes_checkpoints.errors import BadDirectory, BadRequest
from hermes_checkpoints.model import (
    Action,
    Actor,
    Change,
    ChangeStatus,
    Checkpoint,
    Failed,
    Kind,
    Mode,
    PathEvent,
    PlannedPath,
    Restored,
    RestorePlan,
    RestoreRole,
    Skipped,
    Taken,
    TimelineEntry,
)
from hermes_checkpoints.text import permissions_line

DIFF_LINES = 5_000
"""How many lines of a diff are shown; the command that prints all of them follows."""

LINE_LENGTH = 1_000
"""How many characters of a line are shown."""

_TAB = 4
_NOT_KNOWN = "who did it is not on record"
_DOES = {Action.KEEP: "keeps it", Action.DELETE: "deletes it"}


class View(enum.Enum):
    """Which changes are listed: those that ``FOLLOWED`` a checkpoint until the next one, or all of
    them ``UNTIL_NOW``."""

    FOLLOWED = "followed"
    UNTIL_NOW = "until now"


@dataclass(frozen=True)
class FileRow:
    """A path that changed, by whom in a word, and in full. ``stays`` says that a restore of all
    would keep it."""

    path: str
    status: ChangeStatus | None
    insertions: int | None
    deletions: int | None
    who: str
    why: str
    stays: bool = False


@dataclass(frozen=True)
class Line:
    """A line of a diff, and how it is drawn, in the words of ``diff_style``."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Asked:
    """What is to be done: a restore of a checkpoint, of ``paths`` or of all, or an undo or redo."""

    role: RestoreRole
    checkpoint: Checkpoint | None = None
    paths: tuple[str, ...] | None = None
    mode: Mode | None = None


@dataclass(frozen=True)
class Planned:
    """A plan with the words of the verb that carries it out."""

    asked: Asked
    plan: RestorePlan
    words: Words


class Reader:
    """Asks a project. ``catalog`` is the file whose change tells that others did something,
    ``command`` makes the command that does the same as a key, and ``hold_cap`` is called after a
    take."""

    def __init__(
        self,
        project: Project,
        catalog: Path,
        clean: Clean,
        command: Callable[..., str],
        hold_cap: Callable[[], object] = lambda: None,
    ) -> None:
        self.project = project
        self._hold_cap = hold_cap
        self.clean = clean
        self.command = command
        self._catalog = catalog

    def stamp(self) -> object:
        """Return what differs once the catalog has changed; a look at a few files."""
        try:
            return stamp(self._catalog)
        except OSError:
            return None

    def timeline(self, limit: int, touching: str) -> list[TimelineEntry]:
        """Return the newest entries, of those after which a path with that text in it changed."""
        return self.project.timeline(limit=limit, touching=touching or None)

    def near(self) -> list[str]:
        """Return the directories above and below that have checkpoints."""
        return [str(project.working_dir) for project in self.project.related()]

    # --- what changed ----------------------------------------------------------------------------

    def is_quick(self, entry: TimelineEntry, view: View) -> bool:
        """Tell whether the catalog alone has the files of an entry."""
        return view is View.FOLLOWED and entry.files is not None

    def files(self, entry: TimelineEntry, view: View) -> list[FileRow]:
        """Return which files changed after a checkpoint, by path.

        What changed until now is what a restore of all would find, with what it would do.
        """
        if view is View.UNTIL_NOW or entry.until is None:
            return self._until_now(entry.checkpoint)
        changes: Sequence[Change]
        if entry.files is not None:
            changes = self.project.changes(entry.until)
        else:
            changes = self.project.diff(entry.checkpoint, entry.until).changes
        events = self._events(entry.checkpoint, entry.until)
        return [_of_change(change, events.get(change.path, [])) for change in changes]

    def _until_now(self, checkpoint: Checkpoint) -> list[FileRow]:
        plan = self.project.plan_restore(checkpoint, mode=Mode.KEEP_EDITS)
        events = self._events(checkpoint, None)
        steps = [step for step in plan.steps if step.is_file and step.action is not Action.MKDIR]
        found: dict[str, FileRow] = {}
        for step in sorted(steps, key=lambda step: (step.path, step.action is Action.DELETE)):
            found.setdefault(step.path, _of_step(step, events.get(step.path, [])))
        return list(found.values())

    def _events(self, after: Checkpoint, until: Checkpoint | None) -> dict[str, list[PathEvent]]:
        found: dict[str, list[PathEvent]] = {}
        for event in self.project.who_between(after, until):
            found.setdefault(event.path, []).append(event)
        return found

    def diff(self, entry: TimelineEntry, view: View, path: str) -> list[Line]:
        """Return what changed in one file, without what every diff of git begins with."""
        until = None if view is View.UNTIL_NOW else entry.until
        diff = self.project.diff(entry.checkpoint, until, paths=[path])
        lines = [
            Line(self.clean(permissions_line(one.path, *one.bits)))
            for one in diff.changes
            if one.bits is not None
        ]
        text = diff.text.split("\n")[: -1 if diff.text.endswith("\n") else None]
        body = _without_heads(text) if diff.text else []
        lines += [self._line(line) for line in body[:DIFF_LINES]]
        if len(body) > DIFF_LINES:
            ids = [one.short_id for one in (entry.checkpoint, until) if one is not None]
            command = self.command("diff", *ids, "--", path)
            more = counted(len(body) - DIFF_LINES, "more line")
            lines.append(Line(self.clean(f"… {more}: {command}"), "bold"))
        lines += [Line(self.clean(line), "bold") for line in not_compared(diff.skipped)]
        return lines or [Line("No difference that git tells of")]

    def lines(self, patch: bytes) -> list[Line]:
        """Return the first lines of a part of a patch, as ``diff`` does."""
        text = patch.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
        lines = [self._line(line) for line in text[:DIFF_LINES]]
        if len(text) > DIFF_LINES:
            lines.append(Line(f"… {counted(len(text) - DIFF_LINES, 'more line')}", "bold"))
        return lines

    def _line(self, line: str) -> Line:
        style = diff_style(line[:1] if line[:1] in ("+", "-") else line)  # the heads are gone
        if len(line) > LINE_LENGTH:
            line = f"{line[:LINE_LENGTH]}…"
        sign, rest = line[:1], line[1:].removesuffix("\r")
        return Line(self.clean(sign + "\t".join(rest.split("\t")).expandtabs(_TAB)), style)

    # --- what is done ----------------------------------------------------------------------------

    def plan(self, asked: Asked) -> Planned:
        """Return the plan of what is asked, with the words for it."""
        if asked.role is RestoreRole.UNDO:
            plan = self.project.plan_undo()
            return Planned(asked, plan, undo.words_of(plan, redo=False))
        if asked.role is RestoreRole.REDO:
            plan = self.project.plan_redo()
            return Planned(asked, plan, undo.words_of(plan, redo=True))
        if asked.checkpoint is None:
            raise BadRequest("name the checkpoint that is to be restored")
        plan = self.project.plan_restore(asked.checkpoint, asked.paths, mode=asked.mode)
        notes = restore.notes_of(plan)
        if plan.paths is not None:
            notes.insert(0, f"Limited to {', '.join(plan.paths)}")
        lacks = self.project.left_out(plan.checkpoint, plan.paths)
        return Planned(asked, plan, restore.words_of(plan, notes, None, lacks))

    def plan_to_choose(self, asked: Asked) -> Planned:
        """Return the plan of all that differs, whoever changed it, for somebody to choose from."""
        if asked.checkpoint is None:
            raise BadRequest("name the checkpoint that is to be restored")
        plan = self.project.plan_restore(asked.checkpoint, asked.paths, to_choose=True)
        lacks = self.project.left_out(plan.checkpoint, plan.paths)
        words = restore.words_of(plan, restore.notes_of(plan), None, lacks)
        return Planned(asked, plan, choosing.worded(plan, words))

    def take(self, reason: str) -> str:
        """Take a checkpoint of the directory as it is, and return how that ended.

        Raises:
            CheckpointError: when none could be taken.
        """
        if not self.project.working_dir.is_dir():
            raise BadDirectory(f"{self.project.working_dir} does not exist")
        outcome = self.project.take(reason, kind=Kind.MANUAL)
        if isinstance(outcome, Failed):
            raise outcome.error
        if isinstance(outcome, Skipped):
            raise BadRequest(f"no checkpoint was taken: {outcome.reason}")
        if isinstance(outcome, Taken):
            self._hold_cap()
        return take.outcome_line(outcome)

    def carry_out(self, planned: Planned) -> Restored:
        """Do what was planned, and nothing else."""
        plan = planned.plan
        if plan.role is RestoreRole.UNDO:
            return self.project.undo(plan=plan)
        if plan.role is RestoreRole.REDO:
            return self.project.redo(plan=plan)
        return self.project.restore(plan.checkpoint, plan=plan)


def _of_change(change: Change, events: Sequence[PathEvent]) -> FileRow:
    return FileRow(
        change.path,
        change.status,
        change.insertions,
        change.deletions,
        word_of(hands_of(events) or {Actor.UNKNOWN}),
        _did(events),
    )


def _of_step(step: PlannedPath, events: Sequence[PathEvent]) -> FileRow:
    does = _DOES.get(step.action, "brings it back")
    return FileRow(
        step.path,
        _since(step),
        step.deletions,  # a restore adds what was deleted since
        step.insertions,
        word_of(hands_of(events)),
        f"restore {does}: {step.reason}",
        step.action is Action.KEEP,
    )


def _did(events: Sequence[PathEvent]) -> str:
    return what_happened(events[0]) if events else _NOT_KNOWN


def _since(step: PlannedPath) -> ChangeStatus | None:
    """Return what happened to a path since the checkpoint, None where that is not known, as of a
    project inside. A step of what the checkpoint lacks has what lies there now on both sides."""
    if step.mode is None:
        return None
    if step.old_mode is None:
        return ChangeStatus.DELETED
    if (step.mode, step.blob) == (step.old_mode, step.old_blob):
        return ChangeStatus.ADDED
    if stat.S_IFMT(step.mode) != stat.S_IFMT(step.old_mode):
        return ChangeStatus.TYPE_CHANGED
    return ChangeStatus.MODIFIED


_HEADS = ("diff ", "index ", "--- ", "+++ ")


def _without_heads(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff without those that only name the file."""
    found, in_head = [], False
    for line in lines:
        if line.startswith("diff "):
            in_head = True
        elif line.startswith("@@"):
            in_head = False
        if not (in_head and line.startswith(_HEADS)):
            found.append(line)
    return found

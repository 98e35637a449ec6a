"""What somebody may choose of a restore: which steps are asked about, in which words, and the plan
of what was chosen. Nothing here asks; ``restore --patch`` does, and ``browse``.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.output import place
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.model import Action, FileParts, Part, PlannedPath, RestorePlan
from hermes_checkpoints.model.paths import folders_above, parents


@dataclass
class Choice:
    """What was chosen so far of a plan that was made to choose from."""

    plan: RestorePlan
    paths: list[str] = field(default_factory=list)

    def take_whole(self, step: PlannedPath) -> None:
        """Choose what a step does as a whole."""
        self.paths.append(step.path)

    def take(
        self, step: PlannedPath, parts: FileParts, chosen: Sequence[Part], *, bits: bool
    ) -> None:
        """Choose some parts of a file, all or none; ``bits`` says that it gets the permissions of
        the checkpoint, where these are others."""
        differ = differ_in_bits(step)
        if not chosen and not (differ and bits):
            return
        self.paths.append(step.path)
        if len(chosen) == len(parts.parts) and (bits or not differ):
            return
        some = f"{len(chosen)} of {counted(len(parts.parts), 'part')} chosen"
        mode = step.mode if bits and differ else None
        self.plan = self.plan.writing(step.path, parts.taking(chosen), some, mode=mode)

    def chosen(self) -> RestorePlan:
        """Return the plan of what was chosen."""
        return self.plan.only(self.paths)


def worded(plan: RestorePlan, words: plans.Words) -> plans.Words:
    """Return the words of a restore of what somebody chooses."""
    checkpoint = plan.checkpoint
    return replace(
        words,
        heading=f"What differs in {place(plan.working_dir)} from checkpoint {checkpoint.short_id}: "
        f"{checkpoint.reason}",
        done=f"Restored what was chosen from checkpoint {checkpoint.short_id}: {checkpoint.reason}",
    )


def units_of(plan: RestorePlan) -> Iterator[PlannedPath]:
    """Yield the steps that are asked about, by path. What comes with another step is not: a
    directory that is made for a file or becomes empty, and what stands in the way."""
    touching = {s.path: s for s in plan.steps if s.action is not Action.KEEP}
    coming = {path for path, s in touching.items() if s.action in (Action.WRITE, Action.MKDIR)}
    going = {path for path, s in touching.items() if s.action is Action.DELETE}
    needed, emptied = folders_above(coming), folders_above(going)
    for path, step in sorted(touching.items()):
        if step.action is Action.MKDIR and path in needed:
            continue
        if step.action is Action.DELETE and (
            path in needed
            or any(parent in coming for parent in parents(path))
            or (not step.is_file and path in emptied)
        ):
            continue
        yield step


def in_the_way_of(plan: RestorePlan, step: PlannedPath) -> list[str]:
    """Return what would be deleted so that a step can bring its path back."""
    if step.action not in (Action.WRITE, Action.MKDIR):
        return []
    return [one.path for one in plan.only([step.path]).steps if one.action is Action.DELETE]


def differ_in_bits(step: PlannedPath) -> bool:
    """Tell whether the permissions of a file with parts are a question of their own."""
    return step.mode != step.old_mode


def question_of(step: PlannedPath) -> str:
    """Return what would be done to a path as a whole, as a question without its mark."""
    kind = "directory" if not step.is_file else "link" if stat.S_ISLNK(step.mode or 0) else "file"
    about = f" ({size(step.bytes)})" if step.bytes is not None else ""
    if step.action is Action.DELETE:
        return f"Delete this {kind}{about if kind == 'file' else ''}"
    if step.action is Action.MKDIR:
        return "Make this directory"
    if step.action is Action.CHMOD:
        return permissions_of(step)
    whole = "" if step.old_mode is None else " as a whole"
    return f"Bring this {kind} back{whole}{about if kind == 'file' else ''}"


def permissions_of(step: PlannedPath) -> str:
    """Return how the permissions of a path would change, as ``question_of``."""
    now = "" if step.old_mode is None else f" from {stat.S_IMODE(step.old_mode):03o}"
    return f"Change the permissions{now} to {stat.S_IMODE(step.mode or 0):03o}"


def part_of(parts: FileParts, group: Sequence[Part]) -> str:
    """Return what would be done with a group of parts: whose change is taken back, where that is
    known."""
    if not parts.agents and not parts.others:
        return "Bring this part back"
    if parts.agents.issuperset(group):
        return "Take back the agent's change"
    if parts.others.issuperset(group):
        return "Take back your change"
    return "Take back the agent's and your change"

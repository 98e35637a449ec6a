"""What was marked in a plan to choose from, by file and part. Nothing here draws or asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.cli.choosing import (
    Choice,
    differ_in_bits,
    part_of,
    permissions_of,
    units_of,
)
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import FileParts, Part, PlannedPath, RestorePlan

Group = tuple[Part, ...]


@dataclass(eq=False)
class FileChoice:
    """A path of the plan. Until it was ``looked`` at, and where it has no parts, it is marked as a
    ``whole``; else each part is, and the permissions (``bits``) where they differ. What is
    ``wrong`` with it keeps it from being chosen."""

    step: PlannedPath
    looked: bool = False
    parts: FileParts | None = None
    groups: list[Group] = field(default_factory=list)
    marked: set[Part] = field(default_factory=set)
    whole: bool = False
    bits: bool = False
    wrong: str = ""

    def found(self, parts: FileParts | None) -> None:
        """Take notice of the parts, all marked where the file was marked as a whole."""
        self.looked, self.parts = True, parts
        self.groups = [] if parts is None else parts.together()
        if parts is not None and self.whole:
            self.marked, self.bits = set(parts.parts), True

    def failed(self, why: str) -> None:
        """Take notice that it cannot be chosen."""
        self.looked, self.wrong, self.whole = True, why, False

    @property
    def has_bits(self) -> bool:
        """Whether its permissions are chosen apart from its parts."""
        return self.parts is not None and differ_in_bits(self.step)

    def state(self) -> bool | None:
        """Return whether all of it is marked, or nothing; None for some of it."""
        if self.parts is None:
            return self.whole
        flags = {part in self.marked for part in self.parts.parts}
        if self.has_bits:
            flags.add(self.bits)
        return flags.pop() if len(flags) == 1 else None

    def mark(self, *, on: bool) -> None:
        """Mark all of it, or nothing."""
        if self.wrong:
            return
        self.whole = self.bits = on
        self.marked = set(self.parts.parts) if on and self.parts is not None else set()

    def choose(self, choice: Choice) -> None:
        """Put what is marked into a choice."""
        if self.parts is not None:
            chosen = [part for part in self.parts.parts if part in self.marked]
            choice.take(self.step, self.parts, chosen, bits=self.bits)
        elif self.whole:
            choice.take_whole(self.step)


@dataclass(frozen=True)
class Item:
    """A row: a file, its permissions, or a group of its parts."""

    file: FileChoice
    group: Group | None = None
    bits: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is the row of the file itself."""
        return self.group is None and not self.bits

    def state(self) -> bool | None:
        """Return whether it is marked; None for some of it."""
        if self.group is not None:
            flags = {part in self.file.marked for part in self.group}
            return flags.pop() if len(flags) == 1 else None
        return self.file.bits if self.bits else self.file.state()

    def toggle(self) -> None:
        """Mark it, or take the mark away."""
        on = self.state() is not True
        if self.group is not None:
            self.file.marked = self.file.marked - set(self.group) | (
                set(self.group) if on else set()
            )
        elif self.bits:
            self.file.bits = on
        else:
            self.file.mark(on=on)

    def said(self) -> str:
        """Return what the row says behind its mark."""
        file = self.file
        if self.is_file:
            return f"{file.step.path}  ({file.wrong or file.step.reason})"
        if self.bits or self.group is None or file.parts is None:
            return permissions_of(file.step)
        place = file.groups.index(self.group) + 1
        gone, back = sum(p.gone for p in self.group), sum(p.back for p in self.group)
        of = f"({place} of {len(file.groups)})"
        return f"{of} {part_of(file.parts, self.group)}  +{back}/-{gone}"

    def split(self) -> bool:
        """Split a group of parts into its parts; return whether it was one."""
        if self.group is None or len(self.group) < 2:
            return False
        at = self.file.groups.index(self.group)
        self.file.groups[at : at + 1] = [(part,) for part in self.group]
        return True


class Choices:
    """The files of a plan that was made to choose from, with what is marked of each."""

    def __init__(self, plan: RestorePlan) -> None:
        self.plan = plan
        self.files = [FileChoice(step) for step in units_of(plan)]

    def items(self) -> Iterator[Item]:
        """Yield the rows: each file with what is known to be in it."""
        for file in self.files:
            yield Item(file)
            if file.has_bits:
                yield Item(file, bits=True)
            yield from (Item(file, group) for group in file.groups)

    def mark_all(self) -> None:
        """Mark everything, or nothing where everything is marked."""
        can = [file for file in self.files if not file.wrong]
        on = not all(file.state() is True for file in can)
        for file in can:
            file.mark(on=on)

    def chosen(self) -> RestorePlan | None:
        """Return the plan of what is marked, None where nothing is."""
        choice = Choice(self.plan)
        for file in self.files:
            file.choose(choice)
        return choice.chosen() if choice.paths else None

    def summary(self) -> str:
        """Return how much is marked."""
        some = [file for file in self.files if file.state() is not False]
        return f"Chosen: {_of(some)} of {counted(len(self.files), 'path')}"


def _of(files: Sequence[FileChoice]) -> str:
    parts = sum(len(file.marked) for file in files)
    number = str(len(files)) if files else "nothing"
    return f"{number}, {counted(parts, 'part')}" if parts else number

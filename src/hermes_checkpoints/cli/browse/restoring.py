"""A plan with its question, and what came of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hermes_checkpoints.cli.browse.reading import Asked, Line, Planned, Reader
from hermes_checkpoints.cli.browse.words import Clean
from hermes_checkpoints.cli.browse.work import Work
from hermes_checkpoints.cli.browse.wrapped import Wrapped
from hermes_checkpoints.cli.plans import and_kept, kept_lines, step_line, summary
from hermes_checkpoints.errors import CheckpointError, TreeChanged
from hermes_checkpoints.model import (
    Action,
    Mode,
    PlannedPath,
    Restored,
    RestorePlan,
    RestoreRole,
    moved_text,
)

_CHANGING = tuple(action for action in Action if action is not Action.KEEP)
_COLOURS = {Action.DELETE: "red", Action.WRITE: "green"}
_MODES = {
    Mode.KEEP_EDITS: "the agent's changes go, yours stay",
    Mode.OVERLAY: "every captured file comes back",
    Mode.EXACT: "as it was; what came since is deleted",
}


@dataclass(frozen=True)
class Done:
    """A plan that was carried out."""

    planned: Planned
    restored: Restored


class PlanDialog(ModalScreen[Done | None]):
    """Makes a plan, shows it, and carries it out once that is agreed to, or ``at_once``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "Yes"),
        Binding("n,escape,q", "close", "No"),
        Binding("m", "mode", "Mode"),
    ]

    def __init__(self, reader: Reader, work: Work, asked: Asked, *, at_once: bool = False) -> None:
        super().__init__()
        self._reader, self._work, self._asked, self._at_once = reader, work, asked, at_once
        self._planned: Planned | None = None

    def compose(self) -> ComposeResult:
        """Make heading, list, sum and buttons."""
        with Vertical(classes="dialog"):
            yield Static("", id="heading", markup=False)
            yield Wrapped(self._reader.clean)
            yield Static("", id="sum", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(
                    f"y  {self._asked.role.capitalize()}", id="yes", variant="error", compact=True
                )
                yield Button("n  Cancel", id="no", variant="default", compact=True)
                yield Button("m  Another mode", id="mode", compact=True)

    def on_mount(self) -> None:
        """Begin with the plan."""
        self.query_one(Wrapped).focus()
        self.query_one("#mode", Button).display = self._asked.role is RestoreRole.RESTORE
        self._begin()

    @work(exclusive=True)
    async def _begin(self) -> None:
        await self._plan()

    @work(exclusive=True)
    async def _agreed(self, planned: Planned) -> None:
        await self._carry_out(planned)

    async def _plan(self, why: str = "") -> None:
        lines = self.query_one(Wrapped)
        self._planned = None
        self.query_one("#yes", Button).disabled = True
        self._tell(f"{why}Making the plan …".strip(), "")
        lines.name_it("Plan")
        try:
            planned = await self._work.slowly(self._reader.plan, self._asked)
        except CheckpointError as error:
            self._tell("There is no plan", "")
            lines.fail(error)
            return
        self._planned = planned
        plan = planned.plan
        lines.show(plan_lines(planned, self._reader.clean))
        mode = plan.restore_mode
        if plan.role is RestoreRole.RESTORE:
            lines.name_it("Plan", f"{mode}: {_MODES[mode]}")
        can = self._can(plan)
        self.query_one("#yes", Button).disabled = not can
        self._tell(f"{why}{planned.words.heading}", _sum(plan) if can else _nothing(planned))
        if self._at_once:
            await self._carry_out(planned)

    def _can(self, plan: RestorePlan) -> bool:
        """Tell whether there is something to agree to; an undo counts even where no path has to
        change."""
        return bool(plan.of(*_CHANGING)) or plan.role is not RestoreRole.RESTORE

    def _tell(self, heading: str, sum_: str) -> None:
        clean = self._reader.clean
        lines = [clean(line) for line in heading.split("\n")]
        self.query_one("#heading", Static).update("\n".join(lines))
        self.query_one("#sum", Static).update(clean(sum_))

    def action_agree(self) -> None:
        """Carry the plan out."""
        planned = self._planned
        if planned is not None and self._can(planned.plan) and not self._work.changing:
            self._agreed(planned)

    async def _carry_out(self, planned: Planned) -> None:
        self.query_one(".buttons").display = False
        self._tell(planned.words.heading, "Working; this is not to be cut short …")
        try:
            restored = await self._work.change(self._reader.carry_out, planned)
        except TreeChanged as error:
            self.query_one(".buttons").display = True
            self._at_once = False
            await self._plan(f"{error}\n")
        except CheckpointError as error:
            self.query_one(".buttons").display = True
            self._planned = None
            self.query_one("#yes", Button).disabled = True
            self._tell("It was not carried out", "")
            self.query_one(Wrapped).fail(error)
        else:
            self.dismiss(Done(planned, restored))

    def action_mode(self) -> None:
        """Plan with the next mode."""
        asked, planned = self._asked, self._planned
        if self._work.changing or asked.role is not RestoreRole.RESTORE:
            return
        now = asked.mode if planned is None else planned.plan.restore_mode
        modes = list(Mode)
        mode = modes[0] if now is None else modes[(modes.index(now) + 1) % len(modes)]
        self._asked = Asked(asked.role, asked.checkpoint, asked.paths, mode)
        self._begin()

    def action_close(self) -> None:
        """Leave everything as it is."""
        if not self._work.changing:
            self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the key of that name does."""
        acts = {"yes": self.action_agree, "no": self.action_close, "mode": self.action_mode}
        acts[event.button.id or "no"]()


class ResultDialog(ModalScreen[bool]):
    """Says what was restored, what was kept and why, and what failed; True where it is to be taken
    back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "back", "Take it back"),
        Binding("enter,escape,q", "close", "Close"),
    ]

    def __init__(self, clean: Clean, done: Done, back: str) -> None:
        super().__init__()
        self._clean, self._done, self._back = clean, done, back

    def compose(self) -> ComposeResult:
        """Make list and buttons."""
        with Vertical(classes="dialog"):
            yield Wrapped(self._clean)
            with Horizontal(classes="buttons"):
                yield Button("u  Take it back", id="back", variant="warning", compact=True)
                yield Button("Enter  Close", id="close", compact=True)

    def on_mount(self) -> None:
        """Fill them."""
        lines = self.query_one(Wrapped)
        lines.name_it("Done" if self._done.restored.complete else "Done in part")
        lines.show(result_lines(self._done, self._back, self._clean))
        lines.focus()

    def action_back(self) -> None:
        """Have it taken back."""
        self.dismiss(True)

    def action_close(self) -> None:
        """Leave it as it is."""
        self.dismiss(False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the key of that name does."""
        self.dismiss(event.button.id == "back")


# --- what is said -------------------------------------------------------------------------------


def plan_lines(planned: Planned, clean: Clean) -> list[Line]:
    """Return the plan: what limits it, what is deleted, what is done else, and what is kept."""
    plan = planned.plan
    title = plan.checkpoint.turn_title
    lines = [] if title is None else [Line(clean(f"Asked for then: {title}"), "bold")]
    notes = [*planned.words.notes, moved_text(plan.checkpoint.stood_at, plan.head)]
    lines += [Line(clean(note), "yellow") for note in notes if note]
    steps = sorted(plan.of(*_CHANGING), key=lambda step: step.action is not Action.DELETE)
    lines += [Line(clean(step_line(step)), _COLOURS.get(step.action, "")) for step in steps]
    lines += _kept(plan.of(Action.KEEP), clean)
    return lines if plan.steps else [*lines, Line(clean(planned.words.nothing))]


def result_lines(done: Done, back: str, clean: Clean) -> list[Line]:
    """Return what was done, kept and failed, and what brings the state before it back: a key, and
    later the command ``back``."""
    restored, words = done.restored, done.planned.words
    lines = [Line(clean(result(done)), "bold green" if restored.complete else "bold yellow")]
    moved = moved_text(restored.checkpoint.stood_at, restored.head)
    lines += [Line(clean(note), "yellow") for note in (*words.notes, moved) if note]
    for failed in sorted(restored.failed, key=lambda one: one.error):
        lines.append(Line(clean(f"not restored: {failed.path}: {failed.error}"), "bold red"))
    lines += _kept(restored.kept, clean)
    safety = restored.safety.short_id
    lines.append(Line(""))
    lines.append(Line(clean(f"The state before it is checkpoint {safety}.")))
    lines.append(Line(clean(f"u takes this back, and later `{back}`."), "bold"))
    return lines


def result(done: Done) -> str:
    """Return in one line what was done."""
    restored, words = done.restored, done.planned.words
    kept = and_kept(restored.kept)
    if restored.failed and not restored.done:
        return f"Nothing was restored{kept}"
    return f"{words.done} ({summary(restored.done)}{kept})"


def _kept(kept: Sequence[PlannedPath], clean: Clean) -> list[Line]:
    return [
        Line(clean(line), "dim" if line.startswith(" ") else "cyan")
        for line in kept_lines(kept, sys.maxsize)
    ]


def _sum(plan: RestorePlan) -> str:
    steps, kept = plan.of(*_CHANGING), plan.of(Action.KEEP)
    return f"Plan: {summary(steps)}{and_kept(kept)}"


def _nothing(planned: Planned) -> str:
    if planned.plan.keeps_all:
        return "Nothing would be restored, although files differ; m tries the next mode"
    return planned.words.nothing

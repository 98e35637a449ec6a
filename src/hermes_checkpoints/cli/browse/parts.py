"""A restore by parts: each path that differs, and each part of it, can be marked, as ``restore -p``
asks about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from hermes_checkpoints.cli.browse.choices import Choices, FileChoice, Item
from hermes_checkpoints.cli.browse.reading import Asked, Line, Planned, Reader
from hermes_checkpoints.cli.browse.restoring import Done
from hermes_checkpoints.cli.browse.rows import Rows
from hermes_checkpoints.cli.browse.work import Work
from hermes_checkpoints.cli.browse.wrapped import Wrapped
from hermes_checkpoints.cli.choosing import in_the_way_of, question_of
from hermes_checkpoints.errors import CheckpointError, TreeChanged
from hermes_checkpoints.model import Action

PATIENCE = 0.06
"""How many seconds the cursor rests on a file before its parts are looked for."""

_MARKS = {True: "[x]", False: "[ ]", None: "[-]"}


class Items(Rows[Item]):
    """The list of files and parts."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", key_display="Space")]

    def action_mark(self) -> None:
        """Mark the chosen row, or take the mark away, and go on to the next."""
        if self.chosen is not None and not self.chosen.file.wrong:
            self.chosen.toggle()
            self.refresh()
            self.post_message(self.Moved(self))
            self.action_move(1)

    def line(self, index: int, width: int) -> Text:
        """Return the mark, and the file or the part."""
        item = self.rows[index]
        text = Text()
        mark = " ! " if item.file.wrong else _MARKS[item.state()]
        text.append(f"{'' if item.is_file else '    '}{mark} ", "bold")
        said = self.clean(item.said())
        room = max(8, width - cell_len(text.plain))
        if cell_len(said) > room:
            said = f"{set_cell_size(said, room - 1)}…"
        deletes = item.is_file and item.file.step.action is Action.DELETE
        text.append(said, "red" if deletes or item.file.wrong else "")
        return text


class PartsDialog(ModalScreen[Done | None]):
    """Makes a plan to choose from, lets parts of it be marked, and restores just these."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "Yes"),
        Binding("a", "all", "All"),
        Binding("s", "split", "Split"),
        Binding("n,escape,q", "close", "No"),
    ]

    def __init__(self, reader: Reader, work: Work, asked: Asked) -> None:
        super().__init__()
        self._reader, self._work, self._asked = reader, work, asked
        self._planned: Planned | None = None
        self._choices: Choices | None = None

    def compose(self) -> ComposeResult:
        """Make heading, list, difference, sum and buttons."""
        with Vertical(classes="dialog -parts"):
            yield Static("", id="heading", markup=False)
            yield Items(self._reader.clean, id="items")
            yield Wrapped(self._reader.clean, id="part")
            yield Static("", id="sum", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("y  Restore these", id="yes", variant="error", compact=True)
                yield Button("n  Cancel", id="no", variant="default", compact=True)
                yield Button("a  All", id="all", compact=True)
                yield Button("s  Split", id="split", compact=True)

    @property
    def items(self) -> Items:
        """The list."""
        return self.query_one(Items)

    def on_mount(self) -> None:
        """Begin with the plan."""
        self.items.name_it("Space marks what comes back")
        self.items.focus()
        self._begin()

    @work(exclusive=True, group="plan")
    async def _begin(self) -> None:
        await self._plan()

    async def _plan(self, why: str = "") -> None:
        self._planned = self._choices = None
        self._tell(f"{why}Looking for what differs …", "")
        try:
            planned = await self._work.slowly(self._reader.plan_to_choose, self._asked)
        except CheckpointError as error:
            self._tell("There is no plan", "")
            self.items.empty()
            self._part.fail(error)
            return
        self._planned, self._choices = planned, Choices(planned.plan)
        notes = "".join(f"\n{note}" for note in planned.words.notes)
        self._tell(f"{why}{planned.words.heading}{notes}", "")
        if not self._choices.files:
            self.items.empty((planned.words.nothing, "dim"))
            return
        self.items.show(list(self._choices.items()))

    @property
    def _part(self) -> Wrapped:
        return self.query_one("#part", Wrapped)

    def _tell(self, heading: str, wrong: str) -> None:
        clean = self._reader.clean
        lines = [clean(line) for line in heading.split("\n")]
        self.query_one("#heading", Static).update("\n".join(lines))
        self._sum(wrong)

    def _sum(self, wrong: str = "") -> None:
        choices = self._choices
        said = wrong or ("" if choices is None else choices.summary())
        self.query_one("#sum", Static).update(self._reader.clean(said))
        nothing = choices is None or all(file.state() is False for file in choices.files)
        self.query_one("#yes", Button).disabled = nothing

    # --- looking ---------------------------------------------------------------------------------

    def on_rows_moved(self, event: Rows.Moved) -> None:
        """Show what the chosen row would do."""
        event.stop()
        self._sum()
        item = self.items.chosen
        if item is not None:
            self._show(item)

    def on_rows_opened(self, event: Rows.Opened) -> None:
        """Mark what was clicked twice."""
        event.stop()
        self.items.action_mark()

    @work(exclusive=True, group="part")
    async def _show(self, item: Item) -> None:
        file = item.file
        if not file.looked:
            await asyncio.sleep(PATIENCE)
            await self._look(file)
            if file.groups:
                self._relist()
        lines = self._lines(item)
        self._part.name_it(file.step.path)
        self._part.show(lines)

    async def _look(self, file: FileChoice) -> None:
        planned = self._planned
        if planned is None or file.looked:
            return
        try:
            file.found(
                await self._work.slowly(self._reader.project.parts_of, planned.plan, file.step.path)
            )
        except CheckpointError as error:
            file.failed(str(error))

    def _relist(self) -> None:
        """List what is in files that were looked at, too; the cursor stays where it is."""
        if self._choices is None:
            return
        chosen, rows = self.items.chosen, list(self._choices.items())
        at = rows.index(chosen) if chosen in rows else self.items.cursor
        self.items.show(rows, at, follow=False)

    def _lines(self, item: Item) -> Sequence[Line]:
        clean, file = self._reader.clean, item.file
        if file.wrong:
            return [Line(clean(f"{file.wrong}; it is left as it is"), "bold red")]
        if item.group is not None and file.parts is not None:
            return self._reader.lines(file.parts.shown(item.group))
        if item.bits:
            return [Line(clean(item.said()))]
        if file.parts is None or self._planned is None:
            lines = [Line(clean(question_of(file.step)))]
            ways = [] if self._planned is None else in_the_way_of(self._planned.plan, file.step)
            lines += [
                Line(clean(f"{path} is in its way, and would be deleted"), "red") for path in ways
            ]
            return lines
        shown = [self._reader.lines(file.parts.shown(group)) for group in file.groups]
        return [line for lines in shown for line in lines]

    # --- choosing --------------------------------------------------------------------------------

    def action_all(self) -> None:
        """Mark everything, or nothing."""
        if self._choices is not None:
            self._choices.mark_all()
            self.items.refresh()
            self._sum()

    def action_split(self) -> None:
        """Split the chosen group of parts."""
        item = self.items.chosen
        if item is not None and item.split():
            self._relist()
        else:
            self.app.bell()

    def action_agree(self) -> None:
        """Restore what is marked."""
        planned, choices = self._planned, self._choices
        if planned is None or choices is None or self._work.changing:
            return
        chosen = choices.chosen()
        if chosen is not None:
            self._carry_out(Planned(planned.asked, chosen, planned.words))

    @work(exclusive=True, group="plan")
    async def _carry_out(self, planned: Planned) -> None:
        buttons = self.query_one(".buttons")
        buttons.display = False
        self._sum("Working; this is not to be cut short …")
        try:
            restored = await self._work.change(self._reader.carry_out, planned)
        except TreeChanged as error:
            buttons.display = True
            await self._plan(f"{error}\n")
        except CheckpointError as error:
            buttons.display = True
            self._tell("It was not carried out", "")
            self._part.fail(error)
        else:
            self.dismiss(Done(planned, restored))

    def action_close(self) -> None:
        """Leave everything as it is."""
        if not self._work.changing:
            self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the key of that name does."""
        acts = {
            "yes": self.action_agree,
            "no": self.action_close,
            "all": self.action_all,
            "split": self.action_split,
        }
        acts[event.button.id or "no"]()

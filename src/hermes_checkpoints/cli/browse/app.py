"""The application: what the keys do, and the dialogs before the panes."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import threading
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.widgets import Footer

from hermes_checkpoints.cli.browse.dialogs import AskLabel, AskReason, Help
from hermes_checkpoints.cli.browse.filters import AsciiOnly
from hermes_checkpoints.cli.browse.panes import PAGE, Panes
from hermes_checkpoints.cli.browse.parts import PartsDialog
from hermes_checkpoints.cli.browse.reading import Asked, FileRow, Reader
from hermes_checkpoints.cli.browse.restoring import Done, PlanDialog, ResultDialog, result
from hermes_checkpoints.cli.browse.style import CSS
from hermes_checkpoints.cli.browse.work import Work
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.output import complain
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import (
    ChangeStatus,
    Checkpoint,
    Mode,
    RestoreRole,
)

_ENDING = {
    getattr(signal, name): code
    for name, code in (("SIGTERM", Exit.TERMINATED), ("SIGHUP", Exit.HUNG_UP))
    if hasattr(signal, name)
}
"""The signals that end it in order, with their exit codes."""


def open_on(reader: Reader) -> tuple[Exit, list[str]]:
    """Run the application until it is left; return the exit code, and what it has done, to be said
    afterwards."""
    app = Browse(reader)
    try:
        app.run()
    finally:
        app.work.end(lambda: complain("waiting until a look at the directory ends"))
    if app.return_code:
        raise RuntimeError("the application ended by an error, which is printed above")
    return app.ends_with, app.told


def _paths(rows: Sequence[FileRow]) -> tuple[str, ...] | None:
    return tuple(row.path for row in rows) or None


class Browse(App[None]):
    """Looks at the checkpoints of one project."""

    TITLE = "hermes checkpoints"
    ENABLE_COMMAND_PALETTE = False

    CSS = CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "restore", "Restore", key_display="R"),
        Binding("P", "parts", "Parts", key_display="P"),
        Binding("u", "undo", "Undo"),
        Binding("U", "redo", "Redo", show=False),
        Binding("t", "take", "Take"),
        Binding("v", "view", "Until now"),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("p", "pin", "Pin", show=False),
        Binding("l", "label", "Label", show=False),
        Binding("r,f5", "refresh", "Refresh", show=False),
        Binding("z", "zoom", "Zoom", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("escape", "out", "Back", show=False),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+q,ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(self, reader: Reader, *, page: int = PAGE) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]
        self.reader = reader
        self.clean = reader.clean
        self.work = Work()
        self.ends_with = Exit.DONE
        self._done: list[str] = []
        self._back = ""
        self._page = page
        self._ascii: list[LineFilter] = [AsciiOnly()] if self.clean.ascii_only else []

    @property
    def told(self) -> list[str]:
        """What was done, and the command that goes back."""
        return [*self._done, f"To go back: {self._back}"] if self._done else []

    # --- what is drawn ---------------------------------------------------------------------------

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to each line before it is written."""
        return [*super().get_line_filters(), *self._ascii]

    def compose(self) -> ComposeResult:
        """Make the panes, and the keys below."""
        yield Panes(self.reader, self.work, page=self._page)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Leave in order where a signal ends it."""
        self.theme = "textual-dark"
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            with contextlib.suppress(NotImplementedError):  # where signals are no loop's business
                for number, code in _ENDING.items():
                    loop.add_signal_handler(number, self._end, code)

    def _end(self, code: Exit) -> None:
        self.ends_with = code
        self.exit()

    @property
    def panes(self) -> Panes:
        """What is looked at, also below a dialog."""
        return self.screen_stack[0].query_one(Panes)

    # --- looking ---------------------------------------------------------------------------------

    def action_into(self) -> None:
        """Go to what is inside the chosen row."""
        self.panes.into()

    def action_out(self) -> None:
        """Go back."""
        self.panes.out()

    def action_zoom(self) -> None:
        """Show one pane alone, or all."""
        self.panes.zoom()

    def action_view(self) -> None:
        """Show what followed, or all until now."""
        self.panes.other_view()

    def action_filter(self) -> None:
        """Ask for a part of a path."""
        self.panes.filter()

    def action_refresh(self) -> None:
        """Read all anew."""
        self.panes.read()

    def action_help(self) -> None:
        """Show what the keys do."""
        self.push_screen(Help(self.clean))

    # --- changing --------------------------------------------------------------------------------

    def action_restore(self) -> None:
        """Plan a restore of the chosen checkpoint, or of files of it."""
        entry = self.panes.timeline.chosen
        if entry is None:
            self.bell()
            return
        rows = self._wanted()
        # What was created since can only be deleted; the other modes bring files back alone.
        created = any(row.status is ChangeStatus.ADDED for row in rows)
        mode = Mode.KEEP_EDITS if created else None
        self._plan(Asked(RestoreRole.RESTORE, entry.checkpoint, _paths(rows), mode))

    def action_parts(self) -> None:
        """Let parts of the chosen checkpoint be chosen, or of files of it."""
        entry = self.panes.timeline.chosen
        if entry is None:
            self.bell()
            return
        asked = Asked(RestoreRole.RESTORE, entry.checkpoint, _paths(self._wanted()))
        self.push_screen(PartsDialog(self.reader, self.work, asked), self._carried)

    def _wanted(self) -> list[FileRow]:
        """Return the files that a restore is limited to, none where it is not."""
        panes = self.panes
        return panes.files.wanted() if panes.at() or panes.files.marked else []

    def action_take(self) -> None:
        """Ask why, and take a checkpoint."""

        def answered(reason: str | None) -> None:
            if reason is not None:
                self._take(reason)

        self.push_screen(AskReason(), answered)

    @work(group="take")
    async def _take(self, reason: str) -> None:
        self._say("Taking a checkpoint …")
        try:
            said = await self.work.slowly(self.reader.take, reason)
        except CheckpointError as error:
            self._complain(error)
        else:
            self._say(said)
            self.panes.read()

    def action_undo(self) -> None:
        """Plan to take the last restore back."""
        self._plan(Asked(RestoreRole.UNDO))

    def action_redo(self) -> None:
        """Plan to take the last undo back."""
        self._plan(Asked(RestoreRole.REDO))

    def _plan(self, asked: Asked, *, at_once: bool = False) -> None:
        self.push_screen(PlanDialog(self.reader, self.work, asked, at_once=at_once), self._carried)

    def _carried(self, done: Done | None) -> None:
        if done is None:
            return
        back = self.reader.command(done.planned.words.reverse)
        self._done.append(result(done))
        self._back = back
        self.panes.read()

        def answered(back: bool | None) -> None:
            if back:
                undoes = done.planned.plan.role is RestoreRole.UNDO
                role = RestoreRole.REDO if undoes else RestoreRole.UNDO
                self._plan(Asked(role), at_once=True)

        self.push_screen(ResultDialog(self.clean, done, back), answered)

    def action_pin(self) -> None:
        """Pin the chosen checkpoint, or take the pin away."""
        entry = self.panes.timeline.chosen
        if entry is not None:
            self._pin(entry.checkpoint)

    @work(group="marks")
    async def _pin(self, checkpoint: Checkpoint) -> None:
        project = self.reader.project
        act = project.unpin if checkpoint.pinned else project.pin
        try:
            found = await self.work.quickly(act, checkpoint)
        except CheckpointError as error:
            self._complain(error)
        else:
            self._say(f"Checkpoint {found.short_id} is {'' if found.pinned else 'un'}pinned")
            self.panes.read()

    def action_label(self) -> None:
        """Ask for a label of the chosen checkpoint."""
        entry = self.panes.timeline.chosen
        if entry is None:
            return
        checkpoint, project = entry.checkpoint, self.reader.project

        async def act(name: str, move: bool) -> Checkpoint:
            if name in checkpoint.labels:
                return await self.work.quickly(project.unlabel, checkpoint, name)
            label = functools.partial(project.label, move=move)
            return await self.work.quickly(label, checkpoint, name)

        def labelled(found: Checkpoint | None) -> None:
            if found is not None:
                named = ", ".join(found.labels)
                has = f"labelled {named}" if named else "without a label"
                self._say(f"Checkpoint {found.short_id} is {has}")
                self.panes.read()

        self.push_screen(AskLabel(self.clean, checkpoint, act), labelled)

    async def action_quit(self) -> None:
        """Leave, unless files are being restored."""
        if self.work.changing:
            self._say("Files are being restored; this ends first")
        else:
            self.exit()

    def _say(self, text: str) -> None:
        self.notify(self.clean(text), markup=False, timeout=4)

    def _complain(self, error: CheckpointError) -> None:
        self.notify(self.clean(str(error)), severity="error", markup=False, timeout=12)

"""The three panes: what each shows, and when it is read anew."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from hermes_checkpoints.cli.browse.diff import SAID, DiffView
from hermes_checkpoints.cli.browse.files import Files
from hermes_checkpoints.cli.browse.reading import Line, Reader, View
from hermes_checkpoints.cli.browse.rows import Lines, Rows
from hermes_checkpoints.cli.browse.timeline import Timeline
from hermes_checkpoints.cli.browse.words import name_of
from hermes_checkpoints.cli.browse.work import Work
from hermes_checkpoints.cli.output import below_home
from hermes_checkpoints.cli.text import counted, minute
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import TimelineEntry

PAGE = 200
"""How many checkpoints are read at first; twice as many whenever the end comes into sight."""

PATIENCE = 0.06
"""How many seconds the cursor rests before what it is on is looked at."""

LOOKS_EVERY = 2.0
"""How many seconds apart it is looked whether others have changed the catalog."""

_KEPT_DIFFS = 100


class Panes(Vertical):
    """The timeline, the files of what is chosen there, and the difference of one of these."""

    def __init__(self, reader: Reader, work: Work, *, page: int = PAGE) -> None:
        super().__init__()
        self._reader, self._work, self._clean = reader, work, reader.clean
        self.view = View.FOLLOWED
        self.touching = ""
        self._page = self._limit = page
        self._ended = False
        self._shown: tuple[str, View] | None = None
        self._stamp: object = None
        self._diffs: dict[tuple[str, str, str], Sequence[Line]] = {}

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield Static("", id="top", markup=False)
        with Container(id="panes"):
            yield Timeline(self._clean, id="timeline")
            yield Files(self._clean, id="files")
            yield DiffView(self._clean, id="diff")
        yield Input(placeholder="a part of a path", id="filter", compact=True)

    @property
    def timeline(self) -> Timeline:
        """The list of checkpoints."""
        return self.query_one(Timeline)

    @property
    def files(self) -> Files:
        """The list of files."""
        return self.query_one(Files)

    @property
    def diff(self) -> DiffView:
        """The difference of a file."""
        return self.query_one(DiffView)

    @property
    def all(self) -> tuple[Lines, ...]:
        """The panes, from the first to what is inside it."""
        return self.timeline, self.files, self.diff

    def on_mount(self) -> None:
        """Read for the first time, and from then on whenever others have changed something."""
        self.timeline.name_it("Timeline")
        self.files.name_it("Files")
        self.diff.name_it("Difference")
        self.timeline.say(("Reading …", "dim"))
        self.timeline.focus()
        self.read()
        self.set_interval(LOOKS_EVERY, self.look_whether_changed)

    # --- reading ---------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the timeline anew, and what hangs on it."""
        self._diffs.clear()
        self._read_timeline()

    @work(exclusive=True, group="timeline")
    async def _read_timeline(self, *, more: bool = False) -> None:
        timeline = self.timeline
        chosen = timeline.chosen
        try:
            self._stamp = await self._work.quickly(self._reader.stamp)
            limit = self._limit
            entries = await self._work.quickly(self._reader.timeline, limit, self.touching)
            near = [] if entries else await self._work.quickly(self._reader.near)
        except CheckpointError as error:
            timeline.fail(error)
            self._show_nothing()
            return
        self._ended = len(entries) < limit
        self._title(entries)
        if not entries:
            self._say_none(near)
            return
        ids = [entry.checkpoint.id for entry in entries]
        if more and chosen is not None and ids[timeline.cursor :][:1] == [chosen.checkpoint.id]:
            timeline.extend(entries)
            return
        at = ids.index(chosen.checkpoint.id) if chosen and chosen.checkpoint.id in ids else 0
        timeline.show(entries, at, follow=False)

    def _title(self, entries: Sequence[TimelineEntry]) -> None:
        number = counted(len(entries), "checkpoint") if self._ended else f"{len(entries)}+"
        limited = f"  touching {self.touching}" if self.touching else ""
        where = below_home(self._reader.project.working_dir)
        self.query_one("#top", Static).update(self._clean(f"{where}  ·  {number}{limited}"))

    def _say_none(self, near: Sequence[str]) -> None:
        where = self._reader.project.working_dir
        said = [
            (f"No checkpoints found for {where}", "bold"),
            (f"Take one: {self._reader.command('take')}", ""),
        ]
        if near:
            said.append((f"But checkpoints exist of {', '.join(near)}", ""))
        self.timeline.empty(*said)
        self._show_nothing()

    def _show_nothing(self) -> None:
        self.files.empty()
        self.diff.show([])

    def on_timeline_ends(self) -> None:
        """Read older ones, too."""
        if not self._ended and len(self.timeline.rows) >= self._limit:
            self._limit *= 2
            self._read_timeline(more=True)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        """Show what the chosen row has inside."""
        if event.rows is self.timeline:
            self.files.marked.clear()
            self._name_timeline()
            self._read_files()
        elif event.rows is self.files:
            self._read_diff()

    def on_rows_opened(self, event: Rows.Opened) -> None:
        """Go into what was clicked twice."""
        event.rows.focus()
        self.into()

    def _name_timeline(self) -> None:
        entry = self.timeline.chosen
        if entry is not None:
            one = entry.checkpoint
            turn = "" if one.turn is None else f", turn {one.turn}"
            session = f"  session {one.session_id}{turn}" if one.session_id else ""
            said = f"{one.short_id}  {minute(one.local_time)}{session}"
            self.timeline.name_it("Timeline", said)

    @work(exclusive=True, group="files")
    async def _read_files(self) -> None:
        entry, files = self.timeline.chosen, self.files
        if entry is None:
            return
        chosen = files.chosen
        view = View.UNTIL_NOW if entry.until is None else self.view
        files.name_it(self._title_of_files(entry, view))
        await asyncio.sleep(PATIENCE)
        run = self._work.quickly if self._reader.is_quick(entry, view) else self._work.slowly
        if (entry.checkpoint.id, view) != self._shown:
            files.empty(("Looking …", "dim"))
            self.diff.show([])
        try:
            rows = await run(self._reader.files, entry, view)
            self._shown = entry.checkpoint.id, view
        except CheckpointError as error:
            self._shown = None
            files.fail(error)
            self.diff.show([])
            return
        if entry.until is None:
            self.timeline.present = entry.checkpoint.id, len(rows)
            self.timeline.refresh()
        if self.touching:
            part = self.touching.lower()
            rows = [row for row in rows if part in row.path.lower()]
        files.name_it(self._title_of_files(entry, view), counted(len(rows), "file"))
        if not rows:
            files.empty(("Nothing changed", "dim"))
            self.diff.name_it("Difference")
            self.diff.show([])
            return
        paths = [row.path for row in rows]
        files.show(rows, paths.index(chosen.path) if chosen and chosen.path in paths else 0)

    def _title_of_files(self, entry: TimelineEntry, view: View) -> str:
        name = name_of(entry)
        if view is View.UNTIL_NOW:
            return f"Since {name}, until now"
        return f"What followed {name}"

    @work(exclusive=True, group="diff")
    async def _read_diff(self) -> None:
        entry, row, diff = self.timeline.chosen, self.files.chosen, self.diff
        if entry is None or row is None:
            return
        view = View.UNTIL_NOW if entry.until is None else self.view
        until = "" if entry.until is None or view is View.UNTIL_NOW else entry.until.id
        key = entry.checkpoint.id, until, row.path
        lines = self._diffs.get(key)
        if lines is None:
            diff.note(f"comparing {row.path} …")
            await asyncio.sleep(PATIENCE)
            try:
                lines = await self._work.slowly(self._reader.diff, entry, view, row.path)
            except CheckpointError as error:
                diff.name_it(row.path)
                diff.fail(error)
                return
            if len(self._diffs) >= _KEPT_DIFFS:
                self._diffs.pop(next(iter(self._diffs)))
            self._diffs[key] = lines
        diff.name_it(row.path)
        diff.show([Line(self._clean(row.why), SAID), *lines])

    async def look_whether_changed(self) -> None:
        """Read anew where others have changed the catalog."""
        self.timeline.refresh()  # ages
        stamp = await self._work.quickly(self._reader.stamp)
        if stamp != self._stamp and not self._work.changing:
            self.read()

    # --- moving ----------------------------------------------------------------------------------

    def at(self) -> int:
        """Return which pane has the focus."""
        focused = self.screen.focused
        return next((at for at, pane in enumerate(self.all) if pane is focused), 0)

    def into(self) -> None:
        """Go to what is inside the chosen row."""
        panes = self.all
        self._go(panes[min(self.at() + 1, len(panes) - 1)])

    def out(self) -> None:
        """Go back: from the field of the filter, the zoom, a pane or the filter."""
        if self.query_one("#filter", Input).has_class("-open"):
            self._touch("")
        elif self.screen.has_class("-alone"):
            self.zoom()
        elif self.at():
            self._go(self.all[self.at() - 1])
        elif self.touching:
            self._touch("")

    def _go(self, pane: Widget) -> None:
        alone = self.screen.has_class("-alone")
        if alone:
            for one in self.all:
                one.display = one is pane
        pane.focus()

    def zoom(self) -> None:
        """Show one pane alone, or all."""
        screen, chosen = self.screen, self.all[self.at()]
        alone = not screen.has_class("-alone")
        screen.set_class(alone, "-alone")
        for pane in self.all:
            pane.display = pane is chosen or not alone
        chosen.focus()

    def other_view(self) -> None:
        """Show what followed, or all until now."""
        self.view = View.UNTIL_NOW if self.view is View.FOLLOWED else View.FOLLOWED
        self._read_files()

    # --- filtering -------------------------------------------------------------------------------

    def filter(self) -> None:
        """Ask for a part of a path."""
        field = self.query_one("#filter", Input)
        field.add_class("-open")
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        if event.input.id == "filter" and event.value != self.touching:
            self.touching = event.value
            self._limit = self._page
            self.read()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave the field, keep the filter."""
        if event.input.id == "filter":
            self._touch(event.value)

    def _touch(self, text: str) -> None:
        field = self.query_one("#filter", Input)
        field.value = text
        field.remove_class("-open")
        self.timeline.focus()

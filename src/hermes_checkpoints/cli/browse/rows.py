"""A list with a cursor, of any length: only the rows that are seen are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_checkpoints.cli.browse.words import Clean

Row = TypeVar("Row")

BETWEEN_PANES = (
    Binding("right,enter", "app.into", "Into", show=False),
    Binding("left", "app.out", "Back", show=False),
)
"""The keys that lead from one pane to the next; the lists of dialogs have none."""


class Lines(ScrollView, can_focus=True):
    """Lines that are drawn when they are seen; ``line`` makes one."""

    DEFAULT_CSS = """
    Lines {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        border: round $panel-lighten-2;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        &:focus { border: round $primary; border-title-color: $text; }
    }
    """

    def __init__(self, clean: Clean, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.clean = clean
        self._said: Sequence[tuple[str, str]] = ()
        self._names = "", ""

    # --- what is drawn ---------------------------------------------------------------------------

    def count(self) -> int:
        """Return how many lines there are."""
        raise NotImplementedError

    def line(self, index: int, width: int) -> Text:
        """Return a line in at most ``width`` columns."""
        raise NotImplementedError

    def style_of(self, index: int) -> Style:
        """Return the style under a line."""
        del index
        return Style()

    def is_bright(self, index: int) -> bool:
        """Tell whether a line lies on a colour on which no others can be read."""
        del index
        return False

    def name_it(self, title: str, subtitle: str = "") -> None:
        """Say on the border what is in here."""
        self._names = title, subtitle
        room = max(8, self.size.width - 4)
        self.border_title = Content(_end_of(self.clean(title), room)).markup
        self.border_subtitle = Content(_begin_of(self.clean(subtitle), room)).markup

    def note(self, subtitle: str) -> None:
        """Say something else below what is in here."""
        self.name_it(self._names[0], subtitle)

    def say(self, *said: tuple[str, str]) -> None:
        """Show texts, each with a style, where there is nothing else to show."""
        self._said = [(self.clean(text), style) for text, style in said]
        self.measure()

    def fail(self, error: Exception) -> None:
        """Show what went wrong."""
        self.say((str(error), "bold red"))

    def measure(self) -> None:
        """Take notice of how many lines there are now."""
        lines = self.count() or len(self._said_lines())
        self.virtual_size = Size(max(1, self.scrollable_content_region.width), lines)
        self.refresh()

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.name_it(*self._names)
        self.measure()

    def render_line(self, y: int) -> Strip:
        """Return the line at a place of the screen."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        base = self.rich_style
        if index < self.count():
            base += self.style_of(index)
            text = self.line(index, width)
            if self.is_bright(index):
                text = Text(text.plain)
        else:
            lines = self._said_lines() if not self.count() else []
            text = lines[index] if index < len(lines) else Text()
        text.no_wrap, text.end = True, ""
        strip = Strip(self._coloured(text))
        return strip.adjust_cell_length(width, base).apply_style(base)

    def _coloured(self, text: Text) -> Iterable[Segment]:
        """Return the parts of a line; without colours where NO_COLOR wants none, since greys in
        their place are hard to read."""
        for segment in text.render(self.app.console):
            if self.app.no_color and segment.style is not None:
                yield Segment(segment.text, segment.style.without_color)
            else:
                yield segment

    def _said_lines(self) -> list[Text]:
        width = max(1, self.scrollable_content_region.width)
        console, found = self.app.console, []
        for text, style in self._said:
            found += [*Text(text, style=style).wrap(console, width)] or [Text()]
        return found


class Rows(Lines, Generic[Row]):
    """A list of which one row is chosen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}

    DEFAULT_CSS = """
    Rows {
        .rows--cursor { background: $panel-lighten-1; }
        &:focus .rows--cursor { background: $primary; color: $text; text-style: bold; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("home,g", "go(0)", "First", show=False),
        Binding("end,G", "go(-1)", "Last", show=False),
    ]

    cursor = reactive(0, repaint=False)

    class Moved(Message):
        """Another row is chosen, or another thing is in the chosen one."""

        def __init__(self, rows: Rows[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> Rows[Any]:
            """The list, by which a handler is found."""
            return self.rows

    class Opened(Moved):
        """A row was clicked twice."""

    def __init__(self, clean: Clean, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(clean, id=id)
        self.rows: Sequence[Row] = ()

    @property
    def chosen(self) -> Row | None:
        """The row under the cursor, None where the list is empty."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def show(self, rows: Sequence[Row], cursor: int = 0, *, follow: bool = True) -> None:
        """Show other rows, and choose one; without ``follow``, only where the cursor was seen it
        stays in sight."""
        follow = follow or self._in_sight()
        self.rows = rows
        self._said = ()
        self.measure()
        self.set_reactive(Rows.cursor, max(0, min(cursor, len(rows) - 1)))
        if follow:
            self._follow()
        self.post_message(self.Moved(self))

    def empty(self, *said: tuple[str, str]) -> None:
        """Show no rows, but texts."""
        self.rows = ()
        self.set_reactive(Rows.cursor, 0)
        self.say(*said)
        self.scroll_to(y=0, animate=False)

    def fail(self, error: Exception) -> None:
        """Show what went wrong in place of the rows."""
        self.rows = ()
        super().fail(error)

    def style_of(self, index: int) -> Style:
        """Return the style of the cursor, where it is."""
        if index != self.cursor:
            return Style()
        return self.get_component_rich_style("rows--cursor", partial=True)

    def is_bright(self, index: int) -> bool:
        """Tell whether it is the cursor of the pane that has the focus."""
        return index == self.cursor and self.has_focus

    def watch_cursor(self) -> None:
        """Follow the cursor, and tell."""
        self._follow()
        self.post_message(self.Moved(self))

    def _in_sight(self) -> bool:
        top = self.scroll_offset.y
        return top <= self.cursor < top + self.scrollable_content_region.height

    def _follow(self) -> None:
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        super().on_resize()
        self._follow()

    def action_move(self, by: int) -> None:
        """Move the cursor by some rows."""
        self.cursor = max(0, min(self.cursor + by, len(self.rows) - 1))

    def action_page(self, by: int) -> None:
        """Move the cursor by what is seen at once."""
        self.action_move(by * max(1, self.scrollable_content_region.height - 1))

    def action_go(self, to: int) -> None:
        """Choose the first row (0) or the last (-1)."""
        self.cursor = 0 if to == 0 else max(0, len(self.rows) - 1)

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a second click opens it."""
        at = event.get_content_offset(self)
        if at is None:
            return
        index = at.y + self.scroll_offset.y
        if index < len(self.rows):
            self.cursor = index
            if event.chain == 2:
                self.post_message(self.Opened(self))


def _end_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[1 - width :]}"


def _begin_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"

"""Lines of text that are broken where the width ends, of which only those that are seen are
drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType

from hermes_checkpoints.cli.browse.reading import Line
from hermes_checkpoints.cli.browse.rows import Lines
from hermes_checkpoints.cli.browse.words import Clean


class Wrapped(Lines):
    """Texts, each with the style of rich that it is drawn in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup,ctrl+b", "page_up", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "First", show=False),
        Binding("end,G", "scroll_end", "Last", show=False),
    ]

    def __init__(self, clean: Clean, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(clean, id=id)
        self._lines: Sequence[Line] = ()
        self._drawn: list[Line] = []
        self._width = 0

    def show(self, lines: Sequence[Line]) -> None:
        """Show lines, which are clean, from the first."""
        self._lines, self._width = lines, 0
        self.measure()
        self.scroll_to(y=0, animate=False, force=True)

    def say(self, *said: tuple[str, str]) -> None:
        """Show texts, each with a style."""
        self.show([Line(self.clean(text), style) for text, style in said])

    def measure(self) -> None:
        """Break the lines for the width that there is."""
        width = max(8, self.scrollable_content_region.width)
        if self._width != width:
            self._width = width
            self._drawn = [part for line in self._lines for part in self.broken(line, width)]
        super().measure()

    def count(self) -> int:
        """Return how many lines are drawn."""
        return len(self._drawn)

    def line(self, index: int, width: int) -> Text:
        """Return a line, or a part of one."""
        del width
        return Text.assemble((self._drawn[index].text, self._drawn[index].style))

    def broken(self, line: Line, width: int) -> list[Line]:
        """Return a line in parts that are no wider, broken between words."""
        if cell_len(line.text) <= width:
            return [line]
        indent = " " * (len(line.text) - len(line.text.lstrip()) + 2)
        parts = Text(line.text.lstrip()).wrap(self.app.console, max(8, width - len(indent)))
        first = indent[2:]
        return [
            Line(f"{indent if number else first}{part.plain}", line.style)
            for number, part in enumerate(parts)
        ]

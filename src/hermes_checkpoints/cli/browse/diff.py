"""The difference of the chosen file, coloured; long lines go on below."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType

from hermes_checkpoints.cli.browse.reading import Line
from hermes_checkpoints.cli.browse.rows import BETWEEN_PANES
from hermes_checkpoints.cli.browse.wrapped import Wrapped

_CLASSES = {"green": "diff--added", "red": "diff--removed", "cyan": "diff--place"}
_OF_GIT = {"", "bold", *_CLASSES}
"""The styles of lines that are of the difference itself."""

SAID = "dim italic"
"""The style of a line that is no part of the difference, but said of the file."""


class DiffView(Wrapped):
    """What changed in a file; the styles of its lines are those of ``diff_style``."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*_CLASSES.values()}

    DEFAULT_CSS = """
    DiffView {
        .diff--added { color: $text-success; background: $success 15%; }
        .diff--removed { color: $text-error; background: $error 15%; }
        .diff--place { color: $text-accent; text-style: bold; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*BETWEEN_PANES]

    def line(self, index: int, width: int) -> Text:
        """Return a line, whose colours are those of the theme."""
        del width
        line = self._drawn[index]
        return Text.assemble((line.text, "" if line.style in _CLASSES else line.style))

    def broken(self, line: Line, width: int) -> list[Line]:
        """Return a line in parts that are no wider, broken wherever the width ends; what is said
        of the file, between words."""
        if line.style not in _OF_GIT:
            return super().broken(line, width)
        if cell_len(line.text) <= width:
            return [line]
        first = chop_cells(line.text, width)[0]
        rest = chop_cells(line.text[len(first) :], width - 1)
        return [Line(first, line.style), *(Line(f" {part}", line.style) for part in rest)]

    def style_of(self, index: int) -> Style:
        """Return the colours of a line that was added or removed."""
        name = _CLASSES.get(self._drawn[index].style)
        return Style() if name is None else self.get_component_rich_style(name)

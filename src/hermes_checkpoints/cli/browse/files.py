"""The files that changed after the chosen checkpoint: what happened to each, and by whom."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType

from hermes_checkpoints.cli.browse.reading import FileRow
from hermes_checkpoints.cli.browse.rows import BETWEEN_PANES, Rows
from hermes_checkpoints.cli.browse.words import Clean
from hermes_checkpoints.cli.text import shortened
from hermes_checkpoints.model import ChangeStatus

_COLOURS = {
    ChangeStatus.ADDED: "bold green",
    ChangeStatus.DELETED: "bold red",
    ChangeStatus.MODIFIED: "bold yellow",
    ChangeStatus.TYPE_CHANGED: "bold magenta",
}


class Files(Rows[FileRow]):
    """The list of files; ``marked`` are those that a restore is limited to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *BETWEEN_PANES,
        Binding("space", "mark", "Mark", key_display="Space"),
    ]

    def __init__(self, clean: Clean, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(clean, id=id)
        self.marked: set[str] = set()

    def action_mark(self) -> None:
        """Mark the chosen file, or take the mark away, and go on to the next."""
        row = self.chosen
        if row is not None:
            self.marked ^= {row.path}
            self.refresh()
            self.action_move(1)

    def wanted(self) -> list[FileRow]:
        """Return the marked files, or the chosen one where none is marked."""
        marked = [row for row in self.rows if row.path in self.marked]
        return marked or ([] if self.chosen is None else [self.chosen])

    def line(self, index: int, width: int) -> Text:
        """Return mark, letter, path, lines and who."""
        row = self.rows[index]
        text = Text()
        text.append("*" if row.path in self.marked else " ", "bold")
        letter = "?" if row.status is None else str(row.status)
        text.append(f"{letter} ", _COLOURS.get(row.status, "bold") if row.status else "bold")
        lines = Text()
        if row.insertions:
            lines.append(f" +{row.insertions}", "green")
        if row.deletions:
            lines.append(f" -{row.deletions}", "red")
        by = f" {row.who}" if row.who else ""
        if row.stays:
            by += " stays"
        path = self.clean(row.path)
        room = max(8, width - cell_len(text.plain) - cell_len(by))
        if cell_len(path) + cell_len(lines.plain) > room:
            lines = Text()  # the path and who changed it are worth more
        room -= cell_len(lines.plain)
        path = shortened(path, room)
        text.append(set_cell_size(path, room), "dim" if row.stays else "")
        text.append_text(lines)
        text.append(by, "dim")
        return text

"""The checkpoints as a conversation: what was asked for, when, who worked then, and on how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import BindingType
from textual.message import Message

from hermes_checkpoints.cli.browse.rows import BETWEEN_PANES, Rows
from hermes_checkpoints.cli.browse.words import (
    asked,
    is_prompt,
    is_safety,
    name_of,
)
from hermes_checkpoints.cli.followed import colour_of, hands_after, word_of
from hermes_checkpoints.cli.log import markers
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import TimelineEntry
from hermes_checkpoints.text import how_old

_NEAR_THE_END = 10


class Timeline(Rows[TimelineEntry]):
    """The list of checkpoints. ``present`` is how many files changed since the newest, where that
    was counted."""

    BINDINGS: ClassVar[list[BindingType]] = [*BETWEEN_PANES]

    present: tuple[str, int] | None = None
    _names_of: Mapping[str, str] = MappingProxyType({})

    class Ends(Message):
        """The end of what was read so far comes into sight."""

    def show(self, rows: Sequence[TimelineEntry], cursor: int = 0, *, follow: bool = True) -> None:
        """Show other entries, and choose one."""
        self._names_of = {entry.checkpoint.id: name_of(entry) for entry in rows}
        super().show(rows, cursor, follow=follow)

    def extend(self, rows: Sequence[TimelineEntry]) -> None:
        """Show older entries, too, and leave the rest as it is."""
        self._names_of = {entry.checkpoint.id: name_of(entry) for entry in rows}
        self.rows = rows
        self.measure()

    def watch_cursor(self) -> None:
        """Tell also where older ones are needed."""
        super().watch_cursor()
        if self.cursor + _NEAR_THE_END >= len(self.rows):
            self.post_message(self.Ends())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell where older ones come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if new_value + self.size.height + _NEAR_THE_END >= len(self.rows):
            self.post_message(self.Ends())

    def line(self, index: int, width: int) -> Text:
        """Return number, age, who, how many files, what was asked for, and what is special."""
        entry = self.rows[index]
        checkpoint = entry.checkpoint
        files = self._files(entry)
        by = word_of(hands_after(entry.whose, entry.files))
        digits = max(3, len(str(self.rows[0].number or len(self.rows))))
        quiet = is_safety(checkpoint)
        text = Text()
        text.append(f"{'' if entry.number is None else entry.number:>{digits}}", "bold")
        text.append(f" {how_old(checkpoint.created_at):>4}", "dim")
        text.append(f"  {by:<{_width_of_who(width)}}"[: 2 + _width_of_who(width)], colour_of(by))
        text.append(f" {'' if files is None else counted(files, 'file'):>10}  ", "dim")
        marks = [self.clean(mark) for mark in markers(checkpoint) if mark != "safety"]
        special = "".join(f" [{mark}]" for mark in marks)
        room = max(10, width - cell_len(text.plain))
        most = max(0, room - 12)
        if cell_len(special) > most:
            special = set_cell_size(special, max(0, most - 1)) + "…" if most else ""
        title = ("› " if is_prompt(entry) else "") + self.clean(asked(entry, self._names_of))
        room -= cell_len(special)
        if cell_len(title) > room:
            title = f"{set_cell_size(title, room - 1)}…"
        style = "dim italic" if quiet else ("bold" if is_prompt(entry) else "")
        text.append(set_cell_size(title, room) if special else title, style)
        text.append(special, "yellow")
        return text

    def _files(self, entry: TimelineEntry) -> int | None:
        if entry.files is None and self.present is not None:
            name, files = self.present
            if name == entry.checkpoint.id and entry.until is None:
                return files
        return entry.files


def _width_of_who(width: int) -> int:
    return 9 if width < 100 else 11

"""Draws with ASCII alone, where the terminal may not know other characters."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_FOR = {
    **dict.fromkeys("─━═▔▁", "-"),
    **dict.fromkeys("│┃║▌▐▏▕▎", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛", "+"),
    "›": ">",
    "…": "~",
    "↑": "^",
    "↓": "v",
    "←": "<",
    "→": ">",
    "·": "-",
    "●": "*",
    **dict.fromkeys("▂▃▄▅▆▇█", " "),
}


class AsciiOnly(LineFilter):
    """Puts a character of ASCII in the place of each other one, as wide as that."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        del background
        return [
            segment
            if segment.text.isascii()
            else Segment("".join(map(_plain, segment.text)), segment.style, segment.control)
            for segment in segments
        ]


def _plain(character: str) -> str:
    return character if character.isascii() else _FOR.get(character, "?" * cell_len(character))

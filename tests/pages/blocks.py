"""The pages of the documentation, and what they hold: fenced blocks, and commands in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(CHECKOUT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        *(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *sorted((CHECKOUT / "docs").glob("*.md")),
    )
}
"""The text of each page by its path from the checkout."""

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: the language behind its fence, and its text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, *languages: str) -> list[Block]:
    """Return the blocks of a page in these languages, or all, in their order."""
    text = PAGES[page]
    found = [
        Block(page, text.count("\n", 0, one.start()) + 1, one[2], one[3])
        for one in _BLOCK.finditer(text)
    ]
    assert len(_FENCE.findall(text)) == 2 * len(found), f"{page} has a fence that is no block"
    return [block for block in found if not languages or block.language in languages]


def only(page: str, language: str) -> str:
    """Return the text of the one block of a page in a language."""
    (block,) = blocks(page, language)
    return block.text


def with_blocks(*languages: str) -> list[str]:
    """Return the pages that have a block in one of these languages."""
    return [page for page in PAGES if blocks(page, *languages)]


def spans(page: str) -> list[str]:
    """Return what stands between backquotes in the text of a page, each in one line."""
    text = _BLOCK.sub("", PAGES[page])
    return [" ".join(one.split()) for one in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]

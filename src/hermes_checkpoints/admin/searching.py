"""Searches contents with a regular expression: each content once, all by one git process.

``git grep`` takes trees: it would read a content again in each checkpoint that has it, and its
expressions are not those of Python.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hermes_checkpoints.errors import BadRequest, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import ContentMatch
from hermes_checkpoints.object_store.git_objects import is_text
from hermes_checkpoints.object_store.steady_reader import SteadyReader

MOST_BYTES = 16 * 1024 * 1024
"""Contents over this size are not searched."""

_MOST_TEXT = 200


def read_expression(text: str) -> re.Pattern[bytes]:
    """Return a regular expression on bytes, in which ``^`` and ``$`` mean each line.

    Raises:
        BadRequest: when it is none.
    """
    try:
        return re.compile(os.fsencode(text), re.MULTILINE)
    except (re.error, OverflowError, RecursionError, UnicodeError) as error:
        raise BadRequest(f"{text!r} is no regular expression: {error}") from error


class Searched:
    """The contents that were searched: where each matched, or why it was not searched."""

    def __init__(self) -> None:
        self.matches: dict[str, ContentMatch] = {}
        self.left_out: dict[str, str] = {}


def search(
    git: Git, expression: re.Pattern[bytes], blobs: Iterable[tuple[str, int | None]]
) -> Searched:
    """Search contents, given by id with their size where it is known; each is read once.

    Raises:
        GitTimedOut, GitMissing.
        StoreDamaged: when too much is damaged to go on.
    """
    found = Searched()
    with SteadyReader(git) as reader:
        for blob, size in blobs:
            if size is not None and size > MOST_BYTES:
                found.left_out[blob] = "large"
                continue
            try:
                content = reader.read(blob)[2]
            except StoreDamaged:
                found.left_out[blob] = "damaged"
                continue
            if len(content) > MOST_BYTES:
                found.left_out[blob] = "large"
            elif not is_text(content):
                found.left_out[blob] = "binary"
            elif (at := _place(expression, content)) is not None:
                found.matches[blob] = at
    return found


def _place(expression: re.Pattern[bytes], content: bytes) -> ContentMatch | None:
    """Return where a content matches first, as it is or with the line ends of Unix: ``$`` does not
    stand before a CR."""
    for text in (content, content.replace(b"\r\n", b"\n")):
        match = expression.search(text)
        # Behind the last line end there is no line, though ``^`` and ``$`` match there.
        if match is not None and not (match.start() == len(text) and text.endswith(b"\n")):
            return _match(text, match.start())
        if b"\r\n" not in content:
            break
    return None


def _match(content: bytes, at: int) -> ContentMatch:
    begin = content.rfind(b"\n", 0, at) + 1
    end = content.find(b"\n", at)
    line = content[begin : len(content) if end < 0 else end].rstrip(b"\r")
    return ContentMatch(content.count(b"\n", 0, at) + 1, os.fsdecode(line)[:_MOST_TEXT])

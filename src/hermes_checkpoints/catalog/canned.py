"""The questions that come with the package: one file each below ``questions/``.

A file begins with the question in one line, then a line for each parameter (``:name``, what it is,
and in brackets what an empty one stands for), then what else there is to know. All of that is
comments; behind it stands the query. docs/sql.md shows the same, and a test compares.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from hermes_checkpoints.model.queries import Parameter, Question

_FOLDER = Path(__file__).parent / "questions"
_PARAMETER = re.compile(r":(\w+) (.*)")


@functools.cache
def questions() -> dict[str, Question]:
    """Return the questions by name, in the order of names, which puts those of one subject
    together."""
    files = sorted(_FOLDER.glob("*.sql"), key=lambda file: file.stem)
    return {file.stem: read(file.stem, file.read_text(encoding="utf-8")) for file in files}


def read(name: str, text: str) -> Question:
    """Read the text of a file.

    >>> read("n", "-- How many?\\n-- :of which (all)\\n-- In short.\\nSELECT 1;\\n").parameters
    (Parameter(name='of', about='which (all)', needed=False),)
    """
    lines = text.splitlines()
    head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    matches = [_PARAMETER.fullmatch(line) for line in head]
    return Question(
        name,
        head[0],
        " ".join(line for line, found in zip(head[1:], matches[1:], strict=True) if not found),
        tuple(Parameter(found[1], found[2], found[2][-1:] != ")") for found in matches if found),
        "\n".join(line for line in lines if not line.startswith("--")).strip() + "\n",
    )

"""Reads the configuration file of a store, which git obeys, without git.

An old store, or one that was handed over, may have settings that start programs, fetch objects or
read other files. The store needs none beside what this program writes and what `git init` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = re.compile(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)')
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")
_UNREADABLE = "a line that is no setting"


@dataclass(frozen=True)
class Setting:
    """A setting by its whole name, such as ``remote.origin.url``: section and key in small letters,
    what stands in quotes between them as it is."""

    name: str
    value: str


def settings(text: str) -> Iterator[Setting]:
    """Yield the settings of a configuration in their order. A line that git would not read
    is yielded with ``a line that is no setting`` as its name."""
    section = ""
    for line in _whole_lines(text):
        rest = line
        header = _SECTION.match(line)
        if header is not None:
            section = header[1].lower() + (f".{header[2]}" if header[2] is not None else "")
            rest = header[3]
        rest = rest.strip()
        if not rest or rest[0] in "#;":
            continue
        match = _KEY.fullmatch(rest)
        if match is None or not section:
            yield Setting(_UNREADABLE, rest)
            continue
        value = "true" if match[2] is None else match[2].strip()
        yield Setting(f"{section}.{match[1].lower()}", value)


def foreign(text: str, own: str) -> list[Setting]:
    """Return the settings of a configuration that ``own``, which this program writes there, does
    not have, or has with another value."""
    known = set(settings(own))
    return [one for one in settings(text) if one not in known]


def _whole_lines(text: str) -> Iterator[str]:
    """Yield lines, with those joined that a backslash at the end continues."""
    joined = ""
    for line in text.splitlines():
        joined += line
        if joined.endswith("\\") and not joined.endswith("\\\\"):
            joined = joined[:-1]
            continue
        yield joined
        joined = ""
    if joined:
        yield joined

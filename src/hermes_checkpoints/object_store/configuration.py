"""Reads the configuration file of a store, which git obeys, without git.

An old store, or one that was handed over, may have settings that start programs, fetch objects or
read other files. The store needs none beside what this program writes and what `git init` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ALLOWED = {
    "core.repositoryformatversion": "0",
    "core.filemode": None,
    "core.bare": "true",
    "core.ignorecase": None,
    "core.precomposeunicode": None,
    "core.symlinks": None,
}
"""What `git init --bare` writes, with the value that it must have; None where the system decides
that."""

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


def foreign(text: str) -> list[Setting]:
    """Return the settings of a configuration that neither `git init` nor this program writes there.
    ``text`` is what stands before the part of this program."""
    return [one for one in settings(text) if not _is_allowed(one)]


def cleaned(text: str) -> str:
    """Return a configuration with those settings alone that `git init` writes."""
    fixed = {name: value for name, value in ALLOWED.items() if value is not None}
    values = fixed | {one.name: one.value for one in settings(text) if _is_allowed(one)}
    lines = [f"\t{name.partition('.')[2]} = {values[name]}\n" for name in ALLOWED if name in values]
    return "".join(["[core]\n", *lines])


def _is_allowed(setting: Setting) -> bool:
    if setting.name not in ALLOWED:
        return False
    wanted = ALLOWED[setting.name]
    plain = re.fullmatch(r"[A-Za-z0-9]+", setting.value) is not None
    return plain and wanted in (None, setting.value)


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

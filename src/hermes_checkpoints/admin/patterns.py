"""What a pattern of ``find`` means: a glob on paths that are relative to the project.

The form is that of ``.gitignore``, as far as it says which names are meant:

- Without ``/`` it is matched with the last name of a path, else with the whole path.
- ``*`` and ``?`` match no ``/``, ``[abc]`` one character, ``**`` as a whole name any number of
  directories. Everything else is literal: ``%``, ``_`` and ``\\``, too.
- With ``/`` at its end it means directories, and so all that lies below them. One that has no
  ``*``, ``?`` or ``[`` means a file or a directory.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from hermes_checkpoints.errors import BadRequest

_SPECIAL = re.compile(r"[*?\[]")
_LITERAL = re.compile(r"[^*?\[]+")


@dataclass(frozen=True)
class Pattern:
    """A pattern that was read. ``part`` is text that every path has which it matches; ``matches``
    tells whether a path is meant."""

    text: str
    part: str
    matches: Callable[[str], bool]


EVERYTHING = Pattern("**", "", lambda _: True)
"""All paths."""


def read_pattern(text: str | None) -> Pattern:
    """Return what a pattern means; None means all paths.

    >>> read_pattern("*.py").matches("src/app.py"), read_pattern("src/*.py").matches("src/a/b.py")
    (True, False)
    >>> read_pattern("src").matches("src/a/b.py"), read_pattern("src/**/b.py").part
    (True, 'b.py')

    Raises:
        BadRequest: when it is empty, leaves the project, or cannot be read.
    """
    if text is None:
        return EVERYTHING
    names = text.split("/")
    if not text.strip("/") or "\0" in text:
        raise BadRequest(f"{text!r} is no pattern; give a name such as 'notes.txt' or '*.py'")
    if not names[0] or ".." in names:
        raise BadRequest(f"the pattern {text!r} leaves the project; patterns are relative to it")
    names = [name for name in names if name not in ("", ".")]
    if not names:  # `.` and `./`
        return EVERYTHING
    below = "/.*" if text.endswith("/") else "" if _SPECIAL.search(text) else "(?:/.*)?"
    anywhere = "" if "/" in text.rstrip("/") else "(?:.*/)?"
    try:
        found = re.compile(f"{anywhere}{_translated(names)}{below}", re.DOTALL)
    except re.error as error:
        raise BadRequest(f"{text!r} is no pattern: {error}") from error
    literal = [part for name in names for part in _literal_parts(name)]
    part = max(literal, key=len, default="")
    matches = functools.lru_cache(maxsize=None)(lambda path: found.fullmatch(path) is not None)
    return Pattern(text, part, matches)


def _translated(names: list[str]) -> str:
    """Return the regular expression of names that stand one below the other."""
    found, last = "", len(names) - 1
    for position, name in enumerate(names):
        if name == "**":
            found += ".*" if position == last else "(?:.*/)?"
        else:
            found += _name(name) + ("" if position == last else "/")
    return found


def _name(name: str) -> str:
    found, at = "", 0
    name = re.sub(r"\*+", "*", name)  # several in a row mean the same, and take long to match
    while at < len(name):
        character = name[at]
        end = _end_of_set(name, at) if character == "[" else -1
        if end > 0:
            found += _set(name[at + 1 : end])
            at = end
        else:
            found += {"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character)
        at += 1
    return found


def _end_of_set(name: str, at: int) -> int:
    """Return where a set ends that begins at ``[``; -1 where it does not, so that it is literal."""
    first = at + 1 + (name[at + 1 : at + 2] == "!")
    return name.find("]", first + 1)


def _set(inside: str) -> str:
    negated = inside.startswith("!")
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[negated:])
    return f"(?!/)[{'^' if negated else ''}{escaped}]"


def _literal_parts(name: str) -> list[str]:
    """Return what of a name is certain to be in what it matches."""
    parts, at = [], 0
    while at < len(name):
        if name[at] == "[" and (end := _end_of_set(name, at)) > 0:
            at = end + 1
        elif match := _LITERAL.match(name, at):
            parts.append(match.group())
            at = match.end()
        else:  # a wildcard, or `[` that is literal
            at += 1
    return parts

"""Reads the patterns of ``.git/info/exclude`` for a directory of the repository.

The patterns are those of a .gitignore at the repository's top. Git itself matches them; where the
directory lies below the top, those that are bound to the top are written anew for it first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_MOST_BYTES = 1 << 20
_ANY = "**"


def patterns_for(contents: bytes, subdirectory: str) -> tuple[str, ...]:
    """Return the patterns of an exclude file that hold in a subdirectory of the repository ("" at
    its top), in order, as they are written at the top of that subdirectory.

    For ``docs``, ``/docs/out`` becomes ``/out`` and ``*.tmp`` stays; ``/src/x`` can match nothing
    there and is left out. Where the patterns leave out the subdirectory itself, the repository
    does not count it as a part of it, and none of them holds there. A file of more than 1 MB, or
    with a NUL in it, is none of patterns.
    """
    if len(contents) > _MOST_BYTES or b"\0" in contents:
        return ()
    text = contents.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = tuple(line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    if not subdirectory:
        return lines
    above = subdirectory.split("/")
    if _leave_out(lines, above):
        return ()
    return tuple(rewritten for line in lines for rewritten in _below(line, above))


def _leave_out(lines: Sequence[str], parts: Sequence[str]) -> bool:
    """Tell whether patterns leave out a directory, or one above it."""
    for depth in range(1, len(parts) + 1):
        for line in reversed(lines):
            negated, anchored, components = _split(line)
            names = parts[:depth] if anchored else parts[depth - 1 : depth]
            if any(not rest for rest in _rests(components, names)):
                if not negated:
                    return True
                break
    return False


def _below(line: str, above: Sequence[str]) -> Iterator[str]:
    """Yield a pattern as it is written at the top of a directory; a negated one keeps its sign."""
    negated, anchored, components = _split(line)
    if not anchored:
        yield line
        return
    sign, end = "!" if negated else "", "/" if _body(line).endswith("/") else ""
    for rest in _rests(components, above):
        if rest:
            yield f"{sign}/{'/'.join(rest)}{end}"


def _split(line: str) -> tuple[bool, bool, tuple[str, ...]]:
    """Return whether a pattern is negated, whether it is bound to the top, and its parts; as to
    git, more than two stars are two."""
    body = _body(line)
    parts = (_ANY if re.fullmatch(r"\*{2,}", part) else part for part in body.strip("/").split("/"))
    return line.startswith("!"), "/" in body.rstrip("/"), tuple(parts)


def _body(line: str) -> str:
    body = line.removeprefix("!").removesuffix("\r")
    bare = body.rstrip(" ")  # a space at the end counts only behind a backslash
    return f"{bare} " if bare.endswith("\\") and bare != body else bare


def _rests(components: tuple[str, ...], names: Sequence[str]) -> set[tuple[str, ...]]:
    """Return what may be left of a pattern after it has matched these directories. ``**`` stands
    for any number of them; at the end, for one at least."""
    states = {components}
    for name in names:
        following: set[tuple[str, ...]] = set()
        for state in states:
            stars = 0
            while state[stars : stars + 1] == (_ANY,):
                following.add(state[stars:])
                stars += 1
            if 0 < stars == len(state):
                following.add(())
            if len(state) > stars and _matches(state[stars], name):
                following.add(state[stars + 1 :])
        states = following
    return states


def _matches(pattern: str, name: str) -> bool:
    """Tell whether one part of a pattern matches one name."""
    if not any(character in pattern for character in "*?[\\"):
        return pattern == name
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        end = pattern.find("]", at + (3 if pattern[at + 1 : at + 2] in ("!", "^") else 2))
        if character == "\\" and at + 1 < len(pattern):
            at += 1
            parts.append(re.escape(pattern[at]))
        elif character == "[" and end > 0:
            inner = pattern[at + 1 : end]
            sign = "^" if inner[0] in "!^" else ""
            inner = inner[1:] if sign else inner
            parts.append(f"[{sign}{inner.replace('[', chr(92) + '[').replace('^', chr(92) + '^')}]")
            at = end
        else:
            parts.append({"*": ".*", "?": "."}.get(character, re.escape(character)))
        at += 1
    try:
        return re.fullmatch("".join(parts), name, re.DOTALL) is not None
    except re.error:
        return False

"""Reads YAML that anybody may have written, in bounded time and memory.

Only plain values are made, never objects. Refused are a text that is too long, a number that takes
time that grows with the square of its digits (``1:00:00…`` is one number in YAML 1.1), a number of
more than 20 characters as a key (thousands of such can be made that Python hashes alike), and, if
asked, a text that aliases make into millions of values.
"""

from __future__ import annotations

import functools
from typing import Any

MOST_CHARACTERS = 16 * 1024 * 1024
_MOST_SLOWLY = 1024 * 1024
"""How much is read again by the parser in Python, a hundred times slower, which knows halves of
surrogate pairs (``"\\ud800"``); a text without one is not."""
_MOST_DIGITS = 4300
_LONG_KEY = 18
_MOST_LONG_KEYS = 1_000
"""So many numbers of more characters than ``_LONG_KEY`` are keys of one mapping: Python may hash
all of them alike, and then looks at each for each."""
_TAG = "tag:yaml.org,2002:"
MOST_VALUES = 1_000_000


class Refused(ValueError):
    """A text over a limit, or no YAML; the message says what is wrong, without a full stop."""


def load(text: str, most_values: int | None = None) -> Any:
    """Return the document of a text, whose values may be shared with each other: with
    ``most_values`` at most so many, each alias counted as what it stands for.

    Raises:
        Refused: when it is no YAML, or over a limit.
    """
    import yaml

    if len(text) > MOST_CHARACTERS:
        raise Refused(f"it has more than {MOST_CHARACTERS} characters")
    # PyYAML's constructors raise the others: 2026-13-45 is no date, `!!bool x` no key.
    unmade = (
        *(yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError),
        RecursionError,
    )
    for loader in _loaders():
        try:
            document = yaml.load(text, Loader=loader)  # noqa: S506 - all are safe loaders
        except Refused:
            raise
        except unmade as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            failed = Refused(reason)
            failed.__cause__ = error
            if len(text) > _MOST_SLOWLY or "\\ud" not in text.lower():
                break
        else:
            if most_values is not None:
                _require_few(document, most_values)
            return document
    raise failed


@functools.cache
def _loaders() -> tuple[Any, ...]:
    import yaml

    kinds: list[Any] = [yaml.SafeLoader]
    if yaml.__with_libyaml__:
        kinds.insert(0, yaml.CSafeLoader)
    return tuple(_limited(kind) for kind in kinds)


def _limited(kind: Any) -> Any:
    """Return a safe loader that makes no number of too many digits."""

    from yaml import MappingNode

    def short(construct: Any) -> Any:
        def made(loader: Any, node: Any) -> Any:
            if len(node.value) > _MOST_DIGITS:
                raise Refused(f"it has a number of {len(node.value)} characters")
            return construct(loader, node)

        return made

    def mapping(loader: Any, node: Any, deep: bool = False) -> Any:
        if isinstance(node, MappingNode):
            loader.flatten_mapping(node)
            long = [
                key
                for key, _ in node.value
                if key.tag == f"{_TAG}int" and len(key.value) > _LONG_KEY
            ]
            if len(long) > _MOST_LONG_KEYS:
                raise Refused(f"it has {len(long)} large numbers as keys")
        return kind.construct_mapping(loader, node, deep=deep)

    limited: Any = type(f"Limited{kind.__name__}", (kind,), {"construct_mapping": mapping})
    for tag, construct in (("int", kind.construct_yaml_int), ("float", kind.construct_yaml_float)):
        limited.add_constructor(f"{_TAG}{tag}", short(construct))
    return limited


def _require_few(document: Any, most: int) -> None:
    """Refuse a document that has too many values once each alias is what it stands for. One that
    contains itself is looked at once; who keeps it says so.

    Raises:
        Refused.
    """
    sizes: dict[int, int] = {}
    pending: list[tuple[Any, bool]] = [(document, False)]
    while pending:
        value, seen = pending.pop()
        inside = _inside(value)
        if inside is None:
            continue
        if not seen:
            if id(value) not in sizes:
                sizes[id(value)] = 1
                pending.append((value, True))
                pending += [(one, False) for one in inside]
            continue
        size = 1 + sum(sizes.get(id(one), 1) for one in inside)
        sizes[id(value)] = size
        if size > most:
            raise Refused(f"its aliases stand for more than {most} values")


def _inside(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(value) if isinstance(value, list | tuple | set) else None

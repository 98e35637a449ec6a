"""The words of a command, with quotes taken away and what is not known marked."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_checkpoints.triggers.effect import Effect

if TYPE_CHECKING:
    from tree_sitter import Node

_GLOB = re.compile(r"[*?\[]|\{[^{}]*(?:,|\.\.)[^{}]*\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "0": "\0"}
_SINKS = re.compile(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+)|-")


@dataclass(frozen=True)
class Word:
    """One word. ``literal`` is False where the shell puts something in that is not known,
    ``glob`` says that it stands for the names that match."""

    text: str
    literal: bool = True
    glob: bool = False

    @property
    def is_option(self) -> bool:
        return self.text.startswith("-") and self.text != "-"

    @property
    def is_sink(self) -> bool:
        """Whether writing to it changes no file."""
        if self.literal:
            return _SINKS.fullmatch(self.text) is not None
        return self.text.startswith(">(")  # the commands in it are looked at by themselves

    @property
    def path(self) -> str | None:
        """The path that it names, for a pattern the directory above it; None if not known."""
        if not self.literal or not self.text or "\0" in self.text:
            return None
        if not self.glob:
            return self.text
        fixed = self.text[: _GLOB.search(self.text).start()]  # type: ignore[union-attr]
        return posixpath.dirname(fixed) or ("/" if fixed.startswith("/") else ".")


def names(text: str) -> frozenset[str]:
    """Return the names in a text, which are separated by white space."""
    return frozenset(text.split())


UNKNOWN_WORD = Word("", literal=False)


def masked(source: str) -> bytes:
    """Return a script as the parser may see it: each character that is not ASCII, and NUL, is
    an underscore, so that positions are the same in both.

    The scanner of the grammar asks C's character tables about any character, also far beyond
    their end, which ends the process now and then.
    """
    return re.sub(r"[^\x01-\x7f]", "_", source).encode("ascii")


def text_of(node: Node, source: str) -> str:
    """Return what a node stands for in the script that was parsed, masked."""
    return source[node.start_byte : node.end_byte]


def word_of(node: Node, source: str) -> Word:
    """Return the word that a node of the syntax tree of ``source`` stands for."""
    parts: list[tuple[str, bool, bool]] = []  # text, literal, quoted
    stack = [node]
    while stack:
        found = stack.pop()
        kind = found.type
        if kind == "concatenation":
            stack.extend(reversed(found.children))
        elif kind in {"string", "translated_string"}:
            parts.append(_double_quoted(found, source))
        elif kind == "raw_string":
            parts.append((text_of(found, source)[1:-1], True, True))
        elif kind == "ansi_c_string":
            parts.append((_unescaped(text_of(found, source)[2:-1], ansi=True), True, True))
        elif kind in _EXPANSIONS:
            parts.append((text_of(found, source), False, False))
        else:
            parts.append((text_of(found, source), True, False))
    bare = "".join(text for text, _, quoted in parts if not quoted)
    return Word(
        "".join(text if quoted else _unescaped(text) for text, _, quoted in parts),
        all(literal for _, literal, _ in parts),
        _GLOB.search(re.sub(r"\\.", "", bare, flags=re.DOTALL)) is not None,
    )


_EXPANSIONS = frozenset(
    {
        "arithmetic_expansion",
        "brace_expression",
        "command_substitution",
        "expansion",
        "process_substitution",
        "simple_expansion",
    }
)


def _double_quoted(node: Node, source: str) -> tuple[str, bool, bool]:
    expands = any(child.type in _EXPANSIONS for child in node.named_children)
    inner = text_of(node, source).removeprefix("$")[1:-1]
    return re.sub(r'\\(?:\n|([$`"\\]))', r"\1", inner), not expands, True


def _unescaped(text: str, *, ansi: bool = False) -> str:
    if "\\" not in text:
        return text
    if ansi:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text, flags=re.DOTALL)
    return re.sub(r"\\(\n|.)", lambda m: "" if m[1] == "\n" else m[1], text, flags=re.DOTALL)


@dataclass(frozen=True)
class Arguments:
    """The arguments of a program, told apart: ``options`` with their values (None where an
    option has none), and ``operands``."""

    options: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options is given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Word]:
        """The values that were given to these options."""
        return [value for name, value in self.options if name in names and value is not None]


def parse_arguments(
    words: Sequence[Word], valued: Collection[str] = (), *, stop_at_operand: bool = False
) -> Arguments:
    """Tell options from operands in the manner of GNU: clusters of letters, ``--name=value``,
    ``--`` at the end. ``valued`` names the options (``-t``, ``--target``) that take a value.

    With ``stop_at_operand`` everything from the first operand on is one.
    """
    options: list[tuple[str, Word | None]] = []
    operands: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text == "--":
            operands += rest
            break
        if not word.is_option:
            operands.append(word)
            if stop_at_operand:
                operands += rest
                break
        elif word.text.startswith("--"):
            name, separator, value = word.text.partition("=")
            if separator:
                options.append((name, Word(value, word.literal)))
            else:
                options.append((name, rest.pop(0) if name in valued and rest else None))
        else:
            _cluster(word, valued, rest, options)
    return Arguments(tuple(options), tuple(operands))


def _cluster(
    word: Word,
    valued: Collection[str],
    rest: list[Word],
    options: list[tuple[str, Word | None]],
) -> None:
    letters = word.text[1:]
    for at, letter in enumerate(letters, 1):
        name = f"-{letter}"
        if name not in valued:
            options.append((name, None))
            continue
        attached = letters[at:]
        if attached:
            options.append((name, Word(attached, word.literal)))
        else:
            options.append((name, rest.pop(0) if rest else None))
        return


def change_of(words: Iterable[Word]) -> Effect:
    """Return a change of these operands; sinks are none, and no operand is no change."""
    paths = [word.path for word in words if not word.is_sink]
    return Effect.changes(paths) if paths else Effect.NONE

"""Reads what a person typed after ``/rollback``. No I/O.

A file may have spaces in its name, quoted or not: what stands behind the checkpoint and the
options is one path.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from hermes_checkpoints.agent.conversation import Scope
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Mode

COMMAND = "/rollback"


class Verb(enum.StrEnum):
    """What a ``/rollback`` asks for."""

    LIST = "list"
    RESTORE = "restore"
    DIFF = "diff"
    SHOW = "show"
    UNDO = "undo"
    REDO = "redo"
    PLAN = "plan"
    HELP = "help"


class Limit(enum.StrEnum):
    """What limits a restore unless the person takes it away."""

    SESSION = "session"  # what agents of other sessions changed stays
    PROJECT = "project"  # so do the projects inside the one that is restored


@dataclass(frozen=True)
class Request:
    """A ``/rollback`` as it was understood. ``mode`` and ``scope`` are None where the person
    named none; ``wider`` are the limits that are taken away."""

    verb: Verb
    reference: str = ""
    path: str | None = None
    mode: Mode | None = None
    scope: Scope | None = None
    wider: frozenset[Limit] = frozenset()


_OPTIONS: dict[str, Mode | Scope | Limit] = {
    "--all": Mode.OVERLAY,
    "--exact": Mode.EXACT,
    "--everyone": Limit.SESSION,
    "--nested": Limit.PROJECT,
    "--files": Scope.FILES,
    "--chat": Scope.CHAT,
}
OPTION_OF: dict[object, str] = {meaning: option for option, meaning in _OPTIONS.items()}
"""The option that a mode, or a scope, is asked for with."""

_WORD = re.compile(r"\s*(@\{[^{}]*\}(?!\S)|\S+)")
"""A word; a time in braces may have spaces in it."""


def parse(typed: str, command: str = COMMAND) -> Request:
    """Return what was asked for, with or without the word ``command`` before it.

    Raises:
        BadRequest: with the usage, when it has none of the known forms.
    """
    if not isinstance(typed, str):
        raise BadRequest(f"what was typed behind {command} is text, not {typed!r}")
    text = typed.strip()
    if text == command or text.startswith((f"{command} ", f"{command}\t")):
        text = text[len(command) :].strip()
    first, rest = _split(text)
    verb = first.lower()
    if not first:
        return Request(Verb.LIST)
    if verb == Verb.HELP and not rest:
        return Request(Verb.HELP)
    if verb in {Verb.DIFF, Verb.SHOW}:
        reference, more = _split(rest)
        if not reference or (more and verb == Verb.SHOW) or more.isdecimal():
            file = " [<file>]" if verb == Verb.DIFF else ""
            raise BadRequest(f"Usage: {command} {verb} <N>{file}")
        return Request(Verb(verb), reference, _path(more))
    if verb in {Verb.UNDO, Verb.REDO}:
        mode, scope, wider, more = _options(rest)
        if mode is Mode.OVERLAY or scope is Scope.CHAT or wider or more:
            raise BadRequest(f"Usage: {command} {verb} [--exact] [--files]")
        return Request(Verb(verb), mode=mode, scope=scope)
    return _restore(text, command)


def typed(path: str) -> str:
    """Return how a path is typed behind a checkpoint, so that ``parse`` reads that path."""
    for words in (path, f"-- {path}"):
        try:
            if parse(f"1 {words}") == Request(Verb.RESTORE, "1", path):
                return words
        except BadRequest:
            continue
    return f'-- "{path}"'


def _restore(text: str, command: str) -> Request:
    mode, scope, wider, text = _options(text)
    reference, rest = _split(text)
    if not reference or reference.startswith("-"):
        raise BadRequest(
            f"Usage: {command} <N> [--all | --exact] [--everyone] [--nested] [--files | --chat], "
            f"or {command} <N> <file>"
        )
    more_mode, more_scope, more_wider, rest = _options(rest)
    if (mode and more_mode) or (scope and more_scope):
        raise BadRequest("give --all or --exact, and --files or --chat, once")
    mode, scope = mode or more_mode, scope or more_scope
    wider |= more_wider
    if rest == Verb.PLAN and scope is not Scope.CHAT:  # `-- plan` is a file of that name
        return Request(Verb.PLAN, reference, None, mode, scope, wider)
    path = _path(rest)
    if scope is Scope.CHAT and (mode is not None or path is not None or wider):
        raise BadRequest("--chat leaves the files alone, so it takes no file, --all or --exact")
    return Request(Verb.RESTORE, reference, path, mode, scope, wider)


def _options(text: str) -> tuple[Mode | None, Scope | None, frozenset[Limit], str]:
    """Take the options from the beginning of a text, and from its end."""
    mode: Mode | None = None
    scope: Scope | None = None
    wider: frozenset[Limit] = frozenset()
    while True:
        word, rest = _split(text)
        value = _OPTIONS.get(word)
        if value is None:
            head, _, tail = text.rpartition(" ")
            value = _OPTIONS.get(tail) if head and not re.search(r"(^|\s)--\s", text) else None
            rest = head.rstrip()
        if value is None:
            return mode, scope, wider, text
        if isinstance(value, Limit):
            wider |= {value}
        elif isinstance(value, Mode):
            if mode not in (None, value):
                raise BadRequest("--all and --exact exclude each other")
            mode = value
        else:
            if scope not in (None, value):
                raise BadRequest("--files and --chat exclude each other")
            scope = value
        text = rest


def _path(text: str) -> str | None:
    if text.startswith("-- "):
        text = text[3:].strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
        if not text:
            raise BadRequest("the path is empty; name a file, or leave it away")
    return text or None


def _split(text: str) -> tuple[str, str]:
    """Return the first word of a text and what follows it."""
    match = _WORD.match(text)
    return (match[1], text[match.end() :].strip()) if match else ("", "")

"""Answers a shell that completes a word; the library argcomplete speaks with it.

Where a checkpoint stands, ids and labels are offered, and where a path of a checkpoint stands, what
that checkpoint holds, also what is gone from the working directory. Nothing is ever printed but
these, and nothing changed: what cannot be found out is not offered.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from argcomplete.completers import BaseCompleter, FilesCompleter
from argcomplete.finders import CompletionFinder

from hermes_checkpoints.cli.completion import HERMES
from hermes_checkpoints.cli.program import parser_of, parser_of_hermes
from hermes_checkpoints.cli.target import Target, opened_sessions, target
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import LATEST

_MOST = 50
"""How many of the newest checkpoints are offered."""

_REFERENCES = frozenset({"reference", "references", "words"})
_PATHS = frozenset({"paths", "words"})
_ON_DISK = frozenset({"DIR", "PATH", "PATTERN", "OLD", "NEW"})


def answer() -> None:
    """Tell the shell what the word may become, and end. Which program is completed, the line says:
    another one may answer for it."""
    line = os.environ.get("COMP_LINE", "").split(maxsplit=1)
    of_hermes = bool(line) and os.path.basename(line[0]) == HERMES
    parser = parser_of_hermes() if of_hermes else parser_of()
    _Finder()(parser, always_complete_options=False, default_completer=_Offers())


class _Finder(CompletionFinder):
    """Knows that paths may also stand behind options, as ``VerbParser`` reads them."""

    def collect_completions(
        self,
        active_parsers: list[argparse.ArgumentParser],
        parsed_args: argparse.Namespace,
        cword_prefix: str,
    ) -> list[str]:
        found = super().collect_completions(active_parsers, parsed_args, cword_prefix)
        verb = active_parsers[-1]
        if not cword_prefix.startswith("-") and not getattr(verb, "active_actions", True):
            listed = getattr(verb, "listed", None)
            for action in verb._actions:
                if listed is not None and action.dest == listed:
                    offers = _offer(cword_prefix, action, parsed_args)
                    found += [word for word in offers if word.startswith(cword_prefix)]
        # A shell reads words of text, one a line: no name with other bytes, nor with a line's end.
        return [word for word in found if word.isprintable()]


class _Offers(BaseCompleter):
    """Offers what an argument may be: what the library calls a completer."""

    def __call__(
        self,
        *,
        prefix: str,
        action: argparse.Action,
        parsed_args: argparse.Namespace,
        **_: Any,
    ) -> Iterable[str]:
        return _offer(prefix, action, parsed_args)


def _offer(prefix: str, action: argparse.Action, given: argparse.Namespace) -> list[str]:
    """Return the words that an argument may be, with what stands on the line so far."""
    found: list[str] = []
    with suppress(CheckpointError, OSError):
        if action.dest == "session_id":
            with opened_sessions(given) as sessions:
                found += [session.summary.session_id for session in sessions.list()]
        elif action.dest == "question":
            from hermes_checkpoints.catalog.canned import questions

            found += questions()
        elif action.dest == "session":
            with target(given) as what:
                found += {one.session_id for one in what.project.list() if one.session_id}
        elif action.dest in _REFERENCES | _PATHS and action.metavar != "PATTERN":
            with target(given) as what:
                if action.dest in _REFERENCES:
                    found += _references(what)
                if action.dest in _PATHS:
                    found += _paths(what, prefix, _named(given))
        elif action.metavar in _ON_DISK:
            found += FilesCompleter()(prefix)
    return found


def _references(what: Target) -> Iterator[str]:
    """Yield labels, then ids, newest first."""
    checkpoints = what.project.list()
    if checkpoints:
        yield LATEST
    for checkpoint in checkpoints:
        yield from checkpoint.labels
    for checkpoint in checkpoints[:_MOST]:
        yield checkpoint.short_id


def _named(args: argparse.Namespace) -> list[str]:
    """Return the checkpoints that stand on the line so far, or may."""
    first = getattr(args, "reference", None)
    return [*([first] if first else []), *getattr(args, "words", [])]


def _names(what: Target, word: str, folder: str) -> list[str]:
    return what.project.names(word, "" if folder == "." else folder)


def _paths(what: Target, prefix: str, named: list[str]) -> Iterator[str]:
    """Yield what the named checkpoints hold in the folder of a word, else what the newest does."""
    above, _, _ = prefix.rpartition("/")
    folder = what.path(above or ".")
    held: dict[str, list[str]] = {}
    for word in named:
        with suppress(CheckpointError):
            held[word] = _names(what, word, folder)
    for names in held.values() or [_names(what, LATEST, folder)]:
        for name in names:
            yield os.path.join(above, name)

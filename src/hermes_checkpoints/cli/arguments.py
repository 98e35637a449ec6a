"""Arguments that several verbs share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import timedelta

from hermes_checkpoints.base.as_of import FORMS
from hermes_checkpoints.cli.parser import VerbParser
from hermes_checkpoints.config import duration

_DIGITS = 9


def add_directory(parser: VerbParser, words: str | None = None) -> None:
    """Add the working directory as ``DIR``."""
    parser.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help=words or "the working directory (default: the project of the current directory)",
    )
    parser.behind = "directory"


def add_reference(
    parser: VerbParser, *, optional: bool = False, otherwise: str = "the newest"
) -> None:
    """Add the ``ID`` of a checkpoint; one that is not given is ``otherwise``."""
    parser.add_argument(
        "reference",
        nargs="?" if optional else None,
        metavar="ID",
        help="an id or a unique beginning of one, `latest`, a label, the number that `log` shows, "
        f"or a time, for the newest until then: {FORMS}"
        f"{f' (default: {otherwise})' if optional else ''}",
    )
    parser.behind = parser.behind or "reference"


def add_paths(
    parser: VerbParser, words: str, *, name: str = "paths", metavar: str = "PATH"
) -> None:
    """Add ``PATH …``, also behind options; what stands behind ``--`` is a path."""
    parser.add_argument(name, nargs="*", default=[], metavar=metavar, help=words)
    parser.behind = parser.listed = name


def add_limit(
    parser: argparse.ArgumentParser, words: str, kind: Callable[[str], int] | None = None
) -> None:
    """Add ``-n N`` and ``--limit N``, of at least 1 unless ``kind`` reads it."""
    parser.add_argument("-n", "--limit", dest="limit", type=kind or count, metavar="N", help=words)


def add_force(parser: argparse.ArgumentParser, words: str = "do not ask") -> None:
    """Add ``-f`` and its other names."""
    parser.add_argument(
        "-f", "--force", "-y", "--yes", dest="force", action="store_true", help=words
    )


def add_dry_run(
    parser: argparse.ArgumentParser, words: str = "print the plan, change nothing"
) -> None:
    """Add ``--dry-run``."""
    parser.add_argument("--dry-run", action="store_true", help=words)


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    if not _is_whole(text) or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return whole(text)


def whole(text: str) -> int:
    """Read a whole number, 0 included."""
    if not _is_whole(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    if len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is too large; give a number of {_DIGITS} digits at most"
        )
    return int(text)


def time_of(text: str) -> timedelta:
    """Read a length of time such as ``12h``, ``7d`` or ``2w``."""
    found = duration(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 12h, 7d or 2w")
    return found


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal()

"""``find``: which checkpoint holds a path, whether the path is there now, and how it comes back."""

from __future__ import annotations

import argparse
import glob
from collections.abc import Iterable
from pathlib import PurePath

from hermes_checkpoints.cli.arguments import add_limit, add_paths
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.holders import bring_back, lost_line
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import say_parts
from hermes_checkpoints.cli.target import Target, path_of, target
from hermes_checkpoints.cli.text import age, counted, size
from hermes_checkpoints.cli.who import what_happened
from hermes_checkpoints.errors import CheckpointError, PathRefused
from hermes_checkpoints.model import FoundPath, FoundPaths, NotSearched, PathNow

_LISTED = 5
"""How many contents that were not searched are named."""


def register(verbs: Verbs) -> None:
    """Add ``find``."""
    parser = verbs.add(
        "find",
        run,
        "Find the checkpoints that hold a path, and the command that brings it back",
        usage="[PATTERN] [DIR]",
        paged=True,
    )
    add_paths(
        parser,
        "a glob, in quotes (default: every path), and a working directory. Without / the glob is "
        "matched with the last name of a path, anywhere in the project: '*.py'; with / it is read "
        "from the current directory, and ** stands for any number of directories: 'src/**/*.py'. "
        "With / at its end, or without *, ? and [, it also means all that lies below a directory "
        "of that name: src/",
        name="words",
        metavar="PATTERN",
    )
    parser.add_argument(
        "--deleted", action="store_true", help="only what is not in the working directory now"
    )
    parser.add_argument(
        "--content",
        metavar="RE",
        help="only what has, or had, a content that this regular expression matches (Python's, on "
        "bytes; ^ and $ mean each line); binary contents and those over 16 MB are not searched",
    )
    parser.add_argument(
        "--all-projects", action="store_true", help="in all projects; the glob is read in each"
    )
    add_limit(parser, "list only N paths, those that were held last (default: all)")


def run(args: argparse.Namespace) -> int:
    """Print a path with where it is held, and below it the command."""
    words = [*args.words, *(args.literal or ())]
    if len(words) > 2:
        raise BadUsage("give a PATTERN, and a DIR behind it; a pattern stands in quotes")
    args.directory = words[1] if len(words) == 2 else None
    if args.all_projects and (args.directory is not None or args.dirs):
        raise BadUsage("--all-projects is about no single directory")
    word = words[0] if words else None
    with target(args) as what:
        asked = {"deleted": args.deleted, "content": args.content, "limit": args.limit}
        if args.all_projects:
            found = what.checkpoints.find_paths(word, **asked)
        else:
            found = what.project.find_paths(_pattern(args, what, word), **asked)
    if args.json:
        from hermes_checkpoints.cli.json.found import of_found

        lines = [None if one.lost else bring_back(args, what, one) for one in found.found]
        where = None if args.all_projects else what.working_dir
        document(of_found(where, word, found, lines))
        return Exit.DONE
    _say(args, what, word, found)
    return Exit.DONE


def _pattern(args: argparse.Namespace, what: Target, word: str | None) -> str | None:
    """Return a pattern as it was typed, from the working directory: one with ``/`` is read from the
    current directory, whose own name is literal.

    Raises:
        PathRefused: when it leaves the project.
    """
    if word is None or not word.strip("/") or "\0" in word:
        return word
    if "/" not in word.rstrip("/") and word.rstrip("/") not in (".", ".."):
        return word
    try:
        path = what.path(word)
    except PathRefused as error:
        raise PathRefused(f"{error}{_hint(args, word)}") from error
    start = what.start.as_posix()
    if what.start != PurePath() and (path == start or path.startswith(f"{start}/")):
        path = glob.escape(start) + path[len(start) :]
    if path == ".":
        return path
    below = word.endswith("/") or word.rpartition("/")[2] in (".", "..")
    # A name without a `/` would be looked for everywhere.
    return f"{'' if '/' in path else './'}{path}{'/' if below else ''}"


def _hint(args: argparse.Namespace, word: str) -> str:
    try:
        is_directory = path_of(args, word).is_dir()
    except (CheckpointError, OSError):
        return ""
    return f"; a directory stands behind the pattern: find '*' {word}" if is_directory else ""


def _say(args: argparse.Namespace, what: Target, word: str | None, result: FoundPaths) -> None:
    where = "any project" if args.all_projects else place(what.working_dir)
    if not result.total:
        deleted = "deleted path" if args.deleted else "path"
        named = "" if word is None else f" that {word!r} means"
        content = "" if args.content is None else " with such a content"
        say(f"No checkpoint of {where} holds a {deleted}{named}{content}")
    project = None
    for found in result.found:
        if found.checkpoint.working_dir != project:
            if project is not None:
                say()
            project = found.checkpoint.working_dir
            say(f"In checkpoints of {place(project)}:")
            say()
        say_parts(parts_of(found), indent=2, path=True)
        if found.match is not None:
            say(f"      line {found.match.line}: {found.match.text}")
        if found.lost:
            say(f"      {lost_line(found)}", "red")
        else:
            say(f"      {bring_back(args, what, found)}")
    left = result.total - len(result.found)
    if left:
        say()
        say(f"… and {counted(left, 'path')} more; without -n all are listed")
    _say_rest(args, where, result)


def _say_rest(args: argparse.Namespace, where: str, result: FoundPaths) -> None:
    notes = list(result.notes)
    if args.deleted and result.unseen:
        notes.insert(
            0,
            f"{counted(result.unseen, 'path')} of {where} cannot be seen now, and may be there; "
            "without --deleted they are listed, too",
        )
    if result.not_searched:
        notes.append(_not_searched(result.not_searched))
    if notes:
        say()
    for note in notes:
        say(f"Note: {note}")


def _not_searched(left_out: Iterable[NotSearched]) -> str:
    each = [*left_out]
    named = [f"{one.path} of {one.checkpoint.short_id} ({one.reason})" for one in each[:_LISTED]]
    more = f" and {len(each) - _LISTED} more" if len(each) > _LISTED else ""
    return f"{counted(len(each), 'content')} not searched: {', '.join(named)}{more}"


def parts_of(found: FoundPath) -> list[str]:
    """Return where a path is held, whether it is there now, and who changed it last."""
    now = {PathNow.THERE: "there now", PathNow.GONE: "gone", PathNow.UNSEEN: "cannot be seen now"}
    one = found.checkpoint
    number = "" if found.number is None else f"{found.number}. "
    return [
        found.path,
        now[found.now],
        "— B" if found.bytes is None else size(found.bytes),
        f"in {number}{one.short_id}",
        age(one.created_at),
        "" if found.last is None else what_happened(found.last, found.turn_title),
    ]

"""Arguments that several verbs share, and what they mean.

A directory that is not named is the project of the current directory, so that a verb does the
same wherever in the project it is called. A path is read from the current directory when the
project was found that way, and from the named directory otherwise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_checkpoints.cli.importing import ImportProgress
from hermes_checkpoints.errors import BadDirectory, BadRequest
from hermes_checkpoints.layout import resolve_working_dir

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project

Handler = Callable[[argparse.Namespace], int]


class VerbParser(argparse.ArgumentParser):
    """Accepts paths behind options, as in ``restore 1 -f src/app.py``.

    The standard parser gives a list of positional arguments all it gets before the first
    option, even nothing, and then refuses the rest.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        namespace, extras = super().parse_known_args(args, namespace)
        split = extras.index("--") if "--" in extras else len(extras)
        if "paths" not in namespace or any(extra.startswith("-") for extra in extras[:split]):
            return namespace, extras
        namespace.paths = [*namespace.paths, *extras[:split], *extras[split + 1 :]]
        return namespace, []


class Verbs:
    """Registers verbs below a group, each with the arguments that all verbs have."""

    def __init__(self, group: argparse.ArgumentParser, guarded: Callable[[Handler], Handler]):
        self._guarded = guarded
        self._subparsers = group.add_subparsers(
            dest="checkpoints_command", metavar="COMMAND", parser_class=VerbParser
        )

    def add(
        self, name: str, handler: Handler, summary: str, *, aliases: Sequence[str] = ()
    ) -> VerbParser:
        """Add the verb ``name``, whose errors end as messages and exit codes."""
        parser = self._subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary}.",
            aliases=list(aliases),
            allow_abbrev=False,
        )
        add_home(parser, default=argparse.SUPPRESS)
        parser.set_defaults(func=self._guarded(handler))
        return parser


def add_home(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Add ``--home``; a verb gives no default, so as to keep the one given to the group."""
    parser.add_argument(
        "--home",
        dest="checkpoints_home",
        metavar="DIR",
        default=default,
        help="the Hermes home (default: HERMES_HOME, else ~/.hermes)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def add_directory(parser: argparse.ArgumentParser, *, option: bool = False) -> None:
    """Add the working directory, as ``DIR`` or as ``--dir DIR``."""
    words = "the working directory (default: the project of the current directory)"
    if option:
        parser.add_argument("--dir", dest="directory", metavar="DIR", help=words)
    else:
        parser.add_argument("directory", nargs="?", metavar="DIR", help=words)


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add the ``ID`` of a checkpoint."""
    parser.add_argument(
        "reference",
        metavar="ID",
        help="a commit id or a unique beginning of one, `latest`, a label, "
        "or the number that `log` shows",
    )


def add_paths(parser: argparse.ArgumentParser, words: str) -> None:
    """Add ``PATH …``."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=words)


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return number


class Target(NamedTuple):
    """An open store, the working directory a verb is about, and where its paths start."""

    checkpoints: Checkpoints
    project: Project
    start: PurePath

    @property
    def working_dir(self) -> Path:
        """The working directory, resolved."""
        return self.project.working_dir

    def paths(self, args: argparse.Namespace) -> list[str] | None:
        """Return the paths given, from the working directory; None where none were given.

        They are joined as text and never resolved or shortened: whether one leaves the project,
        or names nothing, is judged where it is used.
        """
        return [self._from_working_dir(path) for path in args.paths] or None

    def _from_working_dir(self, path: str) -> str:
        if not path or self.start == PurePath() or PurePath(path).is_absolute():
            return path
        return f"{self.start.as_posix()}/{path}"

    def neighbours(self) -> list[str]:
        """Return the working directories above and below that have checkpoints."""
        return [str(project.working_dir) for project in self.project.related()]


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[Checkpoints]:
    """Open the checkpoints of the home that the arguments name."""
    from hermes_checkpoints.checkpoints import Checkpoints

    with Checkpoints.open(args.checkpoints_home, reporter=ImportProgress()) as checkpoints:
        yield checkpoints


@contextmanager
def target(args: argparse.Namespace) -> Iterator[Target]:
    """Open the checkpoints of the working directory that the arguments name.

    Raises:
        BadDirectory: when none is named and the current directory is gone.
    """
    with opened(args) as checkpoints:
        if args.directory is None:
            yield Target(checkpoints, *_current(checkpoints))
        else:
            yield Target(checkpoints, checkpoints.project(resolved(args.directory)), PurePath())


def resolved(directory: str) -> Path:
    """Return a directory as it was typed with all links resolved.

    Raises:
        BadRequest, BadDirectory: when it is empty or cannot be resolved.
    """
    if not directory:
        raise BadRequest("the name of the directory is empty")
    try:
        return resolve_working_dir(directory)
    except (OSError, RuntimeError) as error:  # a loop of links, or `~` of an unknown user
        raise BadDirectory(f"{directory} cannot be resolved: {error}") from error


def _current(checkpoints: Checkpoints) -> tuple[Project, PurePath]:
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError as error:
        raise BadDirectory(
            "the current directory no longer exists; change to another, or name one"
        ) from error
    project = checkpoints.project_of(here)
    root = project.working_dir
    return project, here.relative_to(root) if here.is_relative_to(root) else PurePath()

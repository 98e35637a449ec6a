"""What a verb works on: the home, the project, and where relative paths start.

A directory that is not named is the project of the current directory, so that a verb does the
same wherever in the project it is called; ``-C`` stands for another current directory.
"""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.exits import BadUsage
from hermes_checkpoints.errors import BadDirectory, BadRequest, CheckpointError, PathRefused
from hermes_checkpoints.layout import Layout, resolve_working_dir

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project
    from hermes_checkpoints.remote_config import RemoteConfig
    from hermes_checkpoints.sessions.sessions import Sessions


@dataclass(frozen=True)
class Target:
    """An open store, the project a verb is about, and where in it paths start.

    ``named`` tells that the directory was given and not found. ``start`` is relative to the
    working directory.
    """

    checkpoints: Checkpoints
    project: Project
    start: PurePath = field(default_factory=PurePath)
    named: bool = False

    @property
    def working_dir(self) -> Path:
        """The working directory, resolved."""
        return self.project.working_dir

    def neighbours(self) -> list[str]:
        """Return the working directories above and below that have checkpoints."""
        return [str(project.working_dir) for project in self.project.related()]

    def at(self, project: Project) -> Target:
        """Return the target for a project that an id led to; this one where it is the same."""
        if project.working_dir == self.working_dir:
            return self
        return Target(self.checkpoints, project)

    def path(self, word: str) -> str:
        """Return a path as it was typed, from the working directory: ``fs.named_path.path_in``.

        Raises:
            PathRefused: when it leaves the project.
        """
        from hermes_checkpoints.fs.named_path import path_in

        return path_in(self.working_dir, self.working_dir / self.start, word)

    def exists(self, word: str) -> bool:
        """Tell whether a path as it was typed is there now, inside the working directory."""
        try:
            path = self.path(word)
            return bool(path) and os.path.lexists(self.working_dir / path)
        except (PathRefused, ValueError):  # a NUL
            return False


@contextmanager
def opened(args: argparse.Namespace, *, create: bool = False) -> Iterator[Checkpoints]:
    """Open the checkpoints of the home that the arguments name. Only a verb that keeps something
    says ``create``: all others leave a home without a base as it is."""
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.cli.importing import ImportProgress
    from hermes_checkpoints.cli.progress import bar_of

    bar = bar_of(args)
    with bar.shown(), ImportProgress(bar) as reporter:
        where = layout_of(args)
        usual = where == Layout.of(where.home)
        found = Checkpoints.open(
            where.home if usual else None,
            base=None if usual else where.base,
            reporter=reporter,
            create=create,
            progress=bar,
        )
    with found as checkpoints:
        yield checkpoints


@contextmanager
def opened_sessions(args: argparse.Namespace, *, create: bool = False) -> Iterator[Sessions]:
    """Open the session checkpoints of the home that the arguments name; ``create`` is as in
    ``opened``."""
    from hermes_checkpoints.sessions.sessions import Sessions

    with Sessions.open(layout_of(args).home, create=create) as sessions:
        yield sessions


@contextmanager
def target(args: argparse.Namespace, *, create: bool = False) -> Iterator[Target]:
    """Open the checkpoints of the working directory that the arguments name; ``create`` is as in
    ``opened``.

    Raises:
        BadUsage: when two different directories are named.
        BadDirectory: when what is named is no directory and no project, or when none is named
            and the current directory is gone.
    """
    with opened(args, create=create) as checkpoints:
        yield current_or_named(args, checkpoints)


def current_or_named(args: argparse.Namespace, checkpoints: Checkpoints) -> Target:
    """Return the working directory that the arguments name, else the project of the current one.

    Raises:
        BadUsage, BadRequest, BadDirectory: as ``target``.
    """
    named = named_directory(args, checkpoints)
    if named is not None:
        return Target(checkpoints, checkpoints.project(named), named=True)
    return _current(args, checkpoints)


def named_directory(args: argparse.Namespace, checkpoints: Checkpoints) -> Path | None:
    """Return the directory that ``DIR`` or ``--dir DIR`` names, resolved, or None.

    A project whose directory was deleted can still be named.

    Raises:
        BadUsage: when two different ones are named.
        BadRequest, BadDirectory: when it is empty, or no directory and no project; the message
            says what the word may mean instead.
    """
    words = _named(args)
    if not words:
        return None
    found = [path_of(args, word) for word in words]
    if len(set(found)) > 1:
        different = " and ".join(str(path) for path in dict.fromkeys(found))
        raise BadUsage(f"two different directories are named: {different}")
    if not os.path.isdir(found[0]) and str(found[0]) not in checkpoints.working_dirs():
        raise BadDirectory(_no_directory(args, checkpoints, words[0], found[0]))
    return found[0]


def one_or_all(args: argparse.Namespace, checkpoints: Checkpoints) -> Path | None:
    """Return the working directory as ``current_or_named``, or None for ``--all``.

    Raises:
        BadUsage, BadRequest, BadDirectory: as ``target``.
    """
    return None if args.all else current_or_named(args, checkpoints).working_dir


def require_one_or_all(args: argparse.Namespace) -> None:
    """Refuse ``--all`` beside a directory, before anything is opened.

    Raises:
        BadUsage.
    """
    if args.all and _named(args):
        raise BadUsage("--all means every project; leave the directory out")


def is_named(args: argparse.Namespace) -> bool:
    """Tell whether a directory is named, or ``--all``."""
    return bool(args.all or _named(args))


def remote_of(args: argparse.Namespace) -> RemoteConfig:
    """Return the configuration of the remote, before a base is made for it.

    Raises:
        RemoteOff: when there is none.
    """
    from hermes_checkpoints.config import load_remote_config
    from hermes_checkpoints.remote.elected import require_remote

    layout = layout_of(args)
    return require_remote(load_remote_config(layout.config), layout)


def _named(args: argparse.Namespace) -> Sequence[str]:
    word = getattr(args, "directory", None)
    return [*([] if word is None else [word]), *(getattr(args, "dirs", None) or [])]


def _no_directory(args: argparse.Namespace, checkpoints: Checkpoints, word: str, path: Path) -> str:
    """Say what a word is that is no directory."""
    if os.path.lexists(path):
        return f"{path} is a file, and a directory was expected"
    try:
        here = _current(args, checkpoints)
        found = here.project.get(word)
    except CheckpointError:
        return f"{word!r} is no directory: {path} does not exist, nor do checkpoints of it"
    return (
        f"{word!r} is no directory but checkpoint {found.short_id} of {here.working_dir}, "
        "and a directory was expected"
    )


def path_of(args: argparse.Namespace, word: str, what: str = "directory") -> Path:
    """Return a path of the system as it was typed, resolved, read from where ``-C`` leads.

    Raises:
        BadRequest: when it is empty, or holds a NUL.
        BadDirectory: when it cannot be resolved, or is relative and the current directory is
            gone.
    """
    if not word:
        raise BadRequest(f"the name of the {what} is empty")
    if "\0" in word:
        raise BadRequest(f"the name of the {what} holds a NUL character")
    try:
        path = Path(word).expanduser()
        found = resolve_working_dir(path if path.is_absolute() else _start(args) / path)
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            found.lstat()
    except (OSError, RuntimeError) as error:  # a loop of links, `~` of nobody, a name too long
        raise BadDirectory(f"{word} cannot be resolved: {error}") from error
    return found


def home_of(args: argparse.Namespace) -> Path | None:
    """Return the home that ``--home`` names, None for the usual one."""
    word: str | None = args.checkpoints_home
    return None if word is None else path_of(args, word, "home")


def layout_of(args: argparse.Namespace) -> Layout:
    """Return where everything lies: in the home that ``--home`` names, else where a host that has
    mounted the verbs works (``checkpoints_place``), else in the usual home."""
    home = home_of(args)
    place: Callable[[], Layout] | None = getattr(args, "checkpoints_place", None)
    return Layout.of(home) if home is not None or place is None else place()


def check_start(args: argparse.Namespace) -> None:
    """Refuse a ``-C`` that leads to no directory, for verbs, too, that read no path.

    Raises:
        BadRequest, BadDirectory.
    """
    if starts_elsewhere(args):
        _start(args)


def starts_elsewhere(args: argparse.Namespace) -> bool:
    """Tell whether ``-C`` was given."""
    return bool(getattr(args, "checkpoints_start", None))


def _start(args: argparse.Namespace) -> Path:
    """Return the directory in which the command works: the current one, or that of ``-C``."""
    start = Path()
    for word in getattr(args, "checkpoints_start", None) or []:
        if not word:
            raise BadRequest("the name of the directory behind -C is empty")
        start = start / os.path.expanduser(word)
    try:
        found = start.resolve() if start.is_absolute() else (Path.cwd() / start).resolve()
        is_directory = _is_directory(found)
    except FileNotFoundError as error:
        raise BadDirectory(
            "the current directory no longer exists; change to another, or name one"
        ) from error
    except (OSError, RuntimeError) as error:
        raise BadDirectory(f"{start}, named by -C, cannot be resolved: {error}") from error
    if not is_directory:
        raise BadDirectory(f"{found}, named by -C, is no directory")
    return found


def _is_directory(path: Path) -> bool:
    """Tell whether a path leads to a directory; from Python 3.13 on, ``resolve`` and ``is_dir`` say
    nothing of links in a circle, which raise OSError here."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return stat.S_ISDIR(path.stat().st_mode)
    return False


def _current(args: argparse.Namespace, checkpoints: Checkpoints) -> Target:
    here = _start(args)
    project = checkpoints.project_of(here)
    root = project.working_dir
    start = here.relative_to(root) if here.is_relative_to(root) else PurePath()
    return Target(checkpoints, project, start)

"""Finds the git program that is run.

The ``git`` on PATH may be a shim: a script, or a link to a version manager, that looks into the
user's home for the git that it starts. Git itself is given no home, so that no configuration of
the user changes what a checkpoint holds. So a shim that needs one is asked once, with the user's
own environment, where its git lies, and that program is run instead.

Nothing is run that lies where people and agents work, however PATH leads there.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from hermes_checkpoints.errors import GitMissing, GitTimedOut
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.system import kill_group, spawn_options

OLDEST_GIT = (2, 32)

_BINARIES = (
    b"\x7fELF",
    b"MZ",
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
    b"\xca\xfe\xba\xbe",
)
"""How programs of Linux, Windows and macOS begin; a script begins otherwise."""

_known: dict[tuple[str, int, int, int], str] = {}
"""What is run, by path and stamp of the git on PATH: another program where that is a shim."""

_resolved: dict[tuple[str, int, int], str] = {}
"""Where the file lies that is run as a program, by the program's path and the file's identity."""

_distrusted: set[str] = set()
"""The resolved working directories that this process was told of."""


def distrust(directory: Path) -> None:
    """Run no program from below a working directory, for as long as this process lives: what lies
    there is written by whoever works there, an agent among others. A directory that the home or
    the programs of the system lie in is passed over: they are there, too."""
    if not _is_broad(str(directory)):
        _distrusted.add(str(directory))


def trusted_path(base: Path, *more: str) -> str:
    """Return the folders of PATH from which programs are run, and in which git finds others, as
    PATH has them: none that is relative or empty, and none below the current directory, a working
    directory that this process was told of, the resolved folder ``base``, or one of ``more``, which
    are as the former."""
    barred = _barred(base) | {one for one in more if not _is_broad(one)}
    return os.pathsep.join(_trusted(os.environ.get("PATH", os.defpath), barred))


def find_git(base: Path) -> str:
    """Return the path of the git program on PATH, which may be a shim: the first in a folder of
    ``trusted_path`` that is no link to a place which is not trusted.

    Raises:
        GitMissing: with what to do.
    """
    program = find_program("git", base)
    if program is not None:
        return program
    raise GitMissing(
        "git was not found on PATH, so no checkpoint can be taken; install git "
        f"{'.'.join(map(str, OLDEST_GIT))} or newer, outside of the working directory"
    )


def find_program(name: str, base: Path) -> str | None:
    """Return the path of a program on PATH, None where there is none: the first in a folder of
    ``trusted_path`` that is no link to a place which is not trusted. A path is found where it is
    absolute and trusted itself."""
    import shutil

    barred = _barred(base)
    if os.path.dirname(name):
        entries: tuple[str, ...] = _trusted(os.path.dirname(name), barred)
    else:
        entries = _trusted(os.environ.get("PATH", os.defpath), barred)
    for entry in entries:
        program = shutil.which(os.path.basename(name), path=entry)
        if program is not None and _is_trusted(program, barred):
            return program
    return None


def _barred(base: Path) -> frozenset[str]:
    barred = {str(base), *_distrusted}
    with contextlib.suppress(OSError):  # it may be gone
        here = os.getcwd()
        barred |= set() if _is_broad(here) else {here}
    return frozenset(barred)


@functools.lru_cache(64)
def _trusted(path: str, barred: frozenset[str]) -> tuple[str, ...]:
    entries = filter(os.path.isabs, path.split(os.pathsep))
    return tuple(
        entry
        for entry in entries
        if not _lies_below(os.path.normpath(entry), barred)
        and not _lies_below(os.path.realpath(entry), barred)
    )


def _lies_below(path: str, folders: Collection[str]) -> bool:
    path = os.path.normcase(path) + os.sep
    return any(path.startswith(os.path.normcase(one).rstrip(os.sep) + os.sep) for one in folders)


def _is_trusted(program: str, barred: Collection[str]) -> bool:
    """Tell whether the file that is run as a program is there, and lies outside of folders."""
    try:
        found = os.stat(program)
    except OSError:
        return False
    key = program, found.st_dev, found.st_ino  # another one where a link leads elsewhere
    if key not in _resolved:
        _resolved[key] = os.path.realpath(program)
    return not _lies_below(_resolved[key], barred)


def _is_broad(directory: str) -> bool:
    return _holds_programs(directory, os.path.expanduser("~"))


@functools.lru_cache(64)
def _holds_programs(directory: str, home: str) -> bool:
    inside = [home, *os.defpath.split(os.pathsep)]
    return any(_lies_below(os.path.realpath(one), [directory]) for one in inside)


def git_to_run(base: Path, isolated: Mapping[str, str], limit: float) -> str:
    """Return the path of the git program that runs in the environment ``isolated`` for the store in
    ``base``: the one on PATH, or the one behind it, if that is a shim that does not run there.

    A shim is asked once by each process, from the root directory, so that no file of a project
    decides which git is run; again only when the shim itself was changed, or what it named is gone,
    as after an update. ``limit`` bounds its answers, in seconds. Where no other program is found,
    the shim is returned: running it then fails with its own words.

    Raises:
        GitMissing: with what to do.
        GitTimedOut: when the shim does not answer.
    """
    program = find_git(base)
    try:
        found = os.stat(program)
        key = (program, found.st_ino, found.st_mtime_ns, found.st_size)
        known = _known.get(key, "")
        if not os.access(known, os.X_OK) or not _is_trusted(known, _barred(base)):
            itself = _is_git_itself(program)
            _known[key] = program if itself else _behind(base, program, isolated, limit)
    except OSError:
        return program
    return _known[key]


def _is_git_itself(program: str) -> bool:
    if Path(os.path.realpath(program)).stem.lower() != "git":
        return False
    with open(program, "rb") as file:
        return file.read(4).startswith(_BINARIES)


def _behind(base: Path, program: str, isolated: Mapping[str, str], limit: float) -> str:
    """Return the shim where it runs git in the environment, else the program behind it.

    Raises:
        GitTimedOut: when it gives no answer in any environment.
    """
    status, lines = _ask(program, isolated, limit / 2)
    if status == 0 and len(lines) == 1:
        return program
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own["PATH"] = trusted_path(base)
    again, answer = _ask(program, own, limit / 2)
    if status is None and again is None:
        raise GitTimedOut(
            f"the program {program}, which is run as git, gave no answer for {limit:.0f} s; put "
            "another git first on PATH"
        )
    for line in reversed(answer):
        inner = Path(line) / Path("git").with_suffix(".exe" if os.name == "nt" else "")
        # A shim prints whatever it likes beside the answer.
        if (
            inner.is_absolute()
            and os.access(inner, os.X_OK)
            and _is_trusted(str(inner), _barred(base))
        ):
            status, lines = _ask(str(inner), isolated, limit)
            if status == 0 and lines:
                return str(inner)
    return program


def _ask(
    program: str, environment: Mapping[str, str], limit: float
) -> tuple[int | None, list[str]]:
    """Ask a git where its own programs lie; return its exit status, None where it gave no answer
    within ``limit`` seconds, and the lines of its answer."""
    import subprocess

    try:
        with forks.undivided():
            process = subprocess.Popen(
                [program, "--exec-path"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env=dict(environment),
                **spawn_options(()),
            )
    except OSError:
        return -1, []
    try:
        answer, _ = process.communicate(timeout=limit)
    except BaseException as error:
        kill_group(process)  # with what a shim started: it may call itself without end
        if isinstance(error, subprocess.TimeoutExpired):
            return None, []
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()
    return process.returncode, os.fsdecode(answer).splitlines()

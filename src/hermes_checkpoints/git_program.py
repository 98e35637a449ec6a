"""Finds the git program that is run.

The ``git`` on PATH may be a shim: a script, or a link to a version manager, that looks into the
user's home for the git that it starts. Git itself is given no home, so that no configuration of
the user changes what a checkpoint holds. So a shim that needs one is asked once, with the user's
own environment, where its git lies, and that program is run instead.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from hermes_checkpoints.errors import GitMissing
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


def find_git() -> str:
    """Return the path of the git program on PATH, which may be a shim. Entries of PATH that are
    relative are passed over: git is started in directories that people work in, and a file there
    is not to be run in its place.

    Raises:
        GitMissing: with what to do.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    program = shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, entries)))
    if program is None:
        raise GitMissing(
            "git was not found on PATH, so no checkpoint can be taken; install git "
            f"{'.'.join(map(str, OLDEST_GIT))} or newer"
        )
    return program


def git_to_run(isolated: Mapping[str, str], limit: float) -> str:
    """Return the path of the git program that runs in the environment ``isolated``: the one on
    PATH, or the one behind it, if that is a shim that does not run there.

    A shim is asked once by each process, from the root directory, so that no file of a project
    decides which git is run; again only when the shim itself was changed, or what it named is gone,
    as after an update. ``limit`` bounds each
    question, in seconds. Where no other program is found, the shim is returned: running it
    then fails with its own words.

    Raises:
        GitMissing: with what to do.
    """
    program = find_git()
    try:
        found = os.stat(program)
        key = (program, found.st_ino, found.st_mtime_ns, found.st_size)
        if not os.access(_known.get(key, ""), os.X_OK):
            itself = _is_git_itself(program)
            _known[key] = program if itself else _behind(program, isolated, limit)
    except OSError:
        return program
    return _known[key]


def _is_git_itself(program: str) -> bool:
    if Path(os.path.realpath(program)).stem.lower() != "git":
        return False
    with open(program, "rb") as file:
        return file.read(4).startswith(_BINARIES)


def _behind(program: str, isolated: Mapping[str, str], limit: float) -> str:
    """Return the shim where it runs git in the environment, else the program behind it."""
    status, lines = _ask(program, isolated, limit)
    if status == 0 and len(lines) == 1:
        return program
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for line in reversed(_ask(program, own, limit)[1]):
        inner = Path(line) / Path("git").with_suffix(".exe" if os.name == "nt" else "")
        # A shim prints whatever it likes beside the answer.
        if inner.is_absolute() and os.access(inner, os.X_OK):
            status, lines = _ask(str(inner), isolated, limit)
            if status == 0 and lines:
                return str(inner)
    return program


def _ask(program: str, environment: Mapping[str, str], limit: float) -> tuple[int, list[str]]:
    """Ask a git where its own programs lie; return its exit status and the lines of its answer."""
    with (
        contextlib.suppress(OSError, subprocess.TimeoutExpired),
        subprocess.Popen(
            [program, "--exec-path"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=dict(environment),
            **spawn_options(()),
        ) as process,
    ):
        try:
            answer, _ = process.communicate(timeout=limit)
        except BaseException:
            kill_group(process)  # with what a shim started: it may call itself without end
            raise
        return process.returncode, os.fsdecode(answer).splitlines()
    return -1, []

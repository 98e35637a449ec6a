"""What several test modules build or read: a small project, and the answer of a command."""

from __future__ import annotations

import itertools
import json
import os
import pkgutil
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import hermes_checkpoints
from hermes_checkpoints.fs import system
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout

_WITH_LIBRARIES = (".mcp_server", ".admin.cells", ".admin.library", ".admin.pages")

MODULES = [
    module.name
    for module in pkgutil.walk_packages(hermes_checkpoints.__path__, "hermes_checkpoints.")
    if not module.name.endswith(("__main__", *_WITH_LIBRARIES))
    and not any(part in module.name for part in (".migrations", ".cli.browse."))
]
"""The modules of the package by name, but for those that load a library which few need."""


def examples(number: int) -> int:
    """Return how many examples a property is tried with: ``number``, or HYPOTHESIS_EXAMPLES."""
    return int(os.environ.get("HYPOTHESIS_EXAMPLES", number))


def every(step: int) -> int:
    """Return how far the places are apart at which something is killed: ``step``, or, with
    HYPOTHESIS_EXAMPLES, one."""
    return 1 if "HYPOTHESIS_EXAMPLES" in os.environ else step


def crossed(step: int, *values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return every combination of the values or, without HYPOTHESIS_EXAMPLES, every ``step``-th;
    a step that divides none of their numbers leaves no value out."""
    return [*itertools.product(*values)][:: every(step)]


def make_project(folder: Path) -> Path:
    """Create a small project in ``folder`` and return it."""
    files = {
        "pyproject.toml": b'[project]\nname = "sample"\n',
        "README.md": b"# Sample\n\nA project to break.\n",
        "src/app.py": b"def main():\n    return 'hello'\n",
        "src/data.bin": bytes(range(256)),
        "docs/notes.txt": b"one\r\ntwo\r\n",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    script = folder / "run.sh"
    script.write_bytes(b"#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    return folder


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Answer]


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return permission bits and contents of every file in ``folder``, by relative path."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode & 0o7777, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def everything(folder: Path) -> dict[str, tuple[int, bytes | str | None]]:
    """Return all that lies below ``folder``: the full mode, and contents or where a link leads."""
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content: bytes | str | None = None
        if stat.S_ISLNK(mode):
            content = os.readlink(path)
        elif stat.S_ISREG(mode):
            content = path.read_bytes()
        found[path.relative_to(folder).as_posix()] = (mode, content)
    return found


def deadly_git(folder: Path, command: str, *, after: bool) -> dict[str, str]:
    """Return an environment in which git kills the process that runs ``git … command …``,
    before or after it has done what it was to do."""
    folder.mkdir(parents=True, exist_ok=True)
    shim = folder / "git"
    run = f'"{shutil.which("git")}" "$@"'
    act = f"{run}; kill -9 $PPID; exit 1" if after else "kill -9 $PPID; exit 1"
    shim.write_text(
        f'#!/bin/sh\nfor a in "$@"; do [ "$a" = {command} ] && {{ {act}; }}; done\nexec {run}\n'
    )
    shim.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def dying_at_the_ref(*, after: bool, goes: bool = False, place: str = "/refs/checkpoints/") -> str:
    """Return the beginning of a script that is killed before, or right after, a checkpoint gets its
    ref, or one ``goes``: when the file of a ref is renamed into its place, or removed, or at
    whatever the script does next. The path of that file has ``place`` in it."""
    event, argument = ("os.remove", 0) if goes else ("os.rename", 1)
    return (
        "import os, signal, sys\n"
        "def watch(event, arguments, reached=[]):\n"
        f"    path = str(arguments[{argument}]) if event == '{event}' else ''\n"
        f"    named = '{place}' in path and not path.endswith('.lock')\n"
        f"    if event != 'os.kill' and (reached or (named and not {after})):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    if named:\n"
        "        reached.append(event)\n"
        "sys.addaudithook(watch)\n"
    )


def wait_for_locks(home: Path) -> None:
    """Wait until nothing that a killed process had started holds a lock of the base any more.

    A lock outlives a killed process for as long as a git works that it had started; whoever
    opens the base meanwhile leaves what was unfinished to the next one.
    """
    for lock in Layout.of(home).locks.glob("*.lock"):
        with exclusive(lock, purpose="waiting for the end of what was killed"):
            pass


def wait_for_detached() -> int:
    """Wait for the end of every process that this one started detached; return how many."""
    started, system._detached[:] = system._detached.copy(), []
    for process in started:
        os.waitpid(process, 0)
    return len(started)


class OrdinaryUserLike(Protocol):
    """The fixture ``as_user``."""

    tmp: Path

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any: ...


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    """Let the clock on the wall of this machine be that of a zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()

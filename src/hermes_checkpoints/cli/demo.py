"""``demo``: the whole job on real files, watched step by step, in places that vanish afterwards.

The project is a copy of this package's own source. Every command is the real one with its real
output, and what it claims is checked: bytes and permission bits of every file are compared
with what they were. The Hermes home is temporary, too, so that the user's is not touched.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import hermes_checkpoints
from hermes_checkpoints.cli.arguments import Verbs
from hermes_checkpoints.cli.output import PROGRAM, complain, say
from hermes_checkpoints.cli.text import counted, size

Main = Callable[[Sequence[str]], int]
State = dict[str, tuple[int, bytes]]
"""Permission bits and contents by path."""

FAILED = 2
"""Exit code when a command failed, or did not do what it said."""


class _StepFailed(Exception):
    """A step of the demonstration ended otherwise than it must."""


def register(verbs: Verbs, main: Main) -> None:
    """Add ``demo``, which runs its commands through ``main``."""

    def run(_args: argparse.Namespace) -> int:
        try:
            with _stage() as project:
                _play(project, main)
        except _StepFailed as failure:
            complain(f"the demonstration failed: {failure}")
            return FAILED
        say("# Nothing of this is left: the project and its Hermes home were temporary.")
        return 0

    verbs.add("demo", run, "Show the whole job on a copy of real files, and leave nothing behind")


@contextlib.contextmanager
def _stage() -> Iterator[Path]:
    """Yield a project of real files as the current directory, beside a home of its own."""
    former = os.environ.get("HERMES_HOME")
    with tempfile.TemporaryDirectory(prefix="hermes-demo-") as folder:
        root = Path(folder).resolve()
        project = root / "project"
        shutil.copytree(
            Path(hermes_checkpoints.__file__).parent,
            project / "src" / "hermes_checkpoints",
            ignore=shutil.ignore_patterns("__pycache__", ".*"),
        )
        (project / "pyproject.toml").write_text('[project]\nname = "demo"\n', encoding="utf-8")
        os.environ["HERMES_HOME"] = str(root / "home")
        try:
            with contextlib.chdir(project):
                yield project
        finally:
            if former is None:
                del os.environ["HERMES_HOME"]
            else:
                os.environ["HERMES_HOME"] = former


def _play(project: Path, main: Main) -> None:
    def command(*args: str) -> None:
        say(f"$ {PROGRAM} {shlex.join(args)}")
        code = main(args)
        say()
        if code:
            raise _StepFailed(f"`{args[0]}` ended with exit code {code}")

    first = _state(project)
    total = sum(len(content) for _, content in first.values())
    say(f"# A project of {counted(len(first), 'real file')}, {size(total)}, in {project}")
    command("take", "-m", "before the agent starts")

    say("# The agent adds to a file, and takes a checkpoint before its next step.")
    package = project / "src" / "hermes_checkpoints"
    with (package / "errors.py").open("a", encoding="utf-8") as stream:
        stream.write("\n\nclass DemoError(CheckpointError):\n    pass\n")
    good = _state(project)
    command("take", "-m", "before the next step")

    say("# Then it goes wrong: five files edited, one deleted, one added.")
    _break(package)
    broken = _state(project)
    command("status")
    command("log")
    command("diff", "1", "--stat")

    say("# Back to checkpoint 1: first the plan, then the restore.")
    command("restore", "1", "--mode", "exact", "--dry-run")
    command("restore", "1", "--mode", "exact", "-f")
    _verify(project, good, "checkpoint 1")

    say("# The broken state was kept as a safety checkpoint, now the newest. Undo the restore:")
    command("log")
    command("restore", "1", "--mode", "exact", "-f")
    _verify(project, broken, "the broken state")

    say("# And back to the very beginning, which `log` now has as the oldest:")
    command("restore", "4", "--mode", "exact", "-f")
    _verify(project, first, "the first checkpoint")


def _break(package: Path) -> None:
    edited = [path for path in sorted(package.glob("*.py")) if path.name != "layout.py"][:5]
    for path in edited:
        text = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(text[len(text) // 3 :]) + "# TODO\n", encoding="utf-8")
    (package / "layout.py").unlink()
    (package / "layout_new.py").write_text("# to be written\n", encoding="utf-8")


def _state(project: Path) -> State:
    return {
        path.relative_to(project).as_posix(): (path.stat().st_mode & 0o7777, path.read_bytes())
        for path in sorted(project.rglob("*"))
        if path.is_file()
    }


def _verify(project: Path, expected: State, what: str) -> None:
    found = _state(project)
    wrong = [path for path in {**expected, **found} if expected.get(path) != found.get(path)]
    if wrong:
        raise _StepFailed(f"{counted(len(wrong), 'file')} differ from {what}: {wrong[:5]}")
    say(f"# Verified: bytes and modes of {counted(len(found), 'file')} are those of {what}.")
    say()

"""``demo``: the whole job on real files, watched step by step, in places that vanish afterwards.

The project is a copy of this package's own source. Every command is the real one with its real
output, and what it claims is checked: bytes and permission bits of every file are compared
with what they were. The Hermes home is temporary, too, so that the user's is not touched.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hermes_checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.problem import DEMO_FAILED, Problem, tell
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.errors import PROGRAM

if TYPE_CHECKING:
    from hermes_checkpoints.agent.manager import CheckpointManager

State = dict[str, tuple[int, bytes]]
"""Permission bits and contents by path."""


class _StepFailed(Exception):
    """A step of the demonstration ended otherwise than it must."""


def register(verbs: Verbs) -> None:
    """Add ``demo``."""
    verbs.add(
        "demo",
        run,
        "Show the whole job on a copy of real files, and leave nothing behind",
        base=True,
    )


def run(args: argparse.Namespace) -> int:
    """Run the demonstration, each command of it as if it were typed."""
    printed = io.StringIO()
    try:
        with _stage() as project, contextlib.ExitStack() as stack:
            if args.json:
                stack.enter_context(contextlib.redirect_stdout(printed))
            _play(project)
    except _StepFailed as failure:
        problem = Problem(DEMO_FAILED, f"the demonstration failed: {failure}", Exit.ERROR)
        tell(problem, as_json=args.json)
        return Exit.ERROR
    if args.json:
        document({"transcript": printed.getvalue().splitlines()})
        return Exit.DONE
    say("# Nothing of this is left: the project and its Hermes home were temporary.")
    return Exit.DONE


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


def _play(project: Path) -> None:
    from hermes_checkpoints.agent.manager import CheckpointManager

    def command(*args: str) -> None:
        say(f"$ {PROGRAM} {shlex.join(args)}")
        code = main(args)
        say()
        if code:
            raise _StepFailed(f"`{args[0]}` ended with exit code {code}")

    first = _state(project)
    total = sum(len(content) for _, content in first.values())
    say(f"# A project of {counted(len(first), 'real file')}, {size(total)}, in {project}")
    command("take", "-m", "before the agent starts", "--label", "before-all")

    package = project / "src" / "hermes_checkpoints"
    agent = CheckpointManager(enabled=True, session_id="demo")
    say(
        "# The agent's first turn: it adds to a file. Its host takes a checkpoint before each turn."
    )
    with _turn(agent, project, "before the first step"):
        _append(package / "errors.py", "\n\nclass DemoError(CheckpointError):\n    pass\n")
    good = _state(project)

    say("# In the second it goes wrong: five files edited, one deleted, one added.")
    with _turn(agent, project, "before the second step"):
        _break(package)
    say("# Then you write a note of your own.")
    say()
    _append(project / "NOTES.md", "Do not lose this.\n")
    noted = _state(project)
    command("status")
    command("log")
    command("diff", "1", "--stat")
    command("who", "src/hermes_checkpoints/layout_new.py")

    say("# Back to before the second turn, first the plan: what you wrote is kept.")
    command("restore", "1", "--dry-run")
    command("restore", "1", "-f")
    note = {"NOTES.md": noted["NOTES.md"]}
    _verify(project, {**good, **note}, "checkpoint 1, with your note")

    say("# The broken state was kept as a safety checkpoint. Undo the restore, and redo it:")
    command("undo", "-f")
    _verify(project, noted, "the broken state")
    command("redo", "-f")
    _verify(project, {**good, **note}, "checkpoint 1, with your note")

    say("# And exactly the very beginning, which `log` has as the oldest:")
    command("log")
    command("restore", "before-all", "--mode", "exact", "-f")
    _verify(project, first, "the first checkpoint")


@contextlib.contextmanager
def _turn(agent: CheckpointManager, project: Path, reason: str) -> Iterator[None]:
    """Do what a host does around a turn of its agent."""
    agent.new_turn()
    if not agent.ensure_checkpoint(str(project), reason):
        say("# (Nothing changed since the checkpoint by hand, so that none is added.)")
    yield
    agent.end_turn()


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)


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

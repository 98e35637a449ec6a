"""What a reader has before the first command of a page: each function makes it in a home, and
returns the directory in which the commands are typed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hermes_checkpoints import Checkpoints, Kind, Project
from history.old_bases import extracted
from pages.machine import Machine
from remote.servers import ssh_here
from support import make_project

SESSION = "20261128_ab12"
README = "# Sample\n\nIt says hello.\n\n## Use\n\nRun it.\n\n## Licence\n"
_HOURS_AGO = (0.7, 1.8, 2.5, 30)
"""How old the checkpoints of the playground are, the newest first."""


def nothing(machine: Machine) -> Path:
    """Nothing at all."""
    return machine.home


def checkout(machine: Machine) -> Path:
    """A clone of this repository, as the reader of README and CONTRIBUTING has it."""
    return machine.checkout()


def clone_and_playground(machine: Machine) -> Path:
    """A clone, and the playground; another home has a copy of its base."""
    playground(machine)
    shutil.copytree(machine.home / ".hermes", machine.home / "other-home", symlinks=True)
    return machine.checkout()


def playground(machine: Machine) -> Path:
    """A git repository of a few files with four checkpoints, one before each turn of an agent, the
    first of them yesterday; a person has edited, too, after the first turn and after the last."""
    folder = make_project(machine.home / "playground")
    (folder / "secret.txt").write_text("do not tell\n")
    _commit(folder)
    notes, app, readme = folder / "docs/notes.txt", folder / "src/app.py", folder / "README.md"
    readme.write_text(README)
    notes.write_text("".join(f"{number}\n" for number in range(100)))
    with Checkpoints.open(machine.home / ".hermes") as checkpoints:
        project = checkpoints.project(folder)
        with _turn(project, 1, "Explain the code", "before Bash: ls"):
            pass
        (folder / "todo.txt").write_text("tidy up\n")
        with _turn(project, 4, "Tidy up the docs", "before Bash: rm docs/notes.txt"):
            notes.unlink()
        with _turn(project, 5, "Greet by name", "before Edit: src/app.py"):
            app.write_text("def main(name):\n    return f'hello {name}'\n")
            project.record_agent_write("src/app.py", session_id=SESSION, turn=5, tool="Edit")
        with _turn(project, 7, "Say it in the README", "before Edit: README.md"):
            readme.write_text(README.replace("hello", "hello, and your name"))
            project.record_agent_write("README.md", session_id=SESSION, turn=7, tool="Edit")
            (folder / "todo.txt").unlink()
    readme.write_text(f"{readme.read_text()}\nMIT\n")
    _move_time(machine.home / ".hermes")
    return folder


def playground_and_server(machine: Machine) -> Path:
    """The playground, and an ssh that finds this machine and its home behind every host."""
    ssh_here(machine.folder / "bin")
    return playground(machine)


def oversized(machine: Machine) -> Path:
    """A project of seven files, of which three are too large and nine are ignored beside them."""
    folder = make_project(machine.home / "playground")
    (folder / ".gitignore").write_text("*.tmp\n")
    for number in range(3):
        with (folder / f"large-{number}.dat").open("wb") as file:
            file.truncate(11 << 20)
    for number in range(9):
        (folder / f"{number}.tmp").write_text("x")
    return folder


def backup(machine: Machine) -> Path:
    """The playground, and a backup of a home of version 2 in which nothing is damaged."""
    former = extracted("v2", machine.home / "another")
    (machine.home / "backup").mkdir()
    home = former.rename(machine.home / "backup/.hermes")
    (archive,) = (home / "checkpoints").glob("legacy-*")
    (archive / "broken-session.yaml").unlink()
    shutil.rmtree(archive / "00d0a0d0a0d0a0d0")  # a repository without a commit
    return playground(machine)


def _commit(folder: Path) -> None:
    """Make a repository of a folder with one commit, which is the same one each time."""
    when = "2026-11-27T10:00:00Z"
    dated = {**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.org"),
        ("add", "."),
        ("commit", "-q", "-m", "First"),
    ):
        subprocess.run(["git", *words], cwd=folder, env=dated, check=True)


@contextmanager
def _turn(project: Project, turn: int, title: str, reason: str) -> Iterator[None]:
    project.take(reason, kind=Kind.AUTO, session_id=SESSION, turn=turn, title=title)
    yield
    project.end_turn(session_id=SESSION)


def _move_time(home: Path) -> None:
    """Let the checkpoints be as old as ``_HOURS_AGO`` says."""
    with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection, connection:
        rows = [row for (row,) in connection.execute("SELECT id FROM checkpoints ORDER BY id DESC")]
        for row, hours in zip(rows, _HOURS_AGO, strict=True):
            connection.execute(
                "UPDATE checkpoints SET created_at ="
                " strftime('%Y-%m-%d %H:%M:%f000', created_at, ?) WHERE id = ?",
                (f"-{round(hours * 60)} minutes", row),
            )


SAMPLES: dict[str, Callable[[Machine], Path]] = {
    "README.md": checkout,
    "CONTRIBUTING.md": checkout,
    "docs/capture.md": oversized,
    "docs/catalog.md": clone_and_playground,
    "docs/doctor.md": playground,
    "docs/export.md": playground,
    "docs/find.md": playground,
    "docs/hooks.md": playground,
    "docs/json.md": playground,
    "docs/legacy.md": backup,
    "docs/looking.md": playground,
    "docs/mcp.md": nothing,
    "docs/performance.md": checkout,
    "docs/reliability.md": clone_and_playground,
    "docs/remote.md": playground_and_server,
    "docs/restore.md": playground,
    "docs/retention.md": playground,
    "docs/scale.md": checkout,
    "docs/sql.md": playground,
}
"""The sample of each page."""

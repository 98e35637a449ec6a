"""A file that an agent and then a person have changed, at places that lie apart."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hermes_checkpoints.checkpoints import Project
from hermes_checkpoints.model import Kind

LINES = [f"line {number}\n" for number in range(40)]
NAME = "poem.txt"


def poem(*changed: int, by: str = "me", text: Iterable[str] = LINES) -> str:
    """Return the lines with some of them changed by somebody."""
    lines = [*text]
    for number in changed:
        lines[number] = f"{by} {number}\n"
    return "".join(lines)


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def prepare(project: Project, *names: str) -> None:
    """Write the poem, and take a checkpoint as an agent does when it begins a turn."""
    for name in names or (NAME,):
        (project.working_dir / name).write_text(poem())
    project.take(kind=Kind.AUTO, session_id="s")


def agent_writes(
    project: Project, files: dict[str, str | bytes | None], mode: int | None = None
) -> None:
    """One turn of the agent, which a checkpoint has begun: through the shell, to its end."""
    project.begin_turn(session_id="s")
    write(project.working_dir, files, mode)
    project.end_turn(session_id="s")


def write(folder: Path, files: dict[str, str | bytes | None], mode: int | None = None) -> None:
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            path.chmod(mode)

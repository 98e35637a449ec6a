"""What is counted: each operation of a small project, as a host asks for it, in one order.

    python tests/performance/operations.py HOME PROJECT

Run as a program, a system call that does nothing else marks where each begins and ends, for who
traces the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from hermes_checkpoints import CheckpointManager, Checkpoints, store_status

MARK = "/there is no such directory: "


def operations(home: Path, project: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name of each operation and its call; what it needs is done before it is yielded."""
    manager = CheckpointManager(True, home=home, session_id="counted")
    directory = str(project)
    file = project / "src" / "app.py"

    def take() -> bool:
        return manager.ensure_checkpoint(directory, "before write_file")

    warm = project.parent / "warm"
    warm.mkdir()
    (warm / "file").write_text("so that everything is imported\n")
    other = CheckpointManager(True, home=home.parent / "warm home", session_id="counted")
    other.ensure_checkpoint(str(warm), "first")
    (warm / "file").write_text("changed\n")
    [first] = other.list_checkpoints(str(warm))
    other.diff(str(warm), first["hash"])
    other.restore(str(warm), first["hash"])
    other.end_turn()

    yield "first take", take
    manager.new_turn()
    yield "unchanged take", take
    manager.new_turn()
    file.write_text("one file changed\n")
    yield "take of one file", take
    file.write_text("changed by the agent\n")
    yield "end of a turn", manager.end_turn
    yield "list", lambda: manager.list_checkpoints(directory)
    yield "status", lambda: store_status(home / "checkpoints")
    last = str(manager.list_checkpoints(directory)[0]["hash"])
    yield "diff", lambda: manager.diff(directory, last)
    yield "restore of one file", lambda: manager.restore(directory, last, "src/app.py")
    if file.read_text() != "one file changed\n":
        raise AssertionError("it was not restored")
    with Checkpoints.open(home) as checkpoints:
        yield "undo", checkpoints.project(project).undo
    if file.read_text() != "changed by the agent\n":
        raise AssertionError("it was not undone")


def main() -> None:
    """Do everything, with marks around each operation."""
    for name, operation in operations(Path(sys.argv[1]), Path(sys.argv[2])):
        for call in (None, operation):
            if call is not None:
                call()
            with suppress(OSError):
                Path(MARK + name).rmdir()


if __name__ == "__main__":
    main()

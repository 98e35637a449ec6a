"""Directories that are closed to their owner keep their modes, whatever a restore does and however
it ends. Root is never refused, so these tests run as an ordinary user."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs import writer
from hermes_checkpoints.model import Mode
from support import OrdinaryUserLike, make_project

CLOSED = {
    "sealed": 0o000,
    "blind": 0o300,
    "blind/below": 0o500,
    "fixed": 0o500,
    "fixed/inner": 0o555,
    "listed": 0o400,
}


def modes(project: Path) -> dict[str, int]:
    """The permission bits of the whole tree; of a closed directory, which stays closed, its own."""
    found: dict[str, int] = {}
    known = [project / name for name in CLOSED]
    for path in [project, *project.rglob("*"), *known]:
        with contextlib.suppress(PermissionError):
            found[path.relative_to(project).as_posix()] = stat.S_IMODE(path.lstat().st_mode)
    return found


def make(project: Path) -> None:
    make_project(project)
    for name in CLOSED:
        (project / name).mkdir(parents=True)
        (project / name / "f").write_text("then\n")
    (project / "secret").write_text("then\n")


def close(project: Path) -> None:
    for name in sorted(CLOSED, reverse=True):
        (project / name).chmod(CLOSED[name])
    (project / "secret").chmod(0)


def reopen(project: Path) -> None:
    for name in sorted(CLOSED):
        (project / name).chmod(0o755)


def change(project: Path) -> None:
    """What the agent does: above, beside and inside of closed directories."""
    (project / "README.md").write_text("agent\n")
    (project / "fixed" / "f").write_text("agent\n")
    (project / "fixed" / "inner" / "f").write_text("agent\n")
    (project / "blind" / "f").write_text("agent\n")
    (project / "new").write_text("agent\n")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", list(Mode))
def test_closed_directories_stay_as_they_are_in_every_mode(
    as_user: OrdinaryUserLike, mode: Mode
) -> None:
    """They were closed when the checkpoint was taken, and still are."""
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def act() -> list[dict[str, int]]:
        make(project)
        seen = []
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take()  # all that can be captured, is
            close(project)
            handle.take(label="then")
            seen.append(modes(project))
            (project / "fixed").chmod(0o700)
            (project / "fixed" / "inner").chmod(0o700)
            change(project)
            (project / "new").unlink()
            (project / "fixed" / "inner").chmod(0o555)
            (project / "fixed").chmod(0o500)
            seen.append(modes(project))
            done = handle.restore("then", mode=mode)
            assert done.complete, done.failed
            assert (project / "fixed" / "f").read_text() == "then\n"
            assert (project / "fixed" / "inner" / "f").read_text() == "then\n"
            seen.append(modes(project))
            assert handle.undo().complete
            assert (project / "fixed" / "inner" / "f").read_text() == "agent\n"
            seen.append(modes(project))
        return seen

    first, *others = as_user(act)
    assert others == [first] * 3
    reopen(project)


def test_what_cannot_be_read_is_named_since_nobody_knows_whether_it_differs(
    as_user: OrdinaryUserLike,
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def act() -> None:
        make(project)
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            (project / "secret").write_text("edited\n")
            (project / "secret").chmod(0)
            unreadable = "not captured: unreadable"
            for paths, mode in (None, Mode.EXACT), (None, Mode.KEEP_EDITS), (["secret"], None):
                done = handle.restore("then", paths, mode=mode)
                assert [(s.path, s.reason) for s in done.kept] == [("secret", unreadable)]
                assert done.kept_all
            (project / "secret").chmod(0o644)
            assert (project / "secret").read_text() == "edited\n"
            assert handle.restore("then", mode=Mode.EXACT).complete
            (project / "secret").chmod(0)  # as the restore left it, but nobody can tell
            undone = handle.undo()
            assert [(s.path, s.reason) for s in undone.kept] == [("secret", unreadable)]
            assert undone.kept_all

    as_user(act)
    (project / "secret").chmod(0o644)
    assert (project / "secret").read_text() == "then\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "narrow"])
def test_directories_closed_since_come_back_open_and_an_undo_closes_them(
    as_user: OrdinaryUserLike, whole: bool
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def act() -> tuple[dict[str, int], ...]:
        make(project)
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            close(project)
            closed = modes(project)
            handle.take(label="now")
            taken = modes(project)
            paths = None if whole else ["sealed", "blind", "fixed", "listed"]
            done = handle.restore("then", paths, mode=Mode.EXACT)
            assert done.complete, done.failed
            restored = modes(project)
            assert handle.undo().complete
            return closed, taken, restored, modes(project)

    closed, taken, restored, undone = as_user(act)
    assert taken == closed  # a take opens nothing
    assert undone == closed
    assert {name: restored[name] for name in CLOSED if "/" not in name} == dict.fromkeys(
        ("sealed", "blind", "fixed", "listed"), 0o755
    )
    assert restored["secret"] == 0  # nothing knows what is in it
    reopen(project)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("how", ["fails", "ends", "interrupted", "killed"])
def test_what_was_opened_is_closed_however_a_restore_ends(
    as_user: OrdinaryUserLike, how: str
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def before() -> dict[str, int]:
        make(project)
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
        change(project)
        (project / "fixed" / "inner").chmod(0o555)
        (project / "fixed").chmod(0o500)
        project.chmod(0o555)
        return modes(project)

    def restore() -> dict[str, int]:
        real = writer.TreeWriter._put
        opened: list[str] = []

        def put(self: writer.TreeWriter, path: str, *args: object) -> None:
            if path == "fixed/inner/f":
                opened.extend(self._opened)
                if how == "fails":
                    raise OSError(5, "Input/output error")
                if how == "interrupted":
                    raise KeyboardInterrupt
                if how == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
            real(self, path, *args)  # type: ignore[arg-type]

        writer.TreeWriter._put = put  # type: ignore[assignment, method-assign]
        with Checkpoints.open(home) as checkpoints:
            paths = ["README.md", "fixed/f", "fixed/inner/f"]
            try:
                done = checkpoints.project(project).restore("then", paths, mode=Mode.EXACT)
                assert done.complete is (how == "ends")
            except KeyboardInterrupt:
                assert how == "interrupted"
        assert len(opened) == 3, opened
        return modes(project)

    def killed() -> dict[str, int]:
        child = os.fork()
        if child == 0:
            restore()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert modes(project) != former
        with Checkpoints.open(home):
            return modes(project)

    def undo() -> dict[str, int]:
        with Checkpoints.open(home) as checkpoints:
            assert checkpoints.project(project).undo().complete
        assert (project / "fixed" / "inner" / "f").read_text() == "agent\n"
        return modes(project)

    former = as_user(before)
    assert as_user(killed if how == "killed" else restore) == former
    assert as_user(undo) == former
    reopen(project)


def test_a_directory_that_is_closed_while_the_restore_runs_is_not_opened(
    as_user: OrdinaryUserLike,
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def act() -> tuple[list[str], int]:
        make(project)
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            for name in ("README.md", "src/app.py"):
                (project / name).write_text("agent\n")
            real = writer.TreeWriter.write

            def write(self: writer.TreeWriter, path: str, *args: object) -> None:
                if path == "README.md":
                    (project / "src").chmod(0o500)
                real(self, path, *args)  # type: ignore[arg-type]

            writer.TreeWriter.write = write  # type: ignore[assignment, method-assign]
            done = handle.restore("then", mode=Mode.EXACT)
            return [f.path for f in done.failed], stat.S_IMODE((project / "src").stat().st_mode)

    assert as_user(act) == (["src/app.py"], 0o500)


def test_a_former_version_in_a_directory_that_is_closed_before_it_goes_is_named(
    as_user: OrdinaryUserLike,
) -> None:
    """A person closes the directory while the former version waits to be deleted."""
    home, project = as_user.tmp / "home", as_user.tmp / "project"
    files = [project / "docs" / f"f{number}" for number in range(9)]

    def run() -> dict[str, str]:
        make_project(project)
        for file in (*files, project / "late"):
            file.write_text("then\n")
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            for file in (*files, project / "late"):
                file.write_text("by the agent\n")

            def close(event: str, arguments: tuple[Any, ...]) -> None:
                if event == "os.rename" and arguments[1] == "late":
                    (project / "docs").chmod(0o555)

            sys.addaudithook(close)
            done = handle.restore("then", mode=Mode.EXACT)
        return {failed.path: failed.error for failed in done.failed}

    told = as_user(run)
    assert told.keys() == {f"docs/{file.name}" for file in files}
    for file in files:
        error, _, name = told[f"docs/{file.name}"].removesuffix(" beside it").rpartition(" ")
        assert error == "Permission denied; what lay there could not be put back; it is"
        assert (file.parent / name).read_text() == "by the agent\n"
        assert file.read_text() == "then\n"

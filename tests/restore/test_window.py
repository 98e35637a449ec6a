"""The window while a restore runs: what is moved to a path right before its turn survives.

What happens in between happens at the worst moment, after the last look at the path: our own
function that acts next is wrapped for it.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs import handles, leftovers, system, writer
from hermes_checkpoints.fs.handles import Spot
from hermes_checkpoints.fs.leftovers import CHANGED, TEMPORARY_PREFIX
from hermes_checkpoints.fs.stamp import content_id, look
from hermes_checkpoints.model import Action, Mode
from hermes_checkpoints.object_store.git_index import index_times
from hermes_checkpoints.restore import stamps
from interpreters import run
from support import everything, wait_for_locks

YEAR = 365 * 86_400


def draft(path: Path, text: str = "an old draft\n") -> Path:
    """Make a file of a person with times of long ago, beside the project."""
    made = path.parent.parent / "draft"
    made.write_text(text)
    os.utime(made, (time.time() - YEAR,) * 2)
    return made


def moved_there(path: Path) -> None:
    draft(path).replace(path)


def copied_over(path: Path) -> None:
    """As ``cp -p``: the same size, and the time that the file had."""
    found = path.stat()
    with path.open("r+b") as file:
        file.write(b"X" * found.st_size)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def turned(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


def closed(path: Path) -> None:
    path.chmod(0o400)


def became_a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("mine\n")


INTERFERENCES = [moved_there, copied_over, turned, closed, became_a_directory]
Interfere = Callable[[Path], None]


@pytest.fixture(params=["exchange", "no exchange"])
def interfering(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path, Interfere], None]:
    """Let something happen to a path right before what lies there is moved, or comes there; on a
    system that can exchange two names, and on one that cannot."""
    if request.param == "no exchange":
        monkeypatch.setattr(system, "_renameat2", lambda: None)

    def install(target: Path, interfere: Interfere) -> None:
        happened: list[str] = []

        def wrapped(name: str, place: int) -> None:
            real = getattr(writer, name)

            def act(*args: object) -> object:
                if str(args[place]) == str(target) and not happened:
                    happened.append(name)
                    interfere(target)
                return real(*args)

            monkeypatch.setattr(writer, name, act)

        for name, place in (
            *(("exchange", 1), ("_rename_away", 1), ("rename_new", 1), ("change_mode", 0)),
            ("_mkdir", 0),
        ):
            wrapped(name, place)

    return install


def broken(project: Path, path: str) -> Callable[[], None]:
    """Return what makes ``path`` differ from the checkpoint so that it is written, deleted, made,
    or changed in mode, as its name says."""

    def change() -> None:
        if path == "written":
            (project / path).write_text("by the agent\n")
        elif path == "made":
            (project / path).write_text("by the agent, too\n")
        elif path == "mode":
            (project / path).chmod(0o600)
        else:
            (project / path).unlink()

    return change


def restored_with(
    home: Path, project: Path, path: str, install: Callable[[Path, Interfere], None], act: Interfere
) -> None:
    """Restore while ``act`` happens to ``path``; all that is left of it must be as after it."""
    for name in ("written", "mode", "missing", "other"):
        (project / name).write_text(f"{name} then\n")
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        broken(project, path)()
        (project / "other").write_text("by the agent\n")
        seen: dict[str, object] = {}

        def interfere(target: Path) -> None:
            act(target)
            seen.update(everything(project))

        install(project / path, interfere)
        done = handle.restore("then", mode=Mode.EXACT)
    after = everything(project)
    assert [(f.path, f.error) for f in done.failed] == [(path, CHANGED)]
    assert not done.complete
    assert (project / "other").read_text() == "other then\n"
    mine = {name: what for name, what in seen.items() if name.split("/")[0] == path}
    assert {name: after.get(name) for name in mine} == mine
    assert not [name for name in after if TEMPORARY_PREFIX in name or "kept-" in name]


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("path", ["written", "made"])
@pytest.mark.parametrize("act", INTERFERENCES)
def test_what_came_to_a_path_in_the_last_moment_survives(
    home: Path,
    project: Path,
    interfering: Callable[[Path, Interfere], None],
    act: Interfere,
    path: str,
) -> None:
    restored_with(home, project, path, interfering, act)


def test_a_file_moved_onto_a_path_that_was_missing_survives(
    home: Path, project: Path, interfering: Callable[[Path, Interfere], None]
) -> None:
    restored_with(home, project, "missing", interfering, moved_there)


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("act", INTERFERENCES)
def test_the_mode_of_what_came_to_a_path_in_the_last_moment_stays(
    home: Path, project: Path, interfering: Callable[[Path, Interfere], None], act: Interfere
) -> None:
    restored_with(home, project, "mode", interfering, act)


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("act", INTERFERENCES)
@pytest.mark.parametrize("path", ["written", "made", "mode"])
def test_what_came_to_a_path_before_its_turn_survives(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, act: Interfere, path: str
) -> None:
    """After the stamps were taken, while other paths are written."""

    def install(target: Path, interfere: Interfere) -> None:
        real = writer.TreeWriter.write

        def write(self: writer.TreeWriter, name: str, *args: object) -> None:
            if name == "other":
                interfere(target)
            real(self, name, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(writer.TreeWriter, "write", write)

    restored_with(home, project, path, install, act)


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("path", ["written", "made", "mode", "missing", "folder/missing"])
def test_nothing_outside_is_written_where_a_parent_becomes_a_link_in_the_last_moment(
    home: Path, project: Path, path: str, interfering: Callable[[Path, Interfere], None]
) -> None:
    inside, outside = project / "inside", project.parent / "outside"
    for name in ("written", "mode", "missing", "folder/missing"):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_text(f"{name} then\n")
    (outside / "folder").mkdir(parents=True)
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        broken(inside, path)()

        def turn(_: Path) -> None:
            inside.rename(project / "moved")
            inside.symlink_to(outside)

        interfering(inside / path, turn)
        done = handle.restore("then", mode=Mode.EXACT)
    assert [(f.path, f.error) for f in done.failed] == [(f"inside/{path}", writer.MOVED)]
    assert list(everything(outside)) == ["folder"]
    assert not list(project.rglob(f"{TEMPORARY_PREFIX}*"))


def test_a_directory_made_in_the_last_moment_keeps_its_mode(
    home: Path, project: Path, interfering: Callable[[Path, Interfere], None]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        (project / "docs" / "notes.txt").unlink()
        (project / "docs").rmdir()

        def made(path: Path) -> None:
            path.mkdir()
            path.chmod(0o710)

        interfering(project / "docs", made)
        done = handle.restore("then", mode=Mode.EXACT)
    assert [(f.path, f.error) for f in done.failed] == [("docs", CHANGED)]
    assert stat.S_IMODE((project / "docs").stat().st_mode) == 0o710
    assert (project / "docs" / "notes.txt").exists()


def test_a_directory_that_another_has_replaced_is_not_removed(
    home: Path, project: Path, interfering: Callable[[Path, Interfere], None]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        (project / "made").mkdir()

        def replaced(path: Path) -> None:
            path.rename(path.with_name("moved"))
            path.mkdir()

        interfering(project / "made", replaced)
        done = handle.restore("then", mode=Mode.EXACT)
    assert [(f.path, f.error) for f in done.failed] == [("made", CHANGED)]
    assert (project / "made").is_dir()
    assert (project / "moved").is_dir()


def test_of_two_things_that_came_one_after_the_other_both_are_kept(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes while the first is put back."""
    target = project / "README.md"
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        target.write_text("by the agent\n")

        def coming(module: object, text: str) -> None:
            real = handles.exchange

            def act(first: Spot, second: Spot) -> bool:
                monkeypatch.setattr(module, "exchange", real)
                draft(target, text).replace(target)
                return real(first, second)

            monkeypatch.setattr(module, "exchange", act)

        coming(writer, "first\n")
        coming(leftovers, "second\n")
        (failed,) = handle.restore("then", mode=Mode.EXACT).failed
    assert target.read_text() == "second\n"
    (kept,) = project.glob("README.md.kept-*")
    assert kept.read_text() == "first\n"
    assert failed.error.endswith(kept.name)
    assert not list(project.rglob(f"{TEMPORARY_PREFIX}*"))


def test_a_file_that_is_dated_in_the_future_comes_back(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        for name in ("README.md", "made"):
            (project / name).write_text("by the agent\n")
            os.utime(project / name, (time.time() + YEAR,) * 2)
        assert handle.restore("then", mode=Mode.EXACT).complete
    assert (project / "README.md").read_text().startswith("# Sample")
    assert not (project / "made").exists()


def test_a_file_that_is_mounted_is_written_in_place(
    home: Path, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("then, and rather long\n")
    mounted = project / "README.md"
    mount = ["mount", "--bind", str(outside), str(mounted)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            outside.write_text("now\n")
            outside.chmod(0o600)
            assert handle.restore("then", mode=Mode.EXACT).complete
            assert mounted.read_text() == outside.read_text() == "then, and rather long\n"
            assert stat.S_IMODE(outside.stat().st_mode) == 0o644
            assert handle.undo().complete
            assert outside.read_text() == "now\n"
            assert stat.S_IMODE(outside.stat().st_mode) == 0o600
    finally:
        subprocess.run(["umount", mounted], check=True)
    assert not list(project.glob(f"{TEMPORARY_PREFIX}*"))


# --- killed ------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs import system, writer
home, project, name, moved, can_exchange = sys.argv[1:]
if can_exchange == "no":
    system._renameat2 = lambda: None
target = os.path.join(project, name)
def die(function, place):
    def act(*args):
        if str(args[place]) == target:
            if moved == "yes":
                os.replace(os.path.join(project, "..", "draft"), target)
            function(*args)
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args)
    return act
if can_exchange == "yes":
    writer.exchange = die(writer.exchange, 1)
writer._rename_away = die(writer._rename_away, 1)
with Checkpoints.open(home) as checkpoints:
    checkpoints.project(project).restore("then", mode="exact")
"""


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("can_exchange", ["yes", "no"])
@pytest.mark.parametrize("moved", ["yes", "no"])
@pytest.mark.parametrize("name", ["README.md", "made", "link"])
def test_killed_before_the_look_a_restore_loses_nothing(
    home: Path, project: Path, name: str, moved: str, can_exchange: str
) -> None:
    """What lay at the path, or was moved there, is under a name of ours when the process dies."""
    (project / "link").symlink_to("then")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (project / "README.md").write_text("by the agent\n")
    (project / "made").write_text("by the agent\n")
    (project / "link").unlink()
    (project / "link").symlink_to("now")
    before = everything(project)
    mine = draft(project / name)
    ended = run(KILLED, home, project, name, moved, can_exchange)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    wait_for_locks(home)
    with Checkpoints.open(home) as checkpoints:
        assert not list(project.rglob(f"{TEMPORARY_PREFIX}*"))
        if moved == "yes":
            assert not mine.exists()
            assert (project / name).read_text() == "an old draft\n"
            return
        checkpoints.project(project).undo()
    assert everything(project) == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("can_exchange", ["yes", "no"])
def test_killed_before_the_look_a_file_with_two_names_whose_mode_changes_is_there(
    home: Path, project: Path, can_exchange: str
) -> None:
    """Its copy, and what lay at the path, have the same contents: one of them gets the name."""
    (project / "made").write_text("with two names\n")
    os.link(project / "made", project.parent / "other name")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (project / "made").chmod(0o600)
    before = everything(project)
    ended = run(KILLED, home, project, "made", "no", can_exchange)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    wait_for_locks(home)
    with Checkpoints.open(home) as checkpoints:
        assert not list(project.rglob(f"{TEMPORARY_PREFIX}*"))
        assert (project / "made").read_text() == "with two names\n"
        checkpoints.project(project).undo()
    assert everything(project) == before


def test_a_persons_file_that_lies_where_something_must_be_put_back_stays(
    home: Path, project: Path
) -> None:
    """Somebody uses the name before the next opening puts back what a killed restore moved."""
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (project / "README.md").write_text("by the agent\n")
    draft(project / "README.md")
    assert run(KILLED, home, project, "README.md", "yes", "no").returncode == -signal.SIGKILL
    wait_for_locks(home)
    (project / "README.md").write_text("third\n")
    with Checkpoints.open(home):
        assert (project / "README.md").read_text() == "third\n"
    (kept,) = project.glob("README.md.kept-*")
    assert kept.read_text() == "an old draft\n"
    assert not list(project.rglob(f"{TEMPORARY_PREFIX}*"))


def test_a_base_opens_where_links_lead_in_a_circle_since_a_restore_was_killed(
    home: Path, project: Path
) -> None:
    folder = project / "docs"
    (folder / "f").write_text("then\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (folder / "f").write_text("by the agent\n")
    assert run(KILLED, home, project, "docs/f", "no", "yes").returncode == -signal.SIGKILL
    wait_for_locks(home)
    folder.rename(project / "moved")
    folder.symlink_to("docs")
    with Checkpoints.open(home) as checkpoints:
        assert not any("damage" in note for note in checkpoints.status().notes)
        folder.unlink()
        (project / "moved").rename(folder)
        assert checkpoints.project(project).restore("then", mode=Mode.EXACT).complete
    assert (folder / "f").read_text() == "then\n"


# --- what proves contents ----------------------------------------------------------------------


def test_the_index_knows_the_files_that_it_was_made_of(home: Path, project: Path) -> None:
    (project / ("long" * 60)).write_text("more than 127 bytes of the path before are replaced\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    (index,) = (p for p in (home / "checkpoints/store/indexes").iterdir() if len(p.name) == 16)
    paths = [p for p in project.rglob("*") if p.is_file()]
    names = [path.relative_to(project).as_posix() for path in paths]
    known = index_times(index, names)
    for path, name in zip(paths, names, strict=True):
        found = look(Spot.of(path))
        assert found is not None
        assert known[name].are_of(found)
        assert index_times(index, [name, "missing", "~"]) == {name: known[name]}
    index.write_bytes(b"DIRC\0\0\0\2" + index.read_bytes()[8:])
    assert index_times(index, names) == {}


def test_a_restore_reads_no_contents_that_the_index_proves(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def noted(spot: Spot, mode: int | None = None) -> str:
        read.append(spot.path)
        return content_id(spot, mode)

    monkeypatch.setattr(writer, "content_id", noted)
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        (project / "README.md").write_text("by the agent\n")
        handle.restore("then", mode=Mode.EXACT)
        assert len(read) == 1  # it had changed right before
        monkeypatch.setattr(stamps, "COARSE_CLOCK_NS", -60_000_000_000)  # all are old
        assert handle.undo().complete
        assert len(read) == 1
        assert [s.action for s in handle.redo().done] == [Action.WRITE]
        assert len(read) == 1

"""Restores that fail or are killed: nothing changed, or an undo gives back the former tree."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditing import paths_of
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.handles import Directory, Spot
from hermes_checkpoints.fs.leftovers import CHANGED, digest, digest_of, exchange_back
from hermes_checkpoints.fs.writer import TreeWriter
from hermes_checkpoints.model import Kind, Mode
from interpreters import run
from support import OrdinaryUserLike, every, everything, make_project, wait_for_locks

PREFIX = ".hermes-restore-"


def prepare(home: Path, project: Path) -> None:
    """A checkpoint ``then``, and a tree that differs from it in every way."""
    with Checkpoints.open(home) as checkpoints:
        (project / "dir").mkdir()
        (project / "dir" / "a").write_text("a")
        (project / "turned").write_text("file")
        checkpoints.project(project).take(label="then")
        shutil.rmtree(project / "dir")
        (project / "README.md").write_text("mine\n")
        (project / "run.sh").chmod(0o644)
        (project / "turned").unlink()
        (project / "turned").mkdir()
        (project / "turned" / "b").write_text("b")
        (project / "loose").symlink_to("README.md")


def leftovers(project: Path) -> list[Path]:
    return list(project.rglob(f"{PREFIX}*"))


def pieces(home: Path) -> set[str]:
    """Every path that any checkpoint holds."""
    with Checkpoints.open(home) as checkpoints:
        return {
            change.path
            for project in checkpoints.status().projects
            for checkpoint in checkpoints.project(project.project.working_dir).list()
            for change in checkpoints.project(checkpoint.working_dir).changes(checkpoint)
        }


@dataclass(frozen=True)
class Saved:
    """A home and a project, to begin anew from."""

    folders: dict[Path, Path]

    @classmethod
    def of(cls, *folders: Path) -> Saved:
        saved = {folder: folder.with_name(f"{folder.name}.saved") for folder in folders}
        for folder, copy in saved.items():
            shutil.copytree(folder, copy, symlinks=True)
        return cls(saved)

    def bring_back(self) -> None:
        for folder, copy in self.folders.items():
            shutil.rmtree(folder)
            shutil.copytree(copy, folder, symlinks=True)


# --- killed ------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from auditing import is_below
from hermes_checkpoints import Checkpoints
home, project, act, event, count = sys.argv[1:]
left = int(count)
def reached():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def hook(name, args):
    if name == event and is_below(project, name, args):
        reached()
def watch(connection, *_):
    reached()
with Checkpoints.open(home) as checkpoints:
    if event == "sql":
        import sqlalchemy
        from sqlalchemy import event as listening
        listening.listen(sqlalchemy.Engine, "before_cursor_execute", watch)
    elif event == "commit":
        import sqlalchemy
        from sqlalchemy import event as listening
        listening.listen(sqlalchemy.Engine, "commit", watch)
    else:
        sys.addaudithook(hook)
    if act == "restore":
        checkpoints.project(project).restore("then", mode="exact")
    else:
        getattr(checkpoints.project(project), act)()
"""


def killed(home: Path, project: Path, act: str, event: str, count: int) -> bool:
    """Run a restore, undo or redo that is killed at the ``count``-th event; False if it ended
    before."""
    ended = run(KILLED, home, project, act, event, count)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    wait_for_locks(home)
    return ended.returncode != 0


def points(step: int = 1) -> Iterator[tuple[str, int]]:
    """Where to kill: each system call on the project, each statement and commit."""
    for event in ("os.mkdir", "open", "os.chmod", "os.rename", "os.remove", "os.rmdir"):
        for count in range(1, 60, step):
            yield event, count
    for count in range(1, 300, 17 * step):
        yield "sql", count
    for count in range(1, 60, 2 * step):
        yield "commit", count


@pytest.mark.campaign
def test_a_restore_killed_anywhere_is_seen_and_undone(home: Path, project: Path) -> None:
    prepare(home, project)
    before = everything(project)
    saved = Saved.of(home, project)
    ended: set[str] = set()
    count = 0
    for event, number in points(step=every(2)):
        if event in ended:
            continue
        saved.bring_back()
        if not killed(home, project, "restore", event, number):
            ended.add(event)
        count += 1
        with Checkpoints.open(home) as checkpoints:
            assert not leftovers(project), (event, number)
            interrupted = any("interrupted" in note for note in checkpoints.status().notes)
            if everything(project) != before or interrupted:
                checkpoints.project(project).undo()
            assert everything(project) == before, (event, number)
            assert not any("interrupted" in note for note in checkpoints.status().notes)
        assert not any(PREFIX in path for path in pieces(home))
    assert len(ended) == 8, ended
    assert count >= 20


@pytest.mark.campaign
@pytest.mark.parametrize("act", ["undo", "redo"])
def test_a_killed_undo_or_redo_can_be_taken_up_again(home: Path, project: Path, act: str) -> None:
    prepare(home, project)
    former = everything(project)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("then", mode=Mode.EXACT)
        restored = everything(project)
        if act == "redo":
            checkpoints.project(project).undo()
    start, goal = (restored, former) if act == "undo" else (former, restored)
    saved = Saved.of(home, project)
    ended: set[str] = set()
    for event, number in points(step=every(4)):
        if event in ended:
            continue
        saved.bring_back()
        assert everything(project) == start
        if not killed(home, project, act, event, number):
            ended.add(event)
        with Checkpoints.open(home) as checkpoints:
            assert not leftovers(project)
            notes = checkpoints.status().notes
            if everything(project) != goal or any("interrupted" in note for note in notes):
                if act == "undo":
                    checkpoints.project(project).undo()  # again
                    assert everything(project) == goal, (event, number)
                else:
                    if any("interrupted" in note for note in notes):
                        checkpoints.project(project).undo()  # the half one
                        assert everything(project) == start, (event, number)
                    while everything(project) != goal:
                        checkpoints.project(project).redo()
            assert not any("interrupted" in note for note in checkpoints.status().notes)
    assert len(ended) == 8, ended


@pytest.mark.campaign
def test_a_half_undone_restore_can_be_redone(home: Path, project: Path) -> None:
    prepare(home, project)
    former = everything(project)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("then", mode=Mode.EXACT)
    restored = everything(project)
    assert killed(home, project, "undo", "os.rename", 1)
    with Checkpoints.open(home) as checkpoints:
        assert any("interrupted" in note for note in checkpoints.status().notes)
        checkpoints.project(project).redo()
        assert everything(project) == restored
        assert not any("interrupted" in note for note in checkpoints.status().notes)
        checkpoints.project(project).undo()
        checkpoints.project(project).undo()
        assert everything(project) == former


def test_a_narrow_restore_killed_in_a_closed_directory_closes_it_again(
    as_user: OrdinaryUserLike,
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def before() -> None:
        (project / "closed").mkdir(parents=True)
        (project / "closed" / "f").write_text("then\n")
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
        (project / "closed" / "f").write_text("now\n")
        (project / "closed").chmod(0o500)

    def interrupted() -> int:
        child = os.fork()
        if child == 0:
            with Checkpoints.open(home) as checkpoints:

                def hook(name: str, args: tuple[Any, ...]) -> None:
                    if name == "os.rename" and paths_of(name, args)[1].endswith("closed/f"):
                        os.kill(os.getpid(), signal.SIGKILL)

                sys.addaudithook(hook)
                checkpoints.project(project).restore("then", ["closed/f"])
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def undo() -> None:
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).undo()

    as_user(before)
    former = everything(project)
    assert as_user(interrupted) == -signal.SIGKILL
    assert everything(project) != former
    as_user(undo)
    assert everything(project) == former


# --- failing -----------------------------------------------------------------------------------


@pytest.mark.campaign
def test_an_undo_that_failed_in_part_can_be_tried_again(as_user: OrdinaryUserLike) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def restore() -> None:
        make_project(project)
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
            (project / "README.md").write_text("mine\n")
            (project / "src" / "app.py").write_text("mine\n")
            checkpoints.project(project).restore("then")

    def undo() -> list[str]:
        with Checkpoints.open(home) as checkpoints:
            return [f.path for f in checkpoints.project(project).undo().failed]

    as_user(restore)
    uid = (project / "src").stat().st_uid
    for path in (project / "src", project / "src" / "app.py"):
        os.chown(path, 0, 0)
    assert as_user(undo) == ["src/app.py"]
    assert (project / "README.md").read_text() == "mine\n"
    for path in (project / "src", project / "src" / "app.py"):
        os.chown(path, uid, uid)
    assert as_user(undo) == []
    assert (project / "src" / "app.py").read_text() == "mine\n"


FAILING = """
import errno, os, resource, signal, sys
from auditing import is_below
from hermes_checkpoints import Checkpoints
home, project, count = sys.argv[1:]
left = int(count)
def hook(name, args):
    global left
    changes = name in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink")
    writes = name == "open" and args[2] & (os.O_WRONLY | os.O_CREAT)
    if (changes or writes) and is_below(project, name, args):
        left -= 1
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
with Checkpoints.open(home) as checkpoints:
    sys.addaudithook(hook)
    done = checkpoints.project(project).restore("then", mode="exact")
    print(len(done.failed), left)
"""


@pytest.mark.campaign
def test_each_write_of_a_restore_fails_in_turn(home: Path, project: Path) -> None:
    prepare(home, project)
    before = everything(project)
    saved = Saved.of(home, project)
    failures = 0
    for count in range(1, 60):
        saved.bring_back()
        failed, left = map(int, run(FAILING, home, project, count).stdout.split())
        assert not leftovers(project)
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).undo()
        assert everything(project) == before, count
        if left > 0:
            break
        failures += failed > 0
    assert failures >= 8


def test_a_restore_on_a_full_disk_names_what_failed_and_is_undone(
    tmp_path: Path, home: Path
) -> None:
    """A real one, where a small tmpfs can be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        project = disk / "project"
        project.mkdir()
        (project / "large").write_bytes(os.urandom(1_500_000))
        (project / "small").write_text("then\n")
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
            (project / "large").unlink()
            (project / "small").write_text("mine\n")
            (project / "other").write_bytes(os.urandom(1_500_000))
            before = everything(project)
            done = checkpoints.project(project).restore("then", mode=Mode.EXACT)
            assert [f.path for f in done.failed] == ["large"]
            assert "space" in done.failed[0].error
            assert not leftovers(project)
            checkpoints.project(project).undo()
            assert everything(project) == before
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.campaign
def test_no_room_for_the_safety_checkpoint_no_restore(as_user: OrdinaryUserLike) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def before() -> None:
        make_project(project)
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
        (project / "large").write_bytes(os.urandom(3_000_000))
        (project / "README.md").write_text("mine\n")

    def restore() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with Checkpoints.open(home) as checkpoints:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
            try:
                checkpoints.project(project).restore("then", mode=Mode.EXACT)
            except CheckpointError as error:
                return error.code
        return "restored"

    as_user(before)
    former = everything(project)
    assert as_user(restore) == "no-safety-checkpoint"
    assert everything(project) == former


def test_a_restore_that_stops_after_its_safety_checkpoint_leaves_edits_known(
    home: Path, project: Path
) -> None:
    """Nothing began at that checkpoint, and yet what it saw is a person's."""
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(kind=Kind.AUTO, session_id="s")
        checkpoints.project(project).end_turn(session_id="s")
        (project / "README.md").write_text("mine\n")
        plan = checkpoints.project(project).plan_restore("1", mode=Mode.EXACT)
        (project / "docs" / "notes.txt").write_text("mine, too\n")
        (project / "README.md").write_text("mine, again\n")
        with pytest.raises(CheckpointError):
            checkpoints.project(project).restore("1", plan=plan)
        (project / "run.sh").write_text("mine as well\n")
        checkpoints.project(project).take(kind=Kind.AUTO, session_id="s")
        (project / "README.md").write_text("agent\n")
        checkpoints.project(project).end_turn(session_id="s")
        before = everything(project)
        assert (
            checkpoints.project(project).restore(checkpoints.project(project).list()[-1].id).done
            == ()
        )
    assert everything(project) == before


# --- what was replaced cannot be deleted ----------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("count", [1, 60])
def test_a_file_whose_former_version_cannot_be_deleted_is_as_it_was_and_named(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    names = [f"f{number:02}" for number in range(count)]
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        for name in names:
            (project / name).write_text(f"{name}\n")
        handle.take(label="then")
        for name in names:
            (project / name).write_text("by the agent\n")
        (project / "made").write_text("by the agent\n")
        bad, real = {digest("f00"), digest("made")}, Spot.unlink

        def unlink(spot: Spot) -> None:
            if digest_of(spot.name) in bad:
                raise OSError(errno.EIO, "Input/output error")
            real(spot)

        monkeypatch.setattr(Spot, "unlink", unlink)
        done = handle.restore("then", mode="exact")
        monkeypatch.undo()
        assert {(one.path, one.error) for one in done.failed} == {
            ("f00", "Input/output error"),
            ("made", "Input/output error"),
        }
        assert [step.path for step in done.done] == names[1:]
        assert (project / "f00").read_text() == (project / "made").read_text() == "by the agent\n"
        assert all((project / name).read_text() == f"{name}\n" for name in names[1:])
        handle.undo()
        assert all((project / name).read_text() == "by the agent\n" for name in names)


def test_a_file_in_the_way_that_cannot_be_deleted_gets_its_own_name_back(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "turned").mkdir()
    (project / "turned" / "x").write_text("then\n")
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        shutil.rmtree(project / "turned")
        (project / "turned").write_text("by the agent\n")
        before, real = everything(project), Spot.unlink

        def unlink(spot: Spot) -> None:
            if digest_of(spot.name) == digest("turned"):
                raise OSError(errno.EIO, "Input/output error")
            real(spot)

        monkeypatch.setattr(Spot, "unlink", unlink)
        done = handle.restore("then", mode="exact")
        monkeypatch.undo()
        assert {one.path for one in done.failed} == {"turned", "turned/x"}
        assert everything(project) == before


# --- what was replaced waits to be deleted --------------------------------------------------------

MANY = 40


def prepare_many(home: Path, project: Path) -> list[Path]:
    """A checkpoint ``then`` of many files which are another now; return them."""
    files = [project / f"f{number:02}" for number in range(MANY)]
    for file in files:
        file.write_text(f"then {file.name}\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    for file in files:
        file.write_text("by the agent\n")
    return files


WATCHED = """
import sys
from auditing import paths_of
from hermes_checkpoints import Checkpoints
home, project = sys.argv[1:]
seen = []
def hook(name, args):
    if name in ("os.rename", "os.remove") and any(
        path.startswith(f"{project}/f") or "/.hermes-restore-" in path
        for path in paths_of(name, args)
    ):
        seen.append(name)
with Checkpoints.open(home) as checkpoints:
    sys.addaudithook(hook)
    checkpoints.project(project).restore("then", mode="exact")
    print("".join("d" if name == "os.remove" else "m" for name in seen))
"""


def test_no_file_is_deleted_before_the_last_new_one_is_made(home: Path, project: Path) -> None:
    prepare_many(home, project)
    ended = run(WATCHED, home, project)
    made, deleted = ended.stdout.strip().split("d", 1)
    assert set(made) == {"m"}
    assert len(made) >= MANY
    assert deleted == "d" * (MANY - 1)


@pytest.mark.campaign
def test_killed_while_former_versions_wait_a_restore_has_brought_all_files_back(
    home: Path, project: Path
) -> None:
    """The safety checkpoint holds the former versions: none is needed any more."""
    files = prepare_many(home, project)
    before = everything(project)
    assert killed(home, project, "restore", "os.remove", 1)
    assert len(leftovers(project)) == MANY
    files[0].write_text("by a person, after that\n")
    with Checkpoints.open(home) as checkpoints:
        assert not leftovers(project)
        assert files[0].read_text() == "by a person, after that\n"
        assert all(file.read_text() == f"then {file.name}\n" for file in files[1:])
        assert not list(project.glob("*.kept-*"))
        checkpoints.project(project).undo(exact=True)
    assert everything(project) == before


def test_killed_while_former_versions_wait_they_go_where_all_was_edited_since(
    home: Path, project: Path
) -> None:
    files = prepare_many(home, project)
    assert killed(home, project, "restore", "os.remove", 1)
    for file in files:
        file.write_text("by a person, after that\n")
    edited = {name: what for name, what in everything(project).items() if PREFIX not in name}
    with Checkpoints.open(home) as checkpoints:
        assert everything(project) == edited
        checkpoints.project(project).undo(exact=True)
    assert all(file.read_text() == "by the agent\n" for file in files)


def test_killed_while_former_versions_wait_one_that_the_safety_checkpoint_lacks_goes_back(
    home: Path, project: Path
) -> None:
    files = prepare_many(home, project)
    assert killed(home, project, "restore", "os.remove", 1)
    (former,) = [one for one in leftovers(project) if digest_of(one.name) == digest("f00")]
    former.write_text("what nothing else holds\n")
    with Checkpoints.open(home):
        assert not leftovers(project)
        assert files[0].read_text() == "what nothing else holds\n"
        assert all(file.read_text() == f"then {file.name}\n" for file in files[1:])


def test_an_interruption_before_the_look_leaves_nothing_beside_the_paths(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes when a file was exchanged, and nobody has looked at the former version yet."""
    files = prepare_many(home, project)
    before, real, left = everything(project), TreeWriter._is, [MANY // 2]

    def stopped(*args: Any) -> bool:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return real(*args)

    with Checkpoints.open(home) as checkpoints:
        monkeypatch.setattr(TreeWriter, "_is", stopped)
        with pytest.raises(KeyboardInterrupt):
            checkpoints.project(project).restore("then", mode="exact")
        monkeypatch.undo()
        assert not leftovers(project)
        assert files[MANY // 2 - 1].read_text() == f"then f{MANY // 2 - 1:02}\n"
        assert files[MANY // 2].read_text() == "by the agent\n"
        checkpoints.project(project).undo()
    assert everything(project) == before


def test_what_was_written_into_a_restored_file_stays_where_its_former_version_cannot_go(
    project: Path,
) -> None:
    folder = Directory.root(project)
    away, spot = folder.spot(".hermes-restore-x"), folder.spot("file")
    (project / "file").write_text("restored\n")
    (project / ".hermes-restore-x").write_text("former\n")
    ours = spot.lstat()
    assert exchange_back(away, spot, ours) == CHANGED
    assert (project / "file").read_text() == "former\n"
    assert not leftovers(project)
    (project / ".hermes-restore-x").write_text("former\n")
    (project / "file").write_text("restored\n")
    ours = spot.lstat()
    (project / "file").write_text("restored, and edited\n")
    assert "changed twice" in exchange_back(away, spot, ours)
    assert (project / "file").read_text() == "restored, and edited\n"
    (kept,) = project.glob("file.kept-*")
    assert kept.read_text() == "former\n"


FEW_OPEN_FILES = """
import os, resource, sys
from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.stamp import look
from hermes_checkpoints.fs.writer import TreeWriter
place = sys.argv[1]
root = Directory.root(place)
writer = TreeWriter(root)
used = max(map(int, os.listdir("/proc/self/fd")))
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, hard))
for number in range(60):
    stamp = look(root.enter(f"d{number}").spot("f"))
    writer.write(f"d{number}/f", 0o100644, lambda write: write(b"new"), stamp)
writer.finish()
print(writer.stayed)
"""


def test_directories_that_are_held_open_for_deletions_are_in_nobodys_way(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"d{number}").mkdir()
        (tmp_path / f"d{number}" / "f").write_text("old")
    ended = run(FEW_OPEN_FILES, tmp_path)
    assert (ended.stdout, ended.stderr) == ("{}\n", "")
    assert all((tmp_path / f"d{number}" / "f").read_text() == "new" for number in range(60))
    assert not leftovers(tmp_path)


FEW_FOR_DELETIONS = """
import os, resource, sys
from hermes_checkpoints.fs.handles import Directory, Tree
from hermes_checkpoints.fs.stamp import look
from hermes_checkpoints.fs.writer import TreeWriter
place = sys.argv[1]
root = Directory.root(place)
used = max(map(int, os.listdir("/proc/self/fd")))
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (used + 40, hard))
writer = TreeWriter(root)
for number in range(60):
    path = f"a/b/c/d/e{number}/f"
    writer.delete(path, look(Tree(root).spot(path)))
writer.finish()
print(writer.stayed)
"""


def test_directories_above_those_that_are_held_open_count_too(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"a/b/c/d/e{number}").mkdir(parents=True)
        (tmp_path / f"a/b/c/d/e{number}/f").write_text("old")
    ended = run(FEW_FOR_DELETIONS, tmp_path)
    assert (ended.stdout, ended.stderr) == ("{}\n", "")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]

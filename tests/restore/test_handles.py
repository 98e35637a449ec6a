"""Nothing outside of a project is touched or read, whatever is put in the place of its directories
while a restore, an undo or the sweep after a kill runs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs import system
from hermes_checkpoints.fs.leftovers import TEMPORARY_PREFIX
from hermes_checkpoints.model import Action, Mode, Restored
from interpreters import run
from support import every, wait_for_locks

ROUNDS = int(os.environ.get("ATTACK_ROUNDS", "20"))
"""How many rounds the attack of a campaign has; some are left out, as ``every`` has it."""

DIRECTORIES = ("one", "two", "two/inner")
NAMES = [f"f{number}" for number in range(8)]
OUTSIDE = "not the project's"


@dataclass(frozen=True)
class Arena:
    """A project, what lies outside, and the links that are put in the place of its directories."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def into(self) -> Path:
        return self.folder / "into"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    @property
    def aside(self) -> Path:
        return self.folder / "aside"

    def make(self, turn: int) -> None:
        """Make everything anew, with a checkpoint ``then`` and a project that differs from it."""
        for folder in (self.home, self.project, self.into, self.outside, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
        self.aside.mkdir()
        for path in (self.project, self.outside):
            for name in DIRECTORIES:
                (path / name).mkdir(parents=True)
        fill(self.project, f"then {turn}")
        with Checkpoints.open(self.home) as checkpoints:
            checkpoints.project(self.project).take(label="then")
        fill(self.project, f"now {turn}")
        for name in DIRECTORIES:
            (self.project / name / "made").write_text(f"made {turn}")
            (self.project / name / "f0").unlink()
            (self.project / name / "f1").chmod(0o600)
            (self.project / name / "f2").write_text(f"then {turn} {name}/f2")
            (self.project / name / "f2").chmod(0o600)
        shutil.copytree(self.project, self.into)
        fill(self.outside, OUTSIDE)
        for name in DIRECTORIES:
            (self.outside / name / "made").write_text(OUTSIDE)
            (self.outside / name / "theirs").write_text(OUTSIDE)
        for place in ("project", "into"):
            for name in DIRECTORIES:
                self.link(place, name).symlink_to(self.outside / name)

    def link(self, place: str, directory: str) -> Path:
        """Return where the link is that is put in the place of a directory."""
        return self.aside / f"{place}-{directory.replace('/', '-')}"

    def pairs(self, place: str) -> list[Path]:
        """The directories of a place, each with the link that is put in its place."""
        return [
            path
            for name in DIRECTORIES
            for path in (
                self.folder / place / name,
                self.link(place, name),
            )
        ]

    def places(self, path: str, place: str) -> list[Path]:
        """Where what a restore did at a path may lie by now: where a link was restored away, the
        exchange goes on with what took its place."""
        above, _, name = path.rpartition("/")
        return [
            self.folder / place / path,
            self.link(place, above) / name,
        ]


def fill(folder: Path, words: str) -> None:
    for above in DIRECTORIES:
        for name in NAMES:
            (folder / above / name).write_text(f"{words} {above}/{name}")


def seen(folder: Path) -> dict[str, tuple[Any, ...]]:
    """All that a restore could have touched below a folder: each thing with its inode, mode, owner,
    times, names, and contents. Directories as well, so that no name came and went."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        at = path.lstat()
        facts = at.st_ino, at.st_mode, at.st_uid, at.st_nlink, at.st_mtime_ns, at.st_ctime_ns
        found[str(path)] = (*facts, path.read_bytes() if path.is_file() else None)
    return found


@pytest.fixture(scope="module")
def swap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not system.LINUX:
        pytest.skip("there is no C compiler (cc) for the program that swaps, or no renameat2")
    program = tmp_path_factory.mktemp("swap") / "swap"
    source = Path(__file__).with_name("swap.c")
    built = subprocess.run(
        [compiler, "-O1", "-o", program, source], capture_output=True, text=True, check=False
    )
    if built.returncode:
        pytest.skip(f"the program that swaps cannot be made here: {built.stderr[:200]}")
    return program


@contextlib.contextmanager
def attacked(swap: Path, pairs: list[Path], swaps: list[int]) -> Iterator[None]:
    """Exchange the pairs in a tight loop while the block lasts; append how often it was done."""
    process = subprocess.Popen([swap, *pairs], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "begun\n"
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        swaps.append(int(process.communicate()[0]))


def require_true(arena: Arena, answer: Restored, place: str) -> None:
    """What an answer says is done is done."""
    for step in answer.done:
        if step.action is Action.WRITE and step.is_file and step.path.count("/"):
            there = [path for path in arena.places(step.path, place) if path.is_file()]
            texts = [path.read_text() for path in there if not path.is_symlink()]
            assert any(text.endswith(step.path) for text in texts), (step, texts)
    for failed in answer.failed:
        assert failed.error


def require_nothing_from_outside(*folders: Path) -> None:
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                assert OUTSIDE not in path.read_text(), path


KILLED = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
home, project, count = sys.argv[1:]
left = int(count)
def hook(name, args):
    global left
    if name == "os.rename" and b".hermes-restore-" in os.fsencode(args[0]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
with Checkpoints.open(home) as checkpoints:
    sys.addaudithook(hook)
    checkpoints.project(project).restore("then", mode="exact")
"""


def restored_under_attack(arena: Arena, swap: Path, swaps: list[int], mode: Mode) -> int:
    """Restore, undo, and restore into another directory; return how many steps were done."""
    done = 0
    answers: list[tuple[Restored, str]] = []
    with Checkpoints.open(arena.home) as checkpoints:
        project = checkpoints.project(arena.project)
        for act, place in (("restore", "project"), ("undo", "project"), ("into", "into")):
            with attacked(swap, arena.pairs(place), swaps), contextlib.suppress(CheckpointError):
                if act == "restore":
                    answer = project.restore("then", mode=mode)
                elif act == "undo":
                    answer = project.undo()
                else:
                    answer = project.restore("then", mode=Mode.EXACT, into=arena.into)
                done += len(answer.done)
                if act != "undo":
                    answers.append((answer, place))
    for answer, place in answers:
        require_true(arena, answer, place)
    return done


def swept_under_attack(arena: Arena, swap: Path, swaps: list[int], count: int) -> None:
    """Kill a restore, and open the base while directories are swapped. Inside and outside lie many
    files with names of ours, so that what puts them in order takes its time."""
    ended = run(KILLED, arena.home, arena.project, count)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    wait_for_locks(arena.home)
    with attacked(swap, arena.pairs("project"), swaps), Checkpoints.open(arena.home):
        pass
    with Checkpoints.open(arena.home) as checkpoints, contextlib.suppress(CheckpointError):
        checkpoints.project(arena.project).undo()


def attack(tmp_path: Path, swap: Path, turns: range) -> None:
    arena = Arena(tmp_path)
    modes = [Mode.EXACT, Mode.OVERLAY, Mode.KEEP_EDITS]
    done = 0
    swaps: list[int] = []
    for turn in turns:
        arena.make(turn)
        before = seen(arena.outside)
        done += restored_under_attack(arena, swap, swaps, modes[turn % 3])
        assert seen(arena.outside) == before, turn
        require_nothing_from_outside(arena.project, arena.into)
        arena.make(turn)
        for place in (arena.project, arena.outside):
            for name in DIRECTORIES:
                for number in range(300):
                    (place / name / f"{TEMPORARY_PREFIX}{number:016x}").write_text(place.name)
        before = seen(arena.outside)
        swept_under_attack(arena, swap, swaps, 1 + 3 * turn % 20)
        assert seen(arena.outside) == before, turn
        require_nothing_from_outside(arena.project, arena.into)
    assert done, "nothing was restored at all"
    assert sum(swaps) > len(swaps), swaps


@pytest.mark.slow
def test_nothing_outside_is_touched_while_directories_are_swapped_for_links(
    tmp_path: Path, swap: Path
) -> None:
    attack(tmp_path, swap, range(2))


@pytest.mark.campaign
def test_nothing_outside_is_touched_in_many_rounds(tmp_path: Path, swap: Path) -> None:
    attack(tmp_path, swap, range(2, 2 + ROUNDS, every(5)))


# --- no path string below the project -----------------------------------------------------------

WATCHED = """
import os, sys
from hermes_checkpoints import Checkpoints
home, project, can_exchange = sys.argv[1:]
from hermes_checkpoints.fs import system
if can_exchange == "no":
    system._renameat2 = lambda: None
from hermes_checkpoints.fs.handles import Tree
found, looks = set(), []
def look(tree, path, real=Tree.look):
    looks.append(path)  # what it returns is compared with what is known to lie there
    try:
        return real(tree, path)
    finally:
        looks.pop()
Tree.look = look
def note(event, path):
    if isinstance(path, (str, bytes, os.PathLike)) and not looks:
        name = os.fsdecode(path)
        below = name.startswith(project + "/") and "/.git" not in name
        if below or (not os.path.isabs(name) and "/" in name):
            found.add(f"{event} {name}")
EVENTS = (
    "open", "os.rename", "os.remove", "os.chmod", "os.mkdir", "os.rmdir", "os.symlink", "os.link",
    "os.listdir", "os.scandir", "os.utime", "os.chown",
)
def hook(event, args):
    if event in EVENTS:
        for path in args[:2]:
            note(event, path)
def watched(name):
    real = getattr(os, name)
    def act(path, *args, **options):
        note(name, path)
        return real(path, *args, **options)
    setattr(os, name, act)
with Checkpoints.open(home) as checkpoints:
    handle = checkpoints.project(project)
    os.chdir("/")
    sys.addaudithook(hook)
    for name in ("stat", "lstat", "access", "readlink"):
        watched(name)
    for mode in ("exact", "overlay", "keep-edits"):
        assert handle.restore("then", mode=mode).failed == ()
        handle.undo()
    done = len(handle.restore("then", mode="exact").done)
print(done, *sorted(found), sep="\\n")
"""


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("can_exchange", ["yes", "no"])
def test_no_call_of_a_restore_names_a_path_below_the_project_but_looks_that_are_compared(
    tmp_path: Path, can_exchange: str
) -> None:
    arena = Arena(tmp_path)
    arena.make(0)
    (arena.project / "two" / "f3").unlink()
    (arena.project / "two" / "f3").symlink_to("f4")
    (arena.project / "new" / "folder").mkdir(parents=True)
    shutil.rmtree(arena.project / "one")
    ended = run(WATCHED, arena.home, arena.project, can_exchange)
    assert ended.returncode == 0, ended.stderr
    done, *found = ended.stdout.splitlines()
    assert int(done) > 20
    assert found == []

"""A lock counts while its file is at its path; whoever sees a base sees its locks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import BaseUnwritable, Checkpoints, Failed, LockHeld, LockLost, Taken
from hermes_checkpoints.fs import file_lock
from hermes_checkpoints.fs.locks import (
    NOTE_SUFFIX,
    QUEUE_SUFFIX,
    exclusive,
    holders,
    shared,
)
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout, former_catalog_lock, former_locks, project_hash
from hermes_checkpoints.object_store import maintenance
from interpreters import start
from support import OrdinaryUserLike, deadly_git

Change = Callable[[Path], object]

HOLD = """
import sys
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive
with exclusive(Path(sys.argv[1]), purpose="a test"):
    print("held", flush=True)
    sys.stdin.readline()
"""

FORMER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def layout(home: Path) -> Layout:
    Checkpoints.open(home).close()
    return Layout.of(home)


def replace(lock: Path) -> None:
    other = lock.with_name("another")
    other.touch()
    other.replace(lock)


def test_a_base_is_all_that_is_there(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    assert [entry.name for entry in home.iterdir()] == ["checkpoints"]


@pytest.mark.parametrize("change", [Path.unlink, replace], ids=["removed", "replaced"])
def test_a_waiter_whose_file_went_takes_the_lock_anew(
    layout: Layout, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else both would hold a lock, each on a file of its own."""
    lock, waiting = layout.store_lock, threading.Event()
    inodes: list[int] = []
    real = file_lock.try_lock

    def watched(descriptor: int, *, shared: bool) -> bool:
        got = real(descriptor, shared=shared)
        if not got:
            waiting.set()
        return got

    monkeypatch.setattr("hermes_checkpoints.fs.locks.try_lock", watched)

    def wait() -> None:
        with shared(lock) as held:
            inodes.append(os.fstat(held.descriptors[-1]).st_ino)
            held.require()

    thread = threading.Thread(target=wait)
    with exclusive(lock, purpose="a test"):
        thread.start()
        assert waiting.wait(30)
        change(lock)
        next_one = exclusive(lock, purpose="the next one")
        next_one.__enter__()
    waiting.clear()
    assert waiting.wait(30), "it is content with the file that went"
    assert inodes == []
    inode = lock.stat().st_ino
    next_one.__exit__(None, None, None)
    thread.join()
    assert inodes == [inode]


@pytest.mark.parametrize("change", [Path.unlink, replace], ids=["removed", "replaced"])
def test_a_holder_whose_file_went_starts_no_git(layout: Layout, change: Change) -> None:
    git = Git(layout.store)
    with exclusive(layout.store_lock, purpose="a test") as held:
        under = Git(layout.store, locks=(held,))
        assert under.run("--version", outside=True)
        change(layout.store_lock)
        with pytest.raises(LockLost, match=r"store\.lock was removed or replaced while it was"):
            under.run("--version", outside=True)
        assert git.run("--version", outside=True)


def test_a_take_that_lost_its_lock_publishes_nothing(home: Path, project: Path) -> None:
    """The lock goes while git stages: the ref is not written, and the next take is whole."""
    layout = Layout.of(home)
    with Checkpoints.open(home) as checkpoints:
        first = checkpoints.project(project).take("first")
        assert isinstance(first, Taken)
        (project / "more").write_text("more", encoding="utf-8")
        shim = home.parent / "bin"
        environment = deadly_git(shim, "write-tree", after=True)
        text = (shim / "git").read_text().replace("kill -9 $PPID; exit 1", "rm -r $LOCKS; exit 0")
        lock = layout.project_lock(project_hash(project.resolve()))
        (shim / "git").write_text(text.replace("$LOCKS", f'"{lock}"'))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", environment["PATH"])
            done = checkpoints.project(project).take("lost")
        assert isinstance(done, Failed)
        assert done.error.code == "lock-lost"
        assert len(checkpoints._base.store.refs()) == 1
        again = checkpoints.project(project).take("again")
        assert isinstance(again, Taken)
        assert [c.reason for c in checkpoints.project(project).list()] == ["again", "first"]


def test_a_prune_that_lost_its_lock_deletes_nothing(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take("kept"), Taken)
        refs = checkpoints._base.store.refs()
        lock = Layout.of(home).store_lock
        with exclusive(lock, purpose="prune") as held:
            lock.unlink()
            git = Git(Layout.of(home).store, locks=(held,))
            with pytest.raises(LockLost):
                maintenance.delete_refs(git, refs)
            with pytest.raises(LockLost):
                maintenance.drop_loose(git)
            with pytest.raises(LockLost):
                maintenance.repack(git)
        assert checkpoints._base.store.refs() == refs


def test_a_base_that_went_is_not_made_by_a_waiter(layout: Layout) -> None:
    with exclusive(layout.store_lock, purpose="a test"):
        shutil.rmtree(layout.base)
        with pytest.raises(BaseUnwritable, match="was removed meanwhile, as `clear` does"):
            exclusive(layout.prune_lock, purpose="another").__enter__()
    assert not layout.base.exists()


def test_the_note_of_a_holder_goes_with_it(layout: Layout) -> None:
    note = layout.prune_lock.with_name(layout.prune_lock.name + NOTE_SUFFIX)
    with exclusive(layout.prune_lock, purpose="a test"):
        assert note.exists()
        with pytest.raises(LockHeld, match=r"prune\.lock is held by process \d+ \(a "):
            exclusive(layout.prune_lock, purpose="another", timeout=0).__enter__()
    assert not note.exists()


def test_a_note_is_one_file_and_follows_no_link(layout: Layout, tmp_path: Path) -> None:
    note = layout.prune_lock.with_name(layout.prune_lock.name + NOTE_SUFFIX)
    victim = tmp_path / "victim"
    victim.write_text("of somebody\n")
    note.symlink_to(victim)
    with exclusive(layout.prune_lock, purpose="a test"):
        assert victim.read_text() == "of somebody\n"
    assert not note.is_symlink()
    with exclusive(layout.prune_lock, purpose="a very long purpose " * 20):
        pass
    before = {one.name for one in layout.locks.iterdir()}
    with exclusive(layout.prune_lock, purpose="short"):
        assert {one.name for one in layout.locks.iterdir()} - before == {note.name}
        (holder,) = holders(layout.prune_lock)
        assert holder.purpose == "short"


# --- two ways to one base ------------------------------------------------------------------------


def test_a_second_path_leads_to_the_same_locks(layout: Layout, tmp_path: Path) -> None:
    other = tmp_path / "mounted"
    other.symlink_to(layout.base)
    holder = start(HOLD, other / "locks" / "store.lock")
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LockHeld):
        exclusive(layout.store_lock, purpose="another", timeout=0).__enter__()
    assert holder.finish().returncode == 0


def test_a_mount_of_the_base_leads_to_the_same_locks(layout: Layout, tmp_path: Path) -> None:
    """A container sees the base alone, as it is mounted there."""
    inside = tmp_path / "container" / "data"
    inside.mkdir(parents=True)
    mount = f'mount --bind "{layout.base}" "{inside}" && exec "$@"'
    namespace = ["unshare", "-rm", "sh", "-c", mount, "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*namespace, "true"], check=False, stderr=subprocess.DEVNULL).returncode
    ):
        pytest.skip("no mount can be made in a namespace of this user")
    with subprocess.Popen(
        [*namespace, sys.executable, "-c", HOLD, inside / "locks" / "store.lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LockHeld, match=r"held by process \d+ \(a test"):
            exclusive(layout.store_lock, purpose="another", timeout=0).__enter__()
        holder.stdin.write(b"\n")
    assert holder.returncode == 0


# --- an earlier program --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["store.lock", "catalog.lock"])
def test_an_earlier_program_and_this_one_see_each_other(layout: Layout, name: str) -> None:
    folder = former_locks(layout.base)
    folder.mkdir()
    former = former_catalog_lock(layout.base) if name == "catalog.lock" else folder / name
    holder = start(FORMER, former)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LockHeld):
        exclusive(layout.locks / name, purpose="another", timeout=0).__enter__()
    assert holder.finish().returncode == 0
    with exclusive(layout.locks / name, purpose="a test"):
        there = start("import fcntl, sys\nfcntl.flock(open(sys.argv[1]), 6)", former)  # EX | NB
        assert "BlockingIOError" in there.finish().stderr


def test_a_former_lock_folder_that_is_closed_bars_nobody(as_user: OrdinaryUserLike) -> None:
    as_user(_lock_beside_a_closed_folder, as_user.tmp / "user")


def _lock_beside_a_closed_folder(folder: Path) -> None:
    layout = Layout.of(folder / "home")
    layout.create_base()
    former_locks(layout.base).mkdir(mode=0o500)
    with exclusive(layout.store_lock, purpose="a test") as held:
        assert len(held.descriptors) == 1


# --- who holds it, and whose turn it is ----------------------------------------------------------

SHARE = """
import sys
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive, shared
with exclusive(Path(sys.argv[2]), purpose="take of /a"), shared(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_those_who_hold_it_together_are_named_with_what_they_do(layout: Layout) -> None:
    takers = [start(SHARE, layout.store_lock, layout.locks / f"{n}.lock") for n in range(2)]
    assert [taker.stdout.readline() for taker in takers] == ["held\n"] * 2
    found = holders(layout.store_lock)
    assert {(one.purpose, one.shared, one.proven) for one in found} == {("take of /a", True, True)}
    assert all(one.since for one in found)
    with pytest.raises(LockHeld) as refused:
        exclusive(layout.store_lock, purpose="prune", timeout=0).__enter__()
    for one in found:
        assert f"process {one.pid} (take of /a, since " in str(refused.value)
    for taker in takers:
        taker.finish()
    assert holders(layout.store_lock) == []


def test_of_a_killed_holder_the_git_that_goes_on_is_named(layout: Layout, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "end")
    code = """
import os, signal, subprocess, sys
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive
with exclusive(Path(sys.argv[1]), purpose="prune") as held:
    cat = ["cat", sys.argv[2]]
    subprocess.Popen(cat, pass_fds=held.descriptors, stdout=2, start_new_session=True)
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    arguments = [sys.executable, "-c", code, str(layout.prune_lock), str(tmp_path / "end")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as dead:
        assert dead.stdout is not None
        assert dead.stdout.read() == b"held\n"
    with pytest.raises(LockHeld, match=r"prune\.lock is held by process \d+ \(cat\)") as refused:
        exclusive(layout.prune_lock, purpose="prune", timeout=0).__enter__()
    assert f"process {dead.pid} " not in str(refused.value)
    (tmp_path / "end").write_text("")
    with exclusive(layout.prune_lock, purpose="prune"):
        pass


def test_who_wants_it_alone_gets_its_turn_among_those_who_come_and_go(layout: Layout) -> None:
    """Two threads hold it by turns so that it is never free; without a queue a prune would wait
    for ever."""
    turns = [threading.Event(), threading.Event()]
    stopped = threading.Event()

    def come_and_go(mine: threading.Event, other: threading.Event) -> None:
        while not stopped.is_set():
            with shared(layout.store_lock, timeout=60):
                mine.set()
                # Somebody new holds it before this one lets go, or nobody new is let in.
                while not other.wait(0.01) and not stopped.is_set():
                    if [one for one in holders(queue) if not one.shared]:
                        break
                other.clear()

    queue = layout.store_lock.with_name(f"{layout.store_lock.name}{QUEUE_SUFFIX}")
    pairs = (turns, turns[::-1])
    threads = [threading.Thread(target=come_and_go, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    try:
        assert all(turn.wait(30) for turn in turns)
        with exclusive(layout.store_lock, purpose="prune", timeout=10):
            assert [one.shared for one in holders(layout.store_lock)] == [False]
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def test_who_waits_for_a_lock_of_a_new_base_is_in_the_queue(layout: Layout) -> None:
    """Nobody held it together with others yet; those who come while it waits pass there."""
    queue = layout.store_lock.with_name(f"{layout.store_lock.name}{QUEUE_SUFFIX}")
    layout.store_lock.unlink(missing_ok=True)
    queue.unlink(missing_ok=True)
    waiting, done = threading.Event(), threading.Event()

    def alone() -> None:
        waiting.set()
        with exclusive(layout.store_lock, purpose="making the store", timeout=20):
            done.set()

    with exclusive(layout.store_lock, purpose="making the store"):
        thread = threading.Thread(target=alone)
        thread.start()
        assert waiting.wait(30)
        while thread.is_alive() and not holders(queue):
            pass
        with pytest.raises(LockHeld, match=r"gets it next"):
            start_shared(layout.store_lock)
    thread.join()
    assert done.is_set()


def test_who_holds_it_already_is_not_kept_out_by_the_queue(layout: Layout) -> None:
    """A thread that holds it together with others and takes it once more would wait for itself."""
    waiting, done = threading.Event(), threading.Event()

    def alone() -> None:
        waiting.set()
        with exclusive(layout.store_lock, purpose="prune"):
            done.set()

    with shared(layout.store_lock):
        thread = threading.Thread(target=alone)
        thread.start()
        queue = layout.store_lock.with_name(f"{layout.store_lock.name}{QUEUE_SUFFIX}")
        while not holders(queue):
            assert waiting.wait(30)
        with pytest.raises(LockHeld, match=r"; process \d+ \(.*\) gets it next"):
            start_shared(layout.store_lock)
        with shared(layout.store_lock, timeout=0):
            assert not done.is_set()
    thread.join()
    assert done.is_set()


def test_of_one_who_waited_and_stands_still_nobody_says_that_another_holds_it(
    layout: Layout,
) -> None:
    queue = layout.store_lock.with_name(f"{layout.store_lock.name}{QUEUE_SUFFIX}")
    stopped = start(HOLD, queue)
    assert stopped.stdout.readline() == "held\n"
    with pytest.raises(
        LockHeld, match=r"by nobody that can be seen, and process \d+ \(a test, .* is to get it"
    ):
        shared(layout.store_lock, timeout=0).__enter__()
    assert stopped.finish().returncode == 0


def start_shared(lock: Path) -> None:
    """Try to hold a lock together with others in another process; raise what that raises."""
    code = """
import sys
from pathlib import Path
from hermes_checkpoints.fs.locks import shared
with shared(Path(sys.argv[1]), timeout=0):
    pass
"""
    answer = start(code, lock).finish()
    for line in answer.stderr.splitlines():
        if "LockHeld: " in line:
            raise LockHeld(line)


@pytest.mark.skipif(os.name != "posix", reason="the locks of Windows come with portalocker")
def test_locks_need_no_folder_for_temporary_files(layout: Layout) -> None:
    """portalocker looks for one when it is imported, and fails where there is none."""
    code = """
import sys, tempfile

def none(*_):
    raise FileNotFoundError("no usable temporary directory found")

tempfile.gettempdir = none
from pathlib import Path
from hermes_checkpoints.cli import main
from hermes_checkpoints.fs.locks import exclusive
with exclusive(Path(sys.argv[1]), purpose="a test"):
    print("held")
"""
    arguments = [sys.executable, "-c", code, str(layout.prune_lock)]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "held\n"), ended.stderr


@pytest.mark.parametrize("lock", [exclusive, shared])
def test_who_goes_on_without_a_lock_does_not_ask_who_holds_it(
    layout: Layout, lock: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("hermes_checkpoints.fs.locks.holdings", asked.append)
    options = {"purpose": "a test"} if lock is exclusive else {}
    with exclusive(layout.store_lock, purpose="holding it"):
        quiet = lock(layout.store_lock, timeout=0, told=False, **options)
        with pytest.raises(LockHeld, match="held by others"), quiet:
            pass
        assert not asked
        with pytest.raises(LockHeld), lock(layout.store_lock, timeout=0, **options):
            pass
        assert asked

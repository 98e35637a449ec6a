"""Files that are deleted on threads of their own."""

from __future__ import annotations

import errno
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.removals import Removals
from interpreters import run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def _unexpected(error: OSError) -> None:
    raise AssertionError(error)


@pytest.mark.parametrize("count", [1, 500])
def test_all_of_it_is_gone_after_settle_and_no_thread_is_left(place: Path, count: int) -> None:
    folder, removals = Directory.root(place), Removals()
    before = threading.active_count()
    for _ in range(2):
        for number in range(count):
            (place / f"f{number}").write_text("x")
            removals.add(folder.spot(f"f{number}"), 1, _unexpected)
        removals.settle()
        assert list(place.iterdir()) == []
        assert threading.active_count() == before


@pytest.mark.parametrize("count", [1, 500])
def test_what_cannot_be_deleted_is_told_and_costs_no_other_file(place: Path, count: int) -> None:
    folder, removals = Directory.root(place), Removals()
    refused: dict[str, OSError] = {}
    for number in range(count):
        for name in (f"d{number}", f"f{number}"):
            (place / name).mkdir() if name[0] == "d" else (place / name).write_text("x")
            removals.add(folder.spot(name), 1, partial(refused.__setitem__, name))
    removals.add(folder.spot("gone already"), 1, _unexpected)
    removals.settle()
    assert {path.name for path in place.iterdir()} == refused.keys()
    assert len(refused) == count


def test_what_is_added_waits_until_it_has_room_or_directories_enough(place: Path) -> None:
    removals, largest = Removals(), 1 << 20
    for number in range(300):
        (place / f"d{number}").mkdir()
        (place / f"d{number}" / "f").write_text("x")
    for number in range(256):
        removals.add(Directory.root(place / f"d{number}").spot("f"), largest // 256, _unexpected)
    assert len(removals) == 256
    assert all((place / f"d{number}" / "f").exists() for number in range(300))
    removals.add(Directory.root(place / "d256").spot("f"), 1, _unexpected)
    assert len(removals) == 0
    folder = Directory.root(place / "d299")
    for _ in range(65):
        removals.add(folder.spot("f"), largest, _unexpected)
    assert not (place / "d299" / "f").exists()
    removals.settle()


def test_an_error_of_whoever_is_told_costs_no_other_file_and_is_raised(place: Path) -> None:
    folder, removals = Directory.root(place), Removals()

    def fails(error: OSError) -> None:
        raise ValueError(error.errno)

    for number in range(50):
        (place / f"d{number}").mkdir()
        (place / f"f{number}").write_text("x")
        removals.add(folder.spot(f"d{number}"), 1, fails)
        removals.add(folder.spot(f"f{number}"), 1, _unexpected)
    with pytest.raises(ValueError, match=str(errno.EISDIR)):
        removals.settle()
    assert not list(place.glob("f*"))
    removals.settle()


IN_A_PROCESS = """
import os, resource, signal, sys, threading
from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.removals import Removals
place, count = sys.argv[1], int(sys.argv[2])
folder, removals = Directory.root(place), Removals()
os.mkdir(os.path.join(place, "d"))
for number in range(count):
    open(os.path.join(place, f"f{number}"), "w").close()
def refused(error):
    os.kill(os.getpid(), signal.SIGINT)
removals.add(folder.spot("d"), 1, ACT)
for number in range(count):
    removals.add(folder.spot(f"f{number}"), 1, None)
"""

INTERRUPTED = (
    IN_A_PROCESS.replace("ACT", "refused")
    + """
try:
    removals.settle()
except KeyboardInterrupt:
    print(os.listdir(place))
"""
)

NO_THREADS = (
    IN_A_PROCESS.replace("ACT", "lambda error: None")
    + """
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), resource.RLIM_INFINITY))
try:
    threading.Thread(target=int).start()
except RuntimeError:
    removals.settle()
    print(os.listdir(place))
"""
)


@pytest.mark.parametrize("count", [2, 500])
def test_an_interruption_waits_until_all_of_it_is_gone(place: Path, count: int) -> None:
    ended = run(INTERRUPTED, place, count)
    assert (ended.stdout, ended.stderr) == ("['d']\n", "")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux")
def test_all_of_it_is_gone_where_the_system_gives_no_thread(place: Path) -> None:
    ended = run(NO_THREADS, place, 500)
    assert (ended.stdout, ended.stderr) == ("['d']\n", "")

"""Who holds a lock is told without locking anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints.doctor.checks import locks
from hermes_checkpoints.errors import LockHeld
from hermes_checkpoints.fs.holders import holdings, runs
from hermes_checkpoints.fs.locks import NOTE_SUFFIX, QUEUE_SUFFIX, exclusive, shared
from hermes_checkpoints.layout import Layout, former_locks

HOLD = """
import sys
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive
with exclusive(Path(sys.argv[1]), purpose="a long take"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold a lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_lock_that_nobody_holds_is_not_told(sound: Path) -> None:
    assert kinds(locks.check, sound) == []


def test_the_holder_its_work_and_the_inode_are_told(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with held_elsewhere(lock) as process:
        (found,) = look(locks.check, sound)
        assert (found.kind, found.where, found.note) == ("lock-held", "locks/store.lock", True)
        assert f"process {process.pid} holds it alone, for a long take, since 2" in found.text
        assert f"inode {lock.stat().st_ino}" in found.text


def test_whoever_holds_a_lock_together_with_others_is_told(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with shared(lock), shared(lock):
        found = holdings(lock.parent)
    assert found is not None
    assert [(one.name, one.pid, one.alone) for one in found] == [
        ("store.lock", os.getpid(), False),
        ("store.lock", os.getpid(), False),
    ]


def test_a_child_that_inherited_a_lock_is_its_holder(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    with exclusive(tmp_path / "locks/a.lock", purpose="work") as held:
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            pass_fds=held.descriptors,
        )
    try:
        found = holdings(tmp_path / "locks")
        assert found is not None
        # A lock that is given up in one process is given up in all that inherited it.
        assert found == []
    finally:
        child.kill()
        child.communicate()


def test_a_lock_outlives_a_killed_parent_and_is_told_of_its_child(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    script = """
import os, subprocess, sys
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive
with exclusive(Path(sys.argv[1]), purpose="work") as held:
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], pass_fds=held.descriptors
    )
    print(child.pid, flush=True)
    os._exit(0)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "locks/a.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        child = int(process.stdout.readline())
        process.wait()
        found = holdings(tmp_path / "locks")
        assert found is not None
        assert [(one.pid, one.alone) for one in found] == [(child, True)]


def test_a_lock_that_was_replaced_under_its_holder_is_a_fault(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with held_elsewhere(lock) as process:
        inode = lock.stat().st_ino
        lock.unlink()
        lock.touch()
        (found, *_) = look(locks.check, sound)
        assert (found.kind, found.note) == ("lock-replaced", False)
        assert f"process {process.pid} holds inode {inode} alone" in found.text
        assert f"inode {lock.stat().st_ino} is there now" in found.text
        lock.unlink()
        (found, *_) = look(locks.check, sound)
        assert "nothing is there now" in found.text


def test_a_lock_that_was_renamed_under_its_holder_is_a_fault(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with held_elsewhere(lock):
        lock.rename(lock.with_name("kept"))
        (found, *_) = look(locks.check, sound)
        assert (found.kind, found.where) == ("lock-replaced", "locks/kept")


def test_whoever_waits_in_the_queue_of_a_lock_is_no_fault(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with shared(lock), held_elsewhere(lock.with_name(f"{lock.name}{QUEUE_SUFFIX}")) as process:
        told = {one.where: one for one in look(locks.check, sound) if one.kind == "lock-held"}
        assert kinds(locks.check, sound) == ["lock-held"] * 2
        assert f"process {process.pid} holds it alone" in told["locks/store.lock.queue"].text
        assert "together with others" in told["locks/store.lock"].text


def test_a_note_of_a_dead_holder_is_no_fault(sound: Path) -> None:
    lock = Layout.of(sound).store_lock
    with held_elsewhere(lock):
        pass  # killed
    (found,) = look(locks.check, sound)
    assert (found.kind, found.note) == ("lock-note", True)
    assert "a long take" in found.text
    assert "nobody holds the lock" in found.text


def test_of_a_holder_on_another_machine_nothing_is_said_that_cannot_be_seen(sound: Path) -> None:
    note = {"pid": 1, "purpose": "prune", "since": "2026-01-01T00:00:00+00:00", "host": "another"}
    (sound / "checkpoints/locks/store.lock.holder").write_text(json.dumps(note))
    (found,) = look(locks.check, sound)
    assert "on another machine; whether it still holds it cannot be seen here" in found.text


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "note", ["", "[]", '{"pid": "x"}', '{"pid": 1}', '{"pid": 1e999}', "[" * 100_000]
)
def test_a_note_that_says_nothing_is_told_as_such(sound: Path, note: str) -> None:
    (sound / "checkpoints/locks/store.lock.holder").write_text(note)
    (found,) = look(locks.check, sound)
    assert (found.kind, found.text) == ("lock-note", "the note on the last holder cannot be read")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("note", ["[]", '{"pid": 1e999}', "[" * 200_000, None])
def test_whatever_lies_in_the_place_of_a_note_a_waiter_is_told_who_holds_the_lock(
    sound: Path, note: str | None
) -> None:
    lock = Layout.of(sound).store_lock
    with held_elsewhere(lock) as process:
        beside = lock.with_name(f"other.lock{NOTE_SUFFIX}")
        if note is None:
            os.mkfifo(beside)
        else:
            beside.write_text(note)
        with pytest.raises(LockHeld, match=f"held by process {process.pid} "):
            exclusive(lock, purpose="another", timeout=0).__enter__()


@pytest.mark.parametrize("name", ["store.lock", f"store.lock{QUEUE_SUFFIX}"])
def test_a_lock_that_this_user_cannot_take_is_a_fault(
    sound: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = Layout.of(sound).locks / name
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != lock)
    (found,) = look(locks.check, sound)
    assert (found.kind, found.where) == ("lock-closed", f"locks/{name}")
    assert str(lock) in found.remedy


def test_locks_of_an_earlier_program_are_told(sound: Path) -> None:
    former_locks(sound / "checkpoints").mkdir()
    (found,) = look(locks.check, sound)
    assert (found.kind, found.note) == ("former-locks", True)


def test_a_base_without_locks_has_none(home: Path) -> None:
    assert kinds(locks.check, home, catalog=False) == []


def test_a_process_that_ended_does_not_run() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert runs(process.pid) is False
    assert runs(os.getpid()) is True


def test_a_note_is_json(sound: Path) -> None:
    """What the check reads is what a holder writes."""
    lock = Layout.of(sound).store_lock
    with exclusive(lock, purpose="looking"):
        note = json.loads(lock.with_name("store.lock.holder").read_bytes())
    assert note.keys() == {"pid", "purpose", "since", "host"}

"""Nothing is reported as taken that is not in the store, whichever system call of git fails.

Git runs with a library (faults.c) that makes one of its calls fail. What a take then reports is
judged by git and hashlib, without the code that is tested. More takes, such as 300:

    FAULTY_TAKES=300 .venv/bin/pytest -n 0 -s tests/object_store/test_faults.py
"""

from __future__ import annotations

import errno
import hashlib
import os
import random
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Failed, Taken

CALLS = ("open", "write", "mkdir", "link", "rename", "fsync", "close")
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
TAKES = int(os.environ.get("FAULTY_TAKES", "28"))
GIT = shutil.which("git") or "git"


@dataclass(frozen=True)
class Faults:
    """A git on PATH whose calls below ``under`` fail as ``settings`` say."""

    settings: Path
    counter: Path
    under: Path

    def none(self) -> None:
        self.settings.write_text("")

    def at(self, call: str, number: int, error: int, *, stays: bool = False) -> None:
        """Let the call of this number fail, or, with 0, count them."""
        self.counter.write_bytes(bytes(8))
        values = {
            "LD_PRELOAD": self.settings.with_name("faults.so"),
            "FAULT_UNDER": self.under,
            "FAULT_COUNTER": self.counter,
            "FAULT_CALL": call,
            "FAULT_NUMBER": number,
            "FAULT_STAYS": int(stays),
            "FAULT_ERRNO": error,
        }
        self.settings.write_text("".join(f"export {k}='{v}'\n" for k, v in values.items()))

    @property
    def count(self) -> int:
        return int.from_bytes(self.counter.read_bytes(), "little")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (cc) for the library that makes calls fail")
    target = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).with_name("faults.c")
    built = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        pytest.skip(f"the library that makes calls fail cannot be made here: {built.stderr[:200]}")
    return target


@pytest.fixture
def faults(home: Path, tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch) -> Faults:
    folder = tmp_path / "faulty"
    folder.mkdir()
    shutil.copy(library, folder / "faults.so")
    found = Faults(folder / "settings", folder / "counter", home / "checkpoints" / "store")
    found.none()
    (folder / "git").write_text(f"#!/bin/sh\n. '{found.settings}'\nexec '{GIT}' \"$@\"\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return found


def git(store: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = [GIT, f"--git-dir={store}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=stdin).stdout


def sha1(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def require_whole(store: Path, commit: str, project: Path) -> None:
    """Read every object of a checkpoint, compare it with its id, and find every file of the
    project among them."""
    listed = git(store, "rev-list", "--objects", commit).split(b"\n")
    ids = [line.partition(b" ")[0] for line in listed if line]
    output = git(store, "cat-file", "--batch", stdin=b"".join(i + b"\n" for i in ids))
    position = 0
    for name in ids:
        end = output.index(b"\n", position)
        found, kind, size = output[position:end].split(b" ")
        data = output[end + 1 : end + 1 + int(size)]
        assert found == name
        assert sha1(b"%s %s\0" % (kind, size) + data) == name.decode()
        position = end + 2 + int(size)
    tree = git(store, "ls-tree", "-r", "-z", f"{commit}:tree").split(b"\0")
    held = {os.fsdecode(e.partition(b"\t")[2]): e.split()[2].decode() for e in tree if e}
    for path in (p for p in project.rglob("*") if p.is_file()):
        data = path.read_bytes()
        blob = sha1(b"blob %d\0" % len(data) + data)
        assert held.pop(path.relative_to(project).as_posix()) == blob
    assert not held


def edit(project: Path, number: int, chance: random.Random) -> None:
    """Change some files, in folders that are new now and then."""
    for _ in range(chance.randint(1, 4)):
        path = project / f"d{chance.randint(0, 5)}/e{chance.randint(0, 3)}/f{chance.randint(0, 9)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number} {chance.random()}\n" * chance.randint(1, 50))


@pytest.mark.slow
def test_what_is_reported_as_taken_is_whole_whichever_call_fails(
    home: Path, project: Path, faults: Faults
) -> None:
    chance = random.Random(TAKES)  # noqa: S311 - the same takes every time
    store = home / "checkpoints" / "store"
    outcomes: Counter[str] = Counter()
    taken: set[str] = set()
    with Checkpoints.open(home, config=Config(max_snapshots=0, max_total_size_mb=0)) as opened:
        handle = opened.project(project)
        first = handle.take()
        assert isinstance(first, Taken)
        taken.add(first.checkpoint.id)
        usual = dict.fromkeys(CALLS, 8)
        for number in range(TAKES):
            edit(project, number, chance)
            call = CALLS[number % len(CALLS)]
            error = ERRORS[number // len(CALLS) % len(ERRORS)]
            stays = chance.random() < 0.4
            faults.at(call, chance.randint(1, usual[call]), error, stays=stays)
            outcome = handle.take()
            if not stays:
                usual[call] = max(1, faults.count)
            faults.none()
            outcomes[f"{call} {type(outcome).__name__}"] += 1
            if isinstance(outcome, Taken):
                taken.add(outcome.checkpoint.id)
                require_whole(store, outcome.checkpoint.id, project)
            else:
                assert isinstance(outcome, Failed), outcome
                assert str(outcome.error)
        edit(project, TAKES, chance)
        last = handle.take()
        assert isinstance(last, Taken), "the store works again when nothing fails"
        require_whole(store, last.checkpoint.id, project)
        taken.add(last.checkpoint.id)
        assert {c.id for c in handle.list()} == taken
    with Checkpoints.open(home) as opened:  # what failed takes left is settled
        assert {c.id for c in opened.project(project).list()} == taken
    refs = git(store, "for-each-ref", "--format=%(objectname)", "refs/checkpoints").decode()
    assert set(refs.split()) == taken
    assert sum(count for what, count in outcomes.items() if what.endswith("Failed")) > TAKES / 10
    print(f"\n{TAKES} takes: {dict(sorted(outcomes.items()))}")

"""No wait on git is without a limit: one that gives no answer is stopped, and is named as such."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from capture.roundtrip import write
from hermes_checkpoints import Checkpoints, GitTimedOut, LockHeld, StoreDamaged, Taken
from hermes_checkpoints.doctor.look import examine
from hermes_checkpoints.fs.locks import exclusive, is_held
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.object_store.git_objects import object_id

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the git is a shell script")

REAL = shutil.which("git") or "git"
BLOBS = {name: object_id("blob", f"{name} as it was\n".encode()) for name in "abc"}


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """Return what lets git give no answer from now on when it is asked for a content."""
    folder, pipe = tmp_path / "bin", tmp_path / "for ever"
    folder.mkdir()
    os.mkfifo(pipe)
    (folder / "git").write_text(
        f"""#!/bin/sh
[ "$1 $2 $3" = "cat-file --batch " ] && [ -e "{tmp_path}/about" ] || exec "{REAL}" "$@"
about=$(cat "{tmp_path}/about")
while read -r name; do
    [ "$name" = "$about" ] && {{ echo >> "{tmp_path}/asked"; exec cat "{pipe}"; }}
    echo "$name" | "{REAL}" cat-file --batch
done
"""
    )
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return (tmp_path / "about").write_text


def test_a_restore_names_what_git_gives_no_answer_for_and_lets_go_of_the_project(
    home: Path, project: Path, silent: Callable[[str], object], tmp_path: Path
) -> None:
    write(project, {name: f"{name} as it was\n" for name in BLOBS})
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert isinstance(one.take(), Taken)
        write(project, {**dict.fromkeys(BLOBS, "oops\n"), "made since": ""})
        store = checkpoints._base.store
        store.git = replace(store.git, timeout=1.0)
        silent(BLOBS["b"])
        result = one.restore("latest", mode="exact")
        assert {step.path for step in result.done} == {"a", "made since"}
        assert {failed.path for failed in result.failed} == {"b", "c"}
        assert all("git cat-file gave no answer for 1 s" in one.error for one in result.failed)
        assert (tmp_path / "asked").read_text() == "\n", "the rest does not wait as long again"
        assert not is_held(Layout.of(home).project_lock(project_hash(project.resolve())))
        silent("nothing")
        assert one.restore("1", mode="exact").failed == ()
    assert {(project / name).read_text() for name in BLOBS} == {
        f"{name} as it was\n" for name in BLOBS
    }


def test_a_silent_git_is_no_damage_and_is_not_asked_again(
    home: Path, project: Path, silent: Callable[[str], object]
) -> None:
    write(project, {name: f"{name} as it was\n" for name in BLOBS})
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        git = replace(checkpoints._base.store.git, timeout=1.0)
        silent(BLOBS["b"])
        with git.blobs() as reader:
            reader.check([BLOBS["a"]])
            with pytest.raises(GitTimedOut, match="raise HERMES_CHECKPOINT_TIMEOUT"):
                reader.check([BLOBS["a"], BLOBS["b"]])
            with pytest.raises(GitTimedOut):
                reader.read(BLOBS["a"])
        with git.blobs(limit=0.2) as reader, pytest.raises(StoreDamaged, match="too long in all"):
            reader.read(BLOBS["b"])


def test_a_large_content_that_comes_slowly_is_no_silence(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit begins anew with each piece that comes: here one byte is let through at a time,
    each as soon as the one before it was read."""
    with Checkpoints.open(home) as checkpoints:
        write(project, {"a": "x" * 3000})
        assert isinstance(checkpoints.project(project).take(), Taken)
        blob = object_id("blob", b"x" * 3000)
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "git").write_text(
            f'#!/bin/sh\n[ "$1" = cat-file ] || exec "{REAL}" "$@"\n'
            f'"{REAL}" "$@" | "{sys.executable}" -c "\n'
            "import os\n"
            "while piece := os.read(0, 1): os.write(1, piece)\n"
            '"\n'
        )
        (folder / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        with checkpoints._base.store.git.blobs() as reader:
            assert reader.read(blob) == (blob, "blob", b"x" * 3000)


def test_of_a_killed_reader_no_git_is_left(home: Path, project: Path) -> None:
    write(project, {"a": "as it was\n"})
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    lock = Layout.of(home).store_lock
    code = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.git import Git
with exclusive(Path(sys.argv[2]), purpose="a test") as held:
    with Git(Path(sys.argv[1]), locks=(held,)).blobs() as reader:
        reader.read(sys.argv[3])
        os.kill(os.getpid(), signal.SIGKILL)
"""
    blob = object_id("blob", b"as it was\n")
    arguments = [sys.executable, "-c", code, str(home / "checkpoints/store"), str(lock), blob]
    assert subprocess.run(arguments, check=False).returncode == -9
    try:
        with exclusive(lock, purpose="its git ends with its input", timeout=10):
            pass
    except LockHeld as held:
        pytest.fail(str(held))


@pytest.mark.campaign
def test_a_git_that_a_killed_take_left_at_a_pipe_is_let_go(home: Path, project: Path) -> None:
    write(project, {"a": "as it was\n"})
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    os.mkfifo(project / ".gitignore")
    lock = Layout.of(home).project_lock(project_hash(project.resolve()))
    code = """
import os, signal, sys
from hermes_checkpoints import Checkpoints, git
git.end_blocked_reads = lambda _: os.kill(os.getpid(), signal.SIGKILL)
Checkpoints.open(sys.argv[1]).project(sys.argv[2]).take()
"""
    write(project, {"a": "more\n"})
    arguments = [sys.executable, "-c", code, str(home), str(project)]
    assert subprocess.run(arguments, check=False).returncode == -9
    with pytest.raises(LockHeld, match=r"\(git\)"):
        exclusive(lock, purpose="it does not end by itself", timeout=1).__enter__()
    with Checkpoints.open(home) as checkpoints:
        checkpoints._base = replace(checkpoints._base, lock_timeout=1.0)
        assert isinstance(checkpoints.project(project).take(), Taken)


def test_a_git_that_was_killed_is_no_damage(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As by a system that is short of memory: what it did not come to say is in the store."""
    write(project, {"a": "as it was\n"})
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        git = checkpoints._base.store.git
        with git.blobs() as reader:
            reader._process.kill()
            reader._process.wait()
            for _ in range(2):
                with pytest.raises(GitTimedOut, match=r"ended from outside \(signal 9\).*again"):
                    reader.read(BLOBS["a"])
        with git.blobs() as reader:
            assert reader.read(object_id("blob", b"as it was\n"))
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "git").write_text(
            f'#!/bin/sh\n[ "$1 $2" = "cat-file --batch" ] && kill -9 $$\nexec "{REAL}" "$@"\n'
        )
        (folder / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    found = examine(Layout.of(home))
    assert found.faults == ()
    assert "was ended from outside (signal 9)" in str(found.not_looked)

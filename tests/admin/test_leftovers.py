"""What killed processes left in a base is swept by an opening, once a day and by age."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Taken
from hermes_checkpoints.admin import leftovers
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout
from interpreters import run

DIFF_KILLED = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
with Checkpoints.open(sys.argv[1]) as checkpoints:
    def watch(event, arguments):
        if event == "subprocess.Popen" and "write-tree" in str(arguments):
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)
    checkpoints.project(sys.argv[2]).diff("1")
"""

OPEN = """
import sys
from hermes_checkpoints import Checkpoints
Checkpoints.open(sys.argv[1]).close()
"""


@pytest.fixture
def layout(home: Path, project: Path) -> Layout:
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    return Layout.of(home)


def a_day_later(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (1, 1))


def left_by_killed_processes(layout: Layout) -> list[Path]:
    folder = layout.base / "scratch-a1"
    (folder / "objects" / "ab").mkdir(parents=True)
    (folder / "index").touch()
    (layout.store / "scratch-b2").mkdir()
    files = [
        layout.base / ".20261120_ab12.yaml.77.tmp",
        layout.locks / ".store.lock.holder.77.tmp",
        layout.store / ".config.77.tmp",
        layout.store / "info" / ".exclude.77.tmp",
        layout.indexes / ".0123456789abcdef.state.77.tmp",
        layout.store / "fast_import_crash_77",
        layout.locks / "0123456789abcdef.lock.holder",
    ]
    for file in files:
        file.touch()
    return [folder, layout.store / "scratch-b2", *files]


def test_what_is_old_is_swept_and_what_is_young_or_of_others_stays(
    home: Path, project: Path, layout: Layout
) -> None:
    paths = left_by_killed_processes(layout)
    partial = layout.base / "catalog.db.backup-0007-20261120T101112.131415Z.partial"
    partial.touch()
    others = [layout.base / "notes.tmp", layout.base / "task.77.tmp", layout.store / "scratchpad"]
    for path in others:
        path.touch()
    a_day_later(layout.locks / "swept", *others)
    Checkpoints.open(home).close()
    assert [path for path in paths if not path.exists()] == [], "each is of today"
    assert not partial.exists(), "nobody upgrades, so nobody writes it"
    a_day_later(layout.locks / "swept", *paths)
    with exclusive(layout.locks / "0123456789abcdef.lock", purpose="a test"):
        a_day_later(paths[-1])
        Checkpoints.open(home).close()
        assert [path for path in paths if path.exists()] == [paths[-1]], "its holder lives"
    assert [path for path in others if not path.exists()] == []
    assert not (layout.base / ".cleared").exists()
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.project(project).read_file("1", "README.md")


def test_a_sweep_comes_once_a_day(home: Path, layout: Layout) -> None:
    paths = left_by_killed_processes(layout)
    a_day_later(*paths)
    Checkpoints.open(home).close()
    assert [path for path in paths if not path.exists()] == []
    a_day_later(layout.locks / "swept")
    Checkpoints.open(home).close()
    assert [path for path in paths if path.exists()] == []


def test_a_sweep_is_bounded(home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MOST", 3)
    paths = left_by_killed_processes(layout)
    a_day_later(layout.locks / "swept", *paths)
    Checkpoints.open(home).close()
    assert sum(not path.exists() for path in paths) == 3


def test_the_scratch_folder_of_a_killed_look_is_swept(
    home: Path, project: Path, layout: Layout
) -> None:
    (project / "README.md").write_text("changed", encoding="utf-8")
    assert run(DIFF_KILLED, home, project).returncode == -signal.SIGKILL
    (scratch,) = layout.base.glob("scratch-*")
    a_day_later(layout.locks / "swept", scratch)
    assert run(OPEN, home).returncode == 0
    assert not scratch.exists()
    assert not (layout.base / ".cleared").exists()

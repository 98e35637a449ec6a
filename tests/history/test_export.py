"""The way back: a base that version 2 can use, complete in itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import Taken
from history.old_bases import all_commits, assert_imported, files_of, git, history

OLD_PROGRAM = """
import json, sys
from tools import checkpoint_manager as old
project, first = sys.argv[1:]
manager = old.CheckpointManager(enabled=True)
listed = manager.list_checkpoints(project)
restored = manager.restore(project, listed[-1]["hash"])
manager.new_turn()
open(project + "/by the old.txt", "w").write("old\\n")
taken = manager.ensure_checkpoint(project, "before write_file")
print(json.dumps([listed, restored, taken, old.store_status()["project_count"]]))
"""


# Works on a base of version 1 as an agent of version 2 would, and comes over its limit.
OLD_AGENT = """
import json, sys
from tools import checkpoint_manager as old
manager = old.CheckpointManager(enabled=True, max_snapshots=3)
for number in range(5):
    manager.new_turn()
    open(sys.argv[1] + "/src/app.py", "w").write(f"v2 state {number}\\n")
    assert manager.ensure_checkpoint(sys.argv[1], f"turn {number}")
print(json.dumps([one["hash"] for one in manager.list_checkpoints(sys.argv[1])]))
"""


@pytest.fixture(scope="session")
def old_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with hermes-agent 0.19.0 and none of this package: the one that
    HERMES_AGENT_ENV names, else one from the package index."""
    given = os.environ.get("HERMES_AGENT_ENV")
    if given:
        return Path(given) / "bin" / "python"
    environment = tmp_path_factory.mktemp("old") / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip: list[str | Path] = [environment / "bin" / "pip", "install", "-q", "--no-input"]
    subprocess.run([*pip, "--no-deps", "hermes-agent==0.19.0", "pyyaml"], check=True)
    return environment / "bin" / "python"


def run_old(python: Path, home: Path, code: str, *arguments: object) -> Any:
    """Run code in the old program; return what it printed last, as JSON."""
    done = subprocess.run(
        [str(python), "-c", code, *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "HERMES_HOME": str(home), "HOME": str(home.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def two_states(home: Path, project: Path) -> Path:
    with Checkpoints.open(home) as checkpoints:
        for number, reason in enumerate(("first | one", "zweiter ü", "")):
            (project / "src/app.py").write_text(f"state {number}\n", encoding="utf-8")
            assert isinstance(checkpoints.project(project).take(reason), Taken)
    return project


def test_the_export_is_a_store_of_version_2(home: Path, two_states: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with Checkpoints.open(home) as checkpoints:
        done = checkpoints.export_v2(target)
        assert (done.projects, done.checkpoints) == (1, 3)
        listed = checkpoints.project(two_states).list()[::-1]
        shutil.rmtree(home / "checkpoints" / "store" / "objects" / "pack", ignore_errors=True)
        store = target / "store"
        ref = f"refs/hermes/{project_hash(two_states)}"
        chain = history(store, ref, str(two_states))
        assert [c.message.partition("\n")[0] for c in chain] == [
            *("first | one", "zweiter ü", "checkpoint"),
        ]
        for old, own in zip(chain, listed, strict=True):
            assert old.files == files_of(checkpoints, own.tree_id)
            assert old.authored.timestamp() == int(own.created_at.timestamp())
        facts = json.loads((store / "projects" / f"{project_hash(two_states)}.json").read_bytes())
        assert facts["workdir"] == str(two_states)
        assert facts["last_touch"] >= facts["created_at"]
        assert not (store / "objects/info/alternates").exists()
        git(store, "fsck", "--full", "--strict")
        assert checkpoints.import_legacy(target).checkpoints == 0
        assert checkpoints.project(two_states).list()[::-1] == listed
        assert checkpoints.find(chain[0].id).id == listed[0].id
        with pytest.raises(BadRequest, match="not empty"):
            checkpoints.export_v2(target)
    with Checkpoints.open(tmp_path / "elsewhere") as other:
        assert other.import_legacy(target).checkpoints == 3


def test_nothing_to_export(home: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints, pytest.raises(BadRequest, match="no checkpoints"):
        checkpoints.export_v2(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.old_program
def test_the_real_version_2_uses_it_and_is_imported_again(
    home: Path, two_states: Path, tmp_path: Path, old_program: Path
) -> None:
    old_home = tmp_path / "old home"
    with Checkpoints.open(home) as checkpoints:
        checkpoints.export_v2(old_home / "checkpoints")
        ids = [c.id for c in checkpoints.project(two_states).list()]
    answer = run_old(old_program, old_home, OLD_PROGRAM, two_states, ids[-1])
    listed, restored, taken, projects = answer
    assert [one["reason"] for one in listed] == ["checkpoint", "zweiter ü", "first | one"]
    assert restored["success"], restored
    assert (two_states / "src/app.py").read_text(encoding="utf-8") == "state 0\n"
    assert taken
    assert projects == 1
    store = old_home / "checkpoints/store"
    commits = history(store, f"refs/hermes/{project_hash(two_states)}", str(two_states))
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.import_legacy(old_home).checkpoints == len(commits) - 3 > 0
    with Checkpoints.open(old_home) as checkpoints:
        shortened = [
            c if i > 2 else replace(c, message=c.message.partition("\n")[0])
            for i, c in enumerate(commits)
        ]
        assert_imported(checkpoints, shortened)


@pytest.mark.old_program
def test_a_base_of_the_real_version_2_with_history_of_version_1(
    live_home: Path, old_program: Path
) -> None:
    project = live_home.parent / "projects/alpha"
    first = next(c for c in all_commits(live_home) if c.workdir == str(project))
    listed = run_old(old_program, live_home, OLD_AGENT, project)
    assert len(listed) == 3
    commits = all_commits(live_home)
    assert len([c for c in commits if c.workdir == str(project)]) == 6 + 3
    manager = CheckpointManager(enabled=True, home=live_home)
    reasons = [one["reason"] for one in manager.list_checkpoints(str(project))]
    assert reasons[:3] == ["turn 4", "turn 3", "turn 2"]
    for former, text in ((listed[-1], "v2 state 2"), (first.id, "print('step 0')")):
        assert manager.restore(str(project), former)["success"]
        assert (project / "src/app.py").read_text(encoding="utf-8").startswith(text)
    with Checkpoints.open(live_home) as checkpoints:
        for commit in commits:
            assert checkpoints.project(commit.workdir).get(commit.id).reason == commit.message

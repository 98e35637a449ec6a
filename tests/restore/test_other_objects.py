"""What lies in the store in the place of something else makes no answer false."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, StoreDamaged
from hermes_checkpoints.layout import Layout, project_hash
from support import everything


def object_of(home: Path, name: str) -> Path:
    """The file of the object that a name of git means."""
    store = Layout.of(home).store
    command = ["git", f"--git-dir={store}", "rev-parse", name]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return store / "objects" / found[:2] / found[2:]


def test_a_folder_in_whose_place_another_one_lies_is_refused_and_named(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        own.take(label="then")
        (project / "src/app.py").write_text("changed\n")
        own.take(label="changed")
        first, second = own.get("then"), own.get("changed")
        then = object_of(home, f"{first.id}:tree/src")
        then.chmod(0o644)
        shutil.copyfile(object_of(home, f"{second.id}:tree/src"), then)
        before = everything(project)
        with pytest.raises(StoreDamaged, match="the folder 'src' of the checkpoint cannot be read"):
            own.restore("then", mode="exact")
        assert everything(project) == before


def test_a_folder_in_the_place_of_an_index_stops_no_prune_and_no_take(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        own.take()
        index = Layout.of(home).index_of(project_hash(project))
        index.unlink()
        (index / "inside").mkdir(parents=True)
        assert not checkpoints.prune().errors
        (project / "README.md").write_text("more\n")
        own.take()
        assert len(own.list()) == 2


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ["shallow", "info/grafts"])
def test_what_gives_commits_other_parents_is_moved_aside_by_the_next_opening(
    home: Path, project: Path, name: str
) -> None:
    store = Layout.of(home).store
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (store / name).write_text("no id\n")
    with Checkpoints.open(home) as checkpoints:
        assert not (store / name).exists()
        assert (store / "quarantine-files" / name).read_text() == "no id\n"
        checkpoints.prune()
        assert [one.label for one in checkpoints.project(project).list()] == ["then"]

"""Where everything lies: which home is meant, whoever asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints import (
    BaseUnwritable,
    CheckpointManager,
    Checkpoints,
    CheckpointStore,
    Rollback,
    Sessions,
    store_status,
)
from hermes_checkpoints.compat import agent_manager, checkpoint_manager
from hermes_checkpoints.layout import Layout, default_home
from support import Run


@pytest.fixture
def hh(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that ``~/hh`` means in HERMES_HOME."""
    monkeypatch.setenv("HERMES_HOME", "~/hh")
    return Path(os.environ["HOME"]) / "hh"


def test_a_tilde_in_hermes_home_is_the_users_home_for_every_reader(
    run: Run, hh: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("take", project)
    assert run("status").lines[0] == f"Checkpoint base: {hh}/checkpoints"
    assert run("--home", "~/hh", "status", "--json").json["checkpoint_count"] == 1
    with Checkpoints.open() as checkpoints, Sessions.open() as sessions, CheckpointStore() as store:
        assert checkpoints.home == hh
        sessions.write("s", {"task": "t"})
        assert (store.directory, store.list_sessions()) == (hh / "checkpoints", ["s"])
    assert store_status()["base"] == f"{hh}/checkpoints"
    assert checkpoint_manager.store_status()["project_count"] == 1
    assert hh / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE
    assert len(CheckpointManager().list_checkpoints(str(project))) == 1
    assert len(agent_manager.CheckpointManager().list_checkpoints(str(project))) == 1
    assert len(Rollback(project, enabled=True).run("/rollback").listed) == 1
    assert not (tmp_path / "~").exists()


def test_a_program_of_its_own_reads_the_tilde_too(hh: Path, tmp_path: Path) -> None:
    script = "import hermes_checkpoints.layout as l; print(l.Layout.of().base)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, check=True, stdout=subprocess.PIPE
    )
    assert done.stdout.decode().strip() == f"{hh}/checkpoints"


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_hermes_home_is_the_default(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", blank)
    assert default_home() == Path(os.environ["HOME"]) / ".hermes"


def test_the_tilde_of_nobody_is_refused_by_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", "~nobody-of-this-name/hh")
    with pytest.raises(BaseUnwritable, match="~nobody-of-this-name/hh cannot be resolved"):
        Layout.of()
    assert "~nobody-of-this-name/hh" in run("status", code=2).err
    assert "~nobody-of-this-name/hh" in store_status()["error"]
    assert CheckpointManager(enabled=True).ensure_checkpoint(".") is False

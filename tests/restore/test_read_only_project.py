"""A project that can only be read: takes work, and a restore claims nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Taken

EARLIER = {"a": "one\n", "sub/b": "one\n"}
NOW = {"a": "two\n", "sub/b": "two\n", "sub/new": "new\n"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a home and a project that was changed since its checkpoint."""
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    for name, text in EARLIER.items():
        (project / name).write_text(text)
    with Checkpoints.open(tmp_path / "home") as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    for name, text in NOW.items():
        (project / name).write_text(text)
    return tmp_path


def _read_only(place: Path, below: str, *commands: str) -> list[subprocess.CompletedProcess[str]]:
    """Run commands where a directory of the project is mounted to be read only."""
    folder = place / "project" / below
    mount = f'mount --bind "{folder}" "{folder}" && mount -o remount,ro,bind "{folder}"'
    namespace = ["unshare", "-rm", "sh", "-c", f'{mount} && cd "{place / "project"}" && exec "$@"']
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            [*namespace, "sh", "true"], check=False, stderr=subprocess.DEVNULL
        ).returncode
    ):
        pytest.skip("no mount can be made in a namespace of this user")
    program = [sys.executable, "-m", "hermes_checkpoints", "--home", str(place / "home")]
    return [
        subprocess.run(
            [*namespace, "sh", *program, *command.split()],
            check=False,
            capture_output=True,
            text=True,
        )
        for command in commands
    ]


def _contents(place: Path) -> dict[str, str]:
    project = place / "project"
    return {
        path.relative_to(project).as_posix(): path.read_text()
        for path in sorted(project.rglob("*"))
        if path.is_file()
    }


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", ["overlay", "exact"])
def test_take_works_and_restore_names_the_cause_for_each_path(place: Path, mode: str) -> None:
    taken, restored, undone = _read_only(
        place, "", "take", f"restore 2 -f --mode {mode}", "undo -f"
    )
    assert taken.returncode == 0, taken.stderr
    assert restored.returncode == 3
    assert restored.stdout.startswith("Nothing was restored")
    for path in EARLIER:
        assert f"not restored: {path}: Read-only file system" in restored.stderr
    assert undone.returncode in (0, 2), undone.stderr
    assert _contents(place) == NOW
    with Checkpoints.open(place / "home") as checkpoints:
        one = checkpoints.project(place / "project")
        assert one.restore("2", mode="exact").complete
    assert _contents(place) == EARLIER


@pytest.mark.campaign
def test_where_one_directory_is_read_only_the_rest_comes_back(place: Path) -> None:
    _, restored = _read_only(place, "sub", "take", "restore 2 -f --mode exact")
    assert restored.returncode == 3
    assert "not restored: sub/b: Read-only file system" in restored.stderr
    assert "not restored: sub/new: Read-only file system" in restored.stderr
    assert _contents(place) == {**NOW, "a": "one\n"}
    (undone,) = _read_only(place, "sub", "undo -f")
    assert undone.returncode == 0, undone.stderr
    assert _contents(place) == NOW

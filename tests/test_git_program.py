"""A git on PATH that is a shim which needs the user's home works, and git still gets no home."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from capture.roundtrip import write
from hermes_checkpoints import Checkpoints, Failed, GitFailed, Taken
from hermes_checkpoints.git_program import find_git, git_to_run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the shims are shell scripts")

REAL = shutil.which("git") or "git"
NO_HOME = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a program that is found first as git, once it is written."""
    folder = tmp_path / "shims"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder / "git"


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


SHIMS = {
    "needs HOME": f'[ -d "$HOME" ] || {{ echo no home >&2; exit 126; }}\nexec "{REAL}" "$@"',
    "needs a file in HOME": f'. "$HOME/.versions" || exit 1\nexec "{REAL}" "$@"',
    "needs another variable": f'[ -n "$SHIM_DATA" ] || exit 1\nexec "{REAL}" "$@"',
    "tells something once": (
        f'[ -e "$HOME/.told" ] || {{ : > "$HOME/.told" && echo "/tmp is new here"; }}\n'
        f'exec "{REAL}" "$@"'
    ),
    "tells something where there is no home": (
        f'[ -d "$HOME" ] || echo "no configuration was found"\nexec "{REAL}" "$@"'
    ),
}


@pytest.mark.parametrize("body", SHIMS.values(), ids=SHIMS)
def test_with_a_shim_that_needs_a_home_checkpoints_are_taken_and_restored(
    home: Path, project: Path, on_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    (Path.home() / ".versions").write_text("true\n")
    monkeypatch.setenv("SHIM_DATA", "1")
    _script(on_path, body)
    write(project, {"a": "as it was\n"})
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        outcome = one.take()
        assert isinstance(outcome, Taken), outcome
        write(project, {"a": "oops\n"})
        assert [change.path for change in one.diff("latest").changes] == ["a"]
        one.restore("latest", mode="exact")
    assert (project / "a").read_text() == "as it was\n"


def test_the_git_behind_a_shim_reads_no_configuration_of_the_user(
    home: Path, project: Path, on_path: Path
) -> None:
    _script(on_path, SHIMS["needs HOME"])
    user = Path.home()
    write(user, {".gitconfig": "[core]\n excludesFile = ~/ignored\n", "ignored": "*\n"})
    write(user, {".config/git/ignore": "*\n", ".config/git/attributes": "* text eol=crlf\n"})
    write(project, {"a": "as it was\n"})
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert isinstance(one.take(), Taken)
        assert one.read_file("latest", "a") == b"as it was\n"


def test_a_shim_that_works_without_a_home_is_run_itself(on_path: Path) -> None:
    _script(on_path, f'exec "{REAL}" "$@"')
    assert git_to_run(NO_HOME, 10) == str(on_path) == find_git()


def test_git_itself_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", None)
    assert git_to_run(NO_HOME, 10) == REAL


def test_a_shim_is_asked_once_and_again_when_it_was_changed(on_path: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    _script(on_path, f'echo "$PWD" >> {asked}\n{SHIMS["needs HOME"]}')
    found = {git_to_run(NO_HOME, 10) for _ in range(3)}
    assert found == {shutil.which("git", path=str(Path(_exec_path())))}
    assert asked.read_text().split() == ["/", "/"], "once without a home, and once with it"
    _script(on_path, f"# another version\nexit 3 {REAL}")
    assert git_to_run(NO_HOME, 10) == str(on_path)


def test_a_file_of_the_project_does_not_choose_the_git(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".tool-versions").write_text("git 0.1\n")
    monkeypatch.chdir(tmp_path)
    _script(on_path, f"[ -e .tool-versions ] && exit 1\n{SHIMS['needs HOME']}")
    assert git_to_run(NO_HOME, 10) != str(on_path)


def test_a_shim_behind_which_no_git_is_found_fails_with_its_own_words(
    home: Path, project: Path, on_path: Path
) -> None:
    _script(on_path, "echo 'No version is set for command git' >&2; exit 126")
    with Checkpoints.open(home) as checkpoints:
        outcome = checkpoints.project(project).take()
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, GitFailed)
    assert "No version is set for command git" in str(outcome.error)


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_a_file_of_the_project_is_not_run_as_git(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    write(project, {"a": "as it was\n", "bin/b": ""})
    _script(project / entry / "git", f': > {project}/ran\nexec {REAL} "$@"')
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(project)
    with Checkpoints.open(home) as checkpoints:
        outcome = checkpoints.project(project).take()
    assert isinstance(outcome, Taken), outcome
    assert not (project / "ran").exists()


def test_a_shim_is_asked_again_where_its_git_is_gone(on_path: Path, tmp_path: Path) -> None:
    for version in ("1", "2"):
        folder = tmp_path / version
        folder.mkdir()
        _script(folder / "git", f'[ "$1" = --exec-path ] && echo {folder} || exec {REAL} "$@"')
    current = tmp_path / "current"
    _script(on_path, f'[ -d "$HOME" ] || exit 1\n. {current}')
    current.write_text(f"echo {tmp_path / '1'}\n")
    assert git_to_run(NO_HOME, 10) == str(tmp_path / "1" / "git")
    current.write_text(f"echo {tmp_path / '2'}\n")
    assert git_to_run(NO_HOME, 10) == str(tmp_path / "1" / "git"), "it is still there"
    shutil.rmtree(tmp_path / "1")
    assert git_to_run(NO_HOME, 10) == str(tmp_path / "2" / "git")


def test_of_a_shim_that_does_not_end_nothing_runs_on(on_path: Path, tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    os.mkfifo(lives)
    reader = os.open(lives, os.O_RDONLY | os.O_NONBLOCK)
    _script(on_path, f"exec 9>{lives}\nsleep 600 & sleep 600")
    assert git_to_run(NO_HOME, 0.3) == str(on_path)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b"", "the pipe ends once nobody who was started has it open"
    os.close(reader)


def test_a_git_that_cannot_be_started_is_named(home: Path, project: Path, on_path: Path) -> None:
    on_path.write_text(f'exec {REAL} "$@"\n')
    on_path.chmod(0o755)
    with Checkpoints.open(home) as checkpoints:
        outcome = checkpoints.project(project).take()
    assert isinstance(outcome, Failed)
    assert f"{on_path} could not be started" in str(outcome.error)


def _exec_path() -> str:
    return subprocess.run(
        [REAL, "--exec-path"], capture_output=True, text=True, check=True
    ).stdout.strip()

"""A git on PATH that is a shim which needs the user's home works, and git still gets no home."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from capture.roundtrip import write
from hermes_checkpoints import Checkpoints, Failed, GitFailed, GitMissing, GitTimedOut, Taken
from hermes_checkpoints.git_program import distrust, find_git, git_to_run

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


BASE = Path("/nowhere/checkpoints")


def _to_run() -> str:
    return git_to_run(BASE, NO_HOME, 10)


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


@pytest.mark.campaign(beyond=2)
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
    assert _to_run() == str(on_path) == find_git(BASE)


def test_git_itself_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", None)
    assert _to_run() == REAL


def test_a_shim_is_asked_once_and_again_when_it_was_changed(on_path: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    _script(on_path, f'echo "$PWD" >> {asked}\n{SHIMS["needs HOME"]}')
    found = {_to_run() for _ in range(3)}
    assert found == {shutil.which("git", path=str(Path(_exec_path())))}
    assert asked.read_text().split() == ["/", "/"], "once without a home, and once with it"
    _script(on_path, f"# another version\nexit 3 {REAL}")
    assert _to_run() == str(on_path)


def test_a_file_of_the_project_does_not_choose_the_git(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".tool-versions").write_text("git 0.1\n")
    monkeypatch.chdir(tmp_path)
    _script(on_path, f"[ -e .tool-versions ] && exit 1\n{SHIMS['needs HOME']}")
    assert _to_run() != str(on_path)


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
    assert _to_run() == str(tmp_path / "1" / "git")
    current.write_text(f"echo {tmp_path / '2'}\n")
    assert _to_run() == str(tmp_path / "1" / "git"), "it is still there"
    shutil.rmtree(tmp_path / "1")
    assert _to_run() == str(tmp_path / "2" / "git")


def test_of_a_shim_that_does_not_end_nothing_runs_on(on_path: Path, tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    os.mkfifo(lives)
    reader = os.open(lives, os.O_RDONLY | os.O_NONBLOCK)
    _script(on_path, f"exec 9>{lives}\nsleep 600 & sleep 600")
    with pytest.raises(GitTimedOut, match="gave no answer for 1 s"):
        git_to_run(BASE, NO_HOME, 0.6)
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


# --- what lies where people and agents work is not run ------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("linked", [False, True], ids=["in PATH", "linked into PATH"])
def test_an_absolute_way_into_the_project_leads_to_no_git(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    folder = project / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    write(project, {"a": "as it was\n"})
    _script(folder / "git", f': > {tmp_path}/ran\nexec {REAL} "$@"')
    entry = folder
    if linked:
        entry = tmp_path / "bin"
        entry.mkdir()
        (entry / "git").symlink_to(folder / "git")
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{os.environ['PATH']}")
    with Checkpoints.open(home) as checkpoints:
        one = checkpoints.project(project)
        assert isinstance(one.take(), Taken)
        write(project, {"a": "oops\n"})
        one.restore("latest", mode="exact")
        checkpoints.prune()
    assert (project / "a").read_text() == "as it was\n"
    assert not (tmp_path / "ran").exists()


def test_a_git_in_the_current_directory_or_the_base_is_not_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, base = tmp_path / "here", home / "checkpoints"
    for folder in (here / "bin", base):
        folder.mkdir(parents=True, exist_ok=True)
        _script(folder / "git", f'exec {REAL} "$@"')
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", os.pathsep.join([str(here / "bin"), str(base)]))
    with pytest.raises(GitMissing, match="outside of the working directory"):
        find_git(base)
    monkeypatch.chdir(tmp_path)
    assert find_git(base) == str(here / "bin" / "git")


def test_in_a_home_the_programs_of_the_user_are_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Path.home() / ".local" / "bin"
    own.mkdir(parents=True)
    _script(own / "git", f'exec {REAL} "$@"')
    monkeypatch.setenv("PATH", str(own))
    monkeypatch.chdir(Path.home())
    distrust(Path.home())
    assert find_git(home / "checkpoints") == str(own / "git")


def test_a_shim_that_names_a_git_in_the_project_is_not_followed(
    home: Path, project: Path, on_path: Path, tmp_path: Path
) -> None:
    folder = project / "tools"
    folder.mkdir()
    _script(folder / "git", f': > {tmp_path}/ran\nexec {REAL} "$@"')
    _script(on_path, f'[ -d "$HOME" ] || exit 1\n[ "$1" = --exec-path ] && echo {folder}')
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Failed)
    assert not (tmp_path / "ran").exists()


def test_git_gets_a_path_without_the_project_and_nothing_that_leads_it_elsewhere(
    home: Path, project: Path, on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _script(on_path, f'env > {tmp_path}/seen.$$\nexec {REAL} "$@"')
    entries = ["", "bin", str(project / "bin"), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(entries))
    leading = ("GIT_EXEC_PATH", "GIT_SSH_COMMAND", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF")
    for name in leading:
        monkeypatch.setenv(name, str(project))
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    seen = [
        dict(one.partition("=")[::2] for one in file.read_text().splitlines())
        for file in tmp_path.glob("seen.*")
    ]
    assert seen
    for environment in seen:
        path = environment["PATH"].split(os.pathsep)
        assert all(os.path.isabs(entry) for entry in path)
        assert str(project / "bin") not in path
        assert environment["GIT_NO_LAZY_FETCH"] == "1"
        assert environment["GIT_ALLOW_PROTOCOL"] == ""
        assert not environment.keys() & {*leading}


def test_what_prints_nonsense_as_its_version_is_not_called_too_old(
    home: Path, project: Path, on_path: Path
) -> None:
    _script(on_path, '[ "$1" = --exec-path ] && echo / || echo "hello, 1.2"')
    with Checkpoints.open(home) as checkpoints:
        outcome = checkpoints.project(project).take()
    assert isinstance(outcome, Failed)
    assert outcome.error.code == "git-failed"
    assert "does not say its version, but 'hello, 1.2'" in str(outcome.error)

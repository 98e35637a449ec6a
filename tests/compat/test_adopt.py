"""An adoption and its undoing, in an environment and homes made for it; the agent itself is in
test_real_agent.py."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_site import PROGRAM, install, lead, make_site, program_of
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.compat import adopt as adoption
from hermes_checkpoints.compat import agent_main, environment, files
from hermes_checkpoints.errors import BadRequest, BaseUnwritable
from hermes_checkpoints.layout import project_hash
from history.old_bases import git

MINE = b"# mine\nmodel: 'x'   # theirs\n"
SECTION = b"plugins:\n  enabled:\n    - hermes-checkpoints\n"
OURS = "import sys\nfrom hermes_checkpoints.cli import hermes\nsys.exit(hermes())\n"
adopt = functools.partial(adoption.adopt, fault=lambda: None)
abandon = adoption.abandon


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Site-packages with the agent."""
    site = make_site(tmp_path / "agent", monkeypatch)
    install(site)
    return site


@pytest.fixture
def homes(fresh_home: Path) -> dict[str, Path]:
    """The configurations of three homes: a file, none, and one that leads elsewhere."""
    found = {"default": fresh_home / "config.yaml"}
    for name in ("home-office", "work"):
        (fresh_home / "profiles" / name).mkdir(parents=True)
        found[name] = fresh_home / "profiles" / name / "config.yaml"
    (fresh_home / "profiles" / "No Profile").mkdir()
    found["default"].write_bytes(MINE)
    dotfiles = fresh_home.parent / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "work.yaml").write_bytes(MINE.rstrip())
    found["work"].symlink_to(dotfiles / "work.yaml")
    return found


def state(*folders: Path) -> dict[str, Any]:
    """Everything that lies in folders."""
    return {
        str(path): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_without_the_agent_nothing_is_adopted(
    fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadRequest, match="hermes-agent is not installed in"):
        adopt()
    assert agent_main() is None
    assert main(["adopt"]) == 2
    assert main(["adopt", "--undo"]) == 0
    assert "The agent uses its own checkpoint modules already" in capsys.readouterr().out
    assert not fresh_home.exists()


def test_every_home_is_adopted_and_gets_its_bytes_back(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    os.chmod(homes["default"], 0o640)
    before = state(tmp_path)
    done = adopt()
    assert [(one.profile, one.config) for one in done.homes] == [*homes.items()]
    assert all(one.enabled and one.change and one.refused is None for one in done.homes)
    assert homes["default"].read_bytes() == MINE + SECTION
    assert homes["default"].stat().st_mode & 0o777 == 0o640
    assert homes["home-office"].read_bytes() == SECTION
    assert homes["work"].is_symlink()
    assert homes["work"].read_bytes() == MINE + SECTION.rstrip()
    assert {path.suffix for path in site.glob("hermes_checkpoints_adopted.*")} == {
        *(".py", ".start", ".pth", ".json")
    }
    again = adopt()
    assert (again.changed, again.written) == (False, ())
    cache = site / "__pycache__"
    (cache / "hermes_checkpoints_adopted.cpython-311.pyc").touch()
    (cache / "other.cpython-311.pyc").touch()
    undone = abandon()
    assert undone.changed and not any(one.enabled for one in undone.homes)
    assert [path.name for path in cache.iterdir()] == ["other.cpython-311.pyc"]
    (cache / "other.cpython-311.pyc").unlink()
    assert state(tmp_path) == before
    assert abandon().changed is False


def test_named_profiles_alone(site: Path, homes: dict[str, Path]) -> None:
    done = adopt(profiles=["Work"])
    assert [(one.profile, one.enabled) for one in done.homes] == [
        ("work", True), ("default", False), ("home-office", False)
    ]  # fmt: skip
    assert homes["default"].read_bytes() == MINE
    adopt(profiles=["default"])
    abandon(profiles=["work"])
    assert environment.startup_line().exists(), "another home is still on"
    assert homes["work"].read_bytes() == MINE.rstrip()
    abandon(profiles=["default"])
    assert not [*site.glob("hermes_checkpoints_adopted.*")]
    assert homes["default"].read_bytes() == MINE
    with pytest.raises(BadRequest, match="there are: default, home-office, work"):
        adopt(profiles=["typo"])


def test_from_the_home_of_a_profile_all_are_adopted(site: Path, homes: dict[str, Path]) -> None:
    done = adopt(homes["work"].parent)
    assert {one.profile for one in done.homes} == {*homes}
    odd = homes["default"].parent / "profiles" / "No Profile"
    assert "No Profile" in {one.profile for one in adopt(odd).homes}, "it is the one that was named"


def test_a_configuration_that_has_changed_since_keeps_the_rest(
    site: Path, homes: dict[str, Path]
) -> None:
    adopt()
    with homes["default"].open("ab") as file:
        file.write(b"since: 1\n")
    homes["home-office"].unlink()
    abandon()
    assert homes["default"].read_bytes() == MINE + b"since: 1\n"
    assert not homes["home-office"].exists()


def test_homes_that_were_adopted_elsewhere_are_undone_too(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    adopt()
    done = abandon(tmp_path / "other-home")
    assert homes["default"].read_bytes() == MINE
    assert {one.config for one in done.homes if one.change} == {*homes.values()}


def test_a_refused_configuration_is_named_and_the_others_are_adopted(
    site: Path, homes: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    homes["home-office"].write_bytes(b"plugins: [\n")
    done = adopt()
    (refused,) = done.refused
    assert refused.profile == "home-office" and "no YAML" in str(refused.refused)
    assert homes["home-office"].read_bytes() == b"plugins: [\n"
    assert main(["adopt", "--undo"]) == 3
    assert f"{homes['home-office']} is left as it is: it is no YAML" in capsys.readouterr().err
    assert not [*site.glob("hermes_checkpoints_adopted.*")]
    assert homes["default"].read_bytes() == MINE


def test_where_every_configuration_is_refused_nothing_changes(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    homes["default"].write_bytes(b"- a\n")
    before = state(tmp_path)
    with pytest.raises(BadRequest, match="no configuration of the agent can be added to"):
        adopt(profiles=["default"])
    assert state(tmp_path) == before


def test_what_is_no_file_is_not_waited_for(site: Path, homes: dict[str, Path]) -> None:
    os.mkfifo(homes["home-office"])
    (refused,) = adopt().refused
    assert refused.refused == "it cannot be read (it is no regular file)"
    assert abandon().refused[0].refused == refused.refused


def test_homes_that_share_a_configuration(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    homes["home-office"].symlink_to("../../config.yaml")
    before = state(tmp_path)
    assert all(one.enabled for one in adopt().homes)
    assert homes["default"].read_bytes() == MINE + SECTION
    abandon()
    assert state(tmp_path) == before


def test_a_write_protected_configuration_is_left_as_it_is(
    site: Path, homes: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    homes["work"].chmod(0o444)
    target, access = homes["work"].resolve(), os.access  # root may write everything
    monkeypatch.setattr(os, "access", lambda path, mode: path != target and access(path, mode))
    (refused,) = adopt().refused
    assert (refused.profile, refused.refused) == ("work", "it is write-protected")


def test_plugins_that_the_agent_has_yet_to_list_are_not_cut_off(
    site: Path, homes: dict[str, Path]
) -> None:
    own = homes["work"].parent / "plugins" / "own"
    own.mkdir(parents=True)
    (own / "plugin.yaml").touch()
    (refused,) = adopt().refused
    assert "first: hermes -p work config migrate" in str(refused.refused)
    homes["work"].write_bytes(b"_config_version: 21\n")
    assert adopt().refused == ()


def test_an_untested_version_is_refused_unless_forced(
    fresh_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(make_site(tmp_path / "agent", monkeypatch), version="0.21.3")
    before = state(tmp_path)
    with pytest.raises(BadRequest, match="is another version"):
        adopt()
    assert state(tmp_path) == before
    done = adopt(force=True)
    assert done.changed and not done.tested


def test_a_failed_trial_takes_everything_back(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    before = state(tmp_path)
    with pytest.raises(BadRequest, match="does not use this package: it said no"):
        adopt(fault=lambda: "it said no")
    assert state(tmp_path) == before
    adopt()
    adopted = state(tmp_path)
    with pytest.raises(BadRequest, match="it said no"):
        adopt(fault=lambda: "it said no")
    assert state(tmp_path) == adopted


def test_the_module_is_compiled_once_and_not_at_each_start(
    site: Path, homes: dict[str, Path]
) -> None:
    cache = site / "__pycache__"

    def fault() -> str:
        environment.compile_startup()  # as any Python that starts does
        return "no"

    with pytest.raises(BadRequest):
        adopt(fault=fault)
    assert [*cache.iterdir()] == []
    adopt()
    assert [path.name.partition(".")[0] for path in cache.iterdir()] == [environment.NAME]
    abandon()
    assert [*cache.iterdir()] == []


def test_what_somebody_wrote_meanwhile_is_not_taken_back(
    site: Path, homes: dict[str, Path]
) -> None:
    def fault() -> str:
        homes["default"].write_bytes(b"theirs: 1\n")
        return "no"

    with pytest.raises(BadRequest):
        adopt(fault=fault)
    assert homes["default"].read_bytes() == b"theirs: 1\n"
    assert not homes["home-office"].exists()


def test_a_user_who_cannot_write_the_environment_has_a_home_of_their_own(
    site: Path, homes: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tmp_path / "home-of-another"
    adopt(others)
    before = state(site, others)
    put, access = files.Change._put, os.access

    def refused(change: files.Change, content: bytes | None) -> None:
        if site in change.path.parents or others in change.path.parents:
            raise PermissionError(13, "Permission denied", str(change.path))
        put(change, content)

    monkeypatch.setattr(files.Change, "_put", refused)
    monkeypatch.setattr(
        os, "access", lambda path, mode: others not in Path(path).parents and access(path, mode)
    )
    assert all(one.enabled for one in adopt().homes)
    done = abandon()
    assert [one.config for one in done.homes if one.enabled] == [others / "config.yaml"]
    assert state(site, others) == before
    assert homes["default"].read_bytes() == MINE
    (others / "config.yaml").unlink()
    adopt()
    assert "cannot be removed by you, and stays" in abandon().warnings[0]
    (site / "hermes_checkpoints_adopted.start").write_text("another\n")
    with pytest.raises(BaseUnwritable, match="cannot be written"):
        adopt()
    assert homes["default"].read_bytes() == MINE


@pytest.mark.parametrize("suffix", [".py", ".start", ".pth", ".json"])
def test_a_file_that_cannot_be_written_changes_nothing(
    site: Path, homes: dict[str, Path], tmp_path: Path, suffix: str
) -> None:
    (site / f"hermes_checkpoints_adopted{suffix}").mkdir()
    before = state(tmp_path)
    with pytest.raises(BaseUnwritable, match=f"adopted{suffix} cannot be read"):
        adopt()
    assert state(tmp_path) == before


def test_a_folder_that_cannot_be_written_takes_the_others_back(
    site: Path, homes: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes["home-office"].symlink_to("/proc/none/config.yaml")
    before = state(tmp_path)
    with pytest.raises(BaseUnwritable, match="cannot be written"):
        adopt()
    assert state(tmp_path) == before


def test_a_dry_run_shows_everything_and_changes_nothing(
    site: Path,
    homes: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = state(tmp_path)
    assert main(["adopt", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert state(tmp_path) == before
    assert f"  write   {homes['default']}\n" in out
    assert out.endswith("Plan: 7 files\n")
    adopt()
    adopted = state(tmp_path)
    assert main(["adopt", "--undo", "--dry-run"]) == 0
    assert state(tmp_path) == adopted
    out = capsys.readouterr().out
    assert f"  remove  {environment.startup_line()}\n" in out
    assert main(["adopt", "--dry-run"]) == 0
    assert capsys.readouterr().out == "Plan: nothing to do\n"


def test_what_an_earlier_adoption_left_is_mended(site: Path, homes: dict[str, Path]) -> None:
    line = site / "hermes_checkpoints_adopted.pth"
    line.write_text("import importlib.util as u; u.find_spec('hermes_checkpoints')\n")
    homes["default"].write_bytes(SECTION)
    done = adopt()
    assert line.read_bytes() == environment.startup_files()[line]
    assert {one.profile for one in done.homes if one.change} == {"home-office", "work"}
    abandon()
    assert homes["default"].read_bytes() == b""


def test_a_switch_alone_is_completed(site: Path, homes: dict[str, Path]) -> None:
    lead(site)
    assert adopt().changed
    homes["default"].write_bytes(MINE)
    assert [one.profile for one in adopt().homes if one.change] == ["default"]


@pytest.mark.parametrize("left", [None, OURS])
def test_the_agents_program_is_brought_back(
    site: Path, homes: dict[str, Path], left: str | None
) -> None:
    program = program_of(site)
    program.unlink()
    if left is not None:
        program.write_text(left)
    done = adopt()
    assert f"{program} was not the agent's program any more" in done.warnings[0]
    assert b"from hermes_cli.main import main" in program.read_bytes()
    assert program.stat().st_mode & 0o111
    assert program in done.written
    assert adopt().warnings == ()
    abandon()
    assert program.exists(), "it is the agent's"


def test_the_agents_program_is_written_as_its_installer_wrote_the_others(
    site: Path, homes: dict[str, Path]
) -> None:
    program = program_of(site)
    beside = PROGRAM.replace("hermes_cli.main", "run_agent").replace("import sys", "import sys, re")
    (program.parent / "hermes-agent").write_text(beside)
    wanted = beside.replace("run_agent", "hermes_cli.main").encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(wanted).digest()).rstrip(b"=").decode()
    record = site / "hermes_agent-0.19.0.dist-info" / "RECORD"
    record.write_text(f"../../bin/hermes,sha256={digest},{len(wanted)}\n")
    program.unlink()
    adopt()
    assert program.read_bytes() == wanted


def test_a_program_that_only_an_installer_can_make_is_asked_for(
    site: Path, homes: dict[str, Path], tmp_path: Path
) -> None:
    record = site / "hermes_agent-0.19.0.dist-info" / "RECORD"
    record.write_text("../../Scripts/hermes.exe,,\n")
    before = state(tmp_path)
    command = "-m pip install --force-reinstall --no-deps hermes-agent==0.19.0"
    with pytest.raises(BadRequest, match=command):
        adopt()
    assert state(tmp_path) == before


def test_the_command_beside_the_agent_is_warned_of(
    site: Path, homes: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "hermes-checkpoints-command")
    program_of(site).write_text(OURS)
    (warning,) = adopt().warnings
    assert "python -m pip uninstall hermes-checkpoints-command" in warning
    assert program_of(site).read_text() == OURS, "whoever uninstalls it removes this file"


def test_two_adoptions_at_once_are_one_after_the_other(site: Path, homes: dict[str, Path]) -> None:
    inside, most = 0, 0
    counting = threading.Lock()

    def fault() -> None:
        nonlocal inside, most
        with counting:
            inside += 1
            most = max(most, inside)
        threading.Event().wait(0.05)
        with counting:
            inside -= 1

    threads = [threading.Thread(target=adoption.adopt, kwargs={"fault": fault}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert homes["default"].read_bytes() == MINE + SECTION


@pytest.mark.parametrize("steps", range(7))
@pytest.mark.parametrize("undo", [False, True])
def test_a_process_that_dies_between_two_files_leaves_what_can_be_completed_or_undone(
    site: Path,
    homes: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    steps: int,
    undo: bool,
) -> None:
    before = state(tmp_path)

    class Died(BaseException):
        pass

    made: list[Path] = []
    real: Callable[[files.Change], None] = files.Change.make

    def make(change: files.Change) -> None:
        if len(made) == steps:
            raise Died
        real(change)
        made.append(change.path)

    with monkeypatch.context() as patch:
        patch.setattr(files.Change, "make", make)
        patch.setattr(
            files.Change, "take_back", lambda _: None
        )  # a killed process takes nothing back
        with pytest.raises(Died):
            adopt()
    names = {path.suffix for path in site.glob("hermes_checkpoints_adopted.*")}
    assert ".pth" not in names or {".py", ".start"} <= names, "no line leads to what is not there"
    if undo:
        abandon()
        assert state(tmp_path) == before
    else:
        assert all(one.enabled for one in adopt().homes)
        abandon()
        assert state(tmp_path) == before


def test_a_name_with_other_bytes(
    site: Path, fresh_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = os.fsdecode(os.fsencode(fresh_home.parent) + b"/h \xff\xc3\xa9")
    assert adopt(home).changed
    assert (Path(home) / "config.yaml").read_bytes() == SECTION
    abandon(home)
    assert not (Path(home) / "config.yaml").exists()


def test_what_the_agents_own_modules_took_since_is_taken_in(
    site: Path, homes: dict[str, Path], project: Path
) -> None:
    home = homes["default"].parent
    store = home / "checkpoints" / "store"
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(reason="ours")
    # as version 2 takes, and packs the refs when it prunes
    name = project_hash(project)
    blob = git(store, "hash-object", "-w", "--stdin", stdin=b"theirs\n").strip()
    tree = git(store, "mktree", stdin=f"100644 blob {blob}\ta.txt\n".encode()).strip()
    commit = git(store, "commit-tree", tree, "-m", "their own").strip()
    git(store, "update-ref", f"refs/hermes/{name}", commit)
    (store / "projects").mkdir()
    (store / "projects" / f"{name}.json").write_text(json.dumps({"workdir": str(project)}))
    git(store, "pack-refs", "--all", "--prune")
    with Checkpoints.open(home) as checkpoints:
        (note,) = checkpoints.status().notes
    assert note.startswith("1 history of an earlier version came here after the import")
    done = adopt()
    assert done.taken_in == 1
    with Checkpoints.open(home) as checkpoints:
        assert {one.reason for one in checkpoints.project(project).list()} == {"ours", "their own"}
    assert adopt().taken_in == 0

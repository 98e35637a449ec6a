"""What git would obey in a store is named, and taken away."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.patients import kinds, look, mended
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.doctor.checks import git_locks, store_config
from hermes_checkpoints.model import Taken
from hermes_checkpoints.object_store import frame
from hermes_checkpoints.object_store.configuration import foreign, settings
from support import everything


def git(store: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={store}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_store_that_this_program_makes_is_sound(sound: Path) -> None:
    assert kinds(store_config.check, sound) == []
    assert kinds(store_config.check, sound, catalog=False) == []


HOSTILE = {
    'remote "origin"|promisor = true': "remote.origin.promisor",
    "extensions|partialClone = origin": "extensions.partialclone",
    "include|path = /tmp/other": "include.path",
    'includeIf "gitdir:/"|path = other': "includeif.gitdir:/.path",
    "core|worktree = /": "core.worktree",
    "core|sshCommand = touch /tmp/x": "core.sshcommand",
    'filter "x"|clean = touch /tmp/x': "filter.x.clean",
    "uploadpack|packObjectsHook = x": "uploadpack.packobjectshook",
}


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize(("hostile", "name"), HOSTILE.items())
@pytest.mark.parametrize("first", [True, False])
def test_each_setting_that_the_store_does_not_need_is_named_and_goes(
    sound: Path, store: Path, hostile: str, name: str, first: bool
) -> None:
    section, _, line = hostile.partition("|")
    added = f"[{section}]\n\t{line}\n"
    config = store / "config"
    before = config.read_text()
    config.write_text(added + before if first else before + added)
    found = look(store_config.check, sound)
    told = [one.text.rpartition(": ")[2] for one in found if one.kind == "store-setting"]
    assert told == [name]
    assert [one.kind for one in found].count("store-config") == 1
    (done,) = mended(store_config.check, store_config.mend, sound)
    assert done.startswith("store/config was written anew; store/config was moved to store/")
    kept = store.parent / done.rpartition(" ")[2]
    assert kept.read_text() == (added + before if first else before + added)
    assert config.read_text().lower() == before.lower()
    assert kinds(store_config.check, sound) == []


def test_what_stands_behind_our_settings_wins_and_is_a_fault(sound: Path, store: Path) -> None:
    with (store / "config").open("a") as config:
        config.write("[core]\n\tfsmonitor = touch /tmp/x\n")
    assert git(store, "config", "core.fsmonitor") == "touch /tmp/x\n"
    assert kinds(store_config.check, sound) == ["store-config", "store-setting"]
    mended(store_config.check, store_config.mend, sound)
    assert git(store, "config", "core.fsmonitor") == "false\n"


def test_takes_go_on_with_a_configuration_that_was_written_anew(
    sound: Path, store: Path, project: Path
) -> None:
    (store / "config").write_text('[core]\n\tbare = true\n[remote "x"]\n\tpromisor\n')
    assert len(mended(store_config.check, store_config.mend, sound)) == 1
    with Checkpoints.open(sound) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    assert kinds(store_config.check, sound) == []


@pytest.mark.parametrize("contents", [None, b"", b"\0" * 500, b"[core\n", b"\xff\xfe[core]"])
def test_a_configuration_that_git_cannot_read_is_found(
    sound: Path, store: Path, contents: bytes | None
) -> None:
    config = store / "config"
    config.unlink()
    if contents is not None:
        config.write_bytes(contents)
    assert "store-config" in kinds(store_config.check, sound)


def test_mending_writes_what_an_opening_takes_for_sound(sound: Path, store: Path) -> None:
    text = (store / "config").read_text()
    (store / "config").write_text(f"garbage [\n{text}")
    assert "store-config" in kinds(store_config.check, sound)
    mended(store_config.check, store_config.mend, sound)
    assert (store / "config").read_text() == text
    assert frame.is_ours(store)


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("hooks/post-checkout", "store-hook"),
        ("info/grafts", "store-grafts"),
        ("shallow", "store-shallow"),
        ("objects/pack/pack-1234.promisor", "store-promisor-pack"),
    ],
)
def test_files_that_change_what_git_does_are_found_and_moved_aside(
    sound: Path, store: Path, name: str, kind: str
) -> None:
    path = store / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    (found,) = look(store_config.check, sound)
    assert (found.kind, found.where, found.repairs) == (kind, f"store/{name}", True)
    assert mended(store_config.check, store_config.mend, sound) == [
        f"store/{name} was moved to store/quarantine-files/{name}"
    ]
    assert kinds(store_config.check, sound) == []


def test_the_samples_of_git_init_are_no_hooks(sound: Path, store: Path) -> None:
    (store / "hooks").mkdir()
    (store / "hooks/update.sample").write_text("#!/bin/sh\n")
    assert kinds(store_config.check, sound) == []


def test_objects_of_elsewhere_are_told_and_brought_in(
    sound: Path, store: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other objects"
    shutil.move(store / "objects", other)
    for name in ("info", "pack"):
        (store / "objects" / name).mkdir(parents=True)
    (store / "objects/info/alternates").write_text(f"# a comment\n{other}\n/nowhere/objects\n")
    (found,) = look(store_config.check, sound)
    assert (found.kind, found.repairs) == ("store-alternates", True)
    assert f"{other}, /nowhere/objects" in found.text
    assert mended(store_config.check, store_config.mend, sound) == [
        "what checkpoints need of other places was copied into the store",
        "store/objects/info/alternates was moved to store/quarantine-files/objects/info/alternates",
    ]
    shutil.rmtree(other)
    git(store, "fsck", "--strict", "--no-dangling")
    with Checkpoints.open(sound) as checkpoints:
        (listed,) = checkpoints.list_all()
        assert checkpoints.status().checkpoint_count == 1
    assert git(store, "cat-file", "-t", listed.id) == "commit\n"


@pytest.mark.parametrize("packed", [False, True])
def test_refs_that_replace_objects_are_told(sound: Path, store: Path, packed: bool) -> None:
    (commit,) = git(store, "for-each-ref", "--format=%(objectname)").split()
    git(store, "update-ref", f"refs/replace/{'1' * 40}", commit)
    if packed:
        git(store, "pack-refs", "--all", "--prune")
    (found,) = look(store_config.check, sound)
    assert (found.kind, found.note) == ("store-replace-refs", True)
    assert found.where == f"refs/replace/{'1' * 40}"


def test_settings_are_read_as_git_reads_them(tmp_path: Path) -> None:
    text = (
        "# a comment\n[Core] bare\n\tFileMode = false ; why\n"
        '[Remote "Big.One"]\n\turl = a \\\n  b\n[a.B]c=1\n'
    )
    (tmp_path / "config").write_text(text)
    listed = git(tmp_path, "config", "-f", str(tmp_path / "config"), "--list", "--name-only")
    assert [one.name for one in settings(text)] == listed.splitlines()


@given(st.text(alphabet='[]="\\ \n#;ab.\t', max_size=60))
def test_nothing_foreign_is_left_of_any_text(text: str) -> None:
    own = frame.config_of(Path("/base/store"), text)
    assert foreign(own, frame.config_of(Path("/base/store"), own)) == []
    assert frame.config_of(Path("/base/store"), own) == own


def test_what_links_lead_to_is_neither_judged_nor_moved(
    sound: Path, store: Path, tmp_path: Path
) -> None:
    """As root, somebody's link would move files of the system."""
    outside = tmp_path / "outside"
    for name in ("hooks", "refs", "info", "pack"):
        (outside / name).mkdir(parents=True)
    (outside / "hooks/tool").write_text("of the system")
    (outside / "info/grafts").write_text("of the system")
    for name in ("refs/any.lock", "info/any.lock"):
        (outside / name).write_text("of the system")
        os.utime(outside / name, (0, 0))
    before = everything(outside)
    for name in ("hooks", "info"):
        shutil.rmtree(store / name, ignore_errors=True)
        (store / name).symlink_to(outside / name)
    (store / "logs").symlink_to(outside / "refs")
    assert kinds(git_locks.check, sound) == []
    found = look(store_config.check, sound)
    assert [(one.kind, one.where) for one in found] == [
        ("store-hook", "store/hooks"),
        ("store-grafts", "store/info/grafts"),
    ]
    done = mended(store_config.check, store_config.mend, sound)
    assert done == ["store/hooks was moved to store/quarantine-files/hooks"]
    assert everything(outside) == before


def test_a_store_that_is_a_link_is_a_fault_and_left_alone(
    sound: Path, store: Path, tmp_path: Path
) -> None:
    store.rename(tmp_path / "elsewhere")
    store.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/config").write_text("[core]\n\tfsmonitor = x\n")
    (tmp_path / "elsewhere/config.lock").write_text("")
    os.utime(tmp_path / "elsewhere/config.lock", (0, 0))
    assert kinds(store_config.check, sound) == ["store-link"]
    assert kinds(git_locks.check, sound) == []
    assert mended(store_config.check, store_config.mend, sound) == []


def test_settings_of_a_base_that_had_another_path_are_a_note(sound: Path, store: Path) -> None:
    text = (store / "config").read_text()
    assert str(store) in text
    (store / "config").write_text(text.replace(str(store), "/mnt/other base/store"))
    (found,) = look(store_config.check, sound)
    assert (found.kind, found.note) == ("store-moved", True)

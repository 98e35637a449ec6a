"""What was imported from a backup is the base's own: who writes into the backup changes nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs.system import copy_contents, open_regular
from hermes_checkpoints.layout import project_hash
from history.old_bases import all_commits, assert_imported, git
from hostile import PLACES, make_outside, run_git, work


def overwritten(folder: Path) -> int:
    """Overwrite every file in place, so that no other name of it keeps what it held; return how
    many there are."""
    count = 0
    for found in folder.rglob("*"):
        if found.is_file() and not found.is_symlink():
            found.chmod(0o644)
            with found.open("r+b") as file:
                size = os.fstat(file.fileno()).st_size
                file.write(b"\xff" * size)
                file.truncate(size // 2)
            count += 1
    return count


@pytest.mark.campaign
@pytest.mark.parametrize("packed", [False, True])
def test_the_backup_of_version_1_may_be_overwritten(
    live_home: Path, tmp_path: Path, packed: bool
) -> None:
    if packed:
        for repository in (live_home / "checkpoints").glob("[0-9a-f]*"):
            if (repository / "index").exists():
                git(repository, "repack", "-adq")
    commits = all_commits(live_home)
    with Checkpoints.open(tmp_path / "home") as checkpoints:
        done = checkpoints.import_legacy(live_home)
        assert done.checkpoints == len(commits)
        assert overwritten(live_home / "checkpoints") > 20
        shutil.rmtree(live_home / "checkpoints")
        assert_imported(checkpoints, commits)
        assert len(list(checkpoints.sessions.list())) == done.sessions


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("place", ["v2", "own"])
def test_the_backup_of_a_store_may_be_overwritten(tmp_path: Path, place: str) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    make_outside(outside)
    PLACES[place](home, outside)
    with Checkpoints.open(tmp_path / "new") as checkpoints:
        checkpoints.import_legacy(home)
        assert overwritten(home / "checkpoints") > 5
        found = checkpoints.project(work(home)).list()
        assert len(found) == 2
        for one in found:
            run_git(tmp_path / "new" / "checkpoints" / "store", "rev-list", "--objects", one.id)
        run_git(tmp_path / "new" / "checkpoints" / "store", "fsck", "--full")


@pytest.mark.campaign
def test_a_copy_of_the_base_by_hard_links_may_be_overwritten(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    make_outside(outside)
    PLACES["v1"](home, outside)
    copy = tmp_path / "copy"
    shutil.copytree(home, copy, copy_function=os.link)
    with Checkpoints.open(home) as checkpoints:
        assert len(checkpoints.project(work(home)).list()) == 2
        repository = copy / "checkpoints" / project_hash(work(home).resolve())
        assert overwritten(repository / "objects") > 5
        run_git(home / "checkpoints" / "store", "fsck", "--full")


def test_an_export_shares_no_file_with_the_store(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    make_outside(outside)
    PLACES["own"](home, outside)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.export_v2(tmp_path / "export")
    assert all(f.stat().st_nlink == 1 for f in (tmp_path / "export").rglob("*") if f.is_file())
    overwritten(tmp_path / "export")
    run_git(home / "checkpoints" / "store", "fsck", "--full")


def test_a_copy_holds_what_the_original_held(tmp_path: Path) -> None:
    data = os.urandom(700_001)
    (tmp_path / "original").write_bytes(data)
    source = open_regular(tmp_path / "original")
    assert source is not None
    with (tmp_path / "copy").open("xb") as copy:
        copy_contents(source, copy.fileno())
    os.close(source)
    overwritten(tmp_path)
    (tmp_path / "original").write_bytes(data)
    with (tmp_path / "second").open("xb") as copy:
        source = open_regular(tmp_path / "original")
        assert source is not None
        copy_contents(source, copy.fileno())
        os.close(source)
    with (tmp_path / "original").open("r+b") as file:
        file.write(b"other")
    assert (tmp_path / "second").read_bytes() == data


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "file").write_text("x")
    assert open_regular(tmp_path / "pipe") is None
    assert open_regular(tmp_path / "link") is None
    assert open_regular(tmp_path) is None
    assert open_regular(tmp_path / "missing") is None
    assert open_regular(f"{tmp_path}/a\0b") is None

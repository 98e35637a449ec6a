"""What is told of the file system of the base."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints.doctor.checks import disk, journal
from hermes_checkpoints.fs import filesystem
from hermes_checkpoints.fs.system import can_share_blocks


def faults(home: Path) -> list[str]:
    return [one.kind for one in look(disk.check, home) if not one.note]


def test_a_disk_with_room_is_sound(sound: Path) -> None:
    assert faults(sound) == []
    assert look(disk.check, sound, catalog=False) == look(disk.check, sound)


@pytest.mark.parametrize(
    ("free", "kind"), [(1 << 20, "disk-full"), (70 << 20, "disk-low"), (500 << 20, None)]
)
def test_less_room_than_packing_may_need_is_a_fault(
    sound: Path, store: Path, monkeypatch: pytest.MonkeyPatch, free: int, kind: str | None
) -> None:
    with (store / "objects" / "large").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 20 << 20)
    monkeypatch.setattr(disk, "free_bytes", lambda _: free)
    assert faults(sound) == ([kind] if kind else [])


def statvfs(**changed: int) -> Callable[[Path], os.statvfs_result]:
    """Return what answers as the system does, but for some fields."""
    names = "f_bsize f_frsize f_blocks f_bfree f_bavail f_files f_ffree f_favail f_flag f_namemax"
    real = os.statvfs
    return lambda path: os.statvfs_result(
        [changed.get(name, getattr(real(path), name)) for name in names.split()]
    )


def test_few_inodes_and_a_read_only_mount_are_faults(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = statvfs(f_files=10_000, f_favail=12, f_flag=os.ST_RDONLY)
    monkeypatch.setattr(os, "statvfs", answer)
    assert faults(sound) == ["inodes-low", "disk-read-only"]


def test_a_file_system_that_counts_no_inodes_lacks_none(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", statvfs(f_files=0, f_favail=0))
    assert faults(sound) == []


def test_the_kind_of_a_file_system_is_that_of_the_last_mount_above(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/a rw\n"
        f"2 1 0:9 / {tmp_path} rw - nfs4 host:/x rw\n"
        f"3 2 0:9 / {tmp_path}/in\\040side rw - btrfs /dev/b rw\n"
    )
    inside = tmp_path / "in side" / "deep"
    inside.mkdir(parents=True)
    assert filesystem.kind_of(Path("/"), mounts) == "ext4"
    assert filesystem.kind_of(tmp_path, mounts) == "nfs4"
    assert filesystem.kind_of(inside, mounts) == "btrfs"
    assert filesystem.kind_of(inside, tmp_path / "none") is None
    assert filesystem.is_network(tmp_path / "catalog.db", mounts)


def test_trying_to_share_blocks_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    before = folder.stat().st_mtime_ns
    assert can_share_blocks(folder) in (True, False, None)
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mtime_ns == before
    assert can_share_blocks(tmp_path / "none") is None


def test_what_is_told_of_the_system_is_what_it_can(sound: Path) -> None:
    told = [one.text for one in look(disk.check, sound) if one.kind == "filesystem-lacks"]
    assert any("reflink" in text for text in told) == (can_share_blocks(sound) is False)


def test_a_catalog_with_a_log_is_sound(sound: Path) -> None:
    assert kinds(journal.check, sound) == []


def test_a_catalog_without_a_log_is_a_note_with_the_reason(sound: Path, base: Path) -> None:
    with closing(sqlite3.connect(base / "catalog.db")) as connection:
        assert connection.execute("PRAGMA journal_mode = delete").fetchone() == ("delete",)
    (found,) = look(journal.check, sound)
    assert (found.kind, found.note) == ("journal-mode", True)
    assert "SQLite could not switch it" in found.text


def test_the_mode_is_that_of_the_file_also_where_the_rest_cannot_be_read(
    sound: Path, base: Path
) -> None:
    with (base / "catalog.db").open("r+b") as file:
        file.seek(100)
        file.write(bytes(4000))
    assert kinds(journal.check, sound, catalog=False) == []
    (base / "catalog.db").unlink()
    assert kinds(journal.check, sound, catalog=False) == []

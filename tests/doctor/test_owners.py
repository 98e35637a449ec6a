"""Who owns the base, and whom it is open to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from doctor.patients import kinds, look, mended
from hermes_checkpoints.doctor.checks import owners
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def test_a_base_of_this_user_alone_is_sound(sound: Path) -> None:
    assert kinds(owners.check, sound) == []
    assert kinds(owners.check, sound, catalog=False) == []


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(0o755, "base-open"), (0o710, "base-open"), (0o777, "base-writable-by-others")],
)
def test_a_base_that_is_open_to_others_is_found_and_closed(
    sound: Path, base: Path, mode: int, kind: str
) -> None:
    base.chmod(mode)
    (found,) = look(owners.check, sound)
    assert (found.kind, found.repairs) == (kind, True)
    assert f"mode {mode:04o}" in found.text
    assert mended(owners.check, owners.mend, sound) == [f"{base} was closed to other users"]
    assert base.stat().st_mode & 0o777 == 0o700
    assert kinds(owners.check, sound) == []


def test_a_catalog_that_is_open_to_others_is_found_and_closed(sound: Path, base: Path) -> None:
    (base / "catalog.db").chmod(0o644)
    (found,) = look(owners.check, sound)
    assert (found.kind, found.where) == ("catalog-open", "catalog.db")
    assert mended(owners.check, owners.mend, sound) == ["the catalog was closed to other users"]
    assert kinds(owners.check, sound) == []


@ROOT
def test_files_of_another_user_are_found_with_how_to_give_them_back(
    sound: Path, base: Path, store: Path
) -> None:
    for path in (store / "config", store / "indexes", next((store / "objects").iterdir())):
        os.chown(path, 12345, 12345)
    (found,) = look(owners.check, sound)
    assert (found.kind, found.where) == ("foreign-owner", "store/config")
    assert found.text.startswith("3 of the files and folders")
    assert found.remedy == f"sudo chown -R {os.geteuid()} {base}"


@ROOT
def test_locks_and_archives_are_not_judged_here(sound: Path, base: Path) -> None:
    (base / "legacy-1").mkdir()
    for path in (base / "legacy-1", base / "locks" / "store.lock"):
        os.chown(path, 12345, 12345)
    assert kinds(owners.check, sound) == []


@ROOT
def test_root_on_the_base_of_a_user_is_told(sound: Path, base: Path) -> None:
    for path in (base, *base.rglob("*")):
        os.chown(path, 12345, 12345)
    (found,) = look(owners.check, sound)
    assert (found.kind, found.note) == ("base-of-another", True)


@pytest.mark.parametrize(
    ("bits", "name", "kind"),
    [(0o500, "objects", "folder-closed"), (0o000, "config", "file-unreadable")],
)
def test_what_this_user_cannot_use_is_found(
    sound: Path,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    bits: int,
    name: str,
    kind: str,
) -> None:
    closed = store / name
    closed.chmod(bits)
    if os.geteuid() == 0:  # nothing is closed to root: answer as the system answers a user
        access = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: Path(path) != closed and access(path, mode)
        )
    (found,) = look(owners.check, sound)
    assert (found.kind, found.where) == (kind, f"store/{name}")
    closed.chmod(0o700)


def test_a_link_in_the_place_of_the_catalog_changes_no_file_elsewhere(
    sound: Path, base: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    outside.chmod(0o644)
    (base / "catalog.db").unlink()
    (base / "catalog.db").symlink_to(outside)
    assert kinds(owners.check, sound, catalog=False) == []
    finding = Finding("catalog-open", "catalog.db", "open", "close it", repairs=True)
    owners.mend(Layout.of(sound), [finding])
    assert outside.stat().st_mode & 0o777 == 0o644

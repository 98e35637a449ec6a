"""Git is found, asked and judged as a take does."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints.doctor.checks import programs


def fake(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a git of this text first on PATH."""
    folder.mkdir()
    path = folder / "git"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return path


def test_the_programs_of_this_machine_are_sound(sound: Path) -> None:
    assert kinds(programs.check, sound) == []
    assert kinds(programs.check, sound, catalog=False) == []


def test_no_git_is_a_fault(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    (found,) = look(programs.check, sound)
    assert found.kind == "git-missing"


def test_an_old_git_is_a_fault(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake(tmp_path / "old", "echo git version 2.7.4", monkeypatch)
    (found,) = look(programs.check, sound)
    assert (found.kind, found.where) == ("git-too-old", str(path))
    assert "2.7.4" in found.text


def test_a_git_that_ends_with_an_error_is_a_fault(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path / "bad", "echo 'no such library' >&2; exit 127", monkeypatch)
    (found,) = look(programs.check, sound)
    assert found.kind == "git-fails"
    assert "no such library" in found.text


def test_a_shim_that_needs_the_home_is_a_note_with_the_git_behind_it(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    assert real
    monkeypatch.setenv("MANAGER", "is here")
    shim = fake(
        tmp_path / "shim",
        f'[ -n "$MANAGER" ] || {{ echo "no version is set" >&2; exit 126; }}\nexec {real} "$@"',
        monkeypatch,
    )
    (found,) = look(programs.check, sound)
    assert (found.kind, found.where, found.note) == ("git-shim", str(shim), True)


def test_an_old_sqlite_is_a_fault(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 30, 0))
    (found,) = look(programs.check, sound, catalog=False)
    assert found.kind == "sqlite-too-old"

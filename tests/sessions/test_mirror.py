"""The mirror: files for older programs, in step with the catalog, one for each id."""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints import Sessions
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import SessionsConfig, load_sessions_config
from hermes_checkpoints.sessions.files import UNREADABLE, file_name
from sessions.conftest import Clock

ids = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))
    | st.sampled_from("../\\%:ab~ é\u0301\u202e"),
    min_size=1,
    max_size=255,
)


def files(base: Base) -> dict[str, Any]:
    return {
        path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in base.layout.base.glob("*.yaml")
    }


def test_no_files_without_the_setting(sessions: Sessions, base: Base) -> None:
    sessions.write("s", {})
    assert files(base) == {}


def test_a_file_follows_its_session(mirrored: Sessions, base: Base, clock: Clock) -> None:
    mirrored.write("s", {"n": 1, "set": {1}})
    path = base.layout.base / "s.yaml"
    assert path.read_text(encoding="utf-8") == mirrored.export("s")
    mirrored.write("s", {"n": 2})
    local = mirrored.read("s").updated_at.astimezone().replace(tzinfo=None)
    assert files(base) == {"s.yaml": {"n": 2, "updated": local.isoformat()}}
    mirrored.restore("s", 1)
    assert files(base)["s.yaml"]["n"] == 1
    mirrored.delete("s")
    assert files(base) == {}
    mirrored.write("t", {})
    clock.go(days=9)
    mirrored.write("u", {})
    mirrored.gc()
    assert list(files(base)) == ["u.yaml"]


def test_imported_sessions_are_mirrored(mirrored: Sessions, base: Base, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "s.yaml").write_text("a: 1\n", encoding="utf-8")
    mirrored.import_folder(folder)
    assert files(base) == {"s.yaml": {"a": 1}}


def test_unsafe_session_ids_stay_in_the_base(mirrored: Sessions, base: Base) -> None:
    unsafe = ["../x", "/etc/x", "a/b", "..", ".", ".hidden", "%2E%2E", "a\\b", "x" * 255, "é" * 255]
    for session_id in unsafe:
        mirrored.write(session_id, {"id": session_id})
    found = files(base)
    assert sorted(document["id"] for document in found.values()) == sorted(unsafe)
    assert not list(base.layout.home.parent.rglob("x.yaml"))
    assert [
        path for path in base.layout.home.rglob("*.yaml") if path.parent != base.layout.base
    ] == []
    again = mirrored.import_folder(base.layout.base)
    assert all(one.kept for one in again)
    assert sorted(one.session_id for one in again) == sorted(unsafe)
    assert mirrored.ids() == sorted(unsafe)


@given(ids, ids)
def test_names_are_safe_and_no_two_ids_share_one(one: str, other: str) -> None:
    name = file_name(one)
    assert len(name.encode()) <= 200
    assert not set(name) & set("/\\\0")
    assert name not in (".", "..")
    assert not name.startswith(".")
    assert (name == file_name(other)) == (one == other)


@pytest.mark.parametrize(
    "session_id", ["20261120_120000_ab12", "user@host", "a b", "sitzung-é", "A.b"]
)
def test_ordinary_ids_are_their_own_names(session_id: str) -> None:
    assert file_name(session_id) == session_id


def test_a_crash_before_the_file_is_mended_at_the_next_opening(
    sessions: Sessions, base: Base
) -> None:
    for name in ("new", "missing", "old"):
        sessions.write(name, {"n": 1})
    first = Sessions(base, SessionsConfig(mirror_yaml=True))
    first.write("old", {"n": 2})
    (base.layout.base / "missing.yaml").unlink()
    sessions.write("old", {"n": 3})  # without the mirror, as if killed before it
    Sessions(base, SessionsConfig(mirror_yaml=True))
    assert {name: one["n"] for name, one in files(base).items()} == {
        "new.yaml": 1,
        "missing.yaml": 1,
        "old.yaml": 3,
    }


def test_what_another_program_wrote_is_taken_over(
    mirrored: Sessions, base: Base, clock: Clock
) -> None:
    mirrored.write("s", {"n": 1})
    path = base.layout.base / "s.yaml"
    clock.go(hours=1)
    local = (clock.moment.astimezone() - timedelta(minutes=5)).replace(tzinfo=None)
    path.write_text(f"n: theirs\nupdated: '{local.isoformat()}'\n", encoding="utf-8")
    mirrored.write("s", {"n": 3})
    assert mirrored.read("s", version=2).document["n"] == "theirs"
    assert mirrored.read("s").document["n"] == 3
    assert files(base)["s.yaml"]["n"] == 3
    found = base.layout.base / "found.yaml"
    found.write_text("n: before us\n", encoding="utf-8")
    mirrored.write("found", {"n": 1})
    assert mirrored.read("found", version=1).document == {"n": "before us"}


def test_an_unreadable_file_is_set_aside_before_it_is_replaced(
    mirrored: Sessions, base: Base, caplog: pytest.LogCaptureFixture
) -> None:
    (base.layout.base / "s.yaml").write_text("half: [", encoding="utf-8")
    mirrored.write("s", {"n": 1})
    assert files(base)["s.yaml"]["n"] == 1
    (kept,) = (base.layout.base / UNREADABLE).iterdir()
    assert kept.read_text(encoding="utf-8") == "half: ["
    assert "was copied to" in caplog.text


def test_a_file_that_cannot_be_written_does_not_fail_the_write(
    mirrored: Sessions, base: Base, caplog: pytest.LogCaptureFixture
) -> None:
    (base.layout.base / "s.yaml").mkdir()
    mirrored.write("s", {"n": 1})
    assert mirrored.read("s").document["n"] == 1
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    mirrored.delete("s")
    assert mirrored.ids() == []


def test_a_link_in_the_place_of_a_file_is_not_followed(
    mirrored: Sessions, base: Base, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs", encoding="utf-8")
    os.symlink(victim, base.layout.base / "s.yaml")
    mirrored.write("s", {})
    assert victim.read_text(encoding="utf-8") == "theirs"
    assert not (base.layout.base / "s.yaml").is_symlink()


@pytest.mark.parametrize(
    ("text", "mirror", "warning"),
    [
        ("sessions:\n  mirror_yaml: true\n", True, ""),
        ("sessions:\n  mirror_yaml: false\ncheckpoints: true\n", False, ""),
        ("checkpoints: true\n", False, ""),
        ("sessions:\n  mirror_yaml: 1\n", False, "mirror_yaml is 1, using False"),
        ("sessions: yes\n", False, "is no mapping"),
        ("sessions: [", False, "no valid YAML"),
    ],
)
def test_the_setting(fresh_home: Path, text: str, mirror: bool, warning: str) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text(text, encoding="utf-8")
    config = load_sessions_config(fresh_home / "config.yaml")
    assert config.mirror_yaml is mirror
    assert [warning in found for found in config.warnings] == ([True] if warning else [])
    with Sessions.open(fresh_home) as sessions:
        sessions.write("s", {})
    assert (fresh_home / "checkpoints" / "s.yaml").exists() is mirror

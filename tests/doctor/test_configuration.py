"""What is silently replaced by a default is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.doctor.checks import configuration


def write(home: Path, text: str) -> None:
    (home / "config.yaml").write_text(text)


def test_a_home_without_configuration_is_sound(sound: Path) -> None:
    assert kinds(configuration.check, sound) == []
    assert kinds(configuration.check, sound, catalog=False) == []


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("checkpoints: {max_snapshot: 3}", "did you mean max_snapshots?"),
        ("checkpoints: {max_snapshots: -3}", "max_snapshots is -3"),
        ("checkpoints: 7", "neither true, false nor a mapping"),
        ("sessions: {mirror: true}", "unknown key 'mirror'"),
        ("hook: {titels: false}", "did you mean titles?"),
        ("mcp: {restore: perhaps}", "restore is 'perhaps'"),
        ("checkpoints: [", "no valid YAML"),
        ("checkpoints: {projects: {relative: true}}", "is no absolute path"),
    ],
)
def test_what_is_wrong_in_the_file_is_a_fault(sound: Path, text: str, told: str) -> None:
    write(sound, text)
    found = [one for one in look(configuration.check, sound) if one.kind == "config-wrong"]
    assert any(told in one.text for one in found)
    assert not found[0].note
    assert found[0].where == str(sound / "config.yaml")


def test_settings_that_the_catalog_does_not_have_yet_are_a_note(sound: Path) -> None:
    write(sound, "checkpoints: {max_snapshots: 7}")
    (found,) = look(configuration.check, sound)
    assert (found.kind, found.where, found.note) == ("settings-differ", "max_snapshots", True)
    assert "says 20, config.yaml 7" in found.text
    Checkpoints.open(sound).close()
    assert kinds(configuration.check, sound) == []


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("value", ["soon", "5", "600", "", "10.5"])
def test_a_time_limit_that_is_none_is_a_fault(
    sound: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", value)
    (found,) = look(configuration.check, sound)
    assert (found.kind, found.where) == ("environment-wrong", "HERMES_CHECKPOINT_TIMEOUT")


def test_a_time_limit_in_bounds_is_none(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", "45")
    assert kinds(configuration.check, sound) == []


def test_a_relative_home_is_a_fault(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", "hermes")
    (found,) = look(configuration.check, sound)
    assert (found.kind, found.where) == ("environment-wrong", "HERMES_HOME")

"""Whether the agent of the environment uses this package, in each state of both switches."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_site import install, lead, make_site, program_of
from doctor.patients import kinds, look
from hermes_checkpoints.compat import adopted


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_site(tmp_path / "agent", monkeypatch)


def enable(home: Path, *, off: bool = False) -> None:
    more = "\n  disabled: [hermes-checkpoints]" if off else ""
    (home / "config.yaml").write_text(f"plugins:\n  enabled: [other, hermes-checkpoints]{more}\n")


def test_without_the_agent_nothing_is_told(sound: Path, site: Path) -> None:
    assert kinds(adopted.check, sound) == []
    enable(sound)  # the agent of another environment
    assert kinds(adopted.check, sound, catalog=False) == []


def test_an_agent_that_uses_its_own_modules_is_a_note(sound: Path, site: Path) -> None:
    install(site)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("not-adopted", True)


def test_a_whole_adoption_is_sound(sound: Path, site: Path) -> None:
    install(site)
    lead(site)
    enable(sound)
    assert kinds(adopted.check, sound) == []


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("broken", "enabled", "off", "told"),
    [
        ("", False, False, "the plugin hermes-checkpoints is not enabled"),
        ("", True, True, "the plugin hermes-checkpoints is not enabled"),
        ("all", True, False, "hermes_checkpoints_adopted.pth is missing"),
        (".start", True, False, "hermes_checkpoints_adopted.start is missing"),
        (".pth", True, False, "hermes_checkpoints_adopted.pth is not as it was"),
    ],
)
def test_half_of_an_adoption_is_a_fault(
    sound: Path, site: Path, broken: str, enabled: bool, off: bool, told: str
) -> None:
    install(site)
    for path in lead(site) if broken else {}:
        if broken in ("all", path.suffix):
            path.unlink()
    if not broken:
        lead(site)
    elif broken == ".pth":  # as an earlier version wrote it
        (site / "hermes_checkpoints_adopted.pth").write_text("import importlib.util as u; …\n")
    if enabled:
        enable(sound, off=off)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("adoption-half", False)
    assert told in found.text


def test_an_agent_of_another_version_is_a_note(sound: Path, site: Path) -> None:
    install(site, version="0.20.1")
    lead(site)
    enable(sound)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("adoption-untested", True)


def test_a_hook_without_an_agent_is_a_note(sound: Path, site: Path) -> None:
    path = [*lead(site)][-1]
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.where, found.note) == ("adoption-left", str(path), True)


def test_safe_mode_is_a_note(sound: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    assert kinds(adopted.check, sound) == []
    install(site)
    lead(site)
    enable(sound)
    assert kinds(adopted.check, sound) == ["safe-mode"]


def test_a_program_of_the_agent_that_is_gone_or_ours_is_a_fault(sound: Path, site: Path) -> None:
    install(site)
    lead(site)
    enable(sound)
    program_of(site).write_text("from hermes_checkpoints.cli import hermes\n")
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.where, found.note) == ("agent-program", str(program_of(site)), False)
    program_of(site).unlink()
    (found,) = look(adopted.check, sound)
    assert "is missing" in found.text


def test_the_command_beside_the_agent_is_a_note(sound: Path, site: Path) -> None:
    install(site, "hermes-checkpoints-command")
    assert kinds(adopted.check, sound) == []
    install(site)
    lead(site)
    enable(sound)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("command-beside-agent", True)


@pytest.mark.parametrize("text", ["[", "- a", "plugins: 7", "plugins: {enabled: x}", "\x00"])
def test_a_configuration_without_plugins_enables_none(sound: Path, site: Path, text: str) -> None:
    install(site)
    (sound / "config.yaml").write_text(text)
    assert kinds(adopted.check, sound) == ["not-adopted"]


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("text", ["a: !!bool x", "a: !!timestamp x", "a: 2026-13-45", "[" * 50_000])
def test_a_configuration_that_is_none_enables_nothing(sound: Path, site: Path, text: str) -> None:
    install(site)
    (sound / "config.yaml").write_text(text)
    (found,) = look(adopted.check, sound)
    assert found.kind == "not-adopted"

"""Whether the agent of the environment uses this package, in each state of both switches."""

from __future__ import annotations

import importlib.metadata
import sysconfig
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints.compat import adopt, adopted


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is site-packages for the hook and for distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    real = sysconfig.get_path
    monkeypatch.setattr(
        sysconfig, "get_path", lambda name: str(folder) if name == "purelib" else real(name)
    )
    return folder


def install(site: Path, version: str = "0.19.0") -> None:
    """Install an agent, as far as its distribution says so."""
    folder = site / f"hermes_agent-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: hermes-agent\nVersion: {version}\n"
    )
    assert importlib.metadata.version("hermes-agent") == version


def hook(site: Path, text: str = adopt._LINE) -> Path:
    path = site / "hermes_checkpoints_adopted.pth"
    path.write_text(text)
    return path


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
    hook(site)
    enable(sound)
    assert kinds(adopted.check, sound) == []


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("text", "enabled", "off", "told"),
    [
        (adopt._LINE, False, False, "the plugin hermes-checkpoints is not enabled"),
        (adopt._LINE, True, True, "the plugin hermes-checkpoints is not enabled"),
        (None, True, False, "hermes_checkpoints_adopted.pth is missing"),
        ("import another\n", True, False, "hermes_checkpoints_adopted.pth is not as it was"),
    ],
)
def test_half_of_an_adoption_is_a_fault(
    sound: Path, site: Path, text: str | None, enabled: bool, off: bool, told: str
) -> None:
    install(site)
    if text is not None:
        hook(site, text)
    if enabled:
        enable(sound, off=off)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("adoption-half", False)
    assert told in found.text


def test_an_agent_of_another_version_is_a_note(sound: Path, site: Path) -> None:
    install(site, "0.20.1")
    hook(site)
    enable(sound)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.note) == ("adoption-untested", True)


def test_a_hook_without_an_agent_is_a_note(sound: Path, site: Path) -> None:
    path = hook(site)
    (found,) = look(adopted.check, sound)
    assert (found.kind, found.where, found.note) == ("adoption-left", str(path), True)


def test_safe_mode_is_a_note(sound: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    assert kinds(adopted.check, sound) == []
    install(site)
    hook(site)
    enable(sound)
    assert kinds(adopted.check, sound) == ["safe-mode"]


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

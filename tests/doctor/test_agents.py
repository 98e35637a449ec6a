"""``doctor`` tells which agents take checkpoints by their hooks."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from hermes_checkpoints.hooks import covered
from hermes_checkpoints.hooks.agents import AGENTS
from hermes_checkpoints.hooks.install import plan_install, settings_of
from hermes_checkpoints.model import Finding
from support import Run


def findings(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.setenv("PATH", "/nowhere")
    return list(covered.check(None))  # type: ignore[arg-type]


def test_agents_that_are_not_here_are_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(monkeypatch) == []


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_that_is_used_here_is_covered_once_its_hooks_are_installed(
    name: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    settings_of(AGENTS[name]).parent.mkdir()
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-not-covered", True)
    assert f"hook install {name}" in found.remedy
    run("hook", "install", name, "-f")
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-covered", True)


def test_the_hooks_of_the_project_count(
    project: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    gemini = AGENTS["gemini"]
    settings_of(gemini).parent.mkdir()
    plan_install(
        gemini, settings_of(gemini, project), f"{sys.executable} -m hermes_checkpoints hook"
    ).make()
    [found] = findings(monkeypatch)
    assert found.kind == "agent-not-covered"
    monkeypatch.chdir(project / "src")
    [found] = findings(monkeypatch)
    assert found.kind == "agent-covered"
    assert str(settings_of(gemini, project)) in found.text and "project alone" in found.text
    run("hook", "install", "gemini", "-f")
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-covered-twice", False)
    own, its = found.remedy.removeprefix("take one of them out: ").split(", or ")
    monkeypatch.chdir("/")
    run(*shlex.split(its)[1:], "-f")
    monkeypatch.chdir(project)
    [found] = findings(monkeypatch)
    assert found.kind == "agent-covered" and str(settings_of(gemini)) in found.text
    run(*shlex.split(own)[1:], "-f")
    assert [found.kind for found in findings(monkeypatch)] == ["agent-not-covered"]


def test_hooks_that_run_nothing_or_lack_events_are_faults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claude = AGENTS["claude"]
    file = settings_of(claude)
    plan_install(claude, file, "/gone/hermes-checkpoints hook --agent claude").make()
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-hook-broken", False)
    program = tmp_path / "hermes-checkpoints"
    program.write_text("")
    plan_install(claude, file, f"{program} hook --agent claude").make()
    file.write_text(file.read_text().replace("SessionEnd", "Other"))
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-partly-covered", False)
    assert "SessionEnd" in found.text
    file.write_text("{")
    [found] = findings(monkeypatch)
    assert (found.kind, found.note) == ("agent-settings-unread", True)
    assert str(file) in found.text


def test_the_doctor_says_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings_of(AGENTS["codex"]).parent.mkdir()
    main(["doctor"])
    assert "Codex is used here, and takes no checkpoints" in capsys.readouterr().out

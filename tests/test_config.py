"""The section `checkpoints:` of config.yaml: every key, and what becomes of wrong values."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager
from hermes_checkpoints.config import Config, Trigger, git_timeout, load_config


def load(folder: Path, text: str) -> Config:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)


@pytest.mark.parametrize(("text", "enabled"), [("true", True), ("false", False), ("", False)])
def test_the_section_may_be_a_switch(tmp_path: Path, text: str, enabled: bool) -> None:
    assert load(tmp_path, f"checkpoints: {text}\n") == Config(enabled=enabled)


def test_every_key_is_read(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
checkpoints:
  enabled: true
  max_snapshots: 5
  max_safety_snapshots: 6
  max_total_size_mb: 100
  max_take_mb: 20
  max_file_size_mb: 1
  max_files: 10
  auto_prune: false
  retention_days: 3
  delete_orphans: false
  orphan_grace_days: 1
  min_interval_hours: 2
  keep_last: 1
  keep_hourly: 2
  keep_daily: 3
  keep_weekly: 4
  keep_monthly: 5
  keep_within: 2d
  include: [dist/]
  exclude: "*.tmp"
  trigger: destructive
  projects: {/srv/site: {max_files: 3}}
""",
    )
    assert config.warnings == ()
    assert config.warning == ""
    assert config.trigger is Trigger.DESTRUCTIVE
    assert (config.include, config.exclude) == (("dist/",), ("*.tmp",))
    defaults = Config()
    for name in Config.__dataclass_fields__:
        if name != "warnings":
            assert getattr(config, name) != getattr(defaults, name), name


def test_all_that_is_wrong_is_named_in_one_warning(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
checkpoints:
  enabled: true
  max_snapshot: 5
  max_files: -1
  trigger: sometimes
  keep_within: soon
  exclude: [1]
  12: x
""",
    )
    assert config.enabled
    assert (config.max_files, config.trigger, config.keep_within) == (50_000, Trigger.ALWAYS, "")
    expected = (
        f"checkpoints: in {tmp_path / 'config.yaml'}: "
        "unknown key 'max_snapshot' (did you mean max_snapshots?); max_files is -1, using 50000; "
        "trigger is 'sometimes', using 'always'; keep_within is 'soon', using ''; "
        "exclude is [1], using (); unknown key 12"
    )
    assert config.warnings == (expected,)


@pytest.mark.parametrize("text", ["checkpoints: 7", "checkpoints: [a]", "- a", "a: [", "\x00"])
def test_a_file_of_another_form_means_the_defaults(tmp_path: Path, text: str) -> None:
    config = load(tmp_path, text)
    assert len(config.warnings) == 1
    assert Config(warnings=config.warnings) == config


@pytest.mark.parametrize("value", ["2026-13-45", "9" * 6000, "!!timestamp x", "!!bool x"])
def test_a_value_elsewhere_that_means_nothing_ends_no_command(tmp_path: Path, value: str) -> None:
    config = load(tmp_path, f"checkpoints: {{max_snapshots: 3}}\nmodel: {value}\n")
    (warning,) = config.warnings
    assert "is no valid YAML (" in warning
    assert config == Config(warnings=(warning,))


@pytest.mark.parametrize(
    ("value", "seconds"), [("20", 20), ("1", 10), ("600", 60), ("soon", 30), ("", 30)]
)
def test_the_time_limit_of_git(monkeypatch: pytest.MonkeyPatch, value: str, seconds: float) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", value)
    assert git_timeout() == seconds


def test_a_manager_is_enabled_by_the_file(fresh_home: Path, project: Path) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: {enabled: true, max_snapshots: 2}\n")
    manager = CheckpointManager.from_config(session_id="s")
    assert (manager.enabled, manager.max_snapshots) == (True, 2)
    assert manager.ensure_checkpoint(str(project))
    (fresh_home / "config.yaml").write_text("checkpoints: false\n")
    assert not CheckpointManager.from_config().enabled


def test_a_manager_warns_once(
    fresh_home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: {enabled: true, max_file: 2}\n")
    manager = CheckpointManager.from_config()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            manager.new_turn()
            manager.ensure_checkpoint(str(project))
    file = fresh_home / "config.yaml"
    assert [
        record.getMessage() for record in caplog.records if "max_file" in record.msg % record.args
    ] == [f"checkpoints: in {file}: unknown key 'max_file' (did you mean max_files?)"]


def test_a_pipe_in_the_place_of_the_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")
    (warning,) = load_config(tmp_path / "config.yaml").warnings
    assert "it is no regular file" in warning

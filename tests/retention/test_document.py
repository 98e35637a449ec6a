"""docs/retention.md names the keys, options and defaults that there are."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from hermes_checkpoints.config import Config, load_config
from hermes_checkpoints.retention.delete import policy_of
from support import Run

DOCUMENT = (Path(__file__).parents[2] / "docs" / "retention.md").read_text(encoding="utf-8")
KEYS = re.compile(r"keep_|orphan|max_snapshots|max_total|retention|prune|interval")


def test_every_key_is_described_with_its_default() -> None:
    for spec in fields(Config):
        if KEYS.search(spec.name):
            assert f"`{spec.name}`" in DOCUMENT, spec.name
    for name in ("max_snapshots", "retention_days", "orphan_grace_days", "max_total_size_mb"):
        assert re.search(rf"^\| `{name}` \| {getattr(Config(), name)} \|", DOCUMENT, re.MULTILINE)


def test_every_option_that_is_named_exists(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ""
    for verb in ("prune", "drop", "forget", "du", "clear"):
        with pytest.raises(SystemExit):
            run(verb, "--help")
        texts += capsys.readouterr().out
    for option in re.findall(r"`(--[a-z-]+)", DOCUMENT):
        assert option in texts, option


def test_rules_are_read_from_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("checkpoints: {keep_daily: 7, keep_within: 2w, retention_days: 99999999999}\n")
    policy = policy_of(load_config(file))
    assert (policy.keep.daily, policy.keep.within.days, bool(policy.keep)) == (7, 14, True)
    assert policy.retention_days == 36_500
    file.write_text("checkpoints: {keep_within: soon, keep_last: -1, delete_orphans: 0}\n")
    config = load_config(file)
    for name in ("keep_within", "keep_last", "delete_orphans"):
        assert name in " ".join(config.warnings)
    assert policy_of(config) == policy_of(Config())

"""The examples of docs/agent.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hermes_checkpoints.config import Config

TEXT = (Path(__file__).parent.parent.parent / "docs/agent.md").read_text(encoding="utf-8")


def test_the_examples_run(
    fresh_home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: true\n")
    monkeypatch.chdir(project)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    for block in blocks:
        exec(block, names)  # noqa: S102 - it is our own document
    assert "📸 Checkpoints for" in capsys.readouterr().out


def test_every_key_of_the_configuration_is_described() -> None:
    section = TEXT[TEXT.index("## Configuration") :]
    for name in Config.__dataclass_fields__:
        assert name == "warnings" or f"`{name}`" in section, name

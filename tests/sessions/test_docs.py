"""docs/sessions.md tells what happens: its examples run, and it names every verb and error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints import Sessions, errors
from hermes_checkpoints.cli import main

DOCUMENT = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_run(example: str, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-"], input=example, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "port the parser" in done.stdout


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2


def test_every_verb_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sessions", "--help"])
    verbs = re.findall(r"^    (\w+) ", capsys.readouterr().out, re.MULTILINE)
    assert len(verbs) == 8
    table = DOCUMENT[DOCUMENT.index("## On the command line") :]
    for verb in verbs:
        assert re.search(rf"`{verb}\b", table), verb


def test_the_errors_exist() -> None:
    for name in re.findall(r"^\| `(\w+)` \| (?:the|no|`)", DOCUMENT, re.MULTILINE):
        assert issubclass(getattr(errors, name), errors.CheckpointError)


def test_the_setting_is_as_described(fresh_home: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text(text, encoding="utf-8")
    with Sessions.open(fresh_home) as sessions:
        sessions.write("../x", {})
    assert (fresh_home / "checkpoints" / "%2E.%2Fx.yaml").exists()

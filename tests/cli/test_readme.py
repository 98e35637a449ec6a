"""README begins with what a fresh machine needs, and describes every verb."""

from __future__ import annotations

import re

import pytest

from hermes_checkpoints.cli import main
from pages.blocks import PAGES, blocks

README = PAGES["README.md"]


def test_the_first_block_is_the_two_commands_for_a_fresh_machine() -> None:
    first = blocks("README.md")[0]
    assert first.language == "sh"
    demo, tests = first.text.splitlines()
    assert README.index(first.text) < README.index("## ")
    assert demo.endswith(".venv/bin/hermes checkpoints demo")
    assert tests.endswith(".venv/bin/pytest")


def test_every_verb_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    verbs = re.findall(r"^    (\w+)(?: \(\w+\))?(?:  |\n)", capsys.readouterr().out, re.MULTILINE)
    assert len(verbs) >= 7
    for verb in verbs:
        assert re.search(rf"^\| `{verb}\b", README, re.MULTILINE), verb

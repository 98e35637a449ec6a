"""docs/sessions.md names every verb and error."""

from __future__ import annotations

import re

import pytest

from hermes_checkpoints import errors
from hermes_checkpoints.cli import main
from pages.blocks import PAGES

DOCUMENT = PAGES["docs/sessions.md"]


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

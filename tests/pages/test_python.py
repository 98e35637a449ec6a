"""Whoever tries the Python examples of a page in a project, one after the other, is met by no
error, sees what is here, and keeps every file of the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages.blocks import blocks, with_blocks
from support import files

LISTED = r"📸 Checkpoints for .*/project:\n\n  1\. .*"
PRINTED = {
    "README.md": r"[0-9a-f]{8} 1\n notes.txt +\| 1 -\n .*\n1 path restored\n"
    + LISTED
    + r"\{'success': True, .*'src/app.py'.*\}\n",
    "docs/agent.md": r".*" + LISTED,
    "docs/api.md": r"\['before the clean-up'\]\n",
    "docs/retention.md": r"all is well\n",
    "docs/sessions.md": r"(.*port the parser.*){2}",
}
"""What the examples of a page print in all."""


@pytest.mark.parametrize("page", with_blocks("python"))
def test_the_examples_of_a_page_run(
    page: str,
    fresh_home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: true\n")
    monkeypatch.chdir(project)
    before = files(project)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 - it is our own page
    printed = capsys.readouterr().out
    assert re.fullmatch(PRINTED[page], printed, re.DOTALL), printed
    after = files(project)
    assert {name: after.get(name) for name in before} == before

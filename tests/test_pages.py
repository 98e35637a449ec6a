"""Whoever tries the Python examples of a page in a project, one after the other, is met by no error
and keeps every file of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import files, make_project

CHECKOUT = Path(__file__).parent.parent
PAGES = {
    page.name: re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    for page in (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md")))
}
WITH_EXAMPLES = [name for name, blocks in PAGES.items() if blocks]


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_the_examples_of_a_page_run_and_leave_the_files_of_their_reader(
    page: str, tmp_path: Path, home: Path
) -> None:
    project = make_project(tmp_path / "project")
    before = files(project)
    answer = subprocess.run(
        [sys.executable, "-"],
        input="\n".join(PAGES[page]),
        cwd=project,
        env={**os.environ, "HERMES_HOME": str(home), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    after = files(project)
    assert {name: after.get(name) for name in before} == before

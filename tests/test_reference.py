"""What the documentation has from the code is as the code is now, and its readers can read it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from reference import made

from hermes_checkpoints.cli.help import VERBS
from hermes_checkpoints.cli.problem import OTHER_CODES

CHECKOUT = Path(__file__).parent.parent
MANUAL = CHECKOUT / "docs/man/hermes-checkpoints.1"


def test_all_that_is_made_of_the_code_is_as_the_code_is() -> None:
    found = made(CHECKOUT)
    stale = [name for name, text in found.items() if _text(CHECKOUT / name) != text]
    assert not stale, "write them anew: python -m reference"
    there = {
        path.relative_to(CHECKOUT).as_posix()
        for folder in ("docs/schema", "docs/man")
        for path in (CHECKOUT / folder).iterdir()
    }
    assert there == found.keys() - {"docs/json.md"}


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def test_each_link_of_the_page_leads_somewhere() -> None:
    page = (CHECKOUT / "docs/json.md").read_text(encoding="utf-8")
    places = [heading.lower() for heading in re.findall(r"^#+ (.+)$", page, re.MULTILINE)]
    assert len(places) == len(set(places))
    assert {*re.findall(r"\]\(#([^)]+)\)", page)} <= {place.replace(" ", "-") for place in places}
    for path in re.findall(r"\]\((?!#)([^)]+)\)", page):
        assert (CHECKOUT / "docs" / path).exists(), path


def test_no_two_errors_have_one_code() -> None:
    page = (CHECKOUT / "docs/json.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| `([\w-]+)` \| \d+ \|", page, re.MULTILINE)
    assert len(codes) == len(set(codes)) > len(OTHER_CODES)


def test_the_manual_tells_of_every_verb_and_its_examples() -> None:
    manual = MANUAL.read_text(encoding="ascii")
    for verb, of_it in VERBS.items():
        assert f'.SS "{verb}"'.replace("-", "\\-") in manual
        for example in of_it.examples:
            assert example.replace("-", "\\-") in manual


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff to read the page")
def test_the_manual_is_read_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", MANUAL], capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    text = re.sub(rb"\x1b\[[\d;]*m|.\x08", b"", done.stdout).decode()
    assert "find '*.py' --deleted" in text and "restore [ID] [--] [PATH …]" in text

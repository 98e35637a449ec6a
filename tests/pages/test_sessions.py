"""Whoever types the commands of a page, one after the other, gets what the page says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.blocks import blocks
from pages.forked import serving
from pages.machine import Machine
from pages.samples import SAMPLES
from pages.session import play

TYPED = ("console", "sh")


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine in a folder whose path is short: a long one is cropped in tables."""
    place = tempfile.gettempdir()
    place = place if len(place) < 20 else "/tmp"
    with tempfile.TemporaryDirectory("", "p", place, ignore_cleanup_errors=True) as folder:
        machine = Machine(Path(folder).resolve())
        machine.set_up()
        with serving(machine.forked):
            yield machine


@pytest.mark.slow
@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("page", SAMPLES)
def test_the_commands_of_a_page_do_what_it_says(
    page: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(machine.home))
    play(blocks(page, *TYPED), SAMPLES[page](machine), machine.environment)
    machine.check_calls()

"""docs/browse.md names every key, and its picture can still be drawn."""

from __future__ import annotations

import asyncio
import re

import pytest

from cli.browse import picture
from cli.browse.conftest import Afternoon
from hermes_checkpoints.cli.browse.keys import KEYS

PAGE = (picture.CHECKOUT / "docs/browse.md").read_text(encoding="utf-8")


def test_the_page_has_each_key_in_the_order_of_the_help() -> None:
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \|$", PAGE, re.MULTILINE)
    named = [" ".join(re.findall(r"`(.*?)`", keys)) for keys, _ in rows]
    assert named == [" ".join(keys.split()) for keys, _ in KEYS]


def test_every_key_of_the_help_is_bound_and_each_bound_one_is_in_the_help() -> None:
    from hermes_checkpoints.cli.browse.app import Browse
    from hermes_checkpoints.cli.browse.files import Files

    bound = {
        key
        for kind in (Browse, Files)
        for binding in kind._merge_bindings().key_to_bindings.values()
        for one in binding
        if one.action.split("(")[0] in vars_of(Browse, Files)
        for key in [one.key]
    }
    told = {word for keys, _ in KEYS for word in keys.split()}
    named = {"question_mark": "?", "slash": "/", "escape": "Esc", "space": "Space", "f5": "F5"}
    quiet = {"ctrl+q", "ctrl+c"}
    assert {named.get(key, key) for key in bound - quiet} <= told
    assert {"R", "u", "U", "v", "p", "l", "r", "z", "q", "space"} <= bound


def vars_of(*kinds: type) -> set[str]:
    return {name.removeprefix("action_") for kind in kinds for name in vars(kind)}


@pytest.mark.campaign
def test_the_picture_is_drawn_by_the_program(told: Afternoon) -> None:
    drawn = asyncio.run(picture.drawn(told.home, told.project))
    kept = picture.PICTURE.read_text(encoding="utf-8")
    for text in ("Timeline", "Rename&#160;Cart&#160;to&#160;Basket", "What&#160;followed&#160;2"):
        assert text in drawn and text in kept
    assert "url(" not in kept.replace("url(#", "")  # nothing is fetched by who looks at it

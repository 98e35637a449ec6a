"""A command in the text of a page is one that the program understands: nothing is run."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from cli.test_help import parsers
from hermes_checkpoints.cli import register_cli
from pages.blocks import PAGES, spans

COMMAND = re.compile(r".*\b(?:hermes checkpoints|hermes-checkpoints|hcp) (.*)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-zA-Z]\b)")


@pytest.fixture(scope="module")
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    register_cli(made)
    return made


def words_of(span: str) -> list[str]:
    """Return what stands behind the program's name in a span, up to a pipe or the end of ``$(…)``,
    without the brackets around what may be left out."""
    found = COMMAND.fullmatch(span)
    typed = re.split(r"\s*\\?\||\)\"", found[1])[0] if found else ""
    return shlex.split(re.sub(r"[][…]", "", typed))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_in_the_text_of_a_page_is_understood(
    page: str, parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    for span in spans(page):
        if words := words_of(span):
            try:
                parser.parse_args(words)
            except SystemExit:
                pytest.fail(f"{page}: `{span}`: {capsys.readouterr().err}")


@pytest.mark.parametrize("page", PAGES)
def test_every_option_behind_a_verb_in_the_text_is_one_of_it(
    page: str, parser: argparse.ArgumentParser
) -> None:
    verbs = dict(parsers(parser))
    for span in spans(page):
        first, *rest = span.split()
        if not (first in verbs and rest):
            continue
        verb = f"{first} {rest[0]}" if f"{first} {rest[0]}" in verbs else first
        for option in OPTION.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", span)):
            assert option in verbs[verb]._option_string_actions, f"{page}: `{span}`: {option}"

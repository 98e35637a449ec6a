"""docs/rules.md keeps its word: every rule is held by tests that exist, or says that it is not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
TESTS = {
    (file.relative_to(ROOT).as_posix(), node.name)
    for file in sorted((ROOT / "tests").rglob("test_*.py"))
    for node in ast.parse(file.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
}


def rules() -> list[tuple[str, str]]:
    """Return the name and the text of each rule, in the order of the document."""
    head, *parts = re.split(r"^- \*\*`([\w-]+)`\*\* ", DOCUMENT, flags=re.MULTILINE)
    assert "## A." in head
    return list(zip(parts[::2], parts[1::2], strict=True))


RULES = rules()


def test_no_rule_is_listed_twice() -> None:
    names = [name for name, _ in RULES]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(("name", "text"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_has_a_failure_and_a_test_or_says_that_it_does_not_hold(
    name: str, text: str
) -> None:
    assert text.count("*Failure:*") == 1
    held, missing = NAMED.findall(text), "*Not yet:*" in text
    assert ("*Held by:*" in text) == bool(held)
    assert held or missing, name


def test_the_tests_that_rules_name_exist() -> None:
    named = NAMED.findall(DOCUMENT)
    assert len(named) > 150
    assert [test for test in named if test not in TESTS] == []
    for name, text in RULES:
        held = NAMED.findall(text)
        assert len(held) == len(set(held)), name
        assert len(held) == len(re.findall(r"`tests/", text)), name


def test_reports_are_named_so_that_a_stranger_finds_them() -> None:
    reports = re.findall(r"[\w./-]*#\d+", DOCUMENT)
    assert len(reports) > 100
    assert {one for one in reports if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one)} == {"Axl#355"}


def test_no_test_is_named_by_a_number_of_another_document() -> None:
    assert [name for _, name in TESTS if re.search(r"cases?_\d", name)] == []

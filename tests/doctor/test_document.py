"""docs/doctor.md lists exactly what the checks can find, and says of each what `--repair` does."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.doctor.look import CHECKS, OUTSIDE

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src"
MODULES = [
    *sorted((SOURCE / "hermes_checkpoints/doctor/checks").glob("[!_]*.py")),
    SOURCE / "hermes_checkpoints/doctor/look.py",
    SOURCE / "hermes_checkpoints/compat/adopted.py",
    SOURCE / "hermes_checkpoints/hooks/covered.py",
]
KIND = re.compile(r"[a-z]+(?:-[a-z]+)*")
ROWS = {
    match[1]: (match[2], match[3])
    for match in re.finditer(r"^\| `([a-z-]+)` \| (.+) \| (.*) \|$", DOCUMENT, re.MULTILINE)
}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def findings(path: Path) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Yield each finding that a module makes, with the function that makes it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                yield node, function


def values(expression: ast.AST, path: Path, function: ast.AST) -> set[str]:
    """Return the texts that an expression can be: a text, a constant of the module, one of two, or
    a local name, which is any text that the function gives to it."""
    if isinstance(expression, ast.Constant):
        return {str(expression.value)}
    if isinstance(expression, ast.IfExp):
        return values(expression.body, path, function) | values(expression.orelse, path, function)
    assert isinstance(expression, ast.Name), ast.dump(expression)
    constant = getattr(importlib.import_module(module_of(path)), expression.id, None)
    if isinstance(constant, str):
        return {constant}
    found = set()
    for node in ast.walk(function):
        target = getattr(node, "targets", [getattr(node, "target", None)])[0]
        if isinstance(node, ast.Assign | ast.For) and target is not None:
            names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
            if expression.id in names:
                place = names.index(expression.id)
                found |= {text for text in given(node, place, len(names)) if KIND.fullmatch(text)}
    assert found, f"{path.name}: nobody can say what {expression.id} is"
    return found


def given(node: ast.Assign | ast.For, place: int, count: int) -> Iterator[str]:
    """Yield the texts that are given to the name at a place of a target."""
    source = node.value if isinstance(node, ast.Assign) else node.iter
    elements = source.elts if isinstance(source, ast.Tuple) else [source]
    for element in elements:
        inner = element.elts[place] if isinstance(element, ast.Tuple) and count > 1 else element
        for part in ast.walk(inner):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                yield from told_by(part.func.id)


def told_by(function: str) -> Iterator[str]:
    """Yield the kinds of what a function of the store finds at first sight."""
    first_sight = importlib.import_module("hermes_checkpoints.object_store.first_sight")
    if hasattr(first_sight, function):
        for name, value in vars(first_sight).items():
            if name.isupper() and isinstance(value, str) and not name.startswith("_"):
                yield value


def kinds() -> dict[str, set[str]]:
    """Return every kind that is found, with the names of the modules that find it."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        for call, function in findings(path):
            for kind in values(call.args[0], path, function):
                found.setdefault(kind, set()).add(path.stem)
    return found


def test_the_table_has_every_kind_that_is_found_and_no_other() -> None:
    found = kinds()
    assert len(found) > 40
    assert ROWS.keys() == found.keys()


def test_every_kind_has_a_meaning_and_what_to_do() -> None:
    for kind, (meaning, remedy) in ROWS.items():
        assert len(meaning) > 10, kind
        assert len(remedy) > 5, kind


def test_the_table_says_what_repair_does() -> None:
    repaired: dict[str, set[bool]] = {}
    for path in MODULES:
        for call, function in findings(path):
            given_ = {word.arg: word.value for word in call.keywords}.get("repairs")
            able = isinstance(given_, ast.Constant) and given_.value is True
            for kind in values(call.args[0], path, function):
                if given_ is None or isinstance(given_, ast.Constant):
                    repaired.setdefault(kind, set()).add(able)
    for kind, answers in repaired.items():
        if len(answers) == 1:
            assert {ROWS[kind][1].startswith("repaired")} == answers, kind


def test_every_check_has_its_section() -> None:
    headings = re.findall(r"^### `([a-z-]+)`", DOCUMENT, re.MULTILINE)
    names = [name for name, _ in (*CHECKS, *OUTSIDE)]
    assert headings == ["base", *names, "adoption", "agents"]


@pytest.mark.parametrize("code", [Exit.DONE, Exit.NO, Exit.ERROR])
def test_the_exit_codes_are_told(code: Exit) -> None:
    assert re.search(rf"^\| {code.value} \| \S", DOCUMENT, re.MULTILINE)

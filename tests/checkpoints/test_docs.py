"""docs/api.md names every method with its arguments, and every error."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import hermes_checkpoints
from hermes_checkpoints import Checkpoints, Project, Sessions, errors

DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def table(heading: str) -> list[str]:
    """Return the first column of the table with this heading, each name in it by itself."""
    body = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", DOCUMENT, re.MULTILINE)
    assert body, heading
    return [
        name for row in body[1].splitlines() for name in re.findall(r"`(.+?)`", row.split("|")[1])
    ]


def call(name: str, value: object) -> str:
    """Return a public name of a class as the page writes it: a method with its arguments."""
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    if not inspect.isfunction(value):
        return name
    parts: list[str] = []
    for parameter in list(inspect.signature(value).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(parameter.name)
    return f"{name}({', '.join(parts)})"


@pytest.mark.parametrize("kind", [Project, Checkpoints])
def test_every_method_is_named_with_its_arguments(kind: type) -> None:
    public = [call(name, value) for name, value in vars(kind).items() if not name.startswith("_")]
    assert sorted(table(f"`{kind.__name__}`")) == sorted(public)


BY_POSITION = {
    "document", "error", "folder", "home", "name", "new", "old", "other", "path",
    "paths", "pattern", "plan", "query", "reason", "ref", "refs", "session_id", "target", "urls",
    "version", "working_dir",
}  # fmt: skip
"""What a method can be about."""


@pytest.mark.parametrize("kind", [Project, Checkpoints, Sessions])
def test_what_a_method_is_not_about_is_given_by_keyword(kind: type) -> None:
    for name, method in inspect.getmembers(kind, callable):
        if name.startswith("_"):
            continue
        for parameter in list(inspect.signature(method).parameters.values()):
            if parameter.name != "self" and parameter.kind is not parameter.KEYWORD_ONLY:
                assert parameter.name in BY_POSITION, f"{name}({parameter})"
                optional = parameter.name in {"session_id", "version"}
                assert not optional or parameter.default is parameter.empty, f"{name}({parameter})"


@pytest.mark.parametrize("kind", [Project, Checkpoints, Sessions])
def test_a_plan_takes_what_its_method_takes_with_the_same_defaults(kind: type) -> None:
    methods = dict(inspect.getmembers(kind, inspect.isfunction))
    for name, planner in methods.items():
        if name.startswith("plan_") and name != "plan_prune":
            planned = inspect.signature(planner).parameters
            done = dict(inspect.signature(methods[name.removeprefix("plan_")]).parameters)
            only_done = ("plan", "options", "moment")
            rest = {key: value for key, value in done.items() if key not in only_done}
            same = [one for key, one in planned.items() if key != "to_choose"]
            assert list(rest.values()) == same, name


def test_every_error_is_named_once() -> None:
    rows = DOCUMENT[DOCUMENT.index("| About | Errors |") :]
    named = [name for row in re.findall(r"^\|.*\|$", rows, re.MULTILINE)
             for name in re.findall(r"`(\w+)`", row)]  # fmt: skip
    kinds = {name for name, value in vars(errors).items() if inspect.isclass(value)}
    expected = {name for name in kinds if issubclass(getattr(errors, name), errors.CheckpointError)}
    assert sorted(named) == sorted(expected - {"CheckpointError"})


def test_what_it_calls_by_name_is_public() -> None:
    for name in re.findall(r"`([A-Z]\w+)(?:\.\w+)?`", DOCUMENT):
        assert name in hermes_checkpoints.__all__, name


def test_the_pages_it_leads_to_exist() -> None:
    for name in re.findall(r"\]\((\w+\.md)\)", DOCUMENT):
        assert (Path(__file__).parents[2] / "docs" / name).is_file(), name

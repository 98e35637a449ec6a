"""The examples in the docstrings of the public names are true: each runs by itself, with real git
and real files, and every public class has one.

Each runs in a directory that holds notes.txt. It is given ``Path``, ``os``, the public names, the
opened ``checkpoints``, and ``project``, that of the directory; so is who reads docs/api.md.
"""

from __future__ import annotations

import doctest
import inspect
import os
from pathlib import Path
from typing import Any

import pytest

import hermes_checkpoints
from hermes_checkpoints import Checkpoints

PUBLIC = {name: getattr(hermes_checkpoints, name) for name in hermes_checkpoints.__all__}
CLASSES = sorted(name for name, value in PUBLIC.items() if inspect.isclass(value))
WITH_CODE = sorted(
    name for name, value in PUBLIC.items() if inspect.isclass(value) or inspect.isfunction(value)
)


def examples_of(name: str, given: dict[str, Any]) -> list[doctest.DocTest]:
    """Return the examples of a class and of its methods, or of a function."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    return finder.find(PUBLIC[name], name, globs=given)


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_has_an_example(name: str) -> None:
    found = {one.name: one.examples for one in examples_of(name, {})}
    assert found.get(name), f"{name} has no example in its docstring"


@pytest.mark.parametrize("name", WITH_CODE)
def test_the_examples_are_true(
    name: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, example in enumerate(examples_of(name, {})):
        folder = tmp_path / str(number) / "work"
        folder.mkdir(parents=True)
        (folder / "notes.txt").write_text("as it was", encoding="utf-8")
        monkeypatch.chdir(folder)
        monkeypatch.setenv("PATH", os.environ["PATH"])  # put back, also where an example fails
        complaints: list[str] = []
        with Checkpoints.open(home) as checkpoints:
            example.globs = {
                **PUBLIC,
                "Path": Path,
                "os": os,
                "checkpoints": checkpoints,
                "project": checkpoints.project("."),
            }
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(example, out=complaints.append)
        assert not complaints, "".join(complaints)


def test_a_false_example_is_noticed() -> None:
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "false", None, None)
    complaints: list[str] = []
    doctest.DocTestRunner().run(example, out=complaints.append)
    assert "Expected:\n    3\nGot:\n    2\n" in "".join(complaints)

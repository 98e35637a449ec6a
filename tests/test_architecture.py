"""docs/architecture.md names every package, and CONTRIBUTING.md's answers are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pages.blocks import only

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "hermes_checkpoints"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = sorted(folder.parent.name for folder in SOURCE.glob("*/__init__.py"))
MODULES = sorted(file.name for file in SOURCE.glob("[a-z]*.py"))
ROWS = {
    name: row
    for row in re.findall(r"^\| `.*\|$", ARCHITECTURE, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", row.split(" | ")[0])
}


def test_the_architecture_page_has_a_row_for_every_package_and_module_of_the_root() -> None:
    assert sorted(ROWS) == sorted([*PACKAGES, *MODULES])


@pytest.mark.parametrize("package", PACKAGES)
def test_the_modules_that_the_architecture_page_names_exist(package: str) -> None:
    named = re.findall(r"`(\w+\*?\.py)`", ROWS[package].split(" | ", 1)[1])
    assert named
    for name in named:
        assert list((SOURCE / package).glob(name)) or (SOURCE / name).exists(), name


def test_a_module_named_in_the_spine_exists() -> None:
    spine = ARCHITECTURE[ARCHITECTURE.index("A take goes") : ARCHITECTURE.index("## Where")]
    modules = re.findall(r"`([a-z_]+)\.([a-z_]+)`", spine)
    assert len(modules) >= 8
    for package, module in modules:
        assert (SOURCE / package / f"{module}.py").exists(), (package, module)


def test_the_questions_of_contributing_have_answers_that_exist() -> None:
    rows = re.findall(r"^\| [^|]+\? \| `([^`]+)` \|$", CONTRIBUTING, re.MULTILINE)
    assert len(rows) == 10
    for path in rows:
        assert (ROOT / path).is_file(), path
        package, name = path.split("/")[-2:]
        assert f"`{name}`" in ROWS[package], f"the architecture page does not lead to {path}"


def test_every_layer_is_ordered_and_its_members_are_independent() -> None:
    (contract,) = [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["id"] == "layers"]
    assert len(contract["layers"]) == 20
    assert contract["exhaustive"] is True
    assert "ignore_imports" not in contract
    assert not [layer for layer in contract["layers"] if ":" in layer]
    members = [name for layer in contract["layers"] for name in re.findall(r"\w+", layer)]
    roots = [name.removesuffix(".py") for name in MODULES]
    assert sorted(members) == sorted([*PACKAGES, *roots])


def test_the_picture_has_every_layer_above_what_it_imports() -> None:
    (contract,) = [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["id"] == "layers"]
    layers = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    rank = {name: number for number, layer in enumerate(layers) for name in layer}
    first, *rows = only("docs/architecture.md", "mermaid").splitlines()
    assert first == "flowchart TD"
    boxes: dict[str, list[str]] = {}
    arrows = []
    for row in rows:
        ends = []
        for end in row.split(" --> "):
            found = re.fullmatch(r' *(\w+)(?:\["(.*?)(?:<br>.*)?"\])?', end)
            assert found, row
            if found[2]:
                boxes[found[1]] = found[2].split(" · ")
            ends.append(found[1])
        arrows.append(ends)
    assert sorted(name for box in boxes.values() for name in box) == sorted(rank)
    for above, below in arrows:
        assert max(rank[name] for name in boxes[above]) < min(rank[name] for name in boxes[below])

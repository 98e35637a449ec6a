"""The frame: what importing costs, which names are public, and what the wheel contains."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import json
import sqlite3
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_checkpoints
from hermes_checkpoints import Checkpoints, Project, Rollback, Sessions, errors

CHECKOUT = Path(__file__).parent.parent
HEAVY = {
    "alembic",
    "argparse",
    "multiprocessing",
    "portalocker",
    "rich",
    "sqlalchemy",
    "sqlite3",
    "subprocess",
    "textual",
    "yaml",
}


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has after ``statement``."""
    script = f"{statement}; import json, sys; print(json.dumps(sorted(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True
    )
    return {name.partition(".")[0] for name in json.loads(answer.stdout)}


def pyproject() -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import hermes_checkpoints") & HEAVY == set()


def test_mounting_the_command_line_loads_argparse_and_nothing_else_heavy() -> None:
    statement = (
        "import argparse, hermes_checkpoints; "
        "hermes_checkpoints.register_cli(argparse.ArgumentParser())"
    )
    assert loaded_by(statement) & HEAVY == {"argparse"}


def test_the_check_for_heavy_modules_sees_one() -> None:
    assert loaded_by("import hermes_checkpoints, sqlite3") & HEAVY == {"sqlite3"}


@pytest.mark.parametrize("name", hermes_checkpoints.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert name in dir(hermes_checkpoints)
    value = getattr(hermes_checkpoints, name)
    if isinstance(value, Path):  # a place, which follows HERMES_HOME
        assert value == getattr(hermes_checkpoints, name)
    else:
        assert value is getattr(hermes_checkpoints, name)


def test_the_places_follow_hermes_home_and_the_constants_are_those_of_the_originals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        monkeypatch.setenv("HERMES_HOME", str(tmp_path / name))
        assert tmp_path / name / "checkpoints" == hermes_checkpoints.CHECKPOINT_BASE
        assert tmp_path / name / "checkpoints" == hermes_checkpoints.DEFAULT_CHECKPOINTS_DIR
    assert hermes_checkpoints.DEFAULT_GC_MAX_AGE_DAYS == 7
    assert {"node_modules/", "*.pyc", ".env", ".git/", "*.mp4"} <= {
        *hermes_checkpoints.DEFAULT_EXCLUDES
    }


def test_the_public_names_are_those_and_nothing_else() -> None:
    assert dir(hermes_checkpoints) == sorted(hermes_checkpoints.__all__)


def named_in(annotation: Any) -> Iterator[type]:
    """Yield the classes of this package that an annotation names, at any depth."""
    if isinstance(annotation, type) and annotation.__module__.startswith("hermes_checkpoints"):
        yield annotation
    for part in typing.get_args(annotation):
        yield from named_in(part)


@pytest.mark.parametrize("kind", [Checkpoints, Project, Rollback, Sessions])
def test_what_a_method_takes_and_returns_is_public(kind: type) -> None:
    public = {name: getattr(hermes_checkpoints, name) for name in hermes_checkpoints.__all__}
    local = {**public, "sqlite3": sqlite3}
    named = {
        (name, one.__name__)
        for name, method in inspect.getmembers(kind, callable)
        if not name.startswith("_")
        for annotation in typing.get_type_hints(method, localns=local).values()
        for one in named_in(annotation)
    }
    assert named
    assert {(name, one) for name, one in named if one not in hermes_checkpoints.__all__} == set()


def test_every_error_can_be_caught_from_the_root() -> None:
    kinds = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.CheckpointError)
    }
    assert kinds <= set(hermes_checkpoints.__all__)


def test_any_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'prune_everything'"):
        hermes_checkpoints.prune_everything  # noqa: B018 - looking it up is the test


def test_the_version_is_that_of_the_installed_package() -> None:
    assert importlib.metadata.version("hermes-checkpoints") == hermes_checkpoints.__version__


def test_the_changelog_has_an_unreleased_section() -> None:
    assert "## [Unreleased]" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_wheel_lists_every_folder_with_code() -> None:
    source = CHECKOUT / "src"
    packages = {
        ".".join(file.parent.relative_to(source).parts)
        for file in (source / "hermes_checkpoints").rglob("*.py")
    }
    packages |= {
        ".".join(("hermes_checkpoints", *file.parent.relative_to(CHECKOUT).parts))
        for file in (CHECKOUT / "migrations").rglob("*.py")
    }
    assert set(pyproject()["tool"]["setuptools"]["packages"]) == packages


def test_the_wheel_has_every_file_that_is_no_code() -> None:
    source = CHECKOUT / "src" / "hermes_checkpoints"
    wanted = {
        file.relative_to(source).as_posix()
        for file in source.rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"}
    }
    found = {
        file.relative_to(source).as_posix()
        for package, patterns in pyproject()["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for file in source.joinpath(*package.split(".")[1:]).glob(pattern)
        if package != "hermes_checkpoints.migrations"
    }
    assert found == wanted


def test_the_migrations_are_a_package_of_ours_once_installed() -> None:
    spec = importlib.util.find_spec("hermes_checkpoints.migrations")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    assert (folder / "script.py.mako").is_file()
    assert list((folder / "versions").glob("*.py"))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("hermes_checkpoints.model", "Checkpoint"),
        ("hermes_checkpoints.errors", "CheckpointError"),
        ("hermes_checkpoints.triggers", "command_effect"),
        ("hermes_checkpoints.checkpoints", "Checkpoints"),
        ("hermes_checkpoints.plugin", "register"),
        ("hermes_checkpoints.cli", "main"),
        ("hermes_checkpoints.cli", "hermes"),
        ("hermes_checkpoints.catalog.engine", "make_engine"),
        ("hermes_checkpoints.catalog.schema", "metadata"),
        ("hermes_checkpoints.compat.checkpoint_manager", "CheckpointManager"),
        ("hermes_checkpoints.compat.startup", "start"),
        ("hermes_checkpoints.compat.finding", "spec_of"),
    ],
)
def test_a_path_that_others_import_from_stays(module: str, name: str) -> None:
    """Entry points, also those that former versions installed, migrations, and what lies in the
    site-packages of adopted environments."""
    assert hasattr(importlib.import_module(module), name)


def test_the_program_of_the_agents_name_is_another_distribution() -> None:
    """Beside the agent it would take the agent's program away when it is uninstalled."""
    whole, command = pyproject(), CHECKOUT / "command"
    assert {*whole["project"]["scripts"]} == {"hermes-checkpoints", "hcp"}
    small = tomllib.loads((command / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert small["scripts"] == {"hermes": "hermes_checkpoints.cli:hermes"}
    assert small["dependencies"] == [whole["project"]["name"]]
    assert small["version"] == hermes_checkpoints.__version__
    readme = " ".join((command / "README.md").read_text(encoding="utf-8").split())
    assert "Never install it into the environment of hermes-agent" in readme
    assert "never install it into the environment of the agent" in small["description"]

"""What integrations/hermes-agent puts in the place of the agent's modules: whether it can be
imported, and has the names and parameters that the newest source has (upstream.toml)."""

from __future__ import annotations

import glob
import inspect
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints.compat import (
    checkpoint_maintenance,
    checkpoint_manager,
    checkpoint_pruning,
    command_line,
)

CHECKOUT = Path(__file__).parents[2]
PATCH = CHECKOUT / "integrations" / "hermes-agent"
RECORD = tomllib.loads(Path(__file__).with_name("upstream.toml").read_text(encoding="utf-8"))
SERVED: list[dict[str, str]] = RECORD["served"]
LEFT_OUT: list[dict[str, str]] = RECORD["left_out"]
MODULES = {
    "tools.checkpoint_manager": checkpoint_manager,
    "tools.checkpoint_maintenance": checkpoint_maintenance,
    "tools.checkpoint_pruning": checkpoint_pruning,
    "hermes_cli.checkpoints": command_line,
}

_NAMED = os.environ.get("HERMES_PYTHONS", "")  # no test sees variables of this beginning

SCRIPT = """
import importlib, json, sys
found = {}
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    parent, _, last = name.rpartition(".")
    assert getattr(sys.modules[parent], last) is module is sys.modules[name]
    found[name] = module.__name__
manager = importlib.import_module("tools.checkpoint_manager")
before = manager.CHECKPOINT_BASE
manager.CHECKPOINT_BASE = "/srv/checkpoints"
from tools.checkpoint_manager import CHECKPOINT_BASE, CheckpointManager, _store_path
assert str(CHECKPOINT_BASE) == "/srv/checkpoints"
assert str(_store_path()) == "/srv/checkpoints/store"
assert str(CheckpointManager().layout.base) == "/srv/checkpoints"
manager.CHECKPOINT_BASE = before
assert str(manager.CHECKPOINT_BASE) == sys.argv[0] + "/checkpoints"
print(json.dumps([found, list(sys.version_info[:2])]))
"""


@cache
def pythons() -> dict[str, str]:
    """The interpreters of other versions on this machine, by version: those on PATH, those that
    pyenv made, and those that HERMES_PYTHONS names."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    root = os.environ.get("PYENV_ROOT", f"{home}/.pyenv")
    names = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    found = [*names, *sorted(glob.glob(f"{root}/versions/3.*/bin/python"))]
    found += _NAMED.split(os.pathsep)
    versions: dict[str, str] = {}
    for python in filter(None, found):
        said = subprocess.run(
            [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        if said and tuple(map(int, said.split("."))) >= (3, 11):
            versions.setdefault(said, python)
    versions.pop("{}.{}".format(*sys.version_info[:2]), None)
    return versions


def run_in(python: str, home: Path) -> Any:
    """Import the modules in the place of the agent's, without a library that the package needs for
    its work; return what they are, and the version of the interpreter."""
    done = subprocess.run(
        [python, "-B", "-c", f"import sys; sys.argv[0] = {str(home)!r}\n{SCRIPT}", *MODULES],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(PATCH), str(CHECKOUT / "src")]),
            "HERMES_HOME": str(home),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


SERVED_MODULES = {name: module.__name__ for name, module in MODULES.items()}


def test_the_modules_stand_in_for_the_agents(fresh_home: Path) -> None:
    assert run_in(sys.executable, fresh_home) == [SERVED_MODULES, list(sys.version_info[:2])]


@pytest.mark.slow
def test_they_do_so_on_every_python_that_is_here(fresh_home: Path) -> None:
    for version, python in pythons().items():
        expected = [SERVED_MODULES, [int(part) for part in version.split(".")]]
        assert run_in(python, fresh_home) == expected, python


def test_each_file_of_the_patch_is_in_the_record() -> None:
    files = {path.relative_to(PATCH).as_posix() for path in PATCH.rglob("*.py")}
    assert files == {f"{name.replace('.', '/')}.py" for name in MODULES}
    assert set(RECORD["commits"]) == set(MODULES) == {one["module"] for one in SERVED}
    assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in RECORD["commits"].values())


def at(module: str, name: str) -> Any:
    found: Any = MODULES[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("one", SERVED, ids=lambda one: one["name"])
def test_names_and_parameters_are_those_of_the_record(one: dict[str, str]) -> None:
    found = at(one["module"], one["name"])
    if one["kind"] == "constant":
        assert found is not None
        return
    assert inspect.isclass(found) == (one["kind"] == "class")
    if one["signature"] == "*":
        assert issubclass(found, RuntimeError)
        return
    wanted = [part.strip() for part in one["signature"].split(",") if part]
    parameters = [p for p in inspect.signature(found).parameters.values() if p.name != "self"]
    names = [p.name if p.default is p.empty else f"{p.name}=" for p in parameters]
    assert names[: len(wanted)] == wanted
    assert all(name.endswith("=") for name in names[len(wanted) :]), "more than the caller gives"


def test_a_name_that_is_left_out_is_not_there() -> None:
    for one in LEFT_OUT:
        owner, _, last = one["name"].rpartition(".")
        assert not hasattr(at(one["module"], owner) if owner else MODULES[one["module"]], last)


def test_the_notes_list_every_private_name_and_no_other() -> None:
    notes = (PATCH / "README.md").read_text(encoding="utf-8")
    served, left_out = (
        {name for line in part.splitlines() if line.startswith("| `")
         for name in re.findall(r"`([\w.]+)`", line.split(" | ")[0])}
        for part in re.split(r"^## ", notes, flags=re.MULTILINE)
        if part.startswith(("Private names that are served", "Names that are left out"))
    )  # fmt: skip
    assert served == {one["name"] for one in SERVED if one["name"].split(".")[-1][0] == "_"}
    assert left_out == {one["name"] for one in LEFT_OUT}

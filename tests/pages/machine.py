"""The machine of a page's reader: a home, the programs on its PATH, and a checkout.

Programs that need the network or take minutes only write down how they were called there, and
``check_call`` says whether the real ones would have understood it; all others are the real ones.
``hermes`` and ``alembic`` are forks (``forked.py``); ``hermes-checkpoints`` is none, since a hook
looks for the agent among the processes above it.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pages.blocks import CHECKOUT
from pages.forked import FORKED

REAL = ("hermes-checkpoints", "hcp")
RECORDED = ("python", "python3", "pip", "pytest")
_BESIDE = Path(sys.executable).parent
_IN_CI = ("install", "checks", "fast", "run", "full")
_OWN = {"HERMES_MACHINE", "HOME", "PATH", "TMPDIR", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"}

_RECORDING = """{{
    env | sed -n 's/^\\([A-Z_]*\\)=.*/\\1/p' | tr '\\n' ' '
    for word in "$0" "$@"; do printf '\\037%s' "$word"; done
    printf '\\036'
}} >>'{calls}'
"""
_ALL_BUT_DEMO = """case "$*" in
    *demo) {recording};;
    *) exec '{program}' "$@";;
esac
"""


@dataclass(frozen=True)
class Machine:
    """What lies in ``folder``: the home of a reader, and what makes the programs real or not."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "ada"

    @property
    def environment(self) -> dict[str, str]:
        """All that a shell has there."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        temporary = str(self.folder / "tmp")
        found = {"HOME": str(self.home), "PATH": path, "TMPDIR": temporary, "LC_ALL": "C.UTF-8"}
        return {**found, "HERMES_MACHINE": "laptop"}

    @property
    def forked(self) -> Path:
        """The folder of programs that are forks."""
        return self.folder / "forked"

    @property
    def _calls(self) -> Path:
        return self.folder / "calls"

    def set_up(self) -> None:
        self.home.mkdir()
        (self.folder / "tmp").mkdir()
        self._add_programs(self.folder / "bin")

    def checkout(self) -> Path:
        """Make a checkout with an environment ``.venv`` in the home, and return it."""
        folder = self.home / "hermes-checkpoints"
        self._add_programs(folder / ".venv/bin")
        for name in _IN_CI:
            _write(folder / ".ci" / name, self._recording)
        shutil.copy(CHECKOUT / "alembic.ini", folder)
        (folder / "migrations").symlink_to(CHECKOUT / "migrations")
        return folder

    def _add_programs(self, folder: Path) -> None:
        for name in RECORDED:
            _write(folder / name, self._recording)
        programs = [_BESIDE / name for name in REAL] + [self.forked / name for name in FORKED]
        for program in programs:
            script = _ALL_BUT_DEMO.format(recording=self._recording, program=program)
            _write(folder / program.name, script)

    @property
    def _recording(self) -> str:
        return _RECORDING.format(calls=self._calls)

    def check_calls(self) -> None:
        """Check how programs were called that only wrote it down."""
        text = self._calls.read_text(encoding="utf-8") if self._calls.exists() else ""
        for call in text.split("\x1e")[:-1]:
            variables, *words = call.split("\x1f")
            check_call(words, set(variables.split()) - _OWN)


def _write(file: Path, script: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}")
    file.chmod(0o755)


def check_call(words: Sequence[str], variables: set[str]) -> None:
    """Check that a program understands its arguments and the variables that it was given."""
    match [Path(words[0]).name, *words[1:]]:
        case ["python3", "-m", "venv", ".venv"] | ["hermes", "checkpoints", "demo"]:
            pass  # tests/cli/test_demo.py runs the demo
        case ["pip", "install", *rest] | ["python", "-m", "pip", "install", *rest]:
            _check_install(rest)
        case ["pytest", *rest]:
            _check_tests(rest, variables)
        case ["python", "-m", "benchmarks", *rest]:
            from benchmarks.__main__ import parser

            asked = parser().parse_args(rest)
            for file in (asked.json, *(asked.report or ())):
                assert file is None or (CHECKOUT / file).exists(), file
        case ["python", "-m", "benchmarks.fleet", *rest]:
            from benchmarks.fleet import parser as parser_of_fleet

            asked = parser_of_fleet().parse_args(rest)
            for file in (asked.json, *(asked.report or ())):
                assert file is None or (CHECKOUT / file).exists(), file
        case ["python", "-m", "tests.campaigns", *rest]:
            from campaigns.runner import parser

            parser().parse_args(rest)
        case [name] if words[0] == f".ci/{name}":
            assert (CHECKOUT / words[0]).stat().st_mode & stat.S_IXUSR, words
            subprocess.run(["bash", "-n", CHECKOUT / words[0]], check=True)
        case _:
            raise AssertionError(f"nobody knows whether this is right: {words}")


def _check_install(words: Sequence[str]) -> None:
    """Check the packages and extras that pip is asked for."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [word for word in words if word not in ("-q", "-e")]
    assert packages
    if "./command" in packages:  # it depends on the package, which comes from the checkout, too
        assert packages == [".", "./command"]
        assert (CHECKOUT / "command/pyproject.toml").is_file()
        packages.remove("./command")
    for package in packages:
        found = re.fullmatch(r"([\w.-]+)(?:\[([\w,-]+)\])?", package)
        assert found and found[1] in (".", project["name"]), package
        extras = found[2].split(",") if found[2] else []
        assert set(extras) <= project["optional-dependencies"].keys(), package


def _check_tests(words: Sequence[str], variables: set[str]) -> None:
    """Check that there is what pytest is asked for: files, tests of the names behind ``-k``, and
    variables that one of the files reads, or what all tests share."""
    paths = [CHECKOUT / word for word in words if word.startswith("tests/")]
    names = [name for path in paths for name in _tests_of(path)]
    assert not paths or names, paths
    chosen = [value for option, value in itertools.pairwise(words) if option == "-k"]
    for value in chosen:
        assert any(value in name for name in names), value
    for word in words:
        known = word.startswith("tests/") or word in ("-n", "0", "-s", "-k", *chosen)
        assert known or re.fullmatch(r"--hypothesis-seed=\d+", word), word
    files = (*paths, CHECKOUT / "tests/support.py")
    read = {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}
    assert variables <= read, variables


def _tests_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name

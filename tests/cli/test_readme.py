"""README tells what happens: its commands are run here, and its output is compared.

What differs from run to run, or with the length of this package's source, is compared in kind:
ids, times, ages, sizes, numbers of lines and files, and where the folders lie.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import make_project

CHECKOUT = Path(__file__).parent.parent.parent
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MARK = "\x1e"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def steps(console: str) -> list[tuple[str, list[str]]]:
    """Return each command of a console block with the lines that follow it."""
    found: list[tuple[str, list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def normal(line: str) -> str:
    """Return a line with what varies replaced by its kind."""
    line = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+Z?(?: ?[+-]\d\d:\d\d)?", "TIME", line)
    line = re.sub(r"\b[0-9a-f]{8}(?:[0-9a-f]{32})?\b", "ID", line)
    line = re.sub(r"…[^/\s]*(?=/)", "", line)
    line = re.sub(r"(?:/[^/\s]+)+/([^/\s:,\"]+)", r"PATH/\1", line)
    line = re.sub(r"\d+(\.\d+)? [KMGT]?B\b", "SIZE", line)
    line = re.sub(r"\d+[smhd] ago", "AGE", line)
    line = re.sub(r"(?<=[\d ])[+-]+$", "BAR", line)
    line = re.sub(r"\d+", "N", line)
    return re.sub(r"[ -]*\bAGE\b", " AGE", re.sub(r" +", " ", line)).rstrip()


@pytest.mark.slow
def test_the_commands_do_what_is_printed(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(
        CHECKOUT / "src",
        checkout / "src",
        ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", ".*_cache"),
    )
    expected = [step for block in blocks("console") for step in steps(block)]
    assert len(expected) > 8
    script = "".join(f"{command}\nprintf '\\036%s\\036' $?\n" for command, _ in expected)
    scripts = Path(sys.executable).parent
    answer = subprocess.run(
        ["sh", "-c", script],
        cwd=checkout,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    parts = answer.stdout.split(MARK)
    for (command, lines), printed, code in zip(expected, parts[::2], parts[1::2], strict=False):
        assert code == "0", (command, printed)
        assert [normal(line) for line in printed.splitlines()] == [
            normal(line) for line in lines
        ], command
    assert len(parts) == 2 * len(expected) + 1


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0, r"[0-9a-f]{8} 1\n notes.txt +\| 1 -\n .*\n1 path restored\n"),
        (1, r"📸 Checkpoints for .*/project:\n\n  1\. .*\{'success': True, .*'src/app.py'.*\}\n"),
    ],
)
def test_the_python_examples_run(number: int, printed: str, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    answer = subprocess.run(
        [sys.executable, "-"],
        input=blocks("python")[number],
        cwd=project,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert re.fullmatch(printed, answer.stdout, re.DOTALL), answer.stdout


def test_there_are_examples() -> None:
    assert len(blocks("python")) == 2
    assert len(blocks("sh")) == 1


def test_the_first_block_is_the_two_commands_for_a_fresh_machine() -> None:
    demo, tests = blocks("sh")[0].splitlines()
    assert README.index(blocks("sh")[0]) < README.index("## ")
    assert demo.endswith(".venv/bin/hermes checkpoints demo")
    assert tests.endswith(".venv/bin/pytest")


def test_every_verb_and_exit_code_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    from hermes_checkpoints.cli import main

    with pytest.raises(SystemExit):
        main(["--help"])
    verbs = re.findall(r"^    (\w+)(?: \(\w+\))?(?:  |\n)", capsys.readouterr().out, re.MULTILINE)
    assert len(verbs) >= 7
    for verb in verbs:
        assert re.search(rf"^\| `{verb}\b", README, re.MULTILINE), verb

"""Types the commands of a page into one shell, and holds what they print against the page.

A ``console`` block has commands behind ``$ `` with all that each prints; a ``sh`` block has
commands alone, and where one asks, it is answered with yes. Every command must end with 0, unless
the next one asks for its exit code (``echo $?``).

What differs each time is compared by its kind: times, ages, and sizes in units (``12.3 KB``). An id
may be any other, but is the same one wherever the page has the same. The folder that the pages call
``/home/ada`` is the home of the shell. ``…`` in a page stands for anything within its line, and
alone in a line for lines.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pages.blocks import Block

HOME = "/home/ada"
_MARK = "\x1e"
_ASKED = "echo $?"
_COMMAND = re.compile(r"(?:.*\\\n)*.*<<'(\w+)'\n(?:.*\n)*?\1\n|(?:.*\\\n)*.*\n")
"""A command with the lines that belong to it: behind a backslash, or of a document."""


@dataclass(frozen=True)
class Step:
    """A command of a page. ``printed`` are the lines below it, None where the page has none."""

    place: str
    command: str
    printed: list[str] | None


def steps(page: Iterable[Block]) -> Iterator[Step]:
    """Yield the commands of blocks, in their order."""
    for block in page:
        yield from _console(block) if block.language == "console" else _plain(block)


def _console(block: Block) -> Iterator[Step]:
    first, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not first, f"{block}: begins with no command"
    for part in parts:
        command, *printed = part.splitlines()
        yield Step(str(block), command, printed)


def _plain(block: Block) -> Iterator[Step]:
    for found in _COMMAND.finditer(block.text):
        if not found[0].startswith(("#", "\n")):
            yield Step(str(block), found[0].rstrip(), None)


def play(page: Iterable[Block], folder: Path, environment: Mapping[str, str]) -> None:
    """Type the commands of a page in a folder, and check how each ends and what it prints.

    The shell is one process for all; ``environment`` is all of its environment.
    """
    typed = list(steps(page))
    home = Path(environment["HOME"])
    script, yes = home / ".typed", home / ".yes"
    script.write_text("".join(_typed(step, yes) for step in typed), encoding="utf-8")
    yes.write_text("y\n" * 9)
    answer = subprocess.run(
        ["sh", os.path.relpath(script, folder)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    ended = answer.stdout.split(_MARK)
    codes = ended[1::2]
    told, seen = Reader(HOME), Reader(str(home))
    for number, (step, printed, code) in enumerate(zip(typed, ended[::2], codes, strict=False)):
        is_asked = number + 1 < len(typed) and typed[number + 1].command == _ASKED
        assert code == "0" or is_asked, f"{step.place}: {step.command} ends with {code}\n{printed}"
        if step.printed is not None:
            compare(step, printed.splitlines(), told, seen)
    assert len(codes) == len(typed), f"{typed[len(codes)]} ends the shell:\n{ended[-1]}"


def _typed(step: Step, yes: Path) -> str:
    """Return a command as the script has it; what it ends with is there for the next one."""
    given = f" <'{yes}'" if step.printed is None else ""
    return (
        f"{{ {step.command}\n}}{given}\n_ended=$?; printf '\\036%s\\036' $_ended; (exit $_ended)\n"
    )


def compare(step: Step, printed: list[str], told: Reader, seen: Reader) -> None:
    """Check that a command printed what the page says."""
    assert step.printed is not None
    expected = [told.plain(line) for line in step.printed]
    found = [seen.plain(line) for line in printed]
    literally = [line.replace(seen.home, HOME) for line in printed]
    assert re.fullmatch(_pattern(expected), "\n".join(found)), (
        f"{step.place}: {step.command}\nThe page says:\n{_shown(expected)}"
        f"It is:\n{_shown(found)}Literally:\n{_shown(literally)}"
    )


def _shown(lines: list[str]) -> str:
    return "".join(f"  {line}\n" for line in lines)


def _pattern(told: list[str]) -> str:
    """Return the regular expression of an output in which ``…`` stands for something."""
    exact = (".*".join(re.escape(part) for part in line.split("…")) for line in told)
    lines = (
        (r"(?:.*\n)*?.*" if line.strip() == "…" else one)
        for line, one in zip(told, exact, strict=True)
    )
    return "\n".join(lines)


_KINDS = (
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?", "TIME"),
    (r" *\b\d+(?:\.\d)? [KMGT]B\b", " SIZE"),
    (r' *\b\d+[smhd](?= ago\b|  )|(?<="age": )\d+', " AGE"),
    (r'(?<="added_bytes": )\d+', "SIZE"),
    (r"(?<=\S) {2,}", "  "),
    (r"-{5,}", "-----"),
)
_ID = re.compile(r"\b(?:[0-9a-f]{8,40}|(?=[0-9]*[a-f])[0-9a-f]{7})\b")


@dataclass
class Reader:
    """Reads lines that were printed on one machine, whose home is ``home``."""

    home: str
    _ids: dict[str, int] = field(default_factory=dict)

    def plain(self, line: str) -> str:
        """Return a line with what differs each time replaced by its kind."""
        line = _ID.sub(self._number, line.replace(self.home, HOME))
        for pattern, kind in _KINDS:
            line = re.sub(pattern, kind, line)
        return line.rstrip()

    def _number(self, found: re.Match[str]) -> str:
        """Return the number of an id: an id and its beginnings have one."""
        number = self._ids.setdefault(found[0][:7], len(self._ids) + 1)
        return f"ID{number}/{len(found[0])}"

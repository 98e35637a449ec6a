"""Prints what both sides answer: the agent's own module, the newest source, and this package."""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.conformance.running import Answers, answers
from agent.conformance.table import STORIES, Row
from hermes_checkpoints.base import kept
from hermes_checkpoints.compat import checkpoint_manager, command_line

_RUNNING = Path(__file__).with_name("running.py")


def of_this_package(folder: Path) -> Answers:
    """Return the answers of this package, worked out in a folder."""
    found: Answers = {}
    before = checkpoint_manager.CHECKPOINT_BASE
    for number, story in enumerate(STORIES):
        place = folder / str(number)
        place.mkdir()
        try:
            versions = ["0.19.0", "newest"]
            found |= answers(story, place, checkpoint_manager, command_line, versions)
        finally:
            checkpoint_manager.CHECKPOINT_BASE = before
            kept.close()
    return found


def of_the_agent(environment: Path) -> Answers:
    """Return the answers of the agent's own module in an environment, adopted or not."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HERMES_HOME": home, "HERMES_SAFE_MODE": "1"}
        done = subprocess.run(
            [str(environment / "bin" / "python"), str(_RUNNING)],
            env=env,
            check=True,
            stdout=subprocess.PIPE,
        )
    found: Answers = json.loads(done.stdout)
    return found


def lines(theirs: Answers | None, ours: Answers) -> Iterator[str]:
    """Yield a line for each row, and below it each answer that is another than the newest's.
    Without ``theirs``, what 0.19.0 says is as recorded."""
    for story in STORIES:
        for row in story.rows:
            old = row.wanted("0.19.0") if theirs is None else theirs.get(row.name)
            columns = {"0.19.0": old, "newest": row.answer, "here": ours[row.name]}
            if row.since != "0.19.0":
                del columns["0.19.0"]
            alike = all(answer == row.answer for answer in columns.values())
            if alike:
                yield f"  {row.name}  {_text(row.answer)}"
            else:
                yield f"≠ {row.name}"
                yield from (f"      {name:<7} {_text(answer)}" for name, answer in columns.items())


def differing() -> list[Row]:
    """Return the rows that this package answers otherwise than the newest source, on purpose."""
    return [r for story in STORIES for r in story.rows if r.wanted("ours") != r.answer]


def _text(answer: Any) -> str:
    text = json.dumps(answer, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:159]}…"


def main() -> int:
    """Print all rows; return 1 where this package answers otherwise than the table says."""
    parser = argparse.ArgumentParser(prog="python -m tests.agent.conformance", description=__doc__)
    parser.add_argument(
        "--agent",
        type=Path,
        default=os.environ.get("HERMES_AGENT_ENV"),
        help="an environment with hermes-agent 0.19.0, which is asked, too",
    )
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    theirs = None if given.agent is None else of_the_agent(given.agent)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "HERMES_HOME": f"{folder}/.hermes"}
        ours = of_this_package(Path(folder).resolve())
    print(*lines(theirs, ours), sep="\n")
    rows = [row for story in STORIES for row in story.rows]
    wrong = [row.name for row in rows if ours[row.name] != row.wanted("ours")]
    print(f"\n{len(rows)} rows; {len(differing())} are answered otherwise here, on purpose")
    print(*(f"not as the table says: {name}" for name in wrong), sep="\n")
    return 1 if wrong else 0

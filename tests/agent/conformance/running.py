"""Does all stories with one side, each in a folder of its own.

Run by the Python of the agent's environment, with this file as the script, it prints the answers
of the agent's own module as JSON.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    import agent  # the agent's own package; the kit stands in for a part of it

    agent.__path__.append(str(Path(__file__).parents[1]))

from agent.conformance.case import Case
from agent.conformance.table import STORIES, Story

Answers = dict[str, Any]
"""What each row was answered, by its name."""


def answers(
    story: Story, folder: Path, module: Any, commands: Any, since: Iterable[str]
) -> Answers:
    """Return what the rows of a story are answered that are known ``since`` one of these versions;
    a call that raises is answered with what it raised."""
    found: Answers = {}
    before = module._MAX_FILES
    try:
        case = Case(folder, module, commands)
        for row in story.rows:
            if row.since in since:
                try:
                    found[row.name] = json.loads(json.dumps(row.asked(case)))
                except Exception as error:  # noqa: BLE001 - it is the answer
                    found[row.name] = f"raised {type(error).__name__}: {error}"
    finally:
        module._MAX_FILES = before
    return found


def of_the_agent() -> Answers:
    """Return the answers of the agent's own module, in whose environment this runs."""
    from hermes_cli import checkpoints as commands
    from tools import checkpoint_manager as module

    logging.disable(logging.CRITICAL)
    assert "hermes_checkpoints" not in sys.modules, "adopted"
    found: Answers = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        for number, story in enumerate(STORIES):
            place = Path(folder).resolve() / str(number)
            place.mkdir()
            found |= answers(story, place, module, commands, ["0.19.0"])
    return found


if __name__ == "__main__":
    print(json.dumps(of_the_agent()))

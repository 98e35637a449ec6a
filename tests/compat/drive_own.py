"""Runs inside the agent's environment, where its own checkpoint module is in use: takes two
checkpoints, lists them and restores the first. Prints what that did as JSON on the last line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import tools.checkpoint_manager as theirs

PROJECT = Path(os.environ["TERMINAL_CWD"])


def main() -> dict[str, object]:
    manager = theirs.CheckpointManager(enabled=True)
    taken = []
    for text in sys.argv[1:]:
        (PROJECT / "own.txt").write_text(text)
        manager.new_turn()
        taken.append(manager.ensure_checkpoint(str(PROJECT), f"own {text}"))
    (PROJECT / "own.txt").write_text("spoilt")
    listed = manager.list_checkpoints(str(PROJECT))
    restored = manager.restore(str(PROJECT), listed[-1]["hash"])
    return {
        "module": theirs.__file__,
        "taken": taken,
        "listed": [one["reason"] for one in listed],
        "restored": restored["success"],
        "own.txt": (PROJECT / "own.txt").read_text(),
    }


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main()) + "\n")

"""Real processes write one session at once, and are killed in the middle of a write."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointStore, Sessions
from hermes_checkpoints.errors import SessionChanged
from hermes_checkpoints.model import KEEP_VERSIONS
from interpreters import Interpreter, start

# Each child reports that it is ready, and starts when its input closes.
COUNT = """
import sys
from hermes_checkpoints import Sessions
from hermes_checkpoints.errors import SessionChanged
with Sessions.open(sys.argv[1]) as sessions:
    print("ready", flush=True)
    sys.stdin.read()
    refused = 0
    for _ in range(int(sys.argv[2])):
        while True:
            found = sessions.read("counter")
            try:
                sessions.write(
                    "counter", {**found.document, "n": found.document["n"] + 1},
                    if_version=found.version,
                )
                break
            except SessionChanged:
                refused += 1
print(refused)
"""

OVERWRITE = """
import sys
from hermes_checkpoints import CheckpointStore
with CheckpointStore(sys.argv[1]) as store:
    print("ready", flush=True)
    sys.stdin.read()
    for turn in range(int(sys.argv[2])):
        store.write("s", {"writer": sys.argv[3], "lines": [sys.argv[3]] * 500, "turn": turn})
"""

# Writes on and on; each document is made of its number, so that a mixture would show.
WRITE = """
import sys
from hermes_checkpoints import CheckpointStore
store = CheckpointStore(sys.argv[1])
number = 0
while True:
    number += 1
    lines = [f"{number:08}"] * 400
    store.write("s", {"n": number, "lines": lines, "set": {number}, "last": number})
    print(number, flush=True)
"""


def race(processes: list[Interpreter]) -> list[str]:
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.close()
    answers = []
    for process in processes:
        ended = process.finish()
        assert ended.returncode == 0, ended.stderr
        assert "failed" not in ended.stderr, ended.stderr
        answers.append(ended.stdout.strip())
    return answers


@pytest.mark.slow
def test_no_update_is_lost_between_processes(home: Path) -> None:
    with Sessions.open(home) as sessions:
        sessions.write("counter", {"n": 0})
        race([start(COUNT, home, 40) for _ in range(4)])
        found = sessions.read("counter")
        assert found.document["n"] == 160
        assert found.version == 161
        assert len(sessions.history("counter")) == KEEP_VERSIONS + 1
        with pytest.raises(SessionChanged):
            sessions.write("counter", {}, if_version=160)


@pytest.mark.slow
def test_concurrent_writers_never_interleave(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    with CheckpointStore(folder) as store:
        store.write("s", {"writer": "none", "lines": []})
        processes = [start(OVERWRITE, folder, 40, name) for name in ("a", "b", "c")]
        race(processes)
        assert store.version("s") == 121
    with Sessions.open(base=folder) as sessions:
        for state in sessions.history("s"):
            document = sessions.read("s", version=state.version).document
            assert document["lines"] == [document["writer"]] * 500


@pytest.mark.campaign
def test_kill_9_during_1000_writes_leaves_the_old_or_the_new_document(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    total = killed = 0
    with CheckpointStore(folder) as reader:
        last = 0
        while total < 1000:
            victim = start(WRITE, folder)
            reported = 0
            for _ in range(50 + killed * 7 % 13):
                reported = int(victim.stdout.readline())
                found = reader.read("s")
                assert found is not None
                assert whole(found)
            os.kill(victim.pid, signal.SIGKILL)
            output = victim.finish().stdout
            if output.strip():
                reported = int(output.split()[-1])
            found = reader.read("s")
            assert found is not None
            assert whole(found)
            # What was reported is durable; at most the write under way came on top of it.
            assert found["n"] in (reported, reported + 1)
            last += found["n"]
            assert reader.version("s") == last
            total += found["n"]
            killed += 1
    assert killed > 10
    with Sessions.open(base=folder) as sessions:
        assert all(
            whole(sessions.read("s", version=one.version).document) for one in sessions.history("s")
        )


def whole(document: dict[str, object]) -> bool:
    number = document["n"]
    return (
        document["lines"] == [f"{number:08}"] * 400
        and document["set"] == {number}
        and document["last"] == number
    )

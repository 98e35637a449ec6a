"""Makes a small base with all that a look may meet, and tells what plain git can restore of it."""

from __future__ import annotations

import hashlib
import random
import subprocess
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Taken
from support import make_project

KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0)
PROJECTS = ("alpha", "beta", "gamma")


def make_base(home: Path, folder: Path) -> None:
    """Fill a home: three projects below ``folder`` with four checkpoints each, some pinned and
    labelled, with a skipped path, an empty directory, turns, a restore and a session."""
    rng = random.Random(11)  # noqa: S311
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        for name in PROJECTS:
            working_dir = make_project(folder / name)
            (working_dir / "own.txt").write_text(f"of {name}\n")
            (working_dir / "empty").mkdir()
            (working_dir / "empty").chmod(0o700)
            project = checkpoints.project(working_dir)
            for number in range(4):
                (working_dir / "data").write_bytes(rng.randbytes(3000))
                (working_dir / "deep" / f"sub{number}").mkdir(parents=True)
                (working_dir / "deep" / f"sub{number}" / "file").write_bytes(rng.randbytes(200))
                outcome = project.take(f"number {number}", session_id=f"of {name}", turn=number)
                assert isinstance(outcome, Taken), outcome
                if number == 1:
                    project.pin(outcome.checkpoint)
        first = checkpoints.project(folder / PROJECTS[0])
        (first.working_dir / "data").write_bytes(b"changed by a person\n")
        first.restore("latest")


def whole(home: Path, commits: list[str]) -> set[str]:
    """Return the commits of which plain git can read every object, each byte of it."""
    store = home / "checkpoints" / "store"
    git = ("git", f"--git-dir={store}")
    found = set()
    for commit in commits:
        reached = subprocess.run(
            [*git, "rev-list", "--objects", commit], capture_output=True, check=False
        )
        if reached.returncode:
            continue
        ids = [line.split()[0].decode() for line in reached.stdout.splitlines()]
        read = subprocess.run(
            [*git, "cat-file", "--batch"],
            input="".join(f"{one}\n" for one in ids).encode(),
            capture_output=True,
            check=False,
        )
        if read.returncode == 0 and _as_named(read.stdout, ids):
            found.add(commit)
    return found


def _as_named(output: bytes, ids: list[str]) -> bool:
    """Tell whether what git printed are the contents of these objects: git does not compare."""
    position = 0
    for name in ids:
        end = output.find(b"\n", position)
        fields = output[position:end].split()
        if len(fields) != 3:
            return False
        start, size = end + 1, int(fields[2])
        header = b"%s %d\0" % (fields[1], size)
        found = hashlib.sha1(header + output[start : start + size], usedforsecurity=False)
        if found.hexdigest() != name:
            return False
        position = start + size + 1
    return True

"""A process that has the package loaded and forks the processes that are played with.

Each costs a fork instead of a second of imports, has the library of preload.py in it, and may be
killed as any process can. The zygote reaps also what they left behind, so that a round ends when
nothing of it runs any more.

A request is a line of JSON, the answer another one; ``Zygote`` is the side that asks.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
HUNG = "hung"


@dataclass(frozen=True)
class Ended:
    """How the processes of a request ended: an exit code for each, negative for a signal, how long
    it took until nothing ran any more, in seconds, and whether they had to be ended because the
    limit was over."""

    codes: tuple[int, ...]
    seconds: float
    hung: bool

    @property
    def code(self) -> int:
        return self.codes[0]


class Zygote:
    """The process that forks. Close it at the end."""

    def __init__(self, folder: Path, library: Path, control: Path) -> None:
        shim = folder / "bin"
        shim.mkdir(exist_ok=True)
        real = shutil.which("git")
        assert real, "the campaigns need git"
        (shim / "git").write_text(
            f"#!/bin/sh\nCAMPAIGN_CONTROL='{control}' LD_PRELOAD='{library}' exec '{real}' \"$@\"\n"
        )
        (shim / "git").chmod(0o755)
        user = folder / "user"
        user.mkdir(exist_ok=True)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "HERMES_", "XDG_", "PYTEST_"))
        }
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", Path(__file__).with_name("zygote_main.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **kept,
                "LD_PRELOAD": str(library),
                "PATH": f"{shim}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(TESTS),
                "HOME": str(user),
                "HERMES_HOME": str(user / ".hermes"),
                "HERMES_MACHINE": "campaign",
                "TMPDIR": str(folder),
                "LC_ALL": "C.UTF-8",
            },
        )
        self._control = control

    def run(
        self,
        jobs: Sequence[Mapping[str, Any]],
        *,
        kill_after: float | None = None,
        limit: float = 60.0,
    ) -> Ended:
        """Run processes at once, each of them what ``script.play`` makes of one of ``jobs``; wait
        until nothing of them is left. After ``kill_after`` seconds all of them are killed with
        what they started; after ``limit`` as well, and that is a hang."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {
            "jobs": list(jobs),
            "kill_after": kill_after,
            "limit": limit,
            "control": str(self._control),
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the zygote is gone"
        found = json.loads(answer)
        return Ended(tuple(found["codes"]), found["seconds"], found["hung"])

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


# --- inside -------------------------------------------------------------------------------------

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def serve() -> None:
    """Answer requests until the input ends."""
    support = importlib.import_module("support")
    for name in [*support.MODULES, "alembic.command", "sqlalchemy.dialects.sqlite", "sqlite3"]:
        importlib.import_module(name)
    importlib.import_module("logging.config")
    importlib.import_module("campaigns.script")
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    for line in sys.stdin:
        answer = _answer(json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    children = [_fork(job, request["control"]) for job in request["jobs"]]
    codes: dict[int, int] = {}
    kill_at = None if request["kill_after"] is None else began + request["kill_after"]
    limit, hung = began + request["limit"], False
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid:
            codes[pid] = os.waitstatus_to_exitcode(status)
            continue
        now = time.monotonic()
        until = min(limit, kill_at if kill_at is not None else limit)
        if now >= until:
            hung = hung or now >= limit
            kill_at, limit = None, now + 5
            for child in _descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            continue
        signal.sigtimedwait({signal.SIGCHLD}, until - now)
    ended = [codes.get(child, 0) for child in children]
    return {"codes": ended, "seconds": time.monotonic() - began, "hung": hung}


def _descendants(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            found += [int(child), *_descendants(int(child))]
    return found


def _fork(job: dict[str, Any], control: str) -> int:
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        sink = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        from campaigns import script

        code = script.play(job, Path(control))
    finally:
        os._exit(code)

"""A process in which one contestant works: it answers requests line by line, with their times.

    python -m benchmarks.worker ours|v2|git

A contestant may need another interpreter, and what it imports once is no part of what a call
costs, so each has such a process. A request is a JSON line ``{"call": NAME, "with": {…}}``, which
is a method of the contestant's ``Side``; the answer is ``{"value": …, "seconds": …, "processor":
…}``, or ``{"error": …}`` with the traceback. ``processor`` is user and system time, in seconds, of
this process and of the processes that it has waited for. Only the standard library is imported
here, and no contestant before its first call.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from importlib import import_module
from typing import Any

SIDES = {"ours": "ours", "v2": "v2", "git": "bare_git"}


def processor() -> float:
    """Return the seconds of processor time of this process and of its children that ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def memory(key: str) -> int:
    """Return the bytes of memory that this process has now (``VmRSS``), had at most (``VmHWM``).

    The maximum of getrusage is not asked: a process takes over that of its parent.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    raise SystemExit(f"no {key} in /proc/self/status")


class Worker:
    """The contestant, made at its first call."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._side: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        call, arguments = request["call"], request["with"]
        if call == "memory":
            return {"value": memory(arguments["key"])}
        used = processor()
        start = time.perf_counter()
        if self._side is None:
            self._side = import_module(f"benchmarks.sides.{SIDES[self._name]}").Side()
            if call == "load":
                return {"value": self._side.load()}
        value = getattr(self._side, call)(**arguments)
        return {
            "value": value,
            "seconds": time.perf_counter() - start,
            "processor": processor() - used,
        }


def main() -> None:
    """Answer until the requests end."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a contestant prints is no answer
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception:  # noqa: BLE001 - whoever asked raises it
            answer = {"error": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

"""What a process that is played with does: a list of steps on the typed API.

Each step's answer is written down before the next one begins, in a file that the campaign reads
after a kill. A step that raises an error of the package is an answer; any other exception is none
that the package may give, and ends the process with code 70.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import resource
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from campaigns import preload, trees
from hermes_checkpoints import Checkpoints, repair
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Failed, Policy, Restored, Skipped, Taken, Unchanged
from hermes_checkpoints.retention.plan import PruneOptions

Step = dict[str, Any]
Answer = dict[str, Any]
UNFORESEEN = 70
KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0, auto_prune=False)


def play(job: dict[str, Any], control: Path) -> int:
    """Carry out the steps of a job; return the exit code of the process."""
    preload.attach(control)
    if "cli" in job:
        return _command(job["cli"], job["cwd"])
    os.environ.update(job.get("env", {}))
    time.tzset()
    if "file_bytes" in job:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_bytes"], job["file_bytes"]))
    armed = preload.Armed(control, os.getpid())
    with open(job["report"], "ab", buffering=0) as report:  # small: no limit is in its way
        try:
            _play(job, armed, report.write)
        except CheckpointError as error:  # of the opening
            armed.off()
            report.write(pickle.dumps((-1, _refusal(error))))
        except BaseException:  # noqa: BLE001 - that is what is looked for
            armed.off()
            text = traceback.format_exc()
            report.write(pickle.dumps((-1, {"answer": "unforeseen", "text": text})))
            return UNFORESEEN
    return 0


def _command(arguments: list[str], folder: str) -> int:
    """Be the command line."""
    from hermes_checkpoints.cli import main

    os.chdir(folder)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - the command line lets nothing through
        traceback.print_exc()
        return UNFORESEEN
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def read(report: Path) -> list[tuple[int, Answer]]:
    """Return the answers of a process by the numbers of its steps, as far as it came."""
    found = []
    with report.open("rb") as stream:
        while True:
            try:
                found.append(pickle.load(stream))  # noqa: S301 - our own
            except (EOFError, pickle.UnpicklingError):
                return found


def _refusal(error: CheckpointError) -> Answer:
    return {"answer": "refused", "code": error.code, "text": str(error)}


def _play(job: dict[str, Any], armed: preload.Armed, write: Callable[[bytes], Any]) -> None:
    config = Config(**job["config"]) if job.get("config") else KEEP_ALL
    armed.on()
    with contextlib.ExitStack() as at_end:
        opened: Any = None
        if not job.get("unopened"):
            opened = at_end.enter_context(Checkpoints.open(job["home"], config=config))
        armed.off()
        for number, step in enumerate(job["steps"]):
            if step["do"] == "mutate":
                folder = Path(step["project"])
                trees.mutate(folder, random.Random(step["seed"]), step.get("count", 4))  # noqa: S311
            if step["do"] in ("mutate", "see"):
                write(pickle.dumps((number, {"tree": trees.look(Path(step["project"]))})))
                continue
            armed.on()
            try:
                answer = ACTS[step["do"]](opened, {"home": job["home"], **step})
            except CheckpointError as error:
                answer = _refusal(error)
            finally:
                armed.off()
            write(pickle.dumps((number, answer)))
        armed.on()
    armed.off()


# --- the acts ------------------------------------------------------------------------------------


def _take(opened: Checkpoints, step: Step) -> Answer:
    outcome = opened.project(step["project"]).take(
        step.get("reason", "campaign"),
        label=step.get("label"),
        move_label=step.get("move", False),
        about=step.get("about"),
    )
    if isinstance(outcome, Taken | Unchanged):
        found = outcome.checkpoint
        word = "taken" if isinstance(outcome, Taken) else "unchanged"
        return {"answer": word, "id": found.id, "partial": found.partial}
    if isinstance(outcome, Skipped):
        return {"answer": "refused", "code": outcome.code, "text": outcome.reason}
    assert isinstance(outcome, Failed)
    return {"answer": "failed", "code": outcome.error.code, "text": str(outcome.error)}


def _restored(done: Restored) -> Answer:
    return {
        "answer": "restored",
        "complete": done.complete,
        "id": done.checkpoint.id,
        "safety": done.safety.id,
        "failed": [(f.path, f.error) for f in done.failed],
        "kept": [k.path for k in done.kept],
    }


def _restore(opened: Checkpoints, step: Step) -> Answer:
    return _restored(
        opened.project(step["project"]).restore(
            step["ref"], step.get("paths"), mode=step.get("mode"), into=step.get("into")
        )
    )


def _undo(opened: Checkpoints, step: Step) -> Answer:
    return _restored(opened.project(step["project"]).undo())


def _redo(opened: Checkpoints, step: Step) -> Answer:
    return _restored(opened.project(step["project"]).redo())


def _prune(opened: Checkpoints, step: Step) -> Answer:
    grace = step.get("grace_days")
    policy = Policy(
        max_snapshots=step.get("keep", 0),
        retention_days=step.get("retention_days", 0),
        orphan_grace=None if grace is None else timedelta(days=grace),
        delete_orphans=grace is not None,
    )
    done = opened.prune(plan=opened.plan_prune(policy=policy), options=PruneOptions())
    return {
        "answer": "pruned",
        "dropped": [one.checkpoint.id for one in done.dropped],
        "errors": list(done.errors),
    }


def _drop(opened: Checkpoints, step: Step) -> Answer:
    done = opened.project(step["project"]).drop(step["ref"])
    return {
        "answer": "pruned",
        "dropped": [one.checkpoint.id for one in done.dropped],
        "errors": list(done.errors),
    }


def _forget(opened: Checkpoints, step: Step) -> Answer:
    done = opened.project(step["project"]).forget(step["path"])
    return {"answer": "forgotten", "replaced": done.replaced, "errors": list(done.errors)}


def _clear(opened: Checkpoints, step: Step) -> Answer:
    done = opened.clear(sessions=step.get("sessions", False))
    return {"answer": "cleared", "errors": list(done.errors)}


def _rebind(opened: Checkpoints, step: Step) -> Answer:
    opened.rebind(step["project"], step["new"])
    return {"answer": "done"}


def _import(opened: Checkpoints, step: Step) -> Answer:
    done = opened.import_legacy(step["folder"])
    return {
        "answer": "imported",
        "new": done.checkpoints,
        "sessions": done.sessions,
        "errors": list(done.errors),
    }


def _label(opened: Checkpoints, step: Step) -> Answer:
    opened.project(step["project"]).label(step["ref"], step["name"], move=step.get("move", False))
    return {"answer": "done"}


def _unlabel(opened: Checkpoints, step: Step) -> Answer:
    opened.project(step["project"]).unlabel(step["ref"])
    return {"answer": "done"}


def _pin(opened: Checkpoints, step: Step) -> Answer:
    opened.project(step["project"]).pin(step["ref"])
    return {"answer": "done"}


def _unpin(opened: Checkpoints, step: Step) -> Answer:
    opened.project(step["project"]).unpin(step["ref"])
    return {"answer": "done"}


def _session_write(opened: Checkpoints, step: Step) -> Answer:
    done = opened.sessions.write(step["session"], step["document"])
    return {"answer": "done", "version": done.version}


def _session_gc(opened: Checkpoints, step: Step) -> Answer:
    now = datetime.now(UTC) + timedelta(days=step.get("ahead", 30))
    done = opened.sessions.gc(now=now)
    return {"answer": "done", "removed": len(done.sessions)}


def _turn(opened: Checkpoints, step: Step) -> Answer:
    project = opened.project(step["project"])
    project.begin_turn(session_id=step["session"])
    if "content" in step:
        file = Path(step["project"], step["path"])
        file.parent.mkdir(exist_ok=True)
        file.write_text(step["content"])
    project.record_agent_write(step["path"], session_id=step["session"], tool="write_file")
    project.end_turn(session_id=step["session"])
    return {"answer": "done"}


def _status(opened: Checkpoints, step: Step) -> Answer:
    """All that can be asked: it is read back, so that a question that fails is seen."""
    status = opened.status()
    listed: dict[str, list[str]] = {}
    for project in opened.projects():
        found = project.list(safety=True)
        listed[str(project.working_dir)] = [one.id for one in found]
        for one in found[:3]:
            project.changes(one)
            project.skipped(one)
        project.lost()
        project.failing()
        project.safety_checkpoints()
    sessions = {name: opened.sessions.read(name).document for name in opened.sessions.ids()}
    opened.usage()
    return {
        "answer": "status",
        "notes": list(status.notes),
        "listed": listed,
        "all": [one.id for one in opened.list_all()],
        "sessions": sessions,
    }


def _repair(_: Checkpoints, step: Step) -> Answer:
    """Of a base that is not opened."""
    done = repair(step["home"], config=KEEP_ALL)
    return {
        "answer": "repaired",
        "done": list(done.done),
        "errors": [f"{one.kind}: {one.text}" for one in done.left.faults],
    }


ACTS: dict[str, Callable[[Checkpoints, Step], Answer]] = {
    "take": _take,
    "restore": _restore,
    "undo": _undo,
    "redo": _redo,
    "prune": _prune,
    "drop": _drop,
    "forget": _forget,
    "clear": _clear,
    "rebind": _rebind,
    "import": _import,
    "label": _label,
    "unlabel": _unlabel,
    "pin": _pin,
    "unpin": _unpin,
    "session_write": _session_write,
    "session_gc": _session_gc,
    "turn": _turn,
    "status": _status,
    "repair": _repair,
}
"""What a step can do, by its word ``do``."""

"""Session checkpoints side by side with a store of plain YAML files, same data.

    python benchmarks/sessions.py [--sessions N] [--dates] [--cpu]

The file store works as the older one did: one file a session, no fsync, PyYAML. It reads with the
C loader where there is one. It is measured with PyYAML's own dumper, as `yaml.dump` uses it, with
the C dumper, and with the C dumper and what the catalog promises: a write that is durable and
never seen by halves. `--dates` puts dates and a set into each document, so that the catalog must
keep it as block YAML. `--cpu` measures processor time, on a machine that is busy with other work.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from hermes_checkpoints.sessions.sessions import Sessions

LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
C_DUMPER: Any = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper


class FileStore:
    """One YAML file a session."""

    def __init__(self, folder: Path, dumper: Any, *, durable: bool = False) -> None:
        self._folder = folder
        self._dumper = dumper
        self._durable = durable
        folder.mkdir(parents=True)

    def write(self, session_id: str, data: dict[str, Any]) -> None:
        text = yaml.dump(
            {**data, "updated": datetime.now().isoformat()},  # noqa: DTZ005 - as the older store
            Dumper=self._dumper,
            default_flow_style=False,
            allow_unicode=True,
            sort_keys=False,
        )
        path = self._folder / f"{session_id}.yaml"
        if not self._durable:
            path.write_text(text, encoding="utf-8")
            return
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        descriptor = os.open(self._folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def read(self, session_id: str) -> Any:
        text = (self._folder / f"{session_id}.yaml").read_text(encoding="utf-8")
        return yaml.load(text, Loader=LOADER)  # noqa: S506 - a safe loader

    def ids(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.yaml"))

    def list(self) -> list[tuple[str, Any]]:
        return [(name, self.read(name).get("status")) for name in self.ids()]

    def gc(self, now: datetime) -> int:
        stale, done = now - timedelta(days=7), now - timedelta(days=1)
        removed = 0
        for path in self._folder.glob("*.yaml"):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506
            updated = datetime.fromisoformat(data["updated"]).astimezone(UTC)
            if updated < stale or (data.get("status") == "completed" and updated < done):
                path.unlink()
                removed += 1
        return removed


def document(number: int, *, dates: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "session_id": f"session-{number:06}",
        "task": f"Refactor the parser of module {number} and keep its tests passing",
        "status": "completed" if number % 3 == 0 else "in_progress",
        "cwd": f"/srv/project-{number % 40}",
        "progress": [
            {
                "step": step,
                "title": f"Step {step} of the work on module {number}",
                "done": step < number % 10,
                "notes": "Some words about what was found here, and why it matters. " * 2,
            }
            for step in range(10)
        ],
        "files": [f"src/package/module_{number}_{index}.py" for index in range(20)],
        "decisions": {f"decision {index}": "because it is simpler" for index in range(8)},
    }
    if dates:
        found["started"] = date(2026, 11, 1 + number % 28)
        found["tags"] = {"parser", "refactoring"}
    return found


def measure(
    store: Any, documents: list[dict[str, Any]], clock: Callable[[], float]
) -> dict[str, float]:
    names = [one["session_id"] for one in documents]

    def timed(action: Callable[[], Any]) -> float:
        start = clock()
        action()
        return clock() - start

    def write() -> None:
        for name, one in zip(names, documents, strict=True):
            store.write(name, one)

    def read() -> None:
        for name in names:
            store.read(name)

    now = datetime.now(UTC)
    return {
        "write, new": timed(write),
        "write, again": timed(write),
        "read": timed(read),
        "list ids": timed(store.ids),
        "list with status": timed(store.list),
        "gc, nothing stale": timed(lambda: store.gc(now=now)),
        "gc, all stale": timed(lambda: store.gc(now=now + timedelta(days=8))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--dates", action="store_true", help="documents that are no JSON")
    parser.add_argument("--cpu", action="store_true", help="measure processor time only")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    documents = [document(number, dates=args.dates) for number in range(args.sessions)]
    work = Path(tempfile.mkdtemp())
    try:
        with Sessions.open(work / "home") as sessions:
            results = {"catalog": measure(sessions, documents, clock)}
        stores = {
            "files": FileStore(work / "1", yaml.SafeDumper),
            "files, C dumper": FileStore(work / "2", C_DUMPER),
            "files, durable": FileStore(work / "3", C_DUMPER, durable=True),
        }
        for name, store in stores.items():
            results[name] = measure(store, documents, clock)
    finally:
        shutil.rmtree(work)
    size = len(yaml.dump(documents[0], sort_keys=False))
    print(f"{args.sessions} sessions of about {size} bytes, seconds; {LOADER.__name__}")
    print(f"{'':<20}" + "".join(f"{name:>18}" for name in results))
    for row in results["catalog"]:
        print(f"{row:<20}" + "".join(f"{found[row]:>18.3f}" for found in results.values()))


if __name__ == "__main__":
    main()

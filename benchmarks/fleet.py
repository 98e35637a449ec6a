"""Simulates a fleet: machines that share one remote, and a remote with many refs.

    python -m benchmarks.fleet [--small] [--only PART …] [--json FILE] [--folder DIR]
    python -m benchmarks.fleet --report FILE docs/scale.md [--assume NAME=VALUE …]

Three parts, each with the real code, homes, stores and pushes. `refs`: what a push and a pull cost
beside 0 to 100,000 refs of other machines, in bytes that cross the wire. `machines`: 100 machines
send to one bare repository, and what it then holds. `crowd`: 8 and 100 of them push at the same
time. Bytes, objects and counts hardly differ from run to run; times do, so the load of the machine
is noted beside them. `--json` with `--only` replaces the measured parts in a file that is there.
`--report` fills a page from the figures (`benchmarks/paper.py`); the exit code is 1 where a push
failed or the repository is damaged.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.contestants import BenchmarkError, tell
from benchmarks.remotes import Wire, asked_of, bare, bytes_in, counting, fill, refs_in
from benchmarks.report import machine
from benchmarks.trees import make_tree

from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import PullResult, PushResult, Taken

PARTS = ("refs", "machines", "crowd")
_LONGEST = 3600.0


@dataclass(frozen=True)
class Size:
    """How much is simulated: ``refs``, checkpoints of other machines on the remote, and
    ``files`` of the project that is measured beside them; ``machines`` with ``projects`` of
    ``project_files`` each, of which one changes before each of ``later`` more checkpoints;
    ``crowds`` of so many pushers with so many rounds."""

    refs: tuple[int, ...] = (0, 1_000, 10_000, 100_000)
    files: int = 1_000
    machines: int = 100
    projects: int = 2
    project_files: int = 50
    later: int = 5
    crowds: tuple[tuple[int, int], ...] = ((8, 20), (100, 2))


FULL = Size()
SMALL = Size((50,), 20, machines=2, projects=1, project_files=5, later=1, crowds=((2, 1),))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--small", action="store_true", help="tiny: tries this program itself")
    made.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    made.add_argument("--folder", type=Path, help="where to work (default: temporary)")
    made.add_argument("--report", nargs=2, type=Path, metavar=("FILE", "PAGE"))
    made.add_argument("--assume", nargs="+", default=[], metavar="NAME=VALUE")
    return made


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments say; return the exit code."""
    args = parser().parse_args(argv)
    try:
        if args.report:
            from benchmarks.paper import Assumed, fill_page

            source, page = args.report
            fill_page(source, page, Assumed.of(args.assume))
            return 0
        if args.json and not args.json.absolute().parent.is_dir():
            raise BenchmarkError(f"{args.json.absolute().parent} is no folder; make it first")
        if args.folder and not args.folder.is_dir():
            raise BenchmarkError(f"{args.folder} is no folder; make it, or name another --folder")
        earlier = _earlier(args.json, args.small) if set(args.only) != set(PARTS) else {}
        found = measured(SMALL if args.small else FULL, args.only, args.folder)
        runs = {**earlier.get("runs", {}), **found["runs"]}
        document = {**earlier, "small": args.small, **found, "runs": runs}
        text = f"{json.dumps(document, indent=1)}\n"
        if args.json:
            args.json.write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    except KeyboardInterrupt:
        tell("interrupted")
        return 130
    except (BenchmarkError, OSError, ValueError) as error:
        tell(f"benchmarks: {error}")
        return 2
    return 0 if is_sound(document) else 1


def _earlier(file: Path | None, small: bool) -> dict[str, Any]:
    """Return the figures of an earlier run, among which those of this one are to stand.

    Raises:
        BenchmarkError: where they are of another size.
        OSError, ValueError: where the file cannot be read.
    """
    if file is None or not file.is_file():
        return {}
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if document.get("small") != small:
        raise BenchmarkError(f"{file} is of a run of another size; name another --json")
    return document


def is_sound(document: dict[str, Any]) -> bool:
    """Tell whether all pushes of a run came through, and left a whole repository."""
    return all(one["whole"] and not one["failures"] for one in document.get("crowd", []))


def measured(size: Size, parts: Sequence[str], place: Path | None = None) -> dict[str, Any]:
    """Measure parts, in a folder that is removed again; return the figures as JSON has them."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(
        prefix="fleet-", dir=place, ignore_cleanup_errors=True
    ) as made:
        folder = Path(made).resolve()
        if "refs" in parts:
            found["refs"] = [_beside(folder, size, count) for count in size.refs]
        if "machines" in parts or "crowd" in parts:
            fleet = Fleet.made(folder / "fleet", size)
            if "machines" in parts:
                found["machines"] = fleet.sent()
            if "crowd" in parts:
                found["crowd"] = [fleet.crowd(*one) for one in size.crowds]
    told = {"on": f"{datetime.now(UTC):%Y-%m-%d}", **machine(), "load": _load()}
    return {"runs": dict.fromkeys(parts, told), **found}


def _load() -> float:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


# --- beside the refs of others ------------------------------------------------------------------


def _beside(folder: Path, size: Size, count: int) -> dict[str, Any]:
    """Measure one machine beside ``count`` checkpoints of others on the remote."""
    tell(f"refs: {count:,} checkpoints of others")
    remote = bare(folder / f"undo-{count}.git")
    refs = fill(remote, count)
    home, project = folder / f"home-{count}", folder / f"project-{count}"
    files = make_tree(project, size.files)
    with counting(folder / f"wire-{count}") as wire:
        url = wire.url(remote)
        with _machine(home, url) as opened:
            _take(opened, project)
            held = bytes_in(remote)
            first = _crossed(wire, opened.push)
            first["kept"] = bytes_in(remote) - held
            files[len(files) // 2].write_text("def changed(): pass\n", encoding="utf-8")
            _take(opened, project)
            held = bytes_in(remote)
            one = _crossed(wire, opened.push)
            one["kept"] = bytes_in(remote) - held
        advertised = _advertised(remote)
        with _machine(folder / f"reader-{count}", url) as reader:
            of_project = _crossed(wire, lambda: reader.pull(working_dir=project))
            catalog = _bytes_of_catalog(reader)
            of_all = _crossed(wire, reader.pull)
            again = _crossed(wire, lambda: reader.pull(working_dir=project))
            listed = len(reader.remote_list())
            grown = _bytes_of_catalog(reader) - catalog
    if listed != count + 2:
        raise BenchmarkError(f"{listed} checkpoints are listed and not {count + 2}")
    return {
        "checkpoints": count,
        "refs": refs,
        "advertised": advertised,
        "first": first,
        "incremental": one,
        "pull_project": of_project,
        "pull_all": of_all,
        "pull_project_again": again,
        "listed": listed,
        "listed_bytes": grown,
        "gc_seconds": _collected(remote),
        "kept_after_gc": bytes_in(remote),
        "load": _load(),
    }


@contextmanager
def _machine(home: Path, url: object) -> Iterator[Checkpoints]:
    """Open the base of a machine, whose home names the remote."""
    home.mkdir(exist_ok=True)
    section = {"url": str(url), "secrets": "allow", "timeout_seconds": 600}
    text = json.dumps({"checkpoints": {"enabled": True, "remote": section}})  # JSON is YAML
    (home / "config.yaml").write_text(text, encoding="utf-8")
    with Checkpoints.open(home) as opened:
        yield opened


def _take(opened: Checkpoints, project: Path) -> None:
    taken = opened.project(project).take("before write_file")
    if not isinstance(taken, Taken):
        raise BenchmarkError(f"no checkpoint was taken: {taken}")


def _crossed(wire: Wire, action: Callable[[], Sequence[PushResult | PullResult]]) -> dict[str, Any]:
    """Do something with the remote, and return its bytes and time."""
    wire.read()
    started = time.perf_counter()
    _require_done(action())
    seconds = time.perf_counter() - started
    crossed = wire.read()
    return {
        "sent": crossed.sent,
        "received": crossed.received,
        "calls": crossed.calls,
        "seconds": round(seconds, 3),
    }


def _require_done(results: Sequence[PushResult | PullResult]) -> None:
    for one in results:
        if not one.complete:
            raise BenchmarkError(f"the remote did not do it: {one.error or one}")


def _advertised(remote: Path) -> int:
    """Return how many bytes of refs a push is told before it sends anything."""
    command = ["git", "receive-pack", str(remote)]
    done = subprocess.run(command, input=b"0000", check=True, capture_output=True)
    return len(done.stdout)


def _bytes_of_catalog(opened: Checkpoints) -> int:
    """Return the bytes of the catalog without what is free in it."""
    with closing(sqlite3.connect(opened.home / "checkpoints/catalog.db")) as connection:
        pages, free, page = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * page)


def _collected(remote: Path) -> float:
    """Collect a repository as its server does; return the seconds that it took."""
    started = time.perf_counter()
    asked_of(remote, "gc", "--quiet", "--prune=now")
    return round(time.perf_counter() - started, 3)


# --- many machines ------------------------------------------------------------------------------


@dataclass
class Fleet:
    """Machines with a home and projects each, and the one remote of all."""

    folder: Path
    remote: Path
    size: Size
    version: int = 0

    @classmethod
    def made(cls, folder: Path, size: Size) -> Fleet:
        """Make the remote and the projects; no machine has taken or sent anything yet."""
        folder.mkdir()
        fleet = cls(folder, bare(folder / "undo.git"), size)
        for number in range(size.machines):
            for project in fleet.projects(number):
                make_tree(project, size.project_files, seed=f"{number} {project.name}")
        return fleet

    def projects(self, number: int) -> list[Path]:
        return [self.folder / f"work{number}/project{one}" for one in range(self.size.projects)]

    def sent(self) -> dict[str, Any]:
        """Let all machines send a first checkpoint of each project, then later ones with one
        changed file; return what the repository holds."""
        size = self.size
        tell(f"machines: {size.machines} send to one repository")
        firsts = size.machines * size.projects
        self._round_of_all()
        loose = bytes_in(self.remote)
        gc_first = _collected(self.remote)
        first = bytes_in(self.remote)
        held = first
        for _ in range(size.later):
            self._round_of_all()
        unpacked = bytes_in(self.remote) - held
        gc_later = _collected(self.remote)
        later = firsts * size.later
        return {
            "machines": size.machines,
            "projects": firsts,
            "files": size.project_files,
            "checkpoints": firsts + later,
            "refs": len(refs_in(self.remote)),
            "first_bytes": round(loose / firsts),
            "first_bytes_after_gc": round(first / firsts),
            "later_bytes": round(unpacked / later),
            "later_bytes_after_gc": round((bytes_in(self.remote) - first) / later),
            "gc_seconds": [gc_first, gc_later],
            "whole": self._is_whole(),
            "load": _load(),
        }

    def _round_of_all(self) -> None:
        """Let each machine in turn take a checkpoint of each of its projects and send them."""
        self.version += 1
        for number in range(self.size.machines):
            with _machine(self.folder / f"home{number}", self.remote) as opened:
                for project in self.projects(number):
                    _change(project, self.version)
                    _take(opened, project)
                _require_done(opened.push())

    def crowd(self, pushers: int, rounds: int) -> dict[str, Any]:
        """Let so many machines push at the same time, each project by itself, again and again."""
        tell(f"crowd: {pushers} push at once")
        context = multiprocessing.get_context("fork")
        told = context.Queue()
        barrier = context.Barrier(pushers, timeout=_LONGEST)
        first = self.version + 1
        self.version += rounds
        before = len(self._checkpoints())
        with self._workers(context, pushers, (barrier, told, first, rounds)) as workers:
            answers = [told.get(timeout=_LONGEST) for _ in workers]
        seconds = sorted(one for answer in answers for one in answer["seconds"])
        failed = [one for answer in answers for one in answer["failures"]]
        spans = zip(*(answer["spans"] for answer in answers), strict=True)
        wall = sum(max(end for _, end in of) - min(begin for begin, _ in of) for of in spans)
        arrived = len(self._checkpoints()) - before
        if not seconds:
            raise BenchmarkError(f"no push of {pushers} came through: {failed[:1]}")
        return {
            "pushers": pushers,
            "pushes": pushers * rounds * self.size.projects,
            "arrived": arrived,
            "failures": len(failed),
            "failed": sorted(set(failed))[:5],
            "per_second": round(len(seconds) / wall, 1),
            "median_seconds": round(statistics.median(seconds), 3),
            "p99_seconds": round(seconds[max(0, -(-len(seconds) * 99 // 100) - 1)], 3),
            "refs": len(refs_in(self.remote)),
            "whole": arrived == pushers * rounds * self.size.projects and self._is_whole(),
            "load": _load(),
        }

    @contextmanager
    def _workers(self, context: Any, pushers: int, told: tuple[Any, ...]) -> Iterator[list[Any]]:
        workers = [context.Process(target=self._push, args=(n, *told)) for n in range(pushers)]
        for one in workers:
            one.start()
        try:
            yield workers
        except BaseException:
            for one in workers:
                one.terminate()
            raise
        finally:
            for one in workers:
                one.join()

    def _push(self, number: int, barrier: Any, told: Any, first: int, rounds: int) -> None:
        """Be one of a crowd: take checkpoints, and send them when all others do."""
        seconds, failures, spans = [], [], []
        try:
            with _machine(self.folder / f"home{number}", self.remote) as opened:
                for version in range(first, first + rounds):
                    for project in self.projects(number):
                        _change(project, version)
                        _take(opened, project)
                    barrier.wait()
                    begin = time.perf_counter()
                    for project in self.projects(number):
                        started = time.perf_counter()
                        [result] = opened.push(working_dir=project)
                        seconds.append(time.perf_counter() - started)
                        if not result.complete:
                            failures.append(result.error or str(result.waiting))
                    spans.append((begin, time.perf_counter()))
                    barrier.wait()
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are not to wait
            barrier.abort()
            failures.append(repr(error))
        told.put({"seconds": seconds, "failures": failures, "spans": spans})

    def _checkpoints(self) -> list[str]:
        return [ref for ref in refs_in(self.remote) if ref.startswith("refs/checkpoints/")]

    def _is_whole(self) -> bool:
        done = subprocess.run(
            ["git", "--git-dir", str(self.remote), "fsck", "--full", "--no-dangling"],
            check=False,
            capture_output=True,
        )
        return done.returncode == 0 and not done.stdout


def _change(project: Path, version: int) -> None:
    """Rewrite a part of one file."""
    files = sorted(project.rglob("*.py"))
    file = files[version % len(files)]
    chooser = random.Random(f"{project} {version}")  # noqa: S311 - the same each time
    added = f"def changed_{version}():\n    return {chooser.getrandbits(64)}\n"
    file.write_text(file.read_text(encoding="utf-8") + added, encoding="utf-8")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())

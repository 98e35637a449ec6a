"""Plans and executes a prune of a large store and counts what it costs.

    python benchmarks/prune.py [--projects N] [--checkpoints N] [--files N] [--home DIR]
                               [--rows N]

First the decisions alone, in a catalog of rows: ``--rows`` projects (10,000) of as many live
checkpoints each as is said, and tombstones beside them. Then a real store: one commit and ref for
each checkpoint, written by one `git fast-import`, and one row through the catalog's own API. Every
project is a directory. Half of the checkpoints are pruned. The run fails when the fastest of three
decisions (where nothing or a tenth goes) or plans takes a second or more, the fastest trim of a
take 2 ms, or the prune more than two gcs or one transaction of refs, or when what is left is not
whole.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import event

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.config import Config
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    CheckpointFacts,
    KeepRules,
    Kind,
    Policy,
)
from hermes_checkpoints.retention.plan import PruneOptions


class CountingGit(Git):
    """Git that counts the commands it runs."""

    commands: ClassVar[Counter[str]] = Counter()

    def run(self, *arguments: str, **options: Any) -> bytes:
        CountingGit.commands[arguments[0]] += 1
        return super().run(*arguments, **options)


def build(checkpoints: Checkpoints, folder: Path, projects: int, each: int, files: int) -> None:
    """Fill the store: each checkpoint changes one of the files of its project."""
    base = checkpoints._base
    base.store.ensure()
    start = datetime.now(UTC) - timedelta(days=1)
    registered = []
    stream: list[bytes] = []
    mark = 0
    for number in range(projects):
        path = folder / f"project-{number:04}"
        path.mkdir(parents=True)
        hash_ = f"{number:016x}"
        registered.append(
            base.catalog.projects.ensure(
                hash_, str(path), start, identity=identity(path), parent=identity(path.parent)
            )
        )
        blobs: dict[int, int] = {}
        for step in range(each):
            for file in range(files) if step == 0 else (step % files,):
                mark += 1
                blobs[file] = mark
                text = f"{number} {step} {file}\n".encode() * 40
                stream.append(b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(text), text))
            mark += 1
            when = int((start + timedelta(minutes=step)).timestamp())
            who = f"Hermes Checkpoint <hermes@local> {when} +0000"
            head = f"commit refs/checkpoints/{hash_}/{step:04}\nmark :{mark}\ncommitter {who}\n"
            tree = "".join(f"M 100644 :{m} tree/file{file}\n" for file, m in blobs.items())
            stream.append(
                f"{head}data 1\nx{tree}M 100644 inline meta.json\ndata 2\n{{}}\n".encode()
            )
    base.store.git.run("fast-import", "--quiet", stdin=b"".join(stream), patience=20)
    refs = base.store.refs()
    asked = "".join(f"{ref}:tree\n" for ref in refs).encode()
    found = base.store.git.run("cat-file", "--batch-check=%(objectname)", stdin=asked, patience=9)
    trees = dict(zip(refs, found.decode().split(), strict=True))
    for project in registered:
        previous = None
        for step in range(each):
            ref = f"refs/checkpoints/{project.hash}/{step:04}"
            moment = start + timedelta(minutes=step)
            changed = range(files) if step == 0 else (step % files,)
            row = base.catalog.checkpoints.add(
                project,
                CheckpointFacts(
                    project.hash,
                    project.working_dir,
                    refs[ref],
                    trees[ref],
                    trees[ref],
                    ref,
                    Kind.AUTO,
                    "before write_file",
                    moment,
                ),
                changes=[_change(refs[ref], file, step) for file in changed],
                added_bytes=4096 * (len(changed) + 3),
                superseded_bytes=0 if step == 0 else 4096,
                previous_id=previous,
                operation_id=None,
                now=moment,
            )
            previous = row._row


def _change(commit: str, file: int, step: int) -> Change:
    return Change(
        f"file{file}",
        ChangeStatus.ADDED if step == 0 else ChangeStatus.MODIFIED,
        new_blob=f"{commit[:32]}{file:08x}",
        new_mode=0o100644,
        new_bytes=400,
        stored_bytes=4096,
    )


def decide(folder: Path, projects: int, each: int) -> bool:
    """Decide about rows alone; return whether that is fast enough."""
    now = datetime.now(UTC)
    with Catalog.open(folder / "catalog.db", folder / "catalog.lock") as catalog:
        _fill(catalog, projects, each, now)
        policies = {
            "decisions, nothing goes": Policy(max_snapshots=each),
            "decisions, a tenth is stale": Policy(max_snapshots=each, retention_days=7),
            "decisions, half goes": Policy(max_snapshots=each // 2),
            "decisions, size cap": Policy(reclaim_bytes=projects * 4096),
            "decisions, calendar": Policy(keep=KeepRules(hourly=5, daily=3, weekly=2, monthly=2)),
        }
        fastest = {}
        for what, policy in policies.items():
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                plan = catalog.plans.plan(policy, now)
                seconds.append(time.perf_counter() - start)
            fastest[what] = min(seconds)
            print(f"{what:<32} {fastest[what] * 1000:>9.0f} ms  {len(plan.drop):>9,} go")
        seconds = []
        for number in range(20):
            start = time.perf_counter()
            catalog.plans.over_limit(Policy(max_snapshots=each - 1), now, f"{number:016x}")
            seconds.append(time.perf_counter() - start)
        print(f"{'trim of a take, the first':<32} {seconds[0] * 1000:>9.1f} ms")
        print(f"{'trim of a take':<32} {min(seconds) * 1000:>9.1f} ms")
    slow = [what for what in list(policies)[:2] if fastest[what] >= 1]
    return not slow and min(seconds) < 0.002


def _fill(catalog: Catalog, projects: int, each: int, now: datetime) -> None:
    """Write projects with ``each`` live checkpoints and a quarter as many tombstones."""
    dead = each // 4
    with catalog._transactions.writing() as connection:
        connection.execute(
            schema.projects.insert(),
            [
                {
                    "hash": f"{number:016x}",
                    "workdir": f"/home/user/projects/project-{number:05}",
                    "created_at": now - timedelta(days=20),
                    "last_touch": now - timedelta(days=0 if number % 10 else 9),
                }
                for number in range(projects)
            ],
        )
        for step in range(dead + each):
            moment = now - timedelta(hours=dead + each - step)
            connection.execute(
                schema.checkpoints.insert(),
                [_row(number, step, moment, step < dead) for number in range(projects)],
            )


def _row(number: int, step: int, moment: datetime, dead: bool) -> dict[str, Any]:
    commit = f"{step:08x}{number:032x}"
    return {
        "project_id": number + 1,
        "commit_id": commit,
        "tree_id": commit,
        "state_id": commit,
        "ref_name": f"refs/checkpoints/{number:016x}/{step:04}",
        "kind": Kind.AUTO,
        "reason": "before write_file",
        "created_at": moment,
        "utc_offset_minutes": 60,
        "added_bytes": 5000,
        "stored_bytes": 4096,
        "superseded_bytes": 4096,
        "held_bytes": 20_000,
        "state": "pruned" if dead else "live",
        "pruned_at": moment if dead else None,
        "prune_reason": "it was too old" if dead else None,
    }


@contextmanager
def timed(what: str, results: dict[str, float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    results[what] = time.perf_counter() - start
    print(f"{what:<32} {results[what] * 1000:>9.0f} ms")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--projects", type=int, default=1000)
    parser.add_argument("--checkpoints", type=int, default=20)
    parser.add_argument("--files", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--home", type=Path)
    args = parser.parse_args(argv)
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary:
        if args.rows and not decide(Path(temporary), args.rows, args.checkpoints):
            print("NOT as wanted: the decisions take too long")
            return 1
        home = args.home or Path(temporary) / "home"
        with Checkpoints.open(home, config=Config(max_snapshots=0)) as checkpoints:
            with timed("build", results):
                build(
                    checkpoints,
                    Path(temporary) / "work",
                    args.projects,
                    args.checkpoints,
                    args.files,
                )
            return _measure(checkpoints, args, results)


def _measure(checkpoints: Checkpoints, args: argparse.Namespace, results: dict[str, float]) -> int:
    base = checkpoints._base
    statements: list[str] = []
    event.listen(
        base.catalog._transactions.engine,
        "before_cursor_execute",
        lambda _c, _cursor, statement, *_rest: statements.append(statement),
    )
    git = base.store.git
    base.store.git = CountingGit(git.repository, git.timeout)
    policy = Policy(max_snapshots=args.checkpoints // 2)
    with timed("status", results):
        checkpoints.status()
    for _ in range(3):
        statements.clear()
        with timed("plan", results):
            plan = checkpoints.plan_prune(policy=policy)
        fastest = min(results["plan"], results.get("fastest plan", results["plan"]))
        results["fastest plan"] = fastest
    print(f"{'statements of the plan':<32} {len(statements):>9}")
    with timed("du, estimated", results):
        told = checkpoints.usage()
    CountingGit.commands.clear()
    with timed("prune of half", results):
        done = checkpoints.prune(plan=plan, options=PruneOptions())
    counts = dict(CountingGit.commands)
    print(f"git processes: {counts}")
    print(f"dropped {len(done.dropped)}; {done.before_bytes:,} to {done.after_bytes:,} bytes")
    with timed("du, estimated, after it", results):
        told = checkpoints.usage()
    with timed("du, measured", results):
        said = checkpoints.usage(measure=True)
    print(f"held: {told.total_bytes:,} bytes estimated, {said.total_bytes:,} measured")
    whole = subprocess.run(
        ["git", f"--git-dir={git.repository}", "fsck", "--connectivity-only"],
        check=False,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    fine = (
        results["fastest plan"] < 1
        and counts.get("repack", 0) <= 2
        and counts.get("update-ref", 0) == 1
        and not done.errors
        and len(done.dropped) == args.projects * (args.checkpoints - args.checkpoints // 2)
        and set(base.store.refs()) == base.catalog.checkpoints.ref_names()
        and whole.returncode == 0
    )
    print("as wanted" if fine else f"NOT as wanted: {done.errors}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

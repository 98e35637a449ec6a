"""Takes, restores and prunes of several processes at once: nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Policy, Taken
from history.old_bases import made
from interpreters import start
from retention.histories import AT_ONCE, History

TAKES = """
import pathlib, random, sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Taken
home, project, worker = sys.argv[1:]
source = random.Random(worker)
with Checkpoints.open(home, config=Config(max_snapshots=4)) as checkpoints:
    for n in range(12):
        files = 600 if n == 5 else 3
        for i in range(files):
            (pathlib.Path(project) / f"f{i}").write_bytes(source.randbytes(300))
        outcome = checkpoints.project(project).take(f"{worker}/{n}")
        assert isinstance(outcome, Taken), outcome
        newest = checkpoints.project(project).list()[0]
        assert checkpoints.project(project).restore(newest.id).complete
"""

PRUNES = """
import sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import LockHeld
from hermes_checkpoints.retention.plan import PruneOptions
from hermes_checkpoints.model import Policy
home, rounds = sys.argv[1:]
done = 0
with Checkpoints.open(home) as checkpoints:
    for _ in range(int(rounds)):
        try:
            plan = checkpoints.plan_prune(policy=Policy(max_snapshots=2, cap_bytes=10**6))
            result = checkpoints.prune(plan=plan, options=PruneOptions())
        except LockHeld:
            continue
        assert not result.errors, result.errors
        assert not result.quarantined
        done += 1
assert done
"""


@pytest.mark.campaign
def test_takes_restores_and_gcs_at_once_lose_nothing(history: History) -> None:
    projects = [history.project(name) for name in ("alpha", "beta")]
    for project in projects:
        history.take(project)
    workers = [
        start(TAKES, history.home, project, number) for number, project in enumerate(projects)
    ]
    workers += [start(PRUNES, history.home, 6) for _ in range(2)]
    assert [worker.finish().returncode for worker in workers] == [0, 0, 0, 0]
    with Checkpoints.open(history.home) as checkpoints:
        assert checkpoints.status().failures == ()
        for project in projects:
            listed = checkpoints.project(project).list()
            assert listed[0].reason.split("/")[1] == "11"
            for checkpoint in listed:
                assert checkpoints.project(project).restore(checkpoint.id).complete
    history.verify()


WATCHED = """#!/bin/sh
case "${GIT_OBJECT_DIRECTORY:+elsewhere} $* " in
elsewhere*) ;;
*" hash-object -w "*|*" update-index "*|*" write-tree "*|*" mktree "*|\\
*" fast-import "*|*" update-ref "*|*" repack "*|*" prune "*|*" pack-objects "*)
    '$PYTHON' -S -c "import fcntl, sys
try: fcntl.flock(open('$LOCK', 'rb'), fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError: held = 'held'
else: held = 'free'
open('$LOG', 'a').write(held + ' ' + ' '.join(sys.argv[1:]) + '\\n')" "$@" ;;
esac
exec '$GIT' "$@"
"""


@pytest.mark.slow
def test_whatever_writes_objects_holds_the_store(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made(tmp_path / "old") / "checkpoints", tmp_path / "former")
    project, log = history.project(), tmp_path / "log"
    lock = history.checkpoints._base.layout.store_lock
    first = history.take(project)
    folder = tmp_path / "watching"
    folder.mkdir()
    text = WATCHED.replace("$PYTHON", sys.executable)
    text = text.replace("$LOCK", str(lock)).replace("$LOG", str(log))
    (folder / "git").write_text(text.replace("$GIT", str(shutil.which("git"))))
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with Checkpoints.open(history.home) as checkpoints:
        handle = checkpoints.project(project)
        for number in range(600):
            (project / f"f{number}").write_text(f"{number}")
        assert isinstance(handle.take("many files"), Taken)
        (project / "data").write_bytes(b"changed")
        handle.diff()
        assert handle.restore(first.id).complete
        assert handle.undo().complete
        assert checkpoints.import_legacy(tmp_path / "former").checkpoints
        handle.drop(first.id)
    found = log.read_text().splitlines()
    assert {"update-index", "write-tree", "repack", "prune"} <= {
        word for line in found for word in line.split()
    }
    assert [line for line in found if line.startswith("free ")] == []


def test_a_pin_is_seen_by_a_prune_or_refused_and_never_comes_in_between(history: History) -> None:
    project = history.project()
    first, _ = history.takes(project, 2)
    checkpoints = history.checkpoints
    plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    database = history.home / "checkpoints" / "catalog.db"
    locked: list[str] = []

    def pin(*arguments: object) -> None:
        """Pin it, from another connection, once a prune has looked whether it is pinned."""
        statement = str(arguments[2])
        if "decided.pinned" not in statement:
            return
        with closing(sqlite3.connect(database, timeout=0)) as other:
            try:
                other.execute("UPDATE checkpoints SET pinned = 1 WHERE id = ?", (first._row,))
                other.commit()
            except sqlite3.OperationalError as error:
                locked.append(str(error))

    engine = checkpoints._base.catalog._transactions.engine
    event.listen(engine, "after_cursor_execute", pin)
    try:
        result = checkpoints.prune(plan=plan, options=AT_ONCE)
    finally:
        event.remove(engine, "after_cursor_execute", pin)
    assert locked == ["database is locked"]
    assert [d.checkpoint.id for d in result.dropped] == [first.id]
    history.verify()
    catalog = checkpoints._base.catalog.checkpoints
    catalog.set_pinned(first._row, pinned=True)
    assert checkpoints._base.catalog.labels.give(first._row, "good") is None
    gone = catalog.get(first._row)
    assert gone is not None
    assert (gone.pinned, gone.labels) == (False, ()), "nobody is told that what is gone is kept"

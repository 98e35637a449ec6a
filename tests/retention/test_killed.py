"""Kill a prune at each arrow of its order of writes: nothing is lost, and the next one finishes.

The kill is real: a git on PATH that ends its parent with SIGKILL at a chosen command.
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from catalog.records import journal
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, OperationKind, OperationOutcome, Policy
from interpreters import run
from retention.histories import AT_ONCE, History
from support import deadly_git, dying_at_the_ref, wait_for_locks

PRUNE = """
import sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.retention.plan import PruneOptions
from hermes_checkpoints.model import Policy
with Checkpoints.open(sys.argv[1]) as checkpoints:
    plan = checkpoints.plan_prune(policy=Policy(max_snapshots=2, orphan_grace=None))
    checkpoints.prune(plan=plan, options=PruneOptions())
"""

TAKE = """
import sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
with Checkpoints.open(sys.argv[1], config=Config(max_snapshots=2)) as checkpoints:
    checkpoints.project(sys.argv[2]).take("the killed one")
"""


def die_at(history: History, command: str, *, after: bool, code: str, arguments: list[str]) -> None:
    environment = deadly_git(history.folder / "bin", command, after=after)
    child = run(code, history.home, *arguments, env=environment)
    assert child.returncode == -signal.SIGKILL
    wait_for_locks(history.home)


def restorable(history: History, project: Path, kept: list[Checkpoint]) -> None:
    """Every checkpoint that is listed can be restored, and the newest are among them."""
    with Checkpoints.open(history.home) as checkpoints:
        listed = checkpoints.project(project).list()
        assert {c.id for c in kept} <= {c.id for c in listed}
        for checkpoint in listed:
            history.git("rev-list", "--objects", checkpoint.id)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("command", ["loose", "packed", "pack-refs", "repack", "prune"])
def test_a_prune_killed_at_any_arrow(history: History, command: str, after: bool) -> None:
    """``loose`` and ``packed`` are where the refs lie that go."""
    project, gone = history.project(), history.project("gone")
    taken = history.takes(project, 5)
    history.takes(gone, 3)
    shutil.rmtree(gone)
    if command in ("loose", "packed"):
        dying = dying_at_the_ref(after=after, goes=True)
        if command == "packed":
            history.git("pack-refs", "--all")
            dying = dying_at_the_ref(after=after, place="/packed-refs")
        assert run(dying + PRUNE, history.home).returncode == -signal.SIGKILL
        wait_for_locks(history.home)
    else:
        die_at(history, command, after=after, code=PRUNE, arguments=[])
    # What git left, before anybody mends it: a listed checkpoint has its ref.
    base = history.checkpoints._base
    assert base.catalog.checkpoints.ref_names() <= set(history.refs())
    restorable(history, project, taken[-2:])
    assert history.checkpoints.project(gone).list() == []
    outcomes = {o.outcome for o in journal(base.catalog, 9, OperationKind.PRUNE)}
    assert OperationOutcome.RUNNING not in outcomes
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=2, orphan_grace=None))
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.errors == ()
    assert [c.id for c in history.checkpoints.project(project).list()] == [
        c.id for c in reversed(taken[-2:])
    ]
    pruned = [c.id for c in taken[:-2]]
    assert base.store.sizes(pruned) == {}, "the space came back"
    history.verify()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_take_killed_while_it_trims(history: History, after: bool) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    (project / "data").write_bytes(b"more")
    child = run(dying_at_the_ref(after=after, goes=True) + TAKE, history.home, str(project))
    assert child.returncode == -signal.SIGKILL
    wait_for_locks(history.home)
    with Checkpoints.open(history.home) as checkpoints:
        newest, second = checkpoints.project(project).list()
        assert (newest.reason, second.id) == ("the killed one", taken[-1].id)
    history.verify()


def test_what_killed_gcs_left_is_swept_however_young_it_is(history: History) -> None:
    history.takes(history.project(), 2)
    pack = history.store / "objects" / "pack"
    debris = [
        pack / "tmp_pack_a1",
        pack / ".tmp-77-pack-b.pack",
        history.store / "objects" / "tmp_obj_c",
    ]
    for path in debris:
        path.write_bytes(b"debris")
    locks = [
        history.store / "packed-refs.lock",
        history.store / "packed-refs.new",
        history.store / "refs" / "checkpoints" / "x.lock",
        history.store / "indexes" / "0123456789abcdef.lock",
    ]
    for path in locks:
        path.touch()
    result = history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    )
    assert result.errors == ()
    assert [path for path in (*debris, *locks) if path.exists()] == []
    assert result.swept == len(debris) + len(locks)
    history.verify()

"""What a forget removes, what it leaves, and what a kill in the middle of it leaves."""

from __future__ import annotations

import os
import resource
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.records import journal
from conftest import GitProcesses
from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.base.lookup import still_kept
from hermes_checkpoints.capture.compare import present
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointPruned,
    GitFailed,
    LockHeld,
    StoreDamaged,
)
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    Forgotten,
    Kind,
    OperationKind,
    OperationOutcome,
    Policy,
    SkippedPath,
    SkipReason,
    Taken,
)
from hermes_checkpoints.object_store import maintenance
from interpreters import run as run_python
from retention.histories import History
from retention.test_purging import blob, loose, objects
from support import Run, deadly_git, dying_at_the_ref, every, wait_for_locks

SECRET = "the password"  # noqa: S105


def take(history: History, project: Path, **options: object) -> Checkpoint:
    outcome = history.checkpoints.project(project).take(**options)  # type: ignore[arg-type]
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def filled(history: History) -> tuple[Path, list[Checkpoint], set[str]]:
    """A project with two versions of a secret in four of five checkpoints, once under another
    name; return its checkpoints, oldest first, and the blobs of the secret."""
    project = history.project()
    (project / "empty").touch()
    (project / "keep.txt").write_text("one")
    taken = [take(history, project, reason="before")]
    (project / "secret.txt").write_text(SECRET)
    (project / "docs").mkdir()
    (project / "docs" / "copy").write_text(SECRET)
    taken.append(take(history, project, reason="with", label="good"))
    (project / "secret.txt").write_text("another password")
    taken.append(take(history, project, reason="changed", kind=Kind.AUTO, session_id="s", turn=1))
    (project / "docs" / "copy").write_text("harmless now")
    taken.append(take(history, project, reason="harmless"))
    (project / "secret.txt").unlink()
    (project / "keep.txt").write_text("two")
    taken.append(take(history, project, reason="without"))
    history.checkpoints.project(project).pin(taken[2])
    blobs = {blob(history, taken[1], "secret.txt"), blob(history, taken[2], "secret.txt")}
    return project, taken, blobs


def forget(history: History, project: Path, path: str = "secret.txt") -> Forgotten:
    return history.checkpoints.project(project).forget(path)


def test_a_content_leaves_every_checkpoint_and_every_object(history: History) -> None:
    project, taken, blobs = filled(history)
    handle = history.checkpoints.project(project)
    plan = handle.plan_forget("secret.txt")
    assert plan.blobs == blobs
    assert [(one.path, one.checkpoints) for one in plan.held] == [
        ("docs/copy", 2),
        ("secret.txt", 3),
    ]
    assert plan.replaced == tuple(one.id for one in taken[1:4])
    assert blobs <= objects(history), "a plan changes nothing"
    done = forget(history, project)
    assert done.errors == ()
    assert objects(history).isdisjoint(blobs)
    assert list(done.replaced) == [one.id for one in taken[1:4]]
    now = handle.list()[::-1]
    assert [one._row for one in now] == [one._row for one in taken]
    same = "kind", "reason", "created_at", "session_id", "turn", "labels", "_previous_row"
    for old, new in zip(taken, now, strict=True):
        assert [getattr(old, name) for name in same] == [getattr(new, name) for name in same]
    assert [one.pinned for one in now] == [False, False, True, False, False]
    assert handle.skipped(now[1]) == [
        SkippedPath("docs/copy", SkipReason.FORGOTTEN, len(SECRET)),
        SkippedPath("secret.txt", SkipReason.FORGOTTEN, len(SECRET)),
    ]
    assert [one.path for one in handle.skipped(now[3])] == ["secret.txt"]
    assert [now[0].id, now[4].id] == [taken[0].id, taken[4].id], "these never held it"
    for one in now:
        listed = [change.path for change in handle.changes(one)]
        assert "secret.txt" not in listed
        assert one.files_changed == len(listed)
    assert [(c.path, c.status.value) for c in handle.changes(now[3])] == [("docs/copy", "A")]
    history.verify()
    (entry, *_) = journal(history.checkpoints._base.catalog, 1, OperationKind.FORGET)
    assert (entry.outcome, entry.code) == (OperationOutcome.DONE, None)


def test_the_former_id_is_answered_and_never_given_to_another_state(history: History) -> None:
    project, taken, _ = filled(history)
    done = forget(history, project)
    handle = history.checkpoints.project(project)
    heir = done.replaced[taken[1].id]
    with pytest.raises(
        CheckpointPruned, match=rf"was replaced by {heir[:8]} on .* since secret\.txt was forgotten"
    ):
        handle.get(taken[1].id)
    assert handle.get("good").id == heir
    with pytest.raises(CheckpointPruned):
        handle.restore(taken[1].id)


@pytest.mark.campaign
def test_who_reads_a_checkpoint_that_is_forgotten_meanwhile_is_told_so(history: History) -> None:
    project, taken, _ = filled(history)
    base = history.checkpoints._base
    with pytest.raises(CheckpointPruned, match="was replaced by"), still_kept(base, taken[1]):
        forget(history, project)
        base.store.state(taken[1].id, taken[1].tree_id)
    with pytest.raises(StoreDamaged), still_kept(base, taken[0]):
        base.store.state(taken[1].id, taken[1].tree_id)


def test_a_comparison_keeps_the_contents_that_it_borrows_of_the_store(history: History) -> None:
    project = history.project()
    (project / "secret.txt").write_text(SECRET)
    taken = take(history, project)
    (project / "secret.txt").write_text("another password")
    handle = history.checkpoints.project(project)
    base = history.checkpoints._base
    secret = blob(history, taken, "secret.txt")
    with present(base, handle._target) as now:
        with (
            pytest.raises(LockHeld),
            exclusive(base.layout.store_lock, purpose="gc", timeout=0),
        ):
            pass
        assert now.workspace.git.run("cat-file", "-p", secret) == SECRET.encode()
    assert forget(history, project).errors == ()


@pytest.mark.campaign
def test_a_forget_removes_what_killed_processes_left_of_the_content(history: History) -> None:
    project, taken, _ = filled(history)
    secret = blob(history, taken[1], "secret.txt")
    of_look = history.store.parent / "scratch-look" / "objects" / secret[:2]
    of_look.mkdir(parents=True)
    shutil.copy(loose(history, secret), of_look / secret[2:])
    left = history.store / "objects" / "pack" / ".tmp-1-pack-1.pack"
    left.write_text("part of a pack")
    forget(history, project)
    assert not of_look.exists()
    assert not left.exists()


def test_a_repack_that_fills_the_disk_leaves_no_part_of_a_pack(history: History) -> None:
    project = history.project()
    (project / "big").write_bytes(os.urandom(2_000_000))
    take(history, project)
    before = {path.name for path in (history.store / "objects" / "pack").iterdir()}
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, usual[1]))
    try:
        with pytest.raises(GitFailed):
            maintenance.repack(history.checkpoints._base.store.git)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert {path.name for path in (history.store / "objects" / "pack").iterdir()} == before
    history.verify()


@pytest.mark.campaign
def test_no_restore_deletes_or_overwrites_the_path_because_of_it(history: History) -> None:
    project, _, _ = filled(history)
    forget(history, project)
    (project / "secret.txt").write_text("mine")
    handle = history.checkpoints.project(project)
    for mode in ("exact", "keep-edits", "overlay"):
        handle.restore("good", mode=mode)
        assert (project / "secret.txt").read_text() == "mine"
        assert (project / "docs" / "copy").read_text() == "harmless now"
        assert (project / "keep.txt").read_text() == "one"
        handle.undo()
    assert (project / "keep.txt").read_text() == "two"


def test_an_undo_keeps_a_file_whose_state_before_the_restore_was_forgotten(
    history: History,
) -> None:
    project = history.project()
    path, other = project / "secret.txt", project / "other.txt"
    path.write_text(SECRET)
    other.write_text("one")
    first = take(history, project)
    path.write_text("another password")
    other.write_text("two")
    handle = history.checkpoints.project(project)
    handle.restore(first)
    forget(history, project)
    plan = handle.plan_undo()
    (kept,) = [step for step in plan.steps if step.path == "secret.txt"]
    assert (kept.action, kept.reason) == (Action.KEEP, "not captured by the checkpoint: forgotten")
    assert handle.undo(plan=plan).complete
    assert path.read_text() == SECRET, "what was there before is gone, so nothing replaces it"
    assert other.read_text() == "two"


@pytest.mark.campaign
def test_undo_of_a_restore_from_before_still_works(history: History) -> None:
    project, taken, _ = filled(history)
    (project / "secret.txt").write_text(SECRET)
    handle = history.checkpoints.project(project)
    safety = handle.restore(taken[0].id, mode="exact").safety
    assert not (project / "secret.txt").exists()
    forget(history, project)
    with pytest.raises(CheckpointPruned):
        handle.get(safety)
    assert handle.undo().complete
    assert (project / "keep.txt").read_text() == "two"
    assert not (project / "secret.txt").exists(), "nothing has it any more"
    assert handle.who("docs/copy")


def test_the_empty_content_goes_at_the_path_alone(history: History) -> None:
    project = history.project()
    (project / "empty").touch()
    (project / "other").touch()
    (project / "data").write_text("x")
    before = take(history, project)
    done = forget(history, project, "empty")
    assert done.plan.blobs == frozenset()
    (new,) = history.checkpoints.project(project).list()
    assert new.id == done.replaced[before.id]
    listed = history.git("ls-tree", "-r", "--name-only", f"{new.id}:tree").split()
    assert listed == ["data", "other"]


def test_a_directory_goes_with_all_that_lies_below_it(history: History) -> None:
    project, taken, _ = filled(history)
    copies = {blob(history, taken[1], "docs/copy"), blob(history, taken[3], "docs/copy")}
    done = forget(history, project, "docs")
    assert done.errors == ()
    assert objects(history).isdisjoint(copies)
    names = history.git("ls-tree", "-r", "--name-only", f"{done.replaced[taken[3].id]}:tree")
    assert names.split() == ["empty", "keep.txt", "secret.txt"]


@pytest.mark.campaign
def test_another_project_that_holds_the_content_is_named_and_loses_it(history: History) -> None:
    project, _, blobs = filled(history)
    other = history.project("beta")
    (other / "pasted").write_text(SECRET)
    (other / "secret.txt").write_text("of another")
    (theirs,) = [take(history, other)]
    own = blob(history, theirs, "secret.txt")
    plan = history.checkpoints.project(project).plan_forget("secret.txt")
    assert [(one.path, one.working_dir) for one in plan.held if one.working_dir == str(other)] == [
        ("pasted", str(other))
    ]
    forget(history, project)
    assert objects(history).isdisjoint(blobs)
    assert own in objects(history), "the same path of another project is another file"
    every_one = history.checkpoints.project(project).forget("secret.txt", all_projects=True)
    assert own in every_one.plan.blobs
    assert own not in objects(history)
    history.verify()


@pytest.mark.campaign
def test_what_is_kept_of_a_lost_checkpoint_is_purged(history: History) -> None:
    project, taken, blobs = filled(history)
    loose(history, blob(history, taken[1], "keep.txt")).rename(project / "aside")
    history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=Policy()))
    assert list((history.store / "objects" / "pack").glob("*.keep"))
    done = forget(history, project)
    assert done.errors == ()
    assert done.purged
    assert objects(history).isdisjoint(blobs)


@pytest.mark.campaign
def test_the_next_take_is_right_and_says_before_that_it_captures_it(history: History) -> None:
    project, _, _ = filled(history)
    (project / "secret.txt").write_text("a new password")
    take(history, project)
    handle = history.checkpoints.project(project)
    done = forget(history, project)
    assert "the next take captures it again" in (done.plan.recaptured or "")
    assert f"docs/copy in {project} held it, too" in (done.plan.recaptured or "")
    assert not (history.store / "indexes" / handle.list()[0].project_hash).exists()
    (project / ".gitignore").write_text("secret.txt\n")
    assert handle.plan_forget("secret.txt").recaptured is None
    newest = take(history, project)
    names = history.git("ls-tree", "-r", "--name-only", f"{newest.id}:tree").split()
    assert names == [".gitignore", "docs/copy", "empty", "keep.txt"]
    history.verify()


@pytest.mark.campaign
def test_a_catalog_made_anew_knows_the_heirs_alone(history: History) -> None:
    project, taken, blobs = filled(history)
    heirs = set(forget(history, project).replaced.values())
    history.checkpoints.close()
    for file in history.store.parent.glob("catalog.db*"):
        file.unlink()
    history.checkpoints = Checkpoints.open(history.home)
    listed = history.checkpoints.project(project).list()
    assert {one.id for one in listed} == heirs | {taken[0].id, taken[4].id}
    assert listed[-2].labels == ("good",)
    assert objects(history).isdisjoint(blobs)
    history.verify()


@pytest.mark.campaign
def test_an_old_store_that_is_put_back_brings_no_former_id_to_life(
    history: History, tmp_path: Path
) -> None:
    project, taken, _ = filled(history)
    shutil.copytree(history.store, tmp_path / "backup")
    forget(history, project)
    shutil.rmtree(history.store)
    shutil.copytree(tmp_path / "backup", history.store)
    history.checkpoints.close()
    history.checkpoints = Checkpoints.open(history.home)
    handle = history.checkpoints.project(project)
    with pytest.raises(CheckpointPruned):
        handle.get(taken[1].id)


@pytest.mark.campaign
def test_where_a_checkpoint_cannot_be_read_nothing_is_forgotten_until_a_prune(
    history: History,
) -> None:
    project, taken, blobs = filled(history)
    broken = loose(history, taken[1].tree_id)
    broken.chmod(0o644)
    broken.write_bytes(b"garbled")
    with pytest.raises(StoreDamaged, match="`hermes checkpoints prune` mends what is damaged"):
        forget(history, project)
    assert blobs <= objects(history)
    history.checkpoints.prune()
    assert forget(history, project).errors == ()
    assert objects(history).isdisjoint(blobs)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("path", ["", ".", "/etc/passwd", "../x", "a/../.."])
def test_what_is_no_path_of_the_project_is_refused(history: History, path: str) -> None:
    project, _, blobs = filled(history)
    with pytest.raises(BadRequest):
        forget(history, project, path)
    assert blobs <= objects(history)


@pytest.mark.campaign
def test_processes_do_not_grow_with_the_checkpoints(
    history: History, git_processes: GitProcesses
) -> None:
    project = history.project()
    counts = []
    for number in (2, 8):
        for step in range(number):
            (project / "secret.txt").write_text(f"{number} {step}")
            take(history, project)
        git_processes.reset()
        forget(history, project)
        counts.append(git_processes.count())
    assert counts[1] <= counts[0]


# --- killed -------------------------------------------------------------------------------------

FORGET = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
home, project, event, count = sys.argv[1:]
left = int(count)
def reached(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def hook(name, args):
    inside = any(isinstance(a, (str, bytes)) and "/store/" in os.fsdecode(a) for a in args)
    if name == event and (name == "subprocess.Popen" or inside):
        reached()
with Checkpoints.open(home) as checkpoints:
    if event in ("commit", "before_cursor_execute"):
        import sqlalchemy
        from sqlalchemy import event as listening
        listening.listen(sqlalchemy.Engine, event, reached)
    else:
        sys.addaudithook(hook)
    checkpoints.project(project).forget("secret.txt")
"""


def points(step: int) -> Iterator[tuple[str, int]]:
    for event, most in (
        ("subprocess.Popen", 60),
        ("commit", 60),
        ("os.rename", 40),
        ("os.remove", 40),
    ):
        for number in range(1, most, step):
            yield event, number
    for number in range(1, 400, 7 * step):
        yield "before_cursor_execute", number


def assert_nothing_is_lost(history: History, project: Path, taken: list[Checkpoint]) -> None:
    """Each checkpoint is there once, as it was or without the secret, and all of it is whole."""
    handle = history.checkpoints.project(project)
    listed = handle.list()[::-1]
    assert [one.reason for one in listed] == [one.reason for one in taken]
    for old, new in zip(taken, listed, strict=True):
        history.git("rev-list", "--objects", "--quiet", new.ref_name)
        if new.id == old.id:
            continue
        assert SkipReason.FORGOTTEN in {one.reason for one in handle.skipped(new)}
        with pytest.raises(CheckpointPruned, match="was replaced by"):
            handle.get(old.id)
    history.verify()


def kill_and_finish(
    history: History, state: Path, filled_: tuple[Path, list[Checkpoint], set[str]], point: str
) -> None:
    """After a kill: nothing is lost, and the same forget ends what it began."""
    project, taken, blobs = filled_
    wait_for_locks(history.home)
    history.checkpoints = Checkpoints.open(history.home)
    assert_nothing_is_lost(history, project, taken)
    faults = examine(history.home, deep=True).faults
    assert not [one for one in faults if one.kind != "forget-unfinished"], point
    done = forget(history, project)
    assert done.errors == (), point
    assert objects(history).isdisjoint(blobs), point
    assert_nothing_is_lost(history, project, taken)
    notes = history.checkpoints.status().notes
    assert not any("forgotten" in note for note in notes), point
    history.checkpoints.close()
    shutil.rmtree(history.home)
    shutil.copytree(state, history.home, symlinks=True)


@pytest.mark.campaign
def test_a_forget_killed_anywhere_loses_nothing_and_is_finished(
    history: History, tmp_path: Path
) -> None:
    made = filled(history)
    history.checkpoints.close()
    shutil.copytree(history.home, tmp_path / "state", symlinks=True)
    ended: set[str] = set()
    for event, number in points(every(2)):
        if event in ended:
            continue
        child = run_python(FORGET, history.home, made[0], event, number)
        assert child.returncode in (0, -signal.SIGKILL), child.stderr
        if child.returncode == 0:
            ended.add(event)
        kill_and_finish(history, tmp_path / "state", made, f"{event} {number}")
    assert len(ended) == 5
    history.checkpoints = Checkpoints.open(history.home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_forget_killed_as_a_ref_goes_is_finished_by_the_next(
    history: History, tmp_path: Path, after: bool
) -> None:
    made = filled(history)
    history.checkpoints.close()
    shutil.copytree(history.home, tmp_path / "state", symlinks=True)
    dying = dying_at_the_ref(after=after, goes=True)
    child = run_python(dying + FORGET, history.home, made[0], "none", 0)
    assert child.returncode == -signal.SIGKILL
    kill_and_finish(history, tmp_path / "state", made, "a ref goes")
    history.checkpoints = Checkpoints.open(history.home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("command", ["fast-import", "prune", "repack"])
def test_a_forget_killed_at_a_git_is_finished_by_the_next(
    history: History, tmp_path: Path, command: str, after: bool
) -> None:
    made = filled(history)
    history.checkpoints.close()
    shutil.copytree(history.home, tmp_path / "state", symlinks=True)
    environment = deadly_git(tmp_path / "bin", command, after=after)
    child = run_python(FORGET, history.home, made[0], "none", 0, env=environment)
    assert child.returncode == -signal.SIGKILL
    kill_and_finish(history, tmp_path / "state", made, command)
    history.checkpoints = Checkpoints.open(history.home)


@pytest.mark.campaign
def test_a_prune_purges_what_a_killed_forget_has_left(history: History, tmp_path: Path) -> None:
    project, _, blobs = filled(history)
    history.checkpoints.close()
    environment = deadly_git(tmp_path / "bin", "repack", after=False)
    child = run_python(FORGET, history.home, project, "none", 0, env=environment)
    assert child.returncode == -signal.SIGKILL
    wait_for_locks(history.home)
    history.checkpoints = Checkpoints.open(history.home)
    assert any("run that `forget` again" in n for n in history.checkpoints.status().notes)
    history.checkpoints.prune()
    assert objects(history).isdisjoint(blobs)
    assert not any("forget" in note for note in history.checkpoints.status().notes)


# --- the command --------------------------------------------------------------------------------


@pytest.mark.campaign
def test_the_command_shows_asks_and_forgets(
    run: Run, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, taken, blobs = filled(history)
    monkeypatch.chdir(project)
    home = "--home", str(history.home)
    shown = run("forget", "secret.txt", "--dry-run", *home)
    assert "  docs/copy in 2 checkpoints of " in shown.out
    assert (
        "Plan: forget 2 contents of secret.txt, take 3 checkpoints once more without" in shown.out
    )
    assert "Copies outside of the checkpoints are not reached" in shown.out
    assert "--json cannot ask" in run("forget", "secret.txt", "--json", *home, code=2).err
    assert blobs <= objects(history)
    document = run("forget", "secret.txt", "--json", "-f", *home).json
    assert list(document["replaced"]) == [one.id for one in taken[1:4]]
    assert document["errors"] == []
    assert objects(history).isdisjoint(blobs)
    again = run("forget", "secret.txt", "-f", *home)
    assert "take 0 checkpoints once more without" in again.out


@pytest.mark.campaign
def test_a_path_that_no_checkpoint_ever_held_is_refused_and_not_called_forgotten(
    run: Run, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _, blobs = filled(history)
    monkeypatch.chdir(project)
    home = "--home", str(history.home)
    for words in ("secret.text -f", "secret.text --dry-run", "--all-projects s -f"):
        told = run("forget", *words.split(), *home, code=2)
        assert "is known to have held" in told.err
        assert "Forgot" not in told.out
    assert blobs <= objects(history)
    run("forget", "secret.txt", "-f", *home)
    run("forget", "secret.txt", "-f", *home)  # once more is no mistake

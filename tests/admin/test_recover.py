"""What a killed process leaves, and that the next opening finds and mends it.

The kill is real: a git on PATH that ends its parent with SIGKILL at a chosen command.
"""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import CatalogDamaged
from hermes_checkpoints.model import Checkpoint, Taken, Unchanged
from interpreters import run, start
from support import deadly_git, dying_at_the_ref, wait_for_locks


def take_and_die(
    home: Path, project: Path, environment: dict[str, str] | None = None, *, dying: str = ""
) -> None:
    code = dying + (
        "import sys; from hermes_checkpoints import Checkpoints\n"
        "project = Checkpoints.open(sys.argv[1]).project(sys.argv[2])\n"
        "project.take('the killed one', session_id='s', turn=4)"
    )
    child = run(code, home, project, env=environment)
    assert child.returncode == -signal.SIGKILL
    wait_for_locks(home)


def journal(home: Path) -> list[tuple[str, str, str | None]]:
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        rows = catalog.execute("SELECT kind, outcome, code FROM operations ORDER BY id").fetchall()
    catalog.close()
    return rows


def facts(checkpoint: Checkpoint) -> tuple[object, ...]:
    c = checkpoint
    return (
        *(c.id, c.tree_id, c.state_id, c.ref_name, c.kind, c.reason, c.created_at),
        *(c.utc_offset_minutes, c.label, c.session_id, c.turn, c.message_count),
        *(c.file_count, c.logical_bytes, c.files_changed, c.insertions, c.deletions),
        *(c.skipped_count, c.ignored_count),
    )


def test_a_take_killed_after_its_ref_is_read_back(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
    (project / "new.txt").write_text("n\n")
    take_and_die(home, project, dying=dying_at_the_ref(after=True))
    with Checkpoints.open(home) as checkpoints:
        newest, oldest = checkpoints.project(project).list()
        assert newest.reason == "the killed one"
        assert (newest.session_id, newest.turn, newest._previous_row) == ("s", 4, oldest._row)
        assert [c.path for c in checkpoints.project(newest.working_dir).changes(newest)] == [
            "new.txt"
        ]
        assert checkpoints.project(project).take() == Unchanged(newest)
        assert checkpoints.status().interrupted == 0
    assert ("take", "done", "read-back") in journal(home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("empty", [False, True])
def test_a_killed_take_that_is_not_whole_is_not_read_back(
    home: Path, project: Path, empty: bool
) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = checkpoints.project(project).take("one")
        assert isinstance(first, Taken)
    (project / "new.txt").write_text("n\n")
    take_and_die(home, project, dying=dying_at_the_ref(after=True))
    store = home / "checkpoints/store"
    command = ["git", f"--git-dir={store}"]
    blob = subprocess.check_output([*command, "hash-object", project / "new.txt"], text=True)
    file = store / "objects" / blob[:2] / blob[2:].strip()
    file.unlink()
    if empty:
        file.touch()
    with Checkpoints.open(home) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == [first.checkpoint.id]
        assert checkpoints.status().interrupted == 0
        refs = subprocess.check_output([*command, "for-each-ref"], text=True)
        assert len(refs.splitlines()) == 1
        again = checkpoints.project(project).take("again")
        assert isinstance(again, Taken)
    subprocess.run([*command, "fsck", "--strict", again.checkpoint.id], check=True)
    assert ("take", "failed", "interrupted") in journal(home)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("command", ["update-index", "write-tree", "the ref"])
def test_a_take_killed_before_its_ref_leaves_no_checkpoint(
    home: Path, project: Path, tmp_path: Path, command: str
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
    (project / "new.txt").write_text("n\n")
    if command == "the ref":
        take_and_die(home, project, dying=dying_at_the_ref(after=False))
    else:
        take_and_die(home, project, deadly_git(tmp_path / "bin", command, after=False))
    with Checkpoints.open(home) as checkpoints:
        assert [c.reason for c in checkpoints.project(project).list()] == ["one"]
        outcome = checkpoints.project(project).take("again")
        assert isinstance(outcome, Taken)
        assert [
            c.path
            for c in checkpoints.project(outcome.checkpoint.working_dir).changes(outcome.checkpoint)
        ] == ["new.txt"]
    assert not [row for row in journal(home) if row[1] == "running"]


def test_locks_of_refs_that_a_dead_git_left_stop_no_prune_that_is_finished(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = checkpoints.project(project).take("one")
        (project / "new.txt").write_text("n\n")
        second = checkpoints.project(project).take("two")
        assert isinstance(first, Taken)
        assert isinstance(second, Taken)
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        catalog.execute(
            "UPDATE checkpoints SET state = 'pruning', pruned_at = created_at WHERE commit_id = ?",
            (first.checkpoint.id,),
        )
    store = home / "checkpoints" / "store"
    lock = store / f"{first.checkpoint.ref_name}.lock"
    other = store / f"{second.checkpoint.ref_name}.lock"
    for path in (lock, other, store / "packed-refs.lock"):
        path.write_bytes(b"")
    with Checkpoints.open(home) as checkpoints:
        assert [one.id for one in checkpoints.list_all()] == [second.checkpoint.id]
    assert not lock.exists()
    assert not other.exists()
    assert not (store / first.checkpoint.ref_name).exists()


@pytest.mark.campaign
def test_the_first_take_killed_at_any_command_can_be_repeated(
    home: Path, project: Path, tmp_path: Path
) -> None:
    for command in ("init", "ls-files", "update-index", "write-tree", "diff-tree", "the ref"):
        for after in (False, True):
            shutil.rmtree(home, ignore_errors=True)
            if command == "the ref":
                take_and_die(home, project, dying=dying_at_the_ref(after=after))
            else:
                take_and_die(home, project, deadly_git(tmp_path / "bin", command, after=after))
            with Checkpoints.open(home) as checkpoints:
                outcome = checkpoints.project(project).take("again")
                assert isinstance(outcome, Taken | Unchanged), (command, after, outcome)
                assert len(checkpoints.project(project).list()) == 1
                checkpoints.project(project).restore("1")


ODD_TRAILERS = {
    "Turn": (2**64, "3"),
    "Messages": (2**63,),
    "Files": (None, 1.5, [1]),
    "Offset": (2**64, "east"),
    "Session": (5,),
    "Label": (7,),
    "Reason": (4,),
    "State": (5,),
    "Former": ("ab" * 20,),
    "Workdir": ("/nul\0", 5),
    "Time": (5, "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00"),
}


@pytest.mark.campaign
def test_a_commit_that_says_nonsense_costs_only_itself(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        made = checkpoints.project(project).take("sound")
        assert isinstance(made, Taken)
    store = home / "checkpoints" / "store"

    def git(*arguments: str, text: str = "") -> str:
        who = ["-c", "user.name=n", "-c", "user.email=e"]
        command = ["git", *who, f"--git-dir={store}", *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, input=text
        ).stdout.strip()

    said = git("cat-file", "commit", made.checkpoint.id).partition("\n\n")[2]
    odd = {}
    for trailer, values in ODD_TRAILERS.items():
        lines = [line for line in said.splitlines() if not line.startswith(f"Hermes-{trailer}: ")]
        for number, value in enumerate(values):
            text = "\n".join([*lines, f"Hermes-{trailer}: {json.dumps(value)}", ""])
            ref = f"{made.checkpoint.ref_name}-{trailer.lower()}-{number}"
            odd[ref] = git("commit-tree", f"{made.checkpoint.id}^{{tree}}", text=text)
            git("update-ref", ref, odd[ref])
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(home) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == [made.checkpoint.id]
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog:
        (found,) = catalog.execute("SELECT message FROM operations WHERE kind = 'rebuild'")
    assert str(found[0]).startswith("1 checkpoint read from the store; ")
    for ref, commit in odd.items():
        assert f"{ref} cannot be" in found[0]
        assert f"checkpoint commit {commit}" in found[0]
        assert git("rev-parse", ref) == commit


def test_a_lost_catalog_is_rebuilt_from_the_store(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one | two", label="first", session_id="s", turn=1)
        (project / "run.sh").chmod(0o700)
        (project / "src" / "app.py").write_text("x\n")
        checkpoints.project(project).take("zweitens: größer")
        other = project.with_name("other")
        shutil.copytree(project, other)
        checkpoints.project(other).take("")
        before = [*checkpoints.project(project).list(), *checkpoints.project(other).list()]
        changes = [checkpoints.project(c.working_dir).changes(c) for c in before]
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(home) as checkpoints:
        after = [*checkpoints.project(project).list(), *checkpoints.project(other).list()]
        assert [facts(c) for c in after] == [facts(c) for c in before]
        for old, checkpoint in zip(changes, after, strict=True):
            new = checkpoints.project(checkpoint.working_dir).changes(checkpoint)
            assert [(c.path, c.status, c.new_blob, c.new_mode, c.new_bytes) for c in new] == [
                (c.path, c.status, c.new_blob, c.new_mode, c.new_bytes) for c in old
            ]
        assert checkpoints.project(project).restore("first").complete


@pytest.mark.slow
def test_a_rebuild_that_was_killed_is_repeated(home: Path, project: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for step in range(3):
            (project / "f").write_text(f"{step}\n")
            checkpoints.project(project).take(f"step {step}")
        before = [facts(c) for c in checkpoints.project(project).list()]
    for command in ("cat-file", "diff-tree"):
        for file in (home / "checkpoints").glob("catalog.db*"):
            file.unlink()
        environment = deadly_git(tmp_path / "bin", command, after=False)
        code = (
            "import sys; from hermes_checkpoints import Checkpoints; Checkpoints.open(sys.argv[1])"
        )
        killed = run(code, home, env=environment)
        assert killed.returncode == -signal.SIGKILL, command
        wait_for_locks(home)
        with Checkpoints.open(home) as checkpoints:
            assert [facts(c) for c in checkpoints.project(project).list()] == before, command


def test_a_base_opens_without_git_and_is_read_once_git_is_there(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    (tmp_path / "empty").mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "empty"))
        with Checkpoints.open(home) as checkpoints:
            assert checkpoints.project(project).list() == []
    with Checkpoints.open(home) as checkpoints:
        assert [c.reason for c in checkpoints.project(project).list()] == ["one"]


@pytest.mark.campaign
def test_one_damaged_checkpoint_costs_only_itself_in_a_rebuild(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for step in range(3):
            (project / "f").write_text(f"{step}\n")
            checkpoints.project(project).take(f"step {step}")
        middle = checkpoints.project(project).list()[1]
    store = home / "checkpoints" / "store"
    (store / "objects" / middle.tree_id[:2] / middle.tree_id[2:]).unlink()
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(home) as checkpoints:
        assert [c.reason for c in checkpoints.project(project).list()] == ["step 2", "step 0"]
        assert (project / "f").read_text() == "2\n"
        checkpoints.project(project).restore("2")
        assert (project / "f").read_text() == "0\n"
    assert next(row[:2] for row in journal(home)) == ("rebuild", "partial")


def test_a_damaged_catalog_is_refused_and_left_alone(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
    catalog = home / "checkpoints" / "catalog.db"
    catalog.write_bytes(b"this is no database" * 100)
    with pytest.raises(CatalogDamaged, match=r"move catalog\.db"):
        Checkpoints.open(home)
    assert catalog.read_bytes() == b"this is no database" * 100
    catalog.rename(catalog.with_name("catalog.db.damaged"))
    with Checkpoints.open(home) as checkpoints:
        assert [c.reason for c in checkpoints.project(project).list()] == ["one"]


TAKE_MANY = """
import pathlib, sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Taken, Unchanged
home, project, worker = sys.argv[1:]
with Checkpoints.open(home) as checkpoints:
    for n in range(5):
        (pathlib.Path(project) / f"w{worker}").write_text(f"{n}\\n")
        outcome = checkpoints.project(project).take(f"{worker}/{n}")
        assert isinstance(outcome, Taken | Unchanged), outcome
"""


@pytest.mark.campaign
def test_parallel_takes_of_one_project_all_succeed(home: Path, project: Path) -> None:
    workers = [start(TAKE_MANY, home, project, number) for number in range(4)]
    assert [worker.finish().returncode for worker in workers] == [0, 0, 0, 0]
    with Checkpoints.open(home) as checkpoints:
        listed = checkpoints.project(project).list()
        assert len({c.state_id for c in listed}) == len(listed)
        assert isinstance(checkpoints.project(project).take(), Unchanged)
        assert not checkpoints.status().failures
        store = home / "checkpoints" / "store"
        fsck = ["git", f"--git-dir={store}", "fsck", "--strict"]
        assert subprocess.run(fsck, check=False, capture_output=True).returncode == 0

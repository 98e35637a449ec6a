"""A take: what it stores, what it refuses, what it costs, and that it says how it ended."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.capture.redact import redact
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import (
    ChangeStatus,
    Checkpoint,
    Failed,
    Kind,
    Skipped,
    Taken,
    TakeOutcome,
    Unchanged,
)
from interpreters import run

LISTING = ("cat-file", "--batch-all-objects", "--batch-check")


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def failed(outcome: TakeOutcome) -> str:
    assert isinstance(outcome, Failed), outcome
    return str(outcome.error)


def store_git(home: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={home}/checkpoints/store", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# --- what it stores ---------------------------------------------------------------------------


def test_a_checkpoint_is_one_parentless_commit_with_its_own_ref(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = taken(checkpoints.project(project).take("one"))
        (project / "second.txt").write_text("2\n")
        second = taken(checkpoints.project(project).take("two"))
        refs = store_git(home, "for-each-ref", "--format=%(refname) %(objectname) %(parent)")
        assert sorted(line.split() for line in refs.splitlines()) == sorted(
            [[first.ref_name, first.id], [second.ref_name, second.id]]
        )
        prefix = f"refs/checkpoints/{first.project_hash}/"
        assert all(c.ref_name.startswith(prefix) for c in (first, second))
        assert store_git(home, "rev-parse", f"{second.id}:tree").strip() == second.tree_id


def test_contents_are_stored_once_for_two_identical_projects(home: Path, project: Path) -> None:
    twin = project.with_name("twin")
    shutil.copytree(project, twin, symlinks=True)
    with Checkpoints.open(home) as checkpoints:
        one = taken(checkpoints.project(project).take("one"))
        before = set(store_git(home, *LISTING).split("\n"))
        two = taken(checkpoints.project(twin).take("two"))
        after = set(store_git(home, *LISTING).split("\n"))
    assert one.tree_id == two.tree_id
    # Only the new commit: even the facts beside the tree are the same object.
    assert [line.split()[1] for line in after - before] == ["commit"]


def test_changes_are_rows_with_blobs_bytes_and_lines(home: Path, project: Path) -> None:
    (project / "edit.txt").write_text("a\nb\n")
    (project / "gone.txt").write_text("x\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        (project / "edit.txt").write_text("a\nc\nd\n")
        (project / "gone.txt").unlink()
        (project / "new.bin").write_bytes(b"\0\1\2")
        two = taken(checkpoints.project(project).take("two"))
        rows = {c.path: c for c in checkpoints.project(two.working_dir).changes(two)}
    assert set(rows) == {"edit.txt", "gone.txt", "new.bin"}
    edit, gone, new = rows["edit.txt"], rows["gone.txt"], rows["new.bin"]
    assert (edit.status, edit.old_bytes, edit.new_bytes) == (ChangeStatus.MODIFIED, 4, 6)
    assert (edit.insertions, edit.deletions) == (2, 1)
    assert (gone.status, gone.new_blob, gone.old_bytes) == (ChangeStatus.DELETED, None, 2)
    assert (new.status, new.insertions, new.new_bytes) == (ChangeStatus.ADDED, None, 3)
    assert new.stored_bytes > 0
    assert (two.files_changed, two.insertions, two.deletions) == (3, 2, 2)


def test_file_count_and_bytes_of_the_tree_follow_every_change(home: Path, project: Path) -> None:
    def on_disk() -> tuple[int, int]:
        files = [p for p in project.rglob("*") if p.is_symlink() or p.is_file()]
        return len(files), sum(p.lstat().st_size for p in files)

    with Checkpoints.open(home) as checkpoints:
        for step in range(4):
            (project / f"n{step}").write_text("x" * step * 7)
            if step:
                (project / f"n{step - 1}").unlink()
            checkpoint = taken(checkpoints.project(project).take(f"step {step}"))
            assert (checkpoint.file_count, checkpoint.logical_bytes) == on_disk()


def test_kind_session_turn_and_label_are_kept(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        outcome = checkpoints.project(project).take(
            "why | not", kind=Kind.AUTO, session_id="s-1", turn=3, label="before x"
        )
        made = taken(outcome)
        found = checkpoints.project(project).get("before x")
    assert found == made
    assert (found.kind, found.session_id, found.turn) == (Kind.AUTO, "s-1", 3)
    assert found.reason == "why | not"


def test_a_kind_may_be_its_name_and_a_wrong_one_is_a_failure(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        assert "no kind" in failed(checkpoints.project(project).take(kind="nonsense"))  # type: ignore[arg-type]
        made = taken(checkpoints.project(project).take(kind="auto"))  # type: ignore[arg-type]
        assert made.kind is Kind.AUTO


def test_an_unchanged_directory_adds_nothing(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = taken(checkpoints.project(project).take("one"))
        again = checkpoints.project(project).take("two")
        assert again == Unchanged(first)
        assert len(checkpoints.project(project).list()) == 1


def test_touching_a_file_is_no_change(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        for path in project.rglob("*"):
            if path.is_file() and not path.is_symlink():
                os.utime(path, (1_000_000_000, 1_000_000_000))
        assert isinstance(checkpoints.project(project).take("two"), Unchanged)


def test_an_empty_directory_can_be_checkpointed(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with Checkpoints.open(home) as checkpoints:
        made = taken(checkpoints.project(empty).take("nothing yet"))
        assert made.file_count == 0
        assert isinstance(checkpoints.project(empty).take("still"), Unchanged)


def test_secrets_in_a_reason_are_not_stored(home: Path, project: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    with Checkpoints.open(home) as checkpoints:
        made = taken(checkpoints.project(project).take(f"before terminal: curl -u me:{token} x"))
    assert token not in made.reason
    assert token not in store_git(home, "cat-file", "-p", made.id)
    assert token.encode() not in (home / "checkpoints" / "catalog.db").read_bytes()


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "piece",
    [
        *("x", "x_", "a.", "token", "token='", "secret= ", "://", "eyJ-", "--token ", "bearer "),
        *("my ", "password is ", "my password for a ", "with the token ", "pin is '", "!?"),
    ],
)
def test_a_reason_of_any_length_is_looked_through_at_once(piece: str) -> None:
    ending = " x --password hunter22"
    begun = time.process_time()
    found = redact(piece * (200_000 // len(piece)) + ending)
    assert time.process_time() - begun < 10  # a pattern that tries each place anew takes minutes
    assert "hunter22" not in found


def test_base_and_catalog_are_private(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        base = home / "checkpoints"
        assert stat.S_IMODE(base.stat().st_mode) == 0o700
        for name in ("catalog.db", "catalog.db-wal", "catalog.db-shm"):
            if (base / name).exists():
                assert stat.S_IMODE((base / name).stat().st_mode) == 0o600, name


def test_the_projects_own_git_stays_byte_identical(home: Path, project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@x"]
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    def snapshot() -> dict[str, tuple[bytes, int]]:
        files = [p for p in (project / ".git").rglob("*") if p.is_file()]
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    (project / "stashed.txt").write_text("s\n")
    git("add", "-A")
    git("stash")
    before = snapshot()
    assert any(name.endswith("refs/stash") for name in before)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        (project / "more.txt").write_text("m\n")
        checkpoints.project(project).take("two")
        checkpoints.project(project).diff("2")
        checkpoints.project(project).restore("2")
    assert snapshot() == before


# --- what it refuses ---------------------------------------------------------------------------


def test_too_broad_directories_are_skipped_with_the_reason(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "people" / "me"
    user.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user))
    link = tmp_path / "link"
    link.symlink_to(user)
    inside = home / "checkpoints" / "store"
    with Checkpoints.open(home) as checkpoints:
        inside.mkdir(exist_ok=True)
        expected = {
            "/": "root",
            str(user): "home",
            str(link): "home",
            str(user.parent): "above-home",
            "/tmp": "temporary-root",
            str(home / "checkpoints"): "checkpoint-base",
            str(inside): "checkpoint-base",
        }
        for path, code in expected.items():
            outcome = checkpoints.project(path).take()
            assert isinstance(outcome, Skipped), (path, outcome)
            assert outcome.code == code
        (user / "work").mkdir()
        assert isinstance(checkpoints.project(user / "work").take(), Taken)


def test_too_many_files_are_refused_before_anything_is_hashed(home: Path, project: Path) -> None:
    limit = Config(max_files=10)
    with Checkpoints.open(home, config=limit) as checkpoints:
        for n in range(11):
            (project / f"f{n}").write_text(str(n))
        outcome = checkpoints.project(project).take()
        assert isinstance(outcome, Skipped)
        assert outcome.code == "too-many-files"
        assert store_git(home, "count-objects").startswith("0 objects")


def test_ignored_files_do_not_count(home: Path, project: Path) -> None:
    (project / "node_modules").mkdir()
    for n in range(30):
        (project / "node_modules" / f"f{n}").write_text(str(n))
    with Checkpoints.open(home, config=Config(max_files=20)) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)


def test_a_known_project_that_grows_too_large_is_refused(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_files=20)) as checkpoints:
        first = taken(checkpoints.project(project).take())
        for n in range(20):
            (project / f"f{n}").write_text(str(n))
        outcome = checkpoints.project(project).take()
        assert isinstance(outcome, Skipped)
        for n in range(20):
            (project / f"f{n}").unlink()
        assert checkpoints.project(project).take() == Unchanged(first)


@pytest.mark.parametrize(
    ("name", "words"), [("missing", "does not exist"), ("file.txt", "is not a directory")]
)
def test_no_directory_is_a_failure_with_the_remedy(
    home: Path, tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "file.txt").write_text("x")
    with Checkpoints.open(home) as checkpoints:
        assert words in failed(checkpoints.project(tmp_path / name).take())


def test_no_git_is_a_failure_with_the_remedy(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    with Checkpoints.open(home) as checkpoints:
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
        assert "install git" in failed(checkpoints.project(project).take())
        status = checkpoints.status()
    assert [run.count for run in status.failures] == [1]
    assert "install git" in status.failures[0].last_error


def test_an_old_git_is_a_failure_with_the_remedy(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "git").write_text("#!/bin/sh\necho git version 2.17.1\n")
    (old / "git").chmod(0o755)
    with Checkpoints.open(home) as checkpoints:
        monkeypatch.setenv("PATH", f"{old}{os.pathsep}{os.environ['PATH']}")
        assert "2.32 or newer" in failed(checkpoints.project(project).take())
        assert not (home / "checkpoints" / "store" / "HEAD").exists()


HUNG_ONCE = """
import os, sys
from hermes_checkpoints import Checkpoints
home, project, hanging = sys.argv[1:]
usual = os.environ["PATH"]
with Checkpoints.open(home) as checkpoints:
    handle = checkpoints.project(project)
    os.environ["PATH"] = hanging + os.pathsep + usual
    print(handle.take().error)
    print([run.count for run in checkpoints.status().failures])
    os.environ["PATH"] = usual
    made = handle.take().checkpoint
    print(made.file_count, checkpoints.status().failures)
    os.remove(project + "/README.md")
    print(handle.restore(made).complete)
"""


@pytest.mark.campaign
def test_a_git_that_hung_once_costs_one_take(home: Path, project: Path, tmp_path: Path) -> None:
    hanging = tmp_path / "hanging"
    hanging.mkdir()
    (hanging / "git").write_text(
        '#!/bin/sh\nfor a in "$@"; do [ "$a" = init ] && exec sleep 600; done\n'
        f'exec "{shutil.which("git")}" "$@"\n'
    )
    (hanging / "git").chmod(0o755)
    environment = {**os.environ, "HERMES_CHECKPOINT_TIMEOUT": "10"}
    lines = run(HUNG_ONCE, home, project, hanging, env=environment).stdout.splitlines()
    assert lines[0].startswith("git init ran for more than 10 s")
    assert lines[1:] == ["[1]", "6 ()", "True"]
    assert (project / "README.md").exists()


def test_every_outcome_is_in_the_journal(home: Path, project: Path, tmp_path: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(session_id="s", turn=1)
        checkpoints.project(project).take()
        checkpoints.project("/").take()
        checkpoints.project(tmp_path / "missing").take()
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        rows = catalog.execute("SELECT kind, outcome, code FROM operations ORDER BY id").fetchall()
        failures = catalog.execute("SELECT code FROM recent_failures").fetchall()
    catalog.close()
    assert rows == [
        ("take", "done", None),
        ("take", "unchanged", None),
        ("take", "skipped", "root"),
        ("take", "failed", "bad-directory"),
    ]
    assert failures == [("bad-directory",), ("root",)]


# --- after trouble -----------------------------------------------------------------------------


def test_a_damaged_index_is_rebuilt(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = taken(checkpoints.project(project).take())
        index = home / "checkpoints" / "store" / "indexes" / first.project_hash
        for damage in (b"", b"\0" * 4096, b"DIRC garbage"):
            index.write_bytes(damage)
            assert checkpoints.project(project).take() == Unchanged(first), damage
            index.with_name(index.name + ".state").write_bytes(damage)
            assert checkpoints.project(project).take() == Unchanged(first), damage


def test_a_dead_index_lock_is_removed(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = taken(checkpoints.project(project).take())
        lock = home / "checkpoints" / "store" / "indexes" / f"{first.project_hash}.lock"
        lock.write_bytes(b"")
        (project / "new").write_text("n")
        taken(checkpoints.project(project).take())
        assert not lock.exists()


def test_a_store_without_refs_or_head_heals(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = taken(checkpoints.project(project).take())
        store = home / "checkpoints" / "store"
        (store / "HEAD").unlink()
        (project / "new").write_text("n")
        second = taken(checkpoints.project(project).take())
        shutil.rmtree(store / "refs")
        (project / "new").write_text("m")
        third = taken(checkpoints.project(project).take())
        assert checkpoints.project(project).get(third.id) == third
        assert first.id != second.id


def test_a_store_that_lost_everything_is_not_called_unchanged(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        shutil.rmtree(home / "checkpoints" / "store")
        again = taken(checkpoints.project(project).take("two"))
        assert store_git(home, "rev-parse", again.ref_name).strip() == again.id


def test_objects_that_the_index_names_but_the_store_lost_are_stored_anew(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        objects = home / "checkpoints" / "store" / "objects"
        for folder in objects.iterdir():
            if len(folder.name) == 2:
                shutil.rmtree(folder)
        (project / "new").write_text("n")
        second = taken(checkpoints.project(project).take("two"))
        store_git(home, "fsck", "--connectivity-only", second.id)


# --- what it costs -----------------------------------------------------------------------------


@pytest.mark.campaign
def test_the_catalog_grows_with_changes_and_not_with_files(home: Path, project: Path) -> None:
    """Two projects of which one has 25 times the files, and the same small changes in both."""
    grown = []
    for files in (20, 500):
        folder = project / str(files)
        folder.mkdir()
        for number in range(files):
            (folder / f"file-{number:04}.txt").write_text(f"{number}\n")
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(folder).take("first")
        sizes = [_catalog_bytes(home)]
        with Checkpoints.open(home) as checkpoints:
            for step in range(15):
                (folder / "file-0000.txt").write_text(f"{step}th\n")
                taken(checkpoints.project(folder).take("next"))
        sizes.append(_catalog_bytes(home))
        grown.append(sizes[1] - sizes[0])
    assert min(grown) > 0
    assert grown[1] < grown[0] + 15 * 480 * 4, "four bytes for each file and checkpoint"


def _catalog_bytes(home: Path) -> int:
    """Return how many bytes of the catalog are in use."""
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        pages, free, size = (
            catalog.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    catalog.close()
    return int((pages - free) * size)


def test_process_counts(home: Path, project: Path, git_processes: GitProcesses) -> None:
    processes = git_processes
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take("one")
        processes.reset()
        assert isinstance(checkpoints.project(project).take("again"), Unchanged)
        assert processes.count() <= 3
        for step in range(3):
            processes.reset()
            (project / "edit.txt").write_text(f"{step}\n")
            if step == 1:
                (project / "new-directory" / "deeper").mkdir(parents=True)
                (project / "new-directory" / "deeper" / "f").write_text("f")
            if step == 2:
                shutil.rmtree(project / "new-directory")
            assert isinstance(checkpoints.project(project).take(f"step {step}"), Taken)
            assert processes.count() <= 8, processes.commands()
        processes.reset()
        assert len(checkpoints.project(project).list()) == 4
        assert checkpoints.project(project).get("2") == checkpoints.project(project).list()[1]
        checkpoints.status()
        assert processes.count() == 0

"""What a take reports as taken is in the store, whole; what is damaged there is written anew."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Checkpoint, Failed, Mode, Taken, TakeOutcome, Unchanged
from hermes_checkpoints.object_store.commits import META
from hermes_checkpoints.object_store.packs import in_pack
from hermes_checkpoints.object_store.quarantine import FOLDER
from support import OrdinaryUserLike, files

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[:-5],
    "garbled": lambda data: data[:-3] + bytes(b ^ 1 for b in data[-3:]),
}
PARTS = {"blob": ":tree/data", "tree": ":tree", "root": "^{tree}", "facts": f":{META}"}


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def git(home: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={home}/checkpoints/store", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def require_whole(home: Path, checkpoint: Checkpoint) -> None:
    """Let git read and check every object that the store has, and list all of the checkpoint."""
    git(home, "fsck", "--full", "--strict", checkpoint.id)
    git(home, "rev-list", "--objects", "--quiet", checkpoint.id)


def loose(home: Path, object_id: str) -> Path:
    return home / "checkpoints/store/objects" / object_id[:2] / object_id[2:]


def spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(DAMAGE[how](data))


def two_states(home: Path, tree: Path, store: Checkpoints) -> tuple[Checkpoint, Checkpoint]:
    (tree / "data").write_text("first state\n" * 30)
    first = taken(store.project(tree).take("first"))
    (tree / "data").write_text("second state\n" * 30)
    return first, taken(store.project(tree).take("second"))


# --- what is damaged is moved aside and written again -----------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_object_that_a_take_needs_is_moved_aside_and_written_again(
    home: Path, tree: Path, store: Checkpoints, part: str, how: str
) -> None:
    first, second = two_states(home, tree, store)
    victim = git(home, "rev-parse", first.id + PARTS[part])
    spoil(loose(home, victim), how)
    damaged = loose(home, victim).read_bytes()
    (tree / "data").write_text("first state\n" * 30)
    third = taken(store.project(tree).take("third"))
    require_whole(home, third)
    assert third.tree_id == first.tree_id
    assert [c.path for c in store.project(tree).changes(third)] == ["data"]
    aside = home / "checkpoints/store" / FOLDER / "objects" / victim[:2] / victim[2:]
    assert aside.read_bytes() == damaged
    store.project(tree).restore(second, mode=Mode.EXACT)
    store.project(tree).restore(first, mode=Mode.EXACT)
    assert (tree / "data").read_text() == "first state\n" * 30


def test_what_a_damaged_pack_should_have_is_written_again(
    home: Path, tree: Path, store: Checkpoints
) -> None:
    first, _ = two_states(home, tree, store)
    git(home, "repack", "-a", "-d", "-q")
    (pack,) = (home / "checkpoints/store/objects/pack").glob("*.pack")
    data = pack.read_bytes()
    pack.chmod(0o600)
    pack.write_bytes(data[:12] + bytes(b ^ 1 for b in data[12:-20]) + data[-20:])
    (tree / "data").write_text("first state\n" * 30)
    third = taken(store.project(tree).take("third"))
    pack.rename(tree.parent / pack.name)
    pack.with_suffix(".idx").unlink()
    require_whole(home, third)
    assert third.tree_id == first.tree_id


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("how", ["gone", *DAMAGE])
def test_an_unchanged_directory_whose_tree_is_damaged_is_not_called_safe(
    home: Path, project: Path, store: Checkpoints, how: str
) -> None:
    first = taken(store.project(project).take("first"))
    before = files(project)
    path = loose(home, first.tree_id)
    path.unlink() if how == "gone" else spoil(path, how)
    second = taken(store.project(project).take("second"))
    require_whole(home, second)
    assert store.project(project).take() == Unchanged(second)
    shutil.rmtree(project / "src")
    store.project(project).restore(second, mode=Mode.EXACT)
    assert files(project) == before


def test_a_missing_or_cut_pack_has_nothing_and_a_look_at_one_costs_no_process(
    home: Path, project: Path, store: Checkpoints, git_processes: GitProcesses
) -> None:
    first = taken(store.project(project).take("first"))
    git(home, "repack", "-a", "-d", "-q")
    objects = git(home, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    folder = home / "checkpoints/store"
    git_processes.reset()
    assert all(in_pack(folder, name) for name in objects)
    assert not in_pack(folder, "0" * 40)
    assert not in_pack(folder, "f" * 40)
    assert not in_pack(folder, "--output=x")
    assert git_processes.count() == 0
    assert store.project(project).take() == Unchanged(first)
    assert git_processes.count() <= 3
    (pack,) = (folder / "objects/pack").glob("*.pack")
    index = pack.with_suffix(".idx")
    index.unlink()
    git(home, "index-pack", "--index-version=1", "-o", str(index), str(pack))
    assert all(in_pack(folder, name) for name in objects)
    assert not in_pack(folder, "0" * 40)
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:-7])
    assert not any(in_pack(folder, name) for name in objects)
    second = taken(store.project(project).take("second"))
    pack.unlink()
    pack.with_suffix(".idx").unlink()
    require_whole(home, second)


def test_the_safety_checkpoint_of_a_restore_is_proven_too(
    home: Path, tree: Path, store: Checkpoints
) -> None:
    first, _ = two_states(home, tree, store)
    (tree / "data").write_text("third state\n")
    third = taken(store.project(tree).take("third"))
    (tree / "data").write_text("second state\n" * 30)
    blob = git(home, "hash-object", str(tree / "data"))
    spoil(loose(home, blob), "empty")
    safety = store.project(tree).restore(first, mode=Mode.EXACT).safety
    require_whole(home, safety)
    assert third.id != safety.id


# --- what cannot be written is not reported as taken -------------------------------------------


def _closed_folders(tmp: Path) -> None:
    home, tree = tmp / "user/.hermes", tmp / "tree"
    tree.mkdir()
    objects = home / "checkpoints/store/objects"
    with Checkpoints.open(home, config=Config(max_snapshots=0)) as store:
        (tree / "file").write_text("0\n")
        kept = [taken(store.project(tree).take()).id]
        for number in range(256):
            (objects / f"{number:02x}").mkdir(exist_ok=True)
            if number % 8 == 0:
                (objects / f"{number:02x}").chmod(0o555)
        refused = 0
        for number in range(8):
            (tree / "file").write_text(f"{number + 1}\n")
            (tree / f"folder{number}").mkdir()
            (tree / f"folder{number}/file").write_text(f"{number} too\n")
            outcome = store.project(tree).take()
            if isinstance(outcome, Taken):
                require_whole(home, outcome.checkpoint)
                kept.append(outcome.checkpoint.id)
            else:
                refused += 1
                assert isinstance(outcome, Failed), outcome
                words = str(outcome.error)
                assert outcome.error.code == "base-unwritable", words
                named = Path(words.partition(" cannot be written (Permission denied)")[0])
                assert named.parent == objects, words
                assert named.stat().st_mode & 0o777 == 0o555
        assert refused > 1
        assert {c.id for c in store.project(tree).list()} == set(kept)
        refs = git(home, "for-each-ref", "--format=%(objectname)").split()
        assert set(refs) == set(kept)
        for folder in objects.glob("??"):
            folder.chmod(0o755)
        last = store.project(tree).take()
        if isinstance(last, Taken):
            require_whole(home, last.checkpoint)
            assert last.checkpoint.file_count == 9


@pytest.mark.campaign
def test_where_some_object_folders_are_closed_a_take_is_whole_or_fails_and_names_the_folder(
    user: OrdinaryUserLike,
) -> None:
    user(_closed_folders, user.tmp)

"""Rows and refs agree, both ways, before anything is collected: whichever side was damaged or comes
from a backup, nothing that is still there is lost, and what is gone is told."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CatalogDamaged, CheckpointLost
from hermes_checkpoints.model import Checkpoint, Policy, PruneResult, Taken
from retention.histories import AT_ONCE, History
from support import Run, crossed

KEEP_ALL = Config(max_snapshots=0, max_total_size_mb=0)


def pruned(history: History, keep: int = 0) -> PruneResult:
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
    return history.checkpoints.prune(plan=plan, options=AT_ONCE)


def listed(history: History, project: Path) -> list[str]:
    return [c.id for c in history.checkpoints.project(project).list()]


def ids(taken: list[Checkpoint]) -> list[str]:
    return [c.id for c in reversed(taken)]


def reopened(history: History) -> Checkpoints:
    return Checkpoints.open(history.home, config=KEEP_ALL)


def loose(history: History, object_id: str) -> Path:
    return history.store / "objects" / object_id[:2] / object_id[2:]


def restorable(history: History, project: Path) -> None:
    for checkpoint in history.checkpoints.project(project).list():
        history.git("rev-list", "--objects", checkpoint.id)


# --- refs that are gone ------------------------------------------------------------------------


def empty_packed(history: History, taken: list[Checkpoint]) -> None:
    (history.store / "packed-refs").write_bytes(b"")


def delete_refs(history: History, taken: list[Checkpoint]) -> None:
    for checkpoint in taken:
        history.git("update-ref", "-d", checkpoint.ref_name)


def empty_loose_ref(history: History, taken: list[Checkpoint]) -> None:
    (history.store / "packed-refs").unlink()
    for checkpoint in taken:
        path = history.store / checkpoint.ref_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def garbage_in_packed(history: History, taken: list[Checkpoint]) -> None:
    path = history.store / "packed-refs"
    path.write_bytes(path.read_bytes()[:-30] + b"\0\0\xff garbage")


def folder_of_refs_gone(history: History, taken: list[Checkpoint]) -> None:
    (history.store / "packed-refs").unlink()
    shutil.rmtree(history.store / "refs" / "checkpoints", ignore_errors=True)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("damage", "reopen"),
    crossed(
        3,
        [empty_packed, delete_refs, empty_loose_ref, garbage_in_packed, folder_of_refs_gone],
        [False, True],
    ),
)
def test_pinned_and_live_checkpoints_survive_a_prune_whose_refs_were_damaged(
    history: History, damage: object, reopen: bool
) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    history.checkpoints.project(project).pin(taken[0])
    pruned(history)
    assert callable(damage)
    damage(history, taken)
    if reopen:
        reopened(history).close()
    pruned(history)
    assert pruned(history).errors == ()
    assert listed(history, project) == ids(taken)
    history.verify()
    notes = " ".join(history.checkpoints.status().notes)
    assert " written again" in notes


def test_a_ref_that_names_another_commit_is_set_right_and_the_other_is_adopted(
    history: History,
) -> None:
    project = history.project()
    first, second = history.takes(project, 2)
    history.git("update-ref", first.ref_name, second.id)
    history.git("update-ref", "-d", second.ref_name)
    assert pruned(history).errors == ()
    assert listed(history, project) == [second.id, first.id]
    history.verify()


def test_a_ref_that_names_what_is_no_commit_is_set_right_and_nothing_is_lost(
    history: History,
) -> None:
    project = history.project()
    first, second = history.takes(project, 2)
    blob = history.git("rev-parse", f"{first.id}:meta.json").strip()
    path = history.store / first.ref_name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{blob}\n")
    assert pruned(history).errors == (
        f"{first.ref_name} is broken; it was moved aside in the store",
    )
    assert history.checkpoints.project(project).lost() == []
    assert listed(history, project) == [second.id, first.id]
    assert pruned(history).errors == ()
    history.verify()


def test_an_opening_sets_a_ref_right_that_leads_nowhere(history: History) -> None:
    project = history.project()
    first, second = history.takes(project, 2)
    path = history.store / first.ref_name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(f"{'1' * 40}\n")
    other = path.with_name("another")
    other.write_text(f"{second.id}\n")  # so that the opening sees that refs changed
    reopened(history).close()
    assert listed(history, project) == [second.id, first.id]
    assert history.git("rev-parse", first.ref_name).strip() == first.id


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ["with blank", "two..dots", "que?stion", "end.", "\udcff"])
def test_a_file_whose_name_git_refuses_stops_no_prune(history: History, name: str) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    path = (history.store / taken[0].ref_name).with_name(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{taken[0].id}\n")
    (told,) = pruned(history).errors
    named = name.replace("\udcff", "\\xff")
    assert told.endswith(f"/{named} is broken; it was moved aside in the store")
    assert pruned(history).errors == ()
    assert listed(history, project) == ids(taken)
    history.verify()


@pytest.mark.campaign
def test_a_folder_in_the_place_of_packed_refs_is_moved_aside(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    pruned(history)
    (history.store / "packed-refs").unlink()
    (history.store / "packed-refs").mkdir()
    pruned(history)
    assert pruned(history).errors == ()
    assert listed(history, project) == ids(taken)
    history.verify()


def test_a_ref_of_ours_that_is_no_checkpoint_is_named(history: History) -> None:
    project = history.project()
    (taken,) = history.takes(project, 1)
    ref = taken.ref_name.rpartition("/")[0] + "/mine"
    who = "-c", "user.name=me", "-c", "user.email=me"
    other = history.git(*who, "commit-tree", "-m", "mine", f"{taken.id}^{{tree}}").strip()
    history.git("update-ref", ref, other)
    (told,) = pruned(history).errors
    assert ref in told
    assert listed(history, project) == [taken.id]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("small", "repacks"), [(4_096, 1), (1, 2)])
def test_loose_objects_are_packed_beforehand_unless_all_is_packed_in_a_moment(
    history: History,
    git_processes: GitProcesses,
    monkeypatch: pytest.MonkeyPatch,
    small: int,
    repacks: int,
) -> None:
    monkeypatch.setattr("hermes_checkpoints.object_store.maintenance._SMALL_FILES", small)
    monkeypatch.setattr("hermes_checkpoints.retention.run.LOOSE_IS_MANY", 1)
    project = history.project()
    history.takes(project, 3)
    git_processes.reset()
    pruned(history, keep=2)
    assert sum("repack" in command for command in git_processes.commands()) == repacks
    assert history.git("count-objects", "-v").splitlines()[0] == "count: 0"
    assert len(listed(history, project)) == 2


def test_what_no_ref_reaches_goes_with_one_process_that_packs_where_much_lies_loose(
    history: History, git_processes: GitProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_checkpoints.retention.run.LOOSE_IS_MANY", 1)
    project = history.project()
    history.takes(project, 3)
    history.git("hash-object", "-w", "--stdin")
    history.git("pack-refs", "--all")
    git_processes.reset()
    pruned(history, keep=2)
    commands = [" ".join(command) for command in git_processes.commands()]
    assert len(commands) == 2
    assert "cat-file" in commands[0]
    assert "repack" in commands[1]
    counts = dict(line.split(": ") for line in history.git("count-objects", "-v").splitlines())
    assert (counts["count"], counts["packs"]) == ("0", "1")
    assert not list((history.home / "checkpoints" / "store" / "objects").glob("??"))
    assert history.git("fsck", "--full", "--unreachable", "--no-progress") == ""
    assert len(listed(history, project)) == 2


def test_the_normal_prune_costs_one_process_more_and_an_opening_none(
    history: History, git_processes: GitProcesses
) -> None:
    project = history.project()
    history.takes(project, 3)
    git_processes.reset()
    pruned(history, keep=2)
    names = [
        next(w for w in c if not w.startswith("-") and "=" not in w)
        for c in git_processes.commands()
    ]
    assert names == ["cat-file", "pack-refs", "prune", "repack"]
    history.take(project)
    with Checkpoints.open(history.home, config=Config(max_snapshots=2)) as other:
        (project / "data").write_bytes(b"one that trims")
        assert isinstance(other.project(project).take(), Taken)
    git_processes.reset()
    reopened(history).close()
    assert git_processes.count() == 0


# --- backups -------------------------------------------------------------------------------------


def copy_catalog(history: History, target: Path) -> None:
    base = history.home / "checkpoints"
    with (
        closing(sqlite3.connect(base / "catalog.db")) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


def put_catalog_back(history: History, saved: Path) -> None:
    base = history.home / "checkpoints"
    history.checkpoints._base.catalog.close()
    for file in base.glob("catalog.db*"):
        file.unlink()
    shutil.copy(saved, base / "catalog.db")


def test_a_catalog_from_a_backup_gets_the_checkpoints_that_were_taken_since(
    history: History, tmp_path: Path
) -> None:
    project = history.project()
    before = history.takes(project, 2)
    history.checkpoints.project(project).pin(before[0])
    copy_catalog(history, tmp_path / "saved")
    since = history.takes(project, 2)
    put_catalog_back(history, tmp_path / "saved")
    with reopened(history) as checkpoints:
        found = checkpoints.project(project).list()
        assert [c.id for c in found] == ids(before + since)
        assert found[-1].pinned
        assert any("2 checkpoints read from the store" in n for n in checkpoints.status().notes)
        assert checkpoints.project(project).restore("3", mode="exact").complete


def test_a_catalog_from_before_a_prune_names_what_is_gone(history: History, tmp_path: Path) -> None:
    project = history.project()
    taken = history.takes(project, 4)
    copy_catalog(history, tmp_path / "saved")
    pruned(history, keep=2)
    put_catalog_back(history, tmp_path / "saved")
    with reopened(history) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == ids(taken[2:])
        with pytest.raises(CheckpointLost, match="the object store lost part of it: its commit"):
            checkpoints.project(project).restore(taken[0].id)
        assert any("2 checkpoints are lost" in note for note in checkpoints.status().notes)


def copy_store(history: History, target: Path) -> None:
    shutil.copytree(history.store, target, symlinks=True)


def put_store_back(history: History, saved: Path) -> None:
    shutil.rmtree(history.store)
    shutil.copytree(saved, history.store, symlinks=True)


def test_a_store_from_a_backup_marks_what_it_lacks_until_the_right_one_is_back(
    history: History, tmp_path: Path, run: Run
) -> None:
    project = history.project()
    before = history.takes(project, 2)
    copy_store(history, tmp_path / "old")
    since = history.takes(project, 2)
    history.checkpoints.project(project).pin(since[0])
    history.checkpoints.project(project).label(since[1], "best")
    copy_store(history, tmp_path / "new")
    changes = history.checkpoints.project(project).changes(since[1])
    put_store_back(history, tmp_path / "old")
    with reopened(history) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == ids(before)
        with pytest.raises(CheckpointLost, match="Once a backup of"):
            checkpoints.project(project).get(since[0])
    assert f"{since[0].short_id}" in run("log", project, "--home", history.home).out
    pruned(history)
    put_store_back(history, tmp_path / "new")
    with reopened(history) as checkpoints:
        own = checkpoints.project(project)
        assert [c.id for c in own.list()] == ids(before + since)
        assert own.get(since[0]).pinned
        assert own.get("best").id == since[1].id
        assert own.changes(since[1]) == changes
        assert not any("lost" in note for note in checkpoints.status().notes)
        assert own.restore(since[0], mode="exact").complete
    assert pruned(history).errors == ()


@pytest.mark.campaign
def test_what_was_pruned_comes_back_with_a_store_that_has_it(
    history: History, tmp_path: Path
) -> None:
    project = history.project()
    taken = history.takes(project, 4)
    copy_store(history, tmp_path / "old")
    pruned(history, keep=1)
    put_store_back(history, tmp_path / "old")
    with reopened(history) as checkpoints:
        own = checkpoints.project(project)
        assert [c.id for c in own.list()] == ids(taken)
        assert own.restore(taken[0], mode="exact").complete
        assert any("3 checkpoints listed again" in n for n in checkpoints.status().notes)
    pruned(history)
    history.verify()


def test_a_store_that_was_deleted_marks_all_as_lost_and_comes_back(
    history: History, tmp_path: Path
) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    history.store.rename(tmp_path / "away")
    with reopened(history) as checkpoints:
        assert checkpoints.project(project).list() == []
        outcome = checkpoints.project(project).take("in a new store")
        assert isinstance(outcome, Taken)
    shutil.rmtree(history.store)
    (tmp_path / "away").rename(history.store)
    with reopened(history) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == ids(taken)
        with pytest.raises(CheckpointLost):
            checkpoints.find(outcome.checkpoint.id)


@pytest.mark.campaign
def test_an_emptied_catalog_beside_a_store_with_refs_is_damage_and_not_a_new_one(
    history: History,
) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    catalog = history.home / "checkpoints" / "catalog.db"
    history.checkpoints._base.catalog.close()
    for file in catalog.parent.glob("catalog.db*"):
        file.unlink()
    catalog.touch()
    for _ in range(2):
        with pytest.raises(CatalogDamaged, match=r"empty.*pins.*move catalog\.db"):
            reopened(history)
    assert catalog.stat().st_size == 0
    catalog.unlink()
    with reopened(history) as checkpoints:
        assert [c.id for c in checkpoints.project(project).list()] == ids(taken)
        assert any("2 checkpoints read from the store" in n for n in checkpoints.status().notes)


def test_an_empty_file_without_a_store_is_a_new_catalog(tmp_path: Path) -> None:
    base = tmp_path / "home" / "checkpoints"
    base.mkdir(parents=True)
    (base / "catalog.db").touch()
    with Checkpoints.open(tmp_path / "home") as checkpoints:
        assert checkpoints.status().checkpoint_count == 0


# --- broken objects ------------------------------------------------------------------------------


def folder(path: Path) -> None:
    path.mkdir()


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("put", [folder, link_to_nothing, os.mkfifo])
@pytest.mark.parametrize("part", ["commit", "contents"])
def test_what_is_no_file_in_the_place_of_an_object_is_moved_aside(
    history: History, put: Callable[[Path], None], part: str
) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    blob = history.git("rev-parse", f"{taken[1].id}:tree/data").strip()
    place = loose(history, taken[1].id if part == "commit" else blob)
    place.unlink()
    put(place)
    assert pruned(history).errors != ()
    assert pruned(history).errors == ()
    assert listed(history, project) == [taken[2].id, taken[0].id]
    history.verify()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("part", ["commit", "tree with the facts", "captured tree"])
@pytest.mark.parametrize("new_catalog", [False, True], ids=["catalog kept", "catalog lost"])
def test_a_garbled_commit_or_tree_costs_its_checkpoint_only(
    history: History, part: str, new_catalog: bool
) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    root = history.git("rev-parse", f"{taken[1].id}^{{tree}}").strip()
    of_part = {"commit": taken[1].id, "tree with the facts": root}
    broken = loose(history, of_part.get(part, taken[1].tree_id))
    broken.chmod(0o644)
    broken.write_bytes(b"garbled" * 20)
    if new_catalog:
        history.checkpoints.close()
        for file in history.store.parent.glob("catalog.db*"):
            file.unlink()
        history.checkpoints = reopened(history)
    elif part == "tree with the facts":  # the catalog and the facts of others tell what it was
        assert pruned(history).errors == ()
        assert listed(history, project) == ids(taken)
        history.verify()
        return
    assert pruned(history).errors != ()
    assert pruned(history).errors == ()
    assert listed(history, project) == [taken[2].id, taken[0].id]
    if not new_catalog:
        assert [c.id for c in history.checkpoints.project(project).lost()] == [taken[1].id]
    history.verify()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("reachable", "contents"),
    [(True, b""), (True, b"garbled" * 20), (False, b"")],
    ids=["needed-empty", "needed-garbled", "needed by nothing-empty"],
)
def test_a_broken_loose_object_is_moved_aside_and_healed_from_the_working_directory(
    history: History, contents: bytes, reachable: bool
) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    if reachable:
        broken = loose(history, history.git("rev-parse", f"{taken[1].id}:tree/data").strip())
    else:
        broken = loose(history, "ab" * 20)
        broken.parent.mkdir(exist_ok=True)
        broken.touch()
    broken.chmod(0o600)
    broken.write_bytes(contents)
    result = history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=Policy()))
    assert any("moved aside" in text for text in result.mended), result
    assert (history.store / "quarantine-files" / "objects").is_dir()
    assert result.errors == ()
    assert listed(history, project) == ids(taken)
    history.verify()
    assert pruned(history).mended == ()


def test_a_garbled_object_that_nothing_needs_goes_like_any_other(history: History) -> None:
    taken = history.takes(history.project(), 2)
    garbled = loose(history, "ab" * 20)
    garbled.parent.mkdir(exist_ok=True)
    garbled.write_bytes(b"garbled" * 20)
    result = history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=Policy()))
    assert (result.mended, result.errors, garbled.exists()) == ((), (), False)
    assert listed(history, history.project()) == ids(taken)
    history.verify()


@pytest.mark.campaign
def test_what_cannot_be_healed_is_marked_and_gc_goes_on(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    history.checkpoints.project(project).pin(taken[0])
    broken = loose(history, history.git("rev-parse", f"{taken[0].id}:tree/data").strip())
    broken.chmod(0o600)
    broken.write_bytes(b"")
    result = pruned(history)
    assert result.quarantined == (taken[0].ref_name,)
    assert any(taken[0].short_id in error for error in result.errors)
    assert listed(history, project) == ids(taken[1:])
    with pytest.raises(CheckpointLost, match="its contents"):
        history.checkpoints.find(taken[0].id)
    assert "(pinned)" in " ".join(history.checkpoints.status().notes)
    assert pruned(history).errors == ()
    history.git("cat-file", "-e", f"{taken[0].id}:meta.json")


def test_the_label_of_a_lost_checkpoint_says_that_it_is_lost(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    history.checkpoints.project(project).label(taken[0], "good-start")
    loose(history, taken[0].tree_id).unlink()
    pruned(history)
    with pytest.raises(CheckpointLost, match="is lost: the object store lost part of it: its tree"):
        history.checkpoints.project(project).get("good-start")
    new = history.take(project, label="good-start")
    assert history.checkpoints.project(project).get("good-start").id == new.id


def test_a_lost_checkpoint_is_live_again_once_the_store_has_its_contents(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    broken = loose(history, history.git("rev-parse", f"{taken[0].id}:tree/data").strip())
    saved = broken.read_bytes()
    broken.unlink()
    pruned(history)
    assert listed(history, project) == ids(taken[1:])
    broken.parent.mkdir(exist_ok=True)
    broken.write_bytes(saved)
    pruned(history)
    assert listed(history, project) == ids(taken)
    history.verify()


def the_pack(history: History) -> Path:
    (pack,) = (history.store / "objects" / "pack").glob("*.pack")
    return pack


def without_index(pack: Path) -> None:
    pack.with_suffix(".idx").unlink()


def without_pack(pack: Path) -> None:
    pack.unlink()


def empty_pack(pack: Path) -> None:
    pack.chmod(0o600)
    pack.write_bytes(b"")


def empty_index(pack: Path) -> None:
    index = pack.with_suffix(".idx")
    index.chmod(0o600)
    index.write_bytes(b"")


def garbled_index(pack: Path) -> None:
    index = pack.with_suffix(".idx")
    index.chmod(0o600)
    index.write_bytes(index.read_bytes()[:-40] + b"x" * 40)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", [without_index, empty_index, garbled_index])
def test_a_pack_without_a_sound_index_is_indexed_anew(history: History, damage: object) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    pruned(history)
    assert callable(damage)
    damage(the_pack(history))
    pruned(history)
    assert listed(history, project) == ids(taken)
    assert pruned(history).errors == ()
    history.verify()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", [without_pack, empty_pack])
def test_a_lost_pack_is_told_and_what_came_since_survives(history: History, damage: object) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    pruned(history)
    assert callable(damage)
    damage(the_pack(history))
    result = pruned(history)
    assert len(result.errors) >= 3
    later = history.take(project)
    assert listed(history, project) == [later.id]
    for checkpoint in taken:
        with pytest.raises(CheckpointLost):
            history.checkpoints.find(checkpoint.id)
    assert list((history.store / "quarantine-files" / "objects" / "pack").iterdir())
    assert pruned(history).errors == ()
    history.verify()


@pytest.mark.campaign
def test_of_a_garbled_pack_all_that_can_be_read_is_saved(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 4)
    pruned(history)
    pack = the_pack(history)
    blob = history.git("rev-parse", f"{taken[1].id}:tree/data").strip()
    listing = history.git("verify-pack", "-v", str(pack.with_suffix(".idx")))
    (offset,) = (int(line.split()[4]) for line in listing.splitlines() if line.startswith(blob))
    pack.chmod(0o600)
    contents = bytearray(pack.read_bytes())
    contents[offset + 500] ^= 0xFF
    pack.write_bytes(contents)
    result = pruned(history)
    assert result.quarantined == (taken[1].ref_name,), result.errors
    assert listed(history, project) == [taken[3].id, taken[2].id, taken[0].id]
    restorable(history, project)
    assert pruned(history).errors == ()
    history.verify()


# --- refs of an imported store -------------------------------------------------------------------


def to_nothing(history: History, path: Path) -> None:
    path.write_text("ab" * 20 + "\n")


def to_a_broken_commit(history: History, path: Path) -> None:
    tree = history.git("rev-parse", f"{history.refs()[0]}^{{tree}}").strip()
    command = ["git", f"--git-dir={history.store}", "-c", "user.name=n", "-c", "user.email=e"]
    made = subprocess.run(
        [*command, "commit-tree", tree, "-m", "old"], check=True, capture_output=True, text=True
    ).stdout.strip()
    path.write_text(f"{made}\n")
    loose(history, made).chmod(0o600)
    loose(history, made).write_bytes(b"garbled")


def empty(history: History, path: Path) -> None:
    path.touch()


def in_packed_refs(history: History, path: Path) -> None:
    with (history.store / "packed-refs").open("a") as file:
        file.write(f"{'cd' * 20} refs/hermes/0123456789abcdef\nnot a ref\n")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", [to_nothing, to_a_broken_commit, empty, in_packed_refs])
def test_a_broken_ref_of_an_imported_store_is_set_aside_and_listed_and_gc_goes_on(
    history: History, damage: object
) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    path = history.store / "refs" / "hermes" / "0123456789abcdef"
    path.parent.mkdir(parents=True)
    assert callable(damage)
    damage(history, path)
    result = pruned(history, keep=2)
    assert "refs/hermes/0123456789abcdef" in result.quarantined
    assert any("refs/hermes" in error for error in result.errors)
    assert history.checkpoints._base.store.sizes([taken[0].id]) == {}, "the space came back"
    assert not [name for name in history.refs() if name.startswith("refs/hermes")]
    assert pruned(history).errors == ()
    history.verify()


def test_nothing_is_collected_while_refs_cannot_be_compared(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = history.project()
    taken = history.takes(project, 2)
    pruned(history)
    (history.store / "packed-refs").write_bytes(b"")
    real = shutil.which("git")
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\n[ "$1" = update-ref ] && exit 7\nexec {real} "$@"\n')
    shim.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
        with pytest.raises(Exception, match="update-ref"):
            pruned(history)
    assert history.checkpoints._base.store.sizes([c.id for c in taken]).keys() == set(ids(taken))
    assert pruned(history).errors == ()
    assert listed(history, project) == ids(taken)
    history.verify()


def test_a_pipe_that_came_among_the_refs_of_an_open_base_is_moved_aside(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 3)
    pipe = history.store / "refs" / "checkpoints" / "pipe"
    os.mkfifo(pipe)
    pruned(history)
    assert not pipe.exists()
    assert listed(history, project) == ids(taken)
    history.verify()

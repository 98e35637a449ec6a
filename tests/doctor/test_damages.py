"""Whatever of the table happens to a base, doctor finds it, and a repair loses no checkpoint that
plain git could still restore."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conftest import GitProcesses
from damages import DAMAGES, Damage, catalog_of, rows
from doctor.bases import KEEP_ALL, PROJECTS, whole
from hermes_checkpoints import Checkpoints, examine, repair
from hermes_checkpoints.errors import CatalogNewer
from retention.histories import History
from support import every

_ORDINARY = 8
"""In an ordinary run one damage of so many is tried. `python -m tests.campaigns` does all."""

_NOT_MENDED = {"revision unknown"}
"""Damages that only a newer version of the package can do something about."""

_DECIDED = {"row that is being pruned"}
"""What looks like a prune that was killed: somebody had decided that it goes."""


def found_and_mended(damage: Damage, made: Path, home: Path) -> None:
    shutil.copytree(made / "home", home, symlinks=True)
    commits = [row.commit for row in rows(home)]
    damage.apply(home, random.Random(damage.name))  # noqa: S311
    before = whole(home, commits)
    found = examine(home, deep=damage.deep)
    assert damage.kind in {one.kind for one in found.faults}, found
    assert all(one.text and one.remedy for one in found.findings)
    done = repair(home, deep=damage.deep, diagnosis=found, config=KEEP_ALL)
    assert before <= whole(home, commits)
    if damage.name in _NOT_MENDED:
        assert {one.kind for one in done.left.faults} == {damage.kind}
        with pytest.raises(CatalogNewer):
            Checkpoints.open(home)
        return
    assert done.done
    assert done.left.sound, done.left
    Checkpoints.open(home, config=KEEP_ALL).close()
    if damage.name not in _DECIDED:
        assert before <= {row.commit for row in rows(home)}


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES[::_ORDINARY], ids=lambda one: one.name)
def test_a_damage_is_found_and_mended(damage: Damage, made: Path, fresh_home: Path) -> None:
    found_and_mended(damage, made, fresh_home)


@pytest.mark.campaign
@pytest.mark.parametrize("damage", DAMAGES[:: every(27)], ids=lambda one: one.name)
def test_every_damage_is_found_and_mended(damage: Damage, made: Path, fresh_home: Path) -> None:
    found_and_mended(damage, made, fresh_home)


def test_the_table_is_as_large_as_it_must_be() -> None:
    assert len(DAMAGES) >= 100
    assert len({damage.name for damage in DAMAGES}) == len(DAMAGES)


@pytest.mark.campaign
@pytest.mark.parametrize("manner", ["removed", "with garbage in it"])
def test_what_the_working_directory_still_has_can_be_restored_again(
    made: Path, fresh_home: Path, tmp_path: Path, manner: str
) -> None:
    shutil.copytree(made / "home", fresh_home, symlinks=True)
    working_dir = made / "projects" / PROJECTS[1]
    commits = [row.commit for row in rows(fresh_home)]
    with Checkpoints.open(fresh_home, config=KEEP_ALL) as checkpoints:
        newest = checkpoints.project(working_dir).list()[0]
        blobs = [
            object_
            for path in ("data", "own.txt", "src/app.py")
            if (object_ := checkpoints._base.store.git.run("rev-parse", f"{newest.id}:tree/{path}"))
        ]
    for blob in blobs:
        name = blob.decode().strip()
        path = fresh_home / "checkpoints/store/objects" / name[:2] / name[2:]
        path.chmod(0o644)
        path.unlink() if manner == "removed" else path.write_bytes(b"garbage")
    done = repair(fresh_home, deep=True, config=KEEP_ALL)
    assert done.left.sound
    assert any("3 of the contents written again" in text for text in done.done), done.done
    assert whole(fresh_home, commits) == set(commits)
    with Checkpoints.open(fresh_home, config=KEEP_ALL) as checkpoints:
        project = checkpoints.project(working_dir)
        (tmp_path / "into").mkdir()
        project.restore(newest, mode="exact", into=tmp_path / "into")
    assert (tmp_path / "into" / "data").read_bytes() == (working_dir / "data").read_bytes()


@pytest.mark.campaign
def test_pins_and_sessions_survive_the_repair_of_rows_and_refs(
    made: Path, fresh_home: Path
) -> None:
    wanted = {"all refs gone", "row of another commit", "packed-refs with garbage"}
    for damage in [one for one in DAMAGES if one.name in wanted]:
        shutil.rmtree(fresh_home, ignore_errors=True)
        shutil.copytree(made / "home", fresh_home, symlinks=True)
        before = {(row.commit, row.pinned) for row in rows(fresh_home)}
        damage.apply(fresh_home, random.Random(3))  # noqa: S311
        repair(fresh_home, config=KEEP_ALL)
        assert {(row.commit, row.pinned) for row in rows(fresh_home)} == before, damage.name


@pytest.mark.campaign
def test_a_damaged_catalog_is_kept_aside(made: Path, fresh_home: Path) -> None:
    shutil.copytree(made / "home", fresh_home, symlinks=True)
    garbled = b"no database" + catalog_of(fresh_home).read_bytes()
    catalog_of(fresh_home).write_bytes(garbled)
    repair(fresh_home, config=KEEP_ALL)
    kept = [
        path
        for path in catalog_of(fresh_home).parent.glob("catalog.db.damaged-*")
        if path.read_bytes() == garbled
    ]
    assert len(kept) == 1


@pytest.mark.campaign
def test_what_was_in_the_place_of_the_store_is_kept_each_time(made: Path, fresh_home: Path) -> None:
    shutil.copytree(made / "home", fresh_home, symlinks=True)
    store = fresh_home / "checkpoints" / "store"
    for text in ("one", "two"):
        shutil.rmtree(store)
        store.write_text(text)
        repair(fresh_home, config=KEEP_ALL)
        assert store.is_dir()
    kept = [path for path in store.parent.glob("store.damaged*") if path.is_file()]
    assert sorted(path.read_text() for path in kept) == ["one", "two"]


@pytest.mark.campaign
def test_recorded_changes_are_made_anew_by_the_same_number_of_processes_however_many_differ(
    history: History, git_processes: GitProcesses
) -> None:
    counts = []
    for name, number in (("alpha", 2), ("beta", 9)):
        history.takes(history.project(name), number)
        with closing(sqlite3.connect(catalog_of(history.home))) as connection, connection:
            connection.execute("DELETE FROM checkpoint_changes")
        found = examine(history.home, deep=True)
        assert "changes-differ" in {one.kind for one in found.faults}
        git_processes.reset()
        done = repair(history.home, deep=True, diagnosis=found, config=KEEP_ALL)
        counts.append(git_processes.count())
        assert done.left.sound
    assert counts[0] == counts[1]

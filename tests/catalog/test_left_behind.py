"""What a checkpoint changed says nothing of those that were taken after it had gone."""

from __future__ import annotations

import random
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from catalog.records import shell
from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.model import Checkpoint, Policy
from history.old_bases import extracted
from retention.histories import AT_ONCE, History
from support import every


def trees(history: History) -> dict[str, dict[str, str]]:
    """Return the contents of each checkpoint by path, as git lists them, by the short id."""
    found = {}
    for commit in history.git("for-each-ref", "--format=%(objectname)", "refs/checkpoints").split():
        listed = history.git("ls-tree", "-r", "-z", f"{commit}:tree").split("\0")[:-1]
        entries = (one.split("\t", 1) for one in listed)
        found[commit[:8]] = {path: head.split(" ")[2] for head, path in entries}
    return found


def ask(history: History, name: str, **values: str) -> list[tuple[object, ...]]:
    checkpoints = history.checkpoints
    return list(checkpoints.ask(checkpoints.question(name), values=values))


def assert_as_git_says(history: History) -> None:
    """The questions about contents are answered as git says, and a deep look finds nothing."""
    has = trees(history)
    paths = {path for tree in has.values() for path in tree} | {"b"}
    for path in paths:
        held = {str(row[2]) for row in ask(history, "file-checkpoints", path=path)}
        assert held == {checkpoint for checkpoint, tree in has.items() if path in tree}, path
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for checkpoint, tree in has.items():
        for blob in tree.values():
            holders[blob].add(checkpoint)
    alone = Counter(min(found) for found in holders.values() if len(found) == 1)
    told = Counter(row[1] for row in ask(history, "space-in-one-checkpoint", limit="1000"))
    assert told == alone
    assert_sizes(history, has)
    assert examine(history.home, deep=True).faults == ()


def assert_sizes(history: History, has: dict[str, dict[str, str]]) -> None:
    """What `du` and the views say of space is the sum over the contents that git has, each as large
    as it was when it came, and over what the live checkpoints have beside them."""
    catalog = history.checkpoints._base.layout.catalog
    sizes = shell(
        catalog,
        "SELECT new_blob AS blob, max(stored_bytes) AS bytes FROM checkpoint_changes"
        " WHERE new_blob IS NOT NULL GROUP BY new_blob",
    )
    size_of = {row["blob"]: row["bytes"] for row in sizes}
    beside = shell(
        catalog,
        "SELECT p.workdir AS folder, substr(c.commit_id, 1, 8) AS id,"
        " max(c.added_bytes - c.stored_bytes, 0) AS bytes"
        " FROM checkpoints AS c JOIN projects AS p ON p.id = c.project_id WHERE c.state = 'live'",
    )
    of_folder: defaultdict[str, set[str]] = defaultdict(set)
    expected: Counter[str] = Counter()
    for row in beside:
        of_folder[row["folder"]] |= set(has[row["id"]].values())
        expected[row["folder"]] += row["bytes"]
    for folder, blobs in of_folder.items():
        expected[folder] += sum(size_of[blob] for blob in blobs)
    every_blob = set().union(*of_folder.values())
    total = sum(size_of[blob] for blob in every_blob) + sum(row["bytes"] for row in beside)
    told = history.checkpoints._base.catalog.usage.rows(as_taken=True)
    assert {one.working_dir: one.referenced_bytes for one in told.projects} == expected
    assert told.total == total
    if shell(catalog, "SELECT ratio FROM store_packing")[0]["ratio"] == 1.0:
        held = shell(catalog, "SELECT * FROM project_status WHERE checkpoints > 0")
        assert {row["working_directory"]: row["held_bytes"] for row in held} == expected
        assert shell(catalog, "SELECT held_bytes FROM store_totals") == [{"held_bytes": total}]


def drop(history: History, folder: Path, checkpoint: Checkpoint) -> None:
    history.checkpoints.project(folder).drop(checkpoint, include_pinned=True, options=AT_ONCE)


def prune(history: History, keep: int) -> None:
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
    history.checkpoints.prune(plan=plan, options=AT_ONCE)


def changed_and_deleted(history: History, folder: Path) -> Checkpoint:
    """Take one checkpoint, and a second one of which the next is to know nothing; return that."""
    (folder / "a").write_text("one")
    (folder / "b").write_text("bee")
    history.take(folder)
    (folder / "a").write_text("two")
    (folder / "b").unlink()
    (folder / "c").write_text("sea")
    return history.take(folder)


def as_it_was(folder: Path) -> None:
    (folder / "a").write_text("one")
    (folder / "b").write_text("bee")
    (folder / "c").unlink()


@pytest.mark.slow
def test_what_was_dropped_before_the_next_take_says_nothing_of_that(history: History) -> None:
    folder = history.project()
    drop(history, folder, changed_and_deleted(history, folder))
    as_it_was(folder)
    history.take(folder)
    assert_as_git_says(history)


@pytest.mark.campaign
def test_nor_does_it_after_a_prune_of_those_around_it(history: History) -> None:
    folder = history.project()
    drop(history, folder, changed_and_deleted(history, folder))
    as_it_was(folder)
    history.takes(folder, 3)
    for keep in (2, 1):
        prune(history, keep)
        assert_as_git_says(history)


def test_what_several_projects_hold_is_not_what_was_dropped(history: History) -> None:
    alpha, beta = history.project(), history.project("beta")
    (beta / "c").write_text("sea")
    history.take(beta)
    drop(history, alpha, changed_and_deleted(history, alpha))
    assert ask(history, "space-shared-by-projects") == []
    as_it_was(alpha)
    history.take(alpha)
    assert ask(history, "space-shared-by-projects") == []


@pytest.mark.campaign
def test_what_a_partial_checkpoint_holds_too_is_not_held_by_one_alone(history: History) -> None:
    alpha, beta = history.project(), history.project("beta")
    (alpha / "a").write_text("one")
    history.take(alpha)
    (alpha / "b").write_text("bee")
    project = history.checkpoints.project(alpha)
    project.take(about="a", alone=True)
    project.take(about="b", alone=True)
    assert_as_git_says(history)
    (beta / "copy").write_text("bee")
    history.take(beta)
    assert_as_git_says(history)
    (shared,) = ask(history, "space-shared-by-projects")
    assert shared[1:3] == (3, 2)


@pytest.mark.campaign
def test_one_that_was_lost_and_came_back_is_what_the_next_one_follows_on(
    history: History,
) -> None:
    folder = history.project()
    (folder / "a").write_text("one")
    (folder / "b").write_text("bee")
    first = history.take(folder)
    early = shutil.copytree(history.store, history.home / "early")
    second = changed_and_deleted(history, folder)
    late = history.store.rename(history.home / "late")
    early.rename(history.store)
    with Checkpoints.open(history.home, config=history.checkpoints.config) as opened:
        history.checkpoints = opened
        project = opened.project(folder)
        assert [one.id for one in project.list()] == [first.id]
        as_it_was(folder)
        third = history.take(folder)
        assert_as_git_says(history)
    history.git("fetch", "--quiet", str(late), "+refs/*:refs/*")
    with Checkpoints.open(history.home, config=history.checkpoints.config) as opened:
        history.checkpoints = opened
        listed = [one.id for one in opened.project(folder).list()]
        assert (listed[0], listed[1], listed[-1]) == (third.id, second.id, first.id)
        assert_as_git_says(history)


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_imported_checkpoints_are_answered_as_git_has_them(
    history: History, tmp_path: Path, version: str
) -> None:
    history.checkpoints.import_legacy(extracted(version, tmp_path / "older"))
    assert trees(history)
    assert_as_git_says(history)
    prune(history, 1)
    assert_as_git_says(history)


@pytest.mark.campaign
def test_an_import_before_what_was_dropped_and_taken_is_answered_as_git_has_it(
    history: History, tmp_path: Path
) -> None:
    folder, other = history.project(), tmp_path / "other"
    (folder / "a").write_text("one")
    (folder / "b").write_text("bee")
    with Checkpoints.open(other) as elsewhere:
        for number in range(2):
            (folder / "c").write_text(f"older {number}")
            elsewhere.project(folder).take()
    drop(history, folder, changed_and_deleted(history, folder))
    as_it_was(folder)
    history.take(folder)
    history.checkpoints.import_legacy(other)
    assert_as_git_says(history)
    prune(history, 2)
    assert_as_git_says(history)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24)[:: every(8)])
def test_any_history_of_takes_drops_and_prunes_is_answered_as_git_has_it(
    history: History, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311
    folder = history.project()
    project = history.checkpoints.project(folder)
    (folder / "keep").write_text("always")
    for _ in range(40):
        path = folder / chance.choice(["a", "b", "src/c"])
        what = chance.choice(
            ["write", "delete", "take", "take", "about", "drop newest", "drop", "prune"]
        )
        live = project.list(safety=True)
        if what == "write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(str(chance.randrange(3)))
        elif what == "delete":
            path.unlink(missing_ok=True)
        elif what == "take":
            project.take()
        elif what == "about":
            project.take(about=path.relative_to(folder).as_posix(), alone=True)
        elif what == "prune":
            prune(history, chance.randrange(1, 4))
        elif live:
            drop(history, folder, live[0] if what == "drop newest" else chance.choice(live))
    project.take()
    assert_as_git_says(history)

"""What ``status`` says of sizes is what the disk says, between two measures, too."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.base.measures import is_measured
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.model import Policy
from retention.histories import AT_ONCE, NOW, History
from support import make_project

TOLERANCE = 0.1
"""How far an estimate may be from the disk, as a part of what the disk says."""


def small_files(history: History, count: int) -> None:
    """One take of many small files: a pack, its index, and git's index of the project."""
    project = history.project()
    for number in range(count):
        (project / f"file-{number}").write_text(f"{number}\n")
    history.take(project, size=10)


def turns(history: History) -> None:
    """More takes than are kept, each of one small file of several in folders."""
    project = make_project(history.project())
    for number in range(history.checkpoints.config.max_snapshots + 15):
        (project / "src" / f"module_{number % 4}.py").write_text(f"x = {number}\n")
        history.checkpoints.project(project).take()


def wide_folder(history: History) -> None:
    """Takes whose root tree is larger than what changes."""
    small_files(history, 1500)
    project = history.project()
    for number in range(12):
        (project / "file-7").write_text(f"changed {number}\n")
        history.checkpoints.project(project).take()


def projects(history: History) -> None:
    """Several projects that take turns, with contents that do not compress."""
    for _ in range(4):
        for name in ("alpha", "beta", "gamma"):
            history.take(history.project(name), size=60_000)


def dropped_and_pruned(history: History) -> None:
    """A prune that packs and measures, and takes after it."""
    projects(history)
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=2))
    history.checkpoints.prune(plan=plan, options=AT_ONCE)
    projects(history)


HISTORIES: list[Callable[[History], None]] = [turns, wide_folder, projects, dropped_and_pruned]


def assert_told(history: History) -> None:
    """Fail where status is further from the disk than the tolerance."""
    base = history.home / "checkpoints"
    status = history.checkpoints.status()
    assert status.measured_at is not None
    store = directory_bytes(history.store)
    assert status.store_bytes == pytest.approx(store, rel=TOLERANCE)
    assert status.total_bytes == pytest.approx(directory_bytes(base), rel=TOLERANCE)
    assert status.total_bytes - status.store_bytes == directory_bytes(base) - store


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("make", HISTORIES)
def test_between_measures_the_size_is_within_a_tenth_of_the_disk(
    history: History, make: Callable[[History], None]
) -> None:
    make(history)
    assert_told(history)


@pytest.mark.campaign
def test_3000_small_files_without_a_prune(history: History) -> None:
    small_files(history, 3000)
    assert_told(history)
    (history.project() / "file-1").write_text("changed")
    history.take(history.project(), size=10)
    assert_told(history)


def test_the_total_counts_whatever_lies_in_the_base(history: History) -> None:
    history.take(history.project())
    base = history.home / "checkpoints"
    before = history.checkpoints.status()
    (base / "catalog.db.backup-0001-20261120T000000.000000Z").write_bytes(b"x" * 50_000)
    (base / "unreadable-sessions").mkdir()
    (base / "unreadable-sessions" / "s.yaml").write_bytes(b"x" * 30_000)
    (base / "legacy-20261101-000000" / "0123456789abcdef").mkdir(parents=True)
    (base / "legacy-20261101-000000" / "0123456789abcdef" / "HEAD").write_bytes(b"x" * 20_000)
    after = history.checkpoints.status()
    assert after.total_bytes - before.total_bytes >= 100_000
    assert after.legacy_bytes >= 20_000
    assert after.store_bytes == before.store_bytes
    assert after.total_bytes == pytest.approx(directory_bytes(base), rel=0.01)


def test_a_take_of_what_is_there_already_adds_nothing(history: History) -> None:
    project = history.project()
    history.take(project)
    size = history.checkpoints.status().store_bytes
    for _ in range(3):
        history.checkpoints.project(project).take()
    assert history.checkpoints.status().store_bytes == size


@pytest.mark.campaign
def test_a_store_that_is_read_into_a_new_catalog_is_measured(history: History) -> None:
    history.takes(history.project(), 3)
    base = history.home / "checkpoints"
    history.checkpoints.close()
    for file in base.glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(history.home) as again:
        assert is_measured(again._base)
        assert again.status().store_bytes == directory_bytes(base / "store")


def test_an_old_measure_of_another_form_is_replaced_by_the_next_take(history: History) -> None:
    project = history.project()
    history.take(project)
    settings = history.checkpoints._base.catalog.settings
    settings.set("measured_store", '{"bytes": 1, "through": 1, "at": "x"}', NOW)
    assert history.checkpoints.status().measured_at is None
    history.take(project)
    assert_told(history)


def test_what_lies_elsewhere_is_not_counted(history: History, tmp_path: Path) -> None:
    history.take(history.project())
    before = history.checkpoints.status().total_bytes
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "large").write_bytes(b"x" * 1_000_000)
    (history.home / "checkpoints" / "link").symlink_to(outside)
    assert history.checkpoints.status().total_bytes - before < 10_000
    shutil.rmtree(outside)


@pytest.mark.parametrize("ask", [Checkpoints.status, Checkpoints.summary])
def test_archives_are_measured_where_the_catalog_has_no_log(
    history: History, ask: Callable[[Checkpoints], object]
) -> None:
    catalog = history.checkpoints._base.catalog
    archive = history.home / "checkpoints/legacy-20260101"
    archive.mkdir()
    (archive / "objects").write_bytes(bytes(100_000))
    catalog._transactions.close_idle()
    with closing(sqlite3.connect(catalog.path)) as connection:
        assert connection.execute("PRAGMA journal_mode = delete").fetchone() == ("delete",)
    ask(history.checkpoints)
    assert catalog.journal_mode == "delete"
    assert history.checkpoints.status().legacy_bytes >= 100_000

"""What hosts call: the names and result keys of version 2, and never an exception."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.records import counted
from hermes_checkpoints import (
    Checkpoints,
    CheckpointStore,
    clear_all,
    clear_legacy,
    footprint_notice,
    maybe_auto_prune_checkpoints,
    prune_checkpoints,
)
from hermes_checkpoints.base.presence import look
from hermes_checkpoints.checkpoints.lent import lent
from hermes_checkpoints.errors import BadRequest, LockHeld
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome
from retention.histories import History

NOTHING = {
    "scanned": 0,
    "deleted_orphan": 0,
    "deleted_stale": 0,
    "deleted_capped": 0,
    "deleted_over_limit": 0,
    "errors": 0,
    "messages": [],
    "bytes_freed": 0,
}


def age(history: History, project: Path, days: float) -> None:
    """Set back when a project was last touched."""
    with closing(sqlite3.connect(history.home / "checkpoints" / "catalog.db")) as catalog, catalog:
        then = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=days)
        catalog.execute(
            "UPDATE projects SET last_touch = ? WHERE workdir = ?",
            (then.isoformat(" ", "microseconds"), str(project)),
        )
    catalog.close()


def test_a_home_without_a_base_stays_so(fresh_home: Path) -> None:
    assert prune_checkpoints() == NOTHING
    assert maybe_auto_prune_checkpoints() == {"skipped": False, "result": NOTHING}
    assert clear_all() == {"bytes_freed": 0, "deleted": False, "kept_sessions": 0}
    assert clear_legacy() == {"bytes_freed": 0, "deleted": 0, "errors": 0}
    assert footprint_notice(enabled=True) is None
    assert not fresh_home.exists()


@pytest.mark.campaign
def test_orphans_and_stale_projects_go(history: History) -> None:
    gone, stale, fresh = (history.project(name) for name in ("gone", "stale", "fresh"))
    for project in (gone, stale, fresh):
        history.takes(project, 3)
    shutil.rmtree(gone)
    age(history, stale, 8)
    result = prune_checkpoints(retention_days=7, checkpoint_base=history.home / "checkpoints")
    assert result["scanned"] == 3
    assert (result["deleted_orphan"], result["deleted_stale"], result["errors"]) == (1, 1, 0)
    counts = [len(history.checkpoints.project(project).list()) for project in (gone, stale, fresh)]
    assert counts == [0, 1, 3]


def test_zero_days_and_orphans_to_be_kept(history: History) -> None:
    gone, stale = history.project("gone"), history.project("stale")
    for project in (gone, stale):
        history.takes(project, 2)
    age(history, stale, 400)
    shutil.rmtree(gone)
    result = prune_checkpoints(retention_days=0, delete_orphans=False)
    assert (result["deleted_orphan"], result["deleted_stale"]) == (0, 0)
    assert len(history.refs()) == 4


@pytest.mark.campaign
def test_the_size_cap_and_what_it_cannot_reach(history: History) -> None:
    project = history.project()
    history.takes(project, 4, size=700_000)
    assert prune_checkpoints(max_total_size_mb=2)["deleted_capped"] in (1, 2)
    for checkpoint in history.checkpoints.project(project).list():
        history.checkpoints.project(checkpoint.working_dir).pin(checkpoint)
    result = prune_checkpoints(max_total_size_mb=1)
    assert result["deleted_capped"] == 0
    assert result["messages"] == ["the store stays over its size cap"]


def test_maintenance_runs_once_an_interval(history: History) -> None:
    history.take(history.project())
    first = maybe_auto_prune_checkpoints()
    assert (first["skipped"], first["result"]["scanned"]) == (False, 1)
    assert maybe_auto_prune_checkpoints() == {"skipped": True}
    assert maybe_auto_prune_checkpoints(min_interval_hours=0)["skipped"] is False


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("marker", "skipped"),
    [
        (-3600.0, True),
        (-90_000.0, False),
        (90_000.0, False),
        ("no time", False),
        ("1e999", False),
    ],
)
def test_the_marker_of_v2_counts(history: History, marker: str | float, skipped: bool) -> None:
    history.take(history.project())
    text = marker if isinstance(marker, str) else str(time.time() + marker)
    (history.home / "checkpoints" / ".last_prune").write_text(text)
    assert maybe_auto_prune_checkpoints()["skipped"] is skipped


@pytest.mark.campaign
def test_unattended_an_orphan_is_kept_for_the_grace_period(history: History) -> None:
    project = history.project()
    history.takes(project, 2)
    shutil.rmtree(project)
    result = maybe_auto_prune_checkpoints(min_interval_hours=0)["result"]
    assert result["deleted_orphan"] == 0
    assert len(history.refs()) == 2
    look(history.checkpoints._base)
    with closing(sqlite3.connect(history.home / "checkpoints" / "catalog.db")) as catalog, catalog:
        catalog.execute("UPDATE projects SET missing_since = '2026-01-01 00:00:00.000000'")
    catalog.close()
    result = maybe_auto_prune_checkpoints(min_interval_hours=0)["result"]
    assert result["deleted_orphan"] == 1
    assert history.refs() == []


@pytest.mark.campaign
def test_maintenance_beside_a_running_one_is_left_for_later(history: History) -> None:
    history.take(history.project())
    with exclusive(history.checkpoints._base.layout.prune_lock, purpose="prune"):
        assert maybe_auto_prune_checkpoints() == {"skipped": True}


def test_nothing_is_raised_whatever_is_wrong(
    history: History, caplog: pytest.LogCaptureFixture
) -> None:
    history.take(history.project())
    history.checkpoints.close()
    (history.home / "checkpoints" / "catalog.db").write_bytes(b"no database" * 1000)
    with caplog.at_level(logging.WARNING):
        assert prune_checkpoints()["errors"] == 1
        assert "damaged" in maybe_auto_prune_checkpoints()["error"]
        assert clear_all()["deleted"] is False
        assert clear_legacy()["errors"] == 1
        assert footprint_notice(enabled=True) is None
    assert "damaged" in caplog.text
    assert clear_all(sessions=True)["deleted"] is True
    assert not (history.home / "checkpoints").exists()


def test_clearing_all(history: History) -> None:
    history.takes(history.project(), 2)
    base = history.home / "checkpoints"
    (base / "legacy-1").mkdir()
    result = clear_all(base)
    assert result["deleted"] is True
    assert result["bytes_freed"] > 100_000
    assert not base.exists()
    with Checkpoints.open(history.home) as checkpoints:
        assert checkpoints.status().checkpoint_count == 0
        checkpoints.project(history.project()).take()
        assert len(checkpoints.project(history.project()).list()) == 1


def test_clearing_a_base_that_is_a_link(history: History) -> None:
    history.take(history.project())
    history.checkpoints.close()
    base, elsewhere = history.home / "checkpoints", history.folder / "other-disk"
    base.rename(elsewhere)
    base.symlink_to(elsewhere)
    with exclusive(Layout.of(history.home).store_lock, purpose="a take"):
        layouts = Layout.of(history.home), Layout.of_base(base), Layout.of_base(elsewhere)
        assert {layout.store_lock for layout in layouts} == {layouts[0].store_lock}
    assert clear_all()["deleted"] is True
    assert not elsewhere.exists()
    with Checkpoints.open(history.home) as checkpoints:
        checkpoints.project(history.project()).take()
        assert len(checkpoints.project(history.project()).list()) == 1


def test_nothing_is_cleared_while_a_take_runs(history: History) -> None:
    history.take(history.project())
    base = history.checkpoints._base
    impatient = Checkpoints(replace(base, lock_timeout=0))
    with shared(base.layout.store_lock), pytest.raises(LockHeld):
        impatient.clear()
    assert len(history.checkpoints.project(history.project()).list()) == 1
    history.verify()


def test_clearing_keeps_session_checkpoints(history: History) -> None:
    history.takes(history.project(), 2)
    base = history.home / "checkpoints"
    CheckpointStore(base).write("session-1", {"task": "go on"})
    assert clear_all(base)["kept_sessions"] == 1
    assert not (base / "store").exists()
    found = CheckpointStore(base).read("session-1")
    assert found is not None
    assert found["task"] == "go on"
    with Checkpoints.open(history.home) as checkpoints:
        assert checkpoints.project(history.project()).list() == []
        checkpoints.project(history.project()).take()
        assert len(checkpoints.project(history.project()).list()) == 1
    prune_checkpoints()
    assert CheckpointStore(base).read("session-1") is not None
    assert clear_all(base, sessions=True)["deleted"] is True
    assert not base.exists()


def test_clearing_archives_alone(history: History) -> None:
    history.take(history.project())
    base = history.home / "checkpoints"
    for name in ("legacy-20260101-000000", "legacy-20260202-000000"):
        (base / name / "deep").mkdir(parents=True)
        (base / name / "deep" / "pack").write_bytes(b"x" * 50_000)
        (base / name / "deep").chmod(0o500)
    result = clear_legacy(base)
    assert (result["deleted"], result["errors"]) == (2, 0)
    assert result["bytes_freed"] > 100_000
    assert len(history.checkpoints.project(history.project()).list()) == 1


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("call", [prune_checkpoints, maybe_auto_prune_checkpoints])
def test_arguments_win_then_the_file_then_the_defaults(
    history: History, home: Path, call: Callable[..., dict[str, Any]]
) -> None:
    config = home / "config.yaml"
    stale = history.project("stale")
    history.takes(stale, 2)
    age(history, stale, 20)

    def goes(**arguments: Any) -> int:
        """How many projects are stale; the checkpoints that go come back for the next call."""
        if call is maybe_auto_prune_checkpoints:
            arguments.setdefault("min_interval_hours", 0)
        found = call(**arguments)
        found = found.get("result", found)
        assert found["errors"] == 0, found
        if found["deleted_stale"]:
            history.take(stale)
            age(history, stale, 20)
        return int(found["deleted_stale"])

    config.write_text("checkpoints: {retention_days: 30}\n")
    assert goes() == 0
    assert goes(retention_days=None) == 0
    assert goes(retention_days=10) == 1
    config.write_text("checkpoints: {retention_days: 0}\n")
    assert goes() == 0
    config.write_text("checkpoints: {retention_days: never}\n")
    assert goes() == 1
    config.unlink()
    assert goes() == 1
    assert goes(retention_days=0) == 0


@pytest.mark.parametrize("delete_orphans", [True, False])
def test_of_an_orphan_that_nobody_saw_nothing_goes_by_one_plan(
    history: History, delete_orphans: bool
) -> None:
    gone, stale = history.project("gone"), history.project("stale")
    for project in (gone, stale):
        history.takes(project, 2)
        age(history, project, 400)
    shutil.rmtree(gone)
    odd = ["x\udcff", "\0", "'] OR 1", "/ends/in/", 7]
    with lent(Layout.of()) as held, counted(held._base.catalog) as statements:
        done = prune_checkpoints(7, delete_orphans, orphan_allowlist=odd)  # type: ignore[arg-type]
    assert (done["deleted_orphan"], done["deleted_stale"], done["messages"]) == (0, 1, [])
    assert len(history.checkpoints.project(gone).list()) == 2
    assert sum("AS judged" in one for one in statements) == 1


@pytest.mark.campaign
def test_orphans_and_the_cap_follow_the_same_order(history: History, home: Path) -> None:
    config = home / "config.yaml"
    project, gone = history.project(), history.project("gone")
    history.takes(project, 4, size=700_000)
    history.take(gone)
    shutil.rmtree(gone)
    config.write_text("checkpoints: {delete_orphans: false, max_total_size_mb: 0}\n")
    kept = prune_checkpoints()
    assert (kept["deleted_orphan"], kept["deleted_capped"]) == (0, 0)
    assert prune_checkpoints(delete_orphans=True)["deleted_orphan"] == 1
    config.write_text("checkpoints: {max_total_size_mb: 2}\n")
    assert prune_checkpoints(max_total_size_mb=0)["deleted_capped"] == 0
    assert prune_checkpoints()["deleted_capped"] in (1, 2)


def test_the_file_says_whether_and_how_often_a_host_prunes(history: History, home: Path) -> None:
    config = home / "config.yaml"
    history.take(history.project())
    config.write_text("checkpoints: {auto_prune: false}\n")
    assert maybe_auto_prune_checkpoints() == {"skipped": True}
    assert maybe_auto_prune_checkpoints(retention_days=7, min_interval_hours=0)["skipped"] is True
    assert history.checkpoints.last_maintenance() is None
    assert maybe_auto_prune_checkpoints(auto_prune=True)["skipped"] is False
    config.write_text("checkpoints: {min_interval_hours: 0}\n")
    assert maybe_auto_prune_checkpoints()["skipped"] is False
    assert maybe_auto_prune_checkpoints(auto_prune=False)["skipped"] is True
    assert maybe_auto_prune_checkpoints(min_interval_hours=24) == {"skipped": True}
    config.write_text("checkpoints: {min_interval_hours: 1}\n")
    assert maybe_auto_prune_checkpoints() == {"skipped": True}


def test_the_notice_tells_of_takes_that_failed_in_the_last_two_weeks(history: History) -> None:
    project = history.project()
    history.take(project)
    operations = history.checkpoints._base.catalog.operations
    failed = OperationOutcome.FAILED
    for days in (20, 13):
        assert footprint_notice(enabled=True) is None
        then = datetime.now(UTC) - timedelta(days=days)
        entry = JournalEntry(OperationKind.TAKE, then, str(project), outcome=failed, message="full")
        operations.record(entry, now=then)
        assert [run.last_at for run in history.checkpoints.failing()] == [then]
    notice = footprint_notice(enabled=True)
    assert notice is not None
    assert f"of {project}: full" in notice
    assert history.checkpoints.failing(since=then + timedelta(microseconds=1)) == []
    with pytest.raises(BadRequest, match="since"):
        history.checkpoints.failing(since=then.replace(tzinfo=None))


def test_the_notice_advises_prune_before_clear(history: History, home: Path) -> None:
    history.takes(history.project(), 3, size=800_000)
    config = home / "config.yaml"
    config.write_text("checkpoints: {enabled: true, max_total_size_mb: 1}\n")
    notice = footprint_notice()
    assert notice is not None
    assert "more than the 1 MB" in notice
    assert notice.index("checkpoints prune") < notice.index("checkpoints clear")
    assert footprint_notice(enabled=False) is None
    config.write_text("checkpoints: {enabled: true, max_total_size_mb: 100}\n")
    assert footprint_notice() is None

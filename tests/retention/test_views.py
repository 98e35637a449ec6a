"""What the views say a prune would do is what it plans, and what it then does."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.random_rows import Rows, catalogs, configurations, fill
from catalog.records import shell
from hermes_checkpoints import Checkpoints, Config
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.retention.plan import PruneOptions
from retention.histories import History
from support import examples

on_random = settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
WITHOUT_GC = PruneOptions(reclaim=False)
Goes = set[tuple[str, str, str]]


def read(checkpoints: Checkpoints, query: str) -> list[dict[str, Any]]:
    """What somebody reads who opens the file with nothing but SQLite."""
    return shell(checkpoints._base.layout.catalog, query)


def said(checkpoints: Checkpoints) -> Goes:
    rows = read(checkpoints, "SELECT * FROM retention_decisions WHERE decision = 'drop'")
    return {(row["commit_id"], row["rule"], row["reason"]) for row in rows}


def planned(checkpoints: Checkpoints) -> Goes:
    plan = checkpoints.plan_prune(policy=replace(checkpoints.policy, cap_bytes=0))
    return {(one.checkpoint.id, one.rule.value, one.reason) for one in plan.drop}


def placed(rows: Rows, folder: Path) -> Rows:
    """Give the projects directories that are as their states say: there, deleted, or never seen."""
    shutil.rmtree(folder, ignore_errors=True)
    for project in rows["projects"]:
        directory = folder / str(project["id"]) / "project"
        directory.parent.mkdir(parents=True)
        project["workdir"] = str(directory)
        parent = identity(directory.parent)
        assert parent is not None
        if project["state"] == "orphan":
            project |= {"parent_device": parent.device, "parent_inode": parent.inode}
            project |= {"device": parent.device, "inode": "1"}
        if project["state"] == "live":
            directory.mkdir()
    keys = {key for project in rows["projects"] for key in project}
    rows["projects"] = [dict.fromkeys(keys) | project for project in rows["projects"]]
    return rows


@pytest.mark.campaign
@given(config=configurations())
@on_random
def test_the_rules_in_the_view_are_those_of_the_program(home: Path, config: Config) -> None:
    with Checkpoints.open(home, config=config) as checkpoints:
        fill(checkpoints._base.catalog, {}, config)
        (row,) = read(checkpoints, "SELECT * FROM retention_policy")
        rules = checkpoints.policy
    now = datetime.fromisoformat(row["now"])
    assert abs(now - datetime.now(UTC).replace(tzinfo=None)) < timedelta(minutes=1)

    def before(then: str | None) -> timedelta | None:
        return None if then is None else now - datetime.fromisoformat(then)

    days = timedelta(days=rules.retention_days)
    assert rules.orphan_grace is not None
    assert before(row.pop("stale_before")) == (days or None)
    assert before(row.pop("orphan_before")) == rules.orphan_grace
    assert before(row.pop("within_since")) == (rules.keep.within or None)
    del row["now"]
    assert row == {
        "max_snapshots": rules.max_snapshots,
        "max_safety_snapshots": rules.max_safety_snapshots,
        "retention_days": rules.retention_days,
        "delete_orphans": rules.delete_orphans,
        "orphan_grace_seconds": rules.orphan_grace.total_seconds(),
        "keep_last": rules.keep.last,
        "keep_hourly": rules.keep.hourly,
        "keep_daily": rules.keep.daily,
        "keep_weekly": rules.keep.weekly,
        "keep_monthly": rules.keep.monthly,
        "include_pinned": rules.include_pinned,
        "only_limit": False,
        "own_limits": True,  # where no project has a limit of its own, that is the same
        "cap_bytes": rules.cap_bytes,
        "reclaim_bytes": 0,
    }


@pytest.mark.campaign
@given(rows=catalogs(), config=configurations())
@on_random
def test_what_the_view_says_is_what_is_planned(
    home: Path, tmp_path: Path, rows: Rows, config: Config
) -> None:
    with Checkpoints.open(home, config=config) as checkpoints:
        fill(checkpoints._base.catalog, placed(rows, tmp_path / "projects"), config)
        before = said(checkpoints)
        assert before == planned(checkpoints)
        assert before == said(checkpoints)  # planning changes nothing
        sums: dict[tuple[str, str, str], tuple[int, int]] = {}
        for row in read(checkpoints, "SELECT * FROM retention_decisions"):
            key = row["working_directory"], row["decision"], row["rule"]
            count, size = sums.get(key, (0, 0))
            sums[key] = count + 1, size + row["bytes"]
        preview = {
            (row["working_directory"], row["decision"], row["rule"]): (
                row["checkpoints"],
                row["bytes"],
            )
            for row in read(checkpoints, "SELECT * FROM prune_preview")
        }
        assert preview == sums
        live = read(checkpoints, "SELECT count(*) AS n FROM checkpoints WHERE state = 'live'")
        assert sum(count for count, _ in sums.values()) == live[0]["n"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@given(rows=catalogs(), config=configurations(), wanted=st.integers(1, 4_000_000))
@on_random
def test_the_candidates_come_in_the_order_of_the_cap(
    home: Path, tmp_path: Path, rows: Rows, config: Config, wanted: int
) -> None:
    """They are all that the rules keep as within limits; disposable places first, then the oldest
    of each project in turn, those taken by hand after the others."""
    with Checkpoints.open(home, config=config) as checkpoints:
        fill(checkpoints._base.catalog, placed(rows, tmp_path / "projects"), config)
        decisions = read(checkpoints, "SELECT * FROM retention_decisions")
        found = read(checkpoints, "SELECT * FROM size_cap_candidates")
    limits = {row["commit_id"]: row["bytes"] for row in decisions if row["rule"] == "within-limits"}
    assert {row["commit_id"]: row["bytes"] for row in found} == limits
    assert [row["place"] for row in found] == [*range(1, len(found) + 1)]
    running = 0
    for row in found:
        running += row["bytes"]
        assert row["running_bytes"] == running
    ids = {row["commit_id"]: row["id"] for row in rows["checkpoints"]}
    disposable = {row["workdir"]: row["disposable"] for row in rows["projects"]}
    by_hand = {row["commit_id"]: row["kind"] == "manual" for row in rows["checkpoints"]}
    turns: dict[str, int] = {}
    order = []
    for row in sorted(found, key=lambda row: (by_hand[row["commit_id"]], ids[row["commit_id"]])):
        where = row["working_directory"]
        turns[where] = turns.get(where, 0) + 1
        place = not disposable[where], turns[where], row["taken_at"], ids[row["commit_id"]]
        order.append((place, row["commit_id"]))
    assert [commit for _, commit in sorted(order)] == [row["commit_id"] for row in found]


def age(history: History, project: Path, days: float) -> None:
    """Set back a project and its checkpoints."""
    with closing(sqlite3.connect(history.home / "checkpoints" / "catalog.db")) as catalog, catalog:
        then = (datetime.now(UTC).replace(tzinfo=None) - timedelta(days=days)).isoformat(
            " ", "microseconds"
        )
        of_it = (then, str(project))
        catalog.execute(
            "UPDATE projects SET last_touch = ?1, missing_since = ?1 WHERE workdir = ?2", of_it
        )
        catalog.execute(
            "UPDATE checkpoints SET created_at = ? WHERE project_id ="
            " (SELECT id FROM projects WHERE workdir = ?)",
            of_it,
        )


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [
        Config(),
        Config(max_snapshots=2, retention_days=30),
        Config(keep_last=1, keep_daily=1, max_snapshots=0),
        Config(max_snapshots=1, delete_orphans=False, orphan_grace_days=0),
        Config(orphan_grace_days=1, retention_days=0, keep_within="2d"),
    ],
    ids=("defaults", "limit", "keep-rules", "keep-orphans", "grace"),
)
def test_what_the_view_says_is_what_is_dropped(history: History, config: Config) -> None:
    stale, gone, fresh = (history.project(name) for name in ("stale", "gone", "fresh"))
    for project in (stale, gone, fresh):
        first, *_ = history.takes(project, 4)
        history.checkpoints.project(project).pin(first)
    shutil.rmtree(gone)
    history.checkpoints.status()  # looks at the directories
    age(history, stale, 9.5)
    age(history, gone, 9.5)
    text = ", ".join(f"{key}: {value or repr('')}" for key, value in config.settings().items())
    (history.home / "config.yaml").write_text(f"checkpoints: {{{text}}}\n")
    with Checkpoints.open(history.home) as checkpoints:
        before, live = said(checkpoints), history.refs()
        assert before == planned(checkpoints)
        done = checkpoints.prune(options=WITHOUT_GC)
        assert {(one.checkpoint.id, one.rule.value, one.reason) for one in done.dropped} == before
        assert len(history.refs()) == len(live) - len(before)
        tombstones = read(
            checkpoints, "SELECT commit_id, prune_reason FROM checkpoints WHERE state = 'pruned'"
        )
        assert {(row["commit_id"], row["prune_reason"]) for row in tombstones} == {
            (commit, reason) for commit, _, reason in before
        }
        assert said(checkpoints) == set()
    history.verify()


@pytest.mark.campaign
def test_three_configurations_drop_three_different_things(history: History) -> None:
    project = history.project()
    history.takes(project, 5)
    found = []
    for text in ("max_snapshots: 4", "max_snapshots: 2", "keep_last: 1"):
        (history.home / "config.yaml").write_text(f"checkpoints: {{{text}}}\n")
        with Checkpoints.open(history.home) as checkpoints:
            found.append(said(checkpoints))
            assert found[-1] == planned(checkpoints)
    assert [len(goes) for goes in found] == [1, 3, 4]


@pytest.mark.campaign
def test_the_cap_takes_what_the_view_names_first(history: History) -> None:
    for number, project in enumerate((history.project("one"), history.project("two"))):
        history.takes(project, 4 + number, size=700_000)
    (history.home / "config.yaml").write_text("checkpoints: {max_total_size_mb: 4}\n")
    with Checkpoints.open(history.home) as checkpoints:
        named = [row["commit_id"] for row in read(checkpoints, "SELECT * FROM size_cap_candidates")]
        goes = {one.checkpoint.id for one in checkpoints.plan_prune().drop}
    assert 0 < len(goes) < len(named)
    assert goes == {*named[: len(goes)]}

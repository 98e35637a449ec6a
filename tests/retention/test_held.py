"""What the views say of space: what `du` says, what git says, and what lies on the disk."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.model import Policy
from retention.histories import AT_ONCE, History

TOLERANCE = 0.25
"""The documented estimate: within a quarter of what git says, and of what lies on the disk."""

LINES = 12_000
"""So many lines of a text are large beside the blocks of a disk."""


def read(history: History, query: str) -> list[dict[str, Any]]:
    return shell(history.checkpoints._base.layout.catalog, query)


def fill(history: History) -> list[Path]:
    """A project of random bytes, a copy of it that shares them, and one of text."""
    alpha, text = history.project("alpha"), history.project("text")
    for number in range(6):
        (alpha / f"file{number}").write_bytes(history.random.randbytes(40_000))
    history.takes(alpha, 5, size=60_000)
    copy = alpha.with_name("copy")
    shutil.copytree(alpha, copy)
    history.checkpoints.project(copy).take()
    lines = [f"{number} {history.random.random()}" for number in range(LINES)]
    for number in range(8):
        lines[number] = "changed"
        (text / "notes.txt").write_text("\n".join(lines))
        history.checkpoints.project(text).take()
    return [alpha, copy, text]


def agree(history: History) -> None:
    """The views say what `du` says, to the byte but for rounding, and that is near to git."""
    told = history.checkpoints.usage()
    rows = read(history, "SELECT * FROM project_status")
    held = {row["working_directory"]: row["held_bytes"] for row in rows if row["checkpoints"]}
    assert held.keys() == {one.working_dir for one in told.projects}
    for one in told.projects:
        assert abs(held[one.working_dir] - one.referenced_bytes) <= 1, one
    (totals,) = read(history, "SELECT * FROM store_totals")
    assert abs(totals["held_bytes"] - told.total_bytes) <= 1
    said = history.checkpoints.usage(measure=True)
    assert near(totals["held_bytes"], said.total_bytes)
    for measured in said.projects:
        assert near(held[measured.working_dir], measured.referenced_bytes), measured


def near(one: int, other: int) -> bool:
    return abs(one - other) <= TOLERANCE * other


def on_disk(history: History) -> int:
    return directory_bytes(history.store / "objects")


@pytest.mark.slow
def test_what_is_held_is_what_du_and_git_and_the_disk_say(history: History) -> None:
    projects = fill(history)
    agree(history)
    (totals,) = read(history, "SELECT * FROM store_totals")
    assert near(totals["held_bytes"], on_disk(history))

    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=3))
    history.checkpoints.prune(plan=plan, options=AT_ONCE)
    agree(history)
    (totals,) = read(history, "SELECT * FROM store_totals")
    assert near(totals["held_bytes"], on_disk(history))

    history.takes(projects[0], 3, size=50_000)
    agree(history)
    own = history.checkpoints.project(projects[0])
    own.pin(own.list()[-1])
    for one in own.list()[2:4]:
        own.drop(one, options=AT_ONCE)
    agree(history)
    (totals,) = read(history, "SELECT * FROM store_totals")
    assert near(totals["held_bytes"], on_disk(history))


@pytest.mark.campaign
def test_numbers_follow_a_gc_that_packs(history: History) -> None:
    """Of many small files a loose object takes a block each, and a pack next to nothing. That is
    what is held then, and what a prune would free; what was added stays what it was."""
    folder = history.project()
    for number in range(4):
        for name in range(60):
            (folder / f"{name}").write_text(f"{name} {number}\n")
        history.checkpoints.project(folder).take()
    figures = """SELECT sum(added_bytes) AS added, sum(held_bytes) AS held,
        (SELECT sum(bytes) FROM prune_preview) AS freed FROM checkpoint_list"""
    (before,) = read(history, figures)
    assert before["held"] == before["added"]
    history.checkpoints.prune(options=replace(AT_ONCE, reclaim=True))
    (after,) = read(history, figures)
    assert after["added"] == before["added"]
    for figure in ("held", "freed"):
        assert after[figure] < before[figure] / 2
    assert near(after["held"], history.checkpoints.usage(measure=True).total_bytes)
    (packing,) = read(history, "SELECT * FROM store_packing")
    assert 0 < packing["ratio"] < 0.5


def test_before_the_first_repack_nothing_is_corrected(history: History) -> None:
    history.takes(history.project(), 2)
    for rows, size in ((None, None), ("0", "5"), ("100", "50")):
        with closing(sqlite3.connect(history.checkpoints._base.layout.catalog)) as catalog, catalog:
            catalog.execute("DELETE FROM settings WHERE name LIKE 'packed_%'")
            for name, value in (("through", "99"), ("rows", rows), ("bytes", size)):
                if value is not None:
                    catalog.execute(
                        "INSERT INTO settings VALUES (?, ?, '2026-11-20 12:00:00.000000')",
                        (f"packed_{name}", value),
                    )
        (packing,) = read(history, "SELECT ratio FROM store_packing")
        assert packing["ratio"] == (0.5 if rows == "100" else 1.0)
        (row,) = read(history, "SELECT added_bytes, held_bytes FROM project_status")
        assert row["held_bytes"] <= row["added_bytes"] * packing["ratio"] + 1
        assert history.checkpoints.usage().total_bytes == row["held_bytes"]


@pytest.mark.campaign
def test_a_content_that_went_with_its_checkpoint_takes_space_again(history: History) -> None:
    project = history.project("alpha")
    handle = history.checkpoints.project(project)
    file, second = project / "file", history.random.randbytes(2_000_000)
    for content in (b"first", second, b"third"):
        file.write_bytes(content)
        handle.take()
    handle.drop([handle.list()[1].id])
    before = directory_bytes(history.checkpoints._base.layout.store)
    file.write_bytes(second)
    handle.take()
    grown = directory_bytes(history.checkpoints._base.layout.store) - before
    (row,) = read(history, "SELECT added_bytes FROM checkpoint_list WHERE number = 1")
    assert grown > len(second) * 0.99
    assert abs(row["added_bytes"] - grown) < 64_000, "as measured on the disk, but for blocks"
    assert abs(history.checkpoints.usage().store_bytes - before - grown) < 64_000


@pytest.mark.campaign
def test_views_judge_by_the_settings_in_force(home: Path, project: Path) -> None:
    """An opening that only looks is enough; a file that changes while nobody opens is not seen."""
    file, catalog = home / "config.yaml", home / "checkpoints" / "catalog.db"
    with Checkpoints.open(home) as checkpoints:
        for number in range(4):
            (project / "a.txt").write_text(f"{number}\n")
            checkpoints.project(project).take()

    def said() -> dict[str, Any]:
        (policy,) = shell(catalog, "SELECT retention_days, cap_bytes FROM retention_policy")
        stale = shell(catalog, "SELECT retention_days, days_untouched FROM stale_projects")
        preview = shell(catalog, "SELECT rule, checkpoints FROM prune_preview")
        capped = shell(catalog, "SELECT count(*) AS n FROM size_cap_candidates")
        rules = {row["rule"]: row["checkpoints"] for row in preview}
        return {**policy, "stale": stale, "rules": rules, "capped": capped[0]["n"]}

    with closing(sqlite3.connect(catalog)) as connection, connection:
        connection.execute("UPDATE projects SET last_touch = datetime('now', '-20.5 days')||'.0'")
    file.write_text("checkpoints: {retention_days: 30, max_snapshots: 3, max_total_size_mb: 7}\n")
    Checkpoints.open(home, create=False).close()
    assert said() == {
        "retention_days": 30,
        "cap_bytes": 7 * 1024 * 1024,
        "stale": [],
        "rules": {"newest": 1, "over-limit": 1, "within-limits": 2},
        "capped": 2,
    }
    before = said()
    file.write_text("checkpoints: {retention_days: 10}\n")
    assert said() == before
    Checkpoints.open(home, create=False).close()
    now = said()
    assert now["stale"] == [{"retention_days": 10, "days_untouched": 20}]
    assert (now["retention_days"], now["capped"]) == (10, 0)
    assert now["rules"] == {"newest": 1, "stale": 3}

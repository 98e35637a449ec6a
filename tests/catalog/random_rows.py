"""Random catalogs: rows alone, of every kind that a report or a decision reads.

Times keep half a day away from any limit in whole days, so that the moment at which a test asks
decides nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import Table

from catalog.records import hex_id
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.config import Config

Rows = dict[str, list[dict[str, Any]]]

_DAYS = [0.02, 0.4, 0.6, 1.5, 6.5, 7.5, 13.5, 14.5, 29.5, 30.5, 399.5]
_AGES = st.sampled_from(_DAYS)
_SMALL = st.integers(0, 3)


def configurations() -> st.SearchStrategy[Config]:
    """Configurations of retention, most keys as they are."""
    keep = st.sampled_from([0, 0, 0, 1, 2, 7])
    return st.builds(
        Config,
        max_snapshots=st.sampled_from([0, 1, 2, 3, 20]),
        max_safety_snapshots=st.sampled_from([0, 1, 2, 20]),
        retention_days=st.sampled_from([0, 1, 7, 30]),
        delete_orphans=st.booleans(),
        orphan_grace_days=st.sampled_from([0, 7, 30]),
        max_total_size_mb=st.sampled_from([0, 1, 500]),
        keep_last=keep,
        keep_hourly=keep,
        keep_daily=keep,
        keep_weekly=keep,
        keep_monthly=keep,
        keep_within=st.sampled_from(["", "", "", "12h", "7d", "2w"]),
    )


@st.composite
def catalogs(draw: st.DrawFn) -> Rows:
    """Rows by table. Ages stand in place of times: ``fill`` knows what time it is."""
    rows: Rows = {
        name: []
        for name in ("projects", "checkpoints", "labels", "turns", "restores", "operations")
    }
    for project in range(1, draw(st.integers(0, 4)) + 1):
        _draw_project(draw, rows, project)
    for _ in range(draw(st.integers(0, 8))):
        _draw_operation(draw, rows)
    rows["session_checkpoints"] = [
        {
            "session_id": f"s{number}",
            "version": 1,
            "status": draw(st.sampled_from(["in_progress", "completed"])),
            "created_at": 1.0,
            "updated_at": draw(_AGES),
            "size_bytes": 2,
            "document": "{}",
        }
        for number in range(draw(_SMALL))
    ]
    rows["legacy_archives"] = [
        {
            "name": f"{number:016x}",
            "path": f"legacy-1/{number:016x}",
            "layout": "v1",
            "state": draw(st.sampled_from(["found", "imported", "archived", "cleared"])),
            "size_bytes": draw(_SMALL),
            "imported_checkpoints": draw(_SMALL),
            "error": draw(st.sampled_from([None, "one of them is damaged"])),
            "found_at": 1.0,
            "imported_at": draw(st.sampled_from([None, 0.5])),
        }
        for number in range(draw(_SMALL))
    ]
    return rows


def _draw_project(draw: st.DrawFn, rows: Rows, project: int) -> None:
    state = draw(st.sampled_from(["live", "live", "orphan", "unreachable"]))
    rows["projects"].append(
        {
            "id": project,
            "hash": hex_id(project)[:16],
            "workdir": f"/srv/{project}",
            "created_at": 500.0,
            "last_touch": draw(_AGES),
            "state": state,
            "state_checked_at": draw(st.sampled_from([None, 0.02])),
            "missing_since": draw(_AGES) if state != "live" else None,
            "disposable": draw(st.booleans()),
        }
    )
    first = len(rows["checkpoints"]) + 1
    for number in range(first, first + draw(st.integers(0, 7))):
        _draw_checkpoint(draw, rows, project, number)
    # Nobody restores what is still arriving, and an opening removes it where no import is due.
    came = [
        number
        for number, row in enumerate(rows["checkpoints"][first - 1 :], first)
        if row["state"] != "arriving"
    ]
    for number in came[: draw(_SMALL)]:
        state = draw(st.sampled_from(["writing", "interrupted", "done"]))
        rows["restores"].append(
            {
                "id": len(rows["restores"]) + 1,
                "project_id": project,
                "role": "restore",
                "state": state,
                "mode": "overlay",
                "whole": True,
                "target_id": number,
                "safety_id": came[-1],
                "undone_by": None,
                "started_at": 1.0,
                "finished_at": None if state == "writing" else 1.0,
            }
        )
    for _ in range(draw(_SMALL)):
        rows["turns"].append(
            {
                "id": len(rows["turns"]) + 1,
                "project_id": project,
                "session_id": draw(st.sampled_from([None, "s0", "s1"])),
                "turn": draw(st.sampled_from([None, 1, 2])),
                "started_at": 1.0,
                "ended_at": 0.9,
                "ended_by": "host",
                "actor": "agent",
            }
        )


def _draw_checkpoint(draw: st.DrawFn, rows: Rows, project: int, number: int) -> None:
    state = draw(st.sampled_from(["live"] * 6 + ["pruned", "pruning", "arriving"]))
    gone = state in ("pruned", "pruning")
    rows["checkpoints"].append(
        {
            "id": number,
            "project_id": project,
            "commit_id": hex_id("commit", number),
            "tree_id": hex_id("tree", number),
            "state_id": hex_id("state", number),
            "ref_name": f"refs/checkpoints/{project}/{number}",
            "kind": draw(st.sampled_from(["auto", "manual", "safety", "imported"])),
            "reason": f"reason {number}",
            "pinned": draw(st.sampled_from([False] * 4 + [True])),
            "session_id": draw(st.sampled_from([None, "s0", "s1"])),
            "turn": draw(st.sampled_from([None, 1, 2])),
            "created_at": draw(_AGES),
            "utc_offset_minutes": draw(st.sampled_from([0, 60, -330, 840])),
            "added_bytes": draw(st.integers(0, 2_000_000)),
            "superseded_bytes": draw(st.integers(0, 1_000_000)),
            "stored_bytes": draw(st.integers(0, 1_000_000)),
            "held_bytes": draw(st.integers(0, 3_000_000)),
            "skipped_count": draw(_SMALL),
            "state": state,
            "pruned_at": 0.3 if gone else None,
            "prune_reason": "age" if gone else None,
        }
    )
    rows["labels"] += [
        {"project_id": project, "label": f"{name}-{number}", "checkpoint_id": number}
        for name in draw(st.sampled_from([[]] * 5 + [["label"], ["other", "label"]]))
    ]


def _draw_operation(draw: st.DrawFn, rows: Rows) -> None:
    outcome = draw(
        st.sampled_from(["failed", "failed", "done", "unchanged", "partial", "skipped", "running"])
    )
    age = draw(_AGES)
    rows["operations"].append(
        {
            "id": len(rows["operations"]) + 1,
            "kind": draw(st.sampled_from(["take", "take", "restore"])),
            "outcome": outcome,
            "workdir": draw(st.sampled_from([None, "/srv/1", "/srv/2"])),
            "started_at": age,
            "finished_at": None if outcome == "running" else age,
            "message": draw(st.sampled_from([None, "no space"])),
            "code": draw(st.sampled_from([None, "no-space"])),
        }
    )


def fill(catalog: Catalog, rows: Rows, config: Config | None = None) -> datetime:
    """Make these the rows of a catalog, with the settings of ``config``; return the time from
    which the ages count."""
    now = datetime.now(UTC)
    with catalog._transactions.writing() as connection:
        for table in reversed(schema.metadata.sorted_tables):
            connection.execute(table.delete())
        for table in schema.metadata.sorted_tables:
            found = rows.get(table.name)
            if found:
                connection.execute(table.insert(), [_timed(table, row, now) for row in found])
    if config is not None:
        catalog.settings.keep(config.settings(), now)
    return now


def _timed(table: Table, row: dict[str, Any], now: datetime) -> dict[str, Any]:
    times = {name for name, column in table.c.items() if name.endswith(("_at", "_since", "_touch"))}
    return {
        name: now - timedelta(days=value) if name in times and value is not None else value
        for name, value in row.items()
    }

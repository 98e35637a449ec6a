"""Histories that are rows alone, in a real catalog, and what the program decides about them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Select, select

from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.plans import decided
from hermes_checkpoints.catalog.policy_values import parameters
from hermes_checkpoints.model import Policy, ProjectFacts, ProjectState, PrunePlan, Rule
from retention.histories import NOW
from retention.oracle import Facts, Judged, RestoreRow, Row


def project(number: int = 1, **fields: Any) -> ProjectFacts:
    values: dict[str, Any] = {
        "id": number,
        "hash": f"{number:016x}",
        "working_dir": f"/srv/{number}",
        "state": ProjectState.LIVE,
        "last_touch": NOW - timedelta(hours=1),
    }
    return ProjectFacts(**(values | fields))


def commit(number: int) -> str:
    """The id of the checkpoint with this number."""
    return f"{number:040x}"


def row(number: int, of: int = 1, **fields: Any) -> Row:
    """A checkpoint; a larger number is newer, by an hour each."""
    values: dict[str, Any] = {"created_at": NOW - timedelta(hours=1000 - number)}
    return Row(number, of, **(values | fields))


def facts(
    projects: Sequence[ProjectFacts], rows: Sequence[Row], restores: Sequence[RestoreRow] = ()
) -> Facts:
    """Facts in the order in which plans tell them."""
    newest_touch = sorted(projects, key=lambda p: (p.last_touch, p.id), reverse=True)
    place = {p.id: number for number, p in enumerate(newest_touch)}
    ordered = sorted(rows, key=lambda r: (place[r.project_id], -r.id))
    return Facts(tuple(newest_touch), tuple(ordered), tuple(restores))


@dataclass
class Rows:
    """A catalog that holds some facts and nothing else."""

    catalog: Catalog
    found: Facts

    def decisions(
        self,
        policy: Policy,
        now: datetime = NOW,
        *,
        of: int | None = None,
        only_limit: bool = False,
    ) -> list[Judged]:
        """Return what the statement decides about every live checkpoint, or those of a project."""
        one = None if of is None else f"{of:016x}"
        query = _every(one=of is not None, cap=policy.reclaim_bytes > 0)
        told = parameters(policy, now, project=one, only_limit=only_limit)
        with self.catalog._transactions.reading() as connection:
            made = {line.id: line for line in connection.execute(query, told)}
        projects = {p.id: p for p in self.found.projects}
        judged = []
        for listed in self.found.rows:
            if listed.id in made:
                line = made.pop(listed.id)
                assert (line.project_id, line.commit_id) == (listed.project_id, listed.commit)
                assert line.created_at == listed.created_at
                assert line.decision in ("keep", "drop")
                drop, rule = line.decision == "drop", Rule(line.rule)
                owner = projects[line.project_id]
                judged.append(Judged(listed, owner, drop, rule, line.reason, line.freed_bytes))
        assert not made, "nothing is decided about what is not there"
        return judged

    def plan(self, policy: Policy, now: datetime = NOW, project: str | None = None) -> PrunePlan:
        return self.catalog.plans.plan(policy, now, project)


@functools.cache
def _every(*, one: bool, cap: bool) -> Select[Any]:
    return select(decided(one=one, cap=cap))


def fill(catalog: Catalog, found: Facts) -> None:
    """Write facts as rows into an empty catalog."""
    tables = (
        (schema.projects, [_of_project(one) for one in found.projects]),
        (schema.checkpoints, [_of_row(one) for one in found.rows]),
        (schema.labels, [label for one in found.rows for label in _labels(one)]),
        (schema.restores, [_of_restore(one) for one in found.restores]),
    )
    with catalog._transactions.writing() as connection:
        for table, values in tables:
            if values:
                connection.execute(table.insert(), values)


def _of_project(one: ProjectFacts) -> dict[str, Any]:
    return {
        "id": one.id,
        "hash": one.hash,
        "workdir": one.working_dir,
        "created_at": min(one.last_touch, NOW),
        "last_touch": one.last_touch,
        "state": one.state,
        "missing_since": one.missing_since,
        "disposable": one.disposable,
    }


def _of_row(one: Row) -> dict[str, Any]:
    pruned = one.state in ("pruning", "pruned", "lost")
    return {
        "id": one.id,
        "project_id": one.project_id,
        "commit_id": one.commit,
        "tree_id": one.commit,
        "state_id": one.commit,
        "ref_name": f"refs/checkpoints/{one.project_id}/{one.id}",
        "kind": one.kind,
        "reason": "auto",
        "pinned": one.pinned,
        "created_at": one.created_at,
        "utc_offset_minutes": one.offset,
        "added_bytes": one.added,
        "stored_bytes": one.stored,
        "superseded_bytes": one.superseded,
        "held_bytes": one.held,
        "state": "pruned" if one.state == "lost" else one.state,
        "lost_at": NOW if one.state == "lost" else None,
        "pruned_at": NOW if pruned else None,
        "prune_reason": "it was too old" if pruned else None,
    }


def _labels(one: Row) -> list[dict[str, Any]]:
    names = one.label.split(", ") if one.label else []
    return [
        {"project_id": one.project_id, "checkpoint_id": one.id, "label": name} for name in names
    ]


def _of_restore(one: RestoreRow) -> dict[str, Any]:
    return {
        "id": one.id,
        "project_id": one.project_id,
        "role": "restore",
        "state": one.state,
        "mode": "overlay",
        "whole": True,
        "target_id": one.target_id,
        "safety_id": one.safety_id,
        "undone_by": one.id if one.undone else None,
        "started_at": NOW,
        "finished_at": None if one.state == "writing" else NOW,
    }


@contextmanager
def held(catalog: Catalog, found: Facts) -> Iterator[Rows]:
    """Let a catalog hold facts for a while."""
    fill(catalog, found)
    try:
        yield Rows(catalog, found)
    finally:
        catalog.retention.erase()


def new_catalog(folder: Path) -> Catalog:
    """Open a new catalog in a folder."""
    return Catalog.open(folder / "catalog.db", folder / "catalog.lock")

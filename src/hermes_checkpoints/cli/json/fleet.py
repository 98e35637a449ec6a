"""The documents of the index of a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import exact, instant, words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import fleet as shapes
    from hermes_checkpoints.model import (
        FleetIndexed,
        FleetMachine,
        FleetProject,
        FleetRemote,
        FleetStatus,
    )


def of_fleet_indexed(results: Sequence[FleetIndexed]) -> shapes.FleetIndexed:
    """Return what indexing came to, remote by remote."""
    return {
        "complete": all(one.complete for one in results),
        "remotes": [
            {
                "url": words(one.url),
                "complete": one.complete,
                "listed": one.listed,
                "added": one.added,
                "gone": one.gone,
                "malformed": one.malformed,
                "error": words(one.error),
                "code": one.code,
            }
            for one in results
        ],
    }


def of_fleet_status(found: FleetStatus) -> shapes.FleetStatus:
    """Return what the index tells."""
    return {
        "catalog": words(found.catalog),
        "machines": found.machines,
        "projects": found.projects,
        "checkpoints": found.checkpoints,
        "bytes": found.bytes,
        "remotes": found.remotes,
        "stale_projects": found.stale_projects,
        "stale_days": found.stale_days,
        "machine_list": [_machine(one) for one in found.machine_list],
        "stale": [_project(one) for one in found.stale],
        "remote_list": [_remote(one) for one in found.remote_list],
    }


def _machine(one: FleetMachine) -> shapes.FleetMachine:
    return {
        "id": one.id,
        "name": words(one.name),
        "newest_at": instant(one.newest_at),
        "ahead": one.ahead,
        "checkpoints": one.checkpoints,
        "projects": one.projects,
    }


def _project(one: FleetProject) -> shapes.FleetProject:
    return {
        "origin": words(one.repository),
        **exact("subdirectory", one.subdirectory or ""),
        **exact("working_dir", one.working_dir),
        "machines": one.machines,
        "checkpoints": one.checkpoints,
        "bytes": one.bytes,
        "newest_at": instant(one.newest_at),
    }


def _remote(one: FleetRemote) -> shapes.FleetRemote:
    return {
        "url": words(one.url),
        "indexed_at": instant(one.indexed_at),
        "failures": one.failures,
        "failed_at": instant(one.failed_at),
        "code": one.code,
        "error": words(one.error),
        "checkpoints": one.checkpoints,
        "malformed": one.malformed,
    }

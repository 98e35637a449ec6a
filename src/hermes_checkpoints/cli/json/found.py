"""Which checkpoints hold a path, and which changed it, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, cast

from hermes_checkpoints.cli.json.checkpoints import of_checkpoint, of_event
from hermes_checkpoints.cli.json.values import exact, words
from hermes_checkpoints.model import FoundPath, FoundPaths, PathEvent, PathHistory

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import found as shapes
    from hermes_checkpoints.cli.json.shapes.values import AnyCommand, AnyDir


def of_found(
    working_dir: str | PathLike[str] | None,
    pattern: str | None,
    result: FoundPaths,
    commands: Sequence[str | None],
) -> shapes.Find:
    """Return what a search found; ``working_dir`` is null for all projects. Each path has the
    command that brings it back, None where it is lost."""
    document: shapes.Find = {
        "working_dir": None,
        "pattern": None,
        "found": [
            _of_path(found, command) for found, command in zip(result.found, commands, strict=True)
        ],
        "total": result.total,
        "unseen": result.unseen,
        "not_searched": [
            {
                **exact("path", one.path),
                **exact("working_dir", one.checkpoint.working_dir),
                "checkpoint": one.checkpoint.id,
                "reason": one.reason,
            }
            for one in result.not_searched
        ],
        "notes": list(result.notes),
    }
    if working_dir is not None:
        document.update(cast("AnyDir", exact("working_dir", working_dir)))
    if pattern is not None:
        document.update(exact("pattern", pattern))
    return document


def of_history(
    working_dir: str | PathLike[str], history: PathHistory, command: str | None
) -> shapes.PathLog:
    """Return the checkpoints that changed a path; ``status`` is null where one holds it and nothing
    tells since when. ``lost`` is what ``command`` brings back."""
    return {
        **exact("working_dir", working_dir),
        **exact("path", history.path),
        "checkpoints": [
            {
                "number": step.number,
                **of_checkpoint(step.checkpoint),
                "status": None if step.status is None else step.status,
                "paths": step.files,
                "of_permissions": step.of_permissions,
                "path_bytes": step.bytes,
                "path_insertions": step.insertions,
                "path_deletions": step.deletions,
                "changed": _of_change(step.last, step.turn_title),
                "others": step.others,
            }
            for step in history.steps
        ],
        "lost": None if history.lost is None else _of_path(history.lost, command),
        "notes": list(history.notes),
    }


def _of_path(found: FoundPath, command: str | None) -> shapes.FoundPath:
    match = found.match
    its: AnyCommand = {"command": None}
    if command is not None:
        its = cast("AnyCommand", exact("command", command))
    return {
        **exact("path", found.path),
        "now": found.now,
        "number": found.number,
        "checkpoint": of_checkpoint(found.checkpoint),
        "bytes": found.bytes,
        "blob": found.blob,
        "changed": _of_change(found.last, found.turn_title),
        "match": None if match is None else {"line": match.line, **exact("text", match.text)},
        "lost": found.lost,
        **its,
    }


def _of_change(event: PathEvent | None, title: str | None) -> shapes.LastChange | None:
    return None if event is None else {**of_event(event), "turn_title": words(title)}

"""History brought in, written out and moved, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.values import exact, words
from hermes_checkpoints.model import LegacyImport, LegacyRecord

if TYPE_CHECKING:
    from hermes_checkpoints.admin.rebind import Rebound
    from hermes_checkpoints.cli.json.shapes import history as shapes
    from hermes_checkpoints.compat.adopt import Adopted
    from hermes_checkpoints.history import Exported


def of_import(done: LegacyImport) -> shapes.Import:
    """Return what was imported, and from where."""
    return {
        "checkpoints": done.checkpoints,
        "sessions": done.sessions,
        "records": [of_record(record) for record in done.records],
        "errors": list(done.errors),
    }


def of_record(record: LegacyRecord) -> shapes.LegacyRecord:
    """Return a repository, store or file of an earlier version."""
    found: shapes.LegacyRecord = {
        **exact("path", record.path),
        "layout": record.layout,
        "state": record.state,
        "imported": record.whole,
        "checkpoints": record.imported_checkpoints,
        "size_bytes": record.size_bytes,
        "error": record.error,
    }
    if record.working_dir is not None:
        found.update(exact("working_dir", record.working_dir))
    return found


def of_export(done: Exported) -> shapes.Export:
    """Return what was written for an earlier version."""
    return {
        **exact("base", done.base),
        "projects": done.projects,
        "checkpoints": done.checkpoints,
    }


def of_rebound(moved: Rebound) -> shapes.Rebind:
    """Return a history that belongs to another working directory now."""
    return {
        **exact("old", moved.old),
        **exact("working_dir", moved.project.working_dir),
        "checkpoints": moved.checkpoints,
        "merged": moved.merged,
    }


def of_adopted(done: Adopted, *, undone: bool) -> shapes.Adopt:
    """Return how the agent of this environment stands: ``adopted``, or its own modules again."""
    return {
        "adopted": not undone,
        "dry_run": done.dry_run,
        "changed": done.changed,
        "agent_version": done.agent or None,
        "tested": done.tested,
        **exact("hook", done.hook),
        "homes": [
            {
                "profile": words(home.profile) or None,
                "enabled": home.enabled,
                "changed": home.change,
                "refused": home.refused,
                **exact("config", home.config),
            }
            for home in done.homes
        ],
        "written": [{**exact("path", path)} for path in done.written],
        "removed": [{**exact("path", path)} for path in done.removed],
        "taken_in": done.taken_in,
        "warnings": [words(warning) for warning in done.warnings],
    }

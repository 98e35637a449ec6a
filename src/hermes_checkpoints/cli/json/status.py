"""The store as a whole, its projects and who fills it, as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.checkpoints import of_failures
from hermes_checkpoints.cli.json.values import exact, instant, words
from hermes_checkpoints.model import Check, ProjectStatus, StoreStatus

if TYPE_CHECKING:
    from hermes_checkpoints.admin.usage import StoreUsage
    from hermes_checkpoints.cli.json.shapes import status as shapes


def of_status(status: StoreStatus) -> shapes.Status:
    """Return the store as a whole, and its listed projects."""
    return {
        **exact("base", status.base),
        "total_bytes": status.total_bytes,
        "store_bytes": status.store_bytes,
        "legacy_bytes": status.legacy_bytes,
        "measured_at": instant(status.measured_at),
        "journal_mode": status.journal_mode,
        "project_count": status.project_count,
        "checkpoint_count": status.checkpoint_count,
        "last_success_at": instant(status.last_success_at),
        "interrupted": status.interrupted,
        "store_looked": None
        if status.looked is None
        else {
            "at": instant(status.looked.at),
            "faults": status.looked.faults,
            "first": [words(text) for text in status.looked.first],
        },
        "notes": list(status.notes),
        "settings": dict(status.settings),
        "failures": [of_failures(failure) for failure in status.failures],
        "projects": [_of_project(project) for project in status.projects],
        "legacy_archives": [
            {
                **exact("name", archive.name),
                "bytes": archive.size_bytes,
                "modified_at": instant(datetime.fromtimestamp(archive.mtime, UTC)),
                "imported_checkpoints": archive.checkpoints,
                "not_imported": [words(text) for text in archive.not_imported],
            }
            for archive in status.archives
        ],
    }


def of_check(check: Check) -> shapes.Check:
    """Return whether checkpoints work, and what was judged by which bounds; times in seconds."""
    return {
        "fine": check.fine,
        "text": words(check.text),
        "problems": [{"code": one.code, "message": words(one.message)} for one in check.problems],
        "last_success_at": instant(check.last_success_at),
        "age_seconds": None if check.age is None else int(check.age.total_seconds()),
        "max_age_seconds": None if check.max_age is None else int(check.max_age.total_seconds()),
        "failures": check.failures,
        "max_failures": check.max_failures,
        "bytes": check.bytes,
        "max_bytes": check.max_bytes,
    }


def _of_project(status: ProjectStatus) -> shapes.Project:
    return {
        "hash": status.project.hash,
        **exact("working_dir", status.project.working_dir),
        "state": status.project.state,
        "checkpoints": status.checkpoints,
        "added_bytes": status.added_bytes,
        "created_at": instant(status.project.created_at),
        "last_touch": instant(status.project.last_touch),
        "last_checkpoint_at": instant(status.last_checkpoint_at),
    }


def of_usage(usage: StoreUsage) -> shapes.Usage:
    """Return who takes how much space; ``measured`` says whether git told the figures."""
    return {
        "measured": usage.measured,
        "store_bytes": usage.store_bytes,
        "catalog_bytes": usage.catalog_bytes,
        "measured_at": instant(usage.measured_at),
        "referenced_bytes": usage.total_bytes,
        "projects": [
            {
                "hash": project.hash,
                **exact("working_dir", project.working_dir),
                "checkpoints": project.checkpoints,
                "referenced_bytes": project.referenced_bytes,
                "unique_bytes": project.unique_bytes,
                "shared_bytes": project.shared_bytes,
                "largest_files": [
                    {**exact("path", path), "stored_bytes": size} for path, size in project.files
                ],
            }
            for project in usage.projects
        ],
    }

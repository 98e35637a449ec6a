"""The views that people read, made of the expressions that the program asks with.

A revision holds the text of each view as it was made then, since revisions import no live code. A
test compares that text with what is built here; so a change of an expression without a new
revision is found, and what people see is what runs.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select

from hermes_checkpoints.catalog.packing import store_packing
from hermes_checkpoints.catalog.views import decisions, health, history, policy, remote, reports
from hermes_checkpoints.catalog.views.comments import comment_of
from hermes_checkpoints.catalog.views.sql import text_of


def definitions() -> dict[str, str]:
    """Return every view: by name the statement that creates it, with the comment that explains it.
    A view comes after those that it reads."""
    made: dict[str, Select[Any] | str] = {
        "store_packing": store_packing(),
        "retention_policy": policy.retention_policy(),
        "project_status": reports.project_status(),
        "checkpoint_list": reports.checkpoint_list(),
        "store_totals": reports.store_totals(),
        "stale_projects": reports.stale_projects(),
        "orphaned_projects": reports.orphaned_projects(),
        "recent_failures": reports.recent_failures(),
        "take_health": health.take_health(),
        "retention_decisions": decisions.retention_decisions(),
        "prune_preview": decisions.prune_preview(),
        "size_cap_candidates": decisions.size_cap_candidates(),
        "file_history": history.FILE_HISTORY,
        "session_activity": history.SESSION_ACTIVITY,
        "session_list": history.SESSION_LIST,
        "legacy_list": history.LEGACY_LIST,
        "restore_list": history.RESTORE_LIST,
        "restore_path_list": history.RESTORE_PATH_LIST,
        "operation_list": history.OPERATION_LIST,
        "running_operations": history.RUNNING_OPERATIONS,
        "push_status": remote.push_status(),
        "remote_list": remote.remote_list(),
    }
    return {name: _statement(name, query) for name, query in made.items()}


def _statement(name: str, query: Select[Any] | str) -> str:
    text = query.strip() if isinstance(query, str) else text_of(query)
    return f"CREATE VIEW {name} AS\n{comment_of(name)}\n{text}"

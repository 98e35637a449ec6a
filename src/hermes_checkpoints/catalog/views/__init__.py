"""The views that people read, made of the expressions that the program asks with.

A revision holds the text of each view as it was made then, since revisions import no live code. A
test compares that text with what is built here; so a change of an expression without a new
revision is found, and what people see is what runs.
"""

from __future__ import annotations

from hermes_checkpoints.catalog.views import decisions, policy, reports
from hermes_checkpoints.catalog.views.sql import text_of


def definitions() -> dict[str, str]:
    """Return the views that are made here: by name the statement that creates each."""
    made = {
        "retention_policy": policy.retention_policy(),
        "project_status": reports.project_status(),
        "checkpoint_list": reports.checkpoint_list(),
        "store_totals": reports.store_totals(),
        "stale_projects": reports.stale_projects(),
        "orphaned_projects": reports.orphaned_projects(),
        "recent_failures": reports.recent_failures(),
        "retention_decisions": decisions.retention_decisions(),
        "prune_preview": decisions.prune_preview(),
        "size_cap_candidates": decisions.size_cap_candidates(),
    }
    return {name: f"CREATE VIEW {name} AS\n{text_of(query)}" for name, query in made.items()}

"""What the ends of turns and of sessions call for beyond this machine: every one of them comes
through here, from whatever host tells of it."""

from __future__ import annotations

from hermes_checkpoints.config import sends_by_itself
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.loading import load_sending


def send_after_turn(layout: Layout, project_hash: str) -> bool:
    """Start a push in the background where each turn is to be sent; tell whether one was started.
    Nobody waits for it, and nothing is raised. ``project_hash`` names the project of the turn."""
    return _send(layout, project_hash)


def send_after_session(layout: Layout) -> bool:
    """Start one where turns or sessions are to be sent: also of turns that ended too soon after a
    push."""
    return _send(layout, None)


def _send(layout: Layout, project_hash: str | None) -> bool:
    if not sends_by_itself(layout.config):
        return False
    load_sending()
    from hermes_checkpoints.remote.background import start_if_wanted

    return start_if_wanted(layout, project_hash)

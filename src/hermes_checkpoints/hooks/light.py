"""Does what takes no more than a look into the catalog: where no turn of a session is open, most
events have nothing to do.

Little is loaded for it, since the agent waits. Where anything about the catalog is unusual, nothing
is done here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from hermes_checkpoints.hooks.agents import EventKind

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.hooks.event import Event
    from hermes_checkpoints.layout import Layout


class _NotLight(Exception):
    """The whole catalog is needed."""


def done_at_once(event: Event, layout: Layout, *, titles: bool) -> bool:
    """Do what an event calls for, where that is little; False where it was not done. With
    ``titles`` the first line of a prompt is kept."""
    if event.kind is EventKind.BEFORE_TOOL or event.writes:
        return False
    if event.kind is EventKind.PROMPT and not event.agent.tells_every_tool:
        return False  # a checkpoint is taken
    from hermes_checkpoints.catalog.direct.looking import look_into

    catalog = look_into(layout.catalog, _whole)
    if catalog is None:
        return False
    try:
        with catalog:
            return _done(event, catalog, titles)
    except _NotLight:
        return False


def _whole() -> NoReturn:
    raise _NotLight


def _done(event: Event, catalog: Catalog, titles: bool) -> bool:
    if catalog.turns.open_of_session(event.session_id):
        return False
    if event.kind is EventKind.AFTER_TOOL:
        return event.command is None
    if event.kind is EventKind.END:
        catalog.hooks.end(event.session_id)
    if event.kind is EventKind.PROMPT:
        from datetime import UTC, datetime

        from hermes_checkpoints.capture.redact import title_of

        title = title_of(event.prompt) if titles and event.prompt else None
        catalog.hooks.prompted(event.session_id, event.agent.name, title, datetime.now(UTC))
    return True

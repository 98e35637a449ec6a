"""Does what takes no more than a look into the catalog: where no turn of a session is open, most
events have nothing to do.

Little is loaded for it, since the agent waits. Where anything about the catalog is unusual, nothing
is done here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from hermes_checkpoints.hooks.agents import EventKind

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.hooks.event import Event
    from hermes_checkpoints.layout import Layout


class _NotLight(Exception):
    """The whole catalog is needed."""


def is_over(event: Event, layout: Layout) -> bool:
    """Do what an event calls for that ends something, where nothing is open; False where it was not
    done."""
    if event.kind is EventKind.AFTER_TOOL:
        able = not event.writes and event.command is None
    else:
        able = event.kind in (EventKind.STOP, EventKind.END)

    def end(catalog: Catalog) -> None:
        if event.kind is EventKind.END:
            catalog.hooks.end(event.session_id)

    if not (able and _done(event, layout, end)):
        return False
    if event.kind is EventKind.END:
        _send(layout)
    return True


def _send(layout: Layout) -> None:
    """Let checkpoints be sent by themselves, where a session's end calls for it. Of more than a
    word in the configuration, no module is loaded here."""
    from hermes_checkpoints.config import sends_by_itself

    if sends_by_itself(layout.config):
        from hermes_checkpoints.remote.background import start_after_session

        start_after_session(layout)


def is_noted(event: Event, layout: Layout, *, titles: bool) -> bool:
    """Record a prompt, where that is all that is to be done; False where it was not. With
    ``titles`` its first line is kept."""

    def note(catalog: Catalog) -> None:
        from datetime import UTC, datetime

        from hermes_checkpoints.capture.redact import title_of

        title = title_of(event.prompt) if titles and event.prompt else None
        catalog.hooks.prompted(event.session_id, event.agent.name, title, datetime.now(UTC))

    # One that does not tell of every tool has a checkpoint taken at the prompt.
    able = event.kind is EventKind.PROMPT and event.agent.tells_every_tool
    return able and _done(event, layout, note)


def is_idle(event: Event, layout: Layout) -> bool:
    """Tell whether no turn of the session is open, as far as that is quickly told."""
    return _done(event, layout, lambda _: None)


def _done(event: Event, layout: Layout, act: Callable[[Catalog], None]) -> bool:
    """Act on a catalog in which no turn of the session is open, where nothing is noted of it."""
    from hermes_checkpoints.catalog.direct.looking import look_into
    from hermes_checkpoints.hooks import untold

    if untold.is_any(layout, event.session_id):
        return False
    catalog = look_into(layout.catalog, _whole)
    if catalog is None:
        return False
    try:
        with catalog:
            if catalog.turns.open_of_session(event.session_id):
                return False
            act(catalog)
            return True
    except _NotLight:
        return False


def _whole() -> NoReturn:
    raise _NotLight

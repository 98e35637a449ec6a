"""Lends the checkpoints of a home to a host for one call, from a base that stays open.

``Checkpoints.open`` is for who holds them open itself; this is for who asks again and again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from hermes_checkpoints.admin.recover import is_settled, recover
from hermes_checkpoints.base import kept
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.checkpoints.whole import Checkpoints, read_former
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import ProjectUnknown
from hermes_checkpoints.history.holding import is_left
from hermes_checkpoints.layout import Layout

Limits = Callable[[Config], Config]
"""Makes the configuration in force of what ``config.yaml`` says."""


@contextlib.contextmanager
def lent(
    layout: Layout, limits: Limits | None = None, *, create: bool = True
) -> Iterator[Checkpoints]:
    """Yield the checkpoints of a layout, whose base is made where there is none. They must not be
    used after the block. ``limits`` makes of what ``config.yaml`` says the configuration in force.
    Without ``create`` no base is made.

    What an earlier process left unfinished is mended before, as by ``Checkpoints.open``; to find
    out whether there is any costs some looks and a statement.

    Raises:
        ProjectUnknown: without ``create``, where there is no base.
        CheckpointError: as ``Checkpoints.open``.
    """
    with kept.lend(layout, _open if create else _open_present) as base:
        if is_left(base) or not is_settled(base):
            from hermes_checkpoints.history import bring_in

            recover(base)
            bring_in(base)
        config = base.config if limits is None else limits(base.config)
        yield Checkpoints(base if config is base.config else replace(base, config=config))


def _open_present(layout: Layout) -> Base:
    """Open a base that there is; one that is kept open need not be looked for."""
    if not base_exists(layout):
        raise ProjectUnknown("No checkpoints exist for this directory")
    return _open(layout)


def _open(layout: Layout) -> Base:
    return Base.open(layout, collect=partial(read_former, layout.base), directly=True)

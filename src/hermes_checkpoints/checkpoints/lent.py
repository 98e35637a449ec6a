"""Lends the checkpoints of a home to a host for one call, from a base that stays open.

``Checkpoints.open`` is for who holds them open itself; this is for who asks again and again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hermes_checkpoints.admin.recover import is_settled, recover
from hermes_checkpoints.base import kept
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.checkpoints.whole import Checkpoints, read_former
from hermes_checkpoints.config import Config
from hermes_checkpoints.history.holding import is_left
from hermes_checkpoints.layout import Layout


@contextlib.contextmanager
def lent(layout: Layout, config: Config | None = None) -> Iterator[Checkpoints]:
    """Yield the checkpoints of a layout, whose base is made where there is none. They must not be
    used after the block. ``config`` replaces what ``config.yaml`` says.

    What an earlier process left unfinished is mended before, as by ``Checkpoints.open``; to find
    out whether there is any costs some looks and a statement.

    Raises:
        CheckpointError: as ``Checkpoints.open``.
    """
    with kept.lend(layout, _open) as base:
        if is_left(base) or not is_settled(base):
            from hermes_checkpoints.history import bring_in

            recover(base)
            bring_in(base)
        yield Checkpoints(base if config is None else replace(base, config=config))


def _open(layout: Layout) -> Base:
    return Base.open(layout, collect=partial(read_former, layout.base))

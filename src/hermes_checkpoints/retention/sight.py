"""A look at names and sizes in the store before each gc: what is broken there is noticed, although
nobody asked for a whole look, and `status` tells of it. It costs no process.
"""

from __future__ import annotations

import json
from datetime import datetime

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import base_error
from hermes_checkpoints.model import StoreLook

LOOKED = "store_looked"
"""The setting with when the store was last looked at before a gc, and what was broken."""

_MOST_NAMED = 3


def look_before_gc(base: Base) -> StoreLook:
    """Look at the store, write down what is broken, and return it. The caller has it alone.

    Raises:
        BaseUnwritable, NoSpace: when a file of refs cannot be read.
        CheckpointError: when the catalog cannot be written.
    """
    from hermes_checkpoints.object_store.first_sight import broken_at_sight

    try:
        found = [f"{sight.where} ({sight.kind})" for sight in broken_at_sight(base.store)]
    except OSError as error:
        raise base_error(error, base.layout.store) from error
    look = StoreLook(base.now(), len(found), tuple(found[:_MOST_NAMED]))
    known = {"at": look.at.isoformat(), "faults": look.faults, "first": look.first}
    base.catalog.settings.set(LOOKED, json.dumps(known), base.now(), durable=False)
    return look


def last_look(base: Base) -> StoreLook | None:
    """Return what the last look before a gc found, or None where there was none."""
    try:
        known = json.loads(base.catalog.settings.get(LOOKED) or "{}")
        first = tuple(str(one) for one in known["first"])
        return StoreLook(datetime.fromisoformat(known["at"]), int(known["faults"]), first)
    except (ValueError, KeyError, TypeError):
        return None

"""The catalog: one SQLite file with everything that git does not keep.

No other package contains SQL, and no database row leaves this one: what goes in and out are
the frozen values of ``model``. The on-disk format is described in docs/catalog.md.

Each name is loaded when it is first used: whoever reads through ``direct`` needs no SQLAlchemy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.catalog import Catalog
    from hermes_checkpoints.catalog.events import Recorded
    from hermes_checkpoints.catalog.opening import Collect
    from hermes_checkpoints.catalog.turns import BY_GONE, BY_HOST, BY_NEXT
    from hermes_checkpoints.catalog.usage import UsageRows

__all__ = [
    "BY_GONE",
    "BY_HOST",
    "BY_NEXT",
    "Catalog",
    "Collect",
    "Recorded",
    "UsageRows",
]

_HOMES = {
    "BY_GONE": "turns",
    "BY_HOST": "turns",
    "BY_NEXT": "turns",
    "Catalog": "catalog",
    "Collect": "opening",
    "Recorded": "events",
    "UsageRows": "usage",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found

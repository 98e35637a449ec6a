"""The catalog: one SQLite file with everything that git does not keep.

No other package contains SQL, and no database row leaves this one: what goes in and out are
the frozen values of ``model``. The on-disk format is described in docs/catalog.md.

Each name is loaded when it is first used: whoever reads through ``direct`` needs no SQLAlchemy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.later import names_of

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.catalog import Catalog
    from hermes_checkpoints.catalog.founding import Collect
    from hermes_checkpoints.catalog.recorded import BY_GONE, BY_HOST, BY_NEXT, Recorded
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

__getattr__ = names_of(
    __name__,
    {
        "BY_GONE": "recorded",
        "BY_HOST": "recorded",
        "BY_NEXT": "recorded",
        "Catalog": "catalog",
        "Collect": "founding",
        "Recorded": "recorded",
        "UsageRows": "usage",
    },
)

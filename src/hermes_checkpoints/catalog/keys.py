"""The names of settings that several modules read."""

from __future__ import annotations

REFS_SIGN = "refs_sign"
"""The setting with the sign of the store's refs as rows and refs last agreed."""

STORE_GROWTH = "store_growth"
"""The setting with the bytes on disk by which takes have made the store grow, ever."""

MEASURED = "measured_store"
"""The setting with the last measure of the store, a JSON object: its ``bytes`` on disk, the
``growth`` by then, and ``at``, the time in UTC."""

PRUNED = "store_growth_pruned"
"""The setting with what takes had made the store grow by, ever, when the last prune that looked at
the size cap was planned."""

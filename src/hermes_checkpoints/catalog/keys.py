"""The names of settings that several modules read."""

from __future__ import annotations

REFS_SIGN = "refs_sign"
"""The setting with the sign of the store's refs as rows and refs last agreed."""

STORE_GROWTH = "store_growth"
"""The setting with the bytes on disk by which takes have made the store grow, ever."""

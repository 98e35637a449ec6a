"""Numbers and signs that mean the same everywhere."""

from __future__ import annotations

SHORT_ID = 8
"""How many hex digits of a commit id are shown to people (v2's ``restored_to``)."""

MB = 1024 * 1024

LATEST = "latest"
"""The reference that means the newest checkpoint of a project that is no safety checkpoint."""

TIME_SIGN = "@"
"""What a reference that names a time begins with; no id, number or label does."""

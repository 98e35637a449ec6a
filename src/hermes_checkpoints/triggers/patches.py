"""Which files a patch names, in the form in which agents write patches for themselves."""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"^\*\*\*[^\S\n]*(?:(?:Update|Add|Delete)[^\S\n]+File:[^\S\n]*(.+)"
    r"|Move[^\S\n]+to:[^\S\n]*(.+)"
    r"|Move[^\S\n]+File:[^\S\n]*(.+?)[^\S\n]*->[^\S\n]*(.+))",
    re.MULTILINE,
)


def patched_paths(patch: str) -> list[str]:
    """Return the files that a patch changes, makes, moves or deletes, as it writes them.

    >>> from hermes_checkpoints.triggers.patches import patched_paths
    >>> patched_paths("*** Begin Patch\\n*** Update File: a.py\\n*** Move to: b.py\\n")
    ['a.py', 'b.py']
    """
    found = (path.strip() for line in _NAMED.findall(patch) for path in line)
    return list(dict.fromkeys(path for path in found if path))

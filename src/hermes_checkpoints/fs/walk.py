"""Walks a folder however deep it is."""

from __future__ import annotations

import os
from collections.abc import Iterator


def walk(top: str | os.PathLike[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder from ``top`` down, as its path, the names of the folders in it and those of
    everything else; links are not followed, and what cannot be read is passed over.

    It is ``os.walk`` without its recursion, which Python 3.11 ends at about 1,000 nested folders
    with a RecursionError. What the caller takes out of the list of folders is not entered, and
    their order there is the order of the walk.
    """
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        found = next(os.walk(folder), None)
        if found is None:
            continue
        yield found
        _, folders, _ = found
        below = (os.path.join(folder, name) for name in reversed(folders))
        waiting += [path for path in below if not os.path.islink(path)]

"""What the events of Python's audit hooks mean whose names lie in open directories."""

from __future__ import annotations

import os
from typing import Any

_DESCRIPTORS = {
    "os.mkdir": (2,),
    "os.chmod": (2,),
    "os.remove": (1,),
    "os.rmdir": (1,),
    "os.symlink": (2,),
    "os.utime": (3,),
    "os.chown": (3,),
    "os.rename": (2, 3),
    "os.link": (2, 3),
}
"""Where each event has the descriptors of the directories that its names are in, in their order."""

_PATH_ONLY = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)


def paths_of(event: str, args: tuple[Any, ...]) -> list[str]:
    """Return the full paths that an event changes. Of a file that is opened by its name in an open
    directory the event does not tell which, so that it is ``./NAME``; opening a directory is none.
    """
    if event == "open":
        name, flags = args[0], args[2]
        if not isinstance(name, str | bytes) or flags & _PATH_ONLY:
            return []
        path = os.fsdecode(name)
        return [path if os.path.isabs(path) else f"./{path}"]
    found = _DESCRIPTORS.get(event, ())
    names = [os.fsdecode(name) for name in args[: len(found)] if isinstance(name, str | bytes)]
    return [_full(name, args[place]) for name, place in zip(names, found, strict=False)]


def is_below(folder: str, event: str, args: tuple[Any, ...]) -> bool:
    """Tell whether an event is of a path below a folder, or of a file in an open directory."""
    return any(path.startswith((f"{folder}/", "./")) for path in paths_of(event, args))


def _full(name: str, descriptor: int) -> str:
    if name.startswith("/proc/self/fd/"):
        return os.readlink(name)
    if descriptor < 0 or os.path.isabs(name):
        return name
    return os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), name)

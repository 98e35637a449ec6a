"""Names of directories that go on to mean the same directory, whatever is put in its place."""

from __future__ import annotations

import os

from hermes_checkpoints.fs.system import pinned

_DESCRIPTORS = "/proc/self/fd/"


class Pins:
    """Holds directories open, each under a name of its own. Where the system has no such names, a
    directory keeps the one that it has."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        """Tell whether a name is that of a directory that is held open."""
        return name in self._paths

    def pin(self, directory: str) -> str:
        """Return a name of a directory that goes on to mean it until it is unpinned.

        Raises:
            OSError: when it is no directory, as a link to one (NotADirectoryError), among others.
        """
        descriptor = pinned(directory)
        if descriptor is None:
            return directory
        name = f"{_DESCRIPTORS}{descriptor}"
        self._paths[name] = self.real(directory)
        return name

    def unpin(self, name: str) -> None:
        """Let a directory go; a name that is none of these is left alone."""
        if self._paths.pop(name, None) is not None:
            os.close(int(name.removeprefix(_DESCRIPTORS)))

    def real(self, name: str) -> str:
        """Return the path that was asked for by a name of a pinned directory, or of what lies in
        it; any other name is its own path."""
        if name in self._paths:
            return self._paths[name]
        folder, last = os.path.split(name)
        return os.path.join(self._paths[folder], last) if folder in self._paths else name

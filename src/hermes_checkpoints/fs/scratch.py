"""Folders that are needed for a moment. ``tempfile.TemporaryDirectory`` calls itself without end
where a folder cannot be emptied (Python 3.11), and raises where it cannot be removed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scratch_folder(place: Path, prefix: str = "tmp") -> Iterator[Path]:
    """Lend a new folder in ``place``, closed to other users. It is removed at the end as far as the
    system lets it; what is left is swept like that of a killed process.

    Raises:
        OSError: when it cannot be made.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""The git indexes of projects: caches, which the next take makes anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store.git_index import is_sound
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.quarantine import set_aside

DAMAGED_INDEX = "index-damaged"

_NAME = re.compile(r"[0-9a-f]{16}")


def check(patient: Patient) -> Iterator[Finding]:
    """Compare each index with its checksum.

    Raises:
        OSError: when they cannot be listed.
    """
    for path in indexes(patient.layout.indexes):
        if not is_sound(path):
            yield Finding(
                DAMAGED_INDEX,
                path.name,
                "the git index of this project is not as git wrote it; it is a cache",
                f"`{PROGRAM} doctor --repair` drops it; the next take makes it anew",
                repairs=True,
            )


def indexes(folder: Path) -> list[Path]:
    """Return the indexes in a folder, by name."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def mend(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """Drop damaged indexes, which the next take makes anew; return what was done.

    Raises:
        OSError: when one cannot be moved or removed.
    """
    done = []
    for path in indexes(base.layout.indexes):
        if any(f.kind == DAMAGED_INDEX for f in findings) and not is_sound(path):
            set_aside(git.repository, path)
            forget(path)
            done.append(f"the index {path.name} was dropped")
    return done

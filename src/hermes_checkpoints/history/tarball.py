"""Writes a checkpoint as a tar archive, which needs nothing of ours to be read.

The same checkpoint makes the same bytes. Owners are nobody's (0), times are those of the
checkpoint, and bits that change who runs a program (set-id) are left out.
"""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from typing import IO

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.model import Archived, Checkpoint
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.object_store import TreeState
from hermes_checkpoints.object_store.git_objects import GITLINK_MODE, LINK_MODE
from hermes_checkpoints.object_store.tree_listing import list_entries
from hermes_checkpoints.object_store.wholeness import all_lost_paths

_PERMISSIONS = 0o777
_IN_MEMORY = 16 << 20
"""A content that is larger is on the disk for a moment, until its size is known."""


def write_tar(base: Base, checkpoint: Checkpoint, target: IO[bytes]) -> Archived:
    """Write what a checkpoint holds as a tar archive, and return what is in it and what is not.

    Raises:
        StoreDamaged, GitFailed: when the store cannot give it.
        OSError: when ``target`` takes nothing more.
    """
    git = base.store.git
    state = base.store.state(checkpoint.id, checkpoint.tree_id)
    entries = list_entries(git, checkpoint.tree_id)
    lost = all_lost_paths(git, [checkpoint.tree_id] if checkpoint.partly_lost else [])
    links = {path for path, entry in entries.items() if entry.mode == GITLINK_MODE}
    files = [entries[path] for path in sorted(entries.keys() - lost - links)]
    written = 0
    with (
        tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        git.blobs() as reader,
    ):
        for folder in sorted({*state.meta.directories, *folders_above(entries)}):
            archive.addfile(
                _described(folder, checkpoint, tarfile.DIRTYPE, _bits_of(state, folder))
            )
        reader.expect([entry.object_id for entry in files])
        for entry in files:
            if entry.mode == LINK_MODE:
                link = _described(entry.path, checkpoint, tarfile.SYMTYPE, _PERMISSIONS)
                link.linkname = os.fsdecode(reader.read(entry.object_id)[2])
                archive.addfile(link)
                continue
            bits = state.meta.bits(entry.path, entry.mode)
            member = _described(entry.path, checkpoint, tarfile.REGTYPE, bits)
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as content:
                reader.copy(entry.object_id, content.write)
                member.size = content.tell()
                content.seek(0, io.SEEK_SET)
                archive.addfile(member, content)
            written += member.size
    left_out = tuple(sorted(lost | links))
    return Archived(checkpoint, len(files), written, state.meta.skipped, left_out)


def _bits_of(state: TreeState, folder: str) -> int:
    return state.meta.directories.get(folder, state.meta.usual.directory)


def _described(path: str, checkpoint: Checkpoint, kind: bytes, bits: int) -> tarfile.TarInfo:
    found = tarfile.TarInfo(path)
    found.type, found.mode = kind, bits & _PERMISSIONS
    found.mtime = int(checkpoint.created_at.timestamp())
    return found

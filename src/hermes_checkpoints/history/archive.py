"""Moves what was imported, or cannot be, out of the way into ``legacy-<time>/`` in the base.

Needed by every import in a base. A move is one rename on one file system, recorded afterwards: a
process that is killed between the two leaves a state that the next one recognizes. Nothing is
ever replaced or deleted: where a name is taken, both stay as they are and the record says so.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from hermes_checkpoints.base.adopting import FORMER, FORMER_CONFIG, write_config_anew
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, base_error
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.fs.system import sync_directory, write_atomically
from hermes_checkpoints.history.find import refs_of
from hermes_checkpoints.layout import LEGACY_PREFIX
from hermes_checkpoints.model import LegacyLayout, LegacyRecord, LegacyState
from hermes_checkpoints.object_store.maintenance import delete_refs

FOLDER = "legacy_folder"
"""The setting that names the archive into which an unfinished import moves things."""

V2_ARCHIVE = "v2-store"
FORMER_REFS = "former-refs.json"
_V2_PARTS = ("projects", "ledgers", FORMER, FORMER_CONFIG)
_ARCHIVE = re.compile(rf"{LEGACY_PREFIX}[0-9-]+")
_V2_MARKER = ".last_prune"
_NOT_MOVED = "not moved: "


def archive(base: Base, record: LegacyRecord, error: str | None) -> LegacyRecord:
    """Move the original of a record aside, unless it lies in an archive; return the record as
    archived, or with the reason why it could not be moved.

    ``error`` is what was not imported of it, and stays with the record.
    """
    try:
        own = record.layout is LegacyLayout.V2
        where = _archive_store(base) if own else _moved(base, record)
        if record.layout is LegacyLayout.V1 and not (base.layout.base / where).is_symlink():
            write_config_anew(base.layout.base / where)  # for who looks at the archive with git
    except (OSError, CheckpointError) as problem:
        if isinstance(problem, OSError):
            problem = base_error(problem, base.layout.base)
        text = f"{_NOT_MOVED}{problem}"
        return noted(base, record, f"{error}; {text}" if error else text)
    path = base.layout.base / where
    return base.catalog.archives.set_state(
        record,
        LegacyState.ARCHIVED,
        base.now(),
        path=where,
        error=error,
        size_bytes=directory_bytes(path, alone=True),
    )


def noted(base: Base, record: LegacyRecord, error: str) -> LegacyRecord:
    """Write down what is wrong with a record, where that is not known; return it as it then is."""
    if record.error == error:
        return record
    return base.catalog.archives.note(record, error=error)


def not_imported(record: LegacyRecord) -> str | None:
    """Return what was not imported of a record, without why it could not be moved."""
    return (record.error or "").partition(_NOT_MOVED)[0].removesuffix("; ") or None


def in_an_archive(record: LegacyRecord) -> bool:
    """Tell whether a record is of something in a ``legacy-*`` folder of the base."""
    return record.path.startswith(LEGACY_PREFIX) and "/" in record.path


def is_gone(base: Base, record: LegacyRecord) -> bool:
    """Tell whether the original of a record is neither in its place nor in the archive of this
    import: a session's file goes with its session."""
    name = base.catalog.settings.get(FOLDER)
    places = [base.layout.base / record.path]
    if name and not in_an_archive(record):
        places.append(base.layout.base / name / record.name)
    return not any(os.path.lexists(place) for place in places)


def _moved(base: Base, record: LegacyRecord) -> str:
    if in_an_archive(record):
        return record.path
    source = base.layout.base / record.path
    folder = _folder(base)
    target = folder / record.name
    if os.path.lexists(target):
        if os.path.lexists(source):
            raise _taken(target)
    else:
        os.rename(source, target)
        sync_directory(str(folder))
        sync_directory(str(base.layout.base))
    return f"{folder.name}/{record.name}"


def _archive_store(base: Base) -> str:
    """Take the chains of version 2 out of the store, now that they are checkpoints, and move
    its other files aside. What is not imported keeps its ref, and so its objects."""
    store = base.layout.store
    folder = _v2_folder(base)
    present = refs_of(store)
    going = [ref for ref, commit in _noted(folder).items() if present.get(ref) == commit]
    with shared(base.layout.store_lock, timeout=base.lock_timeout):
        delete_refs(base.store.git, going)
    parts = [(store / name, folder / name) for name in _V2_PARTS]
    parts.append((base.layout.base / _V2_MARKER, folder / _V2_MARKER))
    for source, target in parts:
        if not os.path.lexists(source):
            continue
        if os.path.lexists(target):
            raise _taken(target)
        os.rename(source, target)
    (store / "objects" / "info" / "commit-graph").unlink(missing_ok=True)
    for changed in (folder, folder.parent, base.layout.base, store):
        sync_directory(str(changed))
    return f"{folder.parent.name}/{folder.name}"


def note_chains(base: Base, refs: Sequence[str]) -> None:
    """Write down in the archive which chains of the store are checkpoints, all of them, so that
    their refs may go once the catalog says so, too.

    Raises:
        OSError: when that cannot be written.
    """
    present = refs_of(base.layout.store)
    folder = _v2_folder(base)
    noted = _noted(folder) | {ref: present[ref] for ref in refs if ref in present}
    write_atomically(folder / FORMER_REFS, json.dumps(noted, indent=1).encode())
    sync_directory(str(folder))


def _noted(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / FORMER_REFS).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _v2_folder(base: Base) -> Path:
    folder = _folder(base) / V2_ARCHIVE
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _taken(target: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, "that name is taken", str(target))


def _folder(base: Base) -> Path:
    """Return the archive of this import, made if needed; one that was killed uses its own."""
    name = base.catalog.settings.get(FOLDER)
    now = base.now()
    if not name or not _ARCHIVE.fullmatch(name) or (base.layout.base / name).is_symlink():
        stamp = f"{LEGACY_PREFIX}{now.astimezone():%Y%m%d-%H%M%S}"
        name = stamp
        number = 1
        while os.path.lexists(base.layout.base / name):
            number += 1
            name = f"{stamp}-{number}"
        base.catalog.settings.set(FOLDER, name, now)
    folder = base.layout.base / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def close_folder(base: Base) -> None:
    """End an import: the next one makes an archive of its own."""
    if base.catalog.settings.get(FOLDER):
        base.catalog.settings.set(FOLDER, "", base.now())

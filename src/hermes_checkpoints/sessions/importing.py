"""Takes the files ``<session_id>.yaml`` of an earlier store into the catalog.

The files are read and left as they are. What the catalog has of the same time or newer stays;
an older state becomes a former version, so that nothing is lost either way.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import (
    BadDocument,
    BadRequest,
    SessionChanged,
    SessionDamaged,
    base_error,
)
from hermes_checkpoints.fs.inspect import require_readable_directory
from hermes_checkpoints.model import KEEP_VERSIONS, MB, ImportedFile
from hermes_checkpoints.sessions.documents import encode, from_yaml
from hermes_checkpoints.sessions.fields import (
    UPDATED,
    as_stored,
    check_id,
    columns_of,
    moment,
)
from hermes_checkpoints.sessions.files import SUFFIX, file_name

_MOST_MB = 16
MOST_FILE_BYTES = _MOST_MB * MB
"""A file of more bytes is no session of an agent, and is not read."""


def import_folder(base: Base, folder: Path) -> list[ImportedFile]:
    """Import every ``*.yaml`` directly in a folder, by name; return what became of each.

    Raises:
        BadDirectory: when the folder is missing or cannot be listed.
        CheckpointError: when the catalog cannot be written.
    """
    require_readable_directory(folder)
    try:
        found = sorted(folder.glob(f"*{SUFFIX}"))
    except OSError as error:
        raise base_error(error, folder) from error
    ids: dict[str, str] = {}  # of mirrored files, by their names
    if any("%" in path.name for path in found):
        ids = {file_name(session_id): session_id for session_id in base.catalog.sessions.ids()}
    names = ((path, path.name.removesuffix(SUFFIX)) for path in found)
    return [import_file(base, path, ids.get(name, name)) for path, name in names]


def import_file(
    base: Base, path: Path, session_id: str, *, written_at: datetime | None = None
) -> ImportedFile:
    """Import one file as a state of a session.

    The state is of the time that its ``updated`` tells (local, where it names no zone), else of
    ``written_at``. One that tells none is of the present time: that it is old cannot be known.

    Raises:
        CheckpointError: when the catalog cannot be written.
    """
    try:
        check_id(session_id)
        if not path.is_file():
            return ImportedFile(path, session_id, reason="it is no regular file")
        if path.stat().st_size > MOST_FILE_BYTES:
            return ImportedFile(path, session_id, reason=f"it has more than {_MOST_MB} MB")
        document = from_yaml(path.read_bytes().decode("utf-8"))
        told = moment(document.get(UPDATED)) or written_at
        updated_at = told or base.now()
        text = encode(as_stored(document, updated_at))
        existing = base.catalog.sessions.read(session_id)
        if existing is not None and (told is None or told <= existing.updated_at):
            return ImportedFile(path, session_id, existing.version, kept=True)
        stored = base.catalog.sessions.write(
            session_id,
            text,
            **columns_of(document),
            updated_at=updated_at,
            keep=KEEP_VERSIONS,
            if_version=0 if existing is None else existing.version,
        )
    except OSError as error:
        return ImportedFile(path, session_id, reason=f"it cannot be read ({error.strerror})")
    except UnicodeDecodeError as error:
        return ImportedFile(path, session_id, reason=f"it is no UTF-8 ({error.reason})")
    except (BadRequest, BadDocument, SessionDamaged, SessionChanged) as error:
        return ImportedFile(path, session_id, reason=str(error))
    return ImportedFile(path, session_id, stored.version)

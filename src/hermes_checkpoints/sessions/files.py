"""How sessions appear as files: their names, their text, what was set aside.

A session id is never a path. Where it has to name a file, it becomes a name that no other id has
and that leads nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import SessionDamaged, base_error
from hermes_checkpoints.fs.system import sync_directory
from hermes_checkpoints.model import StoredSession
from hermes_checkpoints.sessions.documents import decode, yaml_text
from hermes_checkpoints.sessions.fields import in_local_time

SUFFIX = ".yaml"
UNREADABLE = "unreadable-sessions"
"""The folder in the base that receives unreadable documents before they are removed."""

_NAME_BYTES = 180  # room for suffixes within the 255 bytes that file systems allow
_UNSAFE = frozenset('/\\:*?"<>|%')


def file_name(session_id: str) -> str:
    """Return the name of a session's file, without the suffix: the id itself where it is safe.

    Other characters become ``%XX``, byte for byte in UTF-8; a name that is too long ends in
    ``%-`` and the SHA-256 of the id. Two ids never share a name, also where a file system
    composes accents (it may still ignore case).
    """
    composed = unicodedata.is_normalized("NFC", session_id)
    name = "".join(
        character if _is_safe(character, first=number == 0, composed=composed) else _hex(character)
        for number, character in enumerate(session_id)
    )
    raw = name.encode()
    if len(raw) <= _NAME_BYTES:
        return name
    digest = hashlib.sha256(session_id.encode()).hexdigest()
    start = raw[: _NAME_BYTES - len(digest) - 2].decode("utf-8", "ignore")
    return f"{start}%-{digest}"


def _is_safe(character: str, *, first: bool, composed: bool) -> bool:
    if character in _UNSAFE or not character.isprintable() or (first and character == "."):
        return False
    return composed or character.isascii()


def _hex(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def yaml_file(stored: StoredSession) -> str:
    """Return the YAML file that the agent's own store would have written for a session.

    Raises:
        SessionDamaged: when the document cannot be read.
    """
    return yaml_text(in_local_time(decode(stored.document), stored))


def set_aside(base: Base, session_id: str, text: bytes, note: str) -> Path:
    """Write an unreadable document to a new file in the base, durably; return the file.

    Raises:
        BaseUnwritable, NoSpace: when it cannot be written.
    """
    folder = base.layout.base / UNREADABLE
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    path = folder / f"{file_name(session_id)}.{note}.{stamp}{SUFFIX}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        sync_directory(str(folder))
        sync_directory(str(base.layout.base))
    except OSError as error:
        raise base_error(error, folder) from error
    return path


def is_readable(stored: StoredSession) -> bool:
    """Tell whether the document of a session can be read."""
    try:
        decode(stored.document)
    except SessionDamaged:
        return False
    return True

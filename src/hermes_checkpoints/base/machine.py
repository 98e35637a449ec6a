"""Names a base among those that share checkpoints: each commit says which one took it.

The id is random, and stands in ``machine.json`` beside the inode of that very file. A base that is
copied, as with a golden image or a backup that is put back, has the file with another inode. It
takes another id then, so that two bases that both go on never pass for one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import CheckpointError, base_errors
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout

_ID = re.compile(r"[0-9a-f]{12}")
_LONGEST_NAME = 255
_MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class Machine:
    """The id of a base, 12 hex digits, None where it could not be made. ``told`` is what the
    journal is to say where the base has lost its id or has none."""

    id: str | None
    told: str | None = None


def machine_of(layout: Layout, timeout: float) -> Machine:
    """Return the id of a base, which is made where there is none, and made anew where the file is
    damaged or came from elsewhere. Never raises: a take does without.

    ``timeout`` is the longest wait for another process that makes it, in seconds. Costs one look
    and one read of a small file, once it is made.
    """
    try:
        found, _ = _read(layout.machine)
        if found is not None:
            return Machine(found)
        with exclusive(layout.machine_lock, purpose="naming the base", timeout=timeout):
            found, complaint = _read(layout.machine)  # another process may have made it
            if found is not None:
                return Machine(found)
            made = secrets.token_hex(6)
            _write(layout.machine, made)
    except (CheckpointError, OSError) as error:
        return Machine(None, f"the checkpoint names no machine: {error}")
    if complaint is None:
        return Machine(made)
    return Machine(made, f"{layout.machine.name} {complaint}; the base is machine {made} now")


def known_machine(layout: Layout) -> str | None:
    """Return the id of a base; None where it has none yet, or it cannot be read. Makes none."""
    try:
        return _read(layout.machine)[0]
    except OSError:
        return None


def renew(layout: Layout, timeout: float) -> str:
    """Give a base another id, and return it: what goes by the present one is another base.

    ``timeout`` is as for ``machine_of``.

    Raises:
        LockHeld: when another process names the base for longer.
        BaseUnwritable, NoSpace: when it cannot be written.
    """
    with exclusive(layout.machine_lock, purpose="naming the base", timeout=timeout):
        made = secrets.token_hex(6)
        with base_errors(layout.machine):
            _write(layout.machine, made)
    return made


def complaint(layout: Layout) -> str | None:
    """Return what is wrong with the file that names a base, as ``was damaged``; None where it is
    sound, or not there.

    Raises:
        OSError: when that cannot be told.
    """
    return _read(layout.machine)[1]


def name_of_machine() -> str:
    """Return what people call this machine: ``HERMES_MACHINE``, else the name of the host."""
    named = os.environ.get("HERMES_MACHINE", "").strip() or socket.gethostname()
    return named[:_LONGEST_NAME]


def _read(file: Path) -> tuple[str | None, str | None]:
    """Return the id that a file gives to this base; or None and what is wrong with the file, None
    where there is none.

    Raises:
        OSError: when that cannot be told.
    """
    try:
        inode = file.stat().st_ino
    except FileNotFoundError:
        return None, None
    try:
        facts = json.loads(small_contents(file, _MOST_BYTES))
        known, at = facts["machine"], facts["inode"]
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        return None, "was damaged"
    if not isinstance(known, str) or not _ID.fullmatch(known):
        return None, "was damaged"
    if at != inode:
        return None, f"came from elsewhere, where it named machine {known}"
    return known, None


def _write(file: Path, machine: str) -> None:
    """Put a file in place that names its own inode."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            inode = os.fstat(opened.fileno()).st_ino
            facts = {"machine": machine, "name": name_of_machine(), "inode": inode}
            opened.write(json.dumps(facts, indent=1).encode("ascii") + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise

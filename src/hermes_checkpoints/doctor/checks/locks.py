"""Who holds the locks of the base, and whether a holder still holds the lock that others take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import entries, quoted, within
from hermes_checkpoints.fs.holders import Holding, holdings, read_note, runs
from hermes_checkpoints.fs.locks import NOTE_SUFFIX, QUEUE_SUFFIX
from hermes_checkpoints.fs.processes import host_name
from hermes_checkpoints.layout import LOCKS, former_locks
from hermes_checkpoints.model.doctor import Finding

_ENDING = ".lock"
_ENDINGS = (_ENDING, _ENDING + QUEUE_SUFFIX)


def check(patient: Patient) -> Iterator[Finding]:
    """Look at each lock, its holders, and the note that the last one left.

    Raises:
        OSError: when the folder of locks cannot be read.
    """
    folder = patient.layout.base / LOCKS
    held = holdings(folder)
    for one in held or []:
        yield _of_holding(patient, folder, one)
    at_work = {one.name for one in held or [] if one.at_path}
    for path in entries(folder):
        if path.name.endswith(_ENDINGS):
            yield from _closed(patient, path)
        elif path.name.endswith(_ENDING + NOTE_SUFFIX):
            yield from _of_note(patient, path, held is not None, at_work)
    former = former_locks(patient.layout.base)
    if former.is_dir():
        yield Finding(
            "former-locks",
            str(former),
            "earlier programs hold the locks of this base there, and so does this one, in case "
            "one is still in use",
            f"when no earlier program uses this base any more: rm -r {quoted(former)}",
            note=True,
        )


def _of_holding(patient: Patient, folder: Path, held: Holding) -> Finding:
    path = folder / held.name
    who = "a process" if held.pid is None else f"process {held.pid}"
    how = "alone" if held.alone else "together with others"
    note = read_note(path.with_name(held.name + NOTE_SUFFIX))
    told = f", for {note.purpose}, since {note.since}" if note and held.alone else ""
    if held.at_path and held.name.endswith(_ENDINGS):
        return Finding(
            "lock-held",
            within(patient.layout, path),
            f"{who} holds it {how}{told} (inode {held.inode})",
            "wait until it is done, if something waits for it",
            note=True,
        )
    try:
        found = path.stat().st_ino
        now = "it has another name now" if held.at_path else f"inode {found} is there now"
    except OSError:
        now = "nothing is there now"
    end = "that process" if held.pid is None else f"it (kill {held.pid})"
    return Finding(
        "lock-replaced",
        within(patient.layout, path),
        f"{who} holds inode {held.inode} {how}, but the file was removed or replaced ({now}): "
        "another process may work there at the same time",
        f"start nothing here until it is done, or end {end}; then look again",
    )


def _closed(patient: Patient, path: Path) -> Iterator[Finding]:
    if os.access(path, os.R_OK | os.W_OK):
        return
    yield Finding(
        "lock-closed",
        within(patient.layout, path),
        "this user cannot open it for writing, so nothing that needs this lock can be done"
        + _owner(path),
        f'give it back: sudo chown "$(id -un)" {quoted(path)} && chmod 600 {quoted(path)}',
    )


def _owner(path: Path) -> str:
    try:
        return f"; it belongs to user {path.stat().st_uid}"
    except OSError:
        return ""


def _of_note(patient: Patient, path: Path, seen: bool, at_work: set[str]) -> Iterator[Finding]:
    lock = path.name.removesuffix(NOTE_SUFFIX)
    note = read_note(path)
    if lock in at_work:
        return
    if note is None:
        told = "the note on the last holder cannot be read"
    elif note.host not in (None, host_name()):
        told = (
            f"process {note.pid} took it for {note.purpose} on {note.since} on another "
            "machine; whether it still holds it cannot be seen here"
        )
    elif not seen and runs(note.pid) is not False:
        told = (
            f"process {note.pid} took it for {note.purpose} on {note.since}; whether it "
            "still holds it cannot be seen on this system"
        )
    else:
        told = (
            f"process {note.pid}, which took it for {note.purpose} on {note.since}, "
            "ended without removing this note; nobody holds the lock"
        )
    yield Finding(
        "lock-note",
        within(patient.layout, path),
        told,
        "nothing: a lock ends with its holder, and the note is removed after a day",
        note=True,
    )

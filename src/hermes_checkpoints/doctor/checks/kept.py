"""What is kept of damage, of upgrades and of killed processes: where it is, and what it takes.

Nothing of it is a fault. People should know of it before they look for a lost file elsewhere, or
wonder about the size of the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.admin.leftovers import leftovers
from hermes_checkpoints.base.clearing import CLEARED
from hermes_checkpoints.catalog import backups
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import below, examples, measured, quoted, vanishing, within
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.disk import allocated
from hermes_checkpoints.fs.locks import NOTE_SUFFIX
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import packs
from hermes_checkpoints.object_store.damage import QUARANTINE, quarantined
from hermes_checkpoints.object_store.quarantine import FOLDER
from hermes_checkpoints.text import counted, size

_SWEPT = "nothing: the first opening of a day removes it, when it is a day old"
_PURGE = f"nothing; `{PROGRAM} drop ID --now` and `{PROGRAM} forget PATH` remove what must not stay"


def check(patient: Patient) -> Iterator[Finding]:
    """Look at what was put aside, and at what was left.

    Raises:
        OSError: when the base cannot be looked into.
    """
    yield from _quarantine(patient)
    yield from _kept_packs(patient)
    yield from _leftovers(patient)
    yield from _backups(patient)


def _quarantine(patient: Patient) -> Iterator[Finding]:
    layout, store = patient.layout, patient.layout.store
    taken_out = quarantined(store)
    if taken_out:
        listed = [f"{commit[:8]} ({ref})" for ref, commit in sorted(taken_out.items())]
        yield Finding(
            "quarantined-refs",
            within(layout, store / QUARANTINE),
            f"{counted(len(taken_out), 'ref')} of damaged checkpoints, taken out of the store: "
            f"{examples(listed)}; what is left of them is in kept packs",
            "a backup of the store that has what they lack makes them whole: copy its objects into "
            f"{quoted(store / 'objects')} (cp -rn), then `{PROGRAM} doctor --repair`",
            note=True,
        )
    found, taken = [], 0
    for path in below(store / FOLDER):
        with vanishing():
            taken += allocated(path.lstat())
            found.append(within(layout, path))
    if found:
        yield Finding(
            "quarantined-files",
            within(layout, store / FOLDER),
            f"{counted(len(found), 'damaged file')} of the store, moved aside ({size(taken)}): "
            f"{examples(found)}",
            _PURGE,
            note=True,
        )
    damaged = [*layout.base.glob("*.damaged*"), *store.glob("*.damaged*")]
    for path in sorted(damaged):
        with vanishing():
            yield Finding(
                "damaged-file",
                within(layout, path),
                f"a damaged file that was replaced is kept ({measured(path, patient.now)})",
                f"nothing; when nothing in it is missed: rm {quoted(path)}",
                note=True,
            )


def _kept_packs(patient: Patient) -> Iterator[Finding]:
    layout, store = patient.layout, patient.layout.store
    taken_out = quarantined(store)
    for keep in sorted((store / "objects" / "pack").glob("*.keep")):
        index, pack = keep.with_suffix(".idx"), keep.with_suffix(".pack")
        with vanishing():
            bytes_ = allocated(pack.lstat())
            refs = [ref for ref, commit in taken_out.items() if packs.names(index, commit)]
            of = f", of {examples(sorted(refs))}" if refs else ""
            yield Finding(
                "kept-pack",
                within(layout, pack),
                f"a pack that no gc touches holds {counted(packs.count(index), 'object')} "
                f"({size(bytes_)}){of}",
                _PURGE,
                note=True,
            )


def _leftovers(patient: Patient) -> Iterator[Finding]:
    layout = patient.layout
    for path in [*leftovers(layout), *_half_written(layout.store / "objects")]:
        if path.name.endswith(NOTE_SUFFIX):
            continue  # the check of locks tells of them
        with vanishing():
            yield Finding(
                "leftover",
                within(layout, path),
                f"a killed process left it, or one is at it now ({measured(path, patient.now)})",
                _SWEPT if path.parent.name != "pack" else "nothing: the next prune removes it",
                note=True,
            )
    with vanishing():
        yield Finding(
            "cleared",
            CLEARED,
            "what a clear moved away is not deleted yet "
            f"({measured(layout.base / CLEARED, patient.now)})",
            f"nothing: each opening deletes some of it; `{PROGRAM} prune` all of it",
            note=True,
        )


def _half_written(objects: Path) -> Iterator[Path]:
    for folder in (objects, *objects.glob("??"), objects / "pack"):
        for pattern in ("tmp_*", ".tmp-*"):
            yield from sorted(folder.glob(pattern))


def _backups(patient: Patient) -> Iterator[Finding]:
    for backup in backups.backups(patient.layout.catalog):
        with vanishing():
            told = measured(backup.path, patient.now)
            yield Finding(
                "catalog-backup" if backup.complete else "incomplete-backup",
                within(patient.layout, backup.path),
                f"the catalog as it was at revision {backup.revision} ({told})"
                if backup.complete
                else f"an upgrade was killed as it wrote this backup ({told})",
                "nothing; it is the only way back to the version of this package that wrote it"
                if backup.complete
                else _SWEPT,
                note=True,
            )

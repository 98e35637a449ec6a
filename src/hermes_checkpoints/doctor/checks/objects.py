"""The files of the object store: its frame, loose objects and packs. With ``deep`` each is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.doctor.needed import git_of, not_imported
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import ObjectStore
from hermes_checkpoints.object_store.first_sight import (
    EMPTY_OBJECT,
    FRAME,
    HALF_PACK,
    empty_objects,
    half_packs,
)
from hermes_checkpoints.object_store.halving import failing
from hermes_checkpoints.object_store.loose import is_sound, loose_files
from hermes_checkpoints.object_store.packs import ends_as_index_says
from hermes_checkpoints.retention.heal import heal

INCOMPLETE = "checkpoint-incomplete"
DAMAGED_OBJECT = "object-damaged"
DAMAGED_PACK = "pack-damaged"

_REPAIR = f"`{PROGRAM} doctor --repair`"
_ASIDE = (
    f"{_REPAIR} moves it aside into store/quarantine-files, and writes its contents anew where a "
    "working directory still has them; a backup of the store put back has all of them"
)
_PATIENCE = 40


_OF_SETTINGS = ("config", "shallow", "info/grafts")
"""What the check of the settings says more of."""


def check(patient: Patient) -> Iterator[Finding]:
    """Look at the frame of the store and at each file of objects.

    Raises:
        CheckpointError, OSError: when they cannot be looked at.
    """
    layout = patient.layout
    if not layout.store.is_dir():
        in_place = os.path.lexists(layout.store)
        listed = patient.catalog is not None and patient.catalog.status.totals()[1] > 0
        if in_place or listed:
            yield Finding(
                "store-missing",
                layout.store.name,
                ("what lies in its place is none" if in_place else "there is no object store")
                + (", and the catalog lists checkpoints" if listed else ""),
                f"put a backup of {layout.store} back; without one, {_REPAIR} makes an empty one, "
                "and the checkpoints are listed as lost",
                repairs=True,
            )
        return
    if not_imported(patient):
        yield Finding(
            "not-imported",
            layout.store.name,
            "there is a store, and neither a catalog nor a checkpoint of this version",
            "nothing: the next command imports what an earlier version left there",
            note=True,
        )
        return
    for name in ObjectStore(layout).frame_faults():
        if name not in _OF_SETTINGS:
            yield Finding(
                FRAME,
                name,
                "this part of the frame of the store is missing, or not as it must be",
                f"{_REPAIR} makes it anew, as the next command does",
                repairs=True,
            )
    yield from _files(patient)


def _files(patient: Patient) -> Iterator[Finding]:
    store = patient.layout.store
    broken = set()
    for kind, where in (*empty_objects(store), *half_packs(store)):
        broken.add(where)
        text = "it is empty, or no file"
        remedy = _ASIDE
        if kind.startswith("pack"):
            text = "its other half, the .pack or .idx, is missing, or one of them is empty"
            remedy = f"{_REPAIR} makes the .idx anew of a whole .pack, or moves both aside"
        yield Finding(kind, where, text, remedy, repairs=True)
    packs = sorted((store / "objects" / "pack").glob("pack-*.pack"))
    whole = [
        pack
        for pack in packs
        if not {f"objects/pack/{pack.stem}{ending}" for ending in (".pack", ".idx")} & broken
    ]
    damaged = [pack for pack in whole if not ends_as_index_says(pack)]
    if patient.deep:
        sound = [str(pack.with_suffix(".idx")) for pack in whole if pack not in damaged]
        damaged += [store / "objects" / "pack" / name for name in _unverified(patient, sound)]
        for path, name in loose_files(store / "objects"):
            where = path.relative_to(store).as_posix()
            if where not in broken and not is_sound(path, name):
                text = "its contents are not those that its name says"
                yield Finding(DAMAGED_OBJECT, where, text, _ASIDE, repairs=True)
    for pack in damaged:
        yield Finding(
            DAMAGED_PACK,
            f"objects/pack/{pack.name}",
            "it is not as its checksum says, or does not belong to its index",
            f"{_REPAIR} moves it aside into store/quarantine-files, and takes out of it what can "
            "be read",
            repairs=True,
        )


def _unverified(patient: Patient, indexes: list[str]) -> list[str]:
    """Return the names of the packs that git finds damaged: one process where there is none."""
    if not indexes:
        return []
    git = git_of(patient)

    def verify(some: Sequence[str]) -> None:
        git.run("verify-pack", *some, patience=_PATIENCE)

    return [f"{Path(index).stem}.pack" for index, _ in failing(indexes, verify)]


def mend(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """Move aside what is broken, and write again what can be had; return what was done.

    Raises:
        CheckpointError: when the store cannot be written.
    """
    kinds = {found.kind for found in findings}
    deep = bool(kinds & {DAMAGED_OBJECT, DAMAGED_PACK, INCOMPLETE})
    return heal(base, git, deep=deep) if deep or kinds & {EMPTY_OBJECT, HALF_PACK} else []

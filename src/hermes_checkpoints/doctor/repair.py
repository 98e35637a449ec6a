"""Mends what a look found. What is wrong is swapped for what is right, and kept aside.

First what an opening needs: a catalog that can be read. Then the base is opened, and all else is
mended with the store alone; what every opening mends comes last. At the end the base is looked at
again, so that what is told as left is what is there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial

from hermes_checkpoints.admin.recover import recover
from hermes_checkpoints.admin.salvage import salvage
from hermes_checkpoints.base.existing import base_exists, why_unwritable
from hermes_checkpoints.base.measures import record_measure
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog import mending
from hermes_checkpoints.catalog.inspection import Inspection
from hermes_checkpoints.config import Config, git_timeout
from hermes_checkpoints.doctor.checks import (
    caches,
    catalog,
    changes,
    clears,
    contents,
    git_locks,
    machine,
    objects,
    owners,
    refs,
    store_config,
)
from hermes_checkpoints.doctor.look import Progress, examine
from hermes_checkpoints.doctor.patient import Check
from hermes_checkpoints.doctor.places import aside
from hermes_checkpoints.errors import (
    BadRequest,
    BaseUnwritable,
    CatalogNewer,
    CheckpointError,
    base_error,
)
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.git import Git
from hermes_checkpoints.history import bring_in, collect
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Diagnosis, Finding, Repaired
from hermes_checkpoints.text import counted

Mend = Callable[[Base, Git, Sequence[Finding]], list[str]]
"""Mends what it can of some findings, with the store alone; returns what it did, in words."""

BEFORE: tuple[tuple[str, Callable[[Layout, Sequence[Finding]], list[str]]], ...] = (
    ("owners", owners.mend),
    ("git-locks", git_locks.mend),
    ("store-settings", store_config.mend),
    ("machine", machine.mend),
)
"""What mends before anything is opened and git runs in the store, because it stands in the way or
would be obeyed."""

MENDS: tuple[tuple[str, Mend], ...] = (
    ("ref files", refs.mend_files),
    ("objects", objects.mend),
    ("rows", contents.mend_rows),
    ("refs", refs.mend),
    ("checkpoints", contents.mend),
    ("changes", changes.mend),
    ("caches", caches.mend),
)
"""What mends, in the order in which it is done: refs that git can read first, then objects, so that
nothing counts as lost that can be had again."""


def repair(
    layout: Layout,
    diagnosis: Diagnosis,
    *,
    config: Config | None = None,
    deep: bool = False,
    progress: Progress | None = None,
    more: Sequence[tuple[str, Check]] = (),
) -> Repaired:
    """Mend what ``diagnosis`` found, and look again; ``deep`` and ``more`` as for ``examine``.

    What cannot be mended is in ``left``, and so is the failure of a step: one stops no other.

    Raises:
        BadRequest: when a clear has begun, which an opening would carry out.
        BaseUnwritable: when the base can only be read.
        LockHeld: when others use the store or the catalog for too long; what was done by then
            stays.
        CheckpointError: when the base cannot be opened even so.
    """
    tell = progress or (lambda _: None)
    done: list[str] = []
    failed: dict[str, str] = {}
    if base_exists(layout) and not diagnosis.sound:
        cause = why_unwritable(layout)
        if cause is not None:
            raise BaseUnwritable(f"the checkpoint base {layout.base} can only be read ({cause})")
        _refuse_begun_clear(diagnosis)
        done += _in_the_way(layout, diagnosis.findings, tell, failed)
        tell("mending the catalog")
        done += _before_opening(layout, diagnosis.findings, tell)
        try:
            base = Base.open(layout, config, collect=partial(collect, layout.base))
        except CatalogNewer as error:
            failed["catalog"] = str(error)
        else:
            with contextlib.closing(base):
                done += _opened(base, diagnosis.findings, tell, failed)
    left = examine(layout, deep=deep, progress=progress, more=more)
    not_looked = {**{f"repair of {name}": why for name, why in failed.items()}, **left.not_looked}
    return Repaired(tuple(done), Diagnosis(left.findings, left.looked, not_looked))


def _refuse_begun_clear(diagnosis: Diagnosis) -> None:
    for found in diagnosis.findings:
        if found.kind == clears.BEGUN:
            raise BadRequest(f"nothing was mended: {found.text}. {found.remedy}")


def _in_the_way(
    layout: Layout, findings: Sequence[Finding], tell: Progress, failed: dict[str, str]
) -> list[str]:
    """Mend what stands in the way of opening the base, with the store alone."""
    done: list[str] = []
    with exclusive(layout.store_lock, purpose="repair", timeout=git_timeout()):
        for name, mend in BEFORE:
            tell(f"mending {name}")
            try:
                done += mend(layout, findings)
            except CheckpointError as error:
                failed[name] = str(error)
            except OSError as error:
                failed[name] = str(base_error(error, layout.base))
    return done


def _before_opening(layout: Layout, findings: Sequence[Finding], tell: Progress) -> list[str]:
    """Make sure that a catalog can be opened, and that no file is in the place of the store."""
    kinds = {found.kind for found in findings}
    done = []
    try:
        if "store-missing" in kinds and os.path.lexists(layout.store) and not layout.store.is_dir():
            place = aside(layout.store)
            done.append(f"what was in the place of the store was moved to {place}")
        with exclusive(layout.catalog_lock, purpose="mending the catalog"):
            damaged = catalog.DAMAGED in kinds and catalog.is_damaged(layout)
            if damaged and layout.catalog.is_file() and layout.catalog.stat().st_size > 0:
                mending.mend_indexes(layout.catalog)
                damaged = catalog.is_damaged(layout)
                if not damaged:
                    done.append("the indexes of the catalog were made anew")
            if catalog.SCHEMA in kinds and not damaged:
                done += mending.mend_schema(layout.catalog)
        if damaged:
            done += _salvaged(layout, tell)
    except OSError as error:
        raise base_error(error, layout.base) from error
    return done


def _salvaged(layout: Layout, tell: Progress) -> list[str]:
    found = salvage(layout, tell, collect=partial(collect, layout.base))
    if not found.done:
        return []
    kept = "" if found.kept is None else f"; the damaged one is {found.kept}"
    return [f"a new catalog was made of what could be read{kept}", *found.lines]


def _opened(
    base: Base, findings: Sequence[Finding], tell: Progress, failed: dict[str, str]
) -> list[str]:
    """Mend an opened base with the store alone, beside no prune, and then what every opening mends;
    note in ``failed`` what could not be."""
    done: list[str] = []
    with exclusive(base.layout.prune_lock, purpose="repair", timeout=base.lock_timeout):
        frame = base.store.frame_faults()
        base.store.ensure(base.config.exclude)
        done += [f"store/{name} was made anew" for name in frame]
        with base.store_alone("repair") as git:
            for name, mend in MENDS:
                tell(f"mending {name}")
                try:
                    done += mend(base, git, findings)
                except CheckpointError as error:
                    failed[name] = str(error)
                except OSError as error:
                    failed[name] = str(base_error(error, base.layout.base))
    with exclusive(base.layout.catalog_lock, purpose="mending the catalog"):
        if any(found.kind == "row-dangling" for found in findings):
            done += mending.mend_references(base.layout.catalog)
        if any(found.kind == "path-outside" for found in findings):
            done += _without_paths_outside(base)
    tell("opening the base")
    before = Inspection.of(base.catalog).unsettled()
    recover(base)
    bring_in(base)
    if before and before != Inspection.of(base.catalog).unsettled():
        done.append("work that had been killed was ended")
    record_measure(base)
    return done


def _without_paths_outside(base: Base) -> list[str]:
    """Take out the rows whose path leaves its project, after a copy of the catalog was made."""
    inspection = Inspection.of(base.catalog)
    if not inspection.outside():
        return []
    copy = mending.keep_copy(base.layout.catalog)
    rows = counted(inspection.take_out_outside(), "row")
    return [f"took out {rows} of paths outside of their projects; {copy.name} has all of them"]

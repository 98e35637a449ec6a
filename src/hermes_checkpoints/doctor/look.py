"""Looks at a base as it lies there, and gathers what every check finds.

Nothing is opened that an opening would mend, no lock is taken and no file of the base changes: the
catalog is read as a copy, and git reads the objects from a repository in a temporary folder. A look
at a base that others write to meanwhile may see half of what they do; so where it found faults and
the base has changed since, it is repeated, and only what every look found counts.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.catalog.copying import copied, stamp
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.inspection import open_copy
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.doctor.checks import (
    caches,
    changes,
    clears,
    configuration,
    contents,
    disk,
    git_locks,
    journal,
    kept,
    locks,
    machine,
    objects,
    owners,
    programs,
    projects,
    refs,
    rows,
    store_config,
    unfinished,
)
from hermes_checkpoints.doctor.checks import catalog as catalog_file
from hermes_checkpoints.doctor.patient import Check, Patient
from hermes_checkpoints.errors import BaseUnwritable, CheckpointError
from hermes_checkpoints.fs.system import temporary_root
from hermes_checkpoints.git import Git
from hermes_checkpoints.git_program import find_git
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Diagnosis, Finding
from hermes_checkpoints.object_store import ref_files

Progress = Callable[[str], object]
"""Is told the name of each check before it is made."""

CHECKS: tuple[tuple[str, Check], ...] = (
    ("catalog", catalog_file.check),
    ("rows", rows.check),
    ("refs", refs.check),
    ("objects", objects.check),
    ("checkpoints", contents.check),
    ("changes", changes.check),
    ("caches", caches.check),
    ("store-settings", store_config.check),
    ("git-locks", git_locks.check),
    ("locks", locks.check),
    ("owners", owners.check),
    ("machine", machine.check),
    ("journal", journal.check),
    ("disk", disk.check),
    ("clears", clears.check),
    ("unfinished", unfinished.check),
    ("kept", kept.check),
    ("projects", projects.check),
)
"""Every check of a base by its name, in the order in which they are made and their findings are
told."""

OUTSIDE: tuple[tuple[str, Check], ...] = (
    ("configuration", configuration.check),
    ("programs", programs.check),
)
"""The checks of what lies outside the base, which are made where there is none, too."""

_MOST_LOOKS = 3
_CATALOG = "catalog"
"""The folder for the copy of the catalog."""


def examine(
    layout: Layout,
    *,
    deep: bool = False,
    progress: Progress | None = None,
    more: Sequence[tuple[str, Check]] = (),
) -> Diagnosis:
    """Look whether a base is as it must be; nothing in it is changed.

    ``deep`` reads every object, which takes about as long as copying the store. ``more`` are checks
    of what only the caller knows, made last. A check that cannot be made is in ``not_looked`` with
    the reason.

    Raises:
        BaseUnwritable: when the folder of the base, or one for temporary files, cannot be reached.
    """
    seen: set[tuple[str, str]] | None = None
    for _ in range(_MOST_LOOKS):
        before = _stamp(layout)
        found = _examine(layout, deep, progress or (lambda _: None), (*OUTSIDE, *more))
        if seen is not None:
            kept = (one for one in found.findings if one.note or (one.kind, one.where) in seen)
            found = replace(found, findings=tuple(kept))
        if not found.faults or _stamp(layout) == before:
            break
        seen = {(one.kind, one.where) for one in found.faults}
    return found


def _examine(
    layout: Layout,
    deep: bool,
    progress: Progress,
    outside: Sequence[tuple[str, Check]],
) -> Diagnosis:
    there = base_exists(layout)
    findings = [] if there else [_no_base(layout)]
    looked: list[str] = []
    not_looked: dict[str, str] = {}
    with _patient(layout, deep) as patient:
        for name, check in (*(CHECKS if there else ()), *outside):
            progress(name)
            try:
                findings += (replace(found, check=name) for found in check(patient))
            except (CheckpointError, OSError) as error:
                not_looked[name] = _named(error, layout, patient.scratch)
            else:
                looked.append(name)
    return Diagnosis(tuple(findings), tuple(looked), not_looked)


def _no_base(layout: Layout) -> Finding:
    return Finding(
        "no-base",
        str(layout.named),
        "there is no checkpoint base",
        "nothing: the first checkpoint makes it; or name another home with --home or HERMES_HOME",
        note=True,
        check="base",
    )


def _stamp(layout: Layout) -> object:
    return stamp(layout.catalog), ref_files.sign(layout.store)


@contextlib.contextmanager
def _patient(layout: Layout, deep: bool) -> Iterator[Patient]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="hermes-checkpoints-", dir=temporary_root())
    except OSError as error:
        raise _no_room(error) from error
    with folder as name:
        scratch = Path(name).resolve()
        try:
            git = _git(layout, scratch / "frame.git")
            (scratch / _CATALOG).mkdir()
        except OSError as error:
            raise _no_room(error) from error
        patient = Patient(
            layout,
            None,
            git,
            scratch,
            datetime.now(UTC),
            deep,
        )
        if not layout.catalog.exists() and not layout.catalog.is_symlink():
            yield patient
            return
        inside = scratch / _CATALOG
        try:
            with translated(layout.catalog):
                copy = copied(layout.catalog, inside)
            catalog = open_copy(copy)
        except CheckpointError as error:
            yield replace(patient, unread=type(error)(_named(error, layout, scratch)))
            return
        with contextlib.closing(catalog):
            yield replace(patient, catalog=catalog, copy=copy)


def _no_room(error: OSError) -> BaseUnwritable:
    return BaseUnwritable(
        f"no temporary folder can be made to look at a copy of the catalog ({error.strerror}); set "
        "TMPDIR to a folder that can be written and has room"
    )


def _named(error: Exception, layout: Layout, scratch: Path) -> str:
    """Return what an error says, with the catalog where its copy is named."""
    return str(error).replace(str(scratch / _CATALOG / layout.catalog.name), str(layout.catalog))


def _git(layout: Layout, frame: Path) -> Git | None:
    """Return a git that reads the objects of the store and nothing else of it."""
    if not layout.store.is_dir():
        return None
    with contextlib.suppress(CheckpointError):
        find_git(layout.base)
        for name in ("refs", "objects"):
            (frame / name).mkdir(parents=True)
        (frame / "HEAD").write_text("ref: refs/heads/none\n")
        (frame / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        objects = layout.store / "objects"
        there = objects if objects.is_dir() else frame / "objects"
        return Git(frame, git_timeout(), variables={"GIT_OBJECT_DIRECTORY": str(there)})
    return None

"""Puts what can be read of a damaged catalog into a new one, and the new one in its place.

``doctor --repair`` starts it; an opening never does, and says how to. The damaged file is kept
beside the new one, with its log. What the salvage lacks comes from the commits: the new catalog
does not know the refs of the store, so that whoever opens it compares rows and refs first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.admin.recover import recover
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog import Collect
from hermes_checkpoints.catalog.copying import copy_file
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.opening import prepare
from hermes_checkpoints.catalog.salvage import (
    TableSalvage,
    drop_unusable,
    is_sound,
    salvage_into,
)
from hermes_checkpoints.catalog.schema import HEAD
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.errors import CheckpointError, StoreDamaged
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.layout import SCRATCH_PREFIX, Layout
from hermes_checkpoints.model import OperationKind
from hermes_checkpoints.object_store import ObjectStore
from hermes_checkpoints.object_store.ref_files import any_checkpoint
from hermes_checkpoints.text import counted

DAMAGED = ".damaged-"
"""What the name of a damaged catalog goes on with where it is kept: then comes the time in UTC."""

_BESIDE = ("-wal", "-journal")

Progress = Callable[[str], object]
"""Is told the name of each step as it begins."""


@dataclass(frozen=True)
class Salvaged:
    """What a salvage did. ``kept`` is where the damaged catalog lies now, None where there was
    none; ``revision`` is its revision, None where nothing was to be done; ``tables`` say what each
    gave; ``checkpoints`` is how many checkpoints are listed now."""

    kept: Path | None = None
    revision: str | None = None
    tables: Mapping[str, TableSalvage] = field(default_factory=dict)
    checkpoints: int = 0

    @property
    def done(self) -> bool:
        """Whether there was something to salvage."""
        return self.revision is not None

    @property
    def lines(self) -> list[str]:
        """What was read and what was not, for people, a line for each table."""
        found = []
        for name, table in self.tables.items():
            lost = [
                text
                for count, text in (
                    (table.unreadable, f"{table.unreadable} cannot be read"),
                    (table.pages, f"{counted(table.pages, 'page')} of it cannot be read"),
                    (table.read - table.entered, "the others contradict themselves"),
                )
                if count > 0
            ]
            if table.entered or lost:
                found.append("; ".join([f"{name}: {counted(table.entered, 'row')}", *lost]))
        return found


def salvage(
    layout: Layout, progress: Progress | None = None, *, collect: Collect | None = None
) -> Salvaged:
    """Make a new catalog of what can be read of a damaged one, also of an empty file, of one that
    is no catalog, and of none at all beside a store with checkpoints. A sound catalog is left as
    it is.

    The damaged file is renamed to ``catalog.db.damaged-<time>`` and never deleted. ``progress`` is
    told each step. ``collect`` is as for ``Base.open``: without it a catalog of an older revision
    keeps that, and whoever opens it next does the rest.

    Raises:
        CatalogNewer: when a newer version of this package wrote it.
        LockHeld: when others use the base for longer than the lock timeout.
        BaseUnwritable, NoSpace: when the new one cannot be written; nothing is changed then.
        CheckpointError: when the new one cannot be opened; it is in place then.
    """
    report = progress or (lambda _: None)
    timeout = git_timeout()
    purpose = "salvaging the catalog"
    layout.create_base()
    with (
        exclusive(layout.prune_lock, purpose=purpose, timeout=timeout),
        exclusive(layout.catalog_lock, purpose=purpose, timeout=timeout),
        exclusive(layout.store_lock, purpose=purpose, timeout=timeout),
        translated(layout.catalog),
        scratch_folder(layout.base, SCRATCH_PREFIX) as folder,
    ):
        done = _salvage(layout, folder, report, collect)
    if not done.done or (done.revision != HEAD and collect is None):
        return done
    base = Base.open(layout, collect=collect)
    try:
        recover(base, report)
        base.journal_work(OperationKind.REBUILD, base.now(), _told(done), [])
        return Salvaged(done.kept, done.revision, done.tables, base.catalog.status.totals()[1])
    finally:
        base.close()


def _salvage(layout: Layout, folder: Path, report: Progress, collect: Collect | None) -> Salvaged:
    """Do it, in a folder that goes at the end. The caller has the locks."""
    path = layout.catalog
    if not os.path.lexists(path) and not any_checkpoint(layout.store):
        return Salvaged()
    report("looking at the catalog")
    copy, log = folder / "damaged", folder / "damaged-wal"
    if path.is_file():
        copy_file(path, copy)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(_log_of(path), log)
        looked_at = folder / "looked-at"
        shutil.copyfile(copy, looked_at)
        if log.exists():
            shutil.copyfile(log, folder / "looked-at-wal")
        if is_sound(looked_at):
            return Salvaged()
    new = folder / path.name
    found = salvage_into(new, copy, log, working_dirs=lambda: _working_dirs(layout), report=report)
    if found.revision == HEAD or collect is not None:
        prepare(new, folder / "lock", scripts=Scripts(), collect=collect).connection.close()
        for name, count in drop_unusable(new).items():
            found.tables[name].entered -= count
    if not is_sound(new):
        raise CheckpointError(
            f"what was read of the catalog {path} makes no sound one; it is left as it is. Move it "
            "to another folder: the next start builds a new catalog from the object store"
        )
    kept = _swap(path, new)
    return Salvaged(kept, found.revision, found.tables)


def _working_dirs(layout: Layout) -> dict[str, tuple[str, str]]:
    """Return by commit the hash and the working directory of the project of each checkpoint that
    the store has, as far as git can read it."""
    store = ObjectStore(layout, git_timeout())
    with contextlib.suppress(CheckpointError):
        return {
            one.facts.id: (one.facts.project_hash, one.facts.working_dir)
            for one in store.read(store.refs())
            if not isinstance(one, StoreDamaged)
        }
    return {}


def _told(done: Salvaged) -> str:
    kept = f"; the damaged file is {done.kept}" if done.kept is not None else ""
    return f"a damaged catalog was salvaged{kept}. {'; '.join(done.lines)}"


# --- the files ---------------------------------------------------------------------------------


def _log_of(path: Path) -> Path:
    """Return where the log of a damaged catalog lies: with the name under which it is kept, where
    an earlier salvage was killed before the new catalog was in place."""
    beside = path.with_name(f"{path.name}-wal")
    kept = _kept_already(path)
    if beside.exists() or kept is None:
        return beside
    return kept.with_name(f"{kept.name}-wal")


def _kept_already(path: Path) -> Path | None:
    for kept in sorted(path.parent.glob(f"{path.name}{DAMAGED}*Z")):
        with contextlib.suppress(OSError):
            if kept.samefile(path):
                return kept
    return None


def _swap(path: Path, new: Path) -> Path | None:
    """Put the new catalog in the place of the damaged one, which is kept under another name, with
    its log; return that name. Wherever this is cut short, one of the two is in place."""
    kept = None
    if os.path.lexists(path):
        at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        kept = _kept_already(path) or path.with_name(f"{path.name}{DAMAGED}{at}")
        if not path.is_file() or path.is_symlink():
            path.rename(kept)
        elif not kept.exists():
            _link(path, kept)
        for end in _BESIDE:  # a log that stays would be taken for the new one's
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + end).rename(kept.with_name(kept.name + end))
        path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    new.replace(path)
    return kept


def _link(path: Path, kept: Path) -> None:
    try:
        os.link(path, kept)
    except OSError:  # a filesystem without links
        partial = kept.with_name(f"{kept.name}.partial")
        shutil.copy2(path, partial)
        partial.rename(kept)

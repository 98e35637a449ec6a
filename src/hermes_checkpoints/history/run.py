"""Runs the imports that the catalog lists as unfinished, one process at a time, to their end.

Needed by each opening of a base, and by ``import-legacy``. The state in the catalog says what is
to be done with each repository, store or file: found → imported → archived. Every step can be
done again, so it makes no difference where an earlier process was killed.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.inspect import require_readable_directory
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.model import LegacyImport
from hermes_checkpoints.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.history.progress import Reporter
    from hermes_checkpoints.model import LegacyRecord


logger = logging.getLogger(__name__)

_MANY_REFS = 200
_MOST_ERROR = 500


def bring_in(base: Base, reporter: Reporter | None = None) -> LegacyImport:
    """Finish what the catalog lists as unfinished in this base. Costs one query when there is
    nothing to do.

    Where another process is at it, this one waits for it, but no longer than the lock timeout.
    What goes wrong is in the records, in the journal and in the result; a later opening tries
    it again, and the later the longer it took (``Waiting``). Nothing is raised for it: checkpoints
    must be taken, also while a disk is full.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    from hermes_checkpoints.history.holding import bring_back

    if base.read_only:
        return LegacyImport()
    bring_back(base)
    mine = _mine(base)
    if not mine:
        return LegacyImport()
    from hermes_checkpoints.history.progress import Quiet
    from hermes_checkpoints.history.waiting import Waiting

    waiting = Waiting(base)
    if not waiting.due(mine):
        return LegacyImport()
    try:
        with exclusive(
            base.layout.legacy_lock, purpose="importing history", timeout=base.lock_timeout
        ):
            return work(base, waiting.due(_mine(base)), reporter or Quiet())
    except LockHeld as error:
        logger.info("another process imports the history of earlier versions: %s", error)
        return LegacyImport(errors=(str(error),))


def _mine(base: Base) -> list[LegacyRecord]:
    """Return the unfinished records of this base; those of folders elsewhere wait until they
    are named again, because that folder may be gone."""
    return [r for r in base.catalog.archives.pending() if not Path(r.path).is_absolute()]


def import_path(base: Base, folder: Path | None, reporter: Reporter | None = None) -> LegacyImport:
    """Import what lies in a folder, or with None what lies in this base and was not imported
    yet. What is a checkpoint already is not imported again.

    In the base the originals are moved aside; elsewhere they stay as they are.

    Raises:
        BadDirectory: when the folder cannot be read.
        LockHeld: when another process imports for too long.
        CheckpointError: when catalog or store cannot be used.
    """
    from hermes_checkpoints.history.find import find
    from hermes_checkpoints.history.holding import bring_back
    from hermes_checkpoints.history.progress import Quiet
    from hermes_checkpoints.history.shared import store_of

    base.require_kept()
    bring_back(base)
    if folder is not None:
        require_readable_directory(folder)
        folder = folder.resolve()
    with exclusive(base.layout.legacy_lock, purpose="importing history", timeout=base.lock_timeout):
        chosen = {record.id for record in _mine(base)}
        known = {r.path: r for r in base.catalog.archives.all() if r.state != "cleared"}
        for found in find(folder or base.layout.base):
            path = _name(base, found.path)
            old = known.get(path)
            if old is not None and old.whole and not Path(path).is_absolute():
                continue
            record = base.catalog.archives.add(
                path,
                found.path.name,
                found.layout,
                project_hash=found.project_hash,
                working_dir=found.working_dir,
                now=base.now(),
            )
            chosen.add(record.id)
        records = [r for r in base.catalog.archives.pending() if r.id in chosen]
        done = work(base, records, reporter or Quiet())
        other = store_of(folder) if folder is not None else None
        return done if other is None else _with_store(base, done, other)


def _with_store(base: Base, done: LegacyImport, store: Path) -> LegacyImport:
    """Import the checkpoints of another base of this version, too."""
    from hermes_checkpoints.base.measures import record_measure
    from hermes_checkpoints.history.shared import import_store
    from hermes_checkpoints.model import OperationKind

    if store.resolve() == base.layout.store:
        return done
    started = base.now()
    outcome = import_store(base, store)
    if outcome.added:
        record_measure(base)
        text = f"{counted(outcome.added, 'checkpoint')} from {store}"
        base.journal_work(OperationKind.MIGRATION, started, text, outcome.problems)
    return replace(
        done,
        checkpoints=done.checkpoints + outcome.added,
        shared=outcome.checkpoints,
        errors=(*done.errors, *outcome.problems),
    )


def _name(base: Base, path: Path) -> str:
    """Return a path as the catalog has it: from the base, or absolute for what lies elsewhere."""
    try:
        return path.relative_to(base.layout.base).as_posix()
    except ValueError:
        return str(path)


def work(base: Base, records: Iterable[LegacyRecord], reporter: Reporter) -> LegacyImport:
    """Bring records as far as possible. The caller holds the lock of imports."""
    from hermes_checkpoints.history.archive import close_folder, noted
    from hermes_checkpoints.history.documents import UNREADABLE
    from hermes_checkpoints.history.steps import Runner
    from hermes_checkpoints.history.waiting import Waiting
    from hermes_checkpoints.model import LegacyLayout, LegacyState

    records = list(records)
    if not records:
        return LegacyImport()
    sign = base.store.sign()
    waiting = Waiting(base)
    started = base.now()
    done: list[LegacyRecord] = []
    errors: list[str] = []
    added = 0
    _list(base, records)
    reporter.begin(len(records))
    try:
        for record in records:
            runner, began = Runner(base, reporter), time.monotonic()
            try:
                finished = runner.run(record)
            except (CheckpointError, *UNREADABLE) as error:
                text = str(error) or type(error).__name__
                if not isinstance(error, CheckpointError):
                    logger.exception("%s cannot be imported", record.path)
                    text = f"it cannot be read ({type(error).__name__}: {text[:_MOST_ERROR]})"
                errors.append(text)
                current = base.catalog.archives.get(record.id) or record
                finished = noted(base, current, text)
            if finished.state is not LegacyState.ARCHIVED and not runner.added:
                waiting.note(record, time.monotonic() - began)
            added += runner.added
            done.append(finished)
            reporter.done(finished)
    finally:
        reporter.end()
    base.catalog.arriving.forget_rest()
    if not _mine(base):
        close_folder(base)
    news = [new for old, new in zip(records, done, strict=True) if old != new]
    if news:
        _conclude(base, started, news, added)
    base.catalog.agreement.follow(sign, base.store.sign(), base.now())
    sessions = sum(r.layout is LegacyLayout.SESSION_FILE and r.whole for r in done)
    errors += [f"{r.path}: {r.error}" for r in done if r.error and r.error not in errors]
    return LegacyImport(tuple(done), added, sessions, errors=tuple(errors))


def _list(base: Base, records: Iterable[LegacyRecord]) -> None:
    """List the checkpoints that are about to be imported as arriving, where that was not done."""
    from hermes_checkpoints.history.documents import read
    from hermes_checkpoints.history.find import working_dir_of
    from hermes_checkpoints.model import FoundLegacy, LegacyLayout, LegacyState

    listed = base.catalog.arriving.archives()
    found = []
    for record in records:
        if record.state is LegacyState.FOUND and record.id not in listed:
            path = base.layout.base / record.path
            working_dir = record.working_dir
            if record.layout is LegacyLayout.V1 and working_dir is None:
                working_dir = working_dir_of(path)
            one = FoundLegacy(path, record.layout, record.project_hash, working_dir)
            found.append((record.path, one))
    documents = read(found)
    if documents:
        base.catalog.arriving.enter(documents, base.now())


def _conclude(base: Base, started: datetime, news: list[LegacyRecord], added: int) -> None:
    """Measure the store anew, and write down what was done."""
    from hermes_checkpoints.base.measures import forget_archives, record_measure
    from hermes_checkpoints.model import OperationKind

    if base.store.exists():
        if added >= _MANY_REFS:
            with contextlib.suppress(CheckpointError):  # one file a ref is larger, and works
                base.store.git.run("pack-refs", "--all", "--prune", patience=4)
        record_measure(base)
    forget_archives(base)
    problems = [f"{r.path}: {r.error}" for r in news if r.error]
    text = f"{counted(added, 'checkpoint')} of earlier versions imported"
    base.journal_work(OperationKind.MIGRATION, started, text, problems[:20])

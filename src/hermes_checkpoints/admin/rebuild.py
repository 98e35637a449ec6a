"""Fills the catalog from the store: a new catalog beside an old store, or one checkpoint more.

Each commit says all that its row needs. What cannot be read is left in the store and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.attribution.turns import note_read_back
from hermes_checkpoints.base.measures import record_measure
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.sizes import add_checkpoint, measured
from hermes_checkpoints.errors import CheckpointError, StoreDamaged
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import (
    Checkpoint,
    CheckpointFacts,
    OperationKind,
)
from hermes_checkpoints.object_store import (
    Comparison,
    StoredCheckpoint,
    TreeState,
    compare_with_former,
    list_tree,
)
from hermes_checkpoints.object_store.moves import moved

_STORE_READ = "store_read_at"
_NOTHING = "no store yet"


def fill(base: Base) -> bool:
    """Fill a catalog that was made anew from the store, once; an attempt that failed or was
    killed is repeated at the next opening. Returns whether there was anything to read.

    Raises:
        CheckpointError: when the store or the catalog cannot be used.
    """
    if base.catalog.settings.get(_STORE_READ) is not None:
        return False
    if not base.store.exists():
        base.catalog.settings.set(_STORE_READ, _NOTHING, base.now())
        return False
    with exclusive(base.layout.catalog_lock, purpose="reading the store into a new catalog"):
        if base.catalog.settings.get(_STORE_READ) is not None:
            return False
        rebuild(base)
        record_measure(base)
        base.catalog.settings.set(_STORE_READ, base.now().isoformat(), base.now())
    return True


def rebuild(base: Base) -> list[Checkpoint]:
    """Add every checkpoint of the store that the catalog lacks; return those added.

    What cannot be read is left as it is and named in the journal.

    Raises:
        CheckpointError: when the store or the catalog cannot be used at all.
    """
    started = base.now()
    missing = base.store.refs().keys() - base.catalog.checkpoints.ref_names()
    if not missing:
        return []
    base.store.ensure(base.config.exclude)
    added, problems = read_back(base, sorted(missing))
    text = f"{len(added)} checkpoint(s) read from the store"
    base.journal_work(OperationKind.REBUILD, started, text, problems)
    return added


def read_back(base: Base, refs: Iterable[str]) -> tuple[list[Checkpoint], list[str]]:
    """Add checkpoints to the catalog from their refs; return them and what could not be read."""
    good: list[StoredCheckpoint] = []
    problems: list[str] = []
    moves = moved(base.layout.store)
    with shared(base.layout.store_lock, timeout=base.lock_timeout):
        for found in base.store.read(refs):
            if isinstance(found, StoreDamaged):
                problems.append(str(found))
            elif not is_consistent(base, found.facts):
                problems.append(f"{found.facts.ref_name} is not of the project that it names")
            else:
                good.append(_where_it_is_now(found, moves))
        good.sort(key=lambda found: (found.facts.created_at, found.facts.ref_name))
        added = [checkpoint for checkpoint in _add(base, good, problems) if checkpoint]
    return added, problems


def _where_it_is_now(found: StoredCheckpoint, moves: Mapping[str, str]) -> StoredCheckpoint:
    """Give a checkpoint of a directory that moved to the project of its present place."""
    working_dir = moves.get(found.facts.working_dir)
    if working_dir is None:
        return found
    hash_ = project_hash(Path(working_dir))
    facts = replace(found.facts, working_dir=working_dir, project_hash=hash_)
    return replace(found, facts=facts)


def is_consistent(base: Base, facts: CheckpointFacts) -> bool:
    """Tell whether a checkpoint and its ref are of the directory that it names."""
    hash_ = project_hash(Path(facts.working_dir))
    return facts.project_hash == hash_ and facts.ref_name.startswith(base.layout.ref_prefix(hash_))


def _add(
    base: Base, good: list[StoredCheckpoint], problems: list[str]
) -> Iterator[Checkpoint | None]:
    before: dict[str, TreeState | None] = {}
    for found in good:
        project = found.facts.project_hash
        if project not in before:
            last = base.catalog.checkpoints.last(project)
            before[project] = base.store.state(last.id, last.tree_id) if last else None
    compared = _compare_all(base, good, dict(before)) or _compare_singly(base, good, before)
    for found, comparison in zip(good, compared, strict=True):
        if isinstance(comparison, CheckpointError):
            problems.append(f"{found.facts.ref_name}: {comparison}")
            yield None
        else:
            yield _add_one(base, found, comparison)


def _compare_all(
    base: Base, good: list[StoredCheckpoint], before: dict[str, TreeState | None]
) -> list[Comparison | CheckpointError] | None:
    """Compare each with the one before, or return None where a damaged tree stops that."""
    pairs: list[tuple[TreeState | None, TreeState]] = []
    for found in good:
        state = TreeState(found.facts.tree_id, found.meta)
        pairs.append((before[found.facts.project_hash], state))
        before[found.facts.project_hash] = state
    try:
        return [*compare_with_former(base.store.git, pairs)]
    except CheckpointError:
        return None


def _compare_singly(
    base: Base, good: list[StoredCheckpoint], before: dict[str, TreeState | None]
) -> list[Comparison | CheckpointError]:
    """Compare each with the last sound one before: a damaged tree costs only itself."""
    result: list[Comparison | CheckpointError] = []
    for found in good:
        old = before[found.facts.project_hash]
        new = TreeState(found.facts.tree_id, found.meta)
        try:
            list_tree(base.store.git, new.tree_id)
            result += compare_with_former(base.store.git, [(old, new)])
            before[found.facts.project_hash] = new
        except CheckpointError as error:
            result.append(error)
    return result


def _add_one(base: Base, found: StoredCheckpoint, comparison: Comparison) -> Checkpoint:
    facts = found.facts
    target = Target(Path(facts.working_dir), facts.project_hash)
    changes = measured(base, base.store.git, [*comparison.changes.values()])
    last = base.catalog.checkpoints.last(facts.project_hash)
    project = base.register(target, facts.created_at)
    previous, now = last._row if last else None, facts.created_at
    checkpoint = add_checkpoint(
        base, project, facts, comparison, changes, previous=previous, now=now
    )
    note_read_back(base, project.id, checkpoint, last, changes)
    return checkpoint

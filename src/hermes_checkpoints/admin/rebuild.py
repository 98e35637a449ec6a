"""Fills the catalog from the store: a new catalog beside an old store, or single checkpoints.

Each commit says all that its row needs. What cannot be read is left in the store and named.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.errors import (
    BaseUnwritable,
    CheckpointError,
    GitFailed,
    LockHeld,
    NoSpace,
    StoreDamaged,
)
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.base.sizes import Sizes
    from hermes_checkpoints.git import Git
    from hermes_checkpoints.model import Checkpoint, CheckpointFacts
    from hermes_checkpoints.object_store import Comparison, StoredCheckpoint, TreeState
    from hermes_checkpoints.retention.agree import Adopted


logger = logging.getLogger(__name__)


Report = Callable[[str], object]
"""Is told, in words for people, how far a comparison of rows and refs is."""

_TOLD_EVERY = 20


def _quiet(_: str) -> None:
    """Hear nothing."""


def fill(base: Base) -> None:
    """Fill a catalog that was made anew from the store; an attempt that failed or was killed is
    repeated at the next opening. Costs one query where that is done.

    Raises:
        CheckpointError: when the catalog cannot be used.
    """
    if base.catalog.settings.get(REFS_SIGN) is None:
        agree_if_changed(base)


def agree_if_changed(base: Base, report: Report = _quiet) -> None:
    """Compare rows and refs where the refs are not as the catalog last saw them, and make them
    agree. Costs one query, and a look at the folders of refs, where nothing has changed.

    While others use the store, this is left to the next opening or prune, and so is what fails;
    `status` tells of it. A catalog that was made anew waits for them, and gets the changes of
    checkpoints that a salvage could not read. ``report`` is told how far it is.

    Raises:
        CheckpointError: when the catalog cannot be used.
    """
    known = base.catalog.settings.get(REFS_SIGN)
    if known == base.store.sign():
        return
    if known is None and not base.store.exists() and not base.catalog.agreement.rows():
        base.catalog.settings.set(REFS_SIGN, base.store.sign(), base.now())
        return
    from hermes_checkpoints.admin.place import record_changes
    from hermes_checkpoints.base.measures import record_measure
    from hermes_checkpoints.retention.agree import FAILED, agree

    timeout = base.lock_timeout if known is None else 0
    purpose = "comparing the catalog with the store"
    try:
        if base.store.exists():
            base.store.ensure(base.config.exclude)
        with base.store_alone(purpose, timeout) as git:
            if base.catalog.settings.get(REFS_SIGN) == base.store.sign():
                return  # another process did it
            report("comparing the catalog with the store")
            done = agree(base, git, partial(adopt, report=report), collecting=False)
            if known is None:
                agreement = base.catalog.agreement
                record_changes(base, git, agreement.with_former(agreement.lacking_changes()))
        if done.text:
            record_measure(base)
    except LockHeld as error:
        logger.info("rows and refs are compared later: %s", error)
    except (GitFailed, BaseUnwritable, NoSpace) as error:
        logger.warning("rows and refs could not be compared: %s", error)
        with contextlib.suppress(CheckpointError):  # a full disk takes no row either
            base.catalog.settings.set(FAILED, str(error), base.now())


def adopt(base: Base, git: Git, refs: Mapping[str, str], *, report: Report = _quiet) -> Adopted:
    """Make rows of refs that have none, or let rows that were pruned or lost be live again. The
    caller has the store alone. What cannot be read is left as it is and named.

    The number of processes is that of the projects, however many checkpoints they have.

    Raises:
        CheckpointError: when the store or the catalog cannot be used at all.
    """
    from hermes_checkpoints.admin.place import revive
    from hermes_checkpoints.retention.agree import Adopted

    result = Adopted()
    found = _heirs_first(base, git, _sound(base, refs, result.problems), result)
    known = base.catalog.agreement.of_commits(one.facts.id for one in found)
    result.revived = revive(base, git, [(one.facts, one.meta) for one in found])
    new = [one for one in found if one.facts.id not in known]
    for project in dict.fromkeys(one.facts.project_hash for one in new):
        group = [one for one in new if one.facts.project_hash == project]
        report(
            f"reading {counted(len(new), 'checkpoint')} from the store: {result.added} are listed"
        )
        result.added += _enter(base, git, group, result.problems, report)
    return result


def _heirs_first(
    base: Base, git: Git, found: list[StoredCheckpoint], result: Adopted
) -> list[StoredCheckpoint]:
    """Let commits from which a content was forgotten take the places of those that they replace,
    as a forget does that was killed before it, and take out the refs of what was replaced; return
    the others."""
    from hermes_checkpoints.model import SkipReason
    from hermes_checkpoints.object_store.maintenance import delete_refs
    from hermes_checkpoints.retention.delete import finish_marked

    ids = {one.facts.id for one in found}
    stale = base.catalog.forgetting.replaced(ids)
    stale |= {one.facts.replaces for one in found if one.facts.replaces in ids}
    heirs = [one.facts for one in found if one.facts.replaces and one.facts.id not in stale]
    former = base.catalog.agreement.of_commits(one.replaces or "" for one in heirs)
    old = {one.id: former[one.replaces or ""] for one in heirs if one.replaces in former}
    contents, paths = _forgotten(base, git, [(old[one.id], one) for one in heirs if one.id in old])
    replaced = set()
    with base.catalog.together():
        for facts in heirs:
            gone = [one.path for one in facts.skipped if one.reason is SkipReason.FORGOTTEN]
            reason = f"{', '.join(gone[:3]) or 'a path'} was forgotten"
            if base.catalog.forgetting.replace([facts], reason, base.now()):
                replaced.add(facts.id)
        if replaced:
            base.catalog.forgetting.forget(contents, "", ())
            for path, project in paths:
                base.catalog.forgetting.forget((), path, [project])
    result.revived += len(replaced)
    ids -= replaced
    finish_marked(base, git)
    delete_refs(git, [one.facts.ref_name for one in found if one.facts.id in stale])
    return [one for one in found if one.facts.id in ids - stale]


def _forgotten(
    base: Base, git: Git, pairs: Sequence[tuple[Checkpoint, CheckpointFacts]]
) -> tuple[set[str], set[tuple[str, str]]]:
    """Return what a forget took out of checkpoints, by what it wrote down and by what the trees
    lack of those that they replace, where the store still has them: contents, and the paths that
    were empty files, with the hashes of their projects."""
    from hermes_checkpoints.object_store.git_objects import EMPTY_BLOB, TREE_MODE
    from hermes_checkpoints.object_store.raw_diff import diff_trees
    from hermes_checkpoints.retention.forget import pending

    if not pairs:
        return set(), set()
    contents, paths = pending(base), set()
    with contextlib.suppress(CheckpointError):  # a tree that is gone tells nothing
        diffs = [*diff_trees(git, [(old.tree_id, new.tree_id) for old, new in pairs])]
        for (_, new), diff in zip(pairs, diffs, strict=True):
            gone = [one for one in diff.changes if one.new_mode == 0 and one.old_mode != TREE_MODE]
            contents |= {one.old_id for one in gone} - {EMPTY_BLOB}
            empty = (os.fsdecode(one.path) for one in gone if one.old_id == EMPTY_BLOB)
            paths |= {(path, new.project_hash) for path in empty}
    return contents, paths


def _enter(
    base: Base,
    git: Git,
    group: Sequence[StoredCheckpoint],
    problems: list[str],
    report: Report,
) -> int:
    """Add rows for checkpoints of one project, oldest first; return how many. Where some are older
    than what the project has, each gets the place that its time gives it."""
    from hermes_checkpoints.admin.place import place, project_of

    last = base.catalog.checkpoints.last(group[0].facts.project_hash)
    if last is None or last.created_at <= group[0].facts.created_at:
        count = 0
        for done, one in enumerate(_add(base, group, problems), 1):
            count += one is not None
            if done % _TOLD_EVERY == 0:
                of = group[0].facts.working_dir
                report(f"reading checkpoints of {of} from the store: {done} of {len(group)}")
        return count
    project = project_of(base, group[0].facts.working_dir, group[0].facts.created_at)
    try:
        return place(base, git, project, [(one.facts, one.meta) for one in group])
    except (StoreDamaged, GitFailed) as error:
        problems.append(f"{counted(len(group), 'checkpoint')} of {project.working_dir}: {error}")
        return 0


def read_back(base: Base, refs: Iterable[str]) -> tuple[list[Checkpoint], list[str]]:
    """Add checkpoints to the catalog from their refs; return them and what could not be read."""
    problems: list[str] = []
    with shared(base.layout.store_lock, timeout=base.lock_timeout):
        good = _sound(base, refs, problems)
        added = [one for one in _add(base, good, problems) if one]
    return added, problems


def _sound(base: Base, refs: Iterable[str], problems: list[str]) -> list[StoredCheckpoint]:
    """Read checkpoints by their refs, oldest first; what cannot be read is added to problems."""
    from hermes_checkpoints.object_store.moves import moved

    good: list[StoredCheckpoint] = []
    moves = moved(base.layout.store)
    for found in base.store.read(refs):
        if isinstance(found, StoreDamaged):
            problems.append(str(found))
        elif not is_consistent(base, found.facts):
            problems.append(f"{found.facts.ref_name} is not of the project that it names")
        else:
            good.append(_where_it_is_now(found, moves))
    return sorted(good, key=lambda found: (found.facts.created_at, found.facts.ref_name))


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
    base: Base, good: Sequence[StoredCheckpoint], problems: list[str]
) -> Iterator[Checkpoint | None]:
    from hermes_checkpoints.base.sizes import Sizes
    from hermes_checkpoints.object_store import Comparison

    before: dict[str, TreeState | None] = {}
    for found in good:
        project = found.facts.project_hash
        if project not in before:
            last = base.catalog.checkpoints.last(project)
            before[project] = base.store.state(last.id, last.tree_id) if last else None
    compared = _compare_all(base, good, dict(before)) or _compare_singly(base, good, before)
    sizes = Sizes(
        base,
        base.store.git,
        [c for one in compared if isinstance(one, Comparison) for c in one.changes.values()],
    )
    for found, comparison in zip(good, compared, strict=True):
        if isinstance(comparison, CheckpointError):
            problems.append(f"{found.facts.ref_name}: {comparison}")
            yield None
        else:
            yield _add_one(base, found, comparison, sizes)


def _compare_all(
    base: Base, good: Sequence[StoredCheckpoint], before: dict[str, TreeState | None]
) -> list[Comparison | CheckpointError] | None:
    """Compare each with the one before, or return None where a damaged tree stops that."""
    from hermes_checkpoints.object_store import TreeState, compare_with_former

    pairs: list[tuple[TreeState | None, TreeState]] = []
    for found in good:
        state = TreeState(found.facts.tree_id, found.meta)
        if found.facts.partial:  # compared with nothing, and nothing with it
            pairs.append((None, state))
            continue
        pairs.append((before[found.facts.project_hash], state))
        before[found.facts.project_hash] = state
    try:
        return [*compare_with_former(base.store.git, pairs)]
    except CheckpointError:
        return None


def _compare_singly(
    base: Base, good: Sequence[StoredCheckpoint], before: dict[str, TreeState | None]
) -> list[Comparison | CheckpointError]:
    """Compare each with the last sound one before: a damaged tree costs only itself."""
    from hermes_checkpoints.object_store import TreeState, compare_with_former, list_tree

    result: list[Comparison | CheckpointError] = []
    for found in good:
        old = None if found.facts.partial else before[found.facts.project_hash]
        new = TreeState(found.facts.tree_id, found.meta)
        try:
            list_tree(base.store.git, new.tree_id)
            result += compare_with_former(base.store.git, [(old, new)])
            if not found.facts.partial:
                before[found.facts.project_hash] = new
        except CheckpointError as error:
            result.append(error)
    return result


def _add_one(
    base: Base, found: StoredCheckpoint, comparison: Comparison, sizes: Sizes
) -> Checkpoint:
    from hermes_checkpoints.attribution.turns import note_read_back
    from hermes_checkpoints.base.sizes import add_checkpoint
    from hermes_checkpoints.model import Origin

    facts = found.facts
    target = Target(Path(facts.working_dir), facts.project_hash)
    changes = sizes.of(comparison.changes.values())
    last = None if facts.partial else base.catalog.checkpoints.last(facts.project_hash)
    # One that is outside of any repository says the same as one of an older version: nothing.
    origin = None if facts.subdirectory is None else Origin(facts.repository, facts.subdirectory)
    project = base.register(target, facts.created_at, origin)
    previous, now = last._row if last else None, facts.created_at
    checkpoint = add_checkpoint(
        base, project, facts, comparison, changes, previous=previous, now=now
    )
    if not facts.partial:
        note_read_back(base, project.id, checkpoint, last, changes)
    return checkpoint

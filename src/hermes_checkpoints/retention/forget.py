"""Makes a content leave every checkpoint, every pack and what is kept of damage.

Commits are never rewritten, so each checkpoint that holds the content is taken once more without
it. In this order, with the store alone: what is to go is written down; commits that name in a
trailer which ones they replace; one transaction in which their rows take them, and the ids that
people know go to tombstones; the old refs go; then the gc, and what no gc touches is purged.

Killed at any arrow, the next comparison of rows and refs (each prune, and an opening that finds
refs changed) lets the new commits take their places, the next opening deletes what is marked, and
each prune and forget purges what was written down, until none of it is left in the store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING

from hermes_checkpoints.errors import (
    PROGRAM,
    BadRequest,
    CheckpointError,
    PathUnknown,
    StoreDamaged,
    base_error,
)
from hermes_checkpoints.layout import LEGACY_PREFIX

if TYPE_CHECKING:
    from hermes_checkpoints.base.opened import Base, Target
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.git import Git
    from hermes_checkpoints.model import (
        Checkpoint,
        CheckpointFacts,
        ForgetPlan,
        Forgotten,
        SentCopies,
    )
    from hermes_checkpoints.object_store import StoredCheckpoint, TreeMeta
    from hermes_checkpoints.object_store.purging import Purged
    from hermes_checkpoints.object_store.raw_tree import TreeEntry
    from hermes_checkpoints.retention.agree import Adopt


PENDING = "forgetting"
"""The setting with the contents that a forget did not come to remove yet, as a JSON array."""

_PATIENCE = 40


@dataclass(frozen=True)
class _Old:
    """A checkpoint that holds something which is to go: as its commit tells it, with the tree that
    is left of it and the entries that go."""

    row: Checkpoint
    stored: StoredCheckpoint
    tree_id: str
    gone: tuple[TreeEntry, ...]


def plan(base: Base, target: Target, path: str, *, all_projects: bool = False) -> ForgetPlan:
    """Return what a forget of a path, with what lies below it, would do now.

    Raises:
        BadRequest: when it is the whole project, or no path in it.
        PathUnknown: when nothing is known of it that could be forgotten: a name that was typed
            wrong is not taken for one that is forgotten now.
        CheckpointError: when a checkpoint cannot be read.
    """
    from hermes_checkpoints.model import ForgetPlan

    if path in ("", ".") or path.startswith("/") or ".." in path.split("/"):
        raise BadRequest(f"{path!r} is no path inside the project; `drop` deletes checkpoints")
    path = path.rstrip("/")
    found = ForgetPlan(path, target.name, all_projects)
    if base.store.exists():
        with base.store_together() as git:
            found = _planned(base, git, found, target.hash)[0]
    if not (found.blobs or found.replaced or pending(base)):
        only = None if all_projects else target.hash
        if not base.catalog.forgetting.was_forgotten(path, only):
            whose = "any project" if all_projects else target.name
            raise PathUnknown(
                f"no checkpoint of {whose} is known to have held {path!r}, so nothing was "
                "forgotten; paths are taken literally, relative to the project"
            )
    return found


def execute(base: Base, target: Target, planned: ForgetPlan, *, adopt: Adopt) -> Forgotten:
    """Forget what a plan says, and what has come to hold it since.

    Raises:
        LockHeld: when a prune runs, or takes go on for longer than the lock timeout.
        CheckpointError: when it cannot be done; what was begun is finished as the module says.
    """
    from hermes_checkpoints.fs.locks import exclusive
    from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome

    base.require_writable()
    started = base.now()
    entry = JournalEntry(OperationKind.FORGET, started, target.name)
    with exclusive(base.layout.prune_lock, purpose="forget", timeout=base.lock_timeout):
        operation = base.catalog.operations.begin(entry)
        try:
            done = _forget(base, target, planned, adopt)
        except BaseException as error:
            code = error.code if isinstance(error, CheckpointError) else "interrupted"
            if isinstance(error, KeyboardInterrupt):
                error.add_note(
                    f"interrupted: {planned.path} counts as forgotten only when the same"
                )
                error.add_note("forget, given again, says so; nothing else is lost")
            text = str(error) or type(error).__name__
            failed = replace(entry, outcome=OperationOutcome.FAILED, code=code, message=text)
            base.catalog.operations.finish(operation, failed, now=base.now())
            raise
        outcome = OperationOutcome.PARTIAL if done.errors else OperationOutcome.DONE
        text = "; ".join([f"{planned.path} forgotten", *done.errors])
        ended = replace(entry, outcome=outcome, message=text)
        base.catalog.operations.finish(operation, ended, now=base.now())
    return done


def _forget(base: Base, target: Target, planned: ForgetPlan, adopt: Adopt) -> Forgotten:
    from hermes_checkpoints.base.fetched import drop_fetched
    from hermes_checkpoints.base.measures import (
        capped_bytes,
        own_bytes,
        record_measure,
        record_packed,
    )
    from hermes_checkpoints.model import ForgetPlan, Forgotten
    from hermes_checkpoints.object_store import maintenance
    from hermes_checkpoints.object_store.index_cache import forget as forget_index
    from hermes_checkpoints.retention.agree import agree
    from hermes_checkpoints.retention.delete import finish_marked

    before = capped_bytes(base, own_bytes(base))
    with base.store_alone("forget") as git:
        maintenance.sweep(base.layout.store)
        finish_marked(base, git)
        agree(base, git, adopt, collecting=True)
        fresh = ForgetPlan(planned.path, planned.working_dir, planned.all_projects)
        fresh, olds = _planned(base, git, fresh, target.hash, write=True)
        _write_down(base, pending(base) | fresh.blobs)
        partly = [old.row for old in olds if old.row.partly_lost]
        heirs = _take_once_more(base, git, [old for old in olds if old.row not in partly])
        reason = f"{fresh.path} was forgotten"
        hashes = None if fresh.all_projects else [target.hash]
        with base.catalog.together():
            base.catalog.forgetting.forget(fresh.blobs, fresh.path, hashes)
            base.catalog.forgetting.replace(heirs, reason, base.now())
            base.catalog.agreement.mark_lost({one._row: reason for one in partly}, base.now())
        finish_marked(base, git)
        fetched = drop_fetched(base, git, [one.ref_name for one in base.catalog.fetched.all()])
        for project in {one.row.project_hash for one in olds}:
            forget_index(base.layout.index_of(project))
        sign = base.store.sign()
        maintenance.drop_loose(git, patience=_PATIENCE)
        maintenance.repack(git, patience=_PATIENCE)
        record_packed(base)
        base.catalog.agreement.follow(sign, base.store.sign(), base.now())
        purged = purge_pending(base, git)
    after = capped_bytes(base, record_measure(base))
    errors = []
    if left := purged.left & fresh.blobs:
        errors.append(f"{len(left)} contents of {fresh.path} are still in the store")
    return Forgotten(
        fresh,
        {facts.replaces or "": facts.id for facts in heirs},
        max(0, before - after),
        tuple(purged.removed),
        tuple(errors),
        fetched,
    )


# --- what is to go ------------------------------------------------------------------------------


def _planned(
    base: Base, git: Git, wanted: ForgetPlan, project: str, *, write: bool = False
) -> tuple[ForgetPlan, list[_Old]]:
    """Return the plan of all that holds a content now, and each checkpoint that does. With
    ``write`` the trees that are left of them are in the store then."""
    from hermes_checkpoints.model import HeldPath
    from hermes_checkpoints.object_store.git_objects import EMPTY_BLOB
    from hermes_checkpoints.object_store.without import Without

    only = None if wanted.all_projects else project
    stored = _read(base)
    own = [one for row, one in stored if only in (None, row.project_hash)]
    named = _named(wanted.path)
    blobs = base.catalog.forgetting.blobs(wanted.path, only)
    with git.blobs() as reader:
        looks = Without(reader, (), named)
        try:
            blobs |= {entry.object_id for one in own for entry in looks.of(one.facts.tree_id)[1]}
        except StoreDamaged as error:
            raise _unreadable(error) from error
        blobs -= {EMPTY_BLOB}
        place = git.repository if write else None
        of_own = Without(reader, blobs, named, place)
        of_others = Without(reader, blobs, lambda _: False, place)
        olds = []
        try:
            for row, one in stored:
                trees = of_own if only in (None, row.project_hash) else of_others
                tree_id, gone = trees.of(one.facts.tree_id)
                if gone:
                    olds.append(_Old(row, one, tree_id, gone))
        except StoreDamaged as error:
            raise _unreadable(error) from error
        except OSError as error:
            raise base_error(error, base.layout.store) from error
    counts: dict[tuple[str, str], int] = {}
    for old in olds:
        for entry in old.gone:
            key = old.row.working_dir, entry.path
            counts[key] = counts.get(key, 0) + 1
    held = tuple(HeldPath(*key, number) for key, number in sorted(counts.items()))
    archives = tuple(_archives(base)) if blobs or olds else ()
    ids = tuple(old.stored.facts.id for old in olds)
    found = replace(wanted, blobs=frozenset(blobs), held=held, replaced=ids, archives=archives)
    return replace(found, sent=_sent(base, ids, only) if blobs or olds else ()), olds


def _sent(base: Base, ids: Sequence[str], project: str | None) -> tuple[SentCopies, ...]:
    """Return what remotes have of some checkpoints, and of others that are not here any more."""
    from hermes_checkpoints.base.machine import known_machine
    from hermes_checkpoints.model import SentCopies

    own = known_machine(base.layout)
    held = base.catalog.remotes.sent(ids)
    gone = base.catalog.remotes.sent_and_gone(project)
    found = []
    for url in {**held, **gone}:
        there = tuple(held.get(url, ()))
        perhaps = tuple(one for one in gone.get(url, ()) if one.id not in ids)
        foreign = any(one.machine != own for one in there)
        found.append(SentCopies(url, there, perhaps, foreign))
    return tuple(found)


def _named(path: str) -> Callable[[str], bool]:
    return lambda one: one == path or one.startswith(f"{path}/")


def _read(base: Base) -> list[tuple[Checkpoint, StoredCheckpoint]]:
    """Return every live checkpoint as its commit tells it, oldest first; one that is partly lost,
    and has no ref, too.

    Raises:
        StoreDamaged: when one cannot be read: nobody can say what it holds then.
    """
    from hermes_checkpoints.object_store import StoredCheckpoint

    live = base.catalog.checkpoints.live()
    found = []
    names = (row.id if row.partly_lost else row.ref_name for row in live)
    for row, one in zip(live, base.store.read(names), strict=True):
        if not isinstance(one, StoredCheckpoint):
            raise _unreadable(one)
        found.append((row, one))
    return found


def _unreadable(error: StoreDamaged) -> StoreDamaged:
    return StoreDamaged(
        f"nobody can say what all checkpoints hold: {error}. `{PROGRAM} prune` mends what "
        "is damaged or sets it aside; forget the path then"
    )


def _archives(base: Base) -> Iterator[str]:
    """Yield what says of each archive of imported history that it may hold the content."""
    for record in base.catalog.archives.all():
        place = base.layout.base / record.path
        if record.path.startswith(LEGACY_PREFIX) and place.exists():
            yield f"{record.path} may hold it; `{PROGRAM} clear-legacy` removes it"


# --- taking once more ---------------------------------------------------------------------------


def _take_once_more(base: Base, git: Git, olds: Sequence[_Old]) -> list[CheckpointFacts]:
    """Write a commit with its ref for each checkpoint, without what goes; return what they tell.

    Raises:
        GitFailed: when one cannot be written.
    """
    from hermes_checkpoints.object_store import damage

    if not olds:
        return []
    sizes = base.store.sizes({entry.object_id for old in olds for entry in old.gone}, git)
    new = [_heir(old, {blob: size for blob, (size, _) in sizes.items()}) for old in olds]
    ids = base.store.publish_all(git, new, patience=_PATIENCE)
    refs = {facts.ref_name: id_ for (facts, _), id_ in zip(new, ids, strict=True)}
    if bad := damage.incomplete(git, refs):
        raise CheckpointError(
            f"{len(bad)} checkpoints could not be taken once more; nothing was forgotten"
        )
    return [replace(facts, id=id_) for (facts, _), id_ in zip(new, ids, strict=True)]


def _heir(old: _Old, sizes: dict[str, int]) -> tuple[CheckpointFacts, TreeMeta]:
    from hermes_checkpoints.model import SkippedPath, SkipReason

    facts, meta = old.stored.facts, old.stored.meta
    paths = {entry.path for entry in old.gone}
    skipped = [one for one in meta.skipped if one.path not in paths]
    skipped += [
        SkippedPath(entry.path, SkipReason.FORGOTTEN, sizes.get(entry.object_id))
        for entry in old.gone
    ]
    left = replace(
        meta,
        files={path: bits for path, bits in meta.files.items() if path not in paths},
        owners={path: owner for path, owner in meta.owners.items() if path not in paths},
        skipped=tuple(sorted(skipped, key=lambda one: one.path)),
    )
    place = facts.ref_name.rpartition("-")[0]
    gone_bytes = sum(sizes.get(entry.object_id, 0) for entry in old.gone)
    heir = replace(
        facts,
        id="",
        tree_id=old.tree_id,
        state_id=left.state_id(old.tree_id),
        ref_name=f"{place}-{token_hex(4)}",
        file_count=max(0, facts.file_count - len(old.gone)),
        logical_bytes=max(0, facts.logical_bytes - gone_bytes),
        skipped=left.skipped,
        replaces=facts.id,
    )
    return heir, left


# --- what was begun -----------------------------------------------------------------------------


def pending(base: Base) -> set[str]:
    """Return the contents that a forget has written down and that were not seen to be gone yet."""
    return pending_in(base.catalog)


def pending_in(catalog: Catalog) -> set[str]:
    """Return the same of a catalog alone."""
    try:
        return {str(one) for one in json.loads(catalog.settings.get(PENDING) or "[]")}
    except (ValueError, TypeError):
        return set()


def _write_down(base: Base, blobs: set[str] | frozenset[str]) -> None:
    text = json.dumps(sorted(blobs)) if blobs else ""
    base.catalog.settings.set(PENDING, text, base.now())


def purge_pending(base: Base, git: Git) -> Purged:
    """Remove what forgets have written down from where no gc looks, and write down what is left of
    it. The caller has the store alone and has collected it.

    Raises:
        CheckpointError: when it cannot be removed.
    """
    from hermes_checkpoints.object_store import damage
    from hermes_checkpoints.object_store.purging import Purged, purge

    wanted = pending(base)
    if not wanted:
        return Purged()
    try:
        done = purge(git, wanted, base.store.refs("refs/").values())
    except OSError as error:
        raise base_error(error, base.layout.store) from error
    done.left = set(damage.present(git, sorted(wanted)))
    _write_down(base, done.left)
    return done

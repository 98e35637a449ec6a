"""Makes checkpoints of the commits of one repository of version 1, or of one store of version 2.

Needed by every import. Whatever is done twice has the same result: a commit gives the same
checkpoint each time, and one that is a checkpoint already is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hermes_checkpoints.admin.place import Published, place, project_of, revive
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import CheckpointError, NoSpace
from hermes_checkpoints.fs.disk import directory_bytes, free_bytes
from hermes_checkpoints.git import Git
from hermes_checkpoints.history.borrowing import borrow, can_link
from hermes_checkpoints.history.find import Chain, chains, is_directory_name
from hermes_checkpoints.history.former import FormerCommit, FormerState, history, states
from hermes_checkpoints.layout import imported_ref
from hermes_checkpoints.model import MB, CheckpointFacts, Kind, KnownFormer, LegacyLayout
from hermes_checkpoints.object_store import TreeMeta
from hermes_checkpoints.object_store.commits import objects_beside
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.maintenance import delete_refs
from hermes_checkpoints.object_store.proof import prove

BATCH = 200
"""How many checkpoints are published and entered at once."""

_ROOM = 16 * MB  # for commits and facts, and so that the disk is never filled to the brim


@dataclass
class Outcome:
    """What one repository or store gave: ``checkpoints`` counts its commits that are
    checkpoints now, whose ids are ``former``; ``problems`` say which are not, ``refs`` are the
    chains that are whole."""

    checkpoints: int = 0
    added: int = 0
    former: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)


def import_history(
    base: Base, path: Path, layout: LegacyLayout, working_dir: str | None
) -> Iterator[Outcome]:
    """Import what lies at ``path``; yields the same outcome each time it is a step further.

    Raises:
        NoSpace: when the objects would not fit; nothing was done then.
        CheckpointError: when store or catalog cannot be used, or a project is busy.
    """
    outcome = Outcome()
    base.store.ensure(base.config.exclude)
    own = path.resolve() == base.layout.store
    if not own:
        require_room(base, path)
    with base.store_together() as git:
        if not own:
            outcome.problems += borrow(git, path / "objects").problems
        yield outcome
        found = chains(path, layout, working_dir)
        if layout is LegacyLayout.V1 and not any(chain.tips for chain in found):
            outcome.problems.append("it has no commits that can be read")
        for chain in found:
            yield from _import_chain(base, git, chain, layout, outcome, path)


def require_room(base: Base, path: Path) -> None:
    """Refuse to bring in the objects of a repository that would not fit on the disk.

    Raises:
        NoSpace: with what is needed.
    """
    objects = path / "objects"
    need = 0
    if objects.exists() and not can_link(objects, base.layout.store):
        need = directory_bytes(objects)
    free = free_bytes(base.layout.base)
    if free < need + _ROOM:
        raise NoSpace(
            f"{path} stays where it is: its import needs {need + _ROOM} bytes and {free} are free "
            f"on the disk of {base.layout.base}; free some and open the checkpoints again"
        )


def _import_chain(
    base: Base, git: Git, chain: Chain, layout: LegacyLayout, outcome: Outcome, path: Path
) -> Iterator[Outcome]:
    if not chain.tips:
        return
    own = path.resolve() == base.layout.store
    asked = not path.resolve().is_relative_to(base.layout.base)
    working_dir = chain.working_dir or ""
    if not working_dir and (known := base.catalog.projects.get(chain.name)) is not None:
        working_dir = known.working_dir
    if not is_directory_name(working_dir):
        outcome.problems.append(chain.nameless)
        return
    target = Target.of(Path(working_dir))
    # What lies in the base is imported unasked: that brings nothing back that a rule pruned.
    again = set(base.catalog.agreement.pruned_by_rule().values()) if asked else set()
    with base.locked(target, "import") as locked:
        git = replace(git, locks=locked.locks)
        with git.blobs() as reader:
            commits, problems = history(reader, chain.tips)
            fresh = _new_ones(base, target.hash, layout, commits, again)
            found = states(base.store, git, reader, fresh)
        bad = [c for c in fresh if isinstance(found[c.id], str)]
        problems += [f"commit {c.id[:12]}: {found[c.id]}" for c in bad]
        base.catalog.arriving.forget(c.id for c in bad)
        good = [(c, s) for c in fresh if isinstance(s := found[c.id], FormerState)]
        for start in range(0, len(good), BATCH):
            batch = [
                _publishable(target, layout, commit, state)
                for commit, state in good[start : start + BATCH]
            ]
            ids = _publish(base, git, batch)
            published: list[Published] = [
                (replace(facts, id=id_), meta)
                for id_, (facts, meta) in zip(ids, batch, strict=True)
            ]
            yield outcome
            first = published[0][0].created_at
            outcome.added += revive(base, git, published)
            there = base.catalog.agreement.of_commits(ids)
            new = [one for one in published if one[0].id not in there]
            if new:
                outcome.added += place(base, git, project_of(base, working_dir, first), new)
            yield outcome
        if own:  # the index of version 2, without what is known beside an index here
            forget(base.layout.index_of(target.hash))
    gone = {c.id for c in bad}
    outcome.former += [c.id for c in commits if c.id not in gone]
    outcome.checkpoints += len(commits) - len(bad)
    outcome.problems += problems
    if not problems and chain.ref is not None:
        outcome.refs.append(chain.ref)


def _publish(base: Base, git: Git, batch: Sequence[tuple[CheckpointFacts, TreeMeta]]) -> list[str]:
    """Write commits with their refs, and prove that what they bring along is in the store; return
    their ids.

    Raises:
        StoreDamaged: when git reported success, and something of it is missing or damaged. None of
            these refs is left then, so that the import can be made once more.
    """
    ids = base.store.publish_all(git, batch, patience=20)
    try:
        prove(git, [*ids, *(one for facts, meta in batch for one in _brought(facts, meta))])
    except CheckpointError:
        delete_refs(git, [facts.ref_name for facts, _ in batch])
        raise
    return ids


def _brought(facts: CheckpointFacts, meta: TreeMeta) -> tuple[str, ...]:
    return facts.tree_id, *objects_beside(facts.tree_id, meta)


def _new_ones(
    base: Base,
    project: str,
    layout: LegacyLayout,
    commits: Sequence[FormerCommit],
    again: Collection[int],
) -> list[FormerCommit]:
    """Return the commits that are no checkpoints yet, and those whose checkpoint, a row of
    ``again``, was pruned since.

    Version 2 wrote the commits that it kept anew at each prune, with other ids and times. So a
    commit of one of its chains with the tree and message of a checkpoint that came from another
    is that checkpoint, once each; its id leads there, too.
    """
    known = base.catalog.archives.known_formers(project, layout)
    names = Counter(one.checkpoint_id for one in known)
    known_ids = {
        one.former_id
        for one in known
        if one.checkpoint_id not in again or names[one.checkpoint_id] > 1
    }
    present = {commit.id for commit in commits}
    copies: dict[tuple[str, str], list[KnownFormer]] = {}
    if layout is LegacyLayout.V2:
        still_there = {one.checkpoint_id for one in known if one.former_id in present}
        for one in {k.checkpoint_id: k for k in known}.values():
            if one.checkpoint_id not in still_there:
                copies.setdefault((one.tree_id, one.reason), []).append(one)
    fresh: list[FormerCommit] = []
    for commit in commits:
        if commit.id in known_ids:
            continue
        exported = base.catalog.checkpoints.of_commit(commit.own) if commit.own else None
        same = copies.get((commit.tree_id, commit.message), [])
        if exported is not None and exported.project_hash == project:
            base.catalog.archives.add_alias(commit.id, exported._row, layout)
        elif same:
            base.catalog.archives.add_alias(commit.id, same.pop(0).checkpoint_id, layout)
        else:
            fresh.append(commit)
    return fresh


def _publishable(
    target: Target, layout: LegacyLayout, commit: FormerCommit, state: FormerState
) -> tuple[CheckpointFacts, TreeMeta]:
    return (
        CheckpointFacts(
            project_hash=target.hash,
            working_dir=target.name,
            id="",
            tree_id=state.tree_id,
            state_id=state.meta.state_id(state.tree_id),
            ref_name=imported_ref(target.hash, commit.created_at, commit.id),
            kind=Kind.IMPORTED,
            reason=commit.message,
            created_at=commit.created_at,
            utc_offset_minutes=commit.utc_offset_minutes,
            file_count=state.file_count,
            logical_bytes=state.logical_bytes,
            skipped=state.meta.skipped,
            former_id=commit.id,
            former_layout=layout.value,
        ),
        state.meta,
    )

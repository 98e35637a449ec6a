"""Brings in the checkpoints of another base of this version: a backup, or another machine's.

Needed by ``import-legacy`` with such a base. A checkpoint keeps its id, since its commit is the
same; one that is here, or was dropped here by name, is left alone. Nothing of the other base is
changed, and its catalog is not read: its store tells all that is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.admin.place import Published, place, project_of, revive
from hermes_checkpoints.admin.rebuild import is_consistent
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.history.borrowing import borrow
from hermes_checkpoints.history.importing import BATCH, Outcome, require_room
from hermes_checkpoints.history.refs import loose_refs, packed_refs
from hermes_checkpoints.layout import REF_PREFIX
from hermes_checkpoints.object_store.damage import incomplete
from hermes_checkpoints.object_store.maintenance import set_refs

_REF = re.compile(rf"{REF_PREFIX}[0-9a-f]{{16}}/[A-Za-z0-9-]{{1,200}}")


def store_of(folder: Path) -> Path | None:
    """Return the store with checkpoints of this version in a home, a base or a store, or None."""
    for store in (folder, folder / "store", folder / "checkpoints" / "store"):
        if _refs(store):
            return store
    return None


def _refs(store: Path) -> dict[str, str]:
    found = packed_refs(store) | loose_refs(store, "checkpoints")
    return {name: commit for name, commit in found.items() if _REF.fullmatch(name)}


def import_store(base: Base, store: Path) -> Outcome:
    """Import every checkpoint of another store that is not known here, or that rules pruned here.

    Raises:
        NoSpace: when the objects would not fit; nothing was done then.
        CheckpointError: when store or catalog cannot be used, or a project is busy.
    """
    outcome = Outcome()
    again = base.catalog.agreement.pruned_by_rule()
    known = base.catalog.checkpoints.known_commits() - again.keys()
    there = _refs(store)
    outcome.checkpoints = len(there)
    fresh = {name: commit for name, commit in there.items() if commit not in known}
    if not fresh:
        return outcome
    base.store.ensure(base.config.exclude)
    require_room(base, store)
    with base.store_together() as git:
        outcome.problems += borrow(git, store / "objects").problems
        for name in incomplete(git, fresh):
            outcome.problems.append(f"{name}: some of its objects are missing or damaged")
            outcome.checkpoints -= 1
            del fresh[name]
        for working_dir, group in _by_project(base, fresh, outcome):
            target = Target.of(Path(working_dir))
            with base.locked(target, "import") as locked:
                own = replace(git, locks=locked.locks)
                before = base.store.sign()
                set_refs(own, {facts.ref_name: facts.id for facts, _ in group})
                outcome.added += revive(base, own, group)
                new = [one for one in group if one[0].id not in again]
                for start in range(0, len(new), BATCH):
                    batch = new[start : start + BATCH]
                    project = project_of(base, working_dir, batch[0][0].created_at)
                    outcome.added += place(base, own, project, batch)
                base.catalog.agreement.follow(before, base.store.sign(), base.now())
    return outcome


def _by_project(
    base: Base, fresh: dict[str, str], outcome: Outcome
) -> Iterator[tuple[str, list[Published]]]:
    groups: dict[str, list[Published]] = {}
    for found, name in zip(base.store.read(fresh.values()), fresh, strict=True):
        if isinstance(found, StoreDamaged):
            outcome.problems.append(f"{name}: {found}")
            continue
        facts = replace(found.facts, ref_name=name)
        if not is_consistent(base, facts):
            outcome.problems.append(f"{name} is not of the project that it names")
            continue
        groups.setdefault(facts.working_dir, []).append((facts, found.meta))
    for working_dir, group in groups.items():
        yield working_dir, sorted(group, key=lambda one: (one[0].created_at, one[0].ref_name))

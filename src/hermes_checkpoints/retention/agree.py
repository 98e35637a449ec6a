"""Compares rows and refs both ways and mends what differs, before anything is collected.

Either side may be older than the other: a backup that was put back, a file that a power cut
emptied. Nothing is deleted because of a difference:

- A live row without its ref gets it again, if its commit is whole.
- A live row whose commit, tree or contents are gone is marked as lost; where only the contents of
  some paths are, as partly lost: it stays live, without its ref. What is left of it is packed
  aside. Once the store has all of it again, it has its ref and no mark.
- A ref that no live row has is adopted, from what its commit tells: as a new row, or as the row
  that was pruned or lost and comes back.
- A ref that leads nowhere, and a file that is no ref, is moved aside.

The catalog remembers the sign of the refs as they last agreed, so that an opening sees without a
process whether somebody else changed them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.errors import base_error
from hermes_checkpoints.layout import FETCHED_PREFIX, REF_PREFIX
from hermes_checkpoints.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.base.opened import Base
    from hermes_checkpoints.catalog.agreement import RefRow
    from hermes_checkpoints.git import Git


MENDED = "refs_mended"
"""The setting with when rows and refs were last made to agree, and what was done for it."""

FAILED = "refs_not_compared"
"""The setting with why rows and refs could not be compared at an opening; empty once they were."""

LOST_FOR = timedelta(days=30)
"""After how long a lost checkpoint becomes a plain tombstone."""

GONE = "the object store lost part of it"

CONTENTS = "contents"
"""What is gone of a checkpoint whose commit, tree and facts are there."""


@dataclass
class Adopted:
    """What became of refs that no live row had: how many got a new row, how many rows came back,
    and which refs cannot be read, each with the reason."""

    added: int = 0
    revived: int = 0
    problems: list[str] = field(default_factory=list)


Adopt: TypeAlias = "Callable[[Base, Git, Mapping[str, str]], Adopted]"
"""Makes rows of refs, whose commits are given by name; the caller has the store alone."""


@dataclass
class Agreed:
    """What was done so that rows and refs agree. ``lost`` are checkpoints that are gone, ``partly``
    those of which the contents of some paths are, ``aside`` the refs and files that were taken out;
    ``problems`` say what is left."""

    mended: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What was done, as one sentence without its end; empty where nothing was."""
        parts = list(self.mended)
        if self.lost:
            parts.append(f"{counted(len(self.lost), 'checkpoint')} marked as lost")
        if self.partly:
            parts.append(f"{counted(len(self.partly), 'checkpoint')} marked as partly lost")
        if self.aside:
            parts.append(f"{counted(len(self.aside), 'broken ref')} moved aside")
        return ", ".join(parts)


def agree(base: Base, git: Git, adopt: Adopt, *, collecting: bool, sound: bool = False) -> Agreed:
    """Make rows and refs agree, and write down what was done. The caller has the store alone.

    Refs that lead nowhere are taken out where the caller is ``collecting``, since git collects
    nothing beside them; otherwise they stay, for the objects may come back. ``sound`` says that
    under the same lock a look has found nothing broken at first sight.

    Raises:
        CheckpointError: when they cannot be compared or made to agree; nothing may be collected
            then.
    """
    from hermes_checkpoints.retention.heal import heal

    started = base.now()
    done = Agreed()
    if base.store.exists():
        if not sound:
            done.mended += heal(base, git)
        _compare(base, git, adopt, done, collecting=collecting)
    else:
        rows = [row for row in base.catalog.agreement.rows() if row.state == "live"]
        _mark(base, {row.row: "the object store is gone" for row in rows}, rows, done)
    write_down(base, started, done)
    base.catalog.settings.set(REFS_SIGN, base.store.sign(), base.now())
    if base.catalog.settings.get(FAILED):
        base.catalog.settings.set(FAILED, "", base.now())
    return done


def agrees(base: Base) -> bool:
    """Tell, by the files of refs and one statement, whether every live row has its ref: then
    nothing that is listed can be collected.

    Raises:
        BaseUnwritable: when the files of refs cannot be read.
    """
    refs = _refs(base)
    rows = base.catalog.agreement.rows()
    return all(
        refs.get(row.ref_name) == (None if row.partly else row.commit_id)
        for row in rows
        if row.state == "live"
    )


def _refs(base: Base, prefix: str = REF_PREFIX) -> dict[str, str]:
    """Return what the refs name that begin with ``prefix``, by name, without a process.

    Raises:
        BaseUnwritable: when the files of refs cannot be read.
    """
    from hermes_checkpoints.object_store import ref_files

    if not base.store.exists():
        return {}
    try:
        return ref_files.checkpoints(base.layout.store, prefix)
    except OSError as error:
        raise base_error(error, base.layout.store) from error


def write_down(base: Base, started: datetime, done: Agreed) -> None:
    """Tell the journal and `status` what was done, if anything was."""
    from hermes_checkpoints.model import OperationKind

    if not done.text and not done.problems:
        return
    lost = [f"{one}: {GONE}" for one in done.lost[:20]]
    base.journal_work(
        OperationKind.REBUILD,
        started,
        done.text or "rows and refs compared",
        [*done.problems, *lost],
    )
    if done.text:
        known = {"at": base.now().isoformat(), "text": done.text}
        base.catalog.settings.set(MENDED, json.dumps(known), base.now())


@dataclass(frozen=True)
class Mended:
    """When rows and refs were last made to agree, in UTC, and what was done for it."""

    at: datetime
    text: str


def last_mended(base: Base) -> Mended | None:
    """Return what was last done so that rows and refs agree, or None."""
    try:
        known = json.loads(base.catalog.settings.get(MENDED) or "{}")
        return Mended(datetime.fromisoformat(known["at"]), str(known["text"]))
    except (ValueError, KeyError, TypeError):
        return None


def take_out(
    base: Base, git: Git, bad: Mapping[str, str], why: Mapping[str, str], done: Agreed
) -> None:
    """Take refs out of git's way, after what is left of them was packed aside, and mark the
    checkpoints that they are as lost, or as partly lost where some of their files can still be
    restored. ``bad`` has the commits by ref, ``why`` what is gone. Nothing is kept of what was
    fetched from a remote, which has it still.

    Raises:
        CheckpointError: when that cannot be done.
    """
    from hermes_checkpoints.object_store import damage, maintenance

    fetched = {name for name in bad if name.startswith(FETCHED_PREFIX)}
    bad = {name: commit for name, commit in bad.items() if name not in fetched}
    if fetched:
        maintenance.delete_refs(git, fetched)
        base.catalog.fetched.remove(fetched)
        done.mended.append(f"{counted(len(fetched), 'damaged checkpoint')} of remotes let go")
    if not bad:
        return
    rows = _live(base, bad)
    damage.quarantine(git, bad, [row.tree_id for row in rows])
    maintenance.delete_refs(git, bad)
    partly = _partly(git, {row.tree_id for row in rows if why[row.ref_name] == CONTENTS})
    some = [row for row in rows if row.tree_id in partly and why[row.ref_name] == CONTENTS]
    base.catalog.agreement.mark_partly([row.row for row in some], base.now())
    done.partly += [row.ref_name for row in some]
    gone = [row for row in rows if row not in some]
    _mark(base, {row.row: f"{GONE}: its {why[row.ref_name]}" for row in gone}, gone, done)
    done.aside += [name for name in bad if name not in {row.ref_name for row in rows}]


def _partly(git: Git, trees: Collection[str]) -> set[str]:
    """Return those of the trees of which some files are whole."""
    from hermes_checkpoints.object_store.wholeness import lost_paths

    if not trees:
        return set()
    return {tree for tree, found in lost_paths(git, trees).items() if found.whole}


def _live(base: Base, refs: Mapping[str, str]) -> list[RefRow]:
    """Return the live rows whose refs and commits these are."""
    from hermes_checkpoints.catalog.agreement import by_ref

    known = by_ref(base.catalog.agreement.rows()) if refs else {}
    rows = [known[name] for name, commit in refs.items() if name in known]
    return [row for row in rows if row.state == "live" and row.commit_id == refs[row.ref_name]]


def _mark(base: Base, reasons: Mapping[int, str], rows: list[RefRow], done: Agreed) -> None:
    base.catalog.agreement.mark_lost(reasons, base.now())
    done.lost += [row.ref_name for row in rows]


def _compare(base: Base, git: Git, adopt: Adopt, done: Agreed, *, collecting: bool) -> None:
    from hermes_checkpoints.catalog.agreement import by_ref
    from hermes_checkpoints.object_store import damage, maintenance, ref_files
    from hermes_checkpoints.retention.heal import heal

    # Of a ref whose rename a power cut took back the lock is left, with what it was to say.
    maintenance.unlock_dead(base.layout.store)
    try:
        done.aside += ref_files.set_aside_broken(base.layout.store)
    except OSError as error:
        raise base_error(error, base.layout.store) from error
    refs = _refs(base, "refs/")
    why = damage.dangling(git, refs)
    if collecting and why:
        done.mended += heal(base, git, deep=True)
        why = damage.dangling(git, refs)
    bad = {name: refs[name] for name in why}
    if not collecting:
        bad = _leave(base, bad, why, done)
    take_out(base, git, bad, why, done)
    there = {
        name: commit
        for name, commit in refs.items()
        if name not in why and name.startswith(REF_PREFIX)
    }
    rows = by_ref(base.catalog.agreement.rows())
    _write_again(base, git, rows, there, done, collecting=collecting)
    # A live row has it, or an import or a prune is at it, which will end its work.
    strange = {name: commit for name, commit in there.items() if name not in rows}
    own = {row.commit_id for row in rows.values() if row.state == "live"}
    twice = [name for name, commit in strange.items() if commit in own]
    maintenance.delete_refs(git, twice)
    for name in twice:
        del strange[name]
    if strange:
        adopted = adopt(base, git, strange)
        done.problems += adopted.problems
        if adopted.added:
            done.mended.append(f"{counted(adopted.added, 'checkpoint')} read from the store")
        if adopted.revived:
            done.mended.append(f"{counted(adopted.revived, 'checkpoint')} listed again")


def _leave(
    base: Base, bad: Mapping[str, str], why: Mapping[str, str], done: Agreed
) -> dict[str, str]:
    """Mark the checkpoints of refs that lead nowhere as lost; the refs stay. Return those that are
    in the place of another commit's, which a live row has."""
    from hermes_checkpoints.catalog.agreement import by_ref

    known = by_ref(base.catalog.agreement.rows()) if bad else {}
    rows = _live(base, bad)
    _mark(base, {row.row: f"{GONE}: its {why[row.ref_name]}" for row in rows}, rows, done)
    done.problems += [
        f"{name}: the object store lacks its {what}"
        for name, what in why.items()
        if name not in known and base.catalog.retention.of_ref(name) is None
    ]
    own = {row.ref_name for row in rows}
    return {
        name: commit
        for name, commit in bad.items()
        if name in known and known[name].state == "live" and name not in own
    }


def _write_again(
    base: Base,
    git: Git,
    rows: Mapping[str, RefRow],
    there: dict[str, str],
    done: Agreed,
    *,
    collecting: bool,
) -> None:
    """Write the refs of live rows that have none or another commit's, and those of lost ones that
    the store has again; mark as lost what is not whole. ``there`` is brought up to date."""
    from hermes_checkpoints.object_store import damage, maintenance
    from hermes_checkpoints.retention.heal import heal

    live = {name: row for name, row in rows.items() if row.state == "live"}
    partly = {name: row.commit_id for name, row in live.items() if row.partly}
    wanted = {
        name: row.commit_id
        for name, row in live.items()
        if not row.partly and there.get(name) != row.commit_id
    }
    gone = {
        one.ref_name: one
        for one in base.catalog.agreement.lost()
        if one.ref_name and one.ref_name not in there and one.ref_name not in rows
    }
    lost = {name: one.id for name, one in gone.items()}
    asked = wanted | lost | partly
    if not asked:
        return
    why = damage.dangling(git, asked)
    if collecting and why.keys() & wanted.keys():
        done.mended += heal(base, git, deep=True)
        why = damage.dangling(git, asked)
    sound = {name: commit for name, commit in asked.items() if name not in why}
    why |= dict.fromkeys(damage.incomplete(git, sound), CONTENTS)
    whole = {name: commit for name, commit in asked.items() if name not in why}
    # What else is under such a name is kept under another, and is a stranger from then on.
    moved = {f"{name}-{there[name][:8]}": there.pop(name) for name in wanted if name in there}
    maintenance.set_refs(git, moved | whole)
    there |= moved | whole
    if healed := [live[name].row for name in partly if name in whole]:
        base.catalog.agreement.mark_whole(healed)
        done.mended.append(f"{counted(len(healed), 'checkpoint')} whole again")
    trees = _partly(git, {one.tree_id for name, one in gone.items() if why.get(name) == CONTENTS})
    some = [one for name, one in gone.items() if why.get(name) == CONTENTS and one.tree_id in trees]
    if some:
        base.catalog.agreement.mark_partly([one._row for one in some], base.now())
        done.mended.append(f"{counted(len(some), 'lost checkpoint')} can be restored in part")
    worse = {name: commit for name, commit in partly.items() if why.get(name, CONTENTS) != CONTENTS}
    in_the_way = {name: commit for name, commit in partly.items() if name in why and name in there}
    if again := wanted.keys() - why.keys():
        done.mended.append(f"{counted(len(again), 'ref')} written again")
    broken = {name: wanted[name] for name in wanted if name in why}
    take_out(base, git, broken | worse | in_the_way, why, done)

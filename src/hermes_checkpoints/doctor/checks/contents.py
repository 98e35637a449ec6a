"""Each live checkpoint against the store: whether all of it is there, its row says what its commit
says, and its recorded changes are those between the trees.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.inspection import Inspection, LiveRow
from hermes_checkpoints.doctor.checks.objects import INCOMPLETE
from hermes_checkpoints.doctor.needed import git_of
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import REF_PREFIX, project_hash
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import damage, ref_files
from hermes_checkpoints.object_store.moves import moved
from hermes_checkpoints.object_store.steady_reader import SteadyReader
from hermes_checkpoints.object_store.stored import read_checkpoint
from hermes_checkpoints.object_store.wholeness import lacking
from hermes_checkpoints.retention.agree import Agreed, take_out, write_down
from hermes_checkpoints.text import counted, shown

DIFFERS = "row-differs"
ELSEWHERE = "row-elsewhere"
AGAIN = "whole-again"

_REPAIR = f"`{PROGRAM} doctor --repair`"


def check(patient: Patient) -> Iterator[Finding]:
    """Look whether the store has all of each live checkpoint, and compare rows with commits.

    Raises:
        CheckpointError, OSError: when catalog or store cannot be read.
    """
    if patient.unread is not None:
        yield from _without_catalog(patient)
        return
    if patient.catalog is None or not patient.layout.store.is_dir():
        return
    inspection = Inspection.of(patient.catalog)
    rows = inspection.live()
    lost = [one for one in patient.catalog.agreement.lost() if one.id]
    partly = patient.catalog.agreement.partly_lost()
    asked = [row.commit_id for row in rows] + [one.id for one in (*lost, *partly)]
    if not asked:
        return
    git = git_of(patient)
    lacks = lacking(git, asked, deep=patient.deep)
    for row in rows:
        if row.commit_id in lacks:
            yield Finding(
                INCOMPLETE,
                row.commit_id,
                f"the store lacks part of this checkpoint of {row.working_dir}: "
                f"{shown(lacks[row.commit_id].text)}",
                f"put a backup of the store back; or {_REPAIR}, which writes again what working "
                "directories still have, and lists the checkpoint as lost where that is not all",
                repairs=True,
            )
    for one in (*lost, *partly):
        how, again = ("partly lost", "as whole") if one.partly_lost else ("lost", "again")
        listed = f"this checkpoint of {one.working_dir} is listed as {how}"
        if one.id not in lacks:
            yield Finding(
                AGAIN,
                one.id,
                f"{listed}, and the store has all of it",
                f"{_REPAIR} lists it {again}, as the next prune does",
                repairs=True,
            )
        elif one.partly_lost:
            yield Finding(
                "checkpoint-partly-lost",
                one.id,
                f"{listed}: {shown(lacks[one.id].text)}",
                "restore what is left of it; `show` lists the paths that are gone. A backup of the "
                "store that is put back makes it whole",
                note=True,
            )
        else:
            yield Finding(
                "checkpoint-lost",
                one.id,
                f"{listed}: {one.prune_reason}",
                "nothing, unless there is a backup of the store to put back",
                note=True,
            )
    whole_rows = [row for row in rows if row.commit_id not in lacks]
    yield from _against_commits(patient, whole_rows)


def _without_catalog(patient: Patient) -> Iterator[Finding]:
    """Look at what the refs lead to, where the catalog cannot be read."""
    if not patient.layout.store.is_dir():
        return
    named = ref_files.read(patient.layout.store).named
    refs = {name: id_ for name, id_ in named.items() if name.startswith(REF_PREFIX)}
    if not refs:
        return
    lacks = lacking(git_of(patient), list(dict.fromkeys(refs.values())), deep=patient.deep)
    for name, id_ in refs.items():
        if id_ in lacks:
            yield Finding(
                INCOMPLETE,
                id_,
                f"the store lacks part of the checkpoint of {name}: {shown(lacks[id_].text)}",
                f"put a backup of the store back; or {_REPAIR}, which writes again what working "
                "directories still have",
                repairs=True,
            )


def _against_commits(patient: Patient, rows: Sequence[LiveRow]) -> Iterator[Finding]:
    moves = moved(patient.layout.store)
    with SteadyReader(git_of(patient)) as reader:
        for row in rows:
            try:
                stored = read_checkpoint(reader, row.commit_id, row.ref_name)
            except StoreDamaged as error:
                yield _differs(row, str(error))
                continue
            facts, meta = stored.facts, stored.meta
            if facts.tree_id != row.tree_id:
                yield _differs(row, f"its row names the tree {row.tree_id}, not {facts.tree_id}")
            elif meta.state_id(facts.tree_id) != row.state_id:
                yield _differs(row, f"its row names a state that it is not: {row.state_id}")
            now = moves.get(facts.working_dir, facts.working_dir)
            if now != row.working_dir:
                yield Finding(
                    ELSEWHERE,
                    row.commit_id,
                    f"it was taken of {now}, and is listed as one of "
                    f"{row.working_dir or 'no project'}: a restore would write one project over "
                    "another",
                    f"{_REPAIR} lists it where it was taken",
                    repairs=True,
                )


def _differs(row: LiveRow, text: str) -> Finding:
    return Finding(
        DIFFERS,
        row.commit_id,
        f"the row of this checkpoint of {row.working_dir} is not of its commit: {text}",
        f"{_REPAIR} writes the row again from what the commit says",
        repairs=True,
    )


def mend_rows(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """Let each live row name the commit that its ref names, where it names none that the store
    has, and the tree and state of that commit; return what was done.

    Raises:
        CheckpointError: when the catalog cannot be written.
    """
    if not {found.kind for found in findings} & {DIFFERS, ELSEWHERE, "ref-differs", "unsettled"}:
        return []
    inspection = Inspection.of(base.catalog)
    refs = ref_files.read(base.layout.store).named
    count = inspection.arrived(_whole(git, refs))
    count += _send_home(base, git, inspection)
    rows = inspection.live()
    there = damage.kinds(git, [row.commit_id for row in rows])
    known = {row.commit_id for row in rows}
    with SteadyReader(git) as reader:
        for row in rows:
            named = refs.get(row.ref_name, row.commit_id)
            if row.commit_id in there or named in known:
                named = row.commit_id
            with contextlib.suppress(StoreDamaged):
                stored = read_checkpoint(reader, named, row.ref_name)
                facts, state_id = stored.facts, stored.meta.state_id(stored.facts.tree_id)
                wanted = row._replace(commit_id=named, tree_id=facts.tree_id, state_id=state_id)
                ours = facts.working_dir == row.working_dir or named == row.commit_id
                if wanted != row and ours:
                    inspection.set_commit(wanted)
                    count += 1
    return [f"{counted(count, 'row')} written again from their commits"] if count else []


def _whole(git: Git, refs: Mapping[str, str]) -> dict[str, str]:
    there = damage.kinds(git, refs.values())
    named = {name: id_ for name, id_ in refs.items() if there.get(id_) == "commit"}
    lacks = lacking(git, list(dict.fromkeys(named.values())), deep=False)
    return {name: id_ for name, id_ in named.items() if id_ not in lacks}


def _send_home(base: Base, git: Git, inspection: Inspection) -> int:
    """Give each live checkpoint to the project of the directory that its commit names, and each
    project the directory of which it has the hash; return how many were elsewhere."""
    moves = moved(base.layout.store)
    count = 0
    with SteadyReader(git) as reader:
        for row in inspection.live():
            with contextlib.suppress(StoreDamaged):
                said = read_checkpoint(reader, row.commit_id, row.ref_name).facts.working_dir
                now = moves.get(said, said)
                home = project_hash(Path(now))
                if now == row.working_dir:
                    continue
                if home == row.project_hash:
                    inspection.set_working_dir(home, now)
                    count += 1
                elif inspection.set_project(row, home):
                    count += 1
    return count


def mend(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """List as lost what the store lacks part of, with what is left of it kept aside; return what
    was done.

    Raises:
        CheckpointError: when that cannot be done.
    """
    if all(found.note for found in findings):
        return []
    started, done = base.now(), Agreed()
    all_refs = base.store.refs("refs/")
    bad = {name: all_refs[name] for name in damage.incomplete(git, all_refs)}
    take_out(base, git, bad, dict.fromkeys(bad, "contents"), done)
    write_down(base, started, done)
    return [done.text] if done.text else []

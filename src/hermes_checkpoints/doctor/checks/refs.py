"""Refs and rows, both ways, and the files that hold refs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hermes_checkpoints.admin.rebuild import adopt
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.agreement import by_ref
from hermes_checkpoints.catalog.inspection import Inspection
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.doctor.needed import git_of, not_imported
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import FETCHED_PREFIX, REF_PREFIX
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import ref_files
from hermes_checkpoints.object_store.damage import kinds
from hermes_checkpoints.object_store.first_sight import BROKEN_PACKED, BROKEN_REF
from hermes_checkpoints.object_store.maintenance import delete_refs, set_refs
from hermes_checkpoints.retention.agree import agree
from hermes_checkpoints.text import counted

UNLISTED = "ref-unlisted"
DANGLING = "ref-dangling"

_KEPT = "refs/kept/"
_AGREE = f"`{PROGRAM} doctor --repair`"


def check(patient: Patient) -> Iterator[Finding]:
    """Compare the refs of the store with the rows of live checkpoints.

    Raises:
        CheckpointError, OSError: when refs, objects or the catalog cannot be read.
    """
    found = ref_files.read(patient.layout.store)
    for name in found.broken:
        packed = name == ref_files.PACKED
        yield Finding(
            BROKEN_PACKED if packed else BROKEN_REF,
            name,
            "it has lines that are no refs" if packed else "git does not read it as a ref",
            f"{_AGREE} moves it aside, and writes refs again from the catalog",
            repairs=True,
        )
    inspection = None if patient.catalog is None else Inspection.of(patient.catalog)
    live = {} if inspection is None else {row.ref_name: row for row in inspection.live()}
    for name, row in live.items():
        there = found.named.get(name)
        if there == row.commit_id:
            continue
        text = "it is not there" if there is None else f"it names {there}, not {row.commit_id}"
        yield Finding(
            "ref-missing" if there is None else "ref-differs",
            name,
            f"{text}, which checkpoint {row.commit_id[:12]} of {row.working_dir} needs: a gc would "
            "delete its contents",
            f"{_AGREE} writes it again; so do the next command and the next prune",
            repairs=True,
        )
    if not_imported(patient):
        return  # the refs of an earlier version are what an import reads
    held = set() if patient.catalog is None else _fetched(patient.catalog)
    others = {n: id_ for n, id_ in found.named.items() if n not in live and n not in held}
    yield from _others(patient, inspection, others, {row.commit_id for row in live.values()})
    if patient.catalog is not None:
        known = patient.catalog.settings.get(REFS_SIGN)
        if known is not None and known != ref_files.sign(patient.layout.store):
            yield Finding(
                "refs-changed",
                "refs",
                "they are not as the catalog last saw them: another program changed them, or one "
                "side comes from a backup",
                "nothing: the next command compares them with the catalog",
                note=True,
            )


def _fetched(catalog: Catalog) -> set[str]:
    """Return the refs of what was fetched from a remote: a prune removes them in time, and a fetch
    looks whether it is whole."""
    return {one.ref_name for one in catalog.fetched.all()}


def _others(
    patient: Patient,
    inspection: Inspection | None,
    others: Mapping[str, str],
    live: set[str],
) -> Iterator[Finding]:
    """Tell of the refs that no live row has."""
    if not others:
        return
    kind_of = kinds(git_of(patient), others.values())
    states = {} if inspection is None else inspection.states(others)
    arriving = set() if inspection is None else inspection.running_refs()
    for name, id_ in others.items():
        ours = name.startswith(REF_PREFIX)
        state = states.get(name)
        if state in ("arriving", "pruning") or name in arriving:
            continue  # `unsettled` tells of it
        kind = kind_of.get(id_)
        if state == "lost":
            continue  # the check of contents looks whether it is whole again
        if kind is None or (ours and kind != "commit"):
            what = "is not in the store" if kind is None else f"is a {kind}, and no checkpoint"
            yield Finding(
                DANGLING,
                name,
                f"it names {id_}, which {what}; git collects nothing beside it",
                f"{_AGREE} takes it out, and keeps its name in store/quarantine",
                repairs=True,
            )
        elif ours and patient.catalog is None:
            continue  # without a catalog, none is listed
        elif ours:
            yield _unlisted(name, id_, state, twice=id_ in live)
        elif name.startswith(FETCHED_PREFIX):
            yield Finding(
                "ref-foreign",
                name,
                "it was fetched from a remote, and the catalog does not know of it",
                "nothing: the next prune removes it",
                note=True,
            )
        else:
            yield Finding(
                "ref-foreign",
                name,
                "it is no checkpoint; what it names stays in the store for as long as it is there",
                "nothing; if nobody needs it: git --git-dir="
                f"{patient.layout.store} update-ref -d {name}",
                note=True,
            )


def _unlisted(name: str, id_: str, state: str | None, *, twice: bool) -> Finding:
    if twice:
        text, remedy = f"it is a second ref of the checkpoint {id_[:12]}", "takes it out"
    elif state == "pruned":
        text, remedy = "the catalog says that it was pruned", "lists the checkpoint again"
    else:
        text = "the catalog does not list it: the catalog is older than the store, or lost a row"
        remedy = "lists it, or moves it below refs/kept/ where it is no checkpoint"
    return Finding(UNLISTED, name, text, f"{_AGREE} {remedy}", repairs=True)


def mend_files(_base: Base, git: Git, _findings: Sequence[Finding]) -> list[str]:
    """Move aside what git does not read as a ref; return what was done.

    Raises:
        OSError: when a file cannot be moved or written.
    """
    moved = ref_files.set_aside_broken(git.repository)
    return [f"{counted(len(moved), 'broken ref')} moved aside"] if moved else []


def mend(base: Base, git: Git, findings: Sequence[Finding]) -> list[str]:
    """Make rows and refs agree, as each prune does, and move refs below ``refs/kept/`` that are no
    checkpoints; return what was done.

    Raises:
        CheckpointError: when they cannot be made to agree.
    """
    if all(found.note for found in findings):
        return []
    before = base.store.refs()
    done = agree(base, git, adopt, collecting=True)
    told = [done.text] if done.text else []
    rows = by_ref(base.catalog.agreement.rows())
    live = {row.commit_id for row in rows.values()}
    twice = [n for n, id_ in before.items() if n not in rows and id_ in live]
    if twice:
        told.append(f"{counted(len(twice), 'second ref')} of checkpoints taken out")
    lost = {one.ref_name for one in base.catalog.agreement.lost()}
    strange = {
        name: id_
        for name, id_ in base.store.refs().items()
        if name not in rows and name not in lost
    }
    sign = base.store.sign()
    moved = {f"{_KEPT}{name.removeprefix(REF_PREFIX)}": id_ for name, id_ in strange.items()}
    set_refs(git, moved)
    delete_refs(git, strange)
    base.catalog.agreement.follow(sign, base.store.sign(), base.now())
    if moved:
        told.append(f"{counted(len(moved), 'ref')}, no checkpoint, moved below {_KEPT}")
    return told

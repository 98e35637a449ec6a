"""What a remote tells of checkpoints, read from a bare repository that has its commits alone.

Whoever lists a remote reads here, so that one and the same thing is malformed for all: refs whose
names have the form that a push gives them, and commits that tell all that one of ours tells.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import RemoteCheckpoint
from hermes_checkpoints.object_store.commits import facts_of, trailers_of
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.remote.cache import FILTER, REMOTE
from hermes_checkpoints.remote.cursors import Cursor
from hermes_checkpoints.remote.network_git import NetworkGit

MOST_BYTES = 64 << 10
"""A larger commit is none of a checkpoint."""

CURSORS = "refs/cursors/"
"""Below which the repository has the cursors of the remote."""
LISTED = "refs/listed/"
"""Below which it has the refs of checkpoints."""

_MACHINE = re.compile(r"[0-9a-f]{12}")
_PROJECT = re.compile(r"[0-9a-f]{16}")
_PLACE = re.compile(r"[0-9a-f]{12}/[0-9a-f]{16}/[0-9A-Za-z][0-9A-Za-z._-]{7,99}")
_ID = re.compile(r"[0-9a-f]{40}")


def fetch(network: NetworkGit, specs: Sequence[str]) -> None:
    """Let the cache have what the remote has of some refs, and no others of these."""
    options = ("--no-tags", "--no-write-fetch-head", "--prune", "--progress", f"--filter={FILTER}")
    network.run("fetch", *options, "--", REMOTE, *specs)


def refs_below(git: Git, prefix: str) -> dict[str, str]:
    """Return refs of the cache below a prefix, without it, with their commits."""
    output = git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix)
    lines = (line.rpartition(" ") for line in os.fsdecode(output).splitlines())
    return {name.removeprefix(prefix): id_ for name, _, id_ in lines}


def cursors_in(git: Git, reader: BlobReader, below: str = CURSORS) -> Iterator[Cursor]:
    """Yield the cursors below a prefix of the cache that are where they belong."""
    refs = refs_below(git, below)
    reader.expect(refs.values())
    for place, id_ in refs.items():
        message = message_of(reader, id_, parents=True)
        found = None if message is None else Cursor.of_message(message)
        if found is None or place != f"{found.machine}/{found.project_hash}":
            continue
        if _MACHINE.fullmatch(found.machine) and _PROJECT.fullmatch(found.project_hash):
            yield found


def listed_in(git: Git, prefix: str, below: str = LISTED) -> dict[str, str]:
    """Return the refs of checkpoints ``below`` a prefix of the cache by their names on the remote,
    which begin with another; none whose name has another form."""
    return {
        f"{prefix}{place}": id_
        for place, id_ in refs_below(git, below).items()
        if _PLACE.fullmatch(place) and _ID.fullmatch(id_)
    }


def by_machine(refs: Mapping[str, str], prefix: str) -> dict[str, dict[str, str]]:
    """Divide refs on the remote, with their commits, by the machine that they are below."""
    found: dict[str, dict[str, str]] = {}
    for ref, id_ in refs.items():
        found.setdefault(parts_of(ref, prefix)[0], {})[ref] = id_
    return found


def parts_of(ref: str, prefix: str) -> tuple[str, str]:
    """Return the machine and the project that a ref on the remote is below."""
    machine, project, _ = ref.removeprefix(prefix).split("/")
    return machine, project


def checkpoint_of(reader: BlobReader, ref: str, id_: str, prefix: str) -> RemoteCheckpoint | None:
    """Return what the commit of a ref tells; None where it is malformed."""
    message = message_of(reader, id_)
    if message is None:
        return None
    try:
        facts = facts_of(
            trailers_of(message), commit_id=id_, tree_id=EMPTY_TREE, ref_name=ref, meta=TreeMeta()
        )
    except StoreDamaged:
        return None
    if project_hash(Path(facts.working_dir)) != facts.project_hash:
        return None
    machine, project = parts_of(ref, prefix)
    return RemoteCheckpoint(
        ref,
        machine,
        project,
        facts.working_dir,
        id_,
        facts.state_id,
        facts.kind,
        facts.reason,
        facts.created_at,
        facts.utc_offset_minutes,
        facts.repository,
        facts.subdirectory,
        facts.session_id,
        facts.turn,
        facts.file_count,
        facts.logical_bytes,
        facts.partial,
        facts.head,
        facts.branch,
    )


def message_of(reader: BlobReader, id_: str, *, parents: bool = False) -> str | None:
    """Return the message of a commit; None where it is none, too large for one of ours, or has
    parents without being allowed any: who fetches it would get all that these lead to."""
    begin = bytearray()
    try:
        _, kind = reader.copy(id_, lambda piece: begin.extend(piece[: MOST_BYTES + 1 - len(begin)]))
        if len(begin) > MOST_BYTES:
            return None
        commit = parse_commit(id_, kind, bytes(begin))
    except StoreDamaged:
        return None
    return commit.message if parents or not commit.parents else None

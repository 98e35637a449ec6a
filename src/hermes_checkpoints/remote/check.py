"""Looks whether the remote does what will be asked of it: ``remote check``.

Reading is tried by asking for its refs, writing by a ref of this machine's own that is made, moved
to an unrelated commit, and deleted, each time under a lease. Nothing else is touched there, and
nothing of any project is sent: the commits of that ref are empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import (
    CheckpointError,
    RemoteUnreachable,
    base_errors,
)
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model.remote_check import RemoteCheck, RemoteFinding, RemoteStanding
from hermes_checkpoints.object_store.fast_import import AUTHOR
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, object_id
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.remote.anonymous import is_readable_by_anybody
from hermes_checkpoints.remote.cache import make_bare
from hermes_checkpoints.remote.elected import Elected, elected
from hermes_checkpoints.remote.network_git import NetworkGit, RefChange
from hermes_checkpoints.remote.pushed import PushedRef
from hermes_checkpoints.remote.refs import advertised
from hermes_checkpoints.remote.words import redacted_url, secrets_of
from hermes_checkpoints.remote_config import protocol_of
from hermes_checkpoints.text import counted, size

_WHEN = "1700000000 +0000"
_ROOTS = ("probe", "another probe")
_MOST_PROBES = 1000
_MUCH_ADVERTISED = 10 << 20
_MOVED = re.compile(
    rb"stale info|cannot lock ref|failed to update ref|fetch first|already exists|old value"
)
_PLAIN_TEXT = ("http", "git", "ftp")
_CAN = re.compile(r"packet: +\S+< (?:fetch=([a-z -]+)$|[0-9a-f]{40,64} [^\\]*\\0(.+)$)")
"""What the server can do, in a trace of what git reads."""


def check(base: Base, target: Target | None) -> RemoteCheck:
    """Look at the remote of a base, or, where each project has one of its own, of a project.

    Raises:
        RemoteOff, BadRequest, BaseUnwritable: as ``elected``.
        NoSpace: when the disk of the base is full.
        GitMissing, GitFailed: the latter where git cannot read the user's configuration.
    """
    remote = elected(base, target)
    place = base.layout.scratch
    with base_errors(place), scratch_folder(place, SCRATCH_PREFIX) as folder:
        make_bare(folder)
        git = Git(folder, base.store.git.timeout)
        return _Look(remote, git, remote.git(git), folder).made()


@dataclass(frozen=True)
class _Look:
    remote: Elected
    git: Git
    network: NetworkGit
    folder: Path

    def made(self) -> RemoteCheck:
        """Look, one thing after the other, as far as that leads."""
        version = ".".join(map(str, self.git.version()))
        effective = self.network.effective_url()
        found = RemoteCheck(self.network.shown, self.remote.machine, (), git=version)
        found = self._reached(found)
        if found.refs is not None and protocol_of(effective) in ("http", "https"):
            found = replace(found, findings=(*found.findings, self._public(effective)))
        return replace(found, findings=(*self._of_address(effective), *found.findings))

    # --- the address -------------------------------------------------------------------------

    def _of_address(self, effective: str) -> Iterator[RemoteFinding]:
        """Say what there is to say of the address by itself."""
        if effective != self.remote.url:
            yield RemoteFinding(
                "address",
                RemoteStanding.NOTE,
                f"your configuration of git turns the address into {redacted_url(effective)}",
            )
        if secrets_of(self.remote.url):
            yield RemoteFinding(
                "password",
                RemoteStanding.WARNING,
                "the address holds a password, which every user of this machine can see while git "
                "runs",
                "take it out of url, and let a credential helper of git have it, or use ssh",
            )
        if protocol_of(effective) in _PLAIN_TEXT:
            yield RemoteFinding(
                "encryption",
                RemoteStanding.WARNING,
                "nothing is encrypted on the way: whoever is between can read and change it",
                "use an address of https or ssh, unless it never leaves this machine",
            )

    # --- reading -----------------------------------------------------------------------------

    def _reached(self, found: RemoteCheck) -> RemoteCheck:
        trace, packets = self.folder / "trace", self.folder / "packets"
        asked = {"GIT_TRACE2_EVENT": str(trace), "GIT_TRACE_PACKET": str(packets)}
        traced = {**self.network.git.variables, **asked}
        try:
            refs = replace(self.network, git=replace(self.network.git, variables=traced)).refs()
        except CheckpointError as error:
            away = isinstance(error, RemoteUnreachable)
            reached = () if away else (_fine("reach", "the remote answers"),)
            return replace(found, findings=(*reached, _failed("reach" if away else "read", error)))
        said = _traced(trace, packets)
        own = [name for name in refs if name.startswith(self.remote.own_prefix)]
        found = replace(
            found,
            protocol=said.version,
            refs=len(refs),
            own_refs=len(own),
            advertised_bytes=advertised(refs),
        )
        spoken = (
            "" if found.protocol is None else f", by version {found.protocol} of git's protocol"
        )
        text = f"it has {counted(len(refs), 'ref')}, {len(own)} of them of this machine{spoken}"
        findings = [
            _fine("reach", "the remote answers"),
            _fine("read", text),
            _size(advertised(refs)),
        ]
        findings += [*_filter(said), *self._written(refs)]
        return replace(found, findings=tuple(findings))

    # --- writing -----------------------------------------------------------------------------

    def _written(self, refs: dict[str, str]) -> Iterator[RemoteFinding]:
        """Make, move and delete the probe, and say of each whether the remote lets that happen."""
        ref = f"{self.remote.own_prefix}probe"
        at = refs.get(ref, "")
        chosen = self._probes(at)
        if chosen is None:
            yield RemoteFinding(
                "write",
                RemoteStanding.FAILED,
                f"the ref {ref} is at commit {at[:40]}, which is none of this program, so it was "
                "left alone",
                "find out who made it, and delete it in the remote",
            )
            return
        first, other = chosen
        made = self._pushed(RefChange(ref, first, at))
        if isinstance(made, CheckpointError):
            yield _failed("write", made)
            return
        if _is_race(made):
            yield _raced("write", ref)
            return
        if not made.is_there:
            yield RemoteFinding(
                "write",
                RemoteStanding.FAILED,
                f"it does not take the ref {ref} ({self.network.said(made.words) or 'no reason'})",
                "let this user push there; a server that takes only branches needs `namespace: "
                "heads`",
                "remote-refused",
            )
            return
        yield _fine("write", f"it took the ref {ref}")
        moved = self._pushed(RefChange(ref, other, first))
        if isinstance(moved, CheckpointError):  # nobody knows where it is now: the next check looks
            yield _failed("rewrite", moved)
            return
        yield _raced("rewrite", ref) if _is_race(moved) else _rewritten(moved, self.network)
        gone = self._pushed(RefChange(ref, None, other if moved.is_there else first))
        if isinstance(gone, CheckpointError):
            yield _failed("delete", gone)
            return
        yield _raced("delete", ref) if _is_race(gone) else _deleted(gone, self.network, ref)

    def _probes(self, at: str) -> tuple[str, str] | None:
        """Write an empty commit that the probe can move forward to from where it is, and one that
        is unrelated to it; return both. None where it is at a commit that is none of a check.

        The commits are the same each time, so that one which a server does not let go can be moved
        forward by the next check, without being fetched.
        """
        for root, unrelated in (_ROOTS, _ROOTS[::-1]):
            line = [_commit(self.remote.machine, root, None)]
            while at and object_id("commit", line[-1]) != at and len(line) < _MOST_PROBES:
                line.append(_commit(self.remote.machine, root, object_id("commit", line[-1])))
            if at and object_id("commit", line[-1]) != at:
                continue
            if at:
                line.append(_commit(self.remote.machine, root, at))
            write_object(self.folder, "tree", b"", durable=False)
            ids = [write_object(self.folder, "commit", one, durable=False) for one in line]
            other = _commit(self.remote.machine, unrelated, None)
            return ids[-1], write_object(self.folder, "commit", other, durable=False)
        return None

    def _pushed(self, change: RefChange) -> PushedRef | CheckpointError:
        try:
            return self.network.push([change])[change.ref]
        except CheckpointError as error:
            return error

    # --- who else can read it ----------------------------------------------------------------

    def _public(self, url: str) -> RemoteFinding:
        """Ask without anything that gives access, where the remote could be read with it."""
        answer = is_readable_by_anybody(self.git, self.network, self.remote.config, url)
        if answer is None:
            text = "whether it can be read without a password could not be told"
            return RemoteFinding("public", RemoteStanding.NOTE, text)
        if not answer:
            return _fine("public", "nobody reads it without a password")
        return RemoteFinding(
            "public",
            RemoteStanding.WARNING,
            "whoever reaches it can read it without a password, and so all files of the projects "
            "that are sent there",
            "make the repository private, before anything is sent",
        )


def _fine(name: str, text: str) -> RemoteFinding:
    return RemoteFinding(name, RemoteStanding.FINE, text)


def _failed(name: str, error: CheckpointError) -> RemoteFinding:
    return RemoteFinding(name, RemoteStanding.FAILED, str(error), error.hint or "", error.code)


def _is_race(found: PushedRef) -> bool:
    """Tell whether a ref was not changed because it was not where it was before."""
    return not (found.is_there or found.is_gone) and _MOVED.search(found.words) is not None


def _raced(name: str, ref: str) -> RemoteFinding:
    text = f"the ref {ref} moved meanwhile, as by another check at the same time"
    return RemoteFinding(name, RemoteStanding.FAILED, text, "try again")


def _size(advertised: int) -> RemoteFinding:
    text = f"each push is told of all refs, which takes about {size(advertised)}"
    if advertised < _MUCH_ADVERTISED:
        return _fine("size", text)
    return RemoteFinding(
        "size",
        RemoteStanding.WARNING,
        text,
        "let each machine or project have a repository, by {machine} or {project} in url",
    )


def _rewritten(moved: PushedRef, network: NetworkGit) -> RemoteFinding:
    if moved.is_there:
        text = "refs can be rewritten by whoever may push, and so can what they lead to"
        remedy = (
            "nothing, where you trust all of these; else protect branches on the server and set "
            "`namespace: heads`"
        )
        return RemoteFinding("rewrite", RemoteStanding.NOTE, text, remedy)
    words = network.said(moved.words) or "no reason"
    return _fine("rewrite", f"the server lets nobody rewrite a ref ({words})")


def _deleted(gone: PushedRef, network: NetworkGit, ref: str) -> RemoteFinding:
    if gone.is_gone:
        return _fine("delete", f"the ref {ref} could be deleted again, as old checkpoints can")
    return RemoteFinding(
        "delete",
        RemoteStanding.NOTE,
        f"the server lets nobody delete a ref ({network.said(gone.words) or 'no reason'}), so what "
        f"was sent stays there; so does {ref}, which the next check uses again",
        "nothing, if that is meant; its administrator can remove what is old",
    )


def _commit(machine: str, root: str, parent: str | None) -> bytes:
    above = "" if parent is None else f"parent {parent}\n"
    return (
        f"tree {EMPTY_TREE}\n{above}author {AUTHOR} {_WHEN}\ncommitter {AUTHOR} {_WHEN}\n\n"
        f"hermes-checkpoints: {root} of machine {machine}\n"
    ).encode()


def _filter(said: _Said) -> Iterator[RemoteFinding]:
    """Say whether a list can be read without contents, where the server tells."""
    if said.filters is None:
        return
    if said.filters:
        yield _fine("filter", "a list is read without contents (git's --filter)")
        return
    yield RemoteFinding(
        "filter",
        RemoteStanding.NOTE,
        "the server does not know git's --filter, so `pull` brings contents along with the list",
        "`git config uploadpack.allowFilter true` in the repository on the server, where it is "
        "yours; it makes no other difference",
    )


class _Said(NamedTuple):
    """What git's traces tell of what was spoken: the ``version`` of the protocol, and whether the
    server ``filters`` what is fetched; None is what they do not tell."""

    version: int | None = None
    filters: bool | None = None


def _traced(events: Path, packets: Path) -> _Said:
    return _Said(_protocol(_lines(events)), _filters(_lines(packets)))


def _lines(file: Path) -> Sequence[str]:
    """Return the lines of a trace, which is deleted: it has the address, or names of refs."""
    try:
        lines = file.read_text("utf-8", "replace").split("\n")
        file.unlink()
    except OSError:
        return ()
    return lines


def _protocol(lines: Sequence[str]) -> int | None:
    """Return the version of git's protocol that was spoken."""
    for line in lines:
        if '"negotiated-version"' in line and (found := re.search(r'"value":"(\d)"', line)):
            return int(json.loads(found[1]))
    return None


def _filters(lines: Sequence[str]) -> bool | None:
    """Tell whether the server says that it filters: in version 2 of the protocol beside what else
    it can do of fetching, earlier behind the first ref."""
    for line in lines:
        if (found := _CAN.search(line)) is not None:
            return "filter" in (found[1] or found[2]).split()
    return None

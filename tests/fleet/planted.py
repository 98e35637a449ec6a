"""Refs and commits put into a remote by hand, as whoever may push can."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hermes_checkpoints.layout import project_hash
from remote.servers import git

START = datetime(2026, 11, 1, tzinfo=UTC)
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def message(workdir: str = "/home/ada/app", **trailers: Any) -> bytes:
    """Return the message of a checkpoint's commit; trailers that are None are left out."""
    known: dict[str, Any] = {
        "Version": 1,
        "Project": project_hash(Path(workdir)),
        "Workdir": workdir,
        "Kind": "auto",
        "Reason": "before the clean-up",
        "Time": START.isoformat(),
        "Offset": 0,
        "State": "9a" * 20,
        "Files": 2,
        "Bytes": 100,
        **{name.replace("_", "-"): value for name, value in trailers.items()},
    }
    lines = [f"Hermes-{k}: {json.dumps(v)}" for k, v in known.items() if v is not None]
    return "\n".join(["planted", "", *lines, ""]).encode()


def planted(number: int, machine: int = 1, workdir: str = "/home/ada/app", **more: Any) -> Any:
    """Return a ref and the message of its commit, of a time that follows from the number."""
    when = START + timedelta(minutes=number)
    told = message(workdir, **{"Time": when.isoformat(), "Reason": f"number {number}", **more})
    return ref(machine, workdir, f"{when:%Y%m%dT%H%M%SZ}-{number:08x}"), told


def ref(machine: int, workdir: str, name: str, prefix: str = "refs/checkpoints/") -> str:
    """Return the name of a ref."""
    return f"{prefix}{machine:012x}/{project_hash(Path(workdir))}/{name}"


def commit(told: bytes) -> bytes:
    """Return a commit as git stores it, with the empty tree."""
    who = "hermes-checkpoints <checkpoints@localhost> 1700000000 +0000"
    return f"tree {TREE}\nauthor {who}\ncommitter {who}\n\n".encode() + told


def plant(remote: Path, refs: Mapping[str, bytes]) -> dict[str, str]:
    """Put commits with these messages at refs of a remote; return their ids."""
    git("hash-object", "-t", "tree", "-w", "--stdin", at=remote)
    pack = []
    for name, told in refs.items():
        who = "hermes-checkpoints <checkpoints@localhost> 1700000000 +0000"
        pack.append(f"reset {name}\ncommit {name}\ncommitter {who}\ndata {len(told)}\n".encode())
        pack.append(told + b"\n\n")
    git("fast-import", "--quiet", "--force", at=remote, stdin=b"".join(pack))
    lines = git("for-each-ref", "--format=%(refname) %(objectname)", at=remote).splitlines()
    return {name: id_ for name, id_ in map(str.split, lines) if name in refs}


def remove(remote: Path, *names: str) -> None:
    """Remove refs of a remote."""
    lines = "".join(f"delete {name}\n" for name in names)
    git("update-ref", "--stdin", at=remote, stdin=lines.encode())


def cursor(machine: int, workdir: str, name: str) -> tuple[str, bytes]:
    """Return the ref of a cursor and the message of its commit: what a machine calls itself."""
    told = {
        "Version": 1,
        "Machine": f"{machine:012x}",
        "Machine-Name": name,
        "Project": project_hash(Path(workdir)),
        "Workdir": workdir,
    }
    lines = [f"Hermes-{k}: {json.dumps(v)}" for k, v in told.items()]
    where = f"refs/checkpoints-cursor/{machine:012x}/{project_hash(Path(workdir))}"
    return where, "\n".join(["sent last", "", *lines, ""]).encode()


def digits(text: str) -> str:
    """Return the 40 digits of a text that nobody made, as those of a commit."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

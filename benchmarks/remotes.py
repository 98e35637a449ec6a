"""Remotes to measure against: a bare repository with checkpoints of other machines in it, and an
ssh that counts what crosses it.

The refs, commits and cursors are as a push writes them, so that a pull lists them. All
checkpoints have one small tree: what a remote costs by its number of refs does not depend on
contents, which are measured with real pushes.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, cast

from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import CheckpointFacts, Kind
from hermes_checkpoints.object_store.commits import commands, objects_beside, write_root
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.remote.cursors import Cursor
from hermes_checkpoints.remote.places import cursor_of
from hermes_checkpoints.remote_config import RefNamespace

PER_PROJECT = 100
"""Checkpoints of a project of another machine."""
PER_MACHINE = 10
"""Projects of another machine."""
START = datetime(2026, 1, 1, tzinfo=UTC)
HOST = "counted"
"""What the counting ssh is told as the host; it is this machine."""
_LONGEST = 3600.0

_COUNTING = """#!{python} -ISE
import os, subprocess, sys, threading

def carry(source, target, told):
    while piece := os.read(source, 1 << 16):
        told[0] += len(piece)
        try:
            while piece:
                piece = piece[os.write(target, piece):]
        except BrokenPipeError:
            break
    os.close(target)

command = sys.argv[-1]
server = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
sent, received = [0], [0]
up = threading.Thread(
    target=carry, args=(0, os.dup(server.stdin.fileno()), sent), daemon=True
)
server.stdin.close()
up.start()
carry(server.stdout.fileno(), 1, received)
status = server.wait()
with open({log!r}, "a") as log:
    log.write(f"{{command.split()[0]}} {{sent[0]}} {{received[0]}}\\n")
os._exit(status)
"""


@dataclass(frozen=True)
class Crossed:
    """What crossed to a server and back, in bytes, by ``calls`` of programs there."""

    sent: int
    received: int
    calls: int


@dataclass(frozen=True)
class Wire:
    """An ssh that runs what it is told on this machine, and counts the bytes of both directions."""

    folder: Path

    def url(self, repository: Path) -> str:
        """Return the address of a repository, by which git uses this ssh."""
        return f"ssh://{HOST}{repository}"

    def read(self) -> Crossed:
        """Return what has crossed since this was last asked."""
        log = self.folder / "calls"
        lines = log.read_text(encoding="ascii").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        numbers = [[int(word) for word in line.split()[1:]] for line in lines]
        return Crossed(sum(one[0] for one in numbers), sum(one[1] for one in numbers), len(lines))


@contextmanager
def counting(folder: Path) -> Iterator[Wire]:
    """Let git of this process reach servers by an ssh in a new folder that counts."""
    folder.mkdir()
    program = folder / "ssh"
    text = _COUNTING.format(python=sys.executable, log=str(folder / "calls"))
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    before = os.environ.get("GIT_SSH_COMMAND")
    os.environ["GIT_SSH_COMMAND"] = shlex.quote(str(program))
    try:
        yield Wire(folder)
    finally:
        if before is None:
            del os.environ["GIT_SSH_COMMAND"]
        else:
            os.environ["GIT_SSH_COMMAND"] = before


def bare(folder: Path) -> Path:
    """Make a bare repository as docs/remote.md does it, and return it."""
    asked_of(folder, "init", "-q", "--bare")
    asked_of(folder, "config", "uploadpack.allowFilter", "true")
    return folder


def asked_of(repository: Path, *words: str, stdin: bytes = b"") -> str:
    """Run git in a repository, as its administrator, and return what it printed."""
    done = subprocess.run(
        ["git", *words],
        env={**os.environ, "GIT_DIR": str(repository)},
        input=stdin,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def fill(repository: Path, checkpoints: int) -> int:
    """Let a bare repository have so many checkpoints of other machines, at most ``PER_PROJECT`` of
    a project, and one cursor for each project; return how many refs it has then."""
    git = Git(repository, _LONGEST)
    meta = TreeMeta()
    blob = write_object(repository, "blob", b"a file of another machine\n", durable=False)
    entry = f"100644 blob {blob}\tfile.txt\n".encode()
    tree = git.run("mktree", stdin=entry).decode("ascii").strip()
    write_root(git, tree, meta)
    projects = [
        (machine_id(number // PER_MACHINE), f"/srv/apps/project{number}")
        for number in range(-(-checkpoints // PER_PROJECT))
    ]
    facts = (_facts(*projects[n // PER_PROJECT], n, tree) for n in range(checkpoints))
    _import(repository, itertools.chain.from_iterable(commands(one, meta) for one in facts))
    root = objects_beside(tree, meta)[1]
    cursors = b""
    for machine, place in projects:
        hash_ = project_hash(Path(place))
        cursor = Cursor(machine, f"machine {machine}", hash_, place)
        commit = write_object(repository, "commit", cursor.commit(root, None), durable=False)
        ref = cursor_of(hash_, machine, RefNamespace.CHECKPOINTS)
        cursors += f"create {ref} {commit}\n".encode()
    asked_of(repository, "update-ref", "--stdin", stdin=cursors)
    asked_of(repository, "pack-refs", "--all")
    return checkpoints + len(projects)


def _import(repository: Path, stream: Iterable[bytes]) -> None:
    """Let ``git fast-import`` do what the commands say, as they come: a million fit into no memory.

    Raises:
        CalledProcessError: when it cannot.
    """
    command = ["git", "--git-dir", str(repository), "fast-import", "--quiet", "--done"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        writing = cast(IO[bytes], process.stdin)
        writing.writelines(stream)
        writing.write(b"done\n")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def machine_id(number: int) -> str:
    """Return the id of another machine: twelve hex digits, the same each time."""
    return hashlib.sha256(f"machine {number}".encode()).hexdigest()[:12]


def refs_in(repository: Path) -> dict[str, str]:
    """Return the refs of a repository with their ids."""
    lines = asked_of(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split() for line in lines)


def bytes_in(repository: Path) -> int:
    """Return the bytes of the objects of a repository."""
    return sum(one.stat().st_size for one in (repository / "objects").rglob("*") if one.is_file())


def _facts(machine: str, place: str, number: int, tree: str) -> CheckpointFacts:
    at = START + timedelta(minutes=number)
    name = f"{at:%Y%m%dT%H%M%S%f}Z-{number:08x}"
    hash_ = project_hash(Path(place))
    return CheckpointFacts(
        hash_,
        place,
        "",
        tree,
        hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest(),
        f"{RefNamespace.CHECKPOINTS.prefix}{machine}/{hash_}/{name}",
        Kind.AUTO,
        "before write_file",
        at,
        session_id=f"{at:%Y%m%d}_{number // 25:06x}",
        turn=number % 25,
        message_count=number % 200,
        file_count=1,
        logical_bytes=26,
        machine=machine,
    )

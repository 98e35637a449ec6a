"""Lists the objects that chains of checkpoints hold, by one git process for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.commits import TREE
from hermes_checkpoints.object_store.compare import EMPTY_TREE

_TREE_MODE = b"040000"
_BELOW = f"{TREE}/".encode()
_CHAINS_PER_CALL = 100


@dataclass(frozen=True)
class Contents:
    """The objects of a chain, and the blobs of each path of the project."""

    objects: set[str] = field(default_factory=set)
    paths: dict[bytes, set[str]] = field(default_factory=lambda: defaultdict(set))


def contents_of(git: Git, chains: Sequence[Sequence[str]]) -> Iterator[Contents]:
    """Yield what each chain of commits holds, in order.

    Whatever a commit holds is in the one before it or differs from it, so each chain is the
    first tree and the differences that follow.

    Raises:
        GitFailed: when an object cannot be read.
    """
    for start in range(0, len(chains), _CHAINS_PER_CALL):
        yield from _some(git, chains[start : start + _CHAINS_PER_CALL])


def _some(git: Git, chains: Sequence[Sequence[str]]) -> Iterator[Contents]:
    commits = [commit for chain in chains for commit in chain]
    asked = "".join(f"{commit}^{{tree}}\n" for commit in commits).encode()
    output = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked, patience=4)
    roots = dict(zip(commits, output.decode().split(), strict=True))
    pairs = [
        (roots[before] if before else EMPTY_TREE, roots[commit])
        for chain in chains
        for before, commit in zip(["", *chain], chain, strict=False)
    ]
    stdin = "".join(f"{old} {new}\n" for old, new in pairs).encode()
    options = ("--stdin", "-r", "-t", "-z", "--raw", "--no-renames")
    output = git.run("diff-tree", *options, stdin=stdin, patience=40)
    position = 0
    of_pair = iter(pairs)
    for chain in chains:
        found = Contents()
        for commit in chain:
            old, new = next(of_pair)
            found.objects.update((commit, new))
            header = f"{old} {new}\n".encode()
            if output.startswith(header, position):
                position = _read(output, position + len(header), found)
        yield found


def _read(output: bytes, position: int, found: Contents) -> int:
    """Read the records of one pair; return where the next begins."""
    while output.startswith(b":", position):
        end = output.index(b"\0", position)
        after = output.index(b"\0", end + 1)
        _, new_mode, _, new_id, status = output[position:end].split(b" ")
        if not status.startswith(b"D"):
            object_id = new_id.decode("ascii")
            found.objects.add(object_id)
            path = output[end + 1 : after]
            if new_mode != _TREE_MODE and path.startswith(_BELOW):
                found.paths[path[len(_BELOW) :]].add(object_id)
        position = after + 1
    return position


def disk_sizes(git: Git) -> dict[str, int]:
    """Return what each object of the store takes, compressed, in bytes.

    Raises:
        GitFailed: when the store cannot be read.
    """
    output = git.run(
        *("cat-file", "--batch-all-objects", "--unordered", "--buffer"),
        "--batch-check=%(objectname) %(objectsize:disk)",
        patience=40,
    )
    pairs = (line.split(" ") for line in output.decode("ascii", "replace").splitlines())
    return {name: int(size) for name, size in pairs}

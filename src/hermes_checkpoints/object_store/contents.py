"""Lists the objects that chains of checkpoints hold, by one git process for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.errors import PROGRAM, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.commits import TREE
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, NO_OBJECT, TREE_MODE
from hermes_checkpoints.object_store.raw_diff import diff_trees

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
        GitFailed, StoreDamaged: when an object cannot be read.
    """
    for start in range(0, len(chains), _CHAINS_PER_CALL):
        yield from _some(git, chains[start : start + _CHAINS_PER_CALL])


def _some(git: Git, chains: Sequence[Sequence[str]]) -> Iterator[Contents]:
    commits = [commit for chain in chains for commit in chain]
    asked = "".join(f"{commit}^{{tree}}\n" for commit in commits).encode()
    output = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked, patience=4)
    lines = output.decode().splitlines()
    for commit, line in zip(commits, lines, strict=True):
        if " " in line:  # the name, and `missing`
            raise StoreDamaged(
                f"checkpoint {commit[:12]} cannot be read, the store lost its commit; "
                f"`{PROGRAM} prune` takes what is damaged out"
            )
    roots = dict(zip(commits, lines, strict=True))
    pairs = [
        (roots[before] if before else EMPTY_TREE, roots[commit])
        for chain in chains
        for before, commit in zip(["", *chain], chain, strict=False)
    ]
    compared = diff_trees(git, pairs, patience=40)
    for chain in chains:
        found = Contents()
        for commit in chain:
            found.objects.update((commit, roots[commit]))
            new = [change for change in next(compared).changes if change.new_id != NO_OBJECT]
            found.objects.update(change.new_id for change in new)
            for change in new:
                if change.new_mode != TREE_MODE and change.path.startswith(_BELOW):
                    found.paths[change.path[len(_BELOW) :]].add(change.new_id)
        yield found


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

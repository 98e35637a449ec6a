"""Finds checkpoints from which the store lost something, and puts them out of the way of the rest.

One ref that leads to a missing object makes every gc of a git repository fail. So such refs are
taken out, after what is left of their contents was put into a pack that no gc touches.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import REF_PREFIX
from hermes_checkpoints.object_store.commits import META, TREE
from hermes_checkpoints.object_store.halving import failing
from hermes_checkpoints.object_store.raw_tree import parse_tree

QUARANTINE = "quarantine"
"""The file in the store with the refs that were taken out: a commit id and a ref a line."""

_PATIENCE = 40
_TREE = f":{TREE}"
_PARTS = ("", _TREE, f":{META}")


def unreadable_refs(store: Path, known: Iterable[str]) -> list[Path]:
    """Return the files below refs/checkpoints/ that git does not read as refs."""
    names = set(known)
    found = []
    for folder, _, files in os.walk(store / REF_PREFIX):
        for name in files:
            path = Path(folder, name)
            if not name.endswith(".lock") and path.relative_to(store).as_posix() not in names:
                found.append(path)
    return found


def dangling(git: Git, refs: Mapping[str, str]) -> list[str]:
    """Return the refs whose commit, tree or facts the store lacks, by one process; one more
    where a commit names no tree, and so holds the empty one.

    Raises:
        GitFailed.
    """
    if not refs:
        return []
    asked = "".join(f"{commit}{part}\n" for commit in refs.values() for part in _PARTS)
    output = git.run("cat-file", "--buffer", "--batch-check", stdin=asked.encode(), patience=4)
    lines = output.splitlines()
    step = len(_PARTS)
    lost: dict[str, list[str]] = {}
    for position, name in enumerate(refs):
        of_ref = zip(_PARTS, lines[step * position : step * (position + 1)], strict=True)
        missing = [part for part, line in of_ref if b" missing" in line]
        if missing:
            lost[name] = missing
    maybe_empty = [name for name, missing in lost.items() if missing == [_TREE]]
    for name in _naming_no_tree(git, {name: refs[name] for name in maybe_empty}):
        del lost[name]
    return [*lost]


def _naming_no_tree(git: Git, refs: Mapping[str, str]) -> Iterator[str]:
    """Yield the refs whose commits have no entry for the captured tree."""
    if not refs:
        return
    with git.blobs() as reader:
        for name, commit in refs.items():
            with contextlib.suppress(StoreDamaged):
                entries = parse_tree(reader.read(f"{commit}^{{tree}}")[2])
                if all(entry.path != TREE for entry in entries):
                    yield name


def incomplete(git: Git, refs: Mapping[str, str]) -> list[str]:
    """Return the names whose commit or tree is not whole: some object that it leads to is
    missing. ``refs`` has the id of the commit or tree by name.

    Raises:
        GitTimedOut.
    """

    def require_whole(names: Sequence[str]) -> None:
        if not _reach(git, [refs[name] for name in names])[1]:
            raise GitFailed("some object cannot be reached")

    return [name for name, _ in failing(list(refs), require_whole)]


def quarantine(git: Git, refs: Mapping[str, str]) -> None:
    """Pack what is left of the commits of these refs, and write down their names; the caller
    then deletes the refs.

    Raises:
        GitFailed: when what is left cannot be packed.
    """
    objects = {found for commit in refs.values() for found in _reach(git, [commit])[0]}
    pack = git.repository / "objects" / "pack" / "pack"
    if objects:
        stdin = "".join(f"{found}\n" for found in sorted(objects)).encode()
        name = git.run("pack-objects", "-q", str(pack), stdin=stdin, patience=_PATIENCE)
        pack.with_name(f"pack-{name.decode().strip()}.keep").touch()
    with (git.repository / QUARANTINE).open("a", encoding="utf-8") as file:
        file.writelines(f"{commit} {ref}\n" for ref, commit in refs.items())


def _reach(git: Git, commits: Iterable[str]) -> tuple[list[str], bool]:
    """Return the objects that can be reached from commits, and whether those are all."""
    try:
        output = git.run(
            *("rev-list", "--objects", "--missing=print", "--stdin"),
            stdin="".join(f"{commit}\n" for commit in commits).encode(),
            patience=_PATIENCE,
        )
    except GitTimedOut:
        raise
    except GitFailed:
        return [], False
    lines = output.decode("utf-8", "replace").splitlines()
    whole = not any(line.startswith("?") for line in lines)
    return [line.partition(" ")[0] for line in lines if not line.startswith("?")], whole

"""Finds checkpoints from which the store lost something, and puts them out of the way of the rest.

One ref that leads to a missing object makes every gc of a git repository fail. So such refs are
taken out, after what is left of their contents was put into a pack that no gc touches.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import REF_PREFIX
from hermes_checkpoints.object_store.commits import META, TREE
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.halving import failing
from hermes_checkpoints.object_store.raw_tree import parse_tree

QUARANTINE = "quarantine"
"""The file in the store with the refs that were taken out: a commit id and a ref a line."""

_TAKEN_OUT = re.compile(r"([0-9a-f]{40}) (\S.*)")
_PATIENCE = 40
_TREE = f":{TREE}"
_DAMAGED = "commit, or the tree that it names"
_PARTS = (("", "commit"), (_TREE, "tree"), (f":{META}", "facts"))


def dangling(git: Git, refs: Mapping[str, str]) -> dict[str, str]:
    """Return what the store lacks of each ref that is not sound, by one process: of a checkpoint
    its ``commit``, ``tree`` or ``facts``, of another ref what it names. One more process where a
    commit names no tree, and so holds the empty one. What is there and damaged stops git; then
    some more processes find of which refs that is.

    Raises:
        GitTimedOut.
        GitFailed: when git cannot even tell of the empty tree, so that nothing is known.
    """
    lost: dict[str, str] = {}

    def look(names: Sequence[str]) -> None:
        lost.update(_lacking(git, {name: refs[name] for name in names}))

    damaged = [name for name, _ in failing(list(refs), look)]
    if damaged:
        git.run("cat-file", "--batch-check", stdin=f"{EMPTY_TREE}\n".encode())
        lost.update(dict.fromkeys(damaged, _DAMAGED))
    return {name: lost[name] for name in refs if name in lost}


def _lacking(git: Git, refs: Mapping[str, str]) -> dict[str, str]:
    """Return what is missing of each ref, as ``dangling`` does.

    Raises:
        GitFailed: when something is damaged.
    """
    asked = [(name, f"{refs[name]}{part}", word) for name in refs for part, word in _parts(name)]
    stdin = "".join(f"{object_name}\n" for _, object_name, _ in asked).encode()
    output = git.run("cat-file", "--buffer", "--batch-check", stdin=stdin, patience=4)
    lost: dict[str, list[str]] = {}
    for (name, _, word), line in zip(asked, output.splitlines(), strict=True):
        if b" missing" in line:
            lost.setdefault(name, []).append(word)
    maybe_empty = [name for name, missing in lost.items() if missing == ["tree"]]
    for name in _naming_no_tree(git, {name: refs[name] for name in maybe_empty}):
        del lost[name]
    return {name: missing[0] for name, missing in lost.items()}


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


def _parts(ref: str) -> Sequence[tuple[str, str]]:
    return _PARTS if ref.startswith(REF_PREFIX) else _PARTS[:1]


def incomplete(git: Git, refs: Mapping[str, str]) -> list[str]:
    """Return the names whose commit or tree is not whole: some object that it leads to is
    missing. ``refs`` has the id of the commit or tree by name.

    Raises:
        GitTimedOut.
    """

    def require_whole(names: Sequence[str]) -> None:
        if not reach(git, [refs[name] for name in names])[1]:
            raise GitFailed("some object cannot be reached")

    return [name for name, _ in failing(list(refs), require_whole)]


def quarantine(git: Git, refs: Mapping[str, str], trees: Iterable[str] = ()) -> None:
    """Pack what is left of the commits of these refs and of ``trees``, and write down the names of
    the refs; the caller then deletes the refs.

    Raises:
        GitFailed: when what is left cannot be packed.
    """
    objects = reached(git, [*refs.values(), *trees])
    pack = git.repository / "objects" / "pack" / "pack"
    if objects:
        stdin = "".join(f"{found}\n" for found in sorted(objects)).encode()
        name = git.run("pack-objects", "-q", str(pack), stdin=stdin, patience=_PATIENCE)
        pack.with_name(f"pack-{name.decode().strip()}.keep").touch()
    with (git.repository / QUARANTINE).open("a", encoding="utf-8") as file:
        file.writelines(f"{commit} {ref}\n" for ref, commit in refs.items())


def quarantined(store: Path) -> dict[str, str]:
    """Return the commit of each ref that was taken out, by the name of the ref; a line that is
    damaged tells nothing."""
    lines = small_contents(store / QUARANTINE).decode("utf-8", "replace").splitlines()
    matches = filter(None, (_TAKEN_OUT.fullmatch(line) for line in lines))
    return {match[2]: match[1] for match in matches}


def reached(git: Git, ids: Iterable[str]) -> set[str]:
    """Return the objects that the store has of all that these commits and trees lead to, as far
    as git can follow them.

    Raises:
        GitTimedOut.
    """
    known = present(git, list(ids))
    found = set(reach(git, known)[0]) if known else set()
    if known and not found:  # one of them stops git
        found = {each for one in known for each in reach(git, [one])[0]}
    return found


def present(git: Git, ids: Sequence[str]) -> list[str]:
    """Return those of the objects that the store has, by their whole ids, by one process."""
    there = kinds(git, ids)
    return [one for one in ids if one in there]


def kinds(git: Git, ids: Iterable[str]) -> dict[str, str]:
    """Return the kinds, such as ``commit``, of those of the objects that the store has, by id."""
    asked = "".join(f"{one}\n" for one in dict.fromkeys(ids)).encode()
    output = git.run("cat-file", "--buffer", "--batch-check", stdin=asked, patience=4)
    lines = [line.split(" ") for line in output.decode("utf-8", "replace").splitlines()]
    return {fields[0]: fields[1] for fields in lines if len(fields) == 3}


def reach(git: Git, ids: Iterable[str]) -> tuple[list[str], bool]:
    """Return the objects that can be reached from commits and trees, and whether those are all."""
    try:
        output = git.run(
            *("rev-list", "--objects", "--missing=print", "--stdin"),
            stdin="".join(f"{one}\n" for one in ids).encode(),
            patience=_PATIENCE,
        )
    except GitTimedOut:
        raise
    except GitFailed:
        return [], False
    lines = output.decode("utf-8", "replace").splitlines()
    found = [line.partition(" ")[0] for line in lines if not line.startswith("?")]
    return found, len(found) == len(lines)

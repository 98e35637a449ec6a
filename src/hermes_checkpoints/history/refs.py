"""Reads the refs of a repository from its files, where git must not be run in it."""

from __future__ import annotations

from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.object_store.git_objects import is_object_id


def packed_refs(repository: Path) -> dict[str, str]:
    """Return the commits of the refs that have no file of their own, by name."""
    refs: dict[str, str] = {}
    for text in read_text(repository / "packed-refs").splitlines():
        commit, _, name = text.partition(" ")
        if is_object_id(commit) and name.startswith("refs/"):
            refs[name] = commit
    return refs


def loose_refs(repository: Path, kind: str) -> dict[str, str]:
    """Return the commits of the refs below ``refs/<kind>`` that have a file of their own."""
    refs: dict[str, str] = {}
    for folder, _, names in walk(repository / "refs" / kind):
        for name in names:
            file = Path(folder, name)
            commit = read_text(file)
            if is_object_id(commit):
                refs[file.relative_to(repository).as_posix()] = commit
    return refs


def head(repository: Path, refs: dict[str, str]) -> str | None:
    """Return the commit of HEAD, given the refs, or None where there is none."""
    text = read_text(repository / "HEAD")
    if text.startswith("ref: "):
        return refs.get(text[5:].strip())
    return text if is_object_id(text) else None


def read_text(file: Path) -> str:
    """Return a small file without blanks around, or nothing where it cannot be read."""
    return small_contents(file).decode("utf-8", "replace").strip()

"""Asks git what lies in a working directory: what is new, what a rule ignores, what an include
pattern rescues. Git evaluates all rules; nothing here knows the syntax of a pattern."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.repository import Repository
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store.git_index import add_empty_files, decode_paths, drop_paths
from hermes_checkpoints.object_store.rules import Excludes, literal_pattern


@dataclass(frozen=True)
class Rules:
    """What a take leaves out.

    ``excludes`` are the patterns beside .gitignore files, ``include`` those that rescue an ignored
    path, ``barred`` are directories of the project that are never entered (the checkpoint base
    itself), ``max_file_bytes`` is the largest file that is kept, and ``max_take_bytes`` how many
    bytes that are new to the store one take may add; None is no limit. ``repository`` is the one
    that the project belongs to, if any.

    A survey finds out the rest: ``worktrees`` are directories that are other checkouts of that
    repository, and ``meant`` those whose name is a word of the built-in list and which no tool
    has made.
    """

    excludes: Excludes
    include: tuple[str, ...] = ()
    barred: frozenset[str] = frozenset()
    max_file_bytes: int | None = None
    max_take_bytes: int | None = None
    repository: Repository | None = None
    worktrees: frozenset[str] = frozenset()
    meant: frozenset[str] = frozenset()

    @cached_property
    def text(self) -> bytes:
        """The patterns that git is given in a file."""
        return self.excludes.text(self.meant)

    @cached_property
    def name(self) -> str:
        """A name of the rules that hide paths: another one where any of them is another."""
        digest = hashlib.sha256(self.text).hexdigest()
        where = "" if self.repository is None else str(self.repository.common_dir)
        closed = (*sorted(self.barred), where, *sorted(self.worktrees))
        return "\0".join((digest, *self.include, "", *closed))

    @cached_property
    def closed(self) -> frozenset[str]:
        """The directories in which nothing is captured."""
        return self.barred | self.worktrees


def excludes_file(index: Path) -> Path:
    """Return where the patterns lie that git is given for the project with this index."""
    return index.with_name(index.name + ".excludes")


def write_excludes_file(index: Path, rules: Rules) -> None:
    """Bring the patterns beside an index up to date."""
    file = excludes_file(index)
    if small_contents(file) != rules.text:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, rules.text)


def list_others(git: Git, rules: Rules, *directories: str) -> list[str]:
    """Return the arguments of git that list the files that are new and not ignored; without
    directories, in the whole tree."""
    command = ["ls-files", "-z", "-o", *_standard(git), *_rescues(rules), *_bars(rules.closed)]
    return [*command, "--", *directories] if directories else command


def _standard(git: Git) -> tuple[str, str]:
    """Return the options by which git reads .gitignore files and, weaker, the other patterns."""
    return "--exclude-per-directory=.gitignore", f"--exclude-from={excludes_file(git.own_index)}"


def _bars(directories: Iterable[str]) -> list[str]:
    return [part for path in sorted(directories) for part in ("-x", literal_pattern(path))]


def _rescues(rules: Rules) -> list[str]:
    """Return the options by which included paths, and all below them, win over every rule that
    ignores them."""
    return [
        part
        for pattern in rules.include
        for part in ("-x", f"!{pattern}", "-x", f"!{_contents(pattern)}")
    ]


def _contents(pattern: str) -> str:
    """Return the pattern that matches all that lies in the directories of a pattern."""
    pattern = pattern.rstrip("/")
    return f"{pattern}/**" if "/" in pattern else f"**/{pattern}/**"


def add_included(git: Git, rules: Rules, new: list[str]) -> set[str]:
    """Append what an include pattern rescues to ``new``; return the tracked ones it protects."""
    if not rules.include:
        return set()
    patterns = [part for pattern in rules.include for part in ("-x", pattern)]
    output = git.run("ls-files", "-z", "-t", "-i", "-c", "-o", *patterns, patience=2)
    protected, present = set(), set(new)
    for line in decode_paths(output):
        tag, path = line[0], line[2:]
        if within(path, rules.closed):
            continue
        if tag == "H":
            protected.add(path)
        elif path not in present and not path.endswith("/"):
            new.append(path)
    return protected


def list_ignored(git: Git, rules: Rules) -> tuple[set[str], set[str]]:
    """Return the paths that a rule ignores: those that our index does not have, where an ignored
    directory is one path that ends in a slash, and those that it has.

    Raises:
        GitFailed.
    """
    output = git.run(
        *("ls-files", "-z", "-t", "-i", "-c", "-o", *_standard(git), "--directory"),
        *(*_rescues(rules), *_bars(rules.worktrees)),
        patience=2,
    )
    lines = decode_paths(output)
    untracked = {line[2:] for line in lines if line.startswith("?")}
    return untracked, {line[2:] for line in lines if not line.startswith("?")}


def list_ignored_as(
    git: Git, rules: Rules, added: Iterable[str], dropped: Iterable[str]
) -> set[str]:
    """Return the first part of ``list_ignored`` as it will be when some paths have come into our
    index and others have left it: a path of the index in an ignored directory keeps git from
    naming the directory.

    Raises:
        GitFailed.
    """
    with scratch_folder(git.own_index.parent, "look-") as folder:
        then = replace(git, index=Path(folder) / "index")
        if git.own_index.exists():
            shutil.copyfile(git.own_index, then.own_index)
        write_excludes_file(then.own_index, rules)
        drop_paths(then, sorted(dropped))
        add_empty_files(then, sorted(added))
        return list_ignored(then, rules)[0]

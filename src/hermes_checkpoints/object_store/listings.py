"""Asks git what lies in a working directory: what is new, what a rule ignores, what an include
pattern rescues. Git evaluates all rules; nothing here knows the syntax of a pattern."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_checkpoints.git import Git
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store.git_index import decode_paths, drop_paths
from hermes_checkpoints.object_store.rules import literal_pattern


@dataclass(frozen=True)
class Rules:
    """What a take leaves out.

    ``digest`` names the excludes that hold for all projects, ``exclude`` are those of this one,
    ``include`` are patterns that rescue an ignored path, ``barred`` are directories of the project
    that are never entered (the checkpoint base itself), ``max_file_bytes`` is the largest file
    that is kept, and ``max_take_bytes`` how many bytes that are new to the store one take may add;
    None is no limit.
    """

    digest: str
    include: tuple[str, ...] = ()
    barred: frozenset[str] = frozenset()
    max_file_bytes: int | None = None
    max_take_bytes: int | None = None
    exclude: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name the rules that hide paths: another name where any of them is another."""
        own = [f"-{pattern}" for pattern in self.exclude]
        return "\0".join((self.digest, *own, *self.include, *sorted(self.barred)))


def list_others(rules: Rules, *directories: str) -> list[str]:
    """Return the arguments of git that list the files that are new and not ignored; without
    directories, in the whole tree."""
    bars = [part for path in sorted(rules.barred) for part in ("-x", literal_pattern(path))]
    command = ["ls-files", "-z", "-o", "--exclude-standard", *_own(rules), *bars]
    return [*command, "--", *directories] if directories else command


def _own(rules: Rules) -> list[str]:
    """Return the options by which what the project's own settings exclude is left out, and included
    paths, and all below them, win over every rule that ignores them."""
    excludes = [part for pattern in rules.exclude for part in ("-x", pattern)]
    return excludes + [
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
        if tag == "H":
            protected.add(path)
        elif path not in present and not within(path, rules.barred) and not path.endswith("/"):
            new.append(path)
    return protected


def list_ignored(git: Git, rules: Rules) -> tuple[set[str], set[str]]:
    """Return the untracked and the tracked paths that a rule ignores; of the former, an ignored
    directory as one that ends in a slash.

    Raises:
        GitFailed.
    """
    untracked, tracked = _ignored_of(git, rules)
    if tracked and git.index is not None:
        # A tracked file in an ignored directory keeps git from naming the directory.
        with tempfile.TemporaryDirectory(prefix="look-", dir=git.index.parent) as folder:
            index = Path(folder) / "index"
            shutil.copyfile(git.index, index)
            without = replace(git, index=index)
            drop_paths(without, sorted(tracked))
            untracked, _ = _ignored_of(without, rules)
    return untracked, tracked


def _ignored_of(git: Git, rules: Rules) -> tuple[set[str], set[str]]:
    output = git.run(
        *("ls-files", "-z", "-t", "-i", "-c", "-o", "--exclude-standard", "--directory"),
        *_own(rules),
        patience=2,
    )
    lines = decode_paths(output)
    untracked = {line[2:] for line in lines if line.startswith("?")}
    return untracked, {line[2:] for line in lines if not line.startswith("?")}

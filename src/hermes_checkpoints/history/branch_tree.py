"""Decides what a commit of a checkpoint has at each path: what the checkpoint holds, what HEAD has,
or nothing.

Each path is decided once, and whatever is not as the checkpoint has it is told with the reason.
What the checkpoint does not know of stays as HEAD has it: that is no deletion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from hermes_checkpoints.model import SkipReason, Withheld, WithheldReason
from hermes_checkpoints.model.paths import folders_above, is_plain, parents, within
from hermes_checkpoints.object_store.git_objects import (
    EXECUTABLE_MODE,
    FILE_MODE,
    GITLINK_MODE,
    LINK_MODE,
)
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.raw_tree import TreeEntry

Entries = Mapping[str, TreeEntry]

_NTFS = re.compile(r"(?:^|[/\\])(?:\.git|git~1)[. ]*(?:$|[/\\:])", re.IGNORECASE)
_UNSEEN_ON_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


@dataclass
class BranchTree:
    """What differs from HEAD: the paths that are ``gone``, those that are ``put`` there, and what
    is ``withheld``. Paths are relative to the project."""

    head: Entries
    gone: set[str] = field(default_factory=set)
    put: dict[str, TreeEntry] = field(default_factory=dict)
    withheld: dict[str, Withheld] = field(default_factory=dict)

    @property
    def new(self) -> set[str]:
        """The paths that HEAD lacks."""
        return self.put.keys() - self.head.keys()

    def withhold(
        self, path: str, reason: WithheldReason, skipped: SkipReason | None = None
    ) -> None:
        """Let a path be as HEAD has it."""
        self.put.pop(path, None)
        self.gone.discard(path)
        self.tell(path, reason, skipped)

    def tell(
        self,
        path: str,
        reason: WithheldReason,
        skipped: SkipReason | None = None,
        *,
        kept: bool = False,
    ) -> None:
        """Note that a path, or a directory, is not as the checkpoint has it. ``kept`` says that
        HEAD has something below it, which stays."""
        self.withheld[path] = Withheld(path, reason, kept or path in self.head, skipped)


def decide(
    head: Entries,
    held: Entries,
    meta: TreeMeta,
    *,
    partial: bool,
    lost: Collection[str],
    sparse: Collection[str],
    keeps_modes: bool,
) -> BranchTree:
    """Return what the commit has otherwise than HEAD, by what the checkpoint itself says: what it
    ``held``, left out, and ``lost`` since. A ``partial`` one says nothing of other paths.
    ``sparse`` is what a sparse checkout leaves out. Where permissions are not kept
    (``keeps_modes``), files are as executable as HEAD has them."""
    found = BranchTree(head)
    modules = {path for path, entry in head.items() if entry.mode == GITLINK_MODE}
    links = {path for path, entry in held.items() if entry.mode == GITLINK_MODE}
    for path, entry in held.items():
        if within(path, modules):
            found.tell(_among(path, modules), WithheldReason.SUBMODULE)
        elif path in links:
            found.tell(path, WithheldReason.NESTED_REPOSITORY)
        elif path in lost:
            found.tell(path, WithheldReason.LOST)
        elif is_unusable(path):
            found.tell(path, WithheldReason.UNUSABLE_NAME)
        else:
            as_git_has_it = with_git_mode(entry, head.get(path), keeps_modes=keeps_modes)
            if as_git_has_it != head.get(path):
                found.put[path] = as_git_has_it
    _miss(found, held, meta, links, partial=partial, sparse=sparse)
    for skipped in meta.skipped:
        known = skipped.path in held or skipped.path in found.withheld
        if not known and not within(skipped.path, modules):
            found.tell(skipped.path, WithheldReason.NOT_CAPTURED, skipped.reason)
    clear_the_way(found)
    return found


def _miss(
    found: BranchTree,
    held: Entries,
    meta: TreeMeta,
    links: Collection[str],
    *,
    partial: bool,
    sparse: Collection[str],
) -> None:
    """Decide what becomes of the paths that HEAD has and the checkpoint lacks."""
    skipped = {one.path: one.reason for one in meta.skipped}
    ignored = {path.rstrip("/") for path in meta.ignored_paths}
    for path, entry in found.head.items():
        if path in held or entry.mode == GITLINK_MODE:
            continue
        if within(path, skipped):
            above = _among(path, skipped)
            found.tell(above, WithheldReason.NOT_CAPTURED, skipped[above], kept=True)
        elif within(path, ignored):
            above = _among(path, ignored)
            found.tell(above, WithheldReason.NOT_CAPTURED, SkipReason.IGNORED, kept=True)
        elif within(path, links):
            found.tell(_among(path, links), WithheldReason.NESTED_REPOSITORY, kept=True)
        elif path in sparse:
            found.tell(path, WithheldReason.SPARSE)
        elif not partial or within(path, frozenset(meta.absent)):
            found.gone.add(path)


def clear_the_way(tree: BranchTree) -> None:
    """Withhold what cannot stand beside what stays of HEAD: a path below a file, or a file in the
    place of a directory."""
    stays = tree.head.keys() - tree.gone - tree.put.keys()
    above = folders_above(stays)
    for path in list(tree.put):
        if path not in tree.head and (path in above or any(one in stays for one in parents(path))):
            tree.withhold(path, WithheldReason.IN_THE_WAY)


def withhold_nested(tree: BranchTree, repositories: Iterable[str]) -> None:
    """Withhold what is new in repositories inside of the project, of which HEAD has nothing."""
    known = folders_above(tree.head)
    for folder in sorted(repositories):
        if folder in known or within(folder, tree.withheld):
            continue
        inside = [path for path in tree.new if within(path, {folder})]
        for path in inside:
            del tree.put[path]
        if inside:
            tree.tell(folder, WithheldReason.NESTED_REPOSITORY)


def with_git_mode(entry: TreeEntry, head: TreeEntry | None, *, keeps_modes: bool) -> TreeEntry:
    """Return an entry with one of the modes that git commits."""
    if entry.mode == LINK_MODE:
        return entry
    executable = bool(entry.mode & 0o100)
    if not keeps_modes:
        executable = head is not None and head.mode == EXECUTABLE_MODE
    return entry._replace(mode=EXECUTABLE_MODE if executable else FILE_MODE)


def is_unusable(path: str) -> bool:
    """Tell whether git refuses to check out a path: it leads elsewhere or to something of git's
    own, or a file system of macOS or Windows would take a part of it for ``.git``."""
    if not is_plain(path) or _NTFS.search(path):
        return True
    return any(_UNSEEN_ON_HFS.sub("", part).lower() == ".git" for part in path.split("/"))


def moved_below(tree: BranchTree, prefix: str) -> tuple[set[str], dict[str, TreeEntry]]:
    """Return what is gone and what is put as paths of the repository."""
    gone = {prefix + path for path in tree.gone}
    return gone, {prefix + p: e._replace(path=prefix + p) for p, e in tree.put.items()}


def _among(path: str, chosen: Collection[str]) -> str:
    return next(one for one in (path, *parents(path)) if one in chosen)

"""Makes a commit of a checkpoint on a new branch of the repository that its project lies in.

HEAD, index, working directory and stash of that repository stay as they are, and no program of it
runs. Nothing is written in it before the whole commit is there and proven: then one pack, and last
the branch. What the commit has at each path is decided in `branch_tree`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import BadRequest, BranchRefused, GitFailed, StoreDamaged
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.history.branch_tree import (
    BranchTree,
    clear_the_way,
    decide,
    moved_below,
    withhold_nested,
)
from hermes_checkpoints.history.own_repository import OwnRepository, own_repository
from hermes_checkpoints.model import (
    Checkpoint,
    ExportedBranch,
    SkipReason,
    WithheldReason,
)
from hermes_checkpoints.model.paths import GIT_NAME, folders_above, is_plain
from hermes_checkpoints.object_store import EMPTY_TREE, TreeState, list_entries, matching_rules
from hermes_checkpoints.object_store.bench import Bench, Manners
from hermes_checkpoints.object_store.commits import local_offset_minutes
from hermes_checkpoints.object_store.compare import Comparison, compare_many
from hermes_checkpoints.object_store.foreign_head import of_head, sparse_paths
from hermes_checkpoints.object_store.git_objects import EXECUTABLE_MODE, FILE_MODE, GITLINK_MODE
from hermes_checkpoints.object_store.git_time import format_time
from hermes_checkpoints.object_store.new_branch import add_branch, add_pack, require_free
from hermes_checkpoints.object_store.raw_tree import TreeEntry
from hermes_checkpoints.object_store.rules import built_in_lines
from hermes_checkpoints.object_store.wholeness import all_lost_paths
from hermes_checkpoints.text import shown

_FILES = frozenset({FILE_MODE, EXECUTABLE_MODE})
_IGNORE_FILE = ".gitignore"
_NO_VALUE = frozenset({"unset", "set"})
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_MOST_POINTER = 1024


def branch_of(
    base: Base, target: Target, checkpoint: Checkpoint, name: str, *, plan: bool
) -> ExportedBranch:
    """Make a commit of a checkpoint on the new branch ``name``, or with ``plan`` only tell what
    would be in it.

    Raises:
        BadRequest: when the name is none of a branch.
        BranchRefused: when the repository is none that a commit can be made in, or has the name.
        StoreDamaged, GitFailed: when store or repository cannot be read.
        BaseUnwritable, NoSpace.
    """
    git = base.store.git.of_objects()
    _require_name(git, name)
    own = own_repository(git, target.path)
    require_free(own.repository, name)
    state = base.store.state(checkpoint.id, checkpoint.tree_id)
    objects = own.repository.objects
    manners = own.manners()
    with Bench.lent(git, base.layout.scratch, objects, manners) as bench:
        work = _Work(base, own, manners, target.path, checkpoint, state, bench)
        comparison = work.compared()
        commit = None if plan else work.publish(name, comparison)
        author, address, is_own = own.person("author")
        changes = (comparison.changes[path] for path in sorted(comparison.changes))
        return ExportedBranch(
            checkpoint,
            own.repository.top,
            name,
            commit,
            own.head,
            f"{author} <{address}>",
            is_own,
            tuple(replace(one, path=one.path.removeprefix(own.prefix)) for one in changes),
            tuple(work.found.withheld[path] for path in sorted(work.found.withheld)),
        )


def _require_name(git: Git, name: str) -> None:
    """Refuse what is no name of a branch, by git's own rules."""
    refused = BadRequest(
        f"{name!r} is no name of a branch; git has the rules in `git help check-ref-format`"
    )
    if not name or name.startswith("-") or "\0" in name or name in ("@", "HEAD"):
        raise refused
    try:
        git.run("check-ref-format", f"refs/heads/{name}")
    except GitFailed as error:
        raise refused from error


@dataclass
class _Work:
    """The commit in the making. ``found`` is what it has otherwise than HEAD."""

    base: Base
    own: OwnRepository
    manners: Manners
    root: Path
    checkpoint: Checkpoint
    state: TreeState
    bench: Bench

    def __post_init__(self) -> None:
        with of_head(self.own.repository, self.own.head):
            self.parent_tree = self._parent_tree()
            self.bench.load(self.parent_tree)  # first: git refuses paths that lead elsewhere
            self.whole = list_entries(self.bench.theirs, self.parent_tree)
        self.held = list_entries(self.bench.git.of_objects(), self.state.tree_id)
        self.found = self._decided()

    def compared(self) -> Comparison:
        """Put what is decided into the index, as git would commit it; return what the tree of that
        has otherwise than HEAD."""
        gone, put = moved_below(self.found, self.own.prefix)
        gone |= self._above_the_project()
        self.bench.put(gone, put)
        self._commit_as_git_does(put)
        self.tree = self.bench.tree(all_there=self.own.all_there)
        pair = (self.parent_tree, self.tree)
        if pair[0] == pair[1]:
            return Comparison({}, frozenset())
        [comparison] = compare_many(self.bench.git.of_objects(), [pair], lines=False)
        return comparison

    def publish(self, name: str, comparison: Comparison) -> str:
        """Write the commit into the repository and then the branch; return the commit's id."""
        people = _people(self.own, self.checkpoint)
        parent = self.own.head.commit
        commit = self.bench.commit(self.tree, parent, message_of(self.checkpoint), people)
        files = {
            change.new_blob
            for change in comparison.changes.values()
            if change.new_blob is not None and change.new_mode != GITLINK_MODE
        }
        ids = {commit, *comparison.new_trees, *files}
        if self.tree == EMPTY_TREE:
            ids.add(EMPTY_TREE)
        pack = self.bench.pack(ids, all_there=self.own.all_there)
        repository = self.own.repository
        try:
            add_pack(repository, pack)
            add_branch(repository, name, commit)
        except OSError as error:
            raise BranchRefused(
                f"{error.filename or repository.common_dir} cannot be written ({error.strerror}), "
                f"so that no branch was made in {repository.top}"
            ) from error
        return commit

    # --- what is in it -----------------------------------------------------------------------

    def _parent_tree(self) -> str:
        commit = self.own.head.commit
        if commit is None:
            return EMPTY_TREE
        asked = "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}"
        return self.bench.theirs.run(*asked).decode().strip()

    def _decided(self) -> BranchTree:
        prefix, checkpoint = self.own.prefix, self.checkpoint
        head = {
            path.removeprefix(prefix): entry._replace(path=path.removeprefix(prefix))
            for path, entry in self.whole.items()
            if path.startswith(prefix)
        }
        store = self.base.store.git
        found = decide(
            head,
            self.held,
            self.state.meta,
            partial=checkpoint.partial,
            lost=all_lost_paths(store, [checkpoint.tree_id] if checkpoint.partly_lost else []),
            sparse=sparse_paths(self.own.repository, self.root, head),
            keeps_modes=self.own.keeps_modes,
        )
        folders = folders_above(found.new)
        inside = (one for one in folders if os.path.lexists(self.root / one / GIT_NAME))
        withhold_nested(found, inside)
        self._withhold_unknown(found)
        self._withhold_ignored(found)
        clear_the_way(found)
        return found

    def _withhold_unknown(self, found: BranchTree) -> None:
        """Keep of HEAD what the checkpoint may have left out, where it does not list all that
        rules ignored."""
        if self.state.meta.ignored_known or not found.gone:
            return
        rules = _ignore_files(self.held)
        for path in matching_rules(self.base.store.git, rules, found.gone):
            found.withhold(path, WithheldReason.NOT_CAPTURED, SkipReason.IGNORED)
        for path in self._ignored(self._rules_then(), found.gone):
            found.withhold(path, WithheldReason.NOT_CAPTURED, SkipReason.IGNORED)

    def _withhold_ignored(self, found: BranchTree) -> None:
        """Withhold what HEAD lacks and git would not add: by the rules of the checkpoint, of HEAD,
        or of now. What is named as secrets are is none to be published by the way, either."""
        if not found.new:
            return
        sets: list[dict[str, str]] = []
        for rules in (self._rules_then(), _ignore_files(self.whole), self._rules_now(found.new)):
            if rules not in sets:
                sets.append(rules)
        for rules in sets:
            for path in self._ignored(rules, found.new):
                found.withhold(path, WithheldReason.IGNORED)
        if found.new:
            patterns = "\n".join([*built_in_lines("secrets"), ""]).encode()
            secret = {_IGNORE_FILE: self.bench.write("blob", patterns)}
            for path in self._ignored(secret, found.new):
                found.withhold(path, WithheldReason.SECRET_NAME)

    def _ignored(self, rules: Mapping[str, str], paths: Iterable[str]) -> set[str]:
        prefix = self.own.prefix
        found = matching_rules(self.bench.git, rules, [prefix + path for path in paths])
        return {path.removeprefix(prefix) for path in found}

    def _rules_then(self) -> dict[str, str]:
        """The files of rules that the commit has, if all of the checkpoint's are in it."""
        prefix = self.own.prefix
        outside = {p: e for p, e in self.whole.items() if not p.startswith(prefix)}
        inside = {prefix + path: entry for path, entry in self.held.items()}
        return _ignore_files(outside | inside)

    def _rules_now(self, paths: Iterable[str]) -> dict[str, str]:
        """The files of rules that lie above some paths in the working directory."""
        found: dict[str, str] = {}
        for folder in ("", *folders_above(self.own.prefix + path for path in paths)):
            path = f"{folder}/{_IGNORE_FILE}".lstrip("/")
            place = self.own.repository.top / path
            contents = b"" if place.is_symlink() else small_contents(place)
            if contents:
                found[path] = self.bench.write("blob", contents)
        return found

    def _above_the_project(self) -> set[str]:
        """Return what HEAD has in the place of the project, or of a directory above it: a file."""
        found: set[str] = set()
        for folder in folders_above([f"{self.own.prefix}x"]):
            entry = self.whole.get(folder)
            if entry is not None and entry.mode == GITLINK_MODE:
                raise BranchRefused(
                    f"{self.root} lies in the submodule {folder} of {self.own.repository.top}, "
                    "which has no repository of its own there; `git submodule update --init` makes "
                    "it"
                )
            if entry is not None:
                found.add(folder)
        return found

    # --- as git commits it -------------------------------------------------------------------

    def _commit_as_git_does(self, put: Mapping[str, TreeEntry]) -> None:
        """Give the contents in the index the form that git commits them in: other line ends, where
        attributes or settings say so. What a filter makes, or another encoding, stays as HEAD has
        it."""
        files = {
            path: entry
            for path, entry in put.items()
            if entry.mode in _FILES and self._blob_of_head(path) != entry.object_id
        }
        attributes = self.bench.attributes(files)
        made = {path for path in files if _is_made(attributes.get(path, {}))}
        usual = self.manners.autocrlf != "false"
        changed = {
            path: entry.object_id
            for path, entry in files.items()
            if path not in made and _may_change(attributes.get(path, {}), usual=usual)
        }
        with self.bench.git.of_objects().blobs() as reader:
            same = {p for p in made if self._is_made_of_head(reader, p, files[p], attributes[p])}
            reader.expect(changed.values())
            changed = {p: b for p, b in changed.items() if _has_marks(reader, b)}
        self._as_head({*made, *changed})
        for path in made - same:
            self.found.withhold(path.removeprefix(self.own.prefix), WithheldReason.FILTERED)
        ids = {path: self.whole[path].object_id for path in same}
        ids |= self.bench.committed(changed)
        self.bench.put((), {p: put[p]._replace(object_id=blob) for p, blob in ids.items()})

    def _as_head(self, paths: Iterable[str]) -> None:
        """Let the index have what HEAD has at some paths."""
        there = {path: self.whole[path] for path in paths if path in self.whole}
        self.bench.put([path for path in paths if path not in there], there)

    def _blob_of_head(self, path: str) -> str | None:
        entry = self.whole.get(path)
        return None if entry is None else entry.object_id

    def _is_made_of_head(
        self, reader: BlobReader, path: str, entry: TreeEntry, attributes: Mapping[str, str]
    ) -> bool:
        """Tell whether contents are what git makes of HEAD's, so that nothing changed."""
        head = self.whole.get(path)
        if head is None or head.mode not in _FILES:
            return False
        try:
            former = reader.read(head.object_id)[2]
        except StoreDamaged:
            return False
        if attributes.get("filter") == "lfs":
            return _is_pointer_to(former, reader, entry.object_id)
        encoding = attributes.get("working-tree-encoding", "")
        try:
            text = reader.read(entry.object_id)[2].decode(encoding)
            return text.encode().replace(b"\r\n", b"\n") == former.replace(b"\r\n", b"\n")
        except (LookupError, UnicodeError):
            return False


def _is_made(attributes: Mapping[str, str]) -> bool:
    return any(
        attributes.get(name, "unset") not in _NO_VALUE
        for name in ("filter", "working-tree-encoding")
    )


def _may_change(attributes: Mapping[str, str], *, usual: bool) -> bool:
    """Tell whether git may commit other contents than those of the working directory; ``usual`` is
    whether it changes line ends where no attribute says anything of them."""
    if attributes.get("ident") == "set":
        return True
    text = attributes.get("text", attributes.get("crlf"))
    if text == "unset":
        return False
    return text is not None or attributes.get("eol", "unset") not in _NO_VALUE or usual


def _has_marks(reader: BlobReader, blob: str) -> bool:
    """Tell whether contents have what git might change: a carriage return, or `$Id`."""
    found: list[bool] = []
    end = b""

    def look(piece: bytes) -> None:
        nonlocal end
        joined = end + piece
        if b"\r" in joined or b"$Id" in joined:
            found.append(True)
        end = joined[-2:]

    reader.copy(blob, look)
    return bool(found)


def _is_pointer_to(pointer: bytes, reader: BlobReader, blob: str) -> bool:
    """Tell whether a pointer of git-lfs stands for contents."""
    if len(pointer) > _MOST_POINTER or not pointer.startswith(_POINTER):
        return False
    digest = hashlib.sha256()
    size = 0

    def count(piece: bytes) -> None:
        nonlocal size
        digest.update(piece)
        size += len(piece)

    reader.copy(blob, count)
    lines = pointer.split(b"\n")
    return f"oid sha256:{digest.hexdigest()}".encode() in lines and f"size {size}".encode() in lines


def _ignore_files(entries: Mapping[str, TreeEntry]) -> dict[str, str]:
    return {
        path: entry.object_id
        for path, entry in entries.items()
        if path.rpartition("/")[2] == _IGNORE_FILE and entry.mode in _FILES and is_plain(path)
    }


# --- the commit ----------------------------------------------------------------------------------


def message_of(checkpoint: Checkpoint) -> str:
    """Return the message of a commit: a label, or what the agent was asked for next, or the reason;
    what is left of these, and the id of the checkpoint as a trailer."""
    labels = [_line(label) for label in checkpoint.labels]
    title = _line(checkpoint.turn_title or "")
    lines = [*labels[:1], *([f"Before: {title}"] if title else []), _line(checkpoint.reason)]
    subject, *rest = dict.fromkeys(line for line in lines if line) or ["Checkpoint"]
    trailers = [f"Checkpoint: {checkpoint.id}", *(f"Checkpoint-Label: {one}" for one in labels)]
    return "\n\n".join([subject, *rest, "\n".join(trailers)]) + "\n"


def _line(text: str) -> str:
    return " ".join(shown(text).split())


def _people(own: OwnRepository, checkpoint: Checkpoint) -> dict[str, str]:
    now = datetime.now(UTC)
    first = datetime.fromtimestamp(0, UTC)  # git reads no time before
    times = {
        "author": (max(checkpoint.created_at, first), checkpoint.utc_offset_minutes),
        "committer": (now, local_offset_minutes(now)),
    }
    found: dict[str, str] = {}
    for role, (at, offset) in times.items():
        name, address, _ = own.person(role)
        found |= {
            f"GIT_{role.upper()}_NAME": name,
            f"GIT_{role.upper()}_EMAIL": address,
            f"GIT_{role.upper()}_DATE": f"@{format_time(at, offset)}",
        }
    return found

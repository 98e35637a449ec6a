"""The one bare git repository that holds the contents of all checkpoints of all projects.

It is made, healed and configured here; every checkpoint is one commit without parents under
one ref, so that its id is its name for life.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.errors import (
    GitFailed,
    GitTimedOut,
    LockHeld,
    StoreDamaged,
    base_error,
    base_errors,
)
from hermes_checkpoints.fs.forks import once
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.locks import Held, exclusive
from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.layout import REF_PREFIX, SCRATCH_PREFIX, Layout
from hermes_checkpoints.object_store import frame, loose, ref_files
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.quarantine import set_aside
from hermes_checkpoints.object_store.rules import Excludes, read_excludes, write_excludes

if TYPE_CHECKING:
    from hermes_checkpoints.git import Git
    from hermes_checkpoints.model import Checkpoint, CheckpointFacts, Progress
    from hermes_checkpoints.object_store.meta import TreeMeta
    from hermes_checkpoints.object_store.stored import StoredCheckpoint
    from hermes_checkpoints.object_store.tree_state import TreeState


_ATTRIBUTES = "* -text -ident -filter -eol -working-tree-encoding\n"

_CHANGES_HISTORY = ("shallow", "info/grafts")
"""What gives commits other parents than they have, which stops git where it is garbled; the store
needs neither."""


class ObjectStore:
    """The store under one home. ``timeout`` limits one git call, in seconds."""

    def __init__(self, layout: Layout, timeout: float = 30.0) -> None:
        self._layout = layout
        self._repository, self._timeout = self._readable(), timeout
        self._progress: Progress | None = None

    def tell(self, progress: Progress | None) -> None:
        """Tell whoever works with the store to say how far it is."""
        self._progress = progress

    @once
    def git(self) -> Git:
        """Git for the store as a whole."""
        from hermes_checkpoints.git import Git

        return Git(self._repository, self._timeout, progress=self._progress)

    def exists(self) -> bool:
        """Tell whether the store was ever made."""
        return self._layout.store.is_dir()

    def ensure(self, exclude: Iterable[str] = ()) -> Excludes:
        """Make the store, or mend what is missing of its frame; return the patterns that leave
        something out of every project. Of a base that can only be read, the store is used as it
        is.

        Raises:
            GitMissing, GitTooOld, GitFailed, BaseUnwritable, NoSpace.
        """
        try:
            if self._layout.aside is not None:
                return read_excludes(self._layout.store / "info" / "exclude", exclude)
            if not self._framed():
                with exclusive(self._layout.store_lock, purpose="making the store") as held:
                    if not self._framed():  # nobody made it while this one waited
                        self._make(held)
            elif frame.stale_locks(self._layout.store):
                # Beside one that works for long, they can wait for the next take.
                with (
                    contextlib.suppress(LockHeld),
                    exclusive(
                        self._layout.store_lock, purpose="mending the store", timeout=0, told=False
                    ),
                ):
                    self._unlock()
            return write_excludes(self._layout.store / "info" / "exclude", exclude)
        except OSError as error:
            raise base_error(error, self._layout.base) from error

    def mend(self, exclude: Iterable[str] = ()) -> None:
        """Make what is missing of the frame of a store that exists, so that git can read what is
        left in it: of an empty folder, or one that was deleted in part. Locks of dead gits on the
        store as a whole go, so that it can be written as well.

        Raises:
            CheckpointError: as ``ensure``.
        """
        if self.needs_mending():
            self.ensure(exclude)

    def needs_mending(self) -> bool:
        """Tell whether ``mend`` has something to do; costs a look at a few small files."""
        store = self._layout.store
        return self.exists() and (not self._whole() or bool(frame.stale_locks(store)))

    def project(self, project: str, working_dir: Path, locks: tuple[Held, ...] = ()) -> Git:
        """Return git for one project, whose processes hold ``locks``, too."""
        from hermes_checkpoints.git import end_blocked_reads

        git = self.git.at(working_dir, self._layout.index_of(project), locks)
        return replace(git, unblock=partial(end_blocked_reads, str(working_dir)), heard=[])

    # --- checkpoints -----------------------------------------------------------------------

    def publish(self, git: Git, facts: CheckpointFacts, meta: TreeMeta) -> str:
        """Write the commit of one checkpoint and its ref, durable, without a process; return the
        commit's id.

        Raises:
            StoreDamaged: when an object that it needs is damaged.
            NoSpace, BaseUnwritable: when something cannot be written; there is no ref then.
            LockLost: when a lock of ``git`` was lost; nothing is written then.
        """
        from hermes_checkpoints.object_store import commits

        git.require_locks()
        with base_errors(self._layout.base):
            commit_id = commits.write(self._layout.store, facts, meta)
            ref_files.create(self._layout.store, facts.ref_name, commit_id)
        return commit_id

    def publish_all(
        self,
        git: Git,
        checkpoints: Iterable[tuple[CheckpointFacts, TreeMeta]],
        *,
        patience: float = 2,
    ) -> list[str]:
        """Write commits and their refs in one process; return the ids in order. What is there
        already, to the letter, is no error.

        Raises:
            GitFailed: when one cannot be written; it has no ref then, those before it may.
        """
        from hermes_checkpoints.object_store import commits, fast_import

        checkpoints = list(checkpoints)
        empty = [(f.tree_id, meta) for f, meta in checkpoints if f.tree_id == EMPTY_TREE]
        commits.write_roots(git, empty)
        stream = (part for facts, meta in checkpoints for part in commits.commands(facts, meta))
        return fast_import.run(git, stream, patience=patience)

    def require_whole(self, ref: str) -> None:
        """Read all that a checkpoint holds, by its ref, in two processes.

        Raises:
            StoreDamaged: when something is missing or damaged.
        """
        from hermes_checkpoints.object_store.proof import prove

        try:
            output = self.git.run("rev-list", "--objects", ref, patience=4)
        except GitTimedOut:
            raise
        except GitFailed as error:
            raise StoreDamaged(f"the checkpoint of {ref} is not whole: {error}") from error
        prove(
            self.git,
            (line.split()[0] for line in output.decode("utf-8", "replace").split("\n") if line),
        )

    def holds(self, checkpoint: Checkpoint) -> bool:
        """Tell, without a process, whether a checkpoint has its ref and the store its commit and
        the top of its tree: whole where they lie loose, named by a pack elsewhere."""
        from hermes_checkpoints.object_store.proof import is_held

        return self.has_ref(checkpoint.ref_name) and all(
            is_held(self._layout.store, name) for name in (checkpoint.id, checkpoint.tree_id)
        )

    def refs(self, prefix: str = REF_PREFIX) -> dict[str, str]:
        """Return the commit ids of all checkpoints in the store, by ref name; with another
        ``prefix`` what the refs name that begin with it."""
        if not self.exists():
            return {}
        output = self.git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        lines = output.decode("utf-8", "replace").splitlines()
        return {name: commit for name, _, commit in (line.rpartition(" ") for line in lines)}

    def read(self, refs: Iterable[str]) -> Iterator[StoredCheckpoint | StoreDamaged]:
        """Read checkpoints back by ref name in one process; a damaged one is yielded as the
        error that it gave."""
        from hermes_checkpoints.object_store.stored import read_checkpoint

        with self.git.blobs() as reader:
            for ref in refs:
                try:
                    yield read_checkpoint(reader, ref, ref)
                except StoreDamaged as error:
                    named = ref in str(error)
                    yield error if named else StoreDamaged(f"{ref} cannot be read: {error}")

    def sign(self) -> str:
        """Return a text that changes when refs of checkpoints come or go, without a process."""
        return ref_files.sign(self._layout.store)

    def has_ref(self, ref_name: str) -> bool:
        """Tell whether a ref exists, without starting a process."""
        if (self._layout.store / ref_name).is_file():
            return True
        return ref_files.is_packed(ref_files.packed(self._layout.store), ref_name)

    def state(self, commit_id: str, tree_id: str, git: Git | None = None) -> TreeState:
        """Return a checkpoint's tree with the facts beside it. ``git`` is one of this store that
        reads them.

        Raises:
            StoreDamaged: when they cannot be read.
        """
        from hermes_checkpoints.object_store.tree_state import TreeState

        return TreeState(tree_id, self.meta(commit_id, git))

    def meta(self, commit_id: str, git: Git | None = None) -> TreeMeta:
        """Return the facts beside a checkpoint's tree. ``git`` is as for ``state``.

        Raises:
            StoreDamaged: when they cannot be read.
        """
        from hermes_checkpoints.object_store.commits import META
        from hermes_checkpoints.object_store.meta import TreeMeta

        with (git or self.git).blobs() as reader:
            return TreeMeta.decode(reader.read(f"{commit_id}:{META}")[2])

    def metas(self, commits: Iterable[str]) -> dict[str, TreeMeta]:
        """Return the facts beside the trees of those of the commits whose facts can be read, by
        one process, and one more for each object at which git ends."""
        from hermes_checkpoints.object_store.commits import META
        from hermes_checkpoints.object_store.meta import TreeMeta
        from hermes_checkpoints.object_store.steady_reader import SteadyReader

        found: dict[str, TreeMeta] = {}
        with SteadyReader(self.git) as reader:
            for commit in dict.fromkeys(commits):
                with contextlib.suppress(StoreDamaged):
                    found[commit] = TreeMeta.decode(reader.read(f"{commit}:{META}")[2])
        return found

    # --- sizes -----------------------------------------------------------------------------

    def sizes(self, ids: Iterable[str], git: Git | None = None) -> dict[str, tuple[int, int]]:
        """Return size of the contents and space on disk, in bytes, of the objects that exist.

        Loose objects are looked at directly; one git process tells of the packed ones.
        """
        wanted = dict.fromkeys(ids)
        found = self._loose_sizes(wanted)
        packed = [name for name in wanted if name not in found]
        if packed:
            output = (git or self.git).run(
                *("cat-file", "--buffer"),
                "--batch-check=%(objectname) %(objectsize) %(objectsize:disk)",
                stdin="".join(f"{p}\n" for p in packed).encode(),
            )
            for name, line in zip(packed, io.BytesIO(output), strict=True):
                parts = line.split()
                if len(parts) == 3 and parts[1].isdigit():
                    found[name] = int(parts[1]), int(parts[2])
        return found

    def loose_sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the space on disk, in bytes, of those objects that lie loose."""
        return {name: size[1] for name, size in self._loose_sizes(dict.fromkeys(ids)).items()}

    def footprint(self, project: str, most_refs: int) -> int:
        """Return the bytes on disk of what changes with each take of a project beside loose
        objects; at most ``most_refs`` refs of it count (0: all)."""
        from hermes_checkpoints.object_store import footprint

        store = self._layout.store
        refs = store / self._layout.ref_prefix(project)
        return footprint.footprint(store, self._layout.index_of(project), refs, most_refs)

    def loose_bytes(self, ids: Iterable[str]) -> int:
        """Return the bytes on disk of those of the objects that lie loose."""
        return loose.loose_bytes(self._layout.store, ids)

    def _loose_sizes(self, ids: Collection[str]) -> dict[str, tuple[int, int]]:
        store = self._layout.store
        sizes = ((one, loose.loose_size(store, one)) for one in loose.perhaps_loose(store, ids))
        return {name: size for name, size in sizes if size is not None}

    # --- scratch ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def scratch(self, git: Git) -> Iterator[Git]:
        """Lend a copy of a project's index and an object folder of its own, so that a look at
        the working directory leaves nothing behind in store or index. The caller holds the
        project's lock while the block is entered."""
        from hermes_checkpoints.fs.scratch import scratch_folder
        from hermes_checkpoints.object_store.index_cache import state_file

        base, index = self._layout.scratch, git.index
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(scratch_folder(base, SCRATCH_PREFIX))
                copy, objects = folder / "index", folder / "objects"
                objects.mkdir()
                if index is not None and index.exists():
                    shutil.copy2(index, copy)
                    with contextlib.suppress(OSError):
                        shutil.copy2(state_file(index), state_file(copy))
            except OSError as error:
                raise base_error(error, base) from error
            yield git.scratch(objects, copy)

    # --- the frame --------------------------------------------------------------------------

    def _framed(self) -> bool:
        """Tell whether the frame is whole, and was made or looked at by this git program."""
        try:
            known = json.loads(small_contents(self._layout.store / "git-program.json"))
            return self._whole() and known == self._program()
        except (OSError, ValueError):
            return False

    def _whole(self) -> bool:
        """Tell whether nothing is missing of the frame, and nothing else is in it."""
        return not self.frame_faults()

    def frame_faults(self) -> list[str]:
        """Return what of the frame is missing or not as this program makes it, by its names in the
        store: ``ensure`` makes it anew. Costs a look at a few small files."""
        store = self._layout.store
        folders = ("refs", "objects", "indexes")
        faults = [name for name in folders if not os.path.isdir(f"{store}/{name}")]
        if not frame.is_ours(store):
            faults.append("config")
        if not small_contents(f"{store}/HEAD").startswith(b"ref: refs/"):
            faults.append("HEAD")
        if small_contents(f"{store}/info/attributes") != _ATTRIBUTES.encode():
            faults.append("info/attributes")
        faults += [name for name in _CHANGES_HISTORY if os.path.lexists(f"{store}/{name}")]
        return faults

    def _make(self, held: Held) -> None:
        store = self._layout.store
        git = replace(self.git, locks=(held,))
        git.version()
        self._unlock()
        for name in _CHANGES_HISTORY:
            if os.path.lexists(store / name):
                set_aside(store, store / name)
        head, config = store / "HEAD", store / "config"
        if os.path.lexists(head) and not small_contents(head).startswith(b"ref: refs/"):
            set_aside(store, head)
        ours = frame.is_ours(store) or frame.is_of_another_place(store)
        if os.path.lexists(config) and not ours:
            set_aside(store, config)
        init = ("init", "-q", "--bare", "--template=", "--object-format=sha1", str(store))
        git.run(*init, outside=True)
        for folder in (store / "info", store / "indexes"):
            folder.mkdir(exist_ok=True)
        present = config.read_text(encoding="utf-8", errors="surrogateescape")
        frame.write(store, present)
        write_atomically(store / "info" / "attributes", _ATTRIBUTES.encode())
        write_atomically(store / "git-program.json", json.dumps(self._program()).encode())

    def _unlock(self) -> None:
        """Remove the locks of dead gits; the caller has the store alone."""
        for path in frame.stale_locks(self._layout.store):
            path.unlink(missing_ok=True)

    def _readable(self) -> Path:
        """Return the repository that git is to read: of a base that can only be read, and whose
        config is not ours, one in the temporary folder.

        Raises:
            BaseUnwritable: when that cannot be made.
        """
        store, aside = self._layout.store, self._layout.aside
        if aside is None or not store.is_dir() or frame.is_ours(store):
            return store
        try:
            return frame.reading_repository(store, aside)
        except OSError as error:
            raise base_error(error, aside) from error

    def _program(self) -> list[str | int]:
        """Name the git program by path, time and size, so that a new one is asked its version."""
        from hermes_checkpoints.git_program import find_git

        program = os.path.realpath(find_git(self._layout.base))
        info = os.stat(program)
        return [program, info.st_mtime_ns, info.st_size]

"""A repository of ours, for a moment, in which a commit for another repository is made.

It reads the objects of that repository and of the store, and writes none of them. Git obeys no
setting of the other repository here but those that `Manners` carries over, which say what git
ignores and how text is committed; so no filter, hook or program of anybody runs.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_checkpoints.errors import PROGRAM, GitFailed, GitTimedOut, StoreDamaged, base_errors
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.object_store.frame import config_of
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.raw_tree import TreeEntry

ATTRIBUTES = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
"""What gives a file another form in a repository than in the working directory."""

_PATIENCE = 40
_GONE = b"0 " + b"0" * 40 + b"\t"


@dataclass(frozen=True)
class Manners:
    """What a repository and its user tell git of files, as bytes of its files of patterns and
    attributes: those of the clone (``info/``) and those of the user. ``autocrlf`` is one of
    ``true``, ``input`` and ``false``, ``eol`` one of ``lf``, ``crlf`` and ``native``."""

    excludes: bytes = b""
    user_excludes: bytes = b""
    attributes: bytes = b""
    user_attributes: bytes = b""
    autocrlf: str = "false"
    eol: str = "native"


@dataclass(frozen=True)
class Bench:
    """The repository, with an index and an empty working directory. ``theirs`` reads the objects of
    the other repository alone, and nothing of what was made here."""

    git: Git
    theirs: Git
    folder: Path

    @classmethod
    @contextlib.contextmanager
    def lent(cls, git: Git, place: Path, objects: Path, manners: Manners) -> Iterator[Bench]:
        """Lend one in a folder below ``place``, which goes at the end of the block. It reads the
        store of ``git`` and the folder ``objects`` of the other repository.

        Raises:
            BaseUnwritable, NoSpace.
        """
        with contextlib.ExitStack() as stack:
            with base_errors(place):
                folder = stack.enter_context(scratch_folder(place, SCRATCH_PREFIX))
                bench = folder / "bench"
                for name in ("objects", "refs", "info", "work", "alone", "proof"):
                    (bench / name).mkdir(parents=True)
                contents = {
                    "HEAD": b"ref: refs/heads/none\n",
                    "config": _config(bench, manners),
                    "info/exclude": manners.excludes,
                    "info/attributes": manners.attributes,
                    "user-excludes": manners.user_excludes,
                    "user-attributes": manners.user_attributes,
                }
                for name, data in contents.items():
                    (bench / name).write_bytes(data)
            plain = Git(bench, git.timeout, locks=git.locks)
            theirs = plain.with_objects(objects)
            alone = {"GIT_OBJECT_DIRECTORY": str(bench / "alone")}
            yield cls(
                theirs.with_objects(git.repository / "objects").at(
                    bench / "work", bench / "index", git.locks
                ),
                replace(theirs, variables={**theirs.variables, **alone}),
                bench,
            )

    # --- the index ---------------------------------------------------------------------------

    def load(self, tree: str) -> None:
        """Let the index have what a tree has.

        Raises:
            GitFailed: when it cannot be read, or has names that git never checks out.
        """
        self.git.run("read-tree", tree if tree != EMPTY_TREE else "--empty", patience=4)

    def put(self, gone: Iterable[str], entries: Mapping[str, TreeEntry]) -> None:
        """Take paths out of the index, and then put entries into it.

        Raises:
            GitFailed.
        """
        lines = [_GONE + os.fsencode(path) + b"\0" for path in gone]
        for path, entry in entries.items():
            head = f"{entry.mode:o} {entry.object_id}\t".encode()
            lines.append(head + os.fsencode(path) + b"\0")
        if lines:
            self.git.run("update-index", "-z", "--index-info", stdin=b"".join(lines), patience=4)

    def attributes(self, paths: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return, of those of some paths that have any, the ``ATTRIBUTES`` that the files of
        attributes in the index give them.

        Raises:
            GitFailed.
        """
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        if not asked:
            return {}
        command = ("check-attr", "-z", "--cached", "--stdin", *ATTRIBUTES)
        parts = os.fsdecode(self.git.run(*command, stdin=asked, patience=4)).split("\0")
        found: dict[str, dict[str, str]] = {}
        for path, name, value in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
            if value != "unspecified":
                found.setdefault(path, {})[name] = value
        return found

    def committed(self, contents: Mapping[str, str]) -> dict[str, str]:
        """Return the ids of contents as git commits them at their paths, in place of ids of what
        lies in the working directory there: with other line ends, and without what `ident` puts in.
        What the index has there counts, as it does for git. Afterwards it has these.

        Raises:
            GitFailed, StoreDamaged, BaseUnwritable, NoSpace.
        """
        if not contents:
            return {}
        work = self.folder / "work"
        with self.git.blobs() as reader, base_errors(work):
            reader.expect(contents.values())
            for path, blob in contents.items():
                place = work / path
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("xb") as file:
                    reader.copy(blob, file.write)
        names = b"".join(os.fsencode(path) + b"\0" for path in contents)
        self.git.run("update-index", "-z", "--add", "--stdin", stdin=names, patience=4)
        listed = self.git.run("ls-files", "-z", "--stage", patience=4)
        found: dict[str, str] = {}
        for record in listed.split(b"\0"):
            head, _, name = record.partition(b"\t")
            path = os.fsdecode(name)
            if path in contents:
                found[path] = head.split()[1].decode("ascii")
        return found

    def tree(self, *, all_there: bool = True) -> str:
        """Write the tree of the index; return its id. Where not ``all_there``, contents may be
        missing, as in a partial clone.

        Raises:
            GitFailed.
        """
        lenient = () if all_there else ("--missing-ok",)
        tree = self.git.run("write-tree", *lenient, patience=4).decode().strip()
        if tree == EMPTY_TREE:  # git knows it without having it
            self.write("tree", b"")
        return tree

    def write(self, kind: str, data: bytes) -> str:
        """Write an object here; return its id.

        Raises:
            BaseUnwritable, NoSpace.
        """
        with base_errors(self.folder):
            return write_object(self.folder, kind, data, durable=False)

    # --- the commit --------------------------------------------------------------------------

    def commit(self, tree: str, parent: str | None, message: str, people: Mapping[str, str]) -> str:
        """Write a commit; return its id. ``people`` are git's variables of author and committer.

        Raises:
            GitFailed.
        """
        git = replace(self.git.of_objects(), variables={**self.git.variables, **people})
        above = () if parent is None else ("-p", parent)
        text = message.encode("utf-8", "backslashreplace")
        return git.run("commit-tree", *above, tree, stdin=text).decode().strip()

    def pack(self, ids: Iterable[str], *, all_there: bool = True) -> Path:
        """Write a pack of objects, with its index beside it; return its path. It is read again
        then: each object is what its id says, and whatever one names is in the pack or in the other
        repository, if that is ``all_there``.

        Raises:
            StoreDamaged: when an object is damaged.
            GitFailed: when one is missing, or is one that git refuses to receive.
        """
        asked = "".join(f"{name}\n" for name in sorted(set(ids))).encode()
        # Deltas are looked for by whoever packs that repository next.
        command = ("pack-objects", "-q", "--window=0", str(self.folder / "pack"))
        name = self.git.of_objects().run(*command, stdin=asked, patience=_PATIENCE)
        written = self.folder / f"pack-{name.decode().strip()}.pack"
        pack = self.folder / "proof" / written.name
        written.replace(pack)
        strict = "--strict" if all_there else "--fsck-objects"
        try:
            self.theirs.run("index-pack", strict, str(pack), patience=_PATIENCE)
        except GitTimedOut:
            raise
        except GitFailed as error:
            raise GitFailed(
                "the commit has what git refuses to receive, or the repository lacks part of HEAD "
                f"(`git fsck` there tells): {error}"
            ) from error
        if pack.with_suffix(".idx").read_bytes() != written.with_suffix(".idx").read_bytes():
            raise StoreDamaged(
                f"an object of the checkpoint is damaged; `{PROGRAM} doctor --deep "
                "--repair` writes it again where it can"
            )
        return pack


def _config(folder: Path, manners: Manners) -> bytes:
    files = {"excludesFile": "user-excludes", "attributesFile": "user-attributes"}
    lines = [
        "[core]",
        *(f"\t{k} = {json.dumps(str(folder / v), ensure_ascii=False)}" for k, v in files.items()),
        f"\tautocrlf = {manners.autocrlf}",
        f"\teol = {manners.eol}",
        "\tfsync = none",
    ]
    return (config_of(folder, "") + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")

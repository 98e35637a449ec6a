"""Reads what old repositories hold into plain documents, before the catalog is upgraded.

A revision imports no code of this package and runs no git while the catalog is locked, so it is
given what it shall enter. Only commits are read, with limits: whatever is over one, or is no plain
repository, has no document here, and the import that follows reads it. Git runs in a scratch
repository that borrows the old objects; their configuration is never seen.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.history.find import Chain, chains, in_base, is_directory_name, refs_of
from hermes_checkpoints.history.former import FormerCommit, history
from hermes_checkpoints.history.holding import hold_back
from hermes_checkpoints.history.refs import loose_refs
from hermes_checkpoints.layout import REF_PREFIX, project_hash
from hermes_checkpoints.model import FormerDocument, FormerEntry, FoundLegacy, LegacyLayout

logger = logging.getLogger(__name__)

FIRST = "0007"
"""The revision that is given documents."""

_ENTERS_FILES = "0005"
"""The revision that reads small files by itself."""

_SCRATCH_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"


UNREADABLE = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""What reading something that anybody may have written raises, beside errors of this program."""


class OverLimit(Exception):
    """More is there than may be read at once."""


@dataclass
class Limits:
    """How much is read at most: commits, bytes of their messages, and seconds."""

    commits: int = 200_000
    text_bytes: int = 64 * 1024 * 1024
    seconds: float = 10.0
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """The seconds that are left.

        Raises:
            OverLimit: when none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise OverLimit("there is no time left")
        return left

    def take(self, commit: FormerCommit) -> None:
        """Count a commit that was read.

        Raises:
            OverLimit: when it is one too many.
        """
        self.commits -= 1
        self.text_bytes -= len(commit.message)
        if self.commits < 0 or self.text_bytes < 0:
            raise OverLimit("more commits are there than are read at once")


def collect(
    base: Path, revision: str | None, finished: Collection[str], limits: Limits | None = None
) -> list[FormerDocument]:
    """Return the documents for the upgrade of the catalog in the folder ``base``.

    ``revision`` is the one that it has (None: it is new), ``finished`` the paths from the base
    that it lists as imported. There are none for a catalog that has been given documents before,
    and for a new one beside a store with checkpoints, which is read first. Nothing is raised.
    """
    if revision is not None and revision >= FIRST:
        return []
    if revision is None or revision < _ENTERS_FILES:
        try:
            hold_back(base)
        except OSError as error:
            logger.warning("%s: what the upgrade may not get over stays: %s", base, error)
    if revision is None and _has_checkpoints(base / "store"):
        return []
    found = []
    for one in in_base(base):
        path = one.path.relative_to(base).as_posix()
        if path not in finished:
            found.append((path, one))
    return read(found, limits)


def read(
    found: Iterable[tuple[str, FoundLegacy]], limits: Limits | None = None
) -> list[FormerDocument]:
    """Return the documents of repositories and stores, each given with its path as the catalog
    has it. What cannot be read, or not within the limits, has none; nothing is raised."""
    limits = limits or Limits()
    documents: list[FormerDocument] = []
    for path, one in found:
        if one.layout is LegacyLayout.SESSION_FILE:
            continue
        try:
            documents += _documents(path, one, limits)
        except OverLimit as reason:
            logger.info("%s is read when it is imported: %s", path, reason)
        except (CheckpointError, *UNREADABLE) as error:
            logger.info("%s cannot be read now: %s", path, error)
    return documents


def _has_checkpoints(store: Path) -> bool:
    return any(name.startswith(REF_PREFIX) for name in refs_of(store)) or bool(
        loose_refs(store, "checkpoints")
    )


def _documents(path: str, one: FoundLegacy, limits: Limits) -> list[FormerDocument]:
    """Read one repository or store as a whole, or nothing of it."""
    found = [chain for chain in chains(one.path, one.layout, one.working_dir) if chain.tips]
    if not found:
        return []
    _require_plain(one.path / "objects", limits)
    with tempfile.TemporaryDirectory(prefix="hermes-checkpoints-") as folder:
        git = _borrowing(Path(folder) / "scratch", one.path / "objects")
        with git.blobs(limit=limits.left) as reader:
            return [_document(reader, path, one.layout, chain, limits) for chain in found]


def _document(
    reader: BlobReader, path: str, layout: LegacyLayout, chain: Chain, limits: Limits
) -> FormerDocument:
    document: FormerDocument = {
        "path": path,
        "layout": layout.value,
        "name": chain.name,
        "project_hash": None,
        "working_dir": None,
        "commits": [],
        "problems": [],
    }
    working_dir = chain.working_dir or ""
    if not is_directory_name(working_dir):
        document["problems"].append(chain.nameless)
        return document
    document["working_dir"] = str(Path(working_dir))
    document["project_hash"] = project_hash(Path(working_dir))
    commits, problems = history(reader, chain.tips, limits.take)
    _ = limits.left  # what was cut off by the time is no damage
    document["problems"] += problems
    # What an export wrote may be here under its own name: the import looks.
    document["commits"] += [_entry(commit) for commit in commits if commit.own is None]
    return document


def _entry(commit: FormerCommit) -> FormerEntry:
    return {
        "former_id": commit.id,
        "tree_id": commit.tree_id,
        "message": commit.message,
        "created_at": commit.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "utc_offset_minutes": commit.utc_offset_minutes,
    }


def _require_plain(objects: Path, limits: Limits) -> None:
    """Refuse a folder of objects with anything in it that git might wait for or be led away by.

    Raises:
        ValueError: with what that is.
        OverLimit, OSError.
    """
    if objects.is_symlink():
        raise ValueError(f"{objects} is a link")
    pending = [str(objects)]
    while pending:
        _ = limits.left
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif not entry.is_file(follow_symlinks=False) or entry.name == "alternates":
                    raise ValueError(f"{entry.path} is no plain file of objects")


def _borrowing(repository: Path, objects: Path) -> Git:
    """Make a repository of our own that reads the objects of another one."""
    for folder in ("objects/info", "refs"):
        (repository / folder).mkdir(parents=True)
    (repository / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    (repository / "config").write_text(_SCRATCH_CONFIG, encoding="utf-8")
    quoted = os.fsencode(objects).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    quoted = quoted.replace(b"\n", b"\\n")
    (repository / "objects/info/alternates").write_bytes(b'"' + quoted + b'"\n')
    return Git(repository)

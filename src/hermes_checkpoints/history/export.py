"""Writes checkpoints as a store of version 2, for going back to that version.

Needed by whoever wants to leave. The store is complete in itself: nothing in it refers to ours.
Each project becomes a chain of commits, oldest checkpoint first, with the same trees, reasons and
times. What version 2 has no place for (labels, pins, permission bits, empty directories) is left
out; the name of each checkpoint is in the text below the reason, so that a later import of the
store knows it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.base.projects import require_own_place
from hermes_checkpoints.errors import BadRequest, NoSpace, base_error
from hermes_checkpoints.fs.disk import directory_bytes, free_bytes
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.git import Git
from hermes_checkpoints.history.find import V2_REFS
from hermes_checkpoints.history.former import OWN
from hermes_checkpoints.model import Checkpoint, ProjectRecord
from hermes_checkpoints.object_store import fast_import
from hermes_checkpoints.object_store.git_objects import TREE_MODE
from hermes_checkpoints.object_store.raw_tree import TreeEntry
from hermes_checkpoints.object_store.rules import write_excludes

_PATIENCE = 40
_CONFIG = """[user]
\temail = hermes@local
\tname = Hermes Checkpoint
[commit]
\tgpgsign = false
[tag]
\tgpgSign = false
[gc]
\tauto = 0
"""


@dataclass(frozen=True)
class Exported:
    """What was written: ``base`` is the folder that version 2 takes for its checkpoints.

    >>> taken = project.take()
    >>> exported = checkpoints.export_v2("../for-version-2")
    >>> exported.projects, exported.checkpoints
    (1, 1)
    """

    base: Path
    projects: int
    checkpoints: int


def export_v2(base: Base, folder: Path) -> Exported:
    """Write all live checkpoints as the base of version 2 in ``folder``, which must be empty or
    not be there.

    Raises:
        BadRequest: when the folder is not empty, or there is nothing to export.
        BadDirectory: when nothing may be written there, as in the base or the home directory.
        NoSpace, BaseUnwritable: when it cannot be written.
        CheckpointError: when catalog or store cannot be read; what was written stays.
    """
    require_own_place(folder, base.layout, foreign=True)
    live: dict[str, list[Checkpoint]] = {}
    for checkpoint in base.catalog.checkpoints.live():
        live.setdefault(checkpoint.project_hash, []).append(checkpoint)
    if not live:
        raise BadRequest("there are no checkpoints to export")
    projects = {p.hash: p for p in base.catalog.projects.all() if p.hash in live}
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadRequest(f"{folder} is not empty; name a new folder")
        (folder / "store").mkdir(parents=True, mode=0o700)
        with shared(base.layout.store_lock, timeout=base.lock_timeout):
            _require_room(base, folder)
            git = Git(folder / "store", base.store.git.timeout)
            _write_store(base, git, live)
        _write_facts(folder / "store", projects.values(), base.config.exclude)
    except OSError as error:
        raise base_error(error, folder) from error
    return Exported(folder, len(projects), sum(map(len, live.values())))


def _require_room(base: Base, folder: Path) -> None:
    need, free = directory_bytes(base.layout.store / "objects"), free_bytes(folder)
    if free < need:
        raise NoSpace(f"the export may need {need} bytes and {free} are free on {folder}")


def _write_store(base: Base, git: Git, live: dict[str, list[Checkpoint]]) -> None:
    store = git.repository
    git.run("init", "-q", "--bare", "--template=", "--object-format=sha1", str(store), outside=True)
    config = store / "config"
    config.write_text(config.read_text(encoding="utf-8") + _CONFIG, encoding="utf-8")
    borrowing = git.with_objects(base.layout.store / "objects")
    stream = (part for checkpoints in live.values() for part in _chain(checkpoints))
    fast_import.run(borrowing, stream, patience=_PATIENCE)
    borrowing.run("repack", "-adq", patience=_PATIENCE)
    git.run("rev-list", "--objects", "--quiet", "--all", patience=_PATIENCE)
    for name in ("refs/heads", "branches", "info"):
        (store / name).mkdir(parents=True, exist_ok=True)


def _chain(checkpoints: Sequence[Checkpoint]) -> Iterator[bytes]:
    """Yield the commits of one project; each has the one before it as its parent."""
    for checkpoint in checkpoints:
        reason = checkpoint.reason.strip("\n") or "checkpoint"
        yield fast_import.commit(
            f"{V2_REFS}{checkpoint.project_hash}",
            f"{reason}\n\n{OWN}: {checkpoint.id}\n".encode("utf-8", "replace"),
            (TreeEntry(TREE_MODE, "", checkpoint.tree_id),),
            at=checkpoint.created_at,
            offset_minutes=checkpoint.utc_offset_minutes,
        )


def _write_facts(store: Path, projects: Iterable[ProjectRecord], exclude: Iterable[str]) -> None:
    for name in ("projects", "indexes"):
        (store / name).mkdir(exist_ok=True)
    for project in projects:
        facts = {
            "workdir": project.working_dir,
            "created_at": project.created_at.timestamp(),
            "last_touch": project.last_touch.timestamp(),
        }
        file = store / "projects" / f"{project.hash}.json"
        file.write_text(json.dumps(facts), encoding="utf-8")
    write_excludes(store / "info" / "exclude", exclude)

"""Stages a working directory anew where the store or the index turned out to be damaged.

All objects are written once more, into a folder of their own that knows nothing of the store,
and are then moved to where those of the store are missing or damaged. So neither what git takes
for present nor what a pack says it has can stand in the way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.system import sync_directory
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.object_store.budget import keep_within
from hermes_checkpoints.object_store.bulk import PACKED
from hermes_checkpoints.object_store.commits import write_root
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.listings import Rules
from hermes_checkpoints.object_store.loose import is_loose, loose_path
from hermes_checkpoints.object_store.meta import UsualModes
from hermes_checkpoints.object_store.quarantine import set_aside
from hermes_checkpoints.object_store.staging import Staged, stage
from hermes_checkpoints.object_store.survey import survey
from hermes_checkpoints.object_store.surveyed import Survey

OUTSPOKEN = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsyncMethod",
    "GIT_CONFIG_VALUE_0": "fsync",
}
"""The environment in which git tells of every object that it cannot put into its place."""


def restage(
    git: Git, rules: Rules, usual: UsualModes | None, scratch: Path
) -> tuple[Survey, Staged]:
    """Forget the index, stage everything, and put all of it into the store, with the facts
    beside the tree. What is damaged there is moved into the quarantine.

    ``scratch`` is a folder on the disk of the store. ``usual`` and the answer are those of
    ``stage``.

    Raises:
        GitFailed: when git cannot stage or write, with its own words.
        OSError: when an object cannot be put into its place, with the path.
    """
    forget(git.own_index)
    try:
        return _restage(git, rules, usual, scratch)
    except BaseException:
        forget(git.own_index)  # it may name objects that never came into the store
        raise


def _restage(
    git: Git, rules: Rules, usual: UsualModes | None, scratch: Path
) -> tuple[Survey, Staged]:
    with scratch_folder(scratch, SCRATCH_PREFIX) as folder:
        objects = Path(folder)
        apart = replace(git, variables={**OUTSPOKEN, "GIT_OBJECT_DIRECTORY": str(folder)})
        found = survey(apart, rules)
        keep_within(git, found)  # by what the store has
        staged = stage(apart, found, usual)
        write_root(apart, staged.tree_id, staged.meta)
        touched = {*_bring_loose(objects, git.repository)}
        touched |= {*_bring_packs(objects / "pack", git.repository)}
        for name in touched:
            sync_directory(str(name))
    return found, staged


def _bring_loose(objects: Path, store: Path) -> Iterator[Path]:
    """Move loose objects to where the store lacks them; yields the folders that got one."""
    for source in objects.glob("[0-9a-f][0-9a-f]/*"):
        name = source.parent.name + source.name
        target = loose_path(store, name)
        try:
            if is_loose(store, name):
                continue
        except StoreDamaged:
            set_aside(store, target)
        target.parent.mkdir(exist_ok=True)
        _move(source, target)
        yield target.parent


def _bring_packs(packs: Path, store: Path) -> Iterator[Path]:
    """Move packs with their indexes; one of the same name, which had the same objects, goes."""
    target = store / "objects" / "pack"
    for pack in packs.glob("pack-*.pack"):
        target.mkdir(exist_ok=True)
        for source in (pack.with_suffix(suffix) for suffix in PACKED):
            if source.exists():
                if (target / source.name).exists():
                    set_aside(store, target / source.name)
                _move(source, target / source.name)
        yield target


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except OSError as error:  # it names the source, where nothing is wrong
        raise OSError(error.errno, error.strerror, str(target.parent)) from error

"""The checkpoint of an empty directory: git's fast-import leaves an empty tree out of a tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Checkpoint, Mode, Policy, Taken
from hermes_checkpoints.object_store import EMPTY_TREE, fast_import
from hermes_checkpoints.object_store.commits import META, message
from hermes_checkpoints.object_store.git_objects import FILE_MODE
from hermes_checkpoints.object_store.raw_tree import TreeEntry
from hermes_checkpoints.object_store.stored import StoredCheckpoint
from retention.histories import AT_ONCE, History


def take(history: History, folder: Path, reason: str) -> Checkpoint:
    outcome = history.checkpoints.project(folder).take(reason)
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def prune(checkpoints: Checkpoints, keep: int) -> tuple[str, ...]:
    plan = checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
    result = checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.quarantined == ()
    return result.errors


def commit_without_tree(history: History, like: Checkpoint) -> str:
    """Write the commit of an empty checkpoint as fast-import makes it of an empty entry; return
    its ref."""
    store = history.checkpoints._base.store
    (found,) = store.read([like.ref_name])
    assert isinstance(found, StoredCheckpoint)
    facts = replace(found.facts, ref_name=f"{like.ref_name}0", reason="no tree is named")
    stream = [
        fast_import.blob(found.meta.encode(), 1),
        fast_import.commit(
            facts.ref_name,
            message(facts),
            [TreeEntry(FILE_MODE, META, ":1")],
            at=facts.created_at,
            offset_minutes=facts.utc_offset_minutes,
        ),
    ]
    fast_import.run(store.git, stream, patience=1)
    assert history.git("ls-tree", "--name-only", facts.ref_name).split() == [META]
    return facts.ref_name


@pytest.mark.campaign
def test_the_checkpoint_of_an_empty_tree_survives_prune_rebuild_and_export(
    history: History, tmp_path: Path
) -> None:
    folder = history.project()
    handle = history.checkpoints.project(folder)
    empty = take(history, folder, "empty")
    assert f"tree {EMPTY_TREE}\ttree" in history.git("ls-tree", empty.id)
    handle.pin(empty)
    (folder / "a").write_text("x\n")
    full = take(history, folder, "full")
    (folder / "a").unlink()
    safety = handle.restore(full, mode=Mode.EXACT).safety
    assert safety.id == empty.id, "the state is there already"
    assert prune(history.checkpoints, keep=1) == ()
    assert [c.id for c in handle.list()] == [full.id, empty.id]
    history.verify()
    exported = history.checkpoints.export_v2(tmp_path / "exported")
    assert exported.checkpoints == 2
    history.checkpoints.close()
    for file in (history.home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(history.home, config=Config(max_snapshots=0)) as rebuilt:
        handle = rebuilt.project(folder)
        assert [c.id for c in handle.list()] == [full.id, empty.id]
        assert handle.restore(empty, mode=Mode.EXACT).complete
    assert list(folder.iterdir()) == []


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("packed", [False, True])
def test_a_commit_that_names_no_tree_is_of_the_empty_one(history: History, packed: bool) -> None:
    folder = history.project()
    like = take(history, folder, "empty")
    (folder / "a").write_text("x\n")
    full = take(history, folder, "full")
    ref = commit_without_tree(history, like)
    if packed:
        history.git("gc", "-q", "--prune=now")
    history.checkpoints.close()
    for file in (history.home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(history.home, config=Config(max_snapshots=0)) as rebuilt:
        handle = rebuilt.project(folder)
        found = next(c for c in handle.list() if c.ref_name == ref)
        assert (found.tree_id, found.file_count) == (EMPTY_TREE, 0)
        assert prune(rebuilt, keep=0) == ()
        assert {c.ref_name for c in handle.list()} == {like.ref_name, full.ref_name, ref}
        assert handle.restore(found, mode=Mode.EXACT).complete
        assert list(folder.iterdir()) == []
        assert [c.path for c in handle.diff(full).changes] == ["a"]
        assert rebuilt.usage().projects

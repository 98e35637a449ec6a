"""A forget and imported history: what comes back, and which archives are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import CheckpointPruned
from history.old_bases import grown
from retention.histories import History
from retention.test_purging import objects


@pytest.mark.campaign
def test_an_import_brings_nothing_back_that_was_forgotten(history: History, tmp_path: Path) -> None:
    old = grown(tmp_path / "old", 3)
    history.checkpoints.import_legacy(old)
    handle = history.checkpoints.project(tmp_path / "old" / "grown")
    former = [history.checkpoints.project(handle.working_dir).former_ids(c) for c in handle.list()]
    done = handle.forget("file.txt")
    assert done.errors == ()
    assert len(done.replaced) == 3
    again = history.checkpoints.import_legacy(old)
    assert again.checkpoints == 0
    assert {c.id for c in handle.list()} == set(done.replaced.values())
    history.checkpoints.prune()  # an import brings all objects of a folder; no ref reaches these
    assert objects(history).isdisjoint(done.plan.blobs)
    try:
        handle.get(former[0][0])
    except CheckpointPruned as error:
        assert "was replaced by" in str(error)
    else:
        raise AssertionError("a former id means the state that it was imported as")
    history.verify()


@pytest.mark.campaign
def test_an_archive_that_may_hold_it_is_named_with_what_removes_it(tmp_path: Path) -> None:
    home = grown(tmp_path / "old", 2)
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(tmp_path / "old" / "grown")
        done = handle.forget("file.txt")
        (archive,) = done.plan.archives
        assert archive.startswith("legacy-")
        assert archive.endswith("may hold it; `hermes checkpoints clear-legacy` removes it")
        checkpoints.clear_legacy()
        assert handle.plan_forget("file.txt").archives == ()

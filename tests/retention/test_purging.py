"""What `drop --now` takes out of the places that no gc touches."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.model import Checkpoint, Policy, PruneResult
from hermes_checkpoints.retention.plan import PruneOptions
from retention.histories import History
from support import Run

NOW = PruneOptions(purge=True)


def objects(history: History) -> set[str]:
    """Every object that git finds in the store, wherever it lies."""
    listed = history.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def blob(history: History, checkpoint: Checkpoint, path: str) -> str:
    return history.git("rev-parse", f"{checkpoint.id}:tree/{path}").strip()


def drop(history: History, *taken: Checkpoint, options: PruneOptions = NOW) -> PruneResult:
    project = history.checkpoints.project(taken[0].working_dir)
    return project.drop(taken, options=options)


def loose(history: History, name: str) -> Path:
    return history.store / "objects" / name[:2] / name[2:]


def lost_with_a_secret(history: History) -> tuple[Checkpoint, Checkpoint, str, str]:
    """Two checkpoints with the same secret, of which the second is lost, as its other file is
    gone; return both, and the blobs of the secret and of what else is kept of the lost one."""
    project = history.project()
    (project / "secret").write_text("the password")
    first = history.take(project)
    (project / "other").write_text("kept")
    second = history.take(project)
    other = blob(history, second, "other")
    secret = blob(history, second, "secret")
    gone = loose(history, blob(history, second, "data"))
    (project / "secret").unlink()
    history.take(project)
    gone.unlink()
    result = history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=Policy()))
    assert result.quarantined == (second.ref_name,)
    return first, second, secret, other


@pytest.mark.campaign
def test_a_content_leaves_the_pack_that_is_kept_of_a_lost_checkpoint(history: History) -> None:
    first, second, secret, other = lost_with_a_secret(history)
    (kept,) = (history.store / "objects" / "pack").glob("*.keep")
    result = drop(history, first)
    assert result.errors == ()
    assert result.purged == (f"objects/pack/{kept.stem}.pack",)
    assert secret not in objects(history)
    assert {other, second.id} <= objects(history), "the rest of it is still kept"
    assert len(list((history.store / "objects" / "pack").glob("*.keep"))) == 1
    history.verify()


def test_a_plain_drop_leaves_what_is_kept_of_damage(history: History) -> None:
    first, _, secret, _ = lost_with_a_secret(history)
    assert drop(history, first, options=PruneOptions()).purged == ()
    assert secret in objects(history)


def test_what_another_checkpoint_holds_stays(history: History) -> None:
    project = history.project()
    (project / "shared").write_text("in both")
    first, second = history.takes(project, 2)
    shared, own = blob(history, first, "shared"), blob(history, first, "data")
    drop(history, first)
    assert shared in objects(history)
    assert own not in objects(history)
    assert history.git("cat-file", "-p", f"{second.id}:tree/shared") == "in both"


def test_a_damaged_file_of_the_content_is_deleted_and_others_stay(history: History) -> None:
    first, second = history.takes(history.project(), 2)
    secret, other = blob(history, first, "data"), "ab" * 20
    aside = history.store / "quarantine-files" / "objects"
    for name in (secret, f"{secret}.1", other):
        path = aside / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half of it")
    (aside / "pack").mkdir()
    (aside / "pack" / "pack-1.pack").write_bytes(b"nobody knows what is in it")
    result = drop(history, first)
    left = {path.name for path in aside.rglob("*") if path.is_file()}
    assert left == {other[2:]}
    folder = "quarantine-files/objects"
    assert set(result.purged) == {
        f"{folder}/{secret[:2]}/{secret[2:]}",
        f"{folder}/{secret[:2]}/{secret[2:]}.1",
        f"{folder}/pack/pack-1.pack",
    }
    assert {second.id} <= objects(history)


def test_a_damaged_pack_that_tells_that_it_lacks_the_content_stays(history: History) -> None:
    project = history.project()
    kept = history.take(project)
    history.checkpoints.prune()
    (index,) = (history.store / "objects" / "pack").glob("*.idx")
    aside = history.store / "quarantine-files" / "objects" / "pack"
    aside.mkdir(parents=True)
    for suffix in (".idx", ".pack"):
        (aside / f"{index.stem}{suffix}").write_bytes(index.with_suffix(suffix).read_bytes())
    (dropped,) = history.takes(project, 1)
    assert drop(history, dropped).purged == ()
    assert len(list(aside.iterdir())) == 2
    assert {kept.id} <= objects(history)


def test_without_room_to_pack_it_says_what_is_still_there(history: History) -> None:
    project = history.project()
    first, _ = history.takes(project, 2)
    history.checkpoints.prune()
    full = PruneOptions(purge=True, free_bytes=lambda _: 1000)
    result = drop(history, first, options=full)
    assert any("objects of what was dropped are still in the store" in e for e in result.errors)
    assert first.id in objects(history)


@pytest.mark.campaign
def test_the_command_says_what_came_back(
    run: Run, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = history.project()
    first, _ = history.takes(project, 2, size=3_000_000)
    secret = blob(history, first, "data")
    monkeypatch.chdir(project)
    answer = run("drop", first.id, "--home", str(history.home), "--now", "-f")
    assert answer.lines[-1].startswith("Dropped 1 checkpoint; 2.9 MB reclaimed")
    assert secret not in objects(history)

"""What a restore costs: how many git processes it starts, and what it waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Mode
from hermes_checkpoints.object_store import entries_at, list_entries
from hermes_checkpoints.object_store.bulk import BULK
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.restore.readable import Contents

READS = ["cat-file", "--batch"]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("count", [1, 40])
def test_one_process_reads_for_a_whole_restore_and_none_for_each_path(
    home: Path, project: Path, git_processes: GitProcesses, count: int
) -> None:
    names = [f"d{number % 7}/f{number}" for number in range(count)]
    for name in names:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(f"{name}\n")
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        for name in names:
            (project / name).write_text("by the agent\n")
        for verb in ("restore", "undo", "redo"):
            git_processes.reset()
            done = (
                handle.restore("then", mode=Mode.OVERLAY)
                if verb == "restore"
                else getattr(handle, verb)()
            )
            assert [step.path for step in done.done] == sorted(names)
            commands = git_processes.commands()
            # One more where many files changed: it tells which of them the store has.
            assert commands.count(READS) <= (2 if count >= BULK else 1), commands
            assert len(commands) <= 10, commands
            assert not [one for one in commands if "ls-tree" in one]


def test_a_restore_without_a_plan_counts_no_lines_and_one_with_a_plan_shows_them(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        (project / "README.md").write_text("by the agent\n")
        plan = handle.plan_restore("then", mode=Mode.OVERLAY)
        assert [(step.insertions, step.deletions) for step in plan.steps] == [(3, 1)]
        (step,) = handle.restore("then", mode=Mode.OVERLAY).done
        assert (step.path, step.insertions) == ("README.md", None)


def test_entries_are_those_of_the_listing(home: Path, project: Path) -> None:
    (project / "deep/er/still").mkdir(parents=True)
    (project / "deep/er/still/f").write_text("f\n")
    (project / "deep/er.txt").write_text("beside\n")
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take()
        (found,) = handle.list()
        git = checkpoints._base.store.git
        listed = list_entries(git, found.tree_id)
        assert entries_at(git, found.tree_id, listed) == listed
        some = entries_at(git, found.tree_id, ["deep/er", "deep/er/still/f", "deep/no", "no/way"])
        assert sorted(some) == ["deep/er", "deep/er/still/f"]
        assert entries_at(git, found.tree_id, []) == {}
        assert entries_at(git, EMPTY_TREE, ["a"]) == {}


def _blobs(git: Git, count: int) -> list[str]:
    return [
        git.run("hash-object", "-w", "--stdin", stdin=b"contents %d\n" % number * 50)
        .decode()
        .strip()
        for number in range(count)
    ]


def _spoil(git: Git, blob: str, contents: bytes) -> None:
    stored = git.repository / "objects" / blob[:2] / blob[2:]
    stored.chmod(0o600)
    stored.write_bytes(contents)


@pytest.mark.parametrize("left", [0, 30])
def test_what_is_passed_over_and_damaged_costs_no_other_path(
    home: Path, project: Path, left: int
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        git = checkpoints._base.store.git
        blobs = _blobs(git, 5)
        stored = git.repository / "objects" / blobs[1][:2] / blobs[1][2:]
        _spoil(git, blobs[1], stored.read_bytes()[:left])
        read: list[bytes] = []
        with git.reading() as reading, Contents(reading) as contents:
            contents.expect([*blobs, blobs[0]])
            for blob in (blobs[0], blobs[3], blobs[4], blobs[0]):  # two paths were refused
                contents.copy(blob, read.append)
        assert b"".join(read) == b"".join(b"contents %d\n" % n * 50 for n in (0, 3, 4, 0))


def test_a_reader_that_is_kept_reads_what_came_since_and_starts_anew_after_damage(
    home: Path, project: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        git = checkpoints._base.store.git
        first, spoilt = _blobs(git, 2)
        stored = git.repository / "objects" / spoilt[:2] / spoilt[2:]
        _spoil(git, spoilt, stored.read_bytes()[:30])  # git ends at it
        git_processes.reset()
        with git.reading() as reading:
            with reading.blobs() as reader:
                assert reader.read(first)[1] == "blob"
                with reading.blobs() as another:  # in use: it is not shared
                    assert another.read(first)[0] == first
            (new,) = git.run("hash-object", "-w", "--stdin", stdin=b"new\n").decode().split()
            with reading.blobs() as reader:
                assert reader.read(new)[2] == b"new\n"
            with Contents(reading) as contents, pytest.raises(StoreDamaged, match=spoilt):
                contents.copy(spoilt, len)
            with reading.blobs() as reader:
                assert reader.read(new)[2] == b"new\n"
        assert git_processes.commands().count(READS) == 3

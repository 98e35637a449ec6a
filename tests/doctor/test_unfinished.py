"""What a killed process began is found; what is at work is no fault."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints import CheckpointError, Checkpoints
from hermes_checkpoints.base import clearing
from hermes_checkpoints.doctor.checks import clears, unfinished
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import JournalEntry, LegacyLayout, OperationKind
from hermes_checkpoints.retention.forget import PENDING
from support import dying_at_the_ref, wait_for_locks

TAKE = """
import sys
from hermes_checkpoints import Checkpoints
with Checkpoints.open(sys.argv[1]) as checkpoints:
    checkpoints.project(sys.argv[2]).take()
"""
RESTORE = """
import os, signal, sys
from hermes_checkpoints import Checkpoints

def watch(event, args):
    if event == "os.rename" and ".hermes-restore-" in str(args[0]):
        os.kill(os.getpid(), signal.SIGKILL)

with Checkpoints.open(sys.argv[1]) as checkpoints:
    sys.addaudithook(watch)
    checkpoints.project(sys.argv[2]).restore("latest", mode="exact")
"""


def kill(script: str, home: Path, project: Path, environment: dict[str, str] | None = None) -> None:
    """Run a script that is killed as it works."""
    done = subprocess.run(
        [sys.executable, "-c", script, str(home), str(project)],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    wait_for_locks(home)


def test_nothing_is_unfinished_in_a_sound_base(sound: Path) -> None:
    assert kinds(unfinished.check, sound) == []
    assert kinds(clears.check, sound) == []


def test_without_a_catalog_nobody_can_say(sound: Path) -> None:
    with pytest.raises(CheckpointError, match="needs the catalog"):
        look(unfinished.check, sound, catalog=False)


@pytest.mark.campaign
def test_a_killed_take_is_found_until_an_opening_settles_it(sound: Path, project: Path) -> None:
    kill(dying_at_the_ref(after=True) + TAKE, sound, project)
    (found,) = look(unfinished.check, sound)
    assert (found.kind, found.repairs, found.note) == ("operation-killed", True, False)
    assert f"a take of {project} began at " in found.text
    Checkpoints.open(sound).close()
    assert kinds(unfinished.check, sound) == []


def test_an_operation_whose_lock_is_held_is_at_work(sound: Path, project: Path) -> None:
    entry = JournalEntry(OperationKind.TAKE, datetime.now(UTC), str(project))
    with Checkpoints.open(sound) as checkpoints:
        checkpoints._base.catalog.operations.begin(entry)
    with exclusive(Layout.of(sound).project_lock(project_hash(project)), purpose="take"):
        (found,) = look(unfinished.check, sound)
    assert (found.kind, found.note) == ("operation-running", True)


def test_a_killed_restore_is_found_until_it_is_undone(sound: Path, project: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        checkpoints.project(project).take()
    for path in (project / "README.md", project / "src/app.py"):
        path.write_text("changed by somebody")
    kill(RESTORE, sound, project)
    assert kinds(unfinished.check, sound) == ["operation-killed"]
    with Checkpoints.open(sound) as checkpoints:
        (found,) = look(unfinished.check, sound)
        assert (found.kind, found.where) == ("restore-interrupted", str(project))
        checkpoints.project(project).undo()
    assert kinds(unfinished.check, sound) == []


def test_contents_that_were_to_be_forgotten_are_told(sound: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        settings = checkpoints._base.catalog.settings
        settings.set(PENDING, json.dumps(["1" * 40, "2" * 40]), datetime.now(UTC))
    (found,) = look(unfinished.check, sound)
    assert found.kind == "forget-unfinished"
    assert found.text.startswith("2 contents")


def test_what_was_not_imported_is_told_with_the_reason(sound: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        archives = checkpoints._base.catalog.archives
        record = archives.add(
            "0123456789abcdef",
            "0123456789abcdef",
            LegacyLayout.V1,
            project_hash=None,
            working_dir=None,
            now=datetime.now(UTC),
        )
        archives.note(record, error="its HEAD is a pipe")
        elsewhere = "/backup/old"
        archives.add(
            elsewhere,
            "old",
            LegacyLayout.V1,
            project_hash=None,
            working_dir=None,
            now=datetime.now(UTC),
        )
    (found,) = look(unfinished.check, sound)
    assert (found.kind, found.where) == ("archive-unfinished", "0123456789abcdef")
    assert "its HEAD is a pipe" in found.text


def test_a_killed_clear_is_found_before_anybody_carries_it_out(
    sound: Path, base: Path, project: Path
) -> None:
    begun = clearing.begin(Layout.of(sound), sessions=True)
    (base / "catalog.db").rename(begun / "catalog.db")  # and here it was killed
    (base / "store").rename(begun / "store")
    (found,) = look(clears.check, sound, catalog=False)
    assert (found.kind, found.where, found.note) == ("clear-begun", ".clearing", False)
    wanted = found.remedy.partition("before any other command: ")[2]
    subprocess.run(wanted, shell=True, check=True)  # noqa: S602 - what people are told to type
    with Checkpoints.open(sound) as checkpoints:
        assert checkpoints.status().checkpoint_count == 1


def test_a_clear_that_is_at_work_is_none(sound: Path) -> None:
    clearing.begin(Layout.of(sound), sessions=True)
    with exclusive(Layout.of(sound).prune_lock, purpose="clear"):
        assert kinds(clears.check, sound) == []

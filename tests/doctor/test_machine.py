"""The name of the base, and rows of the future."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from doctor.patients import kinds, look, mended
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.doctor.checks import machine


def test_a_base_with_its_own_name_is_sound(sound: Path) -> None:
    assert kinds(machine.check, sound) == []
    assert kinds(machine.check, sound, catalog=False) == []


def test_a_base_without_a_name_gets_one_at_the_next_take(sound: Path, base: Path) -> None:
    (base / "machine.json").unlink()
    (found,) = look(machine.check, sound)
    assert (found.kind, found.note) == ("machine-missing", True)


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("contents", ["", "{}", "[1]", '{"machine": "x", "inode": 1}', "[" * 3000])
def test_a_garbled_name_is_a_fault_and_written_anew(sound: Path, base: Path, contents: str) -> None:
    (base / "machine.json").write_text(contents)
    (found,) = look(machine.check, sound)
    assert (found.kind, found.repairs) == ("machine-garbled", True)
    (done,) = mended(machine.check, machine.mend, sound)
    assert json.loads((base / "machine.json").read_bytes())["machine"] in done
    assert (base / "machine.json.damaged-1").read_text() == contents
    assert kinds(machine.check, sound) == []


def test_the_name_of_another_base_is_a_note(sound: Path, base: Path) -> None:
    shutil.copy(base / "machine.json", base / "copy")
    (base / "copy").replace(base / "machine.json")
    (found,) = look(machine.check, sound)
    assert (found.kind, found.note) == ("machine-of-another", True)


def test_rows_of_the_future_are_a_fault(sound: Path) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=2)
    found = look(machine.check, sound, now=yesterday)
    assert [one.kind for one in found] == ["time-in-the-future"]
    # The checkpoint, the operation that took it, and the last touch of its project.
    assert found[0].text.startswith("3 rows of the catalog")
    assert look(machine.check, sound, now=datetime.now(UTC) - timedelta(hours=20)) == []


def test_what_was_pruned_tells_of_no_time(sound: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        (one,) = checkpoints.status().projects
        plan = checkpoints.project(one.project.working_dir).plan_drop("latest")
        checkpoints.prune(plan=plan)
    (found,) = look(machine.check, sound, now=datetime.now(UTC) - timedelta(days=2))
    # The take, the prune, its gc, and the last touch of the project.
    assert found.text.startswith("4 rows of the catalog")

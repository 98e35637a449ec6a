"""``doctor`` on the command line: what it prints and asks, how it ends, and that it keeps all."""

from __future__ import annotations

import io
import os
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.base import clearing
from hermes_checkpoints.doctor.look import CHECKS, OUTSIDE
from hermes_checkpoints.layout import Layout
from support import Run, everything

ALL = [name for name, _ in (*CHECKS, *OUTSIDE)] + ["adoption", "agents"]


def lasting(home: Path) -> dict[str, object]:
    passing = ("-wal", "-shm")
    return {name: one for name, one in everything(home).items() if not name.endswith(passing)}


def break_it(home: Path) -> Path:
    """Leave a lock file of a dead git in the store, which `--repair` moves aside."""
    lock = home / "checkpoints/store/packed-refs.lock"
    lock.write_text("half")
    os.utime(lock, (1_700_000_000,) * 2)
    return lock


@pytest.mark.campaign
def test_a_sound_base_ends_with_0_and_says_what_was_looked_at(
    run: Run, taken: Path, home: Path
) -> None:
    before = lasting(home)
    answer = run("doctor")
    assert answer.lines[0] == f"Checkpoint base: {home}/checkpoints"
    assert answer.lines[-1].startswith("No fault, ")
    assert f"; {len(ALL)} checks made." in answer.lines[-1]
    assert run("doctor", "--deep").lines[-1] == answer.lines[-1]
    assert lasting(home) == before


def test_without_a_base_it_says_so_and_makes_none(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "new"
    answer = run("--home", home, "doctor")
    assert "there is no checkpoint base" in answer.out
    assert answer.lines[-1] == "No fault, 1 note; 4 checks made."
    assert run("--home", home, "doctor", "--repair", "-f").code == 0
    assert not home.exists()


def test_what_needs_no_base_is_looked_at_without_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", "soon")
    answer = run("--home", tmp_path / "new", "doctor", code=1)
    assert "  FAULT  environment-wrong  HERMES_CHECKPOINT_TIMEOUT" in answer.lines


def test_a_fault_ends_with_1_and_has_one_line_of_remedy(run: Run, taken: Path, home: Path) -> None:
    break_it(home)
    before = lasting(home)
    answer = run("doctor", code=1)
    place = answer.lines.index("  FAULT  stale-git-lock  store/packed-refs.lock")
    assert answer.lines[place - 1] == "git-locks:"
    assert answer.lines[place + 2].startswith("         -> `hermes checkpoints doctor --repair`")
    assert answer.lines[-1].startswith("1 fault, ")
    assert answer.lines[-1].endswith("`hermes checkpoints doctor --repair` mends 1 of the faults.")
    assert lasting(home) == before


def test_faults_stand_before_notes(run: Run, taken: Path, home: Path) -> None:
    (home / "checkpoints/machine.json").unlink()  # a note
    (home / "config.yaml").write_text("checkpoints: {max_snapshot: 1}")  # a fault, looked at later
    kinds = [line.split()[:2] for line in run("doctor", code=1).lines if line.startswith("  ")]
    kinds = [words for words in kinds if words[0] in ("FAULT", "note")]
    assert kinds[0] == ["FAULT", "config-wrong"]
    assert ["note", "machine-missing"] in kinds[1:]


@pytest.mark.campaign
def test_what_could_not_be_looked_at_ends_with_2(run: Run, taken: Path, home: Path) -> None:
    locks = home / "checkpoints/locks"
    for path in locks.iterdir():
        path.unlink()
    locks.rmdir()
    locks.write_text("no folder")
    answer = run("doctor", code=2)
    assert "Not looked at:" in answer.lines
    assert any(line.startswith("  locks: ") for line in answer.lines)
    assert "1 could not be made" in answer.lines[-1]
    break_it(home)
    run("doctor", code=1)  # a fault says more


def test_names_of_a_disk_cannot_move_the_cursor(run: Run, taken: Path, home: Path) -> None:
    (home / "checkpoints/catalog.db").chmod(0o644)
    hooks = home / "checkpoints/store/hooks"
    hooks.mkdir()
    (hooks / "a\x1b[2J\nb").write_text("")
    answer = run("doctor", code=1)
    assert "\x1b" not in answer.out
    assert r"store/hooks/a\x1b[2J\nb" in answer.out


@pytest.mark.campaign
def test_json_is_one_document(run: Run, taken: Path, home: Path) -> None:
    found = run("doctor", "--json").json
    assert found["sound"] is True
    assert (found["faults"], found["looked"], found["not_looked"]) == (0, ALL, [])
    assert found["notes"] == len(found["findings"])
    assert found.keys() == {
        *("schema", "base", "deep", "sound", "faults", "notes", "findings", "looked"),
        "not_looked",
    }
    hooks = home / "checkpoints/store/hooks"
    hooks.mkdir()
    (hooks / os.fsdecode(b"caf\xe9")).write_text("")
    found = run("doctor", "--json", "--deep", code=1).json
    assert (found["sound"], found["faults"], found["deep"]) == (False, 1, True)
    (hook,) = [one for one in found["findings"] if not one["note"]]
    assert hook.keys() == {
        *("check", "kind", "where", "where_base64", "text", "remedy", "repairs", "note")
    }
    assert (hook["check"], hook["kind"], hook["repairs"]) == ("store-settings", "store-hook", True)


# --- repair -----------------------------------------------------------------------------------


def test_repair_asks_and_a_no_changes_nothing(
    run: Run, taken: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = break_it(home)
    before = lasting(home)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    answer = run("doctor", "--repair", code=1)
    assert "To be mended: 1 finding" in answer.lines
    assert answer.out.endswith("Proceed? [y/N]: Aborted.\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "use -f" in run("doctor", "--repair", code=1).err
    monkeypatch.setattr(sys, "stdin", None)
    assert "use -f" in run("doctor", "--repair", code=2).err
    run("doctor", "--repair", "--dry-run", code=1)
    assert lasting(home) == before
    assert lock.exists()


@pytest.mark.campaign
def test_an_answer_may_come_through_a_pipe(
    run: Run, taken: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = break_it(home)
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    answer = run("doctor", "--repair")
    assert not lock.exists()
    assert "Done:" in answer.lines
    done = "  store/packed-refs.lock was moved to store/quarantine-files/packed-refs.lock"
    assert done in answer.lines
    assert answer.lines[-1].startswith("No fault, ")


@pytest.mark.campaign
def test_repair_ends_as_what_is_left_says(run: Run, taken: Path, home: Path) -> None:
    break_it(home)
    (home / "config.yaml").write_text("checkpoints: {max_snapshot: 1}")
    answer = run("doctor", "--repair", "-f", code=1)
    left = answer.lines[answer.lines.index("What is left:") :]
    assert [line.split()[1] for line in left if line.startswith("  FAULT")] == ["config-wrong"]
    found = run("doctor", "--repair", "-f", "--json", code=1).json
    assert "repaired" not in found  # nothing was left that could be


@pytest.mark.campaign
def test_nothing_to_repair_asks_nothing(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "There is nothing that --repair mends." in run("doctor", "--repair").lines


@pytest.mark.campaign
def test_json_cannot_ask(run: Run, taken: Path, home: Path) -> None:
    break_it(home)
    assert "--json cannot ask" in run("doctor", "--repair", "--json", code=2).err
    assert run("doctor", "--repair", "--dry-run", "--json", code=1).json["faults"] == 1
    found = run("doctor", "--repair", "-f", "--json").json
    assert found["repaired"] == [
        "store/packed-refs.lock was moved to store/quarantine-files/packed-refs.lock"
    ]
    assert found["sound"] is True


def test_all_that_surrounds_a_base_is_mended_at_once_and_takes_go_on(
    run: Run, taken: Path, home: Path
) -> None:
    base, store = home / "checkpoints", home / "checkpoints/store"
    break_it(home)
    (store / "config.lock").write_text("")
    os.utime(store / "config.lock", (1_700_000_000,) * 2)
    config = (store / "config").read_text()
    (store / "config").write_text(f"[include]\n\tpath = /nowhere\n{config}[core]\n\tx = y\n")
    (store / "shallow").write_text("")
    (base / "machine.json").write_text("garbled")
    (base / "catalog.db").chmod(0o666)
    base.chmod(0o777)
    faults = {one["kind"] for one in run("doctor", "--json", code=1).json["findings"]}
    assert faults >= {
        *("stale-git-lock", "store-config", "store-setting", "store-shallow"),
        *("machine-garbled", "catalog-open", "base-writable-by-others"),
    }
    found = run("doctor", "--repair", "-f", "--json").json
    assert found["faults"] == 0
    assert stat.S_IMODE(base.stat().st_mode) == 0o700
    assert stat.S_IMODE((base / "catalog.db").stat().st_mode) == 0o600
    (taken / "README.md").write_text("changed")
    run("take")
    assert "changed" in run("cat", "latest", "README.md").out
    assert run("doctor", "--deep").code == 0


@pytest.mark.campaign
def test_a_begun_clear_is_not_carried_out_by_a_repair(run: Run, taken: Path, home: Path) -> None:
    layout = Layout.of(home)
    clearing.begin(layout, sessions=True)
    break_it(home)
    before = lasting(home)
    answer = run("doctor", "--repair", "-f", code=2)
    assert "nothing was mended: a clear was killed" in answer.err
    assert lasting(home) == before
    (layout.base / clearing.ALL).rmdir()
    assert run("doctor", "--repair", "-f").code == 0
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.status().checkpoint_count == 1


def test_a_value_that_no_statement_wrote_is_told_and_no_crash(
    run: Run, taken: Path, home: Path
) -> None:
    with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection:
        connection.execute("UPDATE projects SET last_touch = 'never'")
        connection.commit()
    answer = run("doctor", code=2)
    assert any("it has a value that is none: " in line for line in answer.lines)

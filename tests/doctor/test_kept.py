"""What is kept of damage, upgrades and killed processes is told, and is no fault."""

from __future__ import annotations

import subprocess
from pathlib import Path

from doctor.patients import look
from hermes_checkpoints.doctor.checks import kept
from hermes_checkpoints.git import Git
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.object_store import damage
from hermes_checkpoints.object_store.quarantine import set_aside


def told(home: Path) -> dict[str, Finding]:
    found = look(kept.check, home)
    assert all(one.note for one in found)
    return {one.kind: one for one in found}


def test_a_sound_base_keeps_nothing(sound: Path) -> None:
    assert told(sound) == {}
    assert look(kept.check, sound, catalog=False) == []


def test_refs_that_were_taken_out_are_told_with_the_pack_that_holds_them(
    sound: Path, store: Path
) -> None:
    command = ["git", f"--git-dir={store}", "for-each-ref", "--format=%(objectname) %(refname)"]
    commit, ref = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    git = Git(store)
    damage.quarantine(git, {ref: commit})
    found = told(sound)
    assert found.keys() == {"quarantined-refs", "kept-pack"}
    assert found["quarantined-refs"].where == "store/quarantine"
    assert f"{commit[:8]} ({ref})" in found["quarantined-refs"].text
    count = len(damage.reached(git, [commit]))
    assert f"holds {count} objects" in found["kept-pack"].text
    assert ref in found["kept-pack"].text
    assert found["kept-pack"].where.endswith(".pack")


def test_a_garbled_list_of_refs_tells_what_can_be_read(sound: Path, store: Path) -> None:
    (store / damage.QUARANTINE).write_bytes(b"\xff\x00garbage\n" + b"a" * 40 + b" refs/x\n\n")
    assert damage.quarantined(store) == {"refs/x": "a" * 40}
    assert told(sound)["quarantined-refs"].text.startswith("1 ref ")


def test_files_that_were_moved_aside_are_told(sound: Path, store: Path) -> None:
    set_aside(store, store / "info" / "exclude")
    (store / "config.damaged").write_text("former")
    found = told(sound)
    assert found["quarantined-files"].text.startswith("1 damaged file of the store")
    assert "store/quarantine-files/info/exclude" in found["quarantined-files"].text
    assert found["damaged-file"].where == "store/config.damaged"


def test_leftovers_are_told_with_size_and_age(sound: Path, base: Path, store: Path) -> None:
    (base / "scratch-abc").mkdir()
    (base / "scratch-abc" / "big").write_bytes(bytes(100_000))
    (base / ".machine.json.77.tmp").write_text("half")
    (store / "objects" / "pack" / "tmp_pack_1").write_text("half")
    (store / "fast_import_crash_77").write_text("fatal: ...")
    (base / "catalog.db.backup-0009-20260101T000000.000000Z.partial").write_text("half")
    (base / ".cleared" / "0011").mkdir(parents=True)
    found = look(kept.check, sound)
    assert sorted((one.kind, one.where) for one in found) == [
        ("cleared", ".cleared"),
        ("incomplete-backup", "catalog.db.backup-0009-20260101T000000.000000Z.partial"),
        ("leftover", ".machine.json.77.tmp"),
        ("leftover", "scratch-abc"),
        ("leftover", "store/fast_import_crash_77"),
        ("leftover", "store/objects/pack/tmp_pack_1"),
    ]
    (scratch,) = [one for one in found if one.where == "scratch-abc"]
    assert " KB, " in scratch.text
    assert "s ago" in scratch.text


def test_backups_of_upgrades_are_told_with_their_revision(sound: Path, base: Path) -> None:
    (base / "catalog.db.backup-0009-20260101T000000.000000Z").write_bytes(bytes(5000))
    (found,) = look(kept.check, sound)
    assert found.kind == "catalog-backup"
    assert "at revision 0009" in found.text

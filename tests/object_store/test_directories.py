"""The directories of a tree: found, not listed twice, and following the rules."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.object_store.directories import DirectoryRecord, DirectoryScan, name_number

NOTHING: frozenset[str] = frozenset()
UNSEEN = {"": DirectoryRecord(0, -1, 0)}


def scanned(
    root: Path, known: dict[str, DirectoryRecord], ignored: frozenset[str] = NOTHING
) -> DirectoryScan:
    scan = DirectoryScan(str(root), known, ignored, NOTHING)
    scan.refresh(())
    while scan.unknown:
        batch, scan.unknown = scan.unknown, []
        scan.enter(batch)
    return scan


def settled(scan: DirectoryScan, root: Path) -> dict[str, DirectoryRecord]:
    """Return the records with the true times, as after a while without changes."""
    return {
        path: DirectoryRecord(seen.mode, os.lstat(root / path).st_mtime_ns, seen.names)
        for path, seen in scan.found.items()
    }


def test_all_directories_but_git_are_found(root: Path) -> None:
    scan = scanned(root, UNSEEN)
    assert scan.found.keys() == {"", "a", "a/b", "c"}
    (file,) = (path.name for path in (root / "a").iterdir() if path.is_file())
    assert scan.found["a"].names == name_number(file)
    assert scan.specials == {"a/pipe"}


def test_what_has_not_changed_is_not_listed_again(root: Path) -> None:
    known = settled(scanned(root, UNSEEN), root)
    scan = DirectoryScan(str(root), known, NOTHING, NOTHING)
    scan.refresh(["a/pipe"])
    assert scan.listed == {}
    assert scan.specials == {"a/pipe"}
    (root / "a/new").mkdir()
    scan = DirectoryScan(str(root), known, NOTHING, NOTHING)
    scan.refresh(["a/pipe"])
    assert scan.listed.keys() == {"a"}
    assert scan.unknown == ["a/new"]


def test_changed_permissions_have_a_directory_listed_again(root: Path) -> None:
    known = settled(scanned(root, UNSEEN), root)
    (root / "a").chmod(0o700)
    scan = DirectoryScan(str(root), known, NOTHING, NOTHING)
    scan.refresh(())
    assert scan.listed.keys() == {"a"}
    assert scan.found["a"].mode == 0o700


def test_a_directory_that_became_a_link_is_gone_with_all_below(root: Path) -> None:
    known = settled(scanned(root, UNSEEN), root)
    os.rename(root / "a", root / "elsewhere")
    (root / "a").symlink_to("elsewhere")
    scan = scanned(root, known)
    assert scan.found.keys() == {"", "c", "elsewhere", "elsewhere/b"}
    assert scan.gone == {"a", "a/b"}


def test_other_rules_forget_and_enter_directories(root: Path) -> None:
    known = settled(scanned(root, UNSEEN, frozenset({"c"})), root)
    assert known.keys() == {"", "a", "a/b"}
    scan = DirectoryScan(str(root), known, frozenset({"c"}), NOTHING)
    (root / "a/b/new").mkdir()
    scan.refresh(["a/pipe"])
    scan.follow(frozenset({"a"}))
    while scan.unknown:
        batch, scan.unknown = scan.unknown, []
        scan.enter(batch)
    assert scan.found.keys() == {"", "c"}
    assert scan.specials == set()

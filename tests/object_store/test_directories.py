"""The directories of a tree: found, not listed twice, and following the rules."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hermes_checkpoints.object_store.directories import DirectoryRecord, DirectoryScan, name_number

NOTHING: frozenset[str] = frozenset()
UNSEEN = {"": DirectoryRecord(0, -1, 0)}


def looking(
    root: Path, known: dict[str, DirectoryRecord], ignored: frozenset[str] = NOTHING
) -> DirectoryScan:
    """A look long after all changes, so that their times are believed."""
    return DirectoryScan(str(root), known, ignored, NOTHING, time.time_ns() + 10**10)


def enter_all(scan: DirectoryScan) -> None:
    while scan.unknown:
        batch, scan.unknown = scan.unknown, []
        scan.enter(batch)


def scanned(
    root: Path, known: dict[str, DirectoryRecord], ignored: frozenset[str] = NOTHING
) -> DirectoryScan:
    scan = looking(root, known, ignored)
    scan.refresh(())
    enter_all(scan)
    return scan


def test_all_directories_but_git_are_found(root: Path) -> None:
    scan = scanned(root, UNSEEN)
    assert scan.found.keys() == {"", "a", "a/b", "c"}
    (file,) = (path.name for path in (root / "a").iterdir() if path.is_file())
    assert scan.found["a"].names == name_number(file)
    assert scan.specials == {"a/pipe"}


def test_what_has_not_changed_is_not_listed_again(root: Path) -> None:
    known = scanned(root, UNSEEN).found
    scan = looking(root, known)
    scan.refresh(["a/pipe"])
    assert scan.listed == {}
    assert scan.specials == {"a/pipe"}
    (root / "a/new").mkdir()
    scan = looking(root, known)
    scan.refresh(["a/pipe"])
    assert scan.listed.keys() == {"a"}
    assert scan.unknown == ["a/new"]


def test_changed_permissions_have_a_directory_listed_again(root: Path) -> None:
    known = scanned(root, UNSEEN).found
    (root / "a").chmod(0o700)
    scan = looking(root, known)
    scan.refresh(())
    assert scan.listed.keys() == {"a"}
    assert scan.found["a"].mode == 0o700


def test_a_directory_that_became_a_link_is_gone_with_all_below(root: Path) -> None:
    known = scanned(root, UNSEEN).found
    os.rename(root / "a", root / "elsewhere")
    (root / "a").symlink_to("elsewhere")
    scan = scanned(root, known)
    assert scan.found.keys() == {"", "c", "elsewhere", "elsewhere/b"}
    assert scan.gone == {"a", "a/b"}


def test_other_rules_forget_and_enter_directories(root: Path) -> None:
    known = scanned(root, UNSEEN, frozenset({"c"})).found
    assert known.keys() == {"", "a", "a/b"}
    scan = looking(root, known, frozenset({"c"}))
    (root / "a/b/new").mkdir()
    scan.refresh(["a/pipe"])
    scan.follow(frozenset({"a"}))
    enter_all(scan)
    assert scan.found.keys() == {"", "c"}
    assert scan.specials == set()


def test_a_directory_that_changed_just_before_the_look_is_listed_again(root: Path) -> None:
    scan = DirectoryScan(str(root), UNSEEN, NOTHING, NOTHING, time.time_ns())
    scan.refresh(())
    enter_all(scan)
    assert {record.changed for record in scan.found.values()} == {-1}
    again = looking(root, scan.found)
    again.refresh(())
    assert again.listed.keys() == {"", "a", "a/b", "c"}


def test_another_directory_with_the_same_times_is_listed_again(root: Path) -> None:
    known = scanned(root, UNSEEN).found
    other = {**known, "a": known["a"]._replace(inode=known["c"].inode)}
    scan = looking(root, other)
    scan.refresh(())
    assert scan.listed.keys() == {"a"}


def test_a_set_back_time_of_contents_hides_nothing(root: Path) -> None:
    known = scanned(root, UNSEEN).found
    before = os.stat(root / "c")
    while os.stat(root / "c").st_ctime_ns == before.st_ctime_ns:
        (root / "c/new").touch()
        os.utime(root / "c", ns=(before.st_atime_ns, before.st_mtime_ns))
    scan = looking(root, known)
    scan.refresh(())
    assert os.stat(root / "c").st_mtime_ns == before.st_mtime_ns
    assert scan.listed.keys() == {"c"}

"""``clear``, ``clear-legacy``, ``du`` and ``rebind``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, CheckpointStore, Taken
from interpreters import on_a_terminal
from support import OrdinaryUserLike, Run


def test_nothing_to_clear(run: Run, fresh_home: Path) -> None:
    assert run("clear", "-f").out == "Nothing to clear — checkpoint base does not exist.\n"
    assert run("clear-legacy", "-f").out == "No legacy archives to clear.\n"
    assert not fresh_home.exists()


def test_clear_says_what_goes_and_advises_prune_first(run: Run, taken: Path, home: Path) -> None:
    (home / "checkpoints" / "legacy-1").mkdir()
    answer = run("clear", "-f")
    assert answer.lines[0] == f"This will delete the ENTIRE checkpoint base at {home}/checkpoints"
    assert re.fullmatch(r"  size:        [\d.]+ KB", answer.lines[1])
    assert answer.lines[2:5] == ["  projects:    1", "  legacy dirs: 1", ""]
    assert answer.lines[5] == ("All /rollback history for every working directory will be lost.")
    assert answer.lines[6] == "To remove only what the rules allow: hermes checkpoints prune"
    assert re.fullmatch(r"Cleared. Reclaimed [\d.]+ [KM]B\.", answer.lines[7])
    assert not (home / "checkpoints").exists()


@pytest.mark.campaign
def test_clear_asks_before_it_deletes(run: Run, taken: Path, home: Path) -> None:
    assert "use -f" in run("clear", code=2).err
    assert "use -f" in run("clear", "--json", code=2).err
    code, written = on_a_terminal("clear", prompt=b"[y/N]", typed=b"n\n")
    assert (code, b"Proceed? [y/N]" in written, b"Aborted." in written) == (1, True, True)
    assert len(run("log", "--json").json["checkpoints"]) == 1
    code, written = on_a_terminal("clear", prompt=b"[y/N]", typed=b"yes\n")
    assert (code, b"Cleared. Reclaimed" in written) == (0, True)


def test_clear_keeps_sessions_unless_they_are_named(run: Run, taken: Path, home: Path) -> None:
    base = home / "checkpoints"
    CheckpointStore(base).write("s1", {"task": "t"})
    answer = run("clear", "-f")
    assert "1 session checkpoint will be kept (--sessions deletes them, too)." in answer.lines
    assert answer.lines[-1] == "Kept: 1 session checkpoint."
    assert CheckpointStore(base).read("s1") is not None
    assert "1 session checkpoint will be lost, too." in run("clear", "--sessions", "-f").lines
    assert not base.exists()


def test_clear_of_a_damaged_catalog(run: Run, taken: Path, home: Path) -> None:
    catalog = home / "checkpoints" / "catalog.db"
    catalog.write_bytes(b"damaged" * 1000)
    run("clear", "-f", code=2)
    assert catalog.exists()
    run("clear", "-f", "--sessions")
    assert not (home / "checkpoints").exists()


def test_archives(run: Run, taken: Path, home: Path) -> None:
    archive = home / "checkpoints" / "legacy-20260101-000000"
    archive.mkdir()
    (archive / "pack").write_bytes(b"x" * 100_000)
    status = run("status")
    row = rf"  {archive.name:<40}  +1\d\d\.\d KB"
    assert re.fullmatch(row, status.lines[-3])
    assert len(status.lines[-3]) == 2 + 40 + 2 + 10
    assert status.lines[-4] == "Legacy archives (1):"
    assert status.lines[-2:] == ["", "Clear with: hermes checkpoints clear-legacy"]
    answer = run("clear-legacy", "-f")
    assert answer.lines[1] == status.lines[-3]
    assert answer.lines[0].startswith("Found 1 legacy archive(s), total 1")
    assert re.fullmatch(r"Deleted 1 archive\(s\), reclaimed [\d.]+ KB\.", answer.lines[-1])
    assert not archive.exists()
    assert run("clear-legacy", "-f", "--json").json["archives"] == 0
    assert len(run("log", "--json").json["checkpoints"]) == 1


def locked_archive(tmp: Path) -> tuple[int, bool]:
    from hermes_checkpoints.cli import main

    archive = tmp / "user" / ".hermes" / "checkpoints" / "legacy-1"
    archive.mkdir(parents=True)
    archive.parent.chmod(0o700)
    main(["status"])
    (archive / "f").write_text("x")
    archive.parent.chmod(0o500)
    try:
        code = main(["clear-legacy", "-f"])
    finally:
        archive.parent.chmod(0o700)
    return code, archive.exists()


@pytest.mark.campaign
def test_a_failed_clear_legacy_is_no_success(as_user: OrdinaryUserLike) -> None:
    assert as_user(locked_archive, as_user.tmp) == (2, True)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("options", [[], ["--measure"]])
def test_du(run: Run, taken: Path, options: list[str]) -> None:
    (taken / "big.dat").write_bytes(bytes(range(256)) * 200)
    run("take")
    answer = run("du", *options)
    assert answer.lines[0].startswith("Store on disk: ")
    assert ("estimated; hermes checkpoints du --measure" in answer.lines[1]) == (not options)
    assert answer.lines[3].split() == [
        "WORKING",
        "DIRECTORY",
        "COUNT",
        "REFERENCED",
        "UNIQUE",
        "SHARED",
    ]
    document = run("du", "--json", *options).json
    (project,) = document["projects"]
    assert document["measured"] is bool(options)
    assert project["checkpoints"] == 2
    assert project["referenced_bytes"] == project["unique_bytes"] + project["shared_bytes"]
    assert project["largest_files"]
    assert project["working_dir"] == str(taken)


def test_rebind(run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(taken.parent)
    new = taken.rename(taken.with_name("elsewhere"))
    answer = run("rebind", taken, new)
    assert answer.out == f"1 checkpoint of {taken} now belongs to {new}\n"
    assert len(run("log", new, "--json").json["checkpoints"]) == 1
    assert "No checkpoints exist" in run("rebind", taken, new, code=2).err


def test_what_came_while_somebody_was_asked_is_not_cleared(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def agree_late(*_: object, **__: object) -> bool:
        (taken / "README.md").write_text("in the meantime\n")
        with Checkpoints.open() as checkpoints:
            assert isinstance(checkpoints.project(taken).take("late"), Taken)
        return True

    monkeypatch.setattr("hermes_checkpoints.cli.clear.confirm", agree_late)
    assert "make a new plan" in run("clear", code=2).err
    assert len(run("log", "--json").json["checkpoints"]) == 2

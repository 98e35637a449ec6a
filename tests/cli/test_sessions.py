"""``sessions``: what is kept of each session, what belongs to it, and nothing removed unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from hermes_checkpoints import Sessions
from interpreters import PROGRAM, on_a_terminal
from interpreters import run as in_a_process
from support import Run


@pytest.fixture
def kept(home: Path) -> Path:
    """A home with two sessions; the one named ``../odd`` was written twice."""
    with Sessions.open(home) as sessions:
        sessions.write("s1", {"task": "port the parser", "status": "completed", "n": 1})
        sessions.write("../odd", {"task": "first\nline", "n": {1}})
        sessions.write("../odd", {"task": "second", "n": {2}})
    return home


@pytest.fixture
def old(home: Path) -> Path:
    """A home with a session that is stale and one that is not."""
    folder = home.parent / "old"
    folder.mkdir()
    (folder / "stale.yaml").write_text("updated: '2020-01-01T10:00:00'\n", encoding="utf-8")
    with Sessions.open(home) as sessions:
        sessions.import_folder(folder)
        sessions.write("fresh", {})
    return home


def ids(home: Path) -> list[str]:
    with Sessions.open(home) as sessions:
        return sessions.ids()


@pytest.mark.parametrize("words", [("sessions",), ("sessions", "list")])
def test_the_list(run: Run, kept: Path, words: tuple[str, ...]) -> None:
    lines = run(*words).lines
    assert lines[0].split() == ["SESSION", "STATUS", "UPDATED", "FILES", "TURNS", "TASK"]
    assert [line.split()[0] for line in lines[1:]] == ["../odd", "s1"]
    assert lines[1].endswith(" second")
    assert "completed" in lines[2]
    document = run(*words, "--json").json
    assert [one["session_id"] for one in document["sessions"]] == ["../odd", "s1"]
    assert document["sessions"][0]["version"] == 2
    assert document["sessions"][0]["updated_at"].endswith("Z")


def test_the_list_by_status_and_bounded(run: Run, kept: Path) -> None:
    found = run("sessions", "list", "--status", "completed", "--json").json["sessions"]
    assert [one["session_id"] for one in found] == ["s1"]
    assert len(run("sessions", "list", "-n", "1", "--json").json["sessions"]) == 1
    assert run("sessions", "--json", "list", "-n", "1").json["sessions"]


def test_an_empty_list_is_no_error(run: Run) -> None:
    assert run("sessions").out == "No session checkpoints found\n"
    assert run("sessions", "--json").json == {"schema": 1, "sessions": []}


def test_a_session_with_its_checkpoints_and_turns(run: Run, kept: Path, project: Path) -> None:
    run("take", project, "-m", "for the session", "--session", "s1")
    answer = run("sessions", "show", "s1")
    assert answer.lines[:3] == ["Session: s1", "Status: completed", "Task: port the parser"]
    assert "Checkpoints of files: 1" in answer.lines
    assert any("for the session" in line and str(project) in line for line in answer.lines)
    assert "task: port the parser" in answer.lines
    document = run("sessions", "show", "s1", "--json").json
    assert [one["reason"] for one in document["checkpoints"]] == ["for the session"]
    assert document["turns"] == []
    assert document["state"]["task"] == "port the parser"
    assert yaml.safe_load(document["yaml"])["n"] == 1


def test_a_session_that_has_only_checkpoints_is_shown(run: Run, project: Path) -> None:
    run("take", project, "--session", "s9")
    assert "State: none is kept" in run("sessions", "show", "s9").lines
    assert run("sessions", "show", "s9", "--json").json["state"] is None
    assert run("sessions", "show", "s8", code=2).err.startswith("hermes checkpoints: no state of")


def test_log_of_a_session_keeps_the_numbers(run: Run, taken: Path) -> None:
    for number, session in enumerate(("s1", "s2", "s1"), 1):
        (taken / "n.txt").write_text(f"{number}", encoding="utf-8")
        run("take", "-m", f"step {number}", "--session", session)
    found = run("log", "--session", "s1", "--json").json["checkpoints"]
    assert [(one["number"], one["reason"]) for one in found] == [(1, "step 3"), (3, "step 1")]
    lines = run("log", "--session", "s1").lines
    assert [line.split()[0] for line in lines[2:]] == ["1.", "3."]
    assert len(run("log", "--session", "s1", "-n", "1").lines) == 3
    answer = run("log", "--session", "s3")
    assert answer.out == f"No checkpoints of session s3 found for {taken}\n"


def test_history_and_former_versions(run: Run, kept: Path) -> None:
    lines = run("sessions", "history", "../odd").lines
    assert lines[0] == "2 versions of session ../odd:"
    assert [line.split()[0] for line in lines[1:]] == ["2", "1"]
    versions = run("sessions", "history", "../odd", "--json").json["versions"]
    assert [one["task"] for one in versions] == ["second", "first\nline"]
    former = run("sessions", "export", "../odd", "--version", "1").out
    assert yaml.safe_load(former)["n"] == {1}
    assert "no version 9" in run("sessions", "show", "../odd", "--version", "9", code=2).err
    answer = run("sessions", "restore", "../odd", "1")
    assert answer.out == (
        "Version 1 of session ../odd is now its version 3; to undo, restore version 2\n"
    )
    assert "Task: first\\nline" in run("sessions", "show", "../odd").lines


def test_an_export_is_the_old_file_byte_for_byte(kept: Path) -> None:
    with Sessions.open(kept) as sessions:
        sessions.write("uni", {"text": "é 😀 \ud800 \x1b", "long": "word " * 50})
        expected = sessions.export("uni").encode()
    words = ("sessions", "export", "uni")
    assert os.fsencode(in_a_process(PROGRAM, *words).stdout) == expected
    code, shown = on_a_terminal(*words)
    assert code == 0
    assert b"\x1b" not in shown


# --- removing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("delete", "stale"), ("gc",)])
def test_no_session_is_removed_unasked(run: Run, old: Path, words: tuple[str, ...]) -> None:
    answer = run("sessions", *words, "--dry-run")
    assert answer.out.startswith("  remove  stale  (in_progress, 2020-01-01 10:00, ")
    assert run("sessions", *words, "--dry-run", "--json").json["dry_run"] is True
    refused = run("sessions", *words, "--json", code=2)
    assert "cannot ask" in refused.err
    done = in_a_process(PROGRAM, "sessions", *words)
    assert done.returncode == 1
    assert "use -f" in done.stderr
    code, shown = on_a_terminal("sessions", *words, prompt=b"[y/N]", typed=b"\n")
    assert code == 1
    assert b"Aborted." in shown
    assert ids(old) == ["fresh", "stale"]


@pytest.mark.parametrize("words", [("delete", "stale"), ("gc",)])
def test_what_was_answered_with_yes_is_removed(old: Path, words: tuple[str, ...]) -> None:
    code, shown = on_a_terminal("sessions", *words, prompt=b"[y/N]", typed=b"y\n")
    assert code == 0, shown
    assert ids(old) == ["fresh"]


@pytest.mark.parametrize("words", [("delete", "stale", "-f"), ("gc", "-f")])
def test_force_and_json(run: Run, old: Path, words: tuple[str, ...]) -> None:
    document = run("sessions", *words, "--json").json
    assert document["dry_run"] is False
    assert [one["session_id"] for one in document["removed"]] == ["stale"]
    assert document["exported"] == []
    assert ids(old) == ["fresh"]
    assert run("sessions", "gc").out == "Nothing to remove\n"
    assert run("sessions", "gc", "--dry-run").out == "Nothing to remove\n"


def test_gc_takes_the_age_and_names_what_it_exported(run: Run, kept: Path) -> None:
    import sqlite3
    from contextlib import closing

    assert run("sessions", "gc", "--max-age-days", "1").out == "Nothing to remove\n"
    with closing(sqlite3.connect(kept / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute(
            "UPDATE session_checkpoints SET document = 'half: [' WHERE session_id = 's1'"
        )
    assert "(unreadable, " in run("sessions", "gc", "--dry-run").out
    assert "cannot be read" in run("sessions", "show", "s1", code=2).err
    answer = run("sessions", "gc", "-f")
    assert answer.lines[0] == "Removed 1 session"
    path = Path(answer.lines[1].partition(" is in ")[2])
    assert path.read_text(encoding="utf-8") == "half: ["
    assert ids(kept) == ["../odd"]
    assert run("sessions", "gc", "--max-age-days", "0", "-f").out == "Removed 1 session\n"


def test_an_unknown_session_cannot_be_deleted(run: Run, kept: Path) -> None:
    assert "no state of session nobody" in run("sessions", "delete", "nobody", "-f", code=2).err
    assert "session id is empty" in run("sessions", "delete", "", "-f", code=2).err


# --- importing ----------------------------------------------------------------------------------


def test_import_names_what_it_could_not(run: Run, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.yaml").write_text("task: x\n", encoding="utf-8")
    assert run("sessions", "import", folder).out == f"Imported 1 session from {folder}\n"
    (folder / "b.yaml").write_text("- x\n", encoding="utf-8")
    answer = run("sessions", "import", folder, code=3)
    assert answer.lines == [
        f"Imported 0 sessions from {folder}",
        "Kept 1 session of which the catalog has no older state",
    ]
    assert answer.err == (
        f"hermes checkpoints: not imported: {folder}/b.yaml: it is no mapping but a list\n"
    )
    document = run("sessions", "import", folder, "--json", code=3).json
    assert [(one["session_id"], one["outcome"]) for one in document["files"]] == [
        ("a", "kept"),
        ("b", "failed"),
    ]
    assert (folder / "a.yaml").exists()
    assert "does not exist" in run("sessions", "import", tmp_path / "none", code=2).err


def test_another_home(run: Run, kept: Path, tmp_path: Path) -> None:
    assert run("sessions", "list", "--home", tmp_path / "h").out.startswith("No session")
    assert run("sessions", "--home", tmp_path / "h").out.startswith("No session")
    assert len(run("sessions", "list", "--home", kept).lines) == 3

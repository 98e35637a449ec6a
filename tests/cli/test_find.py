"""``find``: the newest checkpoint that holds a path, and the printed command brings it back."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints.cli.exits import Exit
from support import Run, make_project

SHELL = shutil.which("bash")


def commands(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if "hermes checkpoints restore" in line]


def type_it(run: Run, command: str) -> None:
    """Run a command that was printed, as a shell reads it."""
    if "$'" not in command:
        words = shlex.split(command)
    else:
        if SHELL is None:
            pytest.skip("no bash here")
        script = f"printf '%s\\0' {command}"
        out = subprocess.run([SHELL, "-c", script], check=True, capture_output=True).stdout
        words = [os.fsdecode(word) for word in out.split(b"\0")[:-1]]
    assert words[:2] == ["hermes", "checkpoints"]
    verb = words.index("restore")
    run(*words[2 : verb + 1], "-f", *words[verb + 1 :])


ODD = [
    "notes.txt",
    "two words",
    "-dash",
    "it's",
    "*.py",
    "[1].txt",
    "50%_of",
    "new\nline",
    "bad\udcff",
    "back\\slash'\n",
    "zero\u200bwidth",
    "ünï",
    "deep/er/file",
]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("below", ["", "src"])
def test_the_printed_command_brings_the_very_path_back(
    run: Run, taken: Path, name: str, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = taken / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"to be brought back")
    run("take")
    path.unlink()
    monkeypatch.chdir(taken / below)
    answer = run("find", "--deleted")
    [command] = commands(answer.lines)
    type_it(run, command)
    assert path.read_bytes() == b"to be brought back"
    assert run("find", "--deleted").lines == [f"No checkpoint of {taken} holds a deleted path"]


def test_a_line_says_where_it_is_held_and_who_changed_it(run: Run, taken: Path) -> None:
    (taken / "docs/notes.txt").unlink()
    run("take")
    short = run("log", "--json").json["checkpoints"][1]["short_id"]
    lines = run("find", "notes.txt").lines
    assert lines[0] == f"In checkpoints of {taken}:"
    assert lines[2].startswith(f"  docs/notes.txt  gone  10 B  in 2. {short}  ")
    assert lines[2].endswith("deleted by you")
    assert lines[3] == f"      hermes checkpoints restore {short} -- docs/notes.txt"
    assert len(lines) == 4


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("start", "word", "found"),
    [
        ("", "*.py", ["src/app.py"]),
        ("docs", "*.py", ["src/app.py"]),
        ("", "src/*", ["src/app.py", "src/data.bin"]),
        ("", "src/", ["src/app.py", "src/data.bin"]),
        ("src", ".", ["src/app.py", "src/data.bin"]),
        ("src", "./*.py", ["src/app.py"]),
        ("src", "../docs/*", ["docs/notes.txt"]),
        ("src", "..", ["README.md", "docs/notes.txt", "pyproject.toml", "run.sh", "src/app.py"]),
        ("src", "docs/*", []),
        ("src", "./docs/", []),
        ("src", "docs/", ["docs/notes.txt"]),
        ("", "nowhere", []),
    ],
)
def test_a_pattern_with_a_slash_is_read_from_the_current_directory(
    run: Run,
    taken: Path,
    start: str,
    word: str,
    found: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(taken / start)
    paths = [one["path"] for one in run("find", word, "--json").json["found"]]
    assert [path for path in paths if path != "src/data.bin" or ".." not in word] == found


def test_the_name_of_the_current_directory_is_literal(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a[b]c", "abc"):
        (taken / name).mkdir()
        (taken / name / "file").write_text(name)
    run("take")
    monkeypatch.chdir(taken / "a[b]c")
    found = run("find", "./f*", "--json").json["found"]
    assert [one["path"] for one in found] == ["a[b]c/file"]


def test_an_absolute_pattern_means_the_path_in_the_project(run: Run, taken: Path) -> None:
    found = run("find", f"{taken}/src/*.py", "--json").json["found"]
    assert [one["path"] for one in found] == ["src/app.py"]


def test_a_directory_elsewhere_is_told_to_stand_behind(run: Run, taken: Path) -> None:
    other = make_project(taken.parent / "other")
    assert "find '*' ../other" in run("find", "../other", code=Exit.ERROR).err
    run("take", other)
    (other / "run.sh").unlink()
    answer = run("find", "*", "../other", "--deleted")
    assert answer.lines[2].startswith("  run.sh  gone  ")
    [command] = commands(answer.lines)
    type_it(run, command)
    assert (other / "run.sh").exists()


@pytest.mark.campaign
def test_all_projects_are_searched_and_each_command_names_its_own(run: Run, taken: Path) -> None:
    other = make_project(taken.parent / "other")
    run("take", other)
    for project in (taken, other):
        (project / "run.sh").unlink()
    answer = run("find", "run.sh", "--all-projects", "--deleted")
    assert {line for line in answer.lines if line.startswith("In ")} == {
        f"In checkpoints of {taken}:",
        f"In checkpoints of {other}:",
    }
    for command in commands(answer.lines):
        type_it(run, command)
    assert (taken / "run.sh").exists()
    assert (other / "run.sh").exists()
    run("find", "x", "--all-projects", "--dir", other, code=Exit.USAGE)
    run("find", "x", other, "--all-projects", code=Exit.USAGE)
    run("find", "x", "y", "z", code=Exit.USAGE)


def test_all_projects_are_searched_from_wherever(
    run: Run, taken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (taken / "run.sh").unlink()
    monkeypatch.chdir(tmp_path)
    [command] = commands(run("find", "run.sh", "--all-projects").lines)
    type_it(run, command)
    assert (taken / "run.sh").exists()


def test_another_home_and_start_are_in_the_command(
    run: Run, taken: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HERMES_HOME")
    monkeypatch.chdir(tmp_path)
    (taken / "run.sh").unlink()
    answer = run("-C", taken, "--home", home, "find", "--deleted")
    [command] = commands(answer.lines)
    type_it(run, command)
    assert (taken / "run.sh").exists()


def test_contents_are_searched_in_every_version(run: Run, taken: Path) -> None:
    app = taken / "src/app.py"
    app.write_text("def other():\n    pass\n")
    run("take")
    answer = run("find", "--content", r"^def main\(")
    assert [line.strip() for line in answer.lines][3] == "line 1: def main():"
    [command] = commands(answer.lines)
    type_it(run, command)
    assert app.read_text().startswith("def main")
    data = run("find", "data.bin", "--content", "x", "--json").json
    assert (data["total"], [one["reason"] for one in data["not_searched"]]) == (0, ["binary"])
    lines = run("find", "--content", "hello").lines
    assert lines[-1].startswith("Note: 1 content not searched: src/data.bin of ")
    assert "no regular expression" in run("find", "--content", "(", code=Exit.ERROR).err


def test_the_list_can_be_limited_and_says_so(run: Run, taken: Path) -> None:
    answer = run("find", "-n", "2")
    assert len(commands(answer.lines)) == 2
    assert answer.lines[-1] == "… and 4 paths more; without -n all are listed"
    document = run("find", "-n", "2", "--json").json
    assert (len(document["found"]), document["total"]) == (2, 6)


def test_json_has_all_that_the_lines_have(run: Run, taken: Path) -> None:
    (taken / "bad\udcff").write_bytes(b"x")
    run("take")
    (taken / "bad\udcff").unlink()
    document = run("find", "bad*", "--json").json
    assert document["working_dir"] == str(taken)
    [found] = document["found"]
    assert found["path_base64"] == "YmFk/w=="
    assert (found["now"], found["number"], found["bytes"]) == ("gone", 1, 1)
    assert found["checkpoint"]["id"] == run("log", "--json").json["checkpoints"][0]["id"]
    assert found["command"].endswith(r" -- $'bad\xff'")
    assert (found["changed"]["actor"], found["changed"]["status"]) == ("since", "A")
    assert run("find", "--all-projects", "--json").json["working_dir"] is None


def test_nothing_found_is_no_error(run: Run, taken: Path) -> None:
    assert run("find", "nope").lines == [f"No checkpoint of {taken} holds a path that 'nope' means"]


def test_a_mistaken_pattern_is_refused(run: Run, taken: Path) -> None:
    for word in ("", "/", "[z-a]"):
        run("find", word, code=Exit.ERROR)
    run("find", "../../outside", code=Exit.ERROR)
    run("find", "--", "-x", code=Exit.DONE)


# --- cat and restore name the last holder --------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("verb", ["cat", "restore"])
def test_a_path_that_a_checkpoint_lacks_is_answered_with_the_last_that_has_it(
    run: Run, taken: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (taken / "src/app.py").unlink()
    run("take")
    short = run("log", "--json").json["checkpoints"][1]["short_id"]
    monkeypatch.chdir(taken / "docs")
    error = run(verb, "1", "../src/app.py", code=Exit.ERROR).err
    assert f"is number 2, {short} of " in error
    command = f"hermes checkpoints {verb} {short} -- ../src/app.py"
    assert error.rstrip().endswith(f": {command}")
    words = shlex.split(command)[2:]
    run(words[0], *(["-f"] if verb == "restore" else []), *words[1:])
    assert (taken / "src/app.py").exists() == (verb == "restore")


@pytest.mark.parametrize("verb", ["cat", "restore"])
def test_a_path_that_none_has_is_told_to_be_in_none(run: Run, taken: Path, verb: str) -> None:
    error = run(verb, "1", "never", code=Exit.ERROR).err
    assert "no checkpoint that is left has " in error
    assert "restore" not in error.partition("is left has")[2]


def test_a_directory_that_a_checkpoint_lacks_is_answered_with_the_last_that_has_it(
    run: Run, taken: Path
) -> None:
    shutil.rmtree(taken / "docs")
    run("take")
    error = run("restore", "1", "docs", code=Exit.ERROR).err
    command = error.rstrip().rpartition("hermes checkpoints ")[2]
    assert command.endswith(" -- docs")
    run("restore", "-f", *command.split()[1:])
    assert (taken / "docs/notes.txt").exists()


@pytest.mark.campaign
def test_of_another_project_the_command_names_its_directory(run: Run, taken: Path) -> None:
    other = make_project(taken.parent / "other")
    run("take", other)
    (other / "run.sh").unlink()
    run("take", other)
    lacking, having = run("log", other, "--json").json["checkpoints"]
    for verb in ("cat", "restore"):
        error = run(verb, lacking["short_id"], "run.sh", code=Exit.ERROR).err
        end = f"{verb} {having['short_id']} --dir {other} -- run.sh"
        assert error.rstrip().endswith(end)
    type_it(run, f"hermes checkpoints {end}")
    assert (other / "run.sh").exists()


# --- log PATH ------------------------------------------------------------------------------------


def test_log_of_a_path_lists_what_changed_it_and_how_it_comes_back(run: Run, taken: Path) -> None:
    notes = taken / "docs/notes.txt"
    notes.write_text("other\n")
    run("take")
    (taken / "run.sh").unlink()
    run("take")
    notes.unlink()
    run("take")
    ids = [one["short_id"] for one in run("log", "--json").json["checkpoints"]]
    lines = run("log", "docs/notes.txt").lines
    assert lines[0] == f"Checkpoints of {taken} that changed docs/notes.txt:"
    starts = [f"  1. {ids[0]}  ", f"  3. {ids[2]}  ", f"  4. {ids[3]}  "]
    assert [line[: len(start)] for line, start in zip(lines[2:5], starts, strict=True)] == starts
    assert "  deleted by you" in lines[2]
    assert lines[3].endswith("6 B  +1/-2")
    assert lines[4].split()[-2:] == ["10", "B"] and "  added " in lines[4]
    command = f"hermes checkpoints restore {ids[1]} -- docs/notes.txt"
    assert lines[6] == f"docs/notes.txt is gone; to bring back what {ids[1]} has: {command}"
    type_it(run, command)
    assert notes.read_text() == "other\n"
    document = run("log", "docs/notes.txt", "--json").json
    assert [one["status"] for one in document["checkpoints"]] == ["D", "M", "A"]
    assert document["lost"]["checkpoint"]["short_id"] == ids[3]
    assert len(run("log", "docs/notes.txt", "-n", "1", "--json").json["checkpoints"]) == 1


def test_of_a_path_that_is_there_the_newest_other_content_is_brought_back(
    run: Run, taken: Path
) -> None:
    app = taken / "src/app.py"
    before = app.read_bytes()
    assert run("log", "src/app.py").lines[-1].endswith("B")  # nothing is lost
    app.write_text("not taken\n")
    last = run("log", "src/app.py").lines[-1]
    assert last.startswith("src/app.py has changed since; to bring back what ")
    type_it(run, last.rpartition(": ")[2])
    assert app.read_bytes() == before


@pytest.mark.campaign
def test_log_of_a_directory_that_has_no_checkpoints_lists_what_changed_below_it(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(taken / "docs")
    (taken / "src/app.py").write_text("x\n")
    (taken / "src/data.bin").write_bytes(b"y")
    run("take")
    lines = run("log", "src").lines
    assert lines[0] == f"Checkpoints of {taken} that changed src:"
    assert "  changed (2 paths) by " in lines[2]
    assert run("log", "src", "--json").json["checkpoints"][0]["others"] is False
    monkeypatch.chdir(taken / "src")
    last = run("log", "../docs").lines[-1]
    assert last.startswith("docs is gone; ")
    type_it(run, last.rpartition(": ")[2])
    assert (taken / "docs/notes.txt").exists()


def test_a_directory_with_checkpoints_stays_one_unless_behind_dashes(run: Run, taken: Path) -> None:
    run("take", taken / "src")
    assert run("log", "src").lines[0] == f"Checkpoints for {taken / 'src'}:"
    assert run("log", "--", "src").lines[0] == f"Checkpoints of {taken} that changed src:"
    (taken / "empty").mkdir()
    assert run("log", "empty").lines[0] == f"No checkpoints found for {taken / 'empty'}"
    other = taken.parent / "other"
    other.mkdir()
    assert run("log", "../other").lines[0] == f"No checkpoints found for {other}"


def test_a_word_that_is_neither_is_refused_as_both(run: Run, taken: Path) -> None:
    error = run("log", "nowhere", code=Exit.ERROR).err
    assert "'nowhere' is no directory" in error
    assert "nor does a checkpoint hold a path 'nowhere'" in error
    run("log", "README.md", "--session", "s", code=Exit.USAGE)
    run("log", "README.md", "--flat", code=Exit.USAGE)


def test_log_of_a_path_in_a_named_directory(
    run: Run, taken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (taken / "run.sh").unlink()
    monkeypatch.chdir(tmp_path)
    last = run("log", "run.sh", "--dir", taken).lines[-1]
    type_it(run, last.rpartition(": ")[2])
    assert (taken / "run.sh").exists()


@pytest.mark.campaign
def test_the_program_finds_in_a_process_of_its_own(taken: Path) -> None:
    program = [sys.executable, "-m", "hermes_checkpoints", "find", "README.md"]
    answer = subprocess.run(program, capture_output=True, text=True, check=True)
    assert "README.md  there now" in answer.stdout


@pytest.mark.campaign
def test_a_path_that_is_lost_has_no_command_and_is_called_so(
    run: Run, home: Path, taken: Path
) -> None:
    (taken / "README.md").unlink()
    run("take")
    assert "hermes checkpoints restore" in run("find", "README.md").out
    blob = run("find", "README.md", "--json").json["found"][0]["blob"]
    (home / "checkpoints/store/objects" / blob[:2] / blob[2:]).unlink()
    said = f"lost: the object store lacks object {blob}; "
    answer = run("find", "README.md")
    assert answer.lines[-1].strip().startswith(said)
    assert "hermes checkpoints restore" not in answer.out
    [found] = run("find", "README.md", "--json").json["found"]
    assert (found["lost"], found["command"]) == (True, None)
    assert f"README.md is gone, and {said}" in run("log", "README.md").lines[-1]
    assert run("log", "README.md", "--json").json["lost"]["command"] is None
    assert f"lacks object {blob}" in run("cat", "2", "README.md", code=2).err
    answer = run("cat", "1", "README.md", code=2)
    assert answer.err.endswith(", and the object store lacks its contents\n")

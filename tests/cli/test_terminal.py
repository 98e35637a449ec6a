"""A terminal of 80 columns: what is printed fits it, colours, pager, questions, a bar."""

from __future__ import annotations

import argparse
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from cli.conftest import Screen
from hermes_checkpoints import Checkpoints, Kind
from hermes_checkpoints.cli.help import VERBS
from hermes_checkpoints.cli.importing import ImportProgress
from hermes_checkpoints.cli.progress import Bar, progress
from hermes_checkpoints.cli.text import columns
from interpreters import AT_ONCE, REDIRECTED, on_a_terminal
from support import Run

ESCAPE = "\x1b["
TITLE = (
    "Port the parser to the new tokenizer, remove the old one, and say in the notes what changed"
)


@pytest.fixture
def worked_in(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project below the home of the user, with a long path, an agent's changes and a person's."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "code" / "a-directory-with-a-rather-long-name" / "and-one-below-it"
    source = project / "src"
    source.mkdir(parents=True)
    monkeypatch.chdir(project)
    for number in range(50):
        (source / f"module_{number}.py").write_text("x\n")
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        of.take("before the clean-up, which is a reason of some length", kind=Kind.MANUAL)
        of.begin_turn(session_id="session-1", turn=1, title=TITLE)
        (source / "made.py").write_text("made\n" * 1000)
        (source / "module_1.py").unlink()
        of.end_turn(session_id="session-1")
        (source / "module_2.py").write_text("by hand\n")
        of.take("before write_file", kind=Kind.AUTO, session_id="session-1", turn=2)
        of.label("1", "a label of some length")
        of.pin("1")
        of.restore("2", "src/module_1.py")
        checkpoints.sessions.write("session-1", {"task": TITLE, "status": "in_progress"})
    (source / "module_3.py").write_text("now\n")
    (source / "module_4.py").unlink()
    return project


SHOWN: dict[str, tuple[str, ...]] = {
    "status": (),
    "log": (),
    "log --flat": (),
    "log src/made.py": (),
    "find": (),
    "find --deleted": (),
    "du": (),
    "sessions": (),
    "sessions list": (),
    "sessions history session-1": (),
    "who src/made.py": (),
    "show 1": (),
    "show 2": (),
    "diff 2 --stat": (),
    "diff --name-status": (),
    "sql": ("sql", "SELECT working_directory, number, turn_title, reason FROM checkpoint_list"),
    "restore 2 --dry-run": (),
    "undo --dry-run": (),
    "prune --dry-run --max-snapshots 1": (),
    "drop 2 --dry-run": (),
    "forget src/made.py --dry-run": (),
    "clear --dry-run": (),
    "pin 1": (),
    "take": (),
    "cat 1 src/module_2.py": (),
}
"""Verbs with words, as they are given where the split at spaces is another."""

WHOLE = re.compile(
    r"hermes checkpoints "  # a command, to be copied
    r"|^(Checkpoints of .* that changed |In checkpoints |Restoring|Taking back|Plan: |Checkpoint )"
    r"|^(Asked for then: |Reason: |Working directory: |Marked: |Restored |Unchanged |Copies )"
    r"|^src/made.py is still there, |^This will delete |^  (keep|drop|\S+ in \d+ checkpoint) ?"
)
"""What is whole however long: commands, and sentences, which the terminal wraps."""


@pytest.mark.campaign
def test_every_line_fits_but_for_commands_and_sentences(worked_in: Path, screen: Screen) -> None:
    cropped = 0
    for words, given in SHOWN.items():
        lines = screen.lines(*(given or words.split()))
        assert lines, words
        for line in lines:
            assert columns(line) <= 80 or WHOLE.search(line), (words, line)
        cropped += any("…" in line for line in lines)
    assert cropped > 3


def test_every_verb_that_lists_something_is_looked_at() -> None:
    lists = {"status", "log", "find", "show", "diff", "who", "du", "sql", "sessions", "restore"}
    lists |= {"undo", "prune", "drop", "forget", "clear", "pin", "take", "cat", "sessions list"}
    assert lists <= VERBS.keys()
    assert {words.split()[0] for words in SHOWN} >= {verb.split()[0] for verb in lists}


def test_the_list_tells_who_and_what_it_would_take_back(worked_in: Path, screen: Screen) -> None:
    lines = screen.lines("log")
    assert lines[0].startswith("Checkpoints for ~/code/")
    assert lines[1].split() == ["#", "ID", "AGE", "WHAT", "WHO", "+/-", "TAKES", "BACK"]
    first, second = lines[2:]
    assert first.startswith("  1. ") and "[pinned" in first
    assert second.startswith("  2. ") and "Port the" in second and second.endswith("1 file")


def test_elsewhere_it_is_whole_and_plain(
    worked_in: Path, screen: Screen, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    answer = run("log")
    assert answer.lines[0] == f"Checkpoints for {worked_in}:"
    assert TITLE in answer.out
    assert "…" not in answer.out and ESCAPE not in answer.out
    assert answer.lines[1].split()[:3] == ["#", "ID", "TAKEN"]
    wide = Screen(monkeypatch, 250).lines("log")
    assert [line.split()[:2] for line in wide[1:]] == [
        line.split()[:2] for line in answer.lines[1:]
    ]


@pytest.mark.campaign
def test_colours_are_those_of_a_plan_and_can_be_switched_off(
    worked_in: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = screen("restore", "2", "--dry-run", "--mode", "exact").splitlines()
    assert re.match(r"\x1b\[31m  delete  src/made\.py", lines[1])
    assert any(re.match(r"\x1b\[32m  write   src/module_2\.py", line) for line in lines)
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patched:
            patched.setenv(name, value)
            assert ESCAPE not in screen("log") + screen("restore", "2", "--dry-run")


@pytest.mark.campaign
def test_markup_in_data_is_text(worked_in: Path, screen: Screen) -> None:
    (worked_in / "[red]x[bold]").write_text("[bold]")
    assert "[red]x[bold]" in screen("restore", "1", "--dry-run", "--mode", "exact")
    screen("take", "-m", "[blink]\x1b[5m[/nothing]")
    [line] = [one for one in screen("log").splitlines() if "[blink]" in one]
    assert "\x1b[5m" not in line


def test_what_is_deleted_stands_first_and_all_of_it_before_the_question(
    worked_in: Path, run: Run
) -> None:
    for number in range(60):
        (worked_in / "src" / f"zz_{number}.py").write_text("new\n")
        if number < 50:
            (worked_in / "src" / f"module_{number}.py").write_text("changed\n")
    code, written = on_a_terminal(
        "restore", "1", "--mode", "exact", prompt=b"[y/N]", typed=b"n\n", NO_COLOR="1"
    )
    lines = [line for line in written.decode().splitlines() if line.startswith("  ")]
    lines = lines[: next(i for i, line in enumerate(lines) if "more" in line)]
    assert code == 1
    actions = [line.split()[0] for line in lines]
    assert actions[:61] == ["delete"] * 61
    assert "delete" not in actions[61:] and "write" in actions[61:]


@pytest.mark.campaign
def test_every_checkpoint_that_a_prune_deletes_is_named(worked_in: Path, run: Run) -> None:
    for number in range(7):
        (worked_in / "src" / "made.py").write_text(f"{number}\n")
        run("take")
    ids = [one["short_id"] for one in run("log", "--json").json["checkpoints"] if one["number"]]
    printed = run("prune", "--max-snapshots", "1", "-f").out
    plan = printed[: printed.index("Plan:")]
    assert all(f"    {one}  " in plan for one in ids[1:7])
    assert " more" not in plan.replace("has more than", "")


# --- the pager ------------------------------------------------------------------------------------


@pytest.fixture
def pager(tmp_path: Path) -> Path:
    """A pager that puts a line before what it is given, and says with which options it runs."""
    script = tmp_path / "bin" / "my pager"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\necho "PAGED $LESS $1"\ncat\n')
    script.chmod(0o755)
    return script


def test_a_pager_gets_what_a_terminal_would(worked_in: Path, pager: Path) -> None:
    named = f"'{pager}' -x"
    code, written = on_a_terminal("log", HERMES_PAGER=named)
    assert code == 0
    assert written.startswith(b"PAGED FRX -x\r\n")
    assert b"Checkpoints for ~/" in written and ESCAPE.encode() in written
    for words in (["log", "--no-pager"], ["--no-pager", "log"], ["log", "--json"], ["status"]):
        code, written = on_a_terminal(*words, HERMES_PAGER=named)
        assert (code, b"PAGED" in written) == (0, False), words
    code, written = on_a_terminal("show", "nothing", HERMES_PAGER=named)
    assert (code, b"PAGED" in written) == (2, False)
    assert b"PAGED" not in on_a_terminal("log", HERMES_PAGER=named, TERM="dumb")[1]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("named", ["", "cat", "no-such-pager", "'", "./pager", "pager"])
def test_where_no_pager_may_run_it_is_printed(
    worked_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    own = worked_in / "pager"
    own.write_text("#!/bin/sh\necho PAGED\n")
    own.chmod(0o755)
    path = f"{worked_in}{os.pathsep}.{os.pathsep}{os.environ['PATH']}"
    for where in (worked_in, tmp_path):
        monkeypatch.chdir(where)
        words = ("log", "--dir", str(worked_in))
        code, written = on_a_terminal(*words, HERMES_PAGER=named, PATH=path)
        assert code == 0
        assert b"Checkpoints for ~/" in written and b"PAGED" not in written


@pytest.mark.campaign
def test_a_pager_that_is_left_early_is_a_reader_that_is_gone(worked_in: Path) -> None:
    for number in range(3000):
        (worked_in / f"f{number}").write_text(f"{number}")
    code, written = on_a_terminal("coverage", HERMES_PAGER="head -n 1")
    assert (code, written.count(b"\r\n")) == (0, 1)
    with Checkpoints.open() as checkpoints:
        checkpoints.project(worked_in).take()
    code, written = on_a_terminal("show", "1", HERMES_PAGER="head -n 1")
    assert (code, b"Traceback" in written, written.count(b"\r\n")) == (141, False, 1)


def test_ctrl_c_is_the_pagers(worked_in: Path, tmp_path: Path) -> None:
    script = tmp_path / "waits"
    script.write_text(
        '#!/bin/sh\ntrap "echo caught; exit 0" INT\ncat >/dev/null\necho ready\n'
        "while :; do read key <&2; done\n"
    )
    script.chmod(0o755)
    code, written = on_a_terminal("log", HERMES_PAGER=str(script), prompt=b"ready", typed=b"\x03")
    assert (code, b"caught" in written, b"Traceback" in written) == (0, True, False)


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\x03", 1)])
def test_a_question_is_asked_on_the_terminal_where_the_output_is_a_file(
    worked_in: Path, tmp_path: Path, typed: bytes, code: int
) -> None:
    target = tmp_path / "output"
    words = (target, "restore", "2", "src/module_2.py")
    found, written = on_a_terminal(*words, code=REDIRECTED, prompt=b"[y/N]: ", typed=typed)
    assert found == code
    assert b"Restore /" in written and b"[y/N]" in written
    assert (b"\nhermes checkpoints: aborted" in written) == (code == 1)  # on a line of its own
    printed = target.read_text()
    assert "  write   src/module_2.py" in printed and "[y/N]" not in printed
    assert ESCAPE not in printed
    assert ((worked_in / "src/module_2.py").read_text() == "x\n") == (code == 0)


# --- a bar ----------------------------------------------------------------------------------------


def test_a_bar_shows_and_is_erased(worked_in: Path) -> None:
    code, written = on_a_terminal("take", "--label", "x", code=AT_ONCE)
    assert code == 0
    assert "━".encode() in written
    told = written.rindex("━".encode())
    assert written.index(b"\x1b[2K", told) < written.index(b"taken of")
    assert written.count(b"\x1b[?25l") == written.count(b"\x1b[?25h")
    for words, kind in ((["take", "--json"], "xterm"), (["take"], "dumb")):
        code, written = on_a_terminal(*words, code=AT_ONCE, TERM=kind)
        assert (code, "━".encode() in written) == (0, False)


@pytest.mark.campaign
def test_a_take_and_a_restore_tell_how_far_they_are(worked_in: Path, home: Path) -> None:
    told: list[tuple[object, ...]] = []
    for number in range(40):
        (worked_in / f"new_{number}").write_text(f"{number}\n")
    with Checkpoints.open(progress=lambda *step: told.append(step)) as checkpoints:
        of = checkpoints.project(worked_in)
        of.take()
        assert ("looking at files",) in told
        stored = [one[1:] for one in told if one[0] == "storing files"]
        assert (stored[0], stored[-1]) == ((0, 42), (42, 42))
        del told[:]
        done = of.restore("3", mode="exact").done
        steps = [one for one in told if one[0] == "restoring"]
        assert [one[1] for one in steps] == [*range(len(done))]
    threads = threading.active_count()
    with Bar().shown():
        pass
    assert threading.active_count() == threads


def test_an_interrupted_import_says_what_is_in(tmp_path: Path) -> None:
    folder = tmp_path / "old-sessions"
    folder.mkdir()
    for number in range(3):
        (folder / f"2026112{number}_ab12.yaml").write_text("task: port the parser\n")

    class Interrupted(ImportProgress):
        def done(self, record: object) -> None:
            super().done(record)  # type: ignore[arg-type]
            if len(self._done) == 2:
                signal.raise_signal(signal.SIGINT)

    with Checkpoints.open() as checkpoints:
        with pytest.raises(KeyboardInterrupt) as stop, Interrupted(Bar()) as reporter:
            checkpoints.import_legacy(folder, reporter=reporter)
        notes = stop.value.__notes__
        assert notes[0].startswith("interrupted: 2 of 3 imported; ")
        assert len(notes) == 3 and all("session imported" in note for note in notes[1:])
        checkpoints.import_legacy(folder)
        assert len(checkpoints.sessions.list()) == 3


@pytest.mark.slow
def test_without_colours_and_in_ascii_every_answer_can_be_read(
    worked_in: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ODD_NAMES:
        Path(os.fsdecode(os.fsencode(worked_in / "src") + b"/" + name)).write_text("odd\n")
    screen("take", "-m", "日本語 \x1b[31m\u202e e\u0301 🎉")
    for kept in (("unpin", "2"), ("label", "2", "--remove")):  # what "2" is now may be dropped
        screen(*kept)
    monkeypatch.setenv("NO_COLOR", "1")
    for words, given in SHOWN.items():
        text = screen(*(given or words.split()), encoding="ascii")
        assert text.isascii(), words
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), words


ODD_NAMES = (
    *("文 と 🎉.txt".encode(), "e\u0301\u200d.txt".encode(), b"caf\xe9\xff", b"a\nb"),
    *(b"\x1b[31mred", b"\x1b]0;title\x07", "\u202etxt.exe".encode(), "\x9b31m".encode()),
    *(b"$(id) 'x'", b"[red]x"),
)


@pytest.mark.campaign
def test_the_id_of_a_session_leaves_room_for_what_stands_behind_it(
    worked_in: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = "0199f7ba-7b3e-7b58-9b7a-3f5f7a1e9c1b"
    with Checkpoints.open() as checkpoints:
        of = checkpoints.project(worked_in)
        of.take("now")
        of.begin_turn(session_id=session, turn=29, title=TITLE)
        (worked_in / "src" / "module_9.py").write_text("agent\n")
        of.end_turn(session_id=session)
    (line,) = screen.lines("who", "src/module_9.py")
    line = line.removesuffix("  [session session-1 was at work, too]")
    assert columns(line) <= 80
    assert line.endswith("session 0199f7ba-…, turn 29")
    (line,) = Screen(monkeypatch, 120).lines("who", "src/module_9.py")
    assert f"session {session}, turn 29" in line


def test_what_is_said_beside_a_pager_stands_below_it(worked_in: Path) -> None:
    (worked_in / "large").write_bytes(b"x" * 11_000_000)
    code, written = on_a_terminal("diff", HERMES_PAGER="sh -c 'cat; echo LEFT'")
    assert code == 0
    assert 0 < written.index(b"LEFT") < written.index(b"not compared: large")


def test_a_bar_has_no_share_where_there_is_more_to_do_than_was_known() -> None:
    args = argparse.Namespace(json=False)
    told: list[tuple[object, ...]] = []
    args._bar = type("Told", (Bar,), {"__call__": lambda _, *words: told.append(words)})()
    with progress(args, 2) as begin:
        for step in ("a", "b", "a"):
            begin(step)
    assert told == [("a", 1, 2), ("b", 2, 2), ("a",)]

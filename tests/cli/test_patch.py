"""``restore --patch``: asked about part by part, as by ``git checkout -p``."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from interpreters import REDIRECTED, on_a_terminal
from restore.both_changed import NAME, agent_writes, lines_of, poem, prepare, write
from support import Answer, Run, everything

BOTH = poem(1, 35, text=lines_of(poem(5, 20, by="agent")))

Typing = Callable[..., Answer]


@pytest.fixture
def poems(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A poem that the agent changed at 5 and 20, and a person at 1 and 35, in the current
    directory; the agent's own file, and one that it deleted."""
    monkeypatch.chdir(project)
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        prepare(of)
        agent_writes(of, {NAME: poem(5, 20, by="agent"), "new.txt": "new\n", "run.sh": None})
        write(project, {NAME: BOTH})
    return project


@pytest.fixture
def typing(run: Run, monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Run a command with what is typed on its standard input."""

    def typing(typed: str, *words: str, code: int = 0) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return run("restore", "1", "-p", *words, code=code)

    return typing


def test_each_part_is_asked_about_and_says_whose_change_it_is(
    poems: Path, typing: Typing, run: Run
) -> None:
    answer = typing("x\ns\nn\ny\ny\nn\n", NAME)
    assert (poems / NAME).read_text() == poem(1, 35)
    assert [line.partition(" [")[0] for line in answer.lines if " of " in line[:9]] == [
        *["(1 of 3) Take back the agent's and your change"] * 2,
        "(1 of 4) Take back your change",
        "(2 of 4) Take back the agent's change",
        "(3 of 4) Take back the agent's change",
        "(4 of 4) Take back your change",
    ]
    assert "s - split this part into smaller ones" in answer.lines
    assert "Split into 2 parts." in answer.out
    assert "-agent 20\n+line 20\n" in answer.out
    assert answer.lines[-2].startswith("Restored what was chosen from checkpoint ")
    assert answer.lines[-2].endswith(" (1 write)")
    run("undo", "-f")
    assert (poems / NAME).read_text() == BOTH


@pytest.mark.campaign
def test_all_and_none_of_a_file_and_the_end_of_asking(poems: Path, typing: Typing) -> None:
    answer = typing("y\ny\nd\nq\n")  # new.txt, and the first part of the poem
    assert (poems / NAME).read_text() == poem(35, text=lines_of(poem(20, by="agent")))
    assert not (poems / "new.txt").exists()
    assert not (poems / "run.sh").exists()
    assert "(1 write, 1 delete)" in answer.out
    typing("a\n", NAME)
    assert (poems / NAME).read_text() == poem()


@pytest.mark.campaign
def test_where_the_answers_end_what_was_chosen_is_restored(poems: Path, typing: Typing) -> None:
    answer = typing("n\nd\ny\n")
    assert answer.err == ""
    assert (poems / "run.sh").exists()
    (poems / "run.sh").unlink()
    answer = typing("y\n")
    assert "nobody answered the rest, which stays as it is" in answer.err
    assert "(1 delete)" in answer.out


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("typed", ["", "q\n", "n\nd\nn\n", "\udcff\nq\n"])
def test_where_nothing_is_chosen_nothing_changes(poems: Path, typing: Typing, typed: str) -> None:
    before = everything(poems)
    answer = typing(typed, code=1)
    assert answer.lines[-1] == "Nothing was chosen: nothing was changed."
    assert everything(poems) == before


def test_a_file_that_changes_while_it_is_asked_about_is_left_and_told(
    poems: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Answers(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            (poems / NAME).write_text("later\n")
            return "a\n"

    monkeypatch.setattr(sys, "stdin", Answers())
    answer = run("restore", "1", "-p", NAME, "run.sh", code=3)
    assert f"not restored: {NAME}: it changed after the plan was made" in answer.err
    assert (poems / NAME).read_text() == "later\n"
    assert (poems / "run.sh").exists()
    (poems / NAME).write_text(BOTH)
    (poems / "run.sh").unlink()

    class Later(Answers):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            (poems / "run.sh").write_text("mine\n")
            return "y\n"

    monkeypatch.setattr(sys, "stdin", Later())
    answer = run("restore", "1", "-p", "run.sh", code=2)
    assert "changed after the plan was made" in answer.err
    assert (poems / "run.sh").read_text() == "mine\n"


def test_what_has_no_parts_is_asked_about_as_a_whole(poems: Path, typing: Typing) -> None:
    (poems / NAME).write_text(poem())
    (poems / NAME).chmod(0o600)
    (poems / "src/data.bin").write_bytes(b"\0")
    (poems / "README.md").unlink()
    (poems / "README.md").symlink_to("nowhere")
    (poems / "docs/notes.txt").unlink()
    (poems / "docs").rmdir()
    (poems / "docs").write_text("in the way\n")
    answer = typing("y\n" * 7)
    for words in (
        "Change the permissions from 600 to 644 [",
        "Bring this file back as a whole (256 B) [",
        "docs is in its way, and would be deleted",
        "Bring this file back (10 B) [",
        "Delete this file (4 B) [",
    ):
        assert words in answer.out
    assert (poems / "README.md").read_text().startswith("# Sample")
    assert (poems / "docs/notes.txt").read_bytes() == b"one\r\ntwo\r\n"
    typing("", code=0)  # nothing differs


@pytest.mark.campaign
def test_permissions_and_contents_are_chosen_apart(poems: Path, typing: Typing) -> None:
    (poems / NAME).chmod(0o755)
    typing("n\na\n", NAME)
    assert ((poems / NAME).read_text(), (poems / NAME).stat().st_mode & 0o777) == (poem(), 0o755)
    (poems / NAME).write_text(BOTH)
    typing("y\nd\n", NAME)
    assert ((poems / NAME).read_text(), (poems / NAME).stat().st_mode & 0o777) == (BOTH, 0o644)


def test_a_dry_run_shows_every_part_and_changes_nothing(poems: Path, run: Run) -> None:
    before = everything(poems)
    shown = run("restore", "1", "-p", "--dry-run")
    assert f"{NAME}  (you changed it after the agent)  [2 of 3]" in shown.lines
    assert "(2 of 3) Take back the agent's change" in shown.lines
    assert "Delete this file (4 B)" in shown.lines
    document = run("restore", "1", "-p", "--dry-run", "--json").json
    [parts] = [one["parts"] for one in document["choices"] if one["path"] == NAME]
    assert parts[1] == {
        "line_now": 6,
        "lines_gone": 1,
        "line_then": 6,
        "lines_back": 1,
        "whose": "agent",
    }
    assert [one["parts"] for one in document["choices"] if one["path"] == "new.txt"] == [None]
    assert everything(poems) == before


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "-f"], "--force: not with --patch"),
        (["-p", "--mode", "exact"], "--mode exact: not with --patch"),
        (["-p", "--stdout", NAME], "--stdout: not with --patch"),
        (["--merge", "--into", "x"], "--into: not with --merge"),
        (["--merge", "--session", "s"], "--session: not with --merge"),
    ],
)
def test_options_that_say_something_else_are_refused(
    poems: Path, run: Run, words: list[str], message: str
) -> None:
    assert message in run("restore", "1", *words, code=64).err


def test_odd_names_and_bytes(poems: Path, typing: Typing) -> None:
    name = "a new\nline \x1b[31m\udcff.txt"
    (poems / name).write_bytes(b"\xff\x1b[2J\n")
    answer = typing("y\n")
    assert not (poems / name).exists()
    assert "\x1b" not in answer.out
    assert "\\n" in answer.out


def test_ctrl_c_after_some_answers_leaves_everything_as_it_is(
    poems: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            word = super().readline(-1 if size is None else size)
            if not word:
                raise KeyboardInterrupt
            return word

    before = everything(poems)
    monkeypatch.setattr(sys, "stdin", Interrupted("y\ny\n"))
    answer = run("restore", "1", "-p", code=1)
    assert answer.lines[-1] == "Aborted: nothing was changed."
    assert everything(poems) == before


@pytest.mark.slow
def test_on_a_terminal_without_colours_it_is_lines_and_ctrl_c_leaves(poems: Path) -> None:
    before = everything(poems)
    code, written = on_a_terminal(
        *("restore", "1", "-p", NAME), prompt=b"]? ", typed=b"\x03", TERM="dumb", LC_ALL="C"
    )
    assert (code, written.endswith(b"Aborted: nothing was changed.\r\n")) == (1, True)
    assert b"\x1b" not in written
    assert everything(poems) == before


@pytest.mark.parametrize(("typed", "code"), [(b"x\na\n", 0), (b"q\n", 1), (b"\x03", 1)])
def test_the_parts_are_where_the_question_is_also_where_the_output_is_a_file(
    poems: Path, tmp_path: Path, typed: bytes, code: int
) -> None:
    before, target = everything(poems), tmp_path / "output"
    words = (target, "restore", "1", "-p", NAME)
    found, shown = on_a_terminal(*words, code=REDIRECTED, prompt=b"]? ", typed=typed, NO_COLOR="1")
    assert found == code
    for text in (b"What differs in /", b"[1 of 1]", b"-agent 5\r\n+line 5\r\n", b"(1 of 3) "):
        assert text in shown
    assert (b"s - split this part" in shown) == (typed[:1] == b"x")
    printed = target.read_text().splitlines()
    if code == 0:
        assert printed[0].startswith("Restored what was chosen from checkpoint ")
        assert (poems / NAME).read_text() == poem()
        return
    said = "Nothing was chosen: nothing was changed." if typed == b"q\n" else ""
    assert printed == [said or "Aborted: nothing was changed."]
    assert b"\nhermes checkpoints: " in shown and b": nothing was changed\r\n" in shown
    assert everything(poems) == before

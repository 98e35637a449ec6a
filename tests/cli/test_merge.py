"""``restore --merge``: the agent's changes out of files that a person has changed, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import conflicts
from interpreters import AT_ONCE, on_a_terminal
from restore.both_changed import NAME, agent_writes, lines_of, poem, prepare, write
from support import Run, everything

CLEAN = poem(1, text=lines_of(poem(5, by="agent")))


@pytest.fixture
def both(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A poem that can be merged, and one where both have changed the same line."""
    monkeypatch.chdir(project)
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        prepare(of, NAME, "torn.txt")
        agent_writes(of, {NAME: poem(5, by="agent"), "torn.txt": poem(5, by="agent")})
        write(project, {NAME: CLEAN, "torn.txt": poem(5)})
    return project


def test_what_merges_is_written_and_a_conflict_stays_and_is_told(both: Path, run: Run) -> None:
    before = everything(both)
    plan = run("restore", "1", "--merge", "--dry-run")
    assert plan.lines[1] == (
        f"  write   {NAME}  (merged: the agent's changes go, the others stay, 308 B)"
    )
    assert plan.lines[2].endswith("; not merged: 1 conflict with what the agent changed)")
    document = run("restore", "1", "--merge", "--dry-run", "--json").json
    assert document["conflicts"] == [{"path": "torn.txt", "places": 1}]
    assert everything(both) == before
    answer = run("restore", "1", "--merge", "-f", code=3)
    assert "not merged: torn.txt: 1 conflict with what the agent changed" in answer.err
    assert (both / NAME).read_text() == poem(1)
    assert (both / "torn.txt").read_text() == poem(5)
    again = run("restore", "1", "--merge", "torn.txt", "-f", code=2)
    assert "nothing was restored, although files differ" in again.err
    run("undo", "-f")
    assert everything(both) == before


def test_where_nothing_conflicts_it_is_done(both: Path, run: Run) -> None:
    assert "(1 write)" in run("restore", "1", "--merge", "-f", NAME).out
    assert (both / NAME).read_text() == poem(1)


def test_a_merge_tells_how_far_it_is_and_has_a_bar(both: Path, home: Path) -> None:
    told: list[tuple[object, ...]] = []
    with Checkpoints.open(home, progress=lambda *step: told.append(step)) as checkpoints:
        of = checkpoints.project(both)
        plan = of.plan_restore("1", merge=True)
        assert [one for one in told if one[0] == "merging"] == [
            ("merging", 0, 2),
            ("merging", 1, 2),
        ]
        of.restore("1", plan=plan)
        assert ("restoring", 0, 1) in told
    of_the_plan = ("restore", "1", "--merge", "--dry-run", "--dir", both)
    code, written = on_a_terminal(*of_the_plan, code=AT_ONCE)
    assert (code, "━".encode() in written) == (0, True)


def test_of_a_file_with_conflicts_the_places_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    marked = ["<<<<<<< as it is now", "me", "=======", "it\x1b[2J", ">>>>>>> checkpoint"]
    numbers = [str(number) for number in range(40)]
    conflicts._show([*numbers[:10], *marked, *numbers[10:14], *marked, *numbers[14:]])
    between = [*marked[:3], "it\\x1b[2J", marked[4]]
    assert capsys.readouterr().out.splitlines() == [
        *("…", "7", "8", "9", *between, "10", "11", "12", "13", *between, "14", "15", "16"),
    ]


@pytest.mark.slow
def test_on_a_terminal_each_conflict_is_asked_about(both: Path, run: Run) -> None:
    before = everything(both)
    words = ("restore", "1", "--merge")
    code, written = on_a_terminal(*words, prompt=b"]? ", typed=b"v\nn\ny\n")
    assert code == 3
    assert b"<<<<<<< as it is now" in written
    assert (both / "torn.txt").read_text() == poem(5)
    run("undo", "-f")
    code, written = on_a_terminal(*words, prompt=b"]? ", typed=b"y\nn\n")
    assert (code, everything(both)) == (1, before)
    code, written = on_a_terminal(*words, prompt=b"]? ", typed=b"\x03")
    assert (code, b"Aborted: nothing was changed." in written) == (1, True)
    assert everything(both) == before
    code, written = on_a_terminal(*words, prompt=b"]? ", typed=b"y\ny\n")
    assert code == 0
    assert "<<<<<<< as it is now\nme 5\n=======\nline 5\n" in (both / "torn.txt").read_text()

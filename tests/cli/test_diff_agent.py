"""``diff --session`` and ``--turn``: what the agent did, and nobody else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints, Kind, Project
from support import Run


class Agents:
    """Agents' sessions in the project, which is the current directory."""

    def __init__(self, folder: Path, project: Project) -> None:
        self.folder, self.project = folder, project

    def write(self, path: str, text: str | None) -> None:
        file = self.folder / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def begin(self, session: str | None, turn: int | None = None, **written: Any) -> None:
        self.project.take(kind=Kind.AUTO, session_id=session, turn=turn)
        for path, text in written.pop("files", {}).items():
            self.write(path, text)

    def turn(self, session: str | None, turn: int | None, files: dict[str, str | None]) -> None:
        self.begin(session, turn, files=files)
        self.project.end_turn(session_id=session)


@contextmanager
def at_work(home: Path, project: Path) -> Iterator[Agents]:
    with Checkpoints.open(home) as opened:
        yield Agents(project, opened.project(project))


@pytest.fixture
def agents(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agents]:
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    (project / "f").write_text("0\n", encoding="utf-8")
    with at_work(home, project) as found:
        yield found


def names(run: Run, *words: str) -> list[str]:
    return run("diff", "--name-status", *words).lines


def test_a_session_has_what_its_agent_did(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n", "new": "n\n"})
    agents.write("mine", "by a person\n")
    agents.turn("A", 2, {"f": "2\n", "README.md": None})
    agents.turn("B", 1, {"other": "b\n"})
    agents.write("src/app.py", "by a person\n")
    assert names(run, "--session", "A") == ["D\tREADME.md", "M\tf", "A\tnew"]
    assert names(run, "--session", "B") == ["A\tother"]
    assert names(run, "--session", "A", "--turn", "1") == ["M\tf", "A\tnew"]
    assert names(run, "--session", "A", "--turn", "2") == ["D\tREADME.md", "M\tf"]
    patch = run("diff", "--session", "A", "f").lines
    assert patch[0].startswith("What the agent did in session A (2")
    assert patch[-2:] == ["-0", "+2"]


@pytest.mark.campaign
def test_a_turn_alone_is_the_last_one_of_that_number(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n"})
    agents.turn("B", 1, {"g": "b\n"})
    agents.turn("A", 2, {"f": "2\n"})
    answer = run("diff", "--turn", "1", "--stat")
    assert "in turn 1 of session B (" in answer.lines[0]
    assert "the last turn 1 of any session" in answer.lines[0]
    assert names(run, "--turn", "1") == ["A\tg"]
    assert names(run, "--turn", "2") == ["M\tf"]
    agents.turn(None, 1, {"h": "nobody\n"})
    assert "turn 1 of a session without a name" in run("diff", "--turn", "1").lines[0]
    assert names(run, "--turn", "1") == ["A\th"]


def test_what_a_person_did_in_between_is_left_out_and_said(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "agent 1\n", "g": "agent\n"})
    agents.write("f", "person\n")
    agents.turn("A", 2, {"f": "person\nagent 2\n"})
    agents.write("g", "person after\n")
    answer = run("diff", "--session", "A")
    notes = [line for line in answer.lines if "in between" in line]
    assert len(notes) == 1
    assert "in between, and left out: f" in notes[0]
    assert "changed by you" in notes[0]
    changed = [line for line in answer.lines if line.startswith(("-0", "+a"))]
    assert changed == ["-0", "+agent 1", "+agent", "+agent 2"]
    document = run("diff", "--session", "A", "--json").json
    assert [(c["path"], c["insertions"], c["deletions"]) for c in document["changes"]] == [
        ("f", 2, 1),
        ("g", 1, 0),
    ]
    assert [(e["path"], e["actor"]) for e in document["between"]] == [("f", "person")]
    names_ = run("diff", "--session", "A", "--name-status")
    assert names_.out == "M\tf\nA\tg\n"
    assert "in between, and left out: f" in names_.err


def test_another_session_in_between_is_left_out_too(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "a\n"})
    agents.turn("B", 1, {"f": "b\n"})
    agents.turn("A", 2, {"f": "c\n"})
    document = run("diff", "--session", "A", "--json").json
    assert [(e["path"], e["session_id"]) for e in document["between"]] == [("f", "B")]
    assert "-b\n+c\n" in document["text"]
    assert "-0\n+a\n" in document["text"]
    assert "+b\n" not in document["text"]


def test_what_two_sessions_may_have_done_is_said(run: Run, agents: Agents) -> None:
    agents.begin("A", 1)
    agents.begin("B", 1, files={"f": "either\n"})
    agents.project.end_turn(session_id="B")
    assert "perhaps another session's: f" in run("diff", "--session", "B").out
    assert run("diff", "--session", "A").out.startswith("The agent changed nothing in session A (")


def test_what_was_made_and_removed_again_is_nothing(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"temporary": "x\n", "f": "1\n"})
    agents.turn("A", 2, {"temporary": None, "f": "0\n"})
    answer = run("diff", "--session", "A")
    assert answer.out.startswith("The agent changed nothing in session A (")
    assert names(run, "--session", "A") == []
    assert names(run, "--turn", "2") == ["M\tf", "D\ttemporary"]


def test_a_turn_that_is_open_is_looked_at_and_not_recorded(run: Run, agents: Agents) -> None:
    agents.begin("A", 1, files={"f": "so far\n"})
    answer = run("diff", "--session", "A")
    assert "now, still open" in answer.lines[0]
    assert answer.lines[-1] == "+so far"
    assert run("diff", "--session", "A", "--json").json["ended_at"] is None
    assert agents.project.who("f") == []
    agents.write("f", "more\n")
    agents.project.end_turn(session_id="A")
    assert run("diff", "--turn", "1").lines[-1] == "+more"


def test_an_open_turn_in_a_directory_that_is_gone(run: Run, agents: Agents) -> None:
    agents.begin("A", 1, files={"f": "1\n"})
    agents.begin("A", 2, files={"f": "2\n"})
    shutil.move(agents.folder, agents.folder.with_name("moved"))
    answer = run("-C", agents.folder.parent, "diff", "--session", "A", "--dir", agents.folder)
    assert answer.lines[-1] == "+1"
    assert "cannot be looked at" in answer.err


def test_files_and_directories_that_take_turns_at_a_path(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": None, "f/inside": "1\n"})
    assert names(run, "--session", "A") == ["D\tf", "A\tf/inside"]
    shutil.rmtree(agents.folder / "f")
    agents.write("f", "a person's\n")
    agents.turn("A", 2, {"f": None, "f/inside": "2\n", "f/more": "3\n"})
    document = run("diff", "--session", "A", "--json").json
    assert [(c["status"], c["path"]) for c in document["changes"]] == [
        ("D", "f"),
        ("A", "f/inside"),
        ("A", "f/more"),
    ]
    for line in ("-0", "-a person's", "+1", "+2", "+3"):
        assert f"\n{line}\n" in document["text"]


def test_modes_links_and_odd_names(run: Run, agents: Agents) -> None:
    agents.begin("A", 1)
    (agents.folder / "run.sh").chmod(0o644)
    (agents.folder / "README.md").unlink()
    (agents.folder / "README.md").symlink_to("f")
    agents.write('a\nb\tcaf\u00e9 "q" \\', "odd\n")
    agents.write("deep/er/file", "deep\n")
    agents.write("deep.txt", "beside\n")
    agents.project.end_turn(session_id="A")
    assert names(run, "--session", "A") == [
        "T\tREADME.md",
        'A\t"a\\nb\\tcaf\\303\\251 \\"q\\" \\\\"',
        "A\tdeep.txt",
        "A\tdeep/er/file",
        "M\trun.sh",
    ]
    text = run("diff", "--session", "A", "--json").json["text"]
    assert "old mode 100755\nnew mode 100644" in text
    assert "new file mode 120000" in text


def test_it_is_the_patch_that_makes_what_the_agent_made(
    run: Run, agents: Agents, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(agents.folder, copy)
    agents.turn("A", 1, {"f": "1\n", "src/app.py": None, "docs/new.txt": "n\n"})
    agents.write("mine", "by a person\n")
    text = run("diff", "--session", "A").out
    subprocess.run(["git", "apply", "-"], input=text.encode(), check=True, cwd=copy)
    (agents.folder / "mine").unlink()
    assert {p.relative_to(copy): p.read_bytes() for p in copy.rglob("*") if p.is_file()} == {
        p.relative_to(agents.folder): p.read_bytes()
        for p in agents.folder.rglob("*")
        if p.is_file()
    }


def test_what_nobody_knows_is_not_the_agents(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n"})
    agents.project.take(kind=Kind.MANUAL, session_id="A")
    agents.write("g", "after a take by hand\n")
    agents.project.take()
    assert names(run, "--session", "A") == ["M\tf"]


def test_contents_that_the_store_lacks_are_named(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "for a moment\n", "g": "stays\n"})
    agents.write("f", "by a person\n")
    agents.project.take()
    store = agents.project._base.layout.store
    subprocess.run(["git", f"--git-dir={store}", "prune", "--expire=now"], check=True)
    document = run("diff", "--session", "A", "--json").json
    assert [one["path"] for one in document["lost_paths"]] == ["f"]
    assert "f: differs; the object store lacks its contents\n" in document["text"]
    assert [(c["status"], c["path"]) for c in document["changes"]] == [("M", "f"), ("A", "g")]
    assert "+stays" in document["text"]


@pytest.mark.campaign
def test_where_checkpoints_of_that_time_were_pruned_it_says_so(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n"})
    agents.write("f", "person\n")
    agents.turn("A", 2, {"f": "2\n"})
    agents.turn("B", 1, {"g": "1\n"})
    assert run("diff", "--session", "A").err == ""
    agents.project.drop(["2"])
    answer = run("diff", "--session", "A")
    assert answer.lines[-1] == "f: differs; the object store lacks its contents"
    assert "earlier changes of the agent may be missing" in answer.err
    assert run("diff", "--session", "B").err == ""
    assert run("diff", "--session", "A", "--json").json["folded"] is True


def test_some_paths_and_wrong_ones(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n", "src/new.py": "n\n", "gone": "x\n"})
    (agents.folder / "gone").unlink()
    assert names(run, "--session", "A", "src") == ["A\tsrc/new.py"]
    assert names(run, "--session", "A", "--", "gone") == ["A\tgone"]
    assert run("diff", "--session", "A", "README.md").out.startswith("The agent changed nothing")
    assert "only paths can be named" in run("diff", "--session", "A", "latest", code=2).err
    run("diff", "--session", "A", "../elsewhere", code=2)


def test_a_session_or_turn_that_is_unknown_is_refused(run: Run, agents: Agents) -> None:
    agents.turn("A", 1, {"f": "1\n"})
    agents.turn("B", 2, {})
    assert "no agent of session 'X' was at work" in run("diff", "--session", "X", code=2).err
    assert "had a turn 7" in run("diff", "--session", "A", "--turn", "7", code=2).err
    assert "had a turn 7" in run("diff", "--turn", "7", code=2).err
    assert run("diff", "--session", "B").out.startswith("The agent changed nothing in session B")


def test_before_any_checkpoint_it_says_so(run: Run, home: Path, project: Path) -> None:
    told = run("diff", "--session", "A", "--dir", project, code=2).err
    assert "No checkpoints exist for this directory" in told

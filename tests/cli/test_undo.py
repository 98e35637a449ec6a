"""``undo`` and ``redo``, ``who`` and ``cat``; and what limits a ``restore``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.model import Kind, RestoreRole
from interpreters import PROGRAM, on_a_terminal
from interpreters import run as in_a_process
from support import Run, files, wait_for_locks


@pytest.fixture
def agent(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project after a turn of the agent and an edit of a person, as the current directory."""
    monkeypatch.chdir(project)
    manager = CheckpointManager(enabled=True, session_id="s1")
    manager.new_turn()
    manager.ensure_checkpoint(str(project), "before the patch")
    (project / "src/app.py").write_text("agent\n", encoding="utf-8")
    manager.record_agent_write(str(project / "src/app.py"), "patch")
    (project / "README.md").write_text("agent\n", encoding="utf-8")
    (project / "made.txt").write_text("agent\n", encoding="utf-8")
    manager.end_turn()
    (project / "README.md").write_text("mine\n", encoding="utf-8")
    return project


# --- undo and redo -----------------------------------------------------------------------------


def test_undo_and_redo_plan_ask_and_carry_out(run: Run, agent: Path) -> None:
    broken = files(agent)
    assert "left to undo" in run("undo", code=2).err
    assert "left to redo" in run("redo", code=2).err
    run("restore", "1", "-f")
    restored = files(agent)
    plan = run("undo", "--dry-run")
    assert plan.lines[0].startswith(f"Taking back the last restore of {agent}: the state before")
    assert plan.lines[-1] == "Plan: 2 write"
    assert files(agent) == restored
    answer = run("undo", "-f")
    assert answer.lines[0] == f"The last restore of {agent} is taken back (2 write)"
    assert answer.lines[-1].endswith("to go back to it: hermes checkpoints redo")
    assert files(agent) == broken
    assert run("redo", "-f").lines[-1].endswith("to go back to it: hermes checkpoints undo")
    assert files(agent) == restored


@pytest.mark.campaign
def test_undo_as_json(run: Run, agent: Path) -> None:
    run("restore", "1", "-f")
    plan = run("undo", "--dry-run", "--json").json
    assert (plan["dry_run"], plan["mode"], plan["paths"]) == (
        True,
        "keep-edits",
        [{"path": "src/app.py"}, {"path": "made.txt"}],
    )
    done = run("undo", "-f", "--json").json
    assert (done["role"], done["complete"]) == (RestoreRole.UNDO, True)
    assert {step["path"] for step in done["done"]} == {"src/app.py", "made.txt"}
    assert run("redo", "-f", "--json").json["role"] == RestoreRole.REDO


@pytest.mark.campaign
def test_undo_where_nothing_has_to_change_still_counts(run: Run, agent: Path) -> None:
    broken = files(agent)
    run("restore", "1", "-f")
    (agent / "src/app.py").write_text("agent\n", encoding="utf-8")
    (agent / "made.txt").write_text("agent\n", encoding="utf-8")
    assert files(agent) == broken
    assert run("undo").out == (
        f"The last restore of {agent} is taken back; no path had to change\n"
    )
    assert "left to undo" in run("undo", code=2).err


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("verb", ["undo", "redo"])
def test_undo_and_redo_do_not_go_on_unasked(run: Run, agent: Path, verb: str) -> None:
    run("restore", "1", "-f")
    if verb == "redo":
        run("undo", "-f")
    before = files(agent)
    answer = in_a_process(PROGRAM, verb)
    assert (answer.returncode, "use -f" in answer.stderr) == (1, True)
    assert "use -f" in run(verb, "--json", code=2).err
    assert files(agent) == before
    assert on_a_terminal(verb, prompt=b"[y/N]: ", typed=b"n\n")[0] == 1
    assert files(agent) == before
    assert on_a_terminal(verb, prompt=b"[y/N]: ", typed=b"y\n")[0] == 0
    assert files(agent) != before


def test_the_advice_names_home_and_directory(
    run: Run, agent: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    broken = files(agent)
    answer = run("restore", "1", "--home", home, "--dir", agent, "-f")
    advice = answer.lines[-1].partition("to go back to it: hermes checkpoints ")[2]
    assert advice == f"undo --home {home} {agent}"
    run(*advice.split(), "-f")
    assert files(agent) == broken


# --- what is kept and what limits ----------------------------------------------------------------


@pytest.mark.campaign
def test_kept_paths_have_reasons_before_and_after(run: Run, agent: Path) -> None:
    plan = run("restore", "1", "--dry-run")
    assert plan.lines[1:] == [
        "  delete  made.txt  (shell created, +0/-1)",
        "  write   src/app.py  (agent changed (patch), 31 B, +2/-1)",
        "  keep    README.md  (you changed it after the agent)",
        "Plan: 1 write, 1 delete; 1 path kept",
    ]
    words = ("restore", "1")
    code, written = on_a_terminal(*words, prompt=b"[y/N]: ", typed=b"n\n", NO_COLOR="1")
    assert code == 1
    assert b"  keep    README.md  (you changed it after the agent)\r\n" in written
    assert run("restore", "1", "-f").lines[1:3] == [
        "Kept (you changed it after the agent):",
        "  README.md",
    ]
    again = run("restore", "1", "-f", code=2)
    assert again.lines[0] == "Nothing to restore; 1 path kept"
    assert (agent / "README.md").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.campaign
def test_named_paths_that_are_all_kept_are_no_success(run: Run, agent: Path) -> None:
    answer = run("restore", "1", "README.md", "--mode", "keep-edits", "-f", code=2)
    assert answer.lines[0] == "Nothing to restore; 1 path kept"
    command = answer.err.partition("all the same: hermes checkpoints ")[2].split()
    assert command[2:] == ["--dir", str(agent), "--mode", "overlay", "--", "README.md"]
    run(*command[:2], "-f", *command[2:])
    assert (agent / "README.md").read_bytes() == b"# Sample\n\nA project to break.\n"
    again = run(*command[:2], "-f", "--", "README.md")
    assert again.lines[0].startswith("Nothing to restore: README.md in ")


@pytest.mark.campaign
def test_the_way_out_names_only_what_it_can_restore(run: Run, agent: Path) -> None:
    (agent / "mine.txt").write_text("mine\n", encoding="utf-8")
    keeping = ("--mode", "keep-edits", "-f")
    answer = run("restore", "1", "README.md", "mine.txt", *keeping, code=2)
    command = answer.err.partition("all the same: hermes checkpoints ")[2].split()
    assert command[-4:] == ["--mode", "overlay", "--", "README.md"]
    answer = run("restore", "1", "mine.txt", *keeping, code=2)
    assert answer.err.split()[-4:] == ["--mode", "exact", "--", "mine.txt"]


def test_nothing_done_although_files_differ_is_no_success(run: Run, agent: Path) -> None:
    run("restore", "1", "-f")
    first = run("log", "--json").json["checkpoints"][0]["id"]
    for mode, where in (("overlay", "README.md"), ("exact", "mine.txt")):
        (agent / where).write_text("mine\n", encoding="utf-8")
        answer = run("restore", first, "-f", code=2)
        assert answer.lines[0] == "Nothing to restore; 1 path kept"
        command = answer.err.partition("although files differ; to restore all the same: ")[2]
        assert command.split()[-2:] == ["--mode", mode]
        run(*command.split()[2:], "-f")
    assert run("restore", first, "-f").lines[0].startswith("Nothing to restore: ")
    assert not (agent / "mine.txt").exists()


@pytest.mark.campaign
def test_many_kept_paths_are_counted(run: Run, agent: Path) -> None:
    for number in range(25):
        (agent / f"mine{number:02}").write_text("mine\n", encoding="utf-8")
    answer = run("restore", "1", "-f")
    assert "Kept (you changed it):" in answer.lines
    assert "  … and 15 more" in answer.lines
    assert len(run("restore", "1", "--dry-run").lines) > 26


@pytest.mark.campaign
def test_a_restore_started_in_a_subdirectory_stays_there(
    run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("log", "--json").json["checkpoints"][-1]["id"]
    monkeypatch.chdir(agent / "src")
    note = f"Limited to src, the current directory; --dir {agent} restores the whole project"
    assert run("restore", "1", "--dry-run").lines[1] == note
    assert [p["path"] for p in run("restore", "1", "--dry-run", "--json").json["paths"]] == ["src"]
    assert note in run("restore", "1", "-f").lines
    assert (agent / "made.txt").exists()
    assert (agent / "src/app.py").read_bytes().startswith(b"def main")
    run("undo", "-f")
    run("restore", first, "-f", "--dir", "..")
    assert not (agent / "made.txt").exists()


def test_one_session(run: Run, agent: Path) -> None:
    other = run("restore", "1", "--session", "s2", "-f", code=2)
    assert "Limited to what session s2 changed" in other.lines
    assert "Kept (s1 session changed it):" in other.lines
    assert "keep-edits" in run("restore", "1", "--session", "s1", "--mode", "exact", code=2).err
    run("restore", "1", "--session", "s1", "-f")
    assert not (agent / "made.txt").exists()


@pytest.mark.campaign
def test_a_restore_into_another_directory_leaves_the_project_alone(
    run: Run, agent: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    before = files(agent)
    keeping = run("restore", "1", "--into", other, "--mode", "keep-edits", "-f", code=2)
    assert "overlay or exact" in keeping.err
    answer = run("restore", "1", "--into", other, "-f")
    assert files(agent) == before
    assert (other / "src/app.py").read_bytes().startswith(b"def main")
    assert answer.lines[-1].endswith(f"hermes checkpoints undo {other}")
    run("undo", other, "-f")
    assert files(other) == {}
    assert run("restore", "1", "--into", "", code=2).err
    run("restore", "1", "--into", tmp_path / "missing", "--mode", "exact", "-f")
    assert (tmp_path / "missing/src/app.py").read_bytes().startswith(b"def main")


# --- one file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("restore", "--stdout"), ("cat",)])
def test_the_bytes_of_one_file(
    agent: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def printed(*more: str) -> tuple[int, bytes, str]:
        answer = in_a_process(PROGRAM, words[0], "1", *more, *words[1:])
        return answer.returncode, os.fsencode(answer.stdout), answer.stderr

    before = files(agent)
    monkeypatch.chdir(agent / "src")
    assert printed("data.bin") == (0, bytes(range(256)), "")
    for more in (("nothing",), ("../src",), ("/etc/passwd",), ("*.bin",)):
        code, out, err = printed(*more)
        assert (code, out) == (2, b""), more
        assert err
    assert printed()[:2] == printed("data.bin", "app.py")[:2] == (64, b"")
    assert files(agent) == before


def test_stdout_goes_with_nothing_that_restores(run: Run, agent: Path) -> None:
    for more in (("--json",), ("--dry-run",), ("--into", "x"), ("--session", "s1")):
        answer = run("restore", "1", "README.md", "--stdout", *more, code=64)
        assert "--stdout prints" in answer.err
    assert "exactly one PATH" in run("restore", "1", "--stdout", code=64).err


# --- who ---------------------------------------------------------------------------------------


def test_who_changed_a_file(run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        run("who", "src/app.py")
        .lines[0]
        .endswith("  changed by the agent's patch  session s1, turn 1")
    )
    run("restore", "1", "-f")
    assert [line.split("  ")[1] for line in run("who", "README.md").lines] == [
        "changed by you",
        "changed by the agent's shell",
    ]
    assert run("who", "src/app.py").lines[0].endswith("  changed by a restore")
    assert run("who", "made.txt", "--json").json["events"][-1]["status"] == "A"
    events = run("who", "src/app.py", "--json").json["events"]
    assert [(e["actor"], e["tool"], e["session_id"], e["turn"]) for e in events] == [
        ("restore", None, None, None),
        ("agent", "patch", "s1", 1),
    ]
    assert run("who", "docs/notes.txt").out.startswith("No change of docs/notes.txt is settled")
    for path in ("nothing", "../x", ""):
        assert run("who", path, code=2).err
    assert "exactly one PATH" in run("who", "a", "b", code=64).err
    monkeypatch.chdir(agent / "src")
    assert run("who", "app.py").lines[0].endswith("  changed by a restore")


def test_odd_names_are_escaped_in_a_report(run: Run, agent: Path) -> None:
    name = os.fsdecode(b"a\nb\xff\x1b[31m")
    (agent / name).write_text("mine\n", encoding="utf-8")
    answer = run("restore", "1", "-f")
    assert r"  a\nb\xff\x1b[31m" in answer.lines
    assert run("who", name).lines[0].endswith("created by you")
    assert run("who", name, "--json").json["path_base64"]


# --- elsewhere -----------------------------------------------------------------------------------


def test_status_tells_of_an_interrupted_restore(run: Run, agent: Path, home: Path) -> None:
    before = files(agent)
    code = (
        "import os, sys\n"
        "from hermes_checkpoints import Checkpoints\n"
        "with Checkpoints.open() as c:\n"
        "    def hook(name, args):\n"
        "        if name == 'os.rename' and str(args[1]).endswith('app.py'): os._exit(9)\n"
        "    sys.addaudithook(hook)\n"
        f"    c.project({str(agent)!r}).restore('1')\n"
    )
    assert in_a_process(code).returncode == 9
    wait_for_locks(home)
    assert f"Note: a restore of {agent} was interrupted at " in run("status").out
    assert any("interrupted" in note for note in run("status", "--json").json["notes"])
    run("undo", "-f")
    assert files(agent) == before
    assert "interrupted" not in run("status").out


def test_show_says_which_turn(run: Run, agent: Path) -> None:
    assert "Session: s1, turn 1" in run("show", "1").lines
    with Checkpoints.open() as checkpoints:
        checkpoints.project(agent).take(kind=Kind.AUTO, turn=7)
    assert "Turn: 7, of no named session" in run("show", "1").lines

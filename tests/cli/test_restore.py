"""``restore``: nothing happens unasked, and what happens is what was printed."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from interpreters import PROGRAM, on_a_terminal
from interpreters import run as in_a_process
from support import OrdinaryUserLike, Run, files, make_project


def break_it(project: Path) -> None:
    """Edit a file, delete one, add one."""
    (project / "src/app.py").write_text("broken\n", encoding="utf-8")
    (project / "run.sh").unlink()
    (project / "new.txt").write_text("new\n", encoding="utf-8")


def test_overlay_brings_back_and_deletes_nothing(run: Run, taken: Path) -> None:
    before = files(taken)
    break_it(taken)
    answer = run("restore", "1", "-f", "--mode", "overlay")
    assert files(taken) == {**before, "new.txt": (0o644, b"new\n")}
    assert answer.lines[0].startswith("Restored to checkpoint ")
    assert answer.lines[0].endswith(": before the edit (2 write)")
    assert answer.lines[1].endswith("; to go back to it: hermes checkpoints undo")


def test_exact_makes_the_tree_the_checkpoint_and_can_be_undone(run: Run, taken: Path) -> None:
    before = files(taken)
    break_it(taken)
    broken = files(taken)
    undo = run("restore", "1", "-f", "--mode", "exact").lines[1].partition("to go back to it: ")[2]
    assert files(taken) == before
    redo = run(*undo.split()[2:], "-f").lines[1].partition("to go back to it: ")[2]
    assert files(taken) == broken
    assert run(*redo.split()[2:], "-f").lines[1].endswith(" hermes checkpoints undo")
    assert files(taken) == before


def test_one_path_leaves_the_others(run: Run, taken: Path) -> None:
    before = files(taken)
    break_it(taken)
    broken = files(taken)
    run("restore", "1", "src/app.py", "-f")
    assert files(taken) == {**broken, "src/app.py": before["src/app.py"]}
    (taken / "new.txt").write_text("later\n", encoding="utf-8")
    run("undo", "-f")
    assert files(taken) == {**broken, "new.txt": (0o644, b"later\n")}


def test_from_a_subdirectory_a_path_is_meant_from_there(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (taken / "app.py").write_text("at the top\n", encoding="utf-8")
    run("take")
    (taken / "app.py").write_text("changed\n", encoding="utf-8")
    (taken / "src/app.py").write_text("changed\n", encoding="utf-8")
    monkeypatch.chdir(taken / "src")
    run("restore", "1", "app.py", "-f")
    assert (taken / "app.py").read_bytes() == b"changed\n"
    assert (taken / "src/app.py").read_bytes() == b"def main():\n    return 'hello'\n"


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "path",
    ["../outside", "src/../../outside", "/etc/passwd", "", ":/", ":(glob)**", "*.py", ".git"],
)
def test_a_path_never_widens(run: Run, taken: Path, path: str) -> None:
    break_it(taken)
    broken = files(taken)
    answer = run("restore", "1", "-f", "--", path, code=2)
    assert answer.err.startswith("hermes checkpoints: ")
    assert files(taken) == broken


def test_a_dry_run_prints_the_plan_and_changes_nothing(run: Run, taken: Path) -> None:
    break_it(taken)
    broken = files(taken)
    answer = run("restore", "1", "--mode", "exact", "--dry-run")
    assert files(taken) == broken
    assert len(run("log", "--json").json["checkpoints"]) == 1
    actions = {line.split()[1]: line.split()[0] for line in answer.lines[1:-1]}
    assert actions == {"src/app.py": "write", "run.sh": "write", "new.txt": "delete"}
    assert answer.lines[-1] == "Plan: 2 write, 1 delete"


def test_json_of_a_plan_and_of_a_restore(run: Run, taken: Path) -> None:
    break_it(taken)
    plan = run("restore", "1", "--mode", "exact", "--dry-run", "--json").json
    assert plan["dry_run"] is True
    assert {step["path"]: step["action"] for step in plan["steps"]} == {
        "src/app.py": "write",
        "run.sh": "write",
        "new.txt": "delete",
    }
    done = run("restore", "1", "--mode", "exact", "-f", "--json").json
    assert done["dry_run"] is False
    assert done["complete"] is True
    assert done["checkpoint"]["id"] == plan["checkpoint"]["id"]
    assert done["safety"]["kind"] == "safety"
    assert {step["path"] for step in done["done"]} == {"src/app.py", "run.sh", "new.txt"}
    again = run("restore", done["checkpoint"]["id"], "-f", "--json").json
    assert (again["safety"], again["done"]) == (None, [])


def test_nothing_to_restore_takes_no_safety_checkpoint(run: Run, taken: Path) -> None:
    assert run("restore", "1").out.startswith(f"Nothing to restore: {taken} is as checkpoint ")
    assert len(run("log", "--json").json["checkpoints"]) == 1


def test_unasked_nothing_is_restored(run: Run, taken: Path) -> None:
    break_it(taken)
    broken = files(taken)
    answer = in_a_process(PROGRAM, "restore", "1")
    assert answer.returncode == 1
    assert "use -f" in answer.stderr
    assert files(taken) == broken
    assert "use -f" in run("restore", "1", "--json", code=2).err
    assert files(taken) == broken


@pytest.mark.campaign(beyond=2)
@pytest.mark.slow
@pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1), (b"\x03", 1)])
def test_on_a_terminal_it_asks(taken: Path, typed: bytes, code: int) -> None:
    break_it(taken)
    found, written = on_a_terminal("restore", "1", prompt=b"[y/N]: ", typed=typed)
    assert found == code, written
    assert b"Plan: 2 write, 1 delete\r\n" in written
    assert (b"Aborted." in written) is (code == 1)
    restored = (taken / "src/app.py").read_bytes() != b"broken\n"
    assert restored is (code == 0)


def _take_and_break(project: Path) -> int:
    make_project(project)
    code = main(["take", str(project)])
    for path in (project / "src/app.py", project / "README.md"):
        path.write_text("broken\n", encoding="utf-8")
    return code


def _restore(project: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["restore", "1", "--dir", str(project), "-f", "--json"])
    return code, out.getvalue(), err.getvalue()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can take a folder away from a user")
def test_work_done_in_part_ends_with_3_and_says_what_failed(as_user: OrdinaryUserLike) -> None:
    project = as_user.tmp / "project"
    assert as_user(_take_and_break, project) == 0
    for path in (project / "src", project / "src/app.py"):
        os.chown(path, 0, 0)
    code, out, err = as_user(_restore, project)
    assert code == 3
    document = json.loads(out)
    assert document["complete"] is False
    assert [failed["path"] for failed in document["failed"]] == ["src/app.py"]
    assert "not restored: src/app.py: " in err
    assert (project / "README.md").read_bytes() == b"# Sample\n\nA project to break.\n"


def test_in_another_directory_at_the_same_path_the_question_is_asked(run: Run, taken: Path) -> None:
    (taken / "src/app.py").write_text("broken\n", encoding="utf-8")
    aside = taken.rename(taken.with_name("aside"))
    taken.mkdir()
    for path in aside.iterdir():
        path.rename(taken / path.name)
    assert "it was replaced since" in run("restore", "1", "--dir", taken, "-f", code=2).err
    words = ("restore", "1", "--dir", str(taken))
    code, written = on_a_terminal(*words, prompt=b"[y/N]: ", typed=b"y\n")
    assert (code, b"is not the directory that was captured" in written) == (0, True)
    assert (taken / "src/app.py").read_text(encoding="utf-8").startswith("def main")

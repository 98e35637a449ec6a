"""``diff``: what changed since, as a summary, as a patch and as a document."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import Run

OLD = b"def main():\n    return 'hello'\n"
NEW = b"def main():\n    return 'caf\xe9 \xe6\x96\x87'\r\n"


def test_summary_and_patch(run: Run, taken: Path) -> None:
    (taken / "src/app.py").write_text("def main():\n    return 'bye'\n", encoding="utf-8")
    answer = run("diff", "1")
    assert answer.lines[0].split("|")[0].strip() == "src/app.py"
    assert answer.lines[1].strip() == "1 file changed, 1 insertion(+), 1 deletion(-)"
    assert answer.lines[2] == ""
    assert answer.lines[3] == "diff --git a/src/app.py b/src/app.py"
    assert answer.lines[-2:] == ["-    return 'hello'", "+    return 'bye'"]


def test_only_the_summary(run: Run, taken: Path) -> None:
    (taken / "src/app.py").unlink()
    answer = run("diff", "latest", "--stat")
    assert "src/app.py" in answer.out
    assert "diff --git" not in answer.out


def test_only_some_paths_from_a_subdirectory(run: Run, taken: Path) -> None:
    (taken / "src/app.py").unlink()
    (taken / "README.md").unlink()
    os.chdir(taken / "src")
    document = run("diff", "1", "--json", "app.py").json
    assert [change["path"] for change in document["changes"]] == ["src/app.py"]


def test_added_deleted_modified_and_mode(run: Run, taken: Path) -> None:
    (taken / "new.txt").write_text("new\n", encoding="utf-8")
    (taken / "README.md").unlink()
    (taken / "run.sh").chmod(0o644)
    document = run("diff", "1", "--json").json
    assert {change["path"]: change["status"] for change in document["changes"]} == {
        "new.txt": "A",
        "README.md": "D",
        "run.sh": "M",
    }
    assert document["against"] is None
    assert "new file mode" in document["text"]
    assert "text" not in run("diff", "1", "--json", "--stat").json


def test_no_changes(run: Run, taken: Path) -> None:
    assert run("diff", "1").out.startswith("No changes since checkpoint ")
    document = run("diff", "1", "--json").json
    assert (document["changes"], document["text"]) == ([], "")


def test_what_cannot_be_compared_is_said(run: Run, taken: Path) -> None:
    with (taken / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    answer = run("diff", "1")
    assert answer.err == "hermes checkpoints: not compared: huge.dat  oversize (11.0 MB)\n"


@pytest.mark.campaign
def test_what_one_side_left_out_is_neither_deleted_nor_added(run: Run, taken: Path) -> None:
    huge = taken / "src/huge.dat"
    huge.write_bytes(b"small\n")
    huge.chmod(0o600)
    run("take", "--label", "small")
    with huge.open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    (taken / "README.md").unlink()
    told = "hermes checkpoints: not compared: src/huge.dat  oversize (11.0 MB)\n"
    answer = run("diff", "small", "--name-status")
    assert (answer.out, answer.err) == ("D\tREADME.md\n", told)
    run("take", "--label", "grown")
    answer = run("diff", "small", "grown", "--name-status")
    assert (answer.out, answer.err) == ("D\tREADME.md\n", told)
    assert "huge" not in run("diff", "small", "grown").out
    huge.write_bytes(b"small again\n")
    assert "No changes" in run("diff", "grown").out
    run("take", "--label", "shrunk")
    answer = run("diff", "grown", "shrunk", "--json")
    assert answer.json["changes"] == []
    assert [one["path"] for one in answer.json["skipped"]] == ["src/huge.dat"]
    changed = run("diff", "small", "shrunk", "src", "--json").json
    assert [(one["path"], one["status"]) for one in changed["changes"]] == [("src/huge.dat", "M")]
    assert changed["skipped"] == []


def test_what_a_rule_ignores_on_one_side_is_neither_deleted_nor_added(
    run: Run, taken: Path
) -> None:
    """It lies there all the same, also where the rule came between."""
    (taken / "data").mkdir()
    (taken / "data/rows.csv").write_text("1\n")
    (taken / "notes.tmp").write_text("2\n")
    (taken / "gone.tmp").write_text("3\n")
    run("take", "--label", "before")
    (taken / ".gitignore").write_text("data/\n*.tmp\n")
    (taken / "gone.tmp").unlink()
    told = "".join(
        f"hermes checkpoints: not compared: {path}  ignored-by-rule\n"
        for path in ("data", "notes.tmp")
    )
    answer = run("diff", "before", "--name-status")
    assert (answer.out, answer.err) == ("A\t.gitignore\nD\tgone.tmp\n", told)
    run("take", "--label", "after")
    answer = run("diff", "before", "after", "--name-status")
    assert (answer.out, answer.err) == ("A\t.gitignore\nD\tgone.tmp\n", told)
    assert "rows.csv" not in run("diff", "before", "after").out
    (taken / ".gitignore").unlink()
    answer = run("diff", "after", "--json").json
    assert [(one["path"], one["status"]) for one in answer["changes"]] == [(".gitignore", "D")]
    assert {(one["path"], one["reason"]) for one in answer["skipped"]} == {
        ("data", "ignored-by-rule"),
        ("notes.tmp", "ignored-by-rule"),
    }


@pytest.mark.campaign
def test_redirected_it_is_a_patch_that_git_applies(taken: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(taken, copy)
    (taken / "src/app.py").write_bytes(NEW)
    patch = subprocess.run(
        [sys.executable, "-m", "hermes_checkpoints", "diff", "1"],
        check=True,
        stdout=subprocess.PIPE,
        cwd=taken,
    ).stdout
    assert (copy / "src/app.py").read_bytes() == OLD
    subprocess.run(["git", "apply", "-"], input=patch, check=True, cwd=copy)
    assert (copy / "src/app.py").read_bytes() == NEW


def test_the_path_of_the_base_may_hold_what_parts_a_list(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / 'a:b "c" \\d\ne'
    monkeypatch.chdir(project)
    run("--home", home, "take")
    (project / "README.md").write_text("changed\n", encoding="utf-8")
    assert run("--home", home, "diff", "--name-status").out == "M\tREADME.md\n"
    run("--home", home, "export", "--layout", "v2", tmp_path / "out")


def test_name_status_is_as_gits(run: Run, taken: Path, tmp_path: Path) -> None:
    copies = tmp_path / "a", tmp_path / "b"
    shutil.copytree(taken, copies[0], symlinks=True)
    (taken / "new\nline").write_text("new\n", encoding="utf-8")
    (taken / "README.md").unlink()
    (taken / "run.sh").chmod(0o644)
    (taken / "docs/notes.txt").unlink()
    (taken / "docs/notes.txt").symlink_to("x")
    shutil.copytree(taken, copies[1], symlinks=True)
    ours = run("diff", "1", "--name-status").out
    command = ["git", "diff", "--no-index", "--no-renames", "--name-status", "a", "b"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    plain = [
        tuple(line.replace("a/", "", 1).replace("b/", "", 1).split("\t", 1))
        for line in theirs.stdout.splitlines()
    ]
    assert sorted(tuple(line.split("\t", 1)) for line in ours.splitlines()) == sorted(plain)
    assert run("diff", "1", "1", "--name-status").out == ""


def test_permissions_that_git_does_not_keep_are_a_modification(run: Run, taken: Path) -> None:
    (taken / "README.md").chmod(0o600)
    assert run("diff", "1", "--name-status").out == "M\tREADME.md\n"
    assert run("diff", "1").out == "README.md: permissions 644 → 600\n"
    (taken / "docs/notes.txt").chmod(0o600)
    (taken / "docs/notes.txt").write_text("other\n", encoding="utf-8")
    (taken / "run.sh").chmod(0o644)
    lines = run("diff", "1").lines
    assert lines[:2] == [
        "README.md: permissions 644 → 600",
        "docs/notes.txt: permissions 644 → 600",
    ]
    assert "old mode 100755" in lines
    assert not any(line.startswith("run.sh: permissions") for line in lines)

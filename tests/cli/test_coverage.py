"""``coverage``: what the next checkpoint would leave out."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from support import Run

LATIN = os.fsdecode(b"caf\xe9.log")


def gaps(project: Path) -> None:
    with (project / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    os.mkfifo(project / "src/pipe")
    for name in ("node_modules/a/b.js", "debug.log", LATIN, "docs/x.tmp"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x", encoding="utf-8")
    (project / ".gitignore").write_text("*.tmp\n", encoding="utf-8")


def test_every_path_left_out_is_listed_with_the_reason(run: Run, project: Path, home: Path) -> None:
    gaps(project)
    answer = run("coverage", project)
    assert answer.lines == [
        f"The next checkpoint of {project} would hold 7 files in 2 directories",
        "",
        "Not captured (2):",
        "  huge.dat  oversize (11.0 MB)",
        "  src/pipe  special",
        "",
        "Ignored by rules (4):",
        r"  caf\xe9.log",
        "  debug.log",
        "  docs/x.tmp",
        "  node_modules/",
    ]
    assert run("log", project).lines == [f"No checkpoints found for {project}"]
    objects = home / "checkpoints/store/objects"
    assert [path for path in objects.rglob("*") if path.is_file()] == []


def test_json(run: Run, project: Path) -> None:
    gaps(project)
    document = run("coverage", project, "--json").json
    assert document["working_dir"] == str(project)
    assert document["complete"] is False
    assert document["file_count"] == 7
    assert document["directory_count"] == 2
    assert document["skipped"] == [
        {"path": "huge.dat", "reason": "oversize", "bytes": 11 * 1024 * 1024},
        {"path": "src/pipe", "reason": "special", "bytes": None},
    ]
    assert [entry["path"] for entry in document["ignored"]] == [
        "caf\ufffd.log",
        "debug.log",
        "docs/x.tmp",
        "node_modules/",
    ]
    assert base64.b64decode(document["ignored"][0]["path_base64"]) == b"caf\xe9.log"


def test_it_tells_what_the_take_then_does(run: Run, taken: Path) -> None:
    gaps(taken)
    (taken / "run.sh").unlink()
    before = run("coverage", "--json").json
    checkpoint = run("take", "--json").json["checkpoint"]
    shown = run("show", "latest", "--json").json
    assert before["skipped"] == shown["skipped"]
    assert before["file_count"] == checkpoint["file_count"] == 6
    assert len(before["ignored"]) == checkpoint["ignored_count"]
    assert before["complete"] == checkpoint["complete"]
    assert run("coverage", "--json").json == before
    # The list and the checkpoint tell it, too.
    assert "[2 not captured]" in run("log").lines[2]
    answer = run("show", "1")
    assert "Marked: 2 not captured" in answer.lines
    assert "Not captured (2):" in answer.lines
    assert "Ignored by rules: 4" in answer.lines


def test_nothing_left_out(run: Run, project: Path) -> None:
    assert run("coverage", project).lines == [
        f"The next checkpoint of {project} would hold 6 files in 2 directories"
    ]


def test_directories_that_are_no_project_are_refused(run: Run, tmp_path: Path) -> None:
    assert "root of a filesystem" in run("coverage", "/", code=2).err
    assert "does not exist" in run("coverage", tmp_path / "nowhere", code=2).err

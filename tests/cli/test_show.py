"""``show``: one checkpoint in full."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from interpreters import on_a_terminal
from support import Run

ODD = "line\nbreak\x1b[31m"
LATIN = os.fsdecode(b"caf\xe9.txt")


def test_facts_changes_and_gaps(run: Run, taken: Path) -> None:
    (taken / "src/app.py").write_text("x = 1\n", encoding="utf-8")
    (taken / "run.sh").unlink()
    with (taken / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    checkpoint = run("take", "-m", "second", "--session", "s-1", "--json").json["checkpoint"]
    answer = run("show", "1")
    assert answer.lines[:4] == [
        f"Checkpoint {checkpoint['id']}",
        f"Working directory: {taken}",
        "Reason: second",
        "Kind: manual",
    ]
    assert "Session: s-1" in answer.lines
    assert "Marked: 1 not captured" in answer.lines
    start = answer.lines.index("Changed since the checkpoint before (2):")
    assert answer.lines[start + 1 : start + 3] == [
        "  D  run.sh  +0/-2  (21 B)",
        "  M  src/app.py  +1/-2  (31 B → 6 B)",
    ]
    start = answer.lines.index("Not captured (1):")
    assert answer.lines[start + 1 :] == ["  huge.dat  oversize (11.0 MB)"]


def test_json(run: Run, taken: Path) -> None:
    (taken / "src/app.py").write_text("x = 1\n", encoding="utf-8")
    (taken / "src/data.bin").write_bytes(b"\0\1\2")
    with (taken / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    run("take")
    document = run("show", "latest", "--json").json
    changes = {change["path"]: change for change in document["changes"]}
    assert set(changes) == {"src/app.py", "src/data.bin"}
    assert changes["src/app.py"] == {
        "path": "src/app.py",
        "status": "M",
        "old_mode": "100644",
        "new_mode": "100644",
        "old_bytes": 31,
        "new_bytes": 6,
        "insertions": 1,
        "deletions": 2,
    }
    assert changes["src/data.bin"]["insertions"] is None
    assert document["skipped"] == [
        {"path": "huge.dat", "reason": "oversize", "bytes": 11 * 1024 * 1024}
    ]
    assert document["complete"] is False


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", [ODD, LATIN, "größe 文.txt", "-dash", ":(glob)**"])
def test_show_prints_odd_names_on_one_line(run: Run, taken: Path, name: str) -> None:
    (taken / name).write_text("odd\n", encoding="utf-8")
    run("take", "-m", "odd")
    answer = run("show", "1")
    assert all(line.isprintable() for line in answer.lines)
    start = answer.lines.index("Changed since the checkpoint before (1):")
    assert len(answer.lines) == start + 2
    (change,) = run("show", "1", "--json").json["changes"]
    if name == LATIN:
        assert change["path"] == "caf\ufffd.txt"
        assert base64.b64decode(change["path_base64"]) == b"caf\xe9.txt"
    else:
        assert change["path"] == name
        assert "path_base64" not in change


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "reference", ["deadbeef", "99", "abc; rm -rf /", "../../etc/passwd", "HEAD~1", "zz", ""]
)
@pytest.mark.parametrize("verb", ["show", "diff", "restore"])
def test_what_is_no_checkpoint_ends_with_2(
    run: Run, taken: Path, verb: str, reference: str
) -> None:
    before = sorted(path.name for path in taken.rglob("*"))
    force = ["-f"] if verb == "restore" else []
    answer = run(verb, *force, reference, code=2)
    assert answer.out == ""
    assert answer.err.startswith("hermes checkpoints: ")
    assert answer.err.count("\n") == 1
    assert sorted(path.name for path in taken.rglob("*")) == before


@pytest.mark.campaign
def test_an_id_names_its_checkpoint_from_anywhere(run: Run, taken: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("x", encoding="utf-8")
    foreign = run("take", other, "--json").json["checkpoint"]["id"]
    (other / "file").write_text("y", encoding="utf-8")
    for id_ in (foreign, foreign[:8]):
        assert run("show", id_, "--json").json["id"] == foreign
        assert run("diff", id_, "--stat", "--json").json["changes"][0]["path"] == "file"
        assert run("cat", id_, "file").out == "x"
        assert run("restore", id_, "file", "--stdout").out == "x"
    for verb in ("show", "diff", "pin", "unpin"):
        assert str(other) in run(verb, foreign[:7], code=2).err
        assert str(other) in run(verb, foreign, "--dir", taken, code=2).err
    assert str(other) in run("label", foreign, "name", code=2).err
    assert str(other) in run("drop", foreign, "-f", code=2).err


def test_the_checkpoint_of_another_project_is_restored_in_that_project_alone(
    run: Run, taken: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("x", encoding="utf-8")
    foreign = run("take", other, "--json").json["checkpoint"]["id"]
    (other / "file").write_text("y", encoding="utf-8")
    assert str(other) in run("restore", foreign, "-f", code=2).err
    assert str(other) in run("restore", foreign, "-f", "--dir", taken, code=2).err
    assert (other / "file").read_text(encoding="utf-8") == "y"
    plan = run("restore", foreign, "--dry-run")
    assert plan.lines[0].startswith(f"Restoring {other} to checkpoint {foreign[:8]} ")
    code, written = on_a_terminal(
        "restore", foreign, "--mode", "overlay", prompt=b"[y/N]: ", typed=b"y\n"
    )
    assert f"Restore {other} to checkpoint {foreign[:8]}? [y/N]: ".encode() in written
    assert code == 0
    assert f"to go back to it: hermes checkpoints undo {other}\r\n".encode() in written
    assert (other / "file").read_text(encoding="utf-8") == "x"
    (other / "file").write_text("y", encoding="utf-8")
    run("restore", foreign, "-f", "--dir", other, "--mode", "overlay")
    assert (other / "file").read_text(encoding="utf-8") == "x"
    assert not (taken / "file").exists()

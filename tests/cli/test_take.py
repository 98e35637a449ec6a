"""``take``: what was captured, and a plain word when nothing was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support import Run


def test_a_checkpoint_is_taken_and_named(run: Run, project: Path) -> None:
    answer = run("take", project, "-m", "first")
    assert re.fullmatch(
        rf"Checkpoint [0-9a-f]{{8}} taken of {re.escape(str(project))}: "
        r"first \(6 files\)\n",
        answer.out,
    )
    assert answer.err == ""


def test_the_project_of_the_current_directory_is_the_default(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    assert run("take", "--json").json["checkpoint"]["working_dir"] == str(project)


def test_nothing_is_added_when_nothing_changed(run: Run, taken: Path) -> None:
    answer = run("take")
    assert re.match(r"Unchanged since checkpoint [0-9a-f]{8} of \d{4}-", answer.out)
    assert run("take", "--json").json["outcome"] == "unchanged"
    assert len(run("log", "--json").json["checkpoints"]) == 1


def test_json(run: Run, project: Path) -> None:
    answer = run("take", project, "-m", "why", "--label", "good", "--session", "s-1", "--json")
    assert answer.json["outcome"] == "taken"
    checkpoint = answer.json["checkpoint"]
    assert re.fullmatch("[0-9a-f]{40}", checkpoint["id"])
    assert checkpoint["short_id"] == checkpoint["id"][:8]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", checkpoint["created_at"])
    assert {
        name: checkpoint[name] for name in ("kind", "reason", "label", "session_id", "file_count")
    } == {
        "kind": "manual",
        "reason": "why",
        "label": "good",
        "session_id": "s-1",
        "file_count": 6,
    }
    assert isinstance(checkpoint["bytes"], int)
    assert run("show", "good", "--dir", project, "--json").json["id"] == checkpoint["id"]


def test_what_was_not_captured_is_said(run: Run, project: Path) -> None:
    with (project / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    (line,) = run("take", project).lines[1:]
    lists = f"hermes checkpoints coverage {project} shows which"
    assert line == f"Incomplete: 1 path is not in it (too large): {lists}"


def test_a_guard_ends_with_2_and_its_reason(run: Run, tmp_path: Path) -> None:
    user_home = tmp_path / "user"
    answer = run("take", user_home, code=2)
    assert answer.out == ""
    assert answer.err.startswith(f"hermes checkpoints: no checkpoint taken of {user_home}: ")
    assert "home directory" in answer.err
    answer = run("take", user_home, "--json", code=2)
    assert (answer.out, json.loads(answer.err)["error"]["code"]) == ("", "home")
    assert run("log", user_home, "--json").json["checkpoints"] == []


@pytest.mark.parametrize("kind", ["missing", "file", "empty"])
def test_what_is_no_directory_ends_with_2(run: Run, project: Path, kind: str) -> None:
    where = {"missing": project / "nowhere", "file": project / "README.md", "empty": ""}[kind]
    answer = run("take", where, code=2)
    assert answer.out == ""
    assert answer.err.startswith("hermes checkpoints: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err


def test_a_reason_with_line_breaks_and_escapes_stays_harmless(run: Run, project: Path) -> None:
    answer = run("take", project, "-m", "one\ntwo\x1b[2J")
    assert "\x1b" not in answer.out
    assert answer.out.count("\n") == 1


def test_a_label_of_a_take_that_finds_nothing_changed_goes_to_what_is_the_state(
    run: Run, taken: Path
) -> None:
    answer = run("take", "--label", "good")
    assert answer.lines[-1] == "It is labelled good"
    assert "no checkpoint added" in answer.lines[0]
    assert run("take", "--label", "good").lines[-1] == "It is labelled good"
    document = run("take", "--label", "best", "--json").json
    assert (document["outcome"], document["checkpoint"]["labels"]) == (
        "unchanged",
        ["best", "good"],
    )
    assert run("show", "good", "--json").json["label"] == "best"
    assert len(run("log", "--json").json["checkpoints"]) == 1
    assert "  [label: best]  [label: good]" in run("log").out


def test_a_label_in_use_is_refused_with_who_has_it_and_moves_when_told(
    run: Run, taken: Path
) -> None:
    run("label", "1", "good")
    (first,) = run("log", "--json").json["checkpoints"]
    (taken / "new").write_text("n")
    refused = run("take", "--label", "good", code=2)
    assert f"checkpoint {first['short_id']} of " in refused.err
    assert "has the label 'good'; choose another one, or move it with --move" in refused.err
    assert len(run("log", "--json").json["checkpoints"]) == 1, "and none was taken"
    run("take", "--label", "good", "--move")
    one, two = run("log", "--json").json["checkpoints"]
    assert (one["labels"], two["labels"]) == (["good"], [])
    assert "has the label 'good'" in run("label", "2", "good", code=2).err
    assert "is labelled good" in run("label", "2", "good", "--move").out


def test_one_of_several_labels_is_removed(run: Run, taken: Path) -> None:
    run("label", "1", "good")
    run("label", "1", "best")
    refused = run("label", "1", "--remove", code=2)
    assert "has the labels best, good; name the one to remove" in refused.err
    assert "does not have the label 'odd'" in run("label", "1", "--remove", "odd", code=2).err
    assert "is labelled best" in run("label", "1", "--remove", "good").out
    run("label", "1", "good")
    assert "is labelled best" in run("label", "1", "good", "--remove").out
    assert "is without a label" in run("label", "1", "--remove").out

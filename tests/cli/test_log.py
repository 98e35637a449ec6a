"""``log``: newest first, numbered, with the marks that matter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from support import Run


def edit(project: Path, text: str) -> None:
    (project / "src/app.py").write_text(text, encoding="utf-8")


def test_newest_first_and_numbered(run: Run, taken: Path) -> None:
    edit(taken, "x = 1\n")
    run("take", "-m", "second")
    answer = run("log")
    assert answer.lines[0] == f"Checkpoints for {taken}:"
    assert re.fullmatch(
        r"  1\. [0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d   \ds  second", answer.lines[2]
    )
    assert "  2. " in answer.lines[3]
    assert "before the edit" in answer.lines[3]
    assert len(answer.lines) == 4


def test_a_line_says_what_followed_its_checkpoint(run: Run, taken: Path) -> None:
    edit(taken, "x = 1\n")
    run("take", "-m", "second")
    assert re.search(r"before the edit +you +1  \+1/-2$", run("log").lines[3])


def test_the_number_of_lines_can_be_limited(run: Run, taken: Path) -> None:
    for number in range(3):
        edit(taken, f"x = {number}\n")
        run("take", "-m", f"step {number}")
    assert [c["reason"] for c in run("log", "-n", "2", "--json").json["checkpoints"]] == [
        "step 2",
        "step 1",
    ]


def test_json_has_the_numbers_that_other_verbs_take(run: Run, taken: Path) -> None:
    edit(taken, "x = 1\n")
    run("take", "-m", "second")
    document = run("log", "--json").json
    assert document["working_dir"] == str(taken)
    assert [c["number"] for c in document["checkpoints"]] == [1, 2]
    for checkpoint in document["checkpoints"]:
        shown = run("show", str(checkpoint["number"]), "--json").json
        assert shown["id"] == checkpoint["id"]


def test_labels_and_gaps_are_marked(run: Run, taken: Path) -> None:
    with (taken / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    edit(taken, "x = 1\n")
    run("take", "--label", "good one")
    assert "  [label: good one]  [1 not captured]" in run("log").lines[2]


def test_no_checkpoints_is_no_error(run: Run, project: Path) -> None:
    assert run("log", project).out == f"No checkpoints found for {project}\n"
    assert run("log", project, "--json").json == {
        "schema": 1,
        "working_dir": str(project),
        "checkpoints": [],
        "related": [],
        "lost": [],
        "left_out": {},
        "failing": None,
    }


@pytest.mark.parametrize("where", ["..", "made-since"])
def test_nearby_projects_are_named(run: Run, taken: Path, where: str) -> None:
    (taken / "made-since").mkdir()
    asked = (taken / where).resolve()
    answer = run("log", asked)
    assert answer.lines == [
        f"No checkpoints found for {asked}",
        f"But checkpoints exist of {taken}",
    ]
    assert run("log", asked, "--json").json["related"] == [{"working_dir": str(taken)}]
    refused = run("show", "1", "--dir", asked, code=2)
    assert str(taken) in refused.err


def test_from_below_the_project_is_found(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(taken / "docs")
    assert run("log").lines[0] == f"Checkpoints for {taken}:"


def test_a_time_is_shown_in_the_zone_of_taking(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time
    from datetime import datetime, timedelta, timezone

    monkeypatch.setenv("TZ", "XXX-11")  # eleven hours east
    time.tzset()
    try:
        run("take", project)
        east = timezone(timedelta(hours=11))
        document = run("log", project, "--json").json
        line = run("log", project).lines[2]
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    created = datetime.fromisoformat(document["checkpoints"][0]["created_at"])
    assert f"{created.astimezone(east):%Y-%m-%d %H:%M}" in line


def test_what_too_much_lies_behind_to_look_at_is_a_question_mark(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("x = 1\n", "x = 2\n", "x = 3\n"):
        edit(taken, text)
        run("take", "-m", text)
    everything = run("log").lines
    monkeypatch.setattr("hermes_checkpoints.admin.timeline.MOST", 1)
    newest, second, third, first = run("log").lines[2:]
    assert "  you  " in second
    assert "?" not in newest + second
    assert third.endswith("?")
    assert first.endswith("?")
    assert run("log", "-n", "1").lines[2:] == everything[2:3]
    entries = run("log", "--json").json["checkpoints"]
    assert [(one["who"], one["takes_back"], one["files_after"]) for one in entries] == [
        ([], 0, None),
        (["person"], 0, 1),
        (None, None, 1),
        (None, None, 1),
    ]


def test_json_has_what_the_list_says_of_what_followed(run: Run, taken: Path, home: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(taken)
        of.begin_turn(session_id="s")
        edit(taken, "x = 1\n")
        (taken / "made.py").write_text("new\n")
        of.end_turn(session_id="s")
    (taken / "README.md").write_text("mine\n")
    run("take", "-m", "second")
    line = run("log").lines[3]
    newest, first = run("log", "--json").json["checkpoints"]
    keys = ("who", "takes_back", "files_after", "insertions_after", "deletions_after")
    assert [newest[key] for key in keys] == [[], 0, None, None, None]
    who, back, *figures = [first[key] for key in keys]
    assert (who, back, figures[0]) == (["agent", "person"], 2, 3)
    assert re.search(r"  agent\+you +{} +\+{}/-{}  +2 files$".format(*figures), line), line
    assert figures == [newest[key] for key in ("files_changed", "insertions", "deletions")]

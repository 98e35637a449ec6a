"""The questions that come with the package are those of docs/sql.md, and their answers are so: on a
base that really went through it, and where git knows the answer, too, by what git says."""

from __future__ import annotations

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.questions_page import HEADING, PAGE, part
from catalog.sent import OTHER, THIRD
from catalog.told_base import Told, tell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog.canned import questions
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Parameter, Question

pytestmark = pytest.mark.slow

QUESTIONS = questions()
Row = dict[str, Any]
Ask = Callable[..., list[Row]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("told").resolve()
    return tell(folder / "home", folder / "work")


@pytest.fixture(scope="module")
def ask(told: Told) -> Iterator[Ask]:
    with Checkpoints.open(told.home, create=False) as checkpoints:

        def rows(name: str, **values: str) -> list[Row]:
            answer = checkpoints.ask(checkpoints.question(name), values=values)
            return [dict(zip(answer.columns, row, strict=True)) for row in answer]

        yield rows


@pytest.fixture(scope="module")
def trees(told: Told) -> dict[str, dict[str, str]]:
    """The blobs of each live checkpoint by path, as git lists them, by the short id."""
    store = told.home / "checkpoints" / "store"

    def git(*words: str) -> str:
        command = ["git", f"--git-dir={store}", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    found: dict[str, dict[str, str]] = {}
    for commit in git("for-each-ref", "--format=%(objectname)", "refs/checkpoints").split():
        listed = [
            line.split(None, 3) for line in git("ls-tree", "-r", f"{commit}:tree").splitlines()
        ]
        found[commit[:8]] = {path: blob for _, _, blob, path in listed}
    return found


def only(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_the_page_has_the_questions_and_there_are_twenty_seven() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(HEADING)[2] == part(QUESTIONS.values())
    assert len(QUESTIONS) == 27


def test_each_question_has_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in QUESTIONS if f'ask("{name}"' in text} == QUESTIONS.keys()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_names_its_parameters(name: str) -> None:
    question = QUESTIONS[name]
    assert re.fullmatch(r"[a-z-]+", name)
    assert question.asks.endswith("?")
    used = set(re.findall(r":([a-z]\w*)", question.query))
    assert used == {one.name for one in question.parameters}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("question", "parameter"),
    [
        pytest.param(one, given.name, id=one.name)
        for one in QUESTIONS.values()
        for given in one.parameters
        if not given.needed
    ],
)
def test_what_an_empty_parameter_stands_for_is_what_is_said(
    ask: Ask, question: Question, parameter: str
) -> None:
    (about,) = (one.about for one in question.parameters if one.name == parameter)
    stands_for = re.fullmatch(r".*\((\d+)\)", about)
    assert stands_for, about
    assert ask(question.name) == ask(question.name, **{parameter: stands_for[1]})
    assert f"nullif(:{parameter}, ''), {stands_for[1]})" in question.query


@pytest.mark.parametrize(
    ("question", "parameter"),
    [(one, given) for one in QUESTIONS.values() for given in one.parameters if given.is_number],
    ids=lambda one: one.name,
)
def test_what_is_no_number_is_refused_and_not_answered_with_nothing(
    ask: Ask, question: Question, parameter: Parameter
) -> None:
    assert not parameter.needed
    for value in ("week", "-5", "7d", "1.5", "1e9", " 7", "\u0667", "1000000"):
        with pytest.raises(BadRequest, match=f":{parameter.name} is a whole number"):
            ask(question.name, **{parameter.name: value})
    ask(question.name, **{parameter.name: "0"})
    most = ask(question.name, **{parameter.name: "999999"})
    if question.name.startswith(("growth", "space", "sessions", "failures")):
        assert most


def test_who_takes_the_space(told: Told, ask: Ask) -> None:
    rows = ask("space-by-project")
    assert only(rows, "working_directory", "state", "checkpoints") == [
        (told.dir("alpha"), "live", 6),
        (told.dir("beta"), "live", 1),
        (told.dir("stale"), "live", 2),
        (told.dir("gone"), "orphan", 1),
    ]
    assert rows[0]["held_bytes"] > 90_000 + 60_000
    assert rows[1]["held_bytes"] > 60_000 > rows[1]["added_bytes"]  # it has what alpha brought


def test_which_files_cost_most(told: Told, ask: Ask) -> None:
    rows = ask("space-by-file")
    assert only(rows, "path", "versions")[:3] == [
        ("draft.bin", 1),
        ("shared.bin", 1),
        ("src/app.py", 5),
    ]
    assert 90_000 <= rows[0]["stored_bytes"] < 100_000
    assert ask("space-by-file", limit="2") == rows[:2]


def test_what_only_one_checkpoint_holds_is_what_git_says(
    ask: Ask, trees: dict[str, dict[str, str]]
) -> None:
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for checkpoint, tree in trees.items():
        for blob in tree.values():
            holders[blob].add(checkpoint)
    rows = ask("space-in-one-checkpoint", limit="1000")
    assert rows[0]["path"] == "draft.bin"
    assert rows[0]["bytes"] == 90_000
    alone = Counter(min(found) for found in holders.values() if len(found) == 1)
    assert Counter(row["checkpoint"] for row in rows) == alone
    for row in rows:
        assert holders[trees[row["checkpoint"]][row["path"]]] == {row["checkpoint"]}


def test_what_several_projects_hold(told: Told, ask: Ask, trees: dict[str, dict[str, str]]) -> None:
    (row,) = ask("space-shared-by-projects")
    assert row["blob"] == trees[told.short("first of beta")]["shared.bin"]
    assert (row["bytes"], row["projects"]) == (60_000, 2)
    files = [f"{told.dir(name)}/shared.bin" for name in ("alpha", "beta")]
    assert sorted(row["files"].split(",")) == files


def test_growth(told: Told, ask: Ask) -> None:
    days = ask("growth-by-day")
    weeks = ask("growth-by-week")
    assert sum(day["checkpoints"] for day in days) == 11
    assert sum(week["checkpoints"] for week in weeks) == 12  # and the one of 40 days ago
    assert sum(week["added_bytes"] for week in weeks) == sum(
        day["added_bytes"] for day in ask("growth-by-day", days="60")
    )
    assert weeks[-1]["added_bytes"] == told.taken["clean"].added_bytes


def test_what_is_kept_by_pins_and_labels(told: Told, ask: Ask) -> None:
    names = ("working_directory", "checkpoint", "pinned", "labels")
    assert only(ask("checkpoints-pinned"), *names) == [
        (told.dir("alpha"), told.short("clean"), "no", "good"),
        (told.dir("beta"), told.short("first of beta"), "yes", None),
    ]
    old = ask("checkpoints-labelled-old")
    assert only(old, "labels", "checkpoint", "days") == [("good", told.short("clean"), 40)]
    assert ask("checkpoints-labelled-old", days="41") == []


def test_how_often_rules_dropped_and_what_became_of_one(told: Told, ask: Ask) -> None:
    because = "its project has more than 4 (max_snapshots)"
    (row,) = ask("checkpoints-dropped")
    assert (row["because"], row["checkpoints"], row["projects"]) == (because, 2, 1)
    for beginning in (told.taken["edit 0"].id, told.short("edit 0").upper()):
        (gone,) = ask("checkpoint-fate", checkpoint=beginning)
        assert (gone["commit_id"], gone["state"]) == (told.taken["edit 0"].id, "pruned")
        assert gone["because"] == because
    (left,) = ask("checkpoint-fate", checkpoint=told.short("clean"))
    assert (left["state"], left["pruned_at"]) == ("live", None)
    assert ask("checkpoint-fate", checkpoint="%") == []


def test_what_a_prune_would_do(told: Told, ask: Ask) -> None:
    rows = ask("prune-next")
    assert only(rows, "working_directory", "checkpoint", "rule") == [
        (told.dir("stale"), told.short("first of stale"), "stale"),
    ]
    candidates = ask("prune-for-space")
    assert only(candidates, "place") == [(1,), (2,), (3,)]
    assert {row["working_directory"] for row in candidates} == {told.dir("alpha")}
    assert only(candidates, "checkpoint")[1:] == [(told.short("edit 2"),), (told.short("edit 3"),)]


def test_takes_that_fail_are_late_or_slow(told: Told, ask: Ask) -> None:
    message = "a turn is a whole number from 0 on, not -1"
    (failing,) = ask("takes-failing")
    assert (failing["working_directory"], failing["times"]) == (told.dir("broken"), 1)
    assert (failing["code"], failing["message"]) == ("bad-request", message)
    assert only(ask("takes-late"), "working_directory", "days", "failures_since_success") == [
        (told.dir("broken"), None, 1),
        (told.dir("stale"), 50, 0),
    ]
    assert only(ask("takes-late", days="60"), "working_directory") == [(told.dir("broken"),)]
    slow = ask("takes-slow")
    assert {row["working_directory"] for row in slow} == {*map(told.dir, ("alpha", "beta", "gone"))}
    assert slow == sorted(slow, key=lambda row: (-row["p95_ms"], row["working_directory"]))
    (kind,) = ask("failures-by-kind")
    assert (kind["operation"], kind["outcome"], kind["times"]) == ("take", "failed", 1)
    assert kind["example"] == message


def test_orphans(told: Told, ask: Ask) -> None:
    (row,) = ask("projects-orphaned")
    assert (row["working_directory"], row["checkpoints"]) == (told.dir("gone"), 1)


def test_which_checkpoints_hold_a_file_is_what_git_says(
    ask: Ask, trees: dict[str, dict[str, str]]
) -> None:
    paths = {path for tree in trees.values() for path in tree}
    assert {"draft.bin", "src/app.py", "whose.txt"} <= paths
    for path in paths:
        held = {row["checkpoint"] for row in ask("file-checkpoints", path=path)}
        assert held == {checkpoint for checkpoint, tree in trees.items() if path in tree}, path
    assert ask("file-checkpoints", path="src/app.p_") == []


def test_who_changed_a_file(told: Told, ask: Ask) -> None:
    (made,) = (row for row in ask("file-changes", path="made.txt") if row["changed_by"] == "agent")
    assert (made["change"], made["session_id"], made["tool"]) == ("created", "s1", "patch")
    assert made["working_directory"] == told.dir("alpha")
    changed = ask("file-changes", path="src/app.py")
    assert changed[-1]["change"] == "created"
    assert "write_file" in {row["tool"] for row in changed}


def test_what_is_not_captured_and_of_whom_nobody_knows(told: Told, ask: Ask) -> None:
    beta = told.dir("beta")
    assert only(ask("files-skipped"), "reason", "paths", "bytes", "example") == [
        ("oversize", 1, 1_100_000, f"{beta}/large.bin"),
        ("special", 1, None, f"{beta}/pipe"),
    ]
    (row,) = ask("files-changed-by-nobody-known")
    assert (row["working_directory"], row["changes"]) == (told.dir("alpha"), 1)
    assert row["because"] == "the process of the agent was gone"


def test_what_sessions_did_and_do(told: Told, ask: Ask) -> None:
    assert only(ask("session-changes", session="s1"), "path", "changes", "tools") == [
        ("made.txt", 1, "patch"),
        ("src/app.py", 1, "write_file"),
    ]
    assert ask("session-changes", session="s9") == []
    assert only(ask("sessions-busiest"), "session_id", "files_changed") == [
        ("s1", 2),
        ("s2", 0),
        ("s3", 0),
    ]
    (work,) = ask("sessions-at-work")
    assert (work["session_id"], work["turn"]) == ("s2", 3)
    assert work["began_at"] == told.short("first of beta")


def test_restores_that_were_taken_back(told: Told, ask: Ask) -> None:
    (row,) = ask("restores-undone")
    assert (row["working_directory"], row["role"]) == (told.dir("alpha"), "restore")
    assert (row["target"], row["undone_by"]) == (told.short("edit 4"), "undo")


def test_what_a_remote_does_not_have(told: Told, ask: Ask) -> None:
    rows = ask("checkpoints-unsent")
    assert {row["remote"] for row in rows} == {"https://example.org/saves.git"}
    found = {row["checkpoint"]: (row["state"], row["because"], row["files"]) for row in rows}
    assert found[told.short("first of beta")] == (
        "refused",
        "it looks like a secret",
        "large.bin",
    )
    assert found[told.short("second of stale")] == ("unsent", None, None)
    assert told.short("edit 4") not in found


def test_which_machines_have_stopped(ask: Ask) -> None:
    (row,) = ask("machines-silent")
    assert (row["machine"], row["machine_name"]) == (OTHER, "laptop")
    assert (row["directories"], row["checkpoints"], row["days"]) == (1, 2, 41)
    assert [row["machine"] for row in ask("machines-silent", days="0")][:2] == [OTHER, THIRD]
    assert ask("machines-silent", days="50") == []

"""``status``: the text of version 2, and whether the safety net still works."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from hermes_checkpoints.cli.status import failure_line
from hermes_checkpoints.cli.text import columns
from hermes_checkpoints.model import FailureRun
from interpreters import on_a_terminal
from support import Run


@pytest.mark.parametrize("verb", [[], ["status"], ["list"]])
def test_an_empty_home(run: Run, fresh_home: Path, verb: list[str]) -> None:
    answer = run(*verb)
    assert answer.lines[0] == f"Checkpoint base: {fresh_home}/checkpoints"
    assert answer.lines[1:5] == [
        "Total size:      0 B",
        "  store/         0 B",
        "  legacy-*       0 B",
        "Projects:        0",
    ]
    assert "Last successful take: —" in answer.lines
    assert "WORKDIR" not in answer.out


def test_the_table(run: Run, taken: Path, home: Path) -> None:
    answer = run("status")
    assert answer.lines[0] == f"Checkpoint base: {home}/checkpoints"
    assert re.fullmatch(r"Total size:      \d+\.\d KB", answer.lines[1])
    assert re.fullmatch(r"  store/         \d+\.\d KB", answer.lines[2])
    assert answer.lines[3] == "  legacy-*       0 B"
    assert answer.lines[4] == "Projects:        1"
    assert answer.lines[5] == "Checkpoints:     1"
    assert re.fullmatch(r"Last successful take: \d+s ago", answer.lines[6])
    start = answer.lines.index("")
    assert answer.lines[start + 1] == f"  WORKDIR{' ' * 53}  COMMITS    LAST TOUCH  STATE"
    row = answer.lines[start + 2]
    shown = str(taken) if len(str(taken)) <= 60 else "…" + str(taken)[-59:]
    assert re.fullmatch(rf"  {re.escape(f'{shown:<60}')}        1 {{7,8}}\d+s ago  live", row)
    assert row.index("  live") == answer.lines[start + 1].index("  STATE")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(("room", "wide"), [(200, 90), (100, 62), (80, 42), (40, 20)])
def test_the_directory_has_the_room_that_the_terminal_leaves(
    run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, room: int, wide: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(room))
    named = Path("/" + "d" * (89 - len(str(tmp_path))))
    folder = tmp_path / str(named)[1:]
    folder.mkdir()
    assert len(str(folder)) == 90
    run("take", folder)
    code, written = on_a_terminal("status")
    table = written.decode().replace("\r", "").split("\n\n")[-1].splitlines()
    assert code == 0
    assert table[0] == f"  {'WORKDIR':<{wide}}  COMMITS    LAST TOUCH  STATE"
    name = str(folder) if wide == 90 else "…" + str(folder)[1 - wide :]
    assert table[1].startswith(f"  {name}        ")
    assert table[1].endswith("s ago  live")


def test_json(run: Run, taken: Path, home: Path) -> None:
    document = run("status", "--json").json
    assert document["base"] == f"{home}/checkpoints"
    assert document["total_bytes"] >= document["store_bytes"] > 0
    assert (document["project_count"], document["checkpoint_count"]) == (1, 1)
    assert re.fullmatch(r"\d{4}-.*T.*\.\d{6}Z", document["last_success_at"])
    (project,) = document["projects"]
    assert project["working_dir"] == str(taken)
    assert (project["checkpoints"], project["state"]) == (1, "live")
    assert project["added_bytes"] > 0
    assert document["failures"] == []


def test_a_deleted_project_is_an_orphan(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(taken.parent)
    shutil.rmtree(taken)
    assert run("status").lines[-1].endswith(" orphan")
    assert run("status", "--json").json["projects"][0]["state"] == "orphan"


def test_the_most_recent_projects_up_to_the_limit(run: Run, tmp_path: Path) -> None:
    for number in range(4):
        folder = tmp_path / f"project-{number}"
        folder.mkdir()
        (folder / "file").write_text(str(number), encoding="utf-8")
        run("take", folder)
    answer = run("status", "--limit", "2")
    assert "Projects:        4" in answer.lines
    assert answer.lines[-1] == "  … and 2 more projects: --limit 4"
    assert "project-3 " in answer.lines[-3]
    assert "project-2 " in answer.lines[-2]
    document = run("status", "--limit", "2", "--json").json
    assert document["project_count"] == 4
    assert [Path(p["working_dir"]).name for p in document["projects"]] == ["project-3", "project-2"]


def test_a_home_of_its_own(run: Run, project: Path, tmp_path: Path, fresh_home: Path) -> None:
    other = tmp_path / "other-home"
    run("take", project, "--home", other)
    assert run("--home", other, "status", "--json").json["checkpoint_count"] == 1
    assert not fresh_home.exists()


@pytest.mark.parametrize(
    ("workdir", "count", "expected"),
    [
        ("/p", 14, "WARNING: last 14 takes failed since 2026-11-20 of /p: index lock held by 7"),
        ("", 1, "WARNING: last take failed since 2026-11-20: index lock held by 7"),
    ],
)
def test_the_line_about_failures(workdir: str, count: int, expected: str) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    failure = FailureRun(workdir, count, noon, "index lock held by 7")
    assert failure_line(failure) == expected


def test_a_safety_net_that_stopped_working_is_seen(run: Run, taken: Path, home: Path) -> None:
    objects = home / "checkpoints" / "store" / "objects"
    objects.rename(objects.with_name("objects-gone"))
    objects.write_text("no folder", encoding="utf-8")
    for number in range(3):
        (taken / "src/app.py").write_text(f"x = {number}\n", encoding="utf-8")
        assert run("take", code=2).err.startswith("hermes checkpoints: ")
    warnings = [line for line in run("status").lines if line.startswith("WARNING: ")]
    assert len(warnings) == 1
    assert warnings[0].startswith("WARNING: last 3 takes failed since ")
    (failure,) = run("status", "--json").json["failures"]
    assert failure["count"] == 3
    assert failure["last_error"]


def test_a_name_of_wide_characters_keeps_the_columns(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / ("日本語" * 15)
    folder.mkdir()
    run("take", folder)
    for answer in (run("status").out, on_a_terminal("status")[1].decode()):
        header, row = answer.replace("\r", "").split("\n\n")[-1].splitlines()
        assert columns(row[: row.index("  live")]) == header.index("  STATE")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "words",
    [
        *("take --label 12", "take --label latest", "take nosuch", "take README.md", "log nosuch"),
        *("undo README.md", "pin nosuch", "drop nosuch -f", "prune nosuch", "coverage nosuch"),
        *("sessions show nosuch", "rebind nosuch .", "restore nosuch -f", "restore 1 nosuch -f"),
    ],
)
def test_a_word_that_is_nothing_is_refused_and_no_failure_of_the_safety_net(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(project)
    assert run("take").code == 0
    before = run("status", "--json").json
    said = run(*words.split(), code=2)
    assert said.out == ""
    assert (
        words.split()[2 if words.startswith(("take --", "restore 1", "sessions")) else 1]
        in said.err
    )
    after = run("status", "--json").json
    assert after["failures"] == before["failures"] == []


def test_what_failed_where_no_directory_is_any_more_is_told_for_14_days(
    run: Run, tmp_path: Path, home: Path
) -> None:
    large = tmp_path / "large"
    large.mkdir()
    for number in range(3):
        (large / str(number)).touch()
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("checkpoints: {max_files: 2}\n", encoding="utf-8")
    run("take", large, code=2)
    shutil.rmtree(large)

    def told() -> list[str]:
        return [line for line in run("status").lines if line.startswith("WARNING: last take was")]

    assert len(told()) == 1
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute("UPDATE operations SET started_at = '2026-01-01 00:00:00.000000'")
    assert told() == []
    assert run("status", "--json").json["failures"] == []
    large.mkdir()  # it is there again: the takes fail as before, as far as anybody knows
    assert len(told()) == 1


def test_status_and_du_take_a_directory_as_log_and_prune_do(run: Run, tmp_path: Path) -> None:
    one, other = (tmp_path / name for name in ("one", "other"))
    for folder in (one, other):
        folder.mkdir()
        (folder / "a").write_text(folder.name, encoding="utf-8")
        run("take", folder)
    for verb in ("status", "list", "du"):
        assert "/other " in run(verb).out
        for named in (run(verb, one).out, run(verb, "--dir", one).out):
            assert "/one " in named
            assert "/other " not in named
        assert "is no directory" in run(verb, tmp_path / "nosuch", code=2).err


def test_a_check_ends_with_a_code_and_one_line(run: Run, taken: Path, home: Path) -> None:
    fine = run("status", "--check")
    assert re.fullmatch(
        r"fine: last successful take \d+s ago; no failures; .* of 500.0 MB\n", fine.out
    )
    document = run("status", "--check", "--json").json
    assert document["problems"] == []
    assert (document["fine"], document["max_age_seconds"]) == (True, 86_400)
    assert (document["failures"], document["max_failures"]) == (0, 0)
    assert document["max_bytes"] == 500 * 1024 * 1024 > document["bytes"] > 0

    (home / "config.yaml").write_text("checkpoints: {max_files: 2}\n", encoding="utf-8")
    run("take", code=2)
    failing = run("status", "--check", code=1)
    assert failing.out.startswith("not fine: last take was refused since ")
    assert failing.err == ""
    assert len(failing.lines) == 1
    problems = run("status", "--check", "--json", code=1).json["problems"]
    assert [problem["code"] for problem in problems] == ["failures"]
    run("status", "--check", "--max-failures", "1")

    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as connection, connection:
        connection.execute("UPDATE operations SET finished_at = '2026-01-01 00:00:00.000000'")
    assert "the last successful take was" in run("status", "--check", code=1).out
    run("status", "--check", "--max-age", "5000w", "--max-failures", "1")
    run("status", "--check", "--max-age", "5000w", "--max-failures", "1", taken)
    run("list", "--check", code=1)


def test_what_cannot_be_told_is_an_error(run: Run, taken: Path, home: Path) -> None:
    (home / "checkpoints" / "catalog.db").write_bytes(b"no catalog at all" * 1000)
    answer = run("status", "--check", code=2)
    assert answer.out == ""
    assert "damaged" in answer.err


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "words",
    [
        ("status", "--max-age", "3d"),
        ("status", "--max-failures", "0"),
        ("status", "--check", "--max-age", "soon"),
        ("status", "--check", "--max-size-mb", "-1"),
    ],
)
def test_bounds_without_a_check_and_bounds_that_are_none_are_wrong_usage(
    taken: Path, words: tuple[str, ...]
) -> None:
    try:
        code = main([*words])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 64

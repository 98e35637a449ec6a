"""``sql``: rows for people, programs and spreadsheets; asking changes nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest

from cli.conftest import Screen
from hermes_checkpoints.catalog import asking
from interpreters import on_a_terminal
from support import OrdinaryUserLike, Run, everything

COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
NUMBERS = COUNTING + "SELECT i FROM n"  # noqa: S608


def module() -> list[str]:
    return [
        sys.executable,
        "-c",
        "import sys; from hermes_checkpoints.cli import main; sys.exit(main())",
    ]


def test_rows_are_printed_as_a_table(run: Run, taken: Path) -> None:
    answer = run("sql", "SELECT 1 AS n, 'a' AS text, NULL AS none UNION SELECT 200, 'b', ''")
    assert answer.lines == [
        "  n  text  none",
        "---  ----  ----",
        "  1  a",
        "200  b",
    ]
    assert run("sql", "SELECT reason FROM checkpoint_list").lines[-1] == "before the edit"
    assert run("sql", "SELECT 1 AS a WHERE 0").lines == ["a", "(no rows)"]
    limited = run("sql", "-n", "1", "VALUES (1), (2)").lines
    assert limited[-2:] == ["      1", "… and more: -n N prints N of them"]


@pytest.mark.slow
def test_a_table_is_cut_on_a_terminal_and_nowhere_else(run: Run, taken: Path, home: Path) -> None:
    query = "SELECT 'short' AS s, hex(zeroblob(300)) AS a, 'x' || hex(zeroblob(200)) AS b"
    assert "0" * 600 in run("sql", query).out
    code, written = on_a_terminal("sql", query, COLUMNS="60")
    assert code == 0
    lines = written.decode().splitlines()
    assert max(map(len, lines)) <= 60
    assert re.fullmatch(r"short  0+…  x0+…", lines[-1])


def test_a_path_keeps_its_end_and_what_has_too_many_columns_is_a_list_for_each_row(
    run: Run, taken: Path, screen: Screen
) -> None:
    query = "SELECT hex(zeroblob(99)) AS text, '/a/' || hex(zeroblob(99)) || '/end' AS path"
    assert re.fullmatch(r"0+…  …0+/end", screen.lines("sql", query)[-1])
    names = [f"column_{number}" for number in range(9)]
    query = f"SELECT {', '.join(f'{names.index(one)} AS {one}' for one in names)}, '' AS last"
    assert screen.lines("sql", f"{query} UNION ALL SELECT 9, 8, 7, 6, 5, 4, 3, 2, 1, x'00'") == [
        *(f"{one}  {number}" for number, one in enumerate(names)),
        "last",
        "",
        *(f"{one}  {9 - number}" for number, one in enumerate(names)),
        "last      X'00'",
    ]
    assert screen.lines("sql", f"{query} LIMIT 0") == ["(no rows)"]
    assert len(run("sql", query).lines) == 3


@pytest.mark.slow
def test_nothing_that_is_printed_moves_a_cursor(run: Run, taken: Path) -> None:
    query = "SELECT 'a' || char(10, 27) || '[2Jb' AS \"na\nme\", CAST(x'61ff' AS TEXT), x'00ff'"
    lines = run("sql", query).lines
    assert len(lines) == 3
    assert lines[0].startswith("na\\nme")
    assert lines[2] == "a\\n\\x1b[2Jb  a\\xff                  X'00FF'"
    written = on_a_terminal("sql", query, "--csv")[1]
    assert b"\x1b" not in written
    assert rb"\x1b[2Jb" in written


def test_json_is_one_document_of_objects(run: Run, taken: Path) -> None:
    query = (
        "SELECT 1 AS a, 2 AS a, 9e999 AS big, -9e999 AS small, NULL AS none, 0.5 AS half,"
        " 9223372036854775807 AS most, CAST(x'61ff' AS TEXT) AS text, x'00ff' AS raw,"
        " x'41' AS text_base64"
    )
    document = run("sql", query, "--json").json
    names = ["a", "a:1", "big", "small", "none", "half", "most", "text", "raw", "text_base64"]
    assert document["columns"] == names
    assert document["more"] is False
    assert document["rows"] == [
        {
            "a": 1,
            "a:1": 2,
            "big": "Infinity",
            "small": "-Infinity",
            "none": None,
            "half": 0.5,
            "most": 2**63 - 1,
            "text": "a\ufffd",
            "text_base64:1": "Yf8=",
            "raw": "\0\ufffd",
            "raw_base64": "AP8=",
            "text_base64": "A",
            "text_base64_base64": "QQ==",
        }
    ]
    assert run("sql", "SELECT 1 AS a WHERE 0", "--json").json == {
        "schema": 1,
        "columns": ["a"],
        "rows": [],
        "more": False,
    }
    limited = run("sql", "VALUES (1), (2)", "-n", "1", "--json").json
    assert (limited["rows"], limited["more"]) == ([{"column1": 1}], True)


@pytest.mark.campaign
def test_a_document_of_many_rows_is_whole(run: Run, taken: Path) -> None:
    document = run("sql", NUMBERS + " LIMIT 25000", "--json").json
    assert [row["i"] for row in document["rows"]] == [*range(1, 25_001)]
    lines = run("sql", NUMBERS + " LIMIT 25000").lines
    assert [int(line) for line in lines[2:]] == [*range(1, 25_001)]


@pytest.mark.campaign
def test_csv_is_read_back_by_whoever_reads_csv(taken: Path) -> None:
    query = (
        "SELECT 'a,b' AS \"x,y\", 'q\"q' AS q, 'two\nlines' AS n, NULL AS none,"
        " x'0a' AS raw, 7 AS i"
    )
    done = subprocess.run([*module(), "sql", "--csv", query], capture_output=True, check=True)
    assert done.stdout.endswith(b"X'0A',7\r\n")
    rows = [*csv.reader(io.StringIO(done.stdout.decode(), newline=""))]
    assert rows == [
        ["x,y", "q", "n", "none", "raw", "i"],
        ["a,b", 'q"q', "two\nlines", "", "X'0A'", "7"],
    ]
    command = [*module(), "sql", "--csv", "SELECT CAST(x'ff' AS TEXT) AS t"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"t\r\n\xff\r\n"


@pytest.mark.campaign
def test_a_query_comes_through_a_pipe(taken: Path) -> None:
    for words in ((), ("-",)):
        done = subprocess.run(
            [*module(), "sql", *words],
            input=b"\xef\xbb\xbf-- how many?\nSELECT 40 + 2 AS answer;\n",
            capture_output=True,
            check=True,
        )
        assert done.stdout == b"answer\n------\n    42\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"", b"the query is empty"),
        (b"SELECT '\xff'", b"the query is not valid UTF-8"),
        (b"SELECT '" + b"a" * 5_000_000 + b"'", b"too long for a query"),
    ],
)
def test_what_is_no_query_is_refused(taken: Path, given: bytes, said: bytes) -> None:
    done = subprocess.run([*module(), "sql"], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr


@pytest.mark.slow
def test_on_a_terminal_a_query_must_be_given(taken: Path) -> None:
    code, written = on_a_terminal("sql")
    assert code == 64
    assert b"--questions lists questions" in written


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("SELECT 1", "--json", "--csv"), "--csv and --json: give one of them"),
        (("SELECT 1", "--question", "takes-slow"), "QUERY and --question: give one of them"),
        (("--questions", "--schema"), "--questions and --schema: give one of them"),
        (("--schema", "--csv"), "--csv goes with a query"),
        (("--questions", "-n", "3"), "-n goes with a query"),
        (("SELECT :a", "--param", "a"), "--param a: give NAME=VALUE"),
        (("SELECT :a", "--param", "a=1", "--param", ":a=2"), "--param a is given twice"),
        (("SELECT 1", "--dir", "."), "is about no single directory"),
    ],
)
def test_wrong_usage_is_said(
    taken: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    from hermes_checkpoints.cli import main

    try:
        code = main(["sql", *words])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 64
    assert said in capsys.readouterr().err


def test_what_is_wrong_with_a_query_is_an_error(run: Run, taken: Path) -> None:
    for query, said in {
        "SELECT absent FROM settings": "no such column: absent",
        "DELETE FROM settings": "DELETE on settings is refused",
        "SELECT :a": "give --param a=VALUE",
    }.items():
        answer = run("sql", query, code=2)
        assert answer.out == ""
        assert said in answer.err


def test_questions_are_listed_and_asked_by_name(run: Run, taken: Path) -> None:
    listed = run("sql", "--questions")
    assert "space-by-project" in listed.out
    assert "Which checkpoints hold a file?  --param path=…" in listed.out
    document = run("sql", "--questions", "--json").json
    assert len(document["questions"]) == 27
    question = next(one for one in document["questions"] if one["name"] == "file-checkpoints")
    assert question["parameters"][0]["needed"] is True
    asked = ("sql", "--question", "file-checkpoints")
    (row,) = run(*asked, "--param", "path=src/app.py", "--json").json["rows"]
    assert row["reason"] == "before the edit"
    by_hand = run("sql", question["query"], "--param", ":path=src/app.py", "--json").json["rows"]
    assert by_hand == [row]
    assert "needs a value for :path" in run(*asked, code=2).err
    assert "did you mean" in run("sql", "--question", "file-checkpoint", code=2).err


def test_the_schema_is_listed_with_its_comments(run: Run, taken: Path) -> None:
    lines = run("sql", "--schema").lines
    assert "view checkpoint_list" in lines
    assert "table checkpoints" in lines
    meaning = "its name in full: git's name of the commit"
    assert f"    commit_id           VARCHAR(64)   {meaning}" in lines
    only = run("sql", "--schema", "store_packing").lines
    assert only[0] == "view store_packing"
    assert only[-1].startswith("    ratio    bytes that git needed then")
    (one,) = run("sql", "--schema", "settings", "--json").json["relations"]
    assert [column["name"] for column in one["columns"]] == ["name", "value", "updated_at"]


WHEN_IT_RUNS = """
import os, signal, sys, threading
from hermes_checkpoints.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
first = threading.main_thread().ident
def stop():
    times = 0
    while times < 1000:
        code = sys._current_frames()[first].f_code
        runs = code.co_filename.endswith("asking.py") and code.co_name == "ask"
        times = times + 1 if runs else 0
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=stop, daemon=True).start()
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_ctrl_c_ends_a_query_that_has_no_end(taken: Path) -> None:
    """Both before its first row and while it prints."""
    query = COUNTING + "SELECT max(i) FROM n"  # noqa: S608
    command = [sys.executable, "-c", WHEN_IT_RUNS, "sql", query]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "hermes checkpoints: interrupted\n"

    command = [*module(), "sql", "--csv", NUMBERS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        assert printing.stdout is not None
        assert printing.stderr is not None
        assert printing.stdout.readline() == b"i\r\n"
        printing.send_signal(signal.SIGINT)
        while printing.stdout.read(1 << 20):
            pass
        assert b"Traceback" not in printing.stderr.read()
    assert printing.returncode == 130


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("callback", ["judge", "<lambda>", "_text"])
def test_ctrl_c_in_whatever_sqlite_asks_of_python_is_an_interrupt(
    run: Run, taken: Path, callback: str
) -> None:
    def stop(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name == callback and code.co_filename == asking.__file__:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    query = COUNTING + "SELECT 'a' FROM n LIMIT 20000"  # noqa: S608
    sqlite3.enable_callback_tracebacks(False)  # Datasette switches them on as it is imported
    sys.setprofile(stop)
    try:
        answer = run("sql", query, code=130)
    finally:
        sys.setprofile(None)
    assert (answer.out, answer.err) == ("", "hermes checkpoints: interrupted\n")


@pytest.mark.campaign
def test_a_reader_that_is_gone_ends_it(taken: Path) -> None:
    command = [*module(), "sql", NUMBERS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        assert printing.stdout is not None
        assert printing.stderr is not None
        printing.stdout.readline()
        printing.stdout.close()
        assert printing.stderr.read() == b""
    assert printing.returncode == 141


@pytest.mark.campaign(beyond=1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.slow
@pytest.mark.parametrize("form", ["--csv", "--json", "--limit=9"])
def test_a_full_disk_is_said(taken: Path, form: str) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*module(), "sql", "SELECT 1", form]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 70
    assert b"the output cannot be written: No space left" in done.stderr


@pytest.mark.slow
def test_a_base_that_can_only_be_read_is_asked(as_user: OrdinaryUserLike) -> None:
    assert as_user(_ask_read_only, as_user.tmp) == [
        {"reason": "in the file"},
        {"reason": "in the log"},
    ]


def _ask_read_only(tmp: Path) -> object:
    """Ask a base whose last change is still in the log, and in which nothing may be written."""
    import contextlib

    from hermes_checkpoints import Checkpoints
    from hermes_checkpoints.cli import main

    project, home = tmp / "project", tmp / "home"
    project.mkdir()
    with Checkpoints.open(home) as checkpoints:
        for reason in ("in the file", "in the log"):
            (project / "a").write_text(reason)
            checkpoints.project(project).take(reason)
        base = home / "checkpoints"
        (tmp / "kept").mkdir()
        for path in base.glob("catalog.db*"):
            (tmp / "kept" / path.name).write_bytes(path.read_bytes())
    for path in (tmp / "kept").iterdir():
        if not path.name.endswith("-shm"):
            (base / path.name).write_bytes(path.read_bytes())
    folders = [home, *(path for path in home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    said = io.StringIO()
    try:
        before = everything(home)
        query = "SELECT reason FROM checkpoint_list ORDER BY number DESC"
        with contextlib.redirect_stdout(said):
            assert main(["--home", str(home), "sql", query, "--json"]) == 0
        assert everything(home) == before
    finally:
        for folder in folders:
            folder.chmod(0o700)
    return json.loads(said.getvalue())["rows"]

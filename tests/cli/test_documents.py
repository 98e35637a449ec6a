"""What ``--json`` prints is what docs/json.md and the schemas say, of every verb. Each document
that another test prints by ``run`` is checked against them, too (tests/documents.py)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from documents import SCHEMAS, documents_of, fits, validate, verb_of
from hermes_checkpoints import Checkpoints, Kind, Sessions
from hermes_checkpoints.cli import main
from hermes_checkpoints.cli.help import VERBS
from hermes_checkpoints.cli.json.history import of_adopted
from hermes_checkpoints.cli.json.shapes.documents import DOCUMENTS, WITHOUT
from hermes_checkpoints.cli.json.values import ascii_of, text_of
from hermes_checkpoints.compat.adopt import Adopted, HomeState
from support import Run, make_project

ODD = os.fsdecode(b"caf\xe9")
"""A name that is no UTF-8."""


def turn_of_an_agent(project: Path, file: Path) -> None:
    """Let a turn of session s-1 write a file."""
    with Checkpoints.open() as checkpoints:
        of = checkpoints.project(project)
        of.take("before a tool", kind=Kind.AUTO, session_id="s-1")
        file.write_text("by the agent\n")
        of.end_turn(session_id="s-1")
        of.take("after it", kind=Kind.AUTO, session_id="s-1")
        of.end_turn(session_id="s-1")


PAGE = (SCHEMAS.parent / "json.md").read_text(encoding="utf-8")


def test_every_verb_has_a_document_or_a_reason() -> None:
    having = {verb for verb in VERBS if documents_of(verb)}
    assert having.isdisjoint(WITHOUT)
    assert having | WITHOUT.keys() == VERBS.keys()


def test_what_prints_a_document_begins_with_a_verb() -> None:
    for one in DOCUMENTS:
        for line in one.printed_by:
            assert not line or verb_of(line.split()) in {*VERBS, "list"}, line


@pytest.mark.slow
def test_every_verb_prints_what_its_schema_says(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / ODD)
    (project / ODD).write_text("as it was\n")
    os.mkfifo(project / "pipe")
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.chdir(project)
    for words in ("init -q", "add .", "-c user.name=me -c user.email=me@here commit -qm one"):
        subprocess.run(["git", *words.split()], check=True)
    with Sessions.open(home) as sessions:
        for version in (1, 2):
            sessions.write("s-1", {"task": f"task {version}"})
    (tmp_path / "old-sessions").mkdir()
    (tmp_path / "old-sessions" / "s-2.yaml").write_text("task: older\n")
    (tmp_path / "old-sessions" / "s-3.yaml").write_text("{")
    printed = {"error", "adopt"}  # by the next tests
    printed |= {"fleet-index", "fleet-status"}  # by tests/fleet, where there is a server

    def say(*words: str, code: int = 0) -> None:
        printed.add(fits(verb_of(words), run(*words, "--json", code=code).json))

    def edit() -> None:
        with (project / ODD).open("a") as file:
            file.write("more\n")

    say("take", "--label", "first")
    turn_of_an_agent(project, project / ODD)
    edit()
    say("take", "-m", ODD)
    say("take")
    (project / ODD).unlink()
    for line in (
        *("", "list", "status --check", "log", "log --flat", "show", "show 2", "coverage", "du"),
        *("du --measure", "find", "find --deleted --content was", "diff", "diff 2 1 --stat"),
        *("diff --head", "diff --session s-1", "sessions", "sessions list", "sessions show s-1"),
        *("sessions history s-1", "sessions export s-1", "sessions restore s-1 1"),
        *("sessions delete s-1 --dry-run", "sessions gc -f", "sql --questions", "sql --schema"),
        *("pin 1", "unpin 1", "label 1 named", "prune --dry-run", "drop 2 --dry-run"),
        *("restore 1 --dry-run", "completion bash", "hook install claude --dry-run"),
        *("hook install claude --print", "export 1 --tar ../one.tar", "import-legacy"),
        *("export 1 --patch ../one.patch", "export ../v2 --layout v2", "clear-legacy -f"),
        *("export 1 --branch one --dry-run", "export 1 --branch one"),
    ):
        say(*line.split())
    say("log", ODD)
    say("who", ODD)
    say("cat", "1", ODD)
    say("find", ODD)
    say("forget", ODD, "--dry-run")
    say("sql", "SELECT * FROM projects")
    say("sessions", "import", str(tmp_path / "old-sessions"), code=3)
    say("restore", "1", "--mode", "overlay", "-f")
    say("restore", "1", "--mode", "overlay", "-f")
    say("undo", "--dry-run")
    say("undo", "-f")
    say("redo", "-f")
    say("doctor")
    say("import-legacy", str(tmp_path / "v2"))
    say("forget", ODD, "-f")
    say("drop", "first", "--include-pinned", "-f")
    say("prune", "--max-snapshots", "1", "-f")
    project.rename(tmp_path / "moved")
    say("rebind", str(project), str(tmp_path / "moved"))
    (home / "checkpoints" / "legacy-1").mkdir()
    say("status")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "undo.git")], check=True)
    (home / "config.yaml").write_text(f"checkpoints: {{remote: {{url: {tmp_path}/undo.git}}}}\n")
    for verb in (["remote", "check"], ["push", "--dry-run"], ["push"], ["pull"]):
        say(*verb)
    say("log", "--remote", "--all")
    say("remote", "status")
    say("remote", "prune", "--all", "--dry-run")
    say("remote", "prune", "--all", "-f")
    say("clear", "--dry-run")
    say("clear", "--sessions", "-f")
    assert printed == {one.name for one in DOCUMENTS} - {"admin", "demo"}


def test_the_agent_that_was_adopted(tmp_path: Path) -> None:
    refused = HomeState("work", tmp_path / ODD, enabled=False, change=False, refused="no mapping")
    homes = (HomeState("default", tmp_path / "c", enabled=True, change=True), refused)
    done = Adopted("0.19.0", tmp_path / ODD, homes, changed=True, written=(tmp_path / ODD,))
    validate("adopt", json.loads(text_of(of_adopted(done, undone=False))))


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        (["show", "7", "--json"], 2, "checkpoint-unknown", None),
        (["take", "/", "--json"], 2, "root", None),
        (["clear", "--json"], 2, "bad-request", "use -f to delete, or --dry-run to see"),
        (["diff", "--head", "--turn", "1", "--json"], 64, "bad-usage", None),
        (["mcp", "--json"], 2, "bad-request", None),
    ],
)
def test_an_error_is_a_document_on_stderr(
    run: Run, taken: Path, words: list[str], code: int, error: str, hint: str | None
) -> None:
    answer = run(*words, code=code)
    assert answer.out == ""
    (line,) = answer.err.splitlines()
    found = json.loads(line)["error"]
    assert (found["code"], found["exit_code"]) == (error, code)
    assert (found["hint"] or "").startswith(hint or "") and (found["hint"] is None) == (not hint)
    assert f"| `{error}` | {code} |" in PAGE


def test_the_example_of_the_page_is_so(run: Run, taken: Path) -> None:
    (example,) = re.findall(r'^\{"schema": 1, "error".*$', PAGE, re.MULTILINE)
    answer = run("show", "7", "--json", code=2)
    message = json.dumps(json.loads(answer.err)["error"]["message"])
    assert answer.err == example.replace('"…"', message) + "\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["log", "--jsn", "--json"], "--json"),
        (["--json", "log", "--hmoe", "x"], "--home"),
        (["--js", "lgo"], "log"),
        (["prune", "--max-snapshots", "many", "--json"], None),
    ],
)
def test_wrong_usage_is_one_too(
    capsys: pytest.CaptureFixture[str], words: list[str], hint: str | None
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (64, "")
    document = json.loads(printed.err)
    validate("error", document)
    assert (document["error"]["code"], document["error"]["hint"]) == ("bad-usage", hint)


def test_json_behind_the_separator_asks_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["log", "one", "--", "--json"])
    assert capsys.readouterr().err.startswith("usage: ")


def test_the_command_that_brings_a_path_back_is_the_hint(run: Run, taken: Path) -> None:
    (taken / "README.md").unlink()
    run("take")
    answer = run("cat", "1", "README.md", "--json", code=2)
    hint = json.loads(answer.err)["error"]["hint"]
    assert re.fullmatch(r"hermes checkpoints cat [0-9a-f]{8} -- README.md", hint)


def test_a_restore_that_keeps_all_says_so_in_both(run: Run, taken: Path) -> None:
    turn_of_an_agent(taken, taken / "README.md")
    (taken / "README.md").write_text("by hand\n")
    answer = run("restore", "1", "-f", "--json", code=2)
    assert answer.json["complete"] is False and answer.json["kept"]
    found = json.loads(answer.err)["error"]
    assert found["code"] == "nothing-restored" and "--mode" in found["hint"]


def test_an_interruption_is_one_too(run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("hermes_checkpoints.cli.log._lines", stop)
    answer = run("log", "--json", code=130)
    assert json.loads(answer.err)["error"] == {
        "code": "interrupted",
        "message": "interrupted",
        "hint": None,
        "exit_code": 130,
    }


# --- encoding ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("caf\udce9", r'"caf\ufffd"'),
        ("\U0001f4f8", r'"\ud83d\udcf8"'),
        ("\udcf8\U0001f4f8\ud83d", r'"\ufffd\ud83d\udcf8\ufffd"'),
        (r"\ud83d", r'"\\ud83d"'),
        ("\\\ud83d", r'"\\\ufffd"'),
    ],
)
def test_what_is_printed_is_valid_unicode(value: str, text: str) -> None:
    assert ascii_of(value) == text
    json.loads(text).encode("utf-8")


def test_a_byte_that_is_no_text_is_nowhere_half_a_character(
    run: Run, taken: Path, tmp_path: Path
) -> None:
    answer = run("take", "-m", ODD, tmp_path / ODD, "--json", code=2)
    assert answer.err.isascii() and r"\ufffd" in answer.err
    json.loads(answer.err)["error"]["message"].encode("utf-8")


# --- the files --------------------------------------------------------------------------------


def test_a_schema_bears_keys_that_it_does_not_know() -> None:
    for one in DOCUMENTS:
        schema = json.loads((SCHEMAS / f"{one.name}.json").read_text(encoding="utf-8"))
        assert "additionalProperties" not in schema
    document = {"schema": 1, "shell": "bash", "code": "…", "new": 1}
    schema = json.loads((SCHEMAS / "completion.json").read_text(encoding="utf-8"))
    assert Draft202012Validator(schema).is_valid(document)
    assert not Draft202012Validator(schema).is_valid({**document, "schema": 2})
    with pytest.raises(AssertionError, match="new"):
        validate("completion", document)

"""How commands end: every error is a message and a code, whoever called."""

from __future__ import annotations

import argparse
import io
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import errors
from hermes_checkpoints.cli import main, register_cli
from hermes_checkpoints.cli.exits import BadUsage
from hermes_checkpoints.cli.program import _guarded
from support import Run, files

MODULE = [sys.executable, "-m", "hermes_checkpoints"]


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (errors.LockHeld("held by 7"), 2, "held by 7"),
        (errors.BadRequest("line\nbreak"), 2, r"line\nbreak"),
        (BadUsage("two of a kind"), 64, "two of a kind"),
        (ZeroDivisionError("oops"), 70, "unexpected error: ZeroDivisionError: oops"),
    ],
)
def test_errors_are_a_message_and_a_code(
    raised: Exception, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def handler(_args: argparse.Namespace) -> int:
        raise raised

    assert _guarded(handler, argparse.ArgumentParser())(argparse.Namespace()) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == f"hermes checkpoints: {message}"


def test_an_unexpected_error_is_recorded_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def handler(_args: argparse.Namespace) -> int:
        raise ZeroDivisionError

    assert _guarded(handler, argparse.ArgumentParser())(argparse.Namespace()) == 70
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.exc_info
    assert record.exc_info[0] is ZeroDivisionError


def test_an_interrupt_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def handler(_args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    assert _guarded(handler, argparse.ArgumentParser())(argparse.Namespace()) == 130
    assert capsys.readouterr().err == "hermes checkpoints: interrupted\n"


def test_a_reader_that_leaves_is_no_error(taken: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run([*MODULE, "log"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (process.returncode, process.stderr) == (141, b"")


@pytest.mark.campaign(beyond=1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "verb", [["log"], ["log", "--json"], ["diff", "1"], ["cat", "1", "README.md"]]
)
def test_an_output_that_takes_nothing_is_said_in_one_line(taken: Path, verb: list[str]) -> None:
    (taken / "README.md").write_text("changed\n", encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run([*MODULE, *verb], stdout=full, stderr=subprocess.PIPE, check=False)
    said = "the output cannot be written: No space left on device"
    assert process.returncode == 70
    if "--json" in verb:
        assert json.loads(process.stderr)["error"]["message"] == said
    else:
        assert process.stderr == f"hermes-checkpoints: {said}\n".encode()


@pytest.mark.campaign(beyond=1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(("words", "code"), [(["show", "99", "--json"], 2), (["lgo"], 64)])
def test_where_nobody_can_be_told_the_exit_code_says_it(
    taken: Path, words: list[str], code: int
) -> None:
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            [*MODULE, *words], stdout=subprocess.PIPE, stderr=full, check=False
        )
    assert (process.returncode, process.stdout) == (code, b"")


def test_a_host_gets_an_exit_code_and_no_exception(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = argparse.ArgumentParser()
    register_cli(host.add_subparsers().add_parser("checkpoints"))
    args = host.parse_args(["checkpoints", "take", str(project)])
    assert args.func(args) == 0
    args = host.parse_args(["checkpoints", "take", str(tmp_path / "nowhere")])
    assert args.func(args) == 2
    assert capsys.readouterr().err.startswith("hermes checkpoints: ")


def test_no_git_is_said_with_the_remedy(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-programs").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    answer = run("take", project, code=2)
    assert answer.out == ""
    assert "git" in answer.err
    assert "install" in answer.err.lower()


def test_a_newer_catalog_is_refused(run: Run, taken: Path, home: Path) -> None:
    catalog = home / "checkpoints" / "catalog.db"
    with closing(sqlite3.connect(catalog)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from-the-future'")
    for verb in (["status"], ["take"], ["log"], ["restore", "1", "-f"]):
        assert "upgrade the package" in run(*verb, code=2).err


def test_a_damaged_catalog_is_named_and_kept(run: Run, taken: Path, home: Path) -> None:
    catalog = home / "checkpoints" / "catalog.db"
    for side in ("-wal", "-shm"):
        catalog.with_name(catalog.name + side).unlink(missing_ok=True)
    catalog.write_bytes(b"no database at all" * 100)
    for verb in (["status"], ["log"]):
        answer = run(*verb, code=2)
        assert answer.err.startswith("hermes checkpoints: ")
        assert str(catalog) in answer.err
    assert catalog.read_bytes() == b"no database at all" * 100


def test_the_current_directory_may_be_gone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "current directory" in run("log", code=2).err


@pytest.mark.campaign
def test_odd_names_print_in_any_encoding(run: Run, taken: Path) -> None:
    (taken / os.fsdecode(b"caf\xe9 \xe6\x96\x87")).write_text("x", encoding="utf-8")
    run("take", "-m", "größe 文")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    for verb in (["log"], ["show", "1"], ["status"], ["show", "1", "--json"]):
        answer = subprocess.run([*MODULE, *verb], env=environment, capture_output=True, check=False)
        assert (answer.returncode, answer.stderr) == (0, b"")
        assert answer.stdout.isascii()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_error(taken: Path, closed: str) -> None:
    def ended(words: str) -> tuple[int, bytes, bytes]:
        command = f'exec "$0" -m hermes_checkpoints {words} {closed}'
        done = subprocess.run(
            ["/bin/sh", "-c", command, sys.executable], capture_output=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    for words in ("status", "prune --max-snapshots 1"):
        code, _, errors_of_it = ended(words)
        assert (code, errors_of_it) == (0, b"")
    (taken / "src/app.py").write_text("other\n")
    assert ended("diff")[::2] == (0, b"")
    assert ended("show none --json")[:2] == (2, b"")


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one encoding of names")
def test_a_python_that_reads_names_otherwise_is_refused(taken: Path, home: Path) -> None:
    (taken / "naïve.txt").write_text("new\n")
    before = files(home)
    other = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for verb in (["take"], ["log"], ["find"], ["diff"], ["doctor"]):
        done = subprocess.run(
            [*MODULE, *verb], env={**os.environ, **other}, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"names of files as ascii" in done.stderr and b"set PYTHONUTF8=1" in done.stderr
    assert files(home) == before


@pytest.mark.campaign
@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_a_plain_locale_changes_no_name(taken: Path, locale: str) -> None:
    (taken / "naïve.txt").write_text("new\n")
    for verb in (["take"], ["cat", "1", "naïve.txt"], ["find", "na*"]):
        done = subprocess.run(
            [*MODULE, *verb],
            env={**os.environ, "LC_ALL": locale},
            capture_output=True,
            check=True,
        )
    assert "naïve.txt" in done.stdout.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [["--help"], ["restore", "--help"], ["--version"]])
def test_help_is_printed_like_every_answer(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for encoding in ("ascii", "utf-8"):
        text = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", text)
        with pytest.raises(SystemExit) as end:
            main(words)
        assert not end.value.code
        assert "hermes-checkpoints" in text.buffer.getvalue().decode(encoding)
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 70
    assert capsys.readouterr().err == (
        "hermes checkpoints: the output cannot be written: No space left on device\n"
    )


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("hermes-checkpoints", "hermes-checkpoints"),
        ("hcp", "hcp"),
        ("hcp.exe", "hcp"),
        ("hermes", "hermes checkpoints"),
        ("agent", "hermes checkpoints"),
        ("hermes_checkpoints/__main__.py", "hermes-checkpoints"),
    ],
)
def test_messages_name_the_program_that_was_run(
    script: str, named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / script)])
    assert errors._program() == named

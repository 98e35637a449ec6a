"""Parsing: what every verb accepts, in any order, and what it refuses before anything runs."""

from __future__ import annotations

import argparse
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hermes_checkpoints.cli import hermes, main, register_cli
from hermes_checkpoints.cli.target import Target


def parse(*args: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    register_cli(parser)
    return parser.parse_args(args)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"checkpoints_home": None}),
        (["status"], {"limit": 20, "json": False}),
        (["list", "--limit", "3", "--json"], {"limit": 3, "json": True}),
        (
            ["take"],
            {"directory": None, "reason": "manual", "label": None, "session": None, "json": False},
        ),
        (
            ["take", "here", "-m", "why", "--label", "good", "--session", "s1"],
            {"directory": "here", "reason": "why", "label": "good", "session": "s1"},
        ),
        (["log", "-n", "5", "here"], {"limit": 5, "directory": "here"}),
        (["log"], {"limit": None, "directory": None}),
        (["list", "--lim", "3"], {"limit": 3}),
        (["status", "-n", "3"], {"limit": 3}),
        (["clear", "--for"], {"force": True}),
        (["prune", "--ret", "3", "--keep-o"], {"retention_days": 3, "keep_orphans": True}),
        (["log", "--lim", "1", "--js"], {"limit": 1, "json": True}),
        (["take", "--mess=why", "--lab", "good"], {"reason": "why", "label": "good"}),
        (
            ["restore", "1", "--mo", "exact", "a", "--forc", "b"],
            {"mode": "exact", "paths": ["a", "b"], "force": True},
        ),
        (["diff", "1", "--st", "--", "--dry"], {"stat": True, "literal": ["--dry"]}),
        (["sessions", "list", "--lim", "1"], {"limit": 1}),
        (["undo", "-y"], {"force": True}),
        (["drop", "1", "--yes"], {"force": True}),
        (["show"], {"reference": None, "dirs": None}),
        (["show", "abcd", "--dir", "here"], {"reference": "abcd", "dirs": ["here"]}),
        (["-C", "a", "-C", "b", "log"], {"checkpoints_start": ["a", "b"]}),
        (["log", "--", "-odd"], {"directory": "-odd"}),
        (["diff"], {"words": [], "literal": None, "stat": False}),
        (["diff", "1", "--stat", "a", "b"], {"words": ["1", "a", "b"], "stat": True}),
        (["diff", "--stat", "1", "a", "--json", "b"], {"words": ["1", "a", "b"], "json": True}),
        (["diff", "1", "--"], {"words": ["1"], "literal": []}),
        (["diff", "1", "--stat", "--", "2", "--"], {"words": ["1"], "literal": ["2", "--"]}),
        (
            ["restore", "latest"],
            {
                "paths": [],
                "mode": None,
                "force": False,
                "dry_run": False,
                "directory": None,
            },
        ),
        (
            ["restore", "1", "-f", "a", "--mode", "exact", "b"],
            {"reference": "1", "paths": ["a", "b"], "mode": "exact", "force": True},
        ),
        (["restore", "1", "-f", "--", "-odd", "--name"], {"literal": ["-odd", "--name"]}),
        (["restore", "1", "a", "-f", "--", "-odd"], {"paths": ["a"], "literal": ["-odd"]}),
        (["restore", "1", "--", "-odd"], {"paths": [], "literal": ["-odd"]}),
        (["restore", "1", ":(glob)**", ".", "*.py"], {"paths": [":(glob)**", ".", "*.py"]}),
    ],
)
def test_arguments(arguments: list[str], expected: dict[str, Any]) -> None:
    found = vars(parse(*arguments))
    assert {name: found[name] for name in expected} == expected
    assert callable(found["func"])


@pytest.mark.parametrize("where", ["group", "verb"])
def test_home_can_stand_before_or_behind_the_verb(where: str) -> None:
    option = ["--home", "somewhere"]
    args = parse(*option, "log") if where == "group" else parse("log", *option)
    assert args.checkpoints_home == "somewhere"


def test_a_home_behind_the_verb_wins() -> None:
    assert parse("--home", "a", "log", "--home", "b").checkpoints_home == "b"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "invalid choice"),
        (["pin"], "required: ID"),
        (["show", "-p"], "unrecognized arguments: -p"),
        (["show", "--", "1"], "unrecognized arguments: -- 1"),
        (["log", "a", "--", "b"], "unrecognized arguments: -- b"),
        (["clear", "--dir", "here"], "about no single directory"),
        (["sessions", "list", "--dir", "here"], "about no single directory"),
        (["show", "1", "--patch"], "unrecognized arguments: --patch"),
        (["restore", "1", "-p", "--merge"], "--merge: not allowed with argument -p/--patch"),
        (["restore", "1", "--focre"], "unrecognized arguments: --focre; did you mean --force?"),
        (["restore", "1", "--d", "a"], "ambiguous option: --d could match --dir, --dry-run"),
        (["restore", "1", "--s=a"], "ambiguous option: --s=a could match --session, --stdout"),
        (["log", "--lim", "--json"], "-n/--limit: expected one argument"),
        (["take", "--lab", "-m", "why"], "--label: expected one argument"),
        (["restore", "1", "--in"], "--into: expected one argument"),
        (["restore", "1", "--mode", "hard"], "invalid"),
        (["log", "--limit", "0"], "no whole number of at least 1"),
        (["status", "--limit", "-3"], "no whole number"),
        (["log", "--limit", "1" * 30], "is too large; give a number of 9 digits at most"),
        (["log", "--limit", "0" * 30], "no whole number of at least 1"),
        (["log", "-n", "many"], "no whole number of at least 1"),
        (["log", "one", "two"], "unrecognized arguments: two"),
    ],
)
def test_what_is_no_command_ends_with_64(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], fresh_home: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 64
    assert message in capsys.readouterr().err
    assert not fresh_home.exists()


def test_hermes_has_the_group_and_wants_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        hermes([])
    assert ended.value.code == 64
    with pytest.raises(SystemExit) as ended:
        hermes(["checkpoints", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    for verb in ("status", "take", "log", "show", "diff", "restore", "demo"):
        assert f"\n    {verb} " in out


@pytest.mark.parametrize("program", [main, hermes])
def test_version(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program(["--version"])
    assert capsys.readouterr().out.startswith("hermes")


def test_a_host_mounts_the_group_below_its_own_parser() -> None:
    host = argparse.ArgumentParser(prog="host")
    host.add_argument("--home", default="host's own")
    register_cli(host.add_subparsers().add_parser("snapshots"))
    args = host.parse_args(["--home", "kept", "snapshots", "restore", "1", "-f", "a"])
    assert (args.home, args.checkpoints_home, args.paths) == ("kept", None, ["a"])


@pytest.mark.parametrize(
    ("start", "given", "expected"),
    [
        (".", ["a.py", "a/../b", ""], ["a.py", "b", ""]),
        ("src", ["a.py", "../b", ".././/b"], ["src/a.py", "b", "b"]),
        ("src", ["a/../../b"], ["b"]),
        ("src/deep", ["../..//etc", "../.."], ["etc", "."]),
        ("src", ["."], ["src"]),
        (".", ["./a", "."], ["a", "."]),
    ],
)
def test_paths_start_at_the_current_directory_and_are_made_plain(
    tmp_path: Path, start: str, given: list[str], expected: list[str]
) -> None:
    project = SimpleNamespace(working_dir=tmp_path)
    target = Target(cast(Any, None), cast(Any, project), PurePath(start))
    assert [target.path(path) for path in given] == expected

"""Wrong usage: code 64, the usage of the verb itself, and what may have been meant."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from hermes_checkpoints.cli import hermes, main, register_cli
from support import Run


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 64
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "verb", "meant"),
    [
        (["lgo"], "", "log"),
        (["statsu"], "", "status"),
        (["--hmoe", "x", "log"], "", "--home"),
        (["log", "--jsn"], "log", "--json"),
        (["restore", "1", "--focre"], "restore", "--force"),
        (["restore", "--dry-rnu"], "restore", "--dry-run"),
        (["restore", "1", "--mdoe=exact"], "restore", "--mode"),
        (["restore", "1", "--mode", "exat"], "restore", "exact"),
        (["prune", "--keep-orphnas"], "prune", "--keep-orphans"),
        (["sessions", "lits"], "sessions", "list"),
        (["sessions", "gc", "--max-age-dasy", "3"], "sessions gc", "--max-age-days"),
    ],
)
def test_a_mistyped_word_gets_the_nearest(
    capsys: pytest.CaptureFixture[str], arguments: list[str], verb: str, meant: str
) -> None:
    err = refused(capsys, *arguments)
    assert err.startswith(f"usage: hermes-checkpoints {verb}".rstrip())
    assert err.endswith(f"; did you mean {meant}?\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xyzzy"], "choose from status, "),
        (["log", "--xyzzy"], "unrecognized arguments: --xyzzy\n"),
        (["log", "a", "b\x1b[2J"], r"unrecognized arguments: b\x1b[2J"),
        (["prune", "--max", "3"], "ambiguous option: --max could match"),
    ],
)
def test_what_is_like_nothing_is_only_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    err = refused(capsys, *arguments)
    assert message in err
    assert "did you mean" not in err


def test_below_a_host_a_verb_refuses_as_itself_and_the_host_as_the_host(
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = argparse.ArgumentParser(prog="host")
    host.add_argument("--own", action="store_true")
    register_cli(host.add_subparsers().add_parser("checkpoints"))
    for arguments, code, usage in (
        (["checkpoints", "log", "--jsn"], 64, "usage: host checkpoints log "),
        (["checkpoints", "log", "one", "two"], 64, "usage: host checkpoints log "),
        (["checkpoints", "lgo"], 2, "usage: host checkpoints "),
        (["--onw"], 2, "usage: host "),
    ):
        with pytest.raises(SystemExit) as ended:
            host.parse_args(arguments)
        assert ended.value.code == code
        assert capsys.readouterr().err.startswith(usage)
    assert host.parse_args(["--own", "checkpoints", "-C", "x", "log", "--json"]).own is True


def test_a_host_may_have_options_of_these_names(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = argparse.ArgumentParser()
    for option in ("-C", "--home", "--json"):
        host.add_argument(option, dest=f"own{option}")
    register_cli(host)
    args = host.parse_args(["--home", "own", "--json", "own", "status", "--home", str(home)])
    assert (vars(args)["own--home"], args.json, args.checkpoints_home) == ("own", False, str(home))
    assert args.func(args) == 0
    assert capsys.readouterr().out.startswith(f"Checkpoint base: {home}")


def test_hermes_refuses_in_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["checkpoints", "lgo"], ["checkpoints", "log", "--jsn"], ["checkpoint"]):
        with pytest.raises(SystemExit) as ended:
            hermes(arguments)
        assert ended.value.code == 64
        assert "did you mean" in capsys.readouterr().err


# --- what the agent's callers know of its verbs -----------------------------------------------


def test_zero_is_the_usual_number_of_projects(run: Run, taken: Path) -> None:
    assert len(run("status", "--limit", "0", "--json").json["projects"]) == 1
    assert len(run("list", "--lim", "0", "--json").json["projects"]) == 1


def test_clear_can_be_planned(run: Run, taken: Path, home: Path) -> None:
    (home / "checkpoints" / "legacy-1").mkdir()
    (home / "checkpoints" / "legacy-1" / "pack").write_bytes(b"x" * 100_000)
    plan = run("clear", "--dry-run")
    assert plan.lines[-1].startswith("Plan: delete 1 checkpoint and 1 legacy archive, reclaim ")
    document = run("clear", "--dry-run", "--json").json
    assert (document["dry_run"], document["checkpoints"], document["archives"]) == (True, 1, 1)
    plan = run("clear-legacy", "--dry-run")
    assert plan.lines[-1].startswith("Plan: delete 0 checkpoints and 1 legacy archive, reclaim ")
    document = run("clear-legacy", "--dry-run", "--json").json
    assert (document["dry_run"], document["archives"]) == (True, 1)
    assert document["bytes_freed"] >= 100_000
    assert (home / "checkpoints" / "legacy-1" / "pack").exists()
    assert len(run("log", "--json").json["checkpoints"]) == 1


def test_an_id_behind_the_separator_may_begin_with_a_dash(run: Run, taken: Path) -> None:
    assert "session -odd " in run("sessions", "show", "--", "-odd", code=2).err
    assert run("status", "--").lines[0].startswith("Checkpoint base: ")


def test_json_may_stand_before_the_verb(run: Run, taken: Path) -> None:
    assert run("--json", "sessions", "list").json == {"schema": 1, "sessions": []}
    assert run("--json").json["project_count"] == 1
    assert run("--json", "log").json["checkpoints"]


# --- one document a verb -----------------------------------------------------------------------


def test_cat_and_status_as_documents(run: Run, taken: Path, tmp_path: Path) -> None:
    document = run("cat", "1", "src/data.bin", "--json").json
    assert (document["path"], document["bytes"]) == ("src/data.bin", 256)
    assert document["content_base64"].startswith("AAECAwQF")
    other = tmp_path / "other"
    other.mkdir()
    (other / "f").write_text("f", encoding="utf-8")
    run("take", other)
    for verb in ("status", "du"):
        assert len(run(verb, "--json").json["projects"]) == 2
        (only,) = run(verb, "--dir", other, "--json").json["projects"]
        assert only["working_dir"] == str(other)
        assert "No checkpoints exist" in run(verb, "--dir", tmp_path, code=2).err

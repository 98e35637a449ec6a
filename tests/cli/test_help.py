"""What the help of each verb says is so: its examples run, its exit codes are the one list."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointError, Sessions, errors
from hermes_checkpoints.cli import main, register_cli
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.help import VERBS
from remote.servers import bare
from support import Run, make_project

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
NOT_RUN = {"demo", "admin", "adopt", "watch", "mcp", "browse"}
NOT_RUN |= {"fleet", "fleet index", "fleet status"}
"""All but one have tests of their own, and that one needs the agent."""


def parsers(
    parser: argparse.ArgumentParser, above: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the verbs below a parser by name, each but aliases."""
    group = parser._subparsers
    if group is None:
        return
    (action,) = group._group_actions
    assert isinstance(action.choices, dict)
    for name, found in action.choices.items():
        if name != "list" or above:
            yield f"{above}{name}", found
            yield from parsers(found, f"{above}{name} ")


@pytest.fixture(scope="module")
def verbs() -> dict[str, argparse.ArgumentParser]:
    parser = argparse.ArgumentParser()
    register_cli(parser)
    return dict(parsers(parser))


def test_every_verb_has_help_and_none_else(verbs: dict[str, argparse.ArgumentParser]) -> None:
    assert VERBS.keys() == verbs.keys()


def test_every_verb_has_the_common_options(verbs: dict[str, argparse.ArgumentParser]) -> None:
    for verb, parser in verbs.items():
        assert {"--json", "--home", "--dir"} <= parser._option_string_actions.keys(), verb


def test_what_asks_can_be_told_not_to_and_planned(
    verbs: dict[str, argparse.ArgumentParser],
) -> None:
    asking = {verb for verb, help_ in VERBS.items() if Exit.NO in help_.exits} - {"status"}
    for verb, parser in verbs.items():
        found = {"-f", "--force", "-y", "--yes", "--dry-run"} & parser._option_string_actions.keys()
        asks_nothing = {"export": {"--dry-run"}, "adopt": {"--dry-run", "--force"}}
        asks_nothing["push"] = {"--dry-run"}
        expected = asks_nothing.get(verb, set())  # for --branch; for an untested version
        assert found == expected or (verb in asking and len(found) == 5), verb


def test_a_number_of_lines_has_one_name(verbs: dict[str, argparse.ArgumentParser]) -> None:
    limited = {verb for verb, parser in verbs.items() if "--limit" in parser._option_string_actions}
    assert limited == {
        *("status", "log", "find", "who", "du", "sql"),
        *("sessions list", "sessions history", "fleet status"),
    }
    for verb in limited:
        options = verbs[verb]._option_string_actions
        assert options["-n"] is options["--limit"]


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_ends_with_examples_and_exit_codes(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*verb.split(), "--help"])
    assert ended.value.code == 0
    end = capsys.readouterr().out.partition("\nexamples:\n")[2].splitlines()
    assert end[:2] == [f"  hermes checkpoints {example}" for example in VERBS[verb].examples]
    assert end[2:4] == ["", "exit codes:"]
    assert end[4:] == [f"  {code.value:<3}  {code.meaning}" for code in VERBS[verb].exits]


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_parse(verb: str) -> None:
    parser = argparse.ArgumentParser()
    register_cli(parser)
    for example in VERBS[verb].examples:
        words = shlex.split(example)
        assert verb in f"{' '.join(words)} " or words[0] == "-C"
        assert callable(parser.parse_args(words).func)


@pytest.mark.slow
def test_the_examples_run(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    other = make_project(project.parent / "other")
    for folder in ("old-sessions", "old-home"):
        (project.parent / folder).mkdir()

    def edit_and_take(*more: str) -> None:
        with (project / "src/app.py").open("a", encoding="utf-8") as file:
            file.write("# more\n")
        run("take", *more)

    def move_other() -> None:
        if not other.exists():
            make_project(other)
            run("take", other)
            shutil.rmtree(other)
        else:
            other.rename(other.with_name("moved"))

    def take_two() -> None:
        edit_and_take()
        edit_and_take()

    def remove_export() -> None:
        shutil.rmtree(project.parent / "for-version-2", ignore_errors=True)

    def make_other() -> None:
        if not other.exists():
            make_project(other)

    before: dict[str, Callable[[], object]] = {
        "remote": make_other,
        "remote check": make_other,
        "rebind": move_other,
        "export": remove_export,
        "drop": take_two,
    }
    undo = bare(project.parent / "undo.git")
    (home / "config.yaml").write_text(f"checkpoints: {{remote: {{url: {undo}}}}}\n")
    edit_and_take("--label", "good-start")
    edit_and_take()
    with Sessions.open(home) as sessions:
        for version in (1, 2):
            sessions.write("session-1", {"task": f"task {version}"})
    order = sorted(VERBS.keys() - NOT_RUN, key=lambda verb: (verb == "clear", [*VERBS].index(verb)))
    for verb in order:
        for example in VERBS[verb].examples:
            before.get(verb, lambda: None)()
            run(*shlex.split(example))


def kinds(error: type[CheckpointError]) -> Iterator[type[CheckpointError]]:
    yield error
    for kind in error.__subclasses__():
        yield from kinds(kind)


def test_the_errors_end_as_the_list_says() -> None:
    codes = {kind.__name__: kind.exit_code for kind in kinds(errors.CheckpointError)}
    assert codes.pop(BadUsage.__name__) is Exit.USAGE
    assert set(codes.values()) == {Exit.ERROR}


def test_readme_has_the_list() -> None:
    table = README[README.index("### Exit codes") :].partition("\n\n#")[0]
    rows = re.findall(r"^\| (\d+) \| ([^|]+?) \|", table, re.MULTILINE)
    assert rows == [(str(code.value), code.meaning) for code in Exit]


def test_a_verb_that_is_mounted_alone_is_the_same(
    verbs: dict[str, argparse.ArgumentParser],
) -> None:
    for name, parser in verbs.items():
        alone = argparse.ArgumentParser()
        register_cli(alone, verb=name.split()[0])
        found = dict(parsers(alone))
        assert len(found) < len(verbs)
        assert found[name].format_help() == parser.format_help()


def test_a_word_that_is_no_verb_is_refused_with_all_verbs_in_mind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in (["restor"], ["-C", "log", "restor"], ["--home", "take", "restor"]):
        with pytest.raises(SystemExit):
            main(words)
        assert "did you mean restore?" in capsys.readouterr().err

"""``hook install`` writes an agent's hooks into its settings and takes them out again, after it has
shown the difference and asked."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks import covered, install
from hermes_checkpoints.hooks.agents import AGENTS, CLAUDE, CODEX, GEMINI
from interpreters import on_a_terminal
from support import Run

EVERY = pytest.mark.parametrize("name", AGENTS)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return Path.home()


def settings(name: str) -> Path:
    return install.settings_of(AGENTS[name])


@EVERY
def test_the_hooks_are_written_and_taken_out(name: str, user: Path, run: Run) -> None:
    file = settings(name)
    assert file == user / f".{name}" / ("hooks.json" if name == "codex" else "settings.json")
    said = run("hook", "install", name, "-f").out
    assert f"+++ {file}" in said and AGENTS[name].afterwards in said
    document = json.loads(file.read_text())
    assert document["hooks"].keys() == set(AGENTS[name].events)
    [command] = {
        handler["command"]
        for groups in document["hooks"].values()
        for group in groups
        for handler in group["hooks"]
    }
    assert command.endswith(f" hook --agent {name}")
    assert "already takes" in run("hook", "install", name).out
    said = run("hook", "install", name, "--undo", "-f").out
    assert "the checkpoints stay" in said
    assert json.loads(file.read_text()) == {}
    assert "No hooks of ours" in run("hook", "install", name, "--undo").out


def test_no_hook_is_given_more_time_than_the_agent_allows(user: Path, run: Run) -> None:
    """Codex warns at each start of one that is."""
    run("hook", "install", "codex", "-f")
    hooks = json.loads(settings("codex").read_text())["hooks"]
    seconds = {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}
    assert {event for event, limit in seconds.items() if limit == 3} == {"Interrupt", "SessionEnd"}
    assert set(seconds.values()) == {3, 300}


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_the_command_that_is_installed_runs(
    name: str, user: Path, run: Run, home: Path, project: Path
) -> None:
    """As the agent runs it, through a shell; what it tells belongs to the process above that."""
    run("hook", "install", name, "-f")
    document = json.loads(settings(name).read_text())
    event = next(iter(AGENTS[name].events))
    command = document["hooks"][event][0]["hooks"][0]["command"]
    told = {"session_id": "s", "cwd": str(project), "hook_event_name": event, "prompt": "Go"}
    done = subprocess.run(
        ["/bin/sh", "-c", f"true; {command}; exit $?"],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == (AGENTS[name].silence, "")
    with Checkpoints.open(home) as checkpoints:
        session = checkpoints.agent_sessions.get("s")
        assert session is not None and session.title == "Go"
        if name == "codex":
            [turn] = checkpoints._base.catalog.turns.open(1)
            assert turn.owner is not None and turn.owner.pid == os.getpid()


def test_a_home_that_is_named_is_in_the_command(user: Path, run: Run, tmp_path: Path) -> None:
    run("hook", "install", "claude", "-f", "--home", tmp_path / "a home")
    [command] = set(install.installed(settings("claude")).values())
    assert shlex.split(command)[-2:] == ["--home", str(tmp_path / "a home")]


def test_the_settings_may_lie_where_the_agent_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, agent in (("CLAUDE_CONFIG_DIR", CLAUDE), ("CODEX_HOME", CODEX)):
        monkeypatch.setenv(variable, str(tmp_path / agent.name))
        run("hook", "install", agent.name, "-f")
        assert (tmp_path / agent.name / agent.file).is_file()


@EVERY
def test_a_project_has_hooks_of_its_own_that_find_the_program_by_its_name(
    name: str, user: Path, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    monkeypatch.setenv("PATH", "/nowhere")
    said = run("hook", "install", name, "--project", "-f")
    assert "not on your PATH" in said.err
    [command] = set(install.installed(install.settings_of(AGENTS[name], project)).values())
    assert command == f"hermes-checkpoints hook --agent {name}"
    assert not settings(name).exists()
    undo = said.out.partition("To take them out: ")[2].strip()
    monkeypatch.chdir("/")  # it is to be pasted anywhere
    run(*shlex.split(undo)[1:], "-f")
    assert install.installed(install.settings_of(AGENTS[name], project)) == {}


OFF = pytest.mark.parametrize(
    ("name", "file", "content", "setting"),
    [
        ("claude", "settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
        ("claude", "settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"),
        ("codex", "config.toml", "[features]\nhooks = false\n", "features.hooks"),
        ("codex", "config.toml", "[features]\ncodex_hooks = false\n", "features.codex_hooks"),
        (
            "gemini",
            "settings.json",
            '{\n  // mine\n  "hooksConfig": {"enabled": false}\n}',
            "hooksConfig.enabled",
        ),
        ("gemini", "settings.json", '{"hooks": {"enabled": false}}', "hooks.enabled"),
        (
            "gemini",
            "settings.json",
            '{"hooksConfig": {"disabled": ["hermes-checkpoints hook --agent gemini"]}}',
            "hooksConfig.disabled",
        ),
    ],
)


@OFF
@pytest.mark.parametrize("where", ["own", "project"])
def test_an_agent_that_runs_no_hooks_is_not_said_to_take_checkpoints(
    name: str,
    file: str,
    content: str,
    setting: str,
    where: str,
    project: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(project)
    words = ["--project"] if where == "project" else []
    folder = install.settings_of(AGENTS[name], project if words else None).parent
    folder.mkdir()
    (folder / file).write_text(content)
    said = run("hook", "install", name, *words, "-f")
    assert f"takes no checkpoints: it runs no hooks, by its setting `{setting}`" in said.err
    assert "takes checkpoints" not in said.out
    told = run("hook", "install", name, *words, "--json").json
    assert (told["would_change"], told["switched_off_by"]) == (False, setting)
    [found] = [one for one in covered.check(None) if "hook-broken" not in one.kind]  # type: ignore[arg-type]
    assert (found.kind, found.note) == ("agent-hooks-off", False)
    assert setting in found.text and str(folder / file) in found.remedy


def test_the_settings_of_a_project_count_before_ones_own(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    settings("claude").parent.mkdir()
    settings("claude").write_text('{"disableAllHooks": true}')
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"disableAllHooks": false}')
    assert run("hook", "install", "claude", "--project", "-f").err.count("takes no") == 0


@pytest.mark.slow
def test_nothing_is_written_without_a_yes(user: Path, run: Run) -> None:
    code, written = on_a_terminal("hook", "install", "claude", prompt=b"[y/N]: ", typed=b"n\n")
    assert code == 1 and b"Aborted." in written
    assert b"UserPromptSubmit" in written
    assert run("hook", "install", "claude", "--dry-run").out.endswith("Nothing was changed.\n")
    printed = run("hook", "install", "claude", "--print").out
    assert json.loads(printed.partition("\n")[2]).keys() == {"hooks"}
    assert not settings("claude").exists()
    code, _ = on_a_terminal("hook", "install", "claude", prompt=b"[y/N]: ", typed=b"y\n")
    assert code == 0 and settings("claude").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no JSON object: line 1 "),
        ('{\n  "a": 1,\n  "b": [2,],\n}', "line 3 "),
        ('{"hooks": []}', "no object"),
        ('{"hooks": {"Stop": {}}}', "no list"),
        ('{"hooks": {}, "hooks": {}}', "twice"),
    ],
)
def test_settings_that_cannot_be_understood_are_left_as_they_are(
    user: Path, run: Run, content: str, told: str
) -> None:
    file = settings("claude")
    file.parent.mkdir()
    file.write_text(content)
    answer = run("hook", "install", "claude", "-f", code=2)
    assert told in answer.err and str(file) in answer.err
    assert file.read_text() == content
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "content", ['// mine\n{"hooks": {}}', '{"hooks": {\n}} // mine\n', '{\n/* mine */ "hooks": {}}']
)
def test_comments_that_an_agent_does_not_read_are_told(user: Path, run: Run, content: str) -> None:
    """Codex reads none of the hooks in such a file, so that it would take no checkpoints."""
    file = settings("codex")
    file.parent.mkdir()
    file.write_text(content)
    line = content[: content.index("mine")].count("\n") + 1
    assert f"comments, as in line {line};" in run("hook", "install", "codex", "-f", code=2).err
    assert file.read_text() == content
    gemini = settings("gemini")
    gemini.parent.mkdir()
    gemini.write_text(content)
    run("hook", "install", "gemini", "-f")
    assert "mine" in gemini.read_text()


@pytest.mark.parametrize("where", ["home", "/"])
def test_hooks_are_for_no_project_of_which_no_checkpoint_can_be_taken(
    user: Path, run: Run, where: str
) -> None:
    directory = user if where == "home" else Path(where)
    words = ["hook", "install", "gemini", "--project", "--dir", directory]
    assert "choose a project" in run(*words, "-f", code=2).err
    assert not install.settings_of(GEMINI, directory).exists()
    assert "No hooks of ours" in run(*words, "--undo").out


def test_settings_that_changed_meanwhile_are_left_as_they_are(user: Path) -> None:
    file = settings("claude")
    edit = install.plan_install(CLAUDE, file, "hermes-checkpoints hook")
    file.parent.mkdir()
    file.write_text("{}")
    with pytest.raises(BadRequest, match="changed meanwhile"):
        edit.make()
    assert file.read_text() == "{}"


def test_a_link_stays_one_and_permissions_stay(user: Path, run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text('{"model": "opus"}\n')
    kept.chmod(0o640)
    file = settings("claude")
    file.parent.mkdir()
    file.symlink_to(kept)
    run("hook", "install", "claude", "-f")
    assert file.is_symlink() and kept.stat().st_mode & 0o777 == 0o640
    assert json.loads(kept.read_text())["model"] == "opus"


@pytest.mark.campaign
@pytest.mark.parametrize("what", ["pipe", "folder"])
@pytest.mark.usefixtures("no_hang")
def test_settings_that_are_no_file_are_refused_at_once(user: Path, run: Run, what: str) -> None:
    file = settings("claude")
    file.parent.mkdir()
    (os.mkfifo if what == "pipe" else os.mkdir)(file)
    for words in (["install", "claude", "-f"], ["install", "claude", "--undo", "-f"]):
        assert "it is no regular file" in run("hook", *words, code=2).err
    (user / "project").mkdir()
    run("take", user / "project")
    assert "it is no regular file" in run("doctor").out


@pytest.mark.parametrize(
    "words",
    [
        ["install"],
        ["install", "emacs"],
        ["install", "claude", "--undo", "--print"],
        ["install", "claude", "--dir", "."],
    ],
)
def test_wrong_usage_changes_nothing(user: Path, words: list[str]) -> None:
    try:
        code = main(["hook", *words])
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    assert code == 64
    assert not settings("claude").exists()


def test_in_json_nothing_is_changed_unasked(user: Path, run: Run) -> None:
    refused = json.loads(run("hook", "install", "claude", "--json", code=2).err)["error"]
    assert refused["hint"] == "use -f to change them, or --dry-run to see what would change"
    assert not settings("claude").exists()


def test_json_says_what_was_done(user: Path, run: Run) -> None:
    def answer(*words: str) -> Any:
        return json.loads(run("hook", "install", "gemini", "--json", *words).out)

    assert answer("--dry-run") == {
        "schema": 1,
        "agent": "gemini",
        "file": str(settings("gemini")),
        "changed": False,
        "would_change": True,
        "undone": False,
        "switched_off_by": None,
    }
    assert answer("-f")["changed"] and not answer("-f")["would_change"]
    assert answer("--undo", "-f")["undone"]
    assert answer("--print")["hooks"].keys() == set(GEMINI.events)


def test_the_program_is_the_one_of_this_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    [program, *rest] = shlex.split(install.command_of(CLAUDE))
    assert Path(program) == Path(sys.executable).with_name("hermes-checkpoints")
    assert rest == ["hook", "--agent", "claude"]
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    assert install.command_of(CLAUDE).startswith("/nowhere/python -m hermes_checkpoints hook")


@pytest.mark.parametrize(
    "command",
    [
        "/home/ada/src/hermes-checkpoints/scripts/lint-hook.sh",
        "git -C ~/hermes-checkpoints hook run pre-commit",
        "hermes-checkpoints hook install claude -f",
        "notify 'the hook of hcp is old; see hermes-checkpoints doctor'",
        "my-hermes-checkpoints hook --agent claude",
    ],
)
def test_a_hook_that_merely_mentions_this_package_stays(user: Path, run: Run, command: str) -> None:
    file = settings("claude")
    file.parent.mkdir()
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    before = json.dumps(theirs, indent=2)
    file.write_text(before)
    run("hook", "install", "claude", "-f")
    assert len(json.loads(file.read_text())["hooks"]["Stop"]) == 2
    run("hook", "install", "claude", "--undo", "-f")
    assert file.read_text() == before


@pytest.mark.parametrize(
    "command",
    [
        "hermes-checkpoints hook",
        "hcp hook --agent claude",
        "'/opt/my venv/bin/hermes-checkpoints' hook --agent claude",
        "/usr/bin/python3 -m hermes_checkpoints hook --agent claude --home /srv/base",
        "C:\\venv\\Scripts\\hermes-checkpoints.exe hook --agent claude",
        "cd / && hermes-checkpoints hook --agent claude 2>/dev/null || true",
        "hermes checkpoints hook --agent claude",
    ],
)
def test_a_hook_of_this_package_is_known_however_it_is_written(
    user: Path, run: Run, command: str
) -> None:
    file = settings("claude")
    file.parent.mkdir()
    ours = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    file.write_text(json.dumps(ours))
    run("hook", "install", "claude", "--undo", "-f")
    assert json.loads(file.read_text()) == {}

"""The stand-ins for the agent's modules, without the agent."""

from __future__ import annotations

import argparse
import inspect
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints, plugin
from hermes_checkpoints.compat import STAND_INS, bridge, checkpoint_manager, command_line
from hermes_checkpoints.compat.agent_manager import CheckpointManager
from hermes_checkpoints.compat.bridge import Bridge
from hermes_checkpoints.model import Actor


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("CheckpointManager", "enabled max_snapshots max_total_size_mb max_file_size_mb"),
        ("format_checkpoint_list", "checkpoints directory"),
        (
            "prune_checkpoints",
            "retention_days delete_orphans checkpoint_base max_total_size_mb orphan_allowlist",
        ),
        (
            "maybe_auto_prune_checkpoints",
            "retention_days min_interval_hours delete_orphans checkpoint_base max_total_size_mb",
        ),
        ("store_status", "checkpoint_base"),
        ("clear_all", "checkpoint_base"),
        ("clear_legacy", "checkpoint_base"),
    ],
)
def test_names_and_arguments_are_those_of_the_agent(name: str, parameters: str) -> None:
    signature = inspect.signature(getattr(checkpoint_manager, name))
    names = [p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    assert names == parameters.split()


def test_constants_are_looked_up_at_each_use(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE
    assert ".env" in checkpoint_manager.DEFAULT_EXCLUDES
    profile = home / "profiles/work"
    constants = types.SimpleNamespace(get_hermes_home=lambda: profile)
    monkeypatch.setitem(sys.modules, "hermes_constants", constants)
    assert profile / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE
    assert checkpoint_manager.store_status()["base"] == str(profile / "checkpoints")
    assert checkpoint_manager.prune_checkpoints()["scanned"] == 0
    assert checkpoint_manager.maybe_auto_prune_checkpoints()["skipped"] is False
    assert checkpoint_manager.clear_legacy()["deleted"] == 0
    assert checkpoint_manager.clear_all()["deleted"] is False
    with pytest.raises(AttributeError, match="no attribute 'gc'"):
        checkpoint_manager.gc  # noqa: B018 - looking it up is the test


def test_a_profile_of_the_agent_has_a_base_of_its_own(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = CheckpointManager(enabled=True)
    manager.ensure_checkpoint(str(project))
    profile = home / "profiles/work"
    constants = types.SimpleNamespace(get_hermes_home=lambda: profile)
    monkeypatch.setitem(sys.modules, "hermes_constants", constants)
    assert manager.list_checkpoints(str(project)) == []
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))
    assert (profile / "checkpoints/catalog.db").is_file()


def test_hooks_tell_what_the_agent_does_not_tell_its_manager(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = Bridge()
    monkeypatch.setattr(bridge, "bridge", hooks)
    monkeypatch.setenv("TERMINAL_CWD", str(project))
    manager = CheckpointManager(enabled=True)
    hooks.pre_tool_call(tool_name="terminal", args={"command": "rm x"}, session_id="s")
    assert manager.list_checkpoints(str(project)) == [], "it is not switched on"
    talk = [{"role": "user", "content": "go"}]
    hooks.pre_llm_call(session_id="s", conversation_history=talk, user_message="go", model="none")
    manager.new_turn()
    hooks.pre_tool_call(tool_name="terminal", args={"command": "./build.sh"}, session_id="s")
    (project / "b.txt").write_text("shell\n")
    hooks.post_tool_call(tool_name="terminal", args={"command": "./build.sh"}, session_id="s")
    manager.new_turn()
    hooks.pre_tool_call(tool_name="execute_code", args={"code": "1"}, session_id="s")
    (project / "a.txt").write_text("tool\n")
    about = {"session_id": "s"}
    hooks.post_tool_call(tool_name="write_file", args={"path": "a.txt"}, status="ok", **about)
    (project / "c.txt").write_text("tool\n")
    patch = "*** Begin Patch\n*** Add File: c.txt\n+tool\n*** End Patch"
    hooks.post_tool_call(tool_name="patch", args={"patch": patch}, **about)
    (project / "README.md").write_text("failed\n")
    hooks.post_tool_call(tool_name="patch", args={"path": "README.md"}, status="error", **about)
    hooks.on_session_end(session_id="s", completed=True)
    with Checkpoints.open() as checkpoints:
        found = checkpoints.project(project).list()
        tools = {
            name: checkpoints.project(project).who(name)[0].tool
            for name in ("a.txt", "b.txt", "c.txt", "README.md")
        }
        actor = checkpoints.project(project).who("b.txt")[0].actor
    assert [(c.reason, c.session_id, c.turn, c.message_count, c.turn_title) for c in found] == [
        ("before terminal: ./build.sh", "s", 1, 1, "go"),
    ]
    assert tools == {"a.txt": "write_file", "b.txt": None, "c.txt": "patch", "README.md": None}
    assert actor is Actor.AGENT
    assert hooks.here is None
    assert CheckpointManager(enabled=False).session_id is None


def test_files_of_another_machine_are_refused(
    fresh_home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERMINAL_ENV", "docker")
    manager = CheckpointManager(enabled=True)
    assert not manager.ensure_checkpoint(str(project))
    manager.record_agent_write(str(project / "README.md"))
    for answer in (manager.diff(str(project), "1"), manager.restore(str(project), "1")):
        assert answer["success"] is False
        assert "docker, whose files are not those of this machine" in answer["error"]
    assert not fresh_home.exists()
    assert plugin.rollback("1").startswith("❌ Nothing was done: the terminal works in docker")


def test_the_plugin_registers_hooks_and_a_command(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "bridge", Bridge())
    hooks: list[str] = []
    commands: dict[str, Any] = {}
    context = types.SimpleNamespace(
        register_hook=lambda name, _: hooks.append(name),
        register_command=lambda name, handler, **_: commands.update({name: handler}),
    )
    package = types.ModuleType("tools")
    monkeypatch.setitem(sys.modules, "tools", package)
    for name in STAND_INS:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    plugin.register(context)
    assert sys.modules["tools.checkpoint_manager"] is checkpoint_manager
    assert package.checkpoint_manager is checkpoint_manager
    assert sys.modules["hermes_cli.checkpoints"] is command_line
    assert hooks == [*plugin.HOOKS, "pre_gateway_dispatch"]
    monkeypatch.setenv("TERMINAL_CWD", str(project))
    assert commands["checkpoint"]("").startswith("Checkpoints are not enabled.")


def test_a_host_that_ignores_codes_gets_them_all_the_same(home: Path) -> None:
    parser = argparse.ArgumentParser()
    command_line.register_cli(parser)
    args = parser.parse_args(["show", "zz"])
    with pytest.raises(SystemExit) as exit_:
        args.func(args)
    assert exit_.value.code == 2
    args = parser.parse_args(["status"])
    assert args.func(args) == 0


def namespace(**given: object) -> argparse.Namespace:
    """Arguments as the parser of version 2 makes them."""
    return argparse.Namespace(checkpoints_command="x", func=print, **given)


@pytest.mark.campaign
def test_the_handlers_of_version_2_take_what_its_parser_made(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    with Checkpoints.open() as checkpoints:
        checkpoints.project(project).take()
    assert command_line.cmd_status(namespace(limit=20)) == 0
    status = capsys.readouterr().out
    assert "Projects:        1" in status.splitlines()
    assert command_line.cmd_list(namespace()) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == status.splitlines()[-2:]
    pruning = namespace(retention_days=7, max_size_mb=500, keep_orphans=True)
    assert command_line.cmd_prune(pruning) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  delete_orphans:    False" in lines
    assert "Scanned:         1" in lines
    assert command_line.cmd_clear_legacy(namespace(force=True)) == 0
    assert capsys.readouterr().out == "No legacy archives to clear.\n"
    assert command_line.cmd_clear(namespace(force=True)) == 0
    assert not (home / "checkpoints").exists()
    assert command_line.cmd_clear(namespace(force=False)) == 0
    assert "checkpoint base does not exist" in capsys.readouterr().out


def test_cmd_prune_does_not_ask(home: Path, project: Path) -> None:
    with Checkpoints.open() as checkpoints:
        for number in range(3):
            (project / "README.md").write_text(str(number))
            checkpoints.project(project).take()
        (home / "config.yaml").write_text("checkpoints: {max_snapshots: 1}\n")
        pruning = namespace(retention_days=0, max_size_mb=0, keep_orphans=False)
        assert command_line.cmd_prune(pruning) == 0
        assert len(checkpoints.list_all()) == 1


def test_a_restore_that_fails_says_what_is_behind_it(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True)
    manager.ensure_checkpoint(str(project))
    answer = manager.restore(str(project), "f" * 40)
    assert answer["success"] is False
    assert answer["error"] == f"Checkpoint '{'f' * 40}' not found"
    assert "`log` lists the ids" in answer["debug"]
    (home / "checkpoints/catalog.db").write_bytes(b"no catalog" * 500)
    assert manager.restore(str(project), "f" * 40)["debug"] == "file is not a database"

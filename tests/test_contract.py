"""The names, arguments, defaults, result keys, columns and exit codes of the originals hold here.

What they are is written down from hermes-agent 0.19.0 and the store of session files; what
differs is in docs/contract.md, with the reason.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hermes_checkpoints
from hermes_checkpoints import CheckpointManager, CheckpointStore, Config
from hermes_checkpoints.compat import (
    checkpoint_maintenance,
    checkpoint_manager,
    checkpoint_pruning,
    command_line,
)
from support import Run

DOCUMENT = (Path(__file__).parents[1] / "docs" / "contract.md").read_text(encoding="utf-8")

AS_CONFIGURED = None
"""The default of an argument that the configuration has a value for, where it is not given."""

FUNCTIONS: dict[str, dict[str, object]] = {
    "format_checkpoint_list": {"checkpoints": ..., "directory": ...},
    "prune_checkpoints": {
        "retention_days": AS_CONFIGURED,
        "delete_orphans": AS_CONFIGURED,
        "checkpoint_base": None,
        "max_total_size_mb": AS_CONFIGURED,
        "orphan_allowlist": None,
    },
    "maybe_auto_prune_checkpoints": {
        "retention_days": AS_CONFIGURED,
        "min_interval_hours": AS_CONFIGURED,
        "delete_orphans": AS_CONFIGURED,
        "checkpoint_base": None,
        "max_total_size_mb": AS_CONFIGURED,
    },
    "store_status": {"checkpoint_base": None},
    "clear_all": {"checkpoint_base": None},
    "clear_legacy": {"checkpoint_base": None},
}
"""The functions of ``tools.checkpoint_manager``: arguments in order, ``...`` for no default."""

METHODS: dict[str, dict[str, object]] = {
    "__init__": {
        "enabled": False,
        "max_snapshots": AS_CONFIGURED,
        "max_total_size_mb": AS_CONFIGURED,
        "max_file_size_mb": AS_CONFIGURED,
    },
    "new_turn": {},
    "ensure_checkpoint": {"working_dir": ..., "reason": "auto"},
    "list_checkpoints": {"working_dir": ...},
    "diff": {"working_dir": ..., "commit_hash": ...},
    "restore": {"working_dir": ..., "commit_hash": ..., "file_path": None},
    "get_working_dir_for_path": {"file_path": ...},
}
STORE: dict[str, dict[str, object]] = {
    "__init__": {"checkpoints_dir": None},
    "write": {"session_id": ..., "data": ...},
    "read": {"session_id": ...},
    "delete": {"session_id": ...},
    "list_sessions": {},
    "garbage_collect": {"max_age_days": 7},
}
COMMANDS = ["cmd_status", "cmd_list", "cmd_prune", "cmd_clear", "cmd_clear_legacy"]
OPTIONS: dict[str, dict[str, object]] = {
    "": {},
    "status --limit 5": {"limit": 5},
    "status": {"limit": 20},
    "list --limit 5": {"limit": 5},
    "list": {"limit": 20},
    "prune --retention-days 3 --max-size-mb 200 --keep-orphans": {
        "retention_days": 3,
        "max_size_mb": 200,
        "keep_orphans": True,
    },
    "clear -f": {"force": True},
    "clear --force": {"force": True},
    "clear-legacy -f": {"force": True},
}
"""Command lines below ``hermes checkpoints``, and what the parser makes of them."""

CONFIGURED = {
    "enabled": False,
    "max_snapshots": 20,
    "max_total_size_mb": 500,
    "max_file_size_mb": 10,
    "auto_prune": True,
    "retention_days": 7,
    "delete_orphans": True,
    "min_interval_hours": 24,
}


def has_arguments(function: Callable[..., Any], wanted: dict[str, object]) -> bool:
    """Tell whether a function begins with these arguments, with these defaults, and whatever
    else it has needs no value."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    first, rest = parameters[: len(wanted)], parameters[len(wanted) :]
    defaults = {p.name: ... if p.default is p.empty else p.default for p in first}
    return defaults == wanted and all(p.default is not p.empty for p in rest)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("module", [checkpoint_manager, hermes_checkpoints])
def test_functions_have_their_arguments_and_defaults(module: Any, name: str) -> None:
    assert has_arguments(getattr(module, name), FUNCTIONS[name])


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("manager", [CheckpointManager, checkpoint_manager.CheckpointManager])
def test_methods_have_their_arguments_and_defaults(manager: Any, name: str) -> None:
    assert has_arguments(getattr(manager, name), METHODS[name])


@pytest.mark.parametrize("name", STORE)
def test_the_store_of_sessions_has_its_arguments_and_defaults(name: str) -> None:
    assert has_arguments(getattr(CheckpointStore, name), STORE[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_handlers_take_the_parsed_arguments(name: str) -> None:
    assert has_arguments(getattr(command_line, name), {"args": ...})


def test_attributes_of_the_manager_are_the_limits_that_it_was_given() -> None:
    manager = CheckpointManager(True, 5, 40, 2)
    limits = manager.max_snapshots, manager.max_total_size_mb, manager.max_file_size_mb
    assert (manager.enabled, *limits) == (True, 5, 40, 2)


def test_the_defaults_of_the_configuration() -> None:
    config = Config()
    assert {name: getattr(config, name) for name in CONFIGURED} == CONFIGURED


@pytest.mark.parametrize("command", OPTIONS)
def test_verbs_and_options(command: str) -> None:
    parser = argparse.ArgumentParser()
    command_line.register_cli(parser)
    args = parser.parse_args(command.split())
    assert callable(args.func)
    assert {name: getattr(args, name) for name in OPTIONS[command]} == OPTIONS[command]


def test_the_keys_of_every_result(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, home=home)
    where, base = str(project), home / "checkpoints"
    manager.ensure_checkpoint(where, "before write_file")
    (project / "README.md").write_text("changed")
    manager.new_turn()
    manager.ensure_checkpoint(where, "before patch")
    entry = manager.list_checkpoints(where)[0]
    figures = ("files_changed", "insertions", "deletions")
    assert {"hash", "short_hash", "timestamp", "reason", *figures} <= entry.keys()
    assert [type(entry[name]) for name in figures] == [int] * 3
    assert {"success", "stat", "diff"} <= manager.diff(where, entry["hash"]).keys()
    for failed in (manager.diff(where, "f" * 40), manager.restore(where, "f" * 40)):
        assert (failed["success"], failed["error"]) == (False, f"Checkpoint '{'f' * 40}' not found")
    assert "debug" in manager.restore(where, "f" * 40)
    restored = manager.restore(where, entry["hash"], "README.md")
    assert {"success", "restored_to", "reason", "directory", "file"} <= restored.keys()
    assert "file" not in manager.restore(where, entry["hash"])
    status = checkpoint_manager.store_status(base)
    sizes = {"store_size_bytes", "legacy_size_bytes", "total_size_bytes"}
    lists = {"project_count", "projects", "legacy_archives"}
    assert {"base", *sizes, *lists} <= status.keys()
    of_project = {"hash", "workdir", "exists", "created_at", "last_touch", "commits"}
    assert of_project <= status["projects"][0].keys()
    (base / "legacy-20200101-000000").mkdir()
    (archive,) = checkpoint_manager.store_status(base)["legacy_archives"]
    assert {"name", "size_bytes", "mtime"} <= archive.keys()
    pruned = {"scanned", "deleted_orphan", "deleted_stale", "errors", "bytes_freed"}
    assert pruned <= checkpoint_manager.prune_checkpoints(checkpoint_base=base).keys()
    ran = checkpoint_manager.maybe_auto_prune_checkpoints(checkpoint_base=base)
    assert ran["skipped"] is False
    assert pruned <= ran["result"].keys()
    again = checkpoint_manager.maybe_auto_prune_checkpoints(checkpoint_base=base)
    assert again == {"skipped": True}
    assert {"bytes_freed", "deleted"} <= checkpoint_manager.clear_legacy(base).keys()
    assert checkpoint_manager.clear_all(base)["deleted"] is True


def test_exit_codes_and_lines_where_there_is_nothing(run: Run, fresh_home: Path) -> None:
    status = run("status").lines
    assert status[:5] == [
        f"Checkpoint base: {fresh_home}/checkpoints",
        "Total size:      0 B",
        "  store/         0 B",
        "  legacy-*       0 B",
        "Projects:        0",
    ]
    assert run().lines == run("list").lines == status
    assert run("clear").lines == ["Nothing to clear — checkpoint base does not exist."]
    assert run("clear-legacy").lines == ["No legacy archives to clear."]
    lines = run("prune", "-f").lines
    assert lines[:5] == [
        "Pruning checkpoint store…",
        "  retention_days:    7",
        "  delete_orphans:    True",
        "  max_total_size_mb: 500",
        "",
    ]
    result = lines.index("Scanned:         0")
    assert lines[result : result + 5] == [
        "Scanned:         0",
        "Deleted orphan:  0",
        "Deleted stale:   0",
        "Errors:          0",
        "Bytes reclaimed: 0 B",
    ]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the rows of a table of the document, below its head."""
    part = DOCUMENT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_document_names_what_is_there() -> None:
    named = " ".join(cell for row in rows("Where the names are") for cell in row)
    modules = (checkpoint_manager, checkpoint_maintenance, checkpoint_pruning, command_line)
    for module in modules:
        assert f"`{module.__name__}`" in named
    words = set(re.findall(r"`([A-Za-z_]+)`", named))
    public = {*FUNCTIONS, *COMMANDS, "register_cli", "CheckpointManager", "CheckpointStore"}
    public |= {"auto_prune_from_config", "checkpoint_footprint_notice"}
    public |= {"PruneError", "store_lock", "store_lock_path"}
    constants = {name for name in words if name.isupper()}
    assert words == public | constants
    assert len(constants) == 4
    homes = (*modules, hermes_checkpoints)
    assert [name for name in words if not any(hasattr(home, name) for home in homes)] == []


def test_every_difference_has_both_sides_and_no_two_are_of_one_thing() -> None:
    differences = rows("What differs, and why")
    assert len(differences) > 40
    assert {len(row) for row in differences} == {4}
    assert all(row[0] and row[2] for row in differences)
    names = [row[0] for row in differences]
    assert len(names) == len(set(names))

"""What a call of one of the agent's tools may change, told from its name and arguments."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.compat import places
from hermes_checkpoints.triggers.background import goes_on
from hermes_checkpoints.triggers.patches import patched_paths

WRITERS = ("write_file", "patch")
"""The tools that name the files which they write."""

READERS = frozenset(
    {
        *("read_file", "search_files", "read_terminal", "close_terminal", "session_search"),
        *("skills_list", "skill_view", "clarify", "todo", "tool_search", "tool_describe"),
        *("web_search", "web_extract", "x_search", "vision_analyze", "video_analyze"),
        *("browser_navigate", "browser_snapshot", "browser_click", "browser_type"),
        *("browser_scroll", "browser_back", "browser_press", "browser_get_images"),
        *("browser_vision", "browser_console", "browser_dialog"),
        *("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"),
        *("kanban_show", "kanban_list", "kanban_attachments", "project_list", "project_switch"),
        "delegate_task",  # what a subagent does is told tool by tool
    }
)
"""The tools of the agent that change no file of a project. ``clarify`` waits for the user, who may
edit files meanwhile."""

KEEPERS = frozenset(
    {
        *("memory", "skill_manage", "cronjob"),
        *("kanban_create", "kanban_comment", "kanban_complete", "kanban_block", "kanban_unblock"),
        *("kanban_link", "kanban_heartbeat", "kanban_attach", "kanban_attach_url"),
    }
)
"""The tools that change files of the agent's home only. They count where somebody works in it."""

MOST_PATHS = 100
"""How many paths are looked for in the arguments of a tool that is not known."""


class Call(NamedTuple):
    """A call of a tool that may change files: of those that it names in ``paths``, or of any in
    ``directory``. ``command`` is what it runs in a shell; ``writes`` says that it writes just the
    files that it names, and ``goes_on`` that it may work on after it has answered."""

    tool: str
    directory: str
    paths: tuple[str, ...] = ()
    command: str | None = None
    writes: bool = False
    goes_on: bool = False


def call_of(tool: str, args: object, task_id: str) -> Call | None:
    """Return what a call may change, None where that is nothing. A tool that is not known, as those
    of plugins and of MCP servers, may change anything.

    >>> from hermes_checkpoints.compat.calls import call_of
    >>> patch = "*** Update File: /srv/a.py\\n*** Add File: /srv/b.py"
    >>> call_of("patch", {"patch": patch}, "").paths
    ('/srv/a.py', '/srv/b.py')
    >>> call_of("read_file", {"path": "/srv/a.py"}, "") is None
    True
    """
    given: Mapping[str, object] = args if isinstance(args, Mapping) else {}
    if tool in READERS or (tool in KEEPERS and not _in_the_home(task_id)):
        return None
    command = given.get("command")
    if tool == "terminal" and isinstance(command, str):
        directory = places.terminal_directory(given.get("workdir"), task_id)
        background = bool(given.get("background")) or goes_on(command)
        return Call(tool, directory, command=command, goes_on=background)
    if tool == "execute_code":
        return Call(tool, places.code_directory(task_id))
    directory = places.files_directory(task_id)
    if tool in WRITERS:
        patch = given.get("patch")
        named = [given.get("path"), *patched_paths(patch if isinstance(patch, str) else "")]
        paths = [places.file_of(str(one), task_id) for one in named if _is_path(one)]
        return Call(tool, directory, tuple(dict.fromkeys(paths)), writes=True)
    found = dict.fromkeys(os.path.expanduser(one) for one in _absolute(given))
    return Call(tool, directory, tuple(found), goes_on=bool(given.get("background")))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _absolute(value: object, depth: int = 3) -> Iterator[str]:
    """Yield the absolute paths in the arguments of a tool that is not known."""
    if isinstance(value, str):
        line = "\n" not in value and len(value) < 4096
        if line and value.startswith(("/", "~/")) and _is_path(value):
            yield value
    elif depth and isinstance(value, Mapping | list | tuple):
        inner = value.values() if isinstance(value, Mapping) else value
        found = 0
        for one in inner:
            for path in _absolute(one, depth - 1):
                found += 1
                if found > MOST_PATHS:
                    return
                yield path


def _in_the_home(task_id: str) -> bool:
    """Tell whether the session works in the agent's home, or in a folder around it."""
    here, home = (
        Path(one).resolve() for one in (places.files_directory(task_id), places.agent_layout().home)
    )
    return here.is_relative_to(home) or home.is_relative_to(here)

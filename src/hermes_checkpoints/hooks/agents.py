"""The agents whose hooks are understood: their events, their tools, and where they keep hooks.

Each table follows the documents and sources that tests/fixtures/hooks/README.md names. A tool that
is not known may change files. An agent waits for each of its events, so that nothing is loaded here
that takes time.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple


class EventKind(enum.StrEnum):
    """What an event tells."""

    PROMPT = "prompt"  # a person has asked for something
    BEFORE_TOOL = "before-tool"
    AFTER_TOOL = "after-tool"
    STOP = "stop"  # the agent has answered, or was interrupted just now
    END = "end"  # the session is over


class Agent(NamedTuple):
    """An agent with hooks.

    ``events`` are those that hooks are installed for. ``tells_every_tool`` says that it tells of
    every tool that may change files; where it has gaps, a checkpoint is taken at the prompt.
    ``readers`` are the tools that change no file of a project, ``writers`` those that name in an
    argument the file that they write, ``patchers`` those whose command is a patch, and ``shells``
    those whose command is for a shell. ``silence`` is what it wants to read where there is nothing
    to say. Its hooks stand in ``file`` of the folder ``folder``, which lies in the home or in a
    project, or where the environment variable ``variable`` says. ``timeout`` is how long a hook may
    take, five minutes in its unit, ``timeouts`` how long those of some events may, for which the
    agent allows no more, and ``afterwards`` what a person must still do. ``reads_comments`` says
    that it reads settings with comments in them.
    """

    name: str
    title: str
    events: Mapping[str, EventKind]
    tells_every_tool: bool
    readers: frozenset[str]
    writers: Mapping[str, str]
    patchers: frozenset[str]
    shells: frozenset[str]
    silence: str
    folder: str
    file: str
    variable: str | None
    timeout: int
    timeouts: Mapping[str, int]
    afterwards: str
    reads_comments: bool = True


_TOOL_EVENTS = {"PreToolUse": EventKind.BEFORE_TOOL, "PostToolUse": EventKind.AFTER_TOOL}

CLAUDE = Agent(
    "claude",
    "Claude Code",
    {
        "UserPromptSubmit": EventKind.PROMPT,
        **_TOOL_EVENTS,
        "PostToolUseFailure": EventKind.AFTER_TOOL,
        "Stop": EventKind.STOP,
        "SessionEnd": EventKind.END,
    },
    True,
    frozenset(
        {
            *("Read", "Glob", "Grep", "LS", "NotebookRead", "LSP", "ToolSearch"),
            *("WebFetch", "WebSearch", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"),
            *("TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
            *("BashOutput", "TaskOutput", "TaskStop", "KillShell", "KillBash"),
            *("Agent", "Task", "Skill", "SlashCommand", "SendMessage"),
            *("ListMcpResourcesTool", "ReadMcpResourceTool"),
        }
    ),
    {
        "Write": "file_path",
        "Edit": "file_path",
        "MultiEdit": "file_path",
        "NotebookEdit": "notebook_path",
    },
    frozenset(),
    frozenset({"Bash", "PowerShell"}),
    "",
    ".claude",
    "settings.json",
    "CLAUDE_CONFIG_DIR",
    300,
    {},
    "Claude Code reads hooks when it starts: start it anew, and look at them with /hooks.",
)

_CODEX_COLLABORATION = (
    *("spawn_agent", "wait_agent", "list_agents", "interrupt_agent"),
    *("send_message", "followup_task"),
)
"""Codex writes the name of a group of tools before that of the tool, without anything between."""

CODEX = Agent(
    "codex",
    "Codex",
    {
        "UserPromptSubmit": EventKind.PROMPT,
        **_TOOL_EVENTS,
        "Stop": EventKind.STOP,
        "Interrupt": EventKind.STOP,
        "SessionEnd": EventKind.END,
    },
    False,
    frozenset(
        {
            *("view_image", "web_search", "read_file", "grep_files", "list_dir", "tool_search"),
            *("update_plan", "get_goal", "create_goal", "update_goal"),
            *("request_user_input", "request_user_input_async"),
            *("list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"),
            *_CODEX_COLLABORATION,
            *(f"collaboration{tool}" for tool in _CODEX_COLLABORATION),
            *("clocksleep", "clockcurr_time"),
        }
    ),
    {"Write": "file_path", "Edit": "file_path"},
    frozenset({"apply_patch"}),
    frozenset({"Bash", "shell", "local_shell", "shell_command", "exec_command"}),
    "",
    ".codex",
    "hooks.json",
    "CODEX_HOME",
    300,
    {"Interrupt": 3, "SessionEnd": 3},
    "Codex runs no hook that you have not trusted: start it, and trust these where it asks, or in "
    "/hooks. `codex exec` does not ask, and says nothing of hooks that it leaves out.",
    reads_comments=False,
)

GEMINI = Agent(
    "gemini",
    "Gemini CLI",
    {
        "BeforeAgent": EventKind.PROMPT,
        "BeforeTool": EventKind.BEFORE_TOOL,
        "AfterTool": EventKind.AFTER_TOOL,
        "AfterAgent": EventKind.STOP,
        "SessionEnd": EventKind.END,
    },
    True,
    frozenset(
        {
            *("read_file", "read_many_files", "list_directory", "glob", "search_file_content"),
            *("grep_search", "google_web_search", "web_fetch", "write_todos", "ask_user"),
            *("enter_plan_mode", "exit_plan_mode", "activate_skill", "cli_help"),
            *("codebase_investigator", "get_internal_docs", "save_memory"),
            *("invoke_agent", "complete_task", "update_topic"),
            *("list_background_processes", "read_background_output"),
            *("list_mcp_resources", "read_mcp_resource"),
            *("tracker_create_task", "tracker_update_task", "tracker_get_task"),
            *("tracker_list_tasks", "tracker_add_dependency", "tracker_visualize"),
        }
    ),
    {"write_file": "file_path", "replace": "file_path", "edit": "file_path"},
    frozenset(),
    frozenset({"run_shell_command"}),
    "{}",
    ".gemini",
    "settings.json",
    None,
    300_000,
    {},
    "Gemini CLI reads hooks when it starts: start it anew, and look at them with /hooks.",
)

AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI)}
"""The agents by name."""

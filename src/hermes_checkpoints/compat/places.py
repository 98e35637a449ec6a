"""Where the agent works: its home, its files, and the directories of its tools.

The agent knows where its tools work, by session: the directory that its terminal is in after `cd`,
the one that an editor or a worktree has given the session, ``TERMINAL_CWD``. So it is asked, by the
functions that its own tools use. Where a version lacks one of them, or it fails, what is known
without it holds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.layout import Layout

Chat = tuple[str, ...]

chat: ContextVar[Chat | None] = ContextVar("hermes_checkpoints_chat", default=None)
"""The chat that a message of the gateway came from, None outside of the gateway."""


def agent_layout(home: str | os.PathLike[str] | None = None) -> Layout:
    """Return the layout of ``home``, else of the home that the agent works in at this moment,
    which may be that of a profile."""
    constants = sys.modules.get("hermes_constants")
    current = getattr(constants, "get_hermes_home", None)
    if home is None and callable(current):
        home = Path(current())
    return Layout.of(home)


def elsewhere() -> str | None:
    """Return why the agent's files are not on this machine, or None if they are."""
    backend = (os.environ.get("TERMINAL_ENV") or "local").strip().lower()
    if backend in {"local", ""}:
        return None
    return f"the terminal works in {backend}, whose files are not those of this machine"


def session_directory() -> str:
    """Return the directory of the session that this thread or task works for."""
    current = _ask("agent.runtime_cwd", "resolve_agent_cwd")
    return str(current or os.environ.get("TERMINAL_CWD") or os.getcwd())


def files_directory(task_id: str) -> str:
    """Return the directory from which the file tools of a task read relative paths."""
    base = _ask("tools.file_tools", "_resolve_base_dir", task_id or "default")
    return str(base or session_directory())


def file_of(path: str, task_id: str) -> str:
    """Return the absolute path of the file that a file tool of a task means by ``path``."""
    file = _ask("tools.file_tools", "_resolve_path_for_task", path, task_id or "default")
    return str(file or os.path.join(session_directory(), os.path.expanduser(path)))


def terminal_directory(workdir: object, task_id: str) -> str:
    """Return the directory in which the terminal of a task runs its next command; ``workdir`` is
    what the call names."""
    key = _ask("tools.approval", "get_current_session_key", default="") or task_id
    overrides = _ask("tools.terminal_tool", "resolve_task_overrides", task_id)
    config = _ask("tools.terminal_tool", "_get_env_config")
    found = (
        _ask("tools.terminal_tool", "get_session_cwd", key)
        or _value(overrides, "cwd")
        or _ask("tools.terminal_tool", "get_session_cwd", task_id)
        or _value(config, "cwd")
        or session_directory()
    )
    named = os.path.expanduser(workdir) if isinstance(workdir, str) else ""
    return os.path.abspath(os.path.join(str(found), named))


def code_directory(task_id: str) -> str:
    """Return the directory in which a script of a task runs. Where scripts run in a scratch folder
    of their own, it is the session's, which they are about."""
    default = files_directory(task_id)
    tool = "tools.code_execution_tool"
    return str(_ask(tool, "_resolve_child_cwd", "project", default, task_id=task_id) or default)


def changes_files_by_itself() -> bool:
    """Tell whether the model that is configured is an agent of its own, which changes files without
    a tool that hooks are told of: the app server of Codex, or Copilot behind ACP."""
    model = _value(_ask("hermes_cli.config", "load_config"), "model")
    runtime, provider, url = (
        str(_value(model, key) or "").strip().lower()
        for key in ("openai_runtime", "provider", "base_url")
    )
    return runtime == "codex_app_server" or provider == "copilot-acp" or url.startswith("acp://")


def reviews_only() -> bool:
    """Tell whether this thread may use no tool that changes files: the agent looks a conversation
    through for what it should remember, under the id of the session, and nobody has asked."""
    allowed = getattr(
        getattr(sys.modules.get("hermes_cli.plugins"), "_thread_tool_whitelist", None),
        "allowed",
        None,
    )
    return allowed is not None and not {"terminal", "write_file", "patch"}.intersection(allowed)


@guarded("the chat of a message is not known", lambda _: None)
def note_chat(event: object = None, **_: object) -> None:
    """Note which chat the message came from that this task of the gateway works on."""
    source = getattr(event, "source", None)
    names = ("platform", "chat_id", "thread_id", "user_id")
    chat.set(None if source is None else tuple(str(getattr(source, n, None)) for n in names))


@guarded("it is not known how the session {session_id} began", lambda _: None)
def first_of_lineage(session_id: str, layout: Layout) -> str | None:
    """Return the id under which a conversation began that goes on as ``session_id``, since the
    agent has compressed it; None where that is not known."""
    database = getattr(sys.modules.get("hermes_state"), "SessionDB", None)
    file = layout.home / "state.db"
    if database is None or not file.is_file():
        return None
    opened = database(db_path=file, read_only=True)
    try:
        lineage = opened.get_compression_lineage(session_id)
    finally:
        opened.close()
    return str(lineage[0]) if lineage else None


@guarded("the agent does not answer {function}", lambda _: None)
def _ask(module: str, function: str, *args: object, **kwargs: object) -> Any:
    """Return what a function of the agent answers, None where it has none of that name. Its modules
    are never loaded for that: a tool that runs has loaded its own."""
    found = getattr(sys.modules.get(module), function, None)
    return found(*args, **kwargs) if callable(found) else None


def _value(found: object, key: str) -> object:
    return found.get(key) if isinstance(found, Mapping) else None

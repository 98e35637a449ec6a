"""Lets an agent tell of its events: writes the hooks into its settings, and takes them out.

Nothing else in the file changes. Where it is not what it was when its change was shown, nothing is
written.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.hooks.agents import Agent
from hermes_checkpoints.hooks.commands import runs_a_hook
from hermes_checkpoints.hooks.json_edit import EMPTY, Document
from hermes_checkpoints.text import typed

PROGRAM = "hermes-checkpoints"
_HOOKS = "hooks"


@dataclass(frozen=True)
class Edit:
    """A change of an agent's settings that is not made yet: which file, what is in it, None where
    there is none, and what is to be."""

    agent: Agent
    file: Path
    before: bytes | None
    after: bytes

    @property
    def changes(self) -> bool:
        """Whether anything would change."""
        return (self.before or b"") != self.after

    def make(self) -> None:
        """Write the file, through a link to where it leads, with the permissions that it has.

        Raises:
            BadRequest: when the file is not what it was, or cannot be written.
        """
        target = Path(os.path.realpath(self.file))
        if _read(target) != self.before:
            raise BadRequest(f"{self.file} has changed meanwhile; nothing was written: try again")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = target.stat().st_mode & 0o7777 if self.before is not None else 0o600
            write_atomically(target, self.after, mode)
            os.chmod(target, mode)
        except OSError as error:
            raise BadRequest(f"{self.file} cannot be written ({error.strerror})") from error


def settings_of(agent: Agent, project: Path | None = None) -> Path:
    """Return the file in which an agent's hooks stand: that of a project, else that of this user,
    wherever the agent is told to keep it."""
    if project is not None:
        return project / agent.folder / agent.file
    elsewhere = os.environ.get(agent.variable) if agent.variable else None
    return (Path(elsewhere) if elsewhere else Path.home() / agent.folder) / agent.file


def command_of(agent: Agent, home: Path | None = None, *, shared: bool = False) -> str:
    """Return the command that a hook of an agent runs. One that is ``shared`` with others, in a
    project, finds the program by its name."""
    words = [PROGRAM] if shared else _program()
    words += ["hook", "--agent", agent.name]
    if home is not None:
        words += ["--home", str(home)]
    return shlex.join(words)


def install_words(agent: Agent, project: Path | None, *more: str) -> str:
    """Return the command that installs the hooks of an agent, for a project or for this user."""
    where = [] if project is None else ["--project", "--dir", str(project)]
    return typed([PROGRAM, "hook", "install", agent.name, *more, *where])


def hooks_of(agent: Agent, command: str) -> dict[str, list[dict[str, Any]]]:
    """Return the hooks of an agent by event, in the form of its settings."""
    return {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": command,
                        "timeout": agent.timeouts.get(event, agent.timeout),
                    }
                ]
            }
        ]
        for event in agent.events
    }


def plan_install(agent: Agent, file: Path, command: str) -> Edit:
    """Return the change that installs the hooks in a file; those of ours that stand there with
    another command go.

    Raises:
        BadRequest: when the file cannot be read, or is not what the agent would read.
    """
    before = _read(file)
    document = _document(file, before)
    if not agent.reads_comments and document.first_comment is not None:
        raise BadRequest(
            f"{file} is left as it is: {agent.title} reads no file with comments, as in line "
            f"{document.first_comment}; take them out"
        )
    wanted = hooks_of(agent, command)
    if {event: _ours_of(document, event) for event in wanted} == wanted:
        return Edit(agent, file, before, before or document.text)
    document = _cleared(document, file)
    for event in wanted:
        if not isinstance(document.value.get(_HOOKS, {}).get(event, []), list):
            raise BadRequest(f"{file} is left as it is: its hooks of {event} are no list")
    if _HOOKS not in document.value:
        document = document.with_member((), _HOOKS, {})
    for event, groups in wanted.items():
        if event not in _hooks(document, file):
            document = document.with_member((_HOOKS,), event, groups)
        else:
            document = document.with_element((_HOOKS, event), groups[0])
    return Edit(agent, file, before, document.text)


def plan_removal(agent: Agent, file: Path) -> Edit:
    """Return the change that takes the hooks out of a file.

    Raises:
        BadRequest: as ``plan_install``.
    """
    before = _read(file)
    document = _cleared(_document(file, before), file)
    return Edit(agent, file, before, b"" if before is None else document.text)


def installed(file: Path) -> dict[str, str]:
    """Return the commands of our hooks in a file by event; none where there is no file.

    Raises:
        BadRequest: as ``plan_install``.
    """
    document = _document(file, _read(file))
    return {
        event: handler["command"]
        for event, _, _, handler in _handlers(document, file)
        if _is_ours(handler)
    }


# --- inside -------------------------------------------------------------------------------------


def _program() -> list[str]:
    """Return how this program is started, wherever the agent runs."""
    script = Path(sys.executable).with_name(PROGRAM)
    if script.is_file():
        return [str(script)]
    found = shutil.which(PROGRAM)
    return [found] if found else [sys.executable, "-m", "hermes_checkpoints"]


def _read(file: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would be waited for
            raise BadRequest(f"{file} is left as it is: it is no regular file")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadRequest(f"{file} cannot be read ({error.strerror})") from error


def _document(file: Path, content: bytes | None) -> Document:
    try:
        document = Document(content or EMPTY)
    except BadRequest as error:
        raise BadRequest(
            f"{file} is left as it is: {error}; mend it, or add the hooks by hand, which `--print` "
            "behind the same command shows"
        ) from error
    _hooks(document, file)
    return document


def _hooks(document: Document, file: Path) -> Mapping[str, list[Any]]:
    """Return the hooks of a document by event.

    Raises:
        BadRequest: when they have another form than the agent reads.
    """
    hooks = document.value.get(_HOOKS, {})
    if not isinstance(hooks, dict):
        raise BadRequest(f"{file} is left as it is: its `hooks` are no object")
    # What is no list is a setting of the hooks as a whole, as `enabled` of Gemini CLI.
    return {event: groups for event, groups in hooks.items() if isinstance(groups, list)}


def _handlers(document: Document, file: Path) -> Iterator[tuple[str, int, int, Mapping[str, Any]]]:
    """Yield every hook with its place: the event, the number of its group, and its number there."""
    for event, groups in _hooks(document, file).items():
        for number, group in enumerate(groups):
            handlers = group.get(_HOOKS) if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else []):
                if isinstance(handler, dict):
                    yield event, number, place, handler


def _is_ours(handler: Mapping[str, Any]) -> bool:
    command = handler.get("command")
    return isinstance(command, str) and runs_a_hook(command)


def _ours_of(document: Document, event: str) -> list[Any]:
    """Return the groups of an event that have a hook of ours."""
    groups = document.value.get(_HOOKS, {}).get(event, [])
    return [
        group
        for group in (groups if isinstance(groups, list) else [])
        if isinstance(group, dict)
        and any(isinstance(one, dict) and _is_ours(one) for one in group.get(_HOOKS) or [])
    ]


def _cleared(document: Document, file: Path) -> Document:
    """Return a document without our hooks, and without what is empty since they are gone."""
    while True:
        ours = next((one for one in _handlers(document, file) if _is_ours(one[3])), None)
        if ours is None:
            return document
        event, group, place, _ = ours
        hooks = document.value[_HOOKS]
        gone: tuple[str | int, ...] = (_HOOKS, event, group, _HOOKS, place)
        if len(hooks[event][group][_HOOKS]) == 1:
            gone = (_HOOKS, event, group)
            if len(hooks[event]) == 1:
                gone = (_HOOKS, event) if len(hooks) > 1 else (_HOOKS,)
        document = document.without(gone)

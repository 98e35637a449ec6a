"""Which agents are covered here: the check of ``doctor`` that looks at their settings."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import AGENTS, Agent
from hermes_checkpoints.hooks.install import hooks_of, installed, settings_of
from hermes_checkpoints.model.doctor import Finding

_INSTALL = "hermes checkpoints hook install"


def check(_patient: Patient) -> Iterator[Finding]:
    """Look which agents are used here, and whether each tells of its events."""
    for agent in AGENTS.values():
        yield from _of(agent)


def _of(agent: Agent) -> Iterator[Finding]:
    file = settings_of(agent)
    try:
        commands = installed(file)
    except BadRequest as error:
        yield Finding(
            "agent-settings-unread",
            str(file),
            f"whether {agent.title} takes checkpoints is not known: {error}",
            "mend the file",
            note=True,
        )
        return
    if not commands:
        if file.parent.is_dir():  # the agent makes it when it is first started
            yield Finding(
                "agent-not-covered",
                agent.title,
                f"{agent.title} is used here, and takes no checkpoints",
                f"to let it: {_INSTALL} {agent.name}",
                note=True,
            )
        return
    missing = [event for event in hooks_of(agent, "") if event not in commands]
    if missing:
        yield Finding(
            "agent-partly-covered",
            str(file),
            f"{agent.title} does not tell of {', '.join(missing)}",
            f"{_INSTALL} {agent.name}",
        )
    for command in sorted(set(commands.values())):
        if not _is_there(command):
            yield Finding(
                "agent-hook-broken",
                str(file),
                f"the hooks of {agent.title} run `{command}`, which is not there: no checkpoints "
                "are taken",
                f"{_INSTALL} {agent.name}",
            )
            return
    if not missing:
        yield Finding(
            "agent-covered",
            agent.title,
            f"{agent.title} takes checkpoints by its hooks in {file}",
            "nothing",
            note=True,
        )


def _is_there(command: str) -> bool:
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        return False
    return shutil.which(program) is not None or Path(program).is_file()

"""Which agents are covered here: the check of ``doctor`` that looks at their settings."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from hermes_checkpoints.base.projects import known_project
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import AGENTS, Agent
from hermes_checkpoints.hooks.install import hooks_of, install_words, installed, settings_of
from hermes_checkpoints.hooks.switches import switched_off
from hermes_checkpoints.model.doctor import Finding


def check(_patient: Patient) -> Iterator[Finding]:
    """Look which agents are used here, and whether each tells of its events, by the settings of
    this user or by those of the project of the current directory."""
    project = _project()
    for agent in AGENTS.values():
        yield from _of(agent, project)


def _project() -> Path | None:
    try:
        return known_project(Path.cwd())
    except (OSError, BadRequest):  # the current directory is gone
        return None


def _of(agent: Agent, project: Path | None) -> Iterator[Finding]:
    places: dict[Path, Path | None] = {settings_of(agent): None}
    if project is not None:
        places.setdefault(settings_of(agent, project), project)
    found: dict[Path, Mapping[str, str]] = {}
    unread = False
    for file in places:
        try:
            commands = installed(file)
        except BadRequest as error:
            unread = True
            yield Finding(
                "agent-settings-unread",
                str(file),
                f"whether {agent.title} takes checkpoints is not known: {error}",
                "mend the file",
                note=True,
            )
        else:
            if commands:
                found[file] = commands
    if not found:
        # The agent makes its folder when it is first started.
        if not unread and settings_of(agent).parent.is_dir():
            yield Finding(
                "agent-not-covered",
                agent.title,
                f"{agent.title} is used here, and takes no checkpoints",
                f"to let it: {install_words(agent, None)}",
                note=True,
            )
        return
    faults = [
        one
        for file, commands in found.items()
        for one in _faults(agent, file, commands, install_words(agent, places[file]))
    ]
    off = switched_off(agent, project)
    if off is not None:
        faults.append(
            Finding(
                "agent-hooks-off",
                str(off.file),
                f"{agent.title} runs no hooks, by its setting `{off.name}`: no checkpoints are "
                "taken",
                f"take `{off.name}` out of {off.file}",
            )
        )
    if len(found) > 1:
        assert project is not None  # noqa: S101 - else there is one place
        faults.append(
            Finding(
                "agent-covered-twice",
                agent.title,
                f"{agent.title} tells of each event twice, by its hooks in "
                f"{' and '.join(map(str, found))}",
                f"take one of them out: {install_words(agent, None, '--undo')}, or "
                f"{install_words(agent, project, '--undo')}",
            )
        )
    yield from faults
    if not faults:
        [file] = found
        alone = "" if places[file] is None else ", in that project alone"
        yield Finding(
            "agent-covered",
            agent.title,
            f"{agent.title} takes checkpoints by its hooks in {file}{alone}",
            "nothing",
            note=True,
        )


def _faults(
    agent: Agent, file: Path, commands: Mapping[str, str], remedy: str
) -> Iterator[Finding]:
    """Yield what is wrong with the hooks in one file."""
    missing = [event for event in hooks_of(agent, "") if event not in commands]
    if missing:
        yield Finding(
            "agent-partly-covered",
            str(file),
            f"{agent.title} does not tell of {', '.join(missing)}",
            remedy,
        )
    for command in sorted(set(commands.values())):
        if not _is_there(command):
            yield Finding(
                "agent-hook-broken",
                str(file),
                f"the hooks of {agent.title} run `{command}`, which is not there: no checkpoints "
                "are taken",
                remedy,
            )
            return


def _is_there(command: str) -> bool:
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        return False
    return shutil.which(program) is not None or Path(program).is_file()

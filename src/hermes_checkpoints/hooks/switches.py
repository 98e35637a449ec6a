"""Tells whether an agent runs hooks at all: each has a setting that switches all of them off.

Hooks that are installed and not run protect nothing, and nobody would notice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import CLAUDE, CODEX, GEMINI, Agent
from hermes_checkpoints.hooks.commands import runs_a_hook
from hermes_checkpoints.hooks.install import settings_of
from hermes_checkpoints.hooks.json_edit import Document


class Switch(NamedTuple):
    """A setting, by its name, and the file in which it stands."""

    name: str
    file: Path


_FILES = {
    CLAUDE.name: ("settings.json", "settings.local.json"),
    CODEX.name: ("config.toml",),
    GEMINI.name: ("settings.json",),
}
"""Where the setting may stand, in a folder of the agent; a later file counts before an earlier."""


def switched_off(agent: Agent, project: Path | None = None) -> Switch | None:
    """Return the setting that keeps an agent from running our hooks, in a project or wherever it
    has no settings of its own, or None. A file that cannot be read says nothing here."""
    folders = [settings_of(agent).parent]
    if project is not None:
        folders.append(settings_of(agent, project).parent)
    found: Switch | None = None
    for folder in folders:
        for file in (folder / name for name in _FILES[agent.name]):
            for name, on in _said(agent, _read(file)):
                found = None if on else Switch(name, file)
    return found


def _said(agent: Agent, settings: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield each setting that says whether hooks run, by its name; the last of them counts."""
    if agent is CLAUDE:
        yield from _flags(settings, "", ("disableAllHooks",), on=False)
    elif agent is CODEX:
        yield from _flags(settings, "features", ("codex_hooks", "hooks"))
    else:
        yield from _flags(settings, "hooks", ("enabled",))  # so it is up to version 0.25
        yield from _flags(settings, "hooksConfig", ("enabled",))
        disabled = _section(settings, "hooksConfig").get("disabled")
        for command in disabled if isinstance(disabled, list) else []:
            if isinstance(command, str) and runs_a_hook(command):
                yield "hooksConfig.disabled", False


def _flags(
    settings: Mapping[str, Any], section: str, keys: tuple[str, ...], *, on: bool = True
) -> Iterator[tuple[str, bool]]:
    """Yield the flags of a section that are set, and whether hooks run by them: where they have the
    value ``on``."""
    within = _section(settings, section) if section else settings
    for key in keys:
        if isinstance(value := within.get(key), bool):
            yield f"{section}.{key}" if section else key, value is on


def _section(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = settings.get(name)
    return section if isinstance(section, dict) else {}


def _read(file: Path) -> Mapping[str, Any]:
    try:
        if not file.is_file():  # a pipe would be waited for
            return {}
        content = file.read_bytes()
        return (
            tomllib.loads(content.decode()) if file.suffix == ".toml" else Document(content).value
        )
    except (OSError, ValueError, RecursionError, BadRequest):
        return {}

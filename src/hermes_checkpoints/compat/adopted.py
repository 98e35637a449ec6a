"""Whether the agent of this environment uses this package: the check of ``doctor`` that looks
outside the base."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hermes_checkpoints.compat import environment
from hermes_checkpoints.compat.environment import AGENT, COMMAND, TESTED
from hermes_checkpoints.compat.finding import is_safe_mode
from hermes_checkpoints.compat.plugin_list import PLUGIN, is_enabled_in
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.model.doctor import Finding

_SAFE_MODE = "HERMES_SAFE_MODE"
_ADOPT = "hermes-checkpoints adopt"


def check(patient: Patient) -> Iterator[Finding]:
    """Look whether the agent is installed here and both switches of an adoption are the same way.

    Raises:
        OSError: when a file cannot be read.
    """
    version = environment.agent_version()
    lacking = environment.missing_of_startup()
    place = environment.startup_line()
    if version is None:
        if lacking is not None:
            yield Finding(
                "adoption-left",
                str(place),
                f"{AGENT} is not installed in this environment any more, and what let it use this "
                "package is still there",
                f"nothing; to take it away: {_ADOPT} --undo",
                note=True,
            )
        return
    yield from _program()
    enabled = is_enabled_in(patient.layout.config)
    if lacking is None and not enabled:
        yield Finding(
            "not-adopted",
            AGENT,
            f"{AGENT} {version} is installed in this environment and uses its own checkpoint "
            "modules",
            f"to let it use this package: {_ADOPT}",
            note=True,
        )
        return
    lacks = ""
    if lacking is None:
        lacks = f"{place} is missing"
    elif lacking:
        what = "is not as it was written" if lacking[0].exists() else "is missing"
        lacks = f"{lacking[0]} {what}"
    elif not enabled:
        lacks = f"the plugin {PLUGIN} is not enabled in {patient.layout.config}"
    if lacks:
        yield Finding(
            "adoption-half",
            AGENT,
            f"{AGENT} {version} uses this package in part only: {lacks}",
            f"{_ADOPT} completes it, {_ADOPT} --undo takes it back",
        )
    if not environment.is_tested(version):
        yield Finding(
            "adoption-untested",
            AGENT,
            f"{AGENT} {version} uses this package, which is made for {TESTED}x",
            f"install a version of this package for it; or {_ADOPT} --undo",
            note=True,
        )
    if is_safe_mode():
        yield Finding(
            "safe-mode",
            _SAFE_MODE,
            "it is set here: an agent that is started with it uses its own checkpoint modules",
            f"nothing, if that is meant; else: unset {_SAFE_MODE}",
            note=True,
        )


def _program() -> Iterator[Finding]:
    """Look whether the agent's program ``hermes`` is the agent's."""
    if environment.command_is_here():
        yield Finding(
            "command-beside-agent",
            COMMAND,
            f"{COMMAND} is installed beside {AGENT}: both have a program `hermes`, and whichever "
            "is uninstalled takes it from the other",
            f"python -m pip uninstall {COMMAND}; then {_ADOPT}, which brings the agent's back",
            note=True,
        )
        return
    program = environment.agents_program()
    if program is not None and not environment.is_agents(program):
        lacks = "is one of this package" if os.path.lexists(program) else "is missing"
        yield Finding(
            "agent-program",
            str(program),
            f"the program of {AGENT} {lacks}: {COMMAND}, or an earlier version of this package, "
            "had one of that name",
            f"{_ADOPT} brings it back",
        )

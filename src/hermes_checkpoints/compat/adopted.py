"""Whether the agent of this environment uses this package: the check of ``doctor`` that looks
outside the base."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hermes_checkpoints.compat.adopt import AGENT, PLUGIN, TESTED, standing
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.model.doctor import Finding

_SAFE_MODE = "HERMES_SAFE_MODE"
_ADOPT = "hermes checkpoints adopt"


def check(patient: Patient) -> Iterator[Finding]:
    """Look whether the agent is installed here and both switches of an adoption are the same way.

    Raises:
        OSError: when a file cannot be read.
    """
    found = standing(patient.layout.config)
    where = str(found.place)
    if found.agent is None:
        if found.hook is not None:
            yield Finding(
                "adoption-left",
                where,
                f"{AGENT} is not installed in this environment any more, and what let it use this "
                "package is still there",
                f"nothing; to take it away: {_ADOPT} --undo",
                note=True,
            )
        return
    if found.hook is None and not found.enabled:
        yield Finding(
            "not-adopted",
            AGENT,
            f"{AGENT} {found.agent} is installed in this environment and uses its own checkpoint "
            "modules",
            f"to let it use this package: {_ADOPT}",
            note=True,
        )
        return
    if not (found.hook and found.enabled):
        lacks = (
            f"{where} is missing"
            if found.hook is None
            else f"{where} is not as it was written"
            if not found.hook
            else f"the plugin {PLUGIN} is not enabled in {patient.layout.config}"
        )
        yield Finding(
            "adoption-half",
            AGENT,
            f"{AGENT} {found.agent} uses this package in part only: {lacks}",
            f"{_ADOPT} completes it, {_ADOPT} --undo takes it back",
        )
    if not found.agent.startswith(TESTED):
        yield Finding(
            "adoption-untested",
            AGENT,
            f"{AGENT} {found.agent} uses this package, which is made for {TESTED}x",
            f"install a version of this package for it; or {_ADOPT} --undo",
            note=True,
        )
    if os.environ.get(_SAFE_MODE):
        yield Finding(
            "safe-mode",
            _SAFE_MODE,
            "it is set here: an agent that is started with it uses its own checkpoint modules",
            f"nothing, if that is meant; else: unset {_SAFE_MODE}",
            note=True,
        )

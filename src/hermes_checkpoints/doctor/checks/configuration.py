"""What is wrong in ``config.yaml`` and in the environment, and silently replaced by defaults."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hermes_checkpoints.config import (
    TIMEOUT_VARIABLE,
    git_timeout,
    load_config,
    load_hook_config,
    load_mcp_config,
    load_sessions_config,
)
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.model.doctor import Finding

_HOME = "HERMES_HOME"
_CORRECT = (
    "correct it there; docs/agent.md, hooks.md, mcp.md and remote.md have every key and its default"
)


def check(patient: Patient) -> Iterator[Finding]:
    """Read the configuration as an opening does, and compare the catalog's copy of it.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    path = patient.layout.config
    configured = load_config(path)
    others = (load(path) for load in (load_sessions_config, load_hook_config, load_mcp_config))
    for text in dict.fromkeys(text for one in (configured, *others) for text in one.warnings):
        yield Finding("config-wrong", str(path), text, _CORRECT)
    yield from _environment()
    if patient.catalog is None:
        return
    for name, wanted in configured.settings().items():
        known = patient.catalog.settings.get(name)
        if known != wanted:
            yield Finding(
                "settings-differ",
                name,
                f"the catalog says {known or 'nothing'}, config.yaml {wanted}; the views of the "
                "catalog, such as prune_preview, go by the former until it is written down",
                "nothing: the next command writes it down",
                note=True,
            )


def _environment() -> Iterator[Finding]:
    given = os.environ.get(TIMEOUT_VARIABLE)
    if given is not None and not _is_number(given, git_timeout()):
        yield Finding(
            "environment-wrong",
            TIMEOUT_VARIABLE,
            f"it is {given!r}, which is no whole number of seconds from 10 to 60; "
            f"{git_timeout():.0f} is used",
            f"unset it, or set it to such a number: export {TIMEOUT_VARIABLE}=60",
        )
    home = os.environ.get(_HOME)
    if home is not None and not os.path.isabs(os.path.expanduser(home.strip() or "/")):
        yield Finding(
            "environment-wrong",
            _HOME,
            f"it is {home!r}, a relative path: each directory in which a program is started has "
            "a home of its own",
            f"set it to an absolute path: export {_HOME}=~/.hermes",
        )


def _is_number(text: str, used: float) -> bool:
    try:
        return int(text) == used
    except ValueError:
        return False

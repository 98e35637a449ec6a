"""Tells which commands run a hook of this package: in the settings of an agent, or in the shell
that it starts."""

from __future__ import annotations

import re

_HOOK = re.compile(
    r"""(?:^|[\s/\\'"=;&|(])(?:hermes[-_]checkpoints|hcp|hermes\s+checkpoints)(?:\.exe)?['"]?"""
    r"""\s+hook(?=\s*(?:$|['"]|--agent\b|--home\b|[;&|<>)]|\d>))"""
)
"""The program, the verb, and then an option of it or the end of the command."""


def runs_a_hook(command: str) -> bool:
    """Tell whether a command for a shell runs ``hermes-checkpoints hook``, and does not merely
    mention it.

    >>> from hermes_checkpoints.hooks.commands import runs_a_hook
    >>> runs_a_hook("/opt/hermes-checkpoints hook --agent claude || true")
    True
    >>> runs_a_hook("~/src/hermes-checkpoints/lint-hook.sh")
    False
    """
    return _HOOK.search(command) is not None

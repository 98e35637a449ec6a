"""Finds the process of the agent that has started a hook, to which its turns belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from hermes_checkpoints.hooks.commands import runs_a_hook

_SHELLS = frozenset(
    {"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox", "cmd", "powershell", "pwsh"}
)
_INITS = frozenset(
    {"init", "systemd", "launchd", "tini", "docker-init", "dumb-init", "catatonit", "s6-svscan"}
)


def owner_among(above: Iterable[tuple[int, Sequence[str]]], words: Sequence[str]) -> int | None:
    """Return the number of the agent's process: the nearest above the hook that was not started for
    the hook alone, as the shell is that runs its command. ``above`` are the processes above the
    hook, the nearest first, each with its command line, and ``words`` are the hook's own arguments.

    The first process of a machine or container, with the number 1, may be the agent; where it is an
    init or a shell, the hook has lost the agent that it had, and None is returned.

    >>> from hermes_checkpoints.hooks.owner import owner_among
    >>> shell = ["/bin/sh", "-c", "hermes-checkpoints hook --agent claude"]
    >>> owner_among([(31, shell), (17, ["claude"])], ["hook", "--agent", "claude"])
    17
    """
    for pid, command in above:
        if not _is_for(command, words):
            adopts = pid == 1 and (not command or _name(command) in _INITS | _SHELLS)
            return None if adopts else pid
    return None


def _is_for(command: Sequence[str], words: Sequence[str]) -> bool:
    if not command:
        return False
    if list(command[-len(words) :]) == list(words):  # env, timeout, a launcher
        return True
    text = " ".join(words)
    return _name(command) in _SHELLS and any(
        text in word or runs_a_hook(word) for word in command[1:]
    )


def _name(command: Sequence[str]) -> str:
    """Return the name of the program of a command line."""
    return PurePath(command[0].replace("\\", "/")).name.lstrip("-").removesuffix(".exe")

"""Finds the process of the agent that has started a hook, to which its turns belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

_SHELLS = frozenset(
    {"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox", "cmd", "powershell", "pwsh"}
)


def owner_among(above: Iterable[tuple[int, Sequence[str]]], words: Sequence[str]) -> int | None:
    """Return the number of the agent's process: the nearest above the hook that was not started for
    the hook alone, as the shell is that runs its command. ``above`` are the processes above the
    hook, the nearest first, each with its command line, and ``words`` are the hook's own arguments.

    >>> from hermes_checkpoints.hooks.owner import owner_among
    >>> shell = ["/bin/sh", "-c", "hermes-checkpoints hook --agent claude"]
    >>> owner_among([(31, shell), (17, ["claude"])], ["hook", "--agent", "claude"])
    17
    """
    for pid, command in above:
        if not _is_for(command, words):
            return pid
    return None


def _is_for(command: Sequence[str], words: Sequence[str]) -> bool:
    if not command:
        return False
    if list(command[-len(words) :]) == list(words):  # env, timeout, a launcher
        return True
    name = PurePath(command[0].replace("\\", "/")).name.lstrip("-").removesuffix(".exe")
    return name in _SHELLS and any(" ".join(words) in word for word in command[1:])

"""Tells from a shell command, without running it, what it may do to files.

The command is parsed as a shell parses it; a table says what each program does with its
arguments. Nothing here touches a file or starts a process. What cannot be known is said to be
unknown, never guessed to be harmless.
"""

from __future__ import annotations

from hermes_checkpoints.triggers.effect import Effect, EffectKind

__all__ = ["Effect", "EffectKind", "command_effect", "is_destructive_command"]


def command_effect(command: str) -> Effect:
    """Return what a shell command may do to files, and to which it says so. Never raises.

    A command that is too long, or no shell command at all, is ``Effect.UNKNOWN``.
    """
    if not command.strip():
        return Effect.NONE
    from hermes_checkpoints.triggers.programs import program_effect
    from hermes_checkpoints.triggers.shell import Walk

    return Walk(program_effect).script(command)


def is_destructive_command(cmd: str) -> bool:
    """Whether a shell command surely changes files: the question that hosts ask.

    False for what is unknown; a host that wants to be safe asks ``command_effect``, or takes a
    checkpoint before every command.
    """
    return command_effect(cmd).is_change

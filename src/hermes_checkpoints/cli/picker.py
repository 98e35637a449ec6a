"""The checkpoint to restore where none was named: a numbered list, from which somebody chooses.

It is lines and one question, and no screen that is drawn: so it works in any terminal, at any size,
without colours, and with a screen reader; and what is typed is what may stand on the command line.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from hermes_checkpoints.cli.asking import ask
from hermes_checkpoints.cli.output import complain, place, say
from hermes_checkpoints.cli.target import Target
from hermes_checkpoints.cli.text import age, columns, minute, padded, shown, statistics
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Checkpoint, Kind

_HELP = (
    "A number, an id, a label or a time as @2h chooses; other text lists those with",
    "it in their line. Enter: older ones. q: leave. ?: this.",
)
_WIDEST_WHO = 12
_SHORTEST_ID = 4

Numbered = tuple[int, Checkpoint]
"""A checkpoint with its number, which is that of `log`."""


def pick(what: Target) -> Checkpoint | None:
    """Let somebody choose a checkpoint of a project; None where they leave.

    Raises:
        CheckpointError: as ``Project.get``, when there is none.
    """
    every = [*enumerate(what.project.list(), 1)]
    if not every:
        return what.project.get()
    try:
        return _chosen(what, every)
    except KeyboardInterrupt:
        return None


def _chosen(what: Target, every: Sequence[Numbered]) -> Checkpoint | None:
    say(f"Checkpoints of {place(what.working_dir)}, newest first:")
    listed, at = every, _say_page(every, 0)
    _say_help()
    while True:
        word = ask("Restore which? ")
        if word is None or word.lower() in {"q", "quit"}:
            return None
        if not word:
            if at >= len(listed):
                say("There are no older ones.")
            else:
                at = _say_page(listed, at)
            continue
        if word == "?":
            _say_help()
            continue
        found = _named(what, every, word)
        if isinstance(found, Checkpoint):
            return found
        if word.isdecimal() and len(word) < _SHORTEST_ID:
            complain(found)
            continue
        text = word.removeprefix("/").casefold()
        fitting = [one for one in every if text in _searched(one[1]).casefold()]
        if fitting:
            listed, at = fitting, _say_page(fitting, 0)
        else:
            complain(f"{found}; nor has any checkpoint {text!r} in its line")


def _say_help() -> None:
    for line in _HELP:
        say(line)


def _named(what: Target, every: Sequence[Numbered], word: str) -> Checkpoint | str:
    """Return the checkpoint that a word names, or why it names none."""
    if word.startswith("/"):
        return "this names no checkpoint"
    if word.isascii() and word.isdecimal() and 0 < int(word[:9]) <= len(every) and len(word) < 10:
        return every[int(word) - 1][1]
    try:
        return what.project.get(word)
    except CheckpointError as error:
        return str(error)


def _searched(checkpoint: Checkpoint) -> str:
    parts = (checkpoint.turn_title, checkpoint.reason, checkpoint.session_id, *checkpoint.labels)
    when = minute(checkpoint.local_time)
    return "\n".join([checkpoint.short_id, when, _who(checkpoint), *filter(None, parts)])


def _say_page(listed: Sequence[Numbered], at: int) -> int:
    """List as many as the terminal has room for; return where the next page begins."""
    size = shutil.get_terminal_size()
    end = min(at + max(size.lines - 6, 5), len(listed))
    page = listed[at:end]
    number = len(str(page[-1][0]))
    ages = max(columns(age(one.created_at)) for _, one in page)
    who = min(max(columns(shown(_who(one))) for _, one in page), _WIDEST_WHO)
    for numbered, one in page:
        begin = (
            f"  {numbered:>{number}}. {one.short_id}  {padded(age(one.created_at), ages)}  "
            f"{padded(shown(_who(one)), who, end=False)}  "
        )
        end_ = statistics(one.files_changed, one.insertions, one.deletions)
        room = size.columns - 1 - columns(begin) - columns(end_) - 2
        label = "".join(f"[{label}] " for label in one.labels)
        title = shown(f"{label}{one.turn_title or one.reason}")
        about = padded(title, max(room, 10), end=False)
        say(f"{begin}{about}  {end_}".rstrip())
    if end < len(listed):
        say(f"  … {len(listed) - end} older")
    return end


def _who(checkpoint: Checkpoint) -> str:
    """Return for whose sake a checkpoint was taken."""
    if checkpoint.session_id is not None:
        return checkpoint.session_id
    return {Kind.AUTO: "an agent", Kind.IMPORTED: "imported"}.get(checkpoint.kind, "you")

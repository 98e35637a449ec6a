"""Values as people read them, in words that cannot harm a terminal. No I/O.

Names of files, reasons and labels come from disks and from agents: they may hold line breaks,
escape sequences or bytes that are no text. Every line that is made for people passes through
``shown``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.model import FailureRun, SkipReason

_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

_UNITS = ("B", "KB", "MB", "GB", "TB")

_IGNORED = "ignored-by-rule"
_LEFT_OUT = {
    "oversize": "too large",
    "over-budget": "over the bytes of a take",
    "unreadable": "unreadable, or changing as it was read",
    "special": "no file or link",
    "vanished": "gone while it was read",
    "unsupported-name": "of a name that git refuses",
    "forgotten": "forgotten",
    _IGNORED: "ignored by rules",
}
"""Why a path is not in a checkpoint, by the name of the reason; what is meant to be left out comes
last."""


def shown(text: str) -> str:
    """Return ``text`` with everything escaped that is not printable.

    Bytes that are no UTF-8 appear as ``\\xNN``, as do control characters; invisible characters
    and those that turn the direction of writing appear as ``\\uNNNN``.
    """
    if text.isprintable():
        return text
    return text.translate(_escapes)


def _escaped(character: str) -> str:
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if 0xDC80 <= code <= 0xDCFF:  # a byte that os.fsdecode could not decode
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Escapes(dict[int, str]):
    """What stands for each character, found once: a text may have millions."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = found = character if character.isprintable() else _escaped(character)
        return found


_escapes = _Escapes()


def typed(words: Iterable[str]) -> str:
    """Return words as they are typed in a shell, on one line that ``shown`` leaves as it is.

    A word with characters that are not printed, or bytes that are no text, is written with the
    escapes that bash and zsh read.

    >>> print(typed(["cat", "a b", "new\\nline"]))
    cat 'a b' $'new\\x0aline'
    """
    return " ".join(map(_typed, words))


def _typed(word: str) -> str:
    if word.isprintable():
        import shlex

        return shlex.quote(word)
    parts = [
        {"\\": "\\\\", "'": "\\'"}.get(c, c)
        if c.isprintable()
        else "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
        for c in word
    ]
    return f"$'{''.join(parts)}'"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like a word, None where none is like it.

    >>> nearest("stauts", ["status", "show"])
    'status'
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1)), None)


_OF_SEVERAL = {"is": "are", "was": "were"}


def counted(number: int, noun: str, verb: str = "") -> str:
    """Return ``1 file`` or ``2 files``; with the verb of one, ``1 file is`` or ``2 files are``."""
    text = f"{number} {noun}" if number == 1 else f"{number} {noun}s"
    if not verb:
        return text
    return f"{text} {verb if number == 1 else _OF_SEVERAL[verb]}"


def size(count: int) -> str:
    """Return a number of bytes in the largest unit that leaves at least one, base 1024."""
    value = float(count)
    for unit in _UNITS[:-1]:
        if value < 1024:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_UNITS[-1]}"


_NOW = "now"


def age(moment: datetime | None, now: datetime | None = None) -> str:
    """Return how long ago ``moment`` was in its largest whole unit, ``—`` for none."""
    if moment is None:
        return "—"
    word = how_old(moment, now)
    return word if word == _NOW else f"{word} ago"


def how_old(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago ``moment`` was in its largest whole unit, such as ``3m``; ``now`` where
    it is still to come."""
    since = (now or datetime.now(UTC)) - moment
    return _NOW if since < timedelta() else span(since)


def span(time: timedelta) -> str:
    """Return a length of time in its largest whole unit.

    >>> span(timedelta(hours=25))
    '1d'
    """
    seconds = time.total_seconds()
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds / length)}{unit}"
    return f"{int(seconds)}s"


def left_out(counts: Mapping[SkipReason, int], where: str = "it") -> str:
    """Return in one sentence how many paths are not in a checkpoint, by reason, nothing where none
    is. What is not there in spite of the rules makes it incomplete. ``where`` names it.

    >>> left_out({"oversize": 3, "ignored-by-rule": 9})
    'Incomplete: 12 paths are not in it (3 too large, 9 ignored by rules)'
    >>> left_out({"ignored-by-rule": 1})
    '1 path is not in it (ignored by rules)'
    """
    known: dict[str, int] = {}
    for reason in sorted(counts, key=list(_LEFT_OUT).index):
        known[reason] = counts[reason]
    total = sum(known.values())
    if not total:
        return ""
    several = len(known) > 1
    why = ", ".join(
        f"{number} {_LEFT_OUT[reason]}" if several else _LEFT_OUT[reason]
        for reason, number in known.items()
    )
    begin = "" if known.keys() == {_IGNORED} else "Incomplete: "
    are = "is" if total == 1 else "are"
    return f"{begin}{counted(total, 'path')} {are} not in {where} ({why})"


def takes_failed(run: FailureRun) -> str:
    """Return that takes fail, or that a guard refuses them: how many, since which day, of which
    directory and why.

    >>> taken = project.take(turn=-1)
    >>> takes_failed(project.failing()).partition(" since ")[0]
    'last take failed'
    """
    takes = "last take" if run.count == 1 else f"last {run.count} takes"
    refused = "was refused" if run.count == 1 else "were refused"
    since = run.since.astimezone().date().isoformat()
    of = f" of {run.working_dir}" if run.working_dir else ""
    return f"{takes} {refused if run.refused else 'failed'} since {since}{of}: {run.last_error}"


def permissions_line(path: str, before: int, after: int) -> str:
    """Return that the permission bits of a path changed, of which git says nothing.

    >>> from hermes_checkpoints.text import permissions_line
    >>> permissions_line("notes.txt", 0o644, 0o600)
    'notes.txt: permissions 644 → 600'
    """
    return f"{path}: permissions {before:03o} → {after:03o}"

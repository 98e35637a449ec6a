"""Values as people read them, in words that cannot harm a terminal.

Names of files, reasons and labels come from disks and from agents: they may hold line breaks,
escape sequences or bytes that are no text. Every line that is printed for people passes through
``shown``. Nothing here does I/O.
"""

from __future__ import annotations

from datetime import UTC, datetime

from hermes_checkpoints.text import counted, shown

__all__ = ["age", "counted", "minute", "shortened", "shown", "size", "statistics"]

_UNITS = ("B", "KB", "MB", "GB", "TB")


def shortened(text: str, width: int = 60) -> str:
    """Return ``text`` in at most ``width`` characters: its end, after ``…``."""
    return text if len(text) <= width else "…" + text[-(width - 1) :]


def size(count: int) -> str:
    """Return a number of bytes in the largest unit that leaves at least one, base 1024."""
    value = float(count)
    for unit in _UNITS[:-1]:
        if value < 1024:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_UNITS[-1]}"


def age(moment: datetime | None, now: datetime | None = None) -> str:
    """Return how long ago ``moment`` was in its largest whole unit, ``—`` for none."""
    if moment is None:
        return "—"
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if seconds < 0:
        return "now"
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds / length)}{unit} ago"
    return f"{int(seconds)}s ago"


def minute(moment: datetime) -> str:
    """Return date and time to the minute, in the zone that ``moment`` has."""
    return moment.strftime("%Y-%m-%d %H:%M")


def statistics(files: int, insertions: int, deletions: int) -> str:
    """Return ``(2 files, +3/-1)``, nothing where no file changed, no lines where none did.

    Lines are not counted for the first checkpoint of a project.
    """
    if not files:
        return ""
    lines = f", +{insertions}/-{deletions}" if insertions or deletions else ""
    return f"({counted(files, 'file')}{lines})"

"""Values as people read them, in words that cannot harm a terminal. No I/O.

Names of files, reasons and labels come from disks and from agents: they may hold line breaks,
escape sequences or bytes that are no text. Every line that is made for people passes through
``shown``.
"""

from __future__ import annotations

_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def shown(text: str) -> str:
    """Return ``text`` with everything escaped that is not printable.

    Bytes that are no UTF-8 appear as ``\\xNN``, as do control characters; invisible characters
    and those that turn the direction of writing appear as ``\\uNNNN``.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if 0xDC80 <= code <= 0xDCFF:  # a byte that os.fsdecode could not decode
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """Return ``1 file`` or ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

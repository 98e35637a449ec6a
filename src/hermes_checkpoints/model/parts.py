"""The parts in which a file differs from a checkpoint, for who brings back some of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

_AROUND = 3
"""How many lines that do not differ stand around a part when it is shown."""


@dataclass(frozen=True)
class Part:
    """A stretch of lines that differ, with nothing equal in between.

    ``now`` and ``then`` are where it begins in the present file and in that of the checkpoint, from
    0; ``gone`` and ``back`` how many lines of them it takes away and brings back.

    >>> part = Part(now=1, gone=1, then=1, back=2)  # the second line, for two of the checkpoint
    >>> part.back - part.gone
    1
    """

    now: int
    gone: int
    then: int
    back: int

    def touches(self, other: Part) -> bool:
        """Tell whether another part of the same present file is at the same lines, or next to
        them."""
        return self.now <= other.now + other.gone and other.now <= self.now + self.gone


@dataclass(frozen=True)
class FileParts:
    """The parts in which a file differs from a checkpoint: the lines that lie there ``now``, those
    that it had ``then``, both with their line ends, and the ``parts``, from the top of the file.
    Where it is known what of the file is the agent's, ``agents`` are the parts that take back just
    that, and ``others`` those that have nothing of it.

    >>> taken = project.take()
    >>> lines = Path("notes.txt").read_text()
    >>> _ = Path("notes.txt").write_text("mine" + chr(10) + lines)
    >>> plan = project.plan_restore("latest", to_choose=True)
    >>> found = project.parts_of(plan, "notes.txt")
    >>> [part] = found.parts
    >>> part.gone, part.back, found.taking([part]), found.taking([])
    (1, 0, b'as it was', b'mine\\nas it was')
    """

    path: str
    now: tuple[bytes, ...]
    then: tuple[bytes, ...]
    parts: tuple[Part, ...]
    agents: frozenset[Part] = frozenset()
    others: frozenset[Part] = frozenset()

    def taking(self, chosen: Collection[Part]) -> bytes:
        """Return the contents of the file with the chosen parts as the checkpoint has them, and
        all else as it is now."""
        lines: list[bytes] = []
        at = 0
        for part in self.parts:
            if part in chosen:
                lines += self.now[at : part.now]
                lines += self.then[part.then : part.then + part.back]
                at = part.now + part.gone
        return b"".join([*lines, *self.now[at:]])

    def together(self) -> list[tuple[Part, ...]]:
        """Return the parts in groups, as git's hunks: those in one have so few lines between them
        that these would be shown around both."""
        groups: list[tuple[Part, ...]] = []
        for part in self.parts:
            last = groups[-1][-1] if groups else None
            if last is not None and part.now - (last.now + last.gone) <= 2 * _AROUND:
                groups[-1] += (part,)
            else:
                groups.append((part,))
        return groups

    def shown(self, parts: Collection[Part]) -> bytes:
        """Return some neighbouring parts as a hunk of a patch that brings them back: lines that go
        after ``-``, lines that come back after ``+``, and a few around them."""
        chosen = sorted(parts, key=lambda part: part.now)
        first, last = chosen[0], chosen[-1]
        begin = max(first.now - _AROUND, 0)
        end = min(last.now + last.gone + _AROUND, len(self.now))
        lines: list[tuple[bytes, bytes]] = []
        at = begin
        for part in chosen:
            lines += [(b" ", line) for line in self.now[at : part.now]]
            at = part.now + part.gone
            lines += [(b"-", line) for line in self.now[part.now : at]]
            back = self.then[part.then : part.then + part.back]
            lines += [(b"+", line) for line in back]
        lines += [(b" ", line) for line in self.now[at:end]]
        old = end - begin
        new = old + sum(part.back - part.gone for part in chosen)
        start = first.then - (first.now - begin)
        header = b"@@ -%s +%s @@\n" % (_range(begin, old), _range(start, new))
        return header + b"".join(sign + _whole(line) for sign, line in lines)


def _range(start: int, count: int) -> bytes:
    """Return where lines begin and how many there are, as git writes it: before the first of none
    stands the line above."""
    number = start + 1 if count else start
    return b"%d" % number if count == 1 else b"%d,%d" % (number, count)


def _whole(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"

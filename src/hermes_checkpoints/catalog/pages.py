"""Reads the pages of a SQLite file without SQLite, so that one that it refuses gives what is left.

The form is that of https://www.sqlite.org/fileformat2.html. Nothing of the file is believed: what
does not fit is not there. Only the form that this package writes is read: UTF-8, and pages of the
usual size where the header does not say another.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"SQLite format 3\0"
USUAL_SIZE = 4096
LEAF, BRANCH = 0x0D, 0x05
INDEX_LEAF, INDEX_BRANCH = 0x0A, 0x02
_ROOT, _FREE, _PART, _FURTHER_PART, _CHILD = 1, 2, 3, 4, 5

Value = int | float | str | bytes | None
Hole = tuple[int, int]
"""Where a record begins and ends not to be known, in bytes."""


class Unreadable(Exception):
    """A page, a cell or a record does not have the form that it must have."""


@dataclass(frozen=True)
class Cell:
    """One entry of a page: the row's number (None in an index) and its values. Those that cannot
    be read, while others can, are None; ``unreadable`` says how many."""

    row: int | None
    values: list[Value]
    unreadable: int = 0


@dataclass
class Tree:
    """The pages of one table or index that can be reached from its root, and how many of those
    that must be there cannot be read."""

    pages: list[int] = field(default_factory=list)
    broken: int = 0


class Pages:
    """The pages of a file as its last whole transaction left them: with those of its log."""

    def __init__(self, data: bytes, log: bytes = b"") -> None:
        self._data = data
        self._size, changed, count = _log_pages(log)
        if not self._size:
            self._size = _size_in(data) or USUAL_SIZE
        self._changed = changed
        first = self._page(1) or b""
        self.header_is_sound = first.startswith(MAGIC) and _size_in(first) == self._size
        reserved = first[20] if self.header_is_sound else 0
        self._usable = self._size - reserved
        self.count = max(len(data) // self._size, count)
        self.has_map = self._looks_like_map()
        self._free = self._free_pages(first)
        self._further: dict[int, int] | None = None

    @classmethod
    def of(cls, path: Path, log: Path) -> Pages:
        """Read a file and, where it is there, its log.

        Raises:
            OSError: when one of them cannot be read.
        """
        return cls(path.read_bytes(), log.read_bytes() if log.exists() else b"")

    # --- pages -----------------------------------------------------------------------------------

    def kind(self, number: int) -> int:
        """Return the kind of a page, as its first byte says, or 0 where there is none."""
        page = self._page(number)
        if page is None:
            return 0
        return page[100 if number == 1 else 0]

    def is_free(self, number: int) -> bool:
        """Tell whether a page holds nothing any more, or is none of a table or index."""
        if number in self._free or self._is_map_page(number):
            return True
        kind, _ = self._mapped(number)
        return kind in (_FREE, _PART, _FURTHER_PART)

    def parent(self, number: int) -> int | None:
        """Return the page above this one, 0 for the root of a tree, None where nothing says it."""
        kind, above = self._mapped(number)
        return {_ROOT: 0, _CHILD: above}.get(kind)

    def tree(self, root: int) -> Tree:
        """Return what can be reached of a tree from its root."""
        found, waiting, seen = Tree(), [root], set[int]()
        while waiting:
            number = waiting.pop()
            kind = self.kind(number)
            if number in seen or kind not in (LEAF, BRANCH, INDEX_LEAF, INDEX_BRANCH):
                found.broken += number not in seen
                continue
            seen.add(number)
            found.pages.append(number)
            try:
                waiting += self.children(number)
            except Unreadable:
                found.broken += 1
        return found

    def children(self, number: int) -> list[int]:
        """Return the pages below a page, first to last reversed.

        Raises:
            Unreadable: when one of them cannot be a page.
        """
        if self.kind(number) not in (BRANCH, INDEX_BRANCH):
            return []
        page, start = self._required(number), self._start(number)
        below = [int.from_bytes(page[start + 8 : start + 12], "big")]
        for at in self._pointers(number):
            below.append(int.from_bytes(page[at : at + 4], "big"))
        if not all(1 < one <= self.count for one in below):
            raise Unreadable(f"page {number} leads outside of the file")
        return below

    # --- cells -----------------------------------------------------------------------------------

    def cells(self, number: int) -> Iterator[Cell | Unreadable]:
        """Yield the entries with values of a page; one that cannot be read as the error that it
        gave."""
        kind = self.kind(number)
        if kind not in (LEAF, INDEX_LEAF, INDEX_BRANCH):
            return
        try:
            pointers = self._pointers(number)
        except Unreadable as error:
            yield error
            return
        page = self._required(number)
        for at in pointers:
            try:
                yield self._cell(page, at, kind)
            except (Unreadable, IndexError, struct.error) as error:
                yield Unreadable(f"page {number}: {error}")

    def _cell(self, page: bytes, at: int, kind: int) -> Cell:
        if kind == INDEX_BRANCH:
            at += 4
        length, at = _varint(page, at)
        row = None
        if kind == LEAF:
            row, at = _varint(page, at)
        if row is not None and row >= 1 << 63:
            row -= 1 << 64
        usable = self._usable
        most = usable - 35 if kind == LEAF else (usable - 12) * 64 // 255 - 23
        least = (usable - 12) * 32 // 255 - 23
        if length > self._size * max(1, self.count):
            raise Unreadable("a length that the file does not have")
        here = length
        if length > most:
            here = least + (length - least) % (usable - 4)
            if here > most:
                here = least
        payload = page[at : at + here]
        if len(payload) < here or at + here > usable:
            raise Unreadable("a record that ends outside of its page")
        holes: list[Hole] = []
        if here < length:
            further = int.from_bytes(page[at + here : at + here + 4], "big")
            rest, holes = self._overflow(further, length - here)
            payload += rest
            holes = [(start + here, end + here) for start, end in holes]
        values, unreadable = _record(payload, holes)
        return Cell(row, values, unreadable)

    def _overflow(self, number: int, length: int) -> tuple[bytes, list[Hole]]:
        """Return the rest of a record, and where a page of it is another's: the map of pages then
        says which one follows."""
        parts, holes, at = [], [], 0
        seen: set[int] = set()
        while length:
            if number in seen or not 1 < number <= self.count:
                raise Unreadable("the rest of a record is gone")
            seen.add(number)
            page = self._required(number)
            part = page[4 : min(self._usable, 4 + length)]
            parts.append(part)
            length -= len(part)
            following = int.from_bytes(page[:4], "big")
            expected = self._following(number, following, bool(length))
            if following != expected or bool(expected) != bool(length):
                holes.append((at, at + len(part)))
            at += len(part)
            number = expected
        return b"".join(parts), holes

    def _following(self, number: int, named: int, more: bool) -> int:
        """Return the page that goes on after a part of a record, 0 for none: what the map says, if
        that knows of the part, else what the page has ``named``. ``more`` is whether one must."""
        if self._mapped(number)[0] not in (_PART, _FURTHER_PART):
            return named
        if self._further is None:
            mapped = ((self._mapped(page), page) for page in range(3, self.count + 1))
            self._further = {above: page for (kind, above), page in mapped if kind == _FURTHER_PART}
        return self._further.get(number, named if more else 0)

    # --- inside ----------------------------------------------------------------------------------

    def _page(self, number: int) -> bytes | None:
        page = self._changed.get(number)
        if page is None:
            page = self._data[(number - 1) * self._size : number * self._size]
        return page if len(page) == self._size and number > 0 else None

    def _required(self, number: int) -> bytes:
        page = self._page(number)
        if page is None:
            raise Unreadable(f"page {number} is not there")
        return page

    def _start(self, number: int) -> int:
        return 100 if number == 1 else 0

    def _pointers(self, number: int) -> list[int]:
        page, start = self._required(number), self._start(number)
        first = start + (12 if page[start] in (BRANCH, INDEX_BRANCH) else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        last = first + 2 * count
        if last > self._usable:
            raise Unreadable(f"page {number} has more entries than room")
        found = [int.from_bytes(page[at : at + 2], "big") for at in range(first, last, 2)]
        if any(not last <= at < self._usable for at in found):
            raise Unreadable(f"page {number} has entries outside of it")
        return found

    def _map_of(self, number: int) -> int:
        per_map = self._usable // 5 + 1
        return (number - 2) // per_map * per_map + 2

    def _is_map_page(self, number: int) -> bool:
        return self.has_map and number >= 2 and self._map_of(number) == number

    def _mapped(self, number: int) -> tuple[int, int]:
        """Return what the map of pages says of one: its kind, and the page that leads to it."""
        if not self.has_map or number < 3 or self._is_map_page(number):
            return (_ROOT if number == 1 else 0), 0
        page, at = self._page(self._map_of(number)), 5 * (number - self._map_of(number) - 1)
        if page is None:
            return 0, 0
        return page[at], int.from_bytes(page[at + 1 : at + 5], "big")

    def _looks_like_map(self) -> bool:
        page = self._page(2)
        if page is None:
            return False
        kinds = [page[5 * at] for at in range(min(self.count - 2, self._usable // 5))]
        return bool(kinds) and all(_ROOT <= kind <= _CHILD for kind in kinds)

    def _free_pages(self, first: bytes) -> set[int]:
        found: set[int] = set()
        if not self.header_is_sound:
            return found
        trunk = int.from_bytes(first[32:36], "big")
        while trunk not in found and (page := self._page(trunk)) is not None:
            found.add(trunk)
            count = int.from_bytes(page[4:8], "big")
            if count > self._usable // 4 - 2:
                break
            found.update(struct.unpack(f">{count}I", page[8 : 8 + 4 * count]))
            trunk = int.from_bytes(page[:4], "big")
        return found


def _size_in(data: bytes) -> int:
    """Return the size of the pages that a header names, or 0."""
    if not data.startswith(MAGIC) or len(data) < 100:
        return 0
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    return size if 512 <= size <= 65536 and not size & (size - 1) else 0


def _log_pages(log: bytes) -> tuple[int, dict[int, bytes], int]:
    """Return the size of the pages of a log, those that it holds up to the last transaction that
    is whole, and how many pages the file has then; zeros where nothing of it counts."""
    if len(log) < 32:
        return 0, {}, 0
    magic, _, size, _, salt1, salt2, sum1, sum2 = struct.unpack(">8I", log[:32])
    if magic & ~1 != 0x377F0682 or not 512 <= size <= 65536 or size & (size - 1):
        return 0, {}, 0
    order = ">" if magic & 1 else "<"
    sums = _summed(log[:24], (0, 0), order)
    if sums != (sum1, sum2):
        return 0, {}, 0
    found: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    count = 0
    for at in range(32, len(log) - 24 - size + 1, 24 + size):
        number, pages, one, two, sum1, sum2 = struct.unpack(">6I", log[at : at + 24])
        page = log[at + 24 : at + 24 + size]
        sums = _summed(page, _summed(log[at : at + 8], sums, order), order)
        if (one, two) != (salt1, salt2) or sums != (sum1, sum2) or not number:
            break
        pending[number] = page
        if pages:
            found |= pending
            pending, count = {}, pages
    return size if found else 0, found, count


def _summed(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for at in range(0, len(words), 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return one, two


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for position in range(8):
        byte = data[at + position]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + position + 1
    return value << 8 | data[at + 8], at + 9


def _record(payload: bytes, holes: Sequence[Hole] = ()) -> tuple[list[Value], int]:
    """Return the values of a record, which must fill it to the byte, and how many of them cannot
    be read: what lies in a hole, and text that is none.

    Raises:
        Unreadable, IndexError.
    """
    length, at = _varint(payload, 0)
    if not at <= length <= len(payload) or any(start < length for start, _ in holes):
        raise Unreadable("a record without its beginning")
    kinds = []
    while at < length:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != length or at + sum(map(_width, kinds)) != len(payload):
        raise Unreadable("a record of another length than it says")
    values: list[Value] = []
    unreadable = 0
    for kind in kinds:
        end = at + _width(kind)
        try:
            if any(start < end and at < until for start, until in holes):
                raise Unreadable("a value in a hole")
            values.append(_value(kind, payload[at:end]))
        except (Unreadable, UnicodeDecodeError):
            values.append(None)
            unreadable += 1
        at = end
    return values, unreadable


def _value(kind: int, part: bytes) -> Value:
    if kind == 0:
        return None
    if kind <= 6:
        return int.from_bytes(part, "big", signed=True)
    if kind == 7:
        number: float = struct.unpack(">d", part)[0]
        return number
    if kind in (8, 9):
        return kind - 8
    if kind % 2 == 0:
        return part
    if b"\0" in part:  # this package stores no such text
        raise Unreadable("a text with a NUL")
    return part.decode("utf-8")


_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)


def _width(kind: int) -> int:
    if kind < len(_WIDTHS):
        return _WIDTHS[kind]
    if kind < 12:
        raise Unreadable("a value of no kind")
    return (kind - 12) // 2

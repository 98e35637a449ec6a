"""Finds the tables of a damaged catalog, and the pages that belong to none.

The list of tables says where each begins. Where that list, or a page on the way down, is gone, the
map of pages says which page belongs under which; SQLite keeps it in files that can give back
pages. What is left then are strays, whose rows have to tell themselves which table is theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from hermes_checkpoints.catalog.pages import (
    INDEX_BRANCH,
    INDEX_LEAF,
    LEAF,
    Cell,
    Pages,
    Tree,
    Unreadable,
    Value,
)
from hermes_checkpoints.catalog.schema import REVISIONS
from hermes_checkpoints.catalog.sqlite import REVISION_TABLE

_MASTER = "sqlite_master"


class Damaged:
    """The trees of a damaged file, and the pages that belong to none. ``definitions`` are the
    statements that made its tables, indexes and views, by name."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.seen: set[int] = set()
        self.roots = {_MASTER: 1}
        self.trees = {_MASTER: self._tree(1)}
        self._orphans: dict[int, list[int]] | None = None
        self.definitions: dict[str, Value] = {}
        for cell in self._master():
            kind, name, _, root, sql, *_ = [*cell.values, None]
            if not isinstance(name, str):
                continue
            self.definitions.setdefault(name, sql)
            if kind in ("table", "index") and isinstance(root, int):
                self.roots.setdefault(name, root)
        self.trees |= {
            name: self._tree(root) for name, root in self.roots.items() if name != _MASTER
        }

    def _tree(self, root: int) -> Tree:
        found = self.pages.tree(root) if self.pages.count else Tree()
        self.seen.update(found.pages)
        return found

    def _master(self) -> Iterator[Cell]:
        """Yield what the list of tables says, also where its root is gone."""
        for number in self.trees[_MASTER].pages:
            yield from good(self.pages.cells(number))
        for number in range(2, self.pages.count + 1):
            if number in self.seen or self.pages.kind(number) != LEAF or self.pages.is_free(number):
                continue
            cells = [*good(self.pages.cells(number))]
            if cells and all(_lists_table(cell.values) for cell in cells):
                self.seen.add(number)
                yield from cells

    def orphans(self) -> dict[int, list[int]]:
        """Return the pages with entries that no tree reaches, by the root that the map of pages
        gives them; those without one by themselves."""
        if self._orphans is None:
            self._orphans = defaultdict(list)
            for number in range(2, self.pages.count + 1):
                kinds = (LEAF, INDEX_LEAF, INDEX_BRANCH)
                if number in self.seen or self.pages.kind(number) not in kinds:
                    continue
                if not self.pages.is_free(number):
                    self._orphans[self._root_of(number)].append(number)
        return self._orphans

    def _root_of(self, number: int) -> int:
        known = set(self.roots.values())
        at, passed = number, {number}
        while at not in known:
            above = self.pages.parent(at)
            if not above or above in passed:
                return at
            passed.add(above)
            at = above
        return at

    def cells(self, name: str) -> Iterator[Cell | Unreadable]:
        """Yield the entries of a table or index: those that its tree reaches first."""
        tree = self.trees.get(name, Tree())
        for number in [*tree.pages, *self.orphans().get(self.roots.get(name, -1), ())]:
            yield from self.pages.cells(number)

    def strays(self) -> Iterator[list[int]]:
        """Yield the pages of a table of which nothing says what it is."""
        known = set(self.roots.values())
        for root, numbers in sorted(self.orphans().items()):
            found = [number for number in numbers if self.pages.kind(number) == LEAF]
            if root not in known and found:
                yield found

    def revision(self) -> str | None:
        """Return the revision that the file names, or None."""
        for cell in good(self.cells(REVISION_TABLE)):
            if len(cell.values) == 1 and isinstance(cell.values[0], str):
                return cell.values[0]
        for numbers in self.strays():
            rows = [cell.values for n in numbers for cell in good(self.pages.cells(n))]
            if len(rows) == 1 and rows[0] and rows[0] in [[name] for name in REVISIONS]:
                return str(rows[0][0])
        return None


def good(cells: Iterable[Cell | Unreadable]) -> Iterator[Cell]:
    """Return the entries that could be read."""
    return (cell for cell in cells if isinstance(cell, Cell))


def _lists_table(values: Sequence[Value]) -> bool:
    return len(values) == 5 and values[0] in ("table", "index", "view", "trigger")

"""Finds the items with which a command over many of them fails, by halving the list.

Git tells of a failure, not dependably of its cause. With few bad items among n this costs about
log2(n) calls for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from hermes_checkpoints.errors import GitFailed, GitTimedOut

T = TypeVar("T")


def failing(
    items: Sequence[T], run: Callable[[Sequence[T]], object]
) -> Iterator[tuple[T, GitFailed]]:
    """Call ``run`` with all items, and where it fails with each half of them; yields the items
    with which it fails even alone, in order, with the failure. It is not called for no items.

    What a caller does with an item is done before the items behind it are tried.

    Raises:
        GitTimedOut: that is no fault of an item.
    """
    if not items:
        return
    try:
        run(items)
    except GitTimedOut:
        raise
    except GitFailed as failure:
        if len(items) == 1:
            yield items[0], failure
            return
    else:
        return
    middle = len(items) // 2
    yield from failing(items[:middle], run)
    yield from failing(items[middle:], run)

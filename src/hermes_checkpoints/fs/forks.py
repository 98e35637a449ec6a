"""Lets a process fork while its threads work: the child starts clean, and takes nothing along.

What a child cannot go on with is done in blocks that no fork cuts in two (``undivided``): a
transaction, the start of a process, the opening of a lock. A fork waits for those of the other
threads, and for what they import for this package, for a few seconds at most. Descriptors that mean
something while anybody has them open (locks, pipes of git) lead nowhere in the child: a lock that
it had open, too, would stay held for as long as it lives, and a git whose input it had open would
never see the end of it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from types import FrameType
from typing import Generic, TypeVar, overload

LONGEST_WAIT = 10.0
"""Seconds that a fork waits for other threads."""

_LOOK_AGAIN = 0.001
_PACKAGE = __name__.partition(".")[0]
_IMPORTS_RUN_IN = "<frozen importlib._bootstrap>"


class _Gate:
    """Counts, by thread, the blocks that are entered, and keeps others out while a fork waits."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.inside: dict[int, int] = {}
        self.forks = 0


_gate = _Gate()
_before: list[Callable[[], None]] = []
_in_child: list[Callable[[], None]] = []


T = TypeVar("T")
R = TypeVar("R")


class once(Generic[T, R]):  # noqa: N801 - a decorator, named as such are
    """Make a method an attribute that is worked out at its first use, as
    ``functools.cached_property`` does. That has a lock before Python 3.12, which a thread may hold
    for as long as git runs: a child would wait for it for ever."""

    def __init__(self, method: Callable[[T], R]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type[T], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[T]) -> once[T, R]: ...

    @overload
    def __get__(self, instance: T, owner: type[T]) -> R: ...

    def __get__(self, instance: T | None, owner: type[T]) -> once[T, R] | R:
        if instance is None:
            return self
        found = self._method(instance)
        vars(instance)[self._name] = found  # which is looked at first from now on
        return found


class _Undivided:
    """A block that is entered and left by any thread, as often as wanted."""

    def __enter__(self) -> None:
        gate, me = _gate, threading.get_ident()
        with gate.changed:
            if gate.forks and me not in gate.inside:
                gate.changed.wait_for(lambda: not gate.forks, LONGEST_WAIT)
            gate.inside[me] = gate.inside.get(me, 0) + 1

    def __exit__(self, *_: object) -> None:
        gate, me = _gate, threading.get_ident()  # another gate in a child
        with gate.changed:
            left = gate.inside.pop(me) - 1
            if left:
                gate.inside[me] = left
            elif gate.forks:
                gate.changed.notify_all()


_undivided = _Undivided()


def undivided() -> AbstractContextManager[None]:
    """Return a block that no fork of another thread cuts in two. Such blocks may be nested."""
    return _undivided


def at_fork(
    *, before: Callable[[], None] | None = None, in_child: Callable[[], None] | None = None
) -> None:
    """Call ``before`` when a fork is about to happen and no other thread is in a block, and
    ``in_child`` in the child, before anything else runs there."""
    _before.extend([before] if before else [])
    _in_child.extend([in_child] if in_child else [])


def lead_nowhere(descriptors: Iterable[int]) -> None:
    """Let open descriptors lead to the null device. They stay open, so that whoever closes them
    closes nothing else, and what is still written to them goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        for descriptor in descriptors:
            os.dup2(nowhere, descriptor, inheritable=False)
    finally:
        os.close(nowhere)


def _wait() -> None:
    me = threading.get_ident()
    with _gate.changed:
        _gate.forks += 1
        _gate.changed.wait_for(lambda: not _gate.inside.keys() - {me}, LONGEST_WAIT)
    for call in _before:
        call()
    until = time.monotonic() + LONGEST_WAIT
    while _others_import() and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN)


def _others_import() -> bool:
    """Tell whether another thread is importing a module of this package, or for it: it holds a
    lock of that module, which a child would find held for ever."""
    me = threading.get_ident()
    return any(_imports(frame) for one, frame in sys._current_frames().items() if one != me)


def _imports(frame: FrameType | None) -> bool:
    importing = False
    while frame is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__")
        if code.co_name == "_find_and_load" and code.co_filename == _IMPORTS_RUN_IN:
            importing, module = True, frame.f_locals["name"]
        if importing and f"{module}.".startswith(f"{_PACKAGE}."):
            return True
        frame = frame.f_back
    return False


def _go_on() -> None:
    with _gate.changed:
        _gate.forks -= 1
        _gate.changed.notify_all()


def _begin_anew() -> None:
    global _gate
    former, _gate = _gate, _Gate()
    # The thread that forked may leave blocks in the child that it entered before; they count there.
    me = threading.get_ident()
    if me in former.inside:
        _gate.inside[me] = former.inside[me]
    for call in _in_child:
        call()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_begin_anew)

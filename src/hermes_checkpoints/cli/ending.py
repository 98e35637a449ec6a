"""Lets a verb that runs until somebody ends it end cleanly."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def until_ended() -> Iterator[threading.Event]:
    """Yield an event that a signal which ends processes sets, where this thread gets signals."""
    ended = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield ended
        return
    signals = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in signals}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

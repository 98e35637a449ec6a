"""Does what takes time in threads, so that the keys stay alive.

There is one thread for what the catalog answers and one for all that looks at the directory or at
git: what is not wanted any more is taken out of its queue, and two looks never run at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from hermes_checkpoints.errors import CheckpointError

PATIENCE = 1.0
"""How many seconds the end of what runs is waited for without a word."""

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class Work:
    """The two threads. ``changing`` says that files are being restored now."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(1, "catalog")
        self._slow = ThreadPoolExecutor(1, "look")
        self._begun: set[Future[Any]] = set()
        self.changing = False

    async def quickly(self, function: Callable[..., Result], *args: object) -> Result:
        """Return what a function returns that asks the catalog alone.

        Raises:
            CheckpointError: whatever went wrong.
        """
        return await self._result(self._begin(self._quick, function, *args))

    async def slowly(self, function: Callable[..., Result], *args: object) -> Result:
        """Return what a function returns that looks at files.

        Raises:
            CheckpointError: whatever went wrong.
        """
        return await self._result(self._begin(self._slow, function, *args))

    async def change(self, function: Callable[..., Result], *args: object) -> Result:
        """Return what a function returns that restores files; nothing cuts it short.

        Raises:
            CheckpointError: whatever went wrong.
        """
        self.changing = True
        begun = self._begin(self._slow, function, *args)
        begun.add_done_callback(self._changed)
        return await asyncio.shield(self._result(begun))

    def end(self, tell: Callable[[], None] = lambda: None) -> None:
        """Drop what waits, but for a restore, and wait for what runs; ``tell`` where that takes
        long."""
        executors = self._slow, self._quick
        for executor in executors:
            executor.shutdown(wait=False, cancel_futures=not self.changing)
        if wait([*self._begun], timeout=PATIENCE).not_done:
            tell()
        for executor in executors:
            executor.shutdown(wait=True)

    def _changed(self, _: Future[Any]) -> None:
        self.changing = False

    def _begin(
        self, executor: Executor, function: Callable[..., Result], *args: object
    ) -> Future[Result]:
        begun = executor.submit(function, *args)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return begun

    async def _result(self, begun: Future[Result]) -> Result:
        try:
            return await asyncio.wrap_future(begun)
        except CheckpointError:
            raise
        except Exception as error:
            logger.exception("unexpected error")
            raise CheckpointError(f"unexpected error: {type(error).__name__}: {error}") from error

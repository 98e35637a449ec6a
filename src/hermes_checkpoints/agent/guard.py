"""Keeps a host alive: whatever goes wrong in a call of a host ends here, and is told once.

A safety net must neither stop the agent that it protects nor stop working in silence. So every
function that hosts call is ``guarded``, and this is the only broad handler beside that of the
command line. What is caught is logged, once, by the logger of the function's module: an error of
this package as a warning, anything else as an error with its traceback. Where it costs a
checkpoint, and the base can be opened, the journal has it, too (``Journaled``). The host gets the
default of that call. ``KeyboardInterrupt`` and ``SystemExit`` are no failures and go through.
"""

from __future__ import annotations

import functools
import logging
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from hermes_checkpoints.errors import CheckpointError

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Project

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D")

_values = reprlib.Repr()  # cuts long values, and survives one whose ``__repr__`` raises
_values.maxstring = _values.maxother = 300


def guarded(
    failure: str,
    default: Callable[[Exception], D],
    *,
    passes: tuple[type[Exception], ...] = (),
) -> Callable[[Callable[P, T]], Callable[P, T | D]]:
    """Make a function answer with a default instead of raising.

    ``failure`` says in the log what did not happen; a parameter in braces stands for the
    argument. ``default`` makes the answer from the error. Errors of the types ``passes`` go on
    to the caller, unlogged. A call with arguments that the function does not have is a failure
    as any other: a later host may know more of them.

    >>> @guarded("{text} is no number", lambda _: 0)
    ... def number(text: str) -> int:
    ...     return int(text)
    >>> number("seven")  # logs "'seven' is no number: ValueError: invalid literal …"
    0
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T | D]:
        logger = logging.getLogger(function.__module__)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T | D:
            try:
                return function(*args, **kwargs)
            except passes:
                raise
            except Exception as error:  # the host must go on, whatever it is
                foreseen = isinstance(error, CheckpointError)
                logger.log(
                    logging.WARNING if foreseen else logging.ERROR,
                    "%s: %s",
                    _filled(failure, function, args, kwargs),
                    reason(error),
                    exc_info=None if foreseen else error,
                )
                return default(error)

        return call

    return decorate


def reason(error: Exception) -> str:
    """Return what went wrong as text: the message of an error of this package, which says what
    to do; for any other its type, too."""
    if isinstance(error, CheckpointError):
        return str(error)
    return f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class Journaled:
    """A block in which a failure that nobody foresaw costs ``project`` a checkpoint.

    The journal has it then, so that ``status`` can tell that checkpoints fail, and the error goes
    on to the guard.
    """

    project: Project

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception):
            self.project.record_failure(error)


def _filled(
    failure: str, function: Callable[..., Any], args: tuple[object, ...], kwargs: Mapping[str, Any]
) -> str:
    """Return the text of a failure with the arguments of the call in it."""
    import inspect

    try:
        call = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return f"{function.__qualname__} was called with arguments that it does not have"
    call.apply_defaults()
    return failure.format_map({k: _values.repr(v) for k, v in call.arguments.items()})

"""Checks what the typed API is told, so that a wrong argument is refused by what is wrong with it
before anything is looked up. Nothing here does more I/O than following links and asking whether a
process runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from hermes_checkpoints.base.lookup import Reference
from hermes_checkpoints.catalog.encoding import storable
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.fs.processes import name_process
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Checkpoint, Owner

PathLike = str | os.PathLike[str]
"""A path of the system, or one inside a project."""

Paths = PathLike | Iterable[PathLike]
"""One path inside a project, or several."""

T = TypeVar("T")

_MACHINE = re.compile(r"[0-9a-f]{12}")
_MOST = 2**63 - 1
"""The largest whole number that the catalog keeps."""

_MOST_PID = 2**31 - 1


def directory(path: PathLike) -> Path:
    """Return a directory as an absolute path with ``~`` and links resolved. It need not exist.

    Raises:
        BadRequest: when it is neither text nor a path object, or no path can be like that.
    """
    try:
        return resolve_working_dir(_encodable(path))
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, `~nobody`, a NUL
        raise BadRequest(f"{path!r} cannot be a path: {error}") from error


def layout(home: PathLike | None, base: PathLike | None) -> Layout:
    """Return where things lie: in ``base``, else under ``home``, else under the default home,
    which empty text means, too.

    Raises:
        BadRequest: when one is neither text nor a path object, or no path can be like that.
    """
    if base is not None:
        return Layout.of_base(directory(base))
    return Layout.of(None if home is None or home == "" else directory(home))


def one_path(path: PathLike) -> str:
    """Return a path inside a project as text.

    Raises:
        BadRequest: when it is neither text nor a path object.
    """
    return _encodable(path)


def several(paths: Paths | None) -> list[str] | None:
    """Return one path or several as a list of texts; None stays None, which means all.

    Raises:
        BadRequest: when something is neither text nor a path object.
    """
    if paths is None:
        return None
    if isinstance(paths, str | bytes | os.PathLike):
        return [one_path(paths)]
    given: object = paths
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise BadRequest(f"{paths!r} is no path and no list of paths")
    return [one_path(path) for path in given]


def references(refs: object) -> list[Reference]:
    """Return one reference or several as a list; each is judged when it is looked up.

    Raises:
        BadRequest: when it is neither a reference nor a list of them.
    """
    if isinstance(refs, str | Checkpoint):
        return [refs]
    if isinstance(refs, bytes | Mapping) or not isinstance(refs, Iterable):
        raise BadRequest(f"{refs!r} is no reference to a checkpoint and no list of them")
    return [*refs]


def text(value: object, name: str) -> str:
    """Return a text.

    Raises:
        BadRequest: when it is none.
    """
    if not isinstance(value, str):
        raise BadRequest(f"{name} is text, not {value!r}")
    return value


def text_or_none(value: object, name: str) -> str | None:
    """Return a text or None.

    Raises:
        BadRequest: when it is neither.
    """
    return None if value is None else text(value, name)


def session_or_none(value: object) -> str | None:
    """Return the id of a session as the catalog keeps it, so that it is found again, or None.

    Raises:
        BadRequest: when it is neither.
    """
    found = text_or_none(value, "the id of a session")
    return None if found is None else storable(found)


def machine_or_none(value: object) -> str | None:
    """Return the id of a machine, or None.

    Raises:
        BadRequest: when it is neither.
    """
    found = text_or_none(value, "the id of a machine")
    if found is not None and not _MACHINE.fullmatch(found):
        raise BadRequest(f"the id of a machine has 12 hexadecimal digits, unlike {found!r}")
    return found


def number(value: object, name: str) -> int:
    """Return a whole number from 0 up to what the catalog keeps.

    Raises:
        BadRequest: when it is none; True and False are none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadRequest(f"{name} is a whole number from 0 on, not {value!r}")
    if value > _MOST:
        raise BadRequest(f"{name} is too large: the catalog keeps numbers up to {_MOST}")
    return value


def number_or_none(value: object, name: str) -> int | None:
    """Return a whole number from 0 on, or None.

    Raises:
        BadRequest: when it is neither.
    """
    return None if value is None else number(value, name)


def process(pid: object) -> Owner | None:
    """Return the agent's process by its number; None, for this process, stays None.

    Raises:
        BadRequest: when it is no number of a process that runs.
    """
    if pid is None:
        return None
    runs = not isinstance(pid, bool) and isinstance(pid, int) and 0 < pid <= _MOST_PID
    found = name_process(pid) if runs and isinstance(pid, int) else None
    if found is None:
        raise BadRequest(
            f"no process {pid!r} runs; the owner of a turn is the process of the agent, given by "
            "its number, for a hook that of its parent: os.getppid()"
        )
    return found


def flag(value: object, name: str) -> bool:
    """Return True or False.

    Raises:
        BadRequest: when it is neither; text like "no" would count as yes.
    """
    if not isinstance(value, bool):
        raise BadRequest(f"{name} is True or False, not {value!r}")
    return value


def days(value: object, name: str) -> float:
    """Return a number of days from 0 on, whole or not; infinity is one.

    Raises:
        BadRequest: when it is none; True, False and NaN are none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise BadRequest(f"{name} is a number of days from 0 on, not {value!r}")
    return value


def time_or_none(value: object, name: str) -> datetime | None:
    """Return a time with a zone, or None.

    Raises:
        BadRequest: when it is neither; a time without a zone may mean any of a day.
    """
    if value is None:
        return None
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise BadRequest(f"{name} is a datetime with a time zone, not {value!r}")
    return value


def instance(value: object, kind: type[T], name: str) -> T | None:
    """Return a value of a class of this package, or None.

    Raises:
        BadRequest: when it is neither: also what is empty or false is no None.
    """
    if value is not None and not isinstance(value, kind):
        raise BadRequest(f"{name} is a {kind.__name__}, not {value!r}")
    return value


def _encodable(path: PathLike) -> str:
    if not isinstance(path, str | os.PathLike):
        raise BadRequest(f"{path!r} is no path; give text or a path object")
    try:
        return os.fsdecode(os.fsencode(path))
    except (TypeError, UnicodeError) as error:
        raise BadRequest(f"{path!r} is no path of this system: {error}") from error

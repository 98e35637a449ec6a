"""A catalog for a process that asks little: it needs SQLAlchemy once something is asked that
``answers.py`` does not have, and is the whole catalog from then on."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.direct import answers
from hermes_checkpoints.catalog.direct.reader import NotDirect, Reader
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog

Done = TypeVar("Done")

_ANSWERS = {
    "agreement": answers.Agreement,
    "archives": answers.Archives,
    "arriving": answers.Arriving,
    "checkpoints": answers.Checkpoints,
    "operations": answers.Operations,
    "plans": answers.Plans,
    "projects": answers.Projects,
    "remotes": answers.Remotes,
    "restores": answers.Restores,
    "retention": answers.Retention,
    "settings": answers.Settings,
    "standing": answers.Standing,
    "status": answers.Status,
    "usage": answers.Usage,
}
_OF_TURNS = frozenset({"events", "hooks", "turns"})


def look_into(path: Path, open_whole: Callable[[], Catalog]) -> Catalog | None:
    """Return a catalog that is asked directly for as long as that answers, and opens the whole one
    when it is needed; None where that must be opened at once."""
    reader = Reader.open(path)
    if reader is None:
        return None
    return cast("Catalog", _Looking(reader, open_whole))


class _Here(threading.local):
    """What a thread has of a catalog: its reader, and in what it is. ``rest`` is of a block at one
    moment that is asked directly, ``writes`` says that it is in a transaction which writes
    directly, ``missed`` that something in that was not to be done so."""

    reader: Reader | None = None
    rest: ExitStack | None = None
    writes = False
    missed = False


class _Looking:
    """A catalog that is asked directly for as long as that answers, by each thread through a reader
    of its own. It has all that ``Catalog`` has."""

    read_only = False

    def __init__(self, reader: Reader, open_whole: Callable[[], Catalog]) -> None:
        self.path = reader.path
        self._file = reader.file
        self._open_whole = open_whole
        self._catalog: Catalog | None = None
        self._closed = False
        self._direct = True
        self._lock = threading.RLock()
        self._listing = threading.Lock()
        self._here = _Here()
        self._here.reader = reader
        self._first: Reader | None = reader  # while it is open, the log of the catalog stays
        self._readers = [weakref.ref(reader)]  # those of threads that have ended go with them
        for name, kind in _ANSWERS.items():
            setattr(self, name, kind(self, name))
        _open_here.add(self)

    def direct(self) -> Reader | None:
        """Return what asks directly for this thread, or None where nothing does any more."""
        here = self._here
        if not self._direct:
            return here.reader if here.rest is not None or here.writes else None
        if here.reader is None:
            here.reader = self._another()
        return here.reader

    def _another(self) -> Reader | None:
        """Open a reader for this thread. The lock of the whole catalog is not held: its holder may
        wait for a fork, which waits for this thread."""
        with forks.undivided():
            reader = Reader.open(self.path)
            if reader is None or reader.file != self._file:
                return None
            with self._listing:
                known = [one for one in self._readers if one() is not None]
                self._readers = [*known, weakref.ref(reader)]
            return reader

    @property
    def asks_directly(self) -> bool:
        """As of ``Catalog``."""
        return self.direct() is not None

    def whole(self) -> Catalog:
        """Return the whole catalog, which answers everything from now on.

        Raises:
            NotDirect: in the midst of a transaction that writes directly: it is done anew.
            CatalogDamaged: when the file was moved away or replaced since it was opened.
            CheckpointError: when this was closed; or as ``Catalog.open``.
        """
        here = self._here
        if here.writes:
            here.missed = True
            raise NotDirect
        with self._lock:
            if self._closed:
                raise CheckpointError(f"the catalog {self.path} was closed; open it again")
            if self._catalog is None:
                sqlite.require_same_file(self.path, self._file)
                self._catalog = self._open_whole()
            catalog = self._catalog
            self._direct = False
            self._first = None
        if here.rest is not None:
            rest, here.rest = here.rest, None
            rest.enter_context(catalog.at_one_moment())
        here.reader = None  # those of other threads go when these ask again, or end
        return catalog

    def do_together(self, work: Callable[[], Done], *, durable: bool = True) -> Done:
        """As of ``Catalog``. What cannot all be done directly is taken back, and done anew by the
        whole catalog."""
        here, reader = self._here, self.direct()
        if reader is None or here.rest is not None:
            return self.whole().do_together(work, durable=durable)
        if here.writes:
            return work()
        try:
            with forks.undivided(), reader.writing(durable=durable):
                here.writes, here.missed = True, False
                try:
                    done = work()
                except Exception as error:
                    if here.missed:  # it may have failed for want of that alone
                        raise NotDirect from error
                    raise
                finally:
                    here.writes = False
                if here.missed:
                    raise NotDirect
            return done
        except NotDirect:
            return self.whole().do_together(work, durable=durable)

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """As of ``Catalog``. Once the whole catalog is needed in the block, the rest is of that
        moment."""
        here, reader = self._here, self.direct()
        if reader is None:
            with self.whole().at_one_moment():
                yield
        elif here.rest is not None or here.writes:  # inside such a block
            yield
        else:
            with ExitStack() as rest, reader.at_one_moment():
                here.rest = rest
                try:
                    yield
                finally:
                    here.rest = None

    def write_back(self, *, busy_timeout: float | None = None) -> None:
        """As of ``Catalog``."""
        reader = self.direct()
        if reader is not None:
            with suppress(NotDirect), forks.undivided():
                reader.write_back(busy_timeout)
                return
        self.whole().write_back(busy_timeout=busy_timeout)

    def stop(self) -> None:
        """Ask directly no more."""
        self._direct = False
        for known in self._readers:
            reader = known()
            if reader is not None:
                reader.close()
        self._first = self._here.reader = None

    @property
    def journal_mode(self) -> str:
        """As of ``Catalog``: a reader opens no file in another mode than this."""
        reader = self.direct()
        return self.whole().journal_mode if reader is None else "wal"

    @property
    def bytes(self) -> int:
        """As of ``Catalog``."""
        try:
            return self.path.stat().st_size
        except OSError:
            return self.whole().bytes

    def source(self) -> tuple[Path, str]:
        """As of ``Catalog``."""
        if self.direct() is None:
            return self.whole().source()
        sqlite.require_same_file(self.path, self._file)
        return self.path, sqlite.READ_ONLY

    def close(self) -> None:
        """Close it for good."""
        with self._lock:
            self._closed = True
            self.stop()
            if self._catalog is not None:
                self._catalog.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_TURNS:
            return getattr(self.whole(), name)
        with forks.undivided():
            from hermes_checkpoints.catalog.direct import turns

        found = vars(self)[name] = getattr(turns, name.capitalize())(self, name)
        return found


_open_here: weakref.WeakSet[_Looking] = weakref.WeakSet()


def _before_fork() -> None:
    for looking in list(_open_here):
        looking.stop()


def _in_child() -> None:
    for looking in list(_open_here):
        looking._lock = threading.RLock()  # a thread that the child lacks may hold the other one
        looking._listing = threading.Lock()


forks.at_fork(before=_before_fork, in_child=_in_child)

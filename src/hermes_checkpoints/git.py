"""Runs git; beside it only ``git_program`` starts processes, to find the program.

Git sees an allow-listed environment and configuration from nowhere but the store, so that no
user setting, hook, template, signature, pager or locale can change what a checkpoint holds.
Output is bytes; nothing decides on git's messages. Each call has a time limit and its own
process group, which is killed as a whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hermes_checkpoints.errors import (
    CheckpointError,
    GitFailed,
    GitTimedOut,
    GitTooOld,
    StoreDamaged,
)
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.locks import Held
from hermes_checkpoints.fs.system import (
    LAST_WAIT,
    gather,
    kill_group,
    read_within,
    spawn_options,
    write_spread,
)
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.git_program import OLDEST_GIT, git_to_run, trusted_path
from hermes_checkpoints.model.paths import GIT_NAME

if TYPE_CHECKING:
    from hermes_checkpoints.model import Progress

_KEPT_VARIABLES = (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
)
_MEMORY = ":".join(
    f"glibc.malloc.{name}={number}"
    for name, number in (
        ("top_pad", 1 << 20),
        ("trim_threshold", 1 << 26),
        ("mmap_threshold", 1 << 23),
    )
)
"""Git compresses each object in memory of its own. The C library would give that back to the system
and ask for it again each time, which costs more than the compression of a small file does."""
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
_OF_THE_USER = (
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)
"""Where git looks for settings of the user and of the system."""
_NOWHERE = "nowhere"
_HEARD = 5
_MISSING = b"missing"
"""The last word of ``cat-file --batch`` on an object that the repository lacks."""
_ASKED_AT_ONCE = 1000
"""So many ids fit into a pipe that nobody reads yet."""
_ASKED_AHEAD = 64
"""So many objects git is asked for before the first of them is used."""
_KILLS = frozenset(
    getattr(signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGKILL", "SIGTERM")
    if hasattr(signal, name)
)
"""How others end a process; what it stumbles over itself ends it otherwise."""
_MOST_TOLD = 1 << 28
"""More is no answer of a server that means well: a million refs take 114 MB."""
_PAUSE = 0.5
_LONGEST_PAUSE = 16.0


@dataclass(frozen=True)
class Git:
    """One git repository with, optionally, a working directory and an index.

    ``timeout`` is the limit of one call in seconds; ``locks`` are held by every child, too, and
    none is started once one of them is lost. ``unblock`` is called from time to time while a call
    takes long, to end what may block it, and tells whether there was such a thing. ``progress`` is
    told how far whoever works with it is. ``heard`` has what git complained of in calls that it
    ended with success, the last few of them; copies share
    it, and the process that ``reading`` keeps.
    """

    repository: Path
    timeout: float = 30.0
    work_tree: Path | None = None
    index: Path | None = None
    locks: tuple[Held, ...] = ()
    variables: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    unblock: Callable[[], bool] | None = None
    progress: Progress | None = field(default=None, compare=False, repr=False)
    heard: list[str] = field(default_factory=list, compare=False, repr=False)
    _kept: _Kept | None = field(default=None, compare=False, repr=False)

    @property
    def own_index(self) -> Path:
        """The index.

        Raises:
            ValueError: when there is none.
        """
        if self.index is None:
            raise ValueError("this needs a working directory with an index")
        return self.index

    def at(self, work_tree: Path, index: Path, locks: tuple[Held, ...] = ()) -> Git:
        """Return the same repository with a working directory and its index."""
        return replace(self, work_tree=work_tree, index=index, locks=locks)

    def of_objects(self) -> Git:
        """Return the same repository without its working directory and index, for what concerns
        objects alone. Git 2.39.5 otherwise reads the index, and files of the working directory in
        place of the objects that they seem to be."""
        return replace(self, work_tree=None, index=None)

    def scratch(self, objects: Path, index: Path) -> Git:
        """Return a copy that writes its objects and index elsewhere and reads the store's. It does
        not wait for the disk: what it writes is for the present process."""
        return replace(
            self,
            index=index,
            variables={
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "core.fsync",
                "GIT_CONFIG_VALUE_0": "none",
                "GIT_OBJECT_DIRECTORY": str(objects),
                _ALTERNATES: quoted(self.repository / "objects"),
            },
            _kept=None,
        )

    def with_objects(self, *folders: Path) -> Git:
        """Return a copy that reads the objects in more folders, too, such as those of another
        repository, and nothing else that lies there."""
        known = self.variables.get(_ALTERNATES)
        named = [known] if known else []
        more = os.pathsep.join([*named, *map(quoted, folders)])
        return replace(self, variables={**self.variables, _ALTERNATES: more}, _kept=None)

    def settings_in(self, git_dir: Path) -> dict[str, str]:
        """Return the settings that hold in another repository, those of its user and of the system
        among them, by name; the section and the key are in small letters, and of several values
        the last counts. Git only reads for that: it runs nothing and looks at no file of the
        working directory.

        Raises:
            GitFailed: when they cannot be read, or take longer than a third of one call may.
        """
        person = {name: os.environ.get(name) for name in _OF_THE_USER}
        asked = replace(
            self.of_objects(), variables={"GIT_DIR": str(git_dir), **person}, _kept=None
        )
        found: dict[str, str] = {}
        for record in asked.run("config", "--null", "--list", patience=1 / 3).split(b"\0"):
            if record:
                name, has_value, value = os.fsdecode(record).partition("\n")
                found[name] = value if has_value else "true"
        return found

    def require_locks(self) -> None:
        """Refuse to go on where one of the locks is not held any more.

        Raises:
            LockLost.
        """
        for lock in self.locks:
            lock.require()

    def program(self) -> str:
        """Return the path of the git that is run: the one on PATH, or the one behind it.

        Raises:
            GitMissing: with what to do.
        """
        return git_to_run(self.repository.parent, self._environment(outside=True), self.timeout)

    def version(self) -> tuple[int, ...]:
        """Return git's version, and refuse one that is too old.

        Raises:
            GitMissing, GitTooOld, GitFailed: with what to do; the last where it is no git.
        """
        text = self.run("--version", outside=True).decode("ascii", "replace").strip()
        match = re.search(r"^git version (\d+)\.(\d+)(?:\.(\d+))?", text, re.MULTILINE)
        if match is None:
            raise GitFailed(
                f"what is run as git does not say its version, but {text[:100]!r}; put git "
                f"{'.'.join(map(str, OLDEST_GIT))} or newer first on PATH"
            )
        found = tuple(int(n) for n in match.groups() if n)
        if found < OLDEST_GIT:
            raise GitTooOld(
                f"{text} is too old; install git {'.'.join(map(str, OLDEST_GIT))} or newer"
            )
        return found

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        config: Sequence[str] = (),
        patience: float = 1.0,
        outside: bool = False,
    ) -> bytes:
        """Run one git command and return its standard output.

        ``config`` are ``name=value`` settings for this call, ``patience`` multiplies the time
        limit, and ``outside`` runs without the repository in the environment.

        Raises:
            GitMissing, GitFailed: the latter with git's own words.
            LockLost: when a lock that it works under was removed or replaced.
        """
        if self.unblock is None or self.index is None or not stdin:
            process = self._start(arguments, config, outside, stdout=subprocess.PIPE)
            return self._finish(process, arguments, stdin, patience)
        # A pipe that is written in pieces does not survive the pauses for ``unblock``.
        with tempfile.TemporaryFile(dir=self.index.parent) as file:
            file.write(stdin)
            file.seek(0)
            process = self._start(arguments, config, outside, stdin=file, stdout=subprocess.PIPE)
            return self._finish(process, arguments, None, patience)

    def counting(self, *arguments: str, most: int) -> tuple[int, bytes]:
        """Run one git command that counts something by its exit code, up to ``most``; return that
        and its standard output.

        Raises:
            GitMissing, GitFailed, LockLost: as ``run``.
        """
        process = self._start(arguments, (), False, stdout=subprocess.PIPE)
        output = self._finish(process, arguments, b"", 1.0, most)
        return process.returncode, output

    def talk(
        self, *arguments: str, limit: float | None = None, most: int = _MOST_TOLD
    ) -> tuple[int, bytes, bytes]:
        """Run one git command that talks to another machine, with nothing to read; return its
        status, its standard output and the end of its standard error, whatever the status is. Its
        time limit holds for silence: it may go on for ``limit`` seconds in all, by default as long
        as for silence, while something comes of it.

        Raises:
            GitTimedOut: when it was killed, with all that it had started; ``GitFailed`` also where
                it wrote more than ``most`` bytes.
            GitMissing, LockLost: as ``run``.
        """
        process = self._start(
            arguments, (), False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        longest = self.timeout if limit is None else limit
        try:
            found = gather(process, silence=self.timeout, limit=longest, most=most)
        except BaseException:
            _end(process)
            raise
        if found.stopped is not None:
            _end(process)
            if found.stopped == "too-much":
                raise GitFailed(f"git {arguments[0]} wrote more than {most} bytes, and was stopped")
            seconds = self.timeout if found.stopped == "silent" else longest
            raise GitTimedOut(f"git {arguments[0]} gave no answer for {seconds:.0f} s")
        process.wait()
        _close(process)
        return process.returncode, found.output, found.errors

    @contextlib.contextmanager
    def beside(self, *arguments: str, patience: float = 1.0) -> Iterator[Callable[[], bytes]]:
        """Start a command that runs while the caller does other work, and yield a function that
        waits for its end and returns its output, or raises as ``run``. Leaving the block kills
        the command if it still runs."""
        process = self._start(
            arguments, (), False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        try:
            yield partial(self._finish, process, arguments, None, patience)
        finally:
            if process.poll() is None:
                kill_group(process)
            _close(process)

    def spread(
        self,
        *arguments: str,
        pieces: Iterable[bytes],
        processes: int,
        config: Sequence[str] = (),
        patience: float = 1.0,
    ) -> None:
        """Run so many processes of one command side by side. Each piece of input goes whole to one
        of them, to whichever can take it; ``pieces`` are asked for one at a time.

        Example: ``git.spread("fast-import", pieces=blobs, processes=2)`` writes two packs.

        Raises:
            GitMissing, GitFailed: the latter where one of them fails; what the others wrote stays.
            GitTimedOut: where none takes anything for as long as one call may take.
            LockLost: as ``run``.
        """
        running: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(processes):
                running.append(self._start(arguments, config, False, stdout=subprocess.PIPE))
            if not write_spread(running, pieces, self.timeout):
                raise GitTimedOut(
                    f"git {arguments[0]} took no input for {self.timeout:.0f} s and was stopped; "
                    "raise HERMES_CHECKPOINT_TIMEOUT if the disk is slow"
                )
            failures: list[GitFailed] = []
            for process in running:
                try:
                    self._finish(process, arguments, None, patience)
                except GitFailed as failure:
                    if isinstance(failure, GitTimedOut):
                        raise
                    failures.append(failure)
            if failures:
                raise failures[0]
        finally:
            for process in running:
                if process.poll() is None:
                    kill_group(process)
                _close(process)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Git]:
        """Yield a copy whose ``blobs`` are read by one process while the block lasts, which is
        started at the first read. It reads what others add meanwhile, too."""
        kept = _Kept()
        try:
            yield replace(self, _kept=kept)
        finally:
            kept.let_go()

    def read_anew(self) -> None:
        """End the process that ``reading`` keeps, if any: the next read starts another. One that
        runs on may have a pack open that was replaced."""
        if self._kept is not None:
            self._kept.let_go()

    @contextlib.contextmanager
    def blobs(self, *, limit: float | None = None) -> Iterator[BlobReader]:
        """Keep one ``cat-file --batch`` open for as many reads as wanted. Where nothing comes of it
        for as long as one call may take, it is killed, and this read and those after it raise
        ``GitTimedOut``. After ``limit`` seconds, for all reads together, what is read counts as
        damaged. Within ``reading`` it is the process kept there, unless that is in use already or
        the reads have a limit."""
        kept = self._kept
        if kept is None or kept.lent or limit is not None:
            with self._blobs(limit) as reader:
                yield reader
            return
        with kept.lend(self._blobs) as reader:
            yield reader

    @contextlib.contextmanager
    def _blobs(self, limit: float | None = None) -> Iterator[BlobReader]:
        process = self._start(
            ("cat-file", "--batch"), (), False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        reader = BlobReader(process, self.timeout, limit)
        try:
            yield reader
        finally:
            _close(process)
            try:
                process.wait(timeout=0 if reader.stopped else self.timeout)
            except subprocess.TimeoutExpired:
                kill_group(process)

    # --- inside --------------------------------------------------------------------------

    def _start(
        self,
        arguments: Sequence[str],
        config: Sequence[str],
        outside: bool,
        *,
        stdin: int | IO[bytes] = subprocess.PIPE,
        stdout: int | IO[bytes],
        stderr: int | IO[bytes] = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        self.require_locks()
        inherited = tuple(one for lock in self.locks for one in lock.descriptors)
        settings = [part for setting in config for part in ("-c", setting)]
        where = self.repository.parent if outside or self.work_tree is None else self.work_tree
        environment = self._environment(outside)
        program = git_to_run(self.repository.parent, environment, self.timeout)
        try:
            with forks.undivided():
                process = _Process(
                    [program, *settings, *arguments],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=where,
                    env=environment,
                    **spawn_options(inherited),
                )
                _running.add(process)
            return process
        except OSError as error:
            raise GitFailed(
                f"{program} could not be started in {where} ({error.strerror})"
            ) from error

    def _environment(self, outside: bool) -> dict[str, str]:
        nowhere = str(self.repository / _NOWHERE)
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment |= {
            "PATH": trusted_path(self.repository.parent),
            "HOME": nowhere,
            "XDG_CONFIG_HOME": nowhere,
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": nowhere,
            "GIT_CONFIG_SYSTEM": nowhere,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_DEFAULT_REF_FORMAT": "files",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",
            "GLIBC_TUNABLES": _MEMORY,
        }
        if not outside:
            environment["GIT_DIR"] = str(self.repository)
            if self.work_tree is not None:
                environment["GIT_WORK_TREE"] = str(self.work_tree)
            if self.index is not None:
                environment["GIT_INDEX_FILE"] = str(self.index)
            for name, value in self.variables.items():
                if value is None:
                    environment.pop(name, None)
                else:
                    environment[name] = value
        return environment

    def _finish(
        self,
        process: subprocess.Popen[bytes],
        arguments: Sequence[str],
        stdin: bytes | None,
        patience: float,
        most: int = 0,
    ) -> bytes:
        limit = self.timeout * patience
        try:
            out, err = self._communicate(process, stdin, limit)
        except subprocess.TimeoutExpired:
            _end(process)
            raise GitTimedOut(
                f"git {arguments[0]} ran for more than {limit:.0f} s and was stopped; "
                "raise HERMES_CHECKPOINT_TIMEOUT if the disk is slow"
            ) from None
        except BaseException:
            _end(process)
            raise
        words = " ".join(err.decode("utf-8", "replace").split())[:500]
        if not 0 <= process.returncode <= most:
            words = words or "no message"
            raise GitFailed(f"git {arguments[0]} ended with {process.returncode}: {words}")
        if words:
            self.heard[:] = [*self.heard[1 - _HEARD :], words]
        return out

    def _communicate(
        self, process: subprocess.Popen[bytes], stdin: bytes | None, limit: float
    ) -> tuple[bytes, bytes]:
        end = time.monotonic() + limit
        pause = limit if self.unblock is None or stdin else _PAUSE
        while True:
            try:
                return process.communicate(stdin, timeout=min(pause, limit))
            except subprocess.TimeoutExpired:
                if self.unblock is None or stdin or time.monotonic() >= end:
                    raise
            blocked = self.unblock()
            pause = _PAUSE if blocked else min(2 * pause, _LONGEST_PAUSE)
            limit = max(0.0, end - time.monotonic())


class _Process(subprocess.Popen[bytes]):
    """A process whose end is told by the system, where it does: Python looks from time to time
    otherwise, and is late by a millisecond for nearly every short one."""

    def wait(self, timeout: float | None = None) -> int:
        if timeout and self.poll() is None:
            _await_end(self.pid, timeout)
        return super().wait(timeout)


def _await_end(pid: int, seconds: float) -> None:
    """Wait until a child has ended, but no longer than so many seconds; not at all where the system
    (other than Linux) cannot wait for one process."""
    if sys.platform != "linux":
        return
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:  # an older kernel, or no descriptor left
        return
    try:
        watched = select.poll()
        watched.register(descriptor, select.POLLIN)
        watched.poll(seconds * 1000)
    finally:
        os.close(descriptor)


def _end(process: subprocess.Popen[bytes]) -> None:
    kill_group(process)
    _close(process)


def _close(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


_running: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()


def _leave_to_parent() -> None:
    """In a forked child, let go of the pipes of the parent's processes: one whose input the child
    has open, too, would wait for more."""
    streams = (one for each in _running for one in (each.stdin, each.stdout, each.stderr))
    forks.lead_nowhere(one.fileno() for one in streams if one is not None and not one.closed)
    _running.clear()


forks.at_fork(in_child=_leave_to_parent)


class _Kept:
    """The reader that all reads of ``Git.reading`` share. One that is not ready for the next
    question when it comes back, since git ended or has answers left, is not lent again."""

    def __init__(self) -> None:
        self.lent = False
        self._stack = contextlib.ExitStack()
        self._reader: BlobReader | None = None

    @contextlib.contextmanager
    def lend(
        self, start: Callable[[], contextlib.AbstractContextManager[BlobReader]]
    ) -> Iterator[BlobReader]:
        if self._reader is None or not self._reader.is_ready:
            self.let_go()
            self._reader = self._stack.enter_context(start())
        self._reader.expect(())
        self.lent = True
        try:
            yield self._reader
        finally:
            self.lent = False

    def let_go(self) -> None:
        self._reader = None
        self._stack.close()


class BlobReader:
    """Reads objects through one running ``git cat-file --batch``: no answer may take ``timeout``
    seconds without a byte of it, nor all of them together more than ``limit``."""

    def __init__(
        self, process: subprocess.Popen[bytes], timeout: float, limit: float | None = None
    ) -> None:
        self._process = process
        self._timeout = timeout
        self._end = None if limit is None else time.monotonic() + limit
        self._read = bytearray()
        self._at = 0  # what was returned of it
        self._unanswered = 0
        self._coming: Iterator[str] = iter(())
        self._asked: deque[str] = deque()
        self.stopped: CheckpointError | None = None

    @property
    def is_ready(self) -> bool:
        """Tell whether git runs and has answered all that it was asked."""
        return (
            self.stopped is None
            and not self._unanswered
            and self._at >= len(self._read)
            and self._process.poll() is None
        )

    def read(self, name: str) -> tuple[str, str, bytes]:
        """Return id, type and contents of the object that ``name`` (an id or ref) names.

        Raises:
            StoreDamaged: when the store lacks it or cannot read it.
            GitTimedOut: when git is silent, as with a disk that does not answer, or was killed by
                somebody else.
        """
        parts: list[bytes] = []
        object_id, kind = self.copy(name, parts.append)
        return object_id, kind, b"".join(parts)

    def expect(self, names: Iterable[str]) -> None:
        """Tell which objects will be copied, in this order, so that git reads on while one is
        written. Those that are left out then are passed over."""
        self._coming = iter(names)

    def copy(self, name: str, write: Callable[[bytes], object]) -> tuple[str, str]:
        """Pass the contents of an object to ``write`` in pieces; return its id and type. The
        contents are checked against the id, which git itself does not do here.

        Raises:
            StoreDamaged: when the store lacks it or what it has is not what the id says.
            GitTimedOut: as ``read``.
            OSError: what ``write`` raised; the reader can be used further.
        """
        if not self.reaches(name):
            raise StoreDamaged(f"git ended before it could read object {name}")
        if not self._asked:
            self._ask_ahead(name)
        if self._asked:
            self._asked.popleft()
        else:
            self._ask([name])
        return self._answer(name, write)

    def reaches(self, name: str) -> bool:
        """Pass over the objects that were expected before one; tell whether git still runs then. It
        may have ended at one of these, which says nothing of this one.

        Raises:
            GitTimedOut: as ``read``.
        """
        while self._asked and self._asked[0] != name:
            passed = self._asked.popleft()
            try:
                self._answer(passed, lambda _: None)
            except StoreDamaged:
                if self._unanswered > len(self._asked):
                    return False
        return True

    def _ask_ahead(self, name: str) -> None:
        """Ask for the next objects that are expected, from one on, if it is among them."""
        for coming in self._coming:
            if coming == name:
                names = [name, *islice(self._coming, _ASKED_AHEAD - 1)]
                self._ask(names)
                self._asked.extend(names)
                break

    def check(self, names: Sequence[str]) -> None:
        """Read objects and compare their contents with their ids, which ``names`` are.

        Raises:
            StoreDamaged: at the first that the store lacks, or has with other contents; the reader
                cannot be used further then.
            GitTimedOut: as ``read``.
        """
        for start in range(0, len(names), _ASKED_AT_ONCE):
            batch = names[start : start + _ASKED_AT_ONCE]
            self._ask(batch)
            for name in batch:
                self._answer(name, lambda _: None)

    def lacking(self, names: Sequence[str]) -> set[str]:
        """Return those of some ids of which the store has no whole object; it is meant for objects
        that are most likely new, since the contents of the others are read.

        Raises:
            GitTimedOut: as ``read``.
        """
        found: set[str] = set()
        for start in range(0, len(names), _ASKED_AT_ONCE):
            batch = names[start : start + _ASKED_AT_ONCE]
            try:
                self._ask(batch)
            except StoreDamaged:
                return found | {*names[start:]}
            for name in batch:
                try:
                    self._answer(name, lambda _: None)
                except StoreDamaged:
                    found.add(name)
        return found

    def _ask(self, names: Sequence[str]) -> None:
        if self.stopped is not None:
            raise self.stopped
        stdin = self._process.stdin
        if stdin is None:
            raise StoreDamaged("git cat-file has no pipes")
        self._unanswered += len(names)
        try:
            stdin.write("".join(f"{name}\n" for name in names).encode())
            stdin.flush()
        except BrokenPipeError as error:
            self._require_not_killed()
            raise StoreDamaged(f"object {names[0]} of the object store cannot be read") from error

    def _answer(self, name: str, write: Callable[[bytes], object]) -> tuple[str, str]:
        header = self._line().split()
        if len(header) != 3 or not header[2].isdigit():
            self._unanswered -= header[-1:] == [_MISSING]
            raise StoreDamaged(f"the object store lacks object {name}")
        digest = hashlib.sha1(b"%s %s\0" % (header[1], header[2]), usedforsecurity=False)
        left = int(header[2])
        failure: OSError | None = None
        while left:
            piece = self._piece(left)
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
            if failure is None:
                try:
                    write(piece)
                except OSError as error:
                    failure = error  # read on, or the next answer would begin in this one
        whole = left == 0 and self._piece(1) == b"\n"
        self._unanswered -= whole
        if failure is not None:
            try:
                raise failure
            finally:
                failure = None  # or the error holds this frame, and with it open directories
        object_id = header[0].decode()
        if not whole or digest.hexdigest() != object_id:
            raise StoreDamaged(f"object {name} of the object store is damaged")
        return object_id, header[1].decode()

    def _line(self) -> bytes:
        while (end := self._read.find(b"\n", self._at)) < 0 and self._more():
            pass
        end = len(self._read) if end < 0 else end
        line = bytes(self._read[self._at : end])
        self._at = end + 1
        return line

    def _piece(self, most: int) -> bytes:
        """Return what came next, at most so many bytes; none where git has ended."""
        if self._at >= len(self._read):
            self._more()
        piece = bytes(self._read[self._at : self._at + most])
        self._at += len(piece)
        return piece

    def _more(self) -> bool:
        left = None if self._end is None else self._end - time.monotonic()
        seconds = self._timeout if left is None else min(self._timeout, left)
        came = read_within(self._process, seconds)
        if came is None:
            kill_group(self._process)
            if left is not None and left <= self._timeout:
                self.stopped = StoreDamaged("git cat-file took too long in all, and was stopped")
            else:
                self.stopped = GitTimedOut(
                    f"git cat-file gave no answer for {self._timeout:.0f} s and was stopped; raise "
                    "HERMES_CHECKPOINT_TIMEOUT if the disk is slow"
                )
            raise self.stopped
        if not came:
            self._require_not_killed()
        del self._read[: self._at]
        self._at = 0
        self._read += came
        return bool(came)

    def _require_not_killed(self) -> None:
        """Tell a git that ended at what it read from one that somebody ended, who says nothing of
        the store.

        Raises:
            GitTimedOut.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self._process.wait(LAST_WAIT)
            if -status in _KILLS:
                self.stopped = GitTimedOut(
                    f"git cat-file was ended from outside (signal {-status}), as a system does "
                    "that is short of memory; try again"
                )
                raise self.stopped


def quoted(folder: Path) -> str:
    """Return a folder of objects as git reads it in a list of them: quoted, or a ``:`` in its name
    would end it."""
    name = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}"'


# --- what blocks git ------------------------------------------------------------------------

_READ_BY_GIT = frozenset({".gitignore", ".gitattributes"})


def end_blocked_reads(root: str) -> bool:
    """Let go whoever waits to read a pipe that has a name which git reads; tell whether anyone
    did. He finds the pipe empty."""
    found = False
    for folder, directories, names in walk(root):
        if GIT_NAME in directories:
            directories.remove(GIT_NAME)
        for name in _READ_BY_GIT.intersection(names):
            path = os.path.join(folder, name)
            try:
                if stat.S_ISFIFO(os.lstat(path).st_mode):
                    os.close(os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0)))
                    found = True
            except OSError:
                continue  # nobody waits there
    return found

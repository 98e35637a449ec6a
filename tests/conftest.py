"""What every test stands on: a home that is not the developer's, and a git that can be counted.

The real home is unreachable: all variables that lead to it point into the test's own folder,
and a write below the real ``~/.hermes`` fails the test that did it. Git and SQLite are real.
"""

from __future__ import annotations

import functools
import gc
import importlib
import itertools
import os
import pickle
import pwd
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

from documents import check_json
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.base import kept
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.cli import main
from hermes_checkpoints.config import Config
from retention.histories import History
from support import MODULES, Answer, Run, examples, make_project

# A busy machine is no error. The same commit is tested with the same examples, so that it gets
# the same answer everywhere; HYPOTHESIS_EXAMPLES=N looks at N new ones of every property.
settings.register_profile(
    "project", deadline=None, print_blob=True, derandomize=True, max_examples=20
)
settings.register_profile(
    "campaign", deadline=None, print_blob=True, derandomize=False, max_examples=examples(100)
)
settings.load_profile("campaign" if "HYPOTHESIS_EXAMPLES" in os.environ else "project")


def _choose_folder() -> None:
    """Work in memory where there is room: the tests wait for thousands of fsyncs otherwise, and
    none of them cuts the power. TMPDIR=/tmp tests on a disk."""
    memory = Path("/dev/shm")
    if (
        "TMPDIR" not in os.environ
        and memory.is_dir()
        and os.access(memory, os.W_OK)
        and shutil.disk_usage(memory).free > 2 << 30
    ):
        os.environ["TMPDIR"] = str(memory)
        tempfile.tempdir = None


_choose_folder()


def _take_interrupts() -> None:
    """Let SIGINT interrupt the tests that send it, and the processes that they start, where whoever
    started the run ignores it, as a shell does for what runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_take_interrupts()


APART = ("agent", "old_program", "campaign")
"""The markers of tests that run only where ``-m`` names them."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs the package index, and what takes long, unless it is asked for."""
    wanted = config.option.markexpr or ""
    apart = [name for name in APART if name not in wanted]
    cases: Counter[tuple[str, str]] = Counter()
    left_out = {
        item
        for item in items
        if any(_is_apart(item, name, cases) for name in apart if item.get_closest_marker(name))
    }
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


def _is_apart(item: pytest.Item, name: str, cases: Counter[tuple[str, str]]) -> bool:
    """Return whether an item runs only where ``-m`` names the marker: of a test marked with
    ``beyond=N`` the first N cases run always."""
    kept = min(marker.kwargs.get("beyond", 0) for marker in item.iter_markers(name))
    test = item.nodeid.partition("[")[0]
    cases[name, test] += 1
    return bool(cases[name, test] > kept)


def pytest_collection_finish() -> None:
    """Leave what the collection made to itself, and look for garbage less often: each full
    garbage collection would look at all tests, which took a seventh of their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


SLOW_SECONDS = 2.0
"""A test that takes longer is to be marked ``slow``."""

LONGEST_SECONDS = 120
"""A test with ``no_hang`` that takes longer fails."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report the tests over ``SLOW_SECONDS``, with their fixtures, that are not marked ``slow``.

    It is a report and no failure: the clock also counts what else the machine has to do.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    marked: set[str] = set()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid] += report.duration
            if {"slow", *APART} & report.keywords.keys():
                marked.add(report.nodeid)
    over = [
        f"{took:5.1f} s  {test}"
        for test, took in sorted(seconds.items(), key=lambda item: -item[1])
        if took > SLOW_SECONDS and test not in marked
    ]
    if over:
        terminalreporter.section(f"not marked slow, but over {SLOW_SECONDS:.0f} seconds here")
        terminalreporter.write_line("\n".join(over))
    elif terminalreporter.verbosity >= 0:
        terminalreporter.write_line(
            f"Every test over {SLOW_SECONDS:.0f} seconds is marked slow ({len(seconds)} looked at)."
        )


REAL_HERMES = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".hermes"
ORDINARY_USER = 65534
MIGRATIONS = Path(__file__).parent.parent / "migrations"

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_written_at_home: list[str] = []


def _watch(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: notes every path below the real ``~/.hermes`` that this process would write."""
    if event == "open":
        paths, writes = args[:1], bool(args[2] & _WRITES)
    elif event in {"os.mkdir", "os.rename", "os.remove", "os.chmod", "sqlite3.connect"}:
        paths, writes = args[:2], True
    else:
        return
    for path in paths:
        if writes and isinstance(path, str | bytes | os.PathLike):
            name = os.fsdecode(path)
            if name == str(REAL_HERMES) or name.startswith(f"{REAL_HERMES}{os.sep}"):
                _written_at_home.append(f"{event} {name}")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def _no_real_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    user = tmp_path / "user"
    user.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "HERMES_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(user))
    monkeypatch.setenv("HERMES_HOME", str(user / ".hermes"))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(user / f".{name.lower()}"))
    existed = os.path.lexists(REAL_HERMES)
    _written_at_home.clear()
    yield
    assert not _written_at_home, f"written in the real home: {_written_at_home}"
    assert existed == os.path.lexists(REAL_HERMES), f"{REAL_HERMES} came or went"


@pytest.fixture(autouse=True)
def _no_base_stays_open(_no_real_home: None) -> Iterator[None]:
    """Close what the calls of a host keep open, as the end of a process does."""
    yield
    kept.close()


@pytest.fixture
def fresh_home() -> Path:
    """The Hermes home of this test, as HERMES_HOME has it; not created yet."""
    return Path(os.environ["HERMES_HOME"])


@pytest.fixture(scope="session")
def empty_catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new catalog."""
    folder = tmp_path_factory.mktemp("empty")
    Catalog.open(folder / "catalog.db", folder / "lock").close()
    return folder / "catalog.db"


@pytest.fixture
def home(fresh_home: Path, empty_catalog: Path) -> Path:
    """The Hermes home of this test with an empty catalog, which costs less than making one."""
    base = fresh_home / "checkpoints"
    base.mkdir(parents=True, exist_ok=True)
    if not (base / "catalog.db").exists():
        shutil.copy(empty_catalog, base)
    return fresh_home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with directories, one of them with a ``.git``, a file, a link and a pipe."""
    root = tmp_path / "root"
    for name in ("a/b", "c/.git/objects"):
        (root / name).mkdir(parents=True)
    (root / "a/file").write_text("contents")
    (root / "link").symlink_to("a")
    os.mkfifo(root / "a/pipe")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working directory with a few text, binary and executable files."""
    return make_project(tmp_path / "project")


@pytest.fixture
def history(home: Path, tmp_path: Path) -> Iterator[History]:
    """A home without limits, to be filled with projects that have checkpoints."""
    config = Config(max_snapshots=0, max_total_size_mb=0)
    with Checkpoints.open(home, config=config) as checkpoints:
        yield History(checkpoints, home, tmp_path / "projects")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command of the command line in this process, as a host does, and return its
    answer; ``code`` is the exit code that it must have."""

    def run(*args: str | Path, code: int = 0) -> Answer:
        capsys.readouterr()
        found = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert found == code, captured
        answer = Answer(found, captured.out, captured.err)
        check_json([str(arg) for arg in args], answer)
        return answer

    return run


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Fail instead of waiting for ever."""

    def late(*_: object) -> None:
        raise AssertionError(f"it took more than {LONGEST_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


# --- counting git processes -------------------------------------------------------------------


@dataclass(frozen=True)
class GitProcesses:
    """The git processes started since the fixture was set up or ``reset``."""

    log: Path

    def commands(self) -> list[list[str]]:
        """The arguments of each, in the order of starting."""
        records = self.log.read_text(encoding="utf-8", errors="surrogateescape").split("\x1e")
        return [record.split("\x1f")[1:] for record in records[:-1]]

    def count(self) -> int:
        return len(self.commands())

    def reset(self) -> None:
        self.log.write_bytes(b"")


@pytest.fixture
def git_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitProcesses:
    """Put a `git` first on PATH that notes its arguments and then becomes the real one. Only a
    script is asked which git it runs, so that question is not noted."""
    real = shutil.which("git")
    assert real, "the tests need git"
    folder = tmp_path / "git-shim"
    folder.mkdir()
    log = folder / "log"
    log.write_bytes(b"")
    shim = folder / "git"
    # "$*" joins with the first character of IFS, and one printf is one write: records of
    # processes that run side by side do not mix.
    shim.write_text(
        f'#!/bin/sh\nIFS=\'\x1f\'\nset -- git "$@"\n[ "$2" = --exec-path ] || '
        f"printf '%s\x1e' \"$*\" >>'{log}'\n"
        f"shift\nexec '{real}' \"$@\"\n",
        encoding="utf-8",
    )
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return GitProcesses(log)


# --- counting statements ----------------------------------------------------------------------


@dataclass
class Statements:
    """What was executed since the last ``reset``."""

    executed: list[str] = field(default_factory=list)

    def reset(self) -> None:
        self.executed.clear()

    @property
    def writes(self) -> int:
        """How many transactions that began as a writer's were committed."""
        ends = [s for s in self.executed if s in ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "BEGIN")]
        pairs = itertools.pairwise(ends)
        return sum(pair == ("BEGIN IMMEDIATE", "COMMIT") for pair in pairs)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """Let every new connection of this process, whoever opens it, tell what it executes. The
    statements of triggers come as comments."""
    noted = Statements()
    connect = sqlite3.connect

    def note(statement: str) -> None:
        if not statement.startswith("--"):
            noted.executed.append(statement)

    def connect_noting(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(note)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_noting)
    monkeypatch.setattr(sqlite3.dbapi2, "connect", connect_noting)
    return noted


# --- being somebody else ------------------------------------------------------------------------


@functools.cache
def _load_all() -> None:
    """Import all of the package and, by using it once, what it and its libraries load late.

    The interpreter may lie where an ordinary user cannot read, as in root's home.
    """
    package = importlib.import_module("hermes_checkpoints")
    for name in MODULES:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "project")
        with package.Checkpoints.open(Path(folder) / "home") as checkpoints:
            checkpoints.project(project).take()
            (project / "src/app.py").unlink()
            checkpoints.project(project).restore("latest")
            checkpoints.status()


@dataclass(frozen=True)
class OrdinaryUser:
    """Runs functions in a child process that root's privileges do not help."""

    tmp: Path

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)`` from the child; its exceptions fail the test.

        Arguments and result travel by fork and pickle. Every path must be below ``tmp``, which
        belongs to that user, because other folders of the test are closed to it.
        """
        _load_all()
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # fork beside xdist's thread
            child = os.fork()
        if child == 0:
            os.close(reading)
            self._run(writing, function, args)
        os.close(writing)
        with os.fdopen(reading, "rb") as stream:
            answer = stream.read()
        os.waitpid(child, 0)
        assert answer, "the child process died"
        ok, value = pickle.loads(answer)  # noqa: S301
        assert ok, value
        return value

    def _run(self, writing: int, function: Callable[..., Any], args: tuple[Any, ...]) -> NoReturn:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(ORDINARY_USER)
                os.setuid(ORDINARY_USER)
            os.chdir(self.tmp)
            for name in ("HOME", "USERPROFILE"):
                os.environ[name] = str(self.tmp / "user")
            os.environ["HERMES_HOME"] = str(self.tmp / "user" / ".hermes")
            answer = pickle.dumps((True, function(*args)))
        except BaseException:  # noqa: BLE001 - the parent reports it
            answer = pickle.dumps((False, traceback.format_exc()))
        with os.fdopen(writing, "wb") as stream:
            stream.write(answer)
        os._exit(0)


def _obstacle() -> str | None:
    """Return why a child of root cannot give its privileges up and then use the package."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(ORDINARY_USER)
            os.setuid(ORDINARY_USER)
        except OSError:
            os._exit(1)
        os._exit(0 if os.access(MIGRATIONS, os.R_OK | os.X_OK) else 2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {
        1: "this process is root and may not become another user",
        2: "the checkout is closed to ordinary users",
    }.get(code)


@pytest.fixture
def as_user() -> Iterator[OrdinaryUser]:
    """Run a function as an ordinary user, for what root is never refused."""
    if os.getuid() == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            obstacle = _obstacle()
        if obstacle:
            pytest.skip(obstacle)
    tmp = Path(tempfile.mkdtemp(prefix="ordinary-user-")).resolve()
    try:
        (tmp / "user").mkdir()
        if os.getuid() == 0:
            for path in (tmp, tmp / "user"):
                os.chown(path, ORDINARY_USER, ORDINARY_USER)
        yield OrdinaryUser(tmp)
    finally:
        shutil.rmtree(tmp)

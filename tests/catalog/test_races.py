"""Real processes open one catalog at once, are killed in the middle, and fork."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from catalog.records import START, Maker, creations, integrity_problems, shell
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Actor
from interpreters import run, start

PROCESSES = 12
ROUNDS = 3

# Calls ``at`` with each statement of any connection that this process makes, and before a file is
# given its name.
WATCH = """
import os, sqlite3, sys
from pathlib import Path
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.upgrading import Scripts
connect = sqlite3.connect
def traced(*arguments, **options):
    connection = connect(*arguments, **options)
    connection.set_trace_callback(lambda statement: at(statement))
    return connection
sqlite3.connect = traced
sys.addaudithook(lambda event, _: at(event) if event == "os.link" else None)
"""

# Each process reports that it is ready and waits for its input to close, so that all start at once.
OPEN = (
    WATCH
    + """
from datetime import UTC, datetime
file, lock, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
made = []
def at(statement):
    if statement.lstrip().startswith(('CREATE TABLE "checkpoints"', "CREATE TABLE checkpoints")):
        made.append(statement)
print("ready", flush=True)
sys.stdin.read()
with Catalog.open(file, lock) as catalog:
    for turn in range(5):
        catalog.projects.ensure(
            f"{number:08}{turn:08}", f"/srv/{number}/{turn}", datetime.now(UTC),
            identity=None, parent=None,
        )
    print("created" if made else "found")
"""
)

# Kills itself just before what its fourth argument names. With the fifth argument "revisions" the
# catalog is made by them, as where earlier versions left something.
DIE = (
    WATCH
    + """
import signal
point = sys.argv[3]
def at(statement):
    if point in statement:
        os.kill(os.getpid(), signal.SIGKILL)
by = Scripts(from_tables=sys.argv[4] != "revisions")
Catalog.open(Path(sys.argv[1]), Path(sys.argv[2]), scripts=by)
print("survived")
"""
)


def race(file: Path, lock: Path) -> list[str]:
    """Let all processes open the catalog at once; return what each says of it."""
    processes = [start(OPEN, file, lock, number) for number in range(PROCESSES)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.close()
    answers = []
    for process in processes:
        ended = process.finish()
        assert ended.returncode == 0, ended.stderr
        answers.append(ended.stdout.strip())
    return answers


def complete(file: Path, lock: Path) -> int:
    """Assert that the catalog is whole; return how many projects it has."""
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert made == []
        assert catalog.journal_mode == "wal"
        assert integrity_problems(catalog.path) == []
        revisions = shell(file, "SELECT version_num FROM alembic_version")
        assert revisions == [{"version_num": schema.HEAD}]
        return len(catalog.projects.all())


@pytest.mark.campaign(beyond=2)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(ROUNDS))
def test_first_opens_race_safely(file: Path, lock: Path, number: int) -> None:
    answers = race(file, lock)
    assert sorted(answers) == ["created"] + ["found"] * (PROCESSES - 1)
    assert complete(file, lock) == PROCESSES * 5


_POINTS = (
    "BEGIN",
    "CREATE TABLE alembic_version",
    "CREATE TABLE {}",
    "CREATE VIEW recent_failures",
    "INSERT INTO alembic_version",
    "COMMIT",
)


@pytest.mark.campaign(beyond=3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "point"),
    [
        *(("tables", point.format('"checkpoints"')) for point in (*_POINTS, "os.link")),
        *(("revisions", point.format("checkpoints")) for point in _POINTS),
    ],
)
def test_a_killed_first_open_leaves_nothing_half_done(
    file: Path, lock: Path, by: str, point: str
) -> None:
    killed = run(DIE, file, lock, point, by)
    assert (killed.returncode, killed.stdout) == (-9, ""), killed.stderr
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert len(made) == 1
        Maker(catalog).project()
    assert complete(file, lock) == 1


@pytest.mark.slow
def test_one_of_many_first_opens_is_killed(file: Path, lock: Path) -> None:
    victim = start(DIE, file, lock, "CREATE VIEW store_totals", "tables")
    answers = race(file, lock)
    victim.finish()
    # The victim dies unless another one created the tables before it had the lock.
    assert answers.count("created") == 1
    assert complete(file, lock) == PROCESSES * 5


def _in_child(catalog: Catalog, rows: int) -> int:
    """Fork; the child adds projects and ends as a program does that was started so."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            make = Maker(catalog)
            for number in range(rows):
                make.project(f"/child/{os.getpid()}/{number}")
            catalog.close()
            status = 0
        finally:
            os._exit(status)
    return child


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_connections_of_its_own(file: Path, lock: Path) -> None:
    with Catalog.open(file, lock) as catalog:
        make = Maker(catalog)
        make.project("/parent/before")
        children = [_in_child(catalog, 20) for _ in range(3)]
        for number in range(20):
            make.project(f"/parent/{number}")
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        assert len(catalog.projects.all()) == 1 + 20 + 3 * 20
        assert integrity_problems(catalog.path) == []


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_survives_its_parents_close(file: Path, lock: Path) -> None:
    """The last connection that closes removes the write-ahead log; the child's must count."""
    catalog = Catalog.open(file, lock)
    Maker(catalog).project("/parent/before")
    to_child, from_parent = os.pipe()
    to_parent, from_child = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            Maker(catalog).project("/child/one")
            os.write(from_child, b"x")
            os.read(to_child, 1)
            Maker(catalog).project("/child/two")
            status = 0
        finally:
            os._exit(status)  # without closing, as after a crash
    os.read(to_parent, 1)
    catalog.close()
    os.write(from_parent, b"x")
    assert os.waitpid(child, 0)[1] == 0
    for end in (to_child, from_parent, to_parent, from_child):
        os.close(end)
    with Catalog.open(file, lock) as again:
        workdirs = {project.working_dir for project in again.projects.all()}
        assert workdirs == {"/parent/before", "/child/one", "/child/two"}
        assert integrity_problems(again.path) == []


def test_a_part_that_fails_takes_all_of_its_transaction_with_it(catalog: Catalog) -> None:
    with pytest.raises(CheckpointError, match="nothing of it was written"), catalog.together():
        catalog.settings.set("before", "1", START)
        with suppress(CheckpointError):
            begin_a_turn_of_no_checkpoint(catalog)
        catalog.settings.set("after", "1", START)
    assert catalog.settings.get("before") is None
    assert catalog.settings.get("after") is None
    with catalog.together():  # the next one is not concerned
        catalog.settings.set("next", "1", START)
    assert catalog.settings.get("next") == "1"


def begin_a_turn_of_no_checkpoint(catalog: Catalog) -> None:
    catalog.turns.begin(
        1,
        start_checkpoint_id=99,
        session_id=None,
        turn=None,
        actor=Actor.AGENT,
        now=START,
    )

"""A base has a name of its own, which a copy of it does not share."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Taken
from support import Run


def taken(home: Path, project: Path) -> Taken:
    """Change a file and take a checkpoint, in a base that is opened for it."""
    with Checkpoints.open(home) as checkpoints:
        (project / "README.md").write_text(os.urandom(8).hex())
        outcome = checkpoints.project(project).take()
        assert isinstance(outcome, Taken), outcome
        return outcome


def machine(home: Path, outcome: Taken) -> str | None:
    """Return which machine the commit of a checkpoint names."""
    with Checkpoints.open(home) as checkpoints:
        (found,) = checkpoints._base.store.read([outcome.checkpoint.ref_name])
        assert not isinstance(found, Exception)
        return found.facts.machine


def journal(home: Path) -> str | None:
    """Return what the journal says of the last take."""
    with closing(sqlite3.connect(Layout.of(home).catalog)) as catalog:
        query = "SELECT message FROM operations WHERE kind = 'take' ORDER BY id DESC LIMIT 1"
        message: str | None = catalog.execute(query).fetchone()[0]
        return message


def file_of(home: Path) -> Path:
    return Layout.of(home).machine


def test_the_first_take_makes_the_id_and_all_name_it(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.status()
        assert checkpoints.project(project).list() == []
    assert not file_of(home).exists(), "only a take makes it"
    first = machine(home, taken(home, project))
    assert first is not None
    assert re.fullmatch("[0-9a-f]{12}", first)
    assert machine(home, taken(home, project)) == first
    facts = json.loads(file_of(home).read_bytes())
    assert facts["machine"] == first
    assert facts["inode"] == file_of(home).stat().st_ino
    assert stat.S_IMODE(file_of(home).stat().st_mode) == 0o600
    assert journal(home) is None


def test_the_name_is_that_of_the_variable_or_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value, wanted in (
        ("", socket.gethostname()),
        (" lab 7\n", "lab 7"),
        ("ä" * 999, "ä" * 255),
    ):
        monkeypatch.setenv("HERMES_MACHINE", value)
        layout = Layout.of(tmp_path / wanted[:5])
        layout.create_base()
        assert machine_of(layout, 1).id is not None
        assert json.loads(layout.machine.read_bytes())["name"] == wanted


def test_a_copied_base_becomes_another_machine(home: Path, project: Path, tmp_path: Path) -> None:
    first = machine(home, taken(home, project))
    copy = tmp_path / "copy"
    shutil.copytree(home, copy, symlinks=True)
    before = file_of(copy).read_bytes()
    with Checkpoints.open(copy) as checkpoints:
        checkpoints.status()
    assert file_of(copy).read_bytes() == before, "looking changes nothing"
    second = machine(copy, taken(copy, project))
    assert second not in (None, first)
    assert journal(copy) == (
        f"machine.json came from elsewhere, where it named machine {first}; "
        f"the base is machine {second} now"
    )
    assert machine(copy, taken(copy, project)) == second
    assert machine(home, taken(home, project)) == first, "the original keeps its id"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\0", b"[" * 60_000, b"x" * (1 << 20)),
        *(b'{"machine": "ABC", "inode": 1}', b'{"machine": 7, "inode": 1}', b'{"inode": 1}'),
    ],
)
def test_a_garbled_file_gives_a_new_id_and_the_journal_tells(
    home: Path, project: Path, damage: bytes
) -> None:
    first = machine(home, taken(home, project))
    file_of(home).write_bytes(damage)
    second = machine(home, taken(home, project))
    assert second not in (None, first)
    assert journal(home) == f"machine.json was damaged; the base is machine {second} now"
    assert machine(home, taken(home, project)) == second


def test_a_file_that_cannot_be_made_stops_no_take(home: Path, project: Path) -> None:
    (file_of(home) / "in the way").mkdir(parents=True)
    outcome = taken(home, project)
    assert machine(home, outcome) is None
    told = journal(home)
    assert told is not None
    assert told.startswith("the checkpoint names no machine: ")
    assert not list(file_of(home).parent.glob(".machine.json.*")), "nothing half-written stays"


def test_processes_that_make_it_at_once_agree(home: Path, project: Path) -> None:
    """Each waits for the word to go; all find the same id, whoever made it."""
    code = (
        "import sys\n"
        "from hermes_checkpoints.base.machine import machine_of\n"
        "from hermes_checkpoints.layout import Layout\n"
        "layout = Layout.of(sys.argv[1])\n"
        "print(flush=True)\n"
        "sys.stdin.readline()\n"
        "print(machine_of(layout, 30).id)\n"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, str(home)]
    workers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    ids = {worker.communicate()[0].strip() for worker in workers}
    assert ids == {json.loads(file_of(home).read_bytes())["machine"]}


def test_a_clear_of_everything_takes_the_id_along(home: Path, project: Path, run: Run) -> None:
    first = machine(home, taken(home, project))
    run("clear", "-f")
    assert not Layout.of(home).base.exists()
    assert machine(home, taken(home, project)) != first


def test_a_clear_that_keeps_sessions_keeps_the_id(home: Path, project: Path, run: Run) -> None:
    first = machine(home, taken(home, project))
    with Checkpoints.open(home) as checkpoints:
        checkpoints.sessions.write("s1", {"task": "x"})
    run("clear", "-f")
    assert file_of(home).exists()
    assert machine(home, taken(home, project)) == first


def test_what_is_imported_names_the_machine_that_took_it(
    home: Path, project: Path, tmp_path: Path
) -> None:
    theirs = taken(tmp_path / "theirs", project)
    named = machine(tmp_path / "theirs", theirs)
    ours = machine(home, taken(home, project))
    with Checkpoints.open(home) as checkpoints:
        checkpoints.import_legacy(tmp_path / "theirs")
        assert theirs.checkpoint.id in {one.id for one in checkpoints.list_all()}
    assert machine(home, theirs) == named != ours
    assert machine(home, taken(home, project)) == ours

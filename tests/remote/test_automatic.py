"""What is sent when a turn or a session has ended: by a process of its own, which nobody waits for
and nobody watches."""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.checkpoints import send_unsent
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Kind, Remote
from hermes_checkpoints.remote import automatic
from hermes_checkpoints.remote.automatic import Sent, left_of_interval
from hermes_checkpoints.remote_config import RemoteConfig
from remote.conftest import Configure
from remote.servers import HttpServer, Manner, bare, refs_of, refuse
from support import wait_for_detached

KEY = "AKIAQ3EGRT7PZLMK4WXY"
SendHere = Callable[..., None]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


def take(checkpoints: Checkpoints, project: Path, text: str, name: str = "README.md") -> str:
    """Begin a turn of an agent with a checkpoint, change a file in it, and return the id."""
    taken = checkpoints.project(project).take(text, kind=Kind.AUTO)
    (project / name).write_text(text, encoding="utf-8")
    return taken.checkpoint.id  # type: ignore[union-attr]


def turn(checkpoints: Checkpoints, project: Path, text: str) -> str:
    """Let an agent have a turn that changes a file; return the id of its checkpoint."""
    id_ = take(checkpoints, project, text)
    assert checkpoints.project(project).end_turn()
    return id_


def sent_to(repository: Path) -> set[str]:
    """Return the checkpoints that a repository has."""
    found = refs_of(repository)
    return {id_ for name, id_ in found.items() if name.startswith("refs/checkpoints/")}


@pytest.fixture
def send_here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Do in this process what the other one does, after a turn in a project or a session."""

    def send(project: Path | None = None) -> None:
        name = "" if project is None else project_hash(project)
        send_unsent.main([str(home), str(home / "checkpoints"), name])

    monkeypatch.setattr(send_unsent, "lower_priority", lambda: None)
    return send


def journal(home: Path) -> list[dict[str, Any]]:
    """Return what the journal has of pushes, without those of this process."""
    query = "SELECT * FROM operations WHERE kind = 'push' ORDER BY id"
    return [dict(row) for row in shell(home / "checkpoints/catalog.db", query)]


# --- when it is started ----------------------------------------------------------------------


@pytest.mark.slow
def test_a_turn_that_has_ended_is_sent_by_another_process(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    configure(undo, push="turn")
    id_ = turn(checkpoints, project, "one")
    assert wait_for_detached() == 1
    assert sent_to(undo) == {id_}
    [entry] = journal(home)
    assert (entry["outcome"], entry["pid"] == os.getpid()) == ("done", False)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"push": "manual"},
        {"push": "session"},
        {"push": "turn", "url": ""},
        {"push": "turn", "min_interval_seconds": -1},
    ],
    ids=str,
)
def test_the_end_of_a_turn_starts_nothing_where_it_is_not_to_be_sent(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    settings: dict[str, Any],
) -> None:
    configure(**{"url": undo, **settings})
    turn(checkpoints, project, "one")
    assert wait_for_detached() == 0
    assert refs_of(undo) == {}


COUNTED = """
import os, sys
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog.direct.reader import Reader

with Checkpoints.open(create=False) as checkpoints:
    project = checkpoints.project(sys.argv[1])
    project.take(kind="auto")
    asked, started = [], []
    usual = Reader.rows
    Reader.rows = lambda self, *a, **g: asked.append(1) or usual(self, *a, **g)
    sys.addaudithook(lambda name, told: name == "subprocess.Popen" and started.append(told[1]))
    assert project.end_turn()
from hermes_checkpoints.fs import system
for one in system._detached:
    os.waitpid(one, 0)
print(len(asked), sum("-m" in words for words in started), "sqlalchemy" in sys.modules,
      sorted(name for name in sys.modules if ".remote" in name))
"""


@pytest.mark.slow
def test_where_nothing_is_sent_by_itself_no_statement_no_module_and_no_process_is_needed(
    checkpoints: Checkpoints, project: Path, undo: Path, home: Path, configure: Configure
) -> None:
    """And where it is, the end of a turn asks the catalog no more, and starts one process more."""
    checkpoints.project(project).take()
    checkpoints.close()

    def counted() -> tuple[list[str], str]:
        words = [sys.executable, "-c", COUNTED, str(project)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        *numbers, modules = done.stdout.strip().split(" ", 3)
        return numbers, modules

    (home / "config.yaml").write_text("checkpoints: {enabled: true}\n", encoding="utf-8")
    counted()  # the settings are kept from now on
    usual, modules = counted()
    assert (usual[1:], modules) == (["0", "False"], "[]")
    configure(undo)
    assert counted() == (usual, "['hermes_checkpoints.remote_config']")
    with exclusive(Layout.of(home).sending_lock, purpose="a test", timeout=0):
        configure(undo, push="turn")
        assert counted()[0] == usual, "one is at work, and none is started"
        configure(undo, push="session")
        assert counted()[0] == usual
        configure(undo, push="turn", min_interval_seconds=-1)
        assert counted()[0] == usual
    configure(undo, push="turn")
    assert counted()[0] == [usual[0], "1", "False"]
    assert len(sent_to(undo)) == 1


@pytest.mark.slow
def test_the_end_of_a_session_sends_what_its_turns_have_left(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    configure(undo, push="session")
    manager = CheckpointManager(True, session_id="s", working_dir=project)
    for text in ("one", "two"):
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project))
        (project / "README.md").write_text(text, encoding="utf-8")
    manager.end_turn()
    assert wait_for_detached() == 0
    manager.end_session()
    assert wait_for_detached() == 1
    assert len(sent_to(undo)) == 2
    checkpoints.agent_sessions.prompted("t", "claude")
    id_ = turn(checkpoints, project, "three")
    checkpoints.agent_sessions.end("t")
    assert wait_for_detached() == 1
    assert id_ in sent_to(undo), "no interval holds the end of a session up"


def test_one_that_is_disabled_sends_nothing(
    checkpoints: Checkpoints, project: Path, undo: Path, configure: Configure
) -> None:
    checkpoints.project(project).take()
    configure(undo, push="session")
    CheckpointManager(False, session_id="s").end_session()
    assert wait_for_detached() == 0


def test_a_program_that_is_no_python_starts_none_and_says_so(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    configure(undo, push="turn")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    turn(checkpoints, project, "one")
    assert wait_for_detached() == 0
    assert "this program starts no Python; use `push`" in caplog.text


def test_a_machine_that_can_start_no_process_ends_its_turns_all_the_same(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    configure(undo, push="turn")
    monkeypatch.setattr(sys, "executable", str(project / "no-such-python"))
    turn(checkpoints, project, "one")
    assert not checkpoints.project(project).has_turn()
    assert "the push after a turn was not started" in caplog.text


# --- a host that vanishes --------------------------------------------------------------------

VANISHES = """
import os, signal, sys
from hermes_checkpoints import CheckpointManager
from hermes_checkpoints.fs import system
manager = CheckpointManager(True, session_id="s")
manager.new_turn()
assert manager.ensure_checkpoint(sys.argv[1])
with open(os.path.join(sys.argv[1], "README.md"), "w") as file:
    file.write("by the agent")
manager.end_turn()
print(*system._detached, flush=True)
os.killpg(0, signal.SIGKILL)
"""


def test_a_host_that_is_killed_right_after_its_turn_has_it_on_the_remote(
    home: Path, project: Path, undo: Path, configure: Configure
) -> None:
    """With its process group, as a terminal that is closed does."""
    configure(undo, push="turn")
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    (undo / "hooks/pre-receive").write_text("#!/bin/sh\nread word < ../go\ncat > /dev/null\n")
    (undo / "hooks/pre-receive").chmod(0o755)
    go = undo.parent / "go"
    os.mkfifo(go)
    host = subprocess.Popen(
        [sys.executable, "-c", VANISHES, str(project)],
        stdout=subprocess.PIPE,
        start_new_session=True,
        close_fds=False,
    )
    os.close(writing)
    [child] = [int(word) for word in host.communicate()[0].split()]
    assert host.returncode == -signal.SIGKILL
    assert os.read(reading, 1) == b"", "nobody has a descriptor of the host any more"
    os.close(reading)
    watched = os.pidfd_open(child)
    assert sent_to(undo) == set(), "the remote has not answered"
    asks = os.open(go, os.O_RDWR)
    os.write(asks, b"now\n")
    assert select.select([watched], [], [], 60)[0], "the process has not ended"
    os.close(watched)
    os.close(asks)
    with Checkpoints.open() as checkpoints:
        [taken] = checkpoints.project(project).list()
    assert sent_to(undo) == {taken.id}


# --- what is sent, and when ------------------------------------------------------------------


def test_the_project_of_the_turn_goes_first_and_what_others_have_left_goes_along(
    checkpoints: Checkpoints,
    project: Path,
    tmp_path: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("notes", encoding="utf-8")
    left = checkpoints.project(other).take("by hand").checkpoint.id  # type: ignore[union-attr]
    id_ = turn(checkpoints, project, "one")
    configure(undo, push="turn")
    send_here(project)
    query = "SELECT commit_id FROM pushes WHERE state = 'sent' ORDER BY at"
    found = shell(home / "checkpoints/catalog.db", query)
    assert [row["commit_id"] for row in found] == [id_, left]


def test_where_each_project_has_a_remote_one_that_fails_is_left_alone_by_the_turns_of_others(
    checkpoints: Checkpoints,
    project: Path,
    tmp_path: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("notes", encoding="utf-8")
    checkpoints.project(other).take("by hand")
    own = bare(tmp_path / f"{project_hash(project)}.git")
    id_ = turn(checkpoints, project, "one")
    configure(f"{tmp_path}/{{project}}.git", push="turn", min_interval_seconds=1000)
    send_here(project)
    assert sent_to(own) == {id_}
    assert [entry["outcome"] for entry in journal(home)] == ["done", "failed"]
    send_here(project)
    send_here()
    assert len(journal(home)) == 2


def test_what_falls_into_the_interval_waits_for_the_rest_of_it_and_is_sent_then(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn(checkpoints, project, "one")
    configure(undo, push="turn", min_interval_seconds=500)
    send_here(project)
    ids = [take(checkpoints, project, "two")]
    waited: list[float] = []

    def wait(interval: timedelta) -> None:
        """Let the interval pass, and another turn."""
        waited.append(interval.total_seconds())
        with exclusive(Layout.of(home).store_lock, purpose="a test", timeout=0):
            pass  # whoever needs it alone, such as a gc, has it meanwhile
        assert checkpoints.project(project).end_turn()
        assert wait_for_detached() == 0, "the one that waits sends it, too"
        ids.append(take(checkpoints, project, "three"))
        base = checkpoints._base
        past = base.now() - timedelta(seconds=501)
        with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as catalog, catalog:
            told = f"{past:%Y-%m-%d %H:%M:%S.%f}"
            catalog.execute("UPDATE remotes SET last_success_at = ?", [told])

    monkeypatch.setattr(send_unsent, "_wait", wait)
    send_here(project)
    assert [490 < seconds <= 500 for seconds in waited] == [True]
    assert {*ids} < sent_to(undo)


def test_a_long_interval_is_not_waited_for(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    for many, text in ((1, "one"), (1, "two")):
        configure()
        turn(checkpoints, project, text)
        configure(undo, push="turn", min_interval_seconds=3600)
        send_here(project)
        assert len(sent_to(undo)) == many
    send_here()
    assert len(sent_to(undo)) == 2, "the end of a session waits for no interval"


@pytest.mark.parametrize(
    ("success", "failure", "left"),
    [
        (None, None, None),
        (60, None, None),
        (59, None, 1),
        (None, 10, 50),
        (100, 10, 50),
        (-5, None, None),  # a clock was put back
        (-5, 10, 50),
    ],
)
def test_an_interval_counts_from_the_last_time_that_the_remote_was_asked(
    success: int | None, failure: int | None, left: int | None
) -> None:
    remote = Remote(
        1,
        "/srv/undo.git",
        NOW,
        None if success is None else NOW - timedelta(seconds=success),
        None if failure is None else NOW - timedelta(seconds=failure),
    )
    found = left_of_interval(remote, RemoteConfig(url="/srv/undo.git"), NOW)
    assert found == (None if left is None else timedelta(seconds=left))
    assert left_of_interval(remote, replace(RemoteConfig(), min_interval_seconds=0), NOW) is None


def test_one_that_finds_another_at_work_leaves_and_the_one_at_work_sends_what_has_come_meanwhile(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(undo, push="turn", min_interval_seconds=0)
    ids = {take(checkpoints, project, "one")}
    usual: Callable[..., Sent] = automatic.send

    def sends(*args: Any, **given: Any) -> Sent:
        done = usual(*args, **given)
        if len(ids) == 1:
            ids.add(turn(checkpoints, project, "two"))
            assert wait_for_detached() == 0
        return done

    monkeypatch.setattr(send_unsent, "send", sends)
    send_here(project)
    assert sent_to(undo) == ids
    monkeypatch.setattr(send_unsent, "_LOCK_TIMEOUT", 0)
    with exclusive(Layout.of(home).sending_lock, purpose="a test", timeout=0):
        before = len(journal(home))
        checkpoints.project(project).take("three")
        send_here(project)
    assert (sent_to(undo), len(journal(home))) == (ids, before)


TURNS = """
import os, sys
from hermes_checkpoints import CheckpointManager
from hermes_checkpoints.fs import system
manager = CheckpointManager(True, session_id=sys.argv[1])
for number in range(3):
    manager.new_turn()
    assert manager.ensure_checkpoint(sys.argv[1])
    with open(os.path.join(sys.argv[1], "notes.txt"), "w") as file:
        file.write(str(number))
    manager.end_turn()
for one in system._detached:
    os.waitpid(one, 0)
"""


@pytest.mark.campaign
def test_the_turns_of_hosts_that_end_at_once_are_all_sent(
    checkpoints: Checkpoints, tmp_path: Path, undo: Path, configure: Configure
) -> None:
    configure(undo, push="turn", min_interval_seconds=0)
    hosts = []
    for number in range(5):
        (tmp_path / f"project {number}").mkdir()
        words = [sys.executable, "-c", TURNS, str(tmp_path / f"project {number}")]
        hosts.append(subprocess.Popen(words))
    assert [host.wait() for host in hosts] == [0] * 5
    assert sent_to(undo) == {one.id for one in checkpoints.list_all()}
    assert len(sent_to(undo)) == 15


# --- what goes wrong -------------------------------------------------------------------------


@pytest.mark.parametrize("interval", [0, 1000])
def test_a_remote_that_denies_access_is_left_alone_also_at_the_end_of_a_session(
    checkpoints: Checkpoints,
    project: Path,
    server: HttpServer,
    home: Path,
    configure: Configure,
    send_here: SendHere,
    interval: int,
) -> None:
    server.manner = Manner.CLOSED
    turn(checkpoints, project, "one")
    here = server.url("undo.git")
    configure(here, push="turn", protocols=["http"], min_interval_seconds=interval)
    send_here(project)
    [entry] = journal(home)
    assert (entry["outcome"], entry["code"]) == ("failed", "remote-denied")
    asked = len(server.requests)
    assert asked
    send_here(project)
    send_here()
    assert (len(server.requests), len(journal(home))) == (asked, 1)


def test_without_a_network_turns_end_and_all_is_sent_once_there_is_one(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    ids = {turn(checkpoints, project, text) for text in ("one", "two")}
    configure(home / "not-yet.git", push="turn", min_interval_seconds=0)
    send_here(project)
    [entry] = journal(home)
    assert entry["code"] == "remote-unreachable"
    configure(undo, push="turn", min_interval_seconds=0)
    send_here(project)
    assert sent_to(undo) == ids


def test_what_the_remote_does_not_take_is_offered_once_a_turn_and_a_secret_never(
    checkpoints: Checkpoints,
    project: Path,
    undo: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    refuse(undo, "not today")
    turn(checkpoints, project, "one")
    (project / "key.txt").write_text(KEY, encoding="utf-8")
    id_ = turn(checkpoints, project, "two")
    configure(undo, push="turn", min_interval_seconds=0)
    send_here(project)
    assert sent_to(undo) == set()
    [entry] = journal(home)
    assert entry["outcome"] == "partial"
    assert entry["message"].startswith(f"to {undo}: 1 waiting, 1 refused ({id_[:8]} for key.txt: ")


def test_a_base_that_cannot_send_has_it_in_its_journal(
    checkpoints: Checkpoints,
    project: Path,
    home: Path,
    configure: Configure,
    send_here: SendHere,
) -> None:
    turn(checkpoints, project, "one")
    configure(home / "checkpoints/store", push="turn")
    send_here(project)
    [entry] = journal(home)
    assert (entry["outcome"], entry["code"]) == ("failed", "remote-off")
    assert "the remote would be the base itself" in entry["message"]


def test_a_base_that_is_gone_meanwhile_is_not_made_again(home: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    words = [str(tmp_path / "gone"), str(tmp_path / "gone/checkpoints"), ""]
    command = [sys.executable, "-P", "-m", send_unsent.__name__, *words]
    subprocess.run(command, check=True)
    assert list((tmp_path / "gone").iterdir()) == []


@pytest.mark.slow
def test_a_base_of_another_name_has_the_configuration_beside_it(
    tmp_path: Path, project: Path, undo: Path
) -> None:
    base = tmp_path / "elsewhere" / "-odd name\udcff"
    base.parent.mkdir()
    section = {"checkpoints": {"remote": {"url": str(undo), "push": "turn"}}}
    (base.parent / "config.yaml").write_text(json.dumps(section), encoding="utf-8")
    with Checkpoints.open(base=base) as checkpoints:
        id_ = turn(checkpoints, project, "one")
        assert wait_for_detached() == 1
    assert sent_to(undo) == {id_}

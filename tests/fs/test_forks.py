"""A process forks while its threads take: the child goes on, and holds nothing of its parent's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def run(code: str, *arguments: object) -> str:
    """Run a piece of Python with threads of its own; return what it printed."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    ended = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


BESIDE_TAKES = """
import os, signal, sys, threading
from pathlib import Path
from hermes_checkpoints import Checkpoints, Taken
home, projects = Path(sys.argv[1]), [Path(sys.argv[2], str(n)) for n in range(4)]
done, forked = [], threading.Event()

def take(project, number):
    (project / "a").write_text(f"{os.getpid()} {number}")
    outcome = checkpoints.project(project).take()
    return isinstance(outcome, Taken) or print(outcome, file=sys.stderr) or False

def work(project):
    number = 0
    while not forked.is_set():
        done.append(take(project, number))
        number += 1

for project in projects:
    project.mkdir(parents=True)
with Checkpoints.open(home) as checkpoints:
    threads = [threading.Thread(target=work, args=(project,)) for project in projects[:3]]
    for thread in threads:
        thread.start()
    ended = []
    for number in range(12):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if take(projects[3], number) else 1)
        ended.append(os.waitpid(child, 0)[1])
    forked.set()
    for thread in threads:
        thread.join()
print(all(done) and len(done) > 3, set(ended))
"""


@pytest.mark.slow
def test_children_forked_while_threads_take_can_take_as_well(home: Path, tmp_path: Path) -> None:
    """From the very first takes of a new base on, which make its store."""
    assert run(BESIDE_TAKES, home, tmp_path / "projects") == "True {0}\n"


LIVES_ON = """
import os, sys, threading
from pathlib import Path
from hermes_checkpoints import LockLost
from hermes_checkpoints.fs.locks import exclusive, holders, shared
lock = Path(sys.argv[1])
held, forked = threading.Event(), threading.Event()

def hold():
    with exclusive(lock, purpose="a test"):
        held.set()
        forked.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
lives, end = os.pipe()
child = os.fork()
if child == 0:
    os.close(end)
    os.read(lives, 1)  # lives on
    os._exit(0)
assert [one.pid for one in holders(lock)] == [os.getpid()], holders(lock)
forked.set()
thread.join()
with exclusive(lock, purpose="again", timeout=0):
    # The thread that holds it forks, and the child leaves the block: the parent has it still.
    second = os.fork()
    if second == 0:
        sys.exit(0)
    assert os.waitpid(second, 0)[1] == 0
    assert [one.pid for one in holders(lock)] == [os.getpid()]
    assert lock.with_name(lock.name + ".holder").exists()
with exclusive(lock, purpose="the parent's", timeout=0) as parents:
    third = os.fork()
    if third == 0:
        try:
            parents.require()
        except LockLost as lost:
            print(lost, flush=True)
        os._exit(0)
    os.waitpid(third, 0)
os.close(end)
os.waitpid(child, 0)
"""


def test_a_child_that_lives_on_holds_no_lock_of_its_parent(home: Path) -> None:
    Checkpoints.open(home).close()
    lock = Layout.of(home).store_lock
    assert "is held by the process that this one was forked from" in run(LIVES_ON, lock)
    with exclusive(lock, purpose="it is free", timeout=0):
        pass


KEEPS_PIPES = """
import os, sys, threading, time
from pathlib import Path
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.git import Git
reading, forked = threading.Event(), threading.Event()
took = []

def read():
    git = Git(Path(sys.argv[1]), timeout=20.0)
    with git.blobs():
        reading.set()
        forked.wait()
        began = time.monotonic()
    took.append(time.monotonic() - began)

thread = threading.Thread(target=read)
thread.start()
reading.wait()
lives, end = os.pipe()
child = os.fork()
if child == 0:
    os.close(end)
    os.read(lives, 1)
    os._exit(0)
forked.set()
thread.join()
os.close(end)
os.waitpid(child, 0)
print(took[0] < 10)
"""


def test_a_git_of_the_parent_ends_with_its_input_though_a_child_lives_on(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    assert run(KEEPS_PIPES, home / "checkpoints" / "store") == "True\n"


STARTS_ANOTHER = """
import os, sys, subprocess, threading
from pathlib import Path
from hermes_checkpoints.fs import system
starting, forked, real = threading.Event(), threading.Event(), os.pipe
lives, end = os.pipe()

def pipe():
    # The pipe by which Python hears of a failed start; whoever has it open keeps the start up.
    made = real()
    starting.set()
    forked.wait(1)
    return made

def start():
    system.start_detached([sys.executable, "-c", ""], Path(sys.argv[1]))

subprocess.os.pipe = pipe
thread = threading.Thread(target=start)
thread.start()
starting.wait()
child = os.fork()
if child == 0:
    os.close(end)
    os.read(lives, 1)
    os._exit(0)
forked.set()
thread.join(20)
print(thread.is_alive())
os.close(end)
os.waitpid(child, 0)
"""


def test_a_process_that_is_started_beside_a_fork_is_not_kept_waiting(tmp_path: Path) -> None:
    assert run(STARTS_ANOTHER, tmp_path) == "False\n"


BESIDE_IMPORTS = """
import os, signal, sys, threading
from pathlib import Path
from hermes_checkpoints.agent.maintenance import store_status
importing, forked = threading.Event(), threading.Event()

class Held:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            importing.set()
            forked.wait(1)

sys.meta_path.insert(0, Held())
thread = threading.Thread(target=store_status)
thread.start()
importing.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if store_status()["project_count"] == 1 else 1)
forked.set()
thread.join()
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "module",
    [
        "hermes_checkpoints.checkpoints",
        "hermes_checkpoints.base.presence",
        "hermes_checkpoints.catalog.status",
    ],
)
def test_a_child_can_import_what_a_thread_was_importing(
    home: Path, project: Path, module: str
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    assert run(BESIDE_IMPORTS, module) == "0\n"

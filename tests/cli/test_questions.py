"""Questions: a verb that asks takes its answer from standard input, and only yes is a yes.

Version 2 read the answer wherever it came from, so that ``echo y | hermes checkpoints clear``
cleared; the end of the input and Ctrl-C were a no, which it said: ``Aborted.``, exit code 1.
"""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Sessions
from hermes_checkpoints.cli import asking, main
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.help import VERBS
from interpreters import PROGRAM, on_a_terminal
from interpreters import start as in_a_process
from remote.servers import bare, git, refs_of
from support import Run, everything

ASKING: dict[str, tuple[str, ...]] = {
    "restore": ("1",),
    "undo": (),
    "redo": (),
    "prune": ("--max-snapshots", "1"),
    "drop": ("1",),
    "forget": ("README.md",),
    "sessions delete": ("s",),
    "sessions gc": ("--max-age-days", "0"),
    "clear": (),
    "clear-legacy": (),
    "doctor": ("--repair",),
    "hook install": ("claude",),
    "remote prune": (),
}
"""Every verb that asks, with words that make it ask in ``asked``."""

State = Callable[[], object]


@pytest.fixture
def asked(run: Run, taken: Path, home: Path, request: pytest.FixtureRequest) -> State:
    """Give every verb something to ask about; return what a verb may change."""
    (taken / "README.md").write_text("later\n", encoding="utf-8")
    run("take")
    if request.node.callspec.params["verb"] in {"undo", "redo"}:
        run("restore", "2", "-f")
    if request.node.callspec.params["verb"] == "redo":
        run("undo", "-f")
    if request.node.callspec.params["verb"] not in {"undo", "redo"}:  # they keep what came after
        (taken / "README.md").write_text("broken\n", encoding="utf-8")
    (home / "checkpoints" / "legacy-1").mkdir()
    left = home / "checkpoints" / "store" / "hooks" / "post-checkout"
    if request.node.callspec.params["verb"] == "doctor":
        left.parent.mkdir()
        left.write_text("of somebody else")
    with Sessions.open(home) as sessions:
        sessions.write("s", {"task": "a"})
    undo = home.parent / "undo.git"
    if request.node.callspec.params["verb"] == "remote prune":
        sent_long_ago(run, home, undo)

    def state() -> object:
        base = home / "checkpoints"
        if not base.exists():
            return None
        with Checkpoints.open(home) as checkpoints:
            listed = [one.id for one in checkpoints.list_all()]
            kept = str(checkpoints.sessions.list())
        archives, agents = sorted(base.glob("legacy-*")), sorted(Path.home().glob(".claude/*"))
        there = refs_of(undo) if undo.exists() else None
        return everything(taken), listed, kept, archives, agents, left.exists(), there

    return state


def sent_long_ago(run: Run, home: Path, undo: Path) -> None:
    """Send the checkpoints of a home, and let the remote have one that this base does not know, of
    2020 by its name."""
    bare(undo)
    (home / "config.yaml").write_text(f"checkpoints: {{remote: {{url: {undo}}}}}", encoding="utf-8")
    run("push")
    refs = refs_of(undo)
    [place] = {name.rpartition("/")[0] for name in refs if "-cursor/" not in name}
    [cursor] = [name for name in refs if "-cursor/" in name]
    git("update-ref", f"{place}/20200101T000000000000Z-0a1b2c3d", refs[cursor], at=undo)


def test_these_are_the_verbs_that_ask() -> None:
    by_no = {verb for verb, help_ in VERBS.items() if Exit.NO in help_.exits}
    assert ASKING.keys() == by_no - {"status"}  # which says so by itself that not all is fine


ANYWHERE = [verb for verb in ASKING if verb != "prune"]
"""Every verb that asks without a terminal, too."""


@pytest.mark.campaign(beyond=3)
@pytest.mark.slow
@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("Yes", 0), ("n\n", 1), ("\n", 1)])
@pytest.mark.parametrize("verb", ANYWHERE)
def test_the_answer_may_come_through_a_pipe(asked: State, verb: str, typed: str, code: int) -> None:
    before = asked()
    process = in_a_process(PROGRAM, *verb.split(), *ASKING[verb])
    process.stdin.write(typed)
    ended = process.finish()
    assert (ended.returncode, ended.stderr) == (code, "")
    assert "[y/N]: " in ended.stdout
    assert ended.stdout.endswith("Aborted.\n") == (code == 1)
    assert (asked() == before) == (code == 1)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("verb", ASKING)
def test_no_answer_and_an_interrupt_are_a_no(asked: State, verb: str) -> None:
    before = asked()
    if verb in ANYWHERE:
        ended = in_a_process(PROGRAM, *verb.split(), *ASKING[verb]).finish()
        assert ended.returncode == 1
        assert ended.stdout.endswith("[y/N]: \nAborted.\n")
        assert ended.stderr.endswith(": nobody answered; use -f to go on without being asked\n")
    code, written = on_a_terminal(*verb.split(), *ASKING[verb], prompt=b"[y/N]", typed=b"\x03")
    assert (code, written.endswith(b"\r\nAborted.\r\n")) == (1, True)
    assert asked() == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("verb", ["clear", "restore"])
def test_without_a_standard_input_it_is_refused(
    asked: State, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = asked()
    for stream, code in ((None, 2), (io.StringIO(), 1)):
        monkeypatch.setattr(sys, "stdin", stream)
        assert main([verb, *ASKING[verb]]) == code
    assert asked() == before


@pytest.mark.parametrize("verb", ["restore"])
def test_without_a_standard_output_nobody_sees_the_question(
    asked: State, verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = asked()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert main([verb, *ASKING[verb]]) == 2
    said = "hermes checkpoints: there is nobody to ask; use -f to go on without being asked\n"
    assert capsys.readouterr().err == said
    assert asked() == before


@pytest.mark.skipif(not hasattr(signal, "SIGCONT"), reason="no job control")
def test_a_question_is_shown_again_where_the_process_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    master, slave = pty.openpty()
    seen = b""

    def shown(times: int) -> bool:
        """Read until the question is on the screen so often, or nothing comes for a second."""
        nonlocal seen
        while seen.count(b"[y/N]: ") < times:
            if not select.select([master], [], [], 1)[0]:
                return False
            seen += os.read(master, 1024)
        return True

    def answer() -> None:
        while not shown(times=1):
            pass
        os.kill(os.getpid(), signal.SIGCONT)
        while not shown(times=2):  # the signal may come a moment before the question waits
            os.kill(os.getpid(), signal.SIGCONT)
        os.write(master, b"y\n")

    person = threading.Thread(target=answer)
    before = signal.getsignal(signal.SIGCONT)
    with open(slave, encoding="utf-8", closefd=False) as keys, open(slave, "w") as screen:
        monkeypatch.setattr(sys, "stdin", keys)
        monkeypatch.setattr(sys, "stdout", screen)
        person.start()
        assert asking.confirm("Go on?")
        person.join()
    os.close(master)
    assert seen.count(b"Go on? [y/N]: ") >= 2
    assert signal.getsignal(signal.SIGCONT) == before

"""The real loop of hermes-agent, from the package index, on this package, with a scripted model: in
each of its programs every tool that may change files has its checkpoint, and what was taken is
listed, compared, brought back and brought back again; the catalog is looked at after each.

Takes an environment of its own and, to install it, the network. HERMES_AGENT_ENV names one that
has both packages already.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest

from agent.real.environment import Environment
from agent.real.model import Calls, Model, Step, call
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.model import Actor, Checkpoint

pytestmark = pytest.mark.agent

DRIVER = Path(__file__).with_name("drive.py")

CONFIG = """\
model: {{provider: custom, default: scripted, base_url: "{url}", api_key: none}}
checkpoints: {{enabled: {enabled}}}
plugins: {{enabled: [hermes-checkpoints]}}
delegation: {{max_spawn_depth: 2}}
"""

PATCH = """\
*** Begin Patch
*** Update File: b.txt
@@
-one
+two
*** Add File: made/new.txt
+new
*** Delete File: c.txt
*** End Patch"""

CODE = """\
from hermes_tools import write_file
open("by-code.txt", "w").write("x")
write_file("by-rpc.txt", "y")"""


@dataclass
class Real:
    """The agent's programs in a process of their own, their home, and their model."""

    environment: Environment
    folder: Path
    model: Model
    driver: subprocess.Popen[str]
    env: dict[str, str]
    answers: IO[str] = field(repr=False)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def switch(self, *, on: bool) -> None:
        configure(self.home, self.model, enabled=on)

    def begin(self, do: str, *args: object, **told: object) -> None:
        """Tell the driver to do something, and do not wait for it."""
        assert self.driver.stdin is not None
        self.driver.stdin.write(json.dumps({"do": do, "args": args, **told}, default=str) + "\n")
        self.driver.stdin.flush()

    def end(self) -> Any:
        """Return what the driver answers to what it was told."""
        line = self.answers.readline()
        answer = json.loads(line) if line else {"failed": "the driver is gone"}
        assert "failed" not in answer, (self.folder / "driver.log").read_text()[-3000:]
        return answer

    def __call__(self, do: str, *args: object, **told: object) -> Any:
        self.begin(do, *args, **told)
        return self.end()

    def plays(self, name: str, *steps: Step) -> str:
        """Let the model have a script; return the request that is answered by it."""
        self.model.scripts[name] = steps
        return f"Please do <<{name}>>"

    def project(self, name: str) -> Path:
        directory = self.folder / name
        directory.mkdir()
        for file in ("a.txt", "b.txt", "c.txt"):
            (directory / file).write_text("one\n")
        return directory

    @contextmanager
    def checkpoints(self) -> Iterator[Checkpoints]:
        with Checkpoints.open(self.home) as found:
            yield found

    def taken(self, directory: Path) -> list[Checkpoint]:
        """The checkpoints of a project, oldest first, without those that restores took."""
        with self.checkpoints() as checkpoints:
            return checkpoints.project(directory).list()[::-1]

    def whose(self, directory: Path, *paths: str) -> list[tuple[str, str | None]]:
        with self.checkpoints() as checkpoints:
            who = checkpoints.project(directory).who
            return [(who(path)[0].actor.value, who(path)[0].tool) for path in paths]

    def look_at_the_catalog(self, directory: Path, session: str | None, turns: int) -> None:
        """The turns of a project are over, each of one session, and nothing is left of what tools
        told; nothing failed, and nothing is broken."""
        with closing(sqlite3.connect(self.home / "checkpoints/catalog.db")) as catalog:
            rows = catalog.execute(
                "SELECT session_id, ended_by FROM turns JOIN projects ON projects.id = project_id "
                "WHERE workdir = ? AND actor = 'agent'",
                [str(directory)],
            ).fetchall()
            left = catalog.execute("SELECT count(*) FROM tool_runs WHERE ended_ns IS NULL")
            assert left.fetchone() == (0,)
            waiting = catalog.execute("SELECT count(*) FROM agent_writes WHERE turn_id IS NOT NULL")
            assert waiting.fetchone() == (0,)
        assert [ended for _, ended in rows] == ["host"] * turns
        if session is not None:
            assert {name for name, _ in rows} == {session}
        with self.checkpoints() as checkpoints:
            assert checkpoints.status().failures == ()


def configure(home: Path, model: Model, *, enabled: bool = True) -> None:
    text = CONFIG.format(url=model.url, enabled=str(enabled).lower())
    (home / "config.yaml").write_text(text)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    folder = tmp_path_factory.mktemp("real").resolve()
    environment = Environment.prepare(tmp_path_factory.getbasetemp())
    (folder / "home").mkdir()
    (folder / "user").mkdir()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TERMINAL_")},
        "HERMES_HOME": str(folder / "home"),
        "HOME": str(folder / "user"),
        "HERMES_YOLO_MODE": "1",  # nobody is asked whether a command may run
        "GATEWAY_ALLOW_ALL_USERS": "true",
        "NO_COLOR": "1",
    }
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with Model().serving() as model, (folder / "driver.log").open("w") as log:
        configure(folder / "home", model)
        driver = subprocess.Popen(
            [environment.program("python"), str(DRIVER)],
            cwd=folder, env=env, text=True, stderr=log,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert driver.stdout is not None
        try:
            yield Real(environment, folder, model, driver, env, driver.stdout)
        finally:
            driver.kill()
            driver.communicate()


def test_a_single_request_is_protected(real: Real) -> None:
    here = real.project("oneshot")
    ask = real.plays(
        "oneshot",
        call("patch", mode="patch", patch=PATCH),
        call("terminal", command="echo x > by-shell.txt", workdir=str(here)),
        "It is done.",
    )
    done = real.environment.run("hermes", "-z", ask, cwd=here, check=False, **real.env)
    assert done.stdout == "It is done.\n", done.stderr
    (one,) = real.taken(here)
    assert one.session_id is not None
    assert one.turn_title == ask
    real.look_at_the_catalog(here, one.session_id, 1)
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert sorted(p.name for p in here.iterdir()) == ["a.txt", "b.txt", "c.txt"]


def test_every_tool_of_a_turn_has_its_checkpoint_and_comes_back(real: Real) -> None:
    plugin = real("plugin")
    assert plugin["enabled"], plugin
    assert plugin["module"].endswith("hermes_checkpoints/compat/checkpoint_manager.py")
    here = real.project("tools")
    ask = real.plays(
        "tools",
        call("write_file", path="a.txt", content="two\n"),
        call("patch", mode="replace", path="a.txt", old_string="two", new_string="three"),
        call("patch", mode="patch", patch=PATCH),
        call("terminal", command="echo x > by-shell.txt"),
        call("execute_code", code=CODE),
        "All is done.",
    )
    answer = real("cli", here, ask)
    assert answer["said"] == "All is done."
    (one,) = real.taken(here)
    assert (one.session_id, one.turn, one.message_count) == (answer["session"], 1, 1)
    assert (one.reason, one.turn_title) == ("before write_file", ask)
    assert real.whose(here, "a.txt", "b.txt", "c.txt", "made/new.txt", "by-shell.txt") == [
        *[("agent", "patch")] * 4,
        ("agent", None),
    ]
    assert real.whose(here, "by-code.txt", "by-rpc.txt") == [
        ("agent", None),
        ("agent", "write_file"),
    ]
    real.look_at_the_catalog(here, answer["session"], 1)

    (here / "mine.txt").write_text("mine\n")
    assert one.short_id in real("rollback", here, "/rollback")["said"]
    assert "-one" in real("rollback", here, "/rollback diff 1")["said"]
    assert "✅ Restored b.txt" in real("rollback", here, "/rollback 1 b.txt")["said"]
    assert (here / "b.txt").read_text() == "one\n"
    assert (here / "a.txt").read_text() == "three\n"
    plan = real("checkpoint", here, "1 plan")["said"]
    assert "mine.txt" in plan
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert sorted(p.name for p in here.iterdir()) == ["a.txt", "b.txt", "c.txt", "mine.txt"]
    assert {(here / n).read_text() for n in ("a.txt", "b.txt", "c.txt")} == {"one\n"}
    assert "✅ Undone" in real("checkpoint", here, "undo")["said"]
    assert (here / "a.txt").read_text() == "three\n"
    assert (here / "made/new.txt").read_text() == "new"
    real.look_at_the_catalog(here, answer["session"], 1)


def test_numbers_of_checkpoint_are_those_of_the_list_last_shown(real: Real) -> None:
    here = real.project("numbers")
    for number in ("two", "three"):
        step = call("write_file", path="a.txt", content=f"{number}\n")
        real("cli", here, real.plays(f"numbers-{number}", step))
    shown = re.findall(r"^ +(\d)\. (\w+)", real("checkpoint", here, "")["said"], re.MULTILINE)
    step = call("write_file", path="a.txt", content="four\n")
    answer = real("cli", here, real.plays("numbers-four", step))
    for _ in range(2):
        assert shown[0][1] in real("checkpoint", here, "1")["said"]
        assert (here / "a.txt").read_text() == "two\n"
    again = re.findall(r"^ +(\d)\. (\w+)", real("checkpoint", here, "")["said"], re.MULTILINE)
    assert [one for _, one in again[1:]] == [one for _, one in shown]
    real.look_at_the_catalog(here, answer["session"], 3)


def test_from_a_subdirectory_the_agents_own_rollback_finds_the_project(real: Real) -> None:
    here = real.project("above")
    sub = here / "src" / "deep"
    sub.mkdir(parents=True)
    (sub / "d.txt").write_text("one\n")
    (here / ".git").mkdir()
    ask = real.plays(
        "below",
        call("write_file", path="d.txt", content="two\n"),
        call("terminal", command="echo two > ../../a.txt && cd .. && echo two > moved.txt"),
        call("write_file", path="after-cd.txt", content="two\n"),
        call("patch", mode="replace", path="../b.txt", old_string="one", new_string="two"),
    )
    answer = real("cli", sub, ask)
    assert (here / "src/after-cd.txt").exists(), "the terminal has changed directory"
    (one,) = real.taken(here)
    assert (here / "b.txt").read_text() == "two\n"
    assert real.whose(here, "src/deep/d.txt", "b.txt") == [
        ("agent", "write_file"),
        ("agent", "patch"),
    ]
    real.look_at_the_catalog(here, answer["session"], 1)
    assert one.short_id in real("rollback", sub, "/rollback")["said"]
    assert "after-cd.txt" in real("rollback", sub, "/rollback diff 1")["said"]
    assert "✅ Restored d.txt" in real("rollback", sub, "/rollback 1 d.txt")["said"]
    assert (sub / "d.txt").read_text() == "one\n"
    assert (here / "a.txt").read_text() == "two\n"
    assert "✅ Restored" in real("rollback", sub, f"/rollback {one.short_id}")["said"]
    assert (here / "a.txt").read_text() == (here / "b.txt").read_text() == "one\n"
    (here / "a.txt").write_text("two\n")
    (said,) = real("gateway", sub, ("below", f"/rollback {one.short_id}"))["said"]
    assert "✅" in said
    assert (here / "a.txt").read_text() == "one\n"


def test_what_subagents_do_is_of_the_turn_of_their_session(real: Real) -> None:
    here = real.project("subagents")
    answered, led = threading.Event(), threading.Event()

    def late() -> Calls:
        """A write that comes after the user has got an answer and, while no tool ran, edited a
        file."""
        assert answered.wait(30)
        assert led.wait(30)
        (here / "c.txt").write_text("mine\n")
        return call("write_file", path="late.txt", content="by a subagent\n")

    def leads_no_more() -> str:
        led.set()
        return "The other one is done."

    real.plays("late", late, "late is done")
    real.plays("nested", call("write_file", path="nested.txt", content="by a subagent\n"))
    real.plays(
        "leads",
        call("delegate_task", goal="do <<nested>>"),
        call("terminal", command="echo by a subagent > a.txt"),
        leads_no_more,
    )
    ask = real.plays(
        "delegates",
        call(
            "delegate_task",
            tasks=[{"goal": "do <<late>>"}, {"goal": "do <<leads>>", "role": "orchestrator"}],
        ),
        call("write_file", path="b.txt", content="by the parent\n"),
        "They work.",
    )
    answer = real("cli", here, ask)
    assert answer["said"] == "They work."
    answered.set()
    real("rest", here)  # until the subagents are done
    assert sorted(p.name for p in here.glob("*.txt")) == [
        *("a.txt", "b.txt", "c.txt", "late.txt", "nested.txt")
    ]
    (one,) = real.taken(here)
    assert one.session_id == answer["session"]
    assert real.whose(here, "late.txt", "nested.txt", "b.txt", "a.txt", "c.txt") == [
        *[("agent", "write_file")] * 3,
        ("agent", None),
        (Actor.PERSON.value, None),
    ]
    real.look_at_the_catalog(here, answer["session"], 1)
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert {p.name: p.read_text() for p in here.glob("*.txt")} == {
        "a.txt": "one\n",
        "b.txt": "one\n",
        "c.txt": "mine\n",
    }


def test_chats_of_the_gateway_at_once_in_one_directory(real: Real) -> None:
    here = real.project("gateway")
    met = threading.Barrier(2, timeout=30)

    def write(file: str, *, wait: bool = False) -> Step:
        def answer() -> Calls:
            if wait:
                met.wait()
            return call("write_file", path=file, content="by the agent\n")

        return answer

    first = real.plays("chat-a", write("a.txt"), write("a2.txt", wait=True), "Done.")
    second = real.plays("chat-b", write("b.txt", wait=True), write("b2.txt"), "Done.")
    said = real("gateway", here, ("one", first), ("two", second))["said"]
    assert said == ["Done.", "Done."]
    taken = real.taken(here)
    assert [one.turn_title for one in taken] == [first, second]
    assert len({one.session_id for one in taken}) == 2
    real.look_at_the_catalog(here, None, 2)
    (said,) = real("gateway", here, ("one", "/checkpoint 2"))["said"]
    assert "✅ Restored" in said
    assert (here / "a.txt").read_text() == "one\n"
    assert not (here / "a2.txt").exists()
    assert (here / "b.txt").read_text() == (here / "b2.txt").read_text() == "by the agent\n"
    (said,) = real("gateway", here, ("two", "/checkpoint undo"))["said"]
    assert "✅ Undone" in said
    assert (here / "a2.txt").exists()


def test_a_session_of_an_editor_works_in_its_own_directory(real: Real) -> None:
    here, elsewhere = real.project("editor"), real.project("elsewhere")
    ask = real.plays(
        "editor",
        call("write_file", path="made/first.txt", content="x\n"),
        call("terminal", command="rm a.txt && cd made && echo x > shell.txt"),
        call("write_file", path="second.txt", content="x\n"),
        call("execute_code", code="open('third.txt', 'w').write('x')"),
        "Done.",
    )
    real("rest", elsewhere)  # where the process stands
    answer = real("editor", here, ask)
    assert sorted(p.name for p in (here / "made").iterdir()) == [
        *("first.txt", "second.txt", "shell.txt", "third.txt")
    ]
    (one,) = real.taken(here)
    assert one.session_id == answer["session"]
    real.look_at_the_catalog(here, answer["session"], 1)
    assert real.taken(elsewhere) == []
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert sorted(p.name for p in here.iterdir()) == ["a.txt", "b.txt", "c.txt"]


def test_a_job_of_the_timer_is_protected(real: Real) -> None:
    here = real.project("timer")
    ask = real.plays("timer", call("terminal", command="rm *.txt"), "Done.")
    assert real("timer", here, ask)["ok"]
    assert not list(here.iterdir())
    (one,) = real.taken(here)
    real.look_at_the_catalog(here, one.session_id, 1)
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert len(list(here.iterdir())) == 3


def test_the_configuration_counts_when_the_tool_runs(real: Real) -> None:
    here = real.project("switched")
    steps = (call("write_file", path="a.txt", content="two\n"), "Done.")
    real.switch(on=False)
    real("gateway", here, ("switched", real.plays("switched", *steps)))
    assert (here / "a.txt").read_text() == "two\n"
    assert real.taken(here) == []
    (said,) = real("gateway", here, ("switched", "/checkpoint"))["said"]
    assert said.startswith("Checkpoints are not enabled.")

    def on() -> Calls:
        real.switch(on=True)
        return call("write_file", path="a.txt", content="three\n")

    real("gateway", here, ("switched", real.plays("switched-on", on, "Done.")))
    (one,) = real.taken(here)
    real.look_at_the_catalog(here, one.session_id, 1)


def test_a_turn_that_is_stopped_is_over(real: Real) -> None:
    here = real.project("stopped")
    pipe, never = real.folder / "pipe", real.folder / "never"
    os.mkfifo(pipe)
    os.mkfifo(never)
    command = f"echo x > a.txt; echo go > {pipe}; cat {never}"
    answer = real(
        "cli", here, real.plays("stopped", call("terminal", command=command)), stop_at=pipe
    )
    assert answer["stopped"]
    (here / "b.txt").write_text("mine\n")
    real.look_at_the_catalog(here, answer["session"], 1)
    assert "✅ Restored" in real("checkpoint", here, "1")["said"]
    assert (here / "a.txt").read_text() == "one\n"
    assert (here / "b.txt").read_text() == "mine\n"


def test_a_conversation_that_is_compressed_stays_one_session(real: Real) -> None:
    here = real.project("compressed")
    for name in ("two", "three", "four"):
        step = call("write_file", path="a.txt", content=f"{name}\n")
        first = real("cli", here, real.plays(f"compressed-{name}", step, f"It is {name}."))
    assert real("compress", here)["session"] != first["session"]
    step = call("write_file", path="a.txt", content="five\n")
    after = real("cli", here, real.plays("compressed-five", step))
    assert after["session"] != first["session"]
    assert {one.session_id for one in real.taken(here)} == {first["session"]}
    real.look_at_the_catalog(here, first["session"], 4)


def test_nothing_is_held_of_sessions_that_rest_and_all_is_well(
    real: Real, capsys: pytest.CaptureFixture[str]
) -> None:
    held = real("held")
    assert held["running"] == held["at work"] == 0
    assert main(["--home", str(real.home), "doctor"]) == 0, capsys.readouterr().out

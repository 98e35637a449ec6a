"""hermes-agent itself, installed from the package index, on this package: its tool executors, both
its /rollback handlers, its command line and its maintenance, without a model.

Takes an environment of its own and, to install it, the network. HERMES_AGENT_ENV names one that
has both packages already.
"""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

import pytest

from agent.real.environment import VERSION, Environment
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Actor, Kind, OperationKind
from pages.blocks import blocks
from pages.machine import check_call
from pages.session import HOME, Reader, compare, steps

pytestmark = pytest.mark.agent

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment.prepare(tmp_path_factory.getbasetemp())
    environment.run("hermes-checkpoints", "adopt", "--undo")
    return environment


@pytest.fixture
def agents_home(fresh_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a configuration that has comments and another plugin."""
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text(
        "# mine\ncheckpoints:\n  enabled: true  # yes\n  auto_prune: true\n"
        "plugins:\n  enabled:\n    - other  # theirs\n",
        encoding="utf-8",
    )
    return fresh_home


def test_the_agent_runs_on_the_catalog_and_goes_back(
    environment: Environment, agents_home: Path, project: Path
) -> None:
    config = (agents_home / "config.yaml").read_text()
    untouched = environment.files_of_the_agent()
    assert len(untouched) > 500
    status = environment.run("hermes", "checkpoints", "status").stdout
    assert re.search(r"^Projects: +0$", status, re.MULTILINE)
    assert "Last successful take" not in status

    adopted = environment.run("hermes-checkpoints", "adopt").stdout
    install, adopt = steps(blocks("docs/agent.md", "console"))
    check_call(install.command.split(), set())
    compare(adopt, adopted.splitlines(), Reader(HOME), Reader(str(agents_home.parent)))
    assert environment.run("hermes", "checkpoints", "adopt").stdout.startswith(
        f"hermes-agent {VERSION} uses this package"
    )
    changed = (agents_home / "config.yaml").read_text()
    assert changed == f"{config}    - hermes-checkpoints\n"

    _work(environment, project)
    _look_after_the_store(environment, agents_home, project)

    assert environment.files_of_the_agent() == untouched
    undone = environment.run("hermes", "checkpoints", "adopt", "--undo").stdout
    assert undone.startswith("The agent uses its own checkpoint modules again")
    assert (agents_home / "config.yaml").read_text() == config
    assert "Last successful take" not in environment.run("hermes", "checkpoints", "status").stdout
    assert environment.files_of_the_agent() == untouched
    with Checkpoints.open() as checkpoints:
        assert checkpoints.project(project).list(), "the checkpoints stay"


def _work(environment: Environment, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    (project / "change.sh").write_text("echo changed > README.md\n")
    seen = environment.drive(HERE / "drive_agent.py", project)
    assert seen["plugin"]["enabled"], seen["plugin"]
    assert seen["module"].endswith("hermes_checkpoints/compat/checkpoint_manager.py")
    assert not seen["led"], (
        "this script is none of the agent's programs: the plugin alone serves it"
    )
    assert seen["base"] == str(Path(os.environ["HERMES_HOME"]) / "checkpoints")
    assert seen["excludes"] > 10

    answers = seen["answers"]
    lines = answers["/rollback"].splitlines()
    assert lines[0] == f"📸 Checkpoints for {project}:"
    assert [re.sub(r"^ +\d\. \w+ +\S+ \S+  ", "", line) for line in lines[2:5]] == [
        "before terminal: sh ./change.sh  (2 files, +1/-1)",
        "before terminal: rm a.txt; echo x > b.txt  (1 file, +1/-1)",
        "before write_file",
    ]
    assert "-one" in answers["/rollback diff 3"]
    assert "❌" in answers["/rollback zz"]
    assert "✅ Restored a.txt from checkpoint" in answers["/rollback 2 a.txt"]
    assert "✅ Restored to checkpoint" in answers["/rollback 4"]
    assert "Chat turn undone to match restored file state." in answers["/rollback 4"]
    assert seen["messages"][1] < seen["messages"][0]
    assert seen["a.txt"] == "one\n"
    assert seen["undo"].startswith("✅ Undone: back at ")

    with Checkpoints.open() as checkpoints:
        taken = checkpoints.project(project).list()[::-1]
        assert {c.kind for c in taken} == {Kind.AUTO}
        assert [(c.session_id, c.turn, c.message_count) for c in taken] == [
            ("session-1", 1, 1),
            ("session-1", 2, 5),
            ("session-1", 3, 9),
        ]
        safety = [found.checkpoint for found in checkpoints.project(project).safety_checkpoints()]
        assert [c.kind for c in safety] == [Kind.SAFETY] * 3
        events = checkpoints.project(project).who("a.txt")
        assert (events[-1].actor, events[-1].tool) == (Actor.AGENT, "write_file")
        assert [e.actor for e in checkpoints.project(project).who("README.md")][-1] is Actor.AGENT
        assert checkpoints.status().failures == ()

    seen = environment.drive(HERE / "drive_gateway.py", project)
    answers = seen["answers"]
    assert answers["/rollback"].startswith(f"📸 Checkpoints for {project}:")
    assert "Use 1-" in answers["/rollback 99"]
    assert "✅ Restored to checkpoint" in answers["/rollback 1"]
    assert seen["module"].endswith("hermes_checkpoints/compat/checkpoint_manager.py")


def _look_after_the_store(environment: Environment, home: Path, project: Path) -> None:
    done = _operations(home)
    assert OperationKind.PRUNE in done, "the agent has pruned at its start"
    status = environment.run("hermes", "checkpoints", "status").stdout
    assert str(project)[-40:] in status
    assert "Last successful take" in status
    pruned = environment.run("hermes", "checkpoints", "prune", "-f").stdout
    assert "Pruning checkpoint store…" in pruned
    assert _operations(home).count(OperationKind.PRUNE) > done.count(OperationKind.PRUNE)
    archive = home / "checkpoints/legacy-20260101-000000"
    archive.mkdir()
    (archive / "file").write_text("x")
    assert "Deleted 1 archive(s)" in environment.run(
        "hermes", "checkpoints", "clear-legacy", "-f"
    ).stdout  # fmt: skip
    assert not archive.exists()
    wrong = environment.run("hermes", "checkpoints", "show", "zz", check=False)
    assert wrong.returncode == 2, "the agent's program ends with the code of the error"


def _operations(home: Path) -> list[str]:
    with sqlite3.connect(home / "checkpoints/catalog.db") as connection:
        rows = connection.execute("SELECT kind FROM operations WHERE outcome = 'done'").fetchall()
    connection.close()
    return [row[0] for row in rows]

"""The adoption of the real hermes-agent: what each switch serves, and what is left of it. The
environment is that of test_real_agent.py."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.real.environment import Environment
from compat.test_real_agent import agents_home, environment  # noqa: F401 - fixtures
from hermes_checkpoints import Checkpoints

pytestmark = pytest.mark.agent

HERE = Path(__file__).parent
OURS, THEIRS = "hermes_checkpoints/compat/checkpoint_manager.py", "tools/checkpoint_manager.py"


@pytest.fixture
def adopted(environment: Environment, agents_home: Path) -> Iterator[Environment]:  # noqa: F811
    """An environment in which every home is adopted; undone at the end."""
    environment.run("hermes-checkpoints", "adopt")
    yield environment
    environment.run("hermes-checkpoints", "adopt", "--undo")


def site_of(environment: Environment) -> Path:  # noqa: F811
    (site,) = environment.folder.glob("lib/python3*/site-packages")
    return site


def startup(environment: Environment) -> list[Path]:  # noqa: F811
    return sorted(site_of(environment).glob("hermes_checkpoints_adopted.*"))


def status_is_ours(environment: Environment, *words: str, **env: Any) -> bool:  # noqa: F811
    said: str = environment.run("hermes", *words, "checkpoints", "status", **env).stdout
    return "Last successful take" in said


def drive(environment: Environment, project: Path, script: str, *words: str, **env: Any) -> Any:  # noqa: F811
    done = environment.run(
        "python", str(HERE / script), *words, cwd=project, TERMINAL_CWD=str(project), **env
    )
    return json.loads(done.stdout.rstrip("\n").rpartition("\n")[2])


def test_the_agents_own_modules_work_on_the_base_and_what_they_take_is_taken_in(
    environment: Environment,  # noqa: F811
    agents_home: Path,  # noqa: F811
    project: Path,
) -> None:
    environment.run("hermes-checkpoints", "adopt")
    (project / "own.txt").write_text("ours")
    environment.run("hermes", "checkpoints", "take", "-m", "ours", cwd=project)
    safe = drive(environment, project, "drive_own.py", "1", HERMES_SAFE_MODE="1")
    assert (safe["listed"], safe["own.txt"]) == (["own 1"], "1")

    environment.run("hermes-checkpoints", "adopt", "--undo")
    own = drive(environment, project, "drive_own.py", "2", "3")
    assert own["module"].endswith(THEIRS)
    assert own["taken"] == [True, True]
    assert own["listed"][:2] == ["own 3", "own 2"]
    assert (own["restored"], own["own.txt"]) == (True, "1")
    said = environment.run("hermes", "checkpoints", "status").stdout
    assert "Projects:        1" in said and "Last successful take" not in said
    assert "Errors:          0" in environment.run("hermes", "checkpoints", "prune").stdout

    said = environment.run("hermes-checkpoints", "adopt").stdout
    assert "  taken in: " in said
    with Checkpoints.open() as checkpoints:
        listed = checkpoints.project(project).list()
        assert {"ours", "own 1", "own 2", "own 3"} <= {one.reason for one in listed}
        assert checkpoints.status().notes == ()
    assert "No fault" in environment.run("hermes", "checkpoints", "doctor").stdout
    found = environment.run("hermes", "checkpoints", "log", "--json", cwd=project).stdout
    ours = next(c["id"] for c in json.loads(found)["checkpoints"] if c["reason"] == "ours")
    environment.run("hermes", "checkpoints", "restore", ours, "own.txt", "-f", cwd=project)
    assert (project / "own.txt").read_text() == "ours"
    environment.run("hermes-checkpoints", "adopt", "--undo")


def test_each_home_has_what_its_configuration_says(
    environment: Environment,  # noqa: F811
    agents_home: Path,  # noqa: F811
) -> None:
    for name in ("work", "play"):
        (agents_home / "profiles" / name).mkdir(parents=True)
    done = environment.run("hermes-checkpoints", "adopt", "--profile", "work", "--json")
    states = {one["profile"]: one["enabled"] for one in json.loads(done.stdout)["homes"]}
    assert states == {"default": False, "play": False, "work": True}
    assert status_is_ours(environment, "-p", "work")
    assert not status_is_ours(environment, "-p", "play")
    assert not status_is_ours(environment)
    assert not status_is_ours(environment, "-p", "work", HERMES_SAFE_MODE="1")
    environment.run("hermes-checkpoints", "adopt")
    assert status_is_ours(environment, "-p", "play")
    console = subprocess.run(
        [environment.folder / "bin" / "hermes", "console"],
        input="checkpoints status\nexit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Last successful take" in console.stdout
    environment.run("hermes-checkpoints", "adopt", "--undo")
    assert startup(environment) == []
    assert not status_is_ours(environment, "-p", "work")


def test_a_trial_that_fails_takes_everything_back(
    environment: Environment,  # noqa: F811
    agents_home: Path,  # noqa: F811
) -> None:
    config = (agents_home / "config.yaml").read_bytes()
    against = site_of(environment) / "sitecustomize.py"
    against.write_text("import os; os.environ['HERMES_SAFE_MODE'] = '1'\n")
    try:
        done = environment.run("hermes-checkpoints", "adopt", check=False)
    finally:
        against.unlink()
    assert done.returncode == 2
    assert "the agent does not use this package: `hermes checkpoints status`: " in done.stderr
    assert (startup(environment), (agents_home / "config.yaml").read_bytes()) == ([], config)


def test_the_agents_program_is_brought_back_to_the_byte(
    environment: Environment,  # noqa: F811
    agents_home: Path,  # noqa: F811
) -> None:
    program = environment.folder / "bin" / "hermes"
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    program.unlink()
    done = environment.run("hermes-checkpoints", "adopt")
    assert "was not the agent's program any more" in done.stderr
    assert hashlib.sha256(program.read_bytes()).hexdigest() == digest
    environment.run("hermes-checkpoints", "adopt", "--undo")
    assert environment.run("hermes", "--version").returncode == 0


def test_after_an_uninstall_nothing_is_said_and_the_agent_has_its_own(
    adopted: Environment, project: Path
) -> None:
    package = site_of(adopted) / "hermes_checkpoints"
    away = package.rename(package.with_name("away"))
    try:
        assert adopted.run("python", "-c", "pass").stderr == ""
        done = adopted.run("hermes", "checkpoints", "status")
        assert "Last successful take" not in done.stdout
        assert "hermes_checkpoints" not in done.stderr
        assert drive(adopted, project, "drive_own.py", "1")["module"].endswith(THEIRS)
    finally:
        away.rename(package)
    assert status_is_ours(adopted)

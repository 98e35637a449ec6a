"""Who is measured: this package, the real hermes-agent 0.19.0, and bare git; each in a worker."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
AGENT = "hermes-agent==0.19.0"
OURS, V2, GIT, WALK, PYTHON = "ours", "v2", "git", "walk", "python"


class BenchmarkError(Exception):
    """A measurement is impossible, or a contestant did not do what is measured."""


@dataclass(frozen=True)
class Answer:
    """What a call returned, and what it took: milliseconds of the clock and of the processor."""

    value: Any
    milliseconds: float = 0
    processor: float = 0


class Worker:
    """A contestant in a process of its own, which has imported what it needs."""

    def __init__(self, name: str, python: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", name],
            cwd=CHECKOUT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            process_group=0,  # so that what it has started ends with it
        )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(self, call: str, **arguments: Any) -> None:
        """Let a call begin; ``answer`` waits for it."""
        assert self._process.stdin is not None  # noqa: S101 - for the types
        request = {"call": call, "with": arguments}
        self._process.stdin.write(json.dumps(request, default=str) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Answer:
        """Wait for the call that was asked for.

        Raises:
            BenchmarkError: when the contestant raised an error, or its process has ended.
        """
        assert self._process.stdout is not None  # noqa: S101 - for the types
        line = self._process.stdout.readline()
        if not line:
            raise BenchmarkError(f"the process of {self.name} has ended")
        found = json.loads(line)
        if "error" in found:
            raise BenchmarkError(f"{self.name}: {found['error']}")
        return Answer(
            found["value"], found.get("seconds", 0) * 1000, found.get("processor", 0) * 1000
        )

    def call(self, call: str, **arguments: Any) -> Answer:
        """Call and wait."""
        self.ask(call, **arguments)
        return self.answer()

    def close(self) -> None:
        """End the process, and by force what it has started and what it is still doing."""
        assert self._process.stdin is not None  # noqa: S101 - for the types
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Contestants:
    """Makes workers, and the environment that the real version 2 needs, in a folder of the run."""

    def __init__(self, folder: Path, agent: Path | None, adopted: Path | None = None) -> None:
        self._folder = folder
        self._given = agent
        self._given_adopted = adopted
        self._python: Path | None = None
        self._workers: dict[str, Worker] = {}
        self._whole = False
        (folder / "user").mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of every process that is measured: a home of the run's own."""
        user = self._folder / "user"
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "HERMES_", "PYTHON", "XDG_"))
        }
        return {
            **kept,
            "HOME": str(user),
            "HERMES_HOME": str(user / ".hermes"),
            "HERMES_CHECKPOINT_TIMEOUT": "60",  # the longest that version 2 lets git have
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONWARNINGS": "ignore",
        }

    def worker(self, name: str) -> Worker:
        """Return the worker of a contestant, which is kept for the run."""
        if name not in self._workers or not self._workers[name].is_running:
            self._workers[name] = self.start(name)
        return self._workers[name]

    def start(self, name: str, path: Path | None = None, *, load: bool = True) -> Worker:
        """Start another worker; ``path`` comes first on its PATH. It has loaded its program
        unless ``load`` is false.

        Raises:
            BenchmarkError: when what is loaded as version 2 is not the agent's own program.
        """
        environment = self.environment
        if path is not None:
            environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
        python = self.agent_python() if name == V2 else Path(sys.executable)
        worker = Worker(name, python, environment)
        if load:
            place = worker.call("load").value
            if name == V2:
                require_the_agents_own(python, Path(place))
        return worker

    def close(self) -> None:
        """End all workers that are kept."""
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

    # --- the real version 2 ------------------------------------------------------------------

    def agent_python(self, *, whole: bool = False) -> Path:
        """Return the interpreter of an environment with the agent; with all that it depends on
        where the ``whole`` of it is to be imported."""
        if self._given is not None:
            return self._given.absolute() / "bin" / "python"
        environment = self._folder / "agent"
        if self._python is None:
            tell(f"making an environment with {AGENT}")
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            self._python = environment / "bin" / "python"
            self._pip("--no-deps", AGENT, "pyyaml")  # its checkpoint manager imports no more
        if whole and not self._whole:
            tell(f"installing what {AGENT} depends on")
            self._pip(AGENT)
            self._whole = True
        return self._python

    def _pip(self, *arguments: str | Path, python: Path | None = None) -> None:
        pip = [str(python or self.agent_python()), "-m", "pip", "install", "-q", "--no-input"]
        done = subprocess.run(
            [*pip, *map(str, arguments)], check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise BenchmarkError(f"pip install {' '.join(map(str, arguments))}: {done.stderr}")

    @property
    def has_whole_agent(self) -> bool:
        """Whether the agent is there with all that it depends on."""
        return self._given is not None or self._whole

    def adopted_python(self) -> Path:
        """Return the interpreter of an environment with the agent and this package, adopted."""
        if self._given_adopted is not None:
            return self._given_adopted.absolute() / "bin" / "python"
        environment = self._folder / "adopted"
        python = environment / "bin" / "python"
        if not environment.exists():
            tell(f"making an environment with {AGENT} that adopts this package")
            source = self._folder / "source"
            source.mkdir()
            for name in ("pyproject.toml", "README.md", "LICENSE"):
                shutil.copy(CHECKOUT / name, source)
            for name in ("src", "migrations"):  # a copy: building leaves files beside its source
                shutil.copytree(CHECKOUT / name, source / name)
            agent = self.agent_python(whole=True)
            subprocess.run([agent, "-m", "venv", environment], check=True)
            self._pip(AGENT, source, python=python)
        return python

    def adopt(self, home: Path) -> None:
        """Let the agent of that environment use this package in a home.

        Raises:
            BenchmarkError: when it cannot.
        """
        home.mkdir(parents=True, exist_ok=True)
        program = self.adopted_python().parent / "hermes-checkpoints"
        environment = {**self.environment, "HERMES_HOME": str(home)}
        del environment["PYTHONPATH"]
        done = subprocess.run(
            [program, "adopt"], env=environment, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise BenchmarkError(f"{program} adopt: {done.stderr}")


def require_the_agents_own(python: Path, module: Path) -> None:
    """Refuse a module that an interpreter has loaded as the agent's checkpoint manager and that is
    not, as where this package was adopted.

    Raises:
        BenchmarkError: when it is not, with what to do.
    """
    environment = python.parent.parent.resolve()  # its interpreter may be a link to elsewhere
    name = module.parts[-2:] == ("tools", "checkpoint_manager.py")
    if not name or not module.resolve().is_relative_to(environment):
        raise BenchmarkError(
            f"{module} is not the checkpoint manager of hermes-agent: where this package is "
            "adopted in that environment, run `hermes-checkpoints adopt --undo` there"
        )


def tell(text: str) -> None:
    """Say on stderr what goes on."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def contestants(
    folder: Path, agent: Path | None, adopted: Path | None = None
) -> Iterator[Contestants]:
    """Lend the contestants of a run; their processes end with it. ``agent`` and ``adopted`` are
    environments with the agent that are there already, without and with this package."""
    made = Contestants(folder, agent, adopted)
    try:
        yield made
    finally:
        made.close()

"""An environment of Python with hermes-agent and this package, which tests of both share."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = "0.19.0"
"""The version of hermes-agent that this package is tested with."""

CHECKOUT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the agent and this package."""

    folder: Path

    @classmethod
    def prepare(cls, folder: Path) -> Environment:
        """Return the environment that HERMES_AGENT_ENV names, else one that is made in a folder,
        from the package index, and stays there."""
        given = os.environ.get("HERMES_AGENT_ENV")
        if given:
            return cls(Path(given))
        environment = cls(folder / "agent")
        if not environment.folder.exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment.folder)], check=True)
            for package in (f"hermes-agent=={VERSION}", str(CHECKOUT)):
                environment.run("python", "-m", "pip", "install", "-q", package)
        return environment

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)

    def run(
        self,
        program: str,
        *arguments: str,
        check: bool = True,
        cwd: Path | None = None,
        **env: str,
    ) -> Any:
        found = subprocess.run(
            [self.program(program), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=cwd,
            env={**os.environ, "NO_COLOR": "1", **env},
        )
        assert not check or found.returncode == 0, found.stdout + found.stderr
        return found

    def drive(self, script: Path, project: Path) -> Any:
        done = self.run("python", str(script), cwd=project, TERMINAL_CWD=str(project))
        return json.loads(done.stdout.rstrip("\n").rpartition("\n")[2])

    def files_of_the_agent(self) -> dict[str, str]:
        """The contents of every file that the agent's package installed, as digests."""
        script = (
            "import json; from importlib.metadata import files; "
            "print(json.dumps([str(f.locate()) for f in files('hermes-agent')]))"
        )
        paths = json.loads(self.run("python", "-c", script).stdout)
        return {
            path: hashlib.sha256(Path(path).read_bytes()).hexdigest()
            for path in paths
            if Path(path).is_file() and not path.endswith(".pyc")
        }

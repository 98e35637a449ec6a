"""What a row of the table works with: a folder of its own, the module that is asked, and a few
words for what people do. Runs in the agent's environment, too: the standard library only."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_DAY = 86_400
_DAYS_OF_A_CATALOG = "strftime('%Y-%m-%d %H:%M:%f', julianday(last_touch) - ?)"


class Case:
    """One story: a home, a base that is assigned to the module, and a project of two files."""

    def __init__(self, folder: Path, manager_module: Any, commands: Any) -> None:
        self.folder = folder
        self.module = manager_module
        self.commands = commands
        self.base = folder / "home" / "checkpoints"
        self.project = folder / "user" / "project"
        self.project.mkdir(parents=True)
        (folder / "user" / "neighbour").mkdir()
        self.write("main.py", "print('hello')\n")
        self.write("README.md", "# Project\n")
        manager_module.CHECKPOINT_BASE = self.base
        self.m = self.manager()
        self.ids: list[str] = []
        """The ids of the project's checkpoints, newest first, as ``take`` has seen them."""

    def manager(self, **given: Any) -> Any:
        return self.module.CheckpointManager(**{"enabled": True, "max_snapshots": 50, **given})

    # --- what is done ------------------------------------------------------------------------

    def write(self, name: str, text: str = "", *, size: int = 0) -> Path:
        """Write a file of the project; with a ``size``, so many bytes that do not compress."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size) if size else text.encode())
        return path

    def read(self, name: str) -> str | None:
        path = self.project / name
        return path.read_text() if path.exists() else None

    def take(self, reason: str = "auto", folder: Path | None = None, manager: Any = None) -> bool:
        """Begin a turn and ask for a checkpoint."""
        manager = manager or self.m
        manager.new_turn()
        done: bool = manager.ensure_checkpoint(str(folder or self.project), reason)
        self.ids = [one["hash"] for one in manager.list_checkpoints(str(self.project))]
        return done

    def other(self, name: str) -> Path:
        """Return another project, beside the first."""
        folder = self.folder / "user" / name
        folder.mkdir(exist_ok=True)
        (folder / "file").write_text(name)
        return folder

    def restore(self, *arguments: Any, **given: Any) -> Any:
        return self.m.restore(str(self.project), *arguments, **given)

    def remove(self, folder: Path | None = None) -> Case:
        shutil.rmtree(folder or self.project)
        return self

    def age(self, days: int) -> Case:
        """Let all projects be untouched for so many days, in whatever the module keeps that."""
        for facts in self.base.glob("store/projects/*.json"):
            known = json.loads(facts.read_text())
            facts.write_text(json.dumps(known | {"last_touch": time.time() - days * _DAY}))
        if (self.base / "catalog.db").exists():
            with contextlib.closing(sqlite3.connect(self.base / "catalog.db")) as catalog, catalog:
                catalog.execute(f"UPDATE projects SET last_touch = {_DAYS_OF_A_CATALOG}", [days])  # noqa: S608
        return self

    def allow(self, files: int) -> None:
        """Let a project have at most so many files."""
        self.base.parent.mkdir(parents=True, exist_ok=True)
        (self.base.parent / "config.yaml").write_text(f"checkpoints: {{max_files: {files}}}\n")
        self.module._MAX_FILES = files

    def archive(self, name: str = "legacy-20200101-000000", days: int = 0) -> Path:
        """Return an archive of an earlier layout, so many days old."""
        folder = self.base / name
        folder.mkdir(parents=True)
        (folder / "junk").write_bytes(b"x" * 5000)
        then = time.time() - days * _DAY
        os.utime(folder, (then, then))
        return folder

    # --- what is answered --------------------------------------------------------------------

    def run(self, handler: str, answer: str = "", **arguments: Any) -> dict[str, Any]:
        """Call a handler of the command line with the arguments that the agent's parser makes;
        return its code, what it printed, and the lines of standard input that it left."""
        namespace = argparse.Namespace(**arguments)
        return self._printed(lambda: getattr(self.commands, handler)(namespace), answer)

    def verb(self, *words: str) -> dict[str, Any]:
        """Run words below ``hermes checkpoints``, as ``run`` does."""
        parser = argparse.ArgumentParser()
        self.commands.register_cli(parser)
        namespace = parser.parse_args(words)
        return self._printed(lambda: namespace.func(namespace), "")

    def _printed(self, call: Callable[[], Any], answer: str) -> dict[str, Any]:
        printed, waiting = io.StringIO(), io.StringIO(f"{answer}\nstatus\n")
        stdin, sys.stdin = sys.stdin, waiting
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                code = call()
        finally:
            sys.stdin = stdin
        left = waiting.read().splitlines()
        return {"code": code, "lines": self.said(printed.getvalue()).splitlines(), "left": left}

    def said(self, text: str) -> str:
        """Return a text with ``<…>`` for what differs from run to run."""
        for path, name in ((self.project, "<project>"), (self.folder, "<folder>")):
            text = text.replace(str(path), name)
        text = re.sub(r"\b[0-9a-f]{40}\b", "<id>", text)
        text = re.sub(r"\b[0-9a-f]{7,8}\b", "<short>", text)
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "<time>", text)
        return re.sub(r"\b\d+(\.\d+)? (B|KB|MB)\b", "<size>", text)

    def error(self, answer: Mapping[str, Any]) -> list[Any]:
        """Return whether a call worked, and what its ``error`` says."""
        return [answer["success"], self.said(answer.get("error") or "")]

    def reasons(self, manager: Any = None) -> list[str]:
        found = (manager or self.m).list_checkpoints(str(self.project))
        return [self.said(one["reason"]) for one in found]


def lacks(answer: Mapping[str, Any], *keys: str) -> list[str]:
    """Return which of the keys an answer does not have; it may have others."""
    return [key for key in keys if key not in answer]


def some(answer: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return those of the keys that an answer has, with their values."""
    return {key: answer[key] for key in keys if key in answer}


@contextlib.contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set variables of the environment for a while."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

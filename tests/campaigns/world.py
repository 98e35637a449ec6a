"""The world of a campaign: a home, projects, what must not be touched, and old bases to import.

It is made once for each worker and put back for each round. The working directories themselves
stay the same directories, because the program knows a directory by its inode.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from campaigns import preload, script, trees
from campaigns.script import Answer, Step
from campaigns.trees import Tree
from campaigns.zygote import Ended, Zygote
from history.old_bases import extracted, grown

PLAIN, RESTORED, UNDONE = "plain", "restored", "undone"
WRITTEN = "written"
RESTORED_KEEPING, UNDONE_KEEPING = "keep-edits restored", "keep-edits undone"
RESTORED_OVER, UNDONE_OVER = "overlay restored", "overlay undone"
STATES: dict[str, tuple[str, tuple[Step, ...]]] = {
    RESTORED: (PLAIN, ({"do": "restore", "ref": "first", "mode": "exact"},)),
    UNDONE: (RESTORED, ({"do": "undo"},)),
    WRITTEN: (
        PLAIN,
        (
            {"do": "take", "reason": "before the turn"},
            {"do": "turn", "session": "s1", "path": "README.md", "content": "by the agent\n"},
            {"do": "turn", "session": "s1", "path": "made/new.txt", "content": "new\n"},
        ),
    ),
    RESTORED_KEEPING: (WRITTEN, ({"do": "restore", "ref": "latest", "mode": "keep-edits"},)),
    UNDONE_KEEPING: (RESTORED_KEEPING, ({"do": "undo"},)),
    RESTORED_OVER: (PLAIN, ({"do": "restore", "ref": "4", "mode": "overlay"},)),
    UNDONE_OVER: (RESTORED_OVER, ({"do": "undo"},)),
}
"""The states that a round may begin with: a present that differs from all checkpoints; what an
agent wrote since the last one; restores that can be undone; undos that can be redone. Each is made
of another one by steps."""


@dataclass
class Played:
    """What a process did: its answers by step, and how it ended."""

    ended: Ended
    answers: list[tuple[int, Answer]]
    output: str

    @property
    def last(self) -> Answer:
        return self.answers[-1][1] if self.answers else {}

    @property
    def unforeseen(self) -> str:
        """Its traceback, where it ended in a way that nobody foresaw."""
        for _, answer in self.answers:
            if answer.get("answer") == "unforeseen":
                return str(answer["text"])[-900:]
        return self.output[-600:] if self.ended.code == script.UNFORESEEN else ""


@dataclass
class World:
    """A worker's folder. ``known`` has by id the tree that each checkpoint was taken of."""

    folder: Path
    zygote: Zygote
    control: preload.Control
    known: dict[str, Tree] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)
    trees: dict[str, dict[str, Tree]] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    reports: Path = Path()
    at_close: Callable[[], None] = lambda: None

    @classmethod
    def make(cls, folder: Path, *, corpus: bool = True, reports: Path | None = None) -> World:
        """Make a world in an empty folder; without ``corpus`` it has no history. What processes
        report is written into ``reports``, by default the same folder.

        Raises:
            Unavailable: when the library cannot be compiled.
        """
        folder = folder.resolve()
        library = preload.build(folder)
        place = folder / "world"
        place.mkdir()
        control = preload.Control(folder / "control", [place])
        control.nothing()
        zygote = Zygote(folder, library, folder / "control")
        made = cls(folder, zygote, control, reports=reports or folder)
        try:
            if corpus:
                made._build()
        except BaseException:
            made.close()
            raise
        return made

    def close(self) -> None:
        self.zygote.close()
        self.at_close()

    @property
    def place(self) -> Path:
        return self.folder / "world"

    @property
    def home(self) -> Path:
        return self.place / "home"

    @property
    def alpha(self) -> Path:
        return self.place / "alpha"

    @property
    def beta(self) -> Path:
        return self.place / "beta"

    @property
    def moved(self) -> Path:
        return self.place / "moved"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    # --- playing ----------------------------------------------------------------------------------

    def job(
        self, steps: Sequence[Step], *, home: Path | None = None, name: str = "job", **more: Any
    ) -> dict[str, Any]:
        """Return what a process is told; its report is begun anew."""
        report = self.reports / f"{name}.report"
        report.write_bytes(b"")
        return {
            "home": str(home or self.home),
            "steps": list(steps),
            "report": str(report),
            "output": str(self.reports / f"{name}.output"),
            **more,
        }

    def played(self, job: dict[str, Any], ended: Ended) -> Played:
        output = Path(job["output"])
        text = output.read_text(errors="replace") if output.exists() else ""
        return Played(ended, script.read(Path(job["report"])), text)

    def play(
        self,
        steps: Sequence[Step],
        *,
        home: Path | None = None,
        kill_after: float | None = None,
        **more: Any,
    ) -> Played:
        """Let one process carry out steps."""
        job = self.job(steps, home=home, **more)
        return self.played(job, self.zygote.run([job], kill_after=kill_after))

    def cli(
        self,
        *arguments: str,
        home: Path | None = None,
        cwd: Path | None = None,
        limit: float = 120.0,
    ) -> Played:
        """Let one process run a command as a person does, without a terminal."""
        argv = ["--home", str(home or self.home), *arguments]
        job = self.job([], cli=argv, cwd=str(cwd or self.folder))
        return self.played(job, self.zygote.run([job], limit=limit))

    # --- states -----------------------------------------------------------------------------------

    def put_back(self, state: str = PLAIN) -> None:
        """Bring a state of the world back; the first time, it is made."""
        if state in STATES and state not in self.trees:
            former, acts = STATES[state]
            self.put_back(former)
            alpha = str(self.alpha)
            for act in acts:
                see: Step = {"do": "see", "project": alpha}
                self._learn_from([see, {"project": alpha, **act}])
            self.save(state)
        self.control.nothing()
        if self.moved.exists() and not self.alpha.exists():
            self.moved.rename(self.alpha)
        for entry in list(os.scandir(self.place)):
            if entry.name in ("alpha", "beta"):
                trees.empty(Path(entry.path))
            elif entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        source = self.folder / "saved" / state
        subprocess.run(["cp", "-a", f"{source}/.", self.place], check=True)

    def save(self, state: str) -> None:
        """Keep the present state under a name."""
        target = self.folder / "saved" / state
        target.parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-a", self.place, target], check=True)
        self.trees[state] = {"alpha": trees.look(self.alpha), "beta": trees.look(self.beta)}

    def old_home(self, version: str) -> Path:
        """Put a home of version 1 or 2 into the world, which an opening imports."""
        home = self.place / f"home-{version}"
        subprocess.run(["cp", "-a", self.folder / "old" / version, home], check=True)
        return home

    def learn(self, steps: Sequence[Step], answers: Sequence[tuple[int, Answer]]) -> None:
        """Note which trees checkpoints were taken of, by what a process reported."""
        now: dict[str, Tree] = {}
        for number, answer in answers:
            if number < 0:
                continue
            project = steps[number].get("project", "")
            if "tree" in answer:
                now[project] = answer["tree"]
            elif answer["answer"] in ("taken", "unchanged"):
                self.known.setdefault(answer["id"], now[project])
                self.projects[answer["id"]] = project
            elif answer["answer"] == "restored":
                self.known.setdefault(answer["safety"], now[project])
                self.projects[answer["safety"]] = project

    def _build(self) -> None:
        self.outside.mkdir()
        (self.outside / "sentinel").write_text("outside\n")
        for name, project in (("alpha", self.alpha), ("beta", self.beta)):
            make_tree(project, name)
        old = self.folder / "old"
        old.mkdir()
        shutil.copytree(extracted("v1", old / "x1"), old / "v1", symlinks=True)
        shutil.copytree(extracted("v2", old / "x2"), old / "v2", symlinks=True)
        grown(old / "g1", 12)
        shutil.copytree(old / "g1" / ".hermes", old / "g", symlinks=True)
        alpha, beta = str(self.alpha), str(self.beta)
        document = {"task": "campaign", "items": [1, 2, 3]}
        steps: list[Step] = [{"do": "see", "project": alpha}, {"do": "see", "project": beta}]
        steps += [{"do": "take", "project": alpha, "label": "first"}]
        for seed in range(4):
            steps += [
                {"do": "mutate", "project": alpha, "seed": seed},
                {"do": "take", "project": alpha, "reason": f"take {seed}"},
            ]
        steps += [
            {"do": "pin", "project": alpha, "ref": "2"},
            {"do": "take", "project": beta, "label": "b1"},
            {"do": "mutate", "project": beta, "seed": 7},
            {"do": "take", "project": beta},
            {"do": "session_write", "session": "s1", "document": document},
            {"do": "session_write", "session": "s1", "document": {**document, "more": True}},
            {"do": "session_write", "session": "s2", "document": {"status": "completed"}},
            {"do": "see", "project": alpha},
            {"do": "restore", "project": alpha, "ref": "first", "mode": "overlay"},
            {"do": "see", "project": alpha},
            {"do": "undo", "project": alpha},
            {"do": "mutate", "project": alpha, "seed": 9},
            {"do": "take", "project": alpha, "reason": "the last"},
            {"do": "turn", "project": alpha, "session": "s1", "path": "src/app.py"},
            {"do": "mutate", "project": alpha, "seed": 10, "count": 7},
            {"do": "mutate", "project": beta, "seed": 11, "count": 3},
        ]
        self._learn_from(steps)
        self.sessions = {"s1": {**document, "more": True}, "s2": {"status": "completed"}}
        self.save(PLAIN)
        self.put_back()

    def _learn_from(self, steps: list[Step]) -> None:
        played = self.play(steps)
        assert played.ended.code == 0, played.unforeseen
        for _, answer in played.answers:
            assert answer.get("answer") not in ("failed", "refused"), answer
        self.learn(steps, played.answers)


def make_tree(folder: Path, name: str) -> None:
    """Make a small working directory with a repository of its own."""
    contents: dict[str, bytes] = {
        "README.md": f"# {name}\n".encode(),
        ".gitignore": b"*.log\n",
        "noise.log": b"ignored\n",
        "src/app.py": b"def main():\n    return 1\n" * 20,
        "src/deep/er/est.txt": b"deep\n",
        "data.bin": random.Random(name).randbytes(30_000),  # noqa: S311
        "src/naïve name.txt": b"odd\n",
    }
    for number in range(12):
        contents[f"files/f{number}.txt"] = b"line %d\n" % number * 40
    for path, data in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\necho hello\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("src/app.py")
    (folder / "away").symlink_to("../../outside/sentinel")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        command: list[str | Path] = ["git", *identity, "-C", folder, *arguments]
        subprocess.run(command, check=True, capture_output=True)

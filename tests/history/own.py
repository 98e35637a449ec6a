"""A project in a repository of the user's own, and what plain git says of a branch made in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hermes_checkpoints import Checkpoint, ExportedBranch, Project, Taken, WithheldReason
from support import everything


def git(folder: Path, *words: str | Path, stdin: bytes | None = None) -> str:
    """Run git as its user would, with no settings but those of the test."""
    done = subprocess.run(
        ["git", *map(str, words)], cwd=folder, check=True, capture_output=True, input=stdin
    )
    return os.fsdecode(done.stdout)


def made(folder: Path, **contents: bytes) -> Path:
    """Make a repository with one commit and an author; ``contents`` are files beside two."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada Lovelace")
    git(folder, "config", "user.email", "ada@example.org")
    write(folder, {"a.txt": b"one\n", "src/b.txt": b"two\n", **contents})
    return committed(folder)


def write(folder: Path, contents: dict[str, bytes]) -> None:
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def committed(folder: Path) -> Path:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "-m", "first")
    return folder


def taken(project: Project) -> Checkpoint:
    outcome = project.take("before the clean-up")
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def tree(folder: Path, revision: str) -> dict[str, str]:
    """Mode and id of every path of a commit, as git tells them."""
    lines = git(folder, "ls-tree", "-r", "-z", revision).split("\0")
    return {path: about for about, _, path in (line.partition("\t") for line in lines if line)}


def differs(folder: Path, revision: str, other: str = "HEAD") -> set[str]:
    """The paths that differ between two commits."""
    then, now = tree(folder, other), tree(folder, revision)
    return {path for path in then | now if then.get(path) != now.get(path)}


def shown(folder: Path, path: str, revision: str = "rescued") -> bytes:
    command = ["git", "cat-file", "blob", f"{revision}:{path}"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout


def exported(project: Project, name: str = "rescued") -> ExportedBranch:
    """Export the newest checkpoint, and prove that the repository has nothing but one pack and one
    branch more, is whole, and that the plan had told the same."""
    folder = project.working_dir
    top = Path(git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
    common = top / git(top, "rev-parse", "--git-common-dir").rstrip("\n")
    before, outside = everything(common), everything(top)
    plan = project.plan_export_branch("latest", name)
    assert plan.commit is None
    assert everything(common) == before
    done = project.export_branch("latest", name)
    after = everything(common)
    packs = {p for p in after if p.startswith("objects/pack/pack-")} - before.keys()
    assert len(packs) == 2
    ref = f"refs/heads/{name}"
    folders = {f"refs/heads/{'/'.join(name.split('/')[:n])}" for n in range(1, name.count("/") + 1)}
    assert after.keys() - before.keys() == {*packs, ref, *(folders - before.keys())}
    assert {path: after[path] for path in before} == before
    if common.is_relative_to(top):
        inside = common.relative_to(top).as_posix()
        assert {p: v for p, v in everything(top).items() if not p.startswith(inside)} == {
            p: v for p, v in outside.items() if not p.startswith(inside)
        }
    assert git(top, "rev-parse", ref).strip() == done.commit
    assert (done.changes, done.withheld) == (plan.changes, plan.withheld)
    assert done.repository == top
    return done


def withheld(done: ExportedBranch) -> dict[str, tuple[WithheldReason, bool]]:
    return {one.path: (one.reason, one.kept) for one in done.withheld}

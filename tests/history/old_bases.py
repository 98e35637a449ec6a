"""Bases of earlier versions to import, and what git itself says is in them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Kind
from hermes_checkpoints.model.history import LegacyRecord

FIXTURES = Path(__file__).parents[1] / "fixtures"


@dataclass(frozen=True)
class OldCommit:
    """A commit as git tells it. ``files`` are mode, blob id and path of all its files."""

    id: str
    workdir: str
    message: str
    authored: datetime
    files: tuple[str, ...]


def git(repository: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git on a repository, wherever its own configuration says that its files are."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_DIR": str(repository),
        "GIT_WORK_TREE": str(repository),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    done = subprocess.run(
        ["git", *arguments], env=environment, input=stdin, capture_output=True, check=True
    )
    return os.fsdecode(done.stdout)


def extracted(version: str, folder: Path) -> Path:
    """Extract a fixture; return the home in it."""
    with tarfile.open(FIXTURES / f"{version}-base.tar.gz") as archive:
        archive.extractall(folder, filter="fully_trusted")  # noqa: S202 - our own
    return folder / "home" / "dev" / ".hermes"


def made(folder: Path) -> Path:
    """Make a base of version 1 with living working directories; return its home."""
    subprocess.run([sys.executable, FIXTURES / "make_v1_base.py", folder], check=True)
    return folder / ".hermes"


def grown(folder: Path, commits: int, *, name: str = "grown", first: int = 1_760_000_000) -> Path:
    """Make a repository of version 1 with so many commits, one a minute, of a working directory
    beside the home; return the home."""
    working_dir = folder / name
    working_dir.mkdir(parents=True)
    home = folder / ".hermes"
    hash_ = hashlib.sha256(os.fsencode(working_dir.resolve())).hexdigest()[:16]
    repository = home / "checkpoints" / hash_
    repository.mkdir(parents=True)
    git(repository, "init", "-q")
    (repository / "HERMES_WORKDIR").write_text(f"{working_dir.resolve()}\n", encoding="utf-8")
    stream = [
        f"commit refs/heads/master\nauthor a <a@b> {first + 60 * number} +0100\n"
        f"committer a <a@b> {first + 60 * number} +0100\ndata 4\n{number:04}\n"
        f"M 100644 inline file.txt\ndata 4\n{number:04}\n"
        for number in range(commits)
    ]
    git(repository, "config", "core.worktree", str(working_dir.resolve()))
    git(repository, "symbolic-ref", "HEAD", "refs/heads/master")
    git(repository, "fast-import", "--quiet", stdin="".join(stream).encode())
    git(repository, "read-tree", "HEAD")
    return home


def history(repository: Path, revision: str, workdir: str) -> list[OldCommit]:
    """Return the commits of one chain, oldest first."""
    found = []
    for name in git(repository, "rev-list", "--reverse", revision).split():
        when, message = git(repository, "show", "-s", "--format=%aI%n%B", name).split("\n", 1)
        files = git(repository, "ls-tree", "-r", "-z", name).split("\0")[:-1]
        authored = datetime.fromisoformat(when)
        found.append(OldCommit(name, workdir, message.rstrip("\n"), authored, tuple(files)))
    return found


def all_commits(home: Path) -> list[OldCommit]:
    """Return every commit of every readable repository below a home."""
    base = home / "checkpoints"
    found: list[OldCommit] = []
    for repository in sorted([*base.glob("legacy-*/*"), *base.iterdir()]):
        if (repository / "HERMES_WORKDIR").is_file() and (repository / "index").is_file():
            workdir = (repository / "HERMES_WORKDIR").read_text(encoding="utf-8").strip()
            found += history(repository, "HEAD", workdir)
    store = base / "store"
    if store.is_dir():
        for line in git(store, "for-each-ref", "refs/hermes").splitlines():
            ref = line.split("\t")[1]
            facts = store / "projects" / f"{ref.rpartition('/')[2]}.json"
            found += history(store, ref, json_workdir(facts))
    return found


def json_workdir(file: Path) -> str:
    import json

    workdir: str = json.loads(file.read_bytes())["workdir"]
    return workdir


def files_of(checkpoints: Checkpoints, tree: str) -> tuple[str, ...]:
    """Return mode, id and path of all files of a tree in our store."""
    store = checkpoints.home / "checkpoints" / "store"
    return tuple(git(store, "ls-tree", "-r", "-z", tree).split("\0")[:-1])


def assert_imported(checkpoints: Checkpoints, commits: list[OldCommit]) -> None:
    """Every commit is one checkpoint, whole, in its place, and found by its former id."""
    store = checkpoints.home / "checkpoints" / "store"
    by_project: dict[str, list[str]] = {}
    for commit in commits:
        found = checkpoints.project(commit.workdir).get(commit.id)
        assert checkpoints.project(commit.workdir).get(commit.id[:10]) == found
        assert found.reason == commit.message
        assert found.local_time.replace(microsecond=0).isoformat() == commit.authored.isoformat()
        assert found.kind is Kind.IMPORTED
        assert files_of(checkpoints, found.tree_id) == commit.files
        assert found.file_count == len(commit.files)
        by_project.setdefault(commit.workdir, []).append(found.id)
    listed = 0
    for workdir, ids in by_project.items():
        newest_first = [one.id for one in checkpoints.project(workdir).list()]
        assert newest_first == ids[::-1]
        listed += len(newest_first)
    assert listed == len(commits) == checkpoints.status().checkpoint_count
    git(store, "fsck", "--full", "--strict", "--no-dangling")


def records(checkpoints: Checkpoints) -> list[LegacyRecord]:
    """Return all that was ever found of earlier versions, and what became of it."""
    return checkpoints._base.catalog.archives.all()


def states(checkpoints: Checkpoints) -> dict[str, str]:
    """Return how far the import of each thing came, by its name."""
    return {r.name: r.state.value for r in records(checkpoints)}

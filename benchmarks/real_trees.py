"""Ruins real source trees, brings them back, and proves that nothing is lost without a word.

    python benchmarks/real_trees.py DIRECTORY... [--folder DIR]

Each directory is an unpacked source tree. Of a copy a git repository is made, with all that its own
.gitignore files let in and a few files with odd names that are added by force. A checkpoint is
taken, every file is deleted, rewritten, replaced or closed, and the checkpoint is restored.
What git tracks must then be as it was, to the byte, and every other difference must be one that
``coverage`` named before. One row for each tree is printed; the exit code is 1 where a tree fails.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Coverage, Mode, Taken

ODD_TRACKED = (
    *("build/tool.py", "env/settings.py", "out/report.txt", "target/list.txt", "coverage/run.py"),
    *("dist/app.js", "node_modules/mine/index.js", ".env", ".env.example", "keys/test.pem"),
    *("deep/er/build/a/b.log", "fixtures/data.zip", "lib/native.so", "venv/notes", "a b/é.pyc"),
)
"""Files that a rule leaves out by their name, and that git tracks all the same."""

ODD_UNTRACKED = (
    *("build/other.py", "env/other.py", "dist/other.js", "node_modules/other/index.js", "x.log"),
    *("keys/other.pem", "deep/er/build/a/c.log", "__pycache__/x.pyc", "plain/new.txt", ".envrc"),
)
"""Files that git does not track; a rule leaves out some of them."""

MADE = "made since"

Answer = TypeVar("Answer")
Seen = tuple[str, int, str]
"""Kind, permission bits, and what is in it: a digest, or where a link leads."""


@dataclass(frozen=True)
class Proof:
    """What became of one tree. ``lost`` are tracked paths that are not as they were, and
    ``untold`` other differences that nobody was told of: both must be empty. ``in_the_way`` counts
    the tracked paths in whose place the ruin put a directory that a rule ignores: no checkpoint
    holds what is in it, so that it is kept, and the restore names it."""

    name: str
    files: int
    tracked: int
    odd: int
    announced: int
    in_the_way: int
    differences: int
    lost: tuple[str, ...]
    untold: tuple[str, ...]
    take_seconds: float
    restore_seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing was lost without a word."""
        return not self.lost and not self.untold


def prove(source: Path, folder: Path) -> Proof:
    """Copy a tree into an empty folder, ruin it, restore it and compare.

    Raises:
        RuntimeError: when no checkpoint is taken or the restore fails.
    """
    tree = folder / "tree"
    shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    tracked = make_repository(tree)
    before = look(tree)
    with Checkpoints.open(folder / "home", config=Config(max_files=1_000_000)) as store:
        project = store.project(tree)
        coverage = project.coverage()
        outcome, took = clock(project.take)
        if not isinstance(outcome, Taken):
            raise RuntimeError(f"no checkpoint of {source}: {outcome}")
        ruin(tree)
        covered = {change.path for change in project.diff(outcome.checkpoint).changes}
        restored, restoring = clock(lambda: project.restore(outcome.checkpoint.id, mode=Mode.EXACT))
        if restored.failed:
            raise RuntimeError(f"the restore of {source} failed: {restored.failed[:5]}")
    after = look(tree)
    kept = {step.path for step in restored.kept}
    blocked = {p for p in tracked & kept if p in after and after[p][0] == "directory"}
    blocked = {p for p in blocked if f"{p}/{MADE}" not in covered}
    below = {f"{path}/{MADE}" for path in blocked}
    different = {path for path in before.keys() | after if before.get(path) != after.get(path)}
    different -= blocked | below
    announced = {path for path in before.keys() | after if is_announced(path, coverage)}
    return Proof(
        source.name,
        sum(1 for kind, _, _ in before.values() if kind != "directory"),
        len(tracked),
        len(tracked.intersection(ODD_TRACKED)),
        len(announced),
        len(blocked),
        len(different),
        tuple(sorted(different & tracked)),
        tuple(sorted(different - tracked - announced)),
        took,
        restoring,
    )


def make_repository(tree: Path) -> set[str]:
    """Make a git repository of a tree, with odd names; return the paths that it tracks."""
    write(tree, ODD_TRACKED)
    run(tree, "init", "-q")
    run(tree, "config", "core.autocrlf", "false")
    run(tree, "add", "-A")
    run(tree, "add", "-f", "--", *ODD_TRACKED)
    write(tree, ODD_UNTRACKED)
    listed = run(tree, "ls-files", "-z").split(b"\0")
    return {os.fsdecode(path) for path in listed if path}


def write(tree: Path, names: Iterable[str]) -> None:
    """Write those of some small files that are not there."""
    for name in names:
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(file):
            file.write_text(f"what {name} holds\n")


def run(tree: Path, *arguments: str) -> bytes:
    """Run git in a tree without the settings of the user; return what it prints."""
    nowhere = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments],
        cwd=tree,
        env=environment | nowhere,
        check=True,
        capture_output=True,
    )
    return done.stdout


def look(tree: Path) -> dict[str, Seen]:
    """Return all that lies in a tree but its ``.git``, by path."""
    found: dict[str, Seen] = {}
    for path in walk(tree):
        absolute = tree / path
        info = absolute.lstat()
        bits = stat.S_IMODE(info.st_mode)
        if stat.S_ISDIR(info.st_mode):
            found[path] = "directory", bits, ""
        elif stat.S_ISLNK(info.st_mode):
            found[path] = "link", 0, os.readlink(absolute)
        else:
            found[path] = "file", bits, hashlib.sha256(absolute.read_bytes()).hexdigest()
    return found


def walk(tree: Path) -> Iterable[str]:
    """Yield the paths of all that lies in a tree but its ``.git``, parents first."""
    for folder, folders, files in os.walk(tree):
        if Path(folder) == tree and ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            yield (Path(folder) / name).relative_to(tree).as_posix()


def ruin(tree: Path) -> None:
    """Delete, rewrite, replace and close everything in a tree."""
    chooser = random.Random(14)  # noqa: S311 - the same ruin every time
    paths = [path for path in sorted(walk(tree)) if not (tree / path).is_dir()]
    for path in paths:
        file = tree / path
        if not os.path.lexists(file):  # its folder went
            continue
        kind = chooser.randrange(6)
        if kind == 0 and file.parent != tree and not file.parent.is_symlink():
            shutil.rmtree(file.parent)
            continue
        if file.is_symlink() or kind in (1, 2):
            file.unlink()
            if kind == 2:
                file.mkdir()
                (file / MADE).write_text("made since\n")
        elif kind == 3:
            file.chmod(0o777 if file.stat().st_mode & 0o77 != 0o77 else 0o600)
        else:
            file.chmod(0o644)
            file.write_bytes(b"ruined\n" + file.read_bytes()[::-1])
    for path in sorted(walk(tree)):
        if (tree / path).is_dir() and not (tree / path).is_symlink() and chooser.random() < 0.3:
            (tree / path).chmod(0o700)
    (tree / MADE).write_text("made since\n")


def is_announced(path: str, coverage: Coverage) -> bool:
    """Tell whether ``coverage`` names a path, or a directory above it, as left out."""
    left_out = {one.path for one in coverage.skipped} | {
        one.rstrip("/") for one in coverage.ignored
    }
    parts = path.split("/")
    return any("/".join(parts[:depth]) in left_out for depth in range(1, len(parts) + 1))


def clock(action: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return what an action returns, and how many seconds it took."""
    started = time.perf_counter()
    answer = action()
    return answer, time.perf_counter() - started


def main() -> int:
    """Print one row for each tree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("trees", type=Path, nargs="+", metavar="DIRECTORY")
    parser.add_argument("--folder", type=Path, help="where to copy the trees (default: temporary)")
    args = parser.parse_args()
    titles = ["files", "tracked", "odd", "left-out", "in-the-way", "differ", "lost", "untold"]
    titles += ["take-s", "restore-s"]
    print(f"{'tree':<20}" + "".join(f"{title:>11}" for title in titles))
    failed = False
    for source in args.trees:
        folder = Path(tempfile.mkdtemp(prefix="real-trees-", dir=args.folder)).resolve()
        try:
            proof = prove(source.resolve(), folder)
        finally:
            shutil.rmtree(folder)
        counts = (proof.files, proof.tracked, proof.odd, proof.announced, proof.in_the_way)
        ends = (proof.differences, len(proof.lost), len(proof.untold))
        row = "".join(f"{count:>11,}" for count in (*counts, *ends))
        print(
            f"{proof.name[:20]:<20}{row}{proof.take_seconds:>11.1f}{proof.restore_seconds:>11.1f}"
        )
        for title, paths in (("lost", proof.lost), ("untold", proof.untold)):
            for path in paths[:10]:
                print(f"    {title}: {path!r}")
        failed = failed or not proof.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

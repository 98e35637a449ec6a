"""After any history, a take holds what the first take of a new home would hold."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from capture.roundtrip import write
from capture.trees import git, listing, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, Taken, Unchanged
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import ObjectStore, list_tree

FOLDERS = ("", "a/", "build/", "a/out/", "inner/", "inner/build/", "dist/", "data/", "a/data/")
NAMES = ("x.py", "y.log", ".env", "setup.py", "package.json", "CACHEDIR.TAG", "z.tmp")
RULES = ("data/\n", "*.tmp\n", ".gitignore\n*.tmp\n", "!*.log\n", "build\n", "", "*\n", "!x.py\n")
STEPS = 14


def change(tree: Path, chooser: random.Random) -> None:  # noqa: PLR0912 - one branch a kind
    """Do one thing that people and tools do."""
    path = chooser.choice(FOLDERS) + chooser.choice(NAMES)
    kind = chooser.randrange(13)
    if kind < 3:
        place = tree / path
        if not any(up.is_file() for up in place.parents) and not place.is_dir():
            write(tree, {path: f"{chooser.random()}\n"})
    elif kind == 3 and (tree / path).is_file():
        (tree / path).unlink()
    elif kind == 4:
        wipe(tree / chooser.choice(FOLDERS[1:]))
    elif kind == 5:
        write(tree, {chooser.choice(FOLDERS) + ".gitignore": chooser.choice(RULES)})
    elif kind == 6:
        write(tree, {".git/info/exclude": chooser.choice(RULES)})
    elif kind == 7:
        tried(tree, "add", "-f", path)
    elif kind == 8:
        tried(tree, "rm", "-q", "-r", "-f", "--cached", path.rpartition("/")[0] or path)
    elif kind == 9:
        side = chooser.choice(("side", "a/side", "inner/side"))
        if (tree / side).exists():
            wipe(tree / side)
        else:
            tried(tree, "worktree", "add", "-q", "-f", "--detach", side)
    elif kind in (10, 11):
        target = tree / chooser.choice(FOLDERS) / chooser.choice(NAMES)
        if (tree / path).is_file() and target.parent.is_dir() and not target.exists():
            (tree / path).rename(target)
    elif (tree / "inner/.git").exists():
        wipe(tree / "inner/.git")
    else:
        (tree / "inner").mkdir(exist_ok=True)
        tried(tree / "inner", "init", "-q")
        tried(tree / "inner", "add", "-f", ".")


def tried(folder: Path, *arguments: str) -> None:
    """Run git; what it refuses is no matter."""
    subprocess.run(["git", *arguments], cwd=folder, check=False, capture_output=True)


def now(store: Checkpoints, tree: Path) -> tuple[Checkpoint, dict[str, str], tuple[str, ...]]:
    outcome = store.project(tree).take()
    assert isinstance(outcome, Taken | Unchanged), outcome
    checkpoint = outcome.checkpoint
    listed = list_tree(ObjectStore(store._base.layout).git, checkpoint.tree_id)
    held = {path: str(entry) for path, entry in listed.items()}
    return checkpoint, held, store.project(tree).coverage().ignored


def files_of(tree: Path) -> set[str]:
    """Return the files below a tree, as a walk finds them."""
    found = {path for path, seen in listing(tree).items() if not seen.is_dir}
    return {path for path in found if ".git" not in path.split("/")}


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(int(os.environ.get("HYPOTHESIS_EXAMPLES", "3"))))
def test_a_take_after_any_history_is_as_the_first_of_a_new_home(
    store: Checkpoints, tree: Path, tmp_path: Path, seed: int
) -> None:
    chooser = random.Random(seed)  # noqa: S311 - the same history every time
    git(tree, "init", "-q", "-b", "main")
    git(tree, "commit", "-q", "--allow-empty", "-m", "one")
    for step in range(STEPS):
        for _ in range(chooser.randint(1, 4)):
            change(tree, chooser)
        old, held, ignored = now(store, tree)
        with Checkpoints.open(tmp_path / f"home{step}") as fresh:
            new, expected, left_out = now(fresh, tree)
        where = f"seed {seed}, step {step}"
        assert held == expected, where
        assert ignored == left_out, where
        assert old.state_id == new.state_id, where
        assert not any(".hermes-seed" in path for path in held)
        told = {path.rstrip("/") for path in ignored}
        silent = {path for path in files_of(tree) if path not in held and not within(path, told)}
        assert not silent, where
        assert isinstance(store.project(tree).take(), Unchanged), where

"""A real source tree is ruined and comes back, and nothing is lost without a word."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

ROOT = Path(__file__).parents[2]
LEAST_FILES = 100


def real_trees() -> ModuleType:
    """Return the benchmark, which is no part of the installed package."""
    file = ROOT / "benchmarks" / "real_trees.py"
    spec = importlib.util.spec_from_file_location("real_trees", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_what_git_tracks_comes_back_and_all_else_was_told_before(tmp_path: Path) -> None:
    benchmark = real_trees()
    source = tmp_path / "source"
    shutil.copytree(Path(hypothesis.__file__).parent, source, symlinks=True)
    (source / "vendored").mkdir()
    (source / "vendored/.gitignore").write_text(".gitignore\n*.gen\n")
    for name in ("a.gen", "b.txt"):
        (source / "vendored" / name).write_text(f"{name}\n")
    (source / "link").symlink_to("vendored/b.txt")
    folder = tmp_path / "proof"
    folder.mkdir()
    proof = benchmark.prove(source, folder)
    assert proof.lost == ()
    assert proof.untold == ()
    assert proof.odd == len(benchmark.ODD_TRACKED)
    assert proof.tracked > LEAST_FILES
    assert proof.differences > 0
    assert proof.in_the_way < proof.tracked // 4


@pytest.mark.campaign
def test_a_tracked_file_that_does_not_come_back_counts_as_lost(tmp_path: Path) -> None:
    """The proof can fail: a file over the size cap is captured by nobody."""
    benchmark = real_trees()
    source, folder = tmp_path / "source", tmp_path / "proof"
    source.mkdir()
    folder.mkdir()
    for number in range(10):  # one of them at least is ruined by more than its mode
        with (source / f"big{number}").open("wb") as file:
            file.truncate(11 << 20)
    proof = benchmark.prove(source, folder)
    assert proof.lost
    assert all(path.startswith("big") for path in proof.lost)
    assert proof.untold == ()

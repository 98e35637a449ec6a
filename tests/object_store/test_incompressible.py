"""Large files that do not compress are stored as they are."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.object_store.incompressible import LARGE, incompressible

RANDOM = random.Random(16)  # noqa: S311 - no secret


def found(folder: Path) -> set[str]:
    look = Inspector(str(folder))
    return incompressible(look, {path.name: look.look(path.name) for path in folder.iterdir()})


def test_large_files_of_noise_are_found(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(RANDOM.randbytes(LARGE))
    (tmp_path / "more noise").write_bytes(RANDOM.randbytes(3 * LARGE + 17))
    (tmp_path / "short noise").write_bytes(RANDOM.randbytes(LARGE - 1))
    (tmp_path / "text").write_bytes(b"all work and no play\n" * (LARGE // 20))
    assert found(tmp_path) == {"noise", "more noise"}


@pytest.mark.parametrize("part", [0, 1, 2, 3])
def test_a_file_of_which_a_part_compresses_is_compressed(tmp_path: Path, part: int) -> None:
    pieces = [RANDOM.randbytes(LARGE // 4) for _ in range(4)]
    pieces[part] = bytes(LARGE // 4)
    (tmp_path / "mixed").write_bytes(b"".join(pieces))
    assert found(tmp_path) == set()


def test_a_file_with_noise_only_at_even_places_is_compressed(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        for start in range(0, 2 * LARGE, 1 << 20):
            file.seek(start)
            file.write(RANDOM.randbytes(1 << 12))
        file.truncate(2 * LARGE)
    assert found(tmp_path) == set()


def test_links_and_what_cannot_be_read_are_left_to_git(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(RANDOM.randbytes(LARGE))
    look = Inspector(str(tmp_path))
    entry = look.look("noise")
    (tmp_path / "noise").unlink()
    assert incompressible(look, {"noise": entry}) == set()
    os.symlink("elsewhere", tmp_path / "link")
    assert found(tmp_path) == set()

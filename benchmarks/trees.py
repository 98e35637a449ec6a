"""The working directories that are measured: source-like files, a large file, large texts."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILES_PER_FOLDER = 20
WORDS = ("return", "value", "self", "import", "for", "name", "path", "def", "None", "result")
MB = 1_000_000


def make_tree(
    root: Path, count: int, per_folder: int = FILES_PER_FOLDER, *, seed: str | None = None
) -> list[Path]:
    """Write ``count`` files of 0.2 to 8 KB in folders three deep; return them. Each ``seed`` makes
    another tree, the same one every time."""
    chooser = random.Random(count if seed is None else seed)  # noqa: S311
    files = []
    for number in range(count):
        folder = number // per_folder
        place = root / f"package{folder // 50}" / f"part{folder % 50}" / f"kind{number % 2}"
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"module_{number}.py"
        lines = [
            " ".join(chooser.choices(WORDS, k=chooser.randint(2, 9)))
            for _ in range(int(chooser.lognormvariate(3.5, 0.8)) + 5)
        ]
        file.write_text("\n".join([f"# {number}", *lines, ""]))
        files.append(file)
    return files


def make_large_file(file: Path, size: int) -> None:
    """Write ``size`` bytes that no compression makes smaller, as a model or an archive has them."""
    chooser = random.Random(size)  # noqa: S311 - the same file every time
    with file.open("wb") as stream:
        for start in range(0, size, MB):
            stream.write(chooser.randbytes(min(MB, size - start)))


def make_text(file: Path, size: int, version: int) -> None:
    """Write a table of about ``size`` bytes, of which no line is as in another version."""
    chooser = random.Random(version)  # noqa: S311 - the same text every time
    number, written = 0, 0
    with file.open("w", encoding="ascii") as stream:
        while written < size:
            number += 1
            line = f"{number},{version},{chooser.getrandbits(48):012x},{chooser.random():.6f}\n"
            written += stream.write(line)


def copy_tree(source: Path, target: Path) -> None:
    """Copy a tree whose files are then as young as those of the other contestants."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)


def some(files: list[str], count: int) -> list[str]:
    """Return ``count`` of the files, from all over the tree."""
    return files[:: max(1, len(files) // count)][:count]


def settle() -> None:
    """Wait until all files are older than git's clock is coarse, as those of a project are."""
    time.sleep(2.2)


@contextmanager
def removed(folder: Path) -> Iterator[Path]:
    """Lend a folder for a moment."""
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

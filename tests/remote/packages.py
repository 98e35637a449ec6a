"""Programs that a recipe needs and that may not be installed: from PATH, else from Debian's
packages, unpacked into the test's own folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_BEYOND_PATH = ("/usr/sbin", "/usr/local/sbin")


@dataclass(frozen=True)
class Program:
    """A program, and the folder of the libraries that were unpacked with it, "" where none were."""

    path: Path
    libraries: str = ""


def program(name: str, folder: Path, *packages: str) -> Program:
    """Return a program of these packages; skip the test where it cannot be had."""
    found = shutil.which(name, path=os.pathsep.join((os.environ["PATH"], *_BEYOND_PATH)))
    if found is not None:
        return Program(Path(found))
    root, debs = folder / "root", folder / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    _run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *packages, at=debs)
    for deb in debs.glob("*.deb"):
        _run("dpkg-deb", "--extract", str(deb), str(root), at=debs)
    [path] = [one for one in root.rglob(name) if one.parent.name in ("bin", "sbin")]
    libraries = os.pathsep.join(str(one) for one in root.glob("usr/lib/*-linux-gnu*"))
    return Program(path, libraries)


def _run(*words: str, at: Path) -> None:
    try:
        done = subprocess.run(words, cwd=at, check=False, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"{words[0]}: {error.strerror}")
    if done.returncode:
        pytest.skip(f"{' '.join(words)}: {done.stderr.strip()[-200:] or done.returncode}")

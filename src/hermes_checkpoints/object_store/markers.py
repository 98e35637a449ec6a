"""Tells whether a directory with an ordinary name is what a tool has made.

Some words of the built-in list are also names that people give: ``build/`` may be the output of a
tool, or the part of a program that builds things. They are left out only where a marker proves
the first: something that lies beside such a directory, or inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hermes_checkpoints.fs.inspect import EntryKind, Inspector


@dataclass(frozen=True)
class Markers:
    """What proves that a directory is made by a tool: one of these names beside it, or one of
    these paths inside."""

    beside: tuple[str, ...]
    inside: tuple[str, ...]


_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")

ALWAYS_INSIDE = ("CACHEDIR.TAG",)
"""What proves it of each of the names: a tool says itself that all in there can be made again."""

MARKED: dict[str, Markers] = {
    "build": Markers(
        (
            *("setup.py", "setup.cfg", "pyproject.toml", "package.json", *_GRADLE),
            *("CMakeLists.txt", "meson.build", "configure", "pubspec.yaml"),
        ),
        ("CMakeCache.txt", "config.status", "build.ninja", "doctrees"),
    ),
    "coverage": Markers(
        ("package.json", ".coveragerc", ".nycrc", ".nycrc.json", "phpunit.xml"),
        ("lcov-report", "lcov.info", "coverage-final.json", "clover.xml", ".last_run.json"),
    ),
    "env": Markers((), ("pyvenv.cfg", "conda-meta", "bin/activate", "Scripts/activate.bat")),
    "out": Markers(
        (
            *("package.json", "tsconfig.json", *_GRADLE, "CMakeLists.txt", ".idea"),
            *("foundry.toml", ".gn"),
        ),
        ("build.ninja", "args.gn"),
    ),
    "target": Markers(
        ("Cargo.toml", "pom.xml", "build.sbt", "project.clj", "dbt_project.yml"),
        (".rustc_info.json",),
    ),
}
"""The words that are also ordinary names, each with what proves that it is not meant so."""


_NAMED = re.compile(rf"(?:^|/)(?:{'|'.join(MARKED)})(?=/)")


def unproven(root: str, directories: Iterable[str], ignored: Iterable[str] = ()) -> frozenset[str]:
    """Return those of some directories below ``root`` that have one of the names and no marker.
    The directories at and above ``ignored`` entries, where a directory ends in a slash, are looked
    at, too: one that is not ignored as a whole is not among them itself. A link, or what is no
    directory any more, is none."""
    named = {path for path in directories if path.rpartition("/")[2] in MARKED}
    named.update(path[: found.end()] for path in ignored for found in _NAMED.finditer(path))
    look = Inspector(root)
    return frozenset(path for path in named if not _proven(look, path))


def _proven(look: Inspector, path: str) -> bool:
    above, _, name = path.rpartition("/")
    markers = MARKED[name]
    if any(look.exists(f"{path}/{found}") for found in (*ALWAYS_INSIDE, *markers.inside)):
        return True
    if look.look(path).kind is not EntryKind.DIRECTORY:
        return True
    prefix = f"{above}/" if above else ""
    return any(look.exists(f"{prefix}{found}") for found in markers.beside)
